"""The gaps between two texts, and that what they add up to is proved."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.lines import distance as gaps
from gitglass.diff.lines.discard import split_lines
from gitglass.diff.lines.distance import find_gaps, shortest
from gitglass.diff.lines.lcs_length import edit_distance
from gitglass.limits import Context

LINES = [b"", b"}", b"  return;", b"  one", b"  two", b"  three", b"  four", b"five", b"six", b"seven"]
texts = st.lists(st.sampled_from(LINES) | st.integers(0, 99).map(lambda n: b"line %d" % n), min_size=12, max_size=80)
edits = st.lists(st.tuples(st.integers(0, 79), st.integers(0, 2), st.lists(st.sampled_from(LINES), max_size=3)))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_SMALL": 0, "_BLOCK": 20, "_NEEDLE": 8, "_CREDIT": 40}.items():
        monkeypatch.setattr(gaps, name, value)


def edited(lines: list[bytes], changes: list[tuple[int, int, list[bytes]]]) -> bytes:
    lines = lines[:]
    for at, gone, come in changes:
        lines[at : at + gone] = come
    return b"\n".join([b"the new beginning", *lines, b"the new end", b""])


@given(texts, edits)
def test_the_sum_is_the_shortest(lines: list[bytes], changes: list[tuple[int, int, list[bytes]]]) -> None:
    a, b = b"\n".join([*lines, b""]), edited(lines, changes)
    found = find_gaps(a, b, Context())
    one, two = (
        [text[gap.ends[side] : then.starts[side]] for gap, then in pairwise(found)] for side, text in ((0, a), (1, b))
    )
    assert one == two  # what is between the gaps
    if found:
        assert shortest(found, a, Context()) == edit_distance(split_lines(a), split_lines(b), Context())


def test_a_line_that_moved_across_a_block_is_no_proof() -> None:
    """The blank lines of both gaps could be partners: it takes the block's own lines to see that it does not pay."""
    block = [b"block %d" % n for n in range(30)]
    a = b"\n".join([b"a", b"", *block, b"b", b""])
    b = b"\n".join([b"x", *block, b"y", b"", b""])
    found = find_gaps(a, b, Context())
    assert len(found) == 2
    assert gaps._imbalance(found) == 4
    assert shortest(found, a, Context()) == 6


def test_a_block_of_equal_lines_separates_nothing() -> None:
    block = [b"same same"] * 30
    a = b"\n".join([b"a", b"", *block, b"b", b""])
    b = b"\n".join([b"x", *block, b"y", b"", b""])
    found = find_gaps(a, b, Context())
    assert shortest(found, a, Context()) == edit_distance(a.split(b"\n"), b.split(b"\n"), Context())


def test_no_gaps_where_little_is_equal() -> None:
    a = b"".join(b"old %d\n" % n for n in range(200)) + b"a block that both have\n" * 3
    b = b"".join(b"new %d\n" % n for n in range(200)) + b"a block that both have\n" * 3 + b"end\n"
    assert find_gaps(a, b, Context()) == []

"""Counts of lines without a diff, against the diff's own."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.lines import distance as gaps
from gitglass.diff.lines.compare import compare
from gitglass.diff.lines.counts import count_lines
from gitglass.diff.lines.spec import LineSpec
from gitglass.limits import Context

OFTEN = [b"", b"", b"}", b"  break;"]


def counted(old: bytes, new: bytes, spec: LineSpec) -> tuple[int, int]:
    script = compare(old, new, spec, ctx=Context()).script
    return sum(one[3] for one in script), sum(one[1] for one in script)


def text(lines: list[bytes], end: bool) -> bytes:
    return b"\n".join(lines) + (b"\n" if end else b"")


line = st.sampled_from(OFTEN) | st.integers(0, 40).map(lambda n: b"  line %d" % n)
specs = st.builds(LineSpec, context=st.sampled_from([0, 3]), minimal=st.booleans())


@given(st.lists(line, max_size=40), st.lists(line, max_size=40), st.booleans(), st.booleans(), specs)
def test_counts_of_any_texts(a: list[bytes], b: list[bytes], end: bool, other: bool, spec: LineSpec) -> None:
    old, new = text(a, end), text(b, other)
    assert count_lines(old, new, spec, ctx=Context()) == counted(old, new, spec)


@pytest.mark.parametrize("block", [8, 40, 1500])
@given(seed=st.integers(0, 1 << 30), spec=specs)
def test_counts_of_versions(block: int, seed: int, spec: LineSpec) -> None:
    """Edited files, with frequent lines amid new ones, so that the clean-up drops some; blocks of every size."""
    chance = random.Random(seed)

    def make() -> bytes:
        if chance.random() < 0.4:
            return chance.choice(OFTEN)
        return b"  line %d" % chance.randrange(60) if chance.random() < 0.5 else b"new %d" % chance.randrange(9999)

    a = [make() for _ in range(chance.choice([30, 120]))]
    b = a[:]
    for _ in range(chance.choice([1, 2, 4])):
        at = chance.randrange(len(b) + 1)
        b[at : at + chance.choice([0, 1, 9])] = [make() for _ in range(chance.choice([0, 1, 3, 12]))]
    old, new = text(a, chance.random() < 0.8), text(b, chance.random() < 0.8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaps, "_BLOCK", block)
        patch.setattr(gaps, "_NEEDLE", 12)
        patch.setattr(gaps, "_SMALL", 0)
        assert count_lines(old, new, spec, ctx=Context()) == counted(old, new, spec)


@pytest.mark.parametrize("changes", [200, 480, 500, 505, 511, 512, 520, 700])
def test_counts_around_the_cost_at_which_the_search_gives_up(changes: int) -> None:
    """Where git's search may stop before it finds a shortest script, the search is made."""
    chance = random.Random(changes)
    a = [b"line %d" % chance.randrange(40) for _ in range(900)]
    b = a[:]
    for _ in range(changes // 2):
        del b[chance.randrange(len(b))]
        b.insert(chance.randrange(len(b) + 1), chance.choice(a))
    old, new = text(a, True), text(b, True)
    plain, minimal = LineSpec(), LineSpec(minimal=True)
    assert count_lines(old, new, plain, ctx=Context()) == counted(old, new, plain)
    assert count_lines(old, new, minimal, ctx=Context()) == counted(old, new, minimal)
    if changes == 700:
        assert sum(counted(old, new, plain)) > sum(counted(old, new, minimal))  # it did stop


def test_a_frequent_line_that_is_dropped_counts_as_changed() -> None:
    """Both files have the blank line between, yet git drops it: it is frequent, and amid nine lines that are new."""
    tail = [b"same %d" % n if n % 2 else b"" for n in range(60)]
    a = [*(b"old %d" % n for n in range(9)), b"", *(b"old %d" % n for n in range(10, 19)), b"end", *tail]
    b = [*(b"new %d" % n for n in range(9)), b"", *(b"new %d" % n for n in range(10, 19)), b"stop", *tail]
    old, new = text(a, True), text(b, True)
    assert count_lines(old, new, LineSpec(), ctx=Context()) == counted(old, new, LineSpec()) == (20, 20)


def test_only_one_side_and_nothing_at_all() -> None:
    ctx = Context()
    assert count_lines(b"a\nb\n", b"a\nx\ny\nb\n", LineSpec(), ctx=ctx) == (2, 0)
    assert count_lines(b"a\nb", b"a\nb", LineSpec(), ctx=ctx) == (0, 0)
    assert count_lines(b"a\nb", b"a\nb\n", LineSpec(), ctx=ctx) == (1, 1)

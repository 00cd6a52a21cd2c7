"""Merging two texts again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.limits import Context
from gitglass.walk.remerge import merge_texts

BASE = b"".join(b"%d\n" % number for number in range(20))


def merged(ours: bytes, theirs: bytes, base: bytes = BASE) -> bytes | None:
    return merge_texts(base, ours, theirs, ctx=Context())


def test_changes_that_lie_apart_go_together() -> None:
    ours, theirs = BASE.replace(b"3\n", b"three\n", 1), BASE.replace(b"12\n", b"")
    assert merged(ours, theirs) == ours.replace(b"12\n", b"")


def test_the_same_change_counts_once() -> None:
    ours = BASE.replace(b"7\n", b"seven\n", 1)
    assert merged(ours, ours) == ours


@pytest.mark.parametrize("line", [b"7\n", b"8\n"])
def test_changes_that_meet_are_a_conflict(line: bytes) -> None:
    """Neighbouring lines too: git wants an unchanged line between."""
    assert merged(BASE.replace(b"7\n", b"x\n", 1), BASE.replace(line, b"y\n", 1)) is None


def test_an_end_without_newline_survives() -> None:
    assert merged(BASE + b"end", BASE.replace(b"0\n", b"zero\n", 1)) == BASE.replace(b"0\n", b"zero\n", 1) + b"end"


Text = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=12).map(b"".join)


@given(Text, Text)
def test_one_side_alone_wins(base: bytes, changed: bytes) -> None:
    assert merged(changed, base, base) == changed
    assert merged(base, changed, base) == changed

"""The patience diff: what is left out of the search because both sides begin or end with it changes nothing."""

from __future__ import annotations

from bisect import bisect

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitglass.diff.lines import patience
from gitglass.diff.lines.compare import whole_marks
from gitglass.diff.lines.patience import patience_marks
from gitglass.limits import Context

Lines = list[bytes]
LINES = st.lists(st.sampled_from([b"%d" % nth for nth in range(12)]), max_size=24)
ANCHORS = st.sampled_from([(), (b"1",), (b"2", b"3")])


def in_order(ka: Lines, kb: Lines, anchors: tuple[bytes, ...]) -> list[tuple[int, int]]:
    """The longest run of lines that occur once on each side, of all of them."""
    pairs = [(at, kb.index(line)) for at, line in enumerate(ka) if ka.count(line) == kb.count(line) == 1]
    tops: list[int] = []
    runs: list[list[tuple[int, int]]] = []
    floor = -1
    for at, line_b in pairs:
        pile = bisect(tops, line_b)
        if pile <= floor:
            continue
        if anchors and ka[at].startswith(anchors):
            del runs[pile:], tops[pile:]
            floor = pile
        run = [*(runs[pile - 1] if pile else ()), (at, line_b)]
        runs[pile : pile + 1], tops[pile : pile + 1] = [run], [line_b]
    return runs[-1] if runs else []


def straightforward(ka: Lines, kb: Lines, anchors: tuple[bytes, ...]) -> tuple[bytearray, bytearray]:
    """The same marks: each side of each matched line by itself, the equal lines around it matched as well."""
    if not set(ka) & set(kb):
        return bytearray(b"\1" * len(ka)), bytearray(b"\1" * len(kb))
    held = in_order(ka, kb, anchors)
    if not held:
        return whole_marks(ka, kb, False, Context())
    deleted, inserted = bytearray(len(ka)), bytearray(len(kb))
    a = b = 0
    for nth, (next_a, next_b) in enumerate([*held, (len(ka), len(kb))]):
        before_a, before_b = next_a, next_b
        while nth < len(held) and next_a > a and next_b > b and ka[next_a - 1] == kb[next_b - 1]:
            next_a, next_b = next_a - 1, next_b - 1
        while a < next_a and b < next_b and ka[a] == kb[b]:
            a, b = a + 1, b + 1
        below = straightforward(ka[a:next_a], kb[b:next_b], anchors)
        deleted[a:next_a], inserted[b:next_b] = below
        a, b = before_a + 1, before_b + 1
    return deleted, inserted


@settings(max_examples=400, deadline=None)
@given(LINES, LINES, LINES, LINES, ANCHORS)
@example([b"8", b"11"], [b"11", b"2"], [b"2"], [b"2", b"7", b"10", b"10"], ())
@example([b"8"], [b"1", b"8"], [], [b"8", b"8"], ())
def test_equal_ends_change_nothing(
    head: Lines, one: Lines, two: Lines, tail: Lines, anchors: tuple[bytes, ...]
) -> None:
    ka, kb = head + one + tail, head + two + tail
    marks = patience_marks(ka, kb, ka, anchors, lambda a, b: whole_marks(a, b, False, Context()), Context())
    assert marks == straightforward(ka, kb, anchors)


def test_lines_of_equal_ends_take_no_part_in_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    held = patience._held

    def watched(pairs: list[tuple[int, int]], old: Lines, anchors: tuple[bytes, ...]) -> list[tuple[int, int]]:
        searched.append(len(pairs))
        return held(pairs, old, anchors)

    monkeypatch.setattr(patience, "_held", watched)
    ka = [b"%d" % nth for nth in range(1000)]
    kb = [*ka[:400], b"new", *ka[402:]]
    marks = patience_marks(ka, kb, ka, (), lambda a, b: whole_marks(a, b, False, Context()), Context())
    assert [at for at, mark in enumerate(marks[0]) if mark] == [400, 401]
    assert [at for at, mark in enumerate(marks[1]) if mark] == [400]
    assert searched == [0]

"""Lines side by side: which line of the old text is beside which of the new one, and how they differ.

A run of removed lines and the run of added lines after it are paired in their order, as in the side-by-side views of
diffs; it is not guessed which line became which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from ...diff.lines.common_ends import common_front
from .lines import Row

_LEAST = 0.3  # of the longer line have to be equal for the rest to be highlighted


def paired(rows: Iterable[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Rows as (left, right): unchanged ones on both sides, removed and added ones beside each other. The head of a hunk
    is on both sides too."""
    removed: list[Row] = []
    added: list[Row] = []
    for row in rows:
        if row.sign == "-" and not added:
            removed.append(row)
        elif row.sign == "+":
            added.append(row)
        else:
            yield from zip_longest(removed, added)
            removed, added = ([row], []) if row.sign == "-" else ([], [])
            if row.sign != "-":
                yield row, row
    yield from zip_longest(removed, added)


def changed_part(old: str, new: str) -> tuple[slice, slice] | None:
    """The differing parts of two lines, between their common beginning and end. None if the lines are equal, or have so
    little in common that a highlight would tell nothing."""
    longest, shortest = max(len(old), len(new)), min(len(old), len(new))
    front = common_front(old, new)
    back = min(common_front(old[::-1], new[::-1]), shortest - front)
    if old == new or len(old[:front].strip()) + len(old[len(old) - back :].strip()) < _LEAST * longest:
        return None
    return slice(front, len(old) - back), slice(front, len(new) - back)


def parts_of(rows: list[Row]) -> dict[int, slice]:
    """The part to highlight in each row, by the row's position; rows that differ as a whole are left out."""
    positions = {id(row): at for at, row in enumerate(rows)}
    parts: dict[int, slice] = {}
    for left, right in paired(rows):
        if left is None or right is None or left is right:
            continue
        differing = changed_part(left.words, right.words)
        if differing is not None:
            parts[positions[id(left)]], parts[positions[id(right)]] = differing
    return parts

"""Lines beside each other: which one of the old text stands by which one of the new, and what differs within them.

A run of lines that go and the run of lines that come after it are laid side by side in their order, as the side-by-side
views of diffs do; nothing is guessed about which one became which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from .lines import Row, common_front

_LEAST = 0.3  # of the longer line have to be common for the rest to stand out


def paired(rows: Iterable[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Rows as (left, right): what stays on both sides, what goes and what comes beside each other. The head of a hunk
    is on both sides too."""
    gone: list[Row] = []
    came: list[Row] = []
    for row in rows:
        if row.sign == "-" and not came:
            gone.append(row)
        elif row.sign == "+":
            came.append(row)
        else:
            yield from zip_longest(gone, came)
            gone, came = ([row], []) if row.sign == "-" else ([], [])
            if row.sign != "-":
                yield row, row
    yield from zip_longest(gone, came)


def changed_part(old: str, new: str) -> tuple[slice, slice] | None:
    """What differs between two lines: the part of each between their common beginning and their common end. None where
    they have too little in common for that to say anything, or where they are the same."""
    longest, shortest = max(len(old), len(new)), min(len(old), len(new))
    front = common_front(old, new)
    back = min(common_front(old[::-1], new[::-1]), shortest - front)
    if old == new or len(old[:front].strip()) + len(old[len(old) - back :].strip()) < _LEAST * longest:
        return None
    return slice(front, len(old) - back), slice(front, len(new) - back)


def parts_of(rows: list[Row]) -> dict[int, slice]:
    """The part of each row that stands out, by the row's position; rows where all of it does are not in it."""
    where = {id(row): at for at, row in enumerate(rows)}
    parts: dict[int, slice] = {}
    for left, right in paired(rows):
        if left is None or right is None or left is right:
            continue
        differing = changed_part(left.words, right.words)
        if differing is not None:
            parts[where[id(left)]], parts[where[id(right)]] = differing
    return parts

"""The budget of an answer, and the place where the answer is cut: between commits, files, hunks or lines; within a line
only if a single line is larger than the whole budget.

An answer is a sequence of `Unit`s, each made when it is needed. `fill` takes as many as fit, from the place where the
previous page ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .typed import Typed

__all__ = ["Budget", "Listed", "Page", "Unit", "cut_at", "fill"]


@dataclass(frozen=True, slots=True)
class Budget:
    """How large an answer may be: UTF-8 bytes of text, bytes of warnings, and number of items (None: as many as
    fit)."""

    max_bytes: int = 40_000
    max_stderr_bytes: int = 4_000
    max_items: int | None = None


@dataclass(slots=True)
class Unit:
    """A commit, a file, a line, …: its text, and its row in the typed result if it has one.

    `counted` is False for headings and the like. `patch`: it may be cut between files and hunks.
    """

    text: Callable[[], str]
    row: Callable[[], Any] | None = None
    counted: bool = True
    patch: bool = False


class Listed:
    """Units of which each counts, made one at a time from the place where a page begins: `make(n)` makes the nth of
    `count`. A page in the middle of a long file then costs no more than the first."""

    __slots__ = ("_count", "_make")

    def __init__(self, count: int, make: Callable[[int], Unit]) -> None:
        self._count, self._make = count, make

    def __iter__(self) -> Iterator[Unit]:
        return self.beyond(0)

    def watched(self, each: Callable[[int], None]) -> Listed:
        """The same units; `each` is called with the number of one that is made."""

        def made(at: int) -> Unit:
            each(at)
            return self._make(at)

        return Listed(self._count, made)

    def beyond(self, first: int) -> Iterator[Unit]:
        """The units from one on."""
        return map(self._make, range(first, self._count))


@dataclass(slots=True)
class Page:
    """The content of a page: texts, number of items, and the place to go on from (None: there is no more).

    `before` counts the items of earlier pages, `size` is that of the text. `typed` takes the rows, if a typed result is
    wanted: it has a budget of its own.
    """

    parts: list[str] = field(default_factory=list)
    shown: int = 0
    before: int = 0
    size: int = 0
    next: tuple[int, int] | None = None
    inside: bool = False
    reason: str = ""
    typed: Typed | None = None

    @property
    def body(self) -> str:
        """The text of the page."""
        return "".join(self.parts)


_FILE = re.compile(rb"^diff --(?:git|cc|combined) ", re.MULTILINE)
_HUNK = re.compile(rb"^@@", re.MULTILINE)


def cut_at(raw: bytes, room: int, *, patch: bool) -> int:
    """The best place to cut a text that is longer than `room`: after whole files, hunks, lines, or else characters."""
    head = raw[: room + 12]
    for pattern in (_FILE, _HUNK) if patch else ():
        best = 0
        for match in pattern.finditer(head):
            if match.start() > room:
                break
            best = match.start()
        if best * 2 > room:
            return best
    line = raw.rfind(b"\n", 0, room) + 1
    if line:
        return line
    at = room
    while at > 0 and raw[at] & 0xC0 == 0x80:
        at -= 1
    while at > 0 and raw[at : at + 10].lower() == b"[gitglass:":  # must not be at the start of a page
        at -= 1
    return at


def fill(
    units: Iterable[Unit],
    start: tuple[int, int],
    room: int,
    max_items: int | None,
    page: Page,
) -> Iterator[Unit]:
    """Fill the page from `start` on, with at most `room` bytes and `max_items` items; return the iterator of the
    remaining units.

    The page is filled in place, so that it holds everything found so far when an error ends the work; `page.next` is
    valid at any time.
    """
    first, offset = start
    page.next = start
    if isinstance(units, Listed):
        iterator, page.before = units.beyond(first), first
    else:
        iterator = iter(units)
        for _ in range(first):
            skipped = next(iterator, None)
            if skipped is None:
                return iterator
            page.before += skipped.counted
    at = first
    for unit in iterator:
        if max_items is not None and page.shown >= max_items and unit.counted:
            page.next, page.reason = (at, 0), "max_items"
            return _again(unit, iterator)
        raw = unit.text().encode("utf-8")[offset:]
        if page.size + len(raw) > room or not _has_row_for(page, unit):
            taken = _cut(unit, raw, at, offset, room, page)
            return iterator if taken else _again(unit, iterator)
        _take(page, unit, raw)
        at, offset = at + 1, 0
        page.next = (at, 0)
    page.next = None
    return iterator


def _has_row_for(page: Page, unit: Unit) -> bool:
    return page.typed is None or unit.row is None or page.typed.fits(unit.row)


def _take(page: Page, unit: Unit, raw: bytes, *, part: bool = False) -> None:
    page.parts.append(raw.decode("utf-8"))
    page.size += len(raw)
    page.shown += unit.counted
    if unit.row is not None and page.typed is not None:
        page.typed.take(unit.row, part=part)


def _cut(unit: Unit, raw: bytes, at: int, offset: int, room: int, page: Page) -> bool:
    """Handle a unit that does not fit: show a part of it if the page would be less than half full without it.

    Returns True if all of its text was taken: then only its row was too large.
    """
    page.next, page.reason = (at, offset), "max_bytes"
    left = room - page.size
    if page.size * 2 > room or (page.typed is not None and page.typed.share * 2 > 1 and page.parts):
        return False
    if len(raw) <= left:
        if page.parts:
            return False
        _take(page, unit, raw, part=True)
        page.next = (at + 1, 0)
        return True
    end = cut_at(raw, left, patch=unit.patch)
    if end <= 0 or (page.size and raw[end - 1 : end] != b"\n"):
        return False  # a line is cut only if the page has nothing else
    _take(page, unit, raw[:end], part=True)
    page.inside = True
    page.next = (at, offset + end)
    return False


def _again(unit: Unit, rest: Iterator[Unit]) -> Iterator[Unit]:
    yield unit
    yield from rest

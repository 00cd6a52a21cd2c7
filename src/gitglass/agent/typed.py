"""The typed result next to the text: each part is measured before it is added, so that the result fits its bytes.

A result has fields, then rows, then the same few facts for every tool. Fields come first, and those that do not fit are
named in `left_out`; rows use the remaining bytes, and the page ends before the first row that does not fit. A single
row that is larger than a whole page loses its large parts and is marked `partial`. All sizes are those of compact JSON
in UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel

from ..request.declared import Declared
from .answer import ToolAnswer
from .visible import visible_value

__all__ = ["LEAST_BYTES", "Typed", "fitted_error", "size_of"]

#: bytes that a result may always use, whatever the budget: the parts around the rows
LEAST_BYTES = 512
#: bytes of the facts of every result at their longest: a cursor, numbers, an error with only its code
_FACTS_BYTES = 260
#: fields of a row that are left out if only a part of its item is shown: they may be large
_LARGE = ("hunks", "lines", "runs", "files", "body", "text")
_PARTIAL: dict[str, Any] = {"partial": True}


def size_of(value: object) -> int:
    """The bytes of plain data as compact JSON."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace"))


class Typed:
    """The fields and rows of one page."""

    __slots__ = ("_fields", "_key", "_most", "_next", "_room", "_rows", "used")

    def __init__(self, max_bytes: int, key: str, fields: dict[str, Any]) -> None:
        self._most = max(max_bytes, LEAST_BYTES)
        self._room = self._most - _FACTS_BYTES - (len(key) + 6 if key else 0)
        self._key = key
        self._fields = self._fitting(_plain_data(fields))
        self._rows: list[Any] = []
        self._next: tuple[Callable[[], Any], Any] | None = None
        self.used = 0

    def _fitting(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields that fit together with at least a small row; the largest are left out, and named if there is
        room."""
        sizes = {name: size_of({name: value}) - 1 for name, value in fields.items()}
        left_out: list[str] = []
        while sizes and sum(sizes.values()) + size_of({"left_out": left_out}) > self._room - size_of(_PARTIAL):
            largest = max(sizes, key=sizes.__getitem__)
            del sizes[largest]
            left_out.append(largest)
        fitting = {name: fields[name] for name in sizes}
        if left_out and size_of({"left_out": left_out}) < self._room:
            fitting["left_out"] = left_out
        self._room -= size_of(fitting) - 1
        return fitting

    @property
    def share(self) -> float:
        """How much of the room for rows is used, from 0 to 1."""
        return self.used / self._room if self._room > 0 else 1.0

    def fits(self, made: Callable[[], Any]) -> bool:
        """Whether a row fits completely."""
        row = _plain_data(made())
        self._next = made, row
        return self.used + size_of(row) + 1 <= self._room

    def take(self, made: Callable[[], Any], *, part: bool) -> None:
        """Add a row: completely if it fits and not only a part of its item is shown, otherwise reduced."""
        row = self._next[1] if self._next is not None and self._next[0] is made else _plain_data(made())
        self._next = None
        for form in _forms(row, part=part):
            size = size_of(form) + 1
            if self.used + size <= self._room:
                self._rows.append(form)
                self.used += size
                return

    def result(self, answer: ToolAnswer) -> dict[str, Any]:
        """The complete result; with as many notes, and as much of an error's message, as there is room for."""
        result = {**self._fields, self._key: self._rows} if self._key else dict(self._fields)
        notes: list[str] = []
        result |= {
            "truncated": answer.truncated,
            "reason": answer.reason,
            "shown": answer.shown,
            "total": answer.total,
            "next_cursor": answer.next_cursor,
            "notes": notes,
            "untrusted": True,
        }
        left = self._most - size_of(result)
        if answer.error is not None:
            result["error"] = fitted_error(answer.error, left - len('"error":,'))
            left = self._most - size_of(result)
        for note in answer.notes:
            left -= size_of(note) + 1
            if left < 0:
                break
            notes.append(note)
        return result


def fitted_error(error: dict[str, Any], room: int) -> dict[str, Any]:
    """An error within its bytes: without details, then without the hint, then with the beginning of its message."""
    for without in ((), ("details",), ("details", "hint")):
        fitting = {key: value for key, value in error.items() if key not in without}
        if size_of(fitting) <= room:
            return fitting
    message = str(fitting["message"])
    while message and size_of(fitting | {"message": message}) > room:
        message = message[: len(message) // 2]
    return fitting | {"message": message}


def _forms(row: Any, *, part: bool) -> Iterator[Any]:
    """A row in decreasing sizes; complete first, unless only a part of its item is shown."""
    if not part:
        yield row
    yield _without_large(row)
    yield _PARTIAL


def _without_large(row: Any) -> Any:
    """A row without the fields that may be large, in it or in the object that it holds."""
    if not isinstance(row, dict):
        return row
    kept = {key: value for key, value in row.items() if key not in _LARGE}
    for key, value in kept.items():
        if isinstance(value, dict):
            kept[key] = {name: part for name, part in value.items() if name not in _LARGE}
    return kept | _PARTIAL


def _plain_data(value: object) -> Any:
    """Rows and fields as JSON's types, with all hidden characters made visible."""
    return visible_value(json.loads(json.dumps(value, default=_plain)))


def _plain(value: object) -> object:
    if isinstance(value, BaseModel | Declared):
        return value.model_dump(mode="json")
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    slots = getattr(value, "__dataclass_fields__", None)
    if slots is not None:
        return {name: getattr(value, name) for name in slots}
    return str(value)

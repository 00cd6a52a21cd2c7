"""What the last files of a kind were parsed to, kept for the next handle.

A host that asks again and again through fresh handles parses a file once. Every handle reads the file itself: what is
found here was made of the very same bytes, so it is never stale and says nothing that the asker could not know.
"""

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Concatenate, Generic, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_SMALL = 64 << 10
_Parser = Callable[Concatenate[bytes, _P], _T]


def once_for_its_bytes(most: int) -> Callable[[_Parser[_P, _T]], _Parser[_P, _T]]:
    """A parser that makes of small content the same thing for all who ask, and of the last `most` contents only once.

    Nobody may change what they get.
    """

    def keeping(parse: _Parser[_P, _T]) -> _Parser[_P, _T]:
        kept = lru_cache(maxsize=most)(parse)

        def parsed(data: bytes, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
            if len(data) > _SMALL:
                return parse(data, *args, **kwargs)
            return kept(data, *args, **kwargs)  # type: ignore[arg-type]

        update_wrapper(parsed, parse)
        return parsed

    return keeping


class Recent(Generic[_T]):
    """By path: a file's bytes and what they were parsed to; so many files, and so many bytes of files in all.

    Dict operations only, so that threads need no lock.
    """

    __slots__ = ("_files", "_rows", "_size")

    def __init__(self, files: int, size: int) -> None:
        self._files, self._size = files, size
        self._rows: dict[bytes, tuple[bytes, _T]] = {}

    def get(self, path: bytes, data: bytes) -> _T | None:
        """What was last made of these bytes of this file."""
        row = self._rows.get(path)
        return row[1] if row is not None and row[0] == data else None

    def put(self, path: bytes, data: bytes, parsed: _T) -> None:
        """Keep what a file was parsed to, in place of the oldest ones; not of a file that is too large."""
        rows = self._rows
        rows.pop(path, None)
        if len(data) > self._size:
            return
        kept = list(rows.items())
        while kept and (len(kept) >= self._files or sum(len(row[0]) for _, row in kept) > self._size - len(data)):
            rows.pop(kept.pop(0)[0], None)
        rows[path] = (data, parsed)

"""What the last files of a kind held, and what they were parsed to, kept for the next handle.

A host that asks again and again through fresh handles reads and parses a file once. Every handle looks at the file
itself: what is found here was made of the very same bytes, or of a file whose status is the same to the nanosecond
(`Jail.read_stamped`), so it is never stale and says nothing that the asker could not know. A process that changes its
user or groups may know less from then on: what was kept before is forgotten.
"""

import os
from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Concatenate, Generic, ParamSpec, TypeVar

from .limits import running

_P = ParamSpec("_P")
_K = TypeVar("_K")
_T = TypeVar("_T")
_SMALL = 64 << 10
_Parser = Callable[Concatenate[bytes, _P], _T]


_Reader = tuple[int, int, tuple[int, ...]]


def _identity() -> _Reader:
    """As whom the process opens files now: user, group and further groups, none of them where there are no such."""
    if not hasattr(os, "geteuid"):  # Windows
        return 0, 0, ()
    return os.geteuid(), os.getegid(), tuple(os.getgroups())


def _reader() -> _Reader:
    """The same, asked once for each call: a host does not change its user within one."""
    ctx = running()
    if ctx is None:
        return _identity()
    if ctx.reader is None:
        ctx.reader = _identity()
    return ctx.reader


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


class Recent(Generic[_K, _T]):
    """By path: what tells whether a file is the same (its bytes, its status), and what was made of it; of so many
    files, and so many bytes of files in all.

    Dict operations only, so that threads need no lock. Each row remembers as whom the process read the file.
    """

    __slots__ = ("_files", "_rows", "_size")

    def __init__(self, files: int, size: int) -> None:
        self._files, self._size = files, size
        self._rows: dict[bytes, tuple[_K, _T, int, _Reader]] = {}

    def get(self, path: bytes, same: _K) -> _T | None:
        """What was last made of this file, if it is the same."""
        row = self._rows.get(path)
        return row[1] if row is not None and row[0] == same and row[3] == _reader() else None

    def put(self, path: bytes, same: _K, made: _T, size: int) -> None:
        """Keep what was made of a file of `size` bytes, in place of the oldest ones; not if it is too large."""
        rows = self._rows
        rows.pop(path, None)
        if size > self._size:
            return
        kept = list(rows.items())
        while kept and (len(kept) >= self._files or sum(row[2] for _, row in kept) > self._size - size):
            rows.pop(kept.pop(0)[0], None)
        rows[path] = (same, made, size, _reader())

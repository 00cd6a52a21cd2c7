"""Every operation, with a fault at every call that changes something, and what must hold then.

A call fails once, or all do from some moment on: a disk that is full takes no more data but still removes and renames,
one that is broken or was remounted read-only takes nothing. Then an operation was done although, or raised a typed
error and is as if it had not begun, or is open and `recover` arrives both ways; and nothing is lost, whichever.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from gitglass.errors import GitError
from gitglass.records import record

from .all_cases import ALL
from .kills import Source, differing, leftovers, seen
from .writing import Counted

_MAKING = ("create", "write", "mkdir", "symlink", "link")


@record(frozen=True)
class Kind:
    """A way to fail: the error; whether all later calls fail too, and which; how much of a write is taken."""

    error: int = 0
    lasting: tuple[str, ...] | None = ()
    half: bool = False


KINDS: dict[str, Kind] = {
    "ENOSPC": Kind(errno.ENOSPC), "EIO": Kind(errno.EIO), "EACCES": Kind(errno.EACCES), "EROFS": Kind(errno.EROFS),
    "short writes": Kind(half=True), "half, then ENOSPC": Kind(errno.ENOSPC, _MAKING, half=True),
    "full from then on": Kind(errno.ENOSPC, _MAKING), "broken from then on": Kind(errno.EIO, None),
    "read-only from then on": Kind(errno.EROFS, None),
}  # fmt: skip


class Faulty(Counted):
    """Calls of which the n-th fails in some way, and perhaps all later ones."""

    def __init__(self, number: int, kind: Kind) -> None:
        super().__init__()
        self._number, self._kind, self.failed = number, kind, 0

    def before(self, name: str) -> None:
        kind, first = self._kind, self.count == self._number
        if self.count < self._number or not kind.error or (first and kind.half and name == "write"):
            return
        if first or kind.lasting is None or name in kind.lasting:
            self.failed += 1
            raise OSError(kind.error, os.strerror(kind.error), name)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """Half of it, where that is the fault."""
        if self._kind.half and self.count >= self._number and len(data) > 1:
            data = data[: len(data) // 2]
        return super().write(fd, data)


@record
class Suffered:
    """What the faults of one operation came to."""

    calls: int
    faulted: int = 0
    done: int = 0
    back: int = 0  # put back at once
    recovered: int = 0  # left open, and recovered both ways
    faults: list[str] = None  # type: ignore[assignment]


class Sufferer(Source):
    """A repository in the state before an operation that will meet a fault."""

    def suffer(self, number: int, word: str, suffered: Suffered) -> None:
        """One fault."""
        name = f"{number} {word}"
        repo = self.copy(f"{number}")
        self.point(repo)
        calls, error = Faulty(number, KINDS[word]), ""
        try:
            self.carry_out(repo, calls)
        except GitError as raised:
            error = raised.message or "an error without words"
            suffered.faults += [f"{name}: internal: {error}"] if raised.code == "internal" else []
        except Exception as raised:
            suffered.faults.append(f"{name}: raised {raised!r}")
            error = "untyped"
        suffered.faulted += 1
        suffered.faults += [f"{name}: {fault}" for fault in self.faults(repo)]
        if self.is_open(repo):
            suffered.recovered += 1
            suffered.faults += [] if error else [f"{name}: open, and no error was raised"]
            for forward in (False, True):
                one = self.copy(f"{number}{forward}", repo)
                suffered.faults += [f"{name}: {fault}" for fault in self.recovered(one, forward)]
                self.drop(one)
        else:
            suffered.done += not error
            suffered.back += bool(error)
            suffered.faults += [f"{name}: {fault}" for fault in self._settled(repo, error)]
        self.drop(repo)

    def _settled(self, repo: Path, error: str) -> Iterator[str]:
        """What is wrong where nothing is open: all as before, or done; another repository is at either end, whole."""
        for side in self.sides:
            one = self.at(repo, side)
            now, wanted = seen(one), side.before if error else side.after
            if side is not self.sides[0] and error and now["refs"] == side.after["refs"]:
                wanted = side.after
            for fault in (*differing(now, wanted), *leftovers(one)):
                yield f"{error or 'done'}: {fault}"


def suffer(name: str, place: Path, *, git: bool = False, every: int = 1, first: int = 1, kinds: int = 1) -> Suffered:
    """Faults at each so many-th call of one operation: `kinds` of them at each, another choice at every call."""
    source = Sufferer(ALL[name], place, git=git)
    suffered, words, turn = Suffered(source.calls, faults=[]), list(KINDS), list(ALL).index(name)
    for number in range(first, source.calls + 1, every):
        for more in range(kinds):
            source.suffer(number, words[(turn + number + more) % len(words)], suffered)
    source.close()
    return suffered

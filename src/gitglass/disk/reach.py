"""How far a jail reaches, as a type: the questions about absolute paths that every reach answers."""

import os

from ..annotations import Protocol
from ..errors import SandboxViolation, text
from .opened import Directory


class Reach(Protocol):
    """Answers questions about absolute paths. Where there is no such file the answer is None, False or empty; what lies
    outside is a SandboxViolation, what the system refuses PermissionDenied or Unreadable.
    """

    @property
    def real(self) -> tuple[bytes, ...]:
        """The roots, every link resolved."""

    def open(self, path: bytes) -> int | None:
        """A descriptor to read from, links followed."""

    def stat(self, path: bytes, follow: bool) -> os.stat_result | None:
        """The status, with `follow` of what a link leads to."""

    def readlink(self, path: bytes) -> bytes | None:
        """Where a link points."""

    def entries(self, path: bytes) -> list[tuple[bytes, str]]:
        """(name, kind) of what is in a directory."""

    def names(self, path: bytes) -> list[bytes]:
        """The names alone."""

    def directory(self, path: bytes) -> Directory | None:
        """An open directory."""

    def resolve(self, path: bytes) -> bytes:
        """The path with every link resolved."""

    def allows(self, path: bytes) -> bool:
        """Whether a resolved path is inside."""

    def refresh(self, keep: bool = True) -> None:
        """Forget which directory is where; with `keep` some stay open, to be used again where they are still there."""

    def copy(self) -> "Reach":
        """The same roots with nothing open."""

    def stands(self) -> bool:
        """Whether the roots are still the same directories."""


def no_links(real: tuple[bytes, ...]) -> None:
    """For what was pickled: the roots it had, by their resolved paths, must not be reached through links by now.

    A pickle may arrive on another machine, where device and inode are others: the directories are resolved again there.
    Raises SandboxViolation.
    """
    for path in real:
        if os.path.realpath(path) != path:
            raise SandboxViolation(
                f"'{text(path)}' is reached through a symbolic link now, and was not when it was opened",
                hint="Open the repository by its path where it is now.",
                path=text(path),
            )

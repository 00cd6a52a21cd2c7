"""The reach of a jail, as a type: the operations on absolute paths that every reach has."""

import os

from ..annotations import Protocol
from ..errors import SandboxViolation, text
from .opened import Directory


class Reach(Protocol):
    """Operations on absolute paths. For a missing file the result is None, False or empty; a path outside raises
    SandboxViolation, a system error PermissionDenied or Unreadable.
    """

    @property
    def real(self) -> tuple[bytes, ...]:
        """The roots, all links resolved."""

    def open(self, path: bytes) -> int | None:
        """A descriptor for reading, links followed."""

    def stat(self, path: bytes, follow: bool) -> os.stat_result | None:
        """The status; with `follow`, of the file that a link leads to."""

    def readlink(self, path: bytes) -> bytes | None:
        """The target of a link."""

    def entries(self, path: bytes) -> list[tuple[bytes, str]]:
        """(name, kind) of the entries of a directory."""

    def names(self, path: bytes) -> list[bytes]:
        """Only the names."""

    def directory(self, path: bytes) -> Directory | None:
        """An open directory."""

    def resolve(self, path: bytes) -> bytes:
        """The path with all links resolved."""

    def allows(self, path: bytes) -> bool:
        """Whether a resolved path is inside."""

    def refresh(self, keep: bool = True) -> None:
        """Forget which directory has which path; with `keep`, some stay open, to be used again if they still exist."""

    def copy(self) -> "Reach":
        """A reach with the same roots, and nothing open."""

    def stands(self) -> bool:
        """Whether the roots are still the same directories."""


def no_links(real: tuple[bytes, ...]) -> None:
    """Check an unpickled jail: its roots, by their resolved paths, must not be reached through links now.

    A pickle may be loaded on another machine, with other devices and inodes: the directories are resolved again there.
    Raises SandboxViolation.
    """
    for path in real:
        if os.path.realpath(path) != path:
            raise SandboxViolation(
                f"'{text(path)}' is reached through a symbolic link now, and was not when it was opened",
                hint="Open the repository by its path where it is now.",
                path=text(path),
            )

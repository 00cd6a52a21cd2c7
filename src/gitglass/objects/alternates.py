"""The object directories that a repository borrows from: `info/alternates`. Mirrors gitrepository-layout(5)."""

from collections.abc import Callable, Sequence

from ..config.quoted import listed_paths
from ..disk.jail import Jail
from ..errors import GitError, SandboxViolation, text

__all__ = ["Alternates", "outside"]

_DEEPEST = 5
_MOST = 64


class Alternates:
    """Finds alternates within the jail. `refused`: the last one outside the jail, as the alternates file names it."""

    __slots__ = ("_complain", "_jail", "_shown", "refused")

    def __init__(self, jail: Jail, complain: Callable[[str], None]) -> None:
        self._jail = jail
        self._complain = complain
        self.refused = ""
        self._shown: tuple[bytes, bytes] = (b"", b"")

    def of(self, objects: bytes, more: Sequence[bytes], shown: bytes) -> list[bytes]:
        """`objects` and its alternates, recursively, without repetitions. Those outside the jail are left out.

        `more` are the alternates from the environment; they come first. Messages show `objects` as `shown`.
        A file or directory that cannot be read is left out with a complaint.
        """
        self._shown = (objects, shown)
        directories = [objects]
        for path in more:
            self._add(objects, path, 0, directories)
        self._follow(objects, 0, directories)
        return directories

    def _follow(self, path: bytes, depth: int, directories: list[bytes]) -> None:
        """Add the alternates of a directory; what one of them borrows from comes before the next one."""
        try:
            data = self._jail.read_optional(path + b"/info/alternates", 1 << 20)
        except GitError as error:  # alternates are optional: objects that are here can still be read
            self._complain(f"error: {error.message}")
            return
        for line in listed_paths(data or b"", b"\n"):
            if depth > _DEEPEST or len(directories) >= _MOST:
                self._complain(f"error: {text(path)}: ignoring alternate object stores, nesting too deep")
                return
            self._add(path, line, depth, directories)

    def _add(self, path: bytes, line: bytes, depth: int, directories: list[bytes]) -> None:
        alternate = self._directory(path, line)
        if alternate is not None and alternate not in directories:
            directories.append(alternate)
            self._follow(alternate, depth + 1, directories)

    def _directory(self, path: bytes, line: bytes) -> bytes | None:
        alternate = line if line.startswith(b"/") else path + b"/" + line
        try:
            if not self._jail.is_dir(alternate.rstrip(b"/").rpartition(b"/")[0] or b"/"):
                self._complain(f"error: unable to normalize alternate object path: {text(alternate)}")
                return None
            alternate = self._jail.resolve(alternate)
            alternate = alternate.rstrip(b"/")
            if alternate and self._jail.is_dir(alternate):
                return alternate
        except SandboxViolation:
            self.refused = text(line)
            self._complain(outside(self.refused))
            return None
        shown = self._shown[1] if path == self._shown[0] else path
        self._complain(f"error: object directory {text(alternate)} does not exist; check {text(shown)}/info/alternates")
        return None


def outside(name: str) -> str:
    """The complaint about an alternate outside the jail."""
    return f"error: alternate object directory {name} is outside the root; it is not used"

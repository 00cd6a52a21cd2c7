"""The object directories that a repository borrows from: `info/alternates`. Mirrors gitrepository-layout(5)."""

from collections.abc import Callable, Sequence

from ..config.quoted import listed_paths
from ..disk.jail import Jail
from ..errors import GitError, SandboxViolation, text

__all__ = ["Alternates", "outside"]

_DEEPEST = 5
_MOST = 64


class Alternates:
    """Finds alternates within the jail. `refused`: the last one that lies outside, as the file names it."""

    __slots__ = ("_complain", "_jail", "_shown", "refused")

    def __init__(self, jail: Jail, complain: Callable[[str], None]) -> None:
        self._jail = jail
        self._complain = complain
        self.refused = ""
        self._shown: tuple[bytes, bytes] = (b"", b"")

    def of(self, objects: bytes, more: Sequence[bytes], shown: bytes) -> list[bytes]:
        """`objects` and what its `info/alternates` name, nested, each once; what lies outside the jail is left out.

        `more` are those of the environment, which come first. Messages call `objects` as `shown` says.
        What cannot be read is complained about and left out.
        """
        self._shown = (objects, shown)
        directories = [objects]
        for path in more:
            other = self._directory(objects, path)
            if other is not None and other not in directories:
                directories.append(other)
        queue = [(path, 0) for path in (*directories[1:], objects)]
        for path, depth in queue:
            try:
                data = self._jail.read_optional(path + b"/info/alternates", 1 << 20)
            except GitError as error:  # borrowing is a convenience: what is here is answered without it
                self._complain(f"error: {error.message}")
                continue
            for line in listed_paths(data or b"", b"\n"):
                if depth > _DEEPEST or len(directories) >= _MOST:
                    self._complain(f"error: {text(path)}: ignoring alternate object stores, nesting too deep")
                    break
                other = self._directory(path, line)
                if other is not None and other not in directories:
                    directories.append(other)
                    queue.append((other, depth + 1))
        return directories

    def _directory(self, path: bytes, line: bytes) -> bytes | None:
        other = line if line.startswith(b"/") else path + b"/" + line
        try:
            if not self._jail.is_dir(other.rstrip(b"/").rpartition(b"/")[0] or b"/"):
                self._complain(f"error: unable to normalize alternate object path: {text(other)}")
                return None
            other = self._jail.resolve(other)
            if self._jail.is_dir(other):
                return other
        except SandboxViolation:
            self.refused = text(line)
            self._complain(outside(self.refused))
            return None
        named = self._shown[1] if path == self._shown[0] else path
        self._complain(f"error: object directory {text(other)} does not exist; check {text(named)}/info/alternates")
        return None


def outside(name: str) -> str:
    """The complaint about an alternate that the jail does not hold."""
    return f"error: alternate object directory {name} is outside the root; it is not used"

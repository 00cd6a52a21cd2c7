"""The ids of patches, computed from their text: git-patch-id(1).

Two patches have the same id if they change the same lines, whatever the line numbers and white space. A patch follows a
commit's name (`commit <hex>`, `From <hex>`, or the name alone); text before its first `diff` is ignored. An id is a
hash of the whole patch, or (`stable`) the sum of one hash for each file, which does not depend on their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..annotations import Any
from ..limits import Context
from ..objects.hashes import new_hash

_SPACE = b" \t\n\r"
_HUNK = re.compile(rb"(?P<at>[0-9]{0,9})(?:,(?P<old>[0-9]{0,9}))?(?: \+[0-9]{0,9}(?:,(?P<new>[0-9]{0,9}))?)?")
_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_HEADER = -1  # the value of `old` while the head of a file is read


class _Patch:
    """One patch, read line by line. `old` and `new` are the numbers of lines that the hunk still has on each side."""

    __slots__ = ("_digest", "_make", "_names", "_stable", "_sum", "binary", "length", "new", "old")

    def __init__(self, make: Callable[[], Any], stable: bool) -> None:
        self._make, self._stable = make, stable
        self._digest = make()
        self._sum = 0
        self._names = b""
        self.length = 0
        self.binary = False
        self.old = self.new = _HEADER

    def hash(self, line: bytes) -> None:
        """Add a line to the hash."""
        self._digest.update(line)

    def add(self, line: bytes, verbatim: bool) -> bool:
        """Read the next line; False if it ends the patch and does not belong to it."""
        if not self.length and not line.startswith(b"diff "):
            return True
        if self.old == _HEADER and (taken := self._head(line)) is not None:
            return taken
        if self.binary:
            if line.startswith(b"diff "):
                self.binary, self.old = False, _HEADER
            return True
        if not self.old and not self.new:
            if line.startswith(b"@@ -"):
                self._begin_hunk(line[4:])
                return True
            if not line.startswith(b"diff "):
                return False
            self._file_ends()
            self.old = self.new = _HEADER
        sign = line[:1]
        self.old -= sign in (b"-", b" ")
        self.new -= sign in (b"+", b" ")
        counted = line if verbatim else line.translate(None, _SPACE)
        self.length += len(counted)
        self.hash(counted)
        return True

    def _head(self, line: bytes) -> bool | None:
        """Hash a line of a file's head. Returns the result of `add`; None if the line is hashed like any other line."""
        if line.startswith((b"GIT binary patch", b"Binary files")):
            self.binary, self.old = True, 0
            self.hash(self._names)
            self._file_ends()
            return True
        if line.startswith(b"index "):
            self._read_names(line[6:])
            return True
        if line.startswith(b"--- "):
            self.old = self.new = 1
            return None
        return None if line[:1].isalpha() else False

    def _read_names(self, rest: bytes) -> None:
        """The names of the two sides of a binary file."""
        old, dots, new = rest.partition(b"..")
        if dots:
            self._names = old + (new.partition(b" ")[0] if b" " in new else new[:-1])

    def _begin_hunk(self, rest: bytes) -> None:
        match = _HUNK.match(rest)
        assert match is not None
        self.old = 1 if match["old"] is None else int(match["old"] or b"0")
        digits = match["at"] if match["old"] is None else match["old"]
        if digits and match.end() > match.end("old" if match["old"] is not None else "at"):
            self.new = 1 if match["new"] is None else int(match["new"] or b"0")

    def _file_ends(self) -> None:
        if self._stable:
            self._flush()

    def _flush(self) -> None:
        self._sum += int.from_bytes(self._digest.digest(), "little")
        self._digest = self._make()

    def id(self) -> bytes:
        """The id of all lines that were read."""
        self._flush()
        size: int = self._digest.digest_size
        return (self._sum % (1 << 8 * size)).to_bytes(size, "little")


def patch_ids(
    text: bytes, hash_name: str, *, stable: bool, verbatim: bool, ctx: Context
) -> Iterator[tuple[bytes, bytes]]:
    """(id, commit) of each patch in a text; the commit is all zeros if none was named."""

    def make() -> Any:
        return new_hash(hash_name)

    width = make().digest_size
    named = re.compile(rb"(?:commit |From )?([0-9a-fA-F]{%d})" % (2 * width))
    commit, patch = bytes(width), _Patch(make, stable)
    for match in _LINES.finditer(text):
        ctx.tick()
        line = match[0].partition(b"\0")[0]
        if line.startswith(b"\\ ") and len(line) > 12:  # the marker "No newline at end of file"
            if verbatim:
                patch.hash(line)
            continue
        name = named.match(line)
        if name is None and patch.add(line, verbatim):
            continue
        if patch.length:
            yield patch.id(), commit
        commit, patch = bytes(width) if name is None else bytes.fromhex(name[1].decode()), _Patch(make, stable)
    if patch.length:
        yield patch.id(), commit

"""Notes: text attached to objects, kept in a commit's tree under the objects' names.

A name may be cut into directories of two digits; the tree is never loaded whole, one name costs as many look-ups as the
tree is deep. Mirrors git-notes(1).
"""

import re
from collections.abc import Iterator
from typing import Protocol

from ..limits import Context
from .config import Config
from .globs import path_glob
from .objects import tree_entries
from .refs import Refs

DEFAULT_REF = b"refs/notes/commits"
_DIRECTORY, _REGULAR, _KIND = 0o040000, 0o100000, 0o170000
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2})+")


class _Odb(Protocol):
    def entry(self, tree: bytes, path: bytes) -> tuple[int, bytes] | None: ...

    def tree(self, oid: bytes) -> bytes: ...

    def peel(self, oid: bytes, kind: bytes | None = None) -> bytes: ...


class Notes:
    """One notes ref at one commit."""

    __slots__ = ("_odb", "_tree", "ref")

    def __init__(self, odb: _Odb, commit: bytes, ref: bytes = DEFAULT_REF) -> None:
        self.ref = ref
        self._odb = odb
        self._tree = odb.peel(commit, b"tree")

    def items(self, ctx: Context) -> Iterator[tuple[bytes, bytes]]:
        """(object, blob of its note) of every note, in no order. Files that are no notes are passed over."""
        width = len(self._tree)
        waiting = [(self._tree, "")]
        while waiting:
            tree, front = waiting.pop()
            for mode, name, oid in tree_entries(self._odb.tree(tree), width):
                ctx.tick()
                if _HEX.fullmatch(name) is None:
                    continue
                path = front + name.decode()
                if len(path) == 2 * width and mode & _KIND == _REGULAR:
                    yield bytes.fromhex(path), oid
                elif len(name) == 2 and len(path) < 2 * width and mode & _KIND == _DIRECTORY:
                    waiting.append((oid, path))

    def get(self, oid: bytes) -> bytes | None:
        """The oid of the blob that holds the note of an object, or None."""
        rest = oid.hex().encode("ascii")
        tree = self._tree
        while rest:
            found = self._odb.entry(tree, rest)
            if found is not None and found[0] != _DIRECTORY:
                return found[1]
            found = self._odb.entry(tree, rest[:2])
            if found is None or found[0] != _DIRECTORY:
                return None
            tree, rest = found[1], rest[2:]
        return None


def expand_notes_ref(name: bytes) -> bytes:
    """`x` or `notes/x` as `refs/notes/x` (what --notes=x means)."""
    if name.startswith(b"refs/notes/"):
        return name
    return b"refs/" + name if name.startswith(b"notes/") else b"refs/notes/" + name


def default_ref(config: Config) -> bytes:
    """The notes ref that is written and shown by default."""
    return config.get("core.notesRef") or DEFAULT_REF


def glob_refs(pattern: bytes, refs: Refs) -> tuple[list[bytes], bool]:
    """The refs that a display pattern names, and whether it names any; a plain name need not be a pattern."""
    if any(char in pattern for char in b"*?["):
        full = pattern if pattern.startswith(b"refs/") else b"refs/" + pattern
        return [name for name, _ in refs.iterate() if path_glob(full, name, whole=True)], True
    return [pattern], refs.exists(pattern)


def load_notes(odb: _Odb, refs: Refs, ref: bytes = DEFAULT_REF) -> Notes | None:
    """The notes of a ref (full name), or None when there is no such ref."""
    commit = refs.read(ref)
    return None if commit is None else Notes(odb, commit, ref)

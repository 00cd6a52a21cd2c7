"""Overlay: the files that differ from a tree, as path → entry or deleted; and the tree that results from both.

Trees are made along changed directories only. An overlay never holds a file that equals the tree's, so that it is the
list of unstaged changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..diff.changes import Contents
from ..diff.trees import Trees
from ..errors import Conflict, text
from ..limits import Context, need, paced, step
from ..merge.made import Made
from ..merge.paths import above
from ..merge.spec import GONE
from ..objects.parsed import GITLINK, SYMLINK, TREE, tree_entries
from ..records import record
from .layers import WorkspaceStore

REGULAR, EXECUTABLE = 0o100644, 0o100755
MODES = {"100644": REGULAR, "100755": EXECUTABLE, "120000": SYMLINK}
_MOST_LOWERED = 64


@record(frozen=True)
class WsEntry:
    """A file: its mode (0o100644, 0o100755, 0o120000, 0o160000) and its blob."""

    mode: int
    oid: bytes

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == SYMLINK

    @property
    def is_submodule(self) -> bool:
        """Whether it is a submodule's commit, and no file."""
        return self.mode == GITLINK


#: the changes of an overlay; None: deleted
Changed = dict[bytes, WsEntry | None]


class Overlay:
    """The changes to a tree."""

    def __init__(self, store: WorkspaceStore, tree: bytes) -> None:
        self._store, self.tree = store, tree
        self.changes: Changed = {}
        self._below: dict[
            bytes, dict[bytes, int]
        ] = {}  # for the files in `changes`: by directory, its names and how many files each stands for
        self._lowered: dict[bytes, dict[bytes, list[bytes]]] = {}

    # --- reading ----------------------------------------------------------------------------------------------------

    def stored(self, path: bytes) -> WsEntry | None:
        """The file that the tree has at a path."""
        entry = self._store.odb.entry(self.tree, path) if path else None
        return None if entry is None or entry[0] == TREE else WsEntry(_plain(entry[0]), entry[1])

    def look(self, path: bytes) -> WsEntry | None:
        """The file at a path; None if there is none, or a directory."""
        return self.changes[path] if path in self.changes else self.stored(path)

    def is_folder(self, path: bytes) -> bool:
        """Whether a directory with at least one file is at a path."""
        return bool(self._below.get(path)) or any(True for _ in self._left(path))

    def _left(self, path: bytes) -> Iterator[tuple[bytes, int, bytes]]:
        """The files of the tree below a directory that are neither deleted nor changed: (path, mode, oid)."""
        entry = self._store.odb.entry(self.tree, path)
        if entry is not None and entry[0] == TREE:
            for row in self._rows(entry[1], path + b"/" if path else b""):
                if row[0] not in self.changes:
                    yield row

    def walk(self, tree: bytes, front: bytes = b"") -> Iterator[tuple[bytes, WsEntry]]:
        """The files of a tree, directory by directory."""
        for path, mode, oid in self._rows(tree, front):
            yield path, WsEntry(mode, oid)

    def _rows(self, tree: bytes, front: bytes) -> Iterator[tuple[bytes, int, bytes]]:
        """The same as rows that the garbage collector need not go through again and again, however many there are."""
        stack = [(front, tree)]
        while stack:
            step()
            base, oid = stack.pop()
            entries = tree_entries(self._store.odb.tree(oid), self._store.hash_len)
            need(len(base) * len(entries))
            for mode, name, child in paced(entries):
                if mode == TREE:
                    stack.append((base + name + b"/", child))
                else:
                    yield base + name, _plain(mode), child

    def files(self, folder: bytes = b"") -> list[tuple[bytes, WsEntry]]:
        """All files below a directory (b"": the top), sorted."""
        front = folder + b"/" if folder else b""
        own = [(path, file) for path, file in self.changes.items() if file is not None and path.startswith(front)]
        left = list(self._left(folder))
        return sorted([*((path, WsEntry(mode, oid)) for path, mode, oid in paced(left)), *own])

    def names(self, folder: bytes) -> dict[bytes, WsEntry | None]:
        """The names in one directory; None for a directory."""
        front = folder + b"/" if folder else b""
        entry = self._store.odb.entry(self.tree, folder)
        rows: dict[bytes, WsEntry | None] = {}
        if entry is not None and entry[0] == TREE:
            for mode, name, child in paced(tree_entries(self._store.odb.tree(entry[1]), self._store.hash_len)):
                if mode != TREE:
                    rows[name] = WsEntry(_plain(mode), child)
                elif self.is_folder(front + name):
                    rows[name] = None
        for name in self._below.get(folder, ()):
            rows[name] = self.changes.get(front + name)
        for name in [
            name for name, file in paced(rows.items()) if file is not None and self.look(front + name) is None
        ]:
            del rows[name]
        return rows

    def like(self, folder: bytes, name: bytes) -> list[bytes]:
        """The names in a directory that differ from one in case only."""
        wanted = name.lower()
        entry = self._store.odb.entry(self.tree, folder)
        others = [other for other in self._below.get(folder, ()) if other.lower() == wanted]
        if entry is not None and entry[0] == TREE:
            others += self._lower_names(entry[1]).get(wanted, [])
        front = folder + b"/" if folder else b""
        return [other for other in others if other != name
                and (self.look(front + other) is not None or self.is_folder(front + other))]  # fmt: skip

    def _lower_names(self, tree: bytes) -> dict[bytes, list[bytes]]:
        """{name in lower case: names} of a stored tree; cached for the last trees."""
        rows = self._lowered.get(tree)
        if rows is None:
            rows = {}
            for _, name, _ in paced(tree_entries(self._store.odb.tree(tree), self._store.hash_len)):
                rows.setdefault(name.lower(), []).append(name)
            if len(self._lowered) >= _MOST_LOWERED:
                self._lowered.clear()
            self._lowered[tree] = rows
        return rows

    # --- changes ----------------------------------------------------------------------------------------------------

    def check(self, path: bytes) -> None:
        """Raise Conflict if a file is in the place of one of the path's directories, or a directory is at the path."""
        for folder in above(path):
            if self.look(folder) is not None:
                raise Conflict(f"'{text(folder)}' is a file: '{text(path)}' cannot be below it", path=text(path))
        if self.is_folder(path):
            raise Conflict(f"'{text(path)}' is a directory", path=text(path))

    def put(self, path: bytes, entry: WsEntry | None) -> None:
        """Set the file at a path; None deletes it."""
        self._forget(path)
        if entry != self.stored(path):
            self._keep(path, entry)

    def replace(self, tree: bytes, changes: Mapping[bytes, WsEntry | None]) -> None:
        """Replace the tree and the changes; changes that the tree has already are left out."""
        self.tree = tree
        self.changes, self._below = {}, {}
        for path, entry in paced(list(changes.items())):
            if entry != self.stored(path):
                self._keep(path, entry)

    def _keep(self, path: bytes, entry: WsEntry | None) -> None:
        self.changes[path] = entry
        if entry is not None:
            for folder, name in _steps(path):
                names = self._below.setdefault(folder, {})
                names[name] = names.get(name, 0) + 1

    def _forget(self, path: bytes) -> None:
        if self.changes.pop(path, None) is not None:
            for folder, name in _steps(path):
                names = self._below[folder]
                names[name] -= 1
                if not names[name]:
                    del names[name]

    # --- trees ------------------------------------------------------------------------------------------------------

    def made(self, ctx: Context) -> bytes:
        """The tree of all files; its new objects are kept."""
        return build_tree(self._store, self.tree, self.changes, ctx)


def build_tree(store: WorkspaceStore, tree: bytes, changes: Mapping[bytes, WsEntry | None], ctx: Context) -> bytes:
    """A tree with some files changed; its new objects are kept in memory."""
    if not changes:
        return tree
    made = Made(Contents(store, ctx=ctx))
    sides = {path: GONE if file is None else (file.mode, file.oid) for path, file in changes.items()}
    top = made.changed(tree, sides)
    for kind, content in made.objects.values():
        store.layered.add(kind, content)
    return top


def tree_changes(store: WorkspaceStore, old: bytes, new: bytes, ctx: Context) -> Changed:
    """The differences between two trees, file by file."""
    rows = Trees(store.odb, store.hash_len).rows(old, new, ctx=ctx)
    return {row[0]: entry_of(row[3], row[4]) for row in rows}


def entry_of(mode: int, oid: bytes | None) -> WsEntry | None:
    """One side of a row of a comparison; None if there is no file."""
    return WsEntry(_plain(mode), oid) if mode and oid is not None else None


def _steps(path: bytes) -> list[tuple[bytes, bytes]]:
    """(directory, name in it) of every step down to a path."""
    folders = [*above(path), b""]
    return [(folder, path[len(folder) + bool(folder) :].partition(b"/")[0]) for folder in folders]


def _plain(mode: int) -> int:
    """The mode as git writes it now: old trees have permission bits that are ignored."""
    return (EXECUTABLE if mode & 0o100 else REGULAR) if mode & 0o170000 == 0o100000 else mode

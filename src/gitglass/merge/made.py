"""Trees and blobs that a merge makes, kept in memory beside those that are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..diff.changes import Contents
from ..diff.trees import Trees
from ..objects.parsed import object_name, tree_entries
from ..paths.tree_listing import with_canonical_modes
from .spec import Side

__all__ = ["Made"]

TREE = 0o040000
_PARSED = 256  # trees that are kept parsed: lookups of many paths read the same ones


class Made:
    """Reads trees, stored ones and made ones, and makes new ones. New blobs are added to `contents`.

    `objects` are the made ones by name, as (kind, content): a caller that wants to keep the merge has to store them.
    """

    __slots__ = ("_contents", "_odb", "_parsed", "_store", "by_oid", "hash_len", "objects", "trees")

    def __init__(self, contents: Contents) -> None:
        self._contents, self._store, self._odb = contents, contents.store, contents.odb
        self.objects: dict[bytes, tuple[bytes, bytes]] = {}
        self._parsed: dict[bytes, dict[bytes, Side]] = {}
        self.hash_len, self.by_oid = self._odb.hash_len, self._odb.by_oid
        itself: Any = self
        self.trees = Trees(itself, self.hash_len)

    def tree(self, oid: bytes) -> bytes:
        """The raw content of a tree."""
        made = self.objects.get(oid)
        return self._odb.tree(oid) if made is None else made[1]

    def blob(self, data: bytes) -> bytes:
        """Make a blob; returns its name."""
        oid = self._add(b"blob", data)
        self._contents.keep(oid, data)
        return oid

    def _add(self, kind: bytes, data: bytes) -> bytes:
        oid = object_name(kind, data, self._store.hash_name)
        self.objects[oid] = kind, data
        return oid

    def entry(self, tree: bytes | None, path: bytes) -> Side:
        """Mode and oid of a tree's entry at a path; mode 0 if there is none."""
        mode, oid = TREE, tree
        for name in path.split(b"/") if path else ():
            if mode != TREE or oid is None:
                return 0, None
            mode, oid = self._entries(oid).get(name, (0, None))
        return mode, oid

    def names(self, tree: bytes | None) -> set[bytes]:
        """The names in a tree."""
        return set(self._entries(tree))

    def _entries(self, tree: bytes | None) -> Mapping[bytes, Side]:
        if tree is None:
            return {}
        parsed = self._parsed.get(tree)
        if parsed is None:
            if len(self._parsed) >= _PARSED:
                self._parsed.clear()
            entries = with_canonical_modes(tree_entries(self.tree(tree), self.hash_len))
            parsed = {name: (mode, oid) for mode, name, oid in entries}
            self._parsed[tree] = parsed
        return parsed

    def changed(self, tree: bytes | None, sides: Mapping[bytes, Side]) -> bytes:
        """The tree in which some paths of a tree are replaced by other sides; mode 0 removes a path. Directories that
        become empty are removed."""
        return self._rewritten(tree, _nested(sides)) or self._add(b"tree", b"")

    def unchanged(self, tree: bytes | None) -> bytes:
        """A tree as git writes it again: another one if a mode in it is odd, such as 100664, which was usual once."""
        if tree is None:
            return self._add(b"tree", b"")
        entries = tree_entries(self.tree(tree), self.hash_len)
        return tree if with_canonical_modes(entries) is entries else self.changed(tree, {})

    def _rewritten(self, tree: bytes | None, wanted: dict[bytes, Any]) -> bytes | None:
        entries = dict(self._entries(tree))
        for name, want in wanted.items():
            if isinstance(want, dict):
                mode, oid = entries.get(name, (0, None))
                below = self._rewritten(oid if mode == TREE else None, want)
                if below is not None:
                    entries[name] = TREE, below
                elif mode == TREE or (mode and b"" in want):
                    del entries[name]
            elif want[0]:
                entries[name] = want
            elif entries.get(name, (TREE, None))[0] != TREE:
                del entries[name]
        if not entries:
            return None
        ordered = sorted(entries.items(), key=lambda one: one[0] + b"/" if one[1][0] == TREE else one[0])
        return self._add(b"tree", b"".join([b"%o %b\0%b" % (mode, name, oid or b"") for name, (mode, oid) in ordered]))


def _nested(sides: Mapping[bytes, Side]) -> dict[bytes, Any]:
    """Paths as directories within directories. Removed paths come first, since a directory may replace a removed file.
    For such a directory, the name b"" in it says that the path is no longer a file."""
    root: dict[bytes, Any] = {}
    for path, side in sorted(sides.items(), key=lambda one: (bool(one[1][0]), one[0])):
        *over, name = path.split(b"/")
        folder = root
        for above in over:
            if not isinstance(folder.get(above), dict):
                folder[above] = {b"": folder[above]} if above in folder else {}
            folder = folder[above]
        if side[0] or not isinstance(folder.get(name), dict):
            folder[name] = side
    return root

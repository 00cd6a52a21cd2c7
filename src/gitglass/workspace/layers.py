"""LayeredStore: new objects in memory over object databases that are only read; and the store that engines read.

Mirrors git's alternates (gitrepository-layout(5), `objects/info/alternates`), with memory in front.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import RLock

from ..bridge.files import GIT_DIR, NamedFiles
from ..bridge.refsource import DulwichRefs
from ..errors import MissingObject
from ..limits import Limits
from ..memories import ByOid, Facts
from ..mutate.objects import NewObjects
from ..objects.database import Odb
from ..objects.directory import OpenPacks
from ..paths.attributes import Attributes, use_attributes
from ..records import lazy
from ..refs.refs import Refs
from ..repo.discover import Layout, Where
from ..repo.store import Store

#: bytes of trees and commits that the workspace's own store caches; the layers have caches of their own
_CACHE = 8 << 20
#: settings whose defaults depend on the repository in git: a base's configuration is not used here
_SETTINGS = ("core.abbrev=12",)
#: trees of the layers; a row counts by its bytes
_TREES: Facts[bytes, bytes] = Facts("trees below a workspace", most=4 << 20, each=1)


class LayeredStore:
    """Objects that were made here, and the objects of each layer in turn. A source of an object database."""

    __slots__ = ("_trees", "layers", "memory", "new", "size")

    def __init__(self, hash_name: str) -> None:
        self.new = NewObjects(hash_name)
        self.layers: list[Odb] = []
        self.memory = ByOid(_CACHE)
        self._trees = self.memory.table(_TREES)
        self.size = 0  # bytes of the objects that were made here

    def add(self, kind: bytes, content: bytes) -> bytes:
        """Keep an object; returns its name."""
        count = len(self.new.held)
        oid = self.new.add(kind, content)
        self.size += len(content) if len(self.new.held) > count else 0
        return oid

    def drop(self, oid: bytes) -> None:
        """Drop an object that was made here."""
        self.size -= len(self.new.held.pop(oid)[1])

    def add_layer(self, odb: Odb) -> None:
        """Read from this database too, after the present layers."""
        if all(odb is not layer for layer in self.layers):
            self.layers.append(odb)

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content) of an object; None if no layer has it."""
        own = self.new.read(oid)
        if own is not None:
            return own
        tree = self._trees.get(oid)
        if tree is not None:
            return b"tree", tree
        for layer in self.layers:
            try:
                kind, content = layer.read_raw(oid)
            except MissingObject:
                continue
            if kind == b"tree":
                self._trees.put(oid, content, len(content))
            return kind, content
        return None

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size of the content) of an object."""
        own = self.new.head(oid)
        if own is not None:
            return own
        for layer in self.layers:
            try:
                return layer.kind_size(oid)
            except MissingObject:
                continue
        return None

    def has(self, oid: bytes) -> bool:
        """Whether the object is in memory or in a layer."""
        return self.new.has(oid) or any(layer.has(oid) for layer in self.layers)

    def disk_size(self, oid: bytes) -> int | None:
        """The size of its content."""
        head = self.head(oid)
        return None if head is None else head[1]

    def delta_base(self, oid: bytes) -> bytes | None:
        """The null oid, which means no delta: objects are handed on whole."""
        return bytes(len(oid)) if self.has(oid) else None

    def oids(self) -> Iterable[bytes]:
        """The objects that were made here: abbreviated names are made unique among these."""
        return self.new.oids()

    def refresh(self) -> None:
        """Do nothing when a new command begins: the layers do not change."""


class WorkspaceStore(Store):
    """The store that engines read: a bare repository without files and refs, with git's default settings and with the
    attributes of the workspace's own tree (`rules`)."""

    def __init__(self, layered: LayeredStore, hash_name: str, rules: Callable[[bytes], bytes | None]) -> None:
        layout = Layout(GIT_DIR, GIT_DIR, None, True, b"", GIT_DIR, False, hash_name=hash_name, explicit=True)
        self.layered, self._rules = layered, rules
        super().__init__(
            Where(cwd=GIT_DIR), layout, NamedFiles(None, lock=RLock()), root=None, config={"overrides": _SETTINGS},
            limits=Limits(), opened=OpenPacks(layered.memory),
        )  # fmt: skip

    def refresh(self) -> None:
        """See `Store.refresh`."""
        super().refresh()
        use_attributes(self, Attributes(self, read=self._rules))

    @lazy
    def odb(self) -> Odb:
        """The object database."""
        limits = self.limits or Limits()
        return Odb(
            self.jail, b"", self.hash_name, limit=limits.max_object_bytes, opened=self._packs, graph=lambda: False,
            complain=self._complain, sources=(self.layered,),
        )  # fmt: skip

    @lazy
    def refs(self) -> Refs:
        """No references."""
        return Refs(DulwichRefs(None, self.hash_len, lock=RLock()), self.hash_len, self._peel_tag)

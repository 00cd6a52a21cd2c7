"""An object database in memory, and Contents over it."""

import hashlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.config.config import Config
from gitglass.diff.changes import Contents
from gitglass.errors import MissingObject
from gitglass.limits import Context, Limits
from gitglass.memories import ByOid
from gitglass.objects.heads import ManyHeads

Tree = dict[bytes, Any]  # name → bytes (a file), (mode, bytes), or a Tree


class MemoryOdb:
    replaced: dict[bytes, bytes] = {}
    hash_len = 20

    def __init__(self) -> None:
        self.objects: dict[bytes, tuple[bytes, bytes]] = {}
        self.by_oid = ByOid(1 << 20)
        self.reads = 0

    def add(self, kind: bytes, data: bytes) -> bytes:
        oid = hashlib.sha1(kind + b" %d\0" % len(data) + data).digest()
        self.objects[oid] = (kind, data)
        return oid

    def add_tree(self, tree: Tree) -> bytes:
        entries = []
        for name, value in tree.items():
            if isinstance(value, dict):
                entries.append((name + b"/", b"40000", name, self.add_tree(value)))
            else:
                mode, data = value if isinstance(value, tuple) else (0o100644, value)
                entries.append((name, b"%o" % mode, name, self.add(b"blob", data)))
        return self.add(b"tree", b"".join(mode + b" " + name + b"\0" + oid for _, mode, name, oid in sorted(entries)))

    def content_reader(self) -> Callable[[bytes], bytes]:
        return lambda oid: self.read(oid)[1]

    def read(self, oid: bytes) -> tuple[bytes, bytes]:
        self.reads += 1
        if oid not in self.objects:
            raise MissingObject("missing")
        return self.objects[oid]

    def kind_size(self, oid: bytes) -> tuple[bytes, int]:
        kind, data = self.read(oid)
        return kind, len(data)

    def many_heads(self) -> ManyHeads:
        return ManyHeads(lambda: (), self.kind_size)

    def tree(self, oid: bytes) -> bytes:
        return self.read(oid)[1]


@pytest.fixture
def odb() -> MemoryOdb:
    return MemoryOdb()


@pytest.fixture
def ctx() -> Context:
    return Context(Limits(timeout=None), now=0)  # one for all examples of a property: a deadline would be theirs in sum


@pytest.fixture
def contents(odb: MemoryOdb, ctx: Context) -> Contents:
    config = Config()
    store = SimpleNamespace(
        odb=odb, config=config, hash_name="sha1", hash_len=20, null=bytes(20), empty_blob=odb.add(b"blob", b"")
    )
    made = Contents(store, ctx=ctx)  # type: ignore[arg-type]
    made._attrs = SimpleNamespace(get=lambda path, name: None)  # type: ignore[assignment]
    return made

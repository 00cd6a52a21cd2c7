"""Listing objects accounts for the paths of the trees that are open: they are as long as the trees are deep."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.errors import TooLarge
from gitglass.history.objects.listing import ObjectLister
from gitglass.limits import Context, Limits
from gitglass.memories import ByOid
from gitglass.paths.pathspec import Pathspecs

DEPTH, NAME = 60, b"d" * 3000


def lister() -> tuple[ObjectLister, bytes]:
    oid = (0).to_bytes(20, "big")
    trees = {oid: b"100644 f\0" + b"f" * 20}
    for number in range(1, DEPTH + 1):
        below, oid = oid, number.to_bytes(20, "big")
        trees[oid] = b"40000 " + NAME + b"\0" + below
    store: Any = SimpleNamespace(
        odb=SimpleNamespace(tree=trees.__getitem__, has=lambda oid: True, by_oid=ByOid(1 << 20)), hash_len=20
    )
    return ObjectLister(store, Pathspecs.ALL, Context()), oid


def test_deep_trees_are_refused_before_their_paths_fill_the_memory() -> None:
    """Sixty trees of paths up to 180,000 bytes, three of them each: sixteen megabytes."""
    listed, top = lister()
    with Context(Limits(max_memory_bytes=8 << 20)), pytest.raises(TooLarge):
        list(listed.tree(top))


def test_what_is_listed_is_free_again() -> None:
    listed, top = lister()
    with Context(Limits(max_memory_bytes=64 << 20)) as ctx:
        assert [path for _, path in listed.tree(top)][-1] == (NAME + b"/") * DEPTH + b"f"
        assert ctx._kept == 0

"""Histories made of thin air: a store that holds only what a walk asks for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha1
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.memories import ByOid, PerCall
from gitglass.objects.parsed import Commit


def empty_pack() -> Any:
    """An open pack without objects."""
    return SimpleNamespace(index=SimpleNamespace(count=0, hash_len=20), is_open=True)


class History:
    """Commits named by a letter or word; `add` them parents first. `store` is what engines take."""

    def __init__(self) -> None:
        self.facts: dict[bytes, tuple[tuple[bytes, ...], int, bytes]] = {}
        self.raw: dict[bytes, bytes] = {}
        self.trees: dict[bytes, bytes] = {}
        self.ctx = Context()
        odb = SimpleNamespace(
            graph=None,
            by_oid=ByOid(1 << 20),
            hash_len=20,
            commit_facts=self.facts.__getitem__,
            head_reader=lambda head, ahead: lambda oid: self.raw[oid][:head],
            facts_reader=lambda ends=False, keep=False: self.facts.__getitem__,
            parents_reader=lambda: lambda oid: self.facts[oid][0],
            raw_reader=lambda keep=True: self.raw.__getitem__,
            rows_reader=lambda keep, roots=None: partial(self._row, {} if roots is None else roots),
            grafted={},
            replaced={},
            numbering=None,
            commit=lambda oid: Commit(oid, self.raw[oid]),
            tree=self.trees.__getitem__,
            tree_reader=lambda: self.trees.__getitem__,
            generation=lambda oid: None,
            names=SimpleNamespace(count_estimate=lambda: 0),
        )
        config = SimpleNamespace(get_bool=lambda key, default=None: default)
        self.store: Any = SimpleNamespace(odb=odb, hash_len=20, config=config, once=False, per_call=PerCall())

    def _row(self, roots: dict[bytes, bytes], commit: bytes) -> tuple[int, tuple[bytes, ...], bytes]:
        parents, time, roots[commit] = self.facts[commit]
        return time, parents, self.raw[commit]

    def tree(self, files: dict[str, str]) -> bytes:
        """A flat tree; contents are told apart by their text alone."""
        raw = b"".join(b"100644 %s\0%s" % (name.encode(), oid(files[name])) for name in sorted(files))
        tree = sha1(raw).digest()
        self.trees[tree] = raw
        return tree

    def add(
        self, name: str, parents: str | Sequence[str] = (), time: int = 0, message: str = "", **files: str
    ) -> bytes:
        """A commit; its parents by name, its files by content."""
        commit, tree = oid(name), self.tree(files)
        above = tuple(oid(parent) for parent in parents)
        self.facts[commit] = above, time, tree
        lines = [b"tree " + tree.hex().encode()]
        lines += [b"parent " + parent.hex().encode() for parent in above]
        who = b"A U Thor <author@example.com> %d +0000" % time
        lines += [b"author " + who, b"committer " + who, b"", (message or name).encode()]
        self.raw[commit] = b"\n".join(lines) + b"\n"
        return commit


def oid(name: str) -> bytes:
    """The object name of a commit or file of that name."""
    return name.encode()[:20].ljust(20, b"\0")


def name_of(commit: bytes) -> str:
    """The name behind an object name."""
    return commit.rstrip(b"\0").decode()


@pytest.fixture
def history() -> History:
    """An empty history."""
    return History()


@pytest.fixture
def make_history() -> type[History]:
    """For property tests: a fresh history for every example."""
    return History


@pytest.fixture
def named() -> Any:
    """Object names as the words they were made of."""
    return lambda oids: [name_of(item) for item in oids]


@pytest.fixture
def oid_of() -> Any:
    """The object name of a word."""
    return oid

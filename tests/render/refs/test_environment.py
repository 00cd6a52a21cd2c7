"""What the fields of ref formats look at."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.render.refs.environment import RefEnv
from gitglass.revs.ref_filter import HEADS, RefItem

from ...support.worktrees import Repo

TRACKING = (
    '[remote "o"]\n\turl = /x\n\tfetch = +refs/heads/*:refs/remotes/o/*\n[branch "main"]\n\tremote = o\n'
    '\tmerge = refs/heads/main\n[branch "other"]\n\tremote = o\n\tmerge = refs/heads/gone\n'
)


class _Place:
    """Two commits in a row: main at the second, its upstream at the first."""

    def __init__(self, top: Path) -> None:
        self.repo = repo = Repo(top / "repo")
        repo.config(TRACKING)
        repo.add("f")
        self.first = repo.commit()
        head = b"tree %b\nparent %b\n" % (repo.tree().hex().encode(), self.first.hex().encode())
        self.second = repo.put("commit", head + b"author A <a@x> 2 +0000\ncommitter A <a@x> 2 +0000\n\nc2\n")
        self.ref("heads/main", self.second)
        self.ref("remotes/o/main", self.first)
        self.env = RefEnv(repo.store(), ctx=Context())

    def ref(self, name: str, oid: bytes) -> None:
        place = self.repo.git / "refs" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(oid.hex() + "\n")


@pytest.fixture
def place(tmp_path: Path) -> _Place:
    return _Place(tmp_path)


def test_an_object_is_read_when_asked_for(place: _Place) -> None:
    seen = place.env.seen(place.second)
    assert place.env.seen(place.second) is seen
    raw = place.repo.store().odb.read(place.second)[1]
    assert (seen.kind, seen.size, seen.raw) == (b"commit", len(raw), raw)
    assert seen.header(b"parent", b"commit") == place.first.hex().encode()
    assert seen.header(b"parent", b"tag") is None
    assert seen.parts is not None
    blob = place.env.seen(place.repo.put("blob", b"text"))
    assert (blob.size, blob.kind, blob.parts, blob.header(b"parent", b"commit")) == (4, b"blob", None, None)


def test_names_of_head_refs_and_objects(place: _Place) -> None:
    assert place.env.head == b"refs/heads/main"
    assert place.env.short(b"refs/remotes/o/main") == b"o/main"
    assert place.env.abbreviate(12, place.first) == place.first.hex()[:12].encode()
    assert place.env.abbreviate(None, place.first) == place.first.hex()[:7].encode()


def test_many_short_names_are_those_of_few(place: _Place) -> None:
    place.ref("tags/main", place.first)
    env = RefEnv(place.repo.store(), ctx=Context())
    assert {env.short(b"refs/heads/main") for _ in range(20)} == {b"heads/main"}


def test_upstreams(place: _Place) -> None:
    main, other = RefItem(b"refs/heads/main", place.second, HEADS), RefItem(b"refs/heads/other", place.first, HEADS)
    env = place.env
    assert env.upstream(main.name, False) == b"refs/remotes/o/main"
    assert env.upstream(b"refs/remotes/o/main", False) is None
    assert env.ahead_behind(main, False) == (1, 0)
    assert env.ahead_behind(other, False) is None
    assert RefEnv(env.store, ctx=Context()).ahead_behind(main._replace(oid=place.first), False) == (0, 0)


def test_where_a_branch_is_checked_out(place: _Place) -> None:
    item: Any = SimpleNamespace(name=b"refs/heads/main")
    assert place.env.worktree_path(item) == bytes(place.repo.top)
    assert place.env.worktree_path(RefItem(b"refs/heads/other", bytes(20), HEADS)) == b""

"""bridge/refsource.py: dulwich's refs as a source of ours."""

from threading import RLock

import pytest
from dulwich.repo import MemoryRepo

from gitglass.bridge.refsource import DulwichRefs
from gitglass.refs.names import Raw


@pytest.fixture
def refs(memory: MemoryRepo) -> DulwichRefs:
    return DulwichRefs(memory.refs, 20, lock=RLock())


def oid(memory: MemoryRepo, name: bytes) -> bytes:
    return bytes.fromhex(memory.refs[name].decode())


def test_refs_as_they_are(memory: MemoryRepo, refs: DulwichRefs) -> None:
    assert refs.raw(b"HEAD") == Raw(None, b"refs/heads/main")
    assert refs.raw(b"refs/heads/side") == Raw(oid(memory, b"refs/heads/side"), None)
    assert refs.raw(b"refs/heads/none") is None
    assert refs.raws([b"HEAD", b"refs/x"]) == {b"HEAD": Raw(None, b"refs/heads/main"), b"refs/x": None}


def test_a_listing_is_sorted_and_below_a_prefix(memory: MemoryRepo, refs: DulwichRefs) -> None:
    assert refs.listing(b"refs/heads/") == [
        (b"refs/heads/main", oid(memory, b"refs/heads/main"), None),
        (b"refs/heads/side", oid(memory, b"refs/heads/side"), None),
    ]
    assert refs.listing(b"refs/remotes/") == [(b"refs/remotes/origin/HEAD", None, b"refs/heads/side")]
    assert [row[0] for row in refs.listing(b"")] == sorted(row[0] for row in refs.listing(b""))
    assert not [row for row in refs.listing(b"") if row[0] == b"HEAD"]


def test_what_was_listed_holds_until_the_next_command(memory: MemoryRepo, refs: DulwichRefs) -> None:
    name = b"refs/heads/new"
    refs.listing(b"")
    memory.refs[name] = memory.refs[b"refs/heads/side"]
    assert refs.raw(name) is None
    refs.refresh()
    assert refs.raw(name) == Raw(oid(memory, b"refs/heads/side"), None)


def test_without_refs_head_is_unborn() -> None:
    none = DulwichRefs(None, 20, lock=RLock())
    assert none.raw(b"HEAD") == Raw(None, b"refs/heads/master")
    assert none.raw(b"refs/heads/main") is None and none.listing(b"") == [] and not none.is_packed(b"refs/heads/main")


def test_what_dulwich_does_not_give_out(refs: DulwichRefs) -> None:
    assert refs.log(b"HEAD") is refs.outside() is None
    assert (refs.logs(), refs.peels(), refs.is_packed(b"refs/heads/main")) == ([], {}, False)

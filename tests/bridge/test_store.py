"""bridge/store.py: a repository that dulwich holds, as a store and as a handle."""

import pickle
from threading import RLock
from types import SimpleNamespace
from typing import Any

import pytest
from dulwich.repo import MemoryRepo

from gitglass.bridge.files import GIT_DIR
from gitglass.bridge.store import DulwichStore, open_dulwich
from gitglass.errors import NotARepository, Unsupported
from gitglass.limits import Limits
from gitglass.repo.discover import Where


def store_of(held: Any, **limits: Any) -> DulwichStore:
    return DulwichStore(held, lock=RLock(), config={}, limits=Limits(**limits))


def test_it_is_a_bare_repository_in_every_way(memory: MemoryRepo) -> None:
    store = store_of(memory)
    assert (store.work_tree, store.git_dir, store.prefix, store.hash_name) == (None, GIT_DIR, b"", "sha1")
    assert store.refs.head() == (b"refs/heads/main", bytes.fromhex(memory.head().decode()))
    assert store.odb.commit(bytes.fromhex(memory.head().decode())).message == b"Merge\n"


def test_objects_without_refs(memory: MemoryRepo) -> None:
    store = store_of(memory.object_store)
    assert store.refs.head() == (b"refs/heads/master", None)
    assert store.odb.has(bytes.fromhex(memory.head().decode()))


def test_stores_for_other_threads_and_settings(memory: MemoryRepo) -> None:
    store = store_of(memory, timeout=3.0)
    assert store.sibling() is not store and store.sibling().limits == store.limits
    other = store.sibling(Limits(timeout=4.0))
    assert other.limits is not None and other.limits.timeout == 4.0
    again = store.reopen(Where(cwd=GIT_DIR), root=None, config={"overrides": ["core.abbrev=9"]}, limits=Limits())
    assert again.config.get("core.abbrev") == b"9" and store.config.get("core.abbrev") is None


@pytest.mark.parametrize(
    "where", [Where(cwd=b"/"), Where(cwd=GIT_DIR, git_dir=b"/x/.git"), Where(cwd=GIT_DIR, work_tree=b"/x")]
)
def test_there_is_no_other_place_to_go(memory: MemoryRepo, where: Where) -> None:
    with pytest.raises(NotARepository):
        store_of(memory).reopen(where, root=None, config={}, limits=Limits())


def test_what_is_not_taken(memory: MemoryRepo) -> None:
    with pytest.raises(TypeError, match="a repository or object store of dulwich, is expected, not str"):
        open_dulwich("path")
    memory.object_format = memory.object_store.object_format = SimpleNamespace(name="MD5")  # type: ignore[assignment]
    with pytest.raises(Unsupported, match="the object format 'md5' is not known"):
        store_of(memory)


def test_handles_stay_in_their_process(memory: MemoryRepo) -> None:
    repo = open_dulwich(memory)
    assert repr(repo) == f"gitglass.open({memory!r})"
    for held in (repo, store_of(memory)):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(held)

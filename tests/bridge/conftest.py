"""Repositories for both ends of the bridge: dulwich's in memory, and the same on disk, written by dulwich. No git."""

import os
from pathlib import Path
from typing import Any

import pytest
from dulwich.object_store import BaseObjectStore
from dulwich.objects import Blob, Commit, Tag, Tree
from dulwich.repo import MemoryRepo, Repo

AUTHOR = b"Ann Author <ann@example.com>"


def commit(store: BaseObjectStore, files: dict[bytes, bytes], parents: list[bytes], when: int, message: bytes) -> bytes:
    """A commit of flat files and of one directory level; its name in hex."""
    folders: dict[bytes, Tree] = {}
    top = Tree()
    for path, content in files.items():
        blob = Blob.from_string(content)
        store.add_object(blob)
        folder, _, name = path.rpartition(b"/")
        (folders.setdefault(folder, Tree()) if folder else top).add(name, 0o100644, blob.id)
    for name, tree in folders.items():
        store.add_object(tree)
        top.add(name, 0o040000, tree.id)
    store.add_object(top)
    made = Commit()
    made.tree, made.parents = top.id, parents
    made.author, made.committer = AUTHOR, b"Carl Committer <carl@example.com>"
    made.author_time = made.commit_time = 1_700_000_000 + when
    made.author_timezone = made.commit_timezone = 3600
    made.message = message
    store.add_object(made)
    return made.id


def fill(repo: Any) -> list[bytes]:
    """A small history: four commits, one of them a merge, an annotated tag, a branch."""
    store = repo.object_store
    text = b"".join(b"line %d\n" % number for number in range(60))
    first = commit(store, {b"a.txt": text, b"src/x.py": b"def x():\n    return 1\n"}, [], 0, b"First\n")
    files = {b"a.txt": text.replace(b"line 7\n", b"line seven\n"), b"src/x.py": b"def x():\n    return 1\n"}
    second = commit(store, files, [first], 60, b"Second\n\nWith a body.\n")
    files[b"src/x.py"] = b"def x():\n    return 2\n"
    side = commit(store, files, [first], 90, b"Side\n")
    merge = commit(store, files, [second, side], 200, b"Merge\n")
    tag = Tag()
    tag.tagger, tag.message, tag.name = AUTHOR, b"Version one\n", b"v1.0"
    tag.object = (Commit, second)
    tag.tag_time, tag.tag_timezone = 1_700_000_100, 0
    store.add_object(tag)
    refs = {b"refs/heads/main": merge, b"refs/heads/side": side, b"refs/tags/v1.0": tag.id}
    for name, oid in refs.items():
        repo.refs[name] = oid
    repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    return [first, second, side, merge, tag.id]


@pytest.fixture
def memory() -> MemoryRepo:
    """The history in memory, with some settings."""
    repo = MemoryRepo()
    fill(repo)
    repo.refs.set_symbolic_ref(b"refs/remotes/origin/HEAD", b"refs/heads/side")
    config = repo.get_config()
    config.set((b"core",), b"bare", b"true")
    config.set((b"remote", b"origin"), b"url", b"https://example.com/x.git")
    config.set((b"filter", b"evil"), b"clean", b"touch /tmp/evil")
    return repo


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """The same history in a bare repository on disk: all of it in one pack, refs packed but for HEAD."""
    path = tmp_path / "disk.git"
    path.mkdir()
    repo = Repo.init_bare(os.fspath(path))
    fill(repo)
    repo.object_store.pack_loose_objects()
    repo.refs.pack_refs(all=True)
    (path / "refs" / "remotes" / "origin").mkdir(parents=True)  # which dulwich does not make for a symbolic ref
    repo.refs.set_symbolic_ref(b"refs/remotes/origin/HEAD", b"refs/heads/side")
    config = repo.get_config()
    config.set((b"remote", b"origin"), b"url", b"https://example.com/x.git")
    config.set((b"filter", b"evil"), b"clean", b"touch /tmp/evil")
    config.write_to_path()
    repo.close()
    packed = path / "packed-refs"  # dulwich says that the tags are peeled, and peels none of them
    packed.write_text(packed.read_text().removeprefix("# pack-refs with: peeled\n"))
    return path

"""Bases for workspaces: commits of any files in a dulwich repository in memory."""

from __future__ import annotations

from typing import Any

from dulwich.index import commit_tree
from dulwich.objects import Blob, Commit
from dulwich.repo import Repo

Files = dict[bytes, Any]  # path → content, or (mode, content)

TEXT = b"".join(b"line %d\n" % number for number in range(40))
FILES: Files = {
    b"README.md": b"# Title\n\nText.\n", b"src/a.py": TEXT, b"src/deep/b.py": b"b = 1\n", b"run.sh": (0o100755, b"#!/bin/sh\n"),
    b"link": (0o120000, b"README.md"), b"data.bin": b"\0\1\2", b"sub": (0o160000, b"1" * 40), b"templates/one.txt": b"one\n",
    b"big.psd": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4" * 64 + b"\nsize 12345\n",
}  # fmt: skip


def tree_of(store: Any, files: Files) -> bytes:
    """The tree of files, made by dulwich; its name in hex."""
    rows = []
    for path, value in files.items():
        mode, data = value if isinstance(value, tuple) else (0o100644, value)
        if mode == 0o160000:
            rows.append((path, data, mode))
            continue
        blob = Blob.from_string(data)
        store.add_object(blob)
        rows.append((path, blob.id, mode))
    return commit_tree(store, rows)


def add_commit(
    repo: Any,
    files: Files,
    *,
    message: bytes,
    ref: bytes = b"refs/heads/main",
    parents: list[bytes] | None = None,
    when: int = 0,
) -> bytes:
    """A commit of these files at a ref, on top of what it has; its name in hex."""
    made: Any = Commit()
    made.tree = tree_of(repo.object_store, files)
    made.parents = ([repo.refs[ref]] if ref in repo.refs else []) if parents is None else parents
    made.author = made.committer = b"Bob <bob@example.com>"
    made.author_time = made.commit_time = 1_600_000_000 + when
    made.author_timezone = made.commit_timezone = 0
    made.message = message
    repo.object_store.add_object(made)
    repo.refs[ref] = made.id
    return bytes(made.id)


def bare_repository(path: Any, files: Files) -> Any:
    """A bare repository on disk with one commit on main, made by dulwich."""
    path.mkdir(parents=True)
    repo: Any = Repo.init_bare(str(path))
    add_commit(repo, files, message=b"Base\n")
    repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    return repo


def checked_out(path: Any, files: Files) -> Any:
    """A repository with a work tree that has its one commit on main checked out, made by dulwich."""
    path.mkdir(parents=True)
    repo: Any = Repo.init(str(path), default_branch=b"main")
    add_commit(repo, files, message=b"Base\n")
    repo.get_worktree().reset_index()
    return repo

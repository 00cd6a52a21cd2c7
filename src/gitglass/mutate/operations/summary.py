"""What git prints of a commit that was made: git-commit(1), without `--quiet`."""

from __future__ import annotations

from collections.abc import Iterable

from ...revs.abbrev import abbrev
from ..changes import EntryChange, FileChange
from ..checkout.outward import store_afterwards
from ..view import View
from .common import ask, asked
from .message import subject_of


def commit_summary(
    view: View,
    branch: bytes | None,
    commit: bytes,
    *,
    root: bool,
    dated: bool,
    files: Iterable[FileChange] = (),
    entries: Iterable[EntryChange] = (),
) -> bytes:
    """`[branch abbrev] subject`, who and when where it is worth saying, and what changed. `root` says that it is the
    first one, `dated` when it was written, `files` what was checked out on the way, and `entries` what was staged. Of
    merges no changes are shown."""
    made = view.odb.commit(commit)
    name = b"detached HEAD" if branch is None else branch.removeprefix(b"refs/heads/")
    first = b" (root-commit)" if root else b""
    lines = [b"[%b%b %b] %b\n" % (name, first, abbrev(view.store, commit), subject_of(made.message))]
    author = made.author.rpartition(b"> ")[0]
    if author + b">" != b"%b <%b>" % view.person("committer"):
        lines.append(b" Author: %b>\n" % author)
    if dated:
        lines.append(b" Date: %b\n" % ask(view, ["show", "-s", "--format=%ad", commit.hex()]).rstrip(b"\n"))
    if len(made.parents) < 2:
        argv = ["diff-tree", "--root", "--no-commit-id", "-M", "--shortstat", "--summary", commit.hex()]
        lines.append(asked(store_afterwards(view.store, files, entries), argv, view.ctx))
    return b"".join(lines)

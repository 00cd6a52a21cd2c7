"""What git prints of a commit that was made, or would change nothing: git-commit(1), without `--quiet`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...index.parse import parse_index
from ...paths.pathspec import Pathspecs
from ...records import replace
from ...revs.abbrev import abbrev
from ...worktree.stat_cache import gitlinks
from ...worktree.submodules import submodule_state
from ..apply import new_index
from ..changes import Changes, EntryChange, FileChange
from ..checkout.outward import store_afterwards
from ..index_file import rows_at
from ..view import View
from .common import ask, asked
from .message import subject_of

_BELIEVED = 0x8000  # assume-unchanged
_EDITING = re.compile(
    rb'  \(use "git commit --amend" to amend the current commit\)\n'
    rb'  \(use "git rebase --continue" once you are satisfied with your changes\)\n'
)
_UPSTREAM = re.compile(rb"^Your branch (?:.+\n)+\n", re.MULTILINE)
_SECTION = re.compile(rb"^(?:Changes not staged|Untracked files|Ignored files)", re.MULTILINE)


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
    author, committer = (person.rpartition(b"> ")[0] for person in (made.author, made.committer))
    if author != committer:
        lines.append(b" Author: %b>\n" % author)
    if dated:
        when = ask(view, ["show", "-s", "--date=default", "--format=%ad", commit.hex()])
        lines.append(b" Date: %b\n" % when.rstrip(b"\n"))
    if len(made.parents) < 2:
        argv = ["diff-tree", "--root", "--no-commit-id", "-M", "--shortstat", "--summary", commit.hex()]
        lines.append(asked(store_afterwards(view.store, files, entries), argv, view.ctx))
    return b"".join(lines)


def status_after(
    view: View, entries: list[EntryChange], attributes: Mapping[bytes, bytes | None] | None = None
) -> bytes:
    """What `git status` prints once these entries have changed, with other files of attributes where some are given."""
    if not entries and not attributes:
        return _first(ask(view, ["status", "--long"]))
    store, index = view.store, view.store.index
    held = parse_index(new_index(store, index, Changes(entries=entries), {}, view.ctx), store.hash_len)
    held.present, held.mtime_ns = True, index.mtime_ns
    return _first(ask(view, ["status", "--long"], index=held, attributes=attributes))


def submodules_looked_at(view: View, specs: Pathspecs, entries: list[EntryChange]) -> list[EntryChange]:
    """Submodules, as entries that are believed unchanged, which git has found so as it staged what is meant. Strange
    but git's: it does not look again for the status, where files that nobody tracks in them would count."""
    index, moved = view.index, {entry.path for entry in entries}
    believed = list[EntryChange]()
    for path in map(index.path, gitlinks(index)):
        if path in moved or path in index.unmerged or not specs.match(path):
            continue
        rows = rows_at(index, path)
        state = submodule_state(view.store, path, rows[0].oid, b"untracked", ctx=view.ctx)
        if not (state.new_commits or state.dirty):
            believed.append(EntryChange(path, rows, (replace(rows[0], flags=rows[0].flags | _BELIEVED),)))
    return believed


def as_amended(words: bytes, *, root: bool) -> bytes:
    """The state as it is told where a commit is amended: compared with the commit's parent, which is what the index
    has, and without the last line. Of the first commit (`root`) it says that it is that, and nothing of an upstream.
    Amid a rebase it does not advise to amend."""
    words = _EDITING.sub(b"", words, count=1)
    if root:
        words = _UPSTREAM.sub(b"", words, count=1)
    head, mark, rest = words.partition(b"Changes to be committed:\n")
    if mark:
        rest = rest.partition(b"\n\n")[2]
    else:
        whole = words[: words.rstrip(b"\n").rfind(b"\n") + 1]
        section = _SECTION.search(whole)
        at = len(whole) if section is None else section.start()
        head, rest = whole[:at], whole[at:]
    return head + (b"\nInitial commit\n\n" if root else b"") + rest


def _first(words: bytes) -> bytes:
    """The state as `commit` tells it: of a branch without commits it says that this would be the first."""
    return words.replace(b"\n\nNo commits yet\n", b"\n\nInitial commit\n", 1)

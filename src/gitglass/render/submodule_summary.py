"""`status.submoduleSummary`: the commits between the recorded commit of a submodule and the one checked out in it.

git status runs `git submodule summary` for this, which has rules of its own: no submodule that `.gitmodules`
or the configuration ignores, no path limits, paths from the top. Imported only if it is needed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator

from ..diff.changes import Change
from ..errors import GitError, SandboxViolation
from ..graph.merge_base import merge_bases
from ..history.pipeline import walk
from ..history.spec import LEFT, Tip, WalkSpec
from ..limits import Context, paced
from ..records import record
from ..repo.gitmodules import ignore_setting
from ..repo.store import Store
from ..revs.abbrev import Abbreviator
from ..worktree.compare import index_vs_worktree, tree_vs_index
from ..worktree.convert import blob_oid, converter_of
from ..worktree.submodules import sub_store, submodule_head
from .log.pretty import output_encoding
from .message import subject_line

_GITLINK, _TYPE = 0o160000, 0o170000


@record
class _Side:
    """One side of a change: its name as shown, and its commit if the submodule has it."""

    shown: bytes
    oid: bytes
    link: bool
    commit: bytes | None = None

    @property
    def missing(self) -> bool:
        return self.link and self.commit is None


def submodule_summaries(store: Store, head: bytes | None, limit: int, comment: bytes, ctx: Context) -> Iterator[bytes]:
    """Both blocks of the long status: the staged and the unstaged changes. `limit`: so many commits each, below 1
    all."""
    tree = store.empty_tree if head is None else store.odb.commit(head).tree
    staged = tree_vs_index(store, tree, ignore_submodules=b"dirty", ctx=ctx)
    unstaged = index_vs_worktree(store, ignore_submodules=b"dirty", settle="stat", ctx=ctx)
    for title, changes in (
        (b"Submodule changes to be committed:", staged),
        (b"Submodules changed but not updated:", unstaged),
    ):
        lines = [
            _summary(store, change, limit, changes is staged, ctx)
            for change in paced(changes)
            if _is_reported(store, change)
        ]
        for line in b"\n".join([title, b"", *lines, b""]).splitlines() if lines else ():
            yield (comment + b" " + line if comment and line else comment + line) + b"\n"


def _is_link(mode: int) -> bool:
    return mode & _TYPE == _GITLINK


def _is_reported(store: Store, change: Change) -> bool:
    """Whether a change is of a submodule that is reported: deleted, of another type, or checked out and not ignored."""
    if not _is_link(change.old.mode) and not _is_link(change.new.mode):
        return False
    if change.status in "DT":
        return True
    if change.status != "A" and ignore_setting(store, change.path, None, b"") == b"all":
        return False
    return sub_store(store, change.path) is not None


def _summary(store: Store, change: Change, limit: int, cached: bool, ctx: Context) -> bytes:
    path, sub = change.path, sub_store(store, change.path)
    link = _is_link(change.new.mode)
    dst = change.new.oid
    if not cached and (dst is None or dst == store.null):
        dst = submodule_head(store, path) if link else _hashed(store, path, change.new.mode, ctx)
    old = _side(store, path, change.old.oid, _is_link(change.old.mode), change.status != "D", ctx)
    new = _side(store, path, dst, link, True, ctx)
    commits: list[tuple[bytes, bytes]] = []
    total, warning = b"", b""
    if sub is not None and not old.missing and not new.missing:
        commits = list(_between(sub, old.commit, new.commit, ctx))
        total = b" (%d)" % len(commits)
    elif link:
        lost = b" and ".join(side.oid.hex().encode() for side in (old, new) if side.missing)
        warning = b"  Warn: %s doesn't contain commit%s %s\n" % (path, b"s" * (b" " in lost), lost)
    if change.status == "T":
        kinds = (b"blob", b"submodule") if link else (b"submodule", b"blob")
        head = b"* %s %s(%s)->%s(%s)" % (path, old.shown, kinds[0], new.shown, kinds[1])
    else:
        head = b"* %s %s...%s" % (path, old.shown, new.shown)
    if old.commit is None or new.commit is None:
        commits = commits[:1]
    elif limit > 0:
        commits = commits[:limit]
    if sub is not None:
        encoding = output_encoding(sub)
        lines = [b"  %s %s\n" % (sign, subject_line(sub.odb.commit(oid), encoding)) for sign, oid in commits]
        warning += b"".join(lines)
    return head + total + b":\n" + warning


def _side(store: Store, path: bytes, oid: bytes | None, link: bool, ask: bool, ctx: Context) -> _Side:
    oid = store.null if oid is None else oid
    sub = sub_store(store, path)
    if link and ask and sub is None:
        ctx.say(_why_unasked(store, path))
    commit = _commit(sub, oid) if link and ask and sub is not None else None
    shown = oid.hex()[:7].encode() if commit is None or sub is None else Abbreviator(sub)(commit)
    return _Side(shown, oid, link, commit)


def _commit(sub: Store, oid: bytes) -> bytes | None:
    try:
        return sub.odb.peel(oid, b"commit")
    except GitError:
        return None


def _why_unasked(store: Store, path: bytes) -> bytes:
    """The error of git's `rev-parse` if there is no repository: it is run in the directory, even if that is a link's
    target."""
    try:
        status = store.jail.stat(_path(store, path))
    except GitError:  # a link out of the jail
        status = None
    if status is not None and stat.S_ISDIR(status.st_mode):
        return b"fatal: not a git repository: '.git'\n"
    words = os.strerror(errno.ENOENT if status is None else errno.ENOTDIR).encode()
    return b"fatal: exec 'rev-parse': cd to '%s' failed: %s\n" % (path, words)


def _hashed(store: Store, path: bytes, mode: int, ctx: Context) -> bytes | None:
    """The oid of the file that replaced a submodule; strange but git's: for a link, of the file it leads to."""
    if not mode:
        return None
    try:
        data = store.jail.read_optional(_path(store, path), ctx.limits.max_object_bytes)
    except SandboxViolation:
        data = None
    if data is None:
        ctx.say(b"error: couldn't hash object from '%s'\n" % path)
        return None
    return blob_oid(converter_of(store).to_git(path, bytes(data), ctx=ctx), store.hash_name)


def _path(store: Store, path: bytes) -> bytes:
    return (store.work_tree or b"") + b"/" + path


def _between(sub: Store, old: bytes | None, new: bytes | None, ctx: Context) -> Iterator[tuple[bytes, bytes]]:
    """The commits along first parents that only one side has, the latest first, and git's sign for the side."""
    if old is None or new is None:
        sign, tips = (b">" if old is None else b"<"), [Tip(oid) for oid in (old, new) if oid is not None]
    else:
        bases = merge_bases(sub, old, [new], ctx=ctx)
        sign, tips = b">", [Tip(old, LEFT), Tip(new), *(Tip.excluded(oid) for oid in bases)]
    for entry in walk(sub, tips, WalkSpec(raw=False, first_parent=True, left_right=True), ctx=ctx):
        yield b"<" if entry.flags & LEFT else sign, entry.oid

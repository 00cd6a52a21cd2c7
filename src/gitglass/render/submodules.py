"""`--submodule=log` and `--submodule=diff`: what happened inside a submodule (git-diff(1)).

The submodule's own repository is looked into where it is checked out and the jail allows it; otherwise the commits are
"not present", as for git where it is not initialised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diff.changes import Contents, Filespec
from ..diff.core import diffcore
from ..diff.spec import DiffSpec, Formats
from ..diff.trees import diff_trees
from ..errors import GitError
from ..revs.abbrev import Abbreviator
from ..store.store import Store
from ..walk.mergebase import merge_bases
from ..walk.pipeline import walk
from ..walk.spec import BOTTOM, LEFT, UNINTERESTING, Tip, WalkSpec
from ..worktree.changes import tree_vs_worktree
from ..worktree.convert import read_work_file
from ..worktree.submodules import sub_store
from .style import Style

if TYPE_CHECKING:
    from ..limits import Context
    from .patch import PatchWriter

__all__ = ["submodule_text"]

UNTRACKED, MODIFIED = 1, 2


def submodule_text(writer: PatchWriter, old: Filespec, new: Filespec) -> bytes:
    """The text for a changed submodule."""
    store, ctx = writer.store, writer.ctx
    path = new.path
    out = b""
    if new.dirty & UNTRACKED:
        out += b"Submodule %s contains untracked content\n" % path
    if new.dirty & MODIFIED:
        out += b"Submodule %s contains modified content\n" % path
    one, two = writer.oid_of(old), writer.oid_of(new)
    sub = _opened(store, path)
    bases: list[bytes] = []
    left = right = False
    if sub is not None:
        left, right = _has(sub, one), _has(sub, two)
        if left and right:
            bases = merge_bases(sub, one, [two], ctx=ctx)
    if one != two:
        present = sub is not None and (left or one == store.null) and (right or two == store.null)
        out += _header(store, path, one, two, bases, present) + b"\n"
    if sub is None:
        return out
    if writer.patch.submodule == "diff":
        return out + _inner_diff(writer, sub, path, old, new)
    if one != two and left and right:
        out += _log(writer, sub, one, two, bases)
    return out


def _opened(store: Store, path: bytes) -> Store | None:
    try:
        return sub_store(store, path)
    except GitError:
        return None


def _has(sub: Store, oid: bytes) -> bool:
    return oid != sub.null and sub.odb.has(oid) and sub.odb.kind(oid) == b"commit"


def _header(store: Store, path: bytes, one: bytes, two: bytes, bases: list[bytes], present: bool) -> bytes:
    """The line that names both commits; two dots where one descends from the other."""
    short = Abbreviator(store)
    forward, backward = bases[:1] == [one], bases[:1] == [two]
    dots = b".." if forward or backward else b"..."
    if one == store.null:
        why = b" (new submodule)"
    elif two == store.null:
        why = b" (submodule deleted)"
    elif not present:
        why = b" (commits not present)"
    else:
        why = b" (rewind):" if backward and not forward else b":"
    return b"Submodule %s %s%s%s%s" % (path, short(one), dots, short(two), why)


def _log(writer: PatchWriter, sub: Store, one: bytes, two: bytes, bases: list[bytes]) -> bytes:
    """The subjects of the commits on either side, along first parents."""
    tips = [Tip(one, LEFT), Tip(two), *(Tip(base, UNINTERESTING | BOTTOM) for base in bases)]
    color = writer.color
    out = []
    for entry in walk(sub, tips, WalkSpec(first_parent=True, left_right=True), ctx=writer.ctx):
        writer.ctx.tick()
        subject = entry.commit.message.lstrip(b"\n").partition(b"\n\n")[0].strip().replace(b"\n", b" ")
        paint = color.diff_old if entry.flags & LEFT else color.diff_new
        line = b"  %s %s" % (b"<" if entry.flags & LEFT else b">", subject)
        out.append(paint + line + (color.reset if paint else b"") + b"\n")
    return b"".join(out)


def _inner_diff(writer: PatchWriter, sub: Store, path: bytes, old: Filespec, new: Filespec) -> bytes:
    """The submodule's own `git diff`, with its path in front of every name."""
    ctx: Context = writer.ctx
    one, two = writer.oid_of(old), writer.oid_of(new)
    spec = DiffSpec(formats=Formats(patch=True), renames=1, color="always" if writer.color else "never")
    spec.patch.submodule = "diff"
    spec.patch.src_prefix = writer.old_prefix + path + b"/"
    spec.patch.dst_prefix = writer.new_prefix + path + b"/"

    def work(name: bytes, mode: int) -> bytes | None:
        return read_work_file(sub, name, mode, ctx=ctx)

    contents = Contents(sub, ctx=ctx, work=work)
    before = sub.odb.commit_facts(one)[2] if _has(sub, one) else None
    if new.dirty & MODIFIED and two != sub.null:
        changes = tree_vs_worktree(sub, before, ctx=ctx)
    else:
        after = sub.odb.commit_facts(two)[2] if _has(sub, two) else None
        changes = diff_trees(before, after, sub.odb, spec, ctx=ctx)
    changes = diffcore(changes, contents, spec, ctx=ctx)
    style = Style(sub, ctx, is_tty=writer.style.is_tty, columns=writer.style.columns)
    return b"".join(type(writer)(contents, spec, style, ctx=ctx).write(changes))

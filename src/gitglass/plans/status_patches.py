"""git status -v: the patches below the status. A module of its own, because plain status needs no code for patches."""

from collections.abc import Iterator

from ..diff.changes import Change, Contents
from ..diff.diffcore import diffcore
from ..records import replace
from ..render.diff.formats import write_diff
from ..render.status import paint
from ..render.style import Style
from ..request.diff import DiffOptions
from ..worktree.compare import index_vs_worktree, tree_vs_index
from ..worktree.copies import read_copies
from ..worktree.status import Status, work_reader
from .diff import diff_spec, with_mnemonic


def patches(status: Status, verbose: int, comment: bytes, style: Style) -> Iterator[bytes]:
    """`-v`: the staged changes as a patch; `-vv`: also the unstaged ones, with headings if there are both."""
    store, ctx = style.store, style.ctx
    header = style.color("status").status_header
    front = comment + b" " if comment else b""
    twice = verbose > 1
    tree = None if status.head is None else store.odb.commit(status.head).tree
    staged = tree_vs_index(store, tree, ctx=ctx)
    if twice and status.committable:
        yield front + paint(header, b"Changes to be committed:") + b"\n"
    yield from _patch(staged, status, style, b"c/", b"i/", twice and status.committable)
    if twice and any(entry.work for entry in status.entries):
        yield front + paint(header, b"-" * 50) + b"\n"
        yield front + paint(header, b"Changes not staged for commit:") + b"\n"
        # as git diff has it: strange but git's, --ignore-submodules is for the lists alone
        default = store.config.get("diff.ignoresubmodules") or b"untracked"
        unstaged = index_vs_worktree(store, settle="status", ignore_default=default, ctx=ctx)
        for change in unstaged:
            if change.new.oid is not None and change.new.oid != change.old.oid:
                change.new.dirty = 0  # strange but git's: a submodule at another commit is not examined here
        yield from _patch(unstaged, status, style, b"i/", b"w/", True)


def _patch(changes: list[Change], status: Status, style: Style, old: bytes, new: bytes, named: bool) -> Iterator[bytes]:
    store, ctx = style.store, style.ctx
    options = DiffOptions()
    spec = diff_spec(options, style.config, ctx=ctx)
    wanted = status.spec.renames or spec
    spec = replace(
        spec,
        formats=replace(spec.formats, patch=True),
        patch=replace(spec.patch, src_prefix=old, dst_prefix=new) if named else spec.patch,
        renames=wanted.renames,
        rename_score=wanted.rename_score,
        rename_limit=wanted.rename_limit,
    )
    spec = spec if named else with_mnemonic(spec, options, old, new)
    contents = Contents(store, ctx=ctx, work=work_reader(store, ctx))
    read_copies(contents, ctx)
    yield from write_diff(diffcore(changes, contents, spec, ctx=ctx), contents, spec, style, ctx)

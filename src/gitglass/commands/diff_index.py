"""git diff-index: a tree against the index, or against the files in the index; for scripts."""

from functools import partial

from ..annotations import Annotated
from ..diff.changes import Change, Filespec, absent, status_of
from ..errors import BadRequest, InvalidArgs, NoWorkTree, WrongKind, text
from ..index.index import Index
from ..limits import Context
from ..plans.ignored_diff_options import IdleWalk
from ..plans.words import words_and_idle
from ..repo.store import Store
from ..request.declared import Field
from ..request.diff import DiffOptions
from ..request.flag import Flag
from ..request.request import Pathspecs as PathspecMixin
from ..request.request import Request
from ..revs.tip import Tip, Tips
from ..revs.tips import tips
from ..worktree.compare import current_index, is_gone, tree_vs_index, tree_vs_worktree
from ..worktree.copies import read_copies
from ..worktree.tree_index import need_tree
from .command import NAMES_REVISIONS, Command
from .diff import (
    Differences,
    DiffResult,
    add_unchanged,
    base_tree,
    collect,
    contents_of,
    hide_submodules,
    render,
    three_ways,
    up_to_first,
)
from .diff_tree import plumbing_spec

USAGE = """\
usage: git diff-index [-m] [--cached] [--merge-base] [<common-diff-options>] <tree-ish> [<path>...]
"""


class DiffIndexRequest(Request[DiffResult], DiffOptions, IdleWalk, PathspecMixin):
    """`git diff-index`: a tree against index or work tree."""

    revs: list[str] = Field(default_factory=list, description="The tree.")
    cached: Annotated[bool, Flag("--cached", walk=True)] = Field(False, description="The index, not the files.")
    merge_base: Annotated[bool, Flag("--merge-base", walk=True)] = Field(
        False, description="Compare with the merge base of the commit and HEAD."
    )
    # in place of the -m for merges that other commands have
    missing_unchanged: Annotated[bool, Flag("-m", exact=True)] = Field(
        False, description="A file missing from the work tree counts as unchanged from the index."
    )


def run(store: Store, request: DiffIndexRequest, ctx: Context, named: Tips | None = None) -> Differences:
    """Compare. A file with outdated stat data counts as changed, because the index is not refreshed."""
    # Strange but git's: --diff-merges implies a patch although there are no merges.
    spec = plumbing_spec(store, request, request.paths, ctx, patch=request.diff_merges not in (None, "off"))
    trees = list(tips(store, request.revs, ctx=ctx, named=named).entries)
    if len(trees) != 1:
        raise InvalidArgs(USAGE, prefix="")
    if request.merge_base and trees[0].exclude:
        raise BadRequest("--merge-base does not work with ranges")
    tree = base_tree(store, trees, ctx=ctx) if request.merge_base else _tree_of(store, trees[0])
    need_tree(store, tree, text(trees[0].name))
    invisible = bool(request.ita_invisible)
    differences = Differences(spec, contents_of(store, ctx), ctx=ctx)
    read_copies(differences.contents, ctx)
    if request.cached:
        changes = tree_vs_index(store, tree, pathspecs=spec.pathspecs, ita_invisible=invisible, ctx=ctx)
    else:
        if store.work_tree is None:
            raise NoWorkTree("this operation must be run in a work tree")
        changes = tree_vs_worktree(
            store, tree, pathspecs=spec.pathspecs, ignore_submodules=spec.ignore_submodules, settle="stat",
            inside=spec.formats.patch, ctx=ctx,
        )  # fmt: skip
        hide_submodules(store, changes)
        if request.missing_unchanged:
            staged = tree_vs_index(store, tree, pathspecs=spec.pathspecs, ita_invisible=invisible, ctx=ctx)
            changes = _missing_as_in_index(store, changes, staged)
    differences.changes = changes
    if request.diff_merges in ("combined", "dense") and not request.cached:
        three_ways(store, differences)
    add_unchanged(store, spec, differences, there=not (request.cached or request.missing_unchanged))
    if spec.first_only:
        differences.changes = up_to_first(differences.changes, spec)
    differences.sift(ctx)
    return differences


def _tree_of(store: Store, tip: Tip) -> bytes:
    try:
        return store.odb.peel(tip.oid, b"tree")
    except WrongKind:
        raise BadRequest(f"bad tree object {text(tip.name)}", prefix="error") from None


def _missing_as_in_index(store: Store, changes: list[Change], staged: list[Change]) -> list[Change]:
    """-m: a file missing from the work tree counts as unchanged from the index; in a conflict, from its first stage."""
    index, files = current_index(store), store.files
    assert files is not None
    unmerged = index.unmerged
    there = [c for c in changes if c.new.mode or (index.find(c.new.path) < 0 and c.new.path not in unmerged)]
    present = {change.new.path for change in there}
    rest = [change for change in staged if change.new.path not in present]
    gone = [c for c in rest if is_gone(store, files.lstat(c.new.path), c.new.mode, c.new.path)]
    before = {change.old.path: change.old for change in changes}
    gone = [_first_stage(index, change, before) if change.new.path in unmerged else change for change in gone]
    return sorted(there + [change for change in gone if not _equal(change)], key=lambda change: change.new.path)


def _equal(change: Change) -> bool:
    return (change.old.mode, change.old.oid) == (change.new.mode, change.new.oid)


def _first_stage(index: Index, change: Change, before: dict[bytes, Filespec]) -> Change:
    """The difference between the tree's entry, if there is one, and the first stage of a conflict."""
    path = change.new.path
    at = min(index.unmerged[path].values())
    old, new = before.get(path) or absent(path), Filespec(path, index.modes[at], index.oids[at])
    return Change(status_of(old, new), old, new)


COMMAND = Command(
    "diff-index",
    DiffIndexRequest,
    DiffResult,
    run,
    collect,
    render,
    bind=partial(words_and_idle, usage=USAGE),
    anywhere=frozenset(),
    aside="plans.idle_options:IdleForDiffs",
    refused=NAMES_REVISIONS,
    unknown=lambda word: InvalidArgs(USAGE, prefix=""),
    summary="a tree against the index or the files",
    usage=USAGE,
)

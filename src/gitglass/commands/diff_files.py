"""git diff-files: the index against the files; for scripts."""

from ..annotations import Annotated, Any
from ..diff.changes import Change, Filespec
from ..diff.combined import Side
from ..errors import InvalidArgs, NoWorkTree
from ..index.index import Index
from ..limits import Context
from ..plans.ignored_diff_options import IdleWalk
from ..plans.positionals import Positionals
from ..plans.words import words_and_idle
from ..records import replace
from ..repo.store import Store
from ..request.declared import Field
from ..request.diff import DiffOptions
from ..request.flag import Flag, leading_number
from ..request.request import Pathspecs as PathspecMixin
from ..request.request import Request
from ..worktree.compare import current_index, index_vs_worktree
from ..worktree.copies import read_copies
from .command import NAMES_REVISIONS, Command
from .diff import (
    Differences,
    DiffResult,
    add_unchanged,
    collect,
    contents_of,
    hide_submodules,
    render,
    up_to_first,
    work_path,
)
from .diff_tree import plumbing_spec

USAGE = """\
usage: git diff-files [-q] [-0 | -1 | -2 | -3 | -c | --cc] [<common-diff-options>] [<path>...]
"""


class DiffFilesRequest(Request[DiffResult], DiffOptions, IdleWalk, PathspecMixin):
    """`git diff-files`: index against work tree."""

    stage: Annotated[
        int | None,
        Flag("--base", const=1, walk=True),
        Flag("--ours", const=2, walk=True),
        Flag("--theirs", const=3, walk=True),
        Flag("-NUM", "-n", "--max-count", value="n", parse=leading_number, walk=True),
    ] = Field(None, ge=0, description="Compare conflicted files with this side: 1 base, 2 ours, 3 theirs, 0 none.")
    silent: Annotated[bool, Flag("-q", walk=True)] = Field(False, description="Has no effect, as in git.")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as paths; git distinguishes them from revisions, and rejects these."""
    words_and_idle(words, values, store, ctx, usage=USAGE)
    if (values.get("stage") or 0) > 3:
        raise InvalidArgs(USAGE, prefix="")
    if values["revs"]:
        raise InvalidArgs(USAGE, prefix="")
    del values["revs"]
    words.named = None


def run(store: Store, request: DiffFilesRequest, ctx: Context) -> Differences:
    """Compare. A file with outdated stat data counts as changed, because the index is not refreshed."""
    if store.work_tree is None:
        raise NoWorkTree("this operation must be run in a work tree")
    spec = plumbing_spec(store, request, request.paths, ctx, patch=request.diff_merges not in (None, "m", "off"))
    stage = request.stage
    combine = request.diff_merges in ("combined", "dense")
    if stage is None and not combine and spec.formats.patch:
        combine = True
        spec = replace(spec, patch=replace(spec.patch, dense_combined=True))
    differences = Differences(spec, contents_of(store, ctx), ctx=ctx)
    read_copies(differences.contents, ctx)
    changes = index_vs_worktree(
        store,
        pathspecs=spec.pathspecs,
        ignore_submodules=spec.ignore_submodules,
        ita_invisible=spec.ita_invisible,
        unmerged_stage=2 if stage is None else stage,
        settle="stat",
        inside=spec.formats.patch,
        ctx=ctx,
    )
    hide_submodules(store, changes)
    index = current_index(store)
    changes = _with_touched(changes, index, 2 if stage is None else stage)
    joined: set[bytes] = set()
    for change in changes if combine else ():
        places = index.unmerged.get(change.new.path)
        if change.status == "U" and places and 2 in places and 3 in places:
            joined.add(change.new.path)
            sides = [Side(index.modes[places[n]], index.oids[places[n]], change.new.path) for n in (2, 3)]
            if spec.relative is None or change.new.path.startswith(spec.relative):
                differences.combined.append(work_path(store, change.new.path, change.new.mode, sides))
    differences.changes = [change for change in changes if change.new.path not in joined]
    add_unchanged(store, spec, differences, files=True)
    if spec.first_only:
        differences.changes = up_to_first(differences.changes, spec)
    differences.sift(ctx)
    return differences


def _with_touched(changes: list[Change], index: Index, stage: int) -> list[Change]:
    """Add files in conflict that equal the side they are compared with, as git lists them as well."""
    compared = {change.new.path for change in changes if change.status != "U"}
    out = []
    for change in changes:
        out.append(change)
        path = change.new.path
        if change.status == "U" and change.new.mode and path not in compared and stage in index.unmerged[path]:
            position = index.unmerged[path][stage]
            old = Filespec(path, index.modes[position], index.oids[position])
            out.append(Change("M", old, Filespec(path, change.new.mode)))
    return out


COMMAND = Command(
    "diff-files",
    DiffFilesRequest,
    DiffResult,
    run,
    collect,
    render,
    bind=bind,
    needs_work_tree=True,
    anywhere=frozenset(),
    aside="plans.idle_options:IdleForDiffs",
    refused=NAMES_REVISIONS,
    unknown=lambda word: InvalidArgs(USAGE, prefix=""),
    summary="the index against the files",
    usage=USAGE,
)

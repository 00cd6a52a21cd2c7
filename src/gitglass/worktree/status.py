"""The state of a work tree: branch, staged and unstaged changes, conflicts, untracked files, operations in progress.

There is one pass each over index, tree and files; parts that are not requested are not computed. Mirrors git status(1).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.changes import MODIFIED, UNTRACKED, Change, Contents
from ..errors import GitError, MissingObject, NotFound
from ..index.index import Index
from ..limits import Context, paced
from ..paths.pathspec import Pathspecs
from ..records import field, record
from ..repo.store import Store
from ..revs.names import abbreviate_ref, upstream_or_none
from ..revs.remotes import check_refspecs
from .compare import current_index, index_vs_worktree, tree_vs_index
from .convert import read_work_file
from .scan import Scan, ScanSpec, scan
from .tree_index import need_tree

if TYPE_CHECKING:
    from ..diff.spec import DiffSpec
    from ..graph.merge_base import ahead_behind
    from ..repo.gitmodules import ignore_setting
    from .state import Operation, in_progress, sparse_percentage
    from .submodules import submodule_state
else:
    Operation, in_progress, sparse_percentage = deferred(
        __name__, ".state", "Operation", "in_progress", "sparse_percentage"
    )
    ignore_setting = deferred(__name__, "..repo.gitmodules", "ignore_setting")
    ahead_behind = deferred(__name__, "..graph.merge_base", "ahead_behind")
    submodule_state = deferred(__name__, ".submodules", "submodule_state")
    DiffSpec = deferred(__name__, "..diff.spec", "DiffSpec")


GITLINK = 0o160000


@record(frozen=True)
class RenameSpec:
    """How renames are detected; the fields are those of `DiffSpec`."""

    renames: int = 0
    rename_score: int = 0
    rename_limit: int = -1


@record(frozen=True)
class StatusSpec:
    """The requested parts. `untracked`: "no", "normal", "all"; `ignored`: "no", "traditional", "matching".

    `ahead_behind`: count the commits, or only say whether there are some. `operation`: find the operation in progress.
    """

    untracked: str = "normal"
    ignored: str = "no"
    ignore_submodules: bytes | None = None
    pathspecs: Pathspecs = Pathspecs.ALL
    renames: RenameSpec | None = None
    branch: bool = True
    ahead_behind: bool = True
    operation: bool = True
    stash: bool = False


@record
class Tracking:
    """A branch and its upstream. `short` is the upstream's name; `gone`: the upstream does not exist any more."""

    short: bytes
    gone: bool = False
    same: bool = False
    ahead: int | None = None
    behind: int | None = None


@record
class Entry:
    """A tracked path that differs from HEAD. Empty letters mean unchanged.

    `conflict` tells which stages exist (1, 2 and 4 added up), 0 for a path that is merged. `source` is the path before
    a rename or copy, `renamed` is its letter, which `index` or `work` has as well.
    """

    path: bytes
    index: str = ""
    work: str = ""
    conflict: int = 0
    source: bytes | None = None
    renamed: str = ""
    score: int = 0
    mode_head: int = 0
    mode_index: int = 0
    mode_work: int = 0
    oid_head: bytes | None = None
    oid_index: bytes | None = None
    new_commits: bool = False
    dirty: int = 0
    stages: dict[int, int] = field(default_factory=dict)

    @property
    def submodule_letter(self) -> str:
        """The letter of `status -s` for a change in a submodule: M new commits, m modified content, ? untracked
        content."""
        if self.new_commits:
            return "M"
        return "m" if self.dirty & MODIFIED else "?" if self.dirty & UNTRACKED else self.work

    @property
    def is_submodule(self) -> bool:
        """Whether any side of it is a submodule."""
        return GITLINK in (self.mode_head, self.mode_index, self.mode_work)


@record
class Status:
    """The state of a work tree. `branch` is the full name of HEAD's branch, None if detached, b"" if that can be no
    branch; `head` is its commit. `left_out` looks up the operation and the upstream where the spec does without them.
    """

    branch: bytes | None
    head: bytes | None
    index: Index
    entries: list[Entry]
    scan: Scan
    operation: Operation
    tracking: Tracking | None = None
    stashes: int = 0
    sparse: int | None = None
    staged: list[Change] = field(default_factory=list)
    spec: StatusSpec = field(default_factory=StatusSpec)
    notes: list[str] = field(default_factory=list)
    left_out: Callable[[], tuple[Operation, Tracking | None]] | None = field(default=None, compare=False, repr=False)

    def complete(self) -> None:
        """Look up what the spec does without: for an answer that does not depend on what is printed."""
        if self.left_out is not None:
            self.operation, self.tracking = self.left_out()
            self.left_out = None

    @property
    def initial(self) -> bool:
        """Whether there is no commit yet."""
        return self.head is None

    @property
    def unmerged(self) -> bool:
        """Whether any path is in conflict."""
        return any(entry.conflict for entry in self.entries)

    @property
    def committable(self) -> bool:
        """Whether `git commit` would have something to commit. Strange but git's: conflicts count where there are no
        commits."""
        if self.unmerged:
            return self.initial or any(entry.index for entry in self.entries)
        return self.operation.merge or any(entry.index for entry in self.entries)

    @property
    def dirty(self) -> bool:
        """Whether files differ from the index."""
        return any(entry.work or entry.conflict for entry in self.entries)


def status(store: Store, spec: StatusSpec, *, ctx: Context) -> Status:
    """The state of the work tree."""
    branch, head = store.refs.head()
    if branch is not None and head is None and store.refs.lookup(b"HEAD").broken:
        branch = b""  # git does not name what can be no branch
    try:
        tree = None if head is None else store.odb.commit(head).tree
    except MissingObject:
        raise NotFound("bad object HEAD", name="HEAD") from None
    need_tree(store, tree, "HEAD")
    default = store.config.get("diff.ignoresubmodules") or (b"untracked" if spec.untracked == "no" else b"none")
    staged = tree_vs_index(
        store, tree, pathspecs=spec.pathspecs, ignore_submodules=_of_staged(spec, tree), ignore_default=default, ctx=ctx
    )
    unstaged = index_vs_worktree(
        store, pathspecs=spec.pathspecs, ignore_submodules=spec.ignore_submodules, unmerged_stage=0, settle="status",
        ignore_default=default, survey=spec.untracked != "no", inside=True, ctx=ctx,
    )  # fmt: skip
    index = current_index(store)

    def operation() -> Operation:
        return in_progress(store, detached=branch is None, ctx=ctx)

    def tracking() -> Tracking | None:
        return tracking_of(store, branch, head, spec.ahead_behind, ctx=ctx) if branch else None

    return Status(
        branch,
        head,
        index,
        _entries(store, index, spec, staged, unstaged, default, ctx),
        _scan(store, spec, ctx),
        operation() if spec.operation else Operation(),
        tracking() if spec.branch else None,
        len(store.reflog(b"refs/stash")) if spec.stash else 0,
        sparse_percentage(store, index) if spec.operation else None,
        staged,
        spec,
        [*store.remarks, *ctx.notes],
        None if spec.operation and spec.branch else lambda: (operation(), tracking()),
    )


def _of_staged(spec: StatusSpec, tree: bytes | None = None) -> bytes:
    """The --ignore-submodules value for staged submodules: only the option counts, no setting, since they would be
    committed; and where there is no commit yet, nothing."""
    return b"dirty" if spec.ignore_submodules is None or tree is None else spec.ignore_submodules


def _scan(store: Store, spec: StatusSpec, ctx: Context) -> Scan:
    if spec.untracked == "no":
        return Scan()
    whole = spec.untracked != "all"
    wanted = ScanSpec(
        other_dirs=whole,
        hide_empty=whole,
        ignored_too=spec.ignored != "no",
        matching=spec.ignored == "matching",
        pathspecs=spec.pathspecs,
    )
    return scan(store, wanted, ctx=ctx)


def _entries(
    store: Store,
    index: Index,
    spec: StatusSpec,
    staged: list[Change],
    unstaged: list[Change],
    default: bytes,
    ctx: Context,
) -> list[Entry]:
    entries: dict[bytes, Entry] = {}

    def entry(path: bytes) -> Entry:
        status_entry = entries.get(path)
        if status_entry is None:
            status_entry = entries[path] = Entry(path)
        return status_entry

    for change in paced(_with_renames(store, [c for c in staged if not c.unmerged], spec, _of_staged(spec), ctx)):
        _take_staged(entry(change.new.path), change)
    for change in paced(_with_renames(store, [c for c in unstaged if c.old.mode or c.new.mode], spec, None, ctx)):
        if not change.unmerged:
            _take_unstaged(entry(change.new.path), change)
    work_modes = {change.new.path: change.new.mode for change in unstaged if change.unmerged}
    for path, stages in index.unmerged.items():
        if spec.pathspecs.match(path):
            # A conflicted path is nothing else, whatever rename detection has made of it.
            mask = sum(1 << (stage - 1) for stage in stages)
            made = entries[path] = Entry(path, conflict=mask, stages=stages, mode_work=work_modes.get(path, 0))
            if made.mode_work == GITLINK and 2 in stages:
                ignore = ignore_setting(store, path, spec.ignore_submodules, default)
                state = submodule_state(store, path, index.oids[stages[2]], ignore, ctx=ctx)
                made.new_commits, made.dirty = state.new_commits, state.dirty
    return [entries[path] for path in sorted(entries)]


def _take_staged(entry: Entry, change: Change) -> None:
    entry.index = change.status
    entry.mode_head, entry.oid_head = change.old.mode, change.old.oid
    entry.mode_index, entry.oid_index = change.new.mode, change.new.oid
    if change.status in ("R", "C"):
        entry.source, entry.renamed, entry.score = change.old.path, change.status, change.score
    entry.mode_work = entry.mode_index


def _take_unstaged(entry: Entry, change: Change) -> None:
    entry.work = change.status
    entry.mode_work = change.new.mode
    if not entry.index or change.status in ("R", "C"):
        entry.mode_index, entry.oid_index = change.old.mode, change.old.oid
    if not entry.index:
        entry.mode_head, entry.oid_head = entry.mode_index, entry.oid_index
    if change.status in ("R", "C"):
        entry.source, entry.renamed, entry.score = change.old.path, change.status, change.score
    if change.new.mode == GITLINK:
        entry.dirty = change.new.dirty
        entry.new_commits = change.old.oid != change.new.oid


def _with_renames(
    store: Store, changes: list[Change], spec: StatusSpec, ignore_submodules: bytes | None, ctx: Context
) -> list[Change]:
    """The changes after detection of renames (and copies, if wanted); skipped if there can be none."""
    wanted = spec.renames
    # Strange but git's: a conflicted file counts as new, and can be paired with a similar source.
    if wanted is None or not wanted.renames or not any(change.status == "A" or change.unmerged for change in changes):
        return changes
    if wanted.renames == 1 and not any(change.status == "D" for change in changes):
        return changes
    diff_spec = DiffSpec(
        renames=wanted.renames,
        rename_score=wanted.rename_score,
        rename_limit=wanted.rename_limit,
        ignore_submodules=ignore_submodules,
    )
    core = import_module("..diff.diffcore", __package__)  # start-up time: plain status detects no renames
    renamed: list[Change] = core.diffcore(
        changes, Contents(store, ctx=ctx, work=work_reader(store, ctx)), diff_spec, ctx=ctx
    )
    return renamed


def work_reader(store: Store, ctx: Context) -> Callable[[bytes, int], bytes | None]:
    """The reader of work tree files in git's form, for `Contents`."""
    return lambda path, mode: read_work_file(store, path, mode, ctx=ctx)


def tracking_of(store: Store, branch: bytes, head: bytes | None, count: bool, *, ctx: Context) -> Tracking | None:
    """A branch compared with its upstream; None if it has none. Before the first commit git reports any upstream as
    gone."""
    check_refspecs(store.config, store.hex_len)
    try:
        full = upstream_or_none(store, branch)
    except GitError:
        return None
    if full is None:
        return None
    short = abbreviate_ref(store, full)
    theirs = store.refs.read(full)
    if theirs is None or head is None:
        return Tracking(short, gone=True)
    if theirs == head:
        return Tracking(short, same=True, ahead=0, behind=0)
    if not count:
        return Tracking(short)
    ahead, behind = ahead_behind(store, head, theirs, ctx=ctx)
    return Tracking(short, same=not ahead and not behind, ahead=ahead, behind=behind)

"""git stash list and git stash show: the entries of the stash."""

from collections.abc import Callable, Iterator

from ..annotations import Annotated, Any, Literal
from ..diff.changes import Change
from ..diff.diffcore import diffcore
from ..diff.spec import DiffSpec
from ..diff.trees import as_change, diff_trees, trees_of
from ..errors import BadRequest, Corrupt, GitError, InvalidArgs, NotFound, NoWorkTree, Unsupported, text
from ..limits import Context
from ..plans.diff import PATCH, diff_spec
from ..plans.positionals import Positionals
from ..plans.settings import judge_settings
from ..plans.words import log_words, order_of
from ..records import record, replace
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.diff import DiffOptions
from ..request.flag import Flag, leading_number
from ..request.pretty import PrettyOptions
from ..request.request import Request, Result
from ..request.rows.page import Page
from ..revs.resolve import try_resolve
from ..revs.tip import Tips
from ..revs.tips import tips
from .command import Access, Command, unrecognized_argument
from .diff import Differences, DiffResult, contents_of, find_objects
from .diff import collect as collect_diff
from .diff import render as render_diff
from .log import LogCommit, LogPlan, LogRequest, plan_log, write_log
from .log import collect as collect_log

LIST_FORMAT = "tformat:%gd: %gs"
SHOW_USAGE = "usage: git stash show [-u | --include-untracked | --only-untracked] [<diff-options>] [<stash>]\n"
WRITING = ("push", "save", "pop", "apply", "drop", "clear", "branch", "create", "store")


# -------------------------------------------------------------------- list
class StashListResult(Page):
    """The stash entries, newest first."""

    entries: list[LogCommit] = Field(default_factory=list, description="The commits that hold them.")


class StashListRequest(LogRequest, Request[StashListResult]):
    """`git stash list`: the entries, as a log of their reflog."""


def run_list(store: Store, request: StashListRequest, ctx: Context, named: Tips | None = None) -> LogPlan | None:
    """The reflog of refs/stash as a log; None if nothing is stashed."""
    _need_work_tree(store)
    if store.refs.read(b"refs/stash") is None:
        return None
    changed: dict[str, object] = {"walk_reflogs": True, "first_parent": True}
    if request.pretty is None:
        changed["pretty"] = LIST_FORMAT
    if request.diff_merges is None:
        changed["diff_merges"] = "m"
    asked = request.model_copy(update=changed)
    try:
        judge_settings("stash list", store.config)
        words = [*request.revs, "refs/stash"] if named is None else request.revs
        starts = tips(
            store, words, ctx=ctx, default=request.default or "HEAD", committish=True, named=named, reflogs=True
        )
        return plan_log(store, asked, ctx, tips=starts)
    except GitError as error:
        if store.refs.read(b"refs/stash") is None:
            return None  # a concurrent git has dropped the last entry
        raise _from_log(error) from None


def bind_list(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind the words of a log: all are revisions, because git drops `--` before it runs its log with `refs/stash --`.

    Strange but git's: an option without its value takes `refs/stash` as its value, and the log is that of HEAD.
    """
    assert store is not None
    judge_settings("stash", store.config)
    if store.refs.read(b"refs/stash") is None:
        return  # nothing to list: git does not even look at the words
    try:
        judge_settings("stash list", store.config)
        if words.trouble is not None:
            raise words.trouble
        log_words(words, values, store, ctx)
    except GitError as error:
        if store.refs.read(b"refs/stash") is None:
            return  # a concurrent git has dropped the last entry
        raise _from_log(error) from None


def _from_log(error: GitError) -> GitError:
    """git runs its log as another program, and has one exit status for all of its errors."""
    if not isinstance(error, Unsupported) and error.status in (128, 129):  # not one of our own limits
        error.status = 1
    return error


def _need_work_tree(store: Store) -> None:
    if store.work_tree is None:
        raise NoWorkTree("this operation must be run in a work tree")


def collect_list(plan: LogPlan | None, request: StashListRequest) -> StashListResult:
    """The typed result."""
    if plan is None:
        return StashListResult(entries=[])
    log = collect_log(plan, request)
    return StashListResult(entries=log.commits, truncated=log.truncated, reason=log.reason)


def render_list(plan: LogPlan | None, request: StashListRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    if plan is None:
        return
    try:
        yield from write_log(plan, style)
    except GitError as error:
        raise _from_log(error) from None
    _end(style.ctx)


def _end(ctx: Context) -> None:
    """Strange but git's: whatever its diffs report (`--check`, `--exit-code`), `git stash` ends with 0 or 1."""
    ctx.exit_status = min(ctx.exit_status, 1)


# -------------------------------------------------------------------- show
class StashShowRequest(DiffOptions, PrettyOptions, Request[DiffResult]):
    """`git stash show`: the changes of an entry, compared with the commit it was made on.

    Like git, it also accepts the options of a log's format, which have no effect here.
    """

    stash: list[str] = Field(default_factory=list, description="The entry: 'stash@{1}', '1', or a commit.")
    untracked: Annotated[
        Literal["include", "only", "no"] | None,
        Flag("-u", "--include-untracked", const="include", no=True, no_const="no"),
        Flag("--only-untracked", const="only", no=True, no_const="no"),
    ] = Field(None, description="Show the untracked files in the entry too, or only them.")
    max_count: Annotated[
        int | None, Flag("-n", "--max-count", "-NUM", value="number", parse=leading_number, walk=True)
    ] = Field(None, description="Nothing: there is one comparison.")


def bind_show(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as the name of the entry; errors of options are reported after the entry was found."""
    values["stash"] = [*words.before, *words.after]
    if words.trouble is not None:
        assert store is not None
        _need_work_tree(store)
        _entry(store, values["stash"], ctx)
        raise words.trouble


@record
class Hidden:
    """The changes of an entry where the configuration disables the output: looked up for a typed answer only."""

    differences: Callable[[], Differences]


def run_show(store: Store, request: StashShowRequest, ctx: Context) -> Differences | Hidden:
    """The changes of the entry."""
    _need_work_tree(store)
    commit, parents = _entry(store, request.stash, ctx)
    objects = find_objects(store, request, ctx)
    spec = diff_spec(
        request, store.config, ctx=ctx, prefix=store.prefix, objects=objects, default=PATCH, settles_again=True
    )
    order, formats = order_of(store, request.order_file), spec.formats
    if not request.model_fields_set - {"stash", "untracked"}:
        stat = store.config.get_bool("stash.showstat", True) is not False
        formats = replace(formats, stat=stat, patch=bool(store.config.get_bool("stash.showpatch", False)))
    spec = replace(spec, order=order, formats=formats)
    if not formats.any:
        return Hidden(lambda: _changes(store, request, spec, commit, parents, ctx))
    return _changes(store, request, spec, commit, parents, ctx)


def _changes(
    store: Store, request: StashShowRequest, spec: DiffSpec, commit: bytes, parents: tuple[bytes, ...], ctx: Context
) -> Differences:
    odb = store.odb
    base, work = odb.commit_facts(parents[0])[2], odb.commit_facts(commit)[2]
    extra = odb.commit_facts(parents[2])[2] if len(parents) > 2 else None
    untracked = request.untracked
    if untracked is None and store.config.get_bool("stash.showincludeuntracked", False):
        untracked = "include"
    differences = Differences(spec, contents_of(store, ctx), ctx=ctx)
    if untracked == "include" and extra is not None:
        _need_distinct(work, extra, store, ctx)
    if untracked == "only":
        changes = diff_trees(None, extra, odb, spec, ctx=ctx) if extra is not None else []
    else:
        changes = diff_trees(base, work, odb, spec, ctx=ctx)
        if untracked == "include" and extra is not None:
            changes = _with_untracked(changes, extra, store, ctx)
    differences.changes = diffcore(changes, differences.contents, spec, ctx=ctx)
    return differences


def _need_distinct(work: bytes, extra: bytes, store: Store, ctx: Context) -> None:
    """Raises Corrupt for an untracked file that is also in the entry's own tree."""
    for row in trees_of(store.odb).files(extra, ctx=ctx):
        path = as_change(row).new.path
        if store.odb.entry(work, path) is not None:
            ctx.say(b"error: worktree and untracked commit have duplicate entries: " + path + b"\n")
            raise Corrupt("failed to unpack trees", path=text(path))


def _with_untracked(changes: list[Change], extra: bytes, store: Store, ctx: Context) -> list[Change]:
    """The changes together with the untracked files of the entry."""
    by_path = {change.new.path: change for change in changes}
    for row in trees_of(store.odb).files(extra, ctx=ctx):
        added = as_change(row)
        before = by_path.get(added.new.path)
        if before is None or not before.old.mode:
            by_path[added.new.path] = added
        else:
            by_path[added.new.path] = as_change((row[0], before.old.mode, before.old.oid, row[3], row[4]))
    return sorted(by_path.values(), key=lambda change: change.new.path)


def _entry(store: Store, words: list[str], ctx: Context) -> tuple[bytes, tuple[bytes, ...]]:
    """The commit of an entry and its parents. Raises GitError with git's message."""
    if len(words) > 1:
        raise BadRequest("Too many revisions specified:" + "".join(f" '{word}'" for word in words), status=1, prefix="")
    if not words:
        if store.refs.read(b"refs/stash") is None:
            raise BadRequest("No stash entries found.", status=1, prefix="")
        name = "refs/stash@{0}"
    else:
        name = f"refs/stash@{{{words[0]}}}" if words[0].isascii() and words[0].isdigit() else words[0]
    oid = try_resolve(store, name, ctx=ctx)
    if oid is None:
        raise NotFound(f"{name} is not a valid reference", status=1, prefix="error")
    if not store.odb.has(oid):
        raise BadRequest(f"'{name}' is not a stash-like commit")
    commit = store.odb.peel(oid)
    parents = store.odb.commit_facts(commit)[0] if store.odb.kind(commit) == b"commit" else ()
    if len(parents) < 2:
        raise BadRequest(f"'{name}' is not a stash-like commit")
    return commit, parents


def collect_show(shown: Differences | Hidden, request: StashShowRequest) -> DiffResult:
    """The typed result: stash.showStat and stash.showPatch say what is printed, not what changed."""
    differences = shown.differences() if isinstance(shown, Hidden) else shown
    return collect_diff(differences, request)  # type: ignore[arg-type]


def render_show(differences: Differences | Hidden, request: StashShowRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    if not isinstance(differences, Hidden):
        yield from render_diff(differences, request, style)  # type: ignore[arg-type]
        _end(style.ctx)


# -------------------------------------------------------------------- subcommands that write
class StashRequest(Request[Result]):
    """`git stash` without a subcommand puts changes aside: not carried out."""

    args: list[str] = Field(default_factory=list)


def _nothing(*_: object) -> Any:
    raise AssertionError("not served")


def _writer(name: str) -> Command:
    return Command(name, StashRequest, Result, _nothing, _nothing, _nothing, access=Access.WRITE, raw=True)


COMMAND = _writer("stash")
SUBCOMMANDS = {
    "list": Command(
        "stash list",
        StashListRequest,
        StashListResult,
        run_list,
        collect_list,
        render_list,
        bind=bind_list,
        settings="stash",
        needs_work_tree=True,
        patient=True,
        behind=("refs/stash", "--"),
        unknown=unrecognized_argument,
        summary="the stash entries",
        usage="git stash list [<log-options>]",
    ),
    "show": Command(
        "stash show",
        StashShowRequest,
        DiffResult,
        run_show,
        collect_show,
        render_show,
        bind=bind_show,
        needs_work_tree=True,
        sifted=True,
        unknown=lambda word: InvalidArgs(SHOW_USAGE, prefix=""),
        usage=SHOW_USAGE,
        summary="what a stash entry changes",
    ),
    **{word: _writer(f"stash {word}") for word in WRITING},
}

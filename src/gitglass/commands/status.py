"""git status: the staged, changed, conflicted and untracked files; and the operation in progress."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module

from ..annotations import TYPE_CHECKING, Annotated, Any, Literal
from ..config.config import Config, parse_bool
from ..deferred import deferred
from ..errors import BadRequest, InvalidArgs, NoWorkTree
from ..limits import Context, paced
from ..plans.positionals import Positionals
from ..records import replace
from ..render.status import CONFLICTS, StatusLook, submodule_words, write_long, write_porcelain_v2, write_short
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.pathspecs import Pathspecs as PathspecMixin
from ..request.pathspecs import parse_pathspecs
from ..request.request import Request
from ..request.rows.status import StatusBranch, StatusEntry, StatusResult
from ..request.text import to_bytes, to_text
from ..revs.names import warn_of_other_heads
from ..worktree.status import RenameSpec, Status, StatusSpec, status
from .command import Command

if TYPE_CHECKING:
    from ..render.columns import column_mode
else:
    column_mode = deferred(__name__, "..render.columns", "column_mode")


_FORMATS = {"v1": "porcelain", "1": "porcelain", "v2": "porcelain-v2", "2": "porcelain-v2"}
_MODES = ("no", "normal", "all")


def _porcelain(value: str) -> str:
    if value not in _FORMATS:
        raise BadRequest(f"unsupported porcelain version '{value}'")
    return _FORMATS[value]


def _submodules(value: str) -> str:
    if value not in ("none", "untracked", "dirty", "all"):
        raise BadRequest(f"bad --ignore-submodules argument: {value}")
    return value


def _renames(value: str) -> int:
    value = value.removeprefix("=")  # `-M=90%` is the same as `-M90%`
    score: int = import_module("..request.diff_values", __package__).parse_score(value)[0]  # a rare option
    return score


class StatusRequest(Request[StatusResult], PathspecMixin):
    """`git status`: the state of the work tree."""

    form: Annotated[
        Literal["long", "short", "porcelain", "porcelain-v2", "none"] | None,
        Flag("-s", "--short", const="short", no=True, no_const="none"),
        Flag("--long", const="long", no=True, no_const="none"),
        Flag(
            "--porcelain", value="version", optional=True, const="porcelain", no=True, no_const="none", parse=_porcelain
        ),
    ] = Field(
        None,
        description="How it is printed; the typed answer is the same for all. 'none': none of these, nor status.short.",
    )
    branch: Annotated[bool | None, Flag("-b", "--branch", no=True)] = Field(
        None, description="Show branch and upstream also in the short forms."
    )
    show_stash: Annotated[bool | None, Flag("--show-stash", no=True)] = Field(
        None, description="Say how many stash entries there are."
    )
    ahead_behind: Annotated[bool | None, Flag("--ahead-behind", no=True)] = Field(
        None, description="Count the commits between branch and upstream; False is faster in long histories."
    )
    verbose: Annotated[int, Flag("-v", "--verbose", append=True, const=1, no=True)] = Field(
        0, ge=0, le=9, description="1: show the staged changes as a patch; 2: the unstaged ones too."
    )
    untracked_files: Annotated[
        Literal["no", "normal", "all"] | None,
        Flag(
            "-u",
            "--untracked-files",
            value="mode",
            optional=True,
            const="all",
            no=True,
            no_const=None,
        ),
    ] = Field(None, description="Untracked files: none, directories as one entry (normal), or every file (all).")
    ignored: Annotated[
        Literal["no", "traditional", "matching"],
        Flag("--ignored", value="mode", optional=True, const="traditional", no=True, no_const="no"),
    ] = Field("no", description="Ignored files as well; 'matching': only what a pattern names itself.")
    ignore_submodules: Annotated[
        Literal["none", "untracked", "dirty", "all"] | None,
        Flag(
            "--ignore-submodules", value="when", optional=True, const="all", no=True, no_const=None, parse=_submodules
        ),
    ] = Field(None, description="What not to look at in submodules.")
    renames: Annotated[
        bool | None,
        Flag("--no-renames", const=False, no=True, no_const=True),
        Flag("--renames"),
    ] = Field(None, description="Find renames.")
    find_renames: Annotated[
        int | None, Flag("-M", "--find-renames", value="n", optional=True, const=0, parse=_renames)
    ] = Field(None, ge=0, le=60000, description="Find renames; least similarity, of 60000 (0: one half).")
    column: Annotated[
        str | None, Flag("--column", value="style", optional=True, const="", no=True, no_const="never")
    ] = Field(None, description="Lay untracked files out in columns.")
    null: Annotated[bool, Flag("-z", "--null", no=True)] = Field(False, description="NUL-terminated records.")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as paths. Several `-v` add up."""
    values["paths"] = [*words.before, *words.after]
    if "verbose" in values:
        values["verbose"] = min(len(values["verbose"]), 9)
    untracked = values.get("untracked_files")
    if untracked is not None and untracked not in _MODES:  # of several options the last one counts
        raise BadRequest(f"Invalid untracked files mode '{untracked}'")
    ignored = values.get("ignored", "no")
    if ignored not in ("traditional", "no", "matching"):
        raise BadRequest(f"Invalid ignored mode '{ignored}'")


# ------------------------------------------------------------------------------------------------------------- running
def _form(request: StatusRequest, config: Config) -> tuple[str, bool]:
    """The output form, and whether settings for human readers apply."""
    form = request.form
    if request.null:
        if form in (None, "none"):
            form = "porcelain"
        elif form == "long":
            raise InvalidArgs("options '--long' and '-z' cannot be used together", status=128, prefix="fatal")
    for_people = form not in ("porcelain", "porcelain-v2") and not request.null
    if for_people and form is None and config.get_bool("status.short", False):
        form = "short"
    return "long" if form in (None, "none") else form, for_people


def _untracked_mode(request: StatusRequest, config: Config) -> str:
    entry = config.entry("status.showuntrackedfiles")
    if entry is None:
        return request.untracked_files or "normal"
    wrong = import_module("..plans.setting_values", __package__).untracked(entry)
    if wrong is not None:  # even where the option decides
        raise wrong
    return request.untracked_files or to_text(entry.value or b"")


def _rename_spec(request: StatusRequest, config: Config) -> RenameSpec:
    """Whether and how renames are detected: status.renames takes precedence over diff.renames, options over both."""
    renames = 1
    for key in ("diff.renames", "status.renames"):
        value = config.get(key)
        if value is not None:
            on = parse_bool(value)
            copies = value.lower() in (b"copies", b"copy")
            renames = 2 if copies else int(bool(config.get_bool(key) if on is None else on))
    limit = config.get_int("status.renamelimit")
    if limit is None:
        limit = config.get_int("diff.renamelimit")
    if request.renames is not None:
        renames = int(request.renames)
    if request.find_renames is not None:
        renames = max(renames, 1)
    return RenameSpec(
        renames=renames, rename_score=request.find_renames or 0, rename_limit=-1 if limit is None else limit
    )


def run(store: Store, request: StatusRequest, ctx: Context) -> Status:
    """The state, computed once; every output form is made from it."""
    if store.work_tree is None:
        raise NoWorkTree("this operation must be run in a work tree")
    config = store.config
    form, for_people = _form(request, config)
    untracked = _untracked_mode(request, config)
    if request.ignored == "matching" and untracked == "no":
        raise BadRequest("Unsupported combination of ignored and untracked-files arguments")
    count = request.ahead_behind
    if count is None:
        count = bool(config.get_bool("status.aheadbehind", True)) if for_people else True
    spec = StatusSpec(
        untracked=untracked,
        ignored=request.ignored,
        ignore_submodules=to_bytes(request.ignore_submodules) if request.ignore_submodules else None,
        pathspecs=parse_pathspecs(store, request.paths),
        renames=_rename_spec(request, config),
        ahead_behind=count,
        operation=form in ("long", "porcelain-v2"),
        stash=_wants_stash(request, config),
        branch=form == "long" or _wants_branch(request, config, for_people),
    )
    for _ in range(2):  # once for the comparison, once for the name
        warn_of_other_heads(store, ctx=ctx)
    config.get_bool_or_int("status.submodulesummary")  # git reports an invalid value for every output form
    state = status(store, spec, ctx=ctx)
    if state.entries and config.has("diff.orderfile"):  # git applies the order to the sorted list afterwards
        order = import_module("..plans.words", __package__).configured_order(store)
        if order is not None:
            order()
    return state


def _wants_stash(request: StatusRequest, config: Config) -> bool:
    if request.show_stash is not None:
        return request.show_stash
    return bool(config.get_bool("status.showstash", False))


def _wants_branch(request: StatusRequest, config: Config, for_people: bool) -> bool:
    if request.branch is not None:
        return request.branch
    return for_people and bool(config.get_bool("status.branch", False))


# ---------------------------------------------------------------------------------------------------------- both exits
def collect(state: Status, request: StatusRequest) -> StatusResult:
    """The typed result: the same for all forms, and whatever status.short and status.branch are set to."""
    state.complete()
    tracking = state.tracking
    branch = StatusBranch(
        head=to_text(state.branch.removeprefix(b"refs/heads/")) if state.branch else None,
        oid=state.head.hex() if state.head else None,
        upstream=to_text(tracking.short) if tracking else None,
        ahead=tracking.ahead if tracking else None,
        behind=tracking.behind if tracking else None,
        gone=tracking.gone if tracking else False,
        detached=state.branch is None,
        detached_from=to_text(state.operation.detached_from) if state.operation.detached_from else None,
    )
    entries = []
    for entry in paced(state.entries):
        row = StatusEntry(to_text(entry.path), entry.index, entry.work)
        if entry.conflict:
            row.index = row.worktree = "U"
            row.conflict = CONFLICTS[entry.conflict][0]
        if entry.source is not None:
            row.original, row.score = to_text(entry.source), entry.score
        row.submodule = submodule_words(entry) or None
        entries.append(row)
    return StatusResult(
        branch=branch,
        entries=entries,
        untracked=[to_text(path) for path in state.scan.untracked],
        ignored=[to_text(path) for path in state.scan.ignored],
        operation=state.operation.name,
        stashes=state.stashes if state.spec.stash else None,
        clean=not entries and not state.scan.untracked,
        notes=list(dict.fromkeys(state.notes)),
    )


def render(state: Status, request: StatusRequest, style: Style) -> Iterator[bytes]:
    """git's text."""
    config = style.config
    form, for_people = _form(request, config)
    prefix = style.prefix if config.get_bool("status.relativepaths", True) else b""
    branch = _wants_branch(request, config, for_people)
    look = StatusLook(prefix=prefix, null=request.null, branch=branch, stash=state.spec.stash)
    if form == "porcelain-v2":
        yield from write_porcelain_v2(state, look, style)
    elif form in ("short", "porcelain"):
        yield from write_short(state, look, style, porcelain=form == "porcelain")
    else:
        yield from write_long(state, _look_long(look, state, request, style), style)


def _look_long(look: StatusLook, state: Status, request: StatusRequest, style: Style) -> StatusLook:
    """The same with the additional data of the long form."""
    config, operation = style.config, state.operation
    commented = config.get_bool("status.displaycommentprefix", False)
    comment = (config.get("core.commentchar") or b"#")[:1] if commented else b""
    summaries = patches = None
    summary = config.get_bool_or_int("status.submodulesummary")
    if summary and request.ignore_submodules != "all":
        limit = -1 if summary is True else summary
        submodules = import_module("..render.submodule_summary", __package__).submodule_summaries
        summaries = partial(submodules, style.store, state.head, limit, comment, style.ctx)
    if request.verbose:
        # Start-up time: the code for patches is only loaded for -v.
        verbose = import_module("..plans.status_patches", __package__)
        patches = partial(verbose.patches, state, request.verbose, comment, style)
    return replace(
        look,
        hints=bool(config.get_bool("advice.statushints", True)),
        comment=comment,
        during_commit=operation.merge or operation.picking,
        show_untracked=state.spec.untracked != "no",
        show_ignored=state.spec.ignored != "no",
        columns=column_mode(config, "status", request.column, style.is_tty),
        summaries=summaries,
        patches=patches,
    )


COMMAND = Command(
    "status",
    StatusRequest,
    StatusResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    needs_work_tree=True,
    summary="the state of the work tree",
    usage="git status [<options>] [--] [<pathspec>...]",
)

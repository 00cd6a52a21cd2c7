"""git reflog: the former values of refs, as a log with one line for each; and whether a ref has a reflog."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..annotations import Any
from ..deferred import deferred
from ..errors import BadRequest, InvalidArgs, Unsupported
from ..limits import Context
from ..plans.positionals import Positionals
from ..plans.words import revs_and_paths
from ..refs.names import check_refname
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.request import Request, Result
from ..request.text import to_bytes
from ..revs.tip import Tips
from ..revs.tips import tips
from .command import LOG_ANYWHERE, Command, unrecognized_argument
from .log import LogPlan, LogRequest, LogResult, collect, plan_log, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..render.log.shown_notes import note_refs
else:
    note_refs = deferred(__name__, "..render.log.shown_notes", "note_refs")


class ReflogRequest(LogRequest):
    """`git reflog show`: like `git log -g --oneline --abbrev-commit`."""


def run(store: Store, request: ReflogRequest, ctx: Context, named: Tips | None = None) -> LogPlan:
    """The entries of the named reflogs (HEAD's if none is named), newest first."""
    update: dict[str, object] = {"walk_reflogs": True}
    if request.pretty is None:
        update["pretty"] = "oneline"
        if not request.notes:  # strange but git's: it prepares notes, and only then chooses a form without them
            _judge_notes(store, ctx)
    if request.abbrev_commit is None:
        update["abbrev_commit"] = update["by_oneline"] = True
    request = request.model_copy(update=update)
    return plan_log(
        store,
        request,
        ctx,
        tips=tips(store, request.revs, ctx=ctx, default=request.default or "HEAD", named=named, reflogs=True),
    )


def _judge_notes(store: Store, ctx: Context) -> None:
    """Warn of refs of notes that are invalid, though no notes are shown."""
    if store.where.notes_refs or store.config.has("notes.displayRef"):
        note_refs(store, (), by_default=True, ctx=ctx)


class ExistsResult(Result):
    """Whether there is a reflog."""

    exists: bool = Field(description="The ref has a reflog.")


class ExistsRequest(Request[ExistsResult]):
    """`git reflog exists`: whether a ref has a reflog."""

    ref: str = Field("", description="The full name of the ref, e.g. 'refs/heads/main'.")


def bind_exists(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind the first word as the ref; git ignores all others."""
    given = words.before + words.after
    if not given:
        raise InvalidArgs("usage: git reflog exists <ref>", prefix="")
    values["ref"] = given[0]


def run_exists(store: Store, request: ExistsRequest, ctx: Context) -> bool:
    """Whether the ref has a reflog, which the exit status shows."""
    if not check_refname(to_bytes(request.ref), onelevel=True):
        raise BadRequest(f"invalid ref format: {request.ref}")
    exists = store.reflog(to_bytes(request.ref)).exists
    ctx.exit_status = 0 if exists else 1
    return exists


def collect_exists(exists: bool, request: ExistsRequest) -> ExistsResult:
    """The typed result."""
    return ExistsResult(exists=exists)


def render_exists(exists: bool, request: ExistsRequest, style: Style) -> Iterator[bytes]:
    """No output: the exit status is the answer."""
    return iter(())


class WriteRequest(Request[Result]):
    """What git's own subcommand would write."""


def _refuse(store: Store, request: WriteRequest, ctx: Context) -> None:
    what = "'reflog expire' and 'reflog delete' are not available"
    raise Unsupported(f"gitglass only reads: {what}", status=129, prefix="error")


def _bind_anything(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    return None


COMMAND = Command(
    "reflog",
    ReflogRequest,
    LogResult,
    run,
    collect,
    render,
    bind=partial(revs_and_paths, default="HEAD"),
    anywhere=LOG_ANYWHERE,
    unknown=unrecognized_argument,
    refused={"--filter": "it is for lists of objects"},
    summary="where refs have been",
    usage="git reflog [show] [<log-options>] [<ref>]",
)

EXISTS = Command(
    "reflog exists",
    ExistsRequest,
    ExistsResult,
    run_exists,
    collect_exists,
    render_exists,
    bind=bind_exists,
    usage="git reflog exists <ref>",
)

WRITE = Command(
    "reflog expire",
    WriteRequest,
    Result,
    _refuse,
    lambda entries, request: Result(),
    lambda entries, request, style: iter(()),
    bind=_bind_anything,
    unknown=lambda word: Unsupported("gitglass only reads: it changes no reflog", status=129, prefix="error"),
)

SUBCOMMANDS = {"show": COMMAND, "exists": EXISTS, "expire": WRITE, "delete": WRITE}

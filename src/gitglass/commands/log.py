"""git log: commits with their messages and changes."""

from collections.abc import Callable, Iterator
from itertools import islice

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import Cancelled, GitError
from ..history.log_diff import LogEntry
from ..limits import Context
from ..objects.parsed import Commit
from ..plans.log import LogOptions, LogPlan, log_writer, plan_log, uses_mailmap, write_log
from ..plans.walk import MOST, parse_pathspecs
from ..plans.words import log_words
from ..records import field, replace, typed_row
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field, altered
from ..request.request import Request
from ..request.rows.commit import CommitRow, commit_row
from ..request.rows.diff import FileChange
from ..request.rows.page import Page
from ..request.text import to_text
from ..revs.names import abbreviate_ref
from ..revs.tip import Tips
from ..revs.tips import tips
from .command import LOG_ANYWHERE, LOG_USAGE, Command, unrecognized_argument

if TYPE_CHECKING:
    from ..plans.file_changes import combined_changes, file_changes
    from ..render.log.decorate import decorations_of
else:
    decorations_of = deferred(__name__, "..render.log.decorate", "decorations_of")
    combined_changes, file_changes = deferred(__name__, "..plans.file_changes", "combined_changes", "file_changes")


__all__ = [
    "COMMAND",
    "LogCommit",
    "LogPlan",
    "LogRequest",
    "LogResult",
    "collect",
    "log_writer",
    "plan_log",
    "render",
    "write_log",
]


#: seconds for finding out whether one more commit follows
_LOOKING = 0.5


@typed_row
class LogCommit(CommitRow):
    """A commit of a log, with the files it changed if a diff was requested.

    In a walk of reflogs `selector` names the entry (`main@{2}`, counted from the newest), and `reflog_message` is the
    entry's message; both are None in other walks.
    """

    files: list[FileChange] = field(default_factory=list)
    selector: str | None = None
    reflog_message: str | None = None


class LogResult(Page):
    """Commits, in git's order."""

    commits: list[LogCommit] = Field(default_factory=list, description="The commits found.")


class LogRequest(Request[LogResult], LogOptions):
    """`git log`: history, filtered, ordered and formatted."""


def run(store: Store, request: LogRequest, ctx: Context, named: Tips | None = None) -> LogPlan:
    """The requested commits. Raises errors as git does: bad revisions, options that exclude each other."""
    request = _configured(store, request)
    named = tips(
        store,
        request.revs,
        ctx=ctx,
        default=request.default or "HEAD",
        committish=True,
        named=named,
        reflogs=request.walk_reflogs,
    )
    return plan_log(store, request, ctx, tips=named)


def _configured(store: Store, request: LogRequest) -> LogRequest:
    """Apply log.follow, which acts like --follow if there is exactly one path."""
    follow = request.follow
    if follow is None and len(request.paths) == 1 and store.config.get_bool("log.follow", False):
        paths = parse_pathspecs(store, request.paths)
        if not any(item.wild or item.exclude for item in paths.items):
            return request.model_copy(update={"follow": True})
    return request


def collect(plan: LogPlan, request: LogRequest) -> LogResult:
    """The typed result. The same walk shows whether more commits follow: it may give one commit more than is shown."""
    asked = plan.request
    limit = min(asked.max_count, MOST) if asked.max_count is not None and asked.max_count >= 0 else None
    # the last commits come first, or hidden commits are shown as boundary: one more commit would change the answer
    alone = not limit or asked.reverse or asked.boundary
    if limit and not alone:
        plan = plan.again(altered(asked, max_count=limit + 1), plan.diffs.ctx)
    entries = (entry for entry in plan.entries if not entry.hidden)
    row = _log_row_maker(plan, request)
    rows = [row(entry) for entry in (entries if alone else islice(entries, limit))]
    if limit is None or sum(row.mark != "-" for row in rows) < limit:
        return LogResult(commits=rows)
    if alone:
        behind = altered(asked, max_count=1, skip=max(asked.skip, 0) + limit, reverse=False, boundary=False)
        entries = (entry for entry in plan.again(behind, plan.diffs.ctx).entries if not entry.hidden)
    more = another(entries, plan.diffs.ctx)
    return LogResult(commits=rows, truncated=more, reason="max_count" if more else None)


def row_maker(store: Store, request: LogRequest, ctx: Context) -> Callable[[Commit], CommitRow]:
    """What makes the rows of a log's commits: people are named as the mailmap has them, and refs stand beside."""
    refs = decorations_of(store, request, ctx)
    mailmap = store.mailmap if uses_mailmap(store, request) else None
    return lambda commit: commit_row(commit, mailmap=mailmap, refs=[to_text(name) for name in refs.names(commit.oid)])


def _log_row_maker(plan: LogPlan, request: LogRequest) -> Callable[[LogEntry], LogCommit]:
    store, ctx = plan.diffs.contents.store, plan.diffs.ctx
    plain = row_maker(store, request, ctx)

    def made(entry: LogEntry) -> LogCommit:
        walked = entry.walked
        row = plain(walked.commit)
        mark = walked.mark(sides=plan.shape.sides, cherry=plan.shape.cherry).decode()
        files: list[FileChange] = []
        for part in entry.parts:
            if part.combined is None:
                files += file_changes(part.changes, plan.diffs.contents, plan.spec, ctx=ctx)
            elif part.changes:  # --stat and the like count the changes against the first parent
                formats = replace(plan.spec.formats, patch=False)
                files += file_changes(part.changes, plan.diffs.contents, replace(plan.spec, formats=formats), ctx=ctx)
            else:
                files += combined_changes(part.combined, plan.diffs.contents, plan.spec, ctx=ctx)
        logged = LogCommit(
            row.oid, row.parents, row.tree, row.author, row.committer, row.subject, row.body, row.refs, mark, files
        )
        if walked.reflog is not None:
            at_entry = walked.reflog
            logged.selector = to_text(abbreviate_ref(store, at_entry.name) + b"@{%d}" % at_entry.number)
            logged.reflog_message = to_text(at_entry.entry.message)
        return logged

    return made


def another(entries: Iterator[object], ctx: Context) -> bool:
    """Whether there is one more; if finding out takes long, or fails, True is assumed: the answer is complete without
    it."""
    try:
        with ctx.no_longer_than(_LOOKING):
            return next(entries, None) is not None
    except Cancelled:
        raise
    except GitError:
        return True


def render(plan: LogPlan, request: LogRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    return write_log(plan, style)


COMMAND = Command(
    "log",
    LogRequest,
    LogResult,
    run,
    collect,
    render,
    bind=log_words,
    anywhere=LOG_ANYWHERE,
    unknown=unrecognized_argument,
    refused={"--filter": "it is for lists of objects"},
    summary="commits with their messages and changes",
    usage=LOG_USAGE,
)

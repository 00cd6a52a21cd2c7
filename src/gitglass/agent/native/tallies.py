"""Counts by git_log in place of listing commits: how many (`mode=count`), how many by each author (`mode=authors`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...commands.log import LogRequest
from ...deferred import deferred
from ...limits import Context
from ...plans.log import LogPlan
from ...request.declared import fields_of
from ...request.rev_list import RevListRequest
from ...request.revision import WalkOptions
from ...request.text import to_bytes, to_text
from ..budget import Unit
from ..tool import Call, Uncut

if TYPE_CHECKING:
    from ...commands.shortlog import ShortlogRequest
else:
    ShortlogRequest = deferred(__name__, "...commands.shortlog", "ShortlogRequest")

__all__ = ["AUTHOR_LINES", "author_counts", "commit_count", "counted_by_rev_list"]

#: the format of a log that `git shortlog` reads
AUTHOR_LINES = {"pretty": "tformat:Author: %an <%ae>%n%n."}


def counted_by_rev_list(call: Call, request: LogRequest, ctx: Context | None = None) -> int:
    """The number of commits of a log without -S, -G, -L and --follow: walked without computing its output."""
    asked = RevListRequest(**{**_walked(request), "count": True})
    command, entries = call.run("rev-list", asked, ctx)
    return int(b"".join(command.render(entries, asked, call.style)).split()[0])


def commit_count(call: Call, request: LogRequest, log: LogPlan | None, state: bytes, empty: Callable[[], str]) -> Uncut:
    """One number. `log` is the log itself, if only walking it tells which commits it has."""
    if log is None:
        count = counted_by_rev_list(call, request)
    else:
        count = sum(1 for entry in log.entries if not entry.hidden)
    units = [Unit(lambda: f"{count}\n", counted=False)] if count else []
    return Uncut(units, "commits", "", lambda: {"count": count}, count, state, empty=lambda: f"0: {empty()}")


def author_counts(
    call: Call, request: LogRequest, log: bytes | None, state: bytes, empty: Callable[[], str], page_items: int
) -> Uncut:
    """The lines of `git shortlog -sne`, most commits first.

    `log`: the log in the format `AUTHOR_LINES`, if only walking it tells which commits it has.
    """
    options: dict[str, Any] = {"summary": True, "numbered": True, "email": True}
    if log is not None:
        asked = ShortlogRequest(log=to_text(log), **options)
    else:
        asked = ShortlogRequest(**{**_walked(request), **options})
    command, counted = call.run("shortlog", asked)
    result: Any = command.collect(counted, asked)
    rows = [{"name": group.name, "commits": group.count} for group in result.groups]
    lines = b"".join(b"%6d\t%s\n" % (group.count, to_bytes(group.name)) for group in result.groups)
    units = call.line_units(lines, rows)
    return Uncut(units, "authors", "authors", None, len(units), state, empty=empty, page_items=page_items)


def _walked(request: LogRequest) -> dict[str, Any]:
    """The part of a log's request that decides which commits are walked."""
    same = {name: getattr(request, name) for name in (*fields_of(WalkOptions), "paths")}
    return {**same, "revs": request.revs or ["HEAD"]}

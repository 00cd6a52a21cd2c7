"""git_log: commits, filtered; a page is `max_count` of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from ...commands.log import LogRequest, log_writer
from ...commands.registry import load
from ...errors import GitError, InvalidArgs
from ...limits import Context
from ...model.revision import WalkOptions
from ...model.revlist import RevListRequest
from ...model.text import to_bytes
from ...revs.tips import tips
from ...walk.logdiff import LogEntry
from ..budget import Unit
from ..tool import COUNTING, SEARCHING, Call, Tool, Uncut
from .params import Date, Paged, Paths, Rev
from .patches import LeftOut
from .paths import Meant, meant_paths, tree_places

__all__ = ["MODES", "TOOL", "range_of"]

_FORMATS: dict[str, dict[str, Any]] = {
    "line": {"pretty": "tformat:%h %as %aN%d %s"},
    "oneline": {"pretty": "oneline", "abbrev_commit": True, "decorate": "no"},
    "medium": {"pretty": "medium", "decorate": "short", "date": "iso"},
    "full": {"pretty": "fuller", "decorate": "short", "date": "iso"},
}
MODES: dict[str, dict[str, Any]] = {
    "none": {"no_patch": True},
    "name_only": {"name_only": True},
    "name_status": {"name_status": True},
    "stat": {"stat": ""},
    "patch": {"patch": True, "src_prefix": "a/", "dst_prefix": "b/"},  # whatever the repository's configuration likes
}


#: what may mean a message or a change: never guessed, always asked back
_TEXTS = ("query", "pattern", "text", "regex", "keyword", "term", "search_term")


class LogParams(Paged):
    """Arguments of git_log."""

    rev: Rev | None = Field(None, description="Or range A..B; default HEAD.")
    from_ref: Rev | None = Field(None, description="Range with to_ref.")
    to_ref: Rev | None = None
    all: bool = Field(False, description="All refs.")
    paths: Paths | None = None
    max_count: int = Field(20, ge=1, le=1000, description="Commits per page.")
    since: Date | None = Field(None, description="Date, e.g. '2 weeks ago'.")
    until: Date | None = None
    author: str | None = Field(None, description="Extended regex.")
    grep: str | None = Field(None, description="Extended regex on messages.")
    search: str | None = Field(None, description="String added or removed (-S).")
    ignore_case: bool = False
    merges: Literal["include", "exclude", "only"] = "include"
    first_parent: bool = False
    follow: bool = Field(False, description="Through renames (one path).")
    lines: str | None = Field(None, description="'10,20:path' or ':func:path'.")
    format: Literal["line", "oneline", "medium", "full"] = "line"
    mode: Literal["none", "name_only", "name_status", "stat", "patch"] = "none"


def range_of(rev: str | None, from_ref: str | None, to_ref: str | None) -> list[str]:
    """The revisions meant: `rev`, or the range of the two. Raises InvalidArgs where both are given."""
    if from_ref is None and to_ref is None:
        return [rev] if rev is not None else []
    if rev is not None:
        raise InvalidArgs("rev: give either rev or from_ref and to_ref, not both")
    for name in (from_ref, to_ref):
        if name is not None and ".." in name:
            raise InvalidArgs(f"from_ref, to_ref: '{name}' is a range", hint="Pass a range as rev.")
    if from_ref is None:
        return [to_ref or "HEAD"]
    return [f"{from_ref}..{to_ref or 'HEAD'}"]


def answer(call: Call, asked: LogParams) -> Uncut:
    """Commits, each a unit."""
    revs = ["--all"] if asked.all else range_of(asked.rev, asked.from_ref, asked.to_ref)
    branch, head = call.store.refs.head()
    if head is None and not revs:
        name = (branch or b"HEAD").removeprefix(b"refs/heads/")
        return Uncut((), "commits", "commits", total=0, empty=lambda: f"no commits yet on {call.text(name)}")
    meant = Meant("", ())
    if asked.paths:
        # a path that no tip has may be one of the past: that it is nowhere is said when nothing was found
        meant = meant_paths(call, asked.paths, tree_places(call, revs or ["HEAD"]), _shown(revs), required=False)
    request = _request(asked, revs, meant)
    command, plan = call.run("log", request)
    default = None if asked.all else "HEAD"
    state = b"".join(
        tip.oid + (b"-" if tip.exclude else b"+")
        for tip in tips(call.store, revs, ctx=call.ctx, default=default, committish=True).entries
    )
    writer = log_writer(plan, call.style)
    spaced = not writer.printer.terminator
    left_out = LeftOut(meant.words, call.store)

    load("rev-list")  # which counts: reading its code is no part of the time that counting may take
    walked = bool(asked.search or asked.follow or asked.lines)  # what rev-list --count does not know

    def text(entry: LogEntry, lead: str) -> str:
        writer.shown_one = False
        if asked.lines is not None:
            raw = b"".join(command.render(replace(plan, entries=iter([entry])), request, call.style))
        else:
            raw = b"".join(writer.entry(entry))
        shown = call.text(raw)
        return lead + (shown if asked.lines is not None else left_out.shortened(shown))

    def row(entry: LogEntry) -> Any:
        result: Any = command.collect(replace(plan, entries=iter([entry])), request)
        commit = result.commits[0]
        commit.files = [left_out.row(file) for file in commit.files]
        return commit

    def units() -> Iterator[Unit]:
        lead = ""
        for entry in plan.entries:
            if entry.hidden:
                continue
            yield Unit(
                lambda entry=entry, lead=lead: text(entry, lead),  # type: ignore[misc]
                lambda entry=entry: row(entry),  # type: ignore[misc]
                patch=asked.mode == "patch" or asked.lines is not None,
            )
            if spaced:
                lead = "\n"

    return Uncut(
        units(),
        "commits",
        "commits",
        state=state,
        empty=lambda: _empty(call, revs, meant),
        page_items=asked.max_count,
        countable=walked,
        count=None if walked else lambda ctx: _count(call, request, ctx),
        counting=SEARCHING if walked or meant.words or asked.author or asked.grep else COUNTING,
    )


def _count(call: Call, request: LogRequest, ctx: Context) -> int | None:
    """How many commits there are: walked without what would be printed of them."""
    same = {name: getattr(request, name) for name in (*WalkOptions.model_fields, "paths")}
    asked = RevListRequest(**{**same, "revs": request.revs or ["HEAD"], "count": True})
    command, entries = call.run("rev-list", asked, ctx)
    return int(b"".join(command.render(entries, asked, call.style)).split()[0])


def _request(asked: LogParams, revs: list[str], meant: Meant) -> LogRequest:
    if asked.follow and len(meant.words) != 1:
        raise InvalidArgs("follow: needs exactly one path")
    if asked.lines is not None and (asked.paths or asked.mode not in ("none", "patch")):
        raise InvalidArgs("lines: takes neither paths nor a mode but patch")
    values: dict[str, Any] = dict(_FORMATS[asked.format])
    if asked.lines is None or asked.mode == "none":
        values |= MODES[asked.mode]
    return LogRequest(
        revs=revs,
        paths=meant.specs,
        since=asked.since,
        until=asked.until,
        author=[asked.author] if asked.author else [],
        grep=[asked.grep] if asked.grep else [],
        pattern_type="extended",  # one syntax for all tools, as git_grep has it
        pickaxe=asked.search,
        ignore_case=asked.ignore_case,
        min_parents=2 if asked.merges == "only" else 0,
        max_parents=1 if asked.merges == "exclude" else -1,
        first_parent=asked.first_parent,
        follow=asked.follow or None,
        line_ranges=[asked.lines] if asked.lines else [],
        color="never",
        notes=["-"],
        **values,
    )


def _empty(call: Call, revs: list[str], meant: Meant) -> str:
    """Why there is nothing: paths that are nowhere, or how many commits were looked at."""
    unmatched = meant.unmatched(call)
    more = f"; {call.text(to_bytes(unmatched))}" if unmatched else ""
    if meant.missing:
        nowhere = meant.nowhere()
        return call.text(to_bytes(f"no commits match; {nowhere.message}; {nowhere.hint}")) + more
    try:
        _, plan = call.run("log", LogRequest(revs=revs))
        until, count, over = time.monotonic() + 0.3, 0, ""
        for _ in plan.entries:
            count += 1
            if not count % 256 and time.monotonic() > until:
                over = "more than "
                break
    except GitError:
        return f"no commits match{more}"
    if not count:
        return "no commits in that range"
    return f"no commits match; {over}{count:,} searched{more}"


def _shown(revs: list[str]) -> str:
    """Where paths are looked for, in words."""
    return "any ref" if revs == ["--all"] else " ".join(revs) or "HEAD"


TOOL = Tool(
    "git_log",
    "Commits, newest first, filtered. format line: id, date, author, (refs), subject.",
    LogParams,
    answer,
    other_names={"grep": _TEXTS, "search": _TEXTS},
)

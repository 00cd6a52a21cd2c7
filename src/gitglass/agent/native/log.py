"""git_log: filtered commits; a page has `max_count` of them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ...commands.log import LogRequest, log_writer
from ...commands.registry import load
from ...diff.pickaxe import Axe
from ...errors import GitError, InvalidArgs, NotFound, Timeout
from ...history.log_diff import LogEntry
from ...limits import Context, whole
from ...plans.log import LogPlan
from ...request.text import to_bytes, to_text
from ...revs.tips import tips
from ..budget import Unit
from ..tool import COUNTING, SEARCHING, Call, Tool, Uncut
from .params import Date, Paged, Paths, Rev, indented, line_words, within
from .patches import LeftOut
from .paths import Meant, files_of_trees, meant_paths
from .patterns import advised, written_out
from .sizes import DIRSTAT, LARGEST
from .tallies import AUTHOR_LINES, author_counts, commit_count, counted_by_rev_list

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
    "largest": LARGEST,
    "dirstat": DIRSTAT,
    "count": {"no_patch": True},
    "authors": {"no_patch": True, **AUTHOR_LINES},
    "patch": {"patch": True, "src_prefix": "a/", "dst_prefix": "b/"},  # whatever the repository's configuration says
}


#: names that may mean a message or a change: not guessed, the error asks for one of the two
_TEXTS = ("query", "pattern", "text", "regex", "keyword", "term", "search_term")


#: git's words for a function that it does not find
_FUNCTION = re.compile(r"-L parameter '([^']*)' starting at line \d+: no match")


def _span(value: Any) -> Any:
    """A line, or a pair of lines, as a text; a text may have the path in it, and is interpreted later."""
    return value if isinstance(value, str) else line_words(value)


class LogParams(Paged):
    """Arguments of git_log."""

    rev: Rev | None = Field(None, description="Or range A..B; default HEAD.")
    from_ref: Rev | None = Field(None, description="Range with to_ref.")
    to_ref: Rev | None = None
    all: bool = Field(False, description="All refs.")
    paths: Paths | None = None
    max_count: Annotated[int, within(1, 1000)] = Field(20, description="Per page.")
    since: Date | None = Field(None, description="Date, e.g. '2 weeks ago'.")
    until: Date | None = None
    author: str | None = Field(None, description="Extended regex.")
    grep: str | None = Field(None, description="Extended regex on messages.")
    search: str | None = Field(None, description="Text in changes.")
    search_kind: Literal["string", "removed", "regex"] = Field(
        "string", description="Its count changes (-S) or falls; changed lines match (-G)."
    )
    ignore_case: bool = False
    merges: Literal["include", "exclude", "only"] = "include"
    first_parent: bool = False
    follow: bool = Field(False, description="Through renames (one path), with old names.")
    lines: Annotated[str | None, BeforeValidator(_span)] = Field(
        None, description="'10,20' or ':func' of the one path."
    )
    format: Literal["line", "oneline", "medium", "full"] = "line"
    mode: Literal["none", "name_only", "name_status", "stat", "patch", "count", "authors"] = Field(
        "none", description="count: only how many; authors: commits of each."
    )


def range_of(rev: str | None, from_ref: str | None, to_ref: str | None) -> list[str]:
    """The revisions: `rev`, or the range of the other two. Raises InvalidArgs if both are given."""
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
    """One unit for each commit."""
    revs = range_of(asked.rev, asked.from_ref, asked.to_ref)
    if asked.all:
        revs.insert(0, "--all")
    branch, head = call.store.refs.head()
    if head is None and not revs:
        name = (branch or b"HEAD").removeprefix(b"refs/heads/")
        return Uncut((), "commits", "commits", total=0, empty=lambda: f"no commits yet on {call.text(name)}")
    meant = Meant("", ())
    if asked.paths:
        # a path that no tip has may have existed before: that it is missing is only said if no commit is found
        meant = meant_paths(call, asked.paths, files_of_trees(call, revs or ["HEAD"]), _shown(revs), required=False)
    request = _request(*_patterns(asked), revs, meant)
    bounded = asked.mode not in ("count", "authors") and _is_a_guess(call, meant)
    try:
        with advised(""):
            command, plan = call.run("log", request, _bounded(call) if bounded else None)
    except Timeout:
        if bounded:
            raise _given_up(call, meant) from None
        raise
    except NotFound as error:
        function = _FUNCTION.fullmatch(error.message)
        if function is not None and error.hint is None:
            error.hint = indented(function[1])
        raise
    if asked.search_kind == "removed":
        plan = replace(plan, entries=_removals(call, plan, plan.entries))
    default = None if asked.all else "HEAD"
    entries = tips(call.store, revs, ctx=call.ctx, default=default, committish=True).entries
    if entries and all(tip.commit is None for tip in entries):
        raise _no_history(asked)
    state = b"".join(tip.oid + (b"-" if tip.exclude else b"+") for tip in entries)

    def empty() -> str:
        return _empty(call, revs, meant) + _other_letters(asked)

    walked = bool(asked.search or asked.follow or asked.lines)  # options that rev-list --count does not have
    if asked.mode == "count":
        return commit_count(call, request, plan if walked else None, state, empty)
    if asked.mode == "authors":
        log = whole(command.render(plan, request, call.style)) if walked else None
        return author_counts(call, request, log, state, empty, asked.max_count)
    writer = log_writer(plan, call.style)
    spaced = not writer.printer.terminator
    left_out = LeftOut(meant.words, call.store)

    load("rev-list")  # does the counting: loading its code is not part of the time limit for counting

    def text(entry: LogEntry, lead: str) -> str:
        writer.shown_one = False
        if asked.lines is not None:
            raw = whole(command.render(replace(plan, entries=iter([entry])), request, call.style))
        else:
            raw = b"".join(writer.entry(entry))
            if asked.follow and asked.mode == "none":
                raw = _named(call, raw, entry, meant.words[0])
        shown = call.text(raw)
        return lead + (shown if asked.lines is not None else left_out.shortened(shown))

    def row(entry: LogEntry) -> Any:
        result: Any = command.collect(replace(plan, entries=iter([entry])), request)
        commit = result.commits[0]
        commit.files = [left_out.row(file) for file in commit.files]
        return commit

    def units() -> Iterator[Unit]:
        lead = ""
        for entry in _until_given_up(call, plan, meant) if bounded else plan.entries:
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
        empty=empty,
        page_items=asked.max_count,
        countable=walked,
        count=None if walked else lambda ctx: counted_by_rev_list(call, request, ctx),
        counting=SEARCHING if walked or meant.words or asked.author or asked.grep else COUNTING,
    )


def _no_history(asked: LogParams) -> InvalidArgs:
    """The error for a tree or a file in the place of a commit: git's log of it is empty, and is no answer."""
    word = asked.rev or asked.to_ref or ""
    rev, colon, path = word.partition(":")
    hint = f"rev={rev}, paths={path} is the history of the path." if rev and colon and path else None
    return InvalidArgs(f"rev: '{word[:200]}' is no commit", hint=hint)


def _patterns(asked: LogParams) -> tuple[LogParams, str]:
    """The arguments with their expressions written out, and the syntax of those for authors and messages."""
    values = {name: written_out(getattr(asked, name) or "") for name in ("author", "grep")}
    perl = any(only for _, only in values.values())
    update = {} if perl else {name: pattern or None for name, (pattern, _) in values.items()}
    if asked.search and asked.search_kind == "regex":
        update["search"] = written_out(asked.search, perl=False)[0]
    return asked.model_copy(update=update), "perl" if perl else "extended"


def _request(asked: LogParams, syntax: str, revs: list[str], meant: Meant) -> LogRequest:
    if asked.follow and len(meant.words) != 1:
        raise InvalidArgs("follow: needs exactly one path")
    if asked.search_kind != "string" and asked.search is None:
        raise InvalidArgs("search_kind: search is missing", hint="search is the text, search_kind how it is sought.")
    if asked.search_kind == "removed" and asked.lines is not None:
        raise InvalidArgs("search_kind: 'removed' cannot be combined with lines")
    lines = _lines(asked, meant)
    values: dict[str, Any] = dict(_FORMATS[asked.format])
    if lines is None or asked.mode != "patch":
        values |= MODES[asked.mode]
    return LogRequest(
        revs=revs,
        paths=meant.specs if lines is None else [],
        since=asked.since,
        until=asked.until,
        author=[asked.author] if asked.author else [],
        grep=[asked.grep] if asked.grep else [],
        pattern_type=syntax,  # the same syntaxes in all tools, as in git_grep
        pickaxe=None if asked.search_kind == "regex" else asked.search,
        pickaxe_grep=asked.search if asked.search_kind == "regex" else None,
        ignore_case=asked.ignore_case,
        min_parents=2 if asked.merges == "only" else 0,
        max_parents=1 if asked.merges == "exclude" else -1,
        first_parent=asked.first_parent,
        follow=asked.follow or None,
        line_ranges=[lines] if lines else [],
        color="never",
        notes=["-"],
        **values,
    )


def _lines(asked: LogParams, meant: Meant) -> str | None:
    """The range of -L: `lines` with the only path of `paths` appended, or with a path of its own."""
    if asked.lines is None:
        return None
    if asked.mode in ("name_only", "name_status", "stat"):
        raise InvalidArgs(f"lines: takes no mode={asked.mode}", hint="mode is patch, none, count or authors.")
    if not asked.paths:
        return asked.lines
    if len(meant.words) != 1 or meant.patterns or meant.magic:
        raise InvalidArgs("lines: needs exactly one path")
    path = meant.words[0]
    if asked.lines.endswith(f":{path}"):
        return asked.lines
    return f"{line_words(asked.lines)}:{path}"


def _removals(call: Call, plan: LogPlan, entries: Iterator[LogEntry]) -> Iterator[LogEntry]:
    """The commits of a log with -S that reduce the number of occurrences of the text."""
    assert plan.spec.pickaxe is not None
    axe = Axe(plan.spec.pickaxe, ctx=call.ctx)
    for entry in entries:
        if sum(axe.gained(part.changes, plan.diffs.contents) for part in entry.parts) < 0:
            yield entry


def _named(call: Call, raw: bytes, entry: LogEntry, path: str) -> bytes:
    """The text of a commit, with the file's former name in it if it had another one: `[old]`, `[old => new]`."""
    change = next((change for part in entry.parts for change in part.changes), None)
    if change is None:
        return raw
    quote, old, new = call.style.quote, change.old.path, change.new.path
    if change.old.mode and old != new:
        name = quote(old) + b" => " + quote(new)
    elif to_text(new) != path:
        name = quote(new)
    else:
        return raw
    return raw.rstrip(b"\n") + (b"\n\n    " if raw.count(b"\n") > 1 else b"  ") + b"[%s]\n" % name


# ------------------------------------------------------------------------- patterns that match no path of the tips
#: seconds of searching for commits if no path of the tips matches the pattern
_GUESSING = 2.0


def _is_a_guess(call: Call, meant: Meant) -> bool:
    """Whether there are only patterns, and none matches a path of the tips: the history may still have such a path."""
    return bool(meant.patterns and not (meant.named or meant.magic or meant.missing) and meant.unmatched(call))


def _bounded(call: Call) -> Context:
    """A short deadline for searching a history that most likely has no matching commit."""
    ctx = call.ctx
    left = ctx.remaining()
    seconds = _GUESSING if left is None else min(_GUESSING, left / 2)
    bounded = Context(ctx.limits.replace(timeout=seconds), now=ctx.now, cancelled=ctx.cancelled)
    bounded.policy, bounded.stderr, bounded.voices = ctx.policy, ctx.stderr, ctx.voices
    return bounded


def _until_given_up(call: Call, plan: LogPlan, meant: Meant) -> Iterator[LogEntry]:
    """The entries, until searching for more takes too long. Raises Timeout."""
    try:
        yield from plan.entries
    except Timeout:
        raise _given_up(call, meant) from None


def _given_up(call: Call, meant: Meant) -> Timeout:
    """The error when the time for searching is over: it does not claim that there is nothing."""
    call.ctx.check()
    why = f"{meant.unmatched(call)}; commits older than those searched in {_GUESSING:g} seconds may have one"
    hint = "Narrow the question: since, until, or a range of revisions."
    call.ctx.note(f"{why}. {hint}")
    return Timeout(why, hint=hint, limit=_GUESSING)


def _empty(call: Call, revs: list[str], meant: Meant) -> str:
    """Why there is no commit: missing paths, or how many commits were searched."""
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


def _other_letters(asked: LogParams) -> str:
    """A remedy for what may have been found in other letters."""
    names = [name for name in ("author", "grep", "search") if getattr(asked, name)]
    return f"; {', '.join(names)} in any letters: ignore_case=true" if names and not asked.ignore_case else ""


def _shown(revs: list[str]) -> str:
    """Where paths are searched for, in words."""
    return "any ref" if "--all" in revs else " ".join(revs) or "HEAD"


TOOL = Tool(
    "git_log",
    "Commits, newest first, filtered. format line: id, date, author, (refs), subject.",
    LogParams,
    answer,
    title="History",
    rows="commits",
    other_names={"grep": _TEXTS, "search": _TEXTS},
)

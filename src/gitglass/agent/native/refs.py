"""git_refs: branches, tags and other refs, with the objects they point at; a ref's reflog, and the stash."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from ...commands.command import Command, execute
from ...commands.log import LogRequest
from ...commands.reflog import COMMAND as REFLOG
from ...commands.reflog import ReflogRequest
from ...commands.stash import SUBCOMMANDS, StashListRequest
from ...deferred import deferred
from ...errors import InvalidArgs
from ...limits import paced, whole
from ...paths.wildmatch import compile_wildmatch
from ...request.text import to_bytes
from ...revs.errors import closest
from ..budget import Unit
from ..tool import Call, Tool, Uncut
from .params import Count, Paged, Rev

if TYPE_CHECKING:
    from ...commands.for_each_ref import ForEachRefRequest
else:
    ForEachRefRequest = deferred(__name__, "...commands.for_each_ref", "ForEachRefRequest")

__all__ = ["TOOL"]

_KINDS = {
    "all": [],
    "branches": ["refs/heads/"],
    "remotes": ["refs/remotes/"],
    "tags": ["refs/tags/"],
}
_SORTS = {"name": "refname", "newest": "-creatordate", "oldest": "creatordate", "version": "-version:refname"}
_FORMAT = (
    "%(HEAD)%(if:equals=refs/tags)%(refname:rstrip=-2)%(then) tag%(end) %(refname:short) %(objectname:short)"
    " %(creatordate:short)%(if)%(upstream)%(then) [%(upstream:short)%(if)%(upstream:track)%(then) "
    "%(upstream:track,nobracket)%(end)]%(end)%(if)%(symref)%(then) -> %(symref:short)%(end) %(contents:subject)"
)


class RefsParams(Paged):
    """Arguments of git_refs."""

    kind: Literal["all", "branches", "remotes", "tags", "reflog", "stash"] = "all"
    pattern: str | None = Field(None, description="Name or glob, e.g. v1.*; of reflog: the ref (HEAD).")
    contains: Rev | None = Field(None, description="This commit.")
    merged: Rev | None = Field(None, description="Into this.")
    sort: Literal["name", "newest", "oldest", "version"] = "name"
    max_count: Count | None = None


def answer(call: Call, asked: RefsParams) -> Uncut:
    """One line for each ref; for `reflog` and `stash` one for each entry, newest first."""
    if asked.kind in ("reflog", "stash"):
        return _entries(call, asked)
    whole_names = asked.pattern is not None and asked.pattern.startswith("refs/")
    request = ForEachRefRequest(
        patterns=[asked.pattern] if asked.pattern is not None and whole_names else list(_KINDS[asked.kind]),
        contains=[asked.contains] if asked.contains else [],
        merged=[asked.merged] if asked.merged else [],
        sort=[_SORTS[asked.sort]],
        format=_FORMAT,
        color="never",
    )
    command, refs = call.run("for-each-ref", request)
    if asked.pattern and not whole_names:
        meant = _by_short_name(to_bytes(asked.pattern))
        refs.items = [item for item in paced(refs.items) if meant(item.name)]
    raw = whole(command.render(refs, request, call.style))
    result: Any = command.collect(refs, request) if call.host.structured else None
    units = call.line_units(raw, None if result is None else result.refs)
    return Uncut(
        units,
        "refs",
        "refs",
        total=len(units),
        state=raw,
        empty=lambda: _empty(call, asked),
        page_items=asked.max_count,
    )


def _by_short_name(pattern: bytes) -> Callable[[bytes], bool]:
    """A test of refs by the names that people write, as `git branch --list` and `git tag --list` match them: `*`
    matches a slash as well. `heads/main` is a name of `main`, `main` one of `origin/main`, `feature` one of all
    branches below it."""
    glob, below = compile_wildmatch(pattern), pattern.rstrip(b"/") + b"/"

    def meant(ref: bytes) -> bool:
        kind, _, short = ref.removeprefix(b"refs/").partition(b"/")
        names = [short, kind + b"/" + short] if short else [kind]
        if kind == b"remotes":
            names.append(short.partition(b"/")[2])
        return any(glob(name) or name.startswith(below) for name in names)

    return meant


def _entries(call: Call, asked: RefsParams) -> Uncut:
    """The lines of `git reflog` and of `git stash list`, the latter with the commit's name and date in front."""
    ref = asked.pattern or asked.contains if asked.kind == "reflog" else None
    for name in ("merged", "contains", "pattern"):
        if getattr(asked, name) not in (None, ref):
            raise InvalidArgs(f"{name}: it does not go with kind={asked.kind}")
    if asked.sort != "name":
        raise InvalidArgs(f"sort: kind={asked.kind} is listed newest first")
    if asked.kind == "reflog":
        ref = ref or "HEAD"
        if ref.startswith("-") or ".." in ref:
            raise InvalidArgs(f"pattern: '{ref[:80]}' is no ref", hint="Name one branch or HEAD.")
        request: LogRequest = ReflogRequest(revs=[ref], pretty="tformat:%h %gd: %gs", color="never")
        command: Command = REFLOG
    else:
        request = StashListRequest(pretty="tformat:%h %as %gd: %gs", color="never")
        command = SUBCOMMANDS["list"]
    plan = execute(command, call.store, request, call.ctx)
    lines = [] if plan is None else whole(command.render(plan, request, call.style)).splitlines(keepends=True)
    units = [Unit(lambda line=line: call.text(line)) for line in lines]  # type: ignore[misc]
    if call.host.structured and lines:
        result: Any = command.collect(execute(command, call.store, request, call.ctx), request)
        for unit, row in zip(units, result.commits if asked.kind == "reflog" else result.entries, strict=True):
            unit.row = lambda row=row: row
    why = f"no reflog entries of {ref}" if asked.kind == "reflog" else "nothing is stashed"
    return Uncut(
        units,
        "entries",
        "refs",
        total=len(units),
        state=b"".join(lines),
        empty=lambda: call.text(to_bytes(why)),
        page_items=asked.max_count,
    )


def _empty(call: Call, asked: RefsParams) -> str:
    count = sum(1 for _ in call.store.refs.iterate())
    if not count:
        return "the repository has no refs"
    near = closest(call.store, to_bytes(asked.pattern), call.ctx) if asked.pattern else []
    advice = f"; did you mean {', '.join(map(call.text, near))}?" if near else ""
    return f"no refs match; {count:,} in all{advice}"


TOOL = Tool(
    "git_refs",
    "Branches, remotes, tags: `*` marks HEAD, then name, commit, date, [upstream], subject.",
    RefsParams,
    answer,
    title="Refs",
    rows="refs",
    other_names={
        "pattern": ("name", "names", "glob", "ref", "branch", "tag", "filter", "query"),
        "contains": ("commit", "sha", "contains_sha", "rev"),
    },
)

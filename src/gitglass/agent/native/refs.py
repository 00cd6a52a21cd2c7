"""git_refs: branches, tags and other refs, with what they are at."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ...commands.for_each_ref import ForEachRefRequest
from ..tool import Call, Tool, Uncut
from .params import Paged, Rev

__all__ = ["TOOL"]

_KINDS = {
    "all": [],
    "branches": ["refs/heads/"],
    "remotes": ["refs/remotes/"],
    "tags": ["refs/tags/"],
}
_SORTS = {"name": "refname", "newest": "-creatordate", "version": "-version:refname"}
_FORMAT = (
    "%(HEAD)%(if:equals=refs/tags)%(refname:rstrip=-2)%(then) tag%(end) %(refname:short) %(objectname:short)"
    " %(creatordate:short)%(if)%(upstream)%(then) [%(upstream:short)%(if)%(upstream:track)%(then) "
    "%(upstream:track,nobracket)%(end)]%(end)%(if)%(symref)%(then) -> %(symref:short)%(end) %(contents:subject)"
)


class RefsParams(Paged):
    """Arguments of git_refs."""

    kind: Literal["all", "branches", "remotes", "tags"] = "all"
    pattern: str | None = Field(None, description="Glob, e.g. refs/tags/v1.*.")
    contains: Rev | None = Field(None, description="This commit.")
    merged: Rev | None = Field(None, description="Into this.")
    sort: Literal["name", "newest", "version"] = "name"
    max_count: int | None = Field(None, ge=1, le=10_000)


def answer(call: Call, asked: RefsParams) -> Uncut:
    """A line for each ref."""
    request = ForEachRefRequest(
        patterns=[asked.pattern] if asked.pattern and asked.kind == "all" else list(_KINDS[asked.kind]),
        contains=[asked.contains] if asked.contains else [],
        merged=[asked.merged] if asked.merged else [],
        sort=[_SORTS[asked.sort]],
        format=_FORMAT,
        color="never",
    )
    if asked.pattern and asked.kind != "all":
        prefix = _KINDS[asked.kind][0]
        pattern = asked.pattern if asked.pattern.startswith("refs/") else prefix + asked.pattern
        request = request.model_copy(update={"patterns": [pattern]})
    command, found = call.run("for-each-ref", request)
    result: Any = command.collect(found, request)
    _, again = call.run("for-each-ref", request)
    raw = b"".join(command.render(again, request, call.style))
    units = call.line_units(raw, result.refs)
    return Uncut(
        units,
        "refs",
        "refs",
        total=len(units),
        state=raw,
        empty=lambda: _empty(call, asked),
        page_items=asked.max_count,
    )


def _empty(call: Call, asked: RefsParams) -> str:
    count = sum(1 for _ in call.store.refs.iterate())
    return f"no refs match; {count:,} in all" if count else "the repository has no refs"


TOOL = Tool(
    "git_refs",
    "Branches, remotes, tags: `*` marks HEAD, then name, commit, date, [upstream], subject.",
    RefsParams,
    answer,
    other_names={
        "pattern": ("name", "names", "glob", "ref", "branch", "tag", "filter", "query"),
        "contains": ("commit", "sha", "contains_sha", "rev"),
    },
)

"""git_show: a commit with its changes, a tag, a file of a revision, a directory of a revision."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ...commands.show import ShowPlan, ShowRequest
from ...errors import InvalidArgs
from ..budget import Unit
from ..tool import Call, Tool, Uncut
from .log import MODES
from .params import Lines, Paged, Paths, Rev, line_words
from .patches import LeftOut, file_units
from .paths import Meant, meant_paths, tree_places

__all__ = ["TOOL", "line_span"]


class ShowParams(Paged):
    """Arguments of git_show."""

    rev: Rev = Field("HEAD", description="Commit, tag, or REV:PATH for a file or directory.")
    paths: Paths | None = Field(None, description="Only changes of these.")
    mode: Literal["patch", "stat", "name_status", "name_only", "none"] = "patch"
    context_lines: int = Field(3, ge=0, le=100)
    lines: Annotated[Lines | None, BeforeValidator(line_words)] = Field(
        None, description="Of a file: '10,20' or '10,+5'."
    )


def line_span(word: str, count: int) -> tuple[int, int]:
    """The first and last line that `10,20`, `10,+5`, `10` or `,20` means, of a file of so many lines."""
    first, comma, last = word.partition(",")
    begin = max(int(first), 1) if first else 1
    if not comma:
        return begin, begin
    if last.startswith("+"):
        return begin, begin + max(int(last[1:] or "1"), 1) - 1
    end = int(last) if last else count
    if end < begin:
        raise InvalidArgs(f"lines: '{word}' ends before it begins")
    return begin, end


def answer(call: Call, asked: ShowParams) -> Uncut:
    """What was named, in the way of its kind."""
    meant = Meant("", ())
    if asked.paths:
        meant = meant_paths(call, asked.paths, tree_places(call, [asked.rev], parents=True), asked.rev)
    request = ShowRequest(
        revs=[asked.rev],
        paths=meant.specs,
        pretty="medium",
        decorate="short",
        date="iso",
        context=asked.context_lines,
        color="never",
        notes=["-"],
        **MODES[asked.mode],
    )
    command, plan = call.run("show", request)
    kinds = [shown.kind for shown in plan.objects]
    state = b"".join(shown.oid for shown in plan.objects)
    if kinds == [b"blob"]:
        return _blob(call, asked, plan, state)
    if asked.lines is not None:
        raise InvalidArgs("lines: only a file has lines", hint="Name a file as REV:PATH.")

    if kinds and all(kind == b"tree" for kind in kinds):
        return _trees(call, plan, b"".join(command.render(plan, request, call.style)), state)
    facts, rows = _typed(call, request) if call.host.structured else ({}, [])
    chunks = command.render(plan, request, call.style)
    if asked.mode == "patch":
        units = file_units(call, chunks, LeftOut(meant.words, call.store), rows)
        return Uncut(units, "files", "files", lambda: facts, state=state)
    lines = call.line_units(b"".join(chunks))
    for row, unit in zip(rows, lines, strict=False):
        unit.row = lambda row=row: row
    return Uncut(lines, "lines", "files", lambda: facts, total=len(lines), state=state)


def _typed(call: Call, request: ShowRequest) -> tuple[dict[str, Any], list[Any]]:
    """The typed result: what is said once, and the files."""
    command, again = call.run("show", request)
    result: Any = command.collect(again, request)
    facts = result.model_dump(mode="json", include={"commits", "tags"})
    for commit in facts["commits"]:
        del commit["files"]
    return facts, [file for commit in result.commits for file in commit.files]


def _trees(call: Call, plan: ShowPlan, raw: bytes, state: bytes) -> Uncut:
    """A directory's names."""
    units = call.line_units(raw)
    for unit in units[:2]:
        unit.counted = False
    for unit in units[2:]:
        unit.row = lambda unit=unit: unit.text().rstrip("\n")
    facts = {"name": plan.objects[0].name, "oid": plan.objects[0].oid.hex()}
    return Uncut(units, "entries", "entries", lambda: facts, total=len(units[2:]), state=state)


def _blob(call: Call, asked: ShowParams, plan: ShowPlan, state: bytes) -> Uncut:
    blob = plan.objects[0]
    facts = {"name": blob.name, "oid": blob.oid.hex(), "size": len(blob.data)}
    if b"\0" in blob.data[:8000] and not call.host.raw:
        said = f"binary file: {len(blob.data):,} bytes, blob {blob.oid.hex()}\n"
        return Uncut([Unit(lambda: said)], "files", fields=lambda: facts | {"binary": True}, total=1, state=state)
    lines = blob.data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    raw = blob.data
    first = 1
    if asked.lines is not None:
        first, last = line_span(asked.lines, len(lines))
        raw = b"".join(line + b"\n" for line in lines[first - 1 : last])
    units = call.line_units(raw)
    for unit in units:
        unit.row = lambda unit=unit: unit.text().removesuffix("\n")

    def empty() -> str:
        return f"the file has {len(lines):,} lines" if blob.data else "the file is empty"

    return Uncut(
        units, "lines", "lines", lambda: facts | {"first_line": first}, total=len(units), state=state, empty=empty
    )


TOOL = Tool(
    "git_show",
    "One commit with its changes; a tag; a file or directory of a revision (REV:PATH).",
    ShowParams,
    answer,
    other_names={},
)

"""git_show: a commit with its changes, a tag, a file of a revision, a directory of a revision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ...commands.show import ShowPlan, ShowRequest
from ...errors import InvalidArgs
from ...limits import lines_in, whole
from ...request.text import to_bytes
from ..budget import Listed, Unit
from ..tool import Call, Tool, Uncut
from .log import MODES
from .params import Count, Lines, Paged, Paths, Rev, line_words, within
from .patches import LeftOut, file_units
from .paths import Meant, files_of_trees, meant_paths
from .sizes import directory_units, no_directory, size_units

__all__ = ["TOOL", "line_span"]

#: an entry of the stash: what it holds is its difference to the first parent, as `git stash show -p` has it
_STASH = re.compile(r"(?:refs/)?stash(?:@\{\d+\})?")


class ShowParams(Paged):
    """Arguments of git_show."""

    rev: Rev = Field("HEAD", description="Commit, tag, REV:PATH.")
    paths: Paths | None = Field(None, description="Only changes of these.")
    mode: Literal["patch", "stat", "name_status", "name_only", "none", "largest", "dirstat"] = "patch"
    max_count: Count | None = Field(None, description="Files.")
    context_lines: Annotated[int, within(0, 100)] = 3
    lines: Annotated[Lines | None, BeforeValidator(line_words)] = Field(
        None, description="Of a file: '10,20' or '10,+5'."
    )


def line_span(word: str, count: int) -> tuple[int, int]:
    """The first and last line of `10,20`, `10,+5`, `10` or `,20`, in a file of `count` lines."""
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
    """The named object, in the form of its type."""
    meant = Meant("", ())
    if asked.paths:
        meant = meant_paths(call, asked.paths, files_of_trees(call, [asked.rev], parents=True), asked.rev)
    request = ShowRequest(
        revs=[asked.rev],
        paths=meant.specs,
        pretty="medium",
        decorate="short",
        date="iso",
        context=asked.context_lines,
        color="never",
        notes=["-"],
        diff_merges="first-parent" if _STASH.fullmatch(asked.rev) else None,
        **MODES[asked.mode],
    )
    command, plan = call.run("show", request)
    kinds = [shown.kind for shown in plan.objects]
    if asked.lines is not None and asked.paths and kinds != [b"blob"]:
        if len(meant.words) != 1 or meant.patterns or meant.magic:
            raise InvalidArgs("lines: needs exactly one path")
        request = request.model_copy(update={"revs": [f"{asked.rev}:{meant.words[0]}"], "paths": []})
        command, plan = call.run("show", request)
        kinds = [shown.kind for shown in plan.objects]
    state = b"".join(shown.oid for shown in plan.objects)
    if kinds == [b"blob"]:
        return _blob(call, asked, plan, state)
    if asked.lines is not None:
        raise InvalidArgs("lines: only a file has lines", hint="Name a file as REV:PATH, or one path in paths.")

    if kinds and all(kind == b"tree" for kind in kinds):
        return _trees(call, plan, whole(command.render(plan, request, call.style)), state)
    facts, rows = _typed(call, request) if call.host.structured or asked.mode in ("largest", "dirstat") else ({}, [])
    chunks = command.render(plan, request, call.style)
    parents = call.store.odb.commit(plan.objects[0].oid).parents if kinds == [b"commit"] else ()
    if request.diff_merges is not None:
        _note_untracked(call, asked.rev, parents)
    elif len(parents) > 1 and asked.mode == "patch":
        _note_merge(call, asked)
    if asked.mode == "patch":
        units = file_units(call, chunks, LeftOut(meant.words, call.store), rows)
        return Uncut(
            units, "files", "files", lambda: facts, state=state, page_items=asked.max_count,
            empty=lambda: _untouched(asked, meant),
        )  # fmt: skip
    lines, noun = _listed(call, asked, request, whole(chunks), rows)
    total = sum(unit.counted for unit in lines)
    return Uncut(
        lines, noun, noun if asked.mode == "dirstat" else "files", lambda: facts, total, state,
        page_items=asked.max_count, empty=lambda: _untouched(asked, meant),
    )  # fmt: skip


def _note_untracked(call: Call, rev: str, parents: Sequence[bytes]) -> None:
    if len(parents) > 2:
        call.ctx.note(f"the untracked files of this stash are in rev={rev}^3")


def _note_merge(call: Call, asked: ShowParams) -> None:
    """Of a merge only what differs from all parents is in its patch, mostly nothing: name the rest's question."""
    paths = f" paths={','.join(asked.paths)}" if asked.paths else ""
    what = f"git_diff rev={asked.rev}^1..{asked.rev}{paths} is what it brought in"
    call.ctx.note(f"a merge: shown is only what differs from all its parents; {what}")


def _untouched(asked: ShowParams, meant: Meant) -> str:
    """Why nothing is shown of a commit: it left the paths as they are. Who asked for a file itself is told how."""
    one_file = len(meant.named) == 1 and ".." not in asked.rev
    file = f"; rev={asked.rev}:{meant.named[0]} shows the file itself" if one_file else ""
    return f"{asked.rev} changes nothing in those paths{file}"


def _listed(call: Call, asked: ShowParams, request: ShowRequest, raw: bytes, rows: list[Any]) -> tuple[list[Unit], str]:
    """The lines of the modes that print no patch, and the noun of the counted ones: lines above the files do not
    count."""
    if asked.mode == "none":
        return call.line_units(raw), "lines"
    bare = request.model_copy(update={**dict.fromkeys(MODES[asked.mode], False), "stat": None, "dirstat": []})
    bare = bare.model_copy(update=MODES["none"])
    head = call.line_units(b"".join(call.chunks("show", bare)))
    for unit in head:
        unit.counted = False
    if asked.mode == "largest":
        between = [Unit(lambda: "\n", counted=False)] if rows else []
        return [*head, *between, *size_units(call, rows)], "files"
    units = call.line_units(raw)
    below = units[len(head) :]
    for unit in units[: len(head)] + [unit for unit in below[:1] if unit.text() in ("\n", "---\n")]:
        unit.counted = False
    if asked.mode == "stat" and below:
        below[-1].counted = False
    if asked.mode == "dirstat":
        shares = [unit.text() for unit in below if unit.counted]
        if rows and not shares:
            words = no_directory(len(rows))
            units.append(Unit(lambda: f"{words}\n", counted=False))
        above = units[: len(units) - len(shares)] if shares else units
        return [*above, *directory_units(call, to_bytes("".join(shares)))], "directories"
    for row, unit in zip(rows, [unit for unit in below if unit.counted], strict=False):
        unit.row = lambda row=row: row
    return units, "files"


def _typed(call: Call, request: ShowRequest) -> tuple[dict[str, Any], list[Any]]:
    """The typed result: the fields, and the files."""
    command, again = call.run("show", request)
    result: Any = command.collect(again, request)
    facts = result.model_dump(mode="json", include={"commits", "tags"})
    for commit in facts["commits"]:
        del commit["files"]
    return facts, [file for commit in result.commits for file in commit.files]


def _trees(call: Call, plan: ShowPlan, raw: bytes, state: bytes) -> Uncut:
    """The names in a directory."""
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
        words = f"binary file: {len(blob.data):,} bytes, blob {blob.oid.hex()}\n"
        return Uncut([Unit(lambda: words)], "files", fields=lambda: facts | {"binary": True}, total=1, state=state)
    lines = lines_in(blob.data)
    if not lines[-1]:
        lines.pop()
    first, shown = 1, lines
    if asked.lines is not None:
        first, last = line_span(asked.lines, len(lines))
        if "context_lines" in asked.model_fields_set:
            first, last = max(first - asked.context_lines, 1), last + asked.context_lines
        shown = lines[first - 1 : last]
    # a file shown as a whole ends as it does
    open_end = shown is lines and not blob.data.endswith(b"\n")

    def unit(at: int) -> Unit:
        line = shown[at]
        end = b"" if open_end and at == len(shown) - 1 else b"\n"
        return Unit(lambda: call.text(line + end), lambda: call.text(line))

    def empty() -> str:
        return f"the file has {len(lines):,} lines" if blob.data else "the file is empty"

    return Uncut(
        Listed(len(shown), unit), "lines", "lines", lambda: facts | {"first_line": first}, len(shown), state,
        empty=empty, numbered="first_line",
    )  # fmt: skip


TOOL = Tool(
    "git_show",
    "One commit with its changes; a tag; a file or directory of a revision (REV:PATH).",
    ShowParams,
    answer,
    title="Show",
    rows="files",
    other_names={},
)

"""git_diff: differences between commits, the index and the work tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from ...commands.diff import Differences, DiffRequest
from ...diff.changes import Change
from ...errors import InvalidArgs
from ...limits import paced, whole
from ...plans.file_changes import combined_changes, file_changes
from ...render.diff.formats import write_diff
from ...request.text import to_bytes, to_text
from ..budget import Unit
from ..tool import Call, Tool, Uncut
from .log import MODES
from .params import Count, Paged, Paths, Rev, within
from .patches import LeftOut, file_units
from .paths import FileSet, Meant, files_of_trees, index_files, meant_paths, work_tree_files
from .sizes import directory_units, no_directory, size_units

__all__ = ["TOOL"]


class DiffParams(Paged):
    """Arguments of git_diff."""

    rev: Rev | None = Field(None, description="A..B, A...B (since the merge base), or one commit.")
    from_ref: Rev | None = Field(None, description="Old side.")
    to_ref: Rev | None = Field(None, description="New side; default work tree.")
    scope: Literal["unstaged", "staged", "all"] = Field(
        "unstaged", description="Without revisions; all: HEAD to work tree."
    )
    paths: Paths | None = None
    mode: Literal["patch", "stat", "name_status", "name_only", "largest", "dirstat"] = "patch"
    max_count: Count | None = Field(None, description="Files.")
    context_lines: Annotated[int, within(0, 100)] = 3
    ignore_space: bool = False


def _revs(asked: DiffParams) -> list[str]:
    if asked.rev is not None and (asked.from_ref is not None or asked.to_ref is not None):
        raise InvalidArgs("rev: give either rev or from_ref and to_ref, not both")
    if asked.to_ref is not None and asked.from_ref is None:
        raise InvalidArgs("from_ref: to_ref needs it", hint="from_ref is the old side, to_ref the new one.")
    for name in (asked.from_ref, asked.to_ref):
        if name is not None and ".." in name:
            raise InvalidArgs(f"from_ref, to_ref: '{name}' is a range", hint="Pass a range as rev.")
    if asked.to_ref is not None and asked.scope != "unstaged":
        raise InvalidArgs(f"scope: '{asked.scope}' is of the index or the work tree; leave to_ref out, or scope")
    revs = [name for name in (asked.rev, asked.from_ref, asked.to_ref) if name is not None]
    return revs or (["HEAD"] if asked.scope == "all" else [])


def _meant(call: Call, asked: DiffParams, revs: list[str]) -> Meant:
    """The paths, searched for on both sides."""
    if not asked.paths:
        return Meant("", ())
    trees: list[FileSet] = files_of_trees(call, revs or ["HEAD"])
    where = " or ".join(revs)
    ranged = len(revs) > 1 or any(".." in rev or "^" in rev[1:] for rev in revs)
    if revs and not trees:
        return meant_paths(call, asked.paths, (), where)
    if not ranged and call.store.work_tree is not None:
        trees += [index_files(call)] if asked.scope == "staged" and not revs else _disk(call)
        where = f"{where or 'HEAD'}, the index{'' if asked.scope == 'staged' and not revs else ' or the work tree'}"
    return meant_paths(call, asked.paths, trees, where)


def _disk(call: Call) -> list[FileSet]:
    return [index_files(call), work_tree_files(call)]


def answer(call: Call, asked: DiffParams) -> Uncut:
    """One unit for each file; in the other modes, for each line."""
    revs = _revs(asked)
    meant = _meant(call, asked, revs)
    request = DiffRequest(
        revs=revs,
        cached=asked.scope == "staged",
        paths=meant.specs,
        context=asked.context_lines,
        ignore_all_space=asked.ignore_space,
        color="never",
        **MODES[asked.mode],
    )
    command, differences = call.run("diff", request)
    state = _state(call, differences)

    def fields() -> dict[str, Any]:
        return {"from": revs or asked.scope}

    def empty() -> str:
        return _empty(call, asked, revs, meant)

    if asked.mode == "largest":
        rows = [made() for made in _rows(call, differences)]
        conflicts = _double_changes(differences)
        rows = [row for row in rows if row.status != "U" or row.path not in conflicts]
        if asked.ignore_space:  # as git's --numstat, which omits files without a counted change
            rows = [row for row in rows if row.status != "M" or row.added != 0 or row.deleted != 0]
        sized = list(size_units(call, rows))
        total = max(len(sized) - 1, 0)
        return Uncut(sized, "files", "files", fields, total, state, empty=empty, page_items=asked.max_count)
    if asked.mode == "dirstat":
        lines = directory_units(call, whole(command.render(differences, request, call.style)))
        files = len(differences.changes) + len(differences.combined)
        return Uncut(
            lines, "directories", "directories", fields, len(lines), state, page_items=asked.max_count,
            empty=lambda: no_directory(files) if files else empty(),
        )  # fmt: skip
    if asked.mode != "patch":
        raw = whole(command.render(differences, request, call.style))
        units = call.line_units(raw)
        conflicts = _double_changes(differences)
        pairs = zip(_rows(call, differences), differences.changes, strict=True)
        twice = [(row, change.status == "U" and to_text(change.new.path) in conflicts) for row, change in pairs]
        if asked.mode == "stat":
            twice = [(row, again) for row, again in twice if not again]  # both are in one line
            for unit in units[-1:]:
                unit.counted = False
        for unit, (row, again) in zip(units, twice, strict=False):
            unit.row, unit.counted = row, unit.counted and not again
        counted = sum(unit.counted for unit in units)
        return Uncut(units, "files", "files", fields, counted, state, empty=empty, page_items=asked.max_count)
    total = len(differences.changes) + len(differences.combined)
    patches = _units(call, meant, command, differences, request)
    return Uncut(patches, "files", "files", fields, total, state, empty=empty, page_items=asked.max_count)


def _units(call: Call, meant: Meant, command: Any, differences: Differences, request: DiffRequest) -> Iterator[Unit]:
    left_out = LeftOut(meant.words, call.store)
    if differences.combined:
        rows = combined_changes(differences.combined, differences.contents, differences.spec, ctx=call.ctx)
        rows += file_changes(differences.changes, differences.contents, differences.spec, ctx=call.ctx)
        yield from file_units(call, command.render(differences, request, call.style), left_out, rows)
        return

    def text(change: Change) -> str:
        raw = b"".join(write_diff([change], differences.contents, differences.spec, call.style, call.ctx))
        return left_out.shortened(call.text(raw))

    for change, row in zip(differences.changes, _rows(call, differences), strict=True):
        yield Unit(lambda change=change: text(change), lambda row=row: left_out.row(row()), patch=True)  # type: ignore[misc]


def _double_changes(differences: Differences) -> set[str]:
    """The paths in conflict that have two changes: one says so, as git has it, the other has what changed."""
    conflicts: set[str] = set()
    changed: set[str] = set()
    for change in paced(differences.changes):
        (conflicts if change.status == "U" else changed).add(to_text(change.new.path))
    return conflicts & changed


def _rows(call: Call, differences: Differences) -> list[Any]:
    """For each change, a function that makes its row."""

    def row(change: Change) -> Any:
        return file_changes([change], differences.contents, differences.spec, ctx=call.ctx)[0]

    return [lambda change=change: row(change) for change in paced(differences.changes)]


def _state(call: Call, differences: Differences) -> bytes:
    """The objects that the answer is made of: names, modes and oids; for files of the work tree their size and time."""
    parts = []
    store = call.store
    for change in differences.changes:
        call.ctx.tick()
        for side in (change.old, change.new):
            parts.append(b"%s %o %s" % (side.path, side.mode, side.oid or b"?"))
            if side.mode and not side.oid and store.work_tree is not None:
                seen = store.jail.lstat(store.work_tree.rstrip(b"/") + b"/" + side.path)
                if seen is not None:
                    parts.append(b"%d %d" % (seen.st_size, seen.st_mtime_ns))
    parts += [path.path for path in differences.combined]
    return b"\0".join(parts)


def _empty(call: Call, asked: DiffParams, revs: list[str], meant: Meant) -> str:
    where = " in those paths" if asked.paths else ""
    unmatched = meant.unmatched(call)
    more = f"; {call.text(to_bytes(unmatched))}" if unmatched else ""
    if revs:
        return f"no differences{where}: {call.text(to_bytes(' '.join(revs)))}{more}"
    if asked.scope == "staged":
        return f"nothing staged{where}{more}"
    _, staged = call.run("diff", DiffRequest(cached=True, paths=meant.specs, name_only=True))
    count = len(staged.changes)
    if count:
        more = f"; {count:,} staged (scope=staged){more}"
    return f"no unstaged changes{where}{more}"


TOOL = Tool(
    "git_diff",
    "Differences between commits, index and work tree. Lock and generated files are named, not shown.",
    DiffParams,
    answer,
    title="Diff",
    rows="files",
    other_names={},
)

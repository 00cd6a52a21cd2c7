"""git_files: paths of the index, the work tree, or a revision."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ...commands.ls_files import LsFilesRequest
from ...commands.ls_tree import LsTreeRequest
from ...errors import InvalidArgs
from ...revs.resolve import resolve_tree
from ..tool import Call, Tool, Uncut
from .params import Paged, Paths, Rev, literal_paths

__all__ = ["TOOL"]

_KINDS: dict[str, dict[str, Any]] = {
    "tracked": {"cached": True},
    "untracked": {"others": True, "exclude_standard": True},
    "ignored": {"others": True, "ignored": True, "exclude_standard": True, "directory": True},
    "modified": {"modified": True},
    "deleted": {"deleted": True},
    "conflicts": {"unmerged": True},
}


class FilesParams(Paged):
    """Arguments of git_files."""

    rev: Rev | None = Field(None, description="Default: index and work tree.")
    paths: Paths | None = None
    kind: Literal["tracked", "untracked", "ignored", "modified", "deleted", "conflicts"] = "tracked"
    recursive: bool = Field(True, description="False: one directory of rev (default HEAD).")
    format: Literal["name", "long"] = Field("name", description="long: mode, object, size.")
    max_count: int | None = Field(None, ge=1, le=100_000)


def answer(call: Call, asked: FilesParams) -> Uncut:
    """A line for each path."""
    name, request, state = _request(call, asked)
    command, found = call.run(name, request)
    raw = b"".join(command.render(found, request, call.style))
    rows: Any = None
    if call.host.structured:
        _, again = call.run(name, request)
        result: Any = command.collect(again, request)
        rows = result.files if name == "ls-files" else result.entries
    units = call.line_units(raw, rows)
    return Uncut(
        units,
        "paths",
        "files",
        total=len(units),
        state=state or raw,
        empty=lambda: _empty(call, asked),
        page_items=asked.max_count,
    )


def _request(call: Call, asked: FilesParams) -> tuple[str, Any, bytes]:
    if asked.rev is None and asked.recursive:
        long = asked.format == "long"
        return "ls-files", LsFilesRequest(paths=literal_paths(asked.paths), stage=long, **_KINDS[asked.kind]), b""
    if asked.kind != "tracked":
        raise InvalidArgs(f"kind: '{asked.kind}' is of the work tree; leave rev out and recursive at true")
    rev = asked.rev or "HEAD"
    if any(path.startswith(":") for path in asked.paths or ()):
        raise InvalidArgs("paths: a revision's tree takes literal paths only")
    paths = [path.rstrip("/") for path in asked.paths or () if path != "."]
    if not asked.recursive:
        paths = [path + "/" for path in paths]
    request = LsTreeRequest(
        tree=rev,
        paths=paths,
        recursive=asked.recursive,
        name_only=asked.format == "name",
        long=asked.format == "long",
    )
    return "ls-tree", request, resolve_tree(call.store, rev, ctx=call.ctx)


def _empty(call: Call, asked: FilesParams) -> str:
    where = " in those paths" if asked.paths else ""
    if asked.rev is not None or not asked.recursive:
        return f"no files{where} in {call.text((asked.rev or 'HEAD').encode('utf-8', 'surrogateescape'))}"
    return f"no {asked.kind} files{where}; {len(call.store.index):,} are tracked"


TOOL = Tool(
    "git_files",
    "Paths: tracked, untracked, ignored, modified, deleted, conflicted; or of a revision.",
    FilesParams,
    answer,
)

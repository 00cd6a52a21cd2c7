"""git_files: paths of the index, the work tree, or a revision."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ...commands.ls_files import LsFilesRequest
from ...commands.ls_tree import LsTreeRequest
from ...errors import InvalidArgs
from ...limits import whole
from ...objects.parsed import TREE
from ...request.pathspecs import parse_pathspecs
from ...request.text import to_bytes
from ...revs.resolve import resolve_tree, tree_entry
from ..tool import Call, Tool, Uncut
from .params import Paged, Paths, Rev, within
from .paths import Meant, files_of_tree, index_files, meant_paths, tracked_count, work_tree_files

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
    max_count: Annotated[int, within(1, 100_000)] | None = None


def answer(call: Call, asked: FilesParams) -> Uncut:
    """One line for each path."""
    of_tree = asked.rev is not None or not asked.recursive
    if of_tree and asked.kind != "tracked":
        raise InvalidArgs(f"kind: '{asked.kind}' is of the work tree; leave rev out and recursive at true")
    meant = _meant(call, asked)
    lines, rows, state = (_of_tree if of_tree else _of_index)(call, asked, meant)
    units = call.line_units(lines, rows)
    return Uncut(
        units,
        "paths",
        "files",
        total=len(units),
        state=state or lines,
        empty=lambda: _empty(call, asked, meant),
        page_items=asked.max_count,
    )


def _meant(call: Call, asked: FilesParams) -> Meant:
    """The paths, searched for in what is listed."""
    if not asked.paths:
        return Meant("", ())
    if asked.rev is not None or not asked.recursive:
        rev = asked.rev or "HEAD"
        tree = resolve_tree(call.store, rev, ctx=call.ctx)
        return meant_paths(call, asked.paths, [files_of_tree(call, tree)], rev, required=False)
    file_sets = [index_files(call), work_tree_files(call)]
    return meant_paths(call, asked.paths, file_sets, "the index or the work tree", required=False)


def _of_index(call: Call, asked: FilesParams, meant: Meant) -> tuple[bytes, Any, bytes]:
    """Lines and rows of the index and the work tree."""
    long = asked.format == "long"
    by_name = asked.kind == "conflicts" and not long  # git lists conflicts in the long form only
    request = LsFilesRequest(paths=meant.specs, stage=long, deduplicate=not long, **_KINDS[asked.kind])
    command, listing = call.run("ls-files", request)
    raw = b"" if by_name else whole(command.render(listing, request, call.style))
    rows: Any = None
    if call.host.structured or by_name:
        _, again = call.run("ls-files", request)
        result: Any = command.collect(again, request)
        rows = result.files
    if by_name:
        rows = list({row.path: row for row in rows}.values())
        raw = b"".join(call.style.quote(to_bytes(row.path)) + b"\n" for row in rows)
    return raw, rows, b""


def _of_tree(call: Call, asked: FilesParams, meant: Meant) -> tuple[bytes, Any, bytes]:
    """Lines and rows of a revision's tree, and the tree.

    git ls-tree takes literal paths only: if there are patterns, the whole tree is listed and then filtered. Without
    `recursive`, a pattern's `*` then does not match a slash, as with `:(glob)`.
    """
    rev = asked.rev or "HEAD"
    tree = resolve_tree(call.store, rev, ctx=call.ctx)
    chosen = bool(meant.patterns) or meant.magic or any(path.startswith((":!", ":^")) for path in meant.words)
    paths = [] if chosen or "" in meant.named else [path.rstrip("/") for path in meant.named + meant.missing]
    if not asked.recursive:  # git ls-tree shows what is in a directory only if the name ends in a slash
        entries = [tree_entry(call.store, tree, to_bytes(path)) for path in paths]
        paths = [f"{path}/" if entry and entry[0] == TREE else path for path, entry in zip(paths, entries, strict=True)]
    request = LsTreeRequest(
        tree=rev,
        paths=paths,
        recursive=asked.recursive or chosen,
        name_only=asked.format == "name",
        long=asked.format == "long",
    )
    command, listing = call.run("ls-tree", request)
    raw = whole(command.render(listing, request, call.style))
    rows: Any = None
    if call.host.structured or chosen:
        _, again = call.run("ls-tree", request)
        result: Any = command.collect(again, request)
        rows = result.entries
    if chosen:
        specs = meant.specs if asked.recursive else [_shallow(spec) for spec in meant.specs]
        matched = parse_pathspecs(call.store, specs)
        pairs = zip(raw.splitlines(keepends=True), rows, strict=True)
        kept = [(line, row) for line, row in pairs if matched.match(to_bytes(row.path))]
        raw, rows = b"".join(line for line, _ in kept), [row for _, row in kept]
    return raw, rows, tree


def _shallow(spec: str) -> str:
    return f":(glob){spec.removeprefix(':(top)')}" if spec.startswith(":(top)") else spec


def _empty(call: Call, asked: FilesParams, meant: Meant) -> str:
    where = " in those paths" if asked.paths else ""
    unmatched = meant.unmatched(call)
    more = f"; {call.text(to_bytes(unmatched))}" if unmatched else ""
    if meant.missing:
        nowhere = meant.nowhere()
        more += call.text(to_bytes(f"; {nowhere.message}; {nowhere.hint}"))
    if call.store.work_tree is None and asked.rev is None:
        return "the repository is bare: it has no index and no work tree; rev=HEAD lists the files of its HEAD"
    if asked.rev is not None or not asked.recursive:
        return f"no files{where} in {call.text(to_bytes(asked.rev or 'HEAD'))}{more}"
    return f"no {asked.kind} files{where}; {tracked_count(call.store):,} are tracked{more}"


TOOL = Tool(
    "git_files",
    "Paths: tracked, untracked, ignored, modified, deleted, conflicted; or of a revision.",
    FilesParams,
    answer,
    title="Files",
    rows="files",
    other_names={"paths": ("pattern", "patterns", "query", "name", "names", "prefix")},
)

"""git_grep: matching lines in the work tree, the index, or a revision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from ...request.grep import GrepRequest
from ...request.text import to_bytes
from ...revs.resolve import resolve
from ..budget import Unit
from ..tool import SEARCHING, Call, Tool, Uncut
from .params import Count, Paged, Paths, Rev, within
from .paths import Meant, files_of_trees, index_files, meant_paths, work_tree_files

__all__ = ["TOOL"]

_MODES: dict[str, dict[str, Any]] = {"lines": {}, "files": {"only_names": True}, "count": {"count": True}}


class GrepParams(Paged):
    """Arguments of git_grep."""

    pattern: str = Field(min_length=1, max_length=1000)
    rev: Rev | None = Field(None, description="Default: work tree.")
    paths: Paths | None = None
    syntax: Literal["extended", "perl", "basic", "fixed"] = "extended"
    mode: Literal["lines", "files", "count"] = "lines"
    ignore_case: bool = False
    word: bool = False
    context_lines: Annotated[int, within(0, 50)] = 0
    untracked: bool = False
    max_count: Count | None = None


def answer(call: Call, asked: GrepParams) -> Uncut:
    """Lines in git's format, `path:number:text`, as they are found."""
    meant = Meant("", ())
    if asked.paths and asked.rev:
        meant = meant_paths(call, asked.paths, files_of_trees(call, [asked.rev]), asked.rev)
    elif asked.paths:
        file_sets = [index_files(call), work_tree_files(call)]
        meant = meant_paths(call, asked.paths, file_sets, "the index or the work tree")
    request = GrepRequest(
        patterns=[asked.pattern],
        revs=[asked.rev] if asked.rev else [],
        paths=meant.specs,
        kind=asked.syntax,
        ignore_case=asked.ignore_case,
        word=asked.word,
        line_number=True,
        context=asked.context_lines or None,
        untracked=asked.untracked,
        color="never",
        threads=1,  # with several threads, git omits the first separator
        **_MODES[asked.mode],
    )
    chunks = call.chunks("grep", request)
    rows: Iterator[Any] = iter(())
    if call.host.structured:
        command, again = call.run("grep", request)
        result: Any = command.collect(again, request)
        rows = _rows(result.files)
    return Uncut(
        _units(call, chunks, rows),
        "matches" if asked.mode == "lines" else "files",
        "matches",
        state=resolve(call.store, asked.rev, ctx=call.ctx) if asked.rev else b"",
        empty=lambda: _empty(call, asked, meant),
        page_items=asked.max_count,
        counting=SEARCHING,
    )


def _units(call: Call, chunks: Iterable[bytes], rows: Iterator[Any]) -> Iterator[Unit]:
    rest = b""
    for chunk in chunks:
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            raw = line + b"\n"
            if line == b"--":  # separates groups of context lines
                yield Unit(lambda raw=raw: call.text(raw), counted=False)  # type: ignore[misc]
                continue
            unit = Unit(lambda raw=raw: call.text(raw))  # type: ignore[misc]
            for row in islice(rows, 1):
                unit.row = lambda row=row: row
            yield unit
    if rest:
        yield Unit(lambda: call.text(rest))


def _rows(files: list[Any]) -> Iterator[dict[str, Any]]:
    for file in files:
        where = {"path": file.path, "revision": file.revision}
        if not file.lines:
            yield where | {"binary": file.binary, "count": file.count}
        for line in file.lines:
            yield where | {"line": line.line, "text": line.text, "kind": line.kind}


def _empty(call: Call, asked: GrepParams, meant: Meant) -> str:
    if asked.paths:
        unmatched = meant.unmatched(call)
        return f"no matches in those paths{'; ' + call.text(to_bytes(unmatched)) if unmatched else ''}"
    if asked.rev:
        return "no matches in that revision"
    return f"no matches; {len(call.store.index):,} tracked files searched"


TOOL = Tool(
    "git_grep",
    "Lines that match a pattern, as path:line:text.",
    GrepParams,
    answer,
    title="Grep",
    rows="matches",
    other_names={},
)

"""git_grep: matching lines in the work tree, the index, or a revision."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from ...commands.grep import file_row
from ...grep.file import SELECTED, Row
from ...grep.search import Result
from ...limits import paced
from ...request.grep import GrepFile, GrepRequest
from ...request.text import to_bytes, to_text
from ...revs.resolve import full_index, resolve
from ..budget import Unit
from ..revisions import submodule_advice
from ..tool import SEARCHING, Call, Tool, Uncut
from .params import Count, Paged, Paths, Rev, within
from .paths import Meant, files_of_trees, index_files, meant_paths, tracked_count, work_tree_files
from .patterns import advised, written_out

__all__ = ["TOOL"]

#: a line of more bytes is shown in part: so many bytes, of which so many before the match
_LONG, _SHOWN, _BEFORE = 1_000, 600, 200
_CUT = "…".encode()
#: the bytes that continue a character in UTF-8
_TAILS = bytes(range(0x80, 0xC0))

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
    pattern, perl = written_out(asked.pattern) if asked.syntax == "extended" else (asked.pattern, False)
    request = GrepRequest(
        patterns=[pattern],
        revs=[asked.rev] if asked.rev else [],
        paths=meant.specs,
        kind="perl" if perl else asked.syntax,
        ignore_case=asked.ignore_case,
        word=asked.word,
        line_number=True,
        context=asked.context_lines or None,
        untracked=asked.untracked,
        color="never",
        threads=1,  # with several threads, git omits the first separator
        **_MODES[asked.mode],
    )
    with advised("syntax=fixed takes the text as it is; else "):
        command, search = call.run("grep", request)
    search.watch = (latest := deque[Result](maxlen=1)).append
    return Uncut(
        _units(call, command.render(search, request, call.style), latest),
        "matches" if asked.mode == "lines" else "files",
        "matches",
        state=resolve(call.store, asked.rev, ctx=call.ctx) if asked.rev else b"",
        empty=lambda: _empty(call, asked, meant),
        page_items=asked.max_count,
        counting=SEARCHING,
    )


def _units(call: Call, chunks: Iterable[bytes], latest: Sequence[Result]) -> Iterator[Unit]:
    """A unit for each line; of each file's lines (`latest` has the file) only those that match are counted."""
    for chunk in chunks:
        shown = latest[-1].rows
        rows = _rows(file_row(latest[-1]), shown) if call.host.structured else iter(())
        places = iter(shown)
        for line in paced(chunk.split(b"\n")[:-1]):
            row = None if line == b"--" else next(places, None)
            if row is not None and row[2] - row[1] > _LONG:
                line = _shortened(call, line, row)
            unit = Unit(lambda line=line: call.text(line + b"\n"))  # type: ignore[misc]
            if shown and line == b"--":  # separates groups of context lines
                unit.counted = False
            else:
                unit.counted = row is None or row[3] == SELECTED
                for typed in islice(rows, 1):
                    unit.row = lambda typed=typed: typed
            yield unit


def _rows(file: GrepFile, shown: Sequence[Row]) -> Iterator[dict[str, Any]]:
    where = {"path": file.path, "revision": file.revision}
    if not file.lines:
        yield where | {"binary": file.binary, "count": file.count}
    for line, (_, start, end, _, column) in zip(file.lines, shown, strict=True):
        facts = where | {"line": line.line, "text": line.text, "kind": line.kind}
        if end - start > _LONG:
            offset, part = _part(to_bytes(line.text), column)
            facts |= {"text": to_text(part), "offset": offset, "bytes": end - start}
        yield facts


def _part(text: bytes, column: int) -> tuple[int, bytes]:
    """What is shown of a long line, and where it begins: the match with something around it, at whole characters."""
    begin = max(column - 1 - _BEFORE, 0)
    stop = begin + _SHOWN
    while begin < stop and text[begin] in _TAILS:
        begin += 1
    while stop < len(text) and begin < stop and text[stop] in _TAILS:
        stop -= 1
    return begin, text[begin:stop]


def _shortened(call: Call, line: bytes, row: Row) -> bytes:
    """A long line: a minified file has the whole of it in one, and the match would be beyond the page's end."""
    _, start, end, _, column = row
    call.ctx.note(f"of lines longer than {_LONG:,} bytes the part with the match is shown, between …")
    head = len(line) - (end - start)
    begin, part = _part(line[head:], column)
    more = begin + len(part) < end - start
    return b"".join([line[:head], _CUT if begin else b"", part, _CUT if more else b""])


def _empty(call: Call, asked: GrepParams, meant: Meant) -> str:
    if asked.paths:
        why = [meant.unmatched(call), *([] if asked.rev else _not_searched(call, asked, meant))]
        return "; ".join(["no matches in those paths", *(call.text(to_bytes(words)) for words in why if words)])
    if asked.rev:
        return "no matches in that revision"
    index = full_index(call.store)
    absent = sum(index.skip_worktree(at) for at in paced(range(len(index))))
    more = f"; {absent:,} more are not checked out: rev=HEAD searches them" if absent else ""
    return f"no matches; {tracked_count(call.store) - absent:,} tracked files searched{more}"


def _not_searched(call: Call, asked: GrepParams, meant: Meant) -> Iterator[str]:
    """Why named files were not searched: nobody tracks them, or they are not checked out."""
    index = full_index(call.store)
    for name in filter(None, meant.named):
        positions = [at for span in index.spans_of([to_bytes(name)]) for at in span]
        advice = submodule_advice(call.store, name)
        if advice is not None:
            yield advice
        elif not positions and not asked.untracked:
            yield f"{name} is untracked: untracked=true searches it"
        elif positions and all(map(index.skip_worktree, positions)):
            yield f"{name} is not checked out: rev=HEAD searches it"


TOOL = Tool(
    "git_grep",
    "Lines that match a pattern, as path:line:text.",
    GrepParams,
    answer,
    title="Grep",
    rows="matches",
    other_names={},
)

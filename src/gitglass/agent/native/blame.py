"""git_blame: which commit each line comes from, grouped by commit."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ...commands.show import ShowRequest
from ...deferred import deferred
from ...errors import Cancelled, GitError, Timeout
from ...request.rows.blame import BlameRun
from ...request.text import to_bytes, to_text
from ...revs.abbrev import Abbreviator
from ..budget import Unit
from ..tool import Call, Tool, Uncut
from .params import Paged, Path, Rev, indented, line_words
from .paths import files_of_trees, index_files, meant_paths, work_tree_files

if TYPE_CHECKING:
    from ...commands.blame import BlameRequest
else:
    BlameRequest = deferred(__name__, "...commands.blame", "BlameRequest")

__all__ = ["TOOL"]


def _only(value: Any) -> Any:
    """The only path of an array with one element."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


class BlameParams(Paged):
    """Arguments of git_blame."""

    path: Annotated[Path, BeforeValidator(_only)]
    rev: Rev | None = Field(None, description="Default: the work tree's file.")
    lines: Annotated[str | None, BeforeValidator(line_words)] = Field(
        None, description="'10,20', '10,+5', '/regex/,+3' or ':func'."
    )
    ignore_space: bool = False
    detect: Literal["none", "moves", "copies"] = Field("none", description="Look past moves or copies.")


def answer(call: Call, asked: BlameParams) -> Uncut:
    """One unit for each commit: its heading, and its lines with their numbers."""
    request = BlameRequest(
        path=_meant_path(call, asked),
        revisions=[asked.rev] if asked.rev else [],
        lines=[asked.lines] if asked.lines else [],
        ignore_space=asked.ignore_space,
        moves=[None] if asked.detect == "moves" else [],
        copies=[None] if asked.detect == "copies" else [],
    )
    try:
        command, blamed = call.run("blame", request)
        result: Any = command.collect(blamed, request)
    except GitError as error:
        _advise(call, asked, error)
        raise
    short = Abbreviator(call.store, None)
    units = []
    state = []
    for oid, runs in result.by_commit().items():
        state += [f"{oid} {run.line} {run.count}" for run in runs]
        name = short(bytes.fromhex(oid)).decode() if runs[0].committed else oid[:7]
        units.append(
            Unit(
                lambda name=name, runs=runs: _text(call, result.path, name, runs),  # type: ignore[misc]
                lambda oid=oid, runs=runs: _row(oid, runs),  # type: ignore[misc]
            )
        )
    if result.runs and not all(run.committed for run in result.runs):
        state += [line for run in result.runs if not run.committed for line in run.lines]

    def fields() -> dict[str, Any]:
        return {"path": result.path}

    return Uncut(
        units,
        "commits",
        "commits",
        fields,
        total=len(units),
        state="\n".join(state).encode("utf-8", "surrogateescape"),
        empty=lambda: "the file is empty",
    )


def _meant_path(call: Call, asked: BlameParams) -> str:
    """The path, without what models put around paths, if it then names a file."""
    file_sets = files_of_trees(call, [asked.rev]) if asked.rev else [index_files(call), work_tree_files(call)]
    named = meant_paths(call, [asked.path], file_sets, "", required=False).named
    return named[0] if len(named) == 1 and named[0] else asked.path


def _advise(call: Call, asked: BlameParams, error: GitError) -> None:
    """Add suggestions to the error: similar paths of that tree, or the functions of the file."""
    if isinstance(error, Timeout | Cancelled) or error.hint is not None:
        return
    file_sets = files_of_trees(call, [asked.rev or "HEAD"])
    meant = meant_paths(call, [asked.path], file_sets, asked.rev or "HEAD", required=False)
    if meant.missing:
        error.hint = meant.nowhere().hint
    elif meant.patterns or meant.magic or len(meant.words) != 1:
        error.hint = "path: one file, and no pattern; git_files lists the files that match one."
    elif not meant.words[0] or any(source.has(to_bytes(meant.words[0]) + b"/") for source in file_sets):
        error.hint = f"'{meant.words[0]}' is a directory; git_files lists its files."
    elif asked.lines is not None and asked.lines.startswith(":"):
        names = _functions(call, asked)
        if asked.lines[1:] in names:
            error.hint = indented(asked.lines[1:])
            return
        near = get_close_matches(asked.lines[1:], names, 5, 0.5) or names[:5]
        error.hint = f"functions there: {', '.join(near)}" if near else "No line of the file begins a function."
    elif "lstat" in error.message:
        error.hint = "The file is not in the work tree: rev=HEAD is the committed one."
    elif asked.lines is not None:
        error.hint = "lines: '10,20', '10,+5', '/regex/,+3' or ':func'."


def _functions(call: Call, asked: BlameParams) -> list[str]:
    """Names of the functions and classes that a file probably defines.

    Unindented lines with a name before `(` or `{` that do not end in a semicolon, and `def NAME`, `class NAME` and
    similar lines at any depth; comments, directives and calls inside of functions are no definitions.
    """
    request = ShowRequest(revs=[f"{asked.rev or 'HEAD'}:{asked.path}"])
    _, plan = call.run("show", request)
    names: dict[str, None] = {}
    comment = False
    for line in plan.objects[0].data.split(b"\n", 20_000)[:20_000]:
        call.ctx.tick()
        line, inside = line[:200], comment
        if b"*/" in line or b"/*" in line:
            comment = line.rfind(b"/*") > line.rfind(b"*/")
        if inside:
            continue
        word = _DEFINITION.match(line) or (_HEAD.match(line) if not line.rstrip().endswith((b";", b",")) else None)
        if word is not None and word[1] not in _NO_FUNCTIONS:
            names[to_text(word[1])] = None
    return list(names)


_DEFINITION = re.compile(
    rb"\s*(?:(?:export|default|pub|public|private|static|async)\s+)*(?:def|class|func|fn|function|sub|trait|interface)\s+"
    rb"([A-Za-z_][\w.]*)"
)
_HEAD = re.compile(rb"[A-Za-z_$][^(){};=#\"']*?\b([A-Za-z_]\w*)\s*\(|(?!)")
_NO_FUNCTIONS = frozenset((b"if", b"for", b"while", b"switch", b"return", b"defined", b"sizeof", b"else", b"do"))


def _text(call: Call, path: str, name: str, runs: list[BlameRun]) -> str:
    first = runs[0]
    spans = ",".join(f"{r.line}-{r.line + r.count - 1}" if r.count > 1 else f"{r.line}" for r in runs)
    if first.committed:
        when = _day(first.time, first.zone)
        older = "^" if first.boundary else ""
        was = "".join(sorted({f"  was {run.path}" for run in runs if run.path != path}))
        head = f"{older}{name} {when} {first.author}  L{spans}{was}  {first.summary}"
    else:
        head = f"{name} not committed yet  L{spans}"
    out = [" ".join(head.split("\n"))]
    for run in runs:
        out += [f"{run.line + at}\t{line}" for at, line in enumerate(run.lines)]
    return call.text("\n".join(out).encode("utf-8", "surrogateescape")) + "\n"


def _day(seconds: int, zone: int) -> str:
    """The day in the author's time zone, as `git blame --date=short` shows it."""
    try:
        return datetime.fromtimestamp(seconds + 60 * zone, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return str(seconds)


def _row(oid: str, runs: list[BlameRun]) -> dict[str, Any]:
    first = runs[0]
    return {
        "oid": oid,
        "author": first.author,
        "mail": first.mail,
        "time": first.time,
        "zone": first.zone,
        "summary": first.summary,
        "boundary": first.boundary,
        "committed": first.committed,
        "runs": [
            {"line": r.line, "original_line": r.original_line, "count": r.count, "path": r.path, "lines": r.lines}
            for r in runs
        ],
    }


TOOL = Tool(
    "git_blame",
    "Who last changed each line, grouped by commit: id, date, author, ranges, subject; then the lines.",
    BlameParams,
    answer,
    title="Blame",
    rows="commits",
    other_names={},
)

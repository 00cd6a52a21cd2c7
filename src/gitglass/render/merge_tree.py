"""The output of git merge-tree: the tree, the stages of paths in conflict, the messages."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.lines.spec import LineSpec
from ..diff.lines.whitespace import NO_EOL
from ..merge.spec import MergeResult
from .quote import relative_path
from .style import Style

if TYPE_CHECKING:
    from ..diff.lines.hunks import diff_lines
    from ..merge.entrywise import Outcome
else:
    diff_lines = deferred(__name__, "..diff.lines.hunks", "diff_lines")


def write_merge(
    result: MergeResult, style: Style, *, nul: bool, names: bool = False, messages: bool | None = None
) -> Iterator[bytes]:
    """One merge (git-merge-tree(1), "OUTPUT").

    `nul` ends parts with NUL and splits messages into their fields; with `names` only the paths are listed, each once;
    `messages` None shows them only if there are conflicts.
    """
    end = b"\0" if nul else b"\n"
    yield result.tree.hex().encode() + end
    if not result.clean:
        yield b"".join(_conflicts(result, style, end, nul=nul, names=names))
    if messages if messages is not None else not result.clean:
        yield end
        for message in result.lines():
            if nul:
                words = (b"%d" % len(message.paths), *message.paths, message.kind, message.text + b"\n")
                yield b"".join([word + end for word in words])
            else:
                yield message.text + b"\n"
        yield result.advice


_LINES = LineSpec(indent_heuristic=False)


def write_outcome(outcome: Outcome, style: Style) -> Iterator[bytes]:
    """One path of a merge of three trees (`--trivial-merge`): what became of it, its sides, our content's diff."""
    yield outcome.kind + b"\n"
    for word, (mode, oid) in outcome.sides:
        yield b"  %-6b %o %b %b\n" % (word, mode, (oid or b"").hex().encode(), outcome.path)
    for hunk in diff_lines(outcome.before, outcome.after, _LINES, ctx=style.ctx, finder=_nameless):
        yield hunk.header() + b"\n"
        for sign, lines in hunk.parts:
            yield b"".join([sign + _printed(line) for line in lines])


def _nameless(line: bytes) -> None:
    """No function is named in a header."""


def _printed(line: bytes) -> bytes:
    """A line with its end. Strange but git's: a NUL ends what is printed, before the line's own end."""
    if line.endswith(NO_EOL):
        return line.removesuffix(NO_EOL).partition(b"\0")[0] + b"\n\\ No newline at end of file\n"
    return (line + b"\n").partition(b"\0")[0]


def _conflicts(result: MergeResult, style: Style, end: bytes, *, nul: bool, names: bool) -> Iterator[bytes]:
    for path in sorted(result.conflicts):
        name = relative_path(path, style.prefix) if style.prefix else path
        name = name if nul else style.quote(name)
        if names:
            yield name + end
            continue
        for stage, (mode, oid) in enumerate(result.conflicts[path], 1):
            if mode and oid is not None:
                yield b"%06o %b %d\t%b%b" % (mode, oid.hex().encode(), stage, name, end)

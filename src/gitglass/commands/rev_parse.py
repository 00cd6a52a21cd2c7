"""git rev-parse: what names mean, and where a repository lies."""

from collections.abc import Iterator

from pydantic import Field

from ..limits import Context
from ..model.request import Request, Result
from ..model.text import to_text
from ..render.style import Style
from ..revs.parseargs import parse_arguments
from ..store.store import Store
from .command import Command


class RevParseResult(Result):
    """The answer, line by line."""

    lines: list[str] = Field(description="What git rev-parse prints: object names, ref names, paths, true or false.")


class RevParseRequest(Request[RevParseResult]):
    """`git rev-parse`: words are answered in order, and options change how the words behind them are answered."""

    args: list[str] = Field(
        default_factory=list,
        description="Words and options in order, e.g. ['--abbrev-ref', 'HEAD'], ['--verify', 'v1.0^{commit}'], "
        "['--show-toplevel'].",
    )


def run(store: Store, request: RevParseRequest, ctx: Context) -> Iterator[bytes]:
    """Chunks of output, lazily, so that what stands before an error is printed."""
    return parse_arguments(store, request.args, ctx=ctx)


def collect(chunks: Iterator[bytes], request: RevParseRequest) -> RevParseResult:
    """The lines as text."""
    return RevParseResult(lines=[to_text(line) for line in b"".join(chunks).splitlines()])


def render(chunks: Iterator[bytes], request: RevParseRequest, style: Style) -> Iterator[bytes]:
    """The chunks are git's own bytes already."""
    return chunks


COMMAND = Command(
    "rev-parse",
    RevParseRequest,
    RevParseResult,
    run=run,
    collect=collect,
    render=render,
    raw=True,
    summary="What names mean, and where a repository lies.",
)

"""git rev-parse: what names mean, and where a repository lies.

The request and the result are loaded when a program asks; the command line does without them, and without pydantic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..limits import Context
from ..render.style import Style
from ..repo.store import Store
from ..request.text import to_text
from ..revs.parse_args import parse_arguments
from .command import Command, Words

if TYPE_CHECKING:
    from ..request.rev_parse import RevParseRequest, RevParseResult


def run(store: Store, request: RevParseRequest | Words, ctx: Context) -> Iterator[bytes]:
    """Chunks of output, lazily, so that what stands before an error is printed."""
    return parse_arguments(store, request.args, ctx=ctx)


def collect(chunks: Iterator[bytes], request: RevParseRequest) -> RevParseResult:
    """The lines as text."""
    from ..request.rev_parse import RevParseResult

    return RevParseResult(lines=[to_text(line) for line in b"".join(chunks).splitlines()])


def render(chunks: Iterator[bytes], request: RevParseRequest | Words, style: Style) -> Iterator[bytes]:
    """The chunks are git's own bytes already."""
    return chunks


COMMAND = Command(
    "rev-parse",
    "request.rev_parse:RevParseRequest",
    "request.rev_parse:RevParseResult",
    run=run,
    collect=collect,
    render=render,
    raw=True,
    needs_repository=False,
    summary="What names mean, and where a repository lies.",
)

"""git rev-parse: resolves names, prints paths of a repository, and parses the options of shell scripts.

The request and the result are loaded for programs only; the command line does without them, and without pydantic.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..limits import Context
from ..render.style import Style
from ..repo.store import Store
from ..request.text import to_bytes, to_text
from ..revs.parse_args import parse_arguments
from .command import Command, Words

if TYPE_CHECKING:
    from ..parseopt.program import parse_program
    from ..plans.settings import judge_settings
    from ..request.rev_parse import RevParseRequest, RevParseResult
else:
    judge_settings = deferred(__name__, "..plans.settings", "judge_settings")
    parse_program = deferred(__name__, "..parseopt.program", "parse_program")


def run(store: Store, request: RevParseRequest | Words, ctx: Context) -> Iterator[bytes] | Context:
    """Chunks of output, lazily, so that output before an error is printed; with --parseopt the call's context, because
    its input is not read yet."""
    if request.args[:1] == ["--parseopt"]:
        return ctx

    def judge() -> None:
        if store.config.table.has_odd_settings:
            judge_settings("rev-parse", store.config)

    return parse_arguments(store, request.args, judge=judge, ctx=ctx)


def _parse_program(request: RevParseRequest | Words, stdin: bytes | None, ctx: Context) -> Iterator[bytes]:
    declaration = stdin or b""
    if not isinstance(request, Words) and request.declaration is not None:
        declaration = to_bytes(request.declaration)
    words = [word.encode("utf-8", "surrogateescape") for word in request.args[1:]]
    return parse_program(words, declaration, ctx=ctx)


def collect(chunks: Iterator[bytes] | Context, request: RevParseRequest) -> RevParseResult:
    """The lines as text."""
    from ..request.rev_parse import RevParseResult

    if isinstance(chunks, Context):
        chunks = _parse_program(request, None, chunks)
    return RevParseResult(lines=[to_text(line) for line in b"".join(chunks).splitlines()])


def render(chunks: Iterator[bytes] | Context, request: RevParseRequest | Words, style: Style) -> Iterator[bytes]:
    """The chunks, which are git's own bytes already."""
    if isinstance(chunks, Context):
        return _parse_program(request, style.stdin, chunks)
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

"""git fsck: checks that all objects exist and match their names. With git's messages, order and exit status.

`fsck/verify.py` is the engine; this module decides which message goes to which stream, and where git gives up.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..fsck.verify import Damage, FsckSpec, verify
from ..limits import Context
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..revs.resolve import try_resolve
from .command import Command

_GIVEN_UP = 128
#: messages for standard output; all others are errors
_REPORTS = ("dangling ", "unreachable ", "missing ", "broken link from ", "root ", "tagged ")


@typed_row
class FsckRow:
    """One error or remark; see `gitglass.Repository.verify`."""

    code: str
    words: str
    kind: str
    oid: str
    is_error: bool


class FsckResult(Result):
    """All findings about a repository."""

    findings: list[FsckRow] = Field(description="Damages and remarks, in git's order.")
    status: int = Field(description="The exit status of git fsck: 0 where nothing is wrong.")


class FsckRequest(Request[FsckResult]):
    """`git fsck`: reads and hashes everything, and writes nothing."""

    objects: list[str] = Field(
        default_factory=list, description="Begin from these, not from references, reflogs and index."
    )
    unreachable: Annotated[bool, Flag("--unreachable", no=True)] = Field(
        False, description="Tell of every object that is not reached."
    )
    dangling: Annotated[bool, Flag("--dangling", no=True)] = Field(
        True, description="Tell of objects that nothing names."
    )
    tags: Annotated[bool, Flag("--tags", no=True)] = Field(False, description="Tell what tags are of.")
    root: Annotated[bool, Flag("--root", no=True)] = Field(False, description="Tell of first commits.")
    cache: Annotated[bool, Flag("--cache", no=True)] = Field(False, description="Begin from the index as well.")
    reflogs: Annotated[bool, Flag("--reflogs", no=True)] = Field(True, description="Begin from reflogs as well.")
    full: Annotated[bool, Flag("--full", no=True)] = Field(True, description="Look into packs as well.")
    strict: Annotated[bool, Flag("--strict", no=True)] = Field(False, description="Warnings are errors.")
    connectivity_only: Annotated[bool, Flag("--connectivity-only", no=True)] = Field(
        False, description="Read only what is reached, and check no content."
    )
    plain: Annotated[bool, Flag("--no-progress", "--no-verbose", "--no-name-objects", "--no-lost-found")] = Field(
        True, description="No more is done and reported than without options."
    )


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind every word as the name of an object."""
    values["objects"] = words.before + words.after


def run(store: Store, request: FsckRequest, ctx: Context) -> Iterator[Damage]:
    """All messages, up to the point where git gives up; the exit status accumulates."""
    spec = FsckSpec(
        heads=tuple([(word, try_resolve(store, word, ctx=ctx)) for word in request.objects]),
        index=request.cache,
        reflogs=request.reflogs,
        packs=request.full,
        strict=request.strict,
        unreachable=request.unreachable,
        roots=request.root,
        tags=request.tags,
        connectivity=request.connectivity_only,
        dangling=request.dangling,
    )
    for damage in verify(store, ctx=ctx, spec=spec):
        if damage.code == "dangling" and not request.dangling:
            continue
        yield damage
        ctx.exit_status = _status(ctx.exit_status, damage)
        if ctx.exit_status == _GIVEN_UP:
            return


def _status(status: int, damage: Damage) -> int:
    """The exit status after a finding: it consists of bits, until git gives up."""
    return _GIVEN_UP if "fatal: " in damage.words else status | damage.status & (_GIVEN_UP - 1)


def collect(damages: Iterator[Damage], request: FsckRequest) -> FsckResult:
    """The typed result."""
    rows = []
    status = 0
    for damage in damages:
        rows.append(FsckRow(damage.code, damage.words, damage.kind, damage.oid, damage.is_error))
        status = _status(status, damage)
    return FsckResult(findings=rows, status=status)


def render(damages: Iterator[Damage], request: FsckRequest, style: Style) -> Iterator[bytes]:
    """git's lines."""
    for damage in damages:
        line = damage.words.encode("utf-8", "surrogateescape") + b"\n"
        if damage.words.startswith(_REPORTS):
            yield line
        else:
            style.ctx.say(line)


COMMAND = Command(
    "fsck",
    FsckRequest,
    FsckResult,
    run,
    collect,
    render,
    bind=bind,
    refused={
        "--lost-found": "it writes files",
        "--name-objects": "it is not there",
        "--verbose": "it is not there",
        "-v": "it is not there",
        "--progress": "progress is not shown",
    },
    summary="is everything there, and what its name says?",
    usage="[<options>] [<object>...]",
)

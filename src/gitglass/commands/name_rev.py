"""git name-rev: commits as the refs that reach them see them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any

from ..errors import NotFound
from ..limits import Context
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.name_rev import Namer, NameSpec, name_one
from ..revs.resolve import try_resolve
from .command import Command


@typed_row
class NamedRow:
    """A revision as it was asked for, and its name ("undefined" where no ref reaches it)."""

    rev: str
    name: str


class NameRevResult(Result):
    """The names."""

    names: list[NamedRow] = Field(description="One for each revision, in order.")


class NameRevRequest(Request[NameRevResult]):
    """`git name-rev`: which commits, and which refs may name them."""

    revs: list[str] = Field(default_factory=list, description="The commits.")
    name_only: Annotated[bool, Flag("--name-only", no=True)] = Field(False, description="Print the name alone.")
    tags: Annotated[bool, Flag("--tags", no=True)] = Field(False, description="Only tags may name a commit.")
    refs: Annotated[list[str], Flag("--refs", value="pattern", append=True, no=True)] = Field(
        default_factory=list, description="Only refs that match."
    )
    exclude: Annotated[list[str], Flag("--exclude", value="pattern", append=True, no=True)] = Field(
        default_factory=list, description="No refs that match."
    )
    undefined: Annotated[bool, Flag("--undefined", no=True)] = Field(
        True, description="Print 'undefined', not an error."
    )
    always: Annotated[bool, Flag("--always", no=True)] = Field(False, description="Fall back on the object name.")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """All words are revisions."""
    values["revs"] = words.before + words.after


def run(store: Store, request: NameRevRequest, ctx: Context) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """(revision as typed, what gives its name) for each that exists; the others are reported on stderr."""
    spec = NameSpec(
        tags_only=request.tags,
        refs=tuple(map(to_bytes, request.refs)),
        exclude=tuple(map(to_bytes, request.exclude)),
        name_only=request.name_only,
        undefined=request.undefined,
        always=request.always,
    )
    named: list[tuple[str, bytes]] = []
    for shown in request.revs:
        oid = try_resolve(store, shown, ctx=ctx)
        if oid is None:
            ctx.say(b"Could not get sha1 for " + to_bytes(shown) + b". Skipping.\n")
        elif not _there(store, oid):
            ctx.say(b"Could not get object for " + to_bytes(shown) + b". Skipping.\n")
        else:
            named.append((shown, oid))
    namer = Namer(store, [oid for _, oid in named], spec, ctx=ctx)
    for shown, oid in named:
        yield shown, partial(name_one, namer, oid)


def _there(store: Store, oid: bytes) -> bool:
    try:
        store.odb.kind(oid)
    except NotFound:
        return False
    return True


def collect(rows: Iterator[tuple[str, Callable[[], bytes]]], request: NameRevRequest) -> NameRevResult:
    """The typed form."""
    return NameRevResult(names=[NamedRow(shown, to_text(name())) for shown, name in rows])


def render(rows: Iterator[tuple[str, Callable[[], bytes]]], request: NameRevRequest, style: Style) -> Iterator[bytes]:
    """`revision name`, or the name alone. The revision is out before the name may turn out to be missing."""
    for shown, name in rows:
        if not request.name_only:
            yield to_bytes(shown) + b" "
        yield name() + b"\n"


COMMAND = Command(
    "name-rev",
    NameRevRequest,
    NameRevResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    refused={
        "--all": "its order is an accident",
        "--stdin": "it rewrites a text",
        "--annotate-stdin": "it rewrites a text",
    },
    summary="Commits as the refs that reach them see them.",
    usage="git name-rev [<options>] <commit>...",
)

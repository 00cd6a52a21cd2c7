"""git name-rev: names commits by the refs that reach them."""

from collections.abc import Callable, Iterator
from functools import partial

from ..annotations import Annotated, Any
from ..errors import NotFound, UsageError
from ..graph.object_table import ObjectTable, read_refs
from ..limits import Context
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.name_rev import Namer, NameSpec, annotated, name_one
from ..revs.resolve import try_resolve
from .command import Command


@typed_row
class NamedRow:
    """A revision as it was given, and its name ("undefined" if no ref reaches it)."""

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
    all: Annotated[bool, Flag("--all", no=True)] = Field(
        False, description="Every commit that a ref reaches, in the order of git's own table."
    )
    annotate_stdin: Annotated[bool, Flag("--annotate-stdin", no=True)] = Field(
        False, description="Standard input with names behind the objects that it mentions."
    )
    stdin: Annotated[bool, Flag("--stdin", no=True)] = Field(False, description="The old name of --annotate-stdin.")
    peel_tag: Annotated[bool, Flag("--peel-tag", no=True)] = Field(False, description="Name what a tag is of.")

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return self.annotate_stdin or self.stdin


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as revisions. Raises UsageError if several kinds of input are given."""
    values["revs"] = words.before + words.after
    if values.get("stdin"):
        ctx.warn(
            "--stdin is deprecated. Please use --annotate-stdin instead, which is functionally equivalent.\n"
            "This option will be removed in a future release."
        )
    stdin = values.get("annotate_stdin") or values.get("stdin")
    if bool(values.get("all")) + bool(stdin) + bool(values["revs"]) > 1:
        raise UsageError("Specify either a list, or --all, not both!")


def run(store: Store, request: NameRevRequest, ctx: Context) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """(revision as typed, a function that gives its name) for each existing revision; the others are reported on
    stderr."""
    spec = _spec(request)
    if request.all:
        table = ObjectTable(store, ctx)
        read_refs(table, store)
        namer = Namer(store, None, spec, table=table, ctx=ctx)
        for commit in table.commits():
            yield commit.hex(), partial(name_one, namer, commit)
        return
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


def _spec(request: NameRevRequest) -> NameSpec:
    return NameSpec(
        tags_only=request.tags,
        refs=tuple(map(to_bytes, request.refs)),
        exclude=tuple(map(to_bytes, request.exclude)),
        name_only=request.name_only,
        undefined=request.undefined,
        always=request.always,
        peel_tag=request.peel_tag,
    )


def _there(store: Store, oid: bytes) -> bool:
    try:
        store.odb.kind(oid)
    except NotFound:
        return False
    return True


def collect(rows: Iterator[tuple[str, Callable[[], bytes]]], request: NameRevRequest) -> NameRevResult:
    """The typed result."""
    return NameRevResult(names=[NamedRow(shown, to_text(name())) for shown, name in rows])


def render(rows: Iterator[tuple[str, Callable[[], bytes]]], request: NameRevRequest, style: Style) -> Iterator[bytes]:
    """`revision name`, or only the name. The revision is printed before an error about a missing name."""
    if request.annotate_stdin or request.stdin:
        yield from annotated(Namer(style.store, None, _spec(request), ctx=style.ctx), style.stdin or b"")
        return
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
    summary="Commits as the refs that reach them see them.",
    usage="""git name-rev [<options>] <commit>...
   or: git name-rev [<options>] --all
   or: git name-rev [<options>] --annotate-stdin""",
)

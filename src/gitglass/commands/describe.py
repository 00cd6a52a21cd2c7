"""git describe: a name for a commit, made from the nearest tag that it reaches."""

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, Corrupt, NotARepository, NotFound, NoWorkTree
from ..limits import Context
from ..plans.positionals import Positionals
from ..render.style import Style
from ..repo.store import Store
from ..request.abbrev import digits_option
from ..request.declared import Field
from ..request.flag import Flag, number
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.describe import MOST_CANDIDATES, Describer, DescribeSpec
from ..revs.name_rev import Namer, NameSpec, name_one
from ..revs.resolve import try_resolve
from ..worktree.compare import tree_vs_worktree
from .command import Command


class DescribeResult(Result):
    """One description for each requested revision."""

    descriptions: list[str] = Field(description="What describes each revision, e.g. 'v1.0-3-gabcdef0'.")


class DescribeRequest(Request[DescribeResult]):
    """`git describe`: which revisions, and which refs may name them."""

    revs: list[str] = Field(default_factory=list, description="The commits (or a blob); none: HEAD.")
    contains: Annotated[bool, Flag("--contains", no=True)] = Field(
        False, description="Name it from a tag that came later."
    )
    debug: Annotated[bool, Flag("--debug", no=True)] = Field(False, description="Tell on stderr how the search went.")
    all: Annotated[bool, Flag("--all", no=True)] = Field(False, description="Use any ref, not only annotated tags.")
    tags: Annotated[bool, Flag("--tags", no=True)] = Field(False, description="Use lightweight tags as well.")
    long: Annotated[bool, Flag("--long", no=True)] = Field(False, description="Always add depth and object name.")
    first_parent: Annotated[bool, Flag("--first-parent", no=True)] = Field(
        False, description="Follow first parents only."
    )
    abbrev: Annotated[
        int | None, Flag("--abbrev", value="n", optional=True, const=None, no=True, no_const=0, parse=digits_option())
    ] = Field(None, description="Digits of the object name; 0 leaves it out.")
    candidates: Annotated[
        int,
        Flag("--exact-match", const=0, no=True, no_const=0),  # strange but git's: the negation has the same effect
        Flag("--candidates", value="n", parse=number("candidates"), no=True, no_const=0),
    ] = Field(10, description="How many tags to weigh against each other; 0: only one on the commit itself.")
    match: Annotated[list[str], Flag("--match", value="pattern", append=True, no=True)] = Field(
        default_factory=list, description="Only names that match one of these."
    )
    exclude: Annotated[list[str], Flag("--exclude", value="pattern", append=True, no=True)] = Field(
        default_factory=list, description="No names that match one of these."
    )
    always: Annotated[bool, Flag("--always", no=True)] = Field(False, description="Fall back on the object name.")
    dirty: Annotated[
        str | None, Flag("--dirty", value="mark", optional=True, const="-dirty", no=True, no_const=None)
    ] = Field(None, description="What to add where the work tree has changes.")
    broken: Annotated[
        str | None, Flag("--broken", value="mark", optional=True, const="-broken", no=True, no_const=None)
    ] = Field(None, description="What to add where the work tree cannot be looked at; implies --dirty.")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as revisions."""
    values["revs"] = words.before + words.after


def run(store: Store, request: DescribeRequest, ctx: Context) -> Iterator[bytes]:
    """One description for each revision, lazily."""
    if request.long and request.abbrev == 0:
        raise BadRequest("options '--long' and '--abbrev=0' cannot be used together")
    if request.contains:
        return _contained(store, request, ctx)
    return _described(store, request, ctx)


def _described(store: Store, request: DescribeRequest, ctx: Context) -> Iterator[bytes]:
    spec = DescribeSpec(
        all=request.all,
        tags=request.tags or request.all,
        long=request.long,
        abbrev=request.abbrev,
        candidates=min(max(request.candidates, 0), MOST_CANDIDATES),
        first_parent=request.first_parent,
        always=request.always,
        match=tuple(map(to_bytes, request.match)),
        exclude=tuple(map(to_bytes, request.exclude)),
        debug=request.debug,
    )
    describer = Describer(store, spec, ctx=ctx)
    if describer.nameless and not request.always:
        raise NotFound("No names found, cannot describe anything.")
    marked = request.dirty is not None or request.broken is not None
    if marked and request.revs:
        option = "--dirty" if request.dirty is not None else "--broken"
        raise BadRequest(f"option '{option}' and commit-ishes cannot be used together")
    suffix = b""
    try:
        # with --broken git asks its diff-index, which does not refresh the index
        if marked and _is_dirty(store, "status" if request.broken is None else "stat", ctx):
            suffix = to_bytes(request.dirty if request.dirty is not None else "-dirty")
    except (NoWorkTree, NotFound, NotARepository, Corrupt) as error:
        if request.broken is None:
            raise
        ctx.say(error.words())  # git runs another program here, and continues after such an error
        suffix = to_bytes(request.broken)
    for shown in request.revs or ["HEAD"]:
        if request.debug:
            ctx.say(b"describe " + to_bytes(shown) + b"\n")
        yield describer.describe(_find(store, shown, ctx), shown, suffix)


def _find(store: Store, shown: str, ctx: Context) -> bytes:
    oid = try_resolve(store, shown, ctx=ctx)
    if oid is None:
        raise NotFound(f"Not a valid object name {shown}", name=shown)
    return oid


def _need_head(store: Store, head: bytes | None) -> bytes:
    if head is None:
        raise NotFound("bad revision 'HEAD'", name="HEAD")
    if not store.odb.has(head):
        raise NotFound("bad object HEAD", name="HEAD")
    return head


def _is_dirty(store: Store, settle: str, ctx: Context) -> bool:
    head = store.refs.read(b"HEAD")
    if settle == "stat":  # that program looks up its words first
        _need_head(store, head)
    if store.work_tree is None:
        raise NoWorkTree("this operation must be run in a work tree")
    head = _need_head(store, head)
    with ctx.warnings() as warned:
        changed = tree_vs_worktree(store, store.odb.peel(head, b"tree"), settle=settle, ctx=ctx)
        warned.drop()  # git compares quietly: without warnings about line endings
    return bool(changed)


def _contained(store: Store, request: DescribeRequest, ctx: Context) -> Iterator[bytes]:
    prefix = b"refs/tags/"
    spec = NameSpec(
        tags_only=not request.all,
        refs=() if request.all else tuple(prefix + to_bytes(pattern) for pattern in request.match),
        exclude=() if request.all else tuple(prefix + to_bytes(pattern) for pattern in request.exclude),
        name_only=True,
        peel_tag=True,
        always=request.always,
        undefined=False,
    )
    oids = []
    for shown in request.revs or ["HEAD"]:
        oid = try_resolve(store, shown, ctx=ctx)
        if oid is None or not store.odb.has(oid):
            what = b"sha1" if oid is None else b"object"
            ctx.say(b"Could not get " + what + b" for " + to_bytes(shown) + b". Skipping.\n")
        elif store.odb.kind(store.odb.peel(oid)) != b"commit":
            ctx.say(b"Could not get commit for " + to_bytes(shown) + b". Skipping.\n")
        else:
            oids.append(oid)
    namer = Namer(store, oids, spec, ctx=ctx)
    for oid in oids:
        yield name_one(namer, oid)


def collect(lines: Iterator[bytes], request: DescribeRequest) -> DescribeResult:
    """The typed result."""
    return DescribeResult(descriptions=[to_text(line) for line in lines])


def render(lines: Iterator[bytes], request: DescribeRequest, style: Style) -> Iterator[bytes]:
    """One description on each line."""
    for line in lines:
        yield line + b"\n"


COMMAND = Command(
    "describe",
    DescribeRequest,
    DescribeResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    summary="A name for a commit from the nearest tag behind it.",
    usage="git describe [<options>] [<commit-ish>...]",
)

"""git ls-tree: the entries of a tree object."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from ..annotations import Annotated, Any
from ..errors import BadRequest, UsageError, text
from ..limits import Context, watched
from ..paths.pathspec import Pathspecs, PathspecSpec
from ..paths.tree_listing import Entry, TreeListing, TreeListSpec
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.ls_tree import TreeStyle, entry_kind, write_entries, write_run_names, write_runs
from ..render.style import Style
from ..repo.absolute import bounds, through_links
from ..repo.store import Store
from ..request.abbrev import digits_option
from ..request.declared import Field
from ..request.flag import Flag
from ..request.pathspecs import named_magic
from ..request.request import Request
from ..request.rows.page import Page
from ..request.text import to_bytes, to_text
from ..revs.abbrev import Abbreviator
from ..revs.resolve import resolve_tree
from .command import Command


@typed_row
class TreeRow:
    """One entry: `mode` in octal, `kind` is blob, tree or commit (a submodule), `path` from the top of the tree."""

    mode: str
    kind: str
    oid: str
    path: str


class LsTreeResult(Page):
    """The entries of the tree."""

    entries: list[TreeRow] = Field(description="The entries, in the order of the tree.")


_FORMS = {"long": "long", "name_only": "name", "name_status": "name", "object_only": "object"}


class LsTreeRequest(Request[LsTreeResult]):
    """`git ls-tree`: a tree, and which of its paths."""

    tree: str = Field(description="The tree, or a commit or tag that has one, e.g. 'HEAD', 'v1.0', 'main:src'.")
    paths: list[str] = Field(
        default_factory=list,
        description="Only these paths; literal, no patterns. 'src' names the directory itself, 'src/' what is in it.",
    )
    recursive: Annotated[bool, Flag("-r")] = Field(False, description="Go into directories.")
    trees: Annotated[bool, Flag("-t")] = Field(False, description="Show directories also where they are gone into.")
    only_trees: Annotated[bool, Flag("-d")] = Field(False, description="Show directories only.")
    null: Annotated[bool, Flag("-z")] = Field(False, description="NUL-terminated records, unquoted paths.")
    long: Annotated[bool, Flag("-l", "--long", mode="form")] = Field(False, description="Show sizes as well.")
    name_only: Annotated[bool, Flag("--name-only", mode="form")] = Field(False, description="Names only.")
    name_status: Annotated[bool, Flag("--name-status", mode="form")] = Field(False, description="The same.")
    object_only: Annotated[bool, Flag("--object-only", mode="form")] = Field(False, description="Object names only.")
    # strange but git's: the negation is the same
    full_name: Annotated[bool, Flag("--full-name", no=True, no_const=True)] = Field(
        False, description="Paths from the top, not from here."
    )
    full_tree: Annotated[bool, Flag("--full-tree", no=True)] = Field(
        False, description="The whole tree, wherever one is."
    )
    format: Annotated[str | None, Flag("--format", value="format")] = Field(
        None, description="A line's layout: %(objectmode) %(objecttype) %(objectname) %(objectsize[:padded]) %(path)."
    )
    abbrev: Annotated[
        int | None, Flag("--abbrev", value="n", optional=True, const=-1, no=True, no_const=0, parse=digits_option())
    ] = Field(None, description="Shorten object names to at least so many digits (-1: as many as git thinks fit).")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind the first word as the tree, the others as paths."""
    given = words.before + words.after
    if not given:
        raise UsageError("")
    if values.get("format") is not None and any(values.get(name) for name in _FORMS):
        raise UsageError("--format can't be combined with other format-altering options", prefix="fatal")
    values["tree"], values["paths"] = given[0], given[1:]


def run(store: Store, request: LsTreeRequest, ctx: Context) -> TreeListing:
    """The entries, lazily, in batches."""
    tree = resolve_tree(store, request.tree, ctx=ctx)
    spec = TreeListSpec(
        _paths(store, request),
        request.recursive,
        request.trees or (request.recursive and request.only_trees),
        request.only_trees,
    )
    store.odb.tree(tree)
    return TreeListing(store, tree, spec, ctx)


def _paths(store: Store, request: LsTreeRequest) -> list[bytes]:
    prefix = b"" if request.full_tree else store.prefix
    words = [to_bytes(word) for word in request.paths]
    spec = PathspecSpec.of(store.pathspecs, prefer_cwd=True)
    elsewhere = partial(through_links, store)
    read = Pathspecs.parse(
        words, prefix, spec, work_tree=store.work_tree, bounds=lambda: bounds(store), elsewhere=elsewhere
    )
    for item in read.items:
        magic = named_magic(item)
        if magic:
            raise BadRequest(f"{text(item.original)}: pathspec magic not supported by this command: {magic}")
    return [item.match for item in read.items]


def collect(batches: Iterable[list[Entry]], request: LsTreeRequest) -> LsTreeResult:
    """The typed result."""
    rows = [
        TreeRow(f"{mode:06o}", to_text(entry_kind(mode)), oid.hex(), to_text(path))
        for mode, path, oid in watched(chain.from_iterable(batches))
    ]
    return LsTreeResult(entries=rows, total=len(rows))


def render(listing: TreeListing, request: LsTreeRequest, style: Style) -> Iterator[bytes]:
    """git's lines."""
    form = next((form for name, form in _FORMS.items() if getattr(request, name)), "")
    prefix = b"" if request.full_name or request.full_tree else style.prefix
    custom = None if request.format is None else to_bytes(request.format)
    if listing.whole and not (prefix or request.null) and custom is None:
        if form == "name":
            return write_run_names(listing.runs(), style.quote)
        if form in ("", "long") and not request.abbrev:
            return write_runs(listing.runs(), style.quote, style.store.odb.many_heads() if form else None)
    layout = TreeStyle(form, custom, request.null, prefix)
    batches = iter(listing)
    if request.abbrev:
        name_oid = Abbreviator(style.store, None if request.abbrev < 0 else request.abbrev)
        return write_entries(batches, style.store, layout, style.quote, name_oid)
    return write_entries(batches, style.store, layout, style.quote)


COMMAND = Command(
    "ls-tree",
    LsTreeRequest,
    LsTreeResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    summary="What a tree object holds.",
    usage="git ls-tree [<options>] <tree-ish> [<path>...]",
)

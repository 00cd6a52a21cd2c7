"""git ls-files: the files in the index, and those not in it."""

from collections.abc import Iterator

from ..annotations import TYPE_CHECKING, Annotated, Any
from ..deferred import deferred
from ..errors import BadRequest, GitError, NotFound, NoWorkTree, UsageError, text
from ..limits import Context
from ..paths.ignore import Ignore
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.ls_files import ListLook, has_columns, write_listing, write_paths, write_staged
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.pathspecs import Pathspecs as PathspecMixin
from ..request.pathspecs import parse_pathspecs
from ..request.request import Request
from ..request.rows.page import Page
from ..request.text import to_bytes, to_text
from ..worktree.listing import Listed, ListSpec, Staged, list_files, listed_index, plain_paths, staged_entries
from .command import Command

if TYPE_CHECKING:
    from ..request.abbrev import digits_option
    from ..revs.resolve import resolve_tree, try_resolve
else:
    resolve_tree, try_resolve = deferred(__name__, "..revs.resolve", "resolve_tree", "try_resolve")
    digits_option = deferred(__name__, "..request.abbrev", "digits_option")


@typed_row
class IndexRow:
    """One path. `tag` is git's letter: H cached, S skipped by a sparse checkout, M unmerged, R removed, C changed, K
    killed, ? untracked, U resolve-undo. `mode`, `oid` and `stage` are those of the index, if it has the path."""

    path: str
    tag: str
    mode: str | None = None
    oid: str | None = None
    stage: int | None = None


class LsFilesResult(Page):
    """Paths of the index and the work tree."""

    files: list[IndexRow] = Field(description="The paths, in git's order.")


class LsFilesRequest(Request[LsFilesResult], PathspecMixin):
    """`git ls-files`: which files to list; by default those of the index."""

    null: Annotated[bool, Flag("-z")] = Field(False, description="NUL-terminated records, unquoted paths.")
    tags: Annotated[bool, Flag("-t")] = Field(False, description="Tag each path with what it is.")
    lower_tags: Annotated[bool, Flag("-v")] = Field(
        False, description="Like tags, in lower case for assumed-unchanged."
    )
    monitor_tags: Annotated[bool, Flag("-f")] = Field(False, description="Like tags; no file counts as watched here.")
    cached: Annotated[bool, Flag("-c", "--cached", no=True)] = Field(False, description="Files of the index.")
    deleted: Annotated[bool, Flag("-d", "--deleted", no=True)] = Field(
        False, description="Files of the index that are gone."
    )
    modified: Annotated[bool, Flag("-m", "--modified", no=True)] = Field(
        False, description="Files of the index that differ on disk."
    )
    others: Annotated[bool, Flag("-o", "--others", no=True)] = Field(
        False, description="Files that the index does not know."
    )
    ignored: Annotated[bool, Flag("-i", "--ignored", no=True)] = Field(
        False, description="Of those only the ignored ones; needs exclude patterns."
    )
    stage: Annotated[bool, Flag("-s", "--stage", no=True)] = Field(False, description="Mode, object and stage as well.")
    killed: Annotated[bool, Flag("-k", "--killed", no=True)] = Field(
        False, description="Files that stand in the way of what the index has."
    )
    directory: Annotated[bool, Flag("--directory", no=True)] = Field(
        False, description="An untracked directory is one entry, not its files."
    )
    eol: Annotated[bool, Flag("--eol", no=True)] = Field(False, description="Line endings in index and work tree.")
    empty_directory: Annotated[bool, Flag("--empty-directory", no=True)] = Field(
        True, description="With directory: list empty ones as well."
    )
    unmerged: Annotated[bool, Flag("-u", "--unmerged", no=True)] = Field(False, description="Only paths in conflict.")
    resolve_undo: Annotated[bool, Flag("--resolve-undo", no=True)] = Field(
        False, description="What conflicts were before they were resolved."
    )
    exclude: Annotated[list[str], Flag("-x", "--exclude", value="pattern", append=True)] = Field(
        default_factory=list, description="Patterns of paths to leave out (with ignored: to show)."
    )
    exclude_from: Annotated[list[str], Flag("-X", "--exclude-from", value="file", append=True)] = Field(
        default_factory=list, description="Files with such patterns."
    )
    exclude_per_directory: Annotated[str | None, Flag("--exclude-per-directory", value="file", no=True)] = Field(
        None, description="Name of a file with such patterns in each directory."
    )
    exclude_standard: Annotated[bool, Flag("--exclude-standard")] = Field(
        False, description="Leave out what git ignores: .gitignore, info/exclude, the user's own file."
    )
    full_name: Annotated[bool, Flag("--full-name")] = Field(False, description="Paths from the top, not from here.")
    recurse_submodules: Annotated[bool, Flag("--recurse-submodules", no=True)] = Field(
        False, description="List the files of active submodules in place of the submodules."
    )
    error_unmatch: Annotated[bool, Flag("--error-unmatch", no=True)] = Field(
        False, description="It is an error when a path given matches nothing."
    )
    with_tree: Annotated[str | None, Flag("--with-tree", value="tree-ish", no=True)] = Field(
        None, description="As if what was removed since this tree were still there."
    )
    abbrev: Annotated[
        int | None, Flag("--abbrev", value="n", optional=True, const=-1, no=True, no_const=0, parse=digits_option())
    ] = Field(None, description="Shorten object names to at least so many digits (-1: as many as git thinks fit).")
    deduplicate: Annotated[bool, Flag("--deduplicate", no=True)] = Field(False, description="Each path once.")
    sparse: Annotated[bool, Flag("--sparse", no=True)] = Field(
        False, description="Show the directories of a sparse index as such."
    )
    debug: Annotated[bool, Flag("--debug", no=True)] = Field(
        False, description="After each entry of the index the stat data it notes, and git's flags."
    )
    format: Annotated[str | None, Flag("--format", value="format")] = Field(
        None, description="A line's layout: %(objectmode) %(objectname) %(stage) %(path) %(eolinfo:index) …"
    )


@typed_row
class Listing:
    """The files to print: only the paths or the entries of the index if nothing else was requested, or rows, lazily.

    Where only paths are printed and they are tagged, all entries have the usual tag."""

    request: LsFilesRequest
    spec: ListSpec
    store: Store
    ctx: Context
    paths: list[bytes] | None = None
    staged: Iterator[Staged] | None = None

    def rows(self) -> Iterator[Listed]:
        """Every line as a row; at the end the errors of --error-unmatch."""
        yield from list_files(self.store, self.spec, ctx=self.ctx)
        self.complain()

    def complain(self) -> None:
        """Raise for words that matched nothing, if that was requested."""
        if not self.request.error_unmatch:
            return
        missing = self.spec.pathspecs.unmatched()
        if missing:
            lines = [f"error: pathspec '{text(raw)}' did not match any file(s) known to git" for raw in missing]
            raise NotFound("\n".join([*lines, "Did you forget to 'git add'?"]), prefix="", status=1)


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as paths."""
    values["paths"] = [*words.before, *words.after]


def run(store: Store, request: LsFilesRequest, ctx: Context) -> Listing:
    """The files to list, after checks; the index is read at once, everything else lazily."""
    _check_format(request)
    if (request.modified or request.others or request.deleted or request.ignored or request.killed) and (
        store.work_tree is None
    ):
        raise NoWorkTree("this operation must be run in a work tree")
    _check_modes(request)
    spec = _spec(store, request, ctx)
    listing = Listing(request, spec, store, ctx)
    if not spec.plain or request.eol or request.debug:
        return listing
    index = listed_index(store, spec)
    if spec.stage or request.format is not None or (_tagged(request) and not index.all_usual):
        if (
            not index.special
            and not spec.deduplicate
            and (request.format is None or has_columns(to_bytes(request.format)))
        ):
            listing.staged = staged_entries(store, spec)
    else:
        paths = plain_paths(store, spec)
        listing.paths = list(dict.fromkeys(paths)) if spec.deduplicate and not index.all_usual else paths
    return listing


def _check_format(request: LsFilesRequest) -> None:
    others = request.stage or request.others or request.killed or request.resolve_undo or request.deduplicate
    if request.format is not None and (others or request.eol or request.tags):
        message = "--format cannot be used with -s, -o, -k, -t, --resolve-undo, --deduplicate, --eol"
        raise UsageError(message, prefix="fatal")


def _check_modes(request: LsFilesRequest) -> None:
    more = request.deleted or request.others or request.unmerged or request.killed or request.modified
    if request.recurse_submodules:
        if more or request.resolve_undo or request.with_tree is not None:
            raise BadRequest("ls-files --recurse-submodules unsupported mode")
        if request.error_unmatch:
            raise BadRequest("ls-files --recurse-submodules does not support --error-unmatch")


def _tagged(request: LsFilesRequest) -> bool:
    return request.tags or request.lower_tags or request.monitor_tags


def _spec(store: Store, request: LsFilesRequest, ctx: Context) -> ListSpec:
    stage = request.stage or request.unmerged
    given = bool(request.exclude or request.exclude_from or request.exclude_per_directory or request.exclude_standard)
    pathspecs = parse_pathspecs(store, request.paths, prefer_cwd=True)
    if request.ignored:
        if not (request.others or request.cached):
            raise BadRequest("ls-files -i must be used with either -o or -c")
        if not given:
            raise BadRequest("ls-files --ignored needs some exclude pattern")
    ignore = _ignore(store, request)
    anything = stage or request.deleted or request.others or request.killed or request.modified or request.resolve_undo
    return ListSpec(
        cached=request.cached or not anything,
        deleted=request.deleted,
        modified=request.modified,
        others=request.others,
        ignored=request.ignored,
        killed=request.killed,
        stage=stage,
        unmerged=request.unmerged,
        resolve_undo=request.resolve_undo,
        directory=request.directory,
        hide_empty=not request.empty_directory,
        deduplicate=request.deduplicate and not (request.tags or stage),
        recurse_submodules=request.recurse_submodules,
        sparse=request.sparse,
        debug=request.debug,
        check_off=request.error_unmatch,
        pathspecs=pathspecs,
        ignore=ignore,
        with_tree=_with_tree(store, request, ctx),
    )


def _with_tree(store: Store, request: LsFilesRequest, ctx: Context) -> bytes | None:
    """The tree of --with-tree."""
    if request.with_tree is None:
        return None
    if request.stage or request.unmerged:
        raise BadRequest("options 'ls-files --with-tree' and '-s/-u' cannot be used together")
    try:
        return resolve_tree(store, request.with_tree, ctx=ctx)
    except GitError:
        word = request.with_tree
        gone = try_resolve(store, word, ctx=ctx) is None
        raise NotFound(f"tree-ish {word} not found." if gone else f"bad tree-ish {word}", revision=word) from None


def _ignore(store: Store, request: LsFilesRequest) -> Ignore:
    files, top = [], store.work_tree or store.cwd  # strange but git's: relative to the top in any directory
    for name in request.exclude_from:
        shown = to_bytes(name)
        files.append((shown if shown.startswith(b"/") else top + b"/" + shown, shown))
    per_directory = [to_bytes(request.exclude_per_directory)] if request.exclude_per_directory else []
    words = [to_bytes(word) for word in request.exclude]
    return Ignore(store, standard=request.exclude_standard, patterns=words, files=files, per_directory=per_directory)


def collect(listing: Listing, request: LsFilesRequest) -> LsFilesResult:
    """The typed result."""
    rows = []
    for row in listing.rows():
        in_index = bool(row.mode)
        rows.append(
            IndexRow(
                to_text(row.path),
                row.tag,
                f"{row.mode:06o}" if in_index else None,
                row.oid.hex() if in_index else None,
                row.stage if in_index else None,
            )
        )
    return LsFilesResult(files=rows, total=len(rows), notes=list(listing.ctx.notes))


def render(listing: Listing, request: LsFilesRequest, style: Style) -> Iterator[bytes]:
    """git's lines."""
    whole = not request.abbrev or request.abbrev >= style.store.hex_len
    look = ListLook(
        abbrev=None if whole else request.abbrev,
        null=request.null,
        tags=_tagged(request),
        lower=request.lower_tags,
        stage=listing.spec.stage,
        eol=request.eol,
        full_name=request.full_name,
        format=None if request.format is None else to_bytes(request.format),
    )
    if listing.paths is not None:
        yield from write_paths(listing.paths, look, style)
        listing.complain()
    elif listing.staged is not None:
        yield from write_staged(listing.staged, look, style)
        listing.complain()
    else:
        yield from write_listing(listing.rows(), look, style)


COMMAND = Command(
    "ls-files",
    LsFilesRequest,
    LsFilesResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    summary="the files of the index and the work tree",
    usage="git ls-files [<options>] [<file>...]",
)

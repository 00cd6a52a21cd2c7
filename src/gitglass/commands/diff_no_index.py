"""git diff --no-index: two files or directories against each other, inside or outside of a repository.

git also does this without the option: outside of any repository, and if one of exactly two words leads out of the work
tree. The index, HEAD and history are not used; the jail decides which files may be read.
"""

from functools import partial

from ..annotations import Annotated, Any, Literal
from ..diff.changes import Change, Contents
from ..diff.diffcore import diffcore
from ..errors import BadRequest, GitError, InvalidArgs, Unsupported
from ..limits import Context
from ..plans.diff import PATCH, diff_spec, with_mnemonic
from ..plans.positionals import Positionals
from ..plans.words import order_of
from ..records import replace
from ..repo.store import Store
from ..request.declared import Field
from ..request.diff import DiffOptions
from ..request.flag import Flag
from ..request.request import Request
from ..request.text import to_bytes
from ..worktree.no_index import Places, compare_paths
from .command import Command, unknown_option
from .diff import Differences, DiffResult, collect, find_objects, render

USAGE = "usage: git diff --no-index [<options>] <path> <path>\n"
_IMPLIED = "warning: Not a git repository. Use --no-index to compare two paths outside a working tree\n"


class DiffNoIndexRequest(Request[DiffResult], DiffOptions):
    """`git diff --no-index`: two paths, of which nothing has to be in a repository."""

    no_index: Annotated[bool, Flag("--no-index")] = Field(True, description="Says so; nothing else is asked here.")
    paths: list[str] = Field(
        default_factory=list,
        description="Two files or directories, within the jail. '/dev/null' is nothing, '-' what `stdin` holds.",
    )
    stdin: str | None = Field(None, description="The content of the path '-'.")
    # options of revisions and merges, which git does not accept here
    show_trees: Literal[False] = False
    recursive: Literal[False] = False
    diff_merges: None = None
    combined_all_paths: Literal[False] = False


def run(store: Store, request: DiffNoIndexRequest, ctx: Context) -> Differences:
    """Compare. Raises NotFound (status 1) for a missing path, SandboxViolation for one outside."""
    if len(request.paths) != 2:
        raise InvalidArgs(USAGE, prefix="")
    if "-" in request.paths and request.stdin is None:
        raise Unsupported("there is no standard input to read", status=129, prefix="error", option="-")
    store.stand_alone()
    spec = diff_spec(request, store.config, ctx=ctx, objects=find_objects(store, request, ctx), default=PATCH)
    spec = replace(
        spec,
        exit_code=True,  # as in diff(1)
        relative=None,
        ignore_submodules=b"none",  # there are no submodules, only directories that look like one
        reverse=False,  # done here
        order=order_of(store, request.order_file),
    )
    spec = with_mnemonic(spec, request, b"1/", b"2/")
    places = Places(store, None if request.stdin is None else to_bytes(request.stdin), ctx=ctx)
    differences = Differences(spec, Contents(store, ctx=ctx, work=places.read), ctx=ctx)
    one, two = places.pair(*map(to_bytes, request.paths))
    changes = compare_paths(places, one, two, reverse=request.reverse_sides, ctx=ctx)
    looked_for_renames = spec.renames and any(not c.old.mode for c in changes) and any(not c.new.mode for c in changes)
    changes = diffcore(changes, differences.contents, spec, ctx=ctx)
    differences.changes = [change for change in changes if not _one_file(change)]
    if "-" in request.paths and looked_for_renames:  # strange but git's: it reads it again, and finds it empty
        places.spend()
        differences.contents.forget()
    # names are relative to the current directory, whatever the options say
    differences.spec = replace(spec, relative=store.prefix or None)
    return differences


def _one_file(change: Change) -> bool:
    """Whether a rename from a file to itself was detected: for a directory and one that contains it."""
    old, new = change.old, change.new
    return bool(old.mode) and (old.path, old.mode) == (new.path, new.mode)


def bind(
    words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context, *, implied: bool = False
) -> None:
    """Bind two paths; `-` is read here."""
    paths = [*words.before, *words.after]
    if len(paths) != 2:
        raise InvalidArgs((_IMPLIED if implied else "") + USAGE, prefix="")
    values["paths"] = paths
    if "-" in paths and words.read_stdin is not None:
        values["stdin"] = words.read_stdin().decode("utf-8", "surrogateescape")


def _unknown(word: str) -> GitError:
    if word == "--follow":
        return BadRequest("--follow requires exactly one pathspec")
    return unknown_option(word)


def _command(implied: bool) -> Command:
    return Command(
        "diff",
        DiffNoIndexRequest,
        DiffResult,
        run=run,
        collect=collect,
        render=render,
        bind=partial(bind, implied=implied),
        unknown=_unknown,
        abbreviates=True,
        summary="Compare two files or directories, whether or not git knows them",
        usage="--no-index [<options>] <path> <path>",
        needs_repository=False,
        settings="diff",
    )


COMMAND = _command(False)
IMPLIED = _command(True)

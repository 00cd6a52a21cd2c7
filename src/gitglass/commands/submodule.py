"""git submodule status: which commit each submodule has checked out."""

from collections.abc import Iterable, Iterator

from ..annotations import Annotated, Any
from ..disk.jail import in_folder
from ..errors import GitError, InvalidArgs, NotFound, NoWorkTree, Unsupported, text
from ..limits import Context, paced
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.quote import relative_path
from ..render.style import Style
from ..repo.gitmodules import submodule_names
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.pathspecs import Pathspecs, parse_pathspecs
from ..request.request import Request, Result
from ..request.text import to_text
from ..worktree.stat_cache import gitlinks
from ..worktree.submodules import is_active, refuse_broken, refuse_link, sub_store
from .command import Command
from .describe import DescribeRequest
from .describe import run as describe

USAGE = "usage: git submodule [--quiet] [status] [--cached] [--recursive] [--] [<path>...]\n"
WRITES = frozenset(["add", "init", "deinit", "update", "set-branch", "set-url", "foreach", "sync", "absorbgitdirs"])
BEFORE = frozenset(["-q", "--quiet", "--cached"])
_SAME, _CHANGED, _ABSENT, _CONFLICT = " ", "+", "-", "U"


@typed_row
class SubmoduleRow:
    """One submodule: its state, the commit checked out (or else recorded), and the description of that commit."""

    path: str
    state: str
    oid: str
    description: str | None


class SubmoduleResult(Result):
    """Submodules, in the order of the index."""

    submodules: list[SubmoduleRow] = Field(
        description="state: ' ' as recorded, '+' another commit, '-' not initialized, 'U' in conflict."
    )


class SubmoduleRequest(Request[SubmoduleResult], Pathspecs):
    """`git submodule status`: the submodules and their commits."""

    cached: Annotated[bool, Flag("--cached", exact=True)] = Field(
        False, description="Show the commit that the index has."
    )
    recursive: Annotated[bool, Flag("--recursive", exact=True)] = Field(
        False, description="Submodules of submodules as well."
    )
    quiet: Annotated[bool, Flag("-q", "--quiet", exact=True)] = Field(False, description="Print nothing.")


@typed_row
class Entry:
    """One submodule: its path from the outermost repository's top, its state and commit."""

    path: bytes
    state: str
    oid: bytes
    description: bytes | None = None


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as paths; git's other subcommands write or run programs."""
    first = next(iter(words.before), None)
    if first in WRITES:
        raise Unsupported(f"gitglass only reads: 'submodule {first}' is not available", status=129, prefix="error")
    if first == "summary":
        raise Unsupported(
            "gitglass does not have 'submodule summary': `status` shows it with status.submoduleSummary",
            status=129,
            prefix="error",
        )
    if words.before or words.dashdash or values.get("recursive"):  # only `submodule status` accepts them
        raise InvalidArgs(USAGE.rstrip("\n"), status=1, prefix="")


def bind_status(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as paths."""
    values["paths"] = words.before + words.after


def unknown(word: str) -> GitError:
    """The error for an unknown word: git's submodule is a script, and prints its usage for it."""
    return InvalidArgs(USAGE.rstrip("\n"), status=1, prefix="")


def run(store: Store, request: SubmoduleRequest, ctx: Context) -> Iterator[Entry]:
    """The submodules. Raises GitError outside of the work tree, for words that match nothing, and for missing settings
    in .gitmodules."""
    if store.work_tree is None or not in_folder(store.cwd, store.work_tree):
        raise NoWorkTree("git submodule cannot be used without a working tree.", status=1)
    specs = parse_pathspecs(store, request.paths)
    links, paths = gitlinks(store.index), store.index.paths
    positions = [at for at in links if specs.match_seen(paths[at], True)]
    if specs.unmatched():  # a path of any tracked file is no mistake
        for path in paced(paths):
            specs.match_seen(path, True)
    missing = specs.unmatched()
    if missing:
        lines = [f"error: pathspec '{to_text(raw)}' did not match any file(s) known to git" for raw in missing]
        raise NotFound("\n".join(lines), status=1, prefix="")
    return _entries(store, positions, request, ctx)


def _entries(store: Store, positions: list[int], request: SubmoduleRequest, ctx: Context) -> Iterator[Entry]:
    todo = [(store, b"", position) for position in reversed(positions)]
    conflicts: set[bytes] = set()
    while todo:
        ctx.tick()
        within, above, position = todo.pop()
        path = within.index.paths[position]
        if within.index.stages[position]:
            if above + path not in conflicts:
                conflicts.add(above + path)
                yield Entry(above + path, _CONFLICT, within.null)
            continue
        if within.files is not None:
            refuse_link(path, within.files.lstat(path), b"none")
        if path not in submodule_names(within).by_path:
            raise NotFound(f"no submodule mapping found in .gitmodules for path '{text(path)}'")
        recorded = within.index.oids[position]
        sub = sub_store(within, path) if is_active(within, path) else None
        if sub is None:
            refuse_broken(within, path, file_only=True)
            yield Entry(above + path, _ABSENT, recorded)
            continue
        head = sub.refs.head()[1]
        same = head is None or head == recorded
        entry = Entry(
            above + path, _SAME if same else _CHANGED, recorded if same or request.cached else head or recorded
        )
        entry.description = _described(sub, entry.oid, ctx)
        yield entry
        if request.recursive:
            todo += [(sub, above + path + b"/", inner) for inner in reversed(gitlinks(sub.index))]


def _described(sub: Store, oid: bytes, ctx: Context) -> bytes | None:
    """The output of `git describe`, with increasingly permissive options."""
    for more in ({}, {"tags": True}, {"contains": True}, {"all": True, "always": True}):
        with ctx.warnings() as warned:
            try:
                description = next(iter(describe(sub, DescribeRequest(revs=[oid.hex()], **more), ctx)), None)
            except GitError:
                description = None
            warned.drop()
        if description is not None:
            return description
    return None


def collect(entries: Iterable[Entry], request: SubmoduleRequest) -> SubmoduleResult:
    """The typed result."""
    rows = [
        SubmoduleRow(to_text(e.path), e.state, e.oid.hex(), None if e.description is None else to_text(e.description))
        for e in entries
    ]
    return SubmoduleResult(submodules=rows)


def render(entries: Iterable[Entry], request: SubmoduleRequest, style: Style) -> Iterator[bytes]:
    """State, commit, path, and in parentheses the description of the commit."""
    for entry in [] if request.quiet else entries:
        shown = relative_path(entry.path, style.store.prefix)
        tail = b" (%b)" % entry.description if entry.description is not None else b""
        yield b"%b%b %b%b\n" % (entry.state.encode(), entry.oid.hex().encode(), shown, tail)


_ABOUT = "The submodules and the commits they have checked out."
SUBCOMMANDS = {
    "status": Command(
        "submodule status", SubmoduleRequest, SubmoduleResult, run, collect, render,
        bind=bind_status, unknown=unknown, stop=True, summary=_ABOUT, usage=USAGE[7:-1],
    ),
}  # fmt: skip
COMMAND = Command(
    "submodule", SubmoduleRequest, SubmoduleResult, run, collect, render,
    bind=bind, unknown=unknown, stop=True, summary=_ABOUT, usage=USAGE[7:-1],
)  # fmt: skip

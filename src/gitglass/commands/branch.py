"""git branch: the list of branches and the name of the current one. No branch is created, moved or deleted here."""

from collections.abc import Iterator

from ..annotations import TYPE_CHECKING, Annotated
from ..deferred import deferred
from ..errors import BadRequest, InvalidArgs, NotFound, Unsupported
from ..limits import Context
from ..plans.refs import Listing, bind_patterns, check_format, lines, listing, ref_spec, rows
from ..plans.refs import collect as collect_refs
from ..render.color import want_color
from ..render.columns import column_mode, lay_out
from ..render.refs.branches import branch_format, head_label, plain_lines
from ..render.refs.fields import Fields
from ..render.style import Style
from ..repo.store import Store
from ..request.abbrev import digits_option
from ..request.declared import BeforeValidator, Field
from ..request.flag import Flag
from ..request.refs import RefFilter, RefsResult
from ..request.request import Request
from ..request.text import to_text
from ..revs.ref_filter import HEADS, REMOTES
from .command import Command

if TYPE_CHECKING:
    from ..worktree.state import in_progress
else:
    in_progress = deferred(__name__, "..worktree.state", "in_progress")


USAGE = "git branch [-a | -r] [-v] [--list] [--contains <commit>] [--merged <commit>] [<pattern>...]"


def _count(value: object) -> object:
    """The number of times a switch was given after its last negation."""
    if not isinstance(value, list):
        return value
    since = len(value) - value[::-1].index(0) if 0 in value else 0
    return len(value) - since


class BranchResult(RefsResult):
    """Branches; `current` is the one that is checked out (including an unborn one), None if HEAD is detached."""

    current: str | None = Field(None, description="The short name of the current branch.")


class BranchRequest(RefFilter, Request[BranchResult]):
    """`git branch --list` and `git branch --show-current`."""

    patterns: list[str] = Field(default_factory=list, description="Only branches whose names match: `feature/*`.")
    as_list: Annotated[bool, Flag("-l", "--list", no=True)] = Field(
        False, description="List (what happens anyway; needed for patterns on a command line)."
    )
    all: Annotated[bool, Flag("-a", "--all", sets={"remotes": False, "no_kinds": False})] = Field(
        False, description="Local and remote-tracking branches."
    )
    remotes: Annotated[bool, Flag("-r", "--remotes", sets={"all": False, "no_kinds": False})] = Field(
        False, description="Only remote-tracking branches."
    )
    no_kinds: Annotated[bool, Flag("--no-all", "--no-remotes", sets={"all": False, "remotes": False})] = Field(
        False, description="Neither kind of branches: an error, as in git."
    )
    verbose: Annotated[
        int, BeforeValidator(_count), Flag("-v", "--verbose", const=1, no=True, no_const=0, append=True)
    ] = Field(0, description="1: with commits and how far ahead or behind; 2: with the upstream's name too.")
    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = Field(False, description="A list says the same.")
    show_current: Annotated[bool, Flag("--show-current", no=True)] = Field(
        False, description="Only the name of the current branch."
    )
    points_at: Annotated[list[str], Flag("--points-at", value="object", append=True, no=True)] = Field(
        default_factory=list, description="Only branches that are at this object."
    )
    abbrev: Annotated[
        int | None, Flag("--abbrev", value="n", optional=True, const=None, no=True, no_const=0, parse=digits_option())
    ] = Field(None, description="Digits of commit ids; 0 for all.")
    column: Annotated[
        list[str], Flag("--column", value="style", optional=True, const="", no=True, no_const="no", append=True)
    ] = Field(default_factory=list, description="Lay the names out in columns: '', or words as in column.ui.")

    def wants_list(self) -> bool:
        """Whether words are patterns and not the name of a branch to create."""
        return bool(
            self.as_list or self.contains or self.no_contains or self.merged or self.no_merged or self.points_at
        )


def run(store: Store, request: BranchRequest, ctx: Context) -> Listing:
    """The selected branches, sorted; only the current one for --show-current."""
    head = store.refs.lookup(b"HEAD")
    branch = head.name if head.symbolic else None
    if head.broken or (branch is None and store.jail.lstat(store.git_dir + b"/HEAD") is None):
        raise NotFound("Failed to resolve HEAD as a valid ref.")
    if branch is not None and not branch.startswith(b"refs/heads/"):
        raise NotFound("HEAD not found below refs/heads!")
    if request.show_current:
        if request.wants_list():  # which takes the names first that it was given
            ref_spec(store, request, request.points_at, (), ctx=ctx)
            raise InvalidArgs(f"usage: {USAGE}", prefix="")
        return Listing([], Fields(store, ctx=ctx))
    if request.no_kinds:
        raise BadRequest("filter_refs: invalid type")
    if request.patterns and not request.wants_list():
        if request.all or request.remotes:
            raise BadRequest(
                "The -a, and -r, options to 'git branch' do not take a branch name.\n"
                "Did you mean to use: -a|-r --list <pattern>?"
            )
        raise Unsupported("gitglass branch <name> would make a branch; refused", status=129, prefix="error")
    kinds = HEADS | REMOTES if request.all else REMOTES if request.remotes else HEADS
    spec = ref_spec(
        store,
        request,
        request.points_at,
        request.patterns,
        ctx=ctx,
        kinds=kinds,
        commits_only=request.verbose > 0,
        detached=branch is None and bool(kinds & HEADS),
    )

    def label() -> bytes:
        return head_label(in_progress(store, detached=True, ctx=ctx))

    configured = store.config.get_all("branch.sort") if request.configured_sort else ()
    keys = [key.decode("utf-8", "surrogateescape") for key in configured]
    return listing(store, spec, keys + request.sort, ctx=ctx, head_label=label)


def collect(listing: Listing, request: BranchRequest) -> BranchResult:
    """The typed result."""
    rows = collect_refs(listing, request)
    branch, _ = listing.fields.store.refs.head()
    current = None if branch is None else to_text(branch.removeprefix(b"refs/heads/"))
    return BranchResult(refs=rows.refs, total=rows.total, current=current)


def render(listing: Listing, request: BranchRequest, style: Style) -> Iterator[bytes]:
    """One line for each branch, or columns of them; only a name for --show-current."""
    mode = column_mode(style.config, "branch", request.column, style.is_tty)
    if request.verbose and mode.on and request.column:
        raise BadRequest("options '--column' and '--verbose' cannot be used together")
    if request.show_current:
        branch, _ = style.store.refs.head()
        if branch is not None and branch.startswith(b"refs/heads/"):
            yield branch[11:] + b"\n"
        return
    on = want_color(style.config, "branch", request.color, style.colors)
    check_format(request.format, listing, on)
    if request.format is None and not request.verbose:
        palette = style.color("branch", request.color)
        names = plain_lines(listing.items, listing.fields, palette, remotes_only=request.remotes)
        yield lay_out(names, mode, style.columns)
        return
    form: str | bytes | None = request.format
    if form is None:
        form = branch_format(
            listing.items, listing.fields, style.color("branch", request.color), request.verbose, request.abbrev,
            remotes_only=request.remotes,
        )  # fmt: skip
    if mode.on and not request.verbose:
        yield lay_out(rows(listing, form, color=on), mode, style.columns)
    else:
        yield from lines(listing, form, color=on)


_REFUSED = {
    "it deletes branches": ("-d", "-D", "--delete"),
    "it renames a branch": ("-m", "-M", "--move"),
    "it copies a branch": ("-c", "-C", "--copy"),
    "it changes the configuration": (
        "-u", "--set-upstream-to", "--set-upstream", "--unset-upstream", "--edit-description",
    ),
    "it makes or changes a branch": (
        "-f", "--force", "-t", "--track", "--create-reflog", "--recurse-submodules",
    ),
}  # fmt: skip
COMMAND = Command(
    "branch",
    BranchRequest,
    BranchResult,
    run,
    collect,
    render,
    bind=bind_patterns,
    patient=True,
    refused={name: reason for reason, names in _REFUSED.items() for name in names},
    summary="The list of branches.",
    usage=USAGE,
)

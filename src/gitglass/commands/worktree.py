"""git worktree list: the work trees of a repository."""

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, InvalidArgs, Unsupported
from ..limits import Context, paced
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.quote import c_quote
from ..render.style import Style
from ..render.width import display_width
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.abbrev import abbrev
from ..revs.dates import FOREVER, expiry
from ..revs.names import abbreviate_ref
from ..worktree.checkouts import Checkout, checkouts, prunable
from .command import Command

USAGE = "usage: git worktree list [-v | --porcelain [-z]]\n"
WRITES = frozenset(["add", "lock", "move", "prune", "remove", "repair", "unlock"])


@typed_row
class WorktreeRow:
    """One work tree. `branch` is a full name, None if HEAD is detached; `head` is None in a bare repository, and where
    the branch has no commit yet."""

    path: str
    head: str | None
    branch: str | None
    bare: bool
    locked: str | None
    prunable: str | None


class WorktreeResult(Result):
    """Work trees, the main one first."""

    worktrees: list[WorktreeRow] = Field(description="The main work tree, then the linked ones by path.")


class WorktreeRequest(Request[WorktreeResult]):
    """`git worktree list`: the paths of the work trees and what is checked out in each."""

    porcelain: Annotated[bool, Flag("--porcelain", no=True)] = Field(False, description="The form for programs.")
    verbose: Annotated[bool, Flag("-v", "--verbose", no=True)] = Field(False, description="With reasons.")
    expire: Annotated[str | None, Flag("--expire", value="expiry-date", no=True, no_const="never")] = Field(
        None, description="Call a work tree prunable only when it is older than this date."
    )
    null: Annotated[bool, Flag("-z")] = Field(False, description="With porcelain: NUL behind each field.")


Entry = tuple[Checkout, bytes | None]  # a work tree, and the reason why it is prunable


def run(store: Store, request: WorktreeRequest, ctx: Context) -> list[Entry]:
    """The work trees; raises GitError for options that exclude each other."""
    if request.verbose and request.porcelain:
        raise BadRequest("options '--verbose' and '--porcelain' cannot be used together")
    if request.null and not request.porcelain:
        raise BadRequest("the option '-z' requires '--porcelain'")
    until = FOREVER if request.expire is None else expiry(to_bytes(request.expire), ctx.now)
    if until is None:
        raise BadRequest(f"malformed expiration date '{request.expire}'")
    first, *others = checkouts(store)
    others.sort(key=lambda one: one.path)
    return [(one, prunable(store, one, until)) for one in paced([first, *others])]


def collect(entries: list[Entry], request: WorktreeRequest) -> WorktreeResult:
    """The typed result."""
    rows = []
    for one, reason in entries:
        head = one.head.hex() if one.head is not None and any(one.head) and not one.bare else None
        texts = [None if text is None else to_text(text) for text in (one.branch, one.locked, reason)]
        rows.append(WorktreeRow(to_text(one.path), head, texts[0], one.bare, texts[1], texts[2]))
    return WorktreeResult(worktrees=rows)


def render(entries: list[Entry], request: WorktreeRequest, style: Style) -> Iterator[bytes]:
    """One line for each, aligned; or one paragraph for each."""
    if request.porcelain:
        end = b"\0" if request.null else b"\n"
        for one, reason in entries:
            fields = _fields(one, reason, style.store.null, quoted=not request.null)
            yield b"".join(field + end for field in fields) + end
        return
    null = style.store.null
    names = [b"" if one.bare else abbrev(style.store, one.head or null) for one, _ in entries]
    width = max(len(one.path) for one, _ in entries)
    digits = max(map(len, names))
    for (one, reason), name in zip(entries, names):
        padding = b" " * (1 + width - display_width(one.path))
        yield one.path + padding + b" " + _state(style.store, one, name.ljust(digits)) + _remarks(one, reason, request)


def _fields(one: Checkout, reason: bytes | None, null: bytes, quoted: bool) -> Iterator[bytes]:
    yield b"worktree " + one.path
    if one.bare:
        yield b"bare"
    else:
        yield b"HEAD " + (one.head or null).hex().encode()
        if one.head is not None:  # a broken HEAD is neither
            yield b"branch " + one.branch if one.branch is not None else b"detached"
    if one.locked is not None:
        yield b"locked" + (b" " + (c_quote(one.locked) if quoted else one.locked) if one.locked else b"")
    if reason is not None:
        yield b"prunable " + reason


def _state(store: Store, one: Checkout, name: bytes) -> bytes:
    if one.bare:
        return b"(bare)"
    if one.branch is not None:
        return b"%b [%b]" % (name, abbreviate_ref(store, one.branch))
    return name + (b" (detached HEAD)" if one.head is not None else b" (error)")


def _remarks(one: Checkout, reason: bytes | None, request: WorktreeRequest) -> bytes:
    out = b""
    for word, why in ((b"locked", one.locked), (b"prunable", reason)):
        if why is not None:
            out += b"\n\t%b: %b" % (word, why) if request.verbose and why else b" " + word
    return out + b"\n"


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind no words: `list` takes none."""
    for _ in words.before + words.after:
        raise InvalidArgs(USAGE.rstrip("\n"), prefix="")


def bind_none(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """`git worktree` alone does nothing; its other subcommands write."""
    for word in words.before + words.after:
        if word in WRITES:
            raise Unsupported(f"gitglass only reads: 'worktree {word}' is not available", status=129, prefix="error")
        raise InvalidArgs(f"unknown subcommand: `{word}'\n{USAGE}")
    raise InvalidArgs(f"need a subcommand\n{USAGE}")


_ABOUT = "The work trees of the repository."
_USAGE = USAGE[7:-1]
SUBCOMMANDS = {
    "list": Command(
        "worktree list",
        WorktreeRequest,
        WorktreeResult,
        run,
        collect,
        render,
        bind=bind,
        summary=_ABOUT,
        usage=_USAGE,
    ),
}
COMMAND = Command(
    "worktree",
    WorktreeRequest,
    WorktreeResult,
    run,
    collect,
    render,
    bind=bind_none,
    stop=True,
    summary=_ABOUT,
    usage=_USAGE,
)

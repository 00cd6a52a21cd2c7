"""git show-ref: refs and their objects, found by the last parts of their names."""

import re
from collections.abc import Iterator

from ..annotations import TYPE_CHECKING, Annotated, Any
from ..deferred import deferred
from ..errors import BadRequest, NotFound, text
from ..limits import Context
from ..plans.positionals import Positionals
from ..records import typed_row
from ..refs.refs import check_refname
from ..render.style import Style
from ..repo.store import Store
from ..request.abbrev import digits_option
from ..request.declared import Field
from ..request.flag import Flag
from ..request.refs import RefsResult
from ..request.request import Request
from ..request.text import to_bytes
from ..revs.abbrev import Abbreviator
from .command import Command

if TYPE_CHECKING:
    from ..plans.refs import refs_result
else:
    refs_result = deferred(__name__, "..plans.refs", "refs_result")


class ShowRefRequest(Request[RefsResult]):
    """`git show-ref`."""

    patterns: list[str] = Field(
        default_factory=list, description="Only refs whose names end so, part by part: `main`, `tags/v1.0`."
    )
    heads: Annotated[bool, Flag("--heads", no=True)] = Field(False, description="Only branches (and tags with `tags`).")
    tags: Annotated[bool, Flag("--tags", no=True)] = Field(False, description="Only tags (and branches with `heads`).")
    head: Annotated[bool, Flag("--head", no=True)] = Field(False, description="HEAD too, whatever the patterns.")
    verify: Annotated[bool, Flag("--verify", no=True)] = Field(False, description="Patterns are exact, full names.")
    dereference: Annotated[bool, Flag("-d", "--dereference", no=True)] = Field(
        False, description="After each tag, what it finally points at, as `name^{}`."
    )
    hash_only: Annotated[
        bool,
        Flag("-s", "--hash", value="n", optional=True, const=True, sets=lambda n: {} if n is True else {"abbrev": n},
             no=True, no_const=True, parse=digits_option("hash")),
    ] = Field(False, description="Only object ids.")  # fmt: skip
    abbrev: Annotated[
        int | None, Flag("--abbrev", value="n", optional=True, const=-1, no=True, no_const=0, parse=digits_option())
    ] = Field(None, description="Digits of object ids; -1 for the usual length.")
    exclude_existing: Annotated[str | None, Flag("--exclude-existing", value="pattern", optional=True, const="")] = (
        Field(None, description="Of the refs on standard input those that are not here, and fit the pattern.")
    )
    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = Field(False, description="Only the exit status counts.")

    @property
    def reads_stdin(self) -> bool:
        """Whether refs come from standard input."""
        return self.exclude_existing is not None


_Ref = tuple[bytes, bytes | None, bool]  # name, object, whether it is symbolic


@typed_row
class Line:
    """One ref as printed; `peeled` marks the second line of a tag, `symbolic` a ref that points at another one."""

    name: bytes
    oid: bytes
    peeled: bool = False
    symbolic: bool = False


@typed_row
class Listed:
    """The lines, as they are found, and where they are looked for."""

    lines: Iterator[Line]
    store: Store
    ctx: Context


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as patterns."""
    values["patterns"] = words.before + words.after
    if "hash_only" in values:
        values["hash_only"] = True


def run(store: Store, request: ShowRefRequest, ctx: Context) -> Listed:
    """The refs, as they are found. The exit status is 1 if there are none."""
    if request.exclude_existing is not None:
        return Listed(iter(()), store, ctx)
    refs = _verified(store, request, ctx) if request.verify else _matching(store, request, ctx)
    return Listed(_with_tags(store, request, refs, ctx), store, ctx)


def _verified(store: Store, request: ShowRefRequest, ctx: Context) -> Iterator[_Ref]:
    if not request.patterns:
        raise BadRequest("--verify requires a reference")
    for word in request.patterns:
        name = to_bytes(word)
        ref = store.refs.lookup(name) if name == b"HEAD" or name.startswith(b"refs/") else None
        if ref is None or ref.oid is None:
            raise NotFound("" if request.quiet else f"'{word}' - not a valid ref", status=1 if request.quiet else 128)
        yield name, ref.oid, ref.symbolic


def _matching(store: Store, request: ShowRefRequest, ctx: Context) -> Iterator[_Ref]:
    ends = [to_bytes(pattern) for pattern in request.patterns]
    if request.head:
        head = store.refs.lookup(b"HEAD")
        if head.oid is not None:
            yield b"HEAD", head.oid, head.symbolic
    fronts = [front for front, on in ((b"refs/heads/", request.heads), (b"refs/tags/", request.tags)) if on]
    for front in fronts or [b"refs/"]:
        for ref in store.refs.entries(front):
            ctx.tick()
            if (ref.target is None or ref.oid is not None) and (not ends or _ends_so(ref.name, ends)):
                yield ref.name, ref.oid, ref.target is not None


def _ends_so(name: bytes, ends: list[bytes]) -> bool:
    return any(name.endswith(end) and name[: len(name) - len(end)][-1:] in (b"", b"/") for end in ends)


def _with_tags(store: Store, request: ShowRefRequest, refs: Iterator[_Ref], ctx: Context) -> Iterator[Line]:
    some = False
    for name, oid, symbolic in refs:
        some = True
        if oid is None or not store.odb.has(oid):
            shown = (oid or store.null).hex()
            raise NotFound(f"git show-ref: bad ref {text(name)} ({shown})", status=128)
        yield Line(name, oid, symbolic=symbolic)
        if request.dereference:
            peeled = (store.refs.peeled if request.verify else store.refs.listed_peel)(name, oid)
            if peeled is not None:
                yield Line(name, peeled, True)
    if not some:
        ctx.exit_status = 1


def _unknown_ones(data: bytes, pattern: bytes, style: Style) -> Iterator[bytes]:
    """The lines whose last word is a ref that does not exist (the other words are ignored)."""
    for line in data.removesuffix(b"\n").split(b"\n") if data else ():
        style.ctx.tick()
        whole = line.removesuffix(b"^{}")
        name = re.split(rb"[ \t\v\f\r]", whole)[-1]
        if not name.startswith(pattern):
            continue
        if not check_refname(name):
            style.ctx.warn(f"ref '{text(name)}' ignored")
        elif not style.store.refs.exists(name):
            yield whole + b"\n"


def collect(listed: Listed, request: ShowRefRequest) -> RefsResult:
    """The typed result; a peeled tag is a row named `…^{}`."""
    rows = []
    for line in listed.lines:
        name = line.name + b"^{}" if line.peeled else line.name
        rows.append((name, line.oid, listed.store.refs.resolve(name)[0] if line.symbolic else None))
    return refs_result(listed.store, rows, ctx=listed.ctx)


def render(listed: Listed, request: ShowRefRequest, style: Style) -> Iterator[bytes]:
    """`oid name`, one on each line."""
    if request.exclude_existing is not None:
        yield from _unknown_ones(style.stdin or b"", to_bytes(request.exclude_existing), style)
        return
    length = request.abbrev
    short = Abbreviator(style.store, None if length == -1 else length or 0)
    for line in listed.lines:
        if request.quiet:
            continue
        if line.peeled:
            yield b"%b %b^{}\n" % (short(line.oid), line.name)
        elif request.hash_only:
            yield short(line.oid) + b"\n"
        else:
            yield b"%b %b\n" % (short(line.oid), line.name)


COMMAND = Command(
    "show-ref",
    ShowRefRequest,
    RefsResult,
    run,
    collect,
    render,
    bind=bind,
    summary="Refs and what they are at.",
    usage="git show-ref [-q] [--verify] [--head] [-d] [-s] [--abbrev[=<n>]] [--tags] [--heads] [--] [<pattern>...]",
)

"""Common code of branch, tag and for-each-ref between their options and the engines."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..errors import BadRequest, GitError, InvalidArgs, MissingObject, NotFetched, NotFound, text
from ..limits import Context
from ..memories import Facts
from ..records import typed_row
from ..render.refs.fields import Fields
from ..render.refs.format import Malformed, Quote, RefFormat, RefOrder, quote_perl
from ..repo.store import Store
from ..request.refs import RefFilter, RefRow, RefsResult
from ..request.text import to_bytes, to_text
from ..revs.ref_filter import EVERY, RefItem, RefSpec, kind_of, list_refs
from .positionals import Positionals

if TYPE_CHECKING:
    from ..revs.resolve import try_resolve
else:
    try_resolve = deferred(__name__, "..revs.resolve", "try_resolve")


_CHUNK = 128


@typed_row
class Listing:
    """Refs in the requested order, and the data that their fields need."""

    items: list[RefItem]
    fields: Fields
    total: int | None = None  # with those that were left out because of --count


#: the binder looks for them, and the engine again
_NAMED: Facts[str, bytes] = Facts("objects that options of refs name", most=1_000, each=200)


def _object(store: Store, word: str, complaint: GitError, ctx: Context) -> bytes:
    table = store.per_call.table(_NAMED)
    oid = table.get(word)
    if oid is None:
        oid = try_resolve(store, word, ctx=ctx)
        if oid is not None:
            table.put(word, oid)
    if oid is None:
        raise complaint
    return oid


def _peel_commit(store: Store, oid: bytes, complaint: str) -> bytes:
    """The commit that an object leads to. Raises one of git's two errors if there is none."""
    try:
        peeled = store.odb.peel(oid)
        kind = store.odb.kind(peeled).decode()
    except GitError:
        raise InvalidArgs(complaint) from None
    if kind != "commit":
        raise InvalidArgs(f"object {peeled.hex()} is a {kind}, not a commit\nerror: {complaint}")
    return peeled


def _containing(store: Store, words: list[str], ctx: Context) -> list[bytes]:
    commits = []
    for word in words:
        oid = _object(store, word, InvalidArgs(f"malformed object name {word}"), ctx)
        commits.append(_peel_commit(store, oid, f"no such commit {word}"))
    return commits


def _merged(store: Store, words: list[str], option: str, ctx: Context) -> list[bytes]:
    commits = []
    for word in words:
        oid = _object(store, word, BadRequest(f"malformed object name {word}"), ctx)
        commits.append(_peel_commit(store, oid, f"option `{option}' must point to a commit"))
    return commits


def _pointed_at(store: Store, words: list[str], ctx: Context) -> list[bytes]:
    return [_object(store, word, InvalidArgs(f"malformed object name '{word}'"), ctx) for word in words]


def bind_patterns(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind words as patterns.

    git looks for an object as it reads the option that names it: the first one that is not there is reported, before an
    option that it does not know and that stands behind.
    """
    assert store is not None
    for name, given in values.items():
        if name in ("contains", "no_contains"):
            _containing(store, given, ctx)
        elif name in ("merged", "no_merged"):
            _merged(store, given, name.replace("_", "-"), ctx)
        elif name == "points_at":
            _pointed_at(store, given, ctx)
    if words.trouble is not None:
        raise words.trouble
    values["patterns"] = words.before + words.after


def ref_spec(
    store: Store,
    request: RefFilter,
    points_at: list[str],
    patterns: Sequence[str] = (),
    *,
    ctx: Context,
    kinds: int = EVERY,
    as_paths: bool = False,
    commits_only: bool = False,
    detached: bool = False,
) -> RefSpec:
    """The resolved options that all three commands have, and those that only one has. Raises GitError and InvalidArgs
    with git's messages."""
    return RefSpec(
        kinds=kinds,
        patterns=list(map(to_bytes, patterns)),
        as_paths=as_paths,
        commits_only=commits_only,
        detached=detached,
        ignore_case=request.ignore_case,
        contains=_containing(store, request.contains, ctx),
        no_contains=_containing(store, request.no_contains, ctx),
        merged=_merged(store, request.merged, "merged", ctx),
        no_merged=_merged(store, request.no_merged, "no-merged", ctx),
        points_at=_pointed_at(store, points_at, ctx),
    )


def listing(
    store: Store,
    spec: RefSpec,
    keys: list[str],
    *,
    ctx: Context,
    head_label: Callable[[], bytes] | None = None,
) -> Listing:
    """The refs of a spec, sorted by keys."""
    fields = Fields(store, ctx=ctx, head_label=head_label)
    order = RefOrder(keys, fields, ignore_case=spec.ignore_case)
    items = list_refs(store, spec, ctx=ctx)
    try:
        order.sort(items, detached_first=spec.detached)
    except MissingObject as error:
        raise _of_ref(store, items, error) from None
    return Listing(items, fields)


def _of_ref(store: Store, items: list[RefItem], error: MissingObject) -> MissingObject:
    """The error for a missing object with the ref among `items` that names it."""
    gone = next((item for item in items if not store.odb.has(item.oid)), None)
    if gone is None:
        return error
    return MissingObject(f"missing object {gone.oid.hex()} for {text(gone.name)}")


def _shower(listing: Listing, form: str | bytes, color: bool, quote: Quote | None) -> Callable[[RefItem], bytes]:
    listing.fields.color = color
    raw = form if isinstance(form, bytes) else form.encode("utf-8", "surrogateescape")
    return RefFormat(raw, listing.fields, quote).shower()


def rows(listing: Listing, form: str | bytes, *, color: bool) -> list[bytes]:
    """Each ref in a format, without newlines."""
    show = _shower(listing, form, color, None)
    return [show(item) for item in listing.items]


def lines(listing: Listing, form: str | bytes, *, color: bool, quote: Quote | None = None) -> Iterator[bytes]:
    """Each ref in a format, as lines. A faulty ref is an error before the first line, as in git."""
    if quote is not None and quote is not quote_perl:
        _not_raw(form, quote)
    show, items = _shower(listing, form, color, quote), listing.items
    done: list[bytes] = []
    for start in range(0, len(items), _CHUNK):
        listing.fields.ctx.check()
        try:
            done += map(show, items[start : start + _CHUNK])
        except MissingObject as error:
            raise _of_ref(listing.fields.store, items[len(done) : len(done) + 1], error) from None
    if done:
        done.append(b"")
        listing.fields.ctx.check()
        yield b"\n".join(done)


def _not_raw(form: str | bytes, quote: Quote) -> None:
    """Reject contents of objects, unless they are quoted for Perl."""
    whole = form if isinstance(form, str) else text(form)
    for name in ("raw", "*raw"):
        if f"%({name})" in whole:
            raise BadRequest(f"--format={name} cannot be used with --python, --shell, --tcl")


def check_format(form: str | None, listing: Listing, color: bool, *, dies: bool = True) -> None:
    """Report an invalid field of a format before anything is looked up, as git does; `dies`: with one more line."""
    if form is None:
        return
    listing.fields.color = color
    try:
        RefFormat(form.encode("utf-8", "surrogateescape"), listing.fields)
    except Malformed as error:
        if not dies:
            raise
        listing.fields.ctx.say(f"error: {error.message}\n".encode("utf-8", "surrogateescape"))
        raise BadRequest("unable to parse format string") from None


def refs_result(store: Store, refs: Iterable[tuple[bytes, bytes, bytes | None]], *, ctx: Context) -> RefsResult:
    """The typed result of refs that were found otherwise: their names, objects and targets."""
    items = [RefItem(name, oid, kind_of(name), target) for name, oid, target in refs]
    return _collected(Listing(items, Fields(store, ctx=ctx)))


def collect(listing: Listing, request: RefFilter) -> RefsResult:
    """The typed result of any of the three."""
    return _collected(listing)


def _collected(listing: Listing) -> RefsResult:
    fields, rows_out = listing.fields, []
    creator = fields.sorter(b"creatordate")[0]
    for item in listing.items:
        fields.ctx.tick()
        rows_out.append(_row(item, fields, creator))
    total = len(rows_out) if listing.total is None else listing.total
    cut = total > len(rows_out)
    return RefsResult(refs=rows_out, total=total, truncated=cut, reason="count" if cut else None)


def _row(item: RefItem, fields: Fields, creator: Callable[[RefItem], object]) -> RefRow:
    target = None if item.target is None else to_text(item.target)
    row = RefRow(to_text(item.name), item.oid.hex(), target)
    try:
        seen = fields.seen(item.oid)
        row.kind = to_text(seen.kind)
        if seen.parts is not None:
            row.subject = to_text(seen.parts.subject)
            row.time = creator(item) or None  # type: ignore[assignment]  # epoch seconds, 0 for none
    except (NotFound, NotFetched):  # a broken ref, or one whose object was not fetched
        pass
    upstream = fields.upstream(item.name, False)
    if upstream is not None:
        row.upstream = to_text(upstream)
        counts = fields.ahead_behind(item, False)
        if counts is not None:
            row.ahead, row.behind = counts
    return row

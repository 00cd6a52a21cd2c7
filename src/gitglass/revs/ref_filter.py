"""Selects refs: the lists of `branch`, `tag` and `for-each-ref`, before anything is sorted or printed.

Mirrors the options that git-branch(1), git-tag(1) and git-for-each-ref(1) share: patterns, --contains, --merged,
--points-at and their opposites.
"""

from collections.abc import Callable, Iterator
from itertools import repeat
from operator import itemgetter

from ..annotations import TYPE_CHECKING, NamedTuple
from ..deferred import deferred
from ..errors import Corrupt, GitError, text
from ..limits import Context, paced, slices
from ..paths.wildmatch import CASEFOLD, PATHNAME, any_of, literal_length
from ..records import field, record
from ..refs.refs import Row, check_refname
from ..repo.store import Store

if TYPE_CHECKING:
    from ..history.ref_reach import that_are_reached, that_contain
else:
    that_are_reached, that_contain = deferred(__name__, "..history.ref_reach", "that_are_reached", "that_contain")


HEADS, REMOTES, TAGS, OTHER, DETACHED = 1, 2, 4, 8, 16
EVERY = HEADS | REMOTES | TAGS | OTHER
_NAME, _OID = itemgetter(0), itemgetter(1)
_FRONTS = ((b"refs/heads/", HEADS), (b"refs/remotes/", REMOTES), (b"refs/tags/", TAGS))


class RefItem(NamedTuple):
    """One ref of a list. `target` is the ref that a symbolic ref finally leads to; `kind` is one of HEADS, REMOTES, …

    A detached HEAD is an item too: its name is `HEAD`, its kind DETACHED.
    """

    name: bytes
    oid: bytes
    kind: int
    target: bytes | None = None


@record(frozen=True)
class RefSpec:
    """What to list. Oids in `contains` and similar fields are those of commits, in `points_at` of any object.

    `as_paths`: patterns match whole names or leading directories (for-each-ref) and not short names (branch, tag).
    `commits_only`: leave out refs that lead to no commit (branch -v). `detached`: a detached HEAD belongs to the list.
    """

    kinds: int = EVERY
    patterns: list[bytes] = field(default_factory=list)
    as_paths: bool = False
    ignore_case: bool = False
    contains: list[bytes] = field(default_factory=list)
    no_contains: list[bytes] = field(default_factory=list)
    merged: list[bytes] = field(default_factory=list)
    no_merged: list[bytes] = field(default_factory=list)
    points_at: list[bytes] = field(default_factory=list)
    commits_only: bool = False
    detached: bool = False


def list_refs(store: Store, spec: RefSpec, *, ctx: Context) -> list[RefItem]:
    """The selected refs, sorted by name, a detached HEAD first. Broken ones cause a warning and are left out."""
    matches = _name_filter(spec)
    items: list[RefItem] = []
    if spec.detached and (matches is None or matches(b"HEAD")):
        branch, oid = store.refs.head()
        if branch is None and oid is not None:
            items.append(RefItem(b"HEAD", oid, DETACHED))
    # OTHER is only selected with all other kinds; one test of a name is cheap, even if there are many names
    meant = tuple(front for front, kind in _FRONTS if kind & spec.kinds) if not spec.kinds & OTHER else (b"",)
    for kind, front in _fronts(spec):
        rows, well_formed = store.refs.plain(front)
        if rows and well_formed and all(_sound(part, store.null) for part in slices(rows)):
            if kind and matches is None and all(all(map(_OID, part)) for part in slices(rows)):
                columns = zip(map(_NAME, paced(rows)), map(_OID, rows), repeat(kind), repeat(None))
                items += map(tuple.__new__, repeat(RefItem), columns)
                continue
            if not kind:
                rows = [row for row in paced(rows) if row[0].startswith(meant)]
        items += _looked_at(store, rows, well_formed, meant, matches, kind, ctx)
        ctx.check()
    if spec.points_at:
        items = [item for item in items if _points_at(store, item, spec.points_at)]
    return _by_history(store, spec, items, ctx)


def _sound(rows: list[Row], null: bytes) -> bool:
    """Whether none of some refs is broken, so that those not selected can be dropped at once."""
    _, oids, targets = zip(*rows)
    return null not in oids and (None, None) not in zip(oids, targets)


def _looked_at(
    store: Store,
    rows: list[Row],
    well_formed: bool,
    meant: tuple[bytes, ...],
    matches: Callable[[bytes], bool] | None,
    kind: int,
    ctx: Context,
) -> Iterator[RefItem]:
    """Check refs one by one. A broken ref causes a warning even if it is not selected: git checks that first."""
    null = store.null
    for name, oid, target in paced(rows):
        if not well_formed and not check_refname(name):
            ctx.warn(f"ignoring ref with broken name {text(name)}")
            continue
        if target is None and (oid is None or oid == null):
            ctx.warn(f"ignoring broken ref {text(name)}")
            continue
        if not name.startswith(meant) or (matches is not None and not matches(name)):
            continue
        if target is not None:
            target, oid = store.refs.resolve(name)
            if oid is None or oid == null:
                continue
        assert oid is not None
        yield RefItem(name, oid, kind or kind_of(name), target)


def kind_of(name: bytes) -> int:
    """HEADS, REMOTES, TAGS or OTHER."""
    for front, kind in _FRONTS:
        if name.startswith(front):
            return kind
    return OTHER


def _fronts(spec: RefSpec) -> list[tuple[int, bytes]]:
    """The prefixes to search for each kind (0: any); with patterns that are paths, only below their common prefix.

    For several kinds git reads all refs, and warns of any broken one.
    """
    kinds = spec.kinds & EVERY
    if kinds != EVERY and not kinds & (kinds - 1):
        return [(kind, front) for front, kind in _FRONTS if kinds & kind]
    front = b"refs/"
    if spec.as_paths and spec.patterns and not spec.ignore_case:
        front = _common_front([pattern[: literal_length(pattern)] for pattern in spec.patterns])
        front = front if front.startswith(b"refs/") else b"refs/"
    return [(0, front)]


def _common_front(names: list[bytes]) -> bytes:
    low, high = min(names), max(names)
    size = next((i for i, pair in enumerate(zip(low, high)) if pair[0] != pair[1]), min(len(low), len(high)))
    return low[:size]


def _name_filter(spec: RefSpec) -> Callable[[bytes], bool] | None:
    """A test of names by the patterns; None without patterns."""
    if not spec.patterns:
        return None
    fold = CASEFOLD if spec.ignore_case else 0
    if spec.as_paths:
        return _path_filter(spec.patterns, fold)
    fits = any_of(spec.patterns, fold)

    def by_short_name(name: bytes) -> bool:
        for front in (b"refs/tags/", b"refs/heads/", b"refs/remotes/", b"refs/"):
            if name.startswith(front):
                name = name[len(front) :]
                break
        return fits(name)

    return by_short_name


def _path_filter(patterns: list[bytes], fold: int) -> Callable[[bytes], bool]:
    fits, literal = any_of(patterns, fold | PATHNAME), frozenset(patterns)

    def by_path(name: bytes) -> bool:
        at = name.find(b"/")
        while at >= 0:  # a pattern is the ref's name, or that of a directory above it
            if name[:at] in literal or name[: at + 1] in literal:
                return True
            at = name.find(b"/", at + 1)
        return name in literal or fits(name)

    return by_path


def _points_at(store: Store, item: RefItem, wanted: list[bytes]) -> bool:
    """Whether a ref points at one of the objects, or at a tag of one (a single step, as in git)."""
    if item.oid in wanted:
        return True
    if not store.odb.has(item.oid):
        raise Corrupt(f"malformed object at '{text(item.name)}'")
    final = store.refs.peeled(item.name, item.oid)
    return final is not None and store.odb.tag(item.oid).object in wanted


def commit_of(store: Store, item: RefItem) -> bytes | None:
    """The commit that a ref leads to through tags, or None."""
    try:
        oid = store.refs.peeled(item.name, item.oid) or item.oid
        return oid if store.odb.kind(oid) == b"commit" else None
    except GitError:
        return None


def _by_history(store: Store, spec: RefSpec, items: list[RefItem], ctx: Context) -> list[RefItem]:
    if not (spec.contains or spec.no_contains or spec.merged or spec.no_merged or spec.commits_only):
        return items
    rows = [(item, commit_of(store, item)) for item in paced(items)]
    pairs = [(item, commit) for item, commit in rows if commit is not None]
    through_all = spec.kinds == TAGS and not spec.as_paths  # `git tag`
    if spec.contains:
        commits = {commit for _, commit in pairs}
        inside = that_contain(store, commits, spec.contains, ctx=ctx, through_all=through_all)
        pairs = [pair for pair in pairs if pair[1] in inside]
    if spec.no_contains:
        commits = {commit for _, commit in pairs}
        outside = that_contain(store, commits, spec.no_contains, ctx=ctx, through_all=through_all)
        pairs = [pair for pair in pairs if pair[1] not in outside]
    before: tuple[set[bytes], set[bytes]] | None = None
    if spec.merged:
        before = {commit for _, commit in pairs}, set(spec.merged)
        inside = that_are_reached(store, *before, ctx=ctx)
        pairs = [pair for pair in pairs if pair[1] in inside]
    if spec.no_merged:
        outside = that_are_reached(store, {commit for _, commit in pairs}, spec.no_merged, ctx=ctx, before=before)
        pairs = [pair for pair in pairs if pair[1] not in outside]
    return [item for item, _ in pairs]

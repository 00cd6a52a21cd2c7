"""The plan of a git rev-list: its walk, the objects it lists, and the objects that excluded commits hide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..history.bisect import Bisection
from ..history.objects.filters import BLOB, TAG, TREE, make_filter, parse_filters
from ..history.objects.git_order import OidSet
from ..history.objects.listing import ObjectLister, ObjectRules
from ..history.objects.promisor import Promised
from ..history.spec import Tip, WalkEntry, WalkRow, WalkSpec
from ..limits import Context
from ..paths.pathspec import Pathspecs
from ..records import field, typed_row
from ..repo.store import Store
from ..request.rev_list import RevListRequest
from ..request.text import to_bytes
from ..revs.tip import Tip as NamedTip
from ..revs.tip import Tips

_ACTIONS = ("error", "print", "allow-any", "allow-promisor")  # git ignores other words


@typed_row
class RevList:
    """A planned listing. `lister` gives the objects behind commits, if they are wanted."""

    entries: Iterator[WalkEntry]
    starts: list[Tip]
    spec: WalkSpec
    ctx: Context
    store: Store
    rows: Iterator[WalkRow] | None = None  # the entries as bare values, if nothing else is needed
    lister: ObjectLister | None = None
    omitted: OidSet | None = None
    bisection: Bisection | None = None
    edges: list[bytes] = field(default_factory=list)
    named: list[bytes] = field(default_factory=list)  # commits that were named themselves, not through a tag


def object_lister(listing: RevList, request: RevListRequest, named: Tips, paths: Pathspecs | None) -> ObjectLister:
    """The lister of the objects behind commits; named objects already wait in it."""
    store, odb = listing.store, listing.store.odb
    rules = ObjectRules(missing=request.missing if request.missing in _ACTIONS else "", verify=request.verify_objects)
    rules.promised = Promised(store, listing.ctx)
    if rules.missing not in ("", "error"):
        odb.fetch_if_missing = False
    words = request.filters
    while "" in words:  # --no-filter
        words = words[words.index("") + 1 :]
    spec = parse_filters([to_bytes(word) for word in words])
    if spec is not None:
        if request.filter_print_omitted:
            listing.omitted = OidSet()
        rules.ask, rules.all_asked = make_filter(spec, odb, listing.omitted), request.filter_provided
    lister = ObjectLister(store, paths or Pathspecs.ALL, listing.ctx, rules)
    for tip in named.objects:
        end = _wait_for_tags(lister, tip)
        kind = odb.kind(end)
        if tip.exclude and kind == b"tree":
            lister.exclude(end)
        elif tip.exclude:
            lister.seen.add(end)
        elif kind != b"commit":
            lister.named(TREE if kind == b"tree" else BLOB, end, tip.path or b"")
    return lister


def _wait_for_tags(lister: ObjectLister, tip: NamedTip) -> bytes:
    """List a named tag, and each tag that it points at (none if it is excluded). Returns the object at the end."""
    odb, oid = lister.store.odb, tip.oid
    while odb.kind(oid) == b"tag":
        lister.ctx.tick()
        tag = odb.tag(oid)
        if tip.exclude:
            lister.seen.add(oid)
        else:
            lister.named(TAG, oid, tag.tag)
        oid = tag.object
    return oid


def hide_edges(
    lister: ObjectLister,
    edges: Iterable[tuple[bytes, bool]],
    wanted: str | None,
    named: Iterable[bytes],
    has_tree: Callable[[bytes], bool] | None = None,
) -> list[bytes]:
    """Hide the objects of the excluded commits of the `edges`: those next to the list, and those in it, which turned
    out to be excluded after they were listed (True). Return those of these commits that are shown: with "aggressive"
    also those in the list, and those excluded ones that were `named` themselves. `has_tree` False: git has not read
    the commit, so that it has no objects."""
    shown: dict[bytes, None] = {}
    for oid, is_listed in edges:
        if has_tree is None or has_tree(oid):
            lister.exclude_commits([oid])
        if wanted is not None and (wanted == "aggressive" or not is_listed):
            shown[oid] = None
    if wanted == "aggressive":
        lister.exclude_commits(named)
        shown.update(dict.fromkeys(named))
    return list(shown)

"""git rev-list: commits by name, counted or listed, and the objects behind them."""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..errors import BadRequest, GitError, InvalidArgs, MissingObject, Unsupported
from ..history.bisect import bisect
from ..history.columns import Column, Parents
from ..history.fast import entries_of
from ..history.objects.filters import parse_filters
from ..history.objects.listing import Named, ObjectLister
from ..history.order.excluded import excludes_only, rows_apart
from ..history.order.first_parents import AheadAlong
from ..history.order.incremental import Ahead, begin, has_generations
from ..history.pipeline import walk, walk_listed, walk_rows
from ..history.reach import chosen_oids, count_between, count_chosen, count_reachable, count_sides, counts_all
from ..history.reflogs import walk_reflogs
from ..history.spec import LEFT, LOADED, PATCHSAME, SHOWN, UNINTERESTING, WalkEntry, WalkRow, is_read
from ..history.walk import Walk
from ..limits import Context
from ..plans.conflict import conflict_sides
from ..plans.objects import RevList, hide_edges, object_lister
from ..plans.positionals import Positionals
from ..plans.walk import commit_matcher, parse_pathspecs, walk_spec, walk_tips
from ..plans.words import STDIN, revs_and_paths
from ..records import replace
from ..render.log.decorate import Decorations
from ..render.log.graph import Graph
from ..render.log.mail_text import MailForm
from ..render.log.pretty import Printer, make_printer, output_encoding
from ..render.log.rows import Row, batches
from ..render.rev_list import RevListShape, RevListWriter, human_size
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import altered
from ..request.rev_list import RevListRequest, RevListResult
from ..request.text import to_bytes
from ..revs.reflogs import reflog_cursors, walked_beside
from ..revs.tip import Tips
from ..revs.tips import tips
from .command import Command

if TYPE_CHECKING:
    from ..history.missing import as_git_ends
    from .log import another
else:
    as_git_ends = deferred(__name__, "..history.missing", "as_git_ends")
    another = deferred(__name__, ".log", "another")

_OID, _BESIDE = itemgetter(0), itemgetter(4)
_PIECE = 256  # objects that are written at once
#: only the lines of one mail
_MAIL = MailForm(tag=b"", subject=False, encode=False)
USAGE = "usage: git rev-list [<options>] <commit>... [--] [<path>...]\n"


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind revisions and paths; then check the options that git's parser accepts for a diff."""
    assert store is not None
    if values.get("filters"):
        parse_filters([to_bytes(word) for word in values["filters"] if word])  # also those that --no-filter takes back
    revs_and_paths(words, values, store, ctx)
    if STDIN in words.before:
        values["named_elsewhere"] = True
    if words.aside is not None:
        values.update(words.aside.judge(store, values["paths"], USAGE.rstrip("\n"), ctx=ctx))


def _usage(word: str = "") -> InvalidArgs:
    return InvalidArgs(USAGE.rstrip("\n"), prefix="")


#: options that are possible with --use-bitmap-index if there are bitmaps
_COUNTED_BY_BITMAP = {
    "use_bitmap_index",
    "count",
    "objects",
    "revs",
    "paths",
    "max_count",
    "named_elsewhere",
    "no_walk",
}


def _refuse(request: RevListRequest, store: Store, excluding: bool) -> None:
    """Raise git's errors that come after its parser; and refuse to use bitmaps, if there are any, because with them
    git's order is another.

    The number of commits is the same, and the number of objects if none are excluded (`excluding`: with a bitmap git
    finds all objects to exclude, and otherwise most). With a bitmap git ignores other options that select commits.
    """
    counted = request.count and not request.no_walk and request.model_fields_set <= _COUNTED_BY_BITMAP
    counted = counted and not (request.objects and (excluding or request.max_count is not None))
    if request.use_bitmap_index and not counted and any(directory.bitmaps for directory in store.odb.dirs):
        raise Unsupported(
            "gitglass rev-list does not take --use-bitmap-index: there are bitmaps, and they are not read",
            status=129,
            prefix="error",
            option="--use-bitmap-index",
        )
    if request.exclude_promisor and any(pack.promisor for directory in store.odb.dirs for pack in directory.indexed()):
        raise Unsupported(
            "gitglass rev-list does not take --exclude-promisor-objects: there are some",
            status=129,
            prefix="error",
            option="--exclude-promisor-objects",
        )
    if request.graph and "all" in (request.bisect or ""):
        raise Unsupported(
            "gitglass rev-list does not take --bisect-all with --graph",
            status=129,
            prefix="error",
            option="--bisect-all",
        )
    if request.exclude_promisor and request.missing:
        raise BadRequest("options '--exclude-promisor-objects' and '--missing' cannot be used together")
    if "?" in request.notes:
        raise _usage()
    shown = next((word[0] for word in reversed(request.notes) if word[:1] in ("+", "-", "&")), "-")
    if shown != "-":
        raise BadRequest("rev-list does not support display of notes")
    if request.count and request.objects and (request.left_right or request.cherry_mark):
        raise BadRequest("marked counting and '--objects' cannot be used together")


def run(store: Store, request: RevListRequest, ctx: Context, named: Tips | None = None) -> RevList:
    """The requested commits, lazily. Raises InvalidArgs with the usage if no revision was named."""
    named = tips(store, request.revs, ctx=ctx, default=request.default, named=named, reflogs=request.walk_reflogs)
    paths = parse_pathspecs(store, request.paths) if request.paths else None
    if request.merge:
        named, paths = conflict_sides(store, named, paths, ctx=ctx)
    given = (
        request.objects
        or request.named_elsewhere
        or named.globbed
        or any(not word.startswith("-") for word in request.revs)
    )
    if request.filters and request.filters[-1] and not request.objects:
        raise BadRequest("object filtering requires --objects")
    if not named.entries and not given:
        raise _usage()
    _refuse(request, store, any(tip.exclude for tip in named.entries))
    encoding = output_encoding(store, request.encoding)
    matcher = commit_matcher(request, store, ctx=ctx, mailmap=False, encoding=encoding)
    starts = walk_tips(named)
    spec = walk_spec(
        request,
        store,
        ctx=ctx,
        paths=paths,
        graph=request.graph,
        matcher=None if request.walk_reflogs else matcher,
        tips=starts,
        raw=bool(request.pretty or request.header),
    )
    if not (spec.graph or spec.children or spec.sources):  # otherwise these stand beside the rows
        timed = request.timestamp
        spec = replace(spec, timed=timed, rooted=request.objects and not timed)
    listing = RevList(iter(()), starts, spec, ctx, store)
    listing.named = [tip.oid for tip in named.entries if tip.oid == tip.commit]
    if request.objects:
        listing.lister = object_lister(listing, request, named, paths)
    if request.walk_reflogs:
        cursors, beside = reflog_cursors(store, named, ctx=ctx), walk_tips(walked_beside(named))
        listing.entries = walk_reflogs(store, cursors, spec, matcher, beside=beside, forgets=True, ctx=ctx)
    elif not bisects(request) and (rows := _rows_of_objects(listing, request)) is not None:
        listing.rows = iter(rows)
        listing.entries = entries_of(listing.rows, store, spec)
    elif bisects(request) or (request.objects and any(tip.flags for tip in starts) and not _hides(listing, request)):
        listing.entries = walk_listed(store, starts, spec, lambda *made: _chosen(listing, request, *made), ctx=ctx)
    else:
        listing.entries = walk(store, starts, spec, ctx=ctx)
        if _shows_all(listing, request):
            listing.rows = walk_rows(store, starts, spec, ctx=ctx)
    return listing


def _shows_all(listing: RevList, request: RevListRequest) -> bool:
    """Whether every commit of the walk is shown, and objects, if they are wanted, come after all of them."""
    if listing.lister is None:
        return True
    ask = listing.lister.rules.ask
    return (ask is None or ask.shows_commits) and not request.in_commit_order


def _rows_of_objects(listing: RevList, request: RevListRequest) -> list[WalkRow] | None:
    """The commits of a list with objects that excludes some, once the objects of its edge are hidden; None where the
    general walk has to tell which commits these are."""
    starts, spec, lister = listing.starts, listing.spec, listing.lister
    if lister is None or not _shows_all(listing, request) or request.objects_edge == "aggressive":
        return None
    if not (excludes_only(starts, spec) and counts_all(starts, spec)):
        return None
    rows = rows_apart(listing.store, starts, spec, listing.ctx)
    if rows is None:
        return None
    listed = list(rows)
    inside = {row[0] for row in listed}
    edges = ((parent, False) for row in listed for parent in row[1] if parent not in inside)
    listing.edges = hide_edges(lister, edges, request.objects_edge, ())
    return listed


def _at_first(listing: RevList) -> tuple[Walk, list[bytes]] | None:
    """The walk before its first commit and what it starts from, where git makes no list then: the edges are those of
    the tips, as far as it has looked ahead."""
    spec, store = listing.spec, listing.store
    if not spec.order or spec.limited or not has_generations(store.odb):
        return None
    walk = Walk(store, spec, listing.ctx)
    first = walk.start(listing.starts)
    if walk.limited:
        return None
    begin((AheadAlong if spec.skips_parents else Ahead)(walk), first)
    return walk, first


def _hides(listing: RevList, request: RevListRequest) -> bool:
    """Whether the objects of the edges are hidden now, since git knows its edges before it shows commits."""
    ahead = None if listing.spec.boundary else _at_first(listing)
    if ahead is not None:
        _hide_edges(listing, request, *ahead)
    return ahead is not None


def _edges(oid: bytes, flags: Column, parents: Parents) -> Iterator[tuple[bytes, bool]]:
    """The excluded commits that a commit of the list leads to; or itself, if it is one."""
    if flags[oid] & UNINTERESTING:
        yield oid, True
        return
    yield from ((parent, False) for parent in parents[oid] if flags[parent] & UNINTERESTING)


def bisects(request: RevListRequest) -> bool:
    """Whether the list is bisected; --bisect is also a pseudo revision."""
    return request.bisect is not None or "--bisect" in request.revs


def _hide_edges(listing: RevList, request: RevListRequest, state: Walk, listed: list[bytes]) -> None:
    """Hide the objects of the excluded commits next to those that are `listed`, as far as the walk knows them."""
    assert listing.lister is not None
    edges = (edge for oid in listed for edge in _edges(oid, state.flags, state.parents))
    ends = [oid for oid in listing.named if state.flags[oid] & UNINTERESTING]
    has_tree = (lambda oid: bool(state.flags[oid] & LOADED)) if listing.spec.skips_parents else None
    listing.edges = hide_edges(listing.lister, edges, request.objects_edge, ends, has_tree)


def _chosen(listing: RevList, request: RevListRequest, state: Walk, commits: list[bytes]) -> list[bytes]:
    """The commits of a list to go through, once its edge and its middle are known."""
    if listing.lister is not None:
        _hide_edges(listing, request, *(_at_first(listing) or (state, commits)))
        for oid in listing.edges:
            state.flags[oid] |= SHOWN
    if not bisects(request):
        return commits
    everything = "all" in (request.bisect or "")
    bisection = bisect(state, commits, everything=everything, first_parent=request.first_parent, ctx=listing.ctx)
    listing.bisection = bisection
    return bisection.commits


# -------------------------------------------------------------------------------------------------- numbers
def _counts(listing: RevList, request: RevListRequest) -> tuple[int, int, int]:
    """The number of commits on the left, on the right, and the same on both; other objects count as on the right."""
    if not (request.walk_reflogs or bisects(request)) and listing.lister is None:
        try:
            counts = _at_once(listing)
        except MissingObject as error:
            raise as_git_ends(error, listing.store, listing.starts, listing.spec, listing.ctx) from None
        if counts is not None:
            return *counts, 0
    if listing.lister is None and listing.rows is not None:
        return _tally(map(itemgetter(3), listing.rows))
    return _tally(map(_flags, _met(listing, request)))


def _at_once(listing: RevList) -> tuple[int, int] | None:
    """The numbers of commits on both sides where nobody has to list them."""
    spec, ctx = listing.spec, listing.ctx
    if counts_all(listing.starts, spec):
        if any(tip.flags for tip in listing.starts):
            return 0, count_between(listing.store, listing.starts, ctx)
        named = [tip.oid for tip in listing.starts]
        return 0, count_reachable(listing.store, named, first_only=spec.first_parent, ctx=ctx)
    chosen = count_chosen(listing.store, listing.starts, spec, ctx=ctx)
    return count_sides(listing.store, listing.starts, spec, ctx=ctx) if chosen is None else (0, chosen)


def _flags(met: WalkEntry | Named) -> int:
    """The flags that a commit is counted by; an object that is none has no flags."""
    return 0 if isinstance(met, tuple) else met.flags


def _tally(flags: Iterable[int]) -> tuple[int, int, int]:
    left = right = same = 0
    for have in flags:
        if have & PATCHSAME:
            same += 1
        elif have & LEFT:
            left += 1
        else:
            right += 1
    return left, right, same


def _drawn(listing: RevList, request: RevListRequest, style: Style) -> Generator[bytes, None, tuple[int, int, int]]:
    """A graph of commits that are only counted: the part of each line before the commit's name."""
    met = list(_met(listing, request))
    graph = _graph(request, style)
    for entry in met:
        if isinstance(entry, WalkEntry):
            mark = entry.mark(sides=request.left_right, cherry=request.cherry_mark, graph=True)
            yield graph.begin(entry.oid, entry.graph_parents, mark)
    return _tally(map(_flags, met))


def _graph(request: RevListRequest, style: Style) -> Graph:
    palette = style.color("diff", request.color)
    return Graph(palette.graph(style.store.config, style.ctx), palette.reset)


def _met(listing: RevList, request: RevListRequest) -> Iterator[WalkEntry | Named]:
    """Commits and objects in the order of the walk."""
    lister = listing.lister
    if lister is None:
        yield from listing.entries
        return
    named = {tip.oid for tip in listing.starts}
    for entry in listing.entries:
        if lister.commit(entry.oid, named=entry.oid in named, wait=is_read(entry.flags)):
            yield entry
        if request.in_commit_order:
            yield from lister.waiting()
    yield from lister.waiting()


# -------------------------------------------------------------------------------------------------- answers
def collect(listing: RevList, request: RevListRequest) -> RevListResult:
    """The typed result."""
    if request.count:
        left, right, same = _counts(listing, request)
        return RevListResult(left=left, right=right, total=left + right + same)
    oids = _oids(listing, request)
    if request.disk_usage:
        return RevListResult(disk_usage=sum(listing.store.odb.disk_sizes(oids)), total=len(oids))
    omitted, missing = ([oid.hex() for oid in side] for side in _left_out(listing))
    cut = _is_cut(listing, request)
    return RevListResult(
        oids=[oid.hex() for oid in oids], total=None if cut else len(oids), omitted=omitted, missing=missing,
        truncated=cut, reason="max_count" if cut else None,
    )  # fmt: skip


def _is_cut(listing: RevList, request: RevListRequest) -> bool:
    """Whether there are more commits than the request wants."""
    limit = request.max_count
    if limit is None or limit < 0 or request.bisect:
        return False
    return another(_behind(listing, request, limit), listing.ctx)


def _behind(listing: RevList, request: RevListRequest, limit: int) -> Iterator[WalkEntry]:
    """The commits behind those that the request wants: the first of them."""
    asked = altered(request, max_count=1, skip=max(request.skip, 0) + limit, reverse=False, boundary=False)
    for met in _met(run(listing.store, asked, listing.ctx), asked):
        if not isinstance(met, tuple):
            yield met


def _left_out(listing: RevList) -> tuple[list[bytes], list[bytes]]:
    """The objects that a filter left out, and the missing ones, in git's order; known when everything is listed."""
    lister = listing.lister
    if lister is None:
        return [], []
    if lister.rules.ask is not None:
        lister.rules.ask.finish()
    return list(listing.omitted or ()), list(lister.rules.absent)


def render(listing: RevList, request: RevListRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    quiet = request.quiet or request.disk_usage
    counts, used = (0, 0, 0), 0
    yield from (b"-" + oid.hex().encode() + b"\n" for oid in listing.edges)
    if quiet:
        used = _disk_usage(listing, request)
    elif request.count and request.graph and not bisect_variables(request):
        counts = yield from _drawn(listing, request, style)
    elif request.count and not bisect_variables(request):
        counts = _counts(listing, request)
    else:
        yield from _listed(listing, request, style)
    for sign, oids in zip((b"~", b"?"), _left_out(listing), strict=True):
        yield from (sign + oid.hex().encode() + b"\n" for oid in oids)
    if bisect_variables(request):
        yield from _variables(listing, request)
        return
    if request.count:  # hidden commits are not counted
        yield _count_line(request, *counts)
    if request.disk_usage:
        yield (human_size(used) if request.disk_usage == "human" else b"%d" % used) + b"\n"


def bisect_variables(request: RevListRequest) -> bool:
    """Whether the bisection is printed as variables for a shell (--bisect-vars)."""
    return "vars" in (request.bisect or "")


def _variables(listing: RevList, request: RevListRequest) -> Iterator[bytes]:
    bisection = listing.bisection
    if bisection is None or not bisection.commits:
        listing.ctx.exit_status = 1
        return
    if "all" in (request.bisect or ""):
        yield b"------\n"
    yield bisection.variables()


def _oids(listing: RevList, request: RevListRequest) -> list[bytes]:
    """All that is met: commits, and other objects if they are listed."""
    return [met[0] if isinstance(met, tuple) else met.oid for met in _met(listing, request)]


def _disk_usage(listing: RevList, request: RevListRequest) -> int:
    """The bytes of all objects on disk (--disk-usage); everything is walked even if no total is wanted."""
    oids: Sequence[bytes] | None = None
    if listing.lister is None and listing.rows is not None:
        oids = chosen_oids(listing.store, listing.starts, listing.spec, ctx=listing.ctx)
        if oids is None:
            oids = list(map(_OID, listing.rows))
    if oids is None:
        oids = _oids(listing, request)
    return sum(listing.store.odb.disk_sizes(oids)) if request.disk_usage else 0


def _count_line(request: RevListRequest, left: int, right: int, same: int) -> bytes:
    if request.left_right and request.cherry_mark:
        return b"%d\t%d\t%d\n" % (left, right, same)
    if request.left_right:
        return b"%d\t%d\n" % (left, right)
    if request.cherry_mark:
        return b"%d\t%d\n" % (left + right, same)
    return b"%d\n" % (left + right)


def _listed(listing: RevList, request: RevListRequest, style: Style) -> Iterator[bytes]:
    printer: Printer | None = None
    if request.pretty is not None or request.header or request.abbrev_commit:
        pretty = "raw" if request.pretty is None else request.pretty
        asked = altered(request, pretty=pretty, expand_tabs=0)  # strange but git's: it has the options for tabs, no use
        printer = make_printer(asked, style.store, style=style, ctx=style.ctx, configured=False, mail=_MAIL)
    shape = RevListShape(
        timestamp=request.timestamp,
        timed=listing.spec.timed,
        sides=request.left_right,
        cherry=request.cherry_mark,
        parents=request.parents,
        children=request.children,
        header=request.header and request.pretty is None,
        verbose=request.pretty is not None or request.header,
        named=request.commit_header or printer is None or not printer.is_user,
        graph=_graph(request, style) if request.graph else None,
        beside=_with_distances(listing, request, printer, style) if "all" in (request.bisect or "") else None,
    )
    writer = RevListWriter(shape, printer, listing.store.odb.facts_reader())
    # rows do not have the parents of a commit at the boundary that only a user's format shows
    if listing.rows is not None and not (listing.spec.boundary and printer is not None and printer.is_user):
        store, reads = listing.store, printer is not None and printer.reads
        for batch in batches(listing.rows, partial(store.odb.raw_reader, keep=not store.once) if reads else None):
            if listing.lister is not None:
                _wait(listing.lister, batch, rooted=listing.spec.rooted)
            yield writer.rows(batch)
        if listing.lister is not None:
            yield from _objects(listing.lister.waiting(), request)
        return
    silent = request.bisect == "vars"
    for met in _met(listing, request):
        if silent:
            continue
        if isinstance(met, tuple):
            yield from _objects((met,), request)
        else:
            yield writer.entry(met)


def _wait(lister: ObjectLister, rows: Sequence[Row], *, rooted: bool) -> None:
    """The trees of the commits wait to be listed. Of a commit that it has not read git knows no tree."""
    rows = [row for row in rows if is_read(row[3])]
    if lister.rules.verify:
        lister.verify_commits(list(map(_OID, rows)))
    if rooted and all(map(_BESIDE, rows)):
        lister.roots([row[4][0] for row in rows])
    else:
        lister.commits(list(map(_OID, rows)))


def _objects(met: Iterable[Named], request: RevListRequest) -> Iterator[bytes]:
    """A line for each object with its path; in batches, including all objects before an error."""
    lines: list[bytes] = []
    try:
        for oid, name in met:
            if not request.object_names:
                lines.append(hexlify(oid) + b"\n")
            else:
                lines.append(b"%b %b\n" % (hexlify(oid), name.partition(b"\n")[0] if b"\n" in name else name))
            if len(lines) == _PIECE:
                yield b"".join(lines)
                lines.clear()
    except GitError:
        yield b"".join(lines)
        raise
    yield b"".join(lines)


def _with_distances(
    listing: RevList, request: RevListRequest, printer: Printer | None, style: Style
) -> Callable[[bytes], bytes]:
    """The text beside a commit with --bisect-all: its refs, and its distance if it is in the list. %d has both too."""
    shown = None if printer is None else printer.env.decorations
    refs = Decorations(style.store, ctx=style.ctx) if shown is None else shown
    refs.distances = lambda: listing.bisection.distances if listing.bisection is not None else {}
    refs.distances_first = request.simplify_by_decoration
    palette = style.color("diff", request.color or "never")
    return lambda oid: refs.text(oid, palette)


COMMAND = Command(
    "rev-list",
    RevListRequest,
    RevListResult,
    run,
    collect,
    render,
    bind=bind,
    anywhere=frozenset(),
    aside="plans.ignored_diff_options:Unused",
    unknown=_usage,
    refused={
        "--line-prefix": "git puts it in odd places here",
        "--test-bitmap": "bitmaps are not read",
        "--early-output": "nothing is shown twice",
    },
    summary="commits by name, and the objects behind them",
    usage=USAGE,
)

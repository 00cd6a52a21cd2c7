"""git rev-list: commits by name, counted or listed, and the objects behind them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import BadRequest, InvalidArgs
from ..limits import Context
from ..model.quick import altered
from ..model.revlist import RevListRequest, RevListResult
from ..model.walkspec import commit_matcher, parse_pathspecs, walk_spec, walk_tips
from ..paths.pathspec import Pathspecs as PathMatcher
from ..render.decorate import Decorations
from ..render.graph import Graph
from ..render.pretty import Printer, make_printer, output_encoding
from ..render.revlist import RevListShape, RevListWriter, human_size
from ..render.style import Style
from ..revs.conflict import conflict_sides
from ..revs.reflogs import reflog_cursors
from ..revs.resolve import resolve
from ..revs.tips import Tips, tips
from ..store.store import Store
from ..walk.between import count_between, is_between
from ..walk.fast import is_plain
from ..walk.objects import ObjectLister, exclude_edges
from ..walk.pipeline import walk
from ..walk.reach import count_reachable, reachable
from ..walk.reflogs import walk_reflogs
from ..walk.spec import LEFT, PATCHSAME, Tip, WalkEntry, WalkSpec
from .binding import revs_and_paths
from .command import Command, Positionals

USAGE = "usage: git rev-list [<options>] <commit>... [--] [<path>...]\n"


@dataclass(slots=True)
class RevList:
    """A listing about to run."""

    entries: Iterator[WalkEntry]
    tips: Tips
    starts: list[Tip]
    spec: WalkSpec
    paths: PathMatcher | None
    ctx: Context
    store: Store


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Revisions and paths; then what git's parser took for a diff is judged."""
    assert store is not None
    revs_and_paths(words, values, store, ctx)
    if words.aside is not None:
        values.update(words.aside.judge(store, values["paths"], USAGE.rstrip("\n"), ctx=ctx))


def _usage(word: str = "") -> InvalidArgs:
    return InvalidArgs(USAGE.rstrip("\n"), prefix="")


def _refuse(request: RevListRequest) -> None:
    """What git dies of behind the parser."""
    if "?" in request.notes:
        raise _usage()
    shown = next((word[0] for word in reversed(request.notes) if word[0] in "+-"), "-")
    if shown == "+":
        raise BadRequest("rev-list does not support display of notes")
    if request.count and request.objects and (request.left_right or request.cherry_mark):
        raise BadRequest("marked counting and '--objects' cannot be used together")


def run(store: Store, request: RevListRequest, ctx: Context) -> RevList:
    """The commits asked for, lazily. Raises InvalidArgs with the usage where no revision was named."""
    named = tips(store, request.revs, ctx=ctx, default=request.default)
    paths = parse_pathspecs(store, request.paths) if request.paths else None
    if request.merge:
        named, paths = conflict_sides(store, named, paths, ctx=ctx)
    if not named.entries and not named.globbed and not any(not word.startswith("-") for word in request.revs):
        raise _usage()
    _refuse(request)
    encoding = output_encoding(store, request.encoding)
    matcher = commit_matcher(request, store, ctx=ctx, mailmap=False, encoding=encoding)
    spec = walk_spec(
        request,
        store,
        ctx=ctx,
        paths=paths,
        graph=request.graph,
        ancestors=[store.odb.peel(resolve(store, rev, ctx=ctx), b"commit") for rev in request.ancestry_path if rev],
        decorated=lambda: Decorations(store, ctx=ctx).oids(),
        matcher=None if request.walk_reflogs else matcher,
    )
    spec.raw = bool(request.pretty or request.header)
    starts = walk_tips(named)
    if spec.no_walk and any(tip.flags for tip in starts):
        spec.no_walk = ""
    if request.objects and any(tip.flags for tip in starts):
        spec.limited = True
    if request.walk_reflogs:
        entries = walk_reflogs(store, reflog_cursors(store, named.entries, ctx=ctx), spec, matcher, ctx=ctx)
    else:
        entries = walk(store, starts, spec, ctx=ctx)
    return RevList(entries, named, starts, spec, paths, ctx, store)


# -------------------------------------------------------------------------------------------------- numbers
def _counts(listing: RevList, *, objects: bool) -> tuple[int, int, int]:
    """How many commits are on the left, on the right, and the same on both; other objects count as on the right."""
    spec = listing.spec
    unfiltered = (
        not objects
        and (is_plain(listing.starts, spec) or is_between(listing.starts, spec))
        and spec.max_count < 0
        and not spec.skip
        and not spec.first_parent
        and spec.max_age is None
        and spec.min_age is None
        and spec.max_age_as_filter is None
        and spec.min_parents <= 0
        and spec.max_parents < 0
        and spec.matcher is None
        and spec.left_out is None
    )
    if unfiltered and any(tip.flags for tip in listing.starts):
        return 0, count_between(listing.store, listing.starts, listing.ctx), 0
    if unfiltered:
        return 0, count_reachable(listing.store, [tip.oid for tip in listing.starts], ctx=listing.ctx), 0
    left = right = same = 0
    commits: list[WalkEntry] = []
    for entry in listing.entries:
        commits.append(entry)
        if entry.flags & PATCHSAME:
            same += 1
        elif entry.flags & LEFT:
            left += 1
        else:
            right += 1
    if objects:
        right += sum(1 for _ in _objects(listing, commits))
    return left, right, same


def _objects(listing: RevList, commits: list[WalkEntry]) -> Iterator[tuple[bytes, bytes]]:
    """What the commits hold that the excluded edge does not."""
    store, odb = listing.store, listing.store.odb
    lister = ObjectLister(store, listing.paths or PathMatcher.ALL, listing.ctx)
    shown = {entry.oid for entry in commits}
    excluded = [tip.oid for tip in listing.starts if tip.flags]
    if excluded:
        hidden = reachable(store, excluded, ctx=listing.ctx)
        edges = {parent for entry in commits for parent in odb.commit_facts(entry.oid)[0] if parent in hidden}
        exclude_edges(lister, store, sorted(edges - shown))
    for tip in listing.tips.objects:
        if tip.kind == b"tag" and tip.oid not in lister.seen and not tip.exclude:
            lister.seen.add(tip.oid)
            yield tip.oid, tip.name
        end = odb.peel(tip.oid)
        kind = odb.kind(end)
        if tip.exclude or kind == b"commit":
            continue
        name = tip.path or (tip.name if kind == b"tag" else b"")
        yield from lister.tree(end, name) if kind == b"tree" else lister.blob(end, name or tip.name)
    for entry in commits:
        yield from lister.tree(odb.commit_facts(entry.oid)[2])


# -------------------------------------------------------------------------------------------------- answers
def collect(listing: RevList, request: RevListRequest) -> RevListResult:
    """The typed form."""
    if request.count:
        left, right, same = _counts(listing, objects=request.objects)
        return RevListResult(left=left, right=right, total=left + right + same)
    commits = list(listing.entries)
    oids = [entry.oid for entry in commits]
    if request.objects:
        oids += [oid for oid, _ in _objects(listing, commits)]
    if request.disk_usage:
        return RevListResult(disk_usage=sum(map(listing.store.odb.disk_size, oids)), total=len(oids))
    return RevListResult(oids=[oid.hex() for oid in oids], total=len(oids))


def render(listing: RevList, request: RevListRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    if request.quiet or request.disk_usage:
        used = _disk_usage(listing, request)
        if request.count:  # what is not shown is not counted
            yield _count_line(request, 0, 0, 0)
        if request.disk_usage == "human":
            yield human_size(used) + b"\n"
        elif request.disk_usage:
            yield b"%d\n" % used
        return
    if request.count:
        yield _count_line(request, *_counts(listing, objects=request.objects))
        return
    yield from _listed(listing, request, style)


def _disk_usage(listing: RevList, request: RevListRequest) -> int:
    """The bytes that everything takes where it is stored; all is walked even where nobody wants to know."""
    commits = list(listing.entries)
    size_of = listing.store.odb.disk_size if request.disk_usage else lambda _: 0
    total = sum(size_of(entry.oid) for entry in commits)
    return total + (sum(size_of(oid) for oid, _ in _objects(listing, commits)) if request.objects else 0)


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
        asked = request if request.pretty is not None else altered(request, pretty="raw")
        printer = make_printer(asked, style.store, style=style, ctx=style.ctx, configured=False)
    shape = RevListShape(
        timestamp=request.timestamp,
        sides=request.left_right,
        cherry=request.cherry_mark,
        parents=request.parents,
        children=request.children,
        header=request.header and request.pretty is None,
        verbose=request.pretty is not None or request.header,
        named=request.commit_header,
    )
    if request.graph:
        palette = style.color("diff", request.color)
        shape.graph = Graph(palette.graph, palette.reset)
    writer = RevListWriter(shape, printer, listing.store.odb.commit_facts)
    commits: list[WalkEntry] = []
    for entry in listing.entries:
        yield writer.entry(entry)
        if request.objects:
            commits.append(entry)
    if request.objects:
        for oid, name in _objects(listing, commits):
            yield oid.hex().encode() + (b" " + name.partition(b"\n")[0] if request.object_names else b"") + b"\n"


COMMAND = Command(
    "rev-list",
    RevListRequest,
    RevListResult,
    run,
    collect,
    render,
    bind=bind,
    anywhere=frozenset(),
    aside="model.unused:Unused",
    unknown=_usage,
    refused={
        "--stdin": "it reads revisions from standard input",
        "--use-bitmap-index": "bitmaps are not read",
        "--filter": "object filters are not implemented",
        "--line-prefix": "git puts it in odd places here",
        "--exclude-hidden": "hidden refs are not looked at",
        "--alternate-refs": "it asks other repositories",
        "--test-bitmap": "bitmaps are not read",
        "--early-output": "nothing is shown twice",
    },
    summary="commits by name, and the objects behind them",
    usage=USAGE,
)

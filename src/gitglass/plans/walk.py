"""Turns a request's revision options and the configuration into a WalkSpec, with what each option implies.

`--graph` implies topological order and rewritten parents; `--cherry-pick` needs the complete list before the first
commit is shown; and some options exclude each other. Mirrors git-rev-list(1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import BadRequest, NotFound
from ..history import spec as bits
from ..history.spec import Tip, WalkSpec
from ..limits import Context
from ..paths.pathspec import Pathspecs
from ..repo.store import Store
from ..request.declared import fields_of
from ..request.pathspecs import parse_pathspecs
from ..request.revision import CommitFilter, WalkOptions
from ..request.text import to_bytes
from ..revs.resolve import commit_behind, try_resolve
from ..revs.tip import Tips

if TYPE_CHECKING:
    from ..history.matching import CommitMatcher, MatchSpec
    from ..history.order.incremental import has_generations
    from ..render.log.decorate import Decorations
    from ..revs.dates import approxidate
else:
    CommitMatcher, MatchSpec = deferred(__name__, "..history.matching", "CommitMatcher", "MatchSpec")
    has_generations = deferred(__name__, "..history.order.incremental", "has_generations")
    Decorations = deferred(__name__, "..render.log.decorate", "Decorations")
    approxidate = deferred(__name__, "..revs.dates", "approxidate")


__all__ = ["commit_matcher", "parse_pathspecs", "refuse_combinations", "walk_spec", "walk_tips"]


#: no history has so many commits: a larger number of them is as good as this one
MOST = 1 << 48
#: the fields that are read even if no option of the walk is set
_COUNTS = frozenset(["revs", "max_count", "skip", "no_walk"])
_OPTIONS = frozenset(fields_of(WalkOptions)) - _COUNTS


def walk_tips(tips: Tips) -> list[Tip]:
    """The commits among the named objects, as tips of the walk."""
    starts = []
    for tip in tips.entries:
        if tip.commit is None:
            continue
        flags = bits.UNINTERESTING | bits.BOTTOM if tip.exclude else 0
        if tip.left:
            flags |= bits.LEFT
        starts.append(Tip(tip.commit, flags, tip.name, b"" if tip.oid == tip.commit else tip.oid))
    return starts


_ORDERS = {"": "", "topo": bits.GRAPH_ORDER, "date": bits.DATE_ORDER, "author-date": bits.AUTHOR_ORDER}


def walk_spec(
    request: WalkOptions,
    store: Store,
    *,
    ctx: Context,
    paths: Pathspecs | None = None,
    graph: bool = False,
    follow: bool = False,
    lines: bool = False,
    decorated: Callable[[], Collection[bytes]] | None = None,
    matcher: CommitMatcher | None = None,
    rules_out: Callable[[bytes], bool] | None = None,
    tips: Sequence[Tip] = (),
    sources: bool = False,
    simplify: bool = True,
    boundary: bool = False,
    raw: bool = True,
    counted: bool = True,
) -> WalkSpec:
    """The WalkSpec of a request.

    `paths` None: not limited to paths; `lines`: limited to lines of a file (-L). `tips` are the tips of the walk: an
    excluded tip requires a walk, whatever --no-walk says. `sources`: --source, or a format that shows it; `simplify`
    False: the command needs full history; `boundary`: it needs the edge of the range; `raw`: it needs the raw commits.
    `counted` False: the walk does not apply --max-count. `decorated` None: --simplify-by-decoration keeps the objects
    of all refs.
    """
    most = -1 if request.max_count is None or request.max_count < 0 or not counted else min(request.max_count, MOST)
    no_walk = "" if any(tip.flags for tip in tips) else request.no_walk or ""
    if paths is None and not (graph or follow or lines) and _OPTIONS.isdisjoint(request.model_fields_set):
        return WalkSpec(
            max_count=most,
            skip=min(max(request.skip, 0), MOST),
            min_parents=request.min_parents,
            max_parents=request.max_parents,
            matcher=matcher,
            rules_out=rules_out,
            no_walk=no_walk,
            boundary=boundary,
            simplify_history=simplify,
            sources=sources,
            raw=raw,
            ignore_missing="--ignore-missing" in request.revs,
        )
    refuse_combinations(request, store, graph=graph, lines=lines)

    def moment(text: str | None, number: int | None) -> int | None:
        return number if text is None else approxidate(to_bytes(text), ctx.now)

    simplified = request.simplify_merges or request.simplify_by_decoration
    order = _ORDERS[request.order or ""]
    if graph or simplified or lines:
        order = order or bits.GRAPH_ORDER
    pruned = paths is not None and not follow
    ends = [_ancestor(store, name, ctx) for name in request.ancestry_path if name]
    # strange but git's: it marks the tag, which does not pass that on to the commit unless the walk starts from it
    marked = {commit for commit, named in ends if named == commit or any(tip.tag == named for tip in tips)}
    return WalkSpec(
        max_count=most,
        skip=min(max(request.skip, 0), MOST),
        max_age=moment(request.since, request.max_age),
        min_age=moment(request.until, request.min_age),
        max_age_as_filter=moment(request.since_as_filter, None),
        min_parents=request.min_parents,
        max_parents=request.max_parents,
        matcher=matcher,
        rules_out=rules_out,
        left_out=_left_out(request, store),
        first_parent=request.first_parent,
        exclude_first_parent=request.exclude_first_parent_only,
        no_walk=no_walk,
        order=order,
        reverse=request.reverse,
        limited=request.cherry_pick or request.cherry_mark or request.children or request.merge
        or bool(request.ancestry_path) or simplified,
        boundary=request.boundary or boundary,
        left_right=request.left_right,
        left_only=request.left_only,
        right_only=request.right_only,
        cherry_pick=request.cherry_pick,
        cherry_mark=request.cherry_mark,
        ancestry_path=bool(request.ancestry_path),
        ancestry_bottoms=[commit for commit, _ in ends],
        ancestry_tagged={commit for commit, _ in ends} - marked,
        paths=paths if pruned else None,
        prune=pruned or request.simplify_by_decoration,
        simplify_history=simplify and not (request.full_history or request.ancestry_path or simplified),
        dense=request.dense,
        simplify_merges=simplified,
        decorated=(decorated or (lambda: Decorations(store, ctx=ctx).oids()))()
        if request.simplify_by_decoration
        else None,
        show_pulls=request.show_pulls,
        remove_empty=request.remove_empty,
        full_diff=request.full_diff,
        rewrite_parents=request.parents or graph or simplified,
        children=request.children,
        graph=graph,
        track_linear=request.show_linear_break is not None,
        raw=raw,
        sources=sources,
        ignore_missing="--ignore-missing" in request.revs,
    )  # fmt: skip


def _ancestor(store: Store, name: str, ctx: Context) -> tuple[bytes, bytes]:
    """The commit of --ancestry-path=<commit>, and the object that was named: it, or a tag."""
    named = try_resolve(store, name, ctx=ctx, want="committish")
    commit = None if named is None else commit_behind(store, named, ctx=ctx)
    if named is None or commit is None:
        raise NotFound(f"could not get commit for ancestry-path argument {name}", prefix="error")
    return commit, named


def _left_out(request: WalkOptions, store: Store) -> Callable[[bytes], bool] | None:
    if not (request.unpacked or request.no_kept_objects):
        return None
    packed, kept = store.odb.packed, store.odb.kept
    if request.unpacked and request.no_kept_objects:
        return lambda oid: packed(oid) or kept(oid)
    return packed if request.unpacked else kept


def refuse_combinations(request: WalkOptions, store: Store, *, graph: bool = False, lines: bool = False) -> None:
    """Report options that exclude each other, in git's order. Raises BadRequest."""
    rewrites = request.parents or graph or request.simplify_merges or request.simplify_by_decoration
    _refuse(
        (request.left_only and request.right_only, "--left-only", "--right-only"),
        (request.cherry_pick and request.cherry_mark, "--cherry-pick", "--cherry-mark"),
        (graph and request.show_linear_break is not None, "--show-linear-break", "--graph"),
        (request.walk_reflogs and request.reverse, "--reverse", "--walk-reflogs"),
    )
    if request.walk_reflogs and _limits(request, store, ordered=bool(request.order) or graph or lines):
        raise BadRequest("cannot combine --walk-reflogs with history-limiting options")
    _refuse(
        (rewrites and request.children, "--parents", "--children"),  # whichever option rewrites parents
        (graph and request.reverse, "--reverse", "--graph"),
        (graph and request.walk_reflogs, "--walk-reflogs", "--graph"),
        (graph and bool(request.no_walk), "--no-walk", "--graph"),
    )
    if request.walk_reflogs and lines:
        raise BadRequest("No commit specified?")
    if request.grep_reflog and not request.walk_reflogs:
        raise BadRequest("the option '--grep-reflog' requires '--walk-reflogs'")


def _limits(request: WalkOptions, store: Store, *, ordered: bool) -> bool:
    """Whether git has to have all commits before it shows the first: for an order too, unless a commit-graph knows
    their generations."""
    if ordered and not (store.exists and has_generations(store.odb)):
        return True
    return bool(
        request.cherry_pick
        or request.cherry_mark
        or request.children
        or request.ancestry_path
        or request.simplify_merges
        or request.simplify_by_decoration
    )


def _refuse(*together: tuple[bool, str, str]) -> None:
    for both, one, other in together:
        if both:
            raise BadRequest(f"options '{one}' and '{other}' cannot be used together")


def commit_matcher(
    request: CommitFilter,
    store: Store,
    *,
    ctx: Context,
    mailmap: bool = False,
    encoding: bytes = b"UTF-8",
    notes: Callable[[bytes], bytes] | None = None,
) -> CommitMatcher | None:
    """The matcher for --author, --grep and similar options; None if there are none."""
    if not (request.author or request.committer or request.grep or request.grep_reflog):
        return None
    kind = request.pattern_type or _configured_kind(store)

    def raw(patterns: Sequence[str]) -> list[bytes]:
        return [to_bytes(pattern) for pattern in patterns]

    spec = MatchSpec(
        author=raw(request.author),
        committer=raw(request.committer),
        grep=raw(request.grep),
        grep_reflog=raw(request.grep_reflog),
        kind=kind,
        ignore_case=request.ignore_case,
        all_match=request.all_match,
        invert=request.invert_grep,
        mailmap=mailmap,
        encoding=encoding.decode("ascii", "replace"),
        notes=notes,
    )
    return CommitMatcher(store, spec, ctx)


def _configured_kind(store: Store) -> str:
    value = (store.config.get("grep.patterntype") or b"default").lower()
    if value in (b"basic", b"extended", b"fixed", b"perl"):
        return value.decode()
    return "extended" if store.config.get_bool("grep.extendedregexp", False) else "basic"

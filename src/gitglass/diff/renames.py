"""Rename and copy detection, and the breaking of rewrites.

Mirrors what git-diff(1) says of -M, -C, -B, -l and gitdiffcore(7). Exact matches come first, then (without copies and
breaks) files of equal base name, then every remaining source against every remaining destination, best matches first.
Changes are edited in place: an added file whose origin is found gets that origin as its old side.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from ..annotations import TYPE_CHECKING
from ..limits import paced
from ..memories import Facts
from .changes import Change, Contents, Filespec, absent
from .similarity import Shortlist, Similarity, Spans
from .spec import MAX_SCORE, DiffSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..limits import Context

__all__ = ["RenameFinder", "RenameTarget", "break_rewrites", "find_renames", "merge_broken"]

DEFAULT_RENAME_SCORE = 30000
DEFAULT_BREAK_SCORE = 30000
DEFAULT_MERGE_SCORE = 36000
MINIMUM_BREAK_SIZE = 400
CANDIDATES = 4
ALTERNATIVES = 100  # sources of equal content that are considered for one destination
DEFAULT_LIMIT = 1000
CROWD = 4  # comparisons per source; with so many, `Shortlist` rules out hopeless ones beforehand
CROWD_BYTES = 8 << 20
KIND = 0o170000
REGULAR = 0o100000
_SCORES: Facts[tuple[bytes, bytes, int], int] = Facts("similarity of two blobs", most=40_000, each=300)


# -------------------------------------------------------------------- -B
def break_rewrites(changes: list[Change], contents: Contents, spec: DiffSpec, *, ctx: Context) -> list[Change]:
    """Split modifications that keep too little of the file into a deletion and an addition (`broken` is set on
    both)."""
    limit = spec.break_score or DEFAULT_BREAK_SCORE
    merge = spec.merge_score or DEFAULT_MERGE_SCORE
    similarity = Similarity(contents)
    out: list[Change] = []
    for change in changes:
        ctx.tick()
        old, new = change.old, change.new
        score = None
        if _is_blob(old) and _is_blob(new) and old.path == new.path and not change.unmerged:
            score = _break_score(old, new, limit, contents, similarity)
        if score is None:
            contents.let_go((old, new))
            out.append(change)
            continue
        if score < merge:
            score = 0
        out.append(Change("D", old, absent(old.path), score, broken=True))
        out.append(Change("A", absent(new.path), new, score, broken=True))
    return out


def _is_blob(side: Filespec) -> bool:
    return bool(side.mode) and side.mode & KIND in (REGULAR, 0o120000)


def _break_score(old: Filespec, new: Filespec, limit: int, contents: Contents, similarity: Similarity) -> int | None:
    """How much of the old file is gone (of 60000) if that is enough to break the pair; otherwise None."""
    if (old.mode & KIND == REGULAR) != (new.mode & KIND == REGULAR):
        return MAX_SCORE
    if old.oid is not None and old.oid == new.oid:
        return None
    old_size, new_size = contents.size(old), contents.size(new)
    largest = max(old_size, new_size)
    if largest < MINIMUM_BREAK_SIZE or not old_size:
        return None
    copied, added = similarity.count(old, new)
    copied = min(copied, old_size)
    if new_size < added + copied:
        added = new_size - copied if copied < new_size else 0
    removed = old_size - copied
    score = removed * MAX_SCORE // old_size
    if score > limit:
        return score
    if (removed + added) * MAX_SCORE // largest < limit:
        return None
    if old_size * limit < removed * MAX_SCORE and added * 20 < removed and added * 20 < copied:
        return None
    return score


def merge_broken(changes: list[Change]) -> list[Change]:
    """Join the halves of broken pairs again if both are still there; the result is a rewrite, with a score."""
    out: list[Change] = []
    halves: dict[bytes, list[Change]] = {}
    for change in paced(changes):
        if change.broken and change.old.path == change.new.path:
            halves.setdefault(change.old.path, []).append(change)
    done: set[int] = set()
    for change in paced(changes):
        if id(change) in done:
            continue
        pair = halves.get(change.old.path) if change.broken and change.old.path == change.new.path else None
        if pair is None or len(pair) < 2:
            out.append(change)
            continue
        first, second = pair
        deleted, added = (first, second) if first.old.mode else (second, first)
        done.update((id(first), id(second)))
        deleted.old.used += 1
        out.append(Change("M", deleted.old, added.new, first.score))
    return out


# -------------------------------------------------------------------- -M, -C
class _Source:
    __slots__ = ("change", "score", "side")

    def __init__(self, change: Change) -> None:
        self.change = change
        self.side = change.old
        self.score = change.score


class RenameTarget:
    """An added file, which may be the destination of a rename."""

    __slots__ = ("change", "done", "side")

    def __init__(self, change: Change) -> None:
        self.change = change
        self.side = change.new
        self.done = False


class _Pair:
    """A candidate pair: a source and a destination."""

    __slots__ = ("name", "score", "source", "target")

    def __init__(self, score: int, name: int, source: _Source, target: RenameTarget) -> None:
        self.score = score
        self.name = name
        self.source = source
        self.target = target


def find_renames(changes: list[Change], contents: Contents, spec: DiffSpec, *, ctx: Context) -> list[Change]:
    """Turn additions into renames and copies if an origin is found, and drop the deletions that these explain."""
    finder = RenameFinder(changes, contents, spec, ctx)
    if finder.sources and finder.targets:
        finder.run()
    return finder.outcome()


class RenameFinder:
    """Pairs the additions and deletions of a list of changes. Call `run`, then `outcome`."""

    __slots__ = (
        "_by_path",
        "breaks",
        "changes",
        "contents",
        "copies",
        "crowd",
        "ctx",
        "shortlist",
        "similarity",
        "sizes",
        "sources",
        "spec",
        "targets",
    )

    def __init__(self, changes: list[Change], contents: Contents, spec: DiffSpec, ctx: Context) -> None:
        self.changes = changes
        self.contents = contents
        self.spec = spec
        self.ctx = ctx
        self.copies = spec.renames == 2
        self.breaks = False
        self.sources: list[_Source] = []
        self.targets: list[RenameTarget] = []
        self.crowd: dict[int, Filespec] = {}
        self.shortlist: Shortlist | None = None
        self.sizes: list[tuple[int, int]] = []  # (size, index) of the sources that are not empty
        self._by_path: dict[bytes, RenameTarget] = {}
        self._register()

    def _register(self) -> None:
        empty = None if self.spec.rename_empty else self.contents.store.empty_blob
        for change in paced(self.changes):
            old, new = change.old, change.new
            if not old.mode:
                if not new.mode or (self.spec.follow is not None and new.path != self.spec.follow):
                    continue
                if empty is not None and new.oid == empty:
                    continue
                target = RenameTarget(change)
                self.targets.append(target)
                if change.broken:
                    self._by_path[new.path] = target
            elif empty is not None and old.oid == empty:
                continue
            elif not change.unmerged and not new.mode:
                if change.broken:
                    self.breaks = True
                    if not change.score:
                        old.used += 1  # the old file still exists: counts as one more user
                self.sources.append(_Source(change))
            elif self.copies:
                old.used += 1
                self.sources.append(_Source(change))

    # ---------------------------------------------------------------- the steps
    def run(self) -> None:
        """Match equal contents, then base names, then all remaining sources with all remaining destinations."""
        self.start()
        self.exact()
        if self.minimum == MAX_SCORE:
            return
        if not self.copies and not self.breaks:
            self.forget_used()
            self.base_names(self.minimum + (MAX_SCORE - self.minimum) // 2)
            self.forget_used()
        elif not self.copies:
            pass  # with -B, a used source may be used again
        self.compare_all()

    def start(self) -> None:
        """Prepare the comparison of contents."""
        self.similarity = Similarity(self.contents)

    @property
    def minimum(self) -> int:
        """The required similarity of two files, of MAX_SCORE."""
        return self.spec.rename_score or DEFAULT_RENAME_SCORE

    def compare_all(self) -> None:
        """Compare the remaining sources with the remaining destinations, unless these are too many."""
        targets = [target for target in paced(self.targets) if not target.done]
        if not targets or not self.sources:
            return
        allowed = self._within_limit(len(targets))
        if allowed is None:
            return
        self._inexact(targets, self.minimum, skip_unmodified=not allowed)

    def forget_used(self) -> None:
        """Drop sources that are renamed already: they are no source of anything else."""
        self.sources = [source for source in paced(self.sources) if not source.side.used]

    def _record(self, source: _Source, target: RenameTarget, score: int) -> None:
        change = target.change
        change.status = "R"
        change.old = source.side
        change.score = source.score if source.side.path == target.side.path else score
        target.done = True
        source.side.used += 1

    def exact(self) -> None:
        """Match equal contents. An unused source is preferred to a used one, and an equal base name to a different one.

        Strange but git's: for each destination only the first 100 suitable sources are considered, so that an equal
        base name after them is ignored.
        """
        contents = self.contents
        for source in paced(self.sources[::-1]):
            contents.oid(source.side)  # git's order of reading work-tree files, which is visible in warnings
        by_oid: dict[bytes, list[_Source]] = {}
        for source in paced(self.sources[::-1] if _turned_round(len(self.sources)) else self.sources):
            if self.copies or not source.side.used:
                by_oid.setdefault(contents.oid(source.side), []).append(source)
        for target in self.targets:
            self.ctx.tick()
            candidates = by_oid.get(contents.oid(target.side), [])
            best = self._best_identical(candidates, target.side)
            if best is None:
                continue
            source = candidates[best]
            if not self.copies:
                del candidates[best]  # no longer a candidate for other destinations
            self._record(source, target, MAX_SCORE)

    def _best_identical(self, sources: list[_Source], side: Filespec) -> int | None:
        """The index of the best of some sources that have the destination's content; None if none is suitable."""
        best, best_score, alternatives = None, -1, 0
        kind = side.mode & KIND
        for at, source in enumerate(sources):
            regular = source.side.mode & KIND == REGULAR == kind
            if not regular and source.side.mode != side.mode:
                continue
            alternatives += 1
            score = (not source.side.used) + same_base_name(source.side.path, side.path)
            if score > best_score:
                best, best_score = at, score
            if best_score == 2 or alternatives == ALTERNATIVES:
                break
        return best

    def base_names(self, minimum: int) -> None:
        """Match files that moved to another directory: base names that occur once on either side are compared first."""
        sources: dict[bytes, _Source | None] = {}
        for source in paced(self.sources):
            base = _base(source.side.path)
            sources[base] = None if base in sources else source
        targets: dict[bytes, RenameTarget | None] = {}
        for target in paced(self.targets):
            if not target.done:
                base = _base(target.side.path)
                targets[base] = None if base in targets else target
        for one in paced(self.sources):
            path = one.side.path
            base = _base(path)
            if base not in targets or not self.usable(path):
                continue
            two = targets[base] if sources[base] is not None else None
            if two is None:
                two = self.suggested(path)
            if two is None or two.done:
                continue
            self.ctx.tick()
            score = self.similarity.score(one.side, two.side, minimum)
            if score >= minimum:
                self._record(one, two, score)
                self.paired(path, two.side.path)

    def usable(self, path: bytes) -> bool:
        """Whether a source is compared by its base name."""
        return True

    def suggested(self, path: bytes) -> RenameTarget | None:
        """The destination to compare a source with if its base name is not unique. Subclasses override it."""
        return None

    def paired(self, old: bytes, new: bytes) -> None:
        """Called for a rename that is not exact. Subclasses override it."""

    def _within_limit(self, targets: int) -> bool | None:
        """True: compare; False: only with modified sources (-C -C); None: too many files."""
        spec = self.spec
        spec_limit = DEFAULT_LIMIT if spec.rename_limit < 0 else spec.rename_limit
        count = len(self.sources)
        if spec_limit <= 0 or targets * count <= spec_limit * spec_limit:
            return True
        spec.report.needed_limit = max(spec.report.needed_limit, count, targets)
        if not spec.find_copies_harder:
            return None
        modified = sum(1 for source in paced(self.sources) if source.change.status != "=")
        if targets * modified <= spec_limit * spec_limit:
            spec.report.degraded = True
            return False
        return None

    def _inexact(self, targets: list[RenameTarget], minimum: int, *, skip_unmodified: bool) -> None:
        size, tick = self.contents.size, self.ctx.tick
        sources: list[tuple[_Source, int, bytes, bytes | None]] = []
        for source in self.sources:
            if skip_unmodified and source.change.status == "=":
                continue
            tick()
            side = source.side
            regular = side.mode & KIND == REGULAR
            sources.append((source, size(side) if regular else -1, _base(side.path), self._plain(side)))
        targets = [target for target in paced(targets) if target.side.mode & KIND == REGULAR]
        self._gather([(source.side, size) for source, size, _, _ in sources], targets, minimum)
        self.sizes = sorted([(size, at) for at, (_, size, _, _) in enumerate(sources) if size > 0])
        matrix: list[_Pair] = []
        for target in targets:
            self.ctx.tick()
            best = [pair for pair in self._best(target, sources, minimum) if pair.score >= minimum]
            if len({(pair.score, pair.name) for pair in best}) < len(best):
                # Among equals the slot decides, and that depends on the exact scores of worse candidates.
                best = [pair for pair in self._best(target, sources, minimum, exact=True) if pair.score >= minimum]
            matrix += best
        matrix.sort(key=lambda pair: (-pair.score, -pair.name))
        self._assign(matrix, reuse=False)
        if self.copies:
            self._assign(matrix, reuse=True)
        self.contents.let_go([target.side for target in targets] + [source.side for source, *_ in sources])

    def _plain(self, side: Filespec) -> bytes | None:
        """The oid of a side if attributes do not change its content; otherwise None."""
        return side.oid if self.contents.driver(side).binary is None else None

    def _gather(self, sources: list[tuple[Filespec, int]], targets: list[RenameTarget], minimum: int) -> None:
        """Find the sources that may be compared by their size; a crowd if each is compared with many."""
        sizes = sorted([self.contents.size(target.side) for target in paced(targets)])
        crowd, held, pairs = {}, 0, 0
        for at, (side, size) in enumerate(paced(sources)):
            near = bisect_right(sizes, size * MAX_SCORE // minimum) - bisect_left(
                sizes, -(-size * minimum // MAX_SCORE)
            )
            if size > 0 and near > 0:
                crowd[at] = side
                held += size
                pairs += near
        self.crowd = crowd if pairs >= CROWD * len(crowd) and held <= CROWD_BYTES else {}

    def _promise(self, spans: Spans) -> Callable[[int, int], float] | None:
        """The bound on the bytes that a destination shares with each source of the crowd (`Shortlist.promise`)."""
        if not self.crowd:
            return None
        if self.shortlist is None:
            self.shortlist = Shortlist({at: self.similarity.spans(side) for at, side in self.crowd.items()})
        return self.shortlist.promise(spans)

    def _in_reach(self, size: int, minimum: int) -> list[int]:
        """The sources whose size allows a score of `minimum` with a destination of some size, in order."""
        first = bisect_left(self.sizes, (-(-size * minimum // MAX_SCORE), 0))
        end = bisect_left(self.sizes, (size * MAX_SCORE // minimum + 1, 0))
        return sorted([at for _, at in self.sizes[first:end]]) if size else []

    def _best(
        self,
        target: RenameTarget,
        sources: list[tuple[_Source, int, bytes, bytes | None]],
        minimum: int,
        *,
        exact: bool = False,
    ) -> list[_Pair]:
        """The four best sources of a destination. Unless `exact`, those below `minimum` may or may not be included."""
        contents, similarity = self.contents, self.similarity
        tick, check, scores = self.ctx.tick, self.ctx.check, contents.memory.table(_SCORES)
        slack = MAX_SCORE - minimum
        least = 0 if exact else minimum
        mine, base, two = contents.size(target.side), _base(target.side.path), self._plain(target.side)
        spans = promise = None
        best: list[_Pair] = []
        floor = (-1, 0)  # the worst of four candidates: only a better one replaces it
        for at in range(len(sources)) if exact else self._in_reach(mine, minimum):
            source, other, name, one = sources[at]
            largest = mine if mine > other else other
            if other < 0 or not mine or largest * slack < abs(mine - other) * MAX_SCORE:
                score = 0
            else:
                tick()
                key = (one, two, least) if one and two else None
                points = scores.get(key) if key else None
                if points is None:
                    if spans is None:
                        spans = similarity.spans(target.side)
                        promise = None if exact else self._promise(spans)
                    if promise is not None and promise(at, largest) * MAX_SCORE < minimum * largest:
                        points = 0
                    else:
                        check()  # reading and comparing a file can take long
                        points = similarity.of(source.side, spans, largest, least)
                    if key:
                        scores.put(key, points)
                score = points
            rank = score, int(name == base)
            if rank > floor:
                _keep_if_better(best, _Pair(*rank, source, target))
                if len(best) == CANDIDATES:
                    floor = min([(pair.score, pair.name) for pair in best])
        return best

    def _assign(self, matrix: list[_Pair], *, reuse: bool) -> None:
        for pair in paced(matrix):
            if pair.target.done or (not reuse and pair.source.side.used):
                continue
            self._record(pair.source, pair.target, pair.score)
            self.paired(pair.source.side.path, pair.target.side.path)

    # ---------------------------------------------------------------- the resulting list
    def outcome(self) -> list[Change]:
        """The changes without the deletions that became renames, and without unchanged files."""
        out = []
        for change in paced(self.changes):
            if change.unmerged or not change.old.mode:
                out.append(change)
            elif not change.new.mode:
                if change.broken:
                    target = self._by_path.get(change.old.path)
                    gone = target is not None and target.done
                else:
                    gone = change.old.used > 0
                if not gone:
                    out.append(change)
            elif change.status != "=" and not _unmoved(change):
                out.append(change)
        return out


def _unmoved(change: Change) -> bool:
    """Whether a file was paired with itself: a tree that names it twice may have it both deleted and added."""
    old, new = change.old, change.new
    return change.status == "R" and (old.path, old.mode, old.oid) == (new.path, new.mode, new.oid)


def _turned_round(count: int) -> bool:
    """Whether git visits this number of sources from the last to the first, where their content is equal.

    Strange but git's: it keeps them in a hash table of 64, 256, 1024, … slots, four fifths of which may be in use. The
    table is made large enough beforehand, but rounded down: for 205, 3277, 52429, … sources it grows at the last one,
    which reverses the order of equal contents.
    """
    slots = 64
    while slots < count * 5 // 4:
        slots *= 4
    return count > slots * 4 // 5


def _keep_if_better(best: list[_Pair], pair: _Pair) -> None:
    """Keep the four best candidates of a destination, in the slots where git has them (ties are decided by slot)."""
    if len(best) < CANDIDATES:
        best.append(pair)
        return
    worst = 0
    for i in range(1, CANDIDATES):
        if (best[i].score, best[i].name) < (best[worst].score, best[worst].name):
            worst = i
    if (best[worst].score, best[worst].name) < (pair.score, pair.name):
        best[worst] = pair


def _base(path: bytes) -> bytes:
    return path[path.rfind(b"/") + 1 :]


def same_base_name(one: bytes, two: bytes) -> int:
    """1 if the last components of two paths are equal."""
    return int(one[one.rfind(b"/") + 1 :] == two[two.rfind(b"/") + 1 :])

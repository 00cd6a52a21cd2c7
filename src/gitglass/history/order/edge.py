"""The boundary of a walk in order by position in a commit-graph: what git rev-list --boundary adds at the end.

Of a boundary commit, a graph draws the parents that are on the boundary themselves, and those that git does not know to
be excluded. It knows the parents of the commits named as excluded, and the grandparents of all excluded commits that it
has looked at: of every one whose generation is not below the lowest one among the commits shown. Where that does not
tell of each parent that it is known, the general walk answers, which keeps account of what git has read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import compress

from ...graph.nodes import Numbers
from ...graph.positions import Positions
from ...limits import Context, watched
from ...repo.store import Store
from ..filters import border
from ..spec import BOUNDARY, CHILD_SHOWN, LEFT, UNINTERESTING, WalkRow, WalkSpec
from ..walk import Walk
from .incremental import generation_reader

_EXCLUDED = bytes(bool(have & UNINTERESTING) for have in range(256))


class Edge:
    """The boundary of the commits that a walk shows, as it shows them. All their parents are shown as well, or
    excluded."""

    __slots__ = ("_ends", "_graph", "_met", "_otherwise", "_positions", "_tips", "_walk")

    def __init__(
        self,
        positions: Positions,
        tips: Mapping[int, int],
        store: Store,
        spec: WalkSpec,
        ctx: Context,
        otherwise: Callable[[], Iterator[WalkRow]],
    ) -> None:
        """`tips` have flags; `otherwise` gives the rows of the general walk."""
        self._positions, self._tips, self._graph, self._otherwise = positions, tips, spec.graph, otherwise
        self._walk = Walk(store, spec, ctx, Numbers(store, positions))
        self._met: dict[int, int] = {}  # excluded parents of commits shown, and their flags
        self._ends: list[int] = []  # commits shown of which no parent is shown

    def meet(self, position: int, above: tuple[int, ...], flags: bytearray) -> None:
        """A commit is shown; its parents are known to be excluded, or not, by their `flags`."""
        met, passed, is_end = self._met, flags[position] & LEFT, True
        for parent in above:
            have = flags[parent]
            if have & UNINTERESTING:
                met[parent] = met.get(parent, self._tips.get(parent, 0)) | passed | UNINTERESTING | CHILD_SHOWN
            else:
                is_end = False
        if is_end:
            self._ends.append(position)

    def rows(self, flags: bytearray) -> Iterator[WalkRow]:
        """The rows of the boundary, when all other commits are shown; `flags` of these and of those excluded."""
        if self._graph and not self._knows_parents(flags):
            return (row for row in self._otherwise() if row[3] & BOUNDARY)
        return self._rows()

    def _rows(self) -> Iterator[WalkRow]:
        walk, met = self._walk, self._met
        walk.load_all(met)
        for position, have in met.items():
            walk.flags[position] |= have
        for node in border(walk, list(met)):
            above = walk.parents[node]
            beside = walk.oids(tuple([parent for parent in above if parent in met])) if self._graph else ()
            yield walk.oid(node), walk.oids(above), None, walk.flags[node], beside

    def _knows_parents(self, flags: bytearray) -> bool:
        """Whether git knows of the parents of each boundary commit that they are excluded."""
        facts, tips, met = self._positions.facts, self._tips, self._met
        doubtful = {
            position
            for position in watched(met)
            if not tips.get(position, 0) & UNINTERESTING and any(parent not in met for parent in facts(position)[0])
        }
        if not doubtful:
            return True
        walk, reader = self._walk, generation_reader(self._walk)

        def generation_of(position: int) -> int:
            walk.load(position)
            return reader(position)

        lowest = min(map(generation_of, (*tips, *self._ends)))
        tick = walk.ctx.ticks()
        for position in compress(range(self._positions.count), flags.translate(_EXCLUDED)):
            tick()
            parents = doubtful.intersection(facts(position)[0])
            if parents and generation_of(position) >= lowest:
                doubtful -= parents
                if not doubtful:
                    return True
        return False

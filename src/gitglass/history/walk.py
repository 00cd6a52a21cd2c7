"""The general walk: from the tips along the parents, newest commit first.

The queue is ordered by commit date, and among equal dates by arrival: that is git's order, and everything else depends
on it. There are two ways to walk: *streaming*, where a commit is shown as soon as it leaves the queue, and *limited*,
where the complete list is made before the first commit is shown, because excluded commits have to be marked far enough
down. Marking stops when the excluded commits are older than every listed one and no interesting commit waits; since
commit dates can be wrong, git goes on for a few commits more (SLOP), and dates that are more wrong than that change the
answer, ours in the same way as git's.

State is kept in columns by commit (`flags`, `parents`, `times`, see `columns.py`), because parents are rewritten as
history is simplified and each walk needs its own. A commit is represented by its oid, or by its number in a
commit-graph (`nodes.py`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush, heappushpop

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..errors import MissingObject
from ..graph.columns import ONE
from ..graph.nodes import Node, Numbers, PackNumbers
from ..graph.steps import steps_taken
from ..limits import Context, paced
from ..objects.commit_graph import UNREAD
from ..objects.parsed import Commit
from ..repo.store import Store
from .columns import FEW, Column, Parents, Sparse, growing, widened
from .fast import reader
from .order.incremental import has_generations
from .spec import (
    ADDED,
    AUTHOR_ORDER,
    BARE,
    BOTTOM,
    LEFT,
    LOADED,
    ON_ANCESTRY_PATH,
    SEEN,
    SLOP,
    TREESAME,
    UNINTERESTING,
    Tip,
    WalkSpec,
    honours,
)

if TYPE_CHECKING:
    from ..graph.corrected import is_true_by_date
    from ..graph.merge_base import painted
    from .simplify import Simplifier
else:
    is_true_by_date = deferred(__name__, "..graph.corrected", "is_true_by_date")
    painted = deferred(__name__, "..graph.merge_base", "painted")
    Simplifier = deferred(__name__, ".simplify", "Simplifier")


_EVER = 1 << 62

#: the complete list is the same whatever these fields say about its later use
_collected = honours(
    *BARE,
    "first_parent",
    "exclude_first_parent",
    "order",
    "reverse",
    "limited",
    "boundary",
    "left_only",
    "right_only",
    "cherry_pick",
    "cherry_mark",
    "line_level",
    "rewrite_parents",
    "children",
    "graph",
    "track_linear",
)


def shows_all(spec: WalkSpec) -> bool:
    """Whether most commits are shown: then they are read as a whole at once, if they can be kept until they are."""
    return spec.raw and not spec.prune and spec.max_count < 0


class Walk:
    """The state of one walk. `queue` is a heap of (-date, order of arrival, commit).

    With `numbers`, commits go by number: every commit that the tips reach must have one. With `ends`, a walk by oid
    raises LongHistory after many commits, so that it can begin again by number.
    """

    __slots__ = (
        "all_shown",
        "author_time",
        "children_of",
        "commit",
        "ctx",
        "facts",
        "flags",
        "limited",
        "numbers",
        "odb",
        "oid",
        "oids",
        "parents",
        "queue",
        "read_row",
        "saved_parents",
        "serial",
        "simplifier",
        "sources",
        "spec",
        "store",
        "times",
        "wide",
    )

    def __init__(
        self,
        store: Store,
        spec: WalkSpec,
        ctx: Context,
        numbers: Numbers | PackNumbers | None = None,
        *,
        ends: bool = False,
    ) -> None:
        self.store, self.spec, self.ctx = store, spec, ctx
        self.odb = store.odb
        self.flags: Column = Sparse()
        self.parents = Parents()
        self.times: Column = Sparse()
        self.wide = False  # whether the columns hold all commits of the graph
        self.read_row: Callable[[Node], None] | None = None  # where they are read as the walk comes to them
        self.queue: list[tuple[int, int, Node]] = []
        self.serial = 0
        self.sources: dict[Node, bytes] = {}
        self.saved_parents: dict[Node, tuple[Node, ...]] = {}
        self.all_shown = False  # whether nothing was excluded
        self.children_of: Callable[[Node], tuple[Node, ...]] | None = None
        # if parents are rewritten to commits that touch the lines of -L, that is decided beforehand
        self.limited = spec.limited or (spec.line_level is not None and spec.want_ancestry)
        self.numbers = numbers
        self.facts: Callable[[Node], tuple[Any, ...]]  # parents, commit time, and by node the tree
        self.oid: Callable[[Node], bytes]
        self.oids: Callable[[tuple[Node, ...]], tuple[bytes, ...]]
        self.commit: Callable[[Node], Commit]
        if numbers is None:
            self.facts = reader(self.odb, whole=shows_all(spec) and not ends, alone=bool(spec.no_walk), ends=ends)
            self.oid, self.oids, self.commit = bytes, tuple, self.odb.commit
        else:
            self.facts = numbers.facts
            self.oid, self.oids, self.commit = numbers.oid, numbers.oids, numbers.commit
        commit_of = self.commit  # a function that knew the walk would keep its columns until a collection
        self.author_time: Callable[[Node], int] = lambda node: commit_of(node).author_time
        if isinstance(numbers, PackNumbers) and spec.order == AUTHOR_ORDER:
            numbers.numbering.read_authors()
            self.author_time = numbers.author_time
        self.simplifier = Simplifier(self) if spec.prune else None

    # ---------------------------------------------------------------- commits
    def node(self, oid: bytes) -> Node:
        """The representation of a commit in this walk."""
        return oid if self.numbers is None else self.numbers.number(oid)

    def load(self, node: Node) -> None:
        """Read a commit's parents and date, once."""
        have = self.flags[node]
        if have & LOADED:
            return
        if not self.wide:
            facts = self.facts(node)
            self.parents[node], self.times[node] = facts[0], facts[1]
        elif self.read_row is not None:
            self.read_row(node)
        self.flags[node] = have | LOADED

    def load_all(self, nodes: Iterable[Node]) -> None:
        """`load` many commits."""
        flags, times, parents, read, tick = self.flags, self.times, self.parents, self.facts, self.ctx.ticks()
        wide, above, read_row = self.wide, parents.second, self.read_row
        for node in nodes:
            tick()
            have = flags[node]
            if not (wide or have & LOADED):
                facts = read(node)
                above[node], times[node] = facts[0], facts[1]
            elif read_row is not None and above[node] == UNREAD:
                read_row(node)
            flags[node] = have | LOADED

    def tree(self, node: Node) -> bytes:
        """The oid of the commit's tree."""
        if self.numbers is not None:
            return self.numbers.tree(node)
        tree: bytes = self.facts(node)[2] or self.odb.commit_facts(node)[2]
        return tree

    def relevant(self, node: Node) -> bool:
        """Whether a parent counts in the search for the origin of a change: it is interesting, or an excluded tip."""
        have: int = self.flags[node]
        return have & (UNINTERESTING | BOTTOM) != UNINTERESTING

    # ---------------------------------------------------------------- the queue
    def push(self, node: Node) -> None:
        self.serial += 1
        heappush(self.queue, (-self.times[node], self.serial, node))

    def start(self, tips: Sequence[Tip]) -> list[Node]:
        """Take the tips; return the commits to begin with, newest first (unless the spec keeps them in their order)."""
        spec, flags = self.spec, self.flags
        first: list[Node] = []
        nodes = [self.node(tip.oid) for tip in tips]
        for nth, (tip, node) in enumerate(zip(tips, nodes, strict=True)):
            self.load(node)
            if tip.flags & LEFT and nth + 1 < len(tips) and not self._excludes_all(nodes):
                # git has read commits while it searched the merge base of A...B, and exclusion passes through these
                self.load_all(painted(self.store, node, [nodes[nth + 1]], ctx=self.ctx, numbers=self.numbers))
        if any(tip.flags & UNINTERESTING for tip in tips) or (spec.first_parent and spec.order):
            self._load_steps()
        for bottom in spec.ancestry_bottoms:
            if bottom not in spec.ancestry_tagged:
                flags[self.node(bottom)] |= ON_ANCESTRY_PATH
        for tip, node in zip(tips, nodes, strict=True):
            flags[node] |= tip.flags
        for tip, node in zip(tips, nodes, strict=True):
            if tip.flags & UNINTERESTING:
                self.exclude_ancestors(node)
                if not spec.order or not has_generations(self.odb):
                    self.limited = True
            if spec.sources:  # of an entry of a reflog it is empty
                self.sources.setdefault(node, tip.name)
            if not flags[node] & SEEN:
                flags[node] |= SEEN
                first.append(node)
        if spec.order and not has_generations(self.odb):
            self.limited = True
        if spec.no_walk != "unsorted":
            first.sort(key=lambda node: -self.times[node])
        return first

    def _excludes_all(self, nodes: Sequence[Node]) -> bool:
        """Whether every ancestor of an excluded commit is excluded, whatever was read before: so it is where all
        parents are read and no clock is wrong. History simplification asks earlier whether a parent is excluded
        already, and of a boundary commit only what was read is drawn."""
        spec = self.spec
        asks = spec.skips_parents or spec.prune or spec.boundary
        return not asks and isinstance(self.numbers, Numbers) and is_true_by_date(self.store, nodes)

    def _load_steps(self) -> None:
        """Load what git has read to find what `main~3` names: exclusion passes through these commits, too."""
        for oid, generations, _ in steps_taken(self.store):
            node = self.node(oid) if generations else None
            for _ in range(generations):
                self.ctx.tick()
                if node is None:  # it is in no commit-graph, and none of the tips reaches it
                    parents = self.odb.commit_facts(oid)[0]
                    oid, node = (parents[0], self.node(parents[0])) if parents else (b"", None)
                else:
                    self.load(node)
                    parents = self.parents[node]
                    node = parents[0] if parents else None
                if not parents:
                    break

    # ---------------------------------------------------------------- one step
    def expand(self, node: Node) -> None:
        """Put the parents of a commit in the queue, once; simplify its history first if the spec asks for that."""
        flags, spec, sources = self.flags, self.spec, self.sources
        have = flags[node]
        if have & ADDED:
            return
        flags[node] = have | ADDED
        if have & UNINTERESTING:
            self._expand_excluded(node)
            return
        if self.simplifier is not None:
            self.simplifier.simplify(node)
        if spec.no_walk:
            return
        passed = have & (LEFT | ON_ANCESTRY_PATH)
        for parent in paced(self.parents[node]):
            flag = flags[parent]
            if flag & SEEN:
                if passed:
                    flags[parent] = flag | passed
            else:
                self.load(parent)
                flags[parent] |= SEEN | passed
                self.serial += 1
                heappush(self.queue, (-self.times[parent], self.serial, parent))
            if spec.sources and node in sources:
                sources.setdefault(parent, sources[node])
            if spec.first_parent:
                break

    def _expand_excluded(self, node: Node) -> None:
        flags = self.flags
        for parent in paced(self.parents[node]):
            flags[parent] |= UNINTERESTING
            try:
                self.load(parent)
            except MissingObject:  # git goes on: what it leads to is not wanted
                continue
            self.exclude_ancestors(parent)
            if flags[parent] & SEEN:
                continue  # even if only first parents exclude: then the second parent is excluded, as in git
            flags[parent] |= SEEN
            self.push(parent)
            if self.spec.exclude_first_parent:
                break

    def exclude_ancestors(self, node: Node) -> None:
        """Exclude the ancestors of a commit that are known so far."""
        flags, above_of = self.flags, self.parents.above
        only_first = self.spec.exclude_first_parent
        above = above_of(node)
        stack = [parent for parent in (above[:1] if only_first else above) if not flags[parent] & UNINTERESTING]
        while stack:
            here = stack.pop()
            have = flags[here]
            if have & UNINTERESTING:
                continue
            flags[here] = have | UNINTERESTING
            above = above_of(here)
            stack += above[:1] if only_first else above

    # ---------------------------------------------------------------- the limited walk
    def widen(self) -> bool:
        """Switch to arrays, if a graph has numbers for all commits."""
        if isinstance(self.numbers, PackNumbers):
            self.flags, self.times, self.read_row = growing(self.flags, self.parents, self.numbers)
            self.wide = True
            return True
        made = None if self.numbers is None else widened(self.flags, self.parents, self.times, self.numbers, self.ctx)
        if made is not None:
            self.flags, self.times = made
            self.wide = True
        return self.wide

    def column(self) -> Column:
        """A column of zeros."""
        return array("I", bytes(4 * len(self.flags))) if self.wide else Sparse()

    def _most_narrow(self) -> int:
        """The number of commits after which a limited walk switches to arrays."""
        if self.numbers is None:
            return _EVER
        return max(FEW, self.numbers.positions.count >> 4) if isinstance(self.numbers, Numbers) else FEW

    def limit(self, first: Sequence[Node], listed: Sequence[Node] = ()) -> list[Node]:
        """The complete list of interesting commits, in queue order; `listed` are those that have left the queue."""
        spec, queue, tick, read = self.spec, self.queue, self.ctx.visits(), self.facts
        simplify = None if self.simplifier is None else self.simplifier.simplify
        unchanged = 0 if self.simplifier is None else self.simplifier.line_mark
        max_age, only_first = spec.max_age, spec.first_parent
        by_age = spec.line_level is None and (spec.min_age, spec.max_age_as_filter) != (None, None)
        odd = SEEN if spec.sources else UNINTERESTING | ADDED  # commits with these flags are handled by `expand`
        for node in first:
            self.push(node)
        self.all_shown = bool(first) and self._nothing_special(first)
        flags, times, parents = self.flags, self.times, self.parents
        first_of, second_of, above_of = parents.first, parents.second, parents.above
        wide, narrow, read_row = self.wide, self._most_narrow(), self.read_row
        limited: list[Node] = [*listed]
        slop = SLOP
        newest: int | None = times[limited[-1]] if limited else None  # date of the commit listed last
        lookout: Node | None = None  # an interesting commit that is known to be in the queue
        waiting: tuple[int, int, Node] | None = None  # the last commit that has to be put in the queue
        serial = self.serial
        while queue or waiting:
            tick()
            if serial > narrow:
                narrow, wide = _EVER, self.widen()
                flags, times, read_row = self.flags, self.times, self.read_row
                first_of, second_of, above_of = parents.first, parents.second, parents.above
            negated, _, node = heappop(queue) if waiting is None else heappushpop(queue, waiting)
            waiting = None
            if node == lookout:
                lookout = None
            have = flags[node]
            if max_age is not None and -negated < max_age:
                flags[node] = have = have | UNINTERESTING
            if have & odd:
                self.serial = serial
                self.expand(node)
                serial = self.serial
            else:
                above = (first_of[node],) if second_of[node] == ONE else above_of(node)
                if unchanged and len(above) == 1:
                    flags[node] = have | ADDED | unchanged
                else:
                    flags[node] = have | ADDED
                    if simplify is not None:
                        simplify(node)
                        above = (first_of[node],) if second_of[node] == ONE else above_of(node)
                passed = have & (LEFT | ON_ANCESTRY_PATH)
                for parent in above[:1] if only_first else above:
                    flag = flags[parent]
                    if flag & SEEN:
                        if passed:
                            flags[parent] = flag | passed
                        continue
                    if not (wide or flag & LOADED):
                        facts = read(parent)
                        second_of[parent], times[parent] = facts[0], facts[1]
                    elif read_row is not None and second_of[parent] == UNREAD:
                        read_row(parent)
                    flags[parent] = flag | SEEN | LOADED | passed
                    if waiting is not None:
                        heappush(queue, waiting)
                    serial += 1
                    waiting = (-times[parent], serial, parent)
            if have & UNINTERESTING:
                self.exclude_ancestors(node)
                if not queue:
                    break
                if newest is not None and newest <= -queue[0][0]:
                    slop = SLOP
                    continue
                if lookout is None or flags[lookout] & UNINTERESTING:
                    lookout = next((item[2] for item in queue if not flags[item[2]] & UNINTERESTING), None)
                if lookout is not None:
                    slop = SLOP
                    continue
                slop -= 1
                if slop:
                    continue
                break
            if by_age and self._left_out_by_age(-negated):
                continue
            newest = -negated
            limited.append(node)
        self.serial = serial
        if self.simplifier is not None and unchanged:
            self.simplifier.mark_decorated()
        return limited

    def _left_out_by_age(self, time: int) -> bool:
        min_age, floor = self.spec.min_age, self.spec.max_age_as_filter
        return (min_age is not None and time > min_age) or (floor is not None and time < floor)

    def _nothing_special(self, first: Sequence[Node]) -> bool:
        """Whether the list is simply every commit that the tips reach: none excluded, simplified or too young."""
        return _collected(self.spec) and all(self.flags[node] == SEEN for node in first)

    def treesame(self, node: Node) -> bool:
        """Whether a commit changed nothing in the paths of the walk."""
        return bool(self.flags[node] & TREESAME)

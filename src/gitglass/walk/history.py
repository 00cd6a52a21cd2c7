"""The walk proper: from the tips along the parents, newest commit first.

The queue is ordered by commit date, and among equal dates by who came first: that is git's order, and everything else
builds on it. Two ways to walk: *streaming*, where a commit is shown as soon as it leaves the queue, and *limited*,
where the whole list is made before the first commit is shown, because what is excluded has to be painted down far
enough. Painting stops when the excluded side is older than everything found and nothing interesting waits; clocks
lie, so git goes on for a few commits more (SLOP), and where a clock lies worse than that the answer shows it: ours as
git's.

State is kept in dictionaries by oid (`flags`, `parents`, `times`), because parents are rewritten as history is
simplified and each walk needs its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from ..limits import Context
from ..store.store import Store
from .fast import reader
from .incremental import has_generations
from .mergebase import painted
from .simplify import Simplifier
from .spec import (
    ADDED,
    BARE,
    BOTTOM,
    LEFT,
    ON_ANCESTRY_PATH,
    SEEN,
    SLOP,
    TREESAME,
    UNINTERESTING,
    Tip,
    WalkSpec,
    honours,
)

#: a list of everything is made the same way whatever is done with it afterwards
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


class Walk:
    """The state of one walk. `queue` is a heap of (-date, order of arrival, oid)."""

    __slots__ = (
        "all_shown",
        "children_of",
        "ctx",
        "facts",
        "flags",
        "limited",
        "odb",
        "parents",
        "queue",
        "saved_parents",
        "serial",
        "simplifier",
        "sources",
        "spec",
        "store",
        "times",
        "trees",
    )

    def __init__(self, store: Store, spec: WalkSpec, ctx: Context) -> None:
        self.store, self.spec, self.ctx = store, spec, ctx
        self.odb = store.odb
        self.flags: dict[bytes, int] = {}
        self.parents: dict[bytes, tuple[bytes, ...]] = {}
        self.times: dict[bytes, int] = {}
        self.trees: dict[bytes, bytes] = {}
        self.queue: list[tuple[int, int, bytes]] = []
        self.serial = 0
        self.sources: dict[bytes, bytes] = {}
        self.saved_parents: dict[bytes, tuple[bytes, ...]] = {}
        self.all_shown = False  # nothing was excluded
        self.children_of: dict[bytes, list[bytes]] | None = None
        # which commits touch the lines of -L is asked beforehand where parents are rewritten to such
        self.limited = spec.limited or (spec.line_level is not None and spec.want_ancestry)
        self.facts = reader(self.odb, whole=spec.raw and not spec.prune)
        self.simplifier = Simplifier(self) if spec.prune else None

    # ---------------------------------------------------------------- commits
    def load(self, oid: bytes) -> None:
        """Learn a commit's parents and date, once."""
        if oid not in self.parents:
            parents, self.times[oid], tree = self.facts(oid)
            self.parents[oid] = parents
            if tree:
                self.trees[oid] = tree

    def tree(self, oid: bytes) -> bytes:
        tree = self.trees.get(oid)
        if tree is None:
            tree = self.trees[oid] = self.odb.commit_facts(oid)[2]
        return tree

    def relevant(self, oid: bytes) -> bool:
        """Whether a parent counts when asking where a change came from: interesting, or named as a bottom."""
        return self.flags.get(oid, 0) & (UNINTERESTING | BOTTOM) != UNINTERESTING

    # ---------------------------------------------------------------- the queue
    def push(self, oid: bytes) -> None:
        self.serial += 1
        heappush(self.queue, (-self.times[oid], self.serial, oid))

    def start(self, tips: Sequence[Tip]) -> list[bytes]:
        """Take in the tips; the commits to begin with, newest first (unless asked to leave them as they are)."""
        spec, flags = self.spec, self.flags
        first: list[bytes] = []
        for nth, tip in enumerate(tips):
            self.load(tip.oid)
            if tip.flags & LEFT and nth + 1 < len(tips):
                # git has read what it met looking for the merge base of A...B, and excludes through what it has read
                for oid in painted(self.store, tip.oid, [tips[nth + 1].oid], ctx=self.ctx):
                    self.load(oid)
        for oid in spec.ancestry_bottoms:
            flags[oid] = ON_ANCESTRY_PATH
        for tip in tips:
            flags[tip.oid] = flags.get(tip.oid, 0) | tip.flags
        for tip in tips:
            oid = tip.oid
            if tip.flags & UNINTERESTING:
                self.exclude_ancestors(oid)
                if not spec.order or not has_generations(self.odb):
                    self.limited = True
            if spec.sources and tip.name:
                self.sources.setdefault(oid, tip.name)
            if not flags[oid] & SEEN:
                flags[oid] |= SEEN
                first.append(oid)
        if spec.order and not has_generations(self.odb):
            self.limited = True
        if spec.no_walk != "unsorted":
            first.sort(key=lambda oid: -self.times[oid])
        return first

    # ---------------------------------------------------------------- one step
    def expand(self, oid: bytes) -> None:
        """Put the parents of a commit in the queue, once; simplify its history first where that is asked for."""
        flags = self.flags
        have = flags.get(oid, 0)
        if have & ADDED:
            return
        flags[oid] = have | ADDED
        if have & UNINTERESTING:
            self._expand_excluded(oid)
            return
        if self.simplifier is not None:
            self.simplifier.simplify(oid)
        spec = self.spec
        if spec.no_walk:
            return
        passed = have & (LEFT | ON_ANCESTRY_PATH)
        for parent in self.parents[oid]:
            known = flags.get(parent, 0)
            if known & SEEN:
                if passed:
                    flags[parent] = known | passed
            else:
                self.load(parent)
                flags[parent] = known | SEEN | passed
                self.serial += 1
                heappush(self.queue, (-self.times[parent], self.serial, parent))
            if spec.sources and oid in self.sources:
                self.sources.setdefault(parent, self.sources[oid])
            if spec.first_parent:
                break

    def _expand_excluded(self, oid: bytes) -> None:
        flags = self.flags
        for parent in self.parents[oid]:
            flags[parent] = flags.get(parent, 0) | UNINTERESTING
            self.load(parent)
            self.exclude_ancestors(parent)
            if flags[parent] & SEEN:
                continue  # even where only first parents exclude: then the second has its turn, as in git
            flags[parent] |= SEEN
            self.push(parent)
            if self.spec.exclude_first_parent:
                break

    def exclude_ancestors(self, oid: bytes) -> None:
        """Exclude what is known so far of a commit's ancestors."""
        flags, parents = self.flags, self.parents
        only_first = self.spec.exclude_first_parent
        stack = [oid]
        top = True
        while stack:
            here = stack.pop()
            if not top:
                have = flags.get(here, 0)
                if have & UNINTERESTING:
                    continue
                flags[here] = have | UNINTERESTING
            top = False
            known = parents.get(here, ())
            stack += known[:1] if only_first else reversed(known)

    # ---------------------------------------------------------------- the limited walk
    def limit(self, first: list[bytes]) -> list[bytes]:
        """The whole list of interesting commits, in order of the queue."""
        spec, flags, queue, times = self.spec, self.flags, self.queue, self.times
        tick, expand = self.ctx.visits(), self.expand
        max_age, min_age, floor = spec.max_age, spec.min_age, spec.max_age_as_filter
        line_level = spec.line_level is not None
        for oid in first:
            self.push(oid)
        if self._nothing_special(first):
            return self._collect()
        found: list[bytes] = []
        slop = SLOP
        newest: int | None = None  # date of the commit listed last
        lookout: bytes | None = None  # an interesting commit known to wait in the queue
        while queue:
            tick()
            oid = heappop(queue)[2]
            if oid == lookout:
                lookout = None
            time = times[oid]
            if max_age is not None and time < max_age:
                flags[oid] |= UNINTERESTING
            expand(oid)
            if flags[oid] & UNINTERESTING:
                self.exclude_ancestors(oid)
                if not queue:
                    break
                if newest is not None and newest <= times[queue[0][2]]:
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
            if min_age is not None and time > min_age and not line_level:
                continue
            if floor is not None and time < floor and not line_level:
                continue
            newest = time
            found.append(oid)
        return found

    def _nothing_special(self, first: list[bytes]) -> bool:
        """Whether the list is simply everything that the tips reach: nothing excluded, simplified or too young."""
        return _collected(self.spec) and all(self.flags[oid] == SEEN for oid in first)

    def _collect(self) -> list[bytes]:
        """Everything reached, in order of the queue."""
        queue, parents_of, times, flags = self.queue, self.parents, self.times, self.flags
        read, tick, only_first, serial = self.facts, self.ctx.visits(), self.spec.first_parent, self.serial
        found: list[bytes] = []
        self.all_shown = True
        while queue:
            tick()
            oid = heappop(queue)[2]
            found.append(oid)
            for parent in parents_of[oid][:1] if only_first else parents_of[oid]:
                if parent not in flags:
                    flags[parent] = SEEN
                    parents_of[parent], time, _ = read(parent)
                    times[parent] = time
                    serial += 1
                    heappush(queue, (-time, serial, parent))
        self.serial = serial
        return found

    def treesame(self, oid: bytes) -> bool:
        return bool(self.flags.get(oid, 0) & TREESAME)

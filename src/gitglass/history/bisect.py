"""Bisection: the commit that halves a list of commits best (git rev-list --bisect).

The weight of a commit is the number of commits in the list that it reaches, itself included; only commits that change
what is asked about are counted. The best commit has a weight close to half of the total. Weights are computed in git's
order, because it decides which of several equally good commits is chosen: first those of merges, by counting; then
those of the others, oldest first, from a parent whose weight is known. Unless `everything` is wanted, the search ends
at the first commit that is near enough to half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ..limits import Context
from ..records import record
from .spec import TREESAME, UNINTERESTING
from .walk import Walk

_LARGE = 1024  # from this many commits on, a weight that is off by one is near enough to half


@record
class Bisection:
    """The answer: the best commit, or all of them in order, with their distances."""

    commits: list[bytes]
    distances: dict[bytes, int]
    reaches: int  # commits that the best one reaches
    total: int  # commits that count

    def variables(self) -> bytes:
        """The variables that --bisect-vars prints for a shell."""
        steps = max(self.total - self.reaches, self.reaches) - 1
        best = self.commits[0].hex() if self.commits else ""
        return (
            f"bisect_rev='{best}'\nbisect_nr={steps}\nbisect_good={self.total - self.reaches - 1}\n"
            f"bisect_bad={self.reaches - 1}\nbisect_all={self.total}\nbisect_steps={steps_left(self.total)}\n"
        ).encode()


def steps_left(total: int) -> int:
    """The estimated number of further steps of a bisection of `total` commits."""
    if total < 3:
        return 0
    power = total.bit_length() - 1
    return power if 1 << power < 3 * (total - (1 << power)) else power - 1


def bisect(walk: Walk, commits: Sequence[bytes], *, everything: bool, first_parent: bool, ctx: Context) -> Bisection:
    """The best of the commits of a limited walk, or all of them."""
    flags = walk.flags
    listed = [oid for oid in reversed(commits) if not flags[oid] & UNINTERESTING]
    counts = {oid: not flags[oid] & TREESAME for oid in listed}
    total = sum(counts.values())
    if not listed:
        return Bisection([], {}, 0, 0)

    above = {
        oid: [parent for parent in walk.parents[oid][: 1 if first_parent else None] if parent in counts]
        for oid in listed
    }
    weights = _Weights(listed, counts, above.__getitem__, total, ctx)
    best = weights.find(early=not everything)
    # git counts every merge as done, also one that does not count, so that the weights of others may stay unknown (-1)
    distances = {oid: min(total - weights.by_commit[oid], weights.by_commit[oid]) for oid in listed if counts[oid]}
    if everything:
        ranked = sorted(distances, key=lambda oid: (-distances[oid], oid))
        return Bisection(ranked, distances, weights.by_commit[ranked[0]] if ranked else 0, total)
    if best is None:
        weighed = [oid for oid, distance in distances.items() if distance >= 0]
        best = max(weighed, key=distances.__getitem__, default=listed[0])
    return Bisection([best], {}, weights.by_commit[best], total)


class _Weights:
    """The weights of commits, oldest first."""

    __slots__ = ("_reached", "_waiting", "by_commit", "counts", "ctx", "listed", "parents_of", "total", "weights")

    def __init__(
        self,
        listed: list[bytes],
        counts: Mapping[bytes, bool],
        parents_of: Callable[[bytes], list[bytes]],
        total: int,
        ctx: Context,
    ) -> None:
        self.listed, self.counts, self.parents_of, self.total, self.ctx = listed, counts, parents_of, total, ctx
        self.by_commit: dict[bytes, int] = {}  # -1: not known yet
        self.weights: dict[bytes, int] = {}  # of merges, by `_count`; -1: of the others
        self._reached: dict[bytes, int] = {}
        self._waiting = Counter(parent for oid in listed for parent in parents_of(oid))

    def find(self, *, early: bool) -> bytes | None:
        """Compute the weights. With `early`, stop at the first commit that is near enough to half and return it."""
        merges, done = [], 0
        for oid in self.listed:
            parents = len(self.parents_of(oid))
            self.by_commit[oid] = -1 if parents else int(self.counts[oid])
            done += not parents and self.counts[oid]
            if parents > 1:
                merges.append(oid)
        for oid in merges:
            self.by_commit[oid] = self._count(oid)
            if early and self._halves(oid):
                return oid
            done += 1
        goes_on = True  # where dates lie, a commit may be listed before what it reaches
        while done < self.total and goes_on:
            goes_on = False
            for oid in self.listed:
                self.ctx.tick()
                if self.by_commit[oid] >= 0:
                    continue
                parent = next((one for one in self.parents_of(oid) if self.by_commit[one] >= 0), None)
                if parent is None:
                    continue
                self.by_commit[oid] = self.by_commit[parent] + self.counts[oid]
                goes_on = True
                done += self.counts[oid]
                if early and self._halves(oid):
                    return oid
        return None

    def _count(self, oid: bytes) -> int:
        """The number of counted commits that a commit reaches, itself included.

        Each commit has the set of commits it reaches, as the bits of an integer: the union of its parents' sets, and
        its own bit. The set is dropped when the last child has used it.
        """
        weights, reached, waiting = self.weights, self._reached, self._waiting
        stack = [oid]
        while stack:
            self.ctx.tick()
            here = stack[-1]
            if here in weights:
                stack.pop()
                continue
            parents = self.parents_of(here)
            missing = [parent for parent in parents if parent not in weights]
            if missing:
                stack += missing
                continue
            stack.pop()
            bits = self.counts[here] << len(weights)
            for parent in parents:
                bits |= reached[parent]
                waiting[parent] -= 1
                if not waiting[parent]:
                    del reached[parent]
            if waiting[here]:
                reached[here] = bits
            weights[here] = bits.bit_count() if len(parents) > 1 else -1
        return weights[oid]

    def _halves(self, oid: bytes) -> bool:
        off = abs(2 * self.by_commit[oid] - self.total)
        return self.counts[oid] and (off <= 1 or off < self.total // _LARGE)

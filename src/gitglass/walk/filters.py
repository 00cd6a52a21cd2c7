"""Which of the commits met are shown: age, number of parents, message, and whether they changed anything.

Then what is counted: --skip, --max-count, and the boundary commits that follow when --boundary asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .order import topological
from .spec import BOUNDARY, CHILD_SHOWN, PULL_MERGE, SHOWN, TREESAME, UNINTERESTING

if TYPE_CHECKING:
    from .history import Walk


def make_test(walk: Walk) -> Callable[[bytes], bool]:
    """The question "is this commit shown?", with everything that is not asked left out of it."""
    spec, flags, parents_of = walk.spec, walk.flags, walk.parents
    time_of = walk.times.get  # what was never looked at (a second parent, say) has no date, as in git
    min_age, floor = spec.min_age, spec.max_age_as_filter
    fewest, most = spec.min_parents, spec.max_parents
    counts_parents = fewest > 0 or most >= 0
    matcher, left_out = spec.matcher, spec.left_out
    matched: dict[bytes, bool] = {}
    line_level = None if spec.want_ancestry else spec.line_level
    dense = spec.prune and spec.dense

    def shown(oid: bytes) -> bool:
        have = flags.get(oid, 0)
        if have & (SHOWN | UNINTERESTING):
            return False
        if left_out is not None and left_out(oid):
            return False
        if line_level is not None and not line_level(oid):
            return False
        if min_age is not None and time_of(oid, 0) > min_age:
            return False
        if floor is not None and time_of(oid, 0) < floor:
            return False
        if counts_parents:
            count = len(parents_of.get(oid, ()))
            if count < fewest or 0 <= most < count:
                return False
        if dense and have & TREESAME and not ties_history(oid, have):
            return False
        if matcher is None:
            return True
        answer = matched.get(oid)
        if answer is None:
            answer = matched[oid] = matcher(walk.odb.commit(oid))
        return answer

    def ties_history(oid: bytes, have: int) -> bool:
        """A merge without changes of its own is kept where it holds together lines of history that are shown."""
        if not spec.want_ancestry:
            return False
        if spec.show_pulls and have & PULL_MERGE:
            return True
        return sum(map(walk.relevant, parents_of.get(oid, ()))) >= 2

    return shown


def counted(walk: Walk, commits: Iterator[bytes]) -> Iterator[bytes]:
    """--skip, then --max-count, then the boundary of what was shown."""
    spec, flags = walk.spec, walk.flags
    left = spec.max_count
    waiting: list[bytes] = []  # parents of what was shown, in the order they were met
    if left:
        for _ in range(spec.skip):
            if next(commits, None) is None:
                break
        for oid in commits if left else ():
            flags[oid] |= SHOWN
            if spec.boundary:
                for parent in walk.parents[oid]:
                    have = flags.get(parent, 0)
                    if not have & (CHILD_SHOWN | SHOWN):
                        flags[parent] = have | CHILD_SHOWN
                        waiting.append(parent)
            yield oid
            left -= 1
            if not left:
                break
    if spec.boundary:
        yield from _boundary(walk, waiting)


def _boundary(walk: Walk, waiting: list[bytes]) -> Iterator[bytes]:
    flags = walk.flags
    found: list[bytes] = []
    for oid in waiting:
        if not flags[oid] & (SHOWN | BOUNDARY):
            flags[oid] |= BOUNDARY
            walk.load(oid)
            found.append(oid)
    found.reverse()
    for oid in topological(walk, found, walk.spec.order):
        flags[oid] |= SHOWN
        yield oid

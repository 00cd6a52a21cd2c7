"""Which commits of a walk are shown: age, number of parents, message, and whether they changed anything.

Then the counting options: --skip, --max-count, and the boundary commits that follow with --boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..annotations import TYPE_CHECKING
from ..graph.nodes import Node
from .order.listed import topological
from .spec import BOUNDARY, CHILD_SHOWN, LOADED, PULL_MERGE, SHOWN, TREESAME, UNINTERESTING

if TYPE_CHECKING:
    from .state import WalkState


def make_test(walk: WalkState) -> Callable[[Node], bool]:
    """The test "is this commit shown?", made only of the conditions that the spec sets."""
    spec, flags, parents_of = walk.spec, walk.flags, walk.parents
    times = walk.times
    min_age, floor = spec.min_age, spec.max_age_as_filter
    fewest, most = spec.min_parents, spec.max_parents
    counts_parents = fewest > 0 or most >= 0
    matcher, left_out = spec.matcher, spec.left_out
    name, commit_of = walk.oid, walk.commit
    matched: dict[Node, bool] = {}
    line_level = None if spec.want_ancestry else spec.line_level
    dense = spec.prune and spec.dense

    def shown(node: Node) -> bool:
        have = flags[node]
        if have & (SHOWN | UNINTERESTING):
            return False
        if left_out is not None and left_out(name(node)):
            return False
        if line_level is not None and not line_level(name(node)):
            return False
        # a commit that the walk did not read (a second parent, say) has no date, as in git
        if min_age is not None and have & LOADED and times[node] > min_age:
            return False
        if floor is not None and (times[node] if have & LOADED else 0) < floor:
            return False
        if counts_parents:
            count = len(parents_of[node])
            if count < fewest or 0 <= most < count:
                return False
        if dense and have & TREESAME and not ties_history(node, have):
            return False
        if matcher is None:
            return True
        answer = matched.get(node)
        if answer is None:
            answer = matched[node] = matcher(commit_of(node))
        return answer

    def ties_history(node: Node, have: int) -> bool:
        """Whether a merge without changes of its own is kept because it connects lines of history that are shown."""
        if not spec.want_ancestry:
            return False
        if spec.show_pulls and have & PULL_MERGE:
            return True
        return sum(map(walk.relevant, parents_of[node])) >= 2

    return shown


def counted(walk: WalkState, commits: Iterator[Node]) -> Iterator[Node]:
    """Apply --skip and --max-count, then add the boundary of the commits shown."""
    spec, flags = walk.spec, walk.flags
    left, quota = spec.max_count, spec.quota
    waiting: list[Node] = []  # parents of the commits shown, in the order they were met
    if left:
        for _ in range(spec.skip):
            if next(commits, None) is None:
                break
        for node in commits if left else ():
            flags[node] |= SHOWN
            if spec.boundary:
                for parent in walk.parents[node]:
                    have = flags[parent]
                    if not have & (CHILD_SHOWN | SHOWN):
                        flags[parent] = have | CHILD_SHOWN
                        waiting.append(parent)
            yield node
            left -= 1
            if not left or (quota is not None and not quota.left):
                break
    if spec.boundary:
        yield from border(walk, waiting)


def border(walk: WalkState, waiting: list[Node]) -> Iterator[Node]:
    """The parents in `waiting` that were not shown, in topological order, the last one first.

    A commit that the walk did not read (a second parent, where it follows the first ones) has neither parents nor a
    date here, as in git.
    """
    spec, flags = walk.spec, walk.flags
    boundary: list[Node] = []
    for node in waiting:
        have = flags[node]
        if not have & (SHOWN | BOUNDARY):
            flags[node] = have | BOUNDARY
            if not have & LOADED:
                walk.parents[node] = ()
            elif spec.line_parents is not None and node in spec.line_parents:
                walk.parents[node] = (spec.line_parents[node],)
            boundary.append(node)
    boundary.reverse()
    for node in topological(walk, boundary, spec.order):
        flags[node] |= SHOWN
        yield node

"""The rows of a graph, cached by the shape of its columns.

The drawing of a commit depends on the lines of the commit and its parents, on the lines to the right of these, and on
how the commit before it ended. It does not depend on the names of the commits, nor on the lines further to the left,
which go straight down (of a few columns, it is not worth the time to tell them from the others). Histories have few
such shapes and many commits: each shape is drawn once, by `graph.py`, and its effect on the columns is applied again
when it recurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .graph import COLLAPSE, MERGE, Graph

_KEPT = 1 << 20  # columns of all cached shapes together
_FEW = 8  # columns of which each shape is cached as it is

#: what the next commit's rows depend on: how the last one ended, edges it added, its column, columns lines moved to
State = tuple[int, int, int, tuple[int, ...]]
Rows = tuple[bytes, bytes, Sequence[bytes], bytes]  # as a Drawing, the second joined
#: (rows, columns below: those above by index, or ~n for parent n, new state)
Drawn = tuple[Rows, list[int], State]

Draw = Callable[..., Rows]  # (oid, parents, mark, spaced=) → rows

_STRAIGHT: State = (0, 0, 0, ())


def drawer(graph: Graph) -> Draw:
    """The function that draws a commit of a log, of which every commit is drawn by it: from cached rows, unless they
    have colours. Colours continue along the lines, so that such rows do not depend on the shape alone."""

    def colored(oid: bytes, parents: Sequence[bytes], sign: bytes, *, spaced: bool) -> Rows:
        between, front, below, after = graph.draw(oid, parents, sign, spaced=spaced)
        return between, b"\n".join(front), below, after

    return colored if graph.colors else GraphRows(graph).draw


class GraphRows:
    """Draws a history commit by commit, each with one line of text and without colours; `graph` must not be used
    elsewhere."""

    __slots__ = ("_drawn", "_graph", "_lines", "_room", "_state", "_straight", "_where")

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lines: list[bytes] = []  # the commits to which the columns lead
        self._where: dict[bytes, int] = {}  # the columns of these commits
        self._state = _STRAIGHT
        self._straight: dict[tuple[int, int], Rows] = {}  # by number of columns, and the commit's
        self._drawn: dict[tuple[int, State, tuple[int, ...], bool], Drawn] = {}
        self._room = _KEPT

    def draw(self, oid: bytes, parents: Sequence[bytes], mark: bytes = b"*", *, spaced: bool = False) -> Rows:
        """As `Graph.draw`, but the rows above a commit and its own are one text."""
        where = self._where
        if len(parents) == 1 and self._state[0] != COLLAPSE and oid in where and parents[0] not in where:
            where[parents[0]] = at = where.pop(oid)  # the parent only takes the commit's column
            self._lines[at] = parents[0]
            self._state = _STRAIGHT
            shape = len(where), at
            drawn = self._straight.get(shape) or self._goes_straight(*shape)
        else:
            drawn = self._drawn_at(oid, parents, spaced)
        if mark == b"*":
            return drawn
        between, front, below, after = drawn
        return between, front.replace(b"*", mark), below, after  # no other row has this sign

    def _goes_straight(self, count: int, at: int) -> Rows:
        """The rows of a commit in one of so many columns that all go straight down."""
        straight = b"| " * count
        rows: Rows = (straight, straight[: 2 * at] + b"*" + straight[2 * at + 1 :], (), straight)
        self._keep(count)
        self._straight[count, at] = rows
        return rows

    def _keep(self, columns: int) -> None:
        """Take the room of another shape."""
        self._room -= columns + 16
        if self._room < 0:
            self._room = _KEPT
            self._drawn.clear()
            self._straight.clear()

    def _drawn_at(self, oid: bytes, parents: Sequence[bytes], spaced: bool) -> Rows:
        lines, state, where = self._lines, self._state, self._where
        count, left = len(lines), 0
        positions = [where.get(one, -1) for one in (oid, *parents)]  # the columns of the commit and its parents
        if count > _FEW:
            left = min([at for at in positions if at >= 0], default=count)
        if len(parents) > 1 and len(set(parents)) < len(parents):
            positions += map(parents.index, parents)
            left = 0
        if left:
            positions = [at - left if at >= 0 else at for at in positions]
            if state[0]:
                ended, added, column, moved = state
                state = ended, added, max(column - left, -1), tuple([at - left for at in moved if at >= left])
        key = count - left, state, tuple(positions), spaced
        drawing = self._drawn.get(key)
        if drawing is None:
            drawing = self._drawn[key] = self._draw(oid, parents, lines[left:], state, spaced)
        drawn, columns, self._state = drawing
        self._lines = [lines[left + at] if at >= 0 else parents[~at] for at in columns]
        if left:
            drawn = self._moved_right(drawn, left)
            self._lines[:0] = lines[:left]
        self._where = dict(zip(self._lines, range(len(self._lines)), strict=True))
        return drawn

    def _moved_right(self, drawn: Rows, left: int) -> Rows:
        """The rows, and the state for the next commit, behind so many columns that go straight down."""
        ended, added, column, moved = self._state
        if ended:
            self._state = ended, added, column + left, tuple([at + left for at in moved])
        between, front, below, after = drawn
        straight = b"| " * left
        front = straight + front.replace(b"\n", b"\n" + straight)
        return straight + between, front, [straight + row for row in below], straight + after

    def _draw(self, oid: bytes, parents: Sequence[bytes], lines: list[bytes], state: State, spaced: bool) -> Drawn:
        graph = self._graph
        graph.below = [(one, -1) for one in lines]
        ended, graph.edges_added, graph.at, moved = state
        graph.state_before = ended
        graph.edges_before = [-1] * (2 * len(lines))
        for nth in moved:
            graph.edges_before[2 * nth + 1] = nth
        between, front, below, after = graph.draw(oid, parents, spaced=spaced)
        numbers = {one: ~at for at, one in reversed(list(enumerate(parents)))}
        numbers.update({one: at for at, one in enumerate(lines)})
        columns = [numbers[one] for one, _ in graph.below]
        self._keep(len(columns))
        return (between, b"\n".join(front), below, after), columns, self._state_for_next()

    def _state_for_next(self) -> State:
        """The part of the graph's state on which the next commit's rows depend."""
        graph = self._graph
        if graph.state_before == MERGE:
            return MERGE, graph.edges_added, graph.at, ()
        if graph.state_before == COLLAPSE:
            moved = graph.edges_before[1 : 2 * len(graph.below) : 2]
            return COLLAPSE, 0, 0, tuple([nth for nth, column in enumerate(moved) if nth == column])
        return _STRAIGHT

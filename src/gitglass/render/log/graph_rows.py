"""The rows of a graph, cached by the shape of its columns.

The drawing of a commit depends on the lines of the commit and its parents, on the lines to the right of these, and on
how the commit before it ended. It does not depend on the names of the commits, nor on the lines further to the left,
which go straight down. Histories have few such shapes and many commits: each shape is drawn once, by `graph.py`, and
its effect on the columns is applied again when it recurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .graph import COLLAPSE, MERGE, Drawing, Graph

_KEPT = 1 << 20  # columns of all cached shapes together

#: what the next commit's rows depend on: how the last one ended, edges it added, its column, columns lines moved to
State = tuple[int, int, int, tuple[int, ...]]
#: (rows, columns below: those above by index, or ~n for parent n, new state)
Drawn = tuple[Drawing, list[int], State]
Rows = tuple[bytes, bytes, Sequence[bytes], bytes]  # as a Drawing, the second joined

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

    __slots__ = ("_drawn", "_graph", "_lines", "_room", "_state", "_waited")

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lines: list[bytes] = []  # the commits to which the columns lead
        self._waited: set[bytes] = set()  # the same commits as a set
        self._state = _STRAIGHT
        self._drawn: dict[tuple[int, State, tuple[int, ...], bool], Drawn] = {}
        self._room = _KEPT

    def draw(self, oid: bytes, parents: Sequence[bytes], mark: bytes = b"*", *, spaced: bool = False) -> Rows:
        """As `Graph.draw`, but the rows above a commit and its own are one text."""
        drawn = self._drawn_at(oid, parents, spaced)
        if mark == b"*":
            return drawn
        between, front, below, after = drawn
        return between, front.replace(b"*", mark), below, after  # no other row has this sign

    def _drawn_at(self, oid: bytes, parents: Sequence[bytes], spaced: bool) -> Rows:
        lines, state, waited = self._lines, self._state, self._waited
        if len(parents) == 1 and state[0] != COLLAPSE and oid in waited and parents[0] not in waited:
            at = lines.index(oid)  # the parent only takes the commit's column
            lines[at] = parents[0]
            waited.remove(oid)
            waited.add(parents[0])
            self._state = _STRAIGHT
            straight = b"| " * len(lines)
            return straight, straight[: 2 * at] + b"*" + straight[2 * at + 1 :], (), straight
        count = left = len(lines)
        positions = []  # the columns of the commit and its parents
        for one in (oid, *parents):
            if one in waited:
                at = lines.index(one)
                positions.append(at)
                if at < left:
                    left = at
            else:
                positions.append(-1)
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
        (between, rows, below, after), columns, state = drawing
        if left:
            straight = b"| " * left
            ended, added, column, moved = state
            self._state = (ended, added, column + left, tuple([at + left for at in moved])) if ended else state
            self._lines = lines[:left] + [lines[left + at] if at >= 0 else parents[~at] for at in columns]
        else:
            straight = b""
            self._state = state
            self._lines = [lines[at] if at >= 0 else parents[~at] for at in columns]
        self._waited = set(self._lines)
        front = straight + (b"\n" + straight).join(rows)
        return straight + between, front, [straight + row for row in below] if below else (), straight + after

    def _draw(self, oid: bytes, parents: Sequence[bytes], lines: list[bytes], state: State, spaced: bool) -> Drawn:
        graph = self._graph
        graph.below = [(one, -1) for one in lines]
        ended, graph.edges_added, graph.at, moved = state
        graph.state_before = ended
        graph.edges_before = [-1] * (2 * len(lines))
        for nth in moved:
            graph.edges_before[2 * nth + 1] = nth
        drawing = graph.draw(oid, parents, spaced=spaced)
        numbers = {one: ~at for at, one in reversed(list(enumerate(parents)))}
        numbers.update({one: at for at, one in enumerate(lines)})
        columns = [numbers[one] for one, _ in graph.below]
        self._room -= len(columns) + 16
        if self._room < 0:
            self._room = _KEPT
            self._drawn.clear()
        return drawing, columns, self._state_for_next()

    def _state_for_next(self) -> State:
        """The part of the graph's state on which the next commit's rows depend."""
        graph = self._graph
        if graph.state_before == MERGE:
            return MERGE, graph.edges_added, graph.at, ()
        if graph.state_before == COLLAPSE:
            moved = graph.edges_before[1 : 2 * len(graph.below) : 2]
            return COLLAPSE, 0, 0, tuple([nth for nth, column in enumerate(moved) if nth == column])
        return _STRAIGHT

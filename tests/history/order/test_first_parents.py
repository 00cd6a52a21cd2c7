"""How far git looks ahead where it follows first parents only. What it shows then is recorded in `clocks`."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.graph.steps import note_steps
from gitglass.history.order.first_parents import Heap, along_first_parents
from gitglass.history.spec import GRAPH_ORDER, Tip, WalkSpec
from gitglass.history.walk import Walk

from ...support.histories import History, oid


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans())))
def test_the_lowest_row_comes_first_and_equal_ones_as_they_came(steps: list[tuple[int, bool]]) -> None:
    heap, inside = Heap(), list[list[int]]()
    for number, (priority, take) in enumerate(steps):
        heap.put([priority, number])
        inside.append([priority, number])
        if take:
            inside.sort()
            assert heap.first == inside[0] == heap.take()
            del inside[0]
    assert [heap.take() for _ in inside] == sorted(inside) and not heap


def test_a_row_that_changes_stays_where_it_is() -> None:
    """It counts when rows are compared: the lowest row stays below until one above it is taken."""
    rows = {name: [number, name] for number, name in enumerate("abcd", 1)}
    heap = Heap()
    for row in rows.values():
        heap.put(row)
    rows["d"][0] = 0  # below b, which is not taken yet
    assert [heap.take()[1] for _ in range(4)] == ["a", "d", "b", "c"]


class Graph:
    """A commit-graph with generations, of all commits but those that are `outside`."""

    has_corrected = False
    count = 99

    def __init__(self, levels: dict[bytes, int]) -> None:
        self._levels = levels

    def generation(self, commit: bytes) -> int | None:
        return self._levels.get(commit)

    def row(self, position: int) -> tuple[int, int, int]:
        return 0, 0, 1 << 34


class Levelled(History):
    """Commits by name, each with the names of its parents and ten seconds younger than the one before. The graph has
    all but those `outside`."""

    def __init__(self, parents: dict[str, str], outside: str = "") -> None:
        super().__init__()
        self.names, levels = list(parents), dict[str, int]()
        for at, (name, above) in enumerate(parents.items(), 1):
            self.add(name, above.split(), 10 * at)
            levels[name] = 1 + max((levels[each] for each in above.split()), default=0)
        self.store.odb.graph = Graph({oid(name): level for name, level in levels.items() if name != outside})


def looked_at(history: Levelled, order: str, *tips: str) -> tuple[list[str], set[str]]:
    """The commits in order, and those that were read."""
    names = {oid(name): name for name in history.names}
    walk = Walk(history.store, WalkSpec(raw=False, order=order, first_parent=True), history.ctx)
    listed = list(along_first_parents(walk, walk.start([Tip(oid(name)) for name in tips])))
    return [names[commit] for commit in listed], {names[commit] for commit in walk.flags if walk.parents[commit]}


MERGED = {"root": "", "a": "root", "b": "root", "m": "b a", "top": "a m", "side": "m"}


def test_a_commit_that_was_not_read_is_not_looked_at() -> None:
    assert looked_at(Levelled(MERGED), GRAPH_ORDER, "top") == (["top", "a", "root"], {"top", "a"})
    assert looked_at(Levelled(MERGED), GRAPH_ORDER, "top", "side")[1] == {"top", "a", "side", "m", "b"}


def test_what_only_a_commit_read_as_an_object_leads_to_is_looked_at_next() -> None:
    history = Levelled(MERGED)
    note_steps(history.store, oid("top"), 0)  # as by `x..top`
    assert looked_at(history, GRAPH_ORDER, "top") == (["top", "a", "root"], {"top", "a", "m", "b"})
    history = Levelled(MERGED)
    # as by `top ^top~2`: the first name is read from the graph
    note_steps(history.store, oid("top"), 2, from_graph=True)
    assert looked_at(history, GRAPH_ORDER, "top") == (["top", "a", "root"], {"top", "a"})
    assert looked_at(Levelled(MERGED, outside="top"), GRAPH_ORDER, "top")[1] == {"top", "a", "m", "b"}
    history = Levelled(MERGED)
    note_steps(history.store, oid("side"), 2)  # `side~2` has read m from the graph
    note_steps(history.store, oid("m"), 0)
    assert looked_at(history, GRAPH_ORDER, "m") == (["m", "b", "root"], {"side", "m", "b"})

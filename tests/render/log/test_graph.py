"""The graph beside a log: what git draws for histories that are hard to draw."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gitglass.render.log.graph import Graph


def draw(commits: Sequence[tuple[str, str]], colors: Sequence[bytes] = ()) -> list[str]:
    """The rows of a log with one line a commit; commits as (name, names of parents), children first."""
    graph = Graph(colors, b"." if colors else b"")
    rows: list[str] = []
    for name, parents in commits:
        graph.update(name.encode(), [parent.encode() for parent in parents], b"*")
        while True:
            row, own = graph.next_row()
            rows.append(row.decode() + (name if own else ""))
            if own:
                break
        while not graph.finished:
            rows.append(graph.next_row()[0].decode())
    return [row.rstrip() for row in rows]


def test_a_line() -> None:
    assert draw([("c", "b"), ("b", "a"), ("a", "")]) == ["* c", "* b", "* a"]


def test_a_merge() -> None:
    assert draw([("m", "ab"), ("b", "r"), ("a", "r"), ("r", "")]) == [
        "*   m",
        "|\\",
        "| * b",
        "* | a",
        "|/",
        "* r",
    ]


def test_a_merge_whose_second_parent_stands_to_the_left() -> None:
    assert draw([("x", "a"), ("m", "ba"), ("b", "a"), ("a", "")]) == [
        "* x",
        "| *   m",
        "| |\\",
        "| |/",
        "|/|",
        "| * b",
        "|/",
        "* a",
    ]


def test_an_octopus() -> None:
    commits = [("o", "abcd"), ("d", "r"), ("c", "r"), ("b", "r"), ("a", "r"), ("r", "")]
    assert draw(commits)[:5] == ["*---.   o", "|\\ \\ \\", "| | | * d", "| | * | c", "| | |/"]


def test_an_octopus_beside_another_line_gets_room_first() -> None:
    rows = draw([("x", "a"), ("y", "b"), ("o", "apq"), ("q", ""), ("p", ""), ("b", ""), ("a", "")])
    assert rows[2].startswith("| | *")


def test_a_commit_that_comes_too_early_is_announced_by_dots() -> None:
    graph = Graph()
    graph.update(b"m", [b"a", b"b"], b"*")
    graph.next_row()
    graph.update(b"b", [b"r"], b"*")
    assert graph.next_row()[0].startswith(b"...")


def test_colours_wrap_each_line_and_go_on_with_it() -> None:
    rows = draw([("m", "ab"), ("b", "a"), ("a", "")], colors=(b"1", b"2"))
    assert rows[1] == "1|.2\\."
    assert rows[2] == "1|. * b"


Steps = st.lists(st.lists(st.integers(1, 6), max_size=4, unique=True), min_size=1, max_size=25)


@given(Steps)
def test_every_commit_has_one_row_and_all_rows_end(steps: list[list[int]]) -> None:
    """Whatever the history: a mark for each commit, and after the last one no line is left over."""
    last = len(steps) - 1
    graph = Graph()
    for number, distances in enumerate(steps):
        parents = [b"%d" % (number + distance) for distance in distances if number + distance <= last]
        graph.update(b"%d" % number, parents, b"*")
        own = 0
        for _ in range(100):
            row, is_own = graph.next_row()
            own += is_own
            assert row.count(b"*") == (1 if is_own else 0)
            assert len(row) >= graph.width
            if graph.finished:
                break
        assert own == 1
        assert graph.finished

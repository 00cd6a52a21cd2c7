"""The search behind git describe: names behind a commit, and how far they are."""

from gitglass.limits import Context
from gitglass.revs.nearest import ANNOTATED, UNUSABLE, USABLE, Nearest, Search

from ..support.histories import History, name_of, oid


def line(history: History, names: str) -> None:
    """Commits in a row, each a second younger than the one before."""
    for nth, name in enumerate(names):
        history.add(name, names[nth - 1] if nth else (), time=nth)


def search(history: History, start: str, *, most: int = 10, first_parent: bool = False, **names: int) -> Nearest:
    known = {oid(name): use for name, use in names.items()}
    facts = history.facts.__getitem__
    return Search(facts, known, most=most, first_parent=first_parent, ctx=Context()).run(oid(start))


def found(nearest: Nearest) -> list[tuple[int, str]]:
    return [(depth, name_of(commit)) for depth, _, commit in nearest.candidates]


def test_distances_in_a_row(history: History) -> None:
    line(history, "abcde")
    nearest = search(history, "e", a=USABLE, c=USABLE)
    assert found(nearest) == [(2, "c"), (4, "a")]
    assert (nearest.passed, nearest.visited, nearest.beyond) == (0, 5, None)
    assert found(search(history, "e", e=ANNOTATED)) == [(0, "e")]


def test_an_annotated_name_ends_the_search(history: History) -> None:
    line(history, "abcde")
    nearest = search(history, "e", a=ANNOTATED, c=ANNOTATED)
    assert found(nearest) == [(2, "c")]
    assert nearest.end == oid("c")


def test_names_that_cannot_be_used_are_counted(history: History) -> None:
    line(history, "abcd")
    nearest = search(history, "d", b=UNUSABLE, c=UNUSABLE)
    assert (found(nearest), nearest.passed) == ([], 2)


def test_no_more_names_than_are_wanted(history: History) -> None:
    line(history, "abcdef")
    nearest = search(history, "f", most=2, a=USABLE, c=USABLE, e=USABLE)
    assert (found(nearest), nearest.beyond) == ([(1, "e"), (3, "c")], oid("a"))


def test_the_depth_counts_the_commits_of_both_branches(history: History) -> None:
    history.add("root", time=0)
    history.add("old", ["root"], time=1)
    history.add("one", ["root"], time=2)
    history.add("two", ["one"], time=3)
    history.add("merge", ["old", "two"], time=4)
    assert found(search(history, "merge", old=ANNOTATED)) == [(3, "old")]
    assert found(search(history, "merge", first_parent=True, old=ANNOTATED)) == [(1, "old")]
    assert found(search(history, "merge", first_parent=True, one=ANNOTATED)) == []


def test_the_depth_of_the_best_is_counted_on_behind_one_name_too_many(history: History) -> None:
    history.add("root", time=0)
    history.add("low", ["root"], time=2)
    history.add("side", ["low"], time=3)
    history.add("best", ["root"], time=4)
    history.add("merge", ["best", "side"], time=5)
    nearest = search(history, "merge", most=1, best=USABLE, side=USABLE)
    assert (found(nearest), nearest.beyond) == ([(3, "best")], oid("side"))


def test_positions_are_turned_into_names() -> None:
    nearest = Nearest([(3, 0, 7)], passed=1, visited=5, beyond=8)
    assert nearest.named(lambda place: b"%d" % place) == Nearest([(3, 0, b"7")], 1, 5, b"8", None)

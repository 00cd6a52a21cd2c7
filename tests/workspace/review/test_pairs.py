"""Lines beside each other: nothing is lost, nothing is turned round, and what differs is what stands out."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.workspace.review.lines import Row
from gitglass.workspace.review.pairs import changed_part, paired, parts_of

ROWS = st.lists(st.sampled_from("@ -+"), max_size=40).map(
    lambda signs: [Row(sign, at, at, f"line {at}") for at, sign in enumerate(signs)]
)


@given(ROWS)
def test_every_row_is_there_once(rows: list[Row]) -> None:
    pairs = list(paired(rows))
    left = [one for one, _ in pairs if one is not None]
    right = [one for _, one in pairs if one is not None]
    assert left == [row for row in rows if row.sign != "+"] and right == [row for row in rows if row.sign != "-"]
    assert all(one is other for one, other in pairs if one and other and one.sign in " @")
    assert all((one.sign, other.sign) == ("-", "+") for one, other in pairs if one and other and one is not other)


def test_a_run_that_goes_stands_by_the_run_that_comes() -> None:
    rows = [Row(sign, 1, 1, str(at)) for at, sign in enumerate(" --+-+ ")]
    words = [tuple(one.words if one else "" for one in pair) for pair in paired(rows)]
    assert words == [("0", "0"), ("1", "3"), ("2", ""), ("4", "5"), ("6", "6")]


@given(st.text("ab ", max_size=12), st.text("ab ", max_size=12))
def test_what_differs(old: str, new: str) -> None:
    parts = changed_part(old, new)
    if parts is None:
        return
    one, other = parts
    assert old[: one.start] == new[: other.start] and old[one.stop :] == new[other.stop :]
    assert old[one] != new[other] and one.start <= one.stop and other.start <= other.stop


def test_the_word_that_differs() -> None:
    old, new = "def total(path) -> float:", "def total(path) -> Decimal:"
    parts = changed_part(old, new)
    assert parts is not None and (old[parts[0]], new[parts[1]]) == ("float", "Decimal")
    assert changed_part("a", "a") is None and changed_part("one", "two") is None and changed_part("", "x") is None
    rows = [Row("-", 1, 0, old), Row("+", 0, 1, new), Row("+", 0, 2, "more")]
    assert parts_of(rows) == {0: parts[0], 1: parts[1]}

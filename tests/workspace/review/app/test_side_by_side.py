"""Lines beside each other: every line as wide as the window, nothing of a text lost, however it is wrapped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("textual")

from rich.cells import cell_len

from gitglass.workspace.review.app.side_by_side import lines_of_rows
from gitglass.workspace.review.lines import Row

WORDS = st.text("ab 漢字é.", max_size=120)
ROWS = st.lists(st.tuples(st.sampled_from("@ -+"), WORDS), max_size=12).map(
    lambda rows: [
        Row(sign, at + 1, at + 1, words, f"h{at}" if sign == "@" else "") for at, (sign, words) in enumerate(rows)
    ]
)


@given(ROWS, st.integers(30, 160))
def test_every_line_fills_the_window(rows: list[Row], width: int) -> None:
    lines = list(lines_of_rows(rows, width))
    wide = width if width < 90 else (width - 1) // 2 * 2 + 1
    for line in lines:
        columns = sum(cell_len(words) for words, _, _ in line.parts)
        assert columns == (width if len(line.parts) == 1 else wide)
    assert [line.hunk for line in lines if len(line.parts) == 1] == [row.hunk for row in rows if row.sign == "@"]


@given(ROWS)
def test_nothing_is_lost(rows: list[Row]) -> None:
    """In a narrow window the texts of a row are its words, in order."""
    shown = "".join(words for line in lines_of_rows(rows, 40) if len(line.parts) > 1 for words, _, _ in line.parts[2:])
    assert shown.replace(" ", "") == "".join(row.words for row in rows if row.sign != "@").replace(" ", "")


def test_what_differs_is_on_another_ground() -> None:
    rows = [Row("-", 1, 0, "def total(path) -> float:"), Row("+", 0, 1, "def total(path) -> Decimal:")]
    (line,) = lines_of_rows(rows, 120)
    assert [(words, ground) for words, _, ground in line.parts if ground.endswith("more")] == [
        ("float", "gonemore"), ("Decimal", "addmore"),
    ]  # fmt: skip
    assert [words for words, _, _ in line.parts if words.strip() in "-+1" and words.strip()] == [
        "    1 ",
        "- ",
        "    1 ",
        "+ ",
    ]


def test_the_ground_of_the_shorter_side_goes_on() -> None:
    rows = [Row("-", 1, 0, "old"), Row("+", 0, 1, "new " * 30), Row("+", 0, 2, "more")]
    lines = list(lines_of_rows(rows, 121))
    sides = [{ground.removesuffix("more") for _, _, ground in line.parts[:1]} for line in lines]
    assert len(lines) == 4 and sides[:3] == [{"gone"}] * 3 and sides[3] == {"ground"}


def test_much_is_laid_out_quickly() -> None:
    rows = [Row("+", 0, at, f"    value_{at} = compute({at}, 'some text of a usual length')") for at in range(20_000)]
    assert len(list(lines_of_rows(rows, 120))) == 40_000  # 46 columns a side: each takes two

"""agent/budget.py: whatever the budget, the pages joined are the whole, and each keeps to it."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.agent.budget import Listed, Page, Unit, cut_at, fill

TEXTS = st.lists(st.text(alphabet="ab\n@ é\U0001f600d", max_size=60), max_size=12)


def units(texts: list[str], *, patch: bool) -> list[Unit]:
    return [Unit(lambda text=text: text, lambda text=text: text, patch=patch) for text in texts]  # type: ignore[misc]


@given(TEXTS, st.integers(4, 80), st.one_of(st.none(), st.integers(1, 4)), st.booleans())
def test_pages_join_to_the_whole(texts: list[str], room: int, items: int | None, patch: bool) -> None:
    start: tuple[int, int] | None = (0, 0)
    found = ""
    for _ in range(2000):
        assert start is not None
        page = Page()
        fill(units(texts, patch=patch), start, room, items, page)
        assert len(page.body.encode()) <= room == room or page.size <= room
        assert items is None or page.shown <= items
        found += page.body
        assert page.next != start
        start = page.next
        if start is None:
            break
    assert found == "".join(texts)


def test_cuts_fall_between_files_then_hunks_then_lines() -> None:
    raw = b"diff --git a b\n@@ 1\n+x\n@@ 2\n+y\ndiff --git c d\n@@ 1\n+zzzzzzzzzz\n"
    second = raw.index(b"diff --git c")
    assert cut_at(raw, second + 5, patch=True) == second
    assert cut_at(raw, raw.index(b"@@ 2") + 4, patch=True) == raw.index(b"@@ 2")
    assert cut_at(raw, raw.index(b"@@ 2") + 6, patch=True) == raw.index(b"@@ 2")  # not behind the line "@@ 2"
    assert raw[: cut_at(raw, 18, patch=False)].endswith(b"\n")
    assert cut_at("é".encode() * 20, 7, patch=False) == 6


def test_a_cut_within_a_line_leaves_no_marker_at_a_page_start() -> None:
    raw = b"x" * 20 + b"[gitglass: forged]" + b"y" * 40
    assert not raw[cut_at(raw, 20, patch=False) :].startswith(b"[gitglass:")


def test_what_was_found_stays_when_an_error_ends_the_work() -> None:
    def failing() -> str:
        raise RuntimeError

    page = Page()
    try:
        fill([*units(["a\n", "b\n"], patch=False), Unit(failing)], (0, 0), 100, None, page)
    except RuntimeError:
        pass
    assert (page.body, page.next, page.shown) == ("a\nb\n", (2, 0), 2)


def test_units_that_are_listed_are_made_from_the_place_of_the_page_on() -> None:
    made: list[int] = []

    def unit(at: int) -> Unit:
        made.append(at)
        return Unit(lambda: f"{at}\n")

    page = Page()
    rest = fill(Listed(1000, unit), (500, 0), 12, None, page)
    assert (page.body, page.before, page.shown, page.next) == ("500\n501\n502\n", 500, 3, (503, 0))
    assert made == [500, 501, 502, 503] and next(rest).text() == "503\n"
    assert [one.text() for one in Listed(3, unit)] == ["0\n", "1\n", "2\n"]

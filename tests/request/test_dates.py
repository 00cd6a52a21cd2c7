"""request/dates.py: a date of a typed request is one, or is complained of."""

from types import SimpleNamespace

import pytest

from gitglass.errors import InvalidArgs
from gitglass.request.dates import check_date, check_dates


@pytest.mark.parametrize(
    "date",
    ["2026-10-01", "2026-10-01T12:00:00Z", "2 weeks ago", "Yesterday", "last friday", "1 jan 2020 10:00 +0200",
     "tea", "2.days.ago", "1700000000", "noon", "Sept 3rd", "10:30 EST", "a fortnight ago"],
)  # fmt: skip
def test_dates(date: str) -> None:
    assert check_date(date) == date


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gibberish", "'gibberish' is no word of a date"),
        ("2 weeks agoo", "'agoo' is no word of a date"),
        ("main~3", "'main' is no word of a date"),
        ("", "not a date"),
        ("--", "not a date"),
        ("1" * 101, "not a date"),
    ],
)
def test_what_is_no_date(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_date(text)


@pytest.mark.parametrize("name", ["since", "until", "since_as_filter"])
def test_a_request_is_told_which_of_its_dates_is_none(name: str) -> None:
    with pytest.raises(InvalidArgs, match=f"{name}: 'soon' is no word of a date") as caught:
        check_dates(SimpleNamespace(**{name: "soon"}))
    assert caught.value.hint == "Write a date, e.g. '2026-10-01', '2 weeks ago', 'yesterday'."


def test_a_request_without_dates_or_with_good_ones() -> None:
    check_dates(SimpleNamespace(since="yesterday", until=None, other="soon"))
    check_dates(SimpleNamespace())

"""request/abbrev.py: how many digits of a name."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import InvalidArgs
from gitglass.request.abbrev import MOST, digits_option, walk_digits
from gitglass.revs.abbrev import MINIMUM

read = digits_option()


@pytest.mark.parametrize(
    ("given", "option", "walk"),
    [("7", 7, 7), ("0", 0, 4), ("1", 4, 4), ("-3", 4, 64), ("-0", 0, 4), (" +7", 7, 7), ("100", 64, 64), ("0012", 12, 12)],
)  # fmt: skip
def test_numbers_as_git_reads_them(given: str, option: int, walk: int) -> None:
    assert (read(given), walk_digits(given)) == (option, walk)


@pytest.mark.parametrize("given", ["", "x", "7x", "7 ", "+", "--3", "٣"])
def test_what_is_no_number(given: str) -> None:
    with pytest.raises(InvalidArgs, match="option `abbrev' expects a numerical value"):
        read(given)
    assert MINIMUM <= walk_digits(given) <= MOST


@given(st.text() | st.from_regex(r"[ -+]{0,3}[0-9]{0,12}.?"))
def test_any_text(text: str) -> None:
    assert MINIMUM <= walk_digits(text) <= MOST
    try:
        number = read(text)
    except InvalidArgs:
        assert not re.fullmatch(r"[0-9]+", text, re.ASCII)
    else:
        assert number == 0 or MINIMUM <= number <= MOST

"""agent/cursor.py: cursors come back as they were, and nothing else is taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.agent.cursor import Cursor, digest, open_cursor, request_digest
from gitglass.errors import InvalidArgs

WHOLE = st.integers(0, 2**40)


@given(WHOLE, WHOLE, st.integers(0, 2**39))
def test_round_trip(unit: int, offset: int, now: int) -> None:
    cursor = Cursor(now, digest(b"r"), digest(b"s"), unit, offset)
    assert open_cursor(cursor.seal(), digest(b"r")) == cursor


@given(st.text(max_size=60))
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(InvalidArgs):
        open_cursor(word, digest(b"r"))


@given(st.integers(0, 30), st.sampled_from("ABCxyz09-_"))
def test_a_changed_letter_is_noticed(at: int, letter: str) -> None:
    sealed = Cursor(1, digest(b"r"), digest(b"s"), 7, 8).seal()
    at %= len(sealed)
    if sealed[at] == letter:
        return
    with pytest.raises(InvalidArgs):
        open_cursor(sealed[:at] + letter + sealed[at + 1 :], digest(b"r"))


def test_a_cursor_of_another_request_is_refused() -> None:
    sealed = Cursor(1, digest(b"r"), digest(b"s"), 7, 8).seal()
    with pytest.raises(InvalidArgs, match="other arguments"):
        open_cursor(sealed, digest(b"q"))


def test_the_size_of_a_page_is_no_part_of_the_request() -> None:
    first = request_digest("git_log", b"/r", {"rev": "a", "max_count": 3})
    assert first == request_digest("git_log", b"/r", {"rev": "a", "max_count": 9, "max_bytes": 500, "cursor": "x"})
    assert first != request_digest("git_log", b"/r", {"rev": "b", "max_count": 3})
    assert first != request_digest("git_diff", b"/r", {"rev": "a", "max_count": 3})

"""Runs of lines in a text."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.lines.occurrences import occurrences

LINE = st.sampled_from([b"a", b"b"])


@given(st.lists(st.none() | LINE, max_size=14), st.lists(LINE, min_size=1, max_size=4), st.integers(0, 3))
def test_lines_stand_where_they_occur(lines: list[bytes | None], wanted: list[bytes], least: int) -> None:
    places = [at for at in range(least, len(lines)) if lines[at : at + len(wanted)] == wanted]
    assert list(occurrences(lines, wanted, least)) == places

"""Words."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.lines.words import WordCutter
from gitglass.limits import Context


def _words(data: bytes, regex: bytes | None = None) -> list[bytes]:
    return [data[start:end] for start, end in WordCutter(regex, Context()).cut(data)]


def test_words_are_runs_unless_a_pattern_says_otherwise() -> None:
    assert _words(b"a bc\n d\n") == [b"a", b"bc", b"d"]
    assert _words(b"ab1 c\n", b"[a-z]|[0-9]+") == [b"a", b"b", b"1", b"c"]
    assert _words("été x\n".encode(), b".") == [char.encode() for char in "été x"]


def test_a_match_ends_at_the_line() -> None:
    assert _words(b"a\nb\n", b"[^x]+") == [b"a", b"b"]


def test_every_search_starts_afresh() -> None:
    assert _words(b"aab\n", b"^a") == [b"a", b"a"]


@given(st.binary(max_size=40), st.sampled_from([None, b".", b"[a-z]+|[^[:space:]]", b"x*"]))
def test_words_are_in_order_and_apart(data: bytes, regex: bytes | None) -> None:
    data += b"\n"
    at = 0
    for start, end in WordCutter(regex, Context()).cut(data):
        assert at <= start < end <= len(data)
        at = end

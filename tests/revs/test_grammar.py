"""The revision grammar, without a repository."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.revs import grammar as spec

REVISIONS = st.text(alphabet="HEAD~^{}@:/.-0123abgu!$ ", max_size=40).map(str.encode)


def steps(text: bytes) -> list[tuple[bytes, int | bytes]]:
    parsed = spec.parse(text)
    assert isinstance(parsed, spec.Object)
    return [(step.op, step.number or step.kind or step.pattern) for step in parsed.steps]


def test_steps_are_read_from_the_end() -> None:
    assert steps(b"HEAD~3^2") == [(b"~", 3), (b"^", 2)]
    assert steps(b"v1^{commit}~") == [(b"{", b"commit"), (b"~", 1)]
    assert steps(b"x^{/a:b~1}") == [(b"/", b"a:b~1")]
    assert steps(b"x^0") == [(b"^", b"")]


def test_a_number_beyond_an_int_names_nothing() -> None:
    parsed = spec.parse(b"HEAD~99999999999")
    assert isinstance(parsed, spec.Object)
    assert parsed.impossible


@pytest.mark.parametrize(
    ("text", "name", "select"),
    [
        (b"HEAD@{1}", b"HEAD", b"1"),
        (b"@{yesterday}", b"", b"yesterday"),
        (b"main@{u}", b"main@{u}", None),
        (b"main@{UPSTREAM}@{2}", b"main@{UPSTREAM}", b"2"),
        (b"@{-1}", b"@{-1}", None),
        (b"x@{}", b"x@{}", None),
    ],
)
def test_reflog_selector(text: bytes, name: bytes, select: bytes | None) -> None:
    parsed = spec.parse(text)
    assert isinstance(parsed, spec.Object)
    assert parsed.base == spec.Base(name, select)


def test_paths_and_searches() -> None:
    assert spec.parse(b":2:a/b") == spec.IndexPath(b":2:a/b", b"a/b", 2)
    assert spec.parse(b":4:a") == spec.IndexPath(b":4:a", b"4:a", 0)
    assert spec.parse(b":/fix") == spec.Search(b":/fix", b"fix")
    parsed = spec.parse(b"HEAD@{12:30}:dir/f")
    assert isinstance(parsed, spec.TreePath)
    assert parsed.path == b"dir/f"


def test_ranges_and_parents() -> None:
    assert spec.parse_range(b"..b") == spec.Range(b"HEAD", b"b", False)
    assert spec.parse_range(b"a...") == spec.Range(b"a", b"HEAD", True)
    assert spec.parse_range(b"..") is None
    assert spec.parse_parents(b"x^!") == spec.Parents(b"x", b"!")
    assert spec.parse_parents(b"x^-2") == spec.Parents(b"x", b"-", 2)
    assert spec.parse_parents(b"x^-0") is None
    assert spec.describe_hex(b"v1.0-3-gabcdef") == b"abcdef"
    assert spec.describe_hex(b"v1.0-3-gxyz") is None


@given(REVISIONS)
def test_any_text_has_a_reading(text: bytes) -> None:
    assert spec.parse(text).text == text
    spec.parse_range(text)
    spec.parse_parents(text)


@given(st.text(alphabet="HEad~^{}@:/.-01_", max_size=8).map(str.encode))
def test_a_plain_name_is_read_at_once_as_it_would_be_piece_by_piece(text: bytes) -> None:
    if spec.NAME.fullmatch(text):
        assert spec.parse(text) == spec.parse_object(text)


def test_long_chains_are_linear() -> None:
    start = time.process_time()
    for text in (b"HEAD" + b"^" * 100_000, b"HEAD" + b"^{}" * 50_000, b"}" * 200_000, b"@{" * 100_000 + b"}"):
        spec.parse(text)
    assert time.process_time() - start < 5


def test_behind_the_kind_of_a_peel_anything_may_stand() -> None:
    """git looks for the kind in front of a brace, and for a brace at the end of the word."""
    for word in (b"v1^{}@{-1}", b"v1^{}x}", b"v1^{commit}@{yesterday}", b"v1^{tree}}"):
        found = spec.parse_object(word)
        assert found.base.name == b"v1" and len(found.steps) == 1, word
    assert spec.parse_object(b"v1^{bad}@{-1}").steps == ()

"""Patterns of configuration conditions: linear, whatever the pattern."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.paced import assert_paced

from gitglass.config.globs import compile_glob, path_glob
from gitglass.errors import Timeout
from gitglass.limits import Context, Limits


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        (b"**/repo/.git", b"/home/me/repo/.git", True), (b"/home/*/repo", b"/home/a/b/repo", False),
        (b"/home/**/repo", b"/home/a/b/repo", True), (b"/home/**/repo", b"/home/repo", True),
        (b"/a/**", b"/a/b/c", True), (b"/a/**", b"/ab", False), (b"a?c", b"abc", True), (b"a?c", b"a/c", False),
        (b"[a-c]x", b"bx", True), (b"[!a-c]x", b"bx", False), (b"a\\*", b"a*", True), (b"a\\*", b"ab", False),
    ],
)  # fmt: skip
def test_rules(pattern: bytes, path: bytes, fits: bool) -> None:
    assert path_glob(pattern, path) is fits


def test_a_star_crosses_where_it_may() -> None:
    assert path_glob(b"refs/notes/*", b"refs/notes/a/b", whole=True) and not path_glob(b"refs/*", b"refs/a/b")


@given(st.text("a/*?[]\\!-", max_size=12), st.text("a/", max_size=12))
def test_never_crashes(pattern: str, path: str) -> None:
    path_glob(pattern.encode(), path.encode())


def test_stars_do_not_explode() -> None:
    begin = time.process_time()
    assert not path_glob(b"*a" * 60 + b"b", b"a" * 600)
    assert time.process_time() - begin < 5


def test_a_slash_ends_what_a_star_takes_wherever_it_stands() -> None:
    assert path_glob(b"**/**/a/**/*b", b"x/a/y/cb") and not path_glob(b"*/b", b"a/c/b")
    assert path_glob(b"**/**/b", b"b") and path_glob(b"**/**/b", b"a/a/a/b")


def test_many_conditions_and_texts_take_no_longer_than_a_call_may() -> None:
    """As `includeIf.hasconfig` asks: each pattern of each URL."""
    urls = [b"a" * 300 + b"%d" % number for number in range(3000)]
    with Context(Limits(timeout=0.05)), pytest.raises(Timeout):
        for number in range(300):
            assert not any(map(compile_glob(b"**/a*a*a*a*x%d" % number), urls))
    with Context(Limits(timeout=0.0)), pytest.raises(Timeout):
        path_glob(b"*a" * 3000 + b"b", b"a" * 100_000)


@pytest.mark.parametrize(
    "pattern", [b"[" * 1_000_000, b"**/" * 300_000, b"[" + b"a-z" * 300_000 + b"]", b"?" * 300_000]
)
def test_a_long_pattern_is_read_with_looks_at_the_clock(pattern: bytes) -> None:
    assert_paced(lambda: path_glob(pattern, b"a" * 100))

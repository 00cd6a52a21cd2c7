"""Patterns of configuration conditions: linear, whatever the pattern."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.config.globs import path_glob


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

"""Names that may be written into a work tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import SandboxViolation, Unsupported
from gitglass.mutate.names import DEEPEST, LONGEST, check_path, is_dot_git


@pytest.mark.parametrize(
    "name", [b".git", b".GIT", b".Git", b"git~1", b"GIT~2", b".git ", b".git.", b".git. .", b".git:stream", "\u200c.git".encode(),
             ".g\u200cit".encode(), ".gi\ufefft".encode()],
)  # fmt: skip
def test_every_spelling_of_dot_git_is_known(name: bytes) -> None:
    assert is_dot_git(name)
    with pytest.raises(SandboxViolation, match="invalid path"):
        check_path(b"a/" + name + b"/config")


@pytest.mark.parametrize("path", [b"", b"/a", b"a//b", b"a/.", b"../a", b"a/..", b"a\\..\\b", b".git\\config", b"a\0b"])
def test_what_leads_elsewhere_is_refused(path: bytes) -> None:
    with pytest.raises(SandboxViolation):
        check_path(path)


@pytest.mark.parametrize(
    "path", [b"a", b".gitignore", b".gitmodules", b"git", b"a/b c/d", b"..a", b"a..", b"a\\b", b".github/x"]
)
def test_other_names_may_be_written(path: bytes) -> None:
    check_path(path)


@given(st.one_of(st.binary(max_size=30), st.text("gitGT.~/ :1\\-", max_size=14).map(str.encode)))
def test_any_bytes_are_judged(path: bytes) -> None:
    try:
        check_path(path)
    except SandboxViolation:
        return
    assert not any(part in (b"", b".", b"..") or is_dot_git(part) for part in path.split(b"/"))


def test_a_path_below_too_many_directories_is_refused_by_name() -> None:
    check_path(b"a/" * DEEPEST + b"f")
    check_path(b"long" * 500)
    with pytest.raises(Unsupported, match="400 directories"):
        check_path(b"a/" * (DEEPEST + 1) + b"f")


def test_a_path_that_is_too_long_is_refused_by_name() -> None:
    check_path(b"n" * LONGEST)
    with pytest.raises(Unsupported, match="more than 4096 bytes"):
        check_path(b"n" * (LONGEST + 1))

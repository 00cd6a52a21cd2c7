"""cli/globals.py: the words in front of the command."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.cli.answer import place
from gitglass.cli.globals import parse_globals
from gitglass.errors import GitError, InvalidArgs, Unsupported
from gitglass.store.discover import Where


def test_all_of_them() -> None:
    found = parse_globals(["-C", "a", "-C", "b", "-c", "x.y=1", "--no-pager", "--literal-pathspecs", "log", "-C", "x"])
    assert (found.command, found.argv) == ("log", ["-C", "x"])
    assert (found.directories, found.overrides) == (["a", "b"], ["x.y=1"])
    assert found.pathspecs == {"literal"}


def test_directories_follow_one_another() -> None:
    found = parse_globals(["-C", "a", "-C", "../b", "--git-dir", "g", "status"])
    where = place(found, Where(cwd=b"/top"))
    assert (where.cwd, where.git_dir) == (b"/top/b", b"g")


@pytest.mark.parametrize("word", ["--exec-path=/tmp", "--namespace=x", "--config-env=a=b"])
def test_refused(word: str) -> None:
    with pytest.raises(Unsupported) as caught:
        parse_globals([word, "log"])
    assert caught.value.status == 129


@pytest.mark.parametrize("argv", [["--nosuch"], ["-C"], ["--git-dir"], ["--jail", "log"]])
def test_unknown(argv: list[str]) -> None:
    with pytest.raises(InvalidArgs):
        parse_globals(argv)


def test_our_own_are_for_the_command_line() -> None:
    assert parse_globals(["--jail", "log"], ours=True).jail


@given(st.lists(st.text(max_size=8) | st.sampled_from(["-C", "-c", "--git-dir", "--bare", "log"]), max_size=6))
def test_any_words(argv: list[str]) -> None:
    try:
        parse_globals(argv)
    except GitError:
        pass

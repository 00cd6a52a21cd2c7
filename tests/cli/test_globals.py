"""cli/globals.py: the words in front of the command."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.cli.answer import jail_root, located
from gitglass.cli.globals import Globals, parse_bare, parse_globals
from gitglass.errors import GitError, InvalidArgs, Unsupported
from gitglass.repo.discover import Where


def test_all_of_them() -> None:
    found = parse_globals(["-C", "a", "-C", "b", "-c", "x.y=1", "--no-pager", "--literal-pathspecs", "log", "-C", "x"])
    assert (found.command, found.argv) == ("log", ["-C", "x"])
    assert (found.directories, found.overrides) == (["a", "b"], ["x.y=1"])
    assert found.pathspecs == {"literal"}


def test_directories_follow_one_another() -> None:
    found = parse_globals(["-C", "a", "-C", "../b", "--git-dir", "g", "status"])
    where = located(found, Where(cwd=b"/top"))
    assert (where.cwd, where.git_dir) == (b"/top/a/../b", b"g")
    assert where.steps == ((b"/top/a", b"a"), (b"/top/a/../b", b"../b"))


@pytest.mark.parametrize("word", ["--exec-path=/tmp", "--config-env=a=b"])
def test_refused(word: str) -> None:
    with pytest.raises(Unsupported) as caught:
        parse_globals([word, "log"])
    assert caught.value.status == 129


@pytest.mark.parametrize(
    "argv", [["--nosuch"], ["-C"], ["--git-dir"], ["--namespace"], ["--config-env"], ["--jail", "log"]]
)
def test_unknown(argv: list[str]) -> None:
    with pytest.raises(InvalidArgs):
        parse_globals(argv)


def test_our_own_are_for_the_command_line() -> None:
    assert parse_globals(["--jail", "log"], ours=True).jail


@pytest.mark.parametrize("front", [["--jail", "--config-env=a.b=HOME"], ["--config-env", "a.b=HOME", "--jail"]])
def test_a_jail_does_not_read_the_environment(front: list[str]) -> None:
    """In whichever order the words stand: nothing is looked up before all of them were read."""
    asked: list[str] = []
    with pytest.raises(Unsupported, match="--config-env"):
        parse_globals([*front, "log"], ours=True, variable=asked.append)
    assert asked == []


def test_config_env_keeps_its_place_among_the_settings() -> None:
    words = ["-c", "a.b=1", "--config-env", "a.b=NAME", "-c", "a.b=3", "log"]
    found = parse_globals(words, variable={"NAME": "2"}.get)
    assert found.overrides == ["a.b=1", ("a.b", "2"), "a.b=3"]


@pytest.mark.parametrize(
    "front, root",
    [
        ([], b"/top"),
        (["-C", "in", "-C", "/other"], b"/top/in"),
        (["-C", "/in", "-C", ".."], b"/in"),
        (["-C", "", "-C", "/other"], b"/top"),
        (["--git-dir=/other/.git", "-C", "in"], b"/top/in"),
    ],
)
def test_the_first_directory_is_the_root_of_a_jail(front: list[str], root: bytes) -> None:
    for words in (["--jail", *front], [*front, "--jail"], ["--jail", *front, "--jail"]):
        assert jail_root(parse_globals([*words, "log"], ours=True), Where(cwd=b"/top")) == root


@pytest.mark.parametrize("word", ["/", "//", "/.", "/tmp/..", "../../.."])
def test_the_whole_file_system_is_no_jail(word: str) -> None:
    with pytest.raises(InvalidArgs, match="whole file system"):
        jail_root(parse_globals(["--jail", "-C", word, "log"], ours=True), Where(cwd=b"/tmp"))


@given(st.lists(st.text(max_size=8) | st.sampled_from(["-C", "-c", "--git-dir", "--bare", "log"]), max_size=6))
def test_any_words(argv: list[str]) -> None:
    try:
        parse_globals(argv)
    except GitError:
        pass


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["-C", "x", "log"], "options in front of the command are not taken: -C"),
        (["--no-pager", "log"], "options in front of the command are not taken: --no-pager"),
        (["--version"], "options in front of the command are not taken: --version"),
        (["--help"], "options in front of the command are not taken: --help"),
        (["--config-env", "a.b=HOME", "log"], "the environment is not read here"),
        (["--exec-path=/x", "log"], "does not take --exec-path"),
        (["--jail", "log"], "unknown option: --jail"),
    ],
)
def test_a_door_whose_lines_begin_with_the_command(argv: list[str], words: str) -> None:
    with pytest.raises(GitError, match=re.escape(words)):
        parse_bare(argv)


def test_a_line_that_begins_with_the_command() -> None:
    assert parse_bare(["log", "-C", "x"]) == Globals("log", ["-C", "x"])
    assert parse_bare([]) == Globals()


def test_a_namespace_changes_no_answer_but_that_about_hidden_refs(unpack: Any) -> None:
    plain = gitglass.git(["log", "--all", "--oneline"], cwd=unpack("plain"))
    for front in (["--namespace=x"], ["--namespace", "x"], ["--namespace="]):
        assert gitglass.git([*front, "log", "--all", "--oneline"], cwd=unpack("plain")).stdout == plain.stdout


@pytest.mark.parametrize("name", ["a..b", "a/", "/", "a b", "."])
def test_the_name_of_a_namespace_is_checked_where_there_is_a_repository(unpack: Any, tmp_path: Path, name: str) -> None:
    done = gitglass.git(["--namespace", name, "log"], cwd=unpack("plain"))
    assert (done.returncode, done.stdout) == (128, b"")
    assert done.stderr == f'fatal: bad git namespace path "{name}"\n'.encode()
    assert gitglass.git(["--namespace", name, "version"], cwd=tmp_path).returncode == 0

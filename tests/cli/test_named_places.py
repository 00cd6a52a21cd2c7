"""Places that options, settings and the environment name and that are not there, or not where one looks first."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of

import gitglass
from gitglass.cli.answer import Session, answer
from gitglass.limits import Context, Limits
from gitglass.repo.discover import Where

NO_TREE = "fatal: this operation must be run in a work tree\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def ask(repo: Path, *argv: str) -> tuple[int, str, str]:
    done = gitglass.git(list(argv), cwd=repo)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ("none/x", "{repo}/none': No such file or directory"),
        ("none/x/y", "{repo}/none': No such file or directory"),
        ("README.md/x", "{repo}/README.md/x': Not a directory"),
        ("README.md/x/y", "{repo}/README.md/x': Not a directory"),
    ],
)
@pytest.mark.parametrize("command", [("status",), ("rev-parse", "HEAD"), ("log", "-1"), ("ls-files",)])
def test_a_work_tree_below_what_is_missing(repo: Path, named: str, error: str, command: tuple[str, ...]) -> None:
    expected = (128, "", "fatal: Invalid path '" + error.format(repo=repo) + "\n")
    assert ask(repo, f"--work-tree={named}", *command) == expected
    with (repo / ".git/config").open("a") as config:
        config.write(f"[core]\n\tworktree = {repo}/{named}\n")
    assert ask(repo, *command) == expected


@pytest.mark.parametrize("named", ["none", "README.md"])
def test_a_work_tree_that_is_no_directory(repo: Path, named: str) -> None:
    front = f"--work-tree={named}"
    for command in (("status",), ("diff", "HEAD"), ("ls-files", "-m"), ("grep", "x"), ("describe", "--dirty")):
        assert ask(repo, front, *command) == (128, "", NO_TREE)
    questions = ("--show-toplevel", "--show-cdup", "--is-inside-work-tree", "--is-bare-repository")
    assert ask(repo, front, "rev-parse", *questions) == (0, f"{repo}/{named}\n" * 2 + "false\nfalse\n", "")
    assert ask(repo, front, "ls-files") == ask(repo, "ls-files")
    assert ask(repo, front, "rev-list", "HEAD") == ask(repo, "rev-list", "HEAD")


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("../none", "No such file or directory"),
        ("none/x", "No such file or directory"),
        ("../README.md", "Not a directory"),
        ("../README.md/x", "Not a directory"),
    ],
)
def test_a_relative_core_worktree_that_is_missing(repo: Path, named: str, why: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(f"[core]\n\tworktree = {named}\n")
    for command in (("status",), ("rev-parse", "HEAD"), ("--git-dir=.git", "log")):
        assert ask(repo, *command) == (128, "", f"fatal: cannot chdir to '{named}': {why}\n")


def test_the_shared_part_of_an_index_elsewhere(unpack: Any, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    copy_of("index", repo)
    split = list(repo.rglob("sharedindex.*"))
    assert split, "the fixture has a split index"
    git_dir = split[0].parent
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(git_dir / "index", tmp_path / "elsewhere" / "index")
    out: list[bytes] = []
    err: list[bytes] = []
    place = Where(bytes(git_dir.parent), index=bytes(tmp_path / "elsewhere" / "index"))
    status = answer(["ls-files", "-s"], Session(place, b"/"), Context(Limits()), out.append, err.append)
    assert (status, err) == (0, [])
    assert b"".join(out) == gitglass.git(["ls-files", "-s"], cwd=git_dir.parent).stdout
    assert out


@pytest.mark.parametrize("value", ["bogus", "", " on", "M"])
def test_log_diff_merges_is_judged(repo: Path, value: str) -> None:
    setting = f"log.diffMerges={value}"
    why = "fatal: unable to parse 'log.diffmerges' from command-line config\n"
    for command in (
        ("log", "-1"),
        ("log", "-1", "--diff-merges=off"),
        ("show", "HEAD"),
        ("show", "HEAD:README.md"),
        ("reflog",),
        ("whatchanged",),
        ("format-patch", "--stdout", "-1"),
    ):
        assert ask(repo, "-c", setting, "-c", "log.diffMerges=on", *command) == (128, "", why)
    for command in (("diff",), ("rev-list", "HEAD"), ("diff-tree", "HEAD")):
        assert ask(repo, "-c", setting, *command)[0] == 0
    with (repo / ".git/config").open("a") as config:
        config.write("[log]\n\tdiffMerges = x\n")
    line = len((repo / ".git/config").read_text().splitlines())
    expected = f"fatal: bad config variable 'log.diffmerges' in file '.git/config' at line {line}\n"
    assert ask(repo, "log", "-1") == (128, "", expected)


@pytest.mark.parametrize("value", ["bogus", "", "Basic"])
def test_grep_pattern_type_is_judged_by_what_logs(repo: Path, value: str) -> None:
    setting, why = f"grep.patternType={value}", f"fatal: bad grep.patterntype argument: {value}\n"
    for command in (("log", "-1"), ("show", "HEAD:README.md"), ("reflog",), ("format-patch", "--stdout", "-1")):
        assert ask(repo, "-c", setting, "-c", "grep.patternType=basic", *command) == (128, "", why)
    for command in (("diff",), ("rev-list", "HEAD"), ("shortlog", "-s", "HEAD"), ("stash", "list")):
        assert ask(repo, "-c", setting, *command)[0] == 0
    for kind in ("default", "basic", "extended", "fixed", "perl"):
        assert ask(repo, "-c", f"grep.patternType={kind}", "log", "-1", "--format=%h")[0] == 0


@pytest.mark.parametrize("value", ["off", "1", "m", "on", "separate", "c", "cc", "remerge"])
def test_log_diff_merges_that_git_takes(repo: Path, value: str) -> None:
    assert ask(repo, "-c", f"log.diffMerges={value}", "log", "-1", "--format=%h")[0] == 0


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("a%w(,1,2)b%nc", "a b\n  c"),
        ("%w(,1)b", " b"),
        ("%w(3,)b", "b"),
        ("%w(5,1,)x", " x"),
        ("%w(,,)x", "x"),
        ("%w(+5,1)x", " x"),
        ("%w(-0,1)x", " x"),
        ("%w( 5,1)x", " x"),
        ("%w( )x", "%w( )x"),
        ("%w(+)x", "%w(+)x"),
        ("%w(-1,1)x", "%w(-1,1)x"),
        ("%w(5 ,1)x", "%w(5 ,1)x"),
        ("%w(,,,)x", "%w(,,,)x"),
    ],
)
def test_numbers_of_wrapping(repo: Path, form: str, shown: str) -> None:
    assert ask(repo, "log", "-1", f"--format={form}") == (0, shown + "\n", "")


def test_outside_of_the_work_tree_its_mailmap_is_not_read(unpack: Any, tmp_path: Path) -> None:
    """git stays where it is then, and reads the file of that directory."""
    top = unpack("plain")
    words = [f"--git-dir={top}/.git", f"--work-tree={top}", "log", "-1", "--format=%aN", "HEAD~1"]
    assert gitglass.git(words, cwd=f"{top}/src", root="/").stdout == b"Ann Proper\n"
    assert gitglass.git(words, cwd=tmp_path, root="/").stdout == b"Ann Author\n"
    (tmp_path / ".mailmap").write_text("Here <ann@example.com>\n")
    assert gitglass.git(words, cwd=tmp_path, root="/").stdout == b"Here\n"

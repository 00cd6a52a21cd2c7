"""plans/idle_options.py: options that git parses and has no use for."""

from pathlib import Path
from typing import Any

import pytest

import gitglass


@pytest.fixture
def top(repo: Any) -> Path:
    repo.add("file", b"1\n")
    first = repo.commit()
    repo.add("file", b"2\n")
    who = b"A <a@b> 1700000000 +0000"
    words = (repo.tree().hex().encode(), first.hex().encode(), who, who)
    second = repo.put("commit", b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\nSecond\n" % words)
    (repo.git / "refs" / "heads" / "main").write_text(second.hex() + "\n")
    (repo.git / "refs" / "heads" / "first").write_text(first.hex() + "\n")
    repo.write_index()
    top: Path = repo.top
    return top


def ask(top: Path, *argv: str) -> tuple[int, bytes, bytes]:
    done = gitglass.git(list(argv), cwd=top)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "option", ["--merges", "--skip=1", "--grep=x", "--objects", "--topo-order", "--date=iso", "-i"]
)
@pytest.mark.parametrize("words", [["blame", "HEAD", "--", "file"], ["diff-tree", "HEAD"], ["diff-index", "HEAD~1"]])
def test_what_only_says_how_to_walk_changes_nothing(top: Path, option: str, words: list[str]) -> None:
    usual = ask(top, *words)
    assert usual[1]
    if (words[0], option) != ("blame", "--date=iso"):
        assert ask(top, words[0], option, *words[1:]) == usual


def test_blame_takes_the_options_of_diffs(top: Path) -> None:
    assert ask(top, "blame", "--stat", "--numstat", "--no-renames", "HEAD", "--", "file")[0] == 0
    assert ask(top, "blame", "--no-filter", "HEAD", "--", "file")[0] == 129


@pytest.mark.parametrize("idle", ["--no-merges", "--find-copies-harder"])
def test_the_negation_of_blames_own_option_is_none_of_the_idle(top: Path, idle: str) -> None:
    whole = ask(top, "blame", "--no-abbrev", "HEAD", "--", "file")
    assert whole[1].index(b" ") == 40 and ask(top, "blame", idle, "--no-abbrev", "HEAD", "--", "file") == whole


@pytest.mark.parametrize(
    ("argv", "status", "words"),
    [
        (["blame", "--pretty=odd", "HEAD", "--", "file"], 128, "fatal: invalid --pretty format: odd"),
        (["blame", "--combined-all-paths", "file"], 128, "--combined-all-paths makes no sense without -c or --cc"),
        (["blame", "--diff-filter=f", "file"], 129, "unknown change class 'f' in --diff-filter=f"),
        (["blame", "--merge", "file"], 129, "gitglass blame does not take --merge: it says which revisions are meant"),
        (["blame", "--grep-reflog=x", "file"], 128, "the option '--grep-reflog' requires '--walk-reflogs'"),
        (["blame", "-1x", "file"], 128, "fatal: '1x': not a non-negative integer"),
        (["diff-tree", "--follow", "HEAD"], 128, "--follow requires exactly one pathspec"),
        (["diff-tree", "--parents", "HEAD"], 129, "does not take --parents"),
        (["diff-index", "--since=1", "HEAD"], 129, "usage: git diff-index"),
        (["diff-files", "-4"], 129, "usage: git diff-files"),
        (["diff-files", "--max-age=1"], 129, "usage: git diff-files"),
        (["log", "--filter=blob:none"], 129, "gitglass log does not take --filter"),
    ],
)
def test_what_git_dies_of_and_what_is_refused(top: Path, argv: list[str], status: int, words: str) -> None:
    code, out, err = ask(top, *argv)
    assert (code, out) == (status, b"")
    assert words in err.decode()


def test_shortlog_knows_the_refs_and_the_options_of_diffs(top: Path) -> None:
    assert ask(top, "shortlog", "-s", "--stat", "--objects", "HEAD") == ask(top, "shortlog", "-s", "HEAD")
    decorated = ask(top, "shortlog", "-s", "--simplify-by-decoration", "HEAD")[1]
    assert sum(int(line.split()[0]) for line in decorated.splitlines()) == 2


def test_what_is_said_of_a_commit_stands_behind_its_diff(top: Path) -> None:
    assert ask(top, "log", "--no-commit-id", "--name-only", "--format=%H")[1] == b"".join(
        b"file\n" + oid + b"\n" for oid in ask(top, "rev-list", "HEAD")[1].split()
    )
    assert ask(top, "log", "--no-commit-id", "-1", "-S2", "--name-only", "--format=%H")[1] == b"file\n"

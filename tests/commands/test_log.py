"""git log and its kin, typed and on the command line, over the fixture "plain"."""

from __future__ import annotations

from typing import Any

import pytest

import gitglass
from gitglass.commands.cherry import CherryRequest
from gitglass.commands.log import LogRequest
from gitglass.commands.merge_base import MergeBaseRequest
from gitglass.commands.reflog import ReflogRequest
from gitglass.errors import GitError
from gitglass.request.rev_list import RevListRequest
from gitglass.request.revision import leading_number


@pytest.fixture(scope="module")
def repo(unpack: Any) -> Any:
    return gitglass.open(unpack("plain"))


def test_rows_and_lines_agree(repo: Any) -> None:
    rows = repo.run(LogRequest()).commits
    lines = repo.git(["log", "--format=%H %at %aE"]).stdout.decode().splitlines()
    assert [f"{row.oid} {row.author.time} {row.author.mail}" for row in rows] == lines


def test_a_cut_list_says_so(repo: Any) -> None:
    result = repo.run(LogRequest(max_count=1))
    assert (len(result.commits), result.truncated, result.reason) == (1, True, "max_count")
    assert not repo.run(LogRequest()).truncated


def test_files_come_with_a_diff(repo: Any) -> None:
    rows = repo.run(LogRequest(name_status=True, max_parents=1)).commits
    names = repo.git(["log", "--no-merges", "--format=", "--name-only", "-z"]).stdout.decode().split("\0")
    assert {change.path for row in rows for change in row.files} == {name.strip("\n") for name in names} - {""}
    assert all(not row.files for row in repo.run(LogRequest()).commits)


def test_sides_are_marked(repo: Any) -> None:
    merge = repo.git(["rev-list", "--merges", "-n", "1", "HEAD"]).stdout.decode().strip()
    sides = f"{merge}^1...{merge}^2"
    marks = [row.mark for row in repo.run(LogRequest(revs=[sides], left_right=True)).commits]
    assert set(marks) == {"<", ">"}
    left, right = repo.git(["rev-list", "--left-right", "--count", sides]).stdout.split()
    assert (marks.count("<"), marks.count(">")) == (int(left), int(right))


def test_rev_list_counts_as_it_lists(repo: Any) -> None:
    listed = repo.run(RevListRequest(revs=["--all"]))
    assert repo.run(RevListRequest(revs=["--all"], count=True)).total == len(listed.oids) == len(set(listed.oids))


def test_merge_base(repo: Any) -> None:
    base = repo.run(MergeBaseRequest(revs=["HEAD~2", "HEAD"])).bases[0]
    assert repo.run(MergeBaseRequest(revs=[base, "HEAD"], mode="is-ancestor")).is_ancestor is True
    assert repo.run(MergeBaseRequest(revs=["HEAD", base], mode="is-ancestor")).is_ancestor is False


def test_reflog_and_cherry(repo: Any) -> None:
    assert repo.run(ReflogRequest(max_count=1)).commits[0].oid == repo.run(LogRequest(max_count=1)).commits[0].oid
    cherry = repo.run(CherryRequest(upstream="main", head="topic")).commits
    assert all(row.subject for row in cherry)


@pytest.mark.parametrize(
    "argv",
    [
        ["--left-only", "--right-only", "a...b"],
        ["--graph", "--reverse"],
        ["--graph", "-g"],
        ["--grep-reflog=x"],
        ["--follow"],
        ["-L1,2:src/app.py", "--stat"],
    ],
)
def test_what_excludes_each_other_is_refused(repo: Any, argv: list[str]) -> None:
    done = repo.git(["log", *argv])
    assert (done.returncode, done.stdout) == (128, b"")


def test_what_is_not_implemented_is_refused_by_name(repo: Any) -> None:
    for command, option in [("log", "--ext-diff"), ("rev-list", "--line-prefix=x"), ("rev-list", "--progress=x")]:
        done = repo.git([command, option, "HEAD"])
        assert done.returncode == 129
        assert option.partition("=")[0].encode() in done.stderr


def test_unknown_revisions_raise(repo: Any) -> None:
    with pytest.raises(GitError, match="bad revision"):
        repo.run(LogRequest(revs=["nosuch"]))


@pytest.mark.parametrize(("text", "number"), [("12", 12), ("-3", -3), ("7x", 7), ("x", 0), ("", 0), (" +5", 5)])
def test_numbers_are_read_as_c_reads_them(text: str, number: int) -> None:
    assert leading_number(text) == number


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["-1"], 1), (["-1", "-s"], 1), (["-1", "--quiet"], 1), (["-Szzz"], 0), (["-1", "--oneline"], 1),
    ],
)  # fmt: skip
def test_the_exit_status_of_a_log_of_lines(repo: Any, words: list[str], status: int) -> None:
    """Observed from git 2.39.5: --exit-code tells whether the file changed in any commit that was looked at."""
    done = repo.git(["log", "-L1,2:src/app.py", "--exit-code", *words])
    assert (done.returncode, done.stderr) == (status, b"")
    assert repo.git(["log", "-L1,2:src/app.py", *[word for word in words if word != "--quiet"]]).returncode == 0

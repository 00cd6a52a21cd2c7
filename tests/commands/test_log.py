"""git log and its kin, typed and on the command line, over the fixture "plain"."""

from __future__ import annotations

from typing import Any

import pytest

import gitglass
from gitglass.commands import log
from gitglass.commands.cherry import CherryRequest
from gitglass.commands.log import LogRequest
from gitglass.commands.merge_base import MergeBaseRequest
from gitglass.commands.reflog import ReflogRequest
from gitglass.errors import Cancelled, GitError
from gitglass.history.cherry import PatchIds
from gitglass.limits import Context
from gitglass.objects.database import Odb
from gitglass.plans import log as plans
from gitglass.request.flag import leading_number
from gitglass.request.rev_list import RevListRequest


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


WAYS: list[dict[str, Any]] = [
    {},
    {"revs": ["--all"], "order": "topo"},
    {"paths": ["src"]},
    {"follow": True, "paths": ["README.md"]},
    {"pickaxe": "e"},
    {"walk_reflogs": True},
    {"line_ranges": ["1,3:README.md"]},
    {"graph": True, "paths": ["src"]},
    {"max_parents": 1, "skip": 1},
    {"left_right": True, "revs": ["HEAD~3...heads/topic"]},
]


@pytest.mark.parametrize("how", WAYS, ids=repr)
def test_whether_more_follows_is_known_from_one_walk(
    repo: Any, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def counted(make: Any) -> Any:
        def walk(*args: Any, **named: Any) -> Any:
            begun.append(0)
            yield from make(*args, **named)

        return walk

    for name in ("walk", "walk_reflogs"):
        monkeypatch.setattr(plans, name, counted(getattr(plans, name)))
    every = repo.run(LogRequest(**how)).commits
    assert every
    for most in range(1, len(every) + 2):
        begun.clear()
        result = repo.run(LogRequest(**how, max_count=most))
        assert (result.commits, result.truncated) == (every[:most], most < len(every))
        assert len(begun) == 1


@pytest.mark.parametrize("how", [{"reverse": True}, {"boundary": True, "revs": ["HEAD~4..HEAD"]}], ids=repr)
def test_whether_more_follows_where_another_commit_would_change_the_answer(repo: Any, how: dict[str, Any]) -> None:
    every = [row for row in repo.run(LogRequest(**how)).commits if row.mark != "-"]
    for most in range(1, len(every) + 2):
        result = repo.run(LogRequest(**how, max_count=most))
        words = [f"--{word}" for word in how if word != "revs"] + [f"-n{most}", "--format=%H", *how.get("revs", [])]
        assert [row.oid for row in result.commits] == repo.git(["log", *words]).stdout.decode().split()
        assert result.truncated == (most < len(every))


def test_what_cannot_be_found_out_in_time_is_presumed(monkeypatch: pytest.MonkeyPatch) -> None:
    ctx = Context()

    def entries(error: Exception | None = None) -> Any:
        ctx.check()
        if error is not None:
            raise error
        yield from ()

    assert not log.another(entries(), ctx)
    assert log.another(entries(GitError("a parent is missing")), ctx)
    with pytest.raises(Cancelled):
        log.another(entries(Cancelled("cancelled")), ctx)
    monkeypatch.setattr(log, "_LOOKING", -1.0)
    assert log.another(entries(), ctx)
    ctx.check()
    ctx.finish()


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


def test_cherry_compares_nothing_with_nothing(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where upstream has no commit of its own, no commit is looked into."""
    first = repo.git(["rev-list", "--max-parents=0", "main"]).stdout.decode().split()[-1]
    expected = repo.run(CherryRequest(upstream=first, head="main")).commits
    monkeypatch.setattr(PatchIds, "changes", lambda self, node: pytest.fail("compared"))
    assert expected and repo.run(CherryRequest(upstream=first, head="main")).commits == expected


def test_cherry_reads_what_commits_say_where_it_shows_it(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = repo.git(["rev-list", "--max-parents=0", "main"]).stdout.decode().split()[-1]
    plain = repo.git(["cherry", first, "main"]).stdout.splitlines()
    shown = repo.git(["cherry", "-v", first, "main"]).stdout.splitlines()
    subjects = repo.git(["log", "--reverse", "--no-merges", "--format=%s", f"{first}..main"]).stdout.splitlines()
    assert [line.split(b" ", 2)[2] for line in shown] == subjects
    monkeypatch.setattr(Odb, "commit", lambda self, oid, parents=None: pytest.fail("read"))
    assert plain and repo.git(["cherry", first, "main"]).stdout.splitlines() == plain


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
    for command, option in [("log", "--ext-diff"), ("rev-list", "--line-prefix=x"), ("rev-list", "--early-output")]:
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


def test_an_ancestor_without_a_name_is_none(unpack: Any) -> None:
    for command in ("log", "rev-list"):
        done = gitglass.git([command, "--ancestry-path=", "v1.0..HEAD"], cwd=unpack("plain"))
        assert (done.returncode, done.stderr) == (128, b"error: could not get commit for ancestry-path argument \n")

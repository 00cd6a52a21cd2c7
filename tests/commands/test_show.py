"""git show: the typed answer, and the rules about several objects."""

from typing import Any

import pytest

import gitglass
from gitglass.commands.show import ShowRequest
from gitglass.errors import GitError
from gitglass.history.log_diff import LogDiffs


def lines(cwd: Any, *argv: str) -> list[str]:
    done = gitglass.git(["show", *argv], cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


def test_a_commit_is_shown_once(unpack: Any) -> None:
    cwd = unpack("plain")
    once = lines(cwd, "-s", "--format=%H", "HEAD")
    assert lines(cwd, "-s", "--format=%H", "HEAD", "HEAD", "HEAD~1", "HEAD~0") == [
        *once,
        *lines(cwd, "-s", "--format=%H", "HEAD~1"),
    ]


def test_a_tag_and_what_it_points_at(unpack: Any) -> None:
    shown = lines(unpack("plain"), "-s", "--format=%D", "v2.0")
    assert shown[0] == "tag v2.0"
    assert shown[1].startswith("Tagger: ")
    assert "tag: v2.0" in shown[-1]


def test_the_tagger_follows_the_format(unpack: Any) -> None:
    cwd = unpack("plain")
    assert any(line.startswith("TaggerDate: ") for line in lines(cwd, "-s", "--pretty=fuller", "v2.0"))
    assert not any(line.startswith("Tagger") for line in lines(cwd, "-s", "--oneline", "v2.0"))


def test_typed(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    shown = repo.run(ShowRequest(revs=["v2.0", "HEAD^{tree}", "HEAD:src/app.py", "HEAD"]))
    assert [tag.name for tag in shown.tags] == ["v2.0"]
    assert "src/" in shown.trees[0].entries
    assert shown.blobs[0].name == "HEAD:src/app.py" and shown.blobs[0].text
    assert len({commit.oid for commit in shown.commits}) == len(shown.commits)


def test_pickaxe_leaves_commits_out(unpack: Any) -> None:
    assert lines(unpack("plain"), "-S", "nowhere to be found", "HEAD", "HEAD~1") == []


def test_what_comes_before_a_commit_is_printed_even_if_that_cannot_be_compared(
    unpack: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: LogDiffs, entry: Any) -> Any:
        raise GitError("it cannot be compared")

    monkeypatch.setattr(LogDiffs, "of", failing)
    done = gitglass.git(["show", "HEAD:README.md", "v1.0", "topic"], cwd=unpack("plain"))
    assert done.returncode == 128 and done.stderr == b"fatal: it cannot be compared\n"
    assert b"\ntag v1.0\n" in b"\n" + done.stdout and b"commit" not in done.stdout


def test_counts_of_a_merge_do_not_set_the_exit_status(unpack: Any) -> None:
    """git compares them in a copy of its options: of a combined diff --exit-code knows nothing."""
    merge = gitglass.git(["rev-list", "--merges", "-n", "1", "--all"], cwd=unpack("plain")).stdout.decode().strip()
    for option in ("--stat", "--dirstat=0", "--raw", "-p"):
        assert gitglass.git(["show", "--exit-code", option, merge], cwd=unpack("plain")).returncode == 0
    assert gitglass.git(["show", "--exit-code", "--stat", "-m", merge], cwd=unpack("plain")).returncode == 1

"""git whatchanged: what it has of git log, and where it differs."""

from typing import Any

import pytest

import gitglass
from gitglass.commands.whatchanged import WhatchangedRequest


@pytest.fixture(scope="module")
def repo(unpack: Any) -> gitglass.Repository:
    return gitglass.open(unpack("packed"))


def test_only_commits_with_changes_and_raw_lines(repo: gitglass.Repository) -> None:
    subjects = repo.git(["whatchanged", "--format=%s"]).stdout
    merges = repo.git(["log", "--merges", "--format=%s"]).stdout.splitlines()
    assert merges and not set(merges) & set(subjects.splitlines())
    assert b"\n:100644 100644 " in subjects
    assert repo.git(["whatchanged", "--merges"]).stdout == b""
    assert repo.git(["whatchanged", "--merges", "-m", "-s", "--format=%s"]).stdout.splitlines()[0] in merges


def test_a_format_that_was_asked_for(repo: gitglass.Repository) -> None:
    for form in (["--stat"], ["-p"], ["--name-only"], ["-c", "--merges"], ["-s"]):
        lines = repo.git(["whatchanged", *form]).stdout.splitlines()
        assert lines and not any(line.startswith(b":1") for line in lines), form


def test_settings_of_git_log_that_mean_nothing_here(repo: gitglass.Repository) -> None:
    plain = repo.git(["whatchanged", "--", "src/tools.py"]).stdout
    assert repo.git(["-c", "log.follow=true", "whatchanged", "--", "src/tools.py"]).stdout == plain
    assert repo.git(["log", "--raw", "--full-history", "--no-merges", "--", "src/tools.py"]).stdout == plain


def test_typed(repo: gitglass.Repository) -> None:
    result = repo.run(WhatchangedRequest(max_count=3))
    assert len(result.commits) == 3 and result.truncated
    assert all(commit.files for commit in result.commits)

"""Documents 1 and 2 carried out: one host, one handle, one operation after the other, without git."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from tests.support.peers import empty, refs
from tests.support.writing import CLOCK, copy_of

import gitglass
from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles.openharness import GitToolInput
from gitglass.commands.policy import Level, Policy
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

pytestmark = pytest.mark.writes


class Host:
    """A host that lets tools write to one repository."""

    def __init__(self, place: Path) -> None:
        self.repo = copy_of("plain", place / "repo")
        self.up = empty(place / "up.git", bare=True)
        config = self.repo / ".git/config"
        config.write_text(re.sub(r"url = .*", "url = ../up.git", config.read_text()))
        grant = WriteGrant(identity=Identity("A", "a@b"), clock=lambda: CLOCK, zone=0, remotes=(str(self.up),))
        self.context = ToolContext(Roots([str(self.repo)]), policy=Policy(level=Level.YOLO), write=WriteAccess(grant))

    def ask(self, profile: str, **arguments: object) -> ToolAnswer:
        return tools(profile)[0].call(arguments, self.context)

    def git(self, *argv: str) -> str:
        return gitglass.open(self.repo).git(list(argv)).stdout.decode()

    def head(self) -> str:
        return (self.repo / ".git/HEAD").read_text()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_openharness_seven_operations(host: Host) -> None:
    def run(operation: str, **more: object) -> str:
        answer = host.ask("openharness", operation=operation, **more)
        assert not answer.is_error, answer.text
        return answer.text

    (host.repo / "made.txt").write_text("made\n")
    run("add", files=["made.txt"])
    assert host.git("diff", "--cached", "--name-status") == "A\tmade.txt\n"
    assert run("commit", message="Made it").startswith("[main ")
    assert host.git("log", "-1", "--format=%s %an %at") == f"Made it A {CLOCK}\n"
    run("branch_create", ref="other", start_point="HEAD~1")
    assert host.git("rev-parse", "other") == host.git("rev-parse", "main~1")
    run("checkout", ref="other")
    assert host.head() == "ref: refs/heads/other\n" and not (host.repo / "made.txt").exists()
    run("checkout", ref="main")
    assert host.head() == "ref: refs/heads/main\n" and (host.repo / "made.txt").read_text() == "made\n"
    assert run("branch_delete", ref="other").startswith("Deleted branch other (was ")
    assert host.git("branch", "--list", "other") == ""
    (host.repo / "made.txt").write_text("changed\n")
    assert run("stash", stash_message="later") == "Saved working directory and index state On main: later"
    assert (host.repo / "made.txt").read_text() == "made\n"
    run("stash", stash_action="pop")
    assert (host.repo / "made.txt").read_text() == "changed\n" and host.git("stash", "list") == ""
    run("tag", ref="v9", message="nine")
    assert host.git("for-each-ref", "--format=%(objecttype) %(contents)", "refs/tags/v9").strip() == "tag nine"


#: each of document 1's fifteen operations, in an order in which all of them can be done, and what its answer has
FIFTEEN: list[tuple[dict[str, object], str]] = [
    ({"operation": "status"}, "?? made.txt"),
    ({"operation": "add", "files": ["made.txt"]}, ""),
    ({"operation": "diff", "staged": True}, "+++ b/made.txt"),
    ({"operation": "commit", "message": "Made it"}, " Made it"),
    ({"operation": "log", "max_count": 1}, " Made it"),
    ({"operation": "show", "ref": "HEAD"}, "+made"),
    ({"operation": "blame", "files": ["made.txt"]}, ") made"),
    ({"operation": "branch_create", "ref": "other"}, ""),
    ({"operation": "branch_list"}, "other"),
    ({"operation": "checkout", "ref": "other"}, ""),
    ({"operation": "tag", "ref": "v9", "message": "nine"}, ""),
    ({"operation": "stash"}, "No local changes to save"),
    ({"operation": "checkout", "ref": "main"}, ""),
    ({"operation": "branch_delete", "ref": "other"}, "Deleted branch other"),
    ({"operation": "push", "ref": "main"}, " * [new branch]      main -> main"),
    ({"operation": "pull", "ref": "main"}, "Already up to date."),
]


def test_openharness_fifteen_of_fifteen_end_to_end(host: Host) -> None:
    (host.repo / "made.txt").write_text("made\n")
    outcomes: dict[str, bool] = {}
    for arguments, words in FIFTEEN:
        answer = host.ask("openharness", **arguments)
        assert words in answer.text, (arguments, answer.text)
        outcomes[str(arguments["operation"])] = not answer.is_error
    assert outcomes.keys() == set(get_args(GitToolInput.model_fields["operation"].annotation)) and len(outcomes) == 15
    assert [name for name, done in outcomes.items() if not done] == []
    assert refs(host.up)["refs/heads/main"] == host.git("rev-parse", "main").strip()
    assert host.git("log", "-1", "--format=%s", "v9") == "Made it\n" and host.head() == "ref: refs/heads/main\n"


@pytest.mark.parametrize("operation", ["push", "pull"])
def test_openharness_asks_only_whom_the_host_names(host: Host, operation: str) -> None:
    before = host.git("for-each-ref")
    answer = host.ask("openharness", operation=operation, remote="../repo", ref="main")
    assert answer.is_error and "the grant does not cover the repository" in answer.text
    assert host.git("for-each-ref") == before


def test_nexus_changes_what_trusted_may(host: Host) -> None:
    def run(command: str) -> ToolAnswer:
        return host.ask("nexus", command=command)

    (host.repo / "made.txt").write_text("made\n")
    for command in ("add made.txt", "commit -m made", "switch -c other", "checkout main", "tag fresh"):
        assert not run(command).is_error, command
    assert host.git("log", "-1", "--format=%s", "other") == "made\n" and host.head() == "ref: refs/heads/main\n"
    assert host.git("rev-parse", "fresh") == host.git("rev-parse", "main")
    nothing = run("commit -m nothing")
    assert nothing.is_error and "nothing to commit" in nothing.text


def test_nexus_pushes_and_says_what_became_of_each_ref(host: Host) -> None:
    answer = host.ask("nexus", command="push origin main")
    assert not answer.is_error, answer.text
    oid = host.git("rev-parse", "main").strip()
    assert refs(host.up) == {"refs/heads/main": oid}
    row = {"ref": "refs/heads/main", "old": "", "new": oid, "status": "new"}
    assert answer.result is not None and str(row)[1:-1] in str(answer.result)
    assert not host.ask("nexus", command="fetch origin").is_error
    assert "Already up to date." in host.ask("nexus", command="pull origin main").text


def test_nexus_brings_commits_over(host: Host) -> None:
    start = host.git("rev-parse", "HEAD")
    host.ask("nexus", command="switch -c side HEAD~1")
    (host.repo / "made.txt").write_text("made\n")
    for command in ("add made.txt", "commit -m made", "switch main", "cherry-pick side", "revert --no-edit HEAD"):
        answer = host.ask("nexus", command=command)
        assert not answer.is_error, (command, answer.text)
    subjects = host.git("log", "--format=%s", f"{start.strip()}..HEAD")
    assert subjects == 'Revert "made"\nmade\n' and not (host.repo / "made.txt").exists()
    merged = host.ask("nexus", command="merge -m both side")
    assert not merged.is_error and host.git("log", "-1", "--format=%s %p").startswith("both ")

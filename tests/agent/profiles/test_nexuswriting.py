"""agent/profiles/nexuswriting.py: what document 2's level TRUSTED changes, and the fields that tell of it; values."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import CLOCK, copy_of

import gitglass
from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

pytestmark = pytest.mark.writes


class Host:
    """A host of document 2 at level TRUSTED, with one repository that may be written to."""

    def __init__(self, place: Path, name: str = "plain") -> None:
        self.repo = copy_of(name, place / "repo")
        grant = WriteGrant(identity=Identity("A", "a@b"), clock=lambda: CLOCK, zone=0)
        self.context = ToolContext(Roots([str(self.repo)]), level="trusted", write=WriteAccess(grant))

    def ask(self, command: str, **more: Any) -> ToolAnswer:
        return tools("nexus", write=True)[0].call({"command": command}, replace(self.context, **more))

    def fields(self, command: str, **more: Any) -> dict[str, Any]:
        answer = self.ask(command, **more)
        assert not answer.is_error, answer.text
        fields: dict[str, Any] = json.loads(answer.text)
        assert fields == answer.result and fields["command"] == command.split()[0]
        return fields

    def git(self, *argv: str) -> str:
        return gitglass.git(argv, cwd=self.repo).stdout.decode().strip()

    def write(self, path: str, content: str) -> None:
        (self.repo / path).write_text(content)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_add(host: Host) -> None:
    host.write("made.txt", "made\n")
    host.write("README.md", "changed\n")
    fields = host.fields("add .")  # document 2's own example
    assert fields["staged"] == ["README.md", "made.txt"] and fields["success"] is fields["changed"] is True
    assert fields["output"] == "" and fields["refs"] == [] and len(fields["operation"]) == 12
    again = host.fields("add made.txt")
    assert again["staged"] == [] and again["changed"] is False and again["operation"] is None


def test_commit(host: Host) -> None:
    old = host.git("rev-parse", "HEAD")
    host.write("made.txt", "one\ntwo\n")
    (host.repo / "README.md").unlink()
    gone = len(host.git("show", "HEAD:README.md").splitlines())
    host.fields("add -A")
    fields = host.fields("commit -m 'Made it' -m 'Body: never reset --hard'")
    new = host.git("rev-parse", "HEAD")
    assert old != new and fields["refs"] == [{"ref": "refs/heads/main", "old": old, "new": new, "status": "updated"}]
    assert (fields["sha"], fields["branch"]) == (new, "main")
    assert fields["message"] == "Made it\n\nBody: never reset --hard"
    assert (fields["files_changed"], fields["insertions"], fields["deletions"]) == (2, 2, gone)
    assert fields["output"].startswith(f"[main {new[:7]}] Made it\n 2 files changed, 2 insertions(+), {gone} deletion")
    nothing = host.ask("commit -m nothing")
    assert nothing.is_error and nothing.text.startswith("Git error: ") and "nothing to commit" in nothing.text


def test_the_first_commit_and_one_without_a_branch(tmp_path: Path) -> None:
    unborn = Host(tmp_path / "unborn", "unborn")
    unborn.write("made.txt", "made\n")
    unborn.fields("add made.txt")
    fields = unborn.fields("commit -m first")
    assert fields["sha"] == unborn.git("rev-parse", "HEAD") and fields["files_changed"] == len(
        unborn.git("ls-files").split()
    )
    assert fields["refs"][0]["old"] is None and fields["refs"][0]["status"] == "created"
    detached = Host(tmp_path / "detached", "detached")
    fields = detached.fields("commit --allow-empty -m empty")
    assert (fields["branch"], fields["files_changed"]) == ("HEAD (detached)", 0)
    assert fields["sha"] == detached.git("rev-parse", "HEAD")


def test_switch_and_checkout(host: Host) -> None:
    main, topic = host.git("rev-parse", "main"), host.git("rev-parse", "topic")
    paths = sorted(host.git("diff", "-z", "--name-only", "main", "topic").rstrip("\0").split("\0"))
    assert "src/app.py" in paths
    fields = host.fields("switch topic")
    assert (fields["branch"], fields["sha"], fields["created"]) == ("topic", topic, False)
    assert fields["files"] == paths
    made = host.fields("checkout -b made main")
    assert (made["branch"], made["sha"], made["created"], made["files"]) == ("made", main, True, paths)
    assert {"ref": "refs/heads/made", "old": None, "new": main, "status": "created"} in made["refs"]
    detached = host.fields("checkout --detach HEAD")
    assert (detached["branch"], detached["sha"], detached["created"]) == ("HEAD (detached)", main, False)
    assert host.git("rev-parse", "HEAD") == main and host.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"


def test_stash(host: Host) -> None:
    empty = host.fields("stash")
    assert (empty["success"], empty["changed"], empty["entry"]) == (True, False, None)
    assert empty["output"] == "No local changes to save\n"
    host.write("README.md", "mine\n")
    pushed = host.fields("stash push -m later")
    sha = host.git("rev-parse", "stash@{0}")
    assert (pushed["entry"], pushed["sha"], pushed["files"]) == ("stash@{0}", sha, ["README.md"])
    applied = host.fields("stash apply")
    assert (applied["entry"], applied["sha"], applied["files"]) == ("stash@{0}", sha, ["README.md"])
    host.fields("stash")
    second = host.git("rev-parse", "stash@{0}")
    popped = host.fields("stash pop stash@{1}")
    assert (popped["entry"], popped["sha"], popped["files"]) == ("stash@{1}", sha, ["README.md"])
    assert popped["conflicts"] == [] and (host.repo / "README.md").read_text() == "mine\n"
    dropped = host.fields("stash drop")
    assert (dropped["entry"], dropped["sha"]) == ("stash@{0}", second) and host.git("stash", "list") == ""


def test_a_stash_that_conflicts_is_there_and_no_success(host: Host) -> None:
    host.write("README.md", "mine\n")
    host.fields("stash")
    host.write("README.md", "theirs\n")
    host.fields("commit -am theirs")
    fields = host.fields("stash pop")
    assert (fields["success"], fields["exit_code"], fields["conflicts"]) == (False, 1, ["README.md"])
    assert fields["entry"] == "stash@{0}" and fields["sha"] == host.git("rev-parse", "stash@{0}")
    assert "CONFLICT (content): Merge conflict in README.md" in fields["output"]
    assert host.fields("status")["conflicts"] == ["README.md"]


def test_tag_and_its_deletion_which_is_confirmed(host: Host) -> None:
    head = host.git("rev-parse", "HEAD")
    assert host.fields("tag fresh")["tags"] == [{"name": "fresh", "sha": head, "deleted": False}]
    annotated = host.fields("tag -a v9 -m nine HEAD~1")
    assert annotated["tags"] == [{"name": "v9", "sha": host.git("rev-parse", "HEAD~1"), "deleted": False}]
    assert annotated["refs"][0]["new"] == host.git("rev-parse", "v9") != annotated["tags"][0]["sha"]
    answer = host.ask("tag --delete fresh")
    assert answer.error is not None and answer.error["code"] == "approval_required"
    details = answer.error["details"]
    assert "ref refs/tags/fresh: " in details["preview"] and host.git("tag", "-l", "fresh") == "fresh"
    deleted = host.fields("tag --delete fresh", approved=frozenset({details["plan"]}))
    assert deleted["tags"] == [{"name": "fresh", "sha": head, "deleted": True}]
    assert host.git("tag", "-l", "fresh") == ""


def test_branch_and_reset(host: Host) -> None:
    old, new = host.git("rev-parse", "HEAD"), host.git("rev-parse", "HEAD~1")
    made = host.fields("branch made HEAD~1")
    assert made["refs"] == [{"ref": "refs/heads/made", "old": None, "new": new, "status": "created"}]
    deleted = host.fields("branch -d made")
    assert deleted["refs"] == [{"ref": "refs/heads/made", "old": new, "new": None, "status": "deleted"}]
    changed = host.git("diff", "--numstat", old, new).splitlines()
    fields = host.fields("reset --soft HEAD~1", level="yolo")
    assert (fields["branch"], fields["sha"], fields["files_changed"]) == ("main", new, len(changed))
    assert fields["insertions"] == sum(int(row.split()[0]) for row in changed)
    assert fields["deletions"] == sum(int(row.split()[1]) for row in changed)


def test_what_trusted_blocks_changes_nothing(host: Host) -> None:
    host.write("README.md", "mine\n")
    before = host.git("for-each-ref"), host.git("status", "--porcelain")
    for command in ("reset --hard HEAD~1", "checkout -- README.md", "restore README.md", "branch -D topic",
                    "checkout --orphan x", "clean -fd", "rebase -i HEAD~1", "push --force", "stash clear"):  # fmt: skip
        assert host.ask(command).text == f"Command blocked for safety: {command}"
    assert host.ask("rebase topic").text.startswith("Git error: error: cannot rebase: You have unstaged changes.")
    for command in ("push", "pull"):
        answer = host.ask(command)
        assert answer.error is not None and answer.error["code"] == "not_granted", command
    assert (host.git("for-each-ref"), host.git("status", "--porcelain")) == before
    assert (host.repo / "README.md").read_text() == "mine\n"


def test_sandboxed_never_writes_whatever_was_granted(host: Host) -> None:
    for command in ("add .", "commit -m x", "tag made", "stash", "checkout -b x"):
        answer = host.ask(command, level="sandboxed")
        assert answer.text == "Only read-only git commands allowed in SANDBOXED mode"
    assert not (host.repo / ".git/gitglass").exists()


def test_the_tool_says_that_it_writes_where_it_can() -> None:
    reading, writing = tools("nexus")[0], tools("nexus", write=True)[0]
    assert reading.hints.read_only and "read-only" in reading.description
    assert not writing.hints.read_only and writing.hints.destructive and "read-only" not in writing.description
    assert "commit" in writing.description and reading.input_schema("openai") == writing.input_schema("openai")


def test_paths_are_relative_to_the_directory_it_runs_in(host: Host) -> None:
    host.write("src/made.py", "made\n")
    answer = tools("nexus", write=True)[0].call({"command": "add made.py", "cwd": "src"}, host.context)
    assert not answer.is_error, answer.text
    assert host.git("diff", "--cached", "--name-status") == "A\tsrc/made.py"

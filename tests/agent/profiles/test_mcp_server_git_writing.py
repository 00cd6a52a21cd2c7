"""The five writers of `mcp-server-git`: their words, what they do without git, and what they refuse before that."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import CLOCK, copy_of, state_of
from tests.support.writing import done as planned

from gitglass import git
from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.commands.policy import Level, Policy
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.request.ref_mutations import MergeRequest

pytestmark = pytest.mark.writes

TOOLS = {tool.name: tool for tool in tools("mcp-server-git", mutating=True)}
WRITING = ("git_commit", "git_add", "git_reset", "git_create_branch", "git_checkout")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def access(**granted: Any) -> WriteAccess:
    given: dict[str, Any] = {"identity": Identity("A", "a@b"), "clock": lambda: CLOCK, "zone": 0}
    return WriteAccess(WriteGrant(**{**given, **granted}))


def call(repo: Path, name: str, policy: Policy | None = None, write: Any = None, **arguments: Any) -> ToolAnswer:
    host = ToolContext(Roots([str(repo)]), policy=policy or Policy(level=Level.YOLO), write=write or access())
    return TOOLS[f"git_{name}"].call({"repo_path": str(repo), **arguments}, host)


def done(repo: Path, name: str, **arguments: Any) -> str:
    answer = call(repo, name, **arguments)
    assert not answer.is_error, answer.text
    return answer.text


def refused(repo: Path, name: str, **more: Any) -> str:
    """The words of a refusal, which changes nothing."""
    before = state_of(repo)
    answer = call(repo, name, **more)
    assert answer.is_error and state_of(repo) == before, answer.text
    return answer.text.removeprefix(f"Error executing tool git_{name}: ")


def ask(repo: Path, *argv: str) -> str:
    return git(list(argv), cwd=repo).stdout.decode().removesuffix("\n")


def test_all_twelve_are_listed_on_request() -> None:
    assert list(TOOLS) == [
        "git_status", "git_diff_unstaged", "git_diff_staged", "git_diff", "git_commit", "git_add", "git_reset",
        "git_log", "git_create_branch", "git_checkout", "git_show", "git_branch",
    ]  # fmt: skip
    assert not set(WRITING) & {tool.name for tool in tools("mcp-server-git")}
    listed = TOOLS["git_add"].as_mcp()
    assert listed["inputSchema"] == {
        "properties": {
            "repo_path": {"title": "Repo Path", "type": "string"},
            "files": {"items": {"type": "string"}, "minItems": 1, "title": "Files", "type": "array"},
        },
        "required": ["repo_path", "files"], "title": "addArguments", "type": "object",
    }  # fmt: skip
    hints = {name: TOOLS[name].hints for name in WRITING}
    assert not any(one.read_only or one.open_world for one in hints.values())
    assert [name for name in WRITING if hints[name].destructive] == ["git_reset"]
    assert [name for name in WRITING if hints[name].idempotent] == ["git_add", "git_reset"]


def test_add_and_commit(repo: Path) -> None:
    (repo / "new.txt").write_text("new\n")
    assert done(repo, "add", files=["new.txt"]) == "Files staged successfully"
    assert done(repo, "add", files=["new.txt"]).startswith("No changes were staged: the given paths had nothing new")
    words = done(repo, "commit", message="Something new")
    assert words == f"Changes committed successfully with hash {ask(repo, 'rev-parse', 'HEAD')}"
    assert ask(repo, "log", "-1", "--format=%an|%s", "--name-only") == "A|Something new\n\nnew.txt"
    assert git(["cat-file", "commit", "HEAD"], cwd=repo).stdout.endswith(b"+0000\n\nSomething new")  # as it came
    assert refused(repo, "commit", message="again") == (
        "No changes staged for commit. Use git_add to stage changes first; git_status shows what is currently staged."
    )


@pytest.mark.parametrize(
    ("staged", "words"),
    [
        ("", "Applied autostash."),
        ("merged\n", "Applying autostash resulted in conflicts. Your changes are safe in the stash; "
         'run "git stash pop" or "git stash drop" at any time.'),
    ],
)  # fmt: skip
def test_a_commit_brings_back_what_a_merge_had_put_away(repo: Path, staged: str, words: str) -> None:
    done(repo, "create_branch", branch_name="side")
    done(repo, "checkout", branch_name="side")
    (repo / "side.txt").write_text("side only")
    done(repo, "add", files=["side.txt"])
    done(repo, "commit", message="side change")
    done(repo, "checkout", branch_name="main")
    (repo / "README.md").write_text("dirty\n")
    planned(repo, MergeRequest(commits=["side"], switches=["--no-commit", "--no-ff", "--autostash"]))
    if staged:
        (repo / "README.md").write_text(staged)
        done(repo, "add", files=["README.md"])
    answer = done(repo, "commit", message="merge side")
    assert answer == f"Changes committed successfully with hash {ask(repo, 'rev-parse', 'HEAD')}\n{words}"
    assert ask(repo, "log", "-1", "--format=%p").count(" ") == 1 and not (repo / ".git/MERGE_AUTOSTASH").exists()
    assert bool(ask(repo, "stash", "list")) == bool(staged)


@pytest.mark.parametrize("message", ["", " \n"])
def test_an_empty_message_is_refused(repo: Path, message: str) -> None:
    (repo / "new.txt").write_text("new\n")
    done(repo, "add", files=["new.txt"])
    assert "empty commit message" in refused(repo, "commit", message=message)


def test_add_takes_all_at_a_dot(repo: Path) -> None:
    (repo / "new.txt").write_text("new\n")
    (repo / "README.md").unlink()
    assert done(repo, "add", files=["."]) == "Files staged successfully"
    assert ask(repo, "diff", "--cached", "--name-status") == "D\tREADME.md\nA\tnew.txt"


def test_reset_unstages(repo: Path) -> None:
    (repo / "README.md").write_text("changed\n")
    done(repo, "add", files=["README.md"])
    assert done(repo, "reset") == "All staged changes reset"
    assert (ask(repo, "diff", "--cached"), ask(repo, "diff", "--name-only")) == ("", "README.md")


def test_create_branch(repo: Path) -> None:
    assert done(repo, "create_branch", branch_name="one") == "Created branch 'one' from 'main'"
    assert done(repo, "create_branch", branch_name="two", base_branch="v1.0") == "Created branch 'two' from 'v1.0'"
    assert ask(repo, "rev-parse", "one", "two") == ask(repo, "rev-parse", "main", "v1.0^{commit}")
    assert refused(repo, "create_branch", branch_name="one") == (
        "Cannot create branch 'one': refs/heads/one already exists"
    )
    assert refused(repo, "create_branch", branch_name="x", base_branch="no") == "No item found with id no"
    assert refused(repo, "create_branch", branch_name="-D") == "Invalid branch name: '-D' - cannot start with '-'"
    assert refused(repo, "create_branch", branch_name="x", base_branch="-f").startswith("Invalid base branch: '-f'")
    assert "is not a valid branch name" in refused(repo, "create_branch", branch_name="a..b")


def test_checkout(repo: Path) -> None:
    assert done(repo, "checkout", branch_name="topic") == "Switched to branch 'topic'"
    assert ask(repo, "symbolic-ref", "HEAD") == "refs/heads/topic" and ask(repo, "status", "--short") == ""
    assert done(repo, "checkout", branch_name="topic") == "Switched to branch 'topic'"
    oid = ask(repo, "rev-parse", "v1.0^{commit}")
    assert done(repo, "checkout", branch_name="v1.0") == f"HEAD is now detached at {oid[:7]}"
    assert refused(repo, "create_branch", branch_name="x").startswith("HEAD is detached, so there is no current")
    assert refused(repo, "checkout", branch_name="no") == "Ref 'no' did not resolve to an object"
    assert refused(repo, "checkout", branch_name="-f") == "Invalid branch name: '-f' - cannot start with '-'"


def test_checkout_keeps_uncommitted_work(repo: Path) -> None:
    (repo / "src/app.py").write_text("unsaved\n")
    assert "Your local changes to the following files would be overwritten" in refused(
        repo, "checkout", branch_name="v1.0"
    )
    assert refused(repo, "checkout", branch_name="README.md") == "Ref 'README.md' did not resolve to an object"


def test_paths_that_are_not_staged(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    os.symlink("..", repo / "up")
    os.symlink("loop", repo / "loop")
    for path in ("../outside.txt", str(tmp_path / "outside.txt"), "up/outside.txt"):
        assert refused(repo, "add", files=[path]) == f"Path '{path}' is outside the repository '{repo}'"
    assert refused(repo, "add", files=["loop/x"]) == "Invalid path: 'loop/x'"
    assert refused(repo, "add", files=["a\0b"]) == "embedded null byte"
    assert "did not match any files" in refused(repo, "add", files=["nowhere"])
    assert "did not match any files" in refused(repo, "add", files=["--all"])
    assert refused(repo, "add", files=[".git/config"]) == "Path '.git/config' is within '.git'"
    assert "List should have at least 1 item" in refused(repo, "add", files=[])


def test_nothing_changes_without_the_hosts_word(repo: Path) -> None:
    (repo / "new.txt").write_text("new\n")
    for policy in (Policy(level=Level.TRUSTED), Policy()):
        assert refused(repo, "add", policy=policy, files=["new.txt"])
    asked = call(repo, "add", policy=Policy(level=Level.TRUSTED), files=["new.txt"])
    assert asked.error is not None and asked.error["code"] == "approval_required"
    host = ToolContext(Roots([str(repo)]), policy=Policy(level=Level.YOLO))
    answer = TOOLS["git_add"].call({"repo_path": str(repo), "files": ["new.txt"]}, host)
    assert answer.error is not None and answer.error["code"] == "unsupported"
    assert ask(repo, "status", "--short") == "?? new.txt"


def test_what_stands_in_the_way_is_named(repo: Path) -> None:
    (repo / "new.txt").write_text("new\n")
    (repo / ".git/index.lock").write_text("")
    assert "index.lock" in refused(repo, "add", files=["new.txt"])
    (repo / ".git/index.lock").unlink()
    done(repo, "add", files=["new.txt"])
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    assert "pre-commit" in refused(repo, "commit", message="x")
    hook.unlink()
    (repo / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n")
    assert "user.name" in refused(repo, "commit", message="x", write=access(identity=None))

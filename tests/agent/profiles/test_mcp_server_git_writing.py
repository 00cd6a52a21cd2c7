"""The five writers of `mcp-server-git`, where a host lets them write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import CLOCK, copy_of

import gitglass
from gitglass.agent import ToolAnswer, ToolContext, tools
from gitglass.agent.roots import Roots
from gitglass.commands.policy import Level, Policy
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

pytestmark = pytest.mark.writes

FREE = Policy(level=Level.TRUSTED, medium="free", high="free")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def call(repo: Path, name: str, write: bool = True, policy: Policy = FREE, **arguments: Any) -> ToolAnswer:
    grant = WriteGrant(identity=Identity("A", "a@b"), clock=lambda: CLOCK, zone=0, refs=("*",))
    host = ToolContext(Roots([str(repo)]), policy=policy, write=WriteAccess(grant) if write else None)
    tool = next(tool for tool in tools("mcp-server-git", write=True) if tool.name == name)
    return tool.call({"repo_path": str(repo), **arguments}, host)


def git(repo: Path, *argv: str) -> bytes:
    return gitglass.open(repo).git(list(argv)).stdout


def head(repo: Path) -> str:
    return git(repo, "rev-parse", "HEAD").decode().strip()


def test_readers_alone_are_listed_unless_writers_are_wanted() -> None:
    names = [tool.name for tool in tools("mcp-server-git")]
    assert len(names) == 7 and "git_commit" not in names
    assert [tool.name for tool in tools("mcp-server-git", write=True)] == [
        "git_status", "git_diff_unstaged", "git_diff_staged", "git_diff", "git_commit", "git_add", "git_reset",
        "git_log", "git_create_branch", "git_checkout", "git_show", "git_branch",
    ]  # fmt: skip


def test_hints_and_schemas() -> None:
    made = {tool.name: tool for tool in tools("mcp-server-git", write=True)}
    assert made["git_reset"].hints.as_mcp() == {
        "readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False,
    }  # fmt: skip
    assert made["git_add"].input_schema() == {
        "properties": {
            "repo_path": {"title": "Repo Path", "type": "string"},
            "files": {"items": {"type": "string"}, "minItems": 1, "title": "Files", "type": "array"},
        },
        "required": ["repo_path", "files"], "title": "addArguments", "type": "object",
    }  # fmt: skip


def test_add_and_commit(repo: Path) -> None:
    before = head(repo)
    assert call(repo, "git_commit", message="nothing").text.endswith(
        "No changes staged for commit. Use git_add to stage changes first; git_status shows what is currently staged."
    )
    (repo / "made.txt").write_text("made\n")
    assert call(repo, "git_add", files=["made.txt"]).text == "Files staged successfully"
    assert call(repo, "git_add", files=["made.txt"]).text.startswith("No changes were staged")
    answer = call(repo, "git_commit", message="Made it")
    assert answer.text == f"Changes committed successfully with hash {head(repo)}" and not answer.is_error
    assert git(repo, "log", "-1", "--format=%an <%ae> %at%n%B%P") == f"A <a@b> {CLOCK}\nMade it\n{before}\n".encode()
    assert git(repo, "show", "--format=", "--name-status") == b"A\tmade.txt\n"


def test_paths_outside_and_none_are_refused(repo: Path) -> None:
    answer = call(repo, "git_add", files=["../other"])
    assert answer.is_error and f"Path '../other' is outside the repository '{repo}'" in answer.text
    assert "pathspec 'nowhere' did not match any files" in call(repo, "git_add", files=["nowhere"]).text
    (repo / "link").symlink_to("/etc")
    assert "is outside the repository" in call(repo, "git_add", files=["link/passwd"]).text
    assert git(repo, "diff", "--cached", "--name-only") == b""


def test_reset_unstages_and_leaves_files(repo: Path) -> None:
    (repo / "made.txt").write_text("made\n")
    call(repo, "git_add", files=["."])
    assert git(repo, "diff", "--cached", "--name-only") == b"made.txt\n"
    assert call(repo, "git_reset").text == "All staged changes reset"
    assert git(repo, "diff", "--cached", "--name-only") == b"" and (repo / "made.txt").read_text() == "made\n"


def test_branches(repo: Path) -> None:
    assert call(repo, "git_create_branch", branch_name="made").text == "Created branch 'made' from 'main'"
    assert git(repo, "rev-parse", "made").decode().strip() == head(repo)
    assert "refs/heads/made already exists" in call(repo, "git_create_branch", branch_name="made").text
    assert (
        "No item found with id 'nowhere'"
        in call(repo, "git_create_branch", branch_name="other", base_branch="nowhere").text
    )
    assert "cannot start with '-'" in call(repo, "git_create_branch", branch_name="-D").text
    assert call(repo, "git_checkout", branch_name="made").text == "Switched to branch 'made'"
    assert git(repo, "symbolic-ref", "HEAD") == b"refs/heads/made\n"
    at = head(repo)
    assert call(repo, "git_checkout", branch_name=at).text == f"HEAD is now detached at {at[:7]}"
    assert "HEAD is detached" in call(repo, "git_create_branch", branch_name="more").text
    assert call(repo, "git_create_branch", branch_name="more", base_branch="main").text == (
        "Created branch 'more' from 'main'"
    )


def test_checkout_overwrites_nothing(repo: Path) -> None:
    (repo / "made.txt").write_text("one\n")
    for text in ("one\n", "two\n"):
        (repo / "made.txt").write_text(text)
        call(repo, "git_add", files=["made.txt"])
        call(repo, "git_commit", message=text)
    (repo / "made.txt").write_text("mine\n")
    answer = call(repo, "git_checkout", branch_name="HEAD~1")
    assert answer.is_error and "would be overwritten by checkout" in answer.text
    assert (repo / "made.txt").read_text() == "mine\n"


@pytest.mark.parametrize("name, arguments", [
    ("git_add", {"files": ["made.txt"]}), ("git_reset", {}), ("git_create_branch", {"branch_name": "made"}),
    ("git_checkout", {"branch_name": "HEAD~1"}),
])  # fmt: skip
def test_nothing_without_the_host(repo: Path, name: str, arguments: dict[str, Any]) -> None:
    """Without a grant, and where policy asks for a yes that nobody gave."""
    (repo / "made.txt").write_text("made\n")
    before = (repo / ".git/index").read_bytes(), git(repo, "for-each-ref"), (repo / ".git/HEAD").read_bytes()
    for answer in (
        call(repo, name, write=False, **arguments), call(repo, name, policy=Policy(level=Level.TRUSTED), **arguments),
        call(repo, name, policy=Policy(level=Level.SANDBOXED), **arguments),
    ):  # fmt: skip
        assert answer.is_error
    assert before == ((repo / ".git/index").read_bytes(), git(repo, "for-each-ref"), (repo / ".git/HEAD").read_bytes())

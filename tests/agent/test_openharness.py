"""Document 1: operations, validators, is_read_only, the command string, 12,000 characters."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles import openharness
from gitglass.agent.profiles.openharness import MARKER, GitToolInput, is_read_only
from gitglass.commands.policy import Level, Policy

MUTATING: list[tuple[str, dict[str, Any], str]] = [
    ("add", {"files": ["a.py"]}, "git add -- a.py"),
    ("commit", {"message": "m"}, "git commit -m m"),
    ("push", {"ref": "main"}, "git push main"),
    ("pull", {}, "git pull"),
    ("branch_create", {"ref": "x"}, "git branch x"),
    ("branch_delete", {"ref": "x"}, "git branch -d x"),
    ("checkout", {"ref": "main"}, "git checkout main"),
    ("stash", {}, "git stash push"),
    ("tag", {"ref": "v9"}, "git tag v9"),
]


def run(top: Any, operation: str, *, host: dict[str, Any] | None = None, **more: Any) -> ToolAnswer:
    ctx = ToolContext(Roots([top]), **(host or {}))
    return tools("openharness")[0].call({"operation": operation, **more}, ctx)


@pytest.mark.requirement("Reading operations: status, diff, log, show, blame, branch_list; is_read_only")
@pytest.mark.parametrize(
    ("operation", "more", "begins"),
    [
        ("status", {}, ""), ("diff", {"ref": "HEAD~1"}, "diff --git"), ("log", {"max_count": 1}, "commit "),
        ("show", {}, "commit "), ("blame", {"files": ["src/app.py"]}, ""), ("branch_list", {}, ""),
    ],
)  # fmt: skip
def test_reads(unpack: Any, watched: Any, operation: str, more: dict[str, Any], begins: str) -> None:
    top = unpack("plain")
    watched(top)
    answer = run(top, operation, **more)
    assert not answer.is_error and answer.text.startswith(begins)
    assert is_read_only(GitToolInput(operation=operation, **more))


@pytest.mark.requirement("Mutating operations are in the schema, with their command strings; not is_read_only")
@pytest.mark.parametrize(("operation", "more", "command"), MUTATING)
def test_mutations_are_known_and_not_available(unpack: Any, operation: str, more: dict[str, Any], command: str) -> None:
    asked = GitToolInput(operation=operation, **more)
    assert asked.command == command and not is_read_only(asked)
    answer = run(unpack("plain"), operation, **more)
    assert answer.error is not None and answer.error["code"] == "unsupported" and "not available" in answer.text
    answer = run(unpack("plain"), operation, host={"level": "sandboxed"}, **more)
    assert answer.error is not None and answer.error["code"] == "permission_denied"


@pytest.mark.requirement("Validator of files: no ., -A, --all, -a, *, nothing that begins with -")
@pytest.mark.parametrize("name", [".", "-A", "--all", "*", "-a", "", "./", "--force"])
def test_files_are_named(name: str) -> None:
    with pytest.raises(ValidationError):
        GitToolInput(operation="add", files=[name])


@pytest.mark.requirement("Validators: what each operation cannot do without")
@pytest.mark.parametrize("operation", ["add", "commit", "blame", "branch_create", "branch_delete", "checkout", "tag"])
def test_what_is_required(unpack: Any, operation: str) -> None:
    assert run(unpack("plain"), operation).is_error


@pytest.mark.requirement("No force, no skipped hooks, max_count 1 to 200: what is dangerous has no field")
@pytest.mark.parametrize(
    "more", [{"force": True}, {"ref": "--force"}, {"ref": "-f"}, {"max_count": 0}, {"max_count": 201}, {"command": "x"}]
)
def test_what_cannot_be_said(unpack: Any, more: dict[str, Any]) -> None:
    answer = run(unpack("plain"), "log", **more)
    assert answer.error is not None and answer.error["code"] == "invalid_args"


@pytest.mark.requirement("reset is no operation")
def test_reset_is_no_operation(unpack: Any) -> None:
    assert run(unpack("plain"), "reset").is_error


@pytest.mark.requirement("The synthesized command string feeds denied_commands")
def test_rules_for_commands(unpack: Any) -> None:
    policy = Policy(level=Level.YOLO, denied=("git push*",))
    answer = run(unpack("plain"), "push", host={"policy": policy}, ref="main")
    assert answer.error is not None and answer.error["code"] == "permission_denied"
    assert not run(unpack("plain"), "log", host={"policy": policy}).is_error


@pytest.mark.requirement("The schema has fifteen operations and no command")
def test_schema_has_no_command() -> None:
    schema = tools("openharness")[0].input_schema()
    assert "command" not in schema["properties"] and len(schema["properties"]["operation"]["enum"]) == 15


@pytest.mark.requirement("Output of 12,000 characters, with its marker")
def test_twelve_thousand_characters(unpack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert openharness.MAX_CHARACTERS == 12_000
    monkeypatch.setattr(openharness, "MAX_CHARACTERS", 300)
    answer = run(unpack("plain"), "log")
    assert answer.truncated and len(answer.text) == 300 + len(MARKER) and answer.text.endswith(MARKER)


@pytest.mark.requirement("Not a git repository")
def test_outside_of_a_repository(tmp_path: Path) -> None:
    answer = run(tmp_path, "status")
    assert answer.is_error and answer.text == "Not a git repository"

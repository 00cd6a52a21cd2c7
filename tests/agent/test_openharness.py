"""Document 1: operations, fields, validation, the command string, is_read_only, 12,000 characters.

The first part is a suite written from the pull request's description and schema, 31 cases: `reads` and `validates` are
the 25 that need no write, `writes` the six that carry out a mutation, of which gitglass passes the validation and then
answers that it is not available.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from gitglass import git
from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles import openharness
from gitglass.agent.profiles.openharness import MARKER, GitToolInput, is_read_only, register_git_tool
from gitglass.commands.policy import Level, Policy
from gitglass.limits import Limits


def run(top: Any, operation: str, *, host: dict[str, Any] | None = None, **more: Any) -> ToolAnswer:
    ctx = ToolContext(Roots([top]), **(host or {}))
    return tools("openharness")[0].call({"operation": operation, **more}, ctx)


def same(top: Any, argv: list[str], operation: str, **more: Any) -> str:
    """The answer is git's output, stripped."""
    answer = run(top, operation, **more)
    assert not answer.is_error, answer.text
    assert answer.text == git(argv, cwd=top).stdout.decode().strip()
    return answer.text


def wrong(operation: str, **more: Any) -> str:
    """The words with which the validator refuses."""
    with pytest.raises(ValidationError) as caught:
        GitToolInput(operation=operation, **more)
    (error,) = caught.value.errors()
    return str(error["msg"]).removeprefix("Value error, ")


# ------------------------------------------------------------------------------------------------ the 31 cases: reading
@pytest.mark.requirement("Reading operations: status, diff, log, show, blame, branch_list; is_read_only")
@pytest.mark.parametrize(
    ("fixture", "more", "argv", "begins"),
    [
        ("dirty", {"operation": "status"}, "status --short", "M README.md\nD  docs/nonl.txt\n M logo.bin\nAM "),
        ("dirty", {"operation": "diff"}, "diff", "diff --git a/README.md "),
        ("dirty", {"operation": "diff", "staged": True}, "diff --cached", "diff --git a/docs/nonl.txt "),
        ("plain", {"operation": "diff", "ref": "v1.0", "files": ["src/app.py"]}, "diff v1.0 -- src/app.py",
         "diff --git a/src/app.py "),
        ("plain", {"operation": "log"}, "log --max-count=20 --oneline", "790a245 Odd names\n10705f1 "),
        ("plain", {"operation": "log", "oneline": False, "max_count": 2}, "log -n 2", "commit 790a245"),
        ("plain", {"operation": "log", "ref": "topic", "files": ["src/app.py"]},
         "log -n20 --oneline topic -- src/app.py", "0da9f27 "),
        ("plain", {"operation": "show", "ref": "v1.0"}, "show v1.0", "tag v1.0\n"),
        ("plain", {"operation": "show", "files": ["odd\tname"]}, "show HEAD -- odd\tname", "commit 790a245"),
        ("plain", {"operation": "blame", "files": ["src/app.py"]}, "blame -- src/app.py", "^27311ca (Ann Proper"),
        ("plain", {"operation": "blame", "files": ["src/app.py"], "line_start": 2, "line_end": 3},
         "blame -L2,3 -- src/app.py", "0da9f276 (Ann Proper"),
        ("plain", {"operation": "blame", "files": ["src/app.py"], "line_start": 2}, "blame -L2, -- src/app.py",
         "0da9f276 (Ann Proper"),
        ("plain", {"operation": "branch_list"}, "branch -a -v", "* main"),
    ],
)  # fmt: skip
def test_pull_request_reads(
    unpack: Any, watched: Any, fixture: str, more: dict[str, Any], argv: str, begins: str
) -> None:
    top = unpack(fixture)
    watched(top)
    assert same(top, argv.split(" "), **more).startswith(begins)
    assert is_read_only(GitToolInput(**more))


@pytest.mark.requirement("Not a git repository")
def test_pull_request_outside_of_a_repository(tmp_path: Path) -> None:
    answer = run(tmp_path, "status")
    assert answer.is_error and answer.text == "Not a git repository"


# --------------------------------------------------------------------------------------------- the 31 cases: validation
ADD_NOT = "'add' does not allow '{}'. Specify individual file paths."
SHOW_NEEDS = "'show' requires 'ref' (commit/object) or 'files'"


@pytest.mark.requirement("Validators: what each operation cannot do without, in the pull request's words")
@pytest.mark.parametrize(
    ("operation", "more", "words"),
    [
        ("add", {}, "'add' requires a non-empty 'files' list"),
        ("add", {"files": []}, "'add' requires a non-empty 'files' list"),
        ("commit", {}, "'commit' requires 'message'"),
        ("blame", {}, "'blame' requires exactly one file in 'files'"),
        ("blame", {"files": ["a", "b"]}, "'blame' requires exactly one file in 'files'"),
        ("show", {}, SHOW_NEEDS),
        ("tag", {"message": "m"}, "'tag' requires 'ref' (the tag name)"),
        ("tag", {"ref": "v9"}, "'tag' requires 'message'"),
        ("branch_create", {}, "'branch_create' requires 'ref' (the new branch name)"),
        ("branch_delete", {}, "'branch_delete' requires 'ref' (the branch to delete)"),
        ("checkout", {}, "'checkout' requires 'ref' (branch or commit to check out)"),
    ],
)
def test_pull_request_validates(unpack: Any, operation: str, more: dict[str, Any], words: str) -> None:
    assert wrong(operation, **more) == words
    answer = run(unpack("plain"), operation, **more)
    assert answer.is_error and answer.text == words


# ------------------------------------------------------------------------------------------------ the 31 cases: writing
WRITES: list[tuple[str, dict[str, Any], str]] = [
    ("add", {"files": ["a.py", "b.py"]}, "git add a.py b.py"),
    ("commit", {"message": "m"}, "git commit"),
    ("branch_create", {"ref": "x", "start_point": "HEAD~1"}, "git branch create x"),
    ("checkout", {"ref": "main"}, "git checkout main"),
    ("stash", {"stash_action": "push", "stash_message": "later"}, "git stash"),
    ("tag", {"ref": "v9", "message": "nine"}, "git tag v9"),
]
MORE_WRITES: list[tuple[str, dict[str, Any], str]] = [
    ("push", {"ref": "main"}, "git push main"),
    ("pull", {}, "git pull"),
    ("branch_delete", {"ref": "x"}, "git branch delete x"),
    ("stash", {"stash_action": "pop"}, "git stash"),
    ("stash", {"stash_action": "drop"}, "git stash"),
]


@pytest.mark.requirement("Mutating operations are in the schema, with their command strings; not is_read_only")
@pytest.mark.parametrize(("operation", "more", "command"), [*WRITES, *MORE_WRITES])
def test_pull_request_writes(unpack: Any, operation: str, more: dict[str, Any], command: str) -> None:
    asked = GitToolInput(operation=operation, **more)
    assert asked.command == command and not is_read_only(asked)
    answer = run(unpack("plain"), operation, **more)
    assert answer.error is not None and answer.error["code"] == "unsupported" and "not available" in answer.text
    answer = run(unpack("plain"), operation, host={"level": "sandboxed"}, **more)
    assert answer.error is not None and answer.error["code"] == "permission_denied"
    answer = run(unpack("plain"), operation, host={"level": "trusted"}, **more)
    assert answer.error is not None and answer.error["code"] == "approval_required"


def test_the_pull_request_has_31_cases() -> None:
    counts = [
        len(next(mark for mark in test.pytestmark if mark.name == "parametrize").args[1])
        for test in (test_pull_request_reads, test_pull_request_validates)
    ]
    assert sum(counts) + 1 == 25 and len(WRITES) == 6


# ------------------------------------------------------------------------------------------------------------ the schema
FIELDS = {
    "operation": None, "files": None, "message": None, "ref": None, "max_count": 20, "oneline": True, "staged": False,
    "line_start": None, "line_end": None, "stash_action": "push", "stash_message": None, "remote": "origin",
    "start_point": None,
}  # fmt: skip


@pytest.mark.requirement("The schema has fifteen operations and no command")
def test_schema() -> None:
    (tool,) = tools("openharness")
    assert tool.name == "git"
    assert tool.description.startswith("Perform structured git operations with built-in safety constraints.")
    schema = tool.input_schema()
    assert list(schema["properties"]) == list(FIELDS)  # so neither `command`, nor force, nor a hook to skip
    assert schema["required"] == ["operation"]
    operations = schema["properties"]["operation"]["enum"]
    assert operations == [
        "status", "diff", "log", "show", "blame", "branch_list", "add", "commit", "push", "pull", "branch_create",
        "branch_delete", "checkout", "stash", "tag",
    ]  # fmt: skip
    assert all(operation in tool.description for operation in operations)
    given = GitToolInput(operation="status")
    assert {name: getattr(given, name) for name in FIELDS if name != "operation"} == {
        name: value for name, value in FIELDS.items() if name != "operation"
    }
    assert schema["properties"]["stash_action"]["enum"] == ["push", "pop", "list", "drop"]
    assert (schema["properties"]["max_count"]["minimum"], schema["properties"]["max_count"]["maximum"]) == (1, 200)
    assert schema["properties"]["line_start"]["minimum"] == schema["properties"]["line_end"]["minimum"] == 1


@pytest.mark.parametrize(
    ("more", "argv"),
    [
        ({"operation": "status", "files": ["a"]}, "status --short"),
        ({"operation": "diff", "staged": True, "ref": "HEAD", "files": ["-x"]}, "diff --cached HEAD -- -x"),
        ({"operation": "log", "max_count": 3, "oneline": False, "ref": "v1.0"}, "log --max-count=3 v1.0"),
        ({"operation": "show", "files": ["a"]}, "show HEAD -- a"),
        ({"operation": "blame", "files": ["a"], "line_end": 4, "ref": "v1.0"}, "blame -L1,4 v1.0 -- a"),
        ({"operation": "add", "files": ["a", "b"]}, "add -- a b"),
        ({"operation": "commit", "message": "m"}, "commit -m m"),
        ({"operation": "push"}, "push origin"),
        ({"operation": "push", "remote": "up", "ref": "main"}, "push up main"),
        ({"operation": "pull", "ref": "main"}, "pull origin main"),
        ({"operation": "branch_create", "ref": "x"}, "branch x"),
        ({"operation": "branch_create", "ref": "x", "start_point": "v1.0"}, "branch x v1.0"),
        ({"operation": "branch_delete", "ref": "x"}, "branch -d x"),
        ({"operation": "checkout", "ref": "x"}, "checkout x --"),
        ({"operation": "stash"}, "stash push"),
        ({"operation": "stash", "stash_message": "m"}, "stash push -m m"),
        ({"operation": "stash", "stash_action": "pop", "stash_message": "m"}, "stash pop"),
        ({"operation": "stash", "stash_action": "list"}, "stash list"),
        ({"operation": "stash", "stash_action": "drop"}, "stash drop"),
        ({"operation": "tag", "ref": "v9", "message": "m"}, "tag -a v9 -m m"),
    ],
)  # fmt: skip
def test_words_of_each_operation(more: dict[str, Any], argv: str) -> None:
    assert GitToolInput(**more).argv == argv.split()


@pytest.mark.parametrize(
    ("more", "command"),
    [
        ({"operation": "branch_list"}, "git branch list"),
        ({"operation": "log", "ref": "main", "files": ["a", "b"], "max_count": 3}, "git log main a b"),
        ({"operation": "status"}, "git status"),
        ({"operation": "push", "remote": "up", "ref": "main"}, "git push main"),
    ],
)
def test_command(more: dict[str, Any], command: str) -> None:
    assert GitToolInput(**more).command == command


def test_stash_list_is_answered(unpack: Any) -> None:
    assert same(unpack("dirty"), ["stash", "list"], "stash", stash_action="list").startswith("stash@{0}: ")


# ------------------------------------------------------------------------------------------------- what cannot be said
@pytest.mark.requirement("Validator of files: no ., -A, --all, -a, *, nothing that begins with -")
@pytest.mark.parametrize("name", [".", "-A", "--all", "-a", "*"])
def test_files_are_named(name: str) -> None:
    assert wrong("add", files=["a.py", name]) == f"'add' does not allow '{name}'. Specify individual file paths."


@pytest.mark.requirement("Validator of files: no ., -A, --all, -a, *, nothing that begins with -")
@pytest.mark.parametrize("name", ["--force", "-u", "./", ":/", ":(glob)**", "src/*.py", "", "/"])
def test_files_that_git_would_take_for_more(unpack: Any, name: str) -> None:
    GitToolInput(operation="add", files=["a.py", name])  # found out when it is carried out, as in the pull request
    answer = run(unpack("plain"), "add", files=["a.py", name])
    assert answer.is_error and answer.text == f"Invalid file path: '{name}'"


@pytest.mark.parametrize("operation", ["diff", "log", "show", "blame"])
def test_a_file_is_never_an_option(unpack: Any, operation: str) -> None:
    answer = run(unpack("plain"), operation, files=["--output=x"])
    if operation == "blame":
        assert answer.is_error and answer.text == "fatal: no such path '--output=x' in HEAD"
    else:
        assert not answer.is_error and answer.text == "(no output)"


@pytest.mark.requirement("No force, no skipped hooks, max_count 1 to 200: what is dangerous has no field")
@pytest.mark.parametrize(
    "more",
    [
        {"force": True}, {"skip_hooks": True}, {"ref": "--force"}, {"ref": "-f"}, {"ref": "a\nb"}, {"max_count": 0},
        {"max_count": 201}, {"command": "x"}, {"line_start": 0}, {"line_end": 0}, {"stash_action": "clear"},
    ],
)  # fmt: skip
def test_what_cannot_be_said(unpack: Any, more: dict[str, Any]) -> None:
    answer = run(unpack("plain"), "log", **more)
    assert answer.error is not None and answer.error["code"] == "invalid_args"


@pytest.mark.requirement("No force, no skipped hooks, max_count 1 to 200: what is dangerous has no field")
@pytest.mark.parametrize(
    ("operation", "more", "words"),
    [
        ("push", {"ref": "+main"}, "Invalid ref: '+main'"),
        ("push", {"ref": ":main"}, "Invalid ref: ':main'"),
        ("push", {"ref": "--force"}, "Invalid ref: '--force'"),
        ("pull", {"ref": "+main:main"}, "Invalid ref: '+main:main'"),
        ("push", {"remote": "--mirror"}, "Invalid remote: '--mirror'"),
        ("push", {"remote": "+main"}, "Invalid remote: '+main'"),
        ("push", {"remote": ""}, "Invalid remote: ''"),
        ("branch_delete", {"ref": "-D"}, "Invalid ref: '-D'"),
        ("branch_create", {"ref": "x", "start_point": "-f"}, "Invalid start_point: '-f'"),
        ("checkout", {"ref": "--orphan"}, "Invalid ref: '--orphan'"),
    ],
)
def test_no_option_and_no_force_in_a_name(unpack: Any, operation: str, more: dict[str, Any], words: str) -> None:
    answer = run(unpack("plain"), operation, host={"level": "yolo"}, **more)
    assert answer.is_error and answer.text == words


def test_checkout_of_a_file_is_no_restore(unpack: Any) -> None:
    answer = run(unpack("plain"), "checkout", host={"level": "trusted"}, ref="README.md")
    assert answer.text == "Switch to branch 'README.md'"


def test_an_approval_names_what_is_pushed(unpack: Any) -> None:
    answer = run(unpack("plain"), "push", host={"level": "trusted"}, ref="main", remote="up")
    assert answer.text == "Push to up (main)"
    assert answer.error is not None and answer.error["details"]["risk"] == "High"  # main is protected


@pytest.mark.requirement("reset is no operation")
def test_reset_is_no_operation(unpack: Any) -> None:
    answer = run(unpack("plain"), "reset")
    assert answer.error is not None and answer.error["code"] == "invalid_args"
    assert answer.text.startswith("operation: Input should be 'status', ")


def test_unknown_fields_are_refused_by_the_closest_name(unpack: Any) -> None:
    answer = run(unpack("plain"), "log", stagged=True)
    assert answer.text == "unknown argument 'stagged'; did you mean 'staged'?"


# ------------------------------------------------------------------------------------------------------ hosts and rules
@pytest.mark.requirement("The synthesized command string feeds denied_commands")
@pytest.mark.parametrize("rule", ["git push*", "git push main", "git push origin main"])
def test_rules_for_commands(unpack: Any, rule: str) -> None:
    policy = Policy(level=Level.YOLO, denied=(rule,))
    answer = run(unpack("plain"), "push", host={"policy": policy}, ref="main")
    assert answer.error is not None and answer.error["code"] == "permission_denied"
    assert not run(unpack("plain"), "log", host={"policy": policy}).is_error


def test_rules_that_allow_commands(unpack: Any) -> None:
    policy = Policy(level=Level.YOLO, allowed=("git push main", "git log*"))
    answer = run(unpack("plain"), "push", host={"policy": policy}, ref="main")
    assert answer.error is not None and answer.error["code"] == "unsupported"  # allowed, and not available
    assert not run(unpack("plain"), "log", host={"policy": policy}).is_error
    answer = run(unpack("plain"), "status", host={"policy": policy})
    assert answer.error is not None and answer.error["code"] == "permission_denied"


def test_a_registry_gets_the_tool() -> None:
    class Hosts:
        names: list[str] = []

        def register(self, tool: Any) -> None:
            self.names.append(tool.name)

    register_git_tool(Hosts())
    assert Hosts.names == ["git"]


# -------------------------------------------------------------------------------------------------------------- results
@pytest.fixture
def longest(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    assert openharness.MAX_CHARACTERS == 12_000
    monkeypatch.setattr(openharness, "MAX_CHARACTERS", 300)
    yield 300


@pytest.mark.requirement("Output of 12,000 characters, with its marker")
def test_twelve_thousand_characters(unpack: Any, longest: int) -> None:
    whole = git(["log", "-n20"], cwd=unpack("plain")).stdout.decode()
    answer = run(unpack("plain"), "log", oneline=False)
    assert MARKER == "\n...[truncated]..."
    assert answer.truncated and answer.text == whole[:longest] + MARKER


def test_stderr_where_there_is_no_stdout(unpack: Any) -> None:
    answer = run(unpack("plain"), "show", ref="nosuch")
    assert answer.is_error and answer.text == git(["show", "nosuch"], cwd=unpack("plain")).stderr.decode().strip()
    assert answer.text.startswith("fatal: ambiguous argument 'nosuch'")


def test_no_output(unpack: Any) -> None:
    answer = run(unpack("plain"), "diff", staged=True)
    assert not answer.is_error and answer.text == "(no output)"


def test_output_is_stripped_and_forges_no_line(unpack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = openharness.Outcome(b" \n[gitglass: forged]\n\n", b"", 0)
    monkeypatch.setattr(openharness, "run_argv", lambda *_, **__: outcome)
    assert run(unpack("plain"), "status").text == " [gitglass: forged]"


def test_usage_errors_are_git_s_output(unpack: Any) -> None:
    top = unpack("plain")
    answer = run(top, "blame", files=["src/app.py"], line_start=900)
    done = git(["blame", "-L900,", "--", "src/app.py"], cwd=top)
    assert answer.is_error and answer.text == done.stderr.decode().strip() and done.returncode == 128
    assert answer.error is not None and answer.error["message"] in answer.text


def test_a_deadline_is_an_error_of_its_own(unpack: Any) -> None:
    answer = run(unpack("plain"), "log", host={"limits": Limits(timeout=0.0)})
    assert answer.is_error and answer.error is not None and answer.error["code"] == "timeout"
    assert answer.text == answer.error["message"] == "the time limit of 0 seconds has passed"


def test_hosts_are_told_whether_it_may_change_something() -> None:
    reads, writes = tools("openharness")[0], tools("openharness", write=True)[0]
    assert reads.hints.read_only and not reads.hints.destructive
    assert not writes.hints.read_only and writes.hints.destructive and not writes.hints.idempotent


@pytest.mark.parametrize(("char", "shown"), [("\x1f", "\\x1f"), ("\x7f", "\\x7f"), ("\0", "\\x00")])
def test_no_control_character_in_a_name(unpack: Any, char: str, shown: str) -> None:
    for what in ("ref", "start_point"):
        answer = run(unpack("plain"), "branch_create", **{"ref": "x", what: f"a{char}b"})
        assert answer.is_error and answer.text == f"Invalid {what}: 'a{shown}b'"


def test_it_runs_in_the_host_s_directory(unpack: Any) -> None:
    top = unpack("plain")
    answer = run(top, "blame", files=["app.py"], host={"cwd": str(top / "src")})
    assert answer.text == git(["blame", "--", "app.py"], cwd=top / "src").stdout.decode().strip()
    answer = run(top, "log", files=["app.py"], host={"cwd": str(top / "src")})
    assert answer.text == git(["log", "--oneline", "--", "src/app.py"], cwd=top).stdout.decode().strip() != ""

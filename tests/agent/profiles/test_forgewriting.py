"""Document 3's rows that change something, carried out without git; each test is named by its id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import CLOCK, copy_of, state_of

import gitglass
from gitglass import git
from gitglass.agent import Roots, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles import forgewriting
from gitglass.commands.policy import Level, Policy
from gitglass.errors import InvalidArgs, SandboxViolation
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import (
    AddRequest,
    CheckoutRequest,
    CommitRequest,
    Mutation,
    PatchFilesRequest,
    RestoreRequest,
)

pytestmark = pytest.mark.writes

TOOLS = {tool.name: tool for tool in tools("forge", mutating=True)}
FREE = Policy(level=Level.YOLO)
ASKS = Policy(level=Level.TRUSTED)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def call(repo: Path, name: str, policy: Policy = FREE, granted: Any = None, **arguments: Any) -> ToolAnswer:
    given: dict[str, Any] = {"identity": Identity("A", "a@b"), "clock": lambda: CLOCK, "zone": 0}
    write = WriteAccess(WriteGrant(**{**given, **(granted or {})}))
    return TOOLS[f"git_{name}"].call(arguments, ToolContext(Roots([str(repo)]), policy=policy, write=write))


def done(repo: Path, name: str, **arguments: Any) -> str:
    answer = call(repo, name, **arguments)
    assert not answer.is_error, answer.text
    return answer.text


def refused(repo: Path, name: str, **arguments: Any) -> ToolAnswer:
    """A refusal, which changes nothing."""
    before = state_of(repo)
    answer = call(repo, name, **arguments)
    assert answer.is_error and answer.error is not None and state_of(repo) == before, answer.text
    return answer


def ask(repo: Path, *argv: str) -> str:
    return git(list(argv), cwd=repo).stdout.decode().removesuffix("\n")


def test_t_git_restore_01(repo: Path) -> None:
    was = (repo / "README.md").read_bytes()
    (repo / "README.md").write_text("unsaved\n")
    assert done(repo, "restore", paths=["README.md"]) == "Restored 1 file(s)"
    assert (repo / "README.md").read_bytes() == was


def test_t_git_diff_02(repo: Path) -> None:
    asked: dict[str, Any] = {"from_ref": "v1.0", "to_ref": "v2.0", "output_dir": "out/patches"}
    answer = call(repo, "diff", granted={"folders": ("out/*",)}, **asked)
    assert not answer.is_error, answer.text
    paths = git(["diff", "-z", "--name-only", "v1.0", "v2.0"], cwd=repo).stdout.decode().rstrip("\0").split("\0")
    names = [path.replace("/", "__").replace("\t", "_") + ".patch" for path in paths]
    assert "src__app.py.patch" in names and json.loads(answer.text) == {"patches": names}
    folder = repo / "out/patches"
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    assert b"".join((folder / name).read_bytes() for name in names) == git(["diff", "v1.0", "v2.0"], cwd=repo).stdout
    assert (folder / "src__app.py.patch").read_bytes() == git(
        ["diff", "v1.0", "v2.0", "--", "src/app.py"], cwd=repo
    ).stdout
    assert [path.stat().st_mode & 0o777 for path in (repo / "out", folder)] == [0o750, 0o750]
    again = call(repo, "diff", granted={"folders": ("out/*",)}, **asked)
    assert again.text == answer.text
    one = call(
        repo, "diff", granted={"folders": ("*",)}, paths=["src/app.py"], unified=0, **{**asked, "output_dir": "one/"}
    )
    assert json.loads(one.text) == {"patches": ["src__app.py.patch"]}
    shown = git(["diff", "-U0", "v1.0", "v2.0", "--", "src/app.py"], cwd=repo).stdout
    assert (repo / "one/src__app.py.patch").read_bytes() == shown


def test_t_git_diff_02_needs_a_write_grant(repo: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"from_ref": "v1.0", "to_ref": "v2.0"}
    (repo / "link").symlink_to(tmp_path)
    (repo / "nested/.git").mkdir(parents=True)
    before = state_of(repo)
    for folder, folders in (
        ("out", ()), ("out", ("other",)), ("link", ("*",)), ("link/out", ("*",)), ("nested/out", ("*",)),
        ("README.md", ("*",)), (".git/out", ("*",)), ("out/.GIT/x", ("*",)), (".", ("*",)), ("", ("*",)),
        ("../out", ("*",)), (str(tmp_path / "out"), ("*",)),
    ):  # fmt: skip
        answer = call(repo, "diff", granted={"folders": folders}, output_dir=folder, **asked)
        assert answer.is_error and state_of(repo) == before, folder
        assert sorted(path.name for path in tmp_path.iterdir()) == ["repo"]
    refused_ = call(repo, "diff", granted={"folders": ("other",)}, output_dir="out", **asked)
    assert refused_.text == "fatal: the grant does not cover files in the directory 'out'"
    for more in ({"stat": True}, {"name_only": True}, {"unified": 3, "paths": ["../x"]}):
        assert call(repo, "diff", granted={"folders": ("*",)}, output_dir="out", **asked, **more).is_error
    assert not (repo / "out").exists()


def test_patches_are_approved_undone_and_redone(repo: Path) -> None:
    asked: dict[str, Any] = {
        "from_ref": "HEAD~1",
        "to_ref": "HEAD",
        "output_dir": "out",
        "granted": {"folders": ("out",)},
    }
    answer = call(repo, "diff", ASKS, **asked)
    assert answer.error is not None and answer.text == "Write patches of HEAD~1..HEAD into 'out'"
    assert answer.error["details"]["risk"] == "Medium" and not (repo / "out").exists()
    names = json.loads(call(repo, "diff", **asked).text)["patches"]
    written = {name: (repo / "out" / name).read_bytes() for name in names}
    writer = Writer(gitglass.open(repo), WriteGrant(folders=("out",), identity=Identity("A", "a@b")))
    plan = writer.undo(writer.operations()[-1].id)
    writer.apply(plan, approve(plan, "test"))
    assert not (repo / "out").exists()
    plan = writer.undo(writer.operations()[-1].id)
    writer.apply(plan, approve(plan, "test"))
    assert {path.name: path.read_bytes() for path in (repo / "out").iterdir()} == written
    mine = repo / "out" / names[0]
    mine.write_bytes(b"a note of mine\n")
    plan = writer.plan(PatchFilesRequest(from_ref="HEAD~1", to_ref="HEAD", folder="out"))
    assert plan.preview.risk == "High" and [loss.name for loss in plan.preview.losses] == [f"out/{names[0]}"]
    writer.apply(plan, approve(plan, "test"))
    plan = writer.undo(writer.operations()[-1].id)
    writer.apply(plan, approve(plan, "test"))
    assert mine.read_bytes() == b"a note of mine\n"


def test_git_diff_says_that_it_writes_where_folders_are_granted() -> None:
    hints = {
        patches: {tool.name: tool.hints.read_only for tool in tools("forge", patches=patches)}
        for patches in (True, False)
    }
    assert hints[False]["git_diff"] and not hints[True]["git_diff"] and hints[True]["git_log"]


def test_t_git_restore_02(repo: Path) -> None:
    (repo / "README.md").write_text("changed\n")
    done(repo, "add", paths=["README.md"])
    assert done(repo, "restore", paths=["README.md"], staged=True, worktree=False) == "Restored 1 file(s)"
    assert ask(repo, "diff", "--cached") == "" and (repo / "README.md").read_text() == "changed\n"


def test_t_git_add_01(repo: Path) -> None:
    (repo / "one.txt").write_text("1\n")
    (repo / "two.txt").write_text("2\n")
    assert done(repo, "add", paths=["one.txt"]) == "Staged 1 file(s)"
    assert ask(repo, "status", "--short") == "A  one.txt\n?? two.txt"


def test_t_git_add_02(repo: Path) -> None:
    (repo / "one.txt").write_text("1\n")
    (repo / "README.md").unlink()
    assert done(repo, "add", all=True, paths=["one.txt"]) == "Staged 2 file(s)"
    assert ask(repo, "diff", "--cached", "--name-status") == "D\tREADME.md\nA\tone.txt"
    (repo / "src/app.py").write_text("changed\n")
    (repo / "three.txt").write_text("3\n")
    assert done(repo, "add", update=True) == "Staged 1 file(s)"
    assert ask(repo, "status", "--short").endswith("?? three.txt")


def test_t_git_commit_03(repo: Path) -> None:
    answer = refused(repo, "commit", type="fix", message="x")
    assert answer.text == "nothing to commit"
    (repo / "README.md").write_text("not staged\n")
    assert refused(repo, "commit", type="fix", message="x").text == "nothing to commit"


def test_t_git_edge_21(repo: Path) -> None:
    (repo / "README.md").write_text("changed\n")
    done(repo, "add", paths=["README.md"])
    (repo / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n")
    answer = refused(repo, "commit", granted={"identity": None}, type="fix", message="x")
    assert answer.text == (
        "Git user.name or user.email not configured. Run: git config --global user.name 'Your Name' && "
        "git config --global user.email 'you@example.com'"
    )


def test_t_git_int_01(repo: Path) -> None:
    (repo / "README.md").write_text("changed\n")
    done(repo, "add", paths=["README.md"])
    text = done(repo, "commit", type="feat", scope="core", message="A change\n\nand why")
    assert text.startswith(f"[main {ask(repo, 'rev-parse', '--short', 'HEAD')}] feat(core): A change\n")
    assert ask(repo, "log", "-1", "--format=%an %ae|%B") == "A a@b|feat(core): A change\n\nand why\n"
    assert ask(repo, "status", "--short") == ""


def test_t_git_branch_02(repo: Path) -> None:
    done(repo, "branch", create="zweig-ß")
    assert ask(repo, "rev-parse", "zweig-ß") == ask(repo, "rev-parse", "HEAD")
    assert refused(repo, "branch", create="zweig-ß").text == "fatal: a branch named 'zweig-ß' already exists"


def test_t_git_branch_03(repo: Path) -> None:
    done(repo, "branch", create="old")
    assert done(repo, "branch", delete="old").startswith("Deleted branch old (was ")
    done(repo, "checkout", create_branch="apart")
    (repo / "new.txt").write_text("new\n")
    done(repo, "add", paths=["new.txt"])
    done(repo, "commit", type="fix", message="apart")
    done(repo, "checkout", branch="main")
    assert "not fully merged" in refused(repo, "branch", delete="apart").text
    assert "checked out" in refused(repo, "branch", force_delete="main").text
    done(repo, "branch", force_delete="topic", delete="main")
    done(repo, "branch", rename="main", new_name="trunk", create="x")
    assert ask(repo, "branch", "--list", "main", "topic", "trunk", "x") == "* trunk"


def test_t_git_checkout_01(repo: Path) -> None:
    assert "Switched to branch 'topic'" in done(repo, "checkout", branch="topic")
    assert ask(repo, "symbolic-ref", "HEAD") == "refs/heads/topic" and ask(repo, "status", "--short") == ""


def test_t_git_checkout_02(repo: Path) -> None:
    assert "Switched to a new branch 'new'" in done(repo, "checkout", create_branch="new", branch="topic")
    assert ask(repo, "symbolic-ref", "HEAD") == "refs/heads/new"


def test_t_git_checkout_03(repo: Path) -> None:
    text = done(repo, "checkout", commit="v1.0")
    assert "You are in 'detached HEAD' state." in text and "HEAD is now at " in text
    assert ask(repo, "rev-parse", "HEAD") == ask(repo, "rev-parse", "v1.0^{commit}")


def test_t_git_err_05(repo: Path) -> None:
    (repo / "src/app.py").write_text("unsaved\n")
    answer = refused(repo, "checkout", commit="v1.0")
    assert "Your local changes to the following files would be overwritten" in answer.text
    assert answer.error is not None and answer.error["type"] == "ExecutionFailed"
    assert answer.error["code"] == "conflict"


def test_paths_of_a_commit_are_restored_and_head_stays(repo: Path) -> None:
    head = ask(repo, "rev-parse", "HEAD")
    assert done(repo, "checkout", commit="v1.0", paths=["src/app.py"]) == "Restored 1 file(s)"
    assert ask(repo, "rev-parse", "HEAD") == head
    assert (repo / "src/app.py").read_bytes() == git(["show", "v1.0:src/app.py"], cwd=repo).stdout


def test_t_git_stash_01(repo: Path) -> None:
    (repo / "README.md").write_text("unsaved\n")
    (repo / "new.txt").write_text("new\n")
    assert done(repo, "stash", message="later", include_untracked=True) == (
        "Saved working directory and index state On main: later\n"
    )
    assert ask(repo, "status", "--short") == "" and not (repo / "new.txt").exists()


def test_t_git_stash_02(repo: Path) -> None:
    (repo / "README.md").write_text("unsaved\n")
    done(repo, "stash")
    assert "Dropped " in done(repo, "stash", action="pop")
    assert (repo / "README.md").read_text() == "unsaved\n" and ask(repo, "stash", "list") == ""


def test_t_git_stash_04(repo: Path) -> None:
    for words in ("one\n", "two\n"):
        (repo / "README.md").write_text(words)
        done(repo, "stash")
    assert len(ask(repo, "stash", "list").splitlines()) == 2
    done(repo, "stash", action="clear")
    assert ask(repo, "stash", "list") == ""


def test_t_git_edge_10(repo: Path) -> None:
    assert done(repo, "stash") == "No local changes to save\n"


def test_t_git_edge_13(repo: Path) -> None:
    was = (repo / "src/app.py").read_bytes()
    (repo / "src/app.py").write_text("unsaved\n")
    assert done(repo, "restore", paths=["src/*.py"]) == "Restored 1 file(s)"
    assert (repo / "src/app.py").read_bytes() == was


def test_t_git_int_02(repo: Path) -> None:
    done(repo, "branch", create="feature")
    done(repo, "checkout", branch="feature")
    assert "checked out" in refused(repo, "branch", delete="feature").text
    done(repo, "checkout", branch="main")
    done(repo, "branch", delete="feature")
    assert ask(repo, "branch", "--list", "feature") == ""


def test_t_git_int_03(repo: Path) -> None:
    (repo / "README.md").write_text("unsaved\n")
    done(repo, "stash", message="later")
    assert done(repo, "stash", action="list") == "stash@{0}: On main: later\n"
    done(repo, "stash", action="pop", index=0)
    assert (repo / "README.md").read_text() == "unsaved\n"


def test_t_git_int_04(repo: Path) -> None:
    (repo / "new.txt").write_text("new\n")
    done(repo, "add", paths=["new.txt"])
    done(repo, "restore", paths=["new.txt"], staged=True, worktree=False)
    assert ask(repo, "status", "--short") == "?? new.txt"


def test_nothing_changes_without_a_yes(repo: Path) -> None:
    answer = refused(repo, "branch", policy=ASKS, create="x")
    assert answer.error is not None and answer.error["type"] == "ApprovalRequired" and answer.error["details"]["plan"]
    assert refused(repo, "branch", policy=Policy(), create="x").error is not None
    (repo / "README.md").write_text("unsaved\n")
    assert refused(repo, "checkout", policy=ASKS, paths=["README.md"]).error is not None


ASKED: list[tuple[str, dict[str, Any], Mutation]] = [
    ("restore", {"paths": ["a"]}, RestoreRequest(paths=["a"], worktree=True)),
    (
        "restore",
        {"paths": ["a"], "staged": True, "worktree": False},
        RestoreRequest(paths=["a"], staged=True, worktree=False),
    ),
    ("add", {"paths": ["a", "b"]}, AddRequest(paths=["a", "b"])),
    ("add", {"all": True, "paths": ["a"]}, AddRequest(all=True)),
    ("add", {"update": True, "paths": ["a"]}, AddRequest(update=True, paths=["a"])),
    (
        "commit",
        {"type": "feat", "scope": "a-b_1", "message": "m"},
        CommitRequest(type="feat", scope="a-b_1", message=["m"]),
    ),
    ("checkout", {"branch": "b"}, CheckoutRequest(branch="b")),
    ("checkout", {"create_branch": "b"}, CheckoutRequest(create_branch="b")),
    ("checkout", {"commit": "c"}, CheckoutRequest(commit="c")),
    ("checkout", {"commit": "c", "paths": ["a"]}, CheckoutRequest(commit="c", paths=["a"])),
    ("checkout", {"paths": ["a"]}, CheckoutRequest(paths=["a"])),
]
EMPTY, OUTSIDE = "path must not be empty", "Path outside sandbox: "
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("restore", {"paths": []}, "paths must contain at least one element"),
    ("restore", {"paths": ["a"], "worktree": False}, "At least one of staged or worktree must be true"),
    ("add", {}, "At least one of paths, all, or update must be specified"),
    ("add", {"all": True, "update": True}, "all and update are mutually exclusive"),
    ("add", {"paths": [" "]}, EMPTY),
    ("add", {"paths": ["a", ""]}, EMPTY),
    ("add", {"paths": ["a\0"]}, EMPTY),
    ("add", {"paths": ["/a"]}, OUTSIDE + "/a"),
    ("add", {"paths": ["a/../b"]}, OUTSIDE + "a/../b"),
    ("commit", {"type": "Feat", "message": "m"}, "type must be lowercase letters only (e.g., feat, fix, docs)"),
    (
        "commit",
        {"type": "feat", "scope": "A", "message": "m"},
        "scope must be lowercase alphanumeric, underscore, or hyphen",
    ),
    ("commit", {"type": "feat", "message": " \n"}, "message must not be empty"),
    ("checkout", {}, "At least one of branch, create_branch, commit, or paths must be specified"),
    ("checkout", {"branch": "b", "paths": ["a"]}, "paths cannot be used with branch or create_branch"),
    ("checkout", {"create_branch": "b", "paths": ["a"]}, "paths cannot be used with branch or create_branch"),
]


def request_of(name: str, arguments: dict[str, Any]) -> Mutation:
    model, make = next((model, make) for tool, _, model, make in forgewriting.WRITING if tool == f"git_{name}")
    return make(model(**arguments))


@pytest.mark.parametrize(("name", "arguments", "request_"), ASKED)
def test_parameters_become_a_request(name: str, arguments: dict[str, Any], request_: Mutation) -> None:
    assert request_of(name, arguments) == request_


@pytest.mark.parametrize(("name", "arguments", "words"), REFUSED)
def test_what_cannot_be_asked(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises((InvalidArgs, SandboxViolation)) as caught:
        request_of(name, arguments)
    assert caught.value.message == words


@pytest.mark.parametrize("name", ["", "-x", "a\tb", "a\x1fb", "a\x7f", "x" * 1025])
def test_names_that_are_no_ref(name: str) -> None:
    with pytest.raises(InvalidArgs, match="is not a ref"):
        forgewriting.checked_ref(name)


@pytest.mark.parametrize("name", ["x" * 1024, "a b", "a~1", "\u00fc"])
def test_other_names_are_git_s_affair(name: str) -> None:
    assert forgewriting.checked_ref(name) == name

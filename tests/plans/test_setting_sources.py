"""The sources of git config: a scope, a file, a blob, standard input; all answers were seen in git 2.39.5."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.object_files import Builder

import gitglass
from gitglass.cli.answer import Session, answer
from gitglass.limits import Context, Limits
from gitglass.repo.discover import Where

LOCAL = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[a]\n\tb = 1\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    git_dir = tmp_path / "top" / ".git"
    for name in ("objects", "refs"):
        (git_dir / name).mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    (git_dir / "config").write_text(LOCAL)
    (tmp_path / "more").write_text("[m]\n\tn = 2\n")
    return tmp_path / "top"


def ask(top: Path, *argv: str, stdin: str = "", config: dict[str, Any] | None = None) -> tuple[int, str, str]:
    out: list[bytes] = []
    err: list[bytes] = []
    session = Session(Where(cwd=bytes(top)), b"/", config=config or {}, read_stdin=stdin.encode)
    status = answer(["config", *argv], session, Context(Limits()), out.append, err.append)
    return status, b"".join(out).decode(), b"".join(err).decode()


def test_standard_input(top: Path) -> None:
    text = f"[x]\n\ty = 3\n[include]\n\tpath = {top.parent}/more\n"
    assert ask(top, "--file", "-", "--show-origin", "--show-scope", "--get-regexp", "[xm]\\.", stdin=text)[:2] == (
        0, f"command\tstandard input:\tx.y 3\ncommand\tfile:{top.parent}/more\tm.n 2\n",
    )  # fmt: skip
    assert ask(top, "-f", "-", "--no-includes", "m.n", stdin=text) == (1, "", "")
    assert ask(top, "--file=-", "--list", stdin="[x]\ny=3\n[z\n") == (
        128, "x.y=3\n", "fatal: bad config line 3 in standard input\n",
    )  # fmt: skip
    done = gitglass.git(["config", "-f", "-", "x.y"], cwd=top, input=text.encode())
    assert (done.returncode, done.stdout) == (0, b"3\n")


def test_a_file_is_printed_up_to_its_bad_line(top: Path) -> None:
    (top / "c").write_text("[x]\ny=3\n[z\n")
    assert ask(top, "--file", "c", "--list") == (128, "x.y=3\n", "fatal: bad config line 3 in file c\n")
    assert ask(top, "--file", "c", "x.y") == (128, "", "fatal: bad config line 3 in file c\n")


def test_a_file_stands_in_the_repository(top: Path) -> None:
    (top / "c").write_text('[includeIf "gitdir:top/"]\npath = ../more\n')
    assert ask(top, "--file", "c", "--includes", "m.n") == (0, "2\n", "")
    assert ask(top, "--file", "c", "m.n") == (1, "", "")


def blob(top: Path, text: str) -> str:
    return Builder(top, exists=True).loose(b"blob", text.encode()).hex()


def test_a_blob_includes_files(top: Path) -> None:
    """Strange but git's: what is wrong in a blob is told, and ends no command but a list."""
    good = blob(top, f"[include]\n\tpath = {top.parent}/more\n")
    assert ask(top, "--blob", good, "m.n") == (0, "2\n", "")
    assert ask(top, "--no-includes", "--blob", good, "m.n") == (1, "", "")
    bad = blob(top, "[x]\n\ty = 3\n[include]\n\tpath = more\n")
    complaint = f"error: relative config includes must come from files\nerror: bad config line 4 in blob {bad}\n"
    assert ask(top, "--blob", bad, "x.y") == (0, "3\n", complaint)
    listed = (128, "x.y=3\ninclude.path=more\n", f"{complaint}fatal: error processing config file(s)\n")
    assert ask(top, "--blob", bad, "--list") == listed


def test_what_needs_a_repository(tmp_path: Path) -> None:
    for words, option in ((["--blob=x"], "blob"), (["--local"], "local"), (["--worktree"], "worktree")):
        message = f"fatal: --{option} can only be used inside a git repository\n"
        assert ask(tmp_path, *words, "--list") == ask(tmp_path, *words, "a.b") == (128, "", message)


def test_a_missing_file_is_an_error_of_a_list(top: Path) -> None:
    files = {"system": b"/nosuch/system", "user": (b"/nosuch/user",), "home": b"/nosuch"}
    for option, name in (("--system", "/nosuch/system"), ("--global", "/nosuch/user"), ("--file=c", "c")):
        message = f"fatal: unable to read config file '{name}': No such file or directory\n"
        assert ask(top, option, "--list", config=files) == (128, "", message)
        assert ask(top, option, "a.b", config=files) == (1, "", "")


def test_the_systems_file_is_read_for_who_asks(top: Path) -> None:
    """GIT_CONFIG_NOSYSTEM leaves it out of all settings only."""
    files = {"system": bytes(top.parent / "more"), "no_system": True}
    assert ask(top, "--system", "--show-scope", "--list", config=files) == (0, "system\tm.n=2\n", "")
    assert ask(top, "m.n", config=files) == (1, "", "")


def test_a_scope_knows_no_remote_of_another(top: Path) -> None:
    """The condition asks for remotes in what is read, which is the one file."""
    (top.parent / "user").write_text('[includeIf "hasconfig:remote.*.url:u"]\n\tpath = more\n')
    with (top / ".git" / "config").open("a") as file:
        file.write('[remote "o"]\n\turl = u\n')
    files = {"user": (bytes(top.parent / "user"),)}
    assert ask(top, "m.n", config=files) == (0, "2\n", "")
    assert ask(top, "--global", "--includes", "m.n", config=files) == (1, "", "")


def test_the_users_file_has_no_place_without_a_home(top: Path) -> None:
    """For git, a missing HOME is an error of any question; the library asks no environment for it."""
    assert ask(top, "--global", "a.b", config={"system": b"/nosuch"}) == (128, "", "fatal: $HOME not set\n")
    assert ask(top, "--global", "a.b") == (1, "", "")


def test_the_file_of_a_work_tree(top: Path) -> None:
    (top / ".git" / "worktrees" / "w").mkdir(parents=True)
    status, out, err = ask(top, "--worktree", "--list")
    assert (status, out) == (128, "") and err.startswith("fatal: --worktree cannot be used with multiple working trees")
    with (top / ".git" / "config").open("a") as file:
        file.write("[extensions]\n\tworktreeConfig = true\n")
    missing = "fatal: unable to read config file '.git/config.worktree': No such file or directory\n"
    assert ask(top, "--worktree", "--list") == (128, "", missing)
    assert ask(top, "--worktree", "a.b") == (1, "", "")
    (top / ".git" / "config.worktree").write_text("[w]\n\tx = 1\n")
    assert ask(top, "--worktree", "--show-origin", "--list") == (0, "file:.git/config.worktree\tw.x=1\n", "")

"""The `gitglass-write` script as a process: shown first, approved by a token, carried out, undone."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.writing import copy_of

CODE = "import sys; from gitglass.mutate.commandline import main; sys.exit(main())"


def ask(repo: Path, *words: str) -> tuple[int, str, str]:
    env = {"PATH": "/nonexistent", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", CODE, "-C", str(repo), *words],
        env=env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_change_is_shown_then_approved_then_undone(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    status, out, _ = ask(repo, "branch", "made")
    assert status == 77 and "ref refs/heads/made: nothing -> " in out
    token = out.rsplit("--approve ", 1)[1].strip()
    assert not (repo / ".git/refs/heads/made").exists()
    assert ask(repo, "--approve", token, "branch", "other")[0] == 1
    assert ask(repo, "--approve", token, "branch", "made") == (0, "", "")
    assert (repo / ".git/refs/heads/made").is_file()
    assert ask(repo, "--yes", "branch", "made") == (128, "", "fatal: a branch named 'made' already exists\n")
    listed = ask(repo, "operations")[1].split()
    assert listed[1:5] == ["done", "Create", "branch", "'made'"]
    assert ask(repo, "--yes", "undo", listed[0])[0] == 0
    assert not (repo / ".git/refs/heads/made").exists()


def test_bad_words_are_refused_by_name(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    assert ask(repo, "--force", "branch", "x")[::2] == (129, "error: unknown option: --force\n")
    assert ask(repo, "log")[0] == 129
    assert ask(repo, "recover") == (0, "", "")
    assert ask(repo, "--dry-run", "tag", "t")[1].startswith("Create tag 't'")


def test_a_repository_is_made_with_a_yes(tmp_path: Path) -> None:
    status, out, _ = ask(tmp_path, "init", "-b", "main", "new")
    assert status == 77 and f"new {tmp_path}/new/.git/config" in out and not (tmp_path / "new").exists()
    token = out.rsplit("--approve ", 1)[1].strip()
    assert ask(tmp_path, "--approve", token, "init", "-b", "other", "new")[0] == 1
    made = f"Initialized empty Git repository in {tmp_path}/new/.git/\n"
    assert ask(tmp_path, "--approve", token, "init", "-b", "main", "new") == (0, made, "")
    assert (tmp_path / "new/.git/HEAD").read_text() == "ref: refs/heads/main\n"
    assert ask(tmp_path, "init", "new")[:2] == (0, made.replace("Initialized empty", "Reinitialized existing"))

"""repo/format.py: version, extensions and places that a repository's own configuration declares."""

import os
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.disk.jail import Jail
from gitglass.errors import GitError, Unsupported
from gitglass.repo.discover import Layout, Where, discover


def find(path: Path) -> Layout:
    return discover(Where(cwd=os.fsencode(path)), jail=Jail(b"/"))


@pytest.fixture
def top(tmp_path: Path, new_builder: Any) -> Path:
    new_builder(tmp_path / "repo")
    return tmp_path / "repo"


@pytest.mark.parametrize(
    "config, words",
    [
        ("[core]\nrepositoryformatversion = 2\n", "Expected git repo version <= 1, found 2"),
        ("[core]\nrepositoryformatversion = x\n", "bad numeric config value 'x'"),
        ("[core]\nrepositoryformatversion = 1\n[extensions]\nfoo = 1\n", "unknown repository extension found:\n\tfoo"),
        ("[extensions]\nobjectformat = sha256\n", "v1-only extension found:\n\tobjectformat"),
        (
            "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = md5\n",
            "invalid value for 'extensions.objectformat'",
        ),
    ],
)
def test_formats_we_do_not_know(top: Path, config: str, words: str) -> None:
    (top / ".git" / "config").write_text(config)
    with pytest.raises((Unsupported, GitError), match=words):
        find(top)


def test_formats_we_know(top: Path) -> None:
    (top / ".git" / "config").write_text(
        "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\nnoop = 1\npartialClone = origin\n"
        "preciousObjects = true\nworktreeConfig = true\nrefStorage = files\nnoop-v1 = 1\n"
    )
    found = find(top)
    assert (found.hash_name, found.partial, found.reftable) == ("sha256", True, False)
    (top / ".git" / "config").write_text("[extensions]\nwhatever = 1\n")
    assert find(top).hash_name == "sha1"
    (top / ".git" / "config").unlink()
    assert find(top).hash_name == "sha1"


@pytest.mark.parametrize(
    ("cwd", "git_dir", "shown"),
    [
        (".", None, ".git/config"), ("src", None, ".git/config"), (".git", None, "./config"),
        (".git/refs", None, "./config"), ("src", "../.git", "../.git/config"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_with_its_file(top: Path, cwd: str, git_dir: str | None, shown: str) -> None:
    """The file has git's own name for it, from where it stands then."""
    (top / ".git" / "config").write_text("[core]\nbare = false\n[x\n")
    (top / "src").mkdir(exist_ok=True)
    named = Where(cwd=os.fsencode(top / cwd), git_dir=None if git_dir is None else git_dir.encode())
    with pytest.raises(GitError) as caught:
        discover(named, jail=Jail(b"/"))
    assert caught.value.message == f"bad config line 3 in file {shown}"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("[core]\nrepositoryformatversion = 99\n", "Expected git repo version <= 1, found 99"),
        ("[core]\nrepositoryformatversion = 1\n[extensions]\nodd = 1\n", "unknown repository extension found:\n\todd"),
    ],
)
def test_a_format_that_git_does_not_know_is_no_repository(top: Path, config: str, message: str) -> None:
    """For a command that needs none; rev-parse needs it for its answers."""
    (top / ".git" / "config").write_text(config)
    (top / "f").write_text("")
    for argv, status in ((["config", "core.repositoryformatversion"], 1), (["hash-object", "f"], 0)):
        done = gitglass.git(argv, cwd=top)
        assert (done.returncode, done.stderr.decode()) == (status, f"warning: {message}\n")
    for argv in (["status"], ["rev-parse", "--git-dir"]):
        done = gitglass.git(argv, cwd=top)
        assert (done.returncode, done.stderr.decode()) == (128, f"fatal: {message}\n")

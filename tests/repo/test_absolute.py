"""Words for paths: absolute ones through links, and what git says of directories that are missing."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass


@pytest.fixture
def link(unpack: Any, tmp_path: Path) -> Path:
    """A symbolic link to a work tree."""
    os.symlink(unpack("plain"), tmp_path / "link")
    return tmp_path / "link"


@pytest.mark.parametrize(
    "argv",
    [
        ["ls-files"],
        ["log", "--oneline", "--"],
        ["log", "--oneline"],
        ["blame", "-s"],
        ["check-attr", "-a"],
        ["ls-tree", "HEAD"],
        ["diff", "v1.0", "--stat", "--"],
    ],
)
def test_a_link_to_the_work_tree_leads_into_it(unpack: Any, link: Path, argv: list[str]) -> None:
    cwd = unpack("plain")
    through, plain = (gitglass.git([*argv, word], cwd=cwd) for word in (f"{link}/src/app.py", "src/app.py"))
    assert (through.returncode, through.stdout, through.stderr) == (0, plain.stdout, b"")


def test_lines_of_a_file_behind_a_link(unpack: Any, link: Path) -> None:
    cwd = unpack("plain")
    asked = [gitglass.git(["log", f"-L1,2:{path}"], cwd=cwd) for path in (f"{link}/src/app.py", "src/app.py")]
    assert asked[0].returncode == 0 and asked[0].stdout == asked[1].stdout


def test_below_a_root_a_link_from_elsewhere_is_not_looked_at(unpack: Any, link: Path) -> None:
    cwd = unpack("plain")
    done = gitglass.open(cwd).git(["ls-files", f"{link}/src/app.py"])
    assert done.returncode == 128 and b"is outside repository at" in done.stderr
    for word in ("/nosuch/x", f"{link}/nosuch/x"):
        done = gitglass.open(cwd).git(["ls-files", word])
        assert done.returncode == 128 and b"is outside repository at" in done.stderr


def test_below_a_root_a_link_in_it_is(unpack: Any, tmp_path: Path) -> None:
    shutil.copytree(unpack("plain"), tmp_path / "repo", symlinks=True)
    os.symlink("repo", tmp_path / "link")
    repo = gitglass.open(tmp_path / "repo", root=tmp_path)
    assert repo.git(["ls-files", f"{tmp_path}/link/src/app.py"]).stdout == b"src/app.py\n"
    assert b"is outside repository at" in repo.git(["ls-files", f"{tmp_path.parent}/nosuch/x"]).stderr


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("/nosuch/x/y", "Invalid path '/nosuch': No such file or directory"),
        ("{file}/x", "Invalid path '{file}/x': Not a directory"),
        ("/nosuch", "/nosuch: '/nosuch' is outside repository at '{top}'"),
    ],
)
def test_errors(unpack: Any, tmp_path: Path, word: str, error: str) -> None:
    file = Path(os.path.realpath(tmp_path), "file")
    file.write_text("")
    names = {"file": file, "top": os.path.realpath(unpack("plain"))}
    done = gitglass.git(["ls-files", word.format(**names)], cwd=unpack("plain"))
    assert (done.returncode, done.stderr.decode()) == (128, f"fatal: {error.format(**names)}\n")


@pytest.mark.parametrize(
    ("directory", "front", "named"),
    [
        ("bare", [], "bare/."),
        ("bare/refs", [], "bare"),
        (".", ["--git-dir=bare"], "bare"),
        (".", ["--git-dir=./bare/"], "./bare/"),
        ("bare", ["--git-dir=."], "bare"),
        ("bare", ["--git-dir={top}/bare"], "bare"),
        ("work/.git", [], "work/.git/."),
    ],
)
def test_what_bounds_a_repository_without_a_work_tree(
    unpack: Any, tmp_path: Path, directory: str, front: list[str], named: str
) -> None:
    top = os.path.realpath(tmp_path)
    shutil.copytree(unpack("bare"), f"{top}/bare", symlinks=True)
    shutil.copytree(unpack("plain"), f"{top}/work", symlinks=True)
    front = [word.format(top=top) for word in front]
    for argv, said in (
        (["log", "--", "../../.."], "../../..: '../../..'"),
        (["log", "-L1,2:../../../x"], "'../../../x'"),
    ):
        done = gitglass.git([*front, *argv], cwd=f"{top}/{directory}")
        assert (done.returncode, done.stdout) == (128, b"")
        assert done.stderr.decode() == f"fatal: {said} is outside repository at '{top}/{named}'\n"

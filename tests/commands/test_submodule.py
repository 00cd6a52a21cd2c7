"""git submodule status: states that the recorded answers do not have."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass


@pytest.fixture
def top(unpack: Any, tmp_path: Path) -> Path:
    shutil.copytree(unpack("submodule"), tmp_path / "top", symlinks=True)
    return tmp_path / "top"


def states(top: Path) -> list[str]:
    return [line[0] for line in gitglass.git(["submodule", "status"], cwd=top).stdout.decode().splitlines()]


def configure(top: Path, text: str) -> None:
    config = top / ".git" / "config"
    config.write_text(config.read_text().replace("\tactive = true\n", "") + text)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", ["-", "+"]),
        ('[submodule "libs/changed"]\n\tactive = false\n', ["-", "-"]),
        ('[submodule]\n\tactive = libs\n\tactive = ":(exclude)libs/changed"\n', ["-", "-"]),
        ("[submodule]\n\tactive = libs/changed\n", ["-", "+"]),
        ("[submodule]\n\tactive = nowhere\n", ["-", "-"]),
    ],
)
def test_active(top: Path, text: str, expected: list[str]) -> None:
    configure(top, text)
    assert states(top) == expected


def test_a_gap_in_gitmodules(top: Path) -> None:
    (top / ".gitmodules").write_text('[submodule "x"]\n\tpath = libs/changed\n\turl = /x\n')
    done = gitglass.git(["submodule", "status"], cwd=top)
    assert done.returncode == 128
    assert done.stderr == b"fatal: no submodule mapping found in .gitmodules for path 'libs/absent'\n"


@pytest.mark.parametrize("word", ["update", "foreach", "add"])
def test_writing_forms(top: Path, word: str) -> None:
    done = gitglass.git(["submodule", word], cwd=top)
    assert done.returncode == 129 and word.encode() in done.stderr


def test_outside_of_a_work_tree(top: Path) -> None:
    done = gitglass.git(["submodule"], cwd=top / ".git")
    assert done.returncode == 1 and b"work" in done.stderr

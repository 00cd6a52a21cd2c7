"""`.gitignore`, `.gitattributes` and `.mailmap` that are symbolic links: git says so, and goes on as if there were none."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass

WORDS = "Too many levels of symbolic links"


@pytest.fixture
def top(unpack: Any, tmp_path: Path) -> Path:
    shutil.copytree(unpack("plain"), tmp_path / "top", symlinks=True)
    top = tmp_path / "top"
    (top / "sub").mkdir()
    (top / "sub" / "new.log").write_text("x\n")
    (top / "rules").write_text("*.log text\n")
    for name in (".gitignore", "sub/.gitignore", ".gitattributes", "sub/.gitattributes", ".mailmap"):
        (top / name).unlink(missing_ok=True)
        (top / name).symlink_to(os.path.relpath(top / "rules", (top / name).parent))
    return top


def asked(top: Path, *argv: str) -> tuple[int, str, list[str]]:
    done = gitglass.git(argv, cwd=top)
    return done.returncode, done.stdout.decode(), done.stderr.decode().splitlines()


def test_ignore(top: Path) -> None:
    expected = [f"warning: unable to access '{name}': {WORDS}" for name in (".gitignore", "sub/.gitignore")]
    assert asked(top, "check-ignore", "sub/new.log") == (1, "", expected)
    status, listed, said = asked(top, "ls-files", "-o", "--exclude-standard")
    assert status == 0 and "sub/new.log" in listed and said == expected


def test_attributes(top: Path) -> None:
    expected = [f"warning: unable to access '{name}': {WORDS}" for name in (".gitattributes", "sub/.gitattributes")]
    assert asked(top, "check-attr", "-a", "sub/new.log") == (0, "", expected)


def test_mailmap(top: Path) -> None:
    status, said, complaints = asked(top, "log", "-1", "--format=%aN")
    assert status == 0 and said and complaints == [f"error: unable to open mailmap at .mailmap: {WORDS}"]


def test_a_directory_is_no_file_and_no_complaint(top: Path) -> None:
    for name in (".gitignore", ".gitattributes", ".mailmap"):
        (top / name).unlink()
        (top / name).mkdir()
    shutil.rmtree(top / "sub")
    for argv in (["status", "-s"], ["check-attr", "-a", "x"], ["log", "-1", "--format=%aN"]):
        status, _, said = asked(top, *argv)
        assert (status, said) == (0, []), argv

"""The versions that gitglass says of itself and of the git it answers as."""

import re
import tomllib
from pathlib import Path
from typing import Any

import gitglass
from gitglass.version import MIRRORED, __version__

TOP = Path(__file__).resolve().parent.parent


def test_the_package_has_the_version_of_its_project_file() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("version", __version__) == __version__ == gitglass.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_git_version_is_the_release_that_is_answered_as(unpack: Any) -> None:
    assert gitglass.git(["version"], cwd=unpack("plain")).stdout == b"git version %s\n" % MIRRORED.encode()
    assert MIRRORED == "2.39.5"

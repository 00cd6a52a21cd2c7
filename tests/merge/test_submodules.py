"""Submodules that both sides changed, compared with what git answered (fixtures/scripts/record_merges.py)."""

from __future__ import annotations

import json
from pathlib import Path

import gitglass

from ..support.merge_cases import SUBMODULE_CASES, submodule_merge, superproject

RECORD: list[list[str]] = json.loads(
    Path(__file__).parents[2].joinpath("fixtures/recorded/merges.json").read_text(encoding="utf-8")
)["submodules"]


def test_what_git_makes_of_them(tmp_path: Path) -> None:
    """Fast-forwarded where that goes; else git's sentence, what it proposes, and what there is to do about it."""
    top, oids = superproject(tmp_path / "top")
    for case, (tree, again) in zip(SUBMODULE_CASES, RECORD, strict=True):
        ours, theirs, merge = submodule_merge(top, oids, case)
        words = ["merge-tree", "--write-tree", "-z", "--messages", ours, theirs]
        assert gitglass.git(words, cwd=str(top)).stdout.decode() == tree, case
        done = gitglass.git(["log", "--format=", "--remerge-diff", "-1", merge], cwd=str(top))
        assert done.stdout.decode() == again, case


def test_a_submodule_that_is_put_away(tmp_path: Path) -> None:
    """It is found by its name in .gitmodules where it is not checked out, and not at all in a bare repository."""
    top, oids = superproject(tmp_path / "top")
    ours, theirs, _ = submodule_merge(top, oids, ("m", "bcd"))

    def message() -> str:
        lines = gitglass.git(["merge-tree", "--write-tree", ours, theirs], cwd=str(top)).stdout.decode().splitlines()
        return next(line for line in lines if line.startswith("Failed"))

    top.joinpath(".git/modules").mkdir()
    top.joinpath("sub/.git").rename(top / ".git/modules/name")
    assert message() == "Failed to merge submodule sub (not checked out)"
    top.joinpath(".gitmodules").write_text('[submodule "name"]\n\tpath = sub\n\turl = ./x\n')
    assert message().startswith("Failed to merge submodule sub, but a possible merge resolution exists:     ")
    with top.joinpath(".git/config").open("a") as config:
        config.write("[core]\n\tbare = true\n")
    assert message() == "Failed to merge submodule sub (not checked out)"


def test_paths_in_conflict_are_shown_from_where_one_is(tmp_path: Path) -> None:
    top, oids = superproject(tmp_path / "top")
    ours, theirs, _ = submodule_merge(top, oids, ("m", "bcd"))
    below = top / "below"
    below.mkdir()
    for words in (["--name-only"], ["-z", "--name-only"]):
        done = gitglass.git(["merge-tree", "--write-tree", *words, ours, theirs], cwd=str(below)).stdout
        assert done.split(b"\0" if "-z" in words else b"\n")[1] == b"../sub"

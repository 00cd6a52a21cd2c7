"""Patches as files: names, paths with two patches, bounds, and that no setting of the repository changes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of, done, writer_of

import gitglass
from gitglass.errors import NotGranted, NoWorkTree, TooLarge
from gitglass.mutate.grant import WriteLimits
from gitglass.mutate.operations.patches.split import file_names
from gitglass.request.mutations import AddRequest, CommitRequest, PatchFilesRequest

pytestmark = pytest.mark.writes

LAST = PatchFilesRequest(from_ref="HEAD~1", to_ref="HEAD", folder="out")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def git(repo: Path, *argv: str) -> bytes:
    return gitglass.git(list(argv), cwd=repo).stdout


def committed(repo: Path, **files: Any) -> None:
    for name, content in files.items():
        (repo / name).write_text(content)
    done(repo, AddRequest(all=True))
    done(repo, CommitRequest(message=["made"]))


def test_names_that_would_be_one_are_told_apart() -> None:
    paths = [b"a/b", b"a__b", b"A/B", b"x\ny", b"x_y", b"c" * 300, b"c" * 299]
    names = file_names(paths)
    assert names[:5] == [b"a__b.patch", b"a__b~2.patch", b"A__B~3.patch", b"x_y.patch", b"x_y~2.patch"]
    assert len({name.lower() for name in names}) == len(paths) and all(len(name) < 256 for name in names)


def test_a_path_that_changed_its_kind_has_one_patch(repo: Path) -> None:
    (repo / "README.md").unlink()
    (repo / "README.md").symlink_to("src")
    committed(repo, **{"zz.txt": "z\n"})
    shown = git(repo, "diff", "HEAD~1", "HEAD")
    assert shown.count(b"diff --git a/README.md b/README.md\n") == 2
    result = done(repo, LAST)
    assert json.loads(result.answer.out) == {"patches": ["README.md.patch", "zz.txt.patch"]}
    assert b"".join((repo / "out" / name).read_bytes() for name in ("README.md.patch", "zz.txt.patch")) == shown


def test_a_renamed_file_has_its_new_name(repo: Path) -> None:
    (repo / "src/app.py").rename(repo / "moved.py")
    committed(repo)
    assert json.loads(done(repo, LAST).answer.out) == {"patches": ["moved.py.patch"]}
    assert b"rename from src/app.py\nrename to moved.py\n" in (repo / "out/moved.py.patch").read_bytes()


def test_no_setting_changes_a_patch(repo: Path) -> None:
    committed(repo, **{"made.txt": "made\n"})
    shown = git(repo, "diff", "HEAD~1", "HEAD")
    with (repo / ".git/config").open("a") as config:
        config.write("[diff]\n\tnoprefix = true\n\texternal = false\n\trenames = false\n[color]\n\tui = always\n")
        config.write("[core]\n\tautocrlf = true\n")
    done(repo, LAST)
    assert (repo / "out/made.txt.patch").read_bytes() == shown


def test_what_is_not_granted_or_too_large_is_refused_by_name(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(NotGranted, match="files in the directory 'out'"):
        writer_of(repo, folders=("patches",)).plan(LAST)
    with pytest.raises(NotGranted, match="write_worktree"):
        writer_of(repo, effects=frozenset({"write_refs"})).plan(LAST)
    with pytest.raises(TooLarge):
        writer_of(repo, limits=WriteLimits(total_bytes=100)).plan(PatchFilesRequest(from_ref="v1.0", folder="out"))
    with pytest.raises(NoWorkTree):
        writer_of(copy_of("bare", tmp_path / "bare")).plan(LAST)
    assert not (repo / "out").exists()

"""agent/roots.py: which repositories an agent may read, and by what names."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from gitglass.agent.roots import Roots
from gitglass.errors import GitError, InvalidArgs, NotARepository, SandboxViolation
from gitglass.limits import Context, Limits


def test_names_are_made_of_the_last_part_of_a_path() -> None:
    assert Roots(["/a/lib", "/b/lib.git", "/c/lib", "/"]).named == {
        "lib": b"/a/lib", "lib-2": b"/b/lib.git", "lib-3": b"/c/lib", "root": b"/",
    }  # fmt: skip
    assert Roots("/a/b").named == {"b": b"/a/b"}
    assert Roots({"x": "/a/../b"}).named == {"x": b"/b"}
    roots = Roots([])
    roots.add("/a/b", "given")
    roots.add("/c", "given")
    assert roots.named == {"given": b"/a/b", "given-2": b"/c"}


@pytest.mark.parametrize(
    ("repo", "cwd", "found"),
    [
        (None, None, (b"/r/one", b"/r/one")),
        (".", None, (b"/r/one", b"/r/one")),
        ("two", None, (b"/r/one/two", b"/r/one/two")),
        ("two/sub", None, (b"/r/one/two/sub", b"/r/one/two")),
        ("sub", None, (b"/r/one/sub", b"/r/one")),
        ("/r/one/two/x", None, (b"/r/one/two/x", b"/r/one/two")),
        ("one/two/x", None, (b"/r/one/two/x", b"/r/one/two")),
        (None, "/r/one/sub", (b"/r/one/sub", b"/r/one")),
        ("..", "/r/one/sub", (b"/r/one", b"/r/one")),
    ],
)
def test_what_a_repo_argument_means(repo: str | None, cwd: str | None, found: tuple[bytes, bytes]) -> None:
    assert Roots({"one": "/r/one", "two": "/r/one/two", "above": "/r"}).locate(repo, cwd) == found


@pytest.mark.parametrize("repo", ["..", "/etc", "/r/one-more", "one/..", "one/../../etc"])
def test_nothing_outside_is_meant(repo: str) -> None:
    with pytest.raises(SandboxViolation) as caught:
        Roots({"one": "/r/one"}).locate(repo)
    assert caught.value.hint == "Repositories: one."


@pytest.mark.parametrize("repo", ["a\0b", "x" * 4097])
def test_words_that_are_no_paths(repo: str) -> None:
    for roots, word in ((Roots("/r"), repo), (Roots.anywhere(), "/" + repo)):
        with pytest.raises(InvalidArgs, match="repo: not a path"):
            roots.locate(word)


def test_anywhere_each_repository_is_its_own_root() -> None:
    roots = Roots.anywhere()
    assert roots.unbounded and not Roots("/r").unbounded
    assert roots.locate("/a/b/../c") == (b"/a/c", b"/a/c")
    with pytest.raises(NotARepository, match="no repository has been granted"):
        roots.locate("a")


def test_short_names() -> None:
    roots = Roots({"one": "/r/one", "top": "/"})
    assert [roots.short_name(path) for path in (b"/r/one", b"/r/one/a/b", b"/r/one-more")] == [
        "one", "one/a/b", "top/r/one-more",
    ]  # fmt: skip
    assert Roots({"one": "/r/one"}).short_name(b"/x") == "/x"


def test_a_repository_is_opened_once_at_its_top(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "copy"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    (place / "below").mkdir()
    roots = Roots(place)
    store = roots.store(None)
    assert store.work_tree == os.fsencode(place) and roots.store(None) is store
    assert roots.store("below").work_tree == os.fsencode(place) and roots.store("below").prefix == b""
    assert Roots.here(place / "below").named == {"copy": os.fsencode(place)}
    shutil.rmtree(place / ".git")
    with pytest.raises(GitError):
        Roots(place).store(None)


def test_directories(tmp_path: Path) -> None:
    assert Roots.is_directory(str(tmp_path)) and not Roots.is_directory(str(tmp_path / "gone"))


def test_repositories_below_a_root_that_is_none(unpack: Any, tmp_path: Path) -> None:
    """Two levels down, bare ones too; links are not followed, and what is below a repository is not listed."""
    for name in ("one", "group/two", "group/deeper/three"):
        shutil.copytree(unpack("plain"), tmp_path / "all" / name)
    shutil.copytree(unpack("bare"), tmp_path / "all" / "bare.git")
    shutil.copytree(unpack("plain"), tmp_path / "all" / "one" / "inner")
    (tmp_path / "all" / "empty").mkdir()
    (tmp_path / "all" / "link").symlink_to("one")
    roots = Roots(
        {"all": str(tmp_path / "all"), "own": str(tmp_path / "all" / "one"), "none": str(tmp_path / "all/empty")}
    )
    with Context(Limits()) as ctx:
        assert roots.repositories(ctx) == ["all/bare.git", "all/one", "all/group/two", "own", "none"]

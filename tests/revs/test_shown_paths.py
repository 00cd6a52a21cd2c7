"""Where things of a repository lie, in the words git uses for them."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.repo.discover import Where
from gitglass.repo.store import open_store
from gitglass.revs.shown_paths import Whereabouts, relative, superproject

from ..support.worktrees import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.add("d/e/f")
    made.write_index()
    return made


def whereabouts(repo: Repo, below: str = "") -> Whereabouts:
    return Whereabouts(open_store(Where(cwd=bytes(repo.top / below)), root=None))


@pytest.mark.parametrize(
    ("path", "base", "expected"),
    [
        (b"a/b", b"a/c/d", b"../../b"), (b"a/b/c", b"a", b"b/c"), (b"a", b"a", b"./"), (b"/a", b"b", b"/a"),
        (b"/a/b", b"/a/b/c", b"../"), (b"a", b"", b"a"),
    ],
)  # fmt: skip
def test_seen_from_another_place(path: bytes, base: bytes, expected: bytes) -> None:
    assert relative(path, base) == expected


def test_the_file_of_grafts_by_any_spelling(repo: Repo) -> None:
    named = Whereabouts(open_store(Where(cwd=bytes(repo.top), graft_file=b"mine"), root=None))
    for name, mine in (
        (b"info/grafts", True),
        (b"info//grafts", True),
        (b"info/grafts/", False),
        (b"/info/grafts", False),
    ):
        assert named.git_path(name) == (b"mine" if mine else b".git/" + name.lstrip(b"/"))
    assert whereabouts(repo).git_path(b"info///grafts") == b".git/info/grafts"


def test_at_the_top_and_below(repo: Repo) -> None:
    top, below, inside = whereabouts(repo), whereabouts(repo, "d/e"), whereabouts(repo, ".git/refs")
    git_dir = bytes(repo.git)
    assert (top.git_dir, top.top, top.prefix, top.cdup()) == (b".git", bytes(repo.top), b"", b"")
    assert (below.git_dir, below.prefix, below.cdup()) == (b".git", b"d/e/", b"../../")
    assert (inside.git_dir, inside.inside_git_dir()) == (git_dir, True)
    assert (top.inside_git_dir(), below.inside_work_tree()) == (False, True)


def test_files_of_the_git_directory(repo: Repo) -> None:
    top = whereabouts(repo)
    assert [top.git_path(name) for name in (b"HEAD", b"hooks/x", b"")] == [b".git/HEAD", b".git/hooks/x", b".git"]
    repo.config("[core]\n\thooksPath = elsewhere\n")
    configured = whereabouts(repo)
    assert [configured.git_path(name) for name in (b"hooks/x", b"hooksx")] == [b"elsewhere/x", b".git/hooksx"]


@pytest.mark.parametrize(
    ("form", "default", "expected"),
    [
        ("", "unmodified", b".git"), ("", "shared", b"../../.git"), ("relative", "unmodified", b"../../.git"),
        ("", "canonical", b"TOP/.git"), ("absolute", "shared", b"TOP/.git"),
    ],
)  # fmt: skip
def test_forms_of_a_path(repo: Repo, form: str, default: str, expected: bytes) -> None:
    below = whereabouts(repo, "d/e")
    assert below.show(b".git", form, default) == expected.replace(b"TOP", bytes(repo.top))


def test_no_path_and_no_superproject(repo: Repo) -> None:
    assert whereabouts(repo).show(b"", "", "shared") == b"./"
    assert superproject(whereabouts(repo).store) is None


def test_the_superproject(unpack: object) -> None:
    assert callable(unpack)
    outer = Path(unpack("submodule"))
    inner = open_store(Where(cwd=bytes(outer / "libs/changed")), root=bytes(outer))
    assert superproject(inner) == bytes(outer)


def test_a_superproject_around_a_repository_of_its_own(repo: Repo, new_builder: Any) -> None:
    """That git's `submodule add` did not make: its git directory lies in it."""
    place = repo.top / "libs" / "own"
    new_builder(place)

    def around(root: Path) -> bytes | None:
        return superproject(open_store(Where(cwd=bytes(place)), root=bytes(root)))

    assert around(repo.top) is None
    repo.entry("libs/own", bytes(19) + b"\1", mode=0o160000)
    repo.write_index()
    assert around(repo.top) == around(Path("/")) == bytes(repo.top)
    assert around(place.parent) is None  # above the jail nothing is read


def test_a_bare_repository_in_a_directory_called_git(tmp_path: Path) -> None:
    """Work trees are linked to such ones. git stays where it is, and names what is in it from there."""
    bare = Repo(tmp_path)
    bare.config("[core]\n\tbare = true\n")
    bare.commit()
    (tmp_path / "sub").mkdir()

    def ask(line: str, place: Path) -> str:
        return gitglass.git(line.split(), cwd=place).stdout.decode()

    line = "rev-parse --git-dir --git-common-dir --git-path objects"
    assert ask(line, tmp_path) == ".git\n.git\n.git/objects\n"
    assert ask(line, tmp_path / "sub") == f"{tmp_path}/.git\n{tmp_path}/.git\n{tmp_path}/.git/objects\n"
    assert ask("rev-parse --path-format=relative --git-dir", tmp_path) == ".git\n"
    assert ask("rev-parse --absolute-git-dir", tmp_path) == f"{tmp_path}/.git\n"
    assert ask("config --local --show-origin core.bare", tmp_path) == "file:.git/config\ttrue\n"

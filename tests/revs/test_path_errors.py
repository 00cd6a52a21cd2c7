"""What is wrong with `REV:path` and `:path` that name nothing."""

from pathlib import Path

import pytest

from gitglass.limits import Context
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store
from gitglass.revs.path_errors import die_argument, die_revision, is_there, misspelt

from ..support.worktrees import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.add("readme")
    made.add("d/inner")
    made.commit()
    made.write("new")
    made.write_index()
    return made


def store(repo: Repo, below: str = "") -> Store:
    return open_store(Where(cwd=bytes(repo.top / below)), root=None)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (b"HEAD:nosuch", "path 'nosuch' does not exist in 'HEAD'"),
        (b"HEAD:new", "path 'new' exists on disk, but not in 'HEAD'"),
        (b"nosuch:readme", "invalid object name 'nosuch'."),
        (b":nosuch", "path 'nosuch' does not exist (neither on disk nor in the index)"),
        (b":new", "path 'new' exists on disk, but not in the index"),
        (b":2:readme", "path 'readme' is in the index, but not at stage 2\nhint: Did you mean ':0:readme'?"),
        (b"readme", None),
    ],
)
def test_at_the_top(repo: Repo, asked: bytes, message: str | None) -> None:
    error = misspelt(store(repo), asked, ctx=Context())
    assert (error and error.message) == message


def test_below_the_top(repo: Repo) -> None:
    below = store(repo, "d")
    error = misspelt(below, b":inner", ctx=Context())
    assert error is not None
    assert error.hint == "Did you mean ':0:d/inner' aka ':0:./inner'?"
    assert error.message == f"path 'd/inner' is in the index, but not 'inner'\nhint: {error.hint}"


@pytest.mark.parametrize(
    ("word", "there"),
    [
        (b"readme", True), (b"readme/", False), (b"readme/.", False), (b"readme/..", False), (b"readme/x", False),
        (b"d", True), (b"d/", True), (b"d/.", True), (b"d/..", True), (b"d/inner/", False), (b"nosuch/", False),
        (b".", True),
    ],
)  # fmt: skip
def test_only_a_directory_has_a_slash_behind_it(repo: Repo, word: bytes, there: bool) -> None:
    assert is_there(store(repo).jail, bytes(repo.top), word) is there


def test_remedies(repo: Repo) -> None:
    error = misspelt(store(repo), b"HEAD:raedme", ctx=Context())
    assert error is not None and error.hint == "did you mean readme?"
    shown = die_revision(store(repo), b"HEAD:raedme", ctx=Context())
    assert (shown.message, shown.hint) == ("bad revision 'HEAD:raedme'", "did you mean readme?")
    shown = die_revision(store(repo), b"mian", ctx=Context())
    assert (shown.message, shown.hint) == ("bad revision 'mian'", "did you mean main?")


def test_arguments(repo: Repo) -> None:
    assert die_argument(store(repo), b"HEAD:new", ctx=Context()).message.startswith("path 'new' exists on disk")
    general = die_argument(store(repo), b"nosuch", ctx=Context())
    assert general.message.startswith("ambiguous argument 'nosuch': unknown revision")
    assert die_argument(store(repo), b":(top)x", ctx=Context()).message.startswith("ambiguous argument ':(top)x'")

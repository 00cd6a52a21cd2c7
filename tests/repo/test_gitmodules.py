"""`.gitmodules`: what git takes from it, and what it ends at. The words are git 2.39.5's."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.repo.discover import Where
from gitglass.repo.gitmodules import SubmoduleNames, submodule_names
from gitglass.repo.store import open_store

GOOD = '[submodule "libs/changed"]\n\tpath = libs/changed\n\turl = /x\n'


@pytest.fixture
def top(unpack: Any, tmp_path: Path) -> Path:
    shutil.copytree(unpack("submodule"), tmp_path / "top", symlinks=True)
    return tmp_path / "top"


def names_of(top: Path, text: str) -> SubmoduleNames:
    (top / ".gitmodules").write_text(text)
    return submodule_names(open_store(Where(cwd=bytes(top)), root=None))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("[submodule\n", "fatal: bad config line 4 in file {}\n"),
        ('[submodule "x"\n', "fatal: bad config line 5 in file {}\n"),
        ('[submodule "x"]\n\tignore\n', "error: missing value for 'submodule.x.ignore'\nfatal: bad config line 5 in file {}\n"),
        ('[submodule "x"]\n\tupdate = !rm\n', "fatal: invalid value for 'submodule.x.update'\n"),
        ('[submodule "x"]\n\tshallow = maybe\n', "fatal: bad boolean config value 'maybe' for 'submodule.x.shallow'\n"),
        ('[submodule "x"]\n\tfetchRecurseSubmodules = y\n', "fatal: bad submodule.x.fetchrecursesubmodules argument: y\n"),
        ('[submodule "x"]\n\tupdate = rm\n[oops\n', "fatal: invalid value for 'submodule.x.update'\n"),
        (
            '[submodule "x"]\n\turl = -x\n[oops\n',
            "warning: ignoring 'submodule.x.url' which may be interpreted as a command-line option: -x\n"
            "fatal: bad config line 6 in file {}\n",
        ),
    ],
)  # fmt: skip
def test_what_git_ends_at(top: Path, text: str, expected: str) -> None:
    file = top / ".gitmodules"
    file.write_text(GOOD + text)
    for argv in (["status"], ["diff"], ["diff-files"], ["diff", "HEAD"], ["submodule", "status"]):
        done = gitglass.git(argv, cwd=top)
        assert (done.returncode, done.stdout, done.stderr.decode()) == (128, b"", expected.format(file)), argv
    for argv in (["diff", "--ignore-submodules"], ["status", "--ignore-submodules=all"], ["ls-files"], ["log", "-1"]):
        assert gitglass.git(argv, cwd=top).returncode == 0, argv  # nobody asked of a submodule


@pytest.mark.parametrize(
    "text, warning",
    [
        ('[submodule "libs/changed"]\n\tignore = bogus\n', "Invalid parameter 'bogus' for config option 'submodule.libs/changed.ignore'"),
        ('[submodule "../x"]\n\tpath = q\n', "ignoring suspicious submodule name: ../x"),
        ('[submodule "a/..\\\\b"]\n\tpath = q\n', "ignoring suspicious submodule name: a/..\\b"),
        ('[submodule ""]\n\tpath = q\n', "ignoring suspicious submodule name: "),
    ],
)  # fmt: skip
def test_what_git_warns_of(top: Path, text: str, warning: str) -> None:
    (top / ".gitmodules").write_text(GOOD + text)
    done = gitglass.git(["status", "-s"], cwd=top)
    assert done.returncode == 0 and done.stderr.decode() == f"warning: {warning}\n"


def test_names_and_paths(top: Path) -> None:
    names = names_of(top, '[submodule "a"]\n\tpath = x/\n\tPath = y\n\tignore = all\n[submodule "b"]\n\tpath = z\n')
    assert names.by_path == {b"y": b"a", b"z": b"b"}  # a second path takes the place of the first
    assert names.ignore == {b"a": b"all"}
    assert names_of(top, '[submodule "a"]\n\tpath = x\n[submodule "b"]\n\tpath = x\n').by_path == {b"x": b"b"}
    assert names_of(top, "[submodule]\n\tpath = x\n[core]\n\tbare = maybe\n").by_path == {}


def test_the_repositorys_own_word(top: Path) -> None:
    config = top / ".git" / "config"
    own = '[submodule "libs/changed"]\n\tignore = {}\n'
    before = config.read_text()
    changed = gitglass.git(["status", "-s"], cwd=top).stdout
    config.write_text(before + own.format("all"))
    assert gitglass.git(["status", "-s"], cwd=top).stdout != changed
    config.write_text(before + own.format("bogus"))
    done = gitglass.git(["status", "-s"], cwd=top)
    assert (done.returncode, done.stderr) == (128, b"fatal: bad --ignore-submodules argument: bogus\n")


def test_what_is_recorded_stands_in(top: Path) -> None:
    """Where the file is gone the index's is read, and what is malformed there is no end."""
    before = names_of(top, (top / ".gitmodules").read_text()).by_path
    (top / ".gitmodules").unlink()
    assert submodule_names(open_store(Where(cwd=bytes(top)), root=None)).by_path == before != {}
    (top / ".gitmodules").mkdir()
    done = gitglass.git(["submodule", "status"], cwd=top)
    assert done.stderr.decode().startswith(f"warning: unable to access '{top}/.gitmodules': Is a directory\n")
    assert done.returncode == 128


def test_links_are_followed_within_the_jail(top: Path) -> None:
    file = top / ".gitmodules"
    file.rename(top / "elsewhere")
    file.symlink_to("elsewhere")
    assert gitglass.git(["submodule", "status"], cwd=top).returncode == 0
    (top / "elsewhere").rename(top.parent / "outside")
    file.unlink()
    file.symlink_to("../outside")
    store = open_store(Where(cwd=bytes(top)), root=bytes(top))
    assert submodule_names(store).by_path == {}
    assert any(".gitmodules" in remark for remark in store.remarks)

"""The git directory of a room: what is in it was written by gitglass, and what comes out is proven."""

import os
import zlib
from pathlib import Path

import pytest
from tests.support.writing import copy_of

import gitglass
from gitglass.errors import SandboxViolation
from gitglass.mutate.process.directory import Person, furnish, made_objects
from gitglass.mutate.process.granted import Programs
from gitglass.mutate.process.room import Room
from gitglass.objects.parsed import object_name
from gitglass.repo.store import Store

pytestmark = pytest.mark.writes
PEOPLE = {
    "AUTHOR": Person(b'A "quoted"\n[core]', b"a@b"),
    "COMMITTER": Person(b'C \\ "x"\n[alias]\n\tst = !touch ran', b"c@d"),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write(
            '[core]\n\tautocrlf = input\n\tfsmonitor = touch ran\n\thooksPath = /x\n[alias]\n\tco = !touch ran\n[filter "x"]\n\tclean = x\n'
        )
    return gitglass.open(repo).store


def test_no_setting_of_the_repository_but_plain_values(store: Store, tmp_path: Path) -> None:
    with Room(Programs(rooms=str(tmp_path)), ()) as room:
        variables = furnish(room, store, PEOPLE, b"index", {})
        text = (room.read(b"git/config", 1 << 16) or b"").decode()
        here = os.fsdecode(room.path)
    assert "autocrlf = input" in text and "touch" not in text.replace(
        '"C \\\\ \\"x\\"\\n[alias]\\n\tst = !touch ran"', ""
    )
    assert "fsmonitor = false" in text and "hooksPath = /dev/null" in text and "[filter" not in text
    assert all("\n" not in line for line in text.split("\n")) and text.count("[user]") == 1
    assert variables["GIT_DIR"] == f"{here}/git" and variables["GIT_OBJECT_DIRECTORY"].startswith(here)
    assert variables["GIT_WORK_TREE"] == os.fsdecode(store.work_tree or b"") and variables["GIT_AUTHOR_EMAIL"] == "a@b"


def test_head_and_refs_are_copies(store: Store, tmp_path: Path) -> None:
    with Room(Programs(rooms=str(tmp_path)), ()) as room:
        furnish(room, store, PEOPLE, b"index", {})
        head, packed = room.read(b"git/HEAD", 1000) or b"", room.read(b"git/packed-refs", 1 << 20) or b""
    name, oid = store.refs.head()
    assert name is not None and oid is not None
    assert head == b"ref: %b\n" % name and b"%b %b\n" % (oid.hex().encode(), name) in packed


def test_objects_come_out_as_they_went_in(store: Store, tmp_path: Path) -> None:
    oid = object_name(b"blob", b"new", store.hash_name)
    with Room(Programs(rooms=str(tmp_path)), ()) as room:
        furnish(room, store, PEOPLE, b"index", {oid: (b"blob", b"new")})
        assert made_objects(room, store, 1000) == {oid: (b"blob", b"new")}
        with pytest.raises(SandboxViolation):
            made_objects(room, store, 2)
        room.put(b"git/objects/ab/" + b"0" * 38, zlib.compress(b"blob 3\0new"))
        with pytest.raises(SandboxViolation):
            made_objects(room, store, 1000)


def test_a_directory_whose_name_has_the_separator(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / 'a:b"c')
    with Room(Programs(rooms=str(tmp_path)), ()) as room:
        variables = furnish(room, gitglass.open(repo).store, PEOPLE, b"index", {})
    assert variables["GIT_ALTERNATE_OBJECT_DIRECTORIES"].endswith('a:b\\"c/.git/objects"')

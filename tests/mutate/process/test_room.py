import os
from pathlib import Path

import pytest

from gitglass.errors import NotGranted
from gitglass.mutate.process.granted import Program, Programs
from gitglass.mutate.process.room import Room, remove

pytestmark = pytest.mark.writes


def test_a_room_is_private_and_goes(tmp_path: Path) -> None:
    with Room(Programs(rooms=str(tmp_path)), ()) as room:
        assert os.stat(room.path).st_mode & 0o777 == 0o700
        path = Path(os.fsdecode(room.path))
        (path / "tmp/a").mkdir()
        (path / "tmp/a/b").write_text("x")
        (path / "out").symlink_to(tmp_path / "kept")
        (tmp_path / "kept").mkdir()
        (tmp_path / "kept/file").write_text("x")
        (path / "tmp/a").chmod(0o500)
    assert sorted(os.listdir(tmp_path)) == ["kept"] and (tmp_path / "kept/file").exists()


def test_a_room_goes_with_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Room(Programs(rooms=str(tmp_path)), ()):
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == []
    remove(os.fsencode(tmp_path / "none"))


def test_no_room_in_a_root(tmp_path: Path) -> None:
    (tmp_path / "r/rooms").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "r/rooms")
    roots = (os.fsencode(tmp_path / "r"),)
    for programs in (Programs(rooms=str(tmp_path / "link")), Programs(rooms="/tmp", path=(str(tmp_path / "link"),))):
        with pytest.raises(NotGranted):
            Room(programs, roots)


def test_variables(tmp_path: Path) -> None:
    room = Room(Programs(rooms=str(tmp_path), path=("/bin",)), ())
    names = room.variables(Program(("/bin/x",), variables=(("GNUPGHOME", "/g"),)))
    assert names["PATH"] == "/bin" and names["HOME"] == os.fsdecode(room.path) and names["GNUPGHOME"] == "/g"
    assert not {"LD_PRELOAD", "SSH_AUTH_SOCK", "USER"} & set(names)

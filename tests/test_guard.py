"""The guard of the suite sees what it must: a process, a socket, a write or a look outside that gitglass is behind."""

import os
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.scratch import has_room

ACTS = {
    "subprocess.Popen": "subprocess.run(['/nonexistent'], check=False)",
    "socket.__new__": "socket.socket().close()",
    "write": "open(place / 'new', 'w').close()",
    "outside": "open('/etc/hostname').close()",
    "os.remove": "os.remove(place / 'absent')",
}


@pytest.mark.parametrize("seen", ACTS)
def test_what_gitglass_does_is_seen(seen: str, tmp_path: Path, guarded: Any) -> None:
    scope: dict[str, Any] = {"__name__": "gitglass.probe", "subprocess": subprocess, "socket": socket, "os": os}
    probe = f"def act(place):\n    {ACTS[seen]}\n"
    exec(probe, scope)
    with suppress(OSError):
        scope["act"](tmp_path)
    assert [said.split()[0] for said in guarded.seen][:1] == [seen]
    guarded.seen.clear()


def test_what_tests_do_is_not(tmp_path: Path, guarded: Any) -> None:
    (tmp_path / "new").write_text("")
    assert not guarded.seen


def test_tests_write_where_there_is_room_and_programs_may_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = os.statvfs(tmp_path)
    room = space.f_bavail * space.f_frsize
    assert has_room(str(tmp_path), room // 2) and not has_room(str(tmp_path), room * 2)
    assert not has_room(str(tmp_path / "none"), 0)
    monkeypatch.setattr(os, "ST_NOEXEC", ~0)  # now no flag is without it
    assert not has_room(str(tmp_path), 0)

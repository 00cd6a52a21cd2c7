"""A room: a private directory in which one program runs, made for it and removed afterwards.

It is a program's home, its directory for what is temporary, and the directory that it starts in; it lies in no root.
Nothing of the repository is in it but what was put there.
"""

from __future__ import annotations

import os
import secrets
import stat
from types import TracebackType

from ...disk.jail import in_folder
from ...errors import NotGranted
from .granted import Program, Programs

_PRIVATE = 0o700


class Room:
    """One room, while it is open as a context."""

    def __init__(self, programs: Programs, folders: tuple[bytes, ...]) -> None:
        above = os.path.realpath(os.fsencode(programs.rooms))
        for folder in (above, *(os.path.realpath(os.fsencode(one)) for one in programs.path)):
            if any(in_folder(folder, root) for root in folders):
                raise NotGranted(f"no program is run with '{os.fsdecode(folder)}': a repository may write there")
        self._programs = programs
        self.path = above + b"/gitglass-" + secrets.token_hex(12).encode()

    def __enter__(self) -> Room:
        os.mkdir(self.path, _PRIVATE)
        os.mkdir(self.path + b"/tmp", _PRIVATE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        remove(self.path)

    def variables(self, program: Program) -> dict[str, str]:
        """All that the program's environment is: git-scm's variables, `PATH` and `HOME` are never this process's."""
        path = os.fsdecode(self.path)
        return {
            "PATH": ":".join(self._programs.path), "HOME": path, "XDG_CONFIG_HOME": path, "TMPDIR": f"{path}/tmp",
            "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_CEILING_DIRECTORIES": os.path.dirname(path), **dict(program.variables),
        }  # fmt: skip


def remove(folder: bytes) -> None:
    """Remove a directory with all that is in it. Links are removed, never followed; what is gone already is gone."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        _empty(fd)
    finally:
        os.close(fd)
    os.rmdir(folder)


def _empty(folder: int) -> None:
    os.fchmod(folder, _PRIVATE)
    for name in os.listdir(folder):
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=folder)
            continue
        fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            _empty(fd)
        finally:
            os.close(fd)
        os.rmdir(name, dir_fd=folder)

"""A clean room: a private directory in which one program runs, made for it and removed afterwards.

It is a program's home, its directory for what is temporary, and the directory that it starts in; it lies in no root.
Nothing of the repository is in it but what was put there.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from types import TracebackType

from ...disk.jail import in_folder
from ...errors import NotGranted, SandboxViolation
from .granted import Program, Programs

_PRIVATE = 0o700
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


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

    def put(self, name: bytes, data: bytes, mode: int = 0o600) -> None:
        """A new file in the room; its directories are made."""
        parts = name.split(b"/")
        top = os.open(self.path, _FOLDER)
        try:
            for count in range(1, len(parts)):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(b"/".join(parts[:count]), _PRIVATE, dir_fd=top)
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=top)
        finally:
            os.close(top)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(fd, left) :]
        finally:
            os.close(fd)

    def read(self, name: bytes, limit: int) -> bytes | None:
        """What a file of the room holds now; None where there is none. Nothing that a program put there leads out: a
        link, a pipe, or more than `limit` bytes is SandboxViolation."""
        folder = os.open(self.path, _FOLDER)
        try:
            *above, last = name.split(b"/")
            for part in above:
                inner = os.open(part, _FOLDER, dir_fd=folder)
                os.close(folder)
                folder = inner
            fd = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _odd(name) from error
        finally:
            os.close(folder)
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode) or info.st_size > limit:
                raise _odd(name)
            pieces = []
            while piece := os.read(fd, 1 << 20):
                pieces.append(piece)
            return b"".join(pieces)[: limit + 1]
        finally:
            os.close(fd)

    def names(self, name: bytes) -> list[bytes]:
        """What is in a directory of the room; nothing, where it is none."""
        try:
            fd = os.open(self.path + b"/" + name, _FOLDER)
        except OSError:
            return []
        try:
            return sorted(os.fsencode(one) for one in os.listdir(fd))
        finally:
            os.close(fd)

    def variables(self, program: Program) -> dict[str, str]:
        """All that the program's environment is: git-scm's variables, `PATH` and `HOME` are never this process's."""
        path = os.fsdecode(self.path)
        return {
            "PATH": ":".join(self._programs.path), "HOME": path, "XDG_CONFIG_HOME": path, "TMPDIR": f"{path}/tmp",
            "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_CEILING_DIRECTORIES": os.path.dirname(path), **dict(program.variables),
        }  # fmt: skip


def _odd(name: bytes) -> SandboxViolation:
    return SandboxViolation(f"what a program left as '{os.fsdecode(name)}' is not looked at")


def remove(folder: bytes) -> None:
    """Remove a directory with all that is in it. Links are removed, never followed; what is gone already is gone."""
    try:
        fd = os.open(folder, _FOLDER)
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
        fd = os.open(name, _FOLDER, dir_fd=folder)
        try:
            _empty(fd)
        finally:
            os.close(fd)
        os.rmdir(name, dir_fd=folder)

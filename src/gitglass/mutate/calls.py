"""Every system call that changes something on disk, and nothing else: the write side has no other way to.

One small class, so that a test can stand in for it: end the process before or after the n-th call, let a call fail
with ENOSPC, or count. All names are relative to a directory descriptor, and none of the calls follows a link at its
last component.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_APPEND = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Calls:
    """The calls as they are. `OSError` comes through as the system raises it."""

    def create(self, folder: int, name: bytes, mode: int) -> int:
        """A new file, open for writing; it must not exist. `mode` is subject to the process's umask."""
        return os.open(name, _CREATE, mode, dir_fd=folder)

    def open_append(self, folder: int, name: bytes) -> int:
        """An existing file, open for appending."""
        return os.open(name, _APPEND | getattr(os, "O_NONBLOCK", 0), dir_fd=folder)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """As many bytes of `data` as the system takes at once."""
        return os.write(fd, data)

    def fsync(self, fd: int) -> None:
        """What was written to a file is on the disk."""
        os.fsync(fd)

    def link(self, from_folder: int, name: bytes, folder: int, new: bytes) -> None:
        """A second name for a file; `FileExistsError` where the name is taken."""
        os.link(name, new, src_dir_fd=from_folder, dst_dir_fd=folder, follow_symlinks=False)

    def rename(self, from_folder: int, name: bytes, folder: int, new: bytes) -> None:
        """Another name for a file, in place of what has that name."""
        os.rename(name, new, src_dir_fd=from_folder, dst_dir_fd=folder)

    def unlink(self, folder: int, name: bytes) -> None:
        """Take a name away."""
        os.unlink(name, dir_fd=folder)

    def mkdir(self, folder: int, name: bytes, mode: int = 0o777) -> None:
        """A new directory."""
        os.mkdir(name, mode, dir_fd=folder)

    def rmdir(self, folder: int, name: bytes) -> None:
        """Take an empty directory away."""
        os.rmdir(name, dir_fd=folder)

    def symlink(self, target: bytes, folder: int, name: bytes) -> None:
        """A new symbolic link."""
        os.symlink(target, name, dir_fd=folder)

    def chmod(self, fd: int, mode: int) -> None:
        """Other permissions of an open file."""
        os.fchmod(fd, mode)

    def make_young(self, folder: int, name: bytes) -> None:
        """A file's times are now."""
        os.utime(name, dir_fd=folder, follow_symlinks=False)


@contextmanager
def listed_folder(folder: int) -> Iterator[int]:
    """A directory descriptor that can be looked into and changed, beside one that only leads there."""
    fd = os.open(b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        yield fd
    finally:
        os.close(fd)


def process_space() -> str:
    """Whose process numbers these are (pid_namespaces(7)); "" where the system does not say."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def process_start(pid: int) -> str:
    """When a process began, as the system counts it; "" where it is gone or the system does not say (proc(5))."""
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(fd, 4096).rpartition(b")")[2].split()[19].decode("ascii")
    except (OSError, IndexError):
        return ""
    finally:
        os.close(fd)

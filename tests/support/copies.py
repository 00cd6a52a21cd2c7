"""Copies of repositories that a test may change."""

import os
from pathlib import Path


def copy_tree(source: str | Path, copy: str | Path) -> None:
    """A directory with all that is below it, for one that is not there yet: modes, times of writing and links are kept.

    Files of objects are linked to those of the source, not copied: nobody writes into one. Where somebody did, it would
    be seen in every copy.
    """
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    _copy(os.fspath(source), os.fspath(copy), {}, shared=False)


def _copy(source: str, copy: str, linked: dict[int, str], *, shared: bool) -> None:
    os.mkdir(copy)
    with os.scandir(source) as entries:
        for entry in entries:
            to = f"{copy}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), to)
            elif entry.is_dir():
                _copy(entry.path, to, linked, shared=shared or entry.name == "objects")
            elif shared:
                os.link(entry.path, to)
            elif entry.inode() in linked:
                os.link(linked[entry.inode()], to)
            else:
                seen = entry.stat()
                if seen.st_nlink > 1:
                    linked[entry.inode()] = to
                _copy_file(entry.path, to, seen)
    seen = os.stat(source)
    os.chmod(copy, seen.st_mode & 0o7777)
    os.utime(copy, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def _copy_file(source: str, to: str, seen: os.stat_result) -> None:
    with open(source, "rb") as stream:
        data = memoryview(stream.read())
    made = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        while data:
            data = data[os.write(made, data) :]
        os.fchmod(made, seen.st_mode & 0o7777)
        os.utime(made, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    finally:
        os.close(made)

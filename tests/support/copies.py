"""Copies of repositories that a test may change."""

import os


def copy_tree(source: str, copy: str, *, shared: bool = False) -> None:
    """A directory with all that is below it, modes and times of writing kept, for one that is not there yet.

    Files of objects are linked, not copied: nobody writes into one. Where somebody did, it would be seen in every copy.
    """
    os.mkdir(copy)
    with os.scandir(source) as entries:
        for entry in entries:
            to = f"{copy}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), to)
            elif entry.is_dir():
                copy_tree(entry.path, to, shared=shared or entry.name == "objects")
            elif shared:
                os.link(entry.path, to)
            else:
                _copy_file(entry, to)
    seen = os.stat(source)
    os.chmod(copy, seen.st_mode & 0o7777)
    os.utime(copy, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def _copy_file(entry: os.DirEntry[str], to: str) -> None:
    seen = entry.stat()
    with open(entry.path, "rb") as stream:
        data = memoryview(stream.read())
    made = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        while data:
            data = data[os.write(made, data) :]
        os.fchmod(made, seen.st_mode & 0o7777)
        os.utime(made, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    finally:
        os.close(made)

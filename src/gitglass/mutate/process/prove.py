"""Whether a granted program is what the host meant: a file in no root that nobody else can put another one in place of.

The path is resolved once, every directory above the file is looked at as well, and the bytes are hashed. What runs is
the resolved path, so that a link that is turned meanwhile leads nowhere else.
"""

from __future__ import annotations

import os
import stat

from ...disk.jail import in_folder
from ...errors import NotGranted
from ...objects.hashes import new_hash
from ...records import record
from ...repo.store import Store
from .granted import Program

_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_PIECE = 1 << 20


@record(frozen=True)
class Proven:
    """A program that may be run: its real path, and the SHA-256 of its bytes."""

    path: str
    sha256: str


def folders_of(store: Store) -> tuple[bytes, ...]:
    """The directories whose files are never run: the roots, the work tree and the git directories. The whole file
    system as a root (the command line's, for a user's own repository) says nothing of who wrote a file."""
    roots = [root for root in store.jail.real_roots if root != b"/"]
    own = [os.path.realpath(folder) for folder in (store.work_tree, store.git_dir, store.common_dir) if folder]
    return tuple(dict.fromkeys((*roots, *own)))


def proven(program: Program, folders: tuple[bytes, ...]) -> Proven:
    """The proof. Raises NotGranted for a file that is missing, cannot be run, lies in one of these directories, can be
    written by others, or is not the one that the host named by its hash."""
    given = program.argv[0]
    path = os.path.realpath(given)
    raw = os.fsencode(path)
    if any(in_folder(raw, folder) or in_folder(os.fsencode(os.path.normpath(given)), folder) for folder in folders):
        raise _refused(given, "it lies in a directory that a repository may write")
    _check_owner(given, raw)
    digest = file_digest(raw)
    if digest is None:
        raise _refused(given, "there is no such program")
    if program.sha256 and digest != program.sha256:
        raise _refused(given, f"its SHA-256 is {digest}, and not the granted {program.sha256}")
    return Proven(path, digest)


def _check_owner(given: str, raw: bytes) -> None:
    """Raise NotGranted where somebody else could replace the file: by writing to it, or to a directory above it."""
    mine = (0, os.geteuid())
    try:
        info = os.stat(raw)
        if not stat.S_ISREG(info.st_mode) or not info.st_mode & 0o111:
            raise _refused(given, "it is no program")
        if info.st_uid not in mine or info.st_mode & _WRITABLE:
            raise _refused(given, "others may write to it")
        above = raw
        while above != b"/":
            above = os.path.dirname(above)
            info = os.stat(above)
            sticky = info.st_mode & stat.S_ISVTX  # where only its owner may rename or remove a file
            if info.st_uid not in mine or (info.st_mode & _WRITABLE and not sticky):
                raise _refused(given, f"others may write to {os.fsdecode(above)}")
    except OSError as error:
        raise _refused(given, f"{error.strerror}") from None


def host_file(given: str, folders: tuple[bytes, ...]) -> bytes:
    """The bytes of a file in which a host grants something. Raises NotGranted where it lies in a directory that a
    repository may write, where others may write to it, or where it is larger than such a file is."""
    raw = os.fsencode(os.path.realpath(given))
    if any(in_folder(raw, folder) for folder in folders):
        raise NotGranted(f"'{given}' grants nothing: it lies in a directory that a repository may write", path=given)
    try:
        fd = os.open(raw, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            info = os.fstat(fd)
            fine = stat.S_ISREG(info.st_mode) and info.st_uid in (0, os.geteuid()) and not info.st_mode & _WRITABLE
            data = os.read(fd, _PIECE) if fine else b""
        finally:
            os.close(fd)
    except OSError as error:
        raise NotGranted(f"'{given}' grants nothing: {error.strerror}", path=given) from None
    if not fine:
        raise NotGranted(f"'{given}' grants nothing: others may write to it, or it is no file", path=given)
    return data


def file_digest(raw: bytes) -> str | None:
    """The SHA-256 of a file's bytes in hex; None where it cannot be read."""
    digest = new_hash("sha256")
    try:
        fd = os.open(raw, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        while piece := os.read(fd, _PIECE):
            digest.update(piece)
    finally:
        os.close(fd)
    return digest.hexdigest()


def _refused(given: str, reason: str) -> NotGranted:
    return NotGranted(f"the program '{given}' is not run: {reason}", program=given)

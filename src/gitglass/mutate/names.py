"""Which names may be written into a work tree, or into an index, from which they get there.

A component that any common file system takes for `.git` (case, HFS+'s ignored characters, NTFS's short names, streams,
trailing dots and spaces) is refused whatever the settings are, and so are empty components, `.`, `..` and backslashes
that lead out on Windows. Mirrors git's path verification (git-config(1), `core.protectHFS`, `core.protectNTFS`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..errors import SandboxViolation, Unsupported, text
from ..limits import paced

if TYPE_CHECKING:
    from .changes import EntryChange

#: the most directories on the way to a file that is written: each of them is held open then
DEEPEST = 400
#: the most bytes of a path that is written: POSIX's PATH_MAX on Linux, beyond which git can open no file either
LONGEST = 4096

#: characters that HFS+ leaves out when it compares names
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
#: paths of ASCII whose components neither begin with a dot nor have a sign that any rule below is about
_USUAL = re.compile(rb"[\w@+=,-][\w@+=,. -]*(?:/[\w@+=,-][\w@+=,. -]*)*")
_DOT_GIT = re.compile(rb"(?:\.git|git~[0-9]+)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL)


def is_dot_git(name: bytes) -> bool:
    """Whether some file system would take a component for `.git`."""
    if _DOT_GIT.fullmatch(name):
        return True
    if name.isascii():
        return False
    plain = _IGNORED.sub("", name.decode("utf-8", "surrogateescape"))
    return plain.lower() == ".git"


def check_path(path: bytes) -> None:
    """Raise SandboxViolation for a path that must not be written: git's `invalid path`; Unsupported for one that is
    too long, or below more directories than are held open."""
    if len(path) > 2 * DEEPEST:
        if path.count(b"/") > DEEPEST:
            words = f"'{text(path[:40])}…' is below more than {DEEPEST} directories, and gitglass does not write there"
            raise Unsupported(words, path=text(path[:40]))
        check_length(path)
    if _USUAL.fullmatch(path):
        return
    for name in path.split(b"/"):
        if name in (b"", b".", b"..") or is_dot_git(name) or b"\0" in name:
            raise SandboxViolation(f"invalid path '{text(path)}'", path=text(path), prefix="error")
        if b"\\" in name and any(is_dot_git(part) or part == b".." for part in name.split(b"\\")):
            raise SandboxViolation(f"invalid path '{text(path)}'", path=text(path), prefix="error")


def check_entries(entries: Collection[EntryChange]) -> None:
    """Raise SandboxViolation for an entry that an index must not get: whoever checks it out later, git too, would write
    where it leads, a hook say. Where there is such an entry already, it may stay, and go."""
    for entry in paced(entries):
        if entry.after and entry.after != entry.before:
            check_path(entry.path)


def check_length(path: bytes) -> None:
    """Raise Unsupported for a path, of a directory of a tree say, that is longer than any that is written: the paths of
    all files below it would be longer still, and there may be many."""
    if len(path) > LONGEST:
        words = f"the path '{text(path[:40])}…' has more than {LONGEST} bytes, and gitglass does not write there"
        raise Unsupported(words, path=text(path[:40]))

"""Splits a patch's text into files: for each its two names, and the text after its header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["FilePatch", "file_patches"]

_FILE = re.compile(rb"^diff --git ", re.MULTILINE)
#: the header's lines, in git's order
_HEADER = re.compile(
    rb"diff --git (?P<names>.*)\n"
    rb"(?:old mode \d+\nnew mode \d+\n)?"
    rb"(?:(?:dis)?similarity index \d+%\n)?"
    rb"(?:rename from (?P<from>.*)\nrename to (?P<to>.*)\n)?"
    rb"(?P<new>new file mode \d+\n)?(?P<deleted>deleted file mode \d+\n)?"
    rb"(?:index .*\n)?"
    rb"(?:--- (?P<a>[^\t\n]*)\t?\n\+\+\+ (?P<b>[^\t\n]*)\t?\n)?"
)
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(frozen=True, slots=True)
class FilePatch:
    """One file of a patch: its old and new path (None if that side does not exist) and its hunks."""

    old: bytes | None
    new: bytes | None
    body: bytes


def file_patches(patch: bytes) -> Iterator[FilePatch]:
    """The files of `git diff-tree -p`'s output, in order."""
    starts = [match.start() for match in _FILE.finditer(patch)]
    for start, end in pairwise([*starts, len(patch)]):
        match = _HEADER.match(patch, start, end)
        if match is None:
            continue
        both = _halves(match["names"])
        old = _bare(match["a"]) if match["a"] else _unquoted(match["from"]) if match["from"] else _bare(both[0])
        new = _bare(match["b"]) if match["b"] else _unquoted(match["to"]) if match["to"] else _bare(both[1])
        yield FilePatch(None if match["new"] else old, None if match["deleted"] else new, patch[match.end() : end])


def _halves(names: bytes) -> tuple[bytes, bytes]:
    """`a/x b/x` split in two; without a rename both name one path, so the split is at the only blank with equal
    sides."""
    if names.startswith(b'"'):
        first = re.match(rb'"(?:[^"\\]|\\.)*"', names)
        if first is not None:
            return first.group(), names[first.end() + 1 :]
    middle = len(names) // 2
    return names[:middle], names[middle + 1 :]


def _bare(path: bytes) -> bytes | None:
    return None if path == b"/dev/null" else _unquoted(path)[2:]


def _unquoted(path: bytes) -> bytes:
    if not path.startswith(b'"'):
        return path
    return _ESCAPED.sub(
        lambda match: bytes([int(match[1], 8)]) if len(match[1]) == 3 else _LETTERS.get(match[1], match[1]), path[1:-1]
    )

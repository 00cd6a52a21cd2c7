"""Lists of paths in git's format, with double quotes as in C around paths that need them (git(1), info/alternates)."""

import re
from collections.abc import Iterator

from ..limits import pause

# Compiled on first use: few lists have a quoted path.
_QUOTED = rb'"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*+)"'
_ESCAPED = rb"(?s)\\([0-7]{3}|.)"
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def listed_paths(data: bytes, separator: bytes) -> Iterator[bytes]:
    """The paths of a list whose parts end at a separator (one byte); empty parts and `#` comments are skipped.

    A part that begins with a double quote ends with the quotation, and separators in it are part of the path; an
    incomplete quotation is taken literally. Strange but git's: one byte after a quotation is skipped, whether it is a
    separator or not. A NUL ends the list, and one that is quoted ends its path.
    """
    data = data.partition(b"\0")[0]
    at, size = 0, len(data)
    while at < size:
        pause()
        quoted = re.compile(_QUOTED).match(data, at) if data[at] == 0x22 else None
        if quoted is not None:
            at = quoted.end() + 1
            path = re.sub(_ESCAPED, _unescaped, quoted[1]).partition(b"\0")[0]
        else:
            end = data.find(separator, at)
            end = size if end < 0 else end
            path, at = data[at:end], end + 1
            if path.startswith(b"#"):
                continue
        if path:
            yield path


def _unescaped(match: re.Match[bytes]) -> bytes:
    what = match[1]
    return bytes([int(what, 8)]) if len(what) == 3 else _LETTERS.get(what, what)

"""Lists of paths as git writes them, with double quotes as in C where a path needs them (git(1), info/alternates)."""

import re
from collections.abc import Iterator

from ..limits import pause

# Compiled on first use: hardly any list has a quotation.
_QUOTED = rb'"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*+)"'
_ESCAPED = rb"(?s)\\([0-7]{3}|.)"
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def listed_paths(data: bytes, separator: bytes) -> Iterator[bytes]:
    """The paths of a list, whose parts end at a separator (of one byte); empty parts and `#` comments are left out.

    A part that begins with a double quote ends with the quotation, and a separator in it is part of the path; it is
    taken as it is where the quotation is broken. Strange but git's: one byte behind a quotation is passed over, be it
    a separator or not.
    """
    at, size = 0, len(data)
    while at < size:
        pause()
        quoted = re.compile(_QUOTED).match(data, at) if data[at] == 0x22 else None
        if quoted is not None:
            at = quoted.end() + 1
            path = re.sub(_ESCAPED, _unescaped, quoted[1])
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

"""Paths as git writes them: in C style quotes if they contain unusual bytes (core.quotePath), or unchanged with -z."""

from __future__ import annotations

import re

from ..deferred import lazy_pattern

__all__ = ["PLAIN", "Quoter", "c_quote", "needs_quotes", "relative_path"]

_NAMED = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
_ESCAPES = [_NAMED.get(byte) or (b"\\%03o" % byte) for byte in range(256)]
_ODD = lazy_pattern(rb'[\x00-\x1f"\\\x7f-\xff]')  # core.quotePath=true
_ODD_KEEP_HIGH = lazy_pattern(rb'[\x00-\x1f"\\\x7f]')
PLAIN = bytes(byte for byte in range(0x20, 0x7F) if byte not in b'"\\')  # never quoted
_PLAIN_OR_HIGH = PLAIN + bytes(range(0x80, 0x100))


def _escape(match: re.Match[bytes]) -> bytes:
    return _ESCAPES[match[0][0]]


def c_quote(path: bytes, *, high: bool = True) -> bytes:
    """A path in C quotes if it needs them; `high`: bytes above 0x7f need them too."""
    pattern = _ODD if high else _ODD_KEEP_HIGH
    if pattern.search(path) is None:
        return path
    return b'"' + pattern.sub(_escape, path) + b'"'


def needs_quotes(path: bytes, *, high: bool = True) -> bool:
    """Whether git would put a path in quotes."""
    return (_ODD if high else _ODD_KEEP_HIGH).search(path) is not None


def relative_path(path: bytes, prefix: bytes) -> bytes:
    """A path seen from `prefix` (b"" or b"src/lib/"), with `../` for each directory above; both relative to the same
    top.

    An empty path, which only a damaged index has, is `./`, as git prints it.
    """
    if not path:
        return b"./"
    if not prefix or prefix == b"/":
        return path
    if path.startswith(prefix):
        return path[len(prefix) :] or b"./"
    base, parts = prefix.rstrip(b"/").split(b"/"), path.split(b"/")
    same = 0
    for a, b in zip(base, parts[:-1]):
        if a != b:
            break
        same += 1
    if same == len(parts) - 1 and same < len(base) and parts[-1] == base[same]:  # the path is a parent of prefix
        return b"../" * (len(base) - same - 1) or b"./"
    return b"../" * (len(base) - same) + b"/".join(parts[same:])


class Quoter:
    """Quotes paths with the settings of one repository. Call it with a path; `style.quote` is one."""

    __slots__ = ("_odd", "_plain", "high")

    def __init__(self, high: bool = True) -> None:
        self.high = high
        self._odd = _ODD if high else _ODD_KEEP_HIGH
        self._plain = PLAIN if high else _PLAIN_OR_HIGH

    def __call__(self, path: bytes) -> bytes:
        """The path, in C quotes if it needs them."""
        if self._odd.search(path) is None:
            return path
        return b'"' + self._odd.sub(_escape, path) + b'"'

    def each(self, paths: list[bytes]) -> list[bytes]:
        """Each path, in C quotes if it needs them: checked all together first, because very rarely one does."""
        return list(map(self, paths)) if self.needs(b"".join(paths)) else paths

    def needs(self, path: bytes) -> bool:
        """Whether the path, or one of several in a row, would be quoted."""
        return bool(path.translate(None, self._plain))

    def body(self, path: bytes) -> bytes:
        """The path escaped, without the quotes around it."""
        return self._odd.sub(_escape, path)

    def joined(self, prefix: bytes, path: bytes) -> bytes:
        """A prefix such as b"a/" and a path as one word, quoted together if either needs it."""
        return self(prefix + path)

    def spaced(self, path: bytes) -> bytes:
        """A path as status -s and ls-files write it where a blank would confuse: also quoted if it contains a space."""
        if b" " in path and self._odd.search(path) is None:
            return b'"' + path + b'"'
        return self(path)

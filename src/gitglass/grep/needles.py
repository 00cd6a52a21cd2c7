"""Plain text that is in every line that a pattern matches: files and lines without it need not be searched.

Only patterns are taken apart whose form leaves no doubt; of any other pattern nothing is known. Mirrors regex(7).
"""

from __future__ import annotations

import re

__all__ = ["needles_of"]

_BRACKETS = re.compile(rb"\[\^?\]?[^\]]*\]")
_PLAIN = rb"[^\n()|\[\]\\.*+?{}^$\0]+"
#: a group of plain texts that no repetition follows; where such a group stood there is its number, between NULs
_GROUP = re.compile(rb"\((" + _PLAIN + rb"(?:\|" + _PLAIN + rb")*)\)(?![*?{])")
_MARK = re.compile(rb"\0(\d+)\0")


def needles_of(pattern: bytes, kind: str) -> tuple[tuple[bytes, ...], bool] | None:
    """Texts of which one is in every match, and whether they are all there is to the pattern; None where none is
    known. `kind` is that of `compile_pattern`."""
    if not pattern:
        return None
    if kind == "fixed":
        return (pattern,), True
    special = rb"[\\\[\].*^$]" if kind == "basic" else rb"[\\\[\].*^$+?{}()]"
    if re.search(special, pattern) is None:
        parts = [pattern] if kind == "basic" else pattern.split(b"|")
        if all(parts) and not (kind == "perl" and len(parts) > 1):
            return tuple(parts), True
        return None
    if kind == "perl" or b"\0" in pattern:
        return None
    needles = _of_basic(pattern) if kind == "basic" else _of_extended(pattern)
    return None if needles is None else (needles, False)


def _of_basic(pattern: bytes) -> tuple[bytes, ...] | None:
    if any(part in pattern for part in (b"|", b"\\{", b"\\(", b"\\?")):
        return None
    bare = _without_brackets(pattern)
    if bare is None:
        return None
    longest = _longest(re.sub(rb"[^\n](?=\*)|\*", b"\n", bare))
    return None if longest is None else (longest,)


def _of_extended(pattern: bytes) -> tuple[bytes, ...] | None:
    """Of each alternative the longest text outside of groups, or else all that a group may be."""
    bare = _without_brackets(pattern)
    if bare is None:
        return None
    groups = _GROUP.findall(bare)
    numbers = iter(range(len(groups)))
    bare = _GROUP.sub(lambda _: b"\n\0%d\0\n" % next(numbers), bare)
    if b"(" in bare or b")" in bare:
        return None
    bare = re.sub(rb"[^\n](?=[*?{])", b"\n", bare)
    bare = re.sub(rb"\{[^}]*\}|[*+?{}]", b"\n", bare)
    needles: list[bytes] = []
    for part in bare.split(b"|"):
        longest = _longest(_MARK.sub(b"\n", part))
        choices = [groups[int(number)].split(b"|") for number in _MARK.findall(part)]
        some = (longest,) if longest else next((choice for choice in choices if all(map(_fits, choice))), ())
        if not some:
            return None
        needles += some
    return tuple(dict.fromkeys(needles))


def _without_brackets(pattern: bytes) -> bytes | None:
    """The pattern with newlines for bracket expressions, escapes, anchors and any one character; None where brackets
    are left, which may stand for anything."""
    bare = _BRACKETS.sub(b"\n", pattern)
    if b"[" in bare or b"]" in bare:
        return None
    return re.sub(rb"\\.|[.^$]", b"\n", bare, flags=re.DOTALL)


def _longest(bare: bytes) -> bytes | None:
    """The longest text between newlines; None where it is too short to tell lines apart, or not ASCII."""
    longest = max(bare.split(b"\n"), key=len)
    return longest if _fits(longest) else None


def _fits(text: bytes) -> bool:
    return len(text) > 1 and text.isascii()

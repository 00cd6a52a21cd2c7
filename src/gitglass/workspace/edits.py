"""Exact edits of a text: stretches replaced by others, or a unified diff; edits that do not match exactly are refused.

Mirrors git-apply(1) without fuzz: every line of context and every removed line has to be in the text.
"""

from __future__ import annotations

import difflib
import re

from ..errors import Conflict, InvalidArgs
from ..limits import lines_in
from ..records import record

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_MOST_COMPARED = 20_000
_SHOWN = 3


@record(frozen=True)
class Edit:
    """One replacement: `old` has to occur in the text exactly `count` times, and is replaced by `new`."""

    old: bytes
    new: bytes
    count: int = 1


def edited(content: bytes, edits: list[Edit]) -> bytes:
    """The text after all edits, applied in turn. Raises Conflict if one does not match, with the most similar lines."""
    for number, edit in enumerate(edits, 1):
        if not edit.old:
            raise InvalidArgs(f"edit {number}: the text to replace is empty")
        times = content.count(edit.old)
        if times != edit.count:
            words = "is not in the file" if not times else f"is there {times} times, not {edit.count}"
            raise Conflict(f"edit {number}: the text to replace {words}", hint=_nearest(content, edit.old) or None)
        content = content.replace(edit.old, edit.new)
    return content


def patched(content: bytes, patch: bytes) -> bytes:
    """The text with one file's unified diff applied. Raises InvalidArgs for a malformed diff, Conflict if a hunk does
    not match exactly."""
    lines, out, at = _lines(content), [], 0
    for number, (start, old, new) in enumerate(_hunks(patch), 1):
        position = _position(lines, old, start, at)
        if position is None:
            hint = _nearest(content, b"".join(old)) or None
            raise Conflict(f"hunk {number} does not fit the file exactly", hint=hint)
        out += lines[at:position] + new
        at = position + len(old)
    return b"".join(out + lines[at:])


def _lines(content: bytes) -> list[bytes]:
    parts = lines_in(content)
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def _hunks(patch: bytes) -> list[tuple[int, list[bytes], list[bytes]]]:
    """(first line, the lines before, the lines after) of each hunk."""
    hunks: list[tuple[int, list[bytes], list[bytes]]] = []
    lines = _lines(patch)
    at = 0
    while at < len(lines):
        match = _HUNK.match(lines[at])
        at += 1
        if match is None:
            if hunks and lines[at - 1].startswith((b"--- ", b"diff ")):
                raise InvalidArgs("the diff is of more than one file")
            continue
        left = [int(match[2] if match[2] is not None else 1), int(match[4] if match[4] is not None else 1)]
        sides: tuple[list[bytes], list[bytes]] = ([], [])
        while any(left) or (at < len(lines) and lines[at].startswith(b"\\")):
            if at == len(lines):
                raise InvalidArgs(f"hunk {len(hunks) + 1} ends before its last line")
            at = _take(lines, at, sides, left, len(hunks) + 1)
        hunks.append((max(int(match[1]) - (match[2] != b"0"), 0), *sides))
    if not hunks:
        raise InvalidArgs("there is no hunk in the diff")
    return hunks


def _take(lines: list[bytes], at: int, sides: tuple[list[bytes], list[bytes]], left: list[int], number: int) -> int:
    """Add one line of a hunk to the sides it belongs to; returns the position after it."""
    line = lines[at] if lines[at].strip(b"\r\n") else b" " + lines[at]
    mark, rest = line[:1], line[1:]
    if mark == b"\\":
        for side in _ended(lines[at - 1][:1], sides):
            side[-1] = side[-1].removesuffix(b"\n")
        return at + 1
    if mark not in b" -+" or (mark in b" -" and not left[0]) or (mark in b" +" and not left[1]):
        raise InvalidArgs(f"hunk {number} has other lines than its head counts")
    if mark in b" -":
        sides[0].append(rest)
        left[0] -= 1
    if mark in b" +":
        sides[1].append(rest)
        left[1] -= 1
    return at + 1


def _ended(mark: bytes, sides: tuple[list[bytes], list[bytes]]) -> list[list[bytes]]:
    """The sides whose last line has no newline, from the sign of the line before the marker."""
    wanted = {b"-": [sides[0]], b"+": [sides[1]]}.get(mark, [*sides])
    return [side for side in wanted if side]


def _position(lines: list[bytes], old: list[bytes], start: int, least: int) -> int | None:
    """The position of a hunk's old lines: the one it states, or the only one after the last hunk at which they
    occur."""
    if start >= least and lines[start : start + len(old)] == old:
        return start
    if not old:
        return None
    fitting = [at for at in range(least, len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
    return fitting[0] if len(fitting) == 1 else None


def _nearest(content: bytes, wanted: bytes) -> str:
    """The lines of a text that are most similar to the first line searched for."""
    words = next((line for line in wanted.split(b"\n") if line.strip()), b"").decode("utf-8", "replace")
    lines = content.decode("utf-8", "replace").split("\n")
    if not words or len(lines) > _MOST_COMPARED:
        return ""
    close = difflib.get_close_matches(words, lines, n=_SHOWN, cutoff=0.5)
    rows = [f"{lines.index(line) + 1}: {line}" for line in dict.fromkeys(close)]
    return "Nearest lines: " + " | ".join(rows) if rows else ""

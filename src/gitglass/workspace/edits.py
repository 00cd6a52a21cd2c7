"""Exact edits of a text: stretches replaced by others, or a unified diff; edits that do not match exactly are refused.

Mirrors git-apply(1) without fuzz: every line of context and every removed line has to be in the text.
"""

from __future__ import annotations

import difflib
import heapq
import io
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext

from ..diff.lines.occurrences import occurrences
from ..errors import Conflict, InvalidArgs, Timeout, TooLarge
from ..limits import LARGE, joined, lines_in, need, paced, pause, running, step
from ..records import record

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_DIGITS = 18  # of a number in the head of a hunk
_MOST_COMPARED = 20_000
_LONGEST_COMPARED = 120  # characters of a line
_HINT_SECONDS = 1.0
_ALIKE = 0.5
_SHOWN = 3
_SHOWN_CHARACTERS = 200


@record(frozen=True)
class Edit:
    """One replacement: `old` has to occur in the text exactly `count` times, and is replaced by `new`."""

    old: bytes
    new: bytes
    count: int = 1


def edited(content: bytes, edits: list[Edit], most: int = sys.maxsize) -> bytes:
    """The text after all edits, applied in turn. Raises Conflict if one does not match, with the most similar lines,
    and TooLarge before there are more than so many bytes."""
    for number, edit in enumerate(edits, 1):
        if not edit.old:
            raise InvalidArgs(f"edit {number}: the text to replace is empty")
        times = sum(len(pieces) - 1 for pieces in _pieces(content, edit.old))
        if times != edit.count:
            words = "is not in the file" if not times else f"is there {times} times, not {edit.count}"
            raise Conflict(f"edit {number}: the text to replace {words}", hint=_nearest(content, edit.old) or None)
        _check_size(len(content) + times * (len(edit.new) - len(edit.old)), most)
        out = io.BytesIO()
        for pieces in _pieces(content, edit.old):
            out.write(edit.new.join(pieces))
        content = out.getvalue()
    return content


def _pieces(content: bytes, old: bytes) -> Iterator[list[bytes]]:
    """`content.split(old)` in stretches: the last piece of each goes on with the first of the next."""
    at = 0
    while at + LARGE + len(old) < len(content):
        pause()
        stretch = content[at : at + LARGE + len(old)]
        pieces = stretch.split(old)
        rest = min(len(pieces[-1]), len(old) - 1)  # another one may begin there
        pieces[-1] = pieces[-1][: len(pieces[-1]) - rest]
        yield pieces
        at += len(stretch) - rest
    pause()
    yield content[at:].split(old)


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise TooLarge(f"the file would have more than {most} bytes", limit=most, size=size)
    need(2 * size)


def patched(content: bytes, patch: bytes, most: int = sys.maxsize) -> bytes:
    """The text with one file's unified diff applied. Raises InvalidArgs for a malformed diff, Conflict if a hunk does
    not match exactly, TooLarge."""
    lines, out, at = _lines(content), list[bytes](), 0
    for number, (start, old, new) in enumerate(_hunks(patch), 1):
        position = _position(lines, old, start, at)
        if position is None:
            hint = _nearest(content, b"".join(old)) or None
            raise Conflict(f"hunk {number} does not fit the file exactly", hint=hint)
        out += lines[at:position] + new
        at = position + len(old)
    out += lines[at:]
    _check_size(sum(map(len, paced(out))), most)
    return joined(out)


def _lines(content: bytes) -> list[bytes]:
    parts = lines_in(content)
    last = parts.pop()
    return [part + b"\n" for part in paced(parts)] + ([last] if last else [])


def _hunks(patch: bytes) -> list[tuple[int, list[bytes], list[bytes]]]:
    """(first line, the lines before, the lines after) of each hunk."""
    hunks: list[tuple[int, list[bytes], list[bytes]]] = []
    lines = _lines(patch)
    at = 0
    while at < len(lines):
        step()
        match = _HUNK.match(lines[at])
        at += 1
        if match is None:
            if hunks and lines[at - 1].startswith((b"--- ", b"diff ")):
                raise InvalidArgs("the diff is of more than one file")
            continue
        start, *left = (_number(word, len(hunks) + 1) for word in (match[1], match[2] or b"1", match[4] or b"1"))
        sides: tuple[list[bytes], list[bytes]] = ([], [])
        while any(left) or (at < len(lines) and lines[at].startswith(b"\\")):
            if at == len(lines):
                raise InvalidArgs(f"hunk {len(hunks) + 1} ends before its last line")
            step()
            at = _take(lines, at, sides, left, len(hunks) + 1)
        hunks.append((max(start - (match[2] != b"0"), 0), *sides))
    if not hunks:
        raise InvalidArgs("there is no hunk in the diff")
    return hunks


def _number(word: bytes, hunk: int) -> int:
    if len(word) > _DIGITS:
        raise InvalidArgs(f"hunk {hunk}: its head has a number of more than {_DIGITS} digits")
    return int(word)


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
    fitting = occurrences(lines, old, least) if old else iter(())
    first = next(fitting, None)
    return first if first is None or next(fitting, None) is None else None


def _nearest(content: bytes, wanted: bytes) -> str:
    """The lines of a text that are most similar to the first line searched for; "" where that takes long."""
    words = next((line for line in wanted.split(b"\n", _MOST_COMPARED) if line.strip()), b"")[: 4 * _LONGEST_COMPARED]
    if not words or content.count(b"\n") >= _MOST_COMPARED:
        return ""
    lines = [line[: 4 * _SHOWN_CHARACTERS].decode("utf-8", "replace") for line in lines_in(content)]
    ctx = running()
    try:
        with ctx.no_longer_than(_HINT_SECONDS) if ctx is not None else nullcontext():
            rows = [
                f"{at + 1}: {lines[at][:_SHOWN_CHARACTERS]}" for at in _alike(words.decode("utf-8", "replace"), lines)
            ]
    except Timeout:
        return ""
    return "Nearest lines: " + " | ".join(rows) if rows else ""


def _alike(words: str, lines: list[str]) -> list[int]:
    """As `difflib.get_close_matches`, of the beginnings of lines: where the most similar ones are first."""
    first = {line[:_LONGEST_COMPARED]: at for at, line in reversed(list(enumerate(lines)))}
    matcher: difflib.SequenceMatcher[str] = difflib.SequenceMatcher()
    matcher.set_seq2(words[:_LONGEST_COMPARED])
    scores: list[tuple[float, str]] = []
    for line in first:
        matcher.set_seq1(line)
        if matcher.real_quick_ratio() >= _ALIKE:
            pause()
            if matcher.quick_ratio() >= _ALIKE and (ratio := matcher.ratio()) >= _ALIKE:
                scores.append((ratio, line))
    return [first[line] for _, line in heapq.nlargest(_SHOWN, scores)]

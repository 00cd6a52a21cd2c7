"""Word differences: the changed lines of a hunk are cut into words, and the words compared like lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from ...annotations import TYPE_CHECKING
from ...errors import BadRequest, text
from ...limits import joined, paced, pause
from ...regex.matcher import BadPattern, Matcher, compile_pattern
from .compare import compare
from .spec import LineSpec

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["WordCutter", "match_words"]

Span = tuple[int, int]

_RUN = re.compile(rb"[^ \t\n\r]+")
_SPEC = LineSpec(context=0, indent_heuristic=False)


class WordCutter:
    """Finds words: runs of non-space, or the matches of a regular expression (`--word-diff-regex`) within a line."""

    __slots__ = ("_anchored", "_ctx", "_matcher")

    def __init__(self, regex: bytes | None, ctx: Context) -> None:
        self._ctx = ctx
        self._matcher: Matcher | None = None
        self._anchored = False
        if regex is not None:
            try:
                self._matcher = compile_pattern(regex, "extended", newline=True, longest=True, ctx=ctx)
            except BadPattern:
                raise BadRequest(f"invalid regular expression: {text(regex)}") from None
            # git begins a text of its own for each search: patterns that look behind have to be searched in a slice.
            self._anchored = any(mark in regex for mark in (b"^", b"\\b", b"\\B", b"\\<", b"\\>", b"\\`"))

    def cut(self, data: bytes) -> list[Span]:
        """The spans of the words of a text whose lines all end in a newline."""
        if self._matcher is None:
            return _runs(data)
        search: Callable[[int], Span | None]
        if not self._anchored:
            spans = [span for span in self._matcher.all(data) if span[0] != span[1]]
            find = data.find
            if all(find(b"\n", start, end) < 0 for start, end in spans):
                return spans  # no match runs over the end of its line: one pass has found all words
        if self._anchored:
            matcher, tick = self._matcher, self._ctx.tick

            def search(at: int) -> Span | None:
                while at < len(data):  # line by line: a word ends with its line; a slice of the rest costs more
                    tick()
                    end = data.find(b"\n", at) + 1 or len(data)
                    word = matcher.search(data[at:end])
                    if word is not None:
                        return word[0] + at, word[1] + at
                    at = end
                return None
        else:
            search = self._matcher.scanner(data)
        words: list[Span] = []
        at = 0
        size = len(data)
        while at < size:
            self._ctx.tick()
            word = search(at)
            if word is None:
                break
            start, end = word
            newline = data.find(b"\n", start, end)
            if newline >= 0:
                end = newline
            if start == end:
                at = start + 1
            else:
                words.append((start, end))
                at = end
        return words


def _runs(data: bytes) -> list[Span]:
    """Runs of bytes that are not white space."""
    runs = _RUN.finditer(data)
    words: list[Span] = []
    while stretch := [match.span() for match in islice(runs, 4096)]:
        pause()
        words += stretch
    return words


def match_words(
    old: bytes, new: bytes, cutter: WordCutter, ctx: Context
) -> tuple[list[Span], list[Span], list[tuple[int, int, int, int]]]:
    """The words of both texts, and the changes as (old start, old count, new start, new count) in words."""
    old_words, new_words = cutter.cut(old), cutter.cut(new)
    one = joined([old[start:end] + b"\n" for start, end in paced(old_words)])
    two = joined([new[start:end] + b"\n" for start, end in paced(new_words)])
    pair = compare(one, two, _SPEC, ctx=ctx)
    base = pair.base
    return old_words, new_words, [(i + base, n, j + base, m) for i, n, j, m in pair.script]

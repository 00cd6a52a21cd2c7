"""One pattern of git grep: the lines of a file that it matches, and where in a line.

A whole file is searched at once where that is the same as line by line. Mirrors git-grep(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby

from ..limits import MANY_LINES, Context, paced, watched
from ..records import record
from ..regex.matcher import BadPattern, Matcher, compile_pattern
from .lines import Span, all_lines, blanked, line_around, lines_with, odd_lines, stretches
from .needles import needles_of

__all__ = ["Atom", "PatternSpec"]

_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_PASSED = 8  # matches of one line after which a search begins again in the next one
#: Kelvin sign, long s, dotless i: equal to these letters for one of the engines
_FOLDS = {b"k": b"\xe2\x84\xaa", b"s": b"\xc5\xbf", b"i": b"\xc4\xb1"}


@record(frozen=True)
class PatternSpec:
    """How patterns are read: `kind` is that of `compile_pattern`."""

    kind: str = "basic"
    ignore_case: bool = False
    word: bool = False


class Atom:
    """One pattern. `needles`: text of which one occurs wherever the pattern matches; None where none is known."""

    __slots__ = ("_ctx", "_exact", "_folded", "_needles", "_odd", "_plain", "_rest", "_sure", "quick", "spec", "text")

    def __init__(self, pattern: bytes, spec: PatternSpec, ctx: Context, origin: str) -> None:
        self.text = pattern
        self.spec = spec
        self._ctx = ctx
        try:
            self.quick = compile_pattern(pattern, spec.kind, ignore_case=spec.ignore_case, newline=True, ctx=ctx)
        except BadPattern as error:
            raise error.at(origin) from None
        self._exact: Matcher | None = None
        self._rest: Matcher | None = None
        needles = needles_of(pattern, spec.kind)
        self._needles, self._sure = (
            needles if needles is not None and (not spec.ignore_case or pattern.isascii()) else ((), False)
        )
        self._folded = spec.ignore_case
        self._odd: tuple[bytes, ...] = ()  # what counts as a letter of a needle, too
        if self._folded:
            self._needles = tuple(needle.lower() for needle in self._needles)
            self._odd = tuple(odd for letter, odd in _FOLDS.items() if any(letter in part for part in self._needles))
        self._plain = self._sure and len(self._needles) == 1

    @property
    def needles(self) -> tuple[bytes, ...]:
        """Text of which one occurs, to the letter, wherever the pattern matches; empty where none is known."""
        return () if self._folded else tuple(self._needles)

    @property
    def exact(self) -> Matcher:
        """The pattern with POSIX's extents, where they matter."""
        if self._exact is None:
            spec = self.spec
            self._exact = self.quick
            if self.quick.literal is None and spec.kind in ("basic", "extended"):
                self._exact = compile_pattern(
                    self.text, spec.kind, ignore_case=spec.ignore_case, newline=True, longest=True, ctx=self._ctx
                )
        return self._exact

    # ------------------------------------------------------------------------------------------------------ one line
    def span(self, line: bytes, *, begins: bool = True) -> Span | None:
        """Where the pattern matches in a line; `begins` is False for the rest of a line, at whose front `^` fails.

        With -w a match has to be a word of its own; git looks on behind the next character that is in no word.
        """
        size, offset = len(line), 0
        while True:
            span = self._search(line, begins)
            if span is None or not self.spec.word:
                return None if span is None else (span[0] + offset, span[1] + offset)
            start, end = span
            whole = (start == 0 or line[start - 1] not in _WORD) and (end == len(line) or line[end] not in _WORD)
            if whole and start < end:
                return start + offset, end + offset
            at = start + 1
            if at >= len(line):
                return None
            while at < len(line) and line[at - 1] in _WORD:
                at += 1
            if at >= len(line):
                return None
            line, offset, begins = line[at:], offset + at, False
            if offset >= size:
                return None

    def _search(self, line: bytes, begins: bool) -> Span | None:
        if begins or self.quick.literal is not None:
            return self.exact.search(line)
        if self.spec.kind == "perl":  # what stands before is not there at all, not even for a look behind
            if self._rest is None:
                self._rest = compile_pattern(
                    self.text, "perl", ignore_case=self.spec.ignore_case, newline=True, continued=True, ctx=self._ctx
                )
            return self._rest.search(line)
        span = self.exact.search(b"\0" + line, 1)  # no beginning of a line, and no letter before it
        return None if span is None else (span[0] - 1, span[1] - 1)

    # --------------------------------------------------------------------------------------------------- whole buffer
    def lines(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """(start, end, column) of each line that matches, in order."""
        if len(data) >= MANY_LINES:
            self._ctx.pause()
        if not self._needles:
            if self.text or self.spec.word:
                return self._by_pattern(data)
            return ((start, end, 0) for start, end in all_lines(data))  # an empty pattern matches where each begins
        where = data.lower() if self._folded else data
        odd = self._odd if self._odd and not data.isascii() else ()
        other = list(watched(_lines_with_any(data, odd)))
        if not self._sure:
            if other or any(needle in where for needle in paced(self._needles)):
                return self._by_pattern(data, lambda: _in_order([_lines_with_any(where, self._needles), other]))
            return iter(())
        if not other:
            return self._by_text(data, where)
        return iter(sorted([*self._by_text(data, blanked(data, other).lower()), *self._in_lines(data, other)]))

    def _by_text(self, data: bytes, where: bytes) -> Iterator[tuple[int, int, int]]:
        """The pattern is plain text, or a choice of it, which is looked for in `where`."""
        return self._by_needle(data, where) if self._plain else self._by_needles(data, where)

    def _by_needle(self, data: bytes, where: bytes) -> Iterator[tuple[int, int, int]]:
        """The pattern is plain text."""
        needle, word = self._needles[0], self.spec.word
        find, size, length = where.find, len(data), len(self._needles[0])
        at = find(needle)
        while 0 <= at < size:
            start = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            if end < 0:
                end = size
            if not word:
                yield start, end, at - start
            else:
                after = at + length
                if (at == start or data[at - 1] not in _WORD) and (after == end or data[after] not in _WORD):
                    yield start, end, at - start
                else:
                    span = self.span(data[start:end])
                    if span is not None:
                        yield start, end, span[0]
            at = find(needle, end + 1)

    def _by_needles(self, data: bytes, where: bytes) -> Iterator[tuple[int, int, int]]:
        """The pattern is a choice of plain texts."""
        for start, end in _lines_with_any(where, self._needles):
            self._ctx.tick()
            if self.spec.word:
                span = self.span(data[start:end])
                if span is not None:
                    yield start, end, span[0]
            else:
                places = [where.find(needle, start, end) for needle in self._needles]
                yield start, end, min([at for at in places if at >= 0]) - start

    def _by_pattern(
        self, data: bytes, possible: Callable[[], Iterable[Span]] | None = None
    ) -> Iterator[tuple[int, int, int]]:
        """By regular expression: all of the buffer at once, except lines that need to be read as characters; or only
        the lines that have a needle (`possible`), where looking for a needle is quicker."""
        if not self.quick.takes(data):
            yield from self._in_lines(data, all_lines(data))
            return
        if self.quick.alone:
            yield from self._ahead(data)
            return
        if possible is not None and not (self.quick.prefix and data.isascii()):
            yield from self._in_lines(data, possible())
            return
        if self.quick.bytewise or data.isascii():
            yield from self._hits(data, data, {})
        elif not self.quick.crosses:
            yield from self._by_stretches(data)
        else:
            odd = odd_lines(data)
            yield from sorted([*self._hits(data, blanked(data, odd), dict(odd)), *self._in_lines(data, odd)])

    def _by_stretches(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Some lines after the other, of which those beyond ASCII are read as characters, for a pattern whose matches
        lie within a line."""
        for begin, end in stretches(data):
            part = data[begin:end]
            hits = self._hits(part, part, {}) if part.isascii() else self._by_character(part)
            for start, stop, column in hits:
                yield begin + start, begin + stop, column

    def _by_character(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        search, size, start = self.quick.scanner(data), len(data), 0
        while start < size and (match := search(start)) is not None:
            self._ctx.tick()
            at = match[0]
            if at >= size and data[-1:] == b"\n":
                break
            first, last = line_around(data, at)
            span = self.span(data[first:last]) if self.spec.word else (at - first, 0)
            if span is not None:
                yield first, last, span[0]
            start = last + 1

    def _ahead(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Strange but git's: the rest of a file is searched as one text; the line of a match is then looked at alone.

        So `\\A` matches in the first lines of a file only, and `\\z` behind its last newline, where no line is.
        """
        start, size = 0, len(data)
        while start < size:
            self._ctx.tick()
            match = self.quick.search(data[start:] if start else data)
            if match is None:
                return
            at = start + match[0]
            if at >= size and data[-1:] == b"\n":  # git prints the empty line that no file has
                if b"^" not in self.text and self.span(b"") is not None:
                    yield size, size, 0
                return
            start = data.rfind(b"\n", start, at) + 1 or start
            end = data.find(b"\n", start)
            if end < 0:
                end = size
            span = self.span(data[start:end])
            if span is not None:
                yield start, end, span[0]
            start = end + 1

    def _in_lines(self, data: bytes, lines: Iterable[Span]) -> Iterator[tuple[int, int, int]]:
        """Those lines that match. Where a match begins does not depend on which one is the longest."""
        search = self.span if self.spec.word else self.quick.search
        for start, end in lines:
            self._ctx.tick()
            span = search(data[start:end])
            if span is not None:
                yield start, end, span[0]

    def _hits(self, data: bytes, where: bytes, odd: dict[int, int]) -> Iterator[tuple[int, int, int]]:
        done, size, passed = 0, len(data), 0
        # What Perl's patterns see beyond the line's end is not there when the line is looked at alone.
        check = self.spec.word or (self.spec.kind == "perl" and self.quick.crosses)
        matches = self.quick.each(where, lined=True)
        while (match := next(matches, None)) is not None:
            at, after = match
            cut = at < done  # it began in a line that is done with: the rest of it need not match
            if cut:
                if after <= done:
                    passed += 1
                    if passed == _PASSED:  # a line with many matches: go on behind it
                        matches, passed = self.quick.each(where, done, lined=True), 0
                    continue
                at = done
            passed = 0
            if at >= size and data[-1:] in (b"", b"\n"):  # an end that no line has; a last line without newline has one
                break
            start = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            if end < 0:
                end = size
            if after <= end and not check and not cut:
                done = end + 1
                if start not in odd:
                    yield start, end, at - start
                continue
            while True:  # a match over several lines: each is looked at alone
                if start not in odd:
                    span = self.span(data[start:end])
                    if span is not None:
                        yield start, end, span[0]
                done = end + 1
                if after <= done or done >= size:
                    break
                start = done
                end = data.find(b"\n", start)
                if end < 0:
                    end = size


def _lines_with_any(data: bytes, parts: tuple[bytes, ...]) -> Iterator[Span]:
    """The lines that contain any of these texts, in order."""
    return _in_order([lines_with(data, part) for part in parts])


def _in_order(lists: Sequence[Iterable[Span]]) -> Iterator[Span]:
    """The lines of several lists, in order, each once."""
    return (span for span, _ in groupby(merge(*lists)))

"""git's regular expressions, as one compiled matcher on bytes that is bounded in time.

git hands patterns to the C library (POSIX basic or extended, in glibc's dialect: `\\w`, `\\b`, `\\<`, `\\+` in basic
ones, back-references) or to PCRE (`-P`). They are translated here to Python's syntax. Three engines then serve them:

- a pattern without operators is `bytes.find`;
- a pattern that provably cannot take long on data of the given size runs in the standard `re`;
- everything else runs in the third-party `regex`, which stops when its time has passed. It is slow to import, so it
  is imported when first needed. `patternsearch` decides, and looks at the clock.

Locale is C.UTF-8 unless the context says `byte_patterns`: `.` matches one character, not one byte. ASCII data (nearly
all) is matched as bytes; other data is decoded, matched as text, and the offsets are turned back, unless the pattern
holds nothing whose meaning depends on it. Mirrors regex(7), grep(1) "REGULAR EXPRESSIONS", and git-log(1) `-E -F -P`.
"""

import re
from collections.abc import Callable, Iterator
from itertools import accumulate

from ..deferred import lazy_pattern
from ..errors import TooLarge
from ..limits import step
from .capitals import upper_of
from .posix import BadPattern, Nature, Posix
from .search import Budget, Search, Translation

__all__ = ["BadPattern", "Matcher", "compile_pattern"]

_PLUS_DEPTH = 10
_MOST_COPIES = 1 << 17  # so many take a tenth of a second and 50 MB
#: microseconds of `re` for a class, the same where case is ignored, a group, an alternative
_CLASS, _FOLDED_CLASS, _GROUP, _BRANCH = 80, 160, 12, 12
_MOST_TIME = 160_000
_REPEAT = lazy_pattern(r"([0-9]{0,9})(,?)[0-9]*\}")
MAX_PATTERN = 1 << 15  # bytes; a third of a second is what Python takes to compile so many


def _costs(text: str) -> tuple[int, int]:
    """What a translation costs `regex` to compile: (depth, copies).

    Repetitions of one or more that stand in one another take twice the time for each level. What is repeated so many
    times at least is written out so many times, within one another the product of all.
    """
    depths, sums = [0], [0]
    depth = weight = at = 0  # of the last atom
    while at < len(text):
        step()
        char = text[at]
        at += 1
        if char == "(":
            depths.append(0)
            sums.append(0)
            depth = weight = 0
            continue
        times = 0
        if char == ")" and len(depths) > 1:
            depth, weight = depths.pop(), sums.pop() + 1
            sums[-1] += weight
        elif char == "+":
            depth, times = depth + 1, 2
        elif char == "{":
            match = _REPEAT.match(text, at)
            depth, times = depth + 1, max(int(match[1] or 0) + (match[2] == ","), 1) if match else 1
        elif char not in "*?":
            if char == "\\":
                at += 1
            elif char == "[":
                end = text.find("]", at + (2 if text.startswith("^", at) else 1))
                at = end + 1 if end >= 0 else at
            depth, weight = 0, 1
            sums[-1] += 1
        if times:
            sums[-1] += weight * (times - 1)
            weight *= times
        depths[-1] = max(depths[-1], depth)
    return max(depths), sum(sums)


def _compile_time(text: str, flags: int) -> int:
    """Microseconds that compiling a translation takes at most, in one stretch: measured for each kind of piece.

    Where case is ignored, `re` goes through the characters of each class one by one.
    """
    classes, groups, branches = (text.count(mark) for mark in "[(|")
    folded = _FOLDED_CLASS if flags & re.IGNORECASE else _CLASS
    return classes * folded + groups * _GROUP + branches * _BRANCH + len(text)


def _literal_of(pattern: bytes, kind: str) -> bytes | None:
    """The text a pattern stands for when it has no operator in it."""
    if kind == "fixed":
        return pattern
    if kind == "basic":
        return None if any(one in pattern for one in (b"\\", b"[", b".", b"*", b"^", b"$")) else pattern
    return None if re.search(rb"[\\\[\].*^$+?{}()|]", pattern) else pattern


def needed_text(pattern: bytes, kind: str) -> bytes | None:
    """A text that stands in all that a pattern matches, where case counts: the longest of the pieces between anchors
    and any characters, where there is nothing else in it."""
    literal = _literal_of(pattern, kind)
    if literal is not None or kind == "fixed":
        return literal
    pieces = re.split(rb"\.\*?", pattern.removeprefix(b"^").removesuffix(b"$"))
    if any(_literal_of(piece, kind) is None for piece in pieces):
        return None
    return max(pieces, key=len) or None


def _translation(text: str, nature: Nature, *, wide: bool, flags: int, longest: bool) -> Translation:
    if _compile_time(text, flags) > _MOST_TIME:
        raise TooLarge("the regular expression is too large to be compiled in one stretch")
    longest = longest and nature.needs_longest
    upper = wide and bool(flags & re.IGNORECASE)  # Python's own folding knows more than glibc's
    flags = 0 if upper else flags
    return Translation(text, wide=wide, flags=flags, longest=longest, odd=nature.needs_regex, upper=upper)


class Matcher:
    """A compiled pattern. `literal` is the text looked for when there is no operator (and case counts), `needed` one
    that has to be there for a match."""

    __slots__ = ("_bytewise", "_narrow", "_runs", "_translate", "_wide", "literal", "needed", "pattern")

    def __init__(
        self,
        pattern: bytes,
        literal: bytes | None,
        translate: Callable[[bool], tuple[str, Nature]] | None,
        *,
        flags: int,
        newline: bool,
        longest: bool,
        ctx: Budget | None,
    ) -> None:
        self.pattern = pattern
        self.literal = self.needed = literal
        self._runs = Search(newline, ctx)
        self._bytewise = True
        self._narrow: Translation | None = None
        self._wide: Translation | None = None
        self._translate: Callable[[], Translation] | None = None
        if translate is not None:
            text, nature = translate(False)
            self._bytewise = nature.ascii_only or getattr(ctx, "byte_patterns", False)
            self._narrow = _translation(text, nature, wide=False, flags=flags, longest=longest)
            self._translate = lambda: _translation(*translate(True), wide=True, flags=flags, longest=longest)

    @property
    def alone(self) -> bool:
        """Whether the pattern may look at what is around the line it matches in."""
        return self._narrow is not None and self._narrow.odd

    @property
    def bytewise(self) -> bool:
        """Whether the pattern means the same on the bytes of any text as on its characters."""
        return self._bytewise

    def takes(self, data: bytes) -> bool:
        """Whether a text can be searched as a whole; each of its lines may still be, where it is too long."""
        return self._narrow is None or self._runs.takes(self._narrow, len(data))

    def test(self, data: bytes) -> bool:
        """Does the pattern occur anywhere in `data`?"""
        if self.literal is not None:
            return self.literal in data
        return self.spans(data) is not None

    def search(self, data: bytes, pos: int = 0) -> tuple[int, int] | None:
        """Where the leftmost match at or after `pos` begins and ends."""
        if self.literal is not None:
            at = data.find(self.literal, pos)
            return None if at < 0 else (at, at + len(self.literal))
        spans = self.spans(data, pos)
        return None if spans is None else spans[0]

    def spans(self, data: bytes, pos: int = 0) -> list[tuple[int, int]] | None:
        """The spans of the leftmost match and of its groups, (-1, -1) for a group that took no part."""
        if self.literal is not None:
            span = self.search(data, pos)
            return None if span is None else [span]
        narrow = self._narrow
        assert narrow is not None
        if self._bytewise or data.isascii():
            match = self._runs.first(narrow, data, pos)
            return None if match is None else [match.span(i) for i in range((match.re.groups or 0) + 1)]
        if self._wide is None:
            assert self._translate is not None
            self._wide = self._translate()
        text = data.decode("utf-8", "surrogateescape")
        match = self._runs.first(
            self._wide, _seen(self._wide, text), len(data[:pos].decode("utf-8", "surrogateescape")) if pos else 0
        )
        if match is None:
            return None
        return [_byte_span(text, match.span(i)) for i in range((match.re.groups or 0) + 1)]

    def all(self, data: bytes) -> list[tuple[int, int]]:
        """The spans of all matches, from left to right, none within another; empty ones included."""
        return list(self.each(data))

    def each(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The same one after the other: of a long text there may be more than fit in memory."""
        if self.literal is not None:
            at = data.find(self.literal)
            while at >= 0:
                step()
                yield at, at + len(self.literal)
                at = data.find(self.literal, at + max(len(self.literal), 1))
            return
        narrow = self._narrow
        assert narrow is not None
        if self._bytewise or data.isascii():
            for match in self._runs.each(narrow, data):
                step()
                yield match.span()
            return
        if self._wide is None:
            assert self._translate is not None
            self._wide = self._translate()
        text = data.decode("utf-8", "surrogateescape")
        sizes = [0, *accumulate([len(char.encode("utf-8", "surrogateescape")) for char in text])]
        for match in self._runs.each(self._wide, _seen(self._wide, text)):
            step()
            yield sizes[match.start()], sizes[match.end()]

    def scanner(self, data: bytes) -> Callable[[int], tuple[int, int] | None]:
        """`search` for many rising positions of one text: what must be prepared is prepared once."""
        if self._bytewise or data.isascii():
            return lambda at: self.search(data, at)
        if self._wide is None:
            assert self._translate is not None
            self._wide = self._translate()
        wide = self._wide
        text = data.decode("utf-8", "surrogateescape")
        compared = _seen(wide, text)
        seen = [0, 0]  # a character's offset and the same in bytes; both only grow

        def search(at: int) -> tuple[int, int] | None:
            chars, size = seen
            chars += len(data[size:at].decode("utf-8", "surrogateescape"))
            seen[:] = chars, at
            match = self._runs.first(wide, compared, chars)
            if match is None:
                return None
            start = at + len(text[chars : match.start()].encode("utf-8", "surrogateescape"))
            return start, start + len(text[match.start() : match.end()].encode("utf-8", "surrogateescape"))

        return search


def _seen(form: Translation, text: str) -> str:
    """The text that a pattern is compared with: of as many characters."""
    return upper_of(text) if form.upper else text


def _byte_span(text: str, span: tuple[int, int]) -> tuple[int, int]:
    if span[0] < 0:
        return span
    start = len(text[: span[0]].encode("utf-8", "surrogateescape"))
    return start, start + len(text[span[0] : span[1]].encode("utf-8", "surrogateescape"))


def compile_pattern(
    pattern: bytes,
    kind: str = "basic",
    *,
    ignore_case: bool = False,
    newline: bool = False,
    longest: bool = False,
    continued: bool = False,
    library: bool = False,
    octets: bool = False,
    ctx: Budget | None = None,
) -> Matcher:
    """Compile one of git's patterns.

    `kind` is "basic", "extended", "fixed" or "perl". With `newline`, `^` and `$` match at every line and neither `.`
    nor `[^x]` matches a newline (regcomp's REG_NEWLINE). `longest` asks for POSIX's leftmost-longest extent; who only
    wants to know *whether* a pattern matches leaves it off. `continued` is for Perl's patterns on the rest of a line,
    at whose front `^` does not match. Where case is ignored git's grep and log give plain text to PCRE2, and the
    rest of git to the C library (`library`), which folds other letters. With `octets` only ASCII has case.
    Matching stops with `Timeout` at `ctx`'s deadline.
    Raises `BadPattern` with the C library's words.
    """
    literal = _literal_of(pattern, kind)
    if literal is not None and not ignore_case:
        return Matcher(pattern, literal, None, flags=0, newline=newline, longest=False, ctx=ctx)
    if len(pattern) > MAX_PATTERN:
        raise BadPattern(pattern, "Regular expression too big")
    flags = re.IGNORECASE if ignore_case else 0

    if kind == "fixed" or (literal is not None and not library):

        def escaped(wide: bool) -> tuple[str, Nature]:
            bytewise = octets or getattr(ctx, "byte_patterns", False)
            nature = Nature(ignore_case)
            nature.ascii_only = bytewise
            return _folded(pattern, wide, bytewise), nature

        return Matcher(pattern, None, escaped, flags=0, newline=newline, longest=False, ctx=ctx)
    if kind == "perl":
        return _compile_perl(pattern, ignore_case, newline, continued, ctx)

    def posix(wide: bool) -> tuple[str, Nature]:
        octets = getattr(ctx, "byte_patterns", False)
        job = Posix(pattern, extended=kind == "extended", newline=newline, icase=ignore_case, wide=wide, octets=octets)
        return job.translate(), job.nature

    matcher = Matcher(pattern, None, posix, flags=flags, newline=newline, longest=longest, ctx=ctx)
    matcher.needed = None if ignore_case else needed_text(pattern, kind)
    return _bearable(matcher)


def _bearable(matcher: Matcher, words: str = "Regular expression too big") -> Matcher:
    """A pattern that can be compiled in a while; `BadPattern` in the library's words for what is too big."""
    narrow = matcher._narrow
    if narrow is not None:
        depth, copies = _costs(narrow.text)
        if depth > _PLUS_DEPTH or copies > _MOST_COPIES:
            raise BadPattern(matcher.pattern, words)
    return matcher


def _folded(pattern: bytes, wide: bool, octets: bool) -> str:
    """Plain text where case is ignored. git leaves it to PCRE2, whatever the kind of the pattern."""
    from .perl.classes import CharSet, folds_of

    if octets:
        text, wide = pattern.decode("latin-1"), False
    else:
        text = pattern.decode("utf-8", "surrogateescape")
    pieces = []
    for char in text:
        family = folds_of(ord(char), octets)
        if len(family) == 1 and (wide or octets or char < "\x80" or "\udc80" <= char <= "\udcff"):
            pieces.append(re.escape(char if wide or char < "\udc80" else chr(ord(char) & 0xFF)))
        else:
            pieces.append(CharSet([(one, one) for one in family]).written(False, wide=wide, octets=octets)[0])
    return "".join(pieces)


def _compile_perl(pattern: bytes, icase: bool, newline: bool, continued: bool, ctx: Budget | None) -> Matcher:
    from .perl.syntax import Perl  # only for -P

    octets = getattr(ctx, "byte_patterns", False)

    def perl(wide: bool) -> tuple[str, Nature]:
        job = Perl(pattern, icase=icase, wide=wide and not octets, octets=octets, continued=continued)
        return job.translate(), job.nature

    perl(True)  # some of what is not there shows here only
    matcher = Matcher(pattern, None, perl, flags=0, newline=newline, longest=False, ctx=ctx)
    narrow = _bearable(matcher, "regular expression is too large")._narrow
    assert narrow is not None
    try:
        if narrow.odd:
            narrow.bounded()
        else:
            narrow.standard()
    except (ValueError, re.error, OverflowError, RecursionError) as error:
        raise BadPattern(pattern, f"gitglass cannot compile the pattern: {error}") from None
    except Exception as error:  # regex.error shares no base with re.error
        if type(error).__module__.startswith(("regex", "_regex")):
            raise BadPattern(pattern, f"gitglass cannot compile the pattern: {error}") from None
        raise
    return matcher

"""git's regular expressions, as one compiled matcher on bytes that is bounded in time.

git hands patterns to the C library (POSIX basic or extended, in glibc's dialect: `\\w`, `\\b`, `\\<`, `\\+` in basic
ones, back-references) or to PCRE (`-P`). Here patterns are translated to Python's syntax. Three engines search:

- a pattern without operators is searched with `bytes.find`;
- a pattern that provably cannot take long on data of the given size runs in the standard `re`;
- everything else runs in the third-party `regex`, which stops when its time has passed. It is slow to import, so it
  is imported when first needed. `regex.search` chooses the engine and looks at the clock.

The locale is C.UTF-8 unless the context says `byte_patterns`: `.` matches one character, not one byte. ASCII data
(nearly all) is matched as bytes. Other data is decoded and matched as text, and the offsets are converted back to
bytes, unless no part of the pattern depends on it. Mirrors regex(7), grep(1) "REGULAR EXPRESSIONS", and git-log(1)
`-E -F -P`.
"""

import re
from collections.abc import Callable, Iterator

from ..deferred import lazy_pattern
from ..errors import TooLarge
from ..limits import paced, step
from .capitals import upper_of
from .posix import BadPattern, Nature, Posix
from .search import Budget, Search, Translation
from .utf8 import decode_pattern

__all__ = ["BadPattern", "Matcher", "compile_pattern"]

_PLUS_DEPTH = 10
_MOST_COPIES = 1 << 17  # compiling this many takes a tenth of a second and 50 MB
#: microseconds that `re` takes to compile a class, a class with case ignored, a group, an alternative
_CLASS, _FOLDED_CLASS, _GROUP, _BRANCH = 80, 160, 12, 12
_MOST_TIME = 160_000
_REPEAT = lazy_pattern(r"([0-9]{0,9})(,?)[0-9]*\}")
_OPERATORS = lazy_pattern(rb"[$()*+.?\[\\^{|]")  # without these git takes a pattern of any kind for plain text
MAX_PATTERN = 1 << 15  # bytes; Python takes a third of a second to compile a pattern of this length


def _costs(text: str) -> tuple[int, int]:
    """The cost for `regex` to compile a translation: (depth, copies).

    `depth` is the nesting of counted and `+` repetitions: each level doubles the time. `copies` is the number of pieces
    after each repetition is written out as often as it matches at least; nested repetitions multiply.
    """
    depths, sums = [0], [0]
    depth = weight = at = 0  # `depth` and `weight` are those of the last atom
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
    """An upper bound of the microseconds that compiling a translation takes, from measured costs of its pieces.

    If case is ignored, `re` goes through the characters of each class one by one.
    """
    classes, groups, branches = (text.count(mark) for mark in "[(|")
    folded = _FOLDED_CLASS if flags & re.IGNORECASE else _CLASS
    return classes * folded + groups * _GROUP + branches * _BRANCH + len(text)


def _literal_of(pattern: bytes, kind: str) -> bytes | None:
    """The text that a pattern without operators stands for; None if it has an operator."""
    if kind == "fixed":
        return pattern
    if kind == "basic":
        return None if any(operator in pattern for operator in (b"\\", b"[", b".", b"*", b"^", b"$")) else pattern
    return None if re.search(rb"[\\\[.*^$+?{()|]", pattern) else pattern


def needed_text(pattern: bytes, kind: str) -> bytes | None:
    """A text that every match contains, if case counts: the longest literal piece of a pattern that has no operators
    but anchors and `.` or `.*` between the pieces. None for other patterns."""
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
    upper = wide and bool(flags & re.IGNORECASE)  # Python's case folding equates more letters than glibc's
    flags = 0 if upper else flags
    return Translation(text, wide=wide, flags=flags, longest=longest, odd=nature.needs_regex, upper=upper)


class Matcher:
    """A compiled pattern. `literal` is the whole text of a pattern without operators (if case counts), `needed` a text
    that every match contains."""

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
        """Whether a match may depend on text around its line, so that each line has to be searched by itself."""
        return self._narrow is not None and self._narrow.odd

    @property
    def bytewise(self) -> bool:
        """Whether the pattern matches the same in the bytes of a text as in its characters."""
        return self._bytewise

    @property
    def crosses(self) -> bool:
        """Whether a match may lie in several lines, or depend on text around its line."""
        return self._narrow is not None and (self._narrow.cost.crosses or self._narrow.odd)

    @property
    def prefix(self) -> bytes:
        """Text that every match in ASCII begins with; empty where none is known."""
        return b"" if self._narrow is None else self._narrow.prefix

    def takes(self, data: bytes) -> bool:
        """Whether `data` can be searched as a whole; if it is too long, its lines may still be searched one by one."""
        return self._narrow is None or self._runs.takes(self._narrow, len(data))

    def test(self, data: bytes) -> bool:
        """Whether the pattern occurs anywhere in `data`."""
        if self.literal is not None:
            return self.literal in data
        return self.spans(data) is not None

    def test_lines(self, data: bytes) -> bool:
        """Whether the pattern occurs in any line of `data`, looked at without its newline and what is around it. A
        literal pattern has no newline in it."""
        if not self.crosses:
            return self.test(data)
        return any(self.test(line) for line in paced(data.split(b"\n")))

    def search(self, data: bytes, pos: int = 0) -> tuple[int, int] | None:
        """(start, end) of the leftmost match at or after `pos`, or None."""
        if self.literal is not None:
            at = data.find(self.literal, pos)
            return None if at < 0 else (at, at + len(self.literal))
        spans = self.spans(data, pos)
        return None if spans is None else spans[0]

    def spans(self, data: bytes, pos: int = 0) -> list[tuple[int, int]] | None:
        """The spans of the leftmost match and of its groups; (-1, -1) for a group that took no part in the match."""
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
            self._wide,
            _compared_text(self._wide, text),
            len(data[:pos].decode("utf-8", "surrogateescape")) if pos else 0,
        )
        if match is None:
            return None
        return [_byte_span(text, match.span(i)) for i in range((match.re.groups or 0) + 1)]

    def all(self, data: bytes) -> list[tuple[int, int]]:
        """The spans of all matches from left to right, not overlapping, empty ones included."""
        return list(self.each(data))

    def each(self, data: bytes, pos: int = 0, *, lined: bool = False) -> Iterator[tuple[int, int]]:
        """`all` as an iterator, of matches at or after `pos`: those of a long text may not fit in memory. `lined`: of
        the matches in one line only the first is asked for, and it may be given to the end of the line."""
        if self.literal is not None:
            at = data.find(self.literal, pos)
            while at >= 0:
                step()
                yield at, at + len(self.literal)
                at = data.find(self.literal, at + max(len(self.literal), 1))
            return
        narrow = self._narrow
        assert narrow is not None
        if self._bytewise or data.isascii():
            for match in self._runs.each(narrow, data, pos, lined=lined):
                step()
                yield match.span()
            return
        if self._wide is None:
            assert self._translate is not None
            self._wide = self._translate()
        text = data.decode("utf-8", "surrogateescape")
        chars = len(data[:pos].decode("utf-8", "surrogateescape")) if pos else 0
        size = pos  # the same offset in bytes; both only grow
        for match in self._runs.each(self._wide, _compared_text(self._wide, text), chars):
            step()
            start = size + len(text[chars : match.start()].encode("utf-8", "surrogateescape"))
            size = start + len(text[match.start() : match.end()].encode("utf-8", "surrogateescape"))
            chars = match.end()
            yield start, size

    def scanner(self, data: bytes) -> Callable[[int], tuple[int, int] | None]:
        """`search` for many increasing positions of one text; the text is prepared only once."""
        if self._bytewise or data.isascii():
            return lambda at: self.search(data, at)
        if self._wide is None:
            assert self._translate is not None
            self._wide = self._translate()
        wide = self._wide
        text = data.decode("utf-8", "surrogateescape")
        compared = _compared_text(wide, text)
        offsets = [0, 0]  # an offset in characters and the same offset in bytes; both only grow

        def search(at: int) -> tuple[int, int] | None:
            chars, size = offsets
            chars += len(data[size:at].decode("utf-8", "surrogateescape"))
            offsets[:] = chars, at
            match = self._runs.first(wide, compared, chars)
            if match is None:
                return None
            start = at + len(text[chars : match.start()].encode("utf-8", "surrogateescape"))
            return start, start + len(text[match.start() : match.end()].encode("utf-8", "surrogateescape"))

        return search


def _compared_text(form: Translation, text: str) -> str:
    """The form of a text that the pattern is compared with, of the same number of characters."""
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
    nor `[^x]` matches a newline (regcomp's REG_NEWLINE). `longest` asks for POSIX's leftmost-longest match; callers
    that only ask *whether* a pattern matches leave it off. `continued`: the text is the rest of a line, so that `^`
    does not match at its start (Perl's patterns only). If case is ignored, git's grep and log give plain text to PCRE2,
    and the rest of git gives it to the C library (`library`), which folds other letters. With `octets` only ASCII has
    case.
    Matching raises `Timeout` at the deadline of `ctx`.
    Raises `BadPattern` with the C library's message.
    """
    literal = _literal_of(pattern, kind)
    if literal is not None and not ignore_case:
        return Matcher(pattern, literal, None, flags=0, newline=newline, longest=False, ctx=ctx)
    if len(pattern) > MAX_PATTERN:
        raise BadPattern(pattern, "Regular expression too big")
    flags = re.IGNORECASE if ignore_case else 0

    if kind == "fixed" or (literal is not None and not library and _OPERATORS.search(pattern) is None):
        bytewise = octets or getattr(ctx, "byte_patterns", False)
        if not (bytewise or pattern.isascii()):
            decode_pattern(pattern if _OPERATORS.search(pattern) is None else b"\\Q" + pattern + b"\\E")

        def escaped(wide: bool) -> tuple[str, Nature]:
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
    """The matcher itself if `regex` can compile its pattern in reasonable time; raises `BadPattern` otherwise."""
    narrow = matcher._narrow
    if narrow is not None:
        depth, copies = _costs(narrow.text)
        if depth > _PLUS_DEPTH or copies > _MOST_COPIES:
            raise BadPattern(matcher.pattern, words)
    return matcher


def _folded(pattern: bytes, wide: bool, octets: bool) -> str:
    """A translation of plain text with case ignored. git gives such text to PCRE2, whatever the kind of the pattern."""
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
            pieces.append(CharSet([(member, member) for member in family]).written(False, wide=wide, octets=octets)[0])
    return "".join(pieces)


def _compile_perl(pattern: bytes, icase: bool, newline: bool, continued: bool, ctx: Budget | None) -> Matcher:
    from .perl.syntax import Perl  # imported for -P only

    octets = getattr(ctx, "byte_patterns", False)

    def perl(wide: bool) -> tuple[str, Nature]:
        job = Perl(pattern, icase=icase, wide=wide and not octets, octets=octets, continued=continued)
        return job.translate(), job.nature

    perl(True)  # some unsupported syntax is only detected in the translation for text
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
    except Exception as error:  # regex.error has no base class in common with re.error
        if type(error).__module__.startswith(("regex", "_regex")):
            raise BadPattern(pattern, f"gitglass cannot compile the pattern: {error}") from None
        raise
    return matcher

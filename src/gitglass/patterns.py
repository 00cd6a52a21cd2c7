"""git's regular expressions, as one compiled matcher on bytes that is bounded in time.

git hands patterns to the C library (POSIX basic or extended, in glibc's dialect: `\\w`, `\\b`, `\\<`, `\\+` in basic
ones, back-references) or to PCRE (`-P`). They are translated here to Python's syntax. Three engines then serve them:

- a pattern without operators is `bytes.find`;
- a pattern that cannot take long on data of the given size runs in the standard `re`;
- everything else runs in the third-party `regex`, whose matching obeys a deadline. It is slow to import, so it is
  imported when first needed.

Locale is C.UTF-8, as where git is asked: `.` matches one character, not one byte. ASCII data (nearly all) is matched
as bytes; other data is decoded, matched as text, and the offsets are turned back, unless the pattern holds nothing
whose meaning depends on it. Mirrors regex(7), grep(1) "REGULAR EXPRESSIONS", and git-log(1) `-E -F -P`.
"""

import re
from collections.abc import Callable
from typing import Any, Protocol

from .errors import GitError, Timeout

__all__ = ["BadPattern", "Matcher", "compile_pattern"]

_DUP_MAX = 0x7FFF
_DEFAULT_SECONDS = 10.0
# How long a subject may be before a pattern with so many unbounded repetitions leaves `re` (time is size^(n+1)).
_RE_REACH = (1 << 40, 1 << 15, 1500, 300)
_CLASSES = {
    b"alpha": "a-zA-Z",
    b"digit": "0-9",
    b"alnum": "a-zA-Z0-9",
    b"upper": "A-Z",
    b"lower": "a-z",
    b"space": " \\t\\n\\r\\f\\v",
    b"blank": " \\t",
    b"punct": "!-/:-@\\[-`{-~",
    b"print": " -~",
    b"graph": "!-~",
    b"cntrl": "\\x00-\\x1f\\x7f",
    b"xdigit": "0-9a-fA-F",
}
_WIDE_CLASSES = {
    b"alpha": r"\p{L}\p{Nl}",
    b"digit": "0-9",
    b"alnum": r"\p{L}\p{N}",
    b"upper": r"\p{Lu}",
    b"lower": r"\p{Ll}",
    b"space": r"\s",
    b"blank": r"\t\p{Zs}",
    b"punct": r"\p{P}\p{S}",
    b"print": r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}",
    b"graph": r"\p{L}\p{M}\p{N}\p{P}\p{S}",
    b"cntrl": r"\p{Cc}",
    b"xdigit": "0-9a-fA-F",
}
_PERL_WORDS = {
    "nothing to repeat": "quantifier does not follow a repeatable item",
    "multiple repeat": "quantifier does not follow a repeatable item",
    "missing )": "missing closing parenthesis",
    "unbalanced parenthesis": "unmatched closing parenthesis",
    "unterminated character set": "missing terminating ] for character class",
    "bad escape (end of pattern)": "\\ at end of pattern",
    "bad character range": "range out of order in character class",
    "invalid group reference": "reference to non-existent subpattern",
    "min repeat greater than max repeat": "numbers out of order in {} quantifier",
}


class BadPattern(GitError):
    """A pattern that cannot be compiled; `reason` is the C library's sentence, for callers with words of their own."""

    code = "invalid_args"

    def __init__(self, pattern: bytes, reason: str) -> None:
        shown = pattern.decode("utf-8", "surrogateescape")
        super().__init__(f"command line, '{shown}': {reason}")
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return GitError, (self.message,)


class _Budget(Protocol):
    """What of a `limits.Context` is used here."""

    def remaining(self) -> float | None: ...


class _Nature:
    """What the translation found out about a pattern."""

    __slots__ = ("ascii_only", "icase", "needs_longest", "needs_regex", "quantifiers", "risky", "unbounded")

    def __init__(self, icase: bool) -> None:
        self.icase = icase
        self.ascii_only = not icase  # the meaning of the pattern on bytes and on characters is the same
        self.needs_regex = False
        self.needs_longest = False  # alternatives or optional groups: leftmost-first may differ from leftmost-longest
        self.quantifiers = 0
        self.unbounded = 0
        self.risky = False  # nested repetition or back-references

    def repeat(self, group: bool, complex_group: bool, high: int | None) -> None:
        """Take note of one quantifier."""
        self.quantifiers += 1
        if high is None or high > 16:
            self.unbounded += 1
        if group:
            self.needs_longest = True
            if complex_group and (high is None or high > 1):
                self.risky = True


class _Posix:
    """Translates one POSIX pattern, left to right, without recursion."""

    def __init__(self, pattern: bytes, *, extended: bool, newline: bool, icase: bool, wide: bool) -> None:
        self.pattern = pattern
        self.extended = extended
        self.newline = newline
        self.wide = wide
        self.nature = _Nature(icase)
        self.at = 0
        # Per open group: (pieces before it, whether it holds a quantifier or an alternative).
        self.stack: list[tuple[list[str], bool, int]] = []
        self.pieces: list[str] = []
        self.complex = False
        self.can_repeat = False  # is there an atom before us that a quantifier may follow?
        self.just_repeated = False
        self.group_before = False
        self.group_complex = False
        self.groups = 0
        self.closed: set[int] = set()

    def bad(self, reason: str) -> BadPattern:
        return BadPattern(self.pattern, reason)

    def translate(self) -> str:
        """The pattern in Python's syntax."""
        pattern = self.pattern
        size = len(pattern)
        while self.at < size:
            char = pattern[self.at : self.at + 1]
            if char == b"\\":
                self._escape()
            elif char == b"[":
                self._atom(self._bracket())
            elif char == b".":
                self.at += 1
                self.nature.ascii_only = False
                self._atom(self._any())
            elif char == b"*":
                self._star()
            elif char == b"^":
                self._caret()
            elif char == b"$":
                self._dollar()
            elif self.extended and char in b"+?{()|":
                self._operator(char, 1)
            else:
                self._literal()
        if self.stack:
            raise self.bad("Unmatched ( or \\(")
        return "".join(self.pieces)

    # -- atoms ------------------------------------------------------------------------------------------------------

    def _atom(self, piece: str, *, group: bool = False, complex_group: bool = False) -> None:
        self.pieces.append(piece)
        self.can_repeat = True
        self.just_repeated = False
        self.group_before = group
        self.group_complex = complex_group

    def _anchor(self, piece: str) -> None:
        self.pieces.append(piece)
        self.can_repeat = False
        self.just_repeated = False

    def _any(self) -> str:
        if self.wide:
            return "[^\\n\\udc80-\\udcff]" if self.newline else "[^\\udc80-\\udcff]"
        return "." if self.newline else "(?s:.)"

    def _literal(self) -> None:
        """One character: one byte, or in text mode all bytes of a UTF-8 character."""
        piece = self._character()
        self._atom(re.escape(piece))

    def _character(self) -> str:
        pattern, at = self.pattern, self.at
        lead = pattern[at]
        if lead < 0x80:
            self.at += 1
            return chr(lead)
        length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        chunk = pattern[at : at + length]
        try:
            text = chunk.decode()
        except UnicodeDecodeError:
            text = chunk[:1].decode("utf-8", "surrogateescape")
            length = 1
        self.at += length
        if not self.wide:
            # A whole character must repeat, not its last byte; inside brackets this form is never used on bytes.
            text = pattern[at : at + length].decode("latin-1")
        self.nature.ascii_only = False
        return text

    def _escape(self) -> None:
        at = self.at
        if at + 1 >= len(self.pattern):
            raise self.bad("Trailing backslash")
        char = self.pattern[at + 1 : at + 2]
        if not self.extended and char in (b"(", b")", b"{", b"|", b"+", b"?"):
            self._operator(char, 2)
            return
        if char.isdigit() and char != b"0":
            self.at += 2
            if int(char) not in self.closed:
                raise self.bad("Invalid back reference")
            self.nature.risky = True
            self.nature.ascii_only = False
            self._atom(f"(?:\\{int(char)})", group=True, complex_group=True)
            return
        special = {
            b"w": "\\w",
            b"W": "\\W" if not self.wide else "[^\\w\\udc80-\\udcff]",
            b"s": "\\s",
            b"S": "\\S" if not self.wide else "[^\\s\\udc80-\\udcff]",
        }.get(char)
        if special is not None:
            self.at += 2
            self.nature.ascii_only = False
            self._atom(special)
            return
        anchor = {b"b": "\\b", b"B": "\\B", b"<": "\\b(?=\\w)", b">": "\\b(?<=\\w)", b"`": "\\A", b"'": "\\Z"}.get(char)
        if anchor is not None:
            self.at += 2
            self.nature.ascii_only = False
            self._anchor(anchor)
            return
        self.at += 1
        self._literal()

    # -- operators --------------------------------------------------------------------------------------------------

    def _operator(self, char: bytes, width: int) -> None:
        if char == b"(":
            self.at += width
            self._open()
        elif char == b")":
            self._close(width)
        elif char == b"|":
            self.at += width
            self.pieces.append("|")
            self.complex = True
            self.nature.needs_longest = True
            self.can_repeat = self.just_repeated = False
        elif char == b"{":
            self._interval(width)
        else:
            if not self.can_repeat and not self.extended:
                self.at += width  # basic: \+ with nothing before it is a plus
                self._atom(re.escape(char.decode()))
                return
            self._quantify(char.decode(), width, None if char == b"+" else 1)

    def _open(self) -> None:
        self.groups += 1
        self.stack.append((self.pieces, self.complex, self.groups))
        self.pieces = []
        self.complex = False
        self.can_repeat = self.just_repeated = False

    def _close(self, width: int) -> None:
        if not self.stack:
            if not self.extended:
                raise self.bad("Unmatched ( or \\(")
            self._literal()
            return
        self.at += width
        inner, was_complex = "".join(self.pieces), self.complex
        self.pieces, outer_complex, number = self.stack.pop()
        self.complex = outer_complex or was_complex
        self.closed.add(number)
        self._atom(f"({inner})", group=True, complex_group=was_complex)

    def _star(self) -> None:
        if not self.can_repeat and not self.extended:
            self._literal()
            return
        self._quantify("*", 1, None)

    def _quantify(self, text: str, width: int, high: int | None, *, interval: bool = False) -> None:
        if not self.can_repeat:
            raise self.bad("Invalid preceding regular expression")
        if self.just_repeated:
            if not self.extended and (text == "*" or interval):
                raise self.bad("Invalid preceding regular expression")
            # a** and kin: the whole so far is repeated again.
            self.pieces[-1] = f"(?:{self.pieces[-1]})"
            self.group_before = self.group_complex = True
        self.at += width
        piece = self.pieces[-1]
        if not self.group_before and len(piece) > 1 and not piece.startswith(("[", "\\", "(")):
            piece = f"(?:{piece})"  # the bytes of one non-ASCII character
        elif not self.wide and not self.group_before and len(piece) > 2 and piece.startswith("\\"):
            piece = f"(?:{piece})"
        self.nature.repeat(self.group_before, self.group_complex, high)
        self.pieces[-1] = piece + text
        self.just_repeated = True
        self.complex = True

    def _interval(self, width: int) -> None:
        if not self.can_repeat:
            raise self.bad("Invalid preceding regular expression")
        match = re.compile(rb"(\d*)(,?)(\d*)").match(self.pattern, self.at + width)
        assert match is not None
        closing = b"}" if self.extended else b"\\}"
        low_text, comma, high_text = match.groups()
        if not self.pattern.startswith(closing, match.end()):
            at_end = match.end() >= len(self.pattern) or (match.end() == self.at + width)
            raise self.bad("Unmatched \\{" if at_end else "Invalid content of \\{\\}")
        if not low_text and not comma:
            raise self.bad("Invalid content of \\{\\}")
        low = int(low_text[:9] or b"0")
        high = (int(high_text[:9]) if high_text else None) if comma else low
        if high is not None and low > high:
            raise self.bad("Invalid content of \\{\\}")
        if max(low, high or 0) > _DUP_MAX:
            raise self.bad("Regular expression too big")
        if self.group_before and max(low, high or 0) > 255:
            self.nature.risky = True
        text = f"{{{low},{'' if high is None else high}}}"
        self._quantify(text, match.end() + len(closing) - self.at, high, interval=True)

    # -- anchors ----------------------------------------------------------------------------------------------------

    def _caret(self) -> None:
        leading = not self.pieces or self.pieces[-1] == "|"
        if not self.extended and not leading:
            self._literal()
            return
        self.at += 1
        self._anchor("(?m:^)" if self.newline else "\\A")

    def _dollar(self) -> None:
        rest = self.pattern[self.at + 1 : self.at + 3]
        if not self.extended and rest and rest not in (b"\\)", b"\\|"):
            self._literal()
            return
        self.at += 1
        self._anchor("(?m:$)" if self.newline else "\\Z")

    # -- brackets ---------------------------------------------------------------------------------------------------

    def _bracket(self) -> str:
        pattern = self.pattern
        self.at += 1
        if self.at >= len(pattern):
            raise self.bad("Invalid regular expression")
        negated = pattern.startswith(b"^", self.at)
        if negated:
            self.at += 1
            self.nature.ascii_only = False
            if self.at >= len(pattern):
                raise self.bad("Invalid regular expression")
        members: list[str] = []
        first = True
        while True:
            if self.at >= len(pattern):
                raise self.bad("Unmatched [, [^, [:, [., or [=")
            if pattern.startswith(b"]", self.at) and not first:
                self.at += 1
                break
            first = False
            self._member(members)
        return self._set(members, negated)

    def _member(self, members: list[str]) -> None:
        pattern = self.pattern
        if pattern.startswith(b"[:", self.at):
            name = self._named(b":]")
            table = _WIDE_CLASSES if self.wide else _CLASSES
            if name not in table:
                raise self.bad("Invalid character class name")
            if self.nature.icase and name in (b"upper", b"lower"):
                name = b"alpha"
            members.append(table[name])
            self.nature.ascii_only = False
            self.nature.needs_regex |= self.wide and "\\p" in table[name]
            if pattern.startswith(b"-", self.at) and not pattern.startswith(b"-]", self.at):
                raise self.bad("Invalid range end")
            return
        low = self._endpoint()
        high = low
        if pattern.startswith(b"-", self.at) and not pattern.startswith(b"-]", self.at) and self.at + 1 < len(pattern):
            self.at += 1
            if pattern.startswith(b"[:", self.at):
                raise self.bad("Invalid range end")
            high = self._endpoint()
            if high < low:
                raise self.bad("Invalid range end")
        members.append(_in_set(low) if high == low else f"{_in_set(low)}-{_in_set(high)}")

    def _endpoint(self) -> str:
        if self.pattern.startswith((b"[.", b"[="), self.at):
            name = self._named(self.pattern[self.at + 1 : self.at + 2] + b"]")
            text = name.decode("utf-8", "surrogateescape")
            if len(text) != 1:
                raise self.bad("Invalid collation character")
            return text
        return self._character()

    def _named(self, closing: bytes) -> bytes:
        end = self.pattern.find(closing, self.at + 2)
        if end < 0:
            raise self.bad("Unmatched [, [^, [:, [., or [=")
        name = self.pattern[self.at + 2 : end]
        self.at = end + 2
        return name

    def _set(self, members: list[str], negated: bool) -> str:
        body = "".join(members)
        if not negated:
            return f"[{body}]"
        if self.newline:
            body += "\\n"
        if self.wide:
            body += "\\udc80-\\udcff"
        return f"[^{body}]"


def _in_set(char: str) -> str:
    """A character as a member of a Python set. A multi-byte one cannot be, on bytes; such patterns never run there."""
    if len(char) > 1:
        return "".join(_in_set(one) for one in char)
    return "\\" + char if char in "\\]^-[&~|#" else char


def _literal_of(pattern: bytes, kind: str) -> bytes | None:
    """The text a pattern stands for when it has no operator in it."""
    if kind == "fixed":
        return pattern
    if kind == "basic":
        return None if any(one in pattern for one in (b"\\", b"[", b".", b"*", b"^", b"$")) else pattern
    return None if re.search(rb"[\\\[\].*^$+?{}()|]", pattern) else pattern


def _perl_nature(text: str, icase: bool) -> _Nature:
    """A cautious guess at what a Perl pattern can do."""
    nature = _Nature(icase)
    nature.ascii_only = False
    plain = re.sub(r"\\.", "", text)
    nature.unbounded = plain.count("*") + plain.count("+") + plain.count("{")
    nature.quantifiers = nature.unbounded + plain.count("?")
    odd = re.search(r"\\[KRXQEhHvVNGpPkgzC]|\(\?(?!:)|\(\*|\[\^?\[|[*+?}]\+|--|&&|~~|\|\|", text)
    nature.needs_regex = odd is not None
    nature.risky = re.search(r"\)[*+{]", plain) is not None or re.search(r"\\[1-9]", text) is not None
    return nature


class _Lazy:
    """One translation of a pattern, compiled by `re` and by `regex` when each is first needed."""

    __slots__ = ("_re", "_regex", "flags", "longest", "nature", "text", "wide")

    def __init__(self, text: str, nature: _Nature, *, wide: bool, flags: int, longest: bool) -> None:
        self.text = text
        self.nature = nature
        self.wide = wide
        self.flags = flags
        self.longest = longest and nature.needs_longest
        self._re: re.Pattern[Any] | None = None
        self._regex: Any = None

    def standard(self) -> re.Pattern[Any]:
        if self._re is None:
            self._re = re.compile(self.text if self.wide else self.text.encode("latin-1"), self.flags)
        return self._re

    def bounded(self) -> Any:
        if self._regex is None:
            import regex  # 20 ms: only for patterns that need it

            text = ("(?p)" if self.longest else "") + self.text
            flags = regex.V0 | (regex.IGNORECASE if self.flags & re.IGNORECASE else 0)
            flags |= regex.MULTILINE if self.flags & re.MULTILINE else 0
            self._regex = regex.compile(text if self.wide else text.encode("latin-1"), flags)
        return self._regex

    def fits_re(self, data: bytes | str, newline: bool) -> bool:
        """May `re` be trusted to finish soon?"""
        nature = self.nature
        if nature.needs_regex or nature.risky or self.longest or nature.quantifiers > 8:
            return False
        if nature.unbounded >= len(_RE_REACH):
            return False
        reach = _RE_REACH[nature.unbounded]
        if len(data) <= reach:
            return True
        if not newline:
            return False
        lines: list[Any] = data.split("\n") if isinstance(data, str) else data.split(b"\n")
        return len(max(lines, key=len)) <= reach


class Matcher:
    """A compiled pattern. `literal` is the text looked for when there is no operator (and case counts)."""

    __slots__ = ("_ctx", "_find", "_longest", "_narrow", "_newline", "_translate", "_wide", "literal", "pattern")

    def __init__(
        self,
        pattern: bytes,
        literal: bytes | None,
        translate: Callable[[bool], tuple[str, _Nature]] | None,
        *,
        flags: int,
        newline: bool,
        longest: bool,
        ctx: _Budget | None,
    ) -> None:
        self.pattern = pattern
        self.literal = literal
        self._ctx = ctx
        self._newline = newline
        self._narrow: _Lazy | None = None
        self._wide: _Lazy | None = None
        self._translate: Callable[[], _Lazy] | None = None
        if translate is not None:
            text, nature = translate(False)
            self._narrow = _Lazy(text, nature, wide=False, flags=flags, longest=longest)
            self._translate = lambda: _Lazy(*translate(True), wide=True, flags=flags, longest=longest)

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
            found = self.search(data, pos)
            return None if found is None else [found]
        narrow = self._narrow
        assert narrow is not None
        if narrow.nature.ascii_only or data.isascii():
            match = self._run(narrow, data, pos)
            return None if match is None else [match.span(i) for i in range((match.re.groups or 0) + 1)]
        if self._wide is None:
            assert self._translate is not None
            self._wide = self._translate()
        text = data.decode("utf-8", "surrogateescape")
        match = self._run(self._wide, text, len(data[:pos].decode("utf-8", "surrogateescape")) if pos else 0)
        if match is None:
            return None
        return [_byte_span(text, match.span(i)) for i in range((match.re.groups or 0) + 1)]

    def scanner(self, data: bytes) -> Callable[[int], tuple[int, int] | None]:
        """`search` for many rising positions of one text: what must be prepared is prepared once."""
        narrow = self._narrow
        if narrow is None or narrow.nature.ascii_only or data.isascii():
            return lambda at: self.search(data, at)
        if self._wide is None:
            assert self._translate is not None
            self._wide = self._translate()
        wide = self._wide
        text = data.decode("utf-8", "surrogateescape")
        seen = [0, 0]  # a character's offset and the same in bytes; both only grow

        def search(at: int) -> tuple[int, int] | None:
            chars, size = seen
            chars += len(data[size:at].decode("utf-8", "surrogateescape"))
            seen[:] = chars, at
            match = self._run(wide, text, chars)
            if match is None:
                return None
            start = at + len(text[chars : match.start()].encode("utf-8", "surrogateescape"))
            return start, start + len(match[0].encode("utf-8", "surrogateescape"))

        return search

    def _run(self, lazy: _Lazy, data: bytes | str, pos: int) -> Any:
        if lazy.fits_re(data, self._newline):
            return lazy.standard().search(data, pos)
        seconds = self._ctx.remaining() if self._ctx is not None else _DEFAULT_SECONDS
        try:
            return lazy.bounded().search(data, pos, timeout=seconds)
        except TimeoutError:
            raise Timeout("the time limit has passed in a regular expression") from None


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
    ctx: _Budget | None = None,
) -> Matcher:
    """Compile one of git's patterns.

    `kind` is "basic", "extended", "fixed" or "perl". With `newline`, `^` and `$` match at every line and neither `.`
    nor `[^x]` matches a newline (regcomp's REG_NEWLINE). `longest` asks for POSIX's leftmost-longest extent; who only
    wants to know *whether* a pattern matches leaves it off. Matching stops with `Timeout` at `ctx`'s deadline.
    Raises `BadPattern` with the C library's words.
    """
    literal = _literal_of(pattern, kind)
    if literal is not None and not ignore_case:
        return Matcher(pattern, literal, None, flags=0, newline=newline, longest=False, ctx=ctx)
    flags = re.IGNORECASE if ignore_case else 0

    if kind == "fixed" or literal is not None:

        def escaped(wide: bool) -> tuple[str, _Nature]:
            nature = _Nature(ignore_case)
            return re.escape(pattern.decode("utf-8", "surrogateescape") if wide else pattern.decode("latin-1")), nature

        return Matcher(pattern, None, escaped, flags=flags, newline=newline, longest=False, ctx=ctx)
    if kind == "perl":
        return _compile_perl(pattern, flags | (re.MULTILINE if newline else 0), ignore_case, newline, ctx)

    def posix(wide: bool) -> tuple[str, _Nature]:
        job = _Posix(pattern, extended=kind == "extended", newline=newline, icase=ignore_case, wide=wide)
        return job.translate(), job.nature

    return Matcher(pattern, None, posix, flags=flags, newline=newline, longest=longest, ctx=ctx)


def _compile_perl(pattern: bytes, flags: int, icase: bool, newline: bool, ctx: _Budget | None) -> Matcher:
    """PCRE's syntax is Python's but for few things, which `regex` knows."""

    def perl(wide: bool) -> tuple[str, _Nature]:
        text = pattern.decode("utf-8", "surrogateescape") if wide else pattern.decode("latin-1")
        # PCRE's \w, \d and \s are ASCII unless asked otherwise; a character that is not UTF-8 matches nothing.
        return ("(?a)" if wide and "\\p" not in text else "") + text, _perl_nature(text, icase)

    matcher = Matcher(pattern, None, perl, flags=flags, newline=newline, longest=False, ctx=ctx)
    narrow = matcher._narrow
    assert narrow is not None
    try:
        if narrow.nature.needs_regex:
            narrow.bounded()
        else:
            narrow.standard()
    except (ValueError, re.error, OverflowError, RecursionError) as error:
        reason = str(error).split(" at position")[0]
        for start, words in _PERL_WORDS.items():
            if reason.startswith(start):
                raise BadPattern(pattern, words) from None
        raise BadPattern(pattern, reason) from None
    except Exception as error:  # regex.error shares no base with re.error
        if type(error).__module__.startswith(("regex", "_regex")):
            raise BadPattern(pattern, str(error)) from None
        raise
    return matcher

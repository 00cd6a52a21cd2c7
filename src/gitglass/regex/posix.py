"""POSIX patterns in Python's syntax: one pass from left to right, without recursion, however deep the groups nest.

The dialect is glibc's: basic patterns support `\\+`, `\\?` and `\\|`; both kinds support `\\w`, `\\b`, `\\<` and
back-references. A pattern is translated for bytes (ASCII data) or for text ("wide": all other data), see `matcher`.
"""

import re

from ..errors import BadRequest, GitError
from ..limits import step
from .capitals import upper_of

__all__ = ["BadPattern", "Nature", "Posix"]

_DUP_MAX = 0x7FFF
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
_NO_CHARACTER = "\\udc80-\\udcff"  # bytes that are not UTF-8, as Python decodes them
_NOTHING = "\U0010ffff"  # a character that occurs in no text
#: Bytes that are not UTF-8 and that glibc takes, at word boundaries, for the Latin-1 letters with the same numbers
_ODD_LETTERS = "\\udcaa\\udcb5\\udcba\\udcc0-\\udcd6\\udcd8-\\udcf6\\udcf8-\\udcff"
#: Where the ten digits of each script other than ASCII begin: glibc takes them for letters
_TENS = (
    "660 6f0 7c0 966 9e6 a66 ae6 b66 be6 c66 ce6 d66 de6 e50 ed0 f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90 1b50 "
    "1bb0 1c40 1c50 a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10 104a0 10d30 11066 110f0 11136 111d0 112f0 11450 114d0 "
    "11650 116c0 11730 118e0 11950 11c50 11d50 11da0 16a60 16ac0 16b50 1d7ce 1d7d8 1d7e2 1d7ec 1d7f6 1e140 1e2f0 "
    "1e950 1fbf0"
)
#: As in glibc's locale C.UTF-8: its blanks are those at which a line may be broken.
_BLANK = r"\t \u1680\u2000-\u2006\u2008-\u200a\u205f\u3000"
_GRAPH = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}\xa0\u2007\u202f"
_OTHER_DIGITS = "".join(f"{chr(start)}-{chr(start + 9)}" for start in (int(word, 16) for word in _TENS.split()))
_WIDE_CLASSES = {
    b"alpha": r"\p{Alphabetic}" + _OTHER_DIGITS,
    b"digit": "0-9",
    b"alnum": r"\p{Alphabetic}\p{Nd}",
    b"upper": r"\p{Lu}\p{Lt}",
    b"lower": r"\p{Ll}\p{Lt}",
    b"space": _BLANK + r"\n\v\f\r\u2028\u2029",
    b"blank": _BLANK,
    b"punct": r"\p{P}\p{S}\p{M}\p{No}\p{Cf}\p{Co}\xa0\u2007\u202f",
    b"print": _GRAPH + _BLANK[2:],
    b"graph": _GRAPH,
    b"cntrl": r"\p{Cc}\u2028\u2029",
    b"xdigit": "0-9a-fA-F",
}


_ANCHORS = {b"b": "\\b", b"B": "\\B", b"<": "\\b(?=\\w)", b">": "\\b(?<=\\w)", b"`": "\\A", b"'": "\\Z"}
_LETTER = f"[\\w{_ODD_LETTERS}])"
_WIDE_ANCHORS = {
    **_ANCHORS,
    b"b": f"(?:(?<={_LETTER}(?!{_LETTER}|(?<!{_LETTER}(?={_LETTER})",
    b"B": f"(?:(?<={_LETTER}(?={_LETTER}|(?<!{_LETTER}(?!{_LETTER})",
    b"<": f"(?:(?<!{_LETTER}(?={_LETTER})",
    b">": f"(?:(?<={_LETTER}(?!{_LETTER})",
}


class BadPattern(GitError):
    """A pattern that cannot be compiled; `reason` is the C library's message alone, for callers that add their own."""

    code = "invalid_args"

    def __init__(self, pattern: bytes, reason: str) -> None:
        self.shown = pattern.decode("utf-8", "surrogateescape")
        super().__init__(f"command line, '{self.shown}': {reason}")
        self.reason = reason

    def at(self, origin: str) -> BadRequest:
        """The error for a pattern that comes from `origin` instead of the command line, as git reports it."""
        return BadRequest(f"{origin}, '{self.shown}': {self.reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return BadRequest, (self.message,)


class Nature:
    """Properties of a pattern that its translation determines."""

    __slots__ = ("ascii_only", "icase", "needs_longest", "needs_regex")

    def __init__(self, icase: bool) -> None:
        self.icase = icase
        self.ascii_only = not icase  # whether the pattern means the same on bytes as on characters
        self.needs_regex = False
        self.needs_longest = False  # the leftmost match may not be the longest: alternatives, optional groups


class Posix:
    """Translates one POSIX pattern, left to right, without recursion."""

    def __init__(
        self, pattern: bytes, *, extended: bool, newline: bool, icase: bool, wide: bool, octets: bool = False
    ) -> None:
        self.pattern = pattern
        self.octets = octets  # each byte is a character
        self.extended = extended
        self.newline = newline
        self.wide = wide
        self.nature = Nature(icase)
        self.at = 0
        #: Per open group, the state around it: the pieces before it, its number, `closed_before`, `closed_within`.
        self.stack: list[tuple[list[str], int, set[int], set[int]]] = []
        self.pieces: list[str] = []
        self.can_repeat = False  # whether a quantifier may follow: there is an atom before this position
        self.just_repeated = False
        self.group_before = False
        self.groups = 0
        self.closed: set[int] = set()  # groups that this branch may refer to
        self.closed_before: set[int] = set()  # those closed before the first branch of this group
        self.closed_within: set[int] = set()  # those closed in the earlier branches of this group

    def bad(self, reason: str) -> BadPattern:
        return BadPattern(self.pattern, reason)

    def translate(self) -> str:
        """The pattern in Python's syntax."""
        pattern = self.pattern
        size = len(pattern)
        while self.at < size:
            step()
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

    def _atom(self, piece: str, *, group: bool = False) -> None:
        self.pieces.append(piece)
        self.can_repeat = True
        self.just_repeated = False
        self.group_before = group

    def _anchor(self, piece: str) -> None:
        self.pieces.append(piece)
        self.can_repeat = False
        self.just_repeated = False

    def _any(self) -> str:
        # POSIX's `.` matches any character but NUL.
        if self.wide:
            return "[^\\0\\n\\udc80-\\udcff]" if self.newline else "[^\\0\\udc80-\\udcff]"
        return "[^\\0\\n]" if self.newline else "[^\\0]"

    def _literal(self) -> None:
        """Read one literal: a byte, or in text mode all bytes of a UTF-8 character."""
        piece = self._character()
        self._atom(re.escape(piece))

    def _character(self) -> str:
        pattern, at = self.pattern, self.at
        lead = pattern[at]
        icase = self.nature.icase
        if lead < 0x80:
            self.at += 1
            return chr(lead).upper() if icase else chr(lead)
        length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        chunk = pattern[at : at + length]
        try:
            text = chunk.decode()
        except UnicodeDecodeError:
            text = chunk[:1].decode("utf-8", "surrogateescape")
            length = 1
        self.at += length
        if icase and not self.octets:
            text = upper_of(text)
            if text.isascii():  # the long s and the dotless i become ASCII letters
                return text
        if not self.wide:
            # A quantifier must repeat the whole character, not its last byte. Brackets never use this form on bytes.
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
            self.nature.ascii_only = False
            self._atom(f"(?:\\{int(char)})", group=True)
            return
        special = {
            b"w": "\\w" if not self.wide else f"[{_WIDE_CLASSES[b'alnum']}_]",
            b"W": "\\W" if not self.wide else f"[^{_WIDE_CLASSES[b'alnum']}_{_NO_CHARACTER}]",
            b"s": "\\s" if not self.wide else f"[{_WIDE_CLASSES[b'space']}]",
            b"S": "\\S" if not self.wide else f"[^{_WIDE_CLASSES[b'space']}{_NO_CHARACTER}]",
        }.get(char)
        if special is not None:
            self.nature.needs_regex |= "\\p" in special
            self.at += 2
            self.nature.ascii_only = False
            self._atom(special)
            return
        anchor = (_WIDE_ANCHORS if self.wide else _ANCHORS).get(char)
        if anchor is not None:
            self.at += 2
            self.nature.ascii_only = False
            self.nature.needs_regex |= char in (b"`", b"'")  # they match at the ends of the whole text, not of a line
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
            self.closed_within |= self.closed
            self.closed = set(self.closed_before)
            self.nature.needs_longest = True
            self.can_repeat = self.just_repeated = False
        elif char == b"{":
            self._interval(width)
        else:
            if not self.can_repeat and not self.extended:
                self.at += width  # basic syntax: \+ with nothing before it is a literal plus
                self._atom(re.escape(char.decode()))
                return
            self._quantify(char.decode(), width, None if char == b"+" else 1)

    def _open(self) -> None:
        self.groups += 1
        self.stack.append((self.pieces, self.groups, self.closed_before, self.closed_within))
        self.pieces = []
        self.closed_before, self.closed_within = set(self.closed), set()
        self.can_repeat = self.just_repeated = False

    def _close(self, width: int) -> None:
        if not self.stack:
            if not self.extended:
                raise self.bad("Unmatched ( or \\(")
            self._literal()
            return
        self.at += width
        inner = "".join(self.pieces)
        closed = self.closed | self.closed_within
        self.pieces, number, self.closed_before, self.closed_within = self.stack.pop()
        self.closed = closed | {number}
        self._atom(f"({inner})", group=True)

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
            last = self.pieces[-1][-1:]
            if text in ("*", "+", "?") and last in ("*", "+", "?"):  # a+* and the like: the same as a single quantifier
                self.at += width
                self.pieces[-1] = self.pieces[-1][:-1] + (text if text == last else "*")
                return
            # a{2}* and the like: everything so far is repeated once more.
            self.pieces[-1] = f"(?:{self.pieces[-1]})"
            self.group_before = True
        self.at += width
        piece = self.pieces[-1]
        if not self.group_before and len(piece) > 1 and not piece.startswith(("[", "\\", "(")):
            piece = f"(?:{piece})"  # the bytes of one non-ASCII character
        elif not self.wide and not self.group_before and len(piece) > 2 and piece.startswith("\\"):
            piece = f"(?:{piece})"
        self.nature.needs_longest |= self.group_before
        self.pieces[-1] = piece + text
        self.just_repeated = True

    def _interval(self, width: int) -> None:
        if not self.can_repeat or (self.just_repeated and not self.extended):
            raise self.bad("Invalid preceding regular expression")
        match = re.compile(rb"(\d*)(,?)(\d*)").match(self.pattern, self.at + width)
        assert match is not None
        closing = b"}" if self.extended else b"\\}"
        low_text, comma, high_text = match.groups()
        if not self.pattern.startswith(closing, match.end()):
            # glibc first looks for the end of each of the two numbers, and only then rejects what is between them.
            rest = self.pattern[self.at + width :]
            for _ in range(2):
                comma, close = rest.find(b","), rest.find(closing)
                if comma < 0 and close < 0:
                    raise self.bad("Unmatched \\{")
                if comma < 0 or 0 <= close < comma:
                    break
                rest = rest[comma + 1 :]
            raise self.bad("Invalid content of \\{\\}")
        if not low_text and not comma:
            raise self.bad("Invalid content of \\{\\}")
        low = int(low_text[:9] or b"0")
        high = (int(high_text[:9]) if high_text else None) if comma else low
        if high is not None and low > high:
            raise self.bad("Invalid content of \\{\\}")
        if max(low, high or 0) > _DUP_MAX:
            raise self.bad("Regular expression too big")
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
        equivalence = pattern.startswith(b"[=", self.at)
        low, ordered = self._endpoint()
        high = low
        if pattern.startswith(b"-", self.at) and not pattern.startswith(b"-]", self.at) and self.at + 1 < len(pattern):
            self.at += 1
            if equivalence or pattern.startswith((b"[:", b"[="), self.at):
                raise self.bad("Invalid range end")
            high, both = self._endpoint()
            if not (ordered and both) and not self.octets:
                raise self.bad("Invalid collation character")  # glibc's C.UTF-8 has an order for ASCII only
            if high < low:
                raise self.bad("Invalid range end")
            if pattern.startswith(b"-", self.at) and not pattern.startswith(b"-]", self.at):
                raise self.bad("Invalid range end")
        elif ordered and self.wide and not low.isascii():
            low = high = _NOTHING  # by itself it matches nothing
        members.append(_in_set(low) if high == low else f"{_in_set(low)}-{_in_set(high)}")

    def _endpoint(self) -> tuple[str, bool]:
        """A member of a set, and whether it may end a range: only ASCII characters and single invalid bytes may."""
        if self.pattern.startswith((b"[.", b"[="), self.at):
            name = self._named(self.pattern[self.at + 1 : self.at + 2] + b"]")
            if len(name) != 1:  # glibc has no collating elements of several characters in the locale C.UTF-8
                raise self.bad("Invalid collation character")
            return chr(name[0]).upper() if self.nature.icase and name.isascii() else chr(name[0]), name.isascii()
        start = self.at
        char = self._character()
        # At the end of a range glibc takes an invalid byte for the character with the same number.
        lone = not self.octets and not char.isascii() and self.at - start == 1
        return (chr(self.pattern[start]), True) if lone else (char, char.isascii())

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
    """A character as a member of a Python set. On bytes, a multi-byte one gives several members; such a translation is
    never searched with."""
    if len(char) > 1:
        return "".join(_in_set(one) for one in char)
    return "\\" + char if char in "\\]^-[&~|#" else char

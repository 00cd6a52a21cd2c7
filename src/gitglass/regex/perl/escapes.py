"""Escapes and classes of Perl patterns: `\\d`, `\\x{e9}`, `\\p{Lu}`, `[a-z[:digit:]]`."""

import re

from .classes import POSIX_NAMES, SHORT, BadSyntax, CharSet, property_of
from .pieces import NO_GROUP, QUANTIFIER, Pieces

__all__ = ["Escapes"]

_LINE_ENDS = "(?>\\r\\n|[\\n\\x0b\\x0c\\r{}])"


class Escapes(Pieces):
    """Reads pieces that begin with a backslash or a bracket."""

    def _escape(self) -> None:
        text, at = self.text, self.at
        char = text[at + 1 : at + 2]
        if not char:
            raise self.bad("\\ at end of pattern")
        if char == "Q":
            end = text.find("\\E", at + 2)
            for literal in text[at + 2 : len(text) if end < 0 else end]:
                self._literal(literal)
            self.at = len(text) if end < 0 else end + 2
            return
        self.at += 2
        if char == "E":
            return
        if not char.isalnum() or not char.isascii():
            self._literal(char)
        elif char in SHORT:
            chars = SHORT[char.lower()]
            if char in "DSW" and self.compiled and not self.octets:
                # Strange but git's: with its JIT compiler, PCRE2 10.42 lets these match ASCII only, unlike [\\W].
                self._put(self._set(chars.ascii_rest(), False))
            else:
                self._put(self._set(chars, char.isupper()))
        elif char == "N" and (not text.startswith("{", self.at) or QUANTIFIER.match(text, self.at)):
            self._put(self._any(False))
        elif char in "bB":
            boundary = "(?a:\\b)" if self.wide else "\\b"
            self._anchor(
                boundary if char == "b" else self._odd(f"(?!{boundary})")
            )  # `re` never matches \B in an empty text
        elif char in "AG":
            self._anchor(self._odd("\\A"))
        elif char == "Z":
            self._anchor(self._odd("(?=\\n?\\Z)"))
        elif char == "z":
            self._anchor(self._odd("\\Z"))
        elif char == "K":
            if any(group.kind in ("(?=", "(?!", "(?<=", "(?<!") for group in self.stack):
                raise self.bad("\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)")
            self._anchor(self._odd("\\K"))
        elif char == "R":
            self._put(
                self._odd(_LINE_ENDS.format("\\x85\\u2028\\u2029" if self.wide else "\\x85" if self.octets else "")),
                None,
            )
        elif char == "X":
            self._put(self._odd("(?>(?![\udc80-\udcff])\\X)" if self.wide else "(?>\\r\\n|[\\x00-\\xff])"), None)
        elif char == "C":
            if self.octets:
                self._put("[\\x00-\\xff]")
            else:
                raise self.lacking("\\C")
        elif char in "pP":
            self._put(self._set(self._property(char), False))
        elif char in "gk":
            self._group_escape(char)
        elif char.isdigit() and char != "0" and (number := self._reference(char)):
            self._refer(number)
        else:
            self._literal(chr(self._code(char)))

    def _reference(self, char: str) -> int:
        """The number of the group that `\\1` or `\\12` refers to; 0 if it is an octal number instead."""
        match = re.compile(r"[0-9]+").match(self.text, self.at - 1)
        assert match is not None
        number = int(match[0][:9])
        if number < 10 or char in "89" or number <= self.groups:
            self.at = match.end()
            return number
        return 0

    def _group_escape(self, char: str) -> None:
        text = self.text
        opening = text[self.at : self.at + 1]
        if char == "k":
            if not opening or opening not in "{<'":
                raise self.bad("\\k is not followed by a braced, angle-bracketed, or quoted name")
            self.at += 1
            self._refer(self._name({"{": "}", "<": ">", "'": "'"}[opening]))
            return
        match = re.compile(r"\{([+-]?[0-9]+)\}|([+-]?[0-9]+)").match(text, self.at)
        if match is not None:
            self.at = match.end()
            number = self._relative(match[1] or match[2])
            if not number:
                raise self.bad(NO_GROUP)
            self._refer(number)
        elif opening == "{":
            self.at += 1
            self._refer(self._name("}"))
        elif opening and opening in "<'":
            closing = ">" if opening == "<" else "'"
            called = re.compile(r"([+-]?[0-9]+)" + closing).match(text, self.at + 1)
            if called is not None:
                self.at = called.end()
                self._call(self._relative(called[1]))
            else:
                self.at += 1
                self._call(self._name(closing))
        else:
            raise self.bad(
                "\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number"
            )

    def _property(self, char: str) -> CharSet:
        match = re.compile(r"\{(\^?)([^}\\]*)\}|([A-Za-z])").match(self.text, self.at)
        if match is None:
            raise self.bad("malformed \\P or \\p sequence")
        self.at = match.end()
        try:
            words = property_of(match[3] or match[2])
        except BadSyntax as error:
            raise self.bad(str(error)) from None
        except KeyError as error:
            raise self.lacking(f"\\p{{{error.args[0]}}}") from None
        negated = (char == "P") != bool(match[1])
        if not words:
            return CharSet([] if negated else [(0, 0x10FFFF)])
        if negated and len(words) > 1:
            raise self.lacking(f"\\P{{{match[3] or match[2]}}}")
        return CharSet(properties=[("P" if negated else "p", word) for word in words])

    def _code(self, char: str) -> int:
        """The number of the character that an escape stands for; `self.at` is just after the letter."""
        text = self.text
        simple = {"a": 7, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9}.get(char)
        if simple is not None:
            return simple
        if char in "LUluF" or char == "N":
            match = re.compile(r"\{U\+([^}]*)\}").match(text, self.at)
            if char == "N" and match is not None and not self.octets:
                return self._number(match[1], 16, match.end(), True)
            raise self.bad("PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u")
        if char == "c":
            control = text[self.at : self.at + 1]
            if not control:
                raise self.bad("\\c at end of pattern")
            if not " " <= control <= "~":
                raise self.bad("\\c must be followed by a printable ASCII character")
            self.at += 1
            return ord(control.upper()) ^ 64
        if char == "x":
            if text.startswith("{", self.at):
                end = text.find("}", self.at)
                return self._number(text[self.at + 1 : end if end >= 0 else None], 16, end + 1, end >= 0)
            match = re.compile(r"[0-9a-fA-F]{0,2}").match(text, self.at)
            assert match is not None
            self.at = match.end()
            return int(match[0] or "0", 16)
        if char == "o":
            if not text.startswith("{", self.at):
                raise self.bad("missing opening brace after \\o")
            end = text.find("}", self.at)
            return self._number(text[self.at + 1 : end if end >= 0 else None], 8, end + 1, end >= 0)
        if char in "01234567":
            match = re.compile(r"[0-7]{1,3}").match(text, self.at - 1)
            assert match is not None
            self.at = match.end()
            code = int(match[0], 8)
            if code > 255 and self.octets:
                raise self.bad("octal value is greater than \\377 in 8-bit non-UTF-8 mode")
            return code
        raise self.bad("unrecognized character follows \\")

    def _number(self, digits: str, base: int, end: int, closed: bool) -> int:
        good = "0123456789abcdefABCDEF" if base == 16 else "01234567"
        if not digits and closed:
            raise self.bad("digits missing in \\x{} or \\o{} or \\N{U+}")
        if not closed or any(digit not in good for digit in digits):
            name = "non-hex character in \\x{}" if base == 16 else "non-octal character in \\o{}"
            raise self.bad(f"{name} (closing brace missing?)")
        code = int(digits.lstrip("0")[:12] or "0", base)
        if code > (0xFF if self.octets else 0x10FFFF):
            raise self.bad("character code point value in \\x{} or \\o{} is too large")
        if 0xD800 <= code <= 0xDFFF:
            raise self.bad("disallowed Unicode code point (>= 0xd800 && <= 0xdfff)")
        self.at = end
        return code

    def _class(self) -> None:
        text = self.text
        if named := re.compile(r"\[([:.=])\^?[a-z]*\1\]").match(text, self.at):
            raise self.bad(
                "POSIX named classes are supported only within a class"
                if named[1] == ":"
                else "POSIX collating elements are not supported"
            )
        if text.startswith(("[[:<:]]", "[[:>:]]"), self.at):
            inside = "=" if text[self.at + 3] == "<" else "<="
            self.at += 7
            self._anchor(f"(?a:\\b)(?{self._odd(inside)}{self._set(SHORT['w'], False)})")
            return
        self.at += 1
        negated = text.startswith("^", self.at)
        self.at += negated
        chars = CharSet()
        fold = "i" in self.flags
        first, quoted = True, False
        low: int | None = None  # the possible start of a range
        ranged = False
        while True:
            if self.at >= len(text):
                raise self.bad("missing terminating ] for character class")
            char = text[self.at]
            if quoted or char == "\\":
                if text.startswith("\\E", self.at):
                    self.at += 2
                    quoted = False
                    continue
                if not quoted and text.startswith("\\Q", self.at):
                    self.at += 2
                    quoted = True
                    continue
            if char == "]" and not first and not quoted:
                self.at += 1
                break
            first = False
            if not quoted and "X" in self.flags and char in " \t":
                self.at += 1
                continue
            if not quoted and char == "-" and low is not None and not ranged and not self._last_hyphen():
                self.at += 1
                ranged = True
                continue
            code = self._member(chars, quoted)
            if ranged:
                ranged = False
                assert low is not None
                if code is None:
                    raise self.bad("invalid range in character class")
                if code < low:
                    raise self.bad("range out of order in character class")
                chars.add(low, code, fold, self.octets)
                low = None
            elif code is None:
                low = None
                if text.startswith("-", self.at) and not self._last_hyphen():
                    self._hyphen_after_class(chars)
            else:
                chars.add(code, code, fold, self.octets)
                low = code
        self._put(self._set(chars, negated))

    def _last_hyphen(self) -> bool:
        return re.compile(r"-(?:\\E|\\Q\\E)*(?:\]|\Z)").match(self.text, self.at) is not None

    def _hyphen_after_class(self, chars: CharSet) -> None:
        """Refuse `[\\w-a]` as PCRE2 does; Perl reads it as three members."""
        raise self.bad("invalid range in character class")

    def _member(self, chars: CharSet, quoted: bool) -> int | None:
        """One member of a class: the number of a character; None for a set, which is added to `chars`."""
        text = self.text
        char = text[self.at]
        if quoted or char not in "\\[":
            self.at += 1
            return ord(char)
        if char == "[":
            match = re.compile(r"\[([:.=])(\^?)([^\]\\:.=]*)\1\]").match(text, self.at)
            if match is None:
                self.at += 1
                return ord(char)
            if match[1] != ":":
                raise self.bad("POSIX collating elements are not supported")
            if match[3] not in POSIX_NAMES:
                raise self.bad("unknown POSIX class name")
            name = match[3]
            if "i" in self.flags and name in ("upper", "lower"):
                name = "alpha"
            chars.join(POSIX_NAMES[name], bool(match[2]))
            self.at = match.end()
            return None
        escaped = text[self.at + 1 : self.at + 2]
        if not escaped:
            raise self.bad("\\ at end of pattern")
        self.at += 2
        if not escaped.isalnum() or not escaped.isascii():
            return ord(escaped)
        if escaped in SHORT:
            chars.join(SHORT[escaped.lower()], escaped.isupper())
            return None
        if escaped in "pP":
            held = self._property(escaped)
            chars.properties += held.properties
            chars.ranges += held.ranges
            return None
        if escaped == "b":
            return 8
        if escaped == "N" and not text.startswith("{U+", self.at):
            raise self.bad("\\N is not supported in a class")
        if escaped in "BRX":
            raise self.bad("escape sequence is invalid in character class")
        if escaped in "89":
            return ord(escaped)
        return self._code(escaped)

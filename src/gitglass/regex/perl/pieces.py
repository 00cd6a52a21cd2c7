"""What a Perl pattern is parsed into: groups of pieces in Python's syntax, and the lengths of their matches.

The base class of `syntax.Perl`; escapes and classes are read in `escapes`.
"""

import re

from ..posix import BadPattern, Nature
from ..utf8 import decode_pattern
from .classes import CharSet, folds_of

__all__ = ["NOTHING_TO_REPEAT", "NO_GROUP", "QUANTIFIER", "Group", "Pieces"]

_MOST_TIMES = 65535
NOTHING_TO_REPEAT = "quantifier does not follow a repeatable item"
NO_GROUP = "reference to non-existent subpattern"
QUANTIFIER = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NAME = re.compile(r"[^\W]+")


class Group:
    """An open group: the pieces so far, and the lengths of its finished alternatives."""

    __slots__ = (
        "before",
        "capture",
        "first",
        "fixed",
        "flags",
        "kind",
        "least",
        "lengths",
        "most",
        "pieces",
        "restart",
    )

    def __init__(self, kind: str, flags: str, capture: int | None, restart: int | None) -> None:
        self.kind = kind
        self.flags = flags
        self.capture = capture
        self.restart = restart  # of a branch reset group: the number of groups before it
        self.most = 0
        self.pieces: list[str] = []
        self.fixed: int | None = 0  # length of the alternative so far in characters, None if matches differ in length
        self.least = 0
        self.lengths: list[tuple[int | None, int]] = []

    def alternative(self) -> None:
        self.lengths.append((self.fixed, self.least))
        self.fixed, self.least = 0, 0

    @property
    def length(self) -> tuple[int | None, int]:
        """(the length of every match in characters, None if matches differ; the least length)."""
        fixed = {length for length, _ in self.lengths}
        return (fixed.pop() if len(fixed) == 1 else None), min(least for _, least in self.lengths)


class Pieces:
    """A pattern while it is read: the position of the reader, the open groups, and the references to groups."""

    def __init__(
        self, pattern: bytes, *, icase: bool, wide: bool, octets: bool = False, continued: bool = False
    ) -> None:
        self.pattern = pattern
        self.octets = octets
        self.text = pattern.decode("latin-1") if octets else decode_pattern(pattern)
        self.wide = wide
        self.continued = continued
        self.compiled = True  # by PCRE2's JIT compiler; `(*NO_JIT)` asks for its interpreter
        self.nature = Nature(icase)
        self.nature.ascii_only = False
        self.flags = "i" if icase else ""
        self.at = 0
        self.groups = 0
        self.names: dict[str, list[int]] = {}
        self.named: dict[int, str] = {}
        self.stack = [Group("", self.flags, 0, None)]
        self.last: tuple[int | None, int] | None = None  # the length of the piece that a quantifier may follow
        self.assertion = False  # whether that piece is a look-around
        self.references: list[int | str] = []
        self.lengths: dict[int, tuple[int | None, int]] = {}
        self.calls: list[tuple[tuple[tuple[int, int], ...], int | str]] = []

    def bad(self, reason: str) -> BadPattern:
        return BadPattern(self.pattern, reason)

    def lacking(self, what: str) -> BadPattern:
        """The error for syntax that PCRE2 supports and that cannot be computed here as PCRE2 does."""
        return BadPattern(self.pattern, f"gitglass does not support {what} in Perl patterns")

    def _put(self, piece: str, fixed: int | None = 1, least: int = 1) -> None:
        """Append a piece that a quantifier may follow."""
        group = self.stack[-1]
        self._settle()
        group.pieces.append(piece)
        self.last = fixed, least
        self.assertion = False

    def _settle(self) -> None:
        """Add the length of the last piece to its alternative, as no quantifier follows it."""
        if self.last is not None:
            group = self.stack[-1]
            fixed, least = self.last
            group.fixed = None if group.fixed is None or fixed is None else group.fixed + fixed
            group.least += least
            self.last = None

    def _anchor(self, piece: str) -> None:
        self._settle()
        self.stack[-1].pieces.append(piece)

    def _odd(self, piece: str) -> str:
        self.nature.needs_regex = True
        return piece

    def _any(self, newline: bool) -> str:
        return self._set(CharSet() if newline else CharSet([(10, 10)]), negated=True)

    def _set(self, chars: CharSet, negated: bool) -> str:
        try:
            piece, odd = chars.written(negated, wide=self.wide, octets=self.octets)
        except KeyError as error:
            raise self.lacking(f"\\p{{{error.args[0]}}} on bytes") from None
        self.nature.needs_regex |= odd
        return piece

    def _literal(self, char: str) -> None:
        if "i" not in self.flags and (char < "\x80" or self.wide or self.octets):
            self._put(re.escape(char))
            return
        code = ord(char)
        family = folds_of(code, self.octets) if "i" in self.flags else (code,)
        ranges = [(other, other) for other in family]
        if len(ranges) == 1 and (code < 128 or self.wide or self.octets):
            self._put(re.escape(char))
        else:
            self._put(self._set(CharSet(ranges), False))

    def _quantify(self) -> None:
        text = self.text
        match = QUANTIFIER.match(text, self.at)
        if match is not None:
            low = int(match[1][:9])
            high = low if match[2] is None else int(match[3][:9]) if match[3] else None
            if max(low, high or 0) > _MOST_TIMES:
                raise self.bad("number too big in {} quantifier")
            if high is not None and low > high:
                raise self.bad("numbers out of order in {} quantifier")
            sign = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
            self.at = match.end()
        else:
            sign = text[self.at]
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
            self.at += 1
        if self.last is None:
            raise self.bad(NOTHING_TO_REPEAT)
        lazy = "U" in self.flags
        if text.startswith("+", self.at):
            self.at += 1
            mode = self._odd("+")
        elif text.startswith("?", self.at):
            self.at += 1
            mode = "" if lazy else "?"
        else:
            mode = "?" if lazy else ""
        fixed, least = self.last
        self.last = None
        group = self.stack[-1]
        if self.assertion:  # repeating it does not change whether it holds
            if low == 0:
                group.pieces[-1] = "" if high == 0 else f"(?:{group.pieces[-1]})?"
        else:
            piece = group.pieces[-1]
            group.pieces[-1] = piece + sign + mode
        length = fixed * low if fixed is not None and low == high else None
        group.fixed = None if group.fixed is None or length is None else group.fixed + length
        group.least += least * low

    def _name(self, closing: str) -> str:
        """Read a name and its `closing` delimiter."""
        match = _NAME.match(self.text, self.at)
        if match is None:
            raise self.bad("subpattern name expected")
        name = match[0]
        if name[0].isdigit():
            raise self.bad("subpattern name must start with a non-digit")
        if len(name) > 32:
            raise self.bad("subpattern name is too long (maximum 32 code units)")
        self.at = match.end()
        if not self.text.startswith(closing, self.at):
            if closing == ")" or (self.at >= len(self.text) and closing == ")"):
                raise self.bad("missing closing parenthesis")
            raise self.bad("syntax error in subpattern name (missing terminator?)")
        self.at += 1
        return name

    def _refer(self, target: int | str) -> None:
        """Append a back-reference."""
        if self._behind():
            raise self.lacking("a back-reference in a look-behind")
        self.references.append(target)
        number = self.names.get(target, [0])[0] if isinstance(target, str) else target
        if isinstance(target, str) and not number:
            if re.search(rf"\(\?P?[<']{target}[>']", self.text):
                raise self.lacking("a reference to a group that follows,")
            raise self.bad(NO_GROUP)
        if number > self.groups:
            if self._count_groups() < number:
                raise self.bad(NO_GROUP)
            raise self.lacking("a reference to a group that follows,")
        if any(group.capture == number for group in self.stack):
            raise self.lacking("a reference to a group from within it,")
        fixed = self.lengths.get(number, (None, 0))[0]
        self._odd("")
        piece = f"(?:\\{number})" if "i" not in self.flags else f"(?i:\\{number})"
        self._put(piece, fixed if "i" not in self.flags else None, 0)

    def _behind(self) -> bool:
        """Whether the reader is in a look-behind: the engines read it from right to left, PCRE2 from left to right."""
        return any(group.kind in ("(?<=", "(?<!") for group in self.stack)

    def _count_groups(self) -> int:
        """The number of groups in the whole pattern; needed for forward references only."""
        return len(
            re.findall(r"(?<!\(\?)\((?![?*])|\(\?P?<(?![=!])|\(\?'", re.sub(r"\\.|\[\^?\]?[^\]]*\]", "", self.text))
        )

    def _relative(self, word: str) -> int:
        if word == "R":
            return 0
        number = int(word[:10])
        if word[0] == "-":
            number = self.groups + 1 + number
            if number < 1:
                raise self.bad(NO_GROUP)
        elif word[0] == "+":
            number = self.groups + number
        return number

    def _call(self, target: int | str) -> None:
        """Append a call of a group as a subroutine."""
        if self._behind():
            raise self.lacking("a call of a group in a look-behind")
        self._settle()
        self.references.append(target)
        self._odd("")
        eaten, callers = 0, []
        for group in reversed(self.stack):
            eaten += group.least
            if group.capture is not None:
                callers.append((group.capture, eaten))
        self.calls.append((tuple(callers), target))
        if isinstance(target, str) and target in self.names:
            target = self.names[target][0]
        fixed, least = self.lengths.get(target, (None, 0)) if isinstance(target, int) else (None, 0)
        self._put(f"(?:(?{'R' if target == 0 else '&' + target if isinstance(target, str) else target}))", fixed, least)

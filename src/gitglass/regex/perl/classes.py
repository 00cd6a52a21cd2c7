"""Sets of characters in Perl patterns: ranges (folded if case is ignored) and Unicode properties.

PCRE2 folds case by Unicode's common and simple case foldings (CaseFolding.txt, C and S): `k` equals the Kelvin sign,
dotted and dotless i equal only themselves. Python's own folding equates more letters, so the engines never fold.
"""

from functools import lru_cache

__all__ = ["NOT_UTF8", "POSIX_NAMES", "SHORT", "BadSyntax", "CharSet", "folds_of", "property_of"]

NOT_UTF8 = "\\udc80-\\udcff"  # bytes that are not UTF-8, as Python decodes them: they match nothing
_LAST = 0x10FFFF
#: Ranges that contain all letters with case; the rest of Unicode need not be searched for them
_CASED = ((0x41, 0x588), (0x10A0, 0x1100), (0x13A0, 0x1400), (0x1C80, 0x2000), (0x2126, 0x2190), (0x24B6, 0x24EA),
          (0x2C00, 0x2E00), (0xA640, 0xAC00), (0xFF21, 0xFF5B), (0x10400, 0x10600), (0x10C80, 0x10D00),
          (0x118A0, 0x118E0), (0x16E40, 0x16E80), (0x1E900, 0x1E944))  # fmt: skip


class BadSyntax(ValueError):
    """A pattern that PCRE2 refuses, with PCRE2's message."""


#: Characters that got a property after Unicode 14, the version that PCRE2 10.42 uses
_LATER = (
    ("Script_Ext", "\\u0300-\\u0341\\u0343\\u0344\\u0346-\\u0362"),
    ("XID_", "\\u200c\\u200d"),
    ("ID_", "\\u200c\\u200d"),
)


def _simple_fold(code: int) -> int:
    char = chr(code)
    for folded in (char.casefold(), char.lower()):
        if len(folded) == 1:
            return ord(folded)
    return code


@lru_cache(maxsize=1)
def _families() -> dict[int, tuple[int, ...]]:
    """For each character that equals others when case is ignored: all characters of its group."""
    by_fold: dict[int, list[int]] = {}
    for start, end in _CASED:
        for code in range(start, end):
            by_fold.setdefault(_simple_fold(code), []).append(code)
    families: dict[int, tuple[int, ...]] = {}
    for family in by_fold.values():
        if len(family) > 1:
            families.update(dict.fromkeys(family, tuple(family)))
    return families


def folds_of(code: int, octets: bool = False) -> tuple[int, ...]:
    """A character and all that equal it when case is ignored; `octets`: only ASCII has case."""
    if octets:
        char = chr(code)
        return tuple(sorted({code, ord(char.swapcase())})) if code < 128 else (code,)
    if code < 128 and chr(code) not in "kKsS":
        char = chr(code)
        return (code, ord(char.swapcase())) if char.isalpha() else (code,)
    return _families().get(code, (code,))


class CharSet:
    """A set of characters: ranges, and Unicode properties as ("p" or "P", name)."""

    __slots__ = ("properties", "ranges")

    def __init__(
        self, ranges: list[tuple[int, int]] | None = None, properties: list[tuple[str, str]] | None = None
    ) -> None:
        self.ranges = list(ranges or ())
        self.properties = list(properties or ())

    def add(self, low: int, high: int, fold: bool, octets: bool) -> None:
        """Add a range; with `fold` also every character that equals one of its members when case is ignored."""
        self.ranges.append((low, high))
        if not fold:
            return
        if high - low < 64:
            for code in range(low, high + 1):
                self.ranges += [(other, other) for other in folds_of(code, octets)]
            return
        if octets:
            for code in range(low, min(high, 127) + 1):
                self.ranges += [(other, other) for other in folds_of(code, True)]
            return
        for code, family in _families().items():
            if low <= code <= high:
                self.ranges += [(other, other) for other in family]

    def join(self, other: "CharSet", negated: bool) -> None:
        """Add the members of another set, or with `negated` all characters that are not in it."""
        self.ranges += _outside(other.ranges) if negated else other.ranges

    def ascii_rest(self) -> "CharSet":
        """The ASCII characters that are not in this set."""
        return CharSet(_outside(self.ranges, 0x7F))

    def written(self, negated: bool, *, wide: bool, octets: bool) -> tuple[str, bool]:
        """(the set in Python's syntax as a piece that matches one character, whether it needs `regex`)."""
        last = _LAST if wide else 0xFF if octets else 0x7F
        ranges = [(low, min(high, last)) for low, high in _merged(self.ranges) if low <= last]
        if self.properties:
            body = "".join(_range(low, high) for low, high in ranges)
            names = "".join(f"\\{sign}{{{name}}}" for sign, name in self.properties)
            if not wide and not octets:
                return self._ascii(ranges, negated)
            if not wide:
                raise KeyError(self.properties[0][1])
            later = "".join(
                chars for start, chars in _LATER if any(name.startswith(start) for _, name in self.properties)
            )
            if later:
                if negated or body or len(self.properties) > 1:
                    raise KeyError(f"{self.properties[0][1]} together with other characters")
                sign = self.properties[0][0]
                if sign == "P":
                    return f"(?:(?![{NOT_UTF8}])[{names}{later}])", True
                return f"(?:(?![{later}]){names})", True
            if negated:
                return f"[^{body}{names}{NOT_UTF8}]", True
            if any(sign == "P" or name[0] == "C" for sign, name in self.properties) or any(
                low <= 0xDC80 <= high for low, high in ranges
            ):
                return f"(?:(?![{NOT_UTF8}])[{body}{names}])", True
            return f"[{body}{names}]", True
        return _written(_outside(ranges, last) if negated else ranges, wide, last), False

    def _ascii(self, ranges: list[tuple[int, int]], negated: bool) -> tuple[str, bool]:
        """The same for a set with properties on ASCII data: the members are enumerated."""
        import regex

        codes = set()
        for low, high in ranges:
            codes |= set(range(low, high + 1))
        for sign, name in self.properties:
            pattern = regex.compile(f"\\{sign}{{{name}}}")
            codes |= {code for code in range(128) if pattern.match(chr(code))}
        if negated:
            codes = set(range(128)) - codes
        return _written(_merged([(code, code) for code in codes]), False, 0x7F), False


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            if high > out[-1][1]:
                out[-1] = out[-1][0], high
        else:
            out.append((low, high))
    return out


def _outside(ranges: list[tuple[int, int]], last: int = _LAST) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    at = 0
    for low, high in _merged(ranges):
        if low > at:
            out.append((at, low - 1))
        at = max(at, high + 1)
    if at <= last:
        out.append((at, last))
    return out


def _written(ranges: list[tuple[int, int]], wide: bool, last: int) -> str:
    """Ranges as a class, negated if they reach up to `last`. No ranges give a class that matches no character."""
    if wide:  # surrogates stand for bytes that are not UTF-8
        ranges = [part for low, high in ranges for part in _without_surrogates(low, high)]
    if not ranges:
        return "[^\\x00-\U0010ffff]" if wide else "[^\\x00-\xff]"
    if ranges[-1][1] >= last:
        rest = _outside(ranges, last)
        body = "".join(_range(low, high) for low, high in rest)
        if not body:
            return "[\\x00-\\xff]"
        return f"[^{body}]"
    return f"[{''.join(_range(low, high) for low, high in ranges)}]"


def _without_surrogates(low: int, high: int) -> list[tuple[int, int]]:
    parts = [(low, min(high, 0xD7FF)), (max(low, 0xE000), high)]
    return [(start, end) for start, end in parts if start <= end]


def _range(low: int, high: int) -> str:
    return _char(low) if low == high else f"{_char(low)}-{_char(high)}"


def _char(code: int) -> str:
    char = chr(code)
    if code < 128 and char.isalnum():
        return char
    return f"\\x{code:02x}" if code < 0xA0 else char  # `regex.cost` reads this form


def _chars(text: str) -> CharSet:
    return CharSet([(ord(char), ord(char)) for char in text])


_DIGITS, _UPPER, _LOWER = [(0x30, 0x39)], [(0x41, 0x5A)], [(0x61, 0x7A)]
_SPACES = [(9, 13), (32, 32)]
_HORIZONTAL = [(9, 9), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200A), (0x202F, 0x202F),
               (0x205F, 0x205F), (0x3000, 0x3000)]  # fmt: skip
_VERTICAL = [(10, 13), (0x85, 0x85), (0x2028, 0x2029)]

#: `\d`, `\s`, `\w`, …; the upper-case letter is the complement
SHORT: dict[str, CharSet] = {}
for _letter, _ranges in (
    ("d", _DIGITS),
    ("w", [*_DIGITS, *_UPPER, *_LOWER, (0x5F, 0x5F)]),
    ("s", _SPACES),
    ("h", _HORIZONTAL),
    ("v", _VERTICAL),
):
    SHORT[_letter] = SHORT[_letter.upper()] = CharSet(_ranges)

POSIX_NAMES = {
    "alpha": CharSet(_UPPER + _LOWER),
    "alnum": CharSet(_DIGITS + _UPPER + _LOWER),
    "ascii": CharSet([(0, 127)]),
    "blank": CharSet([(9, 9), (32, 32)]),
    "cntrl": CharSet([(0, 31), (127, 127)]),
    "digit": CharSet(_DIGITS),
    "graph": CharSet([(33, 126)]),
    "lower": CharSet(_LOWER),
    "print": CharSet([(32, 126)]),
    "punct": CharSet([(33, 47), (58, 64), (91, 96), (123, 126)]),
    "space": CharSet(_SPACES),
    "upper": CharSet(_UPPER),
    "word": SHORT["w"],
    "xdigit": CharSet([*_DIGITS, (0x41, 0x46), (0x61, 0x66)]),
}

_CATEGORY_NAMES = (
    "C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs"
)
_CATEGORIES = {name.lower(): name for name in _CATEGORY_NAMES.split()}
#: Scripts and binary properties that mean the same in `regex`
_SCRIPT_NAMES = (
    "arabic armenian bengali cherokee common cyrillic devanagari ethiopic georgian greek gujarati gurmukhi han hangul "
    "hebrew hiragana inherited kannada katakana khmer lao latin malayalam mongolian myanmar oriya sinhala tamil telugu "
    "thaana thai tibetan"
)
_SCRIPTS = frozenset(_SCRIPT_NAMES.split())
_SCRIPT_CODES = {
    "arab": "arabic", "armn": "armenian", "cyrl": "cyrillic", "grek": "greek", "hani": "han", "hebr": "hebrew",
    "hira": "hiragana", "kana": "katakana", "latn": "latin", "zyyy": "common", "thai": "thai",
}  # fmt: skip
_BINARY = {
    "alphabetic": "Alphabetic", "alpha": "Alphabetic", "uppercase": "Uppercase", "upper": "Uppercase",
    "lowercase": "Lowercase", "lower": "Lowercase", "whitespace": "White_Space", "space": "White_Space",
    "wspace": "White_Space", "ascii": "ASCII", "asciihexdigit": "ASCII_Hex_Digit", "ahex": "ASCII_Hex_Digit",
    "hexdigit": "Hex_Digit", "hex": "Hex_Digit", "idstart": "ID_Start", "ids": "ID_Start", "idcontinue": "ID_Continue",
    "idc": "ID_Continue", "xidstart": "XID_Start", "xidcontinue": "XID_Continue", "dash": "Dash", "emoji": "Emoji",
}  # fmt: skip
_ELSEWHERE = frozenset({"xan", "xps", "xsp", "xuc", "xwd"})


def property_of(name: str) -> list[str]:
    """A Unicode property as alternatives of properties that `regex` has; an empty list stands for all characters.

    Raises `BadSyntax` for a property that PCRE2 does not have, KeyError for one that is not supported here.
    """
    plain = "".join(char for char in name if char not in " _-").lower()
    if plain in _CATEGORIES:
        return [_CATEGORIES[plain]]
    if plain == "any":
        return []
    if plain in ("l&", "lc"):
        return ["Lu", "Ll", "Lt"]
    script, sign, value = plain.replace(":", "=").partition("=")
    if sign:
        if script not in ("sc", "script", "scx", "scriptextensions", "bc", "bidiclass"):
            raise BadSyntax("unknown property after \\P or \\p")
        value = _SCRIPT_CODES.get(value, value)
        if script in ("sc", "script"):
            if value in _SCRIPTS:
                return [f"Script={value}"]
            raise KeyError(name)
        if script in ("scx", "scriptextensions") and value in _SCRIPTS:
            return [f"Script_Extensions={value}"]
        raise KeyError(name)
    plain = _SCRIPT_CODES.get(plain, plain)
    if plain in _SCRIPTS:
        return [f"Script_Extensions={plain}"]
    if plain in _BINARY:
        return [_BINARY[plain]]
    if plain in _ELSEWHERE:
        raise KeyError(name)
    if plain.startswith(("in", "is", "block", "posix")) or not plain or plain in _UNKNOWN:
        raise BadSyntax("unknown property after \\P or \\p")
    raise KeyError(name)


_UNKNOWN = frozenset(
    {"letter", "lowercaseletter", "uppercaseletter", "digit", "word", "foo", "number", "punct", "alnum"}
)

"""White space: differences in it that are ignored (`-w`, `-b`, …), and errors in it.

The error rules are git-config(1)'s core.whitespace and gitattributes(5)'s `whitespace`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...deferred import lazy_pattern
from ...errors import BadConfig
from ...limits import LARGE, need, paced, pause
from .spec import LineSpec

__all__ = [
    "NO_EOL",
    "Rule",
    "bare",
    "complaint",
    "folded",
    "folder",
    "is_blank",
    "paint",
    "rule_for",
    "trailing_blank_lines",
]

#: What follows an incomplete last line in a patch; `lines` keeps it on that line, so that joining lines prints it.
NO_EOL = b"\n\\ No newline at end of file"

_SPACE = b" \t\n\r"  # git's white space: without \v and \f
_IN_LINE = b" \t\r"
_TOGETHER = 1 << 14  # lines that are folded at once, if these are not long
_RUN = lazy_pattern(rb"[ \t\n\r]+")
_TABS = lazy_pattern(rb"( *+)\t")
_BLANKS = bytes.maketrans(_SPACE, b" " * len(_SPACE))
_STRETCH = 1 << 17  # bytes of a long line that are split into words at once


def bare(line: bytes) -> bytes:
    """A line without the marker of an incomplete one."""
    return line[: -len(NO_EOL)] if b"\n" in line else line


def folder(spec: LineSpec) -> Callable[[bytes], bytes] | None:
    """The function that returns equal keys for lines that count as equal; None if only equal lines do."""
    if spec.ignore_all_space:
        return _no_space
    if spec.ignore_space_change:
        return _one_space
    if spec.ignore_space_at_eol:
        return lambda line: bare(line).rstrip(_SPACE)
    if spec.ignore_cr_at_eol:
        # The carriage return of an incomplete line is text.
        return lambda line: line[: -len(NO_EOL)] if b"\n" in line else line.removesuffix(b"\r")
    return None


def folded(fold: Callable[[bytes], bytes], lines: list[bytes]) -> list[bytes]:
    """The keys of lines that follow one another in a file. White space is taken out of many of them at once."""
    if fold is _no_space and 0 < len(lines) < _TOGETHER:
        text = b"\n".join([*lines[:-1], bare(lines[-1])])  # only the last one may be marked as incomplete
        if len(text) < LARGE:
            keys = text.translate(None, _IN_LINE).split(b"\n")
            if len(keys) == len(lines):
                return keys
    return list(map(fold, paced(lines)))


def _no_space(line: bytes) -> bytes:
    if len(line) >= LARGE:
        need(3 * len(line))
    return bare(line).translate(None, _SPACE)


def _one_space(line: bytes) -> bytes:
    """The line with each run of white space as one blank, and none at its end."""
    if len(line) >= LARGE:
        return _one_space_in_stretches(line)
    if b"\n" in line:
        line = line[: -len(NO_EOL)]
    if b"\v" in line or b"\f" in line:  # white space for Python, but not for git
        return _RUN.sub(b" ", line).rstrip(b" ")
    folded = b" ".join(line.split())
    return b" " + folded if folded and line[0] in _SPACE else folded


def _one_space_in_stretches(line: bytes) -> bytes:
    """`_one_space` for a long line: splitting it at once would take fifty bytes a word."""
    need(3 * len(line))
    line = bare(line).translate(_BLANKS)
    size, at, parts = len(line), 0, []
    while at < size:
        pause()
        end = line.find(b" ", at + _STRETCH)
        end = size if end < 0 else end
        part = b" ".join(filter(None, line[at:end].split(b" ")))
        if part:
            parts.append(part)
        at = end
    folded = b" ".join(parts)
    return b" " + folded if folded and line[:1] == b" " else folded


def is_blank(line: bytes, folds: bool) -> bool:
    """Whether a line is blank for `--ignore-blank-lines`. A line of white space is, if any white space is ignored."""
    if not folds:
        return len(bare(line)) == 0 if b"\n" not in line else len(bare(line)) <= 1
    return not bare(line).strip(_SPACE)


# -- errors -----------------------------------------------------------------------------------------------------------

BLANK_AT_EOL = 1
SPACE_BEFORE_TAB = 2
INDENT_WITH_NON_TAB = 4
CR_AT_EOL = 8
BLANK_AT_EOF = 16
TAB_IN_INDENT = 32
_TRAILING = BLANK_AT_EOL | BLANK_AT_EOF

_RULES = [
    (b"trailing-space", _TRAILING),
    (b"space-before-tab", SPACE_BEFORE_TAB),
    (b"indent-with-non-tab", INDENT_WITH_NON_TAB),
    (b"cr-at-eol", CR_AT_EOL),
    (b"blank-at-eol", BLANK_AT_EOL),
    (b"blank-at-eof", BLANK_AT_EOF),
    (b"tab-in-indent", TAB_IN_INDENT),
]


class Rule:
    """Which white space errors are looked for, as a set of bits, and how wide a tab is."""

    __slots__ = ("bits", "tab")

    def __init__(self, bits: int = _TRAILING | SPACE_BEFORE_TAB, tab: int = 8) -> None:
        self.bits = bits
        self.tab = tab


def parse_rule(value: bytes) -> Rule:
    """The rule of a core.whitespace value. Words may be abbreviated; unknown ones are ignored."""
    rule = Rule()
    for word in re.split(rb"[, \t\n\r]+", value):
        negated = word.startswith(b"-")
        name = word[1:] if negated else word
        if not name:
            continue
        for full, bits in _RULES:
            if full.startswith(name):
                rule.bits = rule.bits & ~bits if negated else rule.bits | bits
                break
        if name.startswith(b"tabwidth="):
            digits = name[9:]
            if digits.isdigit() and 0 < int(digits[:9]) < 64:
                rule.tab = int(digits)
    if rule.bits & TAB_IN_INDENT and rule.bits & INDENT_WITH_NON_TAB:
        raise BadConfig("cannot enforce both tab-in-indent and indent-with-non-tab")
    return rule


def rule_for(attribute: bytes | bool | None, configured: bytes) -> Rule:
    """The rule for a path: from its `whitespace` attribute, otherwise from core.whitespace (b"" if not set)."""
    if isinstance(attribute, bytes):
        return parse_rule(attribute)
    rule = parse_rule(configured) if configured else Rule()
    if attribute is True:
        return Rule(_TRAILING | SPACE_BEFORE_TAB | INDENT_WITH_NON_TAB, rule.tab)
    if attribute is False:
        return Rule(0, rule.tab)
    return rule


def complaint(errors: int) -> bytes:
    """The words for a set of errors, as `git diff --check` joins them."""
    words = []
    if errors & BLANK_AT_EOL:
        words.append(b"trailing whitespace")
    if errors & BLANK_AT_EOF and not errors & BLANK_AT_EOL:
        words.append(b"new blank line at EOF")
    if errors & SPACE_BEFORE_TAB:
        words.append(b"space before tab in indent")
    if errors & INDENT_WITH_NON_TAB:
        words.append(b"indent with spaces")
    if errors & TAB_IN_INDENT:
        words.append(b"tab in indent")
    return b", ".join(words)


def trailing_blank_lines(data: bytes) -> int:
    """How many blank lines a file ends with, as git counts: a first line of one byte or none is not counted."""
    count = 0
    last = len(data) - 1
    if data.endswith(b"\n"):
        last -= 1
    while last > 0:
        newline = data.rfind(b"\n", 0, last + 1)
        if data[newline + 1 : last + 1].strip(_SPACE):
            break
        count += 1
        if not count & 1023:
            pause()
        last = newline - 1
    return count


def paint(line: bytes, rule: Rule, plain: bytes, reset: bytes, error: bytes) -> tuple[int, bytes]:
    """Find the errors of one line (no newline) and paint it: (error bits, the line with colours in it).

    Leading tabs that are no error stay outside the colours, as git leaves them.
    """
    bits = rule.bits
    errors = 0
    tail = b""
    if bits & CR_AT_EOL and line.endswith(b"\r"):
        line, tail = line[:-1], b"\r"
    size = len(line)
    stop = size
    if bits & BLANK_AT_EOL:
        stop = len(line.rstrip(_SPACE))
        if stop != size:
            errors |= BLANK_AT_EOL
    out: list[bytes] = []
    written = at = 0
    if b"\t" in line or bits & INDENT_WITH_NON_TAB:
        at = min(size - len(line.lstrip(b" \t")), stop)
        written = line.rfind(b"\t", 0, at) + 1
        if bits & TAB_IN_INDENT or b" \t" in line:
            marks, out = _paint_tabs(line[:written], bits, reset, error)
            errors |= marks
        elif written:
            out.append(line[:written])
    if bits & INDENT_WITH_NON_TAB and at - written >= rule.tab:
        errors |= INDENT_WITH_NON_TAB
        out += (error, line[written:at], reset)
        written = at
    if stop > written:
        out += (plain, line[written:stop], reset)
    if stop != size:
        out += (error, line[stop:], reset)
    out.append(tail)
    if size >= LARGE:
        need(sum(map(len, out)))
    return errors, b"".join(out)


def _paint_tabs(indent: bytes, bits: int, reset: bytes, error: bytes) -> tuple[int, list[bytes]]:
    """(error bits, pieces) of an indent that ends with a tab, or is empty."""
    errors = SPACE_BEFORE_TAB if bits & SPACE_BEFORE_TAB and b" \t" in indent else 0
    if bits & TAB_IN_INDENT and indent and (not errors or indent[:1] == b"\t" or b"\t\t" in indent):
        errors |= TAB_IN_INDENT
    if not errors:
        return 0, [indent]

    def painted(match: re.Match[bytes]) -> bytes:
        spaces = match[1]
        if errors & SPACE_BEFORE_TAB and spaces:
            return error + spaces + reset + b"\t"
        return spaces + error + b"\t" + reset if errors & TAB_IN_INDENT else match[0]

    if len(indent) >= LARGE:
        need(len(indent) + indent.count(b"\t") * len(error + reset))
    out, at = [], 0
    while at < len(indent):
        if at:
            pause()
        end = indent.find(b"\t", at + _STRETCH) + 1 or len(indent)
        out.append(_TABS.sub(painted, indent[at:end]))
        at = end
    return errors, out

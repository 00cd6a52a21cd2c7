"""Columns: the width of text on a terminal, cutting text to a width, wrapping it.

Widths are those of git's own table: combining marks and format characters take no column, East Asian wide characters
two, control characters none. Text that is not UTF-8 is as wide as it has bytes.
"""

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from ..deferred import lazy_pattern
from ..limits import joined, need, paced, step, watched

#: git's white space: no vertical tab, no form feed
SPACE = b" \t\n\r"

_CONTROLS = bytes([*range(32), 127])
_ESCAPE = lazy_pattern(rb"\x1b\[[0-9;]*m")
_TEXT_ESCAPE = lazy_pattern("\x1b\\[[0-9;]*m")
_TEXT_SPACE = lazy_pattern("[ \t\n\r]")
_LINES = lazy_pattern(rb"[^\n]*\n|[^\n]+")
_WORDS = 1 << 14  # pieces of filled text that are kept before they are put together
_CHARACTERS = 1 << 14  # so many widths are cached: more characters than any script has but the Chinese one


@lru_cache(maxsize=_CHARACTERS)
def char_width(char: str) -> int:
    """Columns of one character; -1 for a control character."""
    code = ord(char)
    if code < 32 or 127 <= code < 160:
        return -1 if code else 0
    if code == 0xAD:
        return 1
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf") or 0x1160 <= code <= 0x11FF:
        return 0
    if category == "Cn":
        return _width_unassigned(code)
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _width_unassigned(code: int) -> int:
    """Code points that Unicode reserves for ideographs are wide even before they are assigned."""
    kept = 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FFFD or 0x30000 <= code <= 0x3FFFD
    return 2 if kept else 1


def decode(text: bytes) -> str | None:
    """Decoded UTF-8 as git accepts it, or None: besides the usual rules it accepts neither U+FFFE nor U+FFFF."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return None
    return None if "\ufffe" in decoded or "\uffff" in decoded else decoded


def display_width(text: bytes, *, ansi: bool = False) -> int:
    """Columns of a text; with `ansi`, colour sequences take none."""
    plain = _ESCAPE.sub(b"", text) if ansi and b"\x1b" in text else text
    if plain.isascii():
        return len(plain) if plain.isalnum() else len(plain.translate(None, _CONTROLS))
    decoded = decode(plain)
    if decoded is None:
        return len(text)
    return sum(width for char in paced(decoded) if (width := char_width(char)) > 0)


def tab_width(text: bytes) -> int | None:
    """Columns of the text before a tab; None if git gives up aligning (no UTF-8, control characters)."""
    decoded = decode(text)
    if decoded is None:
        return None
    widths = [char_width(char) for char in paced(decoded)]
    return None if -1 in widths else sum(widths)


def expand_tabs(line: bytes, size: int, mark: Callable[[bytes], bytes] = bytes) -> bytes:
    """Tabs as blanks up to the next multiple of `size` columns; unchanged from where the width is not known.

    `mark` is called for each piece between two tabs.
    """
    out: list[bytes] = []
    at = 0
    while True:
        step()
        tab = line.find(b"\t", at)
        width = tab_width(line[at:tab]) if tab >= 0 else None
        if width is None:
            out.append(mark(line[at:]))
            return joined(out)
        out.append(mark(line[at:tab]) + b" " * (size - width % size))
        at = tab + 1


def replace_columns(text: bytes, start: int, width: int, mark: bytes) -> bytes:
    """Replace the characters that begin within `width` columns from `start` by `mark`; colours are kept."""
    out: list[bytes] = []
    column, end = 0, start + width
    for part in watched(_parts(text)):
        if part[:1] == b"\x1b" and _ESCAPE.fullmatch(part):
            out.append(part)
            continue
        decoded = decode(part)
        if decoded is None:
            return text
        if decoded.isascii() and decoded.isprintable():  # a column each
            cut, rest = (min(max(edge - column, 0), len(part)) for edge in (start, end))
            out += (part[:cut], mark if cut < rest else b"", part[max(cut, rest) :])
            mark = b"" if cut < rest else mark
            column += len(part)
            continue
        for char in paced(decoded):
            columns = max(char_width(char), 0)
            if not columns or not start <= column < end:
                out.append(char.encode())
            else:
                out.append(mark)
                mark = b""
            column += columns
    return joined(out)


def _parts(text: bytes) -> Iterator[bytes]:
    """A text, divided into colours and what is between them."""
    at = 0
    for color in _ESCAPE.finditer(text):
        yield from (text[at : color.start()], color[0])
        at = color.end()
    yield text[at:]


def indent(text: bytes, first: int, rest: int) -> bytes:
    """Every line indented: the first by one width, the others by another."""
    lines = _LINES.findall(text)
    need(2 * (len(text) + max(first, 0) + len(lines) * max(rest, 0)))
    return b"".join(b" " * max(rest if number else first, 0) + line for number, line in enumerate(lines))


def wrap(text: bytes, width: int, first: int, rest: int) -> bytes:
    """Fill lines of `width` columns, the first indented by `first` and the others by `rest`: `%w(…)` of git-log(1).

    A negative `first` tells how many columns are taken already. A newline counts as a space, unless an empty line or
    something other than a letter or digit follows: then it stays.
    """
    if width <= 0:
        return indent(text, first, rest)
    need(5 * len(text))  # decoded, in words, filled, and as bytes again
    decoded = decode(text)
    if decoded is None:
        return _wrap(text.decode("latin-1"), width, first, rest, False).encode("latin-1")  # a column a byte
    return _wrap(decoded, width, first, rest, True).encode()


def _word_width(word: str, wide: bool) -> int:
    """Columns of a word; a control character counts as minus one, as in git here."""
    if "\x1b" in word:
        word = _TEXT_ESCAPE.sub("", word)
    if not wide:
        return len(word)
    return len(word) if word.isascii() and word.isprintable() else sum(map(char_width, word))


def _wrap(text: str, width: int, first: int, rest: int, wide: bool) -> str:
    """The filling itself. `begin` is where the line's text begins, `space` the last position where it could be
    broken."""
    done, out = list[str](), list[str]()
    margin, column, at, begin = first, first, 0, 0
    blanks = 0  # of all margins
    space = -1
    if first < 0:
        column, space = -first, 0
    while True:
        step()  # once a word: a message may have millions
        if len(out) > _WORDS:
            done.append("".join(out))
            out.clear()
        end = _next_space(text, at)
        column += _word_width(text[at:end], wide)
        at = end
        last = end == len(text)
        if column <= width or space < 0:
            if last and at == begin:
                return "".join(done + out)
            if space >= 0:
                begin = space
            else:
                blanks += max(margin, 0)
                need(3 * blanks)  # in pieces, as one text, and as bytes
                out.append(" " * margin)
            out.append(text[begin:at])
            begin = at
            if last:
                return "".join(done + out)
            space = at
            if text[at] == "\t":
                column |= 7
            elif text[at] == "\n":
                space += 1
                following = text[space : space + 1]
                if following == "\n":
                    out.append("\n")
                if following.isascii() and following.isalnum():
                    out.append(" ")
                else:
                    out.append("\n")
                    at = begin = space + _is_space(following)
                    space, column, margin = -1, rest, rest
                    continue
            column += 1
            at += 1
        else:
            out.append("\n")
            at = begin = space + _is_space(text[space : space + 1])
            space, column, margin = -1, rest, rest


def _is_space(char: str) -> bool:
    return char in " \t\n\r" if char else False


def _next_space(text: str, at: int) -> int:
    match = _TEXT_SPACE.search(text, at)
    return len(text) if match is None else match.start()

"""git's configuration syntax: from the bytes of one file to its entries, in order.

Reading configuration is the first step of every command. A small file in the form that git writes is parsed at once; in
any other file, ordinary lines go through one regular expression, and a line with quotes, escapes or anything unusual
through a character reader that implements the whole grammar. Mirrors git-config(1), "Syntax".
"""

import re

from ..deferred import lazy_pattern
from ..errors import Corrupt
from ..limits import step

#: One setting: its key (section and name in lower case, subsection unchanged), its value (None: no `=`), its last line.
Setting = tuple[bytes, bytes | None, int]

MAX_SETTINGS = 200_000

#: Repetitions are possessive (`*+`): a mismatch must be detected at once, however many blanks there are. A capturing
#: group is never possessive itself: Python 3.11.2 keeps what such a group captured before it failed.
_LINE = lazy_pattern(
    rb"[ \t\r\n]*+(?:\[([A-Za-z0-9.-]++)(?:[ \t]++\"([^\"\\\n\0]*+)\")?\][ \t]*+)?"
    rb"(?:([A-Za-z][A-Za-z0-9-]*+)[ \t]*+(?:=[ \t]*+([^\"\\\n;#\r\t]*+)(?:[;#][^\n]*+)?)?|[;#][^\n]*+)?(?:\r?\n|\Z)"
)
#: a line in the form that git writes: a section's head, or a setting; or all the rest if neither comes next
_WRITTEN = lazy_pattern(
    rb"\[([A-Za-z0-9.-]++)(?: \"([^\"\\\n\0]++)\")?\]\n"
    rb"|\t([A-Za-z][A-Za-z0-9-]*+) = ([^\"\\\n;#\r\t ]++(?: [^\"\\\n;#\r\t ]++)*+)\n|(.++)",
    re.S,
)
_SMALL = 1 << 14
_KEY = lazy_pattern(rb"[A-Za-z][A-Za-z0-9-]*")
_SECTION = lazy_pattern(rb"[A-Za-z0-9.-]+")
_BLANK = b" \t\n\r"
_ESCAPES = {ord("t"): b"\t", ord("b"): b"\b", ord("n"): b"\n", ord("\\"): b"\\", ord('"'): b'"'}


class _Bad(Exception):
    """The syntax is invalid before this offset, which is beyond the data if git treats their end as the end of a
    line."""

    def __init__(self, offset: int) -> None:
        self.offset = offset


def parse_config(data: bytes, shown: object = ".git/config", into: list[Setting] | None = None) -> list[Setting]:
    """Add every setting of a file, in order, to an empty list. Messages name the file by `str(shown)`.

    Raises Corrupt with git's message (`bad config line 3 in file .git/config`); the settings before the error are in
    the list.
    """
    step()
    settings = [] if into is None else into
    written = _written(data) if len(data) <= _SMALL else None
    if written is None:
        _read(data, shown, settings)
    else:
        settings += written
    if b"\0" in data:  # git's values end at a NUL
        settings[:] = [(_cut(key), value and _cut(value), line) for key, value, line in settings]
    return settings


def _cut(word: bytes) -> bytes:
    return word.partition(b"\0")[0]


def _written(data: bytes) -> list[Setting] | None:
    """The settings of a file that holds only what git writes; otherwise None."""
    settings: list[Setting] = []
    section = b""
    for line, (head, sub, name, value, odd) in enumerate(_WRITTEN.findall(data), 1):
        if name:
            settings.append((section + name.lower(), value, line))
        elif odd:
            return None
        else:
            section = _join(head, sub or None)
    return settings


def _read(data: bytes, shown: object, settings: list[Setting]) -> list[Setting]:
    """The settings of any file, added to a list."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    section = b""
    position, end, line, counted = 0, len(data), 1, 0
    match = _LINE.match
    while position < end:
        setting = match(data, position)
        if setting is None:
            position = _skip(data, position, _BLANK)
            line += data.count(b"\n", counted, position)
            counted = position
            try:
                position, section = _odd_line(data, position, section, line, settings)
            except _Bad as bad:
                number = data.count(b"\n", 0, bad.offset) + 1 + (bad.offset > end)
                raise Corrupt(f"bad config line {number} in {shown}", line=number) from None
        else:
            head, sub, name, value = setting.groups()
            if head is not None:
                section = _join(head, sub)
            if name is not None:
                start = setting.start(3)
                line += data.count(b"\n", counted, start)
                counted = start
                if value is not None:
                    value = value.rstrip(b" ")
                elif data.find(b"=", start, setting.end()) >= 0:
                    value = b""
                settings.append((section + name.lower(), value, line))
            position = setting.end()
        step()
        if len(settings) > MAX_SETTINGS:
            raise Corrupt(f"too many settings in {shown}")
    return settings


def _join(head: bytes, sub: bytes | None) -> bytes:
    """The prefix of a key: `section.` or `section.Sub.`."""
    return head.lower() + b"." if sub is None else b"%b.%b." % (head.lower(), sub)


def _odd_line(data: bytes, position: int, section: bytes, line: int, settings: list[Setting]) -> tuple[int, bytes]:
    """Parse one statement character by character, without leading blanks; return its end and the section from there
    on."""
    char = data[position : position + 1]
    if not char:
        return position, section
    if char in b"#;":
        return _line_end(data, position), section
    if char == b"[":
        return _section(data, position + 1)
    return _assignment(data, position, section, line, settings), section


def _skip(data: bytes, position: int, what: bytes) -> int:
    end = len(data)
    while position < end and data[position] in what:
        position += 1
    return position


def _line_end(data: bytes, position: int) -> int:
    newline = data.find(b"\n", position)
    return len(data) if newline < 0 else newline + 1


def _section(data: bytes, position: int) -> tuple[int, bytes]:
    """`name ]` or `name blanks "sub" ]`, after the bracket."""
    match = _SECTION.match(data, position)
    if match is None:
        raise _Bad(position + (position == len(data)))
    head, position = match[0], match.end()
    if data[position : position + 1] == b"]":
        return position + 1, _join(head, None)
    opened = _skip(data, position, b" \t\r")
    if opened == position or data[opened : opened + 1] != b'"':
        raise _Bad(opened + (position == len(data)))
    sub = bytearray()
    position = opened + 1
    while True:
        step()
        char = data[position : position + 1]
        if char == b"\\":
            position += 1
            char = data[position : position + 1]
        elif char == b'"':
            break
        if not char or char == b"\n":
            raise _Bad(position)
        sub += char
        position += 1
    if data[position + 1 : position + 2] != b"]":
        raise _Bad(position + 2 + data.startswith(b"\r\n", position + 1))
    return position + 2, _join(head, bytes(sub))


def _assignment(data: bytes, position: int, section: bytes, line: int, settings: list[Setting]) -> int:
    """`key` or `key = value`, the value with quotes, escapes and continuation lines."""
    match = _KEY.match(data, position)
    if match is None:
        raise _Bad(position)
    key = section + match[0].lower()
    position = _skip(data, match.end(), b" \t")
    if position >= len(data) or data[position] == 10 or data.startswith(b"\r\n", position):
        settings.append((key, None, line))
        return _line_end(data, position)
    if data[position] != 61:
        raise _Bad(position)
    start = position + 1
    value, position = _value(data, start)
    settings.append((key, value, line + data.count(b"\n", start, position - 1)))  # the line on which the value ends
    return position


def _value(data: bytes, position: int) -> tuple[bytes, int]:
    """A value and the start of the next line. Each inner blank becomes one space; leading and trailing blanks are
    removed."""
    out = bytearray()
    spaces, quoted, end = 0, False, len(data)
    while True:
        step()
        char = data[position] if position < end else 10
        position += 1
        if char == 13 and data[position : position + 1] == b"\n":
            continue
        if char == 10:
            if quoted:
                raise _Bad(position - 1)
            return bytes(out), min(position, end)
        if not quoted and char in b" \t\r":
            spaces += bool(out)
            continue
        if not quoted and char in b";#":
            return bytes(out), _line_end(data, position)
        out += b" " * spaces
        spaces = 0
        if char == 34:
            quoted = not quoted
        elif char == 92:
            if data.startswith(b"\r\n", position):
                position += 1
            escaped = data[position] if position < end else 10
            position += 1
            if escaped != 10:
                if escaped not in _ESCAPES:
                    raise _Bad(position - 1)
                out += _ESCAPES[escaped]
        else:
            out.append(char)

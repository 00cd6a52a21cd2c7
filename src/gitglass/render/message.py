"""Messages: subject and body, as git tells them apart. The subject is the first paragraph, on one line."""

import re

from ..limits import lines_in, paced, pause
from .width import SPACE

_BLANK_LINES = re.compile(rb"(?:[ \t\n\r]*\n)?")
_PARAGRAPH_END = re.compile(rb"\n[ \t\r]*(?:\n|\Z)")
_NO_TITLE = re.compile(rb"[^A-Za-z0-9._]+")
_STRETCH = 1 << 16  # bytes of a subject that become part of a file name in one go
_DOTS = re.compile(rb"\.\.+")


def skip_blank_lines(message: bytes) -> bytes:
    """The message from its first line that is not blank."""
    if message[:1] not in (b" ", b"\t", b"\n", b"\r", b""):
        return message
    found = _BLANK_LINES.match(message)
    rest = message[found.end() :] if found else message
    return rest if rest.strip(SPACE) else b""


def split_subject(message: bytes) -> tuple[bytes, bytes]:
    """The first paragraph, and what follows it; neither begins with blank lines."""
    message = skip_blank_lines(message)
    found = _PARAGRAPH_END.search(message)
    if found is None:
        return message, b""
    return message[: found.start()], skip_blank_lines(message[found.end() :])


def join_lines(paragraph: bytes, between: bytes = b" ") -> bytes:
    """A paragraph as one line."""
    if b"\n" not in paragraph:
        return paragraph.rstrip(SPACE)
    return between.join([line.rstrip(SPACE) for line in paced(lines_in(paragraph.rstrip(SPACE)))])


def sanitize(subject: bytes) -> bytes:
    """A subject as a file name (%f)."""
    words = bytearray()
    for at in range(0, len(subject), _STRETCH):
        pause()
        part = _NO_TITLE.sub(b"-", _DOTS.sub(b".", subject[at : at + _STRETCH]))
        # a run of dots, or of what is no title, that was cut in two is still one
        words += part[1:] if part[:1] in (b"-", b".") and words.endswith(part[:1]) else part
    return bytes(words).lstrip(b"-").rstrip(b".-")


def strip_space(text: bytes, comment: bytes = b"") -> bytes:
    """Text as git keeps messages: lines without white space at their ends, never two empty ones, none at either end.

    Lines that begin with `comment`, if it is not empty, are left out.
    """
    out: list[bytes] = []
    gap = False
    for line in paced(lines_in(text)) if text else ():
        if comment and line.startswith(comment):
            continue
        line = line.rstrip(SPACE)
        if not line:
            gap = bool(out)
            continue
        if gap:
            out.append(b"")
            gap = False
        out.append(line)
    return b"\n".join([*out, b""]) if out else b""


def as_comments(text: bytes, comment: bytes) -> bytes:
    """Every line of a text as a comment; no blank stands before what is empty or begins with a tab."""
    lines = lines_in(text.removesuffix(b"\n")) if text else []
    return b"".join([comment + (b"" if line[:1] in (b"", b"\t") else b" ") + line + b"\n" for line in paced(lines)])

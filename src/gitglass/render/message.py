"""Messages: git's division into subject and body. The subject is the first paragraph, on one line."""

from ..deferred import lazy_pattern
from ..limits import LARGE, joined, lines_in, paced, pause
from ..objects.parsed import Commit
from ..repo.encoding import reencode_commit
from .width import SPACE

_PARAGRAPH_END = lazy_pattern(rb"\n[ \t\r]*+(?:\n|\Z)")
_BLANK_LINE = lazy_pattern(rb"\n[ \t\r]*+\n")
_NO_TITLE = lazy_pattern(rb"[^A-Za-z0-9._]+")
_STRETCH = 1 << 16  # bytes of a message that are searched at once
_DOTS = lazy_pattern(rb"\.\.+")


def skip_blank_lines(message: bytes) -> bytes:
    """The message from its first line that is not blank."""
    if message[:1] not in (b" ", b"\t", b"\n", b"\r", b""):
        return message
    text = _blanks(message, 0)
    return message[message.rfind(b"\n", 0, text) + 1 :] if text < len(message) else b""


def _blanks(message: bytes, at: int) -> int:
    """The end of the white space that begins at a position."""
    size = len(message)
    while at < size:
        rest = message[at : at + _STRETCH].lstrip(SPACE)
        if rest:
            return min(at + _STRETCH, size) - len(rest)
        at += _STRETCH
        pause()
    return size


def split_subject(message: bytes) -> tuple[bytes, bytes]:
    """The first paragraph, and the text after it; neither begins with blank lines."""
    message = skip_blank_lines(message)
    start, end = _paragraph_end(message)
    subject = message[:start]
    if len(message) >= LARGE:  # each copy of it takes long
        pause()
    return subject, skip_blank_lines(message[end:])


def _paragraph_end(message: bytes) -> tuple[int, int]:
    """The end of the first paragraph, and the end of the blank line after it."""
    at, size = 0, len(message)
    while size - at > LARGE:
        pause()
        match = _BLANK_LINE.search(message, at, at + _STRETCH)
        if match is not None:
            return match.span()
        last = message.rfind(b"\n", at, at + _STRETCH)
        if last > at:  # the rest of the stretch may be a blank line
            at = last
            continue
        # one line that is longer than a stretch; there is a newline before it, unless it is the first one
        end = message.find(b"\n", at + _STRETCH)
        if end < 0:
            break
        if last == at and _blanks(message, at) > end:
            return at, end + 1
        at = end
    match = _PARAGRAPH_END.search(message, at)
    if size >= LARGE:
        pause()
    return (size, size) if match is None else match.span()


def join_lines(paragraph: bytes, between: bytes = b" ") -> bytes:
    """A paragraph as one line."""
    if len(paragraph) >= LARGE:
        pause()
    if b"\n" not in paragraph:
        return paragraph.rstrip(SPACE)
    return joined([line.rstrip(SPACE) for line in paced(lines_in(paragraph.rstrip(SPACE)))], between)


def sanitize(subject: bytes) -> bytes:
    """A subject as a file name (%f)."""
    words = bytearray()
    for at in range(0, len(subject), _STRETCH):
        pause()
        part = _NO_TITLE.sub(b"-", _DOTS.sub(b".", subject[at : at + _STRETCH]))
        # a run of dots, or of other characters than a title has, that was cut in two is still one
        words += part[1:] if part[:1] in (b"-", b".") and words.endswith(part[:1]) else part
    return bytes(words).lstrip(b"-").rstrip(b".-")


def strip_space(text: bytes, comment: bytes = b"") -> bytes:
    """Text cleaned up as git stores messages: no white space at the ends of lines, no two empty lines in a row, and
    none at either end.

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
    """Every line of a text as a comment; there is no blank before a line that is empty or begins with a tab."""
    lines = lines_in(text.removesuffix(b"\n")) if text else []
    return b"".join([comment + (b"" if line[:1] in (b"", b"\t") else b" ") + line + b"\n" for line in paced(lines)])


def subject_line(commit: Commit, target: bytes) -> bytes:
    """The subject of a commit as one line, in an encoding (b"": as it is stored)."""
    raw = reencode_commit(commit.raw, commit.body_at, target)
    return join_lines(split_subject(Commit(commit.oid, raw).message)[0])


def beside_rows(text: bytes) -> list[bytes]:
    """The parts of a text, without the newline at its end, that stand beside rows of a graph or behind a prefix: lines.

    Strange but git's: from a NUL on all is one part, and a line that begins with one belongs to the line above it.
    """
    nul = text.find(b"\0")
    if nul < 0:
        return text.split(b"\n")
    end = text.rfind(b"\n", 0, nul)
    if end >= 0 and end == nul - 1:
        end = text.rfind(b"\n", 0, end)
    return [text] if end < 0 else [*text[:end].split(b"\n"), text[end + 1 :]]

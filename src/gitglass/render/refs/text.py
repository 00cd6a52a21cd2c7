"""The text inside commits and tags, split for the fields of ref formats: subject, body, signature, idents, dates.

Nothing is re-encoded here: `for-each-ref` prints messages as they are stored. Mirrors
git-for-each-ref(1), "FIELD NAMES".
"""

import re

from ...deferred import lazy_pattern
from ...limits import LARGE, pause, replaced

_SIGNATURES = (
    b"-----BEGIN PGP SIGNATURE-----",
    b"-----BEGIN PGP MESSAGE-----",
    b"-----BEGIN SIGNED MESSAGE-----",
    b"-----BEGIN SSH SIGNATURE-----",
)
_DATE = lazy_pattern(rb"\s*+\+?([0-9]++)((?:\s*+[+-]?[0-9]+)?)")


def header(raw: bytes, name: bytes) -> bytes | None:
    """The value of the first header of that name, or None. Headers end at the empty line."""
    if raw.startswith(b"\n"):
        return None
    if raw.startswith(name + b" "):
        start = len(name) + 1
    else:
        end = raw.find(b"\n\n")
        start = raw.find(b"\n" + name + b" ", 0, end + 1 if end >= 0 else len(raw)) + len(name) + 2
        if start < len(name) + 2:
            return None
    stop = raw.find(b"\n", start)
    return raw[start : stop if stop >= 0 else len(raw)]


class Parts:
    """A message and its parts. `contents` is all of it; `body` runs to the end, `text` stops before the signature."""

    __slots__ = ("body", "contents", "signature", "subject_lines", "text")

    def __init__(self, raw: bytes) -> None:
        gap = 0 if raw.startswith(b"\n") else raw.find(b"\n\n") + 1
        self.contents = contents = b"" if not gap and not raw.startswith(b"\n") else raw[gap:].lstrip(b"\n")
        large = len(contents) >= LARGE  # each search and each copy takes long
        if large:
            pause()
        signed = signature_start(contents)
        end = contents.find(b"\n\n")
        if end < 0:
            end = contents.find(b"\r\n\r\n")
        end = signed if end < 0 else min(end, signed)
        if large:
            pause()
        self.subject_lines = contents[:end].rstrip(b"\r\n")
        if large:
            pause()
        rest = contents[end:].lstrip(b"\r\n")
        if large:
            pause()
        self.body = rest
        self.text = rest[: max(len(rest) - (len(contents) - signed), 0)]
        self.signature = contents[signed:]

    @property
    def subject(self) -> bytes:
        """The first paragraph as one line."""
        lines = self.subject_lines
        return replaced(replaced(lines, b"\r\n", b"\n"), b"\n", b" ") if b"\n" in lines else lines

    def lines(self, count: int) -> bytes:
        """The first lines of subject and body, those after the first indented by four."""
        whole = self.contents[: len(self.contents) - len(self.signature)]
        rows = whole.split(b"\n", count)[:count]
        if whole.endswith(b"\n") and len(whole.split(b"\n", count)) <= count:
            rows.pop()
        return b"\n    ".join(rows)


def signature_start(contents: bytes) -> int:
    """The position of a signature at the end of the text; the length of the text if there is none."""
    if b"-----BEGIN" not in contents:
        return len(contents)
    start = len(contents)
    position = 0
    while position < len(contents):
        if contents.startswith(_SIGNATURES, position):
            start = position
        following = contents.find(b"\n", position)
        position = following + 1 if following >= 0 else len(contents)
    return start


def sanitize(subject: bytes) -> bytes:
    """A subject as part of a file name (`%(subject:sanitize)`, `%f`)."""
    return re.sub(rb"\.+", b".", re.sub(rb"[^0-9A-Za-z._]+", b"-", subject).strip(b"-")).rstrip(b".-").lstrip(b"-")


def person_name(ident: bytes) -> bytes:
    """The name of an ident line."""
    end = ident.find(b" <")
    return ident[:end] if end >= 0 else b""


def person_mail(rest: bytes, form: str) -> bytes:
    """The address with its brackets; `trim` drops them, `localpart` also what follows the @. `rest` begins with an
    ident line. Strange but git's: what the line lacks is looked for in what follows."""
    start = rest.find(b"<")
    end = rest.find(b"@", start + 1) if form == "localpart" else -1
    if end < 0:
        end = rest.find(b">", start + 1)
    if start < 0 or end < 0:
        return b""
    return rest[start + 1 : end] if form else rest[start : end + 1]


def when(rest: bytes) -> tuple[int, int] | None:
    """(epoch, zone) of an ident line, with which `rest` begins; None if it has no usable date.

    Strange but git's: the date follows the first `> `, which may be that of a later line, and no number is a 0."""
    start = rest.find(b"> ")
    if start < 0:
        return None
    match = _DATE.match(rest, start + 2)
    if match is None:
        return 0, 0
    epoch = int(match[1][:20])
    if epoch >= 1 << 63:
        return None
    return epoch, max(min(int(match[2][:10] or b"0"), 1 << 31), -(1 << 31))

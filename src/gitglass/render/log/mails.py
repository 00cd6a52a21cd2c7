"""A series of mails as git format-patch writes it: the text around the commits that `log.py` prints.

`Envelope` has the common properties of a series, `Threads` connects its mails, `cover_text` is the mail before
them. Mirrors git-format-patch(1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...errors import BadRequest
from ...limits import lines_in
from ...records import field, record
from ..message import join_lines, sanitize, skip_blank_lines, split_subject
from ..width import SPACE
from .mail_text import from_header, mime_header, subject_header

__all__ = ["Envelope", "Threads", "cover_text", "gather_headers", "message_id", "signature_block"]

LONGEST_SUBJECT = 100
_LEADER = b"------------"
_SUBJECT, _BLURB = b"*** SUBJECT HERE ***", b"*** BLURB HERE ***"


@record
class Envelope:
    """The common properties of the mails of a series.

    total      the number of the last one; 0 if they are not numbered
    boundary   between the parts of a mail with an attachment; None if the patch is in the text
    """

    prefix: bytes = b"PATCH"
    total: int = 0
    keep: bool = False
    headers: bytes = b""
    boundary: bytes | None = None
    inline: bool = False
    version: bytes | None = None
    suffix: bytes = b".patch"
    longest: int = 64
    by_number: bool = False
    signature: bytes = b""

    def tag(self, number: int) -> bytes:
        """The prefix of a subject: `[PATCH 2/3] `."""
        if self.total > 0:
            digits = len(str(self.total))
            return b"[%s%s%0*d/%d] " % (self.prefix, b" " if self.prefix else b"", digits, number, self.total)
        return b"[%s] " % self.prefix if self.prefix and not self.keep else b""

    def file_name(self, number: int, title: bytes) -> bytes:
        """The file name of a patch; `title` is the first line of its message."""
        if self.by_number:
            return b"%d" % number
        name = b"%04d-%s" % (number, title)
        if self.version is not None:
            name = sanitize(b"v" + self.version) + b"-" + name
        return name[: max(self.longest - len(self.suffix) - 1, 0)] + self.suffix

    def parts(self) -> bytes:
        """The headers of a mail whose patch is an attachment, down to the text."""
        assert self.boundary is not None
        edge = _LEADER + self.boundary
        return (
            b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="%s"\n\n'
            b"This is a multi-part message in MIME format.\n--%s\n"
            b"Content-Type: text/plain; charset=UTF-8; format=fixed\nContent-Transfer-Encoding: 8bit\n\n" % (edge, edge)
        )

    def attachment(self, name: bytes) -> bytes:
        """The headers of the patch in such a mail."""
        assert self.boundary is not None
        shown = b"inline" if self.inline else b"attachment"
        return (
            b'\n--%s%s\nContent-Type: text/x-patch; name="%s"\nContent-Transfer-Encoding: 8bit\n'
            b'Content-Disposition: %s; filename="%s"\n\n' % (_LEADER, self.boundary, name, shown, name)
        )

    def end(self) -> bytes:
        """The text below a patch: the end of its MIME part, or the signature."""
        if self.boundary is not None:
            return b"\n--%s%s--\n\n\n" % (_LEADER, self.boundary)
        return signature_block(self.signature)


def signature_block(signature: bytes) -> bytes:
    """The signature below a mail, if any."""
    if not signature:
        return b""
    return b"-- \n" + signature + (b"" if signature.endswith(b"\n") else b"\n") + b"\n"


@record
class Threads:
    """The ids of the mails of a series, and the mails that they answer.

    style  "deep": each mail answers the one before; "shallow": all answer the first; "": there are no ids
    """

    style: str = ""
    cover: bool = False
    name: Callable[[bytes], bytes] = bytes
    last: bytes = b""
    above: list[bytes] = field(default_factory=list)

    def begin(self, what: bytes, number: int) -> tuple[bytes, ...]:
        """The header lines of the next mail, which has a commit, or is the `cover`."""
        if self.style:
            shallow = self.style == "shallow" and self.above and (not self.cover or number > 1)
            if self.last and not shallow:
                self.above.append(self.last)
            self.last = self.name(what)
        own = (b"Message-Id: <%s>\n" % self.last,) if self.last else ()
        if not self.above:
            return own
        links = b"\n\t".join(b"<%s>" % one for one in self.above)
        return (*own, b"In-Reply-To: <%s>\nReferences: %s\n" % (self.above[-1], links))


def message_id(word: bytes) -> bytes:
    """The id in a value of --in-reply-to, without its brackets. Raises BadRequest if it is empty."""
    address = word.lstrip(b" \t\n\v\f\r<").rstrip(b" \t\n\v\f\r>")
    if not address:
        raise BadRequest(f"insane in-reply-to: {word.decode('utf-8', 'surrogateescape')}")
    return address


def gather_headers(lines: Sequence[bytes]) -> bytes:
    """Header lines as they are written: To: and Cc: at the end, each joined into one."""
    more: list[bytes] = []
    people: dict[bytes, list[bytes]] = {b"to": [], b"cc": []}
    for line in lines:
        if line in (b"-to", b"-cc"):
            people[line[1:]] = []
        elif line == b"-":
            more, people = [], {b"to": [], b"cc": []}
        elif line[:4].lower() in (b"to: ", b"cc: "):
            people[line[:2].lower()].append(line[4:].rstrip(b"\n"))
        else:
            more.append(line.rstrip(b"\n"))
    out = b"".join([line + b"\n" for line in more])
    for kind, label in ((b"to", b"To: "), (b"cc", b"Cc: ")):
        if people[kind]:
            out += label + b",\n    ".join(people[kind]) + b"\n"
    return out


def cover_text(
    sender: tuple[bytes, bytes], date: bytes, tag: bytes, headers: bytes, *, description: bytes, mode: str, eight: bool
) -> bytes:
    """The cover letter down to the list of commits. `description` is that of the branch, `mode` decides where it is
    used."""
    title, body = _SUBJECT, _BLURB
    if mode != "none" and description:
        subject, rest = split_subject(description)
        subject = join_lines(subject)
        if mode == "subject" or (mode == "auto" and len(subject) <= LONGEST_SUBJECT):
            title, body = subject, rest
        else:
            body = description
    out = from_header(*sender, b"UTF-8", encode=False) + b"Date: " + date + b"\n"
    out += subject_header(title, b"UTF-8", tag, encode=False)
    if eight:
        out += mime_header(b"UTF-8")
    out += headers + b"\n"
    body = skip_blank_lines(body)
    out += b"".join([line.rstrip(SPACE) + b"\n" for line in lines_in(body.removesuffix(b"\n"))]) if body else b""
    return out + b"\n"

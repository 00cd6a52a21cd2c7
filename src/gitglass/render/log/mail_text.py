"""Headers of mails: names and subjects as RFC 822 and RFC 2047 require, for the formats `email` and `mboxrd`."""

from ...records import record
from ...repo.encoding import is_utf8
from ..width import SPACE, wrap


@record
class MailForm:
    """The properties of the mails of a log or a series besides their commits; a series changes them from mail to mail.

    tag        in front of the subject
    subject    whether the title is in a header line
    encode     whether headers that are not ASCII are encoded
    keep       the subject keeps its line breaks
    charset    whether the mail declares that it is not ASCII: 1 always, -1 never, 0 where needed
    headers    below the subject
    sender     the sender of the mails, (name, address); an author who is another person is named in the body
    in_body    the author is named in the body in any case
    signoff    the line that ends a message, unless it does already
    anonymous  the commit is not named
    ids        the lines that connect the mails of a series
    """

    tag: bytes = b"[PATCH] "
    subject: bool = True
    encode: bool = True
    keep: bool = False
    charset: int = 0
    headers: bytes = b""
    sender: tuple[bytes, bytes] | None = None
    in_body: bool = False
    signoff: bytes = b""
    anonymous: bool = False
    ids: tuple[bytes, ...] = ()


_SPECIALS = b'()<>[]:;@,."\\'
_LONGEST_WORD = 76
_IN_PHRASE = b"!*+-/"


def has_eight_bits(text: bytes) -> bool:
    """Whether a mail with this text has to declare that it is not ASCII."""
    return not text.isascii() or b"\x1b" in text


def needs_encoding(text: bytes) -> bool:
    """Whether a header text is more than plain ASCII on one line."""
    return has_eight_bits(text) or b"\n" in text or b"=?" in text


def last_line(text: bytes) -> int:
    """The length of the last line of the text written so far."""
    return len(text) - text.rfind(b"\n") - 1


def quoted(name: bytes) -> bytes:
    """A name, in quotes if RFC 822 requires them."""
    if not any(char in _SPECIALS for char in name):
        return name
    return b'"' + name.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def _characters(text: bytes, encoding: bytes) -> list[bytes]:
    if not is_utf8(encoding):
        return [text[at : at + 1] for at in range(len(text))]
    return [char.encode("utf-8", "surrogateescape") for char in text.decode("utf-8", "surrogateescape")]


def _special(char: bytes, address: bool) -> bool:
    code = char[0]
    if len(char) > 1 or code >= 127 or code < 33 or char in b"=?_":
        return True
    return address and not (char.isalnum() or char in _IN_PHRASE)


def encode_words(text: bytes, encoding: bytes, taken: int, *, address: bool) -> bytes:
    """RFC 2047's `=?UTF-8?q?…?=`, folded; `taken` columns of the first line are used already."""
    opening = b"=?" + encoding + b"?q?"
    out = [opening]
    length = taken + len(opening)
    for char in _characters(text, encoding):
        coded = b"".join(b"=%02X" % code for code in char) if _special(char, address) else char
        if length + len(coded) + 2 > _LONGEST_WORD:
            out.append(b"?=\n " + opening)
            length = len(opening) + 1
        out.append(coded)
        length += len(coded)
    return b"".join(out) + b"?="


def from_header(name: bytes, mail: bytes, encoding: bytes, *, encode: bool = True) -> bytes:
    """The line `From: …`; the name in encoded words if it needs them, and `encode` allows it."""
    longest = 78
    out = b"From: "
    if encode and needs_encoding(name):
        out += encode_words(name, encoding, len(out), address=True)
        longest = 76
    else:
        out += wrap(quoted(name), longest, -6, 1)
    if longest < last_line(out) + len(mail) + 3:
        out += b"\n"
    return out + b" <" + mail + b">\n"


def subject_header(title: bytes, encoding: bytes, tag: bytes = b"[PATCH] ", *, encode: bool = True) -> bytes:
    """The line `Subject: [PATCH] …`; the commands for scripts have no `tag`."""
    out = b"Subject: " + tag
    if encode and needs_encoding(title):
        out += encode_words(title, encoding, len(out), address=False)
    else:
        out += wrap(title, 78, -len(out), 1)
    return out + b"\n"


def mime_header(encoding: bytes) -> bytes:
    """The headers that declare that the mail is not ASCII."""
    return b"MIME-Version: 1.0\nContent-Type: text/plain; charset=%s\nContent-Transfer-Encoding: 8bit\n" % encoding


def is_from(line: bytes) -> bool:
    """Whether a line of a mail would be mistaken for the beginning of another one (mboxrd)."""
    return line.lstrip(b">").startswith(b"From ")


__all__ = [
    "SPACE",
    "MailForm",
    "from_header",
    "has_eight_bits",
    "is_from",
    "mime_header",
    "needs_encoding",
    "subject_header",
]

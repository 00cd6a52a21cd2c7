"""Re-encoding: commit messages of any encoding in the encoding of the output, as git's iconv does it."""

from ..annotations import TYPE_CHECKING
from ..deferred import deferred

if TYPE_CHECKING:
    from .charsets import charset
else:
    charset = deferred(__name__, ".charsets", "charset")


def is_utf8(name: bytes | None) -> bool:
    """Whether an encoding's name means UTF-8; so does an empty one."""
    return name is None or name.lower() in (b"utf-8", b"utf8")


def same_encoding(one: bytes, other: bytes) -> bool:
    """Whether two names mean the same encoding, as git compares them."""
    return (is_utf8(one) and is_utf8(other)) or one.lower() == other.lower()


def reencode(text: bytes, source: bytes, target: bytes) -> bytes | None:
    """Text of one encoding in another; None if that fails for any reason."""
    decoder, encoder = charset(source), charset(target)
    if decoder is None or encoder is None:
        return None
    try:
        return text.decode(decoder).encode(encoder)
    except (UnicodeError, ValueError):
        return None


def reencode_commit(raw: bytes, body_at: int, target: bytes) -> bytes:
    """A raw commit in an encoding (b"": unchanged), with its `encoding` header changed to match, or dropped."""
    at = raw.find(b"\nencoding ", 0, body_at)
    if not target or (at < 0 and is_utf8(target)):
        return raw
    end = raw.find(b"\n", at + 1) if at >= 0 else -1
    source = raw[at + 10 : end] if at >= 0 else b"UTF-8"
    if same_encoding(source, target):
        if at < 0:
            return raw
        changed: bytes | None = raw
    else:
        changed = reencode(raw, source, target)
    if changed is None:
        return raw
    at = changed.find(b"\nencoding ")
    stop = changed.find(b"\n\n")
    if at < 0 or (stop >= 0 and at > stop):
        return changed
    end = changed.find(b"\n", at + 1)
    return changed[:at] + (b"" if is_utf8(target) else b"\nencoding " + target) + changed[end:]

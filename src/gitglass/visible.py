"""Characters that hide or command, made visible: for terminals (bytes) and for models (text).

Control characters act on a terminal; bidirectional and zero-width characters show a reader something else than what is
there; tag characters and variation selectors carry text that only a model sees. Newline and tab stay as they are.
"""

import re

__all__ = ["visible_bytes", "visible_text"]

#: on a terminal colour sequences (SGR) are let through
_BYTES = re.compile(
    rb"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]"
    rb"|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
)

_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufe00-\ufe0f\U000e0000-\U000e0fff]"
)


def visible_bytes(chunk: bytes) -> bytes:
    """The chunk with risky characters written as `\\x1b` or `\\u202e`."""
    return _BYTES.sub(_spell_bytes, chunk)


def visible_text(text: str) -> str:
    """The text with risky characters written as `\\x1b`, `\\u202e` or `\\U000e0041`, escape sequences included."""
    return _TEXT.sub(_spell, text)


def _spell_bytes(match: "re.Match[bytes]") -> bytes:
    raw = match.group()
    if len(raw) == 1:
        return b"\\x%02x" % raw[0]
    return b"\\u%04x" % ord(raw.decode("utf-8"))


def _spell(match: "re.Match[str]") -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

"""Characters that hide or command, made visible: for terminals (bytes) and for models (text).

Control characters act on a terminal; bidirectional and zero-width characters show a reader something else than what is
there; tag characters and variation selectors carry text that only a model sees. Newline and tab stay as they are.
"""

import re

__all__ = ["plain_bytes", "visible_bytes", "visible_line", "visible_text"]

#: the codes of colours and attributes that git has words for; what conceals is not among them
_OTHER = rb"[34]8;(?:5;[0-9]{1,3}|2(?:;[0-9]{1,3}){3})"
_CODE = rb"(?:(?:0{0,2}[0-57]|0{0,2}9|0?2[2-579]|0?[34][0-79]|0?9[0-7]|10[0-7]|%b)(?=[;m]))" % _OTHER
_RISKY = (
    rb"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xd8\x9c|\xe1\xa0\x8e|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]|\xf3\xa0[\x80\x81][\x80-\xbf]"
)
_BYTES = re.compile(rb"\x1b(?!\[%b?(?:;%b?)*+m)|%b" % (_CODE, _CODE, _RISKY))
_PLAIN_BYTES = re.compile(rb"\x1b|" + _RISKY)

_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufe00-\ufe0f\U000e0000-\U000e0fff]"
)


def visible_bytes(chunk: bytes) -> bytes:
    """What may be painted, for a terminal: risky characters are written as `\\x1b` or `\\u202e`, colours stay."""
    return _BYTES.sub(_spell_bytes, chunk)


def plain_bytes(chunk: bytes) -> bytes:
    """What is not painted, for a terminal: a colour in it is somebody else's and is written out as well."""
    return _PLAIN_BYTES.sub(_spell_bytes, chunk)


def visible_text(text: str) -> str:
    """The text with risky characters written as `\\x1b`, `\\u202e` or `\\U000e0041`, escape sequences included."""
    return _TEXT.sub(_spell, text)


def visible_line(text: str) -> str:
    """`visible_text` of what is to stay one line."""
    return visible_text(text).replace("\n", "\\x0a")


def _spell_bytes(match: "re.Match[bytes]") -> bytes:
    raw = match.group()
    if len(raw) == 1:
        return b"\\x%02x" % raw[0]
    code = ord(raw.decode("utf-8"))
    return b"\\u%04x" % code if code < 0x10000 else b"\\U%08x" % code


def _spell(match: "re.Match[str]") -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

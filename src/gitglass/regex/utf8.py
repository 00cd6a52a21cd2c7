"""Patterns that are not UTF-8, in the words of PCRE2 (pcre2unicode(3), "VALIDITY OF UTF-8 STRINGS")."""

from .posix import BadPattern

__all__ = ["decode_pattern"]

_OVERLONG = {0xE0: 0x20, 0xF0: 0x30, 0xF8: 0x38, 0xFC: 0x3C}  # first byte → the bits of the second, one of which is set


def decode_pattern(pattern: bytes) -> str:
    """The text of a pattern. Raises `BadPattern` if it is not UTF-8."""
    try:
        return pattern.decode()
    except UnicodeDecodeError as error:
        reason = _fault(pattern[error.start :])
        raise BadPattern(pattern, f"UTF-8 error: {reason}") from None


def _fault(data: bytes) -> str:
    """What is wrong with the character that the data begins with."""
    first = data[0]
    if first < 0xC0:
        return "isolated byte with 0x80 bit set"
    if first >= 0xFE:
        return "illegal byte (0xfe or 0xff)"
    more = 1 + (first >= 0xE0) + (first >= 0xF0) + (first >= 0xF8) + (first >= 0xFC)
    missing = more + 1 - len(data)
    if missing > 0:
        return f"{missing} byte{'s' if missing > 1 else ''} missing at end"
    broken = next((at for at in range(1, more + 1) if data[at] & 0xC0 != 0x80), None)
    second = data[1]
    if broken is not None:
        return f"byte {broken + 1} top bits not 0x80"
    if first < 0xC2 or (first in _OVERLONG and not second & _OVERLONG[first]):
        return f"overlong {more + 1}-byte sequence"
    if first == 0xED:
        return "code points 0xd800-0xdfff are not defined"
    if more > 3:
        return f"{more + 1}-byte character is not allowed (RFC 3629)"
    return "code points greater than 0x10ffff are not defined"

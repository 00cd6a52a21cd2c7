"""Writing to a person's terminal: control characters of a repository never reach it raw.

A pipe or a file gets git's bytes as they are. On a terminal, all control characters but newline, tab and colour
sequences (SGR) are made visible, and so are the bidirectional and zero-width characters that hide what a line says.
"""

import re

_RISKY = re.compile(
    rb"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]"
    rb"|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
)


def visible(chunk: bytes) -> bytes:
    """The chunk with risky characters written as `\\x1b` or `\\u202e`."""
    return _RISKY.sub(_spell, chunk)


def _spell(match: "re.Match[bytes]") -> bytes:
    raw = match.group()
    if len(raw) == 1:
        return b"\\x%02x" % raw[0]
    return b"\\u%04x" % ord(raw.decode("utf-8"))

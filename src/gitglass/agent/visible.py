"""Makes repository text safe for a model: no hidden characters, and no line that looks like one of gitglass.

Only gitglass writes lines that begin with `[gitglass:`: markers, notes, and what was left out. A line of a repository
that begins so gets a leading space.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator

from ..limits import pause
from ..visible import visible_text

__all__ = ["MARK", "shown_text", "visible_value"]

MARK = "[gitglass:"

_STRETCH = 1 << 16  # bytes of a long text that are made visible between two looks at the clock

_FORGED = re.compile(r"^(?=\[gitglass:)", re.MULTILINE | re.IGNORECASE)


def shown_text(raw: bytes, *, as_is: bool = False) -> str:
    """Bytes as text for a model; bytes that are not UTF-8 are written `\\xff`. `as_is`: nothing else is changed."""
    if len(raw) <= _STRETCH:
        return _shown(raw.decode("utf-8", "backslashreplace"), as_is)
    return "".join(_shown_stretches(raw, as_is))


def _shown_stretches(raw: bytes, as_is: bool) -> Iterator[str]:
    """A long text in stretches, with a look at the clock before each; they end at line ends, unless a line is
    longer."""
    decoder = getincrementaldecoder("utf-8")("backslashreplace")
    at, size, begins_line = 0, len(raw), True
    while at < size:
        pause()
        end = raw.rfind(b"\n", at, at + _STRETCH) + 1 or min(at + _STRETCH, size)
        text = decoder.decode(raw[at:end], end == size)
        # the next stretch of a long line must not be taken for the beginning of a line
        yield _shown(text, as_is) if begins_line else _shown(" " + text, as_is)[1:]
        at, begins_line = end, raw[end - 1] == 10


def _shown(text: str, as_is: bool) -> str:
    if as_is:
        return text
    if not text.isascii() or not text.isprintable():
        text = visible_text(text)
    return _FORGED.sub(" ", text) if MARK in text.lower() else text


def visible_value(value: object) -> object:
    """A typed result's plain data with every string made visible."""
    if isinstance(value, str):
        return visible_text(value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    if isinstance(value, list):
        return [visible_value(item) for item in value]
    if isinstance(value, dict):
        return {key: visible_value(item) for key, item in value.items()}
    return value

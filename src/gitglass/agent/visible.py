"""Repository text on its way to a model: nothing hidden, and no line that could pass for ours.

Lines that begin with `[gitglass:` are ours alone: markers, notes, and what was left out. A line of a repository that
begins so gets a space in front.
"""

import re

from ..model.visible import visible_text

__all__ = ["MARK", "shown_text", "visible_value"]

MARK = "[gitglass:"

_FORGED = re.compile(r"^(?=\[gitglass:)", re.MULTILINE | re.IGNORECASE)


def shown_text(raw: bytes, *, as_is: bool = False) -> str:
    """Bytes as text for a model; bytes that are not UTF-8 are written `\\xff`. `as_is`: nothing else is changed."""
    text = raw.decode("utf-8", "backslashreplace")
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

"""Limits to the arguments of one call, for all tools and profiles.

A schema only limits accidental sizes, and the profiles' schemas are not ours to change. Here all arguments are limited
before anything is looked up for them: the deadline of a call starts after its arguments are read.
"""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArgs

__all__ = ["MOST_ITEMS", "MOST_ITEM_BYTES", "MOST_TEXT_BYTES", "check_items", "check_sizes"]

#: most items of an array, names of an object, words of a command line
MOST_ITEMS = 1000
#: most bytes of a text within an array or an object: the longest path that Linux opens
MOST_ITEM_BYTES = 4096
#: most bytes of a text that is an argument by itself: a command line, a message, a pattern, a cursor
MOST_TEXT_BYTES = 1 << 16

_DEEPEST = 4
_SPLIT = "Ask in several calls, or name a directory or a pattern instead of each file."


def check_items(name: str, count: int) -> None:
    """Raises InvalidArgs if an argument has more than `MOST_ITEMS` items."""
    if count > MOST_ITEMS:
        words = f"{name}: {count} items, {MOST_ITEMS} at most"
        raise InvalidArgs(words, hint=_SPLIT, limit=MOST_ITEMS, size=count)


def check_sizes(arguments: object, most_text: int = MOST_TEXT_BYTES) -> None:
    """Check the arguments of a call, as they arrived, against the limits; `most_text` is that of a text, for tools that
    take whole files.

    Raises InvalidArgs, which names the argument and the limit; also for a text that cannot be encoded (half of a
    surrogate pair, which JSON can contain) and for arrays nested deeper than any parameter is.
    """
    if not isinstance(arguments, dict):
        return
    check_items("arguments", len(arguments))
    for key, value in arguments.items():
        if isinstance(key, str):
            _check_text("arguments", key, MOST_ITEM_BYTES)
        if isinstance(value, str):
            _check_text(str(key), value, most_text)
        else:
            _check_value(str(key), value, _DEEPEST, 0)


def _check_value(name: str, value: Any, depth: int, count: int) -> int:
    """Check one value and its parts; return the number of items counted so far."""
    if isinstance(value, str):
        _check_text(name, value, MOST_ITEM_BYTES)
    elif isinstance(value, list | tuple | dict):
        if not depth:
            raise InvalidArgs(f"{name}: nested too deeply")
        count += len(value)
        check_items(name, count)
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            count = _check_value(name, item, depth - 1, count)
    return count


def _check_text(name: str, value: str, most: int) -> None:
    try:
        size = len(value) if value.isascii() else len(value.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        raise InvalidArgs("arguments: not Unicode text (half of a surrogate pair)") from None
    if size > most:
        raise InvalidArgs(f"{name}: a text of {size} bytes, {most} at most", hint=_SPLIT, limit=most, size=size)

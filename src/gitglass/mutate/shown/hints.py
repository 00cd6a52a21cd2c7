"""The hints in what git says, in colour where the configuration always wants that.

Mirrors git-config(1), `color.advice`: nothing that is said here goes to a terminal, so that `auto` is no colour.
"""

from __future__ import annotations

import re

from ...config.config import Config
from ...render.color import RESET, parse_color

#: the commands that take `color.ui` for it
_OF_THE_UI = ("branch", "clean", "commit", "merge", "tag")
_HINT = re.compile(rb"^hint: ?.*$", re.MULTILINE)
_YELLOW = b"\x1b[33m"


def with_hints(words: bytes, config: Config, command: str) -> bytes:
    """The words of a command on stderr, each line of its hints in `color.advice.hint` or yellow."""
    wanted = config.get("color.advice") or (config.get("color.ui") if command in _OF_THE_UI else None)
    if wanted is None or wanted.lower() != b"always" or b"hint:" not in words:
        return words
    chosen = config.get("color.advice.hint")
    color = _YELLOW if chosen is None else parse_color(chosen)
    return _HINT.sub(lambda hint: color + hint[0] + RESET, words)

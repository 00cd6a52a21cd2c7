"""Commits in UTF-8: bytes of a new one that are none are taken for Latin-1, as git does it.

git warns of it and goes on (git-commit(1), "Discussion": it "can issue a warning"); that it also rewrites the commit,
names and all, is not documented. What Unicode has set aside for no characters is not taken for UTF-8 either.
"""

from __future__ import annotations

import re

WARNING = b"""\
Warning: commit message did not conform to UTF-8.
You may want to amend it after fixing the message, or set the config
variable i18n.commitEncoding to the encoding your project uses.
"""

_CHARACTERS = re.compile(
    rb"""
    ( \xef\xb7[\x90-\xaf] | \xef\xbf[\xbe\xbf] | [\xf0-\xf4][\x8f\x9f\xaf\xbf]\xbf[\xbe\xbf] )  # set aside
    | [\x00-\x7f]+ | [\xc2-\xdf][\x80-\xbf]
    | \xe0[\xa0-\xbf][\x80-\xbf] | \xed[\x80-\x9f][\x80-\xbf] | [\xe1-\xec\xee\xef][\x80-\xbf]{2}
    | \xf0[\x90-\xbf][\x80-\xbf]{2} | [\xf1-\xf3][\x80-\xbf]{3} | \xf4[\x80-\x8f][\x80-\xbf]{2}
    | (.)
    """,
    re.DOTALL | re.VERBOSE,
)


def conforming(data: bytes) -> bytes:
    """The same bytes in UTF-8: each that belongs to no character of it is one of Latin-1."""
    return data if data.isascii() else _CHARACTERS.sub(_converted, data)


def _converted(match: re.Match[bytes]) -> bytes:
    return match[0] if match.lastindex is None else match[0].decode("latin-1").encode("utf-8")

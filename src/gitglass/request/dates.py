"""Dates of typed requests, parsed strictly.

git accepts any text as a date; text without a meaning is the present moment: `--since=gibberish` shows no commits,
without an error. The command line answers as git does; a caller of the library or of a tool gets an error instead.
"""

from __future__ import annotations

import re

from ..annotations import Any
from ..errors import InvalidArgs

__all__ = ["check_date", "check_dates"]

EXAMPLES = "'2026-10-01', '2 weeks ago', 'yesterday'"

_FIELDS = ("since", "until", "since_as_filter")
_WORDS = re.compile(
    r"(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|(mon|tues?|wed|thur?s?|fri|sat|sun)[a-z]*"
    r"|(second|sec|minute|min|hour|day|week|fortnight|month|year)s?|ago|last|now|today|yesterday|noon|midnight|tea|never"
    r"|am|pm|at|on|of|the|and|a|an|one|two|three|four|five|six|seven|eight|nine|ten|st|nd|rd|th|t|z|utc|gmt"
    r"|[ecmp][sd]t",
    re.IGNORECASE,
)


def check_date(value: str) -> str:
    """The date, if each of its words can be part of a date. Raises ValueError, with examples."""
    words = re.findall(r"[^\W\d_]+", value)
    if len(value) > 100 or not (words or re.search(r"\d", value)):
        raise ValueError(f"not a date; e.g. {EXAMPLES}")
    for word in words:
        if _WORDS.fullmatch(word) is None:
            raise ValueError(f"'{word}' is no word of a date; e.g. {EXAMPLES}")
    return value


def check_dates(request: Any) -> None:
    """Check the dates that select commits in a request. Raises InvalidArgs."""
    for name in _FIELDS:
        value = getattr(request, name, None)
        if isinstance(value, str):
            try:
                check_date(value)
            except ValueError as error:
                raise InvalidArgs(f"{name}: {error}", hint=f"Write a date, e.g. {EXAMPLES}.") from None

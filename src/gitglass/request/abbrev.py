"""`--abbrev[=<n>]`: the number of digits of an object's name, which git parses in two ways.

Commands with parse-options accept only a number; the revision walk and the diff options accept any text, which C's
strtoul converts. Both raise a smaller number to the minimum; a number beyond the length of a name means all digits.
"""

import re
from collections.abc import Callable

from ..deferred import lazy_pattern
from ..errors import InvalidArgs
from ..revs.abbrev import MINIMUM

MOST = 64
_NUMBER = lazy_pattern(r"[ \t\n\v\f\r]*([+-]?)([0-9]*)", re.ASCII)


def digits_option(name: str = "abbrev") -> Callable[[str], int]:
    """The reader of parse-options: a number, 0 for all digits. Raises InvalidArgs."""

    def parse(value: str) -> int:
        match = _NUMBER.fullmatch(value)
        if match is None or not match[2]:
            raise InvalidArgs(f"option `{name}' expects a numerical value")
        number = int(match[1] + match[2])
        return min(max(number, MINIMUM), MOST) if number else 0

    return parse


def walk_digits(value: str) -> int:
    """The reader of the revision walk: a text without a number is 0; a negative number wraps to more digits than a name
    has."""
    match = _NUMBER.match(value)
    assert match is not None  # it also matches the empty text
    number = int(match[2] or "0")
    return MOST if match[1] == "-" and number else min(max(number, MINIMUM), MOST)

r"""Regular expressions as models write them, in the extended syntax that the tools take.

Models write Perl's shorthand into any expression: `#\d+`, `[\w.]+`, `(?:a|b)`, `\'name\'`. In an extended one `\d`
is the letter, `[\w]` a backslash or the letter, and `\'` the end of the text: each is valid, and finds nothing or
something else. Nobody means that; so shorthand is written out where the extended syntax can say the same, and an
expression that needs more (look-around, `(?i)`, `\p{…}`) is one of Perl's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import GitError, InvalidArgs

__all__ = ["advised", "written_out"]

#: an escaped character, a non-capturing group, other groups of Perl's, a bracket expression
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<group>\(\?:)|(?P<other>\(\?)"
    r"|\[(?P<not>\^?)(?P<items>\]?(?:\[:[a-z]+:\]|\[\.[^\]]*\.\]|\[=[^\]]*=\]|\\\](?=[^\[]*\])|\\[^\]]|[^\]\\]|\\(?=\]))*)\]",
    re.DOTALL,
)
_ALONE = {"d": "[0-9]", "D": "[^0-9]", "t": "\t", "r": "\r", "f": "\f", "'": "'", "`": "`"}
_INSIDE = {"d": "0-9", "w": "[:alnum:]_", "s": "[:space:]", "t": "\t", "r": "\r", "f": "\f"}
#: escapes outside of brackets that only Perl's syntax has
_ONLY_PERL = frozenset("nehHvVNRKAZzpPxQEXuU")
#: in a bracket expression: a class, and an escaped letter, or an escaped `]` where another one ends the expression
_ITEM = re.compile(r"\[:[a-z]+:\]|\\\\|\\(?P<letter>[A-Za-z\]])(?P<range>-(?=.))?", re.DOTALL)
_MALFORMED = re.compile(r"command line, |-e option, ")
#: longer patterns are left as they are: nobody writes them by hand, and the search for brackets is quadratic
_LONGEST = 1000
_REFERENCE = re.compile(r"\\[1-9]")


def written_out(pattern: str, *, perl: bool = True) -> tuple[str, bool]:
    """The pattern in the extended syntax, or as it is with True if only Perl's syntax can say it.

    `perl` False: there is no such syntax to take; raises InvalidArgs for such a pattern.
    """
    if len(pattern) > _LONGEST:
        return pattern, False
    needs_perl = False

    def token(match: re.Match[str]) -> str:
        nonlocal needs_perl
        letter = match["escaped"]
        if letter is not None:
            needs_perl = needs_perl or letter in _ONLY_PERL
            return _ALONE.get(letter, match[0])
        if match["items"] is not None:
            items, odd = _items(match["items"])
            needs_perl = needs_perl or odd
            return f"[{match['not']}{items}]"
        grouped = match["group"] is not None and not _REFERENCE.search(pattern)  # groups have numbers
        needs_perl = needs_perl or not grouped
        return "("

    extended = _TOKEN.sub(token, pattern)
    if not needs_perl:
        return extended, False
    if not perl:
        raise InvalidArgs(f"'{pattern[:80]}' needs Perl's syntax", hint="Write an extended regular expression.")
    return pattern, True


@contextmanager
def advised(words: str) -> Iterator[None]:
    """The error for a malformed expression with a remedy; `words`: one that the tool has besides."""
    try:
        yield
    except GitError as error:
        if _MALFORMED.match(error.message):
            error.hint = f"{words}[(] is the character ( itself, and so for others."
        raise


def _items(items: str) -> tuple[str, bool]:
    """What is in a bracket expression, and whether the extended syntax cannot say it."""
    odd = False

    def item(match: re.Match[str]) -> str:
        nonlocal odd
        letter = match["letter"]
        if letter is None:
            return match[0]
        odd = odd or letter in "DWSnpPxhHvVN]" or match["range"] is not None
        return _INSIDE.get(letter, match[0])

    return _ITEM.sub(item, items), odd

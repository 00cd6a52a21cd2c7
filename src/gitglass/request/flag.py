"""The spelling of a request's option on git's command line.

An option is only declared as a field of a request. Its spelling is part of the field's metadata, which pydantic's JSON
schema does not show:

    max_count: Annotated[int | None, Flag("-n", "--max-count", value="number")] = Field(None, description="…")

The argv grammar (`cli/argv.py`) and the `-h` text (`cli/usage.py`) are derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..annotations import Any
from ..errors import InvalidArgs
from .declared import fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared


class Unrecognized(ValueError):
    """A value with which git does not recognise the option; its message comes before the one about the option."""


class Cleared:
    """The value for the negation of an option that appends to a list: it clears the list."""


CLEARED = Cleared()


class Flag:
    """One spelling of a field (a field may have several).

    names      as typed: "-n", "--max-count"; the name "-NUM" stands for `-20`.
    value      placeholder of its value, as the help shows it; None makes it a switch.
    optional   the value may be left out, and must be attached: `--abbrev[=<n>]`, `-M[<n>]`.
    last       the value may be left out if the option ends the command line: `--merged [<commit>]`.
    const      the value of a switch, and of an option without its optional value. A callable gets the value so far
               (None: there is none).
    sets       other fields that it also sets: `--oneline` sets pretty and abbrev_commit. A callable gets the option's
               value; a callable in place of a field's value gets the field's value so far (None: there is none).
    append     the field is a list; each use appends to it.
    bars       other fields that must not have a value yet → git's error if they have one.
    parse      text → value; raises InvalidArgs with git's message.
    no         `--no-NAME` is accepted too and stores `no_const`, by default the value that git's own parser stores:
               False for a switch, None for a value, an empty list for a list.
    exact      git does not accept abbreviations of it (the options of the revision walk).
    negation   it is `--no-` with the name of an option that git has, declared apart: git accepts abbreviations of such
               words in all commands. False: it is none, though there is an option of that name.
    apart      its value is the next word, never attached by `=`.
    stuck      its value is attached by `=`, never the next word.
    walk       an option of the revision walk: git has a parser, and error messages, of its own for these. A switch is
               compared as a whole word: `--left-only=1` is a different option, which does not exist.
    token      a pseudo revision: the word itself joins the positional arguments, in order (`--all`, `--not`).
    mode       options of one such name exclude each other (git's command modes): the second is reported.
    turns      it changes the meaning of revisions after it, but not of those before: `-g` (`Positionals.turn`).
    """

    __slots__ = (
        "apart",
        "append",
        "bars",
        "const",
        "exact",
        "last",
        "mode",
        "names",
        "negation",
        "no",
        "no_const",
        "optional",
        "parse",
        "sets",
        "stuck",
        "token",
        "turns",
        "value",
        "walk",
    )

    def __init__(
        self,
        *names: str,
        value: str | None = None,
        optional: bool = False,
        last: bool = False,
        const: object = True,
        sets: Mapping[str, object] | Callable[[Any], Mapping[str, object]] | None = None,
        append: bool = False,
        parse: Callable[[str], object] | None = None,
        no: bool = False,
        no_const: object = CLEARED,
        exact: bool = False,
        negation: bool | None = None,
        token: bool = False,
        turns: bool = False,
        apart: bool = False,
        stuck: bool = False,
        walk: bool = False,
        bars: Mapping[str, str] | None = None,
        mode: str | None = None,
    ) -> None:
        self.names = names
        self.value = value
        self.optional = optional
        self.last = last
        self.const = const
        self.sets = sets
        self.append = append
        self.parse = parse
        self.no = no
        plain = None if value is not None else False
        self.no_const = plain if no_const is CLEARED and not append else no_const
        self.exact = exact or walk
        self.negation = negation
        self.token = token
        self.turns = turns
        self.apart = apart
        self.stuck = stuck
        self.walk = walk
        self.bars = bars
        self.mode = mode

    def __repr__(self) -> str:
        return f"Flag({', '.join(self.names)})"


def number(name: str) -> Callable[[str], int]:
    """A parser of whole numbers with the errors of git's parse-options."""

    def parse(value: str) -> int:
        try:
            return int(value, 10)
        except ValueError:
            raise InvalidArgs(f"option `{name}' expects a numerical value") from None

    return parse


def leading_number(text: str) -> int:
    """The number at the beginning of a text, 0 if there is none: git parses these options with C's atoi."""
    digits = text.strip()
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-") if digits[:1] in "+-" else digits
    end = 0
    while end < len(digits) and digits[end].isascii() and digits[end].isdigit():
        end += 1
    return sign * int(digits[:end] or "0")


def unless_false(held: object) -> bool:
    """In `Flag.sets`: true, unless the field already holds False."""
    return held is not False


def unchanged(held: object) -> object:
    """In `Flag.const`: an option without its value leaves the field as it is."""
    return held


Spelling = tuple[str, Flag]  # the name of the field, and the flag

_TABLES: dict[object, dict[str, Spelling]] = {}


def spellings(request: type[Declared]) -> dict[str, Spelling]:
    """Every option word of a request → (field, flag); made once for each class."""
    table = _TABLES.get(request)
    if table is None:
        table = {}
        for name, field in fields_of(request).items():
            for flag in field.metadata:
                if isinstance(flag, Flag):
                    table.update(dict.fromkeys(flag.names, (name, flag)))
        _TABLES[request] = table
    return table


def parse_when(value: str) -> str:
    """The value of `--color=<when>`, in upper or lower case; raises InvalidArgs with git's message."""
    word = value.lower()
    if word in ("always", "never", "auto"):
        return word
    raise InvalidArgs('option `color\' expects "always", "auto", or "never"')

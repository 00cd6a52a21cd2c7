"""Turns argv into request values, by the spellings that the request declares.

The grammar is that of git's parse-options: long options may be abbreviated if unique, and take their value after `=` or
as the next word (an optional value only after `=`); short ones can be bundled, and their value may follow directly.
`--` ends options. A value never becomes an option, an option never a value.
"""

from functools import lru_cache

from ..annotations import TYPE_CHECKING, Any, cast
from ..commands.command import Command, unknown_option, unknown_word, unrecognized_argument
from ..deferred import deferred, lazy_pattern
from ..errors import BadRequest, GitError, InvalidArgs
from ..plans.positionals import Aside, Positionals, Token
from ..request.declared import fields_of
from ..request.flag import CLEARED, Flag, Spelling, Unrecognized, spellings

if TYPE_CHECKING:
    from ..revs.exclusions import barred, can_hide
else:
    barred, can_hide = deferred(__name__, "..revs.exclusions", "barred", "can_hide")


#: Errors that git's own parser also reports, about whole words only.
_HELPFUL = (unrecognized_argument, unknown_word)
FAMILIES = ("--branches", "--tags", "--remotes")  # of refs
MAX_WORD = 1 << 20
MAX_WORDS = 1 << 16
MAX_DIGITS = 1000  # most digits of a number; Python's int() rejects more than 4300
_SHORT = 1000  # most characters of a command line that is remembered
_BARE = ("--", "--n", "--no", "--no-")  # the beginnings of all negations, and of none
_DIGITS = lazy_pattern("[0-9]+")
_ENDLESS = lazy_pattern(rf"[0-9]{{{MAX_DIGITS}}}")


class _Unknown(Exception):
    """An option that the command does not have."""

    def __init__(self, error: GitError) -> None:
        self.error = error


class HelpAsked(InvalidArgs):
    """`-h` among the options: only the usage is printed (status 129)."""


def parse(command: Command, argv: list[str]) -> tuple[dict[str, Any], Positionals]:
    """Split argv into field values and positional words. Raises InvalidArgs, Unsupported.

    Agents repeat command lines: the results for short ones are remembered.
    """
    if len("".join(argv)) <= _SHORT:
        kept = _parsed(command, tuple(argv))
        if kept is not None:
            values, before, after, dashdash = kept
            copied = {name: [*value] if type(value) is list else value for name, value in values.items()}
            return copied, Positionals([*before], [*after], dashdash)
    return _Parser(command, argv).parse()


@lru_cache(maxsize=128)
def _parsed(command: Command, argv: tuple[str, ...]) -> tuple[dict[str, Any], list[str], list[str], bool] | None:
    """The remembered result of parsing a command line; callers copy it. None if some value is not a plain one."""
    values, words = _Parser(command, list(argv)).parse()
    if words.late or words.trouble or words.unknown or words.overruled or words.aside or words.turn:
        return None
    for value in values.values():
        for item in value if type(value) is list else (value,):
            if item is not None and type(item) not in (bool, int, str):
                return None
    return values, words.before, words.after, words.dashdash


def _with_behind(argv: list[str], behind: tuple[str, ...]) -> list[str]:
    """The words that git passes to another of its commands, without the first `--`."""
    at = argv.index("--") if "--" in argv else len(argv)
    return [*argv[:at], *argv[at + 1 :], *behind]


class _Parser:
    __slots__ = ("_argv", "_at", "_command", "_last", "_modes", "_table", "_values", "_wide", "_words")

    def __init__(self, command: Command, argv: list[str]) -> None:
        self._command = command
        self._argv = _with_behind(argv, command.behind) if command.behind else argv
        self._at = 0
        self._table = spellings(command.request)
        self._wide = False  # whether the table also has the ignored options
        self._values: dict[str, Any] = {}
        self._words = Positionals()
        self._last = ""
        self._modes: dict[str, Flag] = {}  # the option that chose the mode of a command

    def parse(self) -> tuple[dict[str, Any], Positionals]:
        check_words(self._argv)
        if self._command.sifted:
            return self._sifted()
        try:
            self._in_order()
        except GitError as error:
            if not self._command.patient:
                raise
            self._words.trouble = error
        self._put_aside()
        return self._values, self._words

    def _in_order(self) -> None:
        argv = self._argv
        while self._at < len(argv):
            word = argv[self._at]
            self._at += 1
            if word == "--" or (word == "--end-of-options" and "--end-of-options" not in self._table):
                self._end(word)
                break
            if word in ("(", ")") and word in self._table:  # git grep's parentheses: options without a dash
                field, flag = self._table[word]
                self._store(field, flag, flag.const, bare=True)
            elif not word.startswith("-") or (word == "-" and self._command.anywhere is None):
                self._words.before.append(word)
                if self._command.stop:
                    self._words.before += argv[self._at :]
                    break
            elif not self._option(word):
                break

    def _sifted(self) -> tuple[dict[str, Any], Positionals]:
        self._words.before = [word for word in self._argv if not word.startswith("-")]
        options = [word for word in self._argv if word.startswith("-") and word != "--"]
        try:
            for word in options:
                self._argv, self._at = [], 0
                self._long(word) if word.startswith("--") else self._short(word)
        except GitError as error:
            self._words.trouble = error
        except _Unknown as unknown:
            self._words.trouble = unknown.error
        return self._values, self._words

    def _widen(self) -> bool:
        """Add the options that are parsed without an effect; returns False if that was done before, or there are
        none."""
        aside = None if self._wide else self._command.aside
        if aside is None:
            return False
        self._wide = True
        own = self._table
        negations = {f"--no-{name[2:]}" for name, (_, flag) in own.items() if flag.no and name.startswith("--")}
        idle = {name: option for name, option in spellings(aside).items() if name not in negations}
        self._table = {**idle, **own}
        return True

    def _put_aside(self) -> None:
        aside = self._command.aside if self._wide else None
        if aside is not None:
            own = fields_of(self._command.request)
            given = {name: self._values.pop(name) for name in list(self._values) if name not in own}
            self._words.aside = cast(Aside, aside(**given)) if given else None

    def _option(self, word: str) -> bool:
        """Parse an option; returns whether options may follow.

        A command that walks revisions reports an unknown option after all words are looked at: its binder does that.
        """
        try:
            return self._declared_option(word)
        except _Unknown as unknown:
            if self._command.anywhere is None:
                raise unknown.error from None
            self._words.unknown = self._words.unknown or unknown.error
            return True

    def _declared_option(self, word: str) -> bool:
        """The same for an option of the command. After a positional word the binder decides: it can recognise paths."""
        if self._command.anywhere is None or not any(not isinstance(w, Token) for w in self._words.before):
            self._long(word) if word.startswith("--") else self._short(word)
            return True
        self._last = ""
        self._words.late.append((len(self._words.before), word))
        try:
            self._long(word) if word.startswith("--") else self._short(word)
        except GitError as error:
            if "--" in self._argv[self._at :]:
                raise
            self._words.trouble = error
            return False
        if self._last in self._command.anywhere:
            del self._words.late[-1]
        return True

    def _end(self, word: str) -> None:
        rest = self._argv[self._at :]
        if word == "--":
            self._words.dashdash, self._words.after = True, rest
            return
        if "--" in rest:  # --end-of-options: words follow, until --
            at = rest.index("--")
            self._words.dashdash, self._words.after, rest = True, rest[at + 1 :], rest[:at]
        self._words.before += rest

    # ---------------------------------------------------------------- long options
    def _long(self, word: str) -> None:
        name, equals, sticky = word.partition("=")
        name = self._whole_refused(name, word)
        if self._command.asks_nothing(name):
            if equals:
                raise InvalidArgs(f"option `{name[2:]}' takes no value")
            return
        refusal = self._command.refuse(name)
        if refusal is not None:
            raise refusal
        spelling, negated = self._find_long(name, word)
        field, flag = spelling
        if equals and flag.walk and flag.value is None:
            raise _Unknown(self._command.unknown(word))
        self._choose(flag, name)
        if flag.token and not (flag.stuck and not equals):
            self._words.before.append(Token(self._whole_token(flag, name, word, bool(equals))))
            self._after_hidden(name, word)
        elif negated:
            if equals:
                raise InvalidArgs(f"option `{name[2:]}' takes no value")
            self._store(field, flag, flag.no_const, bare=True)
        elif flag.value is None:
            if equals:
                raise InvalidArgs(f"option `{name[2:]}' takes no value")
            self._store(field, flag, flag.const, bare=True)
        elif (equals and flag.apart) or (flag.stuck and not equals):
            raise _Unknown(self._command.unknown(word))
        elif equals:
            self._value(field, flag, sticky)
        elif flag.optional or (flag.last and self._at >= len(self._argv)):
            self._store(field, flag, flag.const, bare=True)
        elif flag.apart and self._at >= len(self._argv):
            complaint = f"bad {name} argument"
            if self._command.unknown is unknown_word:  # git's parser does not see the option after it
                raise _Unknown(_behind(complaint, self._command.unknown(word)))
            raise BadRequest(complaint, prefix="error")
        else:
            self._value(field, flag, self._next_of(flag, name))

    def _whole_refused(self, name: str, word: str) -> str:
        """The whole name of the only option that `name` abbreviates, if that is a refused one; else `name` itself."""
        refused = self._refused_fits(name)
        return refused[0] if len(refused) == 1 and name not in self._table and not self._fits(name, word) else name

    def _whole_token(self, flag: Flag, name: str, word: str, equals: bool) -> str:
        if flag.value is not None and not flag.optional and not equals:
            return f"{name}={self._next_of(flag, name)}"
        return word

    def _after_hidden(self, name: str, word: str) -> None:
        """Raises git's error, and then the command's own about an unknown option, for `--exclude-hidden` with
        `--branches` etc."""
        if name not in FAMILIES:
            return
        for token in reversed(self._words.before[:-1]):
            if isinstance(token, Token) and token.startswith(("--all", "--glob", *FAMILIES)):
                return
            if isinstance(token, Token) and token.startswith("--exclude-hidden="):
                if not can_hide(token.partition("=")[2]):
                    return  # which is reported first
                raise _behind(barred(name), self._command.unknown(word))

    def _find_long(self, name: str, word: str) -> tuple[Spelling, bool]:
        spelling = self._table.get(name)
        if spelling:
            return spelling, False
        if name.startswith("--no-"):
            spelling = self._table.get("--" + name[5:])
            if spelling and spelling[1].no:
                return spelling, True
        return self._abbreviated(name, word)

    def _abbreviated(self, name: str, word: str) -> tuple[Spelling, bool]:
        """The only option that `name` abbreviates; two spellings of one meaning are not ambiguous."""
        fits = self._fits(name, word)
        if not fits or name in _BARE:
            if self._widen():
                return self._find_long(name, word)
            raise _Unknown(self._command.unknown(word))
        names = list(dict.fromkeys([*(spelling for spelling, _, _ in fits), *self._refused_fits(name)]))
        if len(names) > 1:  # git names the last two
            raise InvalidArgs(f"ambiguous option: {word[2:]} (could be {names[-2]} or {names[-1]})", candidates=names)
        _, option, negated = fits[0]
        return option, negated

    def _fits(self, name: str, word: str) -> list[tuple[str, Spelling, bool]]:
        """The options that `name` may abbreviate: (their whole name, the option, whether it is negated)."""
        fits: dict[tuple[Flag, bool], tuple[str, Spelling, bool]] = {}
        own = self._command.anywhere or ()
        for spelling, option in self._table.items():
            flag = option[1]
            if not spelling.startswith("--") or (flag.walk and not self._command.abbreviates):
                continue
            whole = flag.exact and not self._command.abbreviates and not self._negates(spelling)
            if spelling.startswith(name) and not whole:
                fits.setdefault((flag, False), (spelling, option, False))
            if flag.no and "=" not in word and f"--no-{spelling[2:]}".startswith(name):
                fits.setdefault((flag, True), (f"--no-{spelling[2:]}", option, True))
        # git parses the options of log and format-patch itself before those of diffs and walks
        first = [fit for fit in fits.values() if fit[1][0] in own]
        return first or list(fits.values())

    def _refused_fits(self, name: str) -> list[str]:
        """The refused options, and the negations of refused ones, that `name` abbreviates where git's own parser takes
        abbreviations."""
        fixed = self._command.fixed
        if fixed is None or name in _BARE:
            return []
        names = [refused for refused in self._command.refused if refused.startswith("--")]
        negations = [f"--no-{refused[2:]}" for refused in names if refused not in fixed]
        names = negations if self._command.anywhere is not None else names + negations
        return [spelling for spelling in names if spelling.startswith(name)]

    def _negates(self, spelling: str) -> bool:
        """Whether a spelling is the negation of another: strange but git's, those can be abbreviated in all
        commands."""
        if not spelling.startswith("--no-"):
            return False
        positive = self._table.get(f"--{spelling[5:]}")
        declared = self._table[spelling][1].negation
        if declared is not None:
            return declared
        return positive is not None and positive[1].value is not None and not positive[1].walk

    # ---------------------------------------------------------------- short options
    def _short(self, word: str) -> None:
        if word == "-":
            raise _Unknown(self._command.unknown(word))
        if self._count(word, 1) == len(word):
            return
        if word in self._table:  # words such as -vv or -Lx: a match of the whole word takes precedence
            field, flag = self._table[word]
            if len(word) > 2 or flag.value is None:
                self._choose(flag, word)
                self._store(field, flag, flag.const, bare=True)
                return
        refusal = self._command.refuse(word)
        if refusal is not None:
            raise refusal
        # commands with git's own option parser report the letter, commands that take revisions the word
        letters = self._command.unknown is unknown_option
        if word[:2] not in self._table:
            self._widen()
        at, whole = 1, False
        while at < len(word):
            counted = at if whole else self._count(word, at)
            if counted > at:
                at = counted
                continue
            name = "-" + word[at]
            spelling = self._table.get(name)
            if spelling is None:
                refusal = self._command.refuse(name)
                if name == "-h" and (letters or (self._command.unknown in _HELPFUL and word == name)):
                    raise HelpAsked("usage")
                raise refusal or _Unknown(self._command.unknown(name if letters else word))
            field, flag = spelling
            self._choose(flag, name)
            at, whole = at + 1, flag.exact  # short options of the walk and of diffs have no number after them
            if flag.value is None:
                self._store(field, flag, flag.const, bare=True)
            elif at < len(word):
                self._letter_value(field, flag, name, word[at:])
                return
            elif flag.optional:
                self._store(field, flag, flag.const, bare=True)
            else:
                self._letter_value(field, flag, name, self._next_of(flag, name))

    def _choose(self, flag: Flag, name: str) -> None:
        """Let an option of a mode choose it for its command. Raises InvalidArgs where another option did."""
        if flag.mode is None:
            return
        before = self._modes.setdefault(flag.mode, flag)
        if before is flag:
            return
        whole = next((spelling for spelling in flag.names if spelling.startswith(name)), name)
        option = f"option `{whole[2:]}'" if whole.startswith("--") else f"switch `{whole[1:]}'"
        other = next((spelling for spelling in before.names if spelling.startswith("--")), before.names[0])
        raise InvalidArgs(f"{option} is incompatible with {other}")

    def _count(self, word: str, at: int) -> int:
        """Parse a number among letters (`-20`, `-q20`); returns its end. For the walk it must end the word."""
        digits = _DIGITS.match(word, at)
        if digits is None or not ("-NUM" in self._table or self._widen()) or "-NUM" not in self._table:
            return at
        field, flag = self._table["-NUM"]
        if flag.walk and digits.end() < len(word):
            raise BadRequest(f"'{word[at:]}': not a non-negative integer")
        self._value(field, flag, digits[0])
        return digits.end()

    # ---------------------------------------------------------------- values
    def _next_of(self, flag: Flag, name: str) -> str:
        """The next word, as an option's value."""
        if self._at >= len(self._argv):
            short = not name.startswith("--")
            if flag.walk and short:
                raise BadRequest(f"{name} requires an argument", prefix="error")
            if flag.walk:
                raise BadRequest(f"Option '{name}' requires a value")
            raise InvalidArgs(f"{'switch' if short else 'option'} `{name.lstrip('-')}' requires a value")
        self._at += 1
        return self._argv[self._at - 1]

    def _letter_value(self, field: str, flag: Flag, name: str, value: str) -> None:
        """Store the value of an option given as a letter: an error names the letter."""
        try:
            self._value(field, flag, value)
        except InvalidArgs as error:
            option, quote, rest = error.message.partition("' expects ")
            if not quote or not option.startswith("option `") or option.startswith("option `--"):
                raise
            raise InvalidArgs(f"switch `{name[1:]}' expects {rest}") from None

    def _value(self, field: str, flag: Flag, value: str) -> None:
        try:
            read = flag.parse(value) if flag.parse else value
        except Unrecognized as error:
            raise _Unknown(_behind(str(error), self._command.unknown(f"{flag.names[0]}={value}"))) from None
        self._store(field, flag, read, bare=False)

    def _store(self, field: str, flag: Flag, value: object, *, bare: bool) -> None:
        self._last = field
        for other, complaint in (flag.bars or {}).items():
            if self._values.get(other):
                raise BadRequest(complaint)
        if flag.turns:
            self._words.turn = len(self._words.before)
        if callable(value):
            value = value(self._values.get(field))
        if value is CLEARED:
            self._values[field] = []
        elif flag.append:
            self._values.setdefault(field, []).append(value)
        else:
            if field in self._values:
                self._words.overruled.setdefault(field, []).append(self._values[field])
            self._values[field] = value
        if flag.sets is not None:
            more = flag.sets(value) if callable(flag.sets) else flag.sets
            for other, held in more.items():
                if type(held) is list:  # later options append to it
                    held = [*held]
                self._values[other] = held(self._values.get(other)) if callable(held) else held


def _behind(complaint: str, error: GitError) -> GitError:
    """An error whose message follows another message."""
    prefix = f"{error.prefix}: " if error.prefix else ""
    error.message, error.prefix = f"{complaint}\n{prefix}{error.message}", "error"
    return error


def check_words(argv: list[str]) -> None:
    """Reject NUL bytes, and more or longer words than any real command line has."""
    whole = "".join(argv)
    if len(whole) <= MAX_DIGITS and len(argv) <= MAX_WORDS and "\0" not in whole:
        return
    if len(argv) > MAX_WORDS:
        raise InvalidArgs("too many arguments")
    for word in argv:
        if len(word) > MAX_WORD:
            raise InvalidArgs("an argument is too long")
        if "\0" in word:
            raise InvalidArgs("an argument holds a NUL character")
        if len(word) > MAX_DIGITS and _ENDLESS.search(word):
            raise InvalidArgs(f"an argument holds a number of more than {MAX_DIGITS} digits")

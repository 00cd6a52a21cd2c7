"""A command line read by declared options, with the grammar and the complaints of git's parser (api-parse-options)."""

from collections.abc import Callable, Sequence

from ..limits import Context
from ..records import record
from .options import Option, check_options

#: what is done with an option: it, its value (None: there is none), whether it was negated
Take = Callable[[Option, bytes | None, bool], None]


class Usage(Exception):
    """The usage is the answer.

    `complaint` stands in front of it on stderr, where the usage follows if it `is_error`; `every`: with hidden options.
    """

    def __init__(self, complaint: bytes = b"", *, is_error: bool = False, every: bool = False) -> None:
        self.complaint = complaint
        self.is_error = is_error
        self.every = every


class Complaint(Exception):
    """A complaint without a usage behind it."""

    def __init__(self, line: bytes) -> None:
        self.line = line


class Completion(Exception):
    """The lone word by which git's completion asks for the options; `every`: with the hidden ones."""

    def __init__(self, every: bool) -> None:
        self.every = every


@record(frozen=True)
class Match:
    """An option that a word names (`is_whole`), or abbreviates; `is_turned`: by a `no-` in front of it."""

    option: Option
    negated: bool
    is_whole: bool = False
    is_turned: bool = False

    def spelling(self) -> bytes:
        """The option as a complaint about an ambiguous word names it."""
        return b"--" + (b"no-" if self.negated else b"") + (self.option.long or b"")


class Reader:
    """Reads the words of one command line. `dashdash`: `--` stays; `stop`: the first argument ends the options."""

    __slots__ = ("_at", "_ctx", "_dashdash", "_options", "_rest", "_stop", "_take", "_words")

    def __init__(
        self, options: Sequence[Option], take: Take, *, dashdash: bool, stop: bool = False, ctx: Context
    ) -> None:
        self._options = options
        self._take = take
        self._dashdash = dashdash
        self._stop = stop
        self._ctx = ctx
        self._words: Sequence[bytes] = ()
        self._at = 0
        self._rest: bytes | None = None  # what is left of a word: more switches, or a value that sticks

    def read(self, words: Sequence[bytes]) -> list[bytes]:
        """The arguments; options go to `take` in order. Raises Usage, Complaint, Completion, BadRequest."""
        check_options(self._options)
        self._words, self._at = words, 0
        arguments: list[bytes] = []
        while self._at < len(words):
            self._ctx.tick()
            word = words[self._at]
            if not word.startswith(b"-") or word == b"-":
                if self._stop:
                    break
                arguments.append(word)
            elif word in (b"--", b"--end-of-options"):
                self._at += not self._dashdash
                break
            else:
                self._option(word)
            self._at += 1
        return [*arguments, *words[self._at :]]

    def _option(self, word: bytes) -> None:
        if len(self._words) == 1:
            if word == b"-h":
                raise Usage
            if word.startswith(b"--git-completion-helper") and word[23:] in (b"", b"-all"):
                raise Completion(word.endswith(b"-all"))
        if not word.startswith(b"--"):
            self._switches(word)
        elif word in (b"--help", b"--help-all"):
            raise Usage(every=word == b"--help-all")
        else:
            self._rest = None
            self._long(word[2:])

    # ------------------------------------------------------------------------------------------------- switches

    def _switches(self, word: bytes) -> None:
        """The switches of a word: `-ab` for `-a -b`, `-avalue` where a takes one."""
        self._rest = word[1:]
        is_first = True
        while self._rest is not None:
            self._ctx.tick()
            name = self._rest[:1]
            option = next((one for one in self._options if one.short == name), None)
            if option is None:
                if is_first:
                    self._check_dashes(word[1:])
                raise Usage if name == b"h" else Usage(_unknown_switch(word, self._rest, is_first), is_error=True)
            self._rest = self._rest[1:] or None
            self._value(option, b"switch `" + option.short + b"'")
            if is_first and self._rest is not None:
                self._check_dashes(word[1:])
            is_first = False

    def _check_dashes(self, name: bytes) -> None:
        """Raises Complaint for a long option behind one dash."""
        if len(name) < 3:
            return
        if name.startswith(b"no-") or any((one.long or b"").startswith(name) for one in self._options):
            raise Complaint(b"error: did you mean `--" + name + b"` (with two dashes)?")

    # --------------------------------------------------------------------------------------------- long options

    def _long(self, word: bytes) -> None:
        name, equals, sticky = word.partition(b"=")
        last: Match | None = None
        before: Match | None = None
        for option in self._options:
            self._ctx.tick()
            match = _match(option, word, name)
            if match is None:
                continue
            if match.is_whole:
                self._rest = sticky if equals else self._rest
                self._matched(match)
                return
            if equals and not match.is_turned:
                self._rest = sticky
            before, last = last, match
        if last is None:
            raise Usage(b"error: unknown option `" + word + b"'", is_error=True)
        if before is not None:
            either = b"(could be " + before.spelling() + b" or " + last.spelling() + b")"
            raise Usage(b"error: ambiguous option: " + word + b" " + either)
        self._matched(last)

    def _matched(self, match: Match) -> None:
        name = match.option.long or b""
        label = b"option `" + (b"no-" if match.negated else b"") + name + b"'"
        if self._rest is not None and (match.negated or match.option.value == "no"):
            raise Complaint(b"error: " + label + b" takes no value")
        if match.negated:
            self._take(match.option, None, True)
        else:
            self._value(match.option, label)

    def _value(self, option: Option, label: bytes) -> None:
        """Hand on an option, with the value that sticks to it or is the next word."""
        value: bytes | None = None
        if option.value != "no":
            value, self._rest = self._rest, None
        if option.value == "must" and value is None:
            if self._at + 1 >= len(self._words):
                raise Complaint(b"error: " + label + b" requires a value")
            self._at += 1
            value = self._words[self._at]
        self._take(option, value, False)


def _match(option: Option, word: bytes, name: bytes) -> Match | None:
    """How a word fits an option: `foo` and its beginnings, `no-foo` and its; of `no-foo` itself also `foo`."""
    long = option.long
    if long is None:
        return None
    bare = long[3:] if long.startswith(b"no-") and not word.startswith(b"no-") else None
    for target, is_bare in ((long, False), (bare, True)):
        if target is None:
            continue
        if _is_whole(word, target):
            return Match(option, is_bare, is_whole=True)
        if target.startswith(name):
            return Match(option, is_bare)
        if word.startswith(target) or not option.negatable:
            return None
        if b"no-".startswith(word):
            return Match(option, not is_bare, is_turned=True)
    if word.startswith(b"no-"):
        if _is_whole(word[3:], long):
            return Match(option, True, is_whole=True)
        if long.startswith(word[3:]):
            return Match(option, True, is_turned=True)
    return None


def _is_whole(word: bytes, name: bytes) -> bool:
    return word.startswith(name) and word[len(name) : len(name) + 1] in (b"", b"=")


def _unknown_switch(word: bytes, rest: bytes, is_first: bool) -> bytes:
    """Strange but git's: `-a-b` has the unknown option `b`."""
    shown = word if is_first else b"-" + rest
    if shown.startswith(b"--"):
        return b"error: unknown option `" + shown[2:] + b"'"
    if rest[:1].isascii():
        return b"error: unknown switch `" + rest[:1] + b"'"
    return b"error: unknown non-ascii option in string: `" + shown + b"'"

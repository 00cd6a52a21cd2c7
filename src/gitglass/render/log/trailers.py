"""Trailers: the block of `Signed-off-by: …` lines that may end a commit message (git-interpret-trailers(1)).

The last paragraph is a trailer block if all its lines are trailers, or if one line is of the kind git itself writes
(or the configuration names) and at least a quarter of them are trailers. The first paragraph never is one.
"""

import re
from bisect import bisect_right

from ...annotations import TYPE_CHECKING, Protocol
from ...deferred import lazy_pattern
from ...errors import BadRequest, Unsupported
from ...limits import LARGE, LINE_BYTES, joined, need, paced, pause, step
from ...memories import Slot
from ...records import field, record
from ..width import SPACE

if TYPE_CHECKING:
    from ...repo.store import Store

_OURS = (b"Signed-off-by: ", b"(cherry picked from commit ")
_COMMENT = b"#"
_SCISSORS = b"# ------------------------ >8 ------------------------\n"
_FOLD = lazy_pattern(rb"\n[ \t\n\r]*")
_LINES = lazy_pattern(rb"[^\n]*\n|[^\n]+")
_TAIL = lazy_pattern(rb"[^0-9A-Za-z]+\Z")
_VALUE = lazy_pattern(rb"[^,)]*+", re.DOTALL)
_KEY = frozenset(b"-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIVIDER = lazy_pattern(rb"^---[ \t\n\r]", re.MULTILINE)


class Settings(Protocol):
    """The part of a configuration that is used here."""

    def get(self, key: str) -> bytes | None: ...
    def subsections(self, section: bytes) -> list[bytes]: ...


@record
class TrailerRules:
    """The configuration of trailers: the characters that may end a key, and the keys it names."""

    separators: bytes = b":"
    names: list[tuple[bytes, bytes | None]] = field(default_factory=list)
    _line: re.Pattern[bytes] | None = field(default=None, compare=False, repr=False)
    _words: tuple[bytes, list[int]] | None = field(default=None, compare=False, repr=False)

    def configured(self, token: bytes) -> tuple[bytes, bytes | None] | None:
        """The configured (name, key) that a token abbreviates: the first one."""
        step()
        token = token.lower()
        if self._words is None:
            self._words = self._joined()
        words, starts = self._words
        at = -1 if b"\0" in token else words.find(b"\0" + token)
        return None if at < 0 else self.names[bisect_right(starts, at) - 1]

    def _joined(self) -> tuple[bytes, list[int]]:
        """All names and keys, a NUL before each, and where those of each name begin: a search of one text is quick."""
        pieces, starts, size = list[bytes](), list[int](), 0
        for name, key in paced(self.names):
            piece = b"\0" + name.lower() + (b"" if key is None else b"\0" + key.lower())
            starts.append(size)
            pieces.append(piece)
            size += len(piece)
        return joined(pieces), starts

    def key_end(self, line: bytes) -> int:
        """The end of a trailer line's key; -1 if it is no trailer. White space may be between key and separator."""
        match = (self._line or self._compiled()).match(line)
        return -1 if match is None else match.end() - 1

    def _compiled(self) -> re.Pattern[bytes]:
        ends = frozenset(self.separators)
        key, blank, end = (
            b"".join(b"\\x%02x" % code for code in sorted(codes)) for codes in (_KEY - ends, {9, 32} - ends, ends)
        )
        spaced = b"[%b]*+" % blank if blank else b""
        self._line = re.compile((b"(?:[%b]++%b)?" % (key, spaced) if key else b"") + b"[%b]" % end)
        return self._line


_RULES: Slot[TrailerRules] = Slot("rules of trailers")
_ARGUMENTS = TrailerRules(b"=:")  # of --trailer


def trailer_rules(store: "Store") -> TrailerRules:
    """The rules of a repository's configuration (trailer.separators, trailer.<name>.key)."""
    return store.per_call.made(_RULES, lambda: _trailer_rules(store.config))


def _trailer_rules(config: Settings) -> TrailerRules:
    separators = bytes(dict.fromkeys(config.get("trailer.separators") or b":"))
    rules = TrailerRules(separators)
    for name in paced(config.subsections(b"trailer")):
        shown = name.decode("utf-8", "surrogateescape")
        rules.names.append((name, config.get(f"trailer.{shown}.key")))
    return rules


DEFAULT_RULES = TrailerRules()


@record(frozen=True)
class TrailerOptions:
    """How a block is shown: the options of `%(trailers:…)`."""

    keys: frozenset[bytes] = frozenset()
    only: bool = False
    unfold: bool = False
    key_only: bool = False
    value_only: bool = False
    separator: bytes | None = None
    key_value_separator: bytes | None = None

    def verbatim(self) -> bool:
        """Whether the block is shown unchanged."""
        plain = self.separator is None and self.key_value_separator is None and not self.keys
        return plain and not (self.only or self.unfold or self.key_only or self.value_only)


def match_value(text: bytes, at: int, name: bytes) -> tuple[int, bytes | None] | None:
    """An option `name` or `name=value` at a position of a placeholder: (the position of the next one, the value)."""
    if not text.startswith(name, at):
        return None
    at += len(name)
    value: bytes | None = None
    if text[at : at + 1] == b"=":
        start, at = at + 1, _VALUE.match(text, at + 1).end()  # type: ignore[union-attr]
        value = text[start:at]
    if text[at : at + 1] == b",":
        return at + 1, value
    return (at, value) if text[at : at + 1] == b")" else None


_WORD = lazy_pattern(rb"[^,)]*")
_TRUE = (b"true", b"yes", b"on")
_FALSE = (b"false", b"no", b"off", b"")


def match_bool(text: bytes, at: int, name: bytes) -> tuple[int, bool] | None:
    """As `match_value`, for an option that is true, or set to a boolean."""
    option = match_value(text, at, name)
    truth = None if option is None else _truth(option[1])
    return None if option is None or truth is None else (option[0], truth)


def _truth(value: bytes | None) -> bool | None:
    """The meaning of an option's value; None for a value that is no boolean."""
    if value is None or value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    try:
        return int(value) != 0
    except ValueError:
        return None


_ESCAPE = lazy_pattern(rb"%(?:(n)|x([0-9a-fA-F]{2})|(%))")


def expand_literals(text: bytes) -> bytes:
    """%n, %xXX and %% of a separator, expanded."""

    def put(match: re.Match[bytes]) -> bytes:
        if match[2] is not None:
            return bytes([int(match[2], 16)])
        return b"\n" if match[1] else b"%"

    return _ESCAPE.sub(put, text)


_SWITCHES = ((b"only", "only"), (b"unfold", "unfold"), (b"keyonly", "key_only"), (b"valueonly", "value_only"))


def parse_trailer_options(text: bytes, at: int) -> tuple[TrailerOptions, int] | None:
    """Options up to the closing parenthesis, and its position; None for one that git does not know."""
    keys: list[bytes] = []
    flags: dict[str, bool] = {}
    separator: bytes | None = None
    between: bytes | None = None
    while text[at : at + 1] != b")":
        step()
        if option := match_value(text, at, b"key"):
            at, value = option
            if value is None:
                return None
            keys.append(value.removesuffix(b":").lower())
            flags["only"] = True
        elif option := match_value(text, at, b"separator"):
            at, value = option
            separator = expand_literals(value or b"")
        elif option := match_value(text, at, b"key_value_separator"):
            at, value = option
            between = expand_literals(value or b"")
        else:
            for name, attribute in _SWITCHES:
                switch = match_bool(text, at, name)
                if switch is not None:
                    at = switch[0]
                    flags[attribute] = switch[1]
                    break
            else:
                return None
    return TrailerOptions(frozenset(keys), separator=separator, key_value_separator=between, **flags), at


def unread_option(text: bytes) -> bytes | None:
    """Of options that `parse_trailer_options` does not take, the word that git names in its error; None for a `key`
    without a value. Behind a switch whose value is no boolean, strange but git's, that is the word after it."""
    text, at = text + b")", 0
    while True:
        step()
        option = match_value(text, at, b"key")
        if option is not None and option[1] is None:
            return None
        for name in (b"separator", b"key_value_separator"):
            option = option or match_value(text, at, name)
        for name, _ in _SWITCHES:
            switch = None if option else match_value(text, at, name)
            if switch is not None and _truth(switch[1]) is None:
                return _WORD.match(text, switch[0])[0]  # type: ignore[index]
            option = option or switch
        if option is None:
            return _WORD.match(text, at)[0]  # type: ignore[index]
        at = option[0]


def _end(message: bytes) -> int:
    """The end of the message without comments, a conflicts block and the part below scissors."""
    cut = len(message)
    if message.startswith(_SCISSORS):
        cut = 0
    elif (scissors := message.find(b"\n" + _SCISSORS)) >= 0:
        cut = scissors + 1
    begin = at = 0
    in_conflicts = False
    for line in paced(_LINES.findall(message)):
        if at >= cut:
            break
        if line[:1] in (_COMMENT, b"\n"):
            begin = begin or at
        elif line == b"Conflicts:\n":
            in_conflicts = True
            begin = begin or at
        elif not (in_conflicts and line[:1] == b"\t") and begin:
            begin, in_conflicts = 0, False
        at += len(line)
    return begin or cut


def find_block(message: bytes, rules: TrailerRules = DEFAULT_RULES, *, divider: bool = False) -> tuple[int, int]:
    """Start and end of a message's trailer block; they are equal if it has none.

    With `divider`, a line `---` ends the message (the part below is a patch).
    """
    if divider and (match := _DIVIDER.search(message)) is not None:
        message = message[: match.start()]
    large = len(message) >= LARGE
    if large:
        need(3 * len(message) + 2 * LINE_BYTES * message.count(b"\n"))  # its lines, once to find the end, once more
    end = _end(message)
    body = message[:end]
    if large:  # each step over it takes long
        pause()
    lines = _LINES.findall(body)
    if large:
        pause()
    blanks = (at for at, line in enumerate(paced(lines)) if line[:1] != _COMMENT and not line.strip(SPACE))
    title = next(blanks, len(lines))
    start = end
    trailers = others = continued = 0
    recognized, blank = False, True
    for number in paced(range(len(lines) - 1, title - 1, -1)):
        line = lines[number]
        if line[:1] == _COMMENT:
            others, continued = others + continued, 0
        elif not line.strip(SPACE):
            if blank:
                start -= len(line)
                continue
            others += continued
            good = (recognized and trailers * 3 >= others) or (trailers and not others)
            return (start, end) if good else (end, end)
        else:
            blank = False
            at = rules.key_end(line)
            if line.startswith(_OURS):
                trailers, continued, recognized = trailers + 1, 0, True
            elif line[:1] in (b" ", b"\t", b"\r"):
                continued += 1
            elif at >= 1:
                trailers, continued = trailers + 1, 0
                recognized = recognized or (bool(rules.names) and rules.configured(line[:at]) is not None)
            else:
                others, continued = others + 1 + continued, 0
        start -= len(line)
    return end, end


def block_lines(block: bytes, rules: TrailerRules = DEFAULT_RULES) -> list[bytes]:
    """The lines of a trailer block, continuation lines joined to the trailer they belong to."""
    groups: list[list[bytes]] = []
    joins = False
    for line in paced(_LINES.findall(block)):
        if joins and line[:1] in (b" ", b"\t", b"\n", b"\r"):
            groups[-1].append(line)
        else:
            groups.append([line])
            joins = rules.key_end(line) >= 1
    return [b"".join(group) for group in groups]


def split_trailer(line: bytes, rules: TrailerRules = DEFAULT_RULES) -> tuple[bytes, bytes] | None:
    """Key and value of a trailer, None for another line."""
    at = rules.key_end(line)
    if at < 1:
        return None
    token = line[:at].strip(SPACE)
    if rules.names:
        configured = rules.configured(_TAIL.sub(b"", token))
        if configured is not None and configured[1] is not None:
            token = configured[1]
    return token, line[at + 1 :].strip(SPACE)


def unfold(value: bytes) -> bytes:
    """A value of several lines as one."""
    return _FOLD.sub(b" ", value).strip(SPACE)


def format_trailers(
    message: bytes, options: TrailerOptions, rules: TrailerRules = DEFAULT_RULES, *, divider: bool = False
) -> bytes:
    """The trailer block of a message (subject included) as `%(trailers:…)` shows it (git-log(1))."""
    if b":" in message or rules is not DEFAULT_RULES or b"(cherry" in message:
        start, end = find_block(message, rules, divider=divider)
    else:
        return b""
    if options.verbatim():
        return message[start:end]
    out: list[bytes] = []  # never an empty piece: it is empty as long as nothing was shown
    for line in paced(block_lines(message[start:end], rules)):
        trailer = split_trailer(line, rules)
        if trailer is None:
            if options.only:
                continue
            if options.separator is None:
                out.append(line)
                continue
            out += [options.separator, line] if out else [line]
            while out and not (last := out.pop().rstrip(SPACE)):  # git strips the end of all output so far
                pass
            out += [last] if last else []
            continue
        if options.keys and trailer[0].lower() not in options.keys:
            continue
        shown = [_shown(trailer[0], trailer[1], options, rules)]
        if options.separator is None:
            shown.append(b"\n")
        elif out:
            shown.insert(0, options.separator)
        out += filter(None, shown)
    return b"".join(out)


def _shown(key: bytes, value: bytes, options: TrailerOptions, rules: TrailerRules) -> bytes:
    if options.unfold:
        value = unfold(value)
    out = b"" if options.value_only else key
    if not options.key_only and not options.value_only:
        if options.key_value_separator is not None:
            out += options.key_value_separator
        elif (ending := key.rstrip(SPACE)[-1:]) and ending not in rules.separators:
            out += rules.separators[:1] + b" "
    return out if options.key_only else out + value


def signed_off(
    message: bytes, line: bytes, rules: TrailerRules, *, once: bool = True, above_comments: bool = False
) -> bytes:
    """The message with a line `Signed-off-by: …` at its end (--signoff), unless its trailers have it already: anywhere,
    or where not `once`, as the last of them. `rules` are those of the repository (`trailer_rules`). `above_comments`:
    the end is that of what is no comment."""
    body, rest = message, b""
    if above_comments:
        body, rest = message[: (end := _end(message))], message[end:]
    if not rest and not body.endswith(b"\n"):
        body += b"\n"
    start, end = find_block(body, rules)
    block = block_lines(body[start:end], rules)
    if body == line or any(trailer.startswith(line) for trailer in (block if once else block[-1:])):
        return body + rest
    if not block and body[-2:] != b"\n\n":
        body += b"\n"
    return body + line + rest


def with_trailers(message: bytes, words: list[str], config: Settings) -> bytes:
    """A message with trailers added in order, except for one that equals the last line. Raises Unsupported if the
    settings have rules for trailers, BadRequest for one without a token."""
    if config.subsections(b"trailer") or any(
        config.get("trailer." + name) for name in ("where", "ifexists", "ifmissing", "separators")
    ):
        raise Unsupported("git commit: gitglass does not follow the settings of trailers", option="--trailer")
    start, end = find_block(message, divider=True)  # git takes the part below `---` for a patch
    block = (line for line in block_lines(message[start:end]) if line[:1] != _COMMENT)  # git leaves comments out
    shown = [(split_trailer(line) or (b"", line)) for line in block]
    for word in words:
        added = _parsed(word)
        if not (shown and _same(shown[-1], added)):
            shown.append(added)
    head = message[:start]
    blank = head.rstrip(b" \t\r").endswith(b"\n\n") or head.endswith(b"\n\n")
    lines = b"".join(_written(token, value) + b"\n" if token else value for token, value in shown)
    return head + (b"" if blank else b"\n") + lines + message[end:]


def _written(token: bytes, value: bytes) -> bytes:
    """A trailer as git writes it: a token that ends with a separator has one."""
    return token + value if token.endswith(b":") else token + b": " + value


def _parsed(word: str) -> tuple[bytes, bytes]:
    """Token and value of an argument, separated by the first `=` or `:` that has only a token before it; where none
    has, all of it is the token. Raises BadRequest for an empty token."""
    raw = word.encode("utf-8", "surrogateescape")
    at = _ARGUMENTS.key_end(raw)
    if not at:
        raise BadRequest(f"empty trailer token in trailer '{word}'", prefix="error")
    return (raw.strip(SPACE), b"") if at < 0 else (raw[:at].strip(SPACE), raw[at + 1 :].strip(SPACE))


def _same(one: tuple[bytes, bytes], two: tuple[bytes, bytes]) -> bool:
    """Whether git considers two trailers equal: one token begins the other, and the values are alike."""
    size = min(len(one[0]), len(two[0]))
    return bool(one[0]) and one[0][:size].lower() == two[0][:size].lower() and one[1].lower() == two[1].lower()

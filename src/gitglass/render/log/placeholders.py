"""Placeholders: `--format=%h %s`, compiled once and run for every commit (git-log(1), "PRETTY FORMATS").

A format becomes a list of steps. Most steps only return bytes for a commit, and then a format is one join; paddings,
`%+x`, `%w(…)` and `%C(auto)` depend on the text before them and need the slower way through a buffer.
Placeholders that git does not know are printed as they stand.
"""

import re
from binascii import hexlify
from collections.abc import Callable, Sequence
from operator import itemgetter

from ...annotations import TYPE_CHECKING, Any
from ...deferred import deferred, lazy_pattern
from ...errors import BadRequest, GitError, NotFound
from ...history.spec import mark
from ...limits import LARGE, need, paced
from ...limits import step as tick
from ...objects.parsed import Commit
from ...repo.encoding import reencode, same_encoding
from ..color import RESET, Palette, parse_color
from ..message import skip_blank_lines
from ..width import SPACE, wrap
from .commit_parts import Env, Parts, Piece
from .letters import LETTERS, QUIET, person_piece, reflog_piece, signature_piece
from .padding import CUTS, FIELD, FLUSH, NUMBER, Padding, pad

Rows = Sequence[tuple[bytes, tuple[bytes, ...], bytes, int, tuple[bytes, ...]]]  # commits as in `history.spec.WalkRow`

if TYPE_CHECKING:
    from ...revs.describe import DescribeSpec, describe
    from .trailers import TrailerRules, format_trailers, match_bool, match_value, parse_trailer_options, trailer_rules
else:
    DescribeSpec, describe = deferred(__name__, "...revs.describe", "DescribeSpec", "describe")
    (
        TrailerRules,
        format_trailers,
        match_bool,
        match_value,
        parse_trailer_options,
        trailer_rules,
    ) = deferred(
        __name__,
        ".trailers",
        "TrailerRules",
        "format_trailers",
        "match_bool",
        "match_value",
        "parse_trailer_options",
        "trailer_rules",
    )


#: makes the pieces of many commits: of the rows, and of the parts of each if the format needs any
Column = Callable[[Rows, list[Parts]], list[bytes]]

_OID = itemgetter(0)
#: git pads and wraps only up to this width
_LIMIT = 16 * 1024


# -------------------------------------------------------------------------------- compiling
class _State:
    """The buffer of the slower way, and the position of the text that `%w(…)` will wrap."""

    __slots__ = ("buffer", "layout", "wrap_start")

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.wrap_start = 0
        self.layout = (0, 0, 0)

    def rewrap(self, layout: tuple[int, int, int], out: bytearray) -> None:
        """Wrap the text written since the last time. `out` is the buffer, or that of a field (as in git)."""
        if layout == self.layout:
            return
        if self.wrap_start < len(out):
            need(len(out) - self.wrap_start)
            tail = bytes(out[self.wrap_start :]).partition(b"\0")[0]
            width, first, rest = self.layout
            out[self.wrap_start :] = wrap(tail, width, first, rest)
        self.wrap_start = len(out)
        self.layout = layout


class _Step:
    """One placeholder or literal. `act` works on the buffer if a piece of bytes is not enough. `column` makes the
    pieces of many commits, if that takes less than to make each."""

    __slots__ = ("act", "column", "name", "piece", "unknown")

    def __init__(
        self,
        piece: Piece | None,
        name: bytes = b"",
        *,
        act: Callable[[Parts, _State, bytearray], None] | None = None,
        unknown: bool = False,
        column: Column | None = None,
    ) -> None:
        self.piece, self.name, self.act, self.column = piece, name, act, column
        self.unknown = unknown  # git does not accept it: the % is a literal, and the text after it too

    def run(self, parts: Parts, state: _State, out: bytearray) -> bool:
        """Add to a buffer; False if git does not accept the placeholder after all."""
        if self.act is not None:
            self.act(parts, state, out)
        elif self.piece is not None:
            shown = self.piece(parts)
            if shown is None:
                return False
            if len(shown) >= LARGE:
                need(2 * len(out) + len(shown))  # the buffer may have to move
            out += shown
        return True


# An empty number is 0, as C's strtoul has it.
_NUMBER = rb"([ \t]*(?:\+?[0-9]+|-0+)|)"
_WRAP = lazy_pattern(rb"w\(%b(?:,%b(?:,%b)?)?\)" % (_NUMBER, _NUMBER, _NUMBER))


class _Compiler:
    """Parses a format from left to right, as git does for every commit; here it is done once."""

    def __init__(self, form: bytes, env: Env) -> None:
        self.form, self.env = form, env
        self.steps: list[_Step] = []
        self.auto = False  # after %C(auto)
        self.padding: Padding | None = None
        self.cut = ""  # how the last padding cuts: it holds for one whose own word is invalid
        self.plain = True  # no step depends on the text before it

    def compile(self) -> None:
        form, at = self.form, 0
        while True:
            percent = form.find(b"%", at)
            self.literal(form[at:] if percent < 0 else form[at:percent])
            if percent < 0:
                return
            at = percent + 1
            if form[at : at + 1] == b"%":
                self.literal(b"%")
                at += 1
                continue
            at += self.item(at)
            tick()

    def literal(self, text: bytes) -> None:
        if text:
            self.steps.append(_Step(lambda parts: text, text, column=lambda rows, parts: [text] * len(rows)))

    def item(self, at: int) -> int:
        """The step of one placeholder, and how much of the format it takes (0: none, the % is a literal)."""
        form = self.form
        magic = form[at : at + 1] if form[at : at + 1] in (b"-", b"+", b" ") else b""
        start = at + len(magic)
        if magic and form[start : start + 1] == b"w":
            self.literal(b"%")
            return 0
        padding, self.padding = self.padding, None
        if padding is None:
            step, taken = self.one(start)
        else:
            step, taken = self.padded(start, padding)
        if magic:
            self.magic(magic, step)
            return taken + 1
        if step is None:
            self.literal(b"%")
            return taken
        name = b"%" + form[start : start + taken]
        if step.act is not None:
            self.plain = False
            self.steps.append(step)
            if step.unknown:
                self.literal(b"%")
        else:
            step.name = name
            self.steps.append(step)
        return taken

    def magic(self, sign: bytes, step: _Step | None) -> None:
        """`%+x`, `%-x`, `% x`: a newline or blank before a value that is not empty, or newlines removed before an empty
        one."""
        self.plain = False
        name = b"" if step is None else step.name

        def act(parts: Parts, state: _State, out: bytearray) -> None:
            before = len(out)
            done = step is None or step.run(parts, state, out)
            if before == len(out):
                while sign == b"-" and out[-1:] == b"\n":
                    del out[-1:]
            elif sign != b"-":
                out[before:before] = b"\n" if sign == b"+" else b" "
            if not done:
                out += name

        self.steps.append(_Step(None, act=act))

    # ---------------------------------------------------------------- padding
    def padded(self, at: int, padding: Padding) -> tuple[_Step, int]:
        """A placeholder (with the colours before it) in a field of a fixed width."""
        steps: list[_Step] = []
        taken = 0
        form = self.form
        while True:
            is_color = form[at : at + 1] == b"C"
            step, size = self.one(at)
            taken += size
            if step is not None:
                steps.append(step)
            if self.padding is not None:  # a padding within a padding loses its width
                padding = Padding(self.padding.flush, padding.columns, self.padding.cut or padding.cut)
                self.padding = None
            at += size
            if not is_color or form[at : at + 1] != b"%":
                break
            at += 1
            taken += 1
        env = self.env

        def act(parts: Parts, state: _State, out: bytearray) -> None:
            local = bytearray()
            refused = b""
            for one in steps:
                if not one.run(parts, state, local):
                    refused = b"%" + one.name
            if len(local) >= LARGE:
                need(2 * len(out) + 4 * len(local))
            pad(padding, bytes(local), out, env.graph_width)
            out += refused

        return _Step(None, act=act, unknown=not taken), taken

    def set_padding(self, at: int) -> tuple[_Step | None, int]:
        form = self.form
        match = FIELD.match(form, at)
        if match is None:
            return None, 0
        number = NUMBER.match(match[3])
        columns = int(number[1]) if number else 0
        if not columns or abs(columns) > _LIMIT:
            return None, 0
        if columns < 0:
            columns += self.env.columns if match[2] else 0
            if columns < 0:
                return None, 0
        self.padding = padding = Padding(FLUSH[match[1]], -columns if match[2] else columns)
        end = match.end()
        if match[4] == b",":
            for word, cut in CUTS.items():
                if form.startswith(word, end):
                    padding.cut = self.cut = cut
                    return _Step(lambda parts: b""), end + len(word) - at
            padding.cut = self.cut
            return None, 0
        self.cut = ""
        return _Step(lambda parts: b""), end - at

    # ---------------------------------------------------------------- the placeholders
    def one(self, at: int) -> tuple[_Step | None, int]:
        """The step of the placeholder at a position, and its size; (None, 0) for one that git does not know."""
        form = self.form
        letter = chr(form[at]) if at < len(form) else ""
        if letter == "C":
            return self.color(at)
        if letter == "w":
            return self.wrapping(at)
        if letter and letter in "<>":
            return self.set_padding(at)
        if letter == "(":
            return self.parenthesis(at)
        if letter == "x":
            digits = form[at + 1 : at + 3]
            if len(digits) == 2 and not digits.strip(b"0123456789abcdefABCDEF"):
                char = bytes([int(digits, 16)])
                return _Step(lambda parts: char), 3
            return None, 0
        piece = self.letter(letter)
        if piece is not None:
            return _Step(piece, letter.encode("latin-1"), column=self.column(letter)), 1
        second = chr(form[at + 1]) if at + 1 < len(form) else ""
        piece = self.two_letters(letter, second)
        if piece is not None:
            return _Step(piece, (letter + second).encode("latin-1")), 2
        return None, 0

    def two_letters(self, letter: str, second: str) -> Piece | None:
        if letter == "a" or letter == "c":
            return person_piece(letter, second, self.env)
        if letter == "g":
            return reflog_piece(second, self.env)
        return signature_piece(second) if letter == "G" else None

    def letter(self, letter: str) -> Piece | None:
        env = self.env
        if letter in LETTERS:
            return LETTERS[letter]
        if letter == "h":
            abbrev = env.abbrev
            return self.hash(lambda parts: abbrev(parts.commit.oid))
        if letter == "H":
            return self.hash(lambda parts: parts.commit.oid.hex().encode())
        if letter == "d":
            return self.decoration((b" (", b", ", b")"))
        if letter == "D":
            return self.decoration((b"", b", ", b""))
        return None

    def column(self, letter: str) -> Column | None:
        """What `letter` gives for many commits, if there is a shorter way."""
        many = self.env.abbrev_many
        if letter == "m":
            return lambda rows, parts: [mark(row[3], sides=True) for row in rows]
        if letter not in "hH" or (self.auto and self.env.palette):
            return None
        if letter == "H":
            return lambda rows, parts: list(map(hexlify, map(_OID, rows)))
        return None if many is None else lambda rows, parts: many(list(map(_OID, rows)))

    def hash(self, piece: Callable[[Parts], bytes]) -> Piece:
        if not (self.auto and self.env.palette):
            return piece
        commit, reset = self.env.palette.diff_commit, self.env.palette.reset
        return lambda parts: commit + piece(parts) + reset

    def decoration(self, words: tuple[bytes, bytes, bytes]) -> Piece:
        env = self.env
        palette = env.palette if self.auto else Palette(env.store.config, False)
        refs = env.decorations
        assert refs is not None  # formats are given a resolver
        return lambda parts: refs.text(parts.commit.oid, palette, words)

    def color(self, at: int) -> tuple[_Step | None, int]:
        form, palette = self.form, self.env.palette
        if form.startswith(b"C(auto)", at):
            self.auto = True
            if not palette:
                return _Step(lambda parts: b""), 7

            def act(parts: Parts, state: _State, out: bytearray) -> None:
                if out:
                    out += RESET

            return _Step(None, act=act), 7
        if form[at + 1 : at + 2] == b"(":
            end = form.find(b")", at)
            if end < 0:
                return None, 0
            words = form[at + 2 : end]
            self.auto = False
            forced = words.startswith(b"always,")
            words = words[7:] if forced else words.removeprefix(b"auto,")
            return self.painted(words) if palette or forced else self.fixed(b""), end + 1 - at
        for word, sequence in _BASIC_COLORS:
            if form.startswith(word, at + 1):
                self.auto = False
                return self.fixed(sequence if palette else b""), 1 + len(word)
        return None, 0

    def painted(self, words: bytes) -> _Step:
        """A colour. git dies of an invalid one when it comes to it, not before."""
        try:
            return self.fixed(parse_color(words))
        except GitError as error:
            complaint = f"{error.message}\nfatal: unable to parse --pretty format"

        def act(parts: Parts, state: _State, out: bytearray) -> None:
            raise BadRequest(complaint, prefix="error")

        return _Step(None, act=act)

    def fixed(self, color: bytes) -> _Step:
        return _Step(lambda parts: color)

    def wrapping(self, at: int) -> tuple[_Step | None, int]:
        match = _WRAP.match(self.form, at)
        if match is None:
            return None, 0
        width, first, rest = (int(number or b"0") for number in match.groups())
        if max(width, first, rest) > _LIMIT:
            return None, 0

        def act(parts: Parts, state: _State, out: bytearray) -> None:
            state.rewrap((width, first, rest), out)

        return _Step(None, act=act), match.end() - at

    def parenthesis(self, at: int) -> tuple[_Step | None, int]:
        form = self.form
        for name, parse in ((b"(trailers", self.trailers), (b"(describe", self.describe)):
            if not form.startswith(name, at):
                continue
            start = at + len(name)
            optioned = form[start : start + 1] == b":"
            piece, end = parse(start + optioned, optioned)
            if piece is None or form[end : end + 1] != b")":
                return None, 0
            return _Step(piece, form[at : end + 1]), end + 1 - at
        return None, 0

    def trailers(self, at: int, optioned: bool) -> tuple[Piece | None, int]:
        form, start = (self.form, at) if optioned else (b")", 0)
        parsed = parse_trailer_options(form, start)
        if parsed is None:
            return None, at
        options, end = parsed
        rules: TrailerRules = trailer_rules(self.env.store)

        def piece(parts: Parts) -> bytes:
            return format_trailers(skip_blank_lines(parts.message), options, rules)

        return piece, end if optioned else at

    def describe(self, at: int, optioned: bool) -> tuple[Piece | None, int]:
        env = self.env
        values: dict[str, Any] = {"match": (), "exclude": ()}
        while optioned:
            end = self._describe_option(at, values)
            if end < 0:
                return None, at
            if end == at:
                break
            at = end
        spec = DescribeSpec(**values)

        def piece(parts: Parts) -> bytes:
            try:
                return describe(env.store, parts.commit.oid, spec, ctx=env.ctx).rstrip(SPACE)
            except NotFound:
                return b""

        return piece, at

    def _describe_option(self, at: int, values: dict[str, Any]) -> int:
        """One option of %(describe:…): the position after it; the same position if it is none, -1 if it is invalid."""
        form = self.form
        switch = match_bool(form, at, b"tags")
        if switch is not None:
            values["tags"] = switch[1]
            return switch[0]
        for name in ("abbrev", "exclude", "match"):
            option = match_value(form, at, name.encode())
            if option is None:
                continue
            end, value = option
            if not value or (name == "abbrev" and not re.fullmatch(rb"[+-]?[0-9]+", value)):
                return -1
            values[name] = int(value) if name == "abbrev" else (*values[name], value)
            return end
        return at


_BASIC_COLORS = ((b"red", b"\x1b[31m"), (b"green", b"\x1b[32m"), (b"blue", b"\x1b[34m"), (b"reset", RESET))


#: a compiled format: (commit, its parents) → text
Format = Callable[[Commit, Sequence[bytes]], bytes]
FormatRows = Callable[[Rows], list[bytes]]


def compile_format(form: bytes, env: Env) -> Format:
    """A user format as a function, which raises GitError for a colour at which git dies."""
    compiler = _Compiler(form.partition(b"\0")[0], env)
    compiler.compile()
    steps = compiler.steps
    show = _joined(steps, env) if compiler.plain else _buffered(steps, env)
    if _is_utf8(env):
        return show

    def reencoded(commit: Commit, parents: Sequence[bytes]) -> bytes:
        text = show(commit, parents)
        changed = reencode(text, b"UTF-8", env.encoding)
        return text if changed is None else changed

    return reencoded


def compile_rows(form: bytes, env: Env, *, sources: bool = False) -> FormatRows:
    """The same for many commits at a time; %m shows the side of each, %S the source that is beside it, if these are
    `sources`."""
    compiler, show = _Compiler(form.partition(b"\0")[0], env), compile_format(form, env)
    compiler.compile()
    steps = compiler.steps
    if sources or not compiler.plain or all(step.column is None for step in steps) or not _is_utf8(env):
        return lambda rows: _each(show, rows, env, sources=sources)
    columns = [step.column or _column(_certain(step)) for step in steps]
    whole = any(step.column is None for step in steps)

    def texts(rows: Rows) -> list[bytes]:
        parts = [Parts(Commit(oid, raw, above), env, above) for oid, above, raw, _, _ in rows] if whole else []
        made = [column(rows, parts) for column in paced(columns)]
        return made[0] if len(made) == 1 else list(map(b"".join, zip(*made, strict=True)))

    return texts


def _column(piece: Callable[[Parts], bytes]) -> Column:
    """What a piece gives for many commits."""
    return lambda rows, parts: list(map(piece, parts))


def _each(show: Format, rows: Rows, env: Env, *, sources: bool) -> list[bytes]:
    made = []
    for oid, above, raw, flags, beside in rows:
        env.mark = mark(flags, sides=True)
        if sources:
            env.source = beside[0] if beside else None
        made.append(show(Commit(oid, raw, above), above))
    return made


def _is_utf8(env: Env) -> bool:
    return not env.encoding or same_encoding(env.encoding, b"UTF-8")


def _joined(steps: list[_Step], env: Env) -> Format:
    """The fast way: every step returns its bytes."""
    pieces = [_certain(step) for step in steps if step.piece is not None]

    def show(commit: Commit, parents: Sequence[bytes]) -> bytes:
        parts = Parts(commit, env, parents)
        made = [piece(parts) for piece in paced(pieces)]
        need(sum(map(len, made)))
        return b"".join(made)

    return show


def _certain(step: _Step) -> Callable[[Parts], bytes]:
    """A piece that returns the placeholder as it stands if it has no value."""
    piece, name = step.piece, step.name
    assert piece is not None
    if name[:1] != b"%" or (name[1:2] not in b"acNS" and name[1:3] != b"g"):
        return piece  # type: ignore[return-value]
    if name[1:2] in b"ac" and name[2:3].decode("latin-1") in QUIET:
        return piece  # type: ignore[return-value]

    def shown(parts: Parts) -> bytes:
        value = piece(parts)
        return name if value is None else value

    return shown


def _buffered(steps: list[_Step], env: Env) -> Format:
    """The slow way: through a buffer, so that steps can change the text before them."""

    def show(commit: Commit, parents: Sequence[bytes]) -> bytes:
        commit_parts, state = Parts(commit, env, parents), _State()
        out = state.buffer
        for step in paced(steps):
            if not step.run(commit_parts, state, out):
                out += step.name
        state.rewrap((0, 0, 0), out)
        return bytes(state.buffer)

    return show


_UNREAD = lazy_pattern(rb"(?s:[^%]|%%|%n|%[-+ ]?[HhdDmNPpS]|%x[0-9a-fA-F]{2}|%C(?:red|green|blue|reset|\(auto\)))*")


def reads_commits(form: bytes) -> bool:
    """Whether a format shows more of a commit than its name, its parents, and what others say of it: refs, notes, the
    side it is on."""
    return _UNREAD.fullmatch(form.partition(b"\0")[0]) is None


_NEEDS = lazy_pattern(rb"%[-+ ]?([NSdD])")


def needs(form: bytes) -> frozenset[str]:
    """Which of %N, %S, %d and %D (as "d") a format has: those that are expensive to prepare."""
    letters = {letter.decode().replace("D", "d") for letter in _NEEDS.findall(form.replace(b"%%", b""))}
    return frozenset(letters)

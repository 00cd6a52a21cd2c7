"""What git grep looks for: patterns, and how `--and`, `--not` and parentheses put them together.

One pattern is an `Atom`. It finds lines in a whole buffer at once (`lines`), and where in one line it matches (`span`).
An expression is evaluated for the few lines that some atom matched, and for lines without any match once and for all.
Mirrors git grep(1), "OPTIONS".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..errors import BadRequest, TooLarge, text
from ..limits import MANY_LINES, Context, paced
from ..records import record
from ..regex.matcher import BadPattern, Matcher, compile_pattern

Span = tuple[int, int]
Term = tuple[str, bytes]  # ("pattern", its text) or ("and" | "not" | "open" | "close", b"")

_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_MAX_DEPTH = 200
_NUL = "given pattern contains NULL byte (via -f <file>). This is only supported with -P under PCRE v2"
_PASSED = 8  # matches of one line after which a search begins again in the next one
_ODD_BYTE = re.compile(rb"[\x80-\xff]")
#: Kelvin sign, long s, dotless i: equal to these letters for one of the engines
_FOLDS = {b"k": b"\xe2\x84\xaa", b"s": b"\xc5\xbf", b"i": b"\xc4\xb1"}
_SPELLED = {"and": "--and", "not": "--not", "open": "(", "close": ")"}


@record(frozen=True)
class PatternSpec:
    """How patterns are read: `kind` is that of `compile_pattern`."""

    kind: str = "basic"
    ignore_case: bool = False
    word: bool = False


class Atom:
    """One pattern. `needles`: text of which one occurs wherever the pattern matches; None where none is known."""

    __slots__ = ("_ctx", "_exact", "_folded", "_needles", "_odd", "_plain", "_rest", "_sure", "quick", "spec", "text")

    def __init__(self, pattern: bytes, spec: PatternSpec, ctx: Context, origin: str) -> None:
        self.text = pattern
        self.spec = spec
        self._ctx = ctx
        try:
            self.quick = compile_pattern(pattern, spec.kind, ignore_case=spec.ignore_case, newline=True, ctx=ctx)
        except BadPattern as error:
            raise error.at(origin) from None
        self._exact: Matcher | None = None
        self._rest: Matcher | None = None
        needles = _needles(pattern, spec.kind)
        self._needles, self._sure = (
            needles if needles is not None and (not spec.ignore_case or pattern.isascii()) else ((), False)
        )
        self._folded = spec.ignore_case
        self._odd: tuple[bytes, ...] = ()  # what counts as a letter of a needle, too
        if self._folded:
            self._needles = tuple(needle.lower() for needle in self._needles)
            self._odd = tuple(odd for letter, odd in _FOLDS.items() if any(letter in part for part in self._needles))
        self._plain = self._sure and len(self._needles) == 1

    @property
    def needles(self) -> tuple[bytes, ...]:
        """Text of which one occurs, to the letter, wherever the pattern matches; empty where none is known."""
        return () if self._folded else tuple(self._needles)

    @property
    def exact(self) -> Matcher:
        """The pattern with POSIX's extents, where they matter."""
        if self._exact is None:
            spec = self.spec
            self._exact = self.quick
            if self.quick.literal is None and spec.kind in ("basic", "extended"):
                self._exact = compile_pattern(
                    self.text, spec.kind, ignore_case=spec.ignore_case, newline=True, longest=True, ctx=self._ctx
                )
        return self._exact

    # ------------------------------------------------------------------------------------------------------ one line
    def span(self, line: bytes, *, begins: bool = True) -> Span | None:
        """Where the pattern matches in a line; `begins` is False for the rest of a line, at whose front `^` fails.

        With -w a match has to be a word of its own; git looks on behind the next character that is in no word.
        """
        size, offset = len(line), 0
        while True:
            span = self._search(line, begins)
            if span is None or not self.spec.word:
                return None if span is None else (span[0] + offset, span[1] + offset)
            start, end = span
            whole = (start == 0 or line[start - 1] not in _WORD) and (end == len(line) or line[end] not in _WORD)
            if whole and start < end:
                return start + offset, end + offset
            at = start + 1
            if at >= len(line):
                return None
            while at < len(line) and line[at - 1] in _WORD:
                at += 1
            if at >= len(line):
                return None
            line, offset, begins = line[at:], offset + at, False
            if offset >= size:
                return None

    def _search(self, line: bytes, begins: bool) -> Span | None:
        if begins or self.quick.literal is not None:
            return self.exact.search(line)
        if self.spec.kind == "perl":  # what stands before is not there at all, not even for a look behind
            if self._rest is None:
                self._rest = compile_pattern(
                    self.text, "perl", ignore_case=self.spec.ignore_case, newline=True, continued=True, ctx=self._ctx
                )
            return self._rest.search(line)
        span = self.exact.search(b"\0" + line, 1)  # no beginning of a line, and no letter before it
        return None if span is None else (span[0] - 1, span[1] - 1)

    # --------------------------------------------------------------------------------------------------- whole buffer
    def lines(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """(start, end, column) of each line that matches, in order."""
        if len(data) >= MANY_LINES:
            self._ctx.pause()
        if not self._needles:
            if self.text or self.spec.word:
                return self._by_pattern(data)
            return ((start, end, 0) for start, end in all_lines(data))  # an empty pattern matches where each begins
        if self._odd and not data.isascii() and any(odd in data for odd in self._odd):
            if not self._sure:
                return self._by_pattern(data)
            spans = _odd_lines(data, re.compile(b"|".join(self._odd)))
            other = [(start, end, span[0]) for start, end in spans if (span := self.span(data[start:end])) is not None]
            return iter(sorted([*self._by_text(data, _blanked(data, spans).lower()), *other]))
        where = data.lower() if self._folded else data
        if not any(needle in where for needle in paced(self._needles)):
            return iter(())
        return self._by_text(data, where) if self._sure else self._by_pattern(data)

    def _by_text(self, data: bytes, where: bytes) -> Iterator[tuple[int, int, int]]:
        """The pattern is plain text, or a choice of it, which is looked for in `where`."""
        return self._by_needle(data, where) if self._plain else self._by_needles(data, where)

    def _by_needle(self, data: bytes, where: bytes) -> Iterator[tuple[int, int, int]]:
        """The pattern is plain text."""
        needle, word = self._needles[0], self.spec.word
        find, size, length = where.find, len(data), len(self._needles[0])
        at = find(needle)
        while 0 <= at < size:
            start = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            if end < 0:
                end = size
            if not word:
                yield start, end, at - start
            else:
                after = at + length
                if (at == start or data[at - 1] not in _WORD) and (after == end or data[after] not in _WORD):
                    yield start, end, at - start
                else:
                    span = self.span(data[start:end])
                    if span is not None:
                        yield start, end, span[0]
            at = find(needle, end + 1)

    def _by_needles(self, data: bytes, where: bytes) -> Iterator[tuple[int, int, int]]:
        """The pattern is a choice of plain texts."""
        spans: dict[int, tuple[int, int]] = {}
        size = len(data)
        for needle in self._needles:
            if size >= MANY_LINES:
                self._ctx.pause()
            at = where.find(needle)
            while 0 <= at < size:
                self._ctx.tick()
                start = data.rfind(b"\n", 0, at) + 1
                end = data.find(b"\n", at)
                if end < 0:
                    end = size
                hit = spans.get(start)
                if hit is None or at - start < hit[1]:
                    spans[start] = end, at - start
                at = where.find(needle, end + 1)
        for start in sorted(spans):
            end, column = spans[start]
            if self.spec.word:
                span = self.span(data[start:end])
                if span is None:
                    continue
                column = span[0]
            yield start, end, column

    def _by_pattern(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """By regular expression: all of the buffer at once, except lines that need to be read as characters."""
        if not self.quick.takes(data):
            yield from self._each_line(data)
            return
        if self.quick.alone:
            yield from self._ahead(data)
            return
        odd: list[Span] = []
        where = data
        if not self.quick.bytewise and not data.isascii():
            odd = _odd_lines(data)
            if len(odd) * 2 > data.count(b"\n"):
                yield from self._each_line(data)
                return
            where = _blanked(data, odd)
        hits = self._hits(data, where, dict(odd))
        if not odd:
            yield from hits
            return
        other = [(start, end, span[0]) for start, end in odd if (span := self.span(data[start:end])) is not None]
        yield from sorted([*hits, *other])

    def _ahead(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Strange but git's: the rest of a file is searched as one text; the line of a match is then looked at alone.

        So `\\A` matches in the first lines of a file only, and `\\z` behind its last newline, where no line is.
        """
        start, size = 0, len(data)
        while start < size:
            self._ctx.tick()
            match = self.quick.search(data[start:] if start else data)
            if match is None:
                return
            at = start + match[0]
            if at >= size and data[-1:] == b"\n":  # git prints the empty line that no file has
                if b"^" not in self.text and self.span(b"") is not None:
                    yield size, size, 0
                return
            start = data.rfind(b"\n", start, at) + 1 or start
            end = data.find(b"\n", start)
            if end < 0:
                end = size
            span = self.span(data[start:end])
            if span is not None:
                yield start, end, span[0]
            start = end + 1

    def _each_line(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        start, size = 0, len(data)
        while start < size:
            self._ctx.tick()
            end = data.find(b"\n", start)
            if end < 0:
                end = size
            span = self.span(data[start:end])
            if span is not None:
                yield start, end, span[0]
            start = end + 1

    def _hits(self, data: bytes, where: bytes, odd: dict[int, int]) -> Iterator[tuple[int, int, int]]:
        done, size, passed = 0, len(data), 0
        # What Perl's patterns see beyond the line's end is not there when the line is looked at alone.
        check = self.spec.word or self.spec.kind == "perl"
        matches = iter(self.quick.each(where))
        while (match := next(matches, None)) is not None:
            at, after = match
            cut = at < done  # it began in a line that is done with: the rest of it need not match
            if cut:
                if after <= done:
                    passed += 1
                    if passed == _PASSED:  # a line with many matches: go on behind it
                        matches, passed = iter(self.quick.each(where, done)), 0
                    continue
                at = done
            passed = 0
            if at >= size and data[-1:] in (b"", b"\n"):  # an end that no line has; a last line without newline has one
                break
            start = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            if end < 0:
                end = size
            if after <= end and not check and not cut:
                done = end + 1
                if start not in odd:
                    yield start, end, at - start
                continue
            while True:  # a match over several lines: each is looked at alone
                if start not in odd:
                    span = self.span(data[start:end])
                    if span is not None:
                        yield start, end, span[0]
                done = end + 1
                if after <= done or done >= size:
                    break
                start = done
                end = data.find(b"\n", start)
                if end < 0:
                    end = size


def _needles(pattern: bytes, kind: str) -> tuple[tuple[bytes, ...], bool] | None:
    """Texts of which one is in every match, and whether they are all there is to the pattern."""
    if not pattern:
        return None
    if kind == "fixed":
        return (pattern,), True
    special = rb"[\\\[\].*^$]" if kind == "basic" else rb"[\\\[\].*^$+?{}()]"
    if re.search(special, pattern) is None:
        parts = [pattern] if kind == "basic" else pattern.split(b"|")
        if all(parts) and not (kind == "perl" and len(parts) > 1):
            return tuple(parts), True
        return None
    if kind == "perl" or b"|" in pattern or (kind == "basic" and b"\\{" in pattern):
        return None
    # The longest run of plain characters outside of brackets and groups that no repetition follows.
    if kind == "basic" and (b"\\(" in pattern or b"\\?" in pattern):
        return None
    if kind == "extended" and b"(" in pattern:
        return None
    bare = re.sub(rb"\[\^?\]?[^\]]*\]", b"\n", pattern)
    if b"[" in bare or b"]" in bare:
        return None
    bare = re.sub(rb"\\.|[.^$]", b"\n", bare, flags=re.DOTALL)
    bare = re.sub(rb"[^\n](?=[*?{])" if kind == "extended" else rb"[^\n](?=\*)", b"\n", bare)
    bare = re.sub(rb"\{[^}]*\}|[*+?{}]" if kind == "extended" else rb"\*", b"\n", bare)
    longest = max(bare.split(b"\n"), key=len)
    return ((longest,), False) if len(longest) > 1 and longest.isascii() else None


# --------------------------------------------------------------------------------------------------------- expressions
class Node:
    """A node of an expression: "atom", "not", "and", "or". `hit`: something matched here (for --all-match)."""

    __slots__ = ("atom", "hit", "left", "op", "right")

    def __init__(self, op: str, left: Node | None = None, right: Node | None = None, atom: int = 0) -> None:
        self.op = op
        self.left = left
        self.right = right
        self.atom = atom
        self.hit = False


class Query:
    """All of what is looked for: the atoms, and the expression where they are more than alternatives."""

    __slots__ = ("_matches_nothing", "all_match", "atoms", "expression")

    def __init__(
        self,
        terms: Sequence[Term],
        spec: PatternSpec,
        *,
        all_match: bool,
        origin: str,
        ctx: Context,
        origins: Sequence[str | None] = (),
    ) -> None:
        self.atoms: list[Atom] = []
        self._matches_nothing: bool | None = None
        tokens: list[tuple[str, int]] = []
        for at, (op, value) in enumerate(terms):
            if op != "pattern":
                tokens.append((op, 0))
                continue
            source = origins[at] if origins else None
            if source is not None and b"\0" in value and spec.kind != "perl":
                raise BadRequest(_NUL)
            for line in value.split(b"\n"):  # a pattern of several lines is several patterns
                tokens.append(("pattern", len(self.atoms)))
                self.atoms.append(Atom(line, spec, ctx, source or origin))
        plain = not all_match and all(op == "pattern" for op, _ in tokens)
        self.expression = None if plain else _Reader(tokens, self.atoms).read()
        self.all_match = all_match and self.expression is not None  # `--all-match ( )`: there is no part (git crashes)

    @property
    def needles(self) -> tuple[bytes, ...]:
        """Text of which one is in every file that a line is selected of; empty where none is known."""
        each = [] if self.expression is not None else [atom.needles for atom in self.atoms]
        return tuple(needle for needles in each for needle in needles) if all(each) else ()

    @property
    def matches_nothing(self) -> bool:
        """Whether a pattern matches an empty line: asked about every file, and found out once."""
        if self._matches_nothing is None:
            self._matches_nothing = any(atom.spec.kind != "perl" and atom.span(b"") is not None for atom in self.atoms)
        return self._matches_nothing

    def prints(self, line: bytes) -> bool:
        """Whether -o prints anything of a line."""
        span = self.next_match(line, begins=True)
        return span is not None and span[0] < span[1]

    def next_match(self, line: bytes, *, begins: bool) -> Span | None:
        """The leftmost match of any pattern in what is left of a line; of several the longest."""
        return next_match(self.atoms, line, begins=begins)


def next_match(atoms: Sequence[Atom], line: bytes, *, begins: bool) -> Span | None:
    """The leftmost match of any pattern in a line, or in the rest of one (`begins` False); of several the longest."""
    best: Span | None = None
    for atom in atoms:
        span = atom.span(line, begins=begins)
        if span is not None and (best is None or span[0] < best[0] or (span[0] == best[0] and span[1] >= best[1])):
            best = span
    return best


class _Reader:
    """Tokens → expression. What stands side by side are alternatives."""

    __slots__ = ("_at", "_atoms", "_depth", "_tokens")

    def __init__(self, tokens: list[tuple[str, int]], atoms: list[Atom]) -> None:
        self._tokens = tokens
        self._atoms = atoms
        self._at = 0
        self._depth = 0

    def read(self) -> Node | None:
        """The expression; None for empty parentheses alone, which match nothing."""
        node = self._or()
        if self._at < len(self._tokens):
            raise BadRequest(f"incomplete pattern expression: {self._shown(self._at)}")
        return node

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _shown(self, at: int) -> str:
        op, atom = self._tokens[at]
        return text(self._atoms[atom].text) if op == "pattern" else _SPELLED[op]

    def _or(self) -> Node | None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise TooLarge("the pattern expression is nested too deeply")
        parts: list[Node] = []
        while True:
            start = self._at
            node = self._and()
            if node is None:
                if parts:
                    raise BadRequest(f"not a pattern expression {self._shown(start)}")
                break
            parts.append(node)
            if self._peek() in ("", "close"):
                break
        self._depth -= 1
        if not parts:
            return None
        node = parts.pop()
        while parts:
            node = Node("or", parts.pop(), node)
        return node

    def _and(self) -> Node | None:
        parts: list[Node] = []
        while True:
            node = self._not()
            if node is None and parts:
                raise BadRequest("--and not followed by pattern expression")
            if node is not None:
                parts.append(node)
            if self._peek() != "and":
                break
            if node is None:
                raise BadRequest("--and not preceded by pattern expression")
            self._at += 1
            if not self._peek():
                raise BadRequest("--and not followed by pattern expression")
        if not parts:
            return None
        node = parts.pop()
        while parts:
            node = Node("and", parts.pop(), node)
        return node

    def _not(self) -> Node | None:
        negations = 0
        while self._peek() == "not":
            self._at += 1
            if not self._peek():
                raise BadRequest("--not not followed by pattern expression")
            negations += 1
        node = self._atom()
        if node is None and negations:
            raise BadRequest("--not followed by non pattern expression")
        if negations > 2:  # two of them are as good as any even number
            negations = 2 - negations % 2
        for _ in range(negations if node is not None else 0):
            node = Node("not", node)
        return node

    def _atom(self) -> Node | None:
        op = self._peek()
        if op == "pattern":
            self._at += 1
            return Node("atom", atom=self._tokens[self._at - 1][1])
        if op != "open":
            return None
        self._at += 1
        node = self._or()
        if self._peek() != "close":
            raise BadRequest("unmatched parenthesis")
        self._at += 1
        return node


class Evaluation:
    """One look at a line: whether it matches, and the columns of what matched (`column`) and must not (`other`)."""

    __slots__ = ("collect", "columns", "leftmost")

    def __init__(self, columns: bool, collect: bool) -> None:
        self.columns = columns  # --column: every alternative is looked at, the leftmost column counts
        self.collect = collect  # the first look of --all-match: note what matched
        self.leftmost = [-1, -1]

    def look(self, node: Node, table: Sequence[int], *, swapped: int = 0, top: bool = True) -> bool:
        """Evaluate; `table` has each atom's column in this line, -1 where it does not match."""
        collect = self.collect and top
        if node.op == "atom":
            column = table[node.atom]
            hit = column >= 0
            if hit and (self.leftmost[swapped] < 0 or column < self.leftmost[swapped]):
                self.leftmost[swapped] = column
        elif node.op == "not":
            assert node.left is not None
            hit = not self.look(node.left, table, swapped=1 - swapped, top=False)
        else:
            assert node.left is not None and node.right is not None
            hit = self.look(node.left, table, swapped=swapped, top=False)
            if node.op == "and":
                if hit or self.columns:
                    hit = self.look(node.right, table, swapped=swapped, top=False) and hit
            else:
                node.left.hit |= collect and hit
                if collect or self.columns or not hit:
                    hit = self.look(node.right, table, swapped=swapped, top=top) or hit
        node.hit |= collect and hit
        return hit


def _odd_lines(data: bytes, odd: re.Pattern[bytes] = _ODD_BYTE) -> list[Span]:
    """The lines with bytes beyond ASCII, or with what `odd` finds. Byte by byte: a pattern for whole lines is slow
    where lines are long."""
    spans: list[Span] = []
    match = odd.search(data)
    while match is not None:
        at = match.start()
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        spans.append((data.rfind(b"\n", 0, at) + 1, end))
        match = odd.search(data, end)
    return spans


def all_lines(data: bytes) -> Iterator[tuple[int, int]]:
    """(start, end) of every line."""
    start, size, find = 0, len(data), data.find
    while start < size:
        end = find(b"\n", start)
        if end < 0:
            end = size
        yield start, end
        start = end + 1


def _blanked(data: bytes, lines: list[Span]) -> bytes:
    """The data with NULs in place of some lines."""
    out = bytearray(data)
    for start, end in lines:
        out[start:end] = bytes(end - start)
    return bytes(out)

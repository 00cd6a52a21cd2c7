"""What git grep looks for: patterns, and how `--and`, `--not` and parentheses put them together.

An expression is evaluated for the few lines that some pattern matched (`atom.py`), and for lines without any match once
and for all. Mirrors git grep(1), "OPTIONS".
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import BadRequest, TooLarge, text
from ..limits import Context
from .atom import Atom, PatternSpec
from .lines import Span

Term = tuple[str, bytes]  # ("pattern", its text) or ("and" | "not" | "open" | "close", b"")

_MAX_DEPTH = 200
_NUL = "given pattern contains NULL byte (via -f <file>). This is only supported with -P under PCRE v2"
_SPELLED = {"and": "--and", "not": "--not", "open": "(", "close": ")"}


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

"""Which lines take part in the search for a shortest script: git's clean-up before Myers runs.

Lines that the other file does not have at all are changed, whatever the search would find; so are lines so frequent
over there that they mean nothing, where they stand amid enough lines of the first sort. What is left is numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import compress, count, pairwise
from typing import TYPE_CHECKING

from ..limits import LARGE, need
from .myers import rough_sqrt
from .whitespace import NO_EOL

if TYPE_CHECKING:
    from ..limits import Context

__all__ = ["FLIP", "MAX_FREQUENT", "NOTABLE", "Fold", "Rest", "reduced", "split_lines"]

Fold = Callable[[bytes], bytes]

MAX_FREQUENT = 1024
_SCAN = 100
_LINE_BYTES = 80  # a short line with its place in a list
#: A frequent line is dropped when the unknown lines around it are more than three times the frequent ones plus two.
NOTABLE = 7
_FEW = 12  # lines that are sooner searched for one by one
FLIP = bytes([1]) + bytes(255)


def split_lines(text: bytes) -> list[bytes]:
    """The lines of a text without their newline; an incomplete last one is marked."""
    if len(text) >= LARGE:
        need(len(text) + text.count(b"\n") * _LINE_BYTES)
    lines = text.split(b"\n")
    last = lines.pop()
    if last:
        lines.append(last + NO_EOL)
    return lines


def has_line(text: bytes, line: bytes) -> bool:
    """Whether one of a text's lines is this one."""
    if b"\n" in line:
        last = line[: -len(NO_EOL)]
        return text == last or text.endswith(b"\n" + last)
    needle = line + b"\n"
    return text.startswith(needle) or b"\n" + needle in text


class Rest:
    """The equal lines that were set aside: needed to know how often a line occurs in a whole file."""

    __slots__ = ("_counts", "_fold", "_keys", "_texts")

    def __init__(self, *texts: bytes, fold: Fold | None = None) -> None:
        self._texts = texts
        self._fold = fold
        self._keys: list[bytes] = []  # more lines, folded already
        self._counts: Counter[bytes] | None = None

    def add(self, keys: list[bytes]) -> None:
        """Set more lines aside."""
        self._keys += keys

    def _all(self) -> list[bytes]:
        """Every line that was set aside, folded."""
        for text in self._texts:
            lines = split_lines(text)
            self._keys += lines if self._fold is None else map(self._fold, lines)
        self._texts = ()
        return self._keys

    def counts(self) -> Counter[bytes]:
        """How often each line occurs."""
        if self._counts is None:
            self._counts = Counter(self._all())
        return self._counts

    def present(self, lines: set[bytes]) -> set[bytes]:
        """Those of the lines that occur."""
        if not lines:
            return lines
        few = self._fold is None and not self._keys and len(lines) <= _FEW
        if few and sum(map(len, self._texts)) > 4000:
            return {line for line in lines if any(has_line(text, line) for text in self._texts)}
        return lines.intersection(self._all())

    def size(self) -> int:
        """How many lines there are."""
        lines = sum([text.count(b"\n") + (not text.endswith(b"\n")) for text in self._texts if text])
        return lines + len(self._keys)


def _frequent_in(theirs: list[bytes], rest: Rest, limit: int) -> Callable[[bytes], bool]:
    """Tells of a line whether it occurs `limit` times or more over there."""
    counts: Counter[bytes] | None = None
    often: dict[bytes, bool] = {}

    def frequent(line: bytes) -> bool:
        nonlocal counts
        known = often.get(line)
        if known is None:
            if counts is None:
                counts = Counter(theirs)
            known = often[line] = counts[line] + rest.counts()[line] >= limit
        return known

    return frequent


def _drop_frequent(
    mine: list[bytes], theirs: list[bytes], unknown: bytearray, rest: Rest, limit: int, ctx: Context
) -> None:
    """Mark in `unknown` the lines that occur `limit` times or more over there, amid enough lines that do not occur."""
    if len(theirs) + rest.size() < limit:
        return
    for at in _frequent_amid(mine, unknown, _frequent_in(theirs, rest, limit), ctx):
        unknown[at] = 1


def _frequent_amid(mine: list[bytes], unknown: bytearray, frequent: Callable[[bytes], bool], ctx: Context) -> list[int]:
    """Where the frequent lines are that are dropped.

    Such a line matters only inside a stretch of unknown and frequent lines that has an unknown one on each side.
    """
    places = list(compress(range(len(mine)), unknown))
    most = (min(len(places), 2 * _SCAN) + 2) // 3  # a stretch as long as that is too long for what is around it
    dropped = []
    for before, after in pairwise(places):
        if 1 < after - before < most and all(map(frequent, mine[before + 1 : after])):
            ctx.tick()
            dropped += [at for at in range(before + 1, after) if _outweighed(mine, at, unknown, frequent)]
    return dropped


def _outweighed(mine: list[bytes], at: int, unknown: bytearray, frequent: Callable[[bytes], bool]) -> bool:
    """Weigh the unknown against the frequent lines on both sides of a frequent one, up to 100 lines away."""
    strange = 0
    many = 0
    for way in (range(at - 1, max(at - _SCAN, 0) - 1, -1), range(at + 1, min(at + _SCAN, len(mine) - 1) + 1)):
        seen = 0
        many += 1
        for i in way:
            if unknown[i]:
                seen += 1
            elif frequent(mine[i]):
                many += 1
            else:
                break
        if not seen:
            return False
        strange += seen
    return many * 4 < many + strange


def reduced(
    ka: list[bytes], kb: list[bytes], rest: Rest, ctx: Context
) -> tuple[bytearray, bytearray, list[int], list[int]]:
    """What is changed for certain in two lists (as flags), and what remains of both, as numbers.

    Lines become numbers: the place where a line is first seen, counted through both lists. A number of `kb` that is not
    below the size of `ka` is thus a line that `ka` does not have. Both rests are empty where nothing is left to decide.
    """
    size_a, size_b = len(ka), len(kb)
    number: dict[bytes, int] = {}
    a = list(map(number.setdefault, ka, count()))
    b = list(map(number.setdefault, kb, count(size_a)))
    only_b = bytearray(map(size_a.__le__, b))
    news = only_b.count(1)
    if news == size_b:
        return bytearray(b"\1" * size_a), only_b, [], []
    known = set(b)
    only_a = bytearray(map(known.__contains__, a)).translate(FLIP)
    olds = only_a.count(1)
    # With so few, frequent lines among them are not dropped; and when what both have is the same, in the same order,
    # there is only one shortest script, which Myers would find.
    few = olds < NOTABLE and news < NOTABLE
    if few and list(compress(a, only_a.translate(FLIP))) == list(compress(b, only_b.translate(FLIP))):
        return only_a, only_b, [], []
    if olds or news:
        strange = set(compress(ka, only_a))
        strange.update(compress(kb, only_b))
        elsewhere = rest.present(strange)
        if elsewhere:  # both files have it after all
            missing = {number[line] for line in strange - elsewhere}
            only_a = bytearray(map(missing.__contains__, a))
            only_b = bytearray(map(missing.__contains__, b))
        if only_a.count(1) >= NOTABLE:
            _drop_frequent(ka, kb, only_a, rest, min(rough_sqrt(size_a + rest.size()), MAX_FREQUENT), ctx)
        if only_b.count(1) >= NOTABLE:
            _drop_frequent(kb, ka, only_b, rest, min(rough_sqrt(size_b + rest.size()), MAX_FREQUENT), ctx)
        a = list(compress(a, only_a.translate(FLIP)))
        b = list(compress(b, only_b.translate(FLIP)))
    return only_a, only_b, a, b

"""Decides which lines take part in the search for a shortest script: git's clean-up before Myers runs.

Lines that the other file does not have at all are changed, whatever the search finds. So are lines so frequent in the
other file that they mean nothing, if there are enough lines of the first sort around them. The others are numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import compress, count, repeat

from ...annotations import TYPE_CHECKING
from ...deferred import deferred, lazy_pattern
from ...limits import LARGE, hold, lines_in, paced, pause, slices
from .whitespace import NO_EOL

if TYPE_CHECKING:
    from ...limits import Context
    from .myers import rough_sqrt
else:
    rough_sqrt = deferred(__name__, ".myers", "rough_sqrt")


__all__ = ["FLIP", "MAX_FREQUENT", "NOTABLE", "Fold", "Rest", "marked_lines", "reduced", "split_lines"]

Fold = Callable[[bytes], bytes]

MAX_FREQUENT = 1024
_SCAN = 100
_NUMBER_BYTES = 150  # memory of a line while it becomes a number: dictionary (twice as it grows), lists, sets
#: A frequent line is dropped when the unknown lines around it are more than three times the frequent ones plus two.
NOTABLE = 7
_OFTEN = 2  # marks a frequent line, as 1 marks an unknown one
#: What is between two unknown lines; a longer stretch outweighs all the unknown lines that are looked at.
_GAPS = lazy_pattern(rb"\x01(\x00{1,%d})(?=\x01)" % (2 * _SCAN // 3))
_OFTEN_ONES = lazy_pattern(rb"\x01(\x02{1,%d})(?=\x01)" % (2 * _SCAN // 3))
_MANY = 1 << 17  # lines; with so many, the clock is checked between the steps
_FEW = 12  # so few lines are searched for one by one
FLIP = bytes([1]) + bytes(255)


def split_lines(text: bytes) -> list[bytes]:
    """The lines of a text without their newline; an incomplete last one is marked."""
    return marked_lines(lines_in(text))


def marked_lines(lines: list[bytes]) -> list[bytes]:
    """The lines of a text, made in place from the parts between its newlines."""
    last = lines.pop()
    if last:
        lines.append(last + NO_EOL)
        if len(last) >= LARGE:
            pause()
    return lines


def has_line(text: bytes, line: bytes) -> bool:
    """Whether a text has this line."""
    if b"\n" in line:
        last = line[: -len(NO_EOL)]
        return text == last or text.endswith(b"\n" + last)
    needle = line + b"\n"
    return text.startswith(needle) or b"\n" + needle in text


def _searched(text: bytes, line: bytes) -> bool:
    """`has_line` with a check of the clock, since searching a long text takes long."""
    if len(text) + len(line) >= LARGE:
        pause()
    return has_line(text, line)


class Rest:
    """The equal lines that were set aside: needed to count how often a line occurs in a whole file."""

    __slots__ = ("_counts", "_fold", "_keys", "_texts")

    def __init__(self, *texts: bytes, fold: Fold | None = None) -> None:
        self._texts = texts
        self._fold = fold
        self._keys: list[bytes] = []  # more lines, already folded
        self._counts: Counter[bytes] | None = None

    def add(self, keys: list[bytes]) -> None:
        """Set more lines aside."""
        self._keys += keys

    def _all(self) -> list[bytes]:
        """Every line that was set aside, folded."""
        for text in self._texts:
            lines = split_lines(text)
            self._keys += lines if self._fold is None else map(self._fold, paced(lines))
        self._texts = ()
        return self._keys

    def counts(self) -> Counter[bytes]:
        """How often each line occurs."""
        if self._counts is None:
            self._counts = Counter()
            for part in slices(self._all()):
                self._counts.update(part)
        return self._counts

    def present(self, lines: set[bytes]) -> set[bytes]:
        """The lines among these that occur."""
        if not lines:
            return lines
        few = self._fold is None and not self._keys and len(lines) <= _FEW
        if few and sum(map(len, self._texts)) > 4000:
            return {line for line in lines if any(map(_searched, self._texts, repeat(line)))}
        lines_aside = self._all()
        if len(lines_aside) < _MANY:
            return lines.intersection(lines_aside)
        return {line for part in slices(lines_aside) for line in lines.intersection(part)}

    def size(self) -> int:
        """The number of lines."""
        lines = sum([text.count(b"\n") + (not text.endswith(b"\n")) for text in self._texts if text])
        return lines + len(self._keys)


class _Numbered:
    """The lines that were set aside, looked up by number."""

    __slots__ = ("_counts", "_number", "_rest", "size")

    def __init__(self, rest: Rest, number: dict[bytes, int]) -> None:
        self.size = rest.size()
        self._rest = rest
        self._number = number
        self._counts: dict[int, int] | None = None

    def frequent(self, theirs: list[int], limit: int) -> list[int]:
        """The lines that occur `limit` times or more in these lines and a list together."""
        listed = Counter(theirs)
        if not self.size:
            return [line for line, seen in listed.items() if seen >= limit]
        aside = self._counts_aside()
        half = (limit + 1) // 2  # a line occurs so often in at least one of the two
        candidates = {line for lines in (listed, aside) for line, seen in lines.items() if seen >= half}
        return [line for line in candidates if listed[line] + aside.get(line, 0) >= limit]

    def _counts_aside(self) -> dict[int, int]:
        if self._counts is None:
            counts, number = self._rest.counts(), self._number
            self._counts = {number[line]: counts[line] for line in counts.keys() & number.keys()}
        return self._counts


def _drop_frequent(
    mine: list[int], theirs: list[int], unknown: bytearray, rest: _Numbered, limit: int, ctx: Context
) -> None:
    """Mark in `unknown` the lines that occur `limit` times or more in the other file, if enough lines around do not
    occur.

    Such a line matters only inside a stretch of unknown and frequent lines that has an unknown one on each side.
    """
    if len(theirs) + rest.size < limit or not _may_outweigh(unknown, ctx):
        return
    marks = dict.fromkeys(rest.frequent(theirs, limit), _OFTEN)
    if not marks:
        return
    kinds = bytes(map(marks.get, mine, unknown))
    for gap in _OFTEN_ONES.finditer(kinds):
        ctx.tick()
        for at in range(*gap.span(1)):
            if _outweighed(kinds, at):
                unknown[at] = 1


def _may_outweigh(unknown: bytearray, ctx: Context) -> bool:
    """Whether any lines between two unknown ones would be outweighed by the unknown lines around, were they all
    frequent."""
    for gap in _GAPS.finditer(unknown):
        ctx.tick()
        start, end = gap.span(1)
        if unknown.count(1, max(start - _SCAN, 0), end + _SCAN) > 3 * (end - start + 1):
            return True
    return False


def _outweighed(kinds: bytes, at: int) -> bool:
    """Whether unknown lines outweigh the frequent ones around a frequent line, up to 100 lines away."""
    start = max(kinds.rfind(0, 0, at) + 1, at - _SCAN)
    end = kinds.find(0, at, at + _SCAN + 1)
    if end < 0:
        end = at + _SCAN + 1
    return kinds.count(1, start, end) > 3 * (kinds.count(_OFTEN, start, end) + 1)


def reduced(
    ka: list[bytes], kb: list[bytes], rest: Rest, ctx: Context
) -> tuple[bytearray, bytearray, list[int], list[int]]:
    """The lines that are certain to be changed in two lists (as flags), and the other lines of both, as numbers.

    The number of a line is the position where it is first seen, counted through both lists. A number of `kb` that is
    not below the size of `ka` is thus a line that `ka` does not have. Both lists of numbers are empty if nothing is
    left to decide.
    """
    size = (len(ka) + len(kb)) * _NUMBER_BYTES
    if size < LARGE:
        return _reduced(ka, kb, rest, ctx)
    with hold(size):
        return _reduced(ka, kb, rest, ctx)


def _nothing() -> None:
    """Called between two steps that are short."""


def _numbers(lines: list[bytes], number: dict[bytes, int], first: int) -> list[int]:
    """The numbers of some lines; new lines are added to `number`, with their position counted from `first`."""
    out: list[int] = []
    for part in slices(lines):
        out += map(number.setdefault, part, count(first + len(out)))
    return out


def _reduced(
    ka: list[bytes], kb: list[bytes], rest: Rest, ctx: Context
) -> tuple[bytearray, bytearray, list[int], list[int]]:
    size_a, size_b = len(ka), len(kb)
    number: dict[bytes, int] = {}
    watch = ctx.check if size_a + size_b >= _MANY else _nothing
    a = _numbers(ka, number, 0)
    ctx.check()  # a line can be as long as a file
    b = _numbers(kb, number, size_a)
    watch()
    only_b = bytearray([line >= size_a for line in b])
    watch()
    inserted = only_b.count(1)
    if inserted == size_b:
        return bytearray(b"\1" * size_a), only_b, [], []
    other_side = set(b)
    only_a = bytearray(map(other_side.__contains__, a)).translate(FLIP)
    deleted = only_a.count(1)
    watch()
    # With so few changes, frequent lines among them are not dropped. If the remaining lines of both are the same, in
    # the same order, there is only one shortest script, which Myers would find.
    few = deleted < NOTABLE and inserted < NOTABLE
    if few and list(compress(a, only_a.translate(FLIP))) == list(compress(b, only_b.translate(FLIP))):
        return only_a, only_b, [], []
    if deleted or inserted:
        strange = set(compress(ka, only_a))
        watch()
        strange.update(compress(kb, only_b))
        watch()
        present = rest.present(strange)
        watch()
        if present:  # lines that both files have among those set aside
            missing = {number[line] for line in strange - present}
            only_a = bytearray(map(missing.__contains__, a))
            watch()
            only_b = bytearray(map(missing.__contains__, b))
            watch()
        beyond = _Numbered(rest, number)
        if only_a.count(1) >= NOTABLE:
            _drop_frequent(a, b, only_a, beyond, min(rough_sqrt(size_a + beyond.size), MAX_FREQUENT), ctx)
        if only_b.count(1) >= NOTABLE:
            _drop_frequent(b, a, only_b, beyond, min(rough_sqrt(size_b + beyond.size), MAX_FREQUENT), ctx)
        watch()
        a = list(compress(a, only_a.translate(FLIP)))
        watch()
        b = list(compress(b, only_b.translate(FLIP)))
    return only_a, only_b, a, b

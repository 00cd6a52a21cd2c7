"""Which lines differ: the decisions of git's line diff, on bytes.

The result has to be git's to the line, so its steps are git's: equal heads and tails are set aside; lines that the
other file does not have at all, and lines so frequent that they mean nothing next to such, are dropped; Myers runs on
the rest; the groups are slid to where they read best. What is ours is how little is looked at: heads and tails are
found by comparing slices, only a window around the changes is cut into lines (more when a decision needs it), lines are
compared as small integers, and groups are runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import compress, count, pairwise
from typing import TYPE_CHECKING, Any

from .compact import Narrow, Run, compact, runs_of, script_of
from .histogram import histogram_marks
from .linespec import LineSpec
from .myers import mark_changes, rough_sqrt
from .patience import patience_marks
from .whitespace import NO_EOL, folder

if TYPE_CHECKING:
    from ..limits import Context

__all__ = ["Pair", "changed_lines", "compare", "match_lines", "split_lines", "whole_marks"]

Script = list[tuple[int, int, int, int]]
Fold = Callable[[bytes], bytes]

_MARGIN = 1500  # bytes of equal text kept around the changes in the first try
_MAX_FREQUENT = 1024
_SCAN = 100
#: A frequent line is dropped when the unknown lines around it are more than three times the frequent ones plus two.
_NOTABLE = 7
_FLIP = bytes([1]) + bytes(255)
_PLAIN = LineSpec(context=0)


class Pair:
    """Two texts, cut into lines as far as needed, and what differs between them.

    `a` and `b` are the lines of the window, without their newline; the incomplete last line of a file carries
    `whitespace.NO_EOL` instead. `base` lines stand before the window in both files. `script` holds
    (start in a, count, start in b, count) of each change, counted from the window's first line.
    """

    __slots__ = ("a", "b", "base", "lead", "new", "offset", "old", "open_end", "script", "trail")

    def __init__(self, old: bytes, new: bytes) -> None:
        self.old = old
        self.new = new
        self.a: list[bytes] = []
        self.b: list[bytes] = []
        self.base = 0
        self.offset = 0  # bytes before the window, in both files
        self.open_end = False  # lines follow the window
        self.lead = 0  # equal lines at the window's start
        self.trail = 0  # ... and at its end
        self.script: Script = []

    def line_before(self, offset: int) -> tuple[int, bytes]:
        """The line that ends just before byte `offset`: where it starts, and its text. `offset` must be above 0."""
        start = self.old.rfind(b"\n", 0, offset - 1) + 1
        return start, self.old[start : offset - 1]


def split_lines(text: bytes) -> list[bytes]:
    """The lines of a text without their newline; an incomplete last one is marked."""
    lines = text.split(b"\n")
    last = lines.pop()
    if last:
        lines.append(last + NO_EOL)
    return lines


def _common_head(a: bytes, b: bytes) -> int:
    """How many bytes both texts begin with."""
    size = min(len(a), len(b))
    step = 8192
    at = 0
    while at + step <= size and a[at : at + step] == b[at : at + step]:
        at += step
    low, high = at, min(at + step, size)
    if a[low:high] == b[low:high]:
        return high
    while high - low > 1:  # bytes below low are equal, some byte below high is not
        middle = (low + high) >> 1
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _common_tail(a: bytes, b: bytes, limit: int) -> int:
    """How many bytes both texts end with, at most `limit`."""
    step = 8192
    la, lb = len(a), len(b)
    got = 0
    while got + step <= limit and a[la - got - step : la - got] == b[lb - got - step : lb - got]:
        got += step
    low, high = got, min(got + step, limit)
    if a[la - high : la - low] == b[lb - high : lb - low]:
        return high
    while high - low > 1:
        middle = (low + high) >> 1
        if a[la - middle : la - low] == b[lb - middle : lb - low]:
            low = middle
        else:
            high = middle
    return low


def _equal_ends(old: bytes, new: bytes) -> tuple[int, int]:
    """Bytes of whole lines that both texts begin and end with."""
    head = _common_head(old, new)
    if head and old[head - 1] != 10:
        head = old.rfind(b"\n", 0, head) + 1
    tail = _common_tail(old, new, min(len(old), len(new)) - head)
    i, j = len(old) - tail, len(new) - tail
    if tail and not ((i == head or old[i - 1] == 10) and (j == head or new[j - 1] == 10)):
        after = old.find(b"\n", i) + 1
        tail = len(old) - after if after else 0
    return head, tail


def _cut_common_tail(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """What git drops unseen when no context is asked for: equal blocks of 1024 bytes at the end, save a line's end."""
    size = min(len(old), len(new))
    blocks = _common_tail(old, new, size) // 1024
    if not blocks:
        return old, new
    cut = blocks * 1024
    newline = old.find(b"\n", len(old) - cut)
    if newline < 0:
        return old, new
    keep = newline + 1 - (len(old) - cut)
    return old[: len(old) - cut + keep], new[: len(new) - cut + keep]


class _Rest:
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
        few = self._fold is None and not self._keys and len(lines) <= 2
        if few and sum(map(len, self._texts)) > 4000:
            found = set()
            for line in lines:
                needle = line if b"\n" in line else line + b"\n"
                for text in self._texts:
                    if b"\n" in line:
                        hit = text.endswith(b"\n" + line[: -len(NO_EOL)]) or text == line[: -len(NO_EOL)]
                    else:
                        hit = text.startswith(needle) or b"\n" + needle in text
                    if hit:
                        found.add(line)
                        break
            return found
        return lines.intersection(self._all())

    def size(self) -> int:
        """How many lines there are."""
        lines = sum([text.count(b"\n") + (not text.endswith(b"\n")) for text in self._texts if text])
        return lines + len(self._keys)


def _drop_frequent(
    mine: list[bytes], theirs: list[bytes], unknown: bytearray, rest: _Rest, limit: int, ctx: Context
) -> None:
    """Mark in `unknown` the lines that occur `limit` times or more over there, amid enough lines that do not occur.

    Such a line matters only inside a stretch of unknown and frequent lines that has an unknown one on each side.
    """
    if len(theirs) + rest.size() < limit:
        return
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

    places = list(compress(range(len(mine)), unknown))
    most = (min(len(places), 2 * _SCAN) + 2) // 3  # a stretch as long as that is too long for what is around it
    dropped = []
    for before, after in pairwise(places):
        if 1 < after - before < most and all(map(frequent, mine[before + 1 : after])):
            ctx.tick()
            dropped += [at for at in range(before + 1, after) if _outweighed(mine, at, unknown, frequent)]
    for at in dropped:
        unknown[at] = 1


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


def _myers_marks(
    ka: list[bytes], kb: list[bytes], rest: _Rest, minimal: bool, ctx: Context
) -> tuple[bytearray, bytearray]:
    """Mark deleted and inserted lines of two lists that begin and end differently.

    Lines become numbers: the place where a line is first seen, counted through both lists. A number of `kb` that is not
    below the size of `ka` is thus a line that `ka` does not have.
    """
    size_a, size_b = len(ka), len(kb)
    number: dict[bytes, int] = {}
    a = list(map(number.setdefault, ka, count()))
    b = list(map(number.setdefault, kb, count(size_a)))
    only_b = bytearray(map(size_a.__le__, b))
    news = only_b.count(1)
    if news == size_b:
        return bytearray(b"\1" * size_a), only_b
    known = set(b)
    only_a = bytearray(map(known.__contains__, a)).translate(_FLIP)
    olds = only_a.count(1)
    # With so few, frequent lines among them are not dropped; and when what both have is the same, in the same order,
    # there is only one shortest script, which Myers would find.
    few = olds < _NOTABLE and news < _NOTABLE
    if few and list(compress(a, only_a.translate(_FLIP))) == list(compress(b, only_b.translate(_FLIP))):
        return only_a, only_b
    if olds or news:
        strange = set(compress(ka, only_a))
        strange.update(compress(kb, only_b))
        elsewhere = rest.present(strange)
        if elsewhere:  # both files have it after all
            missing = {number[line] for line in strange - elsewhere}
            only_a = bytearray(map(missing.__contains__, a))
            only_b = bytearray(map(missing.__contains__, b))
        if only_a.count(1) >= _NOTABLE:
            _drop_frequent(ka, kb, only_a, rest, min(rough_sqrt(size_a + rest.size()), _MAX_FREQUENT), ctx)
        if only_b.count(1) >= _NOTABLE:
            _drop_frequent(kb, ka, only_b, rest, min(rough_sqrt(size_b + rest.size()), _MAX_FREQUENT), ctx)
        a = list(compress(a, only_a.translate(_FLIP)))
        b = list(compress(b, only_b.translate(_FLIP)))
    gone, come = mark_changes(a, b, minimal, ctx)
    _spread(gone, only_a)
    _spread(come, only_b)
    return only_a, only_b


def _spread(marks: bytearray, dropped: bytearray) -> None:
    """Add the marks of the lines that were kept to those of the lines that were not."""
    if 1 in marks:
        kept = list(compress(range(len(dropped)), dropped.translate(_FLIP)))
        for at in compress(kept, marks):
            dropped[at] = 1


def compare(old: bytes, new: bytes, spec: LineSpec, *, ctx: Context) -> Pair:
    """Find what differs between two texts.

    The window of the answer has at least `spec.context` equal lines on each side of the changes, where the files have
    them; with `spec.function_context` it is the whole of both files. Mirrors git-diff(1) (`--diff-algorithm`, `-w` …).
    """
    if not spec.context and not spec.function_context:
        old, new = _cut_common_tail(old, new)
    if old == new:
        return Pair(old, new)
    if spec.algorithm != "myers":
        return _compare_whole(old, new, spec, ctx)
    fold = folder(spec)
    head, tail = _equal_ends(old, new)
    pair = Pair(old, new)
    before = old[:head]
    after = old[len(old) - tail :]
    mid_a = split_lines(old[head : len(old) - tail])
    mid_b = split_lines(new[head : len(new) - tail])
    if not mid_a:
        runs_a, runs_b = [], [[0, len(mid_b)]]
    elif not mid_b:
        runs_a, runs_b = [[0, len(mid_a)]], []
    else:
        rest = _Rest(before, after, fold=fold)
        if fold is None:
            marks_a, marks_b = _myers_marks(mid_a, mid_b, rest, spec.minimal, ctx)
        else:
            marks_a, marks_b = whole_marks(list(map(fold, mid_a)), list(map(fold, mid_b)), spec.minimal, ctx, rest)
        runs_a, runs_b = runs_of(marks_a), runs_of(marks_b)
    if not spec.function_context:
        try:
            _settle(pair, before, mid_a, mid_b, after, runs_a, runs_b, spec, fold, _MARGIN, ctx)
            return pair
        except Narrow:
            pass
    _settle(pair, before, mid_a, mid_b, after, runs_a, runs_b, spec, fold, len(old) + len(new), ctx)
    return pair


class _Folded(list[bytes]):
    """Lines that are folded when looked at: sliding looks at few."""

    __slots__ = ("_fold",)

    def __init__(self, lines: list[bytes], fold: Fold) -> None:
        super().__init__(lines)
        self._fold = fold

    def __getitem__(self, at: Any) -> Any:
        return self._fold(super().__getitem__(at))


def _settle(
    pair: Pair,
    before: bytes,
    mid_a: list[bytes],
    mid_b: list[bytes],
    after: bytes,
    runs_a: list[Run],
    runs_b: list[Run],
    spec: LineSpec,
    fold: Fold | None,
    margin: int,
    ctx: Context,
) -> None:
    """Put `margin` bytes of equal text around the middle, slide the groups, and fill in the pair."""
    from_byte = before.find(b"\n", len(before) - margin) + 1 if len(before) > margin else 0
    lead = before[from_byte:].split(b"\n")
    lead.pop()
    if len(after) > margin:
        open_end = True
        trail = after[: after.find(b"\n", margin) + 1].split(b"\n")
        trail.pop()
        if not trail:
            open_end = False
            trail = split_lines(after)
    else:
        open_end = False
        trail = split_lines(after)
    open_start = from_byte > 0
    if (open_start and len(lead) < spec.context) or (open_end and len(trail) < spec.context):
        raise Narrow
    a = lead + mid_a + trail
    b = lead + mid_b + trail
    skip = len(lead)
    old = [[start + skip, end + skip] for start, end in runs_a]
    new = [[start + skip, end + skip] for start, end in runs_b]
    indent = spec.indent_heuristic
    if old:
        keys = a if fold is None else _Folded(a, fold)
        compact(old, keys, new, a, ctx=ctx, indent=indent, open_start=open_start, open_end=open_end)
    if new:
        keys = b if fold is None else _Folded(b, fold)
        compact(new, keys, old, b, ctx=ctx, indent=indent, open_start=open_start, open_end=open_end)
    pair.a, pair.b = a, b
    pair.script = script = script_of(old, new)
    pair.offset = from_byte
    pair.base = before.count(b"\n", 0, from_byte)
    pair.open_end = open_end
    if script:
        first, last = script[0], script[-1]
        pair.lead = first[0]
        pair.trail = len(a) - last[0] - last[1]
        if (open_start and pair.lead < spec.context) or (open_end and pair.trail < spec.context):
            raise Narrow


def _compare_whole(old: bytes, new: bytes, spec: LineSpec, ctx: Context) -> Pair:
    """The same on whole files, for the algorithms that look at whole files."""
    pair = Pair(old, new)
    a = pair.a = split_lines(old)
    b = pair.b = split_lines(new)
    fold = folder(spec)
    ka = a if fold is None else list(map(fold, a))
    kb = b if fold is None else list(map(fold, b))

    def classic(one: list[bytes], two: list[bytes]) -> tuple[bytearray, bytearray]:
        return whole_marks(one, two, spec.minimal, ctx)

    if spec.algorithm == "histogram":
        marks_a, marks_b = histogram_marks(ka, kb, classic, ctx)
    else:
        marks_a, marks_b = patience_marks(ka, kb, a, spec.anchors, classic, ctx)
    old_runs, new_runs = runs_of(marks_a), runs_of(marks_b)
    if old_runs:
        compact(old_runs, ka, new_runs, a, ctx=ctx, indent=spec.indent_heuristic)
    if new_runs:
        compact(new_runs, kb, old_runs, b, ctx=ctx, indent=spec.indent_heuristic)
    pair.script = script = script_of(old_runs, new_runs)
    if script:
        first, last = script[0], script[-1]
        pair.lead = first[0]
        pair.trail = len(a) - last[0] - last[1]
    return pair


def whole_marks(
    ka: list[bytes], kb: list[bytes], minimal: bool, ctx: Context, rest: _Rest | None = None
) -> tuple[bytearray, bytearray]:
    """Myers on two lists of keys: equal ends set aside, then the middle. `rest` is what was set aside already."""
    size = min(len(ka), len(kb))
    head = 0
    while head < size and ka[head] == kb[head]:
        head += 1
    size -= head
    tail = 0
    while tail < size and ka[-1 - tail] == kb[-1 - tail]:
        tail += 1
    end_a, end_b = len(ka) - tail, len(kb) - tail
    gone, come = bytearray(len(ka)), bytearray(len(kb))
    if head in (end_a, end_b):
        gone[head:end_a] = b"\1" * (end_a - head)
        come[head:end_b] = b"\1" * (end_b - head)
    else:
        rest = rest or _Rest()
        rest.add(ka[:head] + ka[end_a:])
        gone[head:end_a], come[head:end_b] = _myers_marks(ka[head:end_a], kb[head:end_b], rest, minimal, ctx)
    return gone, come


def match_lines(old: bytes, new: bytes, spec: LineSpec, ctx: Context) -> Script:
    """The changes between two texts as (old start, old count, new start, new count), counted from 0."""
    pair = compare(old, new, spec, ctx=ctx)
    base = pair.base
    if not base:
        return pair.script
    return [(i + base, n, j + base, m) for i, n, j, m in pair.script]


def changed_lines(old: bytes, new: bytes, *, ctx: Context) -> tuple[list[bytes], list[bytes]]:
    """The deleted and the inserted lines, without newlines (for `git log -G`)."""
    pair = compare(old, new, _PLAIN, ctx=ctx)
    gone: list[bytes] = []
    come: list[bytes] = []
    for i, n, j, m in pair.script:
        gone += pair.a[i : i + n]
        come += pair.b[j : j + m]
    return gone, come

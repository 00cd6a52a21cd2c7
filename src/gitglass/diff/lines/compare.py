"""The changed lines of two texts: the decisions of git's line diff, on bytes.

The result has to equal git's to the line, so its steps are git's: equal heads and tails are set aside; lines that the
other file does not have at all, and lines so frequent that they mean nothing next to such, are dropped; Myers runs on
the rest; the groups are slid to where they read best. It differs from git in reading as little as possible: heads and
tails are found by comparing slices, only a window around the changes is cut into lines (more if a decision needs it),
lines are compared as small integers, and groups are runs.
"""

from __future__ import annotations

from itertools import compress

from ...annotations import TYPE_CHECKING, Any
from ...deferred import deferred
from ...limits import MANY_LINES, cut_lines, hold, lines_weight, slices
from .common_ends import cut_common_tail, equal_ends
from .compact import Narrow, Run, compact, runs_of, script_of
from .discard import FLIP, Fold, Rest, marked_lines, reduced, split_lines
from .spec import LineSpec
from .whitespace import folded, folder

if TYPE_CHECKING:
    from ...limits import Context, Hold
    from .histogram import histogram_marks
    from .myers import mark_changes
    from .patience import patience_marks
else:
    histogram_marks = deferred(__name__, ".histogram", "histogram_marks")
    mark_changes = deferred(__name__, ".myers", "mark_changes")
    patience_marks = deferred(__name__, ".patience", "patience_marks")


__all__ = ["Pair", "Script", "changed_lines", "compare", "match_lines", "split_lines", "whole_marks"]

Script = list[tuple[int, int, int, int]]

_LINE_BYTES = 200  # memory of a line in a patience or histogram diff
_SEARCH_BYTES = 72  # memory of a number in Myers' search: itself, its copy between sentinels, two furthest points
_MARGIN = 1500  # bytes of equal text kept around the changes in the first try
_PLAIN = LineSpec(context=0)


class Pair:
    """Two texts, cut into lines as far as needed, and the differences between them.

    `a` and `b` are the lines of the window, without their newline; the incomplete last line of a file carries
    `whitespace.NO_EOL` instead. `base` lines stand before the window in both files. `script` holds
    (start in a, count, start in b, count) of each change, counted from the window's first line.
    """

    __slots__ = ("a", "b", "base", "held", "lead", "new", "offset", "old", "open_end", "script", "trail", "weight")

    def __init__(self, old: bytes, new: bytes) -> None:
        self.old = old
        self.new = new
        self.a: list[bytes] = []
        self.b: list[bytes] = []
        self.base = 0
        self.held: list[Hold] = []
        self.weight = 0  # memory announced for the lines while the pair exists; 0 if it is little
        self.offset = 0  # bytes before the window, in both files
        self.open_end = False  # lines follow the window
        self.lead = 0  # equal lines at the window's start
        self.trail = 0  # ... and at its end
        self.script: Script = []

    def saved(self) -> tuple[Any, ...]:
        """The result of the comparison, without the texts."""
        end = self.offset + sum(map(len, self.a)) + len(self.a) if self.open_end else len(self.old)
        more = end - len(self.old)
        facts = (self.script, self.base, self.offset, self.open_end, self.lead, self.trail)
        return (len(self.old), len(self.new), end, len(self.new) + more, facts)

    @classmethod
    def restored(cls, old: bytes, new: bytes, saved: tuple[Any, ...]) -> Pair:
        """The pair restored from its texts and its `saved` result."""
        size_old, size_new, end_a, end_b, facts = saved
        pair = cls(old[:size_old], new[:size_new])
        pair.script, pair.base, pair.offset, pair.open_end, pair.lead, pair.trail = facts
        if pair.script:
            pair.a, pair.b = pair.cut(pair.old[pair.offset : end_a], pair.new[pair.offset : end_b])
        return pair

    def cut(self, old: bytes, new: bytes) -> tuple[list[bytes], list[bytes]]:
        """Two texts cut into lines."""
        if len(old) + len(new) >= MANY_LINES:
            self.hold_lines(old, new)
        return marked_lines(cut_lines(old)), marked_lines(cut_lines(new))

    def hold_lines(self, one: bytes, two: bytes) -> None:
        """Announce the memory of the lines of two texts while the pair exists."""
        weight = lines_weight(one) + lines_weight(two)
        if weight:
            self.held.append(hold(weight))
            self.weight += weight


def _myers_marks(
    ka: list[bytes], kb: list[bytes], rest: Rest, minimal: bool, ctx: Context
) -> tuple[bytearray, bytearray]:
    """Mark deleted and inserted lines of two lists that begin and end differently."""
    only_a, only_b, a, b = reduced(ka, kb, rest, ctx)
    if a or b:
        with hold((len(a) + len(b)) * _SEARCH_BYTES):
            deleted, inserted = mark_changes(a, b, minimal, ctx)
        ctx.check()  # with millions of lines each of these steps takes long
        _spread(deleted, only_a)
        ctx.check()
        _spread(inserted, only_b)
    return only_a, only_b


def _spread(marks: bytearray, dropped: bytearray) -> None:
    """Combine the marks of the lines that took part in the search with those of the lines that were dropped."""
    if 1 in marks:
        kept = list(compress(range(len(dropped)), dropped.translate(FLIP)))
        for part in slices(list(compress(kept, marks))):
            for at in part:
                dropped[at] = 1


def compare(old: bytes, new: bytes, spec: LineSpec, *, ctx: Context) -> Pair:
    """Compare two texts.

    The window of the result has at least `spec.context` equal lines on each side of the changes, if the files have
    them; with `spec.function_context` it is the whole of both files. Mirrors git-diff(1) (`--diff-algorithm`, `-w` …).
    """
    if not spec.context and not spec.function_context:
        old, new = cut_common_tail(old, new)
    if old == new:
        return Pair(old, new)
    if spec.algorithm != "myers":
        return _compare_whole(old, new, spec, ctx)
    fold = folder(spec)
    head, tail = equal_ends(old, new)
    pair = Pair(old, new)
    before = old[:head]
    after = old[len(old) - tail :]
    mid_a, mid_b = pair.cut(old[head : len(old) - tail], new[head : len(new) - tail])
    if not mid_a:
        runs_a, runs_b = [], [[0, len(mid_b)]]
    elif not mid_b:
        runs_a, runs_b = [[0, len(mid_a)]], []
    else:
        rest = Rest(before, after, fold=fold)
        if fold is None:
            marks_a, marks_b = _myers_marks(mid_a, mid_b, rest, spec.minimal, ctx)
        else:
            with hold(pair.weight):
                keys = folded(fold, mid_a), folded(fold, mid_b)
                marks_a, marks_b = whole_marks(*keys, spec.minimal, ctx, rest)
            del keys
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
    """Lines that are folded on access: sliding only reads a few of them."""

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
    """Widen the middle by `margin` bytes of equal text, slide the groups, and fill in the pair."""
    from_byte = before.find(b"\n", len(before) - margin) + 1 if len(before) > margin else 0
    front = before[from_byte:]
    to_byte = after.find(b"\n", margin) + 1 if len(after) > margin else 0
    open_end = to_byte > 0
    behind = after[:to_byte] if open_end else after
    if len(front) + len(behind) >= MANY_LINES:
        pair.hold_lines(front, behind)
    lead = cut_lines(front)
    lead.pop()
    trail = marked_lines(cut_lines(behind))
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
    """Compare whole files, for the algorithms that need them."""
    pair = Pair(old, new)
    pair.a, pair.b = a, b = pair.cut(old, new)
    fold = folder(spec)
    if fold is None:
        _settle_whole(pair, a, b, spec, ctx)
    else:
        with hold(pair.weight):
            _settle_whole(pair, folded(fold, a), folded(fold, b), spec, ctx)
    return pair


def _settle_whole(pair: Pair, ka: list[bytes], kb: list[bytes], spec: LineSpec, ctx: Context) -> None:
    """Fill in a pair that was cut into lines, comparing the lines by their keys."""
    a, b = pair.a, pair.b

    def classic(one: list[bytes], two: list[bytes]) -> tuple[bytearray, bytearray]:
        return whole_marks(one, two, spec.minimal, ctx)

    with hold((len(a) + len(b)) * _LINE_BYTES):
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


def whole_marks(
    ka: list[bytes], kb: list[bytes], minimal: bool, ctx: Context, rest: Rest | None = None
) -> tuple[bytearray, bytearray]:
    """Run Myers on two lists of keys: equal ends are set aside, then the middle is searched. `rest` was set aside
    before."""
    size = min(len(ka), len(kb))
    head = 0
    while head < size and ka[head] == kb[head]:
        head += 1
    size -= head
    tail = 0
    while tail < size and ka[-1 - tail] == kb[-1 - tail]:
        tail += 1
    end_a, end_b = len(ka) - tail, len(kb) - tail
    deleted, inserted = bytearray(len(ka)), bytearray(len(kb))
    if head in (end_a, end_b):
        deleted[head:end_a] = b"\1" * (end_a - head)
        inserted[head:end_b] = b"\1" * (end_b - head)
    else:
        rest = rest or Rest()
        rest.add(ka[:head] + ka[end_a:])
        deleted[head:end_a], inserted[head:end_b] = _myers_marks(ka[head:end_a], kb[head:end_b], rest, minimal, ctx)
    return deleted, inserted


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
    deleted: list[bytes] = []
    inserted: list[bytes] = []
    for i, n, j, m in pair.script:
        deleted += pair.a[i : i + n]
        inserted += pair.b[j : j + m]
    return deleted, inserted

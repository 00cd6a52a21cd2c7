"""How many lines a diff adds and deletes, without making the diff (`--stat`, `--numstat`, `--shortstat`).

git counts the lines of the edit script that its line diff finds. That script is a shortest one of the lines that take
part (`discard`), as long as the search stays below the cost from which Myers' heuristics are tried: the searches from
both ends meet at half the length of the script, and up to a cost of 256 nothing else ends them. Sliding the
groups afterwards changes no count. So the counts follow from the edit distance, for which no script is needed, and
equal blocks need not even be cut into lines (`distance`); the search is made only beyond that cost. Among the lines
that git's clean-up drops,

- those that the other file does not have are deleted or inserted by every script, so dropping them changes no count;
- frequent ones next to such lines do matter. They are less than a third of the lines that the other file does not have
  within one stretch of only these two sorts, and those are more than six. A gap needs no closer look if it has no line
  in such a position, or none that could be frequent, and if the blocks between have some line that is not frequent.
"""

from __future__ import annotations

from itertools import pairwise

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...limits import lines_in
from .common_ends import cut_common_tail, equal_ends
from .discard import MAX_FREQUENT, NOTABLE, Rest, reduced, split_lines
from .distance import Gap, find_gaps, shortest
from .lcs_length import TooLong, edit_distance

if TYPE_CHECKING:
    from ...limits import Context
    from .myers import mark_changes, rough_sqrt
    from .spec import LineSpec
else:
    mark_changes, rough_sqrt = deferred(__name__, ".myers", "mark_changes", "rough_sqrt")


__all__ = ["count_lines", "line_count"]

_SAFE = 500  # edit distance below which no search reaches a cost of 256
_RARE = 4  # limit for frequent lines in a file of seven lines; no longer file has a lower one
_SCAN = 200  # the clean-up looks at this many lines at most to decide on one


def line_count(data: bytes) -> int:
    """The number of lines of a file; an incomplete last one counts."""
    count = data.count(b"\n")
    return count + 1 if data and not data.endswith(b"\n") else count


def count_lines(old: bytes, new: bytes, spec: LineSpec, *, ctx: Context) -> tuple[int, int] | None:
    """(lines added, lines deleted) by git's default diff of two texts; None if only the diff itself can tell."""
    if not spec.context and not spec.function_context:
        old, new = cut_common_tail(old, new)
    if old == new:
        return 0, 0
    head, tail = equal_ends(old, new)
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if not a or not b:
        return line_count(b), line_count(a)
    if a.find(b"\n", 0, -1) < 0 and b.find(b"\n", 0, -1) < 0:
        return 1, 1  # one line each, which differ
    gaps = find_gaps(a, b, ctx)
    ends = old[:head], old[len(old) - tail :]
    try:
        distance = -1
        if gaps and _keeps_frequent(0, gaps, a, (b, *ends), ctx) and _keeps_frequent(1, gaps, b, (a, *ends), ctx):
            distance = shortest(gaps, a, ctx)
            deleted, added = (sum([len(gap.sides[side]) for gap in gaps]) for side in (0, 1))
        if distance < 0 or distance >= _SAFE:
            one, two = split_lines(a), split_lines(b)
            deleted, added = len(one), len(two)
            distance = _in_window(one, two, Rest(*ends), spec.minimal, ctx)
    except TooLong:
        return None
    matched = (deleted + added - distance) // 2
    return added - matched, deleted - matched


def _in_window(ka: list[bytes], kb: list[bytes], rest: Rest, minimal: bool, ctx: Context) -> int:
    """How many lines git's script of two lists changes. The script is searched for only if git may give up."""
    only_a, only_b, a, b = reduced(ka, kb, rest, ctx)
    distance = edit_distance(a, b, ctx)
    if distance >= _SAFE and not minimal:
        distance = sum([marks.count(1) for marks in mark_changes(a, b, minimal, ctx)])
    return distance + only_a.count(1) + only_b.count(1)


def _keeps_frequent(side: int, gaps: list[Gap], text: bytes, theirs: tuple[bytes, ...], ctx: Context) -> bool:
    """Whether it is certain that the clean-up drops no line of one side that the other side has.

    `text` is what lies between the equal ends, `theirs` the other file in pieces, the equal ends last.
    """
    strange = sum([gap.strange[side] for gap in gaps])
    if strange < NOTABLE:
        return True
    limit = 0

    def frequent(lines: list[bytes]) -> bool:
        """Whether the longest of some lines may be frequent."""
        nonlocal limit
        line = max(lines, key=len)
        if not line:
            return True
        seen = sum([text.count(line) for text in theirs])
        if seen < _RARE:
            return False
        if not limit:
            limit = min(rough_sqrt(sum(map(line_count, (text, *theirs[1:])))), MAX_FREQUENT)
        return seen >= limit

    for gap in gaps:
        if gap.strange[side] >= NOTABLE and gap.common[side]:
            ctx.tick()
            lines, partners = gap.sides[side], set(gap.common[side])
            positions = [at for at, line in enumerate(lines) if line not in partners]
            if any(frequent(lines[before + 1 : after]) for before, after in _heavy(positions)):
                return False
    longest = (min(strange, _SCAN) + 2) // 3  # a stretch of frequent lines can be so long
    for one, two in pairwise(gaps):
        start, end = one.ends[side], two.starts[side]
        if text.count(b"\n", start, end) + 1 < longest and frequent(lines_in(text[start:end])):
            return False
    return True


def _heavy(strange: list[int]) -> list[tuple[int, int]]:
    """The pairs of unknown lines between which others are outweighed even if all of these are frequent."""
    weights = []
    weight = last = 0
    for at in strange:
        weight = max(weight - 3 * (at - last - 1), 0) + 1
        weights.append(weight)
        last = at
    pairs = []
    weight = 0
    after = strange[-1]
    for before, reach in zip(strange[-2::-1], weights[-2::-1], strict=True):
        weight += 1
        if after - before > 1:
            if weight + reach >= NOTABLE and after - before < _SCAN:
                pairs.append((before, after))
            weight = max(weight - 3 * (after - before - 1), 0)
        after = before
    return pairs

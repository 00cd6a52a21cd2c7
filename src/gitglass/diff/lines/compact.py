"""Slides a group of changed lines to the position that reads best.

A run of added lines can often be shown one line higher or lower without changing the meaning. git slides each group as
far up and as far down as it goes (joining the groups it meets), prefers a position where the other file changed as
well, and otherwise scores each position by indentation and blank lines (the "indent heuristic").

Groups are kept as runs rather than as a flag for each line: `[start, end)` in their own file. Across files they are
identified by the number of unchanged lines before them, which is the same on both sides.
"""

from __future__ import annotations

from ...annotations import TYPE_CHECKING, Any
from ...limits import paced, pause

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["Narrow", "compact", "runs_of", "script_of"]

Run = list[int]

_MAX_INDENT = 200
_MAX_BLANKS = 20
_MAX_SLIDING = 100
_BLANKS = b" \t\n\r"


class Narrow(Exception):
    """The window of lines that was cut out of the files is too small to decide: the whole files are needed."""


def runs_of(marks: bytearray) -> list[Run]:
    """Marked stretches as [start, end) pairs."""
    runs: list[Run] = []
    find = marks.find
    start = find(1)
    while start >= 0:
        end = find(0, start)
        if end < 0:
            end = len(marks)
        runs.append([start, end])
        if not len(runs) & 1023:
            pause()
        start = find(1, end)
    return runs


def script_of(old: list[Run], new: list[Run]) -> list[tuple[int, int, int, int]]:
    """Pair the runs of both files: (start, count) in the old file, (start, count) in the new one, in order."""
    script = []
    i = j = 0
    passed_old = passed_new = 0  # changed lines passed so far, in the old and in the new file
    while i < len(old) or j < len(new):
        at_old = old[i][0] - passed_old if i < len(old) else -1
        at_new = new[j][0] - passed_new if j < len(new) else -1
        unchanged = at_old if j >= len(new) or 0 <= at_old <= at_new else at_new
        deleted = inserted = 0
        start_old, start_new = unchanged + passed_old, unchanged + passed_new
        if at_old == unchanged and i < len(old):
            deleted = old[i][1] - old[i][0]
            i += 1
        if at_new == unchanged and j < len(new):
            inserted = new[j][1] - new[j][0]
            j += 1
        script.append((start_old, deleted, start_new, inserted))
        if not len(script) & 1023:
            pause()
        passed_old += deleted
        passed_new += inserted
    return script


def _unchanged_before(runs: list[Run]) -> set[int]:
    """The number of unchanged lines before each run."""
    counts = set()
    changed = 0
    for start, end in paced(runs):
        counts.add(start - changed)
        changed += end - start
    return counts


def compact(
    runs: list[Run],
    keys: list[Any],
    other: list[Run],
    lines: list[bytes],
    *,
    ctx: Context,
    indent: bool,
    open_start: bool = False,
    open_end: bool = False,
) -> None:
    """Slide the groups of one file, in place.

    Lines with equal `keys` are equal, `lines` is their text (for the indentation), `other` the groups of the other
    file. `open_start` and `open_end` say that the file goes on beyond the lines given; `Narrow` is raised if that
    matters.
    """
    size = len(keys)
    partners: set[int] | None = None
    changed = 0  # changed lines before the current group
    at = 0
    while at < len(runs):
        run = runs[at]
        start, end = run
        can_rise = keys[start - 1] == keys[end - 1] if start else open_start
        can_sink = keys[start] == keys[end] if end < size else open_end
        if can_rise or can_sink:
            if partners is None:
                partners = _unchanged_before(other)
            at, changed = _slide(runs, at, keys, partners, changed, lines, indent, open_start, open_end, ctx)
            start, end = runs[at]
        changed += end - start
        at += 1


def _slide(
    runs: list[Run],
    at: int,
    keys: list[Any],
    partners: set[int],
    changed: int,
    lines: list[bytes],
    indent: bool,
    open_start: bool,
    open_end: bool,
    ctx: Context,
) -> tuple[int, int]:
    """Slide one group to its position; returns its new index in `runs` and the number of changed lines before it."""
    size = len(keys)
    start, end = runs[at]
    while True:
        length = end - start
        # As far up as it goes.
        while True:
            if not start:
                if open_start:
                    raise Narrow
                break
            if keys[start - 1] != keys[end - 1]:
                break
            start -= 1
            end -= 1
            if not start & 63:
                ctx.tick()
            while at and runs[at - 1][1] == start:
                at -= 1
                start = runs[at][0]
                changed -= runs[at][1] - start
                del runs[at]
        highest_end = end
        aligned = (start - changed) in partners
        lowest_aligned = end if aligned else -1
        # As far down as it goes.
        while True:
            if end >= size:
                if open_end:
                    raise Narrow
                break
            if keys[start] != keys[end]:
                break
            start += 1
            end += 1
            if not start & 63:
                ctx.tick()
            while at + 1 < len(runs) and runs[at + 1][0] == end:
                end = runs[at + 1][1]
                del runs[at + 1]
            if (start - changed) in partners:
                lowest_aligned = end
        if end - start == length:
            break
    if end == highest_end:
        pass
    elif lowest_aligned >= 0:
        while (start - changed) not in partners:
            start -= 1
            end -= 1
    elif indent:
        from_end = max(highest_end, start - 1, end - _MAX_SLIDING)
        best = _best_end(lines, end, end - start, from_end, open_start, open_end)
        start -= end - best
        end = best
    runs[at] = [start, end]
    return at, changed


def _best_end(lines: list[bytes], lowest: int, length: int, highest: int, open_start: bool, open_end: bool) -> int:
    """The end of the group that reads best; the lower one among equals."""
    best = -1
    best_indent = best_penalty = 0
    for end in range(highest, lowest + 1):
        indent_end, penalty_end = _score(lines, end, open_start, open_end)
        indent_start, penalty_start = _score(lines, end - length, open_start, open_end)
        indent = indent_end + indent_start
        penalty = penalty_end + penalty_start
        if best >= 0:
            worse = 60 * ((indent > best_indent) - (indent < best_indent)) + penalty - best_penalty
            if worse > 0:
                continue
        best, best_indent, best_penalty = end, indent, penalty
    return best


def indent_of(line: bytes) -> int:
    """The width of a line's indentation, tabs to multiples of 8; -1 for a line of white space only."""
    rest = line.lstrip(_BLANKS)
    if not rest:
        return -1
    if len(rest) == len(line):
        return 0
    space = line[: len(line) - len(rest)]
    if b"\t" not in space and b"\r" not in space and b"\n" not in space:
        return min(len(space), _MAX_INDENT)
    if b"\n" in space:
        return -1  # an incomplete last line of white space only, as `lines` keeps it: its mark follows
    width = 0
    for char in space:
        if char == 32:
            width += 1
        elif char == 9:
            width += 8 - width % 8
        if width >= _MAX_INDENT:
            return _MAX_INDENT
    return width


def _score(lines: list[bytes], split: int, open_start: bool, open_end: bool) -> tuple[int, int]:
    """How bad it looks to cut the file before line `split`: (effective indentation, penalty)."""
    size = len(lines)
    at_end = split >= size
    if at_end and open_end:
        raise Narrow
    indent = -1 if at_end else indent_of(lines[split])

    blanks_before = 0
    indent_before = -1
    at = split - 1
    while at >= 0:
        indent_before = indent_of(lines[at])
        if indent_before != -1:
            break
        blanks_before += 1
        if blanks_before == _MAX_BLANKS:
            indent_before = 0
            break
        at -= 1
    if at < 0 and open_start:
        raise Narrow

    blanks_after = 0
    indent_after = -1
    at = split + 1
    while at < size:
        indent_after = indent_of(lines[at])
        if indent_after != -1:
            break
        blanks_after += 1
        if blanks_after == _MAX_BLANKS:
            indent_after = 0
            break
        at += 1
    if at >= size and open_end:
        raise Narrow

    penalty = 0
    if indent_before == -1 and not blanks_before:
        penalty += 1  # at the start of the file
    if at_end:
        penalty += 21
    after = 1 + blanks_after if indent == -1 else 0
    blanks = blanks_before + after
    penalty += -30 * blanks + 6 * after
    effective = indent if indent != -1 else indent_after
    if effective == -1 or indent_before == -1 or effective == indent_before:
        return effective, penalty
    if effective > indent_before:
        return effective, penalty + (10 if blanks else -4)
    if indent_after != -1 and indent_after > effective:
        return effective, penalty + (17 if blanks else 24)  # the end of an inner block, followed by a deeper line
    return effective, penalty + (17 if blanks else 23)

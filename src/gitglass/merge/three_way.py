"""Merges two changes to one text and marks the conflicts, as git does by itself (git-merge-file(1)).

The changes of both sides are walked in the order of the base. Where they touch, the lines of both sides are compared
with each other, so that only lines that really differ are marked as a conflict; conflicts with fewer than four lines
between them are joined.
"""

from __future__ import annotations

import re

from ..diff.lines.compare import match_lines
from ..diff.lines.spec import LineSpec
from ..diff.lines.whitespace import folder
from ..limits import Context, Hold, lines_in
from ..records import record

__all__ = ["MYERS", "ORT", "Merged", "Sides", "merge_texts"]

#: how the ort strategy compares lines
ORT = LineSpec(algorithm="histogram", indent_heuristic=False)
#: how single files are compared (git-merge-file(1)), and what `checkout --merge` merges
MYERS = LineSpec(indent_heuristic=False)
_NEAR = 3
_ALNUM = re.compile(rb"[0-9A-Za-z]").search

Edit = tuple[int, int, int, int]  # base start and count, side start and count


@record
class Merged:
    """The merged text, and its number of conflicts."""

    text: bytes
    conflicts: int

    @property
    def clean(self) -> bool:
        """Whether there is no conflict."""
        return not self.conflicts


@record(frozen=True)
class Sides:
    """How conflicts are marked and settled.

    `labels` are those of our side, theirs and the base, `size` is the length of the markers, `style` git's
    `merge.conflictStyle`: "merge", "diff3", "zdiff3". `favor` ("ours", "theirs", "union") settles conflicts ("": not).
    With `joins_blank`, conflicts are joined if no letter or digit is between them, as in git-merge-file(1).
    """

    labels: tuple[bytes, bytes, bytes]
    size: int = 7
    style: str = "merge"
    favor: str = ""
    joins_blank: bool = False


@record
class _Block:
    """A stretch that one side changed (1, 2), or both in different ways (0)."""

    kind: int
    base: int
    base_count: int
    one: int
    one_count: int
    two: int
    two_count: int


def merge_texts(
    base: bytes, ours: bytes, theirs: bytes, sides: Sides, lines: LineSpec = ORT, *, ctx: Context
) -> Merged:
    """Merge both sides' changes to a text; `lines` says how lines are compared."""
    left, right = _lines(ours), _lines(theirs)
    blocks = _blocks((base, ours, theirs), left, right, lines, ctx)
    if sides.style == "merge":
        parts = [part for block in blocks for part in _refined(block, left, right, lines, ctx)]
        blocks = _joined(parts, left if sides.joins_blank else None)
    elif sides.style == "zdiff3":
        for block in blocks:
            _trim(block, left, right, lines)
    under = _lines(base)
    out: list[bytes] = []
    at, held = 0, Hold(ctx)  # markers may be longer than what is between them
    for block in blocks:
        ctx.tick()
        out += left[at : block.one]
        mine, other = left[block.one :][: block.one_count], right[block.two :][: block.two_count]
        if block.kind == 0 and sides.favor:
            out += _favored(sides.favor, mine, other, _ending(under, left, right, block))
        elif block.kind == 0:
            held.count(8 * sides.size)  # four, here and in the whole
            shared = under[block.base :][: block.base_count] if sides.style != "merge" else None
            out += _marked(mine, other, shared, sides, _ending(under, left, right, block))
        else:
            out += mine if block.kind == 1 else other
        at = block.one + block.one_count
    conflicts = 0 if sides.favor else sum(not block.kind for block in blocks)
    return Merged(b"".join(out + left[at:]), conflicts)


def _lines(text: bytes) -> list[bytes]:
    parts = lines_in(text)
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def _blocks(
    texts: tuple[bytes, bytes, bytes], left: list[bytes], right: list[bytes], lines: LineSpec, ctx: Context
) -> list[_Block]:
    """The changes of both sides to the base, from the sides' lines."""
    base, ours, theirs = texts
    one: list[Edit] = match_lines(base, ours, lines, ctx)
    two: list[Edit] = match_lines(base, theirs, lines, ctx)
    blocks: list[_Block] = []
    i = j = 0
    while i < len(one) and j < len(two):
        ctx.tick()
        a, b = one[i], two[j]
        if a[0] + a[1] < b[0]:
            _add(blocks, _Block(1, a[0], a[1], a[2], a[3], b[2] - b[0] + a[0], a[1]))
            i += 1
        elif b[0] + b[1] < a[0]:
            _add(blocks, _Block(2, b[0], b[1], a[2] - a[0] + b[0], b[1], b[2], b[3]))
            j += 1
        else:
            same = a[:2] == b[:2] and left[a[2] : a[2] + a[3]] == right[b[2] : b[2] + b[3]]
            if not same:
                _add(blocks, _overlap(a, b))
            end_one, end_two = a[0] + a[1], b[0] + b[1]
            i += end_two >= end_one
            j += end_one >= end_two
    for a in one[i:]:
        _add(blocks, _Block(1, a[0], a[1], a[2], a[3], a[0] + _shift(two), a[1]))
    for b in two[j:]:
        _add(blocks, _Block(2, b[0], b[1], b[0] + _shift(one), b[1], b[2], b[3]))
    return blocks


def _shift(script: list[Edit]) -> int:
    """The offset of a side's lines from those of the base after all changes."""
    return script[-1][2] + script[-1][3] - script[-1][0] - script[-1][1] if script else 0


def _overlap(a: Edit, b: Edit) -> _Block:
    """The stretch of both edits, widened on either side to the same lines of the base."""
    start = min(a[0], b[0])
    end = max(a[0] + a[1], b[0] + b[1])
    one, two = a[2] - (a[0] - start), b[2] - (b[0] - start)
    one_end = a[2] + a[3] + end - a[0] - a[1]
    two_end = b[2] + b[3] + end - b[0] - b[1]
    return _Block(0, start, end - start, one, one_end - one, two, two_end - two)


def _add(blocks: list[_Block], new: _Block) -> None:
    """Append a block; one that overlaps the previous block is joined with it."""
    last = blocks[-1] if blocks else None
    if last is None or (new.one > last.one + last.one_count and new.two > last.two + last.two_count):
        blocks.append(new)
        return
    if new.kind != last.kind:
        last.kind = 0
    last.base_count = new.base + new.base_count - last.base
    last.one_count = new.one + new.one_count - last.one
    last.two_count = new.two + new.two_count - last.two


def _refined(block: _Block, left: list[bytes], right: list[bytes], lines: LineSpec, ctx: Context) -> list[_Block]:
    """A conflict cut down to the lines in which the sides differ from each other."""
    if block.kind or not block.one_count or not block.two_count:
        return [block]
    mine = b"".join(left[block.one : block.one + block.one_count])
    other = b"".join(right[block.two : block.two + block.two_count])
    script: list[Edit] = match_lines(mine, other, lines, ctx)
    return [_Block(0, 0, 0, block.one + a, count, block.two + b, size) for a, count, b, size in script]


def _joined(blocks: list[_Block], left: list[bytes] | None) -> list[_Block]:
    """Join conflicts that only a few lines separate or, if our lines are given, lines without letters and digits."""
    out: list[_Block] = []
    for block in blocks:
        last = out[-1] if out else None
        if last is not None and not last.kind and not block.kind and _is_near(last, block, left):
            last.one_count = block.one + block.one_count - last.one
            last.two_count = block.two + block.two_count - last.two
        else:
            out.append(block)
    return out


def _is_near(last: _Block, block: _Block, left: list[bytes] | None) -> bool:
    end = last.one + last.one_count
    return block.one - end <= _NEAR or (left is not None and not any(map(_ALNUM, left[end : block.one])))


def _ending(original: list[bytes], left: list[bytes], right: list[bytes], block: _Block) -> bytes:
    """The line ending of the conflict markers: the one that the lines around them have on both sides, and the base's
    first line.

    Strange but git's: where the base has no line ending to go by, it is a newline whatever the sides have.
    """
    ends = None
    for lines, at in ((left, block.one), (right, block.two), (original, 0)):
        ends = _line_end(lines, max(at - 1, 0))
        if ends == b"\n":
            break
    return ends or b"\n"


def _line_end(lines: list[bytes], at: int) -> bytes | None:
    """The ending of a line, or of the line before if it is the last one and has none; None if neither has one."""
    if lines and not lines[at].endswith(b"\n"):
        at -= 1
    if not lines or at < 0:
        return None
    return b"\r\n" if lines[at].endswith(b"\r\n") else b"\n"


def _trim(block: _Block, left: list[bytes], right: list[bytes], lines: LineSpec) -> None:
    """Take the lines that both sides begin and end with out of a conflict."""
    if block.kind:
        return
    fold = folder(lines)

    def same(one: bytes, two: bytes) -> bool:
        return one == two if fold is None else fold(one.removesuffix(b"\n")) == fold(two.removesuffix(b"\n"))

    while block.one_count and block.two_count and same(left[block.one], right[block.two]):
        block.one, block.one_count = block.one + 1, block.one_count - 1
        block.two, block.two_count = block.two + 1, block.two_count - 1
    while block.one_count and block.two_count:
        if not same(left[block.one + block.one_count - 1], right[block.two + block.two_count - 1]):
            return
        block.one_count -= 1
        block.two_count -= 1


def _favored(favor: str, mine: list[bytes], other: list[bytes], end: bytes) -> list[bytes]:
    if favor == "union":
        return [*_ended(mine, end), *other]
    return mine if favor == "ours" else other


def _ended(lines: list[bytes], end: bytes) -> list[bytes]:
    """Lines, with the missing line ending of the last one added."""
    return [*lines, end] if lines and not lines[-1].endswith(b"\n") else lines


def _marked(mine: list[bytes], other: list[bytes], shared: list[bytes] | None, sides: Sides, end: bytes) -> list[bytes]:
    ours, theirs, ancestor = sides.labels
    size = sides.size
    out = [b"<" * size + b" " + ours + end, *_ended(mine, end)]
    if shared is not None:
        out += [b"|" * size + b" " + ancestor + end, *_ended(shared, end)]
    return [*out, b"=" * size + end, *_ended(other, end), b">" * size + b" " + theirs + end]

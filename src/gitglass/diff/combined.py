"""Combined diffs: one result against several parents at once (git-diff(1), "Combined diff format").

`combined_paths` finds the files of a merge that differ from *every* parent. `weave` applies the parents' diffs to the
lines of the result: each result line records which parents lack it, and which lines were lost in front of it, with the
parents that had those. `Weave.choose` then marks the lines to show; dense output (`--cc`) drops a stretch in which the
merge only took one side, because nothing was decided there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import BadRequest
from ..limits import lines_in
from ..records import replace
from .changes import Change, Contents, Filespec
from .diffcore import diffcore, ranking
from .lines.hunks import shown_changes
from .lines.spec import LineSpec
from .lines.whitespace import folder
from .spec import DiffSpec

if TYPE_CHECKING:
    from ..limits import Context
    from .trees import Trees, diff_trees
else:
    diff_trees = deferred(__name__, ".trees", "diff_trees")


__all__ = ["CombinedPath", "Lost", "Side", "Weave", "combined_paths", "weave"]


class Side:
    """A parent's version of a file: mode 0 if it has none. `status` is the status letter of its own change."""

    __slots__ = ("mode", "oid", "path", "status")

    def __init__(self, mode: int, oid: bytes | None, path: bytes, status: str = "M") -> None:
        self.mode = mode
        self.oid = oid
        self.path = path
        self.status = status

    def spec(self) -> Filespec:
        """The same side as a `Filespec`, the form that two-way diffs use."""
        return Filespec(self.path, self.mode, self.oid)


class CombinedPath:
    """A file that differs from every parent; if it is deleted, `mode` is 0 and `oid` None.

    `in_work_tree`: the result is the work-tree file, without an oid; `in_directory`: a directory is in its place.
    `file_mode` is that file's own mode, which a patch shows even if core.fileMode is off.
    """

    __slots__ = ("file_mode", "in_directory", "in_work_tree", "mode", "oid", "path", "sides")

    def __init__(
        self,
        path: bytes,
        mode: int,
        oid: bytes | None,
        sides: Sequence[Side],
        *,
        file_mode: int = 0,
        in_work_tree: bool = False,
        in_directory: bool = False,
    ) -> None:
        self.path = path
        self.mode = mode
        self.file_mode = file_mode or mode
        self.in_work_tree, self.in_directory = in_work_tree, in_directory
        self.oid = oid
        self.sides = list(sides)


def combined_paths(
    tree: bytes,
    parent_trees: Sequence[bytes],
    contents: Contents,
    spec: DiffSpec,
    *,
    ctx: Context,
    trees: Trees | None = None,
    at_once: bool = True,
    compare: Callable[[bytes, DiffSpec], list[Change]] | None = None,
) -> list[CombinedPath]:
    """The files of `tree` (or deleted in it) that differ from all parents, in order; the spec decides on renames.

    `at_once` is False if the command makes git compare the parents one by one. `compare` makes the comparison with the
    tree of a parent, one after the other, where it is not the usual one.
    """
    if spec.lines.ignore_regex:
        raise BadRequest("combined diff and '--ignore-matching-lines' cannot be used together")
    # Without renames and filters git reads all trees at once, and then does not report changes of type as such.
    pickaxe = spec.pickaxe
    at_once = at_once and compare is None and not spec.renames and spec.break_score is None and spec.keep is None
    at_once = at_once and (pickaxe is None or pickaxe.kind == "object")
    single = replace(spec, order=None)  # files are ordered after all parents are compared
    if at_once:  # then the object is searched for in the result and all parents together
        single = replace(single, rotate_to=None, skip_to=None, pickaxe=None, reverse=False)
    by_path: dict[bytes, list[Change]] = {}
    for number, parent in enumerate(parent_trees):
        if compare is not None:
            changes = compare(parent, single)
        else:
            changes = diff_trees(parent, tree, contents.odb, single, ctx=ctx, trees=trees)
            changes = diffcore(changes, contents, single, ctx=ctx)
        if not number:
            by_path = {change.new.path: [change] for change in changes}
            continue
        if single.rotate_to is not None:
            changes = _side_by_side(list(by_path), changes)
        for change in changes:
            changes_of_path = by_path.get(change.new.path)
            if changes_of_path is not None and len(changes_of_path) == number:
                changes_of_path.append(change)
        by_path = {path: changes_of_path for path, changes_of_path in by_path.items() if len(changes_of_path) > number}
    if at_once and pickaxe is not None:
        objects = pickaxe.objects
        by_path = {
            path: changes_of_path
            for path, changes_of_path in by_path.items()
            if changes_of_path[0].new.oid in objects or any(change.old.oid in objects for change in changes_of_path)
        }
    paths = list(by_path) if spec.rotate_to is not None and not at_once else sorted(by_path)
    if spec.order is not None and paths:
        paths.sort(key=ranking(spec.order()))
    out = []
    for path in paths:
        changes_of_path = by_path[path]
        new = changes_of_path[0].new
        status = [each.status if each.status != "T" or not at_once else "M" for each in changes_of_path]
        sides = [
            Side(each.old.mode, each.old.oid, each.old.path, letter)
            for each, letter in zip(changes_of_path, status, strict=True)
        ]
        out.append(CombinedPath(path, new.mode, new.oid, sides))
    return out


def _side_by_side(paths: list[bytes], changes: list[Change]) -> list[Change]:
    """The changes of files that are among the paths too.

    git assumes that both lists are sorted. Rotated lists are not: an entry that comes too late in one of them is
    missed.
    """
    common = []
    at = 0
    for path in paths:
        while at < len(changes) and changes[at].new.path < path:
            at += 1
        if at < len(changes) and changes[at].new.path == path:
            common.append(changes[at])
            at += 1
    return common


class Lost:
    """A line that some parents have and the result does not; bit n of `parents` is parent n."""

    __slots__ = ("key", "line", "parents")

    def __init__(self, line: bytes, key: bytes, parents: int) -> None:
        self.line = line
        self.key = key
        self.parents = parents


class Weave:
    """The result's lines, each with its differences from the parents.

    Position i stands for line i of the result and for the lines lost in front of it; the position after the last line
    only has lost lines. `new[i]`: bit n is set if parent n lacks the line. `numbers[n][i]`: the line of parent n (from
    1) with which a hunk starting at i would begin. `shown` and `bare` are filled by `choose`: positions to show, and
    positions whose lost lines are not shown, because the position is only context in front of a hunk.
    """

    __slots__ = ("all", "bare", "lines", "lost", "new", "numbers", "shown")

    def __init__(self, lines: list[bytes], parents: int) -> None:
        count = len(lines)
        self.lines = lines
        self.new = [0] * (count + 1)
        self.lost: list[list[Lost]] = [[] for _ in range(count + 1)]
        self.numbers: list[list[int]] = []
        self.all = (1 << parents) - 1
        self.shown = bytearray(count + 2)
        self.bare = bytearray(count + 2)

    # ---------------------------------------------------------------- applying the parents' diffs
    def add(
        self,
        parent: int,
        lines: list[bytes],
        script: Sequence[tuple[int, int, int, int]],
        fold: Callable[[bytes], bytes] | None,
        ctx: Context,
    ) -> None:
        """Apply one parent's change script (0-based: old start and count, new start and count) to the result."""
        mask = 1 << parent
        for old, lost_count, new, new_count in script:
            ctx.tick()
            if lost_count:
                lost = [Lost(line, fold(line) if fold else line, mask) for line in lines[old : old + lost_count]]
                self.lost[new] = _merged(self.lost[new], lost, mask, ctx) if self.lost[new] else lost
            for at in range(new, new + new_count):
                self.new[at] |= mask
        self.numbers.append(self._numbered(mask))

    def add_again(self, parent: int, like: int) -> None:
        """Apply a parent that has the same content as an earlier one."""
        mask, other = 1 << parent, 1 << like
        for at, bits in enumerate(self.new):
            if bits & other:
                self.new[at] |= mask
            for lost in self.lost[at]:
                if lost.parents & other:
                    lost.parents |= mask
        self.numbers.append(self.numbers[like])

    def _numbered(self, mask: int) -> list[int]:
        numbers, number, last = [], 1, len(self.lines)
        for at, bits in enumerate(self.new):
            numbers.append(number)
            for lost in self.lost[at]:
                if lost.parents & mask:
                    number += 1
            if at < last and not bits & mask:
                number += 1
        numbers.append(number)
        return numbers

    # ---------------------------------------------------------------- choosing the lines to show
    def choose(self, context: int, dense: bool) -> bool:
        """Mark the positions to show. Returns whether there are any."""
        shown = self.shown
        for at, bits in enumerate(self.new):
            shown[at] = 1 if bits or self.lost[at] else 0
        if dense:
            self._drop_undecided(context)
        return self._add_context(context)

    def _tail(self, begin: int, end: int) -> int:
        """The end of a hunk for counting context: a last position that only has lost lines is context itself."""
        return end - 1 if begin + 1 <= end and not self.new[end - 1] else end

    def _next(self, at: int, value: int) -> int:
        """The next position from `at` that is shown (1) or not (0); one after the last if there is none."""
        at_value = self.shown.find(value, at, len(self.new))
        return len(self.new) if at_value < 0 else at_value

    def _drop_undecided(self, context: int) -> None:
        size = len(self.new)
        at = self._next(0, 1)
        while at < size:
            begin, end = at, at + 1
            while end < size:
                if not self.shown[end]:
                    reach = min(self._tail(begin, end) + context, size)
                    last = self.shown.rfind(1, end, reach)
                    if last < 0:
                        break
                    end = last
                end += 1
            if not self._decided(begin, end):
                self.shown[begin:end] = bytes(end - begin)
            at = self._next(end, 1)

    def _decided(self, begin: int, end: int) -> bool:
        """Whether a stretch has lines that differ from different parents, or from all."""
        same = 0
        for at in range(begin, end):
            for bits in (self.new[at], *(lost.parents for lost in self.lost[at])):
                if bits:
                    if same and bits != same:
                        return True
                    same = bits
        return same == self.all

    def _add_context(self, context: int) -> bool:
        shown, size = self.shown, len(self.new)
        at = self._next(0, 1)
        if at >= size:
            return False
        while at < size:
            for before in range(max(at - context, 0), at):
                if not shown[before]:
                    self.bare[before] = 1
                shown[before] = 1
            while True:
                end = self._next(at, 0)
                if end >= size:
                    return True
                following = self._next(end, 1)
                end = self._tail(at, end)
                if following >= end + context:
                    break
                shown[end:following] = b"\1" * (following - end)  # a gap this small makes them one hunk
                at = following
                if at >= size:
                    return True
            stop = min(end + context, size)
            shown[end:stop] = b"\1" * max(stop - end, 0)
            at = following
        return True


def _lines(data: bytes) -> list[bytes]:
    """Lines without their line endings; combined diffs do not mention a missing one at the end of the file."""
    lines = lines_in(data)
    if not lines[-1]:
        lines.pop()
    return lines


def _merged(base: list[Lost], more: list[Lost], mask: int, ctx: Context) -> list[Lost]:
    """Merge two lists of lost lines; lines of their longest common subsequence are listed once."""
    rows, columns = len(base), len(more)
    length = [[0] * (columns + 1)]
    steps = [bytearray(columns + 1)]  # the step into each cell: 0 from more, 1 from base, 2 both
    for row in range(1, rows + 1):
        ctx.tick()
        key, above = base[row - 1].key, length[-1]
        line, directions = [0] * (columns + 1), bytearray(columns + 1)
        directions[0] = 1
        for column in range(1, columns + 1):
            if key == more[column - 1].key:
                line[column], directions[column] = above[column - 1] + 1, 2
            elif line[column - 1] >= above[column]:
                line[column] = line[column - 1]
            else:
                line[column], directions[column] = above[column], 1
        length.append(line)
        steps.append(directions)
    out: list[Lost] = []
    row, column = rows, columns
    while row or column:
        step = steps[row][column]
        if step == 0:
            column -= 1
            out.append(more[column])
            continue
        row -= 1
        if step == 2:
            column -= 1
            base[row].parents |= mask
        out.append(base[row])
    out.reverse()
    return out


def weave(result: bytes, parents: Sequence[bytes], spec: LineSpec, *, ctx: Context) -> Weave:
    """Apply the diffs of all parents to the result."""
    woven = Weave(_lines(result), len(parents))
    close = replace(spec, context=0, inter_hunk=0, function_context=False, ignore_regex=())  # git leaves -I aside here
    # If an option ignores any white space, lost lines of several parents are compared without the white space at their
    # ends as well.
    fold = folder(replace(spec, ignore_space_at_eol=True) if spec.folds_space else spec)
    for number, parent in enumerate(parents):
        like = next((earlier for earlier in range(number) if parents[earlier] == parent), None)
        if like is not None:
            woven.add_again(number, like)
        else:
            woven.add(number, _lines(parent), shown_changes(parent, result, close, ctx=ctx), fold, ctx)
    return woven

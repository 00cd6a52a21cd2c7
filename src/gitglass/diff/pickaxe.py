"""`-S`, `-G` and `--find-object`: keep the changes that touch a text or an object.

-S compares how often a string occurs on both sides. A version of a file is the new side of one commit and the old side
of the next, so counts are cached by oid during a walk.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..annotations import TYPE_CHECKING
from ..errors import BadRequest, MissingObject
from ..limits import paced
from ..regex.matcher import BadPattern, Matcher, compile_pattern
from .changes import TREE, Change, Contents, Filespec
from .lines.compare import changed_lines
from .lines.whitespace import bare
from .spec import DiffSpec, Pickaxe

if TYPE_CHECKING:
    from ..limits import Context
    from .trees import Row

_COUNTED = frozenset({0, 0o100644, 0o100755, 0o120000})  # modes of sides whose occurrences are those in the blob

__all__ = ["Axe"]


class Axe:
    """A pickaxe and its cache; make one for a whole walk."""

    __slots__ = ("_counts", "_matcher", "ctx", "pickaxe")

    def __init__(self, pickaxe: Pickaxe, *, ctx: Context) -> None:
        self.pickaxe = pickaxe
        self.ctx = ctx
        self._counts: dict[bytes, int] = {}
        self._matcher: Matcher | None = None
        if pickaxe.kind == "G" or (pickaxe.kind == "S" and pickaxe.regex):
            try:
                self._matcher = compile_pattern(
                    pickaxe.needle, "extended", ignore_case=pickaxe.ignore_case, newline=True, library=True, ctx=ctx
                )
            except BadPattern as error:
                raise BadRequest(f"invalid regex: {error.reason}") from None
        elif pickaxe.kind == "S" and pickaxe.ignore_case:
            self._matcher = _folded(pickaxe.needle, ctx)

    def keep(self, changes: list[Change], contents: Contents, spec: DiffSpec) -> list[Change]:
        """The changes that match; with --pickaxe-all all of them if any matches."""
        if self.pickaxe.all:
            return changes if any(self._hit(change, contents, spec) for change in changes) else []
        return [change for change in changes if self._hit(change, contents, spec)]

    def gained(self, changes: list[Change], contents: Contents) -> int:
        """How many more occurrences of the string (-S) the new sides of the changes have than the old ones."""
        return sum(self._count(change.new, contents) - self._count(change.old, contents) for change in changes)

    def sieve(self, contents: Contents) -> Callable[[list[Row]], list[Row]]:
        """What leaves the rows that -S may keep: all but those whose two blobs have the string equally often. Most of
        a history is left out so, before a change is made of it. What cannot be counted here stays, for `keep` to judge.
        """
        counts, read, count_in, tick = self._counts, contents.odb.content_reader(), self._count_in, self.ctx.tick

        def count(oid: bytes | None) -> int:
            if oid is None:
                return 0
            number = counts.get(oid)
            if number is None:
                tick()
                number = counts[oid] = count_in(read(oid))
            return number

        def sift(rows: list[Row]) -> list[Row]:
            left = []
            for row in paced(rows):
                _, old_mode, old, new_mode, new = row
                if old_mode in _COUNTED and new_mode in _COUNTED:
                    try:
                        if old == new or count(old) == count(new):
                            continue
                    except MissingObject:
                        pass
                left.append(row)
            return left

        return sift

    def _hit(self, change: Change, contents: Contents, spec: DiffSpec) -> bool:
        old, new = change.old, change.new
        if not old.mode and not new.mode:
            return False
        self.ctx.tick()
        if self.pickaxe.kind == "object":
            wanted = self.pickaxe.objects
            return bool((old.mode and old.oid in wanted) or (new.mode and new.oid in wanted))
        if old.oid is not None and old.oid == new.oid and old.dirty == new.dirty:
            return False
        if any(side.mode == TREE for side in (old, new)):  # -t lists trees; strange but git's: it then fails
            raise BadRequest("unable to read files to diff")
        if self.pickaxe.kind == "S":
            return self._count(old, contents) != self._count(new, contents)
        if not spec.patch.text and (contents.is_binary(old) or contents.is_binary(new)):
            return False
        return self._greps(contents.read(old), contents.read(new), bool(old.mode), bool(new.mode))

    # ---------------------------------------------------------------- -S
    def _count(self, side: Filespec, contents: Contents) -> int:
        if not side.mode:
            return 0
        oid = side.oid
        count = None if oid is None else self._counts.get(oid)
        if count is None:
            count = self._count_in(contents.read(side))
            if oid is not None:
                self._counts[oid] = count
        return count

    def _count_in(self, data: bytes) -> int:
        if self._matcher is None:
            return data.count(self.pickaxe.needle)
        return count_matches(self._matcher, data, self.ctx)

    # ---------------------------------------------------------------- -G
    def _greps(self, old: bytes, new: bytes, has_old: bool, has_new: bool) -> bool:
        matcher = self._matcher
        assert matcher is not None
        if not has_old or not has_new:
            return _in_lines(matcher, old or new)
        literal = matcher.literal
        if literal and not self.pickaxe.ignore_case and literal not in old and literal not in new:
            return False
        removed, added = changed_lines(old, new, ctx=self.ctx)
        # the marker of an incomplete line is not part of the text
        return any(matcher.search(bare(line) + b"\n") for lines in (removed, added) for line in paced(lines))


def _in_lines(matcher: Matcher, data: bytes) -> bool:
    """Whether a pattern matches in any line of `data`. As in git each is searched with its newline, an incomplete one
    too: `$` matches on both sides of that, and a class of white space contains it."""
    if not data:
        return False
    whole = data if data.endswith(b"\n") else data + b"\n"
    if not matcher.crosses:
        return matcher.search(whole) is not None
    return any(matcher.search(line + b"\n") for line in paced(whole[:-1].split(b"\n")))


def _folded(needle: bytes, ctx: Context) -> Matcher:
    """A matcher of plain text that ignores case: of ASCII letters only, or by the C library if the text has others."""
    if needle.isascii():
        return compile_pattern(needle, "fixed", ignore_case=True, octets=True, ctx=ctx)
    quoted = re.sub(rb"[.*\\[^$]", rb"\\\g<0>", needle)
    return compile_pattern(quoted, "basic", ignore_case=True, newline=True, library=True, ctx=ctx)


def count_matches(matcher: Matcher, data: bytes, ctx: Context) -> int:
    """How often a pattern matches, without overlaps; after an empty match the search moves on by a byte."""
    count, at, end = 0, 0, len(data)
    while at < end:
        ctx.tick()
        span = matcher.search(data, at)
        if span is None:
            break
        start, at = span
        if at < end and start == at:
            at += 1
        count += 1
        if start == end:
            break
    return count

"""What was staged, applied as a patch to the index that is there now (`git stash pop --index`).

git makes a patch of it (`diff-tree --binary`: no renames) and applies that with `git apply --cached`. A hunk has to be
found with all of its lines of context, at its place or at the nearest other one (git-apply(1), "-C<n>"); whatever else
than lines of text changed has to be as it was.
"""

from __future__ import annotations

import re

from ...diff.lines.occurrences import occurrences
from ...errors import text
from ...limits import lines_weight, need, paced, step, watched
from ...objects.parsed import GITLINK
from ...paths.lexical import directories_above
from ...records import record
from ..checkout.two_way import tree_differences
from ..operations.common import ask
from ..view import View
from .rows import Side

_TYPE = 0o170000
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_START = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@record
class Hunk:
    """One hunk of a patch: its lines before and after, each with its newline, if it has one; where it begins in the old
    file and in the new one, counted from 1 (0: before the first line); whether it ends with lines of context."""

    old_start: int
    new_start: int
    before: list[bytes]
    after: list[bytes]
    goes_on: bool = False


def patched(
    view: View, index: dict[bytes, Side], base: bytes, staged: bytes
) -> tuple[dict[bytes, Side] | None, list[str]]:
    """(the index with the changes from the tree `base` to `staged`; None where one does not apply; git's errors and
    warnings, a line each)."""
    rows, lines = dict(index), list[str]()
    for path, (old, new) in sorted(tree_differences(view, base, staged).items()):
        words, have = list[str](), index.get(path)
        if old is None and new is not None:
            if have is not None:
                words.append(f"{text(path)}: already exists in index")
            rows[path] = new
        elif old is not None and (have is None or have[0] & _TYPE != old[0] & _TYPE):
            words.append(f"{text(path)}: " + ("does not exist in index" if have is None else "wrong type"))
        elif old is not None and have is not None:
            if have[0] != old[0]:
                lines.append(f"warning: {text(path)} has type {have[0]:o}, expected {old[0]:o}")
            if new is None:
                if have[1] != old[1]:
                    words += _unlike(view, path, old, _hunks(view, path, base, staged))
                del rows[path]
            elif old[1] == new[1] or have[1] == old[1]:  # the mode alone, or a file that is as it was
                rows[path] = (have[0] if new[0] == old[0] else new[0]), have[1] if old[1] == new[1] else new[1]
            else:
                hunks = _hunks(view, path, base, staged)
                parts = applied(_lines(view.odb.blob(have[1])), hunks) if old[0] != GITLINK and hunks else 0
                if isinstance(parts, int):
                    words += _unlike(view, path, old, hunks[parts:])
                else:
                    rows[path] = (have[0] if new[0] == old[0] else new[0]), view.new.add(b"blob", b"".join(parts))
        lines += [f"error: {one}" for one in words]
    fits = not any(line.startswith("error: ") for line in lines)
    if fits and (clash := [path for path in paced(rows) for at in directories_above(path) if at in rows]):
        return None, [*lines, *(f"error: {text(path)}: does not fit" for path in clash)]
    return rows if fits else None, lines


def _hunks(view: View, path: bytes, base: bytes, staged: bytes) -> list[Hunk]:
    words = [base.hex(), staged.hex(), "--", ":(top,literal)" + text(path)]
    return hunks_of(ask(view, ["diff-tree", "-p", "--no-renames", *words]))


def _unlike(view: View, path: bytes, old: Side, hunks: list[Hunk]) -> list[str]:
    """git's words for a file that is not as it has to be: by the first of the `hunks` that is not found."""
    name = text(path)
    if not hunks:
        why = "removal patch leaves file contents"
        if old[1] != view.store.empty_blob:
            why = f"the patch applies to '{name}' ({old[1].hex()}),\nwhich does not match the current contents."
        return [why, f"{name}: patch does not apply"]
    return [f"patch failed: {name}:{hunks[0].old_start}", f"{name}: patch does not apply"]


def hunks_of(patch: bytes) -> list[Hunk]:
    """The hunks of one file's patch; none where the file is binary."""
    hunks, last = list[Hunk](), list[list[bytes]]()  # `last` is what the line before went to
    for line in paced(_lines(patch)):
        if start := _START.match(line):
            hunks.append(Hunk(int(start[1]), int(start[2]), [], []))
        elif hunks:
            kind, hunk = line[:1], hunks[-1]
            if kind == b"\\":  # the line before has no newline
                for side in last:
                    side[-1] = side[-1].removesuffix(b"\n")
                continue
            last = [hunk.before] * (kind != b"+") + [hunk.after] * (kind != b"-")
            for side in last:
                side.append(line[1:])
            hunk.goes_on = kind == b" "
    return hunks


def applied(lines: list[bytes], hunks: list[Hunk]) -> list[bytes] | int:
    """The lines of a file once hunks have been applied, in turn; where one is not found, with all of its context, the
    number of that one. A hunk that begins with the first line is there only, one without context behind it at the end
    only. No line belongs to two hunks."""
    lines = list(lines)
    free: list[bytes | None] = [*lines]  # those of no hunk yet
    for number, hunk in enumerate(hunks):
        step()
        at = _position(free, hunk)
        if at is None:
            return number
        lines[at : at + len(hunk.before)] = hunk.after
        free[at : at + len(hunk.before)] = [None] * len(hunk.after)
    return lines


def _position(free: list[bytes | None], hunk: Hunk) -> int | None:
    """Where a hunk belongs."""
    size, last = len(hunk.before), len(free) - len(hunk.before)
    if last < 0 or (hunk.old_start <= 1 and not hunk.goes_on and last):
        return None
    wanted = 0 if hunk.old_start <= 1 else min(max(hunk.new_start - 1, 0), len(free)) if hunk.goes_on else last
    if free[wanted : wanted + size] == hunk.before:
        return wanted
    if hunk.old_start <= 1 or not hunk.goes_on:
        return None
    return min(occurrences(free, hunk.before), key=lambda at: (abs(at - wanted), at < wanted), default=None)


def _lines(data: bytes) -> list[bytes]:
    """The lines of a text, each with its newline, if it has one."""
    need(lines_weight(data))
    return [match[0] for match in watched(_LINE.finditer(data))]

"""The output of `git log -L` for a commit: the followed lines of each file, with the commit's changes to them."""

from __future__ import annotations

from collections.abc import Iterator

from ...annotations import TYPE_CHECKING
from ...diff.changes import Contents
from ...diff.lines.ranges import Lines
from ...diff.spec import DiffSpec
from ...history.line_log import LineFile, LineHit
from ...limits import LARGE, pause

if TYPE_CHECKING:
    from ..style import Style

__all__ = ["write_line_log"]

_NO_EOL = b"\\ No newline at end of file\n"


def write_line_log(hit: LineHit, contents: Contents, spec: DiffSpec, style: Style) -> Iterator[bytes]:
    """The blank line after the message, and the patches. Paths are not quoted, as git does not quote them here
    either."""
    yield spec.patch.line_prefix + b"\n"
    for file in hit.files:
        if file.new is not None:
            yield _file(file, contents, spec, style)


def _file(file: LineFile, contents: Contents, spec: DiffSpec, style: Style) -> bytes:
    color = style.color("diff", spec.color)
    prefix, meta, reset = spec.patch.line_prefix, color.diff_meta, color.reset
    assert file.old is not None and file.new is not None
    old, new = file.old, file.new
    before, after = Lines(contents.read(old)), Lines(contents.read(new))
    out = [b"%s%sdiff --git a/%s b/%s%s\n" % (prefix, meta, old.path, new.path, reset)]
    label = b"a/" + old.path if old.mode else b"/dev/null"
    out.append(b"%s%s--- %s%s\n" % (prefix, meta, label, reset))
    out.append(b"%s%s+++ b/%s%s\n" % (prefix, meta, new.path, reset))

    def put(sign: bytes, paint: bytes, lines: Lines, number: int) -> None:
        line = lines.line(number) if number < lines.count else b""
        whole, large = line.endswith(b"\n"), len(line) >= LARGE
        if large:  # each of its copies takes long
            pause()
        out.append(b"%s%s%s%s%s\n" % (prefix, paint, sign, line.removesuffix(b"\n"), reset))
        if large:
            pause()
        if not whole:
            out.append(_NO_EOL)

    deleted, added = file.gone, file.come
    at = 0
    for start, end in file.ranges:
        # A change that reaches into two ranges is shown in the first only (git 2.39; newer ones show it twice).
        while at < len(added) and added[at][1] < start:
            at += 1
        if at == len(added) or added[at][0] > end:
            continue
        last = at
        while last < len(added) and added[last][0] < end:
            last += 1
        last = max(last - 1, at)
        old_start = deleted[at][0] - max(added[at][0] - start, 0)
        old_end = deleted[last][1] + max(end - added[last][1], 0)
        if not old_start and not old_end:
            old_start = old_end = -1
        numbers = (old_start + 1, old_end - old_start, start + 1, end - start)
        out.append(b"%s%s@@ -%d,%d +%d,%d @@%s\n" % (prefix, color.diff_frag, *numbers, reset))
        now = start
        while at < len(added) and added[at][0] < end:
            while now < added[at][0]:
                put(b" ", color.diff_context, after, now)
                now += 1
            for number in range(*deleted[at]):
                put(b"-", color.diff_old, before, number)
            while now < added[at][1] and now < end:
                put(b"+", color.diff_new, after, now)
                now += 1
            at += 1
        while now < end:
            put(b" ", color.diff_context, after, now)
            now += 1
    return b"".join(out)

"""`--check`: white space errors and conflict markers in added lines, instead of a patch."""

from __future__ import annotations

from collections.abc import Iterator

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...diff.changes import Change, Contents
from ...diff.lines.spec import LineSpec
from ...diff.lines.whitespace import BLANK_AT_EOF, bare, complaint, paint, rule_for, trailing_blank_lines
from ...diff.spec import CHECK_FAILED, DiffSpec
from ...limits import paced
from .raw import shown_path

if TYPE_CHECKING:
    from ...diff.lines.hunks import diff_lines
    from ...limits import Context
    from ..style import Style
else:
    diff_lines = deferred(__name__, "...diff.lines.hunks", "diff_lines")


_PLAIN = LineSpec(context=1, indent_heuristic=False)
_MARKER = 7
_SPACE = b" \t\n\r"


def check_whitespace(
    change: Change, contents: Contents, spec: DiffSpec, style: Style, *, ctx: Context
) -> Iterator[bytes]:
    """The reports on one change. Sets bit 2 of `ctx.exit_status` if there are any.

    Mirrors git-diff(1), `--check`: only added lines are checked, whatever the white space options.
    """
    old, new = change.old, change.new
    if change.unmerged or change.status == "U" or contents.is_binary(new):
        return
    name = shown_path(new.path, spec)
    before, after = contents.read(old), contents.read(new)
    if before == after:
        return
    rule = rule_for(contents.whitespace(new.path), spec.patch.whitespace)
    marker = _marker_size(contents, new.path)
    color = style.color("diff", spec.color)
    prefix = spec.patch.line_prefix
    for hunk in diff_lines(before, after, _PLAIN, ctx=ctx):
        number = hunk.new_start
        for kind, lines in hunk.parts:
            if kind == b"-":
                continue
            for kept in paced(lines):
                number += 1
                if kind == b" ":
                    continue
                line = bare(kept)
                if _is_marker(kept, marker):
                    ctx.exit_status |= CHECK_FAILED
                    yield b"%s%s:%d: leftover conflict marker\n" % (prefix, name, number)
                broken, painted = paint(line, rule, color.diff_new, color.reset, color.diff_whitespace)
                if broken:
                    ctx.exit_status |= CHECK_FAILED
                    yield b"%s%s:%d: %s.\n" % (prefix, name, number, complaint(broken))
                    yield b"%s%s+%s%s\n" % (prefix, color.diff_new, color.reset, painted)
    if rule.bits & BLANK_AT_EOF:
        blank = trailing_blank_lines(after)
        if blank > trailing_blank_lines(before):
            ctx.exit_status |= CHECK_FAILED
            first = after.count(b"\n") + (not after.endswith(b"\n")) - blank + 1
            yield b"%s:%d: new blank line at EOF.\n" % (name, first)


def _marker_size(contents: Contents, path: bytes) -> int:
    value = contents._attribute(path, b"conflict-marker-size")
    if isinstance(value, bytes) and value.isdigit() and int(value[:9]) > 0:
        return int(value[:9])
    return _MARKER


def _is_marker(kept: bytes, size: int) -> bool:
    """Whether a line is a marker of `size` equal signs, angle brackets or bars, followed by white space."""
    if kept[:1] not in (b"=", b">", b"<", b"|") or kept[:size] != kept[:1] * size:
        return False
    rest = kept[size : size + 1]
    return (not rest and b"\n" not in kept) or (rest != b"\n" and rest != b"" and rest in _SPACE)

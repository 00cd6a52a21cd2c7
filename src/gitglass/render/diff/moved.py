"""`--color-moved`: lines deleted in one place and added in another get colours of their own.

Added and deleted lines of the whole diff are held back. A run of lines that is, in the same order, a run of lines of
the other sign elsewhere is a moved block; blocks with fewer than 20 letters and digits do not count (nor with
`plain`, where every moved line does). Neighbouring blocks alternate in colour (`zebra`), and `dimmed-zebra` dims
all but their borders. Mirrors git-diff(1), `--color-moved` and `--color-moved-ws`.
"""

from __future__ import annotations

from ...annotations import TYPE_CHECKING, Any
from ...deferred import lazy_pattern
from ...diff.lines.spec import LineSpec, PatchSpec
from ...diff.lines.whitespace import bare, folder
from ...limits import joined, need, paced, watched
from ..color import Palette

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["Held", "paint_moved"]

_ENOUGH = 20
_MOVED_BYTES = 350  # memory of a line besides its text while it is searched for elsewhere: slots in the lists, key
_BLANK = -(1 << 31)  # the indentation of a blank line
_SPACE = b" \t\n\r"
_TABS = lazy_pattern(rb" *+\t")
_NOT_ALNUM = bytes(c for c in range(256) if not (chr(c).isalnum() and c < 128))


class Held:
    """A deleted or added line whose colour is decided when the whole diff is known."""

    __slots__ = (
        "alternate",
        "at_end",
        "dim",
        "dresser",
        "following",
        "indent",
        "key",
        "kind",
        "line",
        "moved",
        "prefix",
    )

    def __init__(self, dresser: Any, kind: bytes, line: bytes, at_end: bool) -> None:
        self.dresser = dresser
        self.kind = kind
        self.line = line
        self.at_end = at_end
        self.prefix = b""
        self.key: bytes = line
        self.indent = 0
        self.following: Held | None = None  # the next line of the same sign, if it comes right after
        self.moved = self.alternate = self.dim = False

    @property
    def state(self) -> tuple[bool, bool]:
        """Mark the line as moved, in one of the two colours."""
        return self.moved, self.alternate


def paint_moved(pieces: list[bytes | Held], patch: PatchSpec, color: Palette, ctx: Context) -> bytes:
    """The text of a whole diff, in which moved lines are marked."""
    need(len(pieces) * _MOVED_BYTES)
    rows: list[Held | None] = [piece if isinstance(piece, Held) else None for piece in pieces]
    indents = "allow-indentation-change" in patch.color_moved_ws
    partners = _partners(rows, patch, indents)
    _Marker(rows, partners, patch.color_moved, indents, ctx).mark()
    if patch.color_moved in ("dimmed-zebra", "dimmed_zebra"):
        _dim(rows)
    out = []
    for piece in paced(pieces):
        if isinstance(piece, bytes):
            out.append(piece)
        else:
            line = piece.dresser.line(piece.kind, piece.line, _color(piece, color), piece.at_end)
            if piece.prefix:  # also before the marker of a missing newline
                line = piece.prefix + line[:-1].replace(b"\n", b"\n" + piece.prefix) + line[-1:]
            out.append(line)
    return joined(out)


def _color(row: Held, color: Palette) -> bytes:
    name = "diff_new" if row.kind == b"+" else "diff_old"
    if row.moved:
        name += "_moved" + ("_alternative" if row.alternate else "") + ("_dimmed" if row.dim else "")
    value: bytes = getattr(color, name)
    return value


_Partners = dict[tuple[bytes, bytes], list[Held]]


def _partners(rows: list[Held | None], patch: PatchSpec, indents: bool) -> _Partners:
    """All lines by sign and key, the last one first; keys and neighbours are filled in."""
    modes = patch.color_moved_ws
    fold = folder(
        LineSpec(
            ignore_all_space="ignore-all-space" in modes,
            ignore_space_change="ignore-space-change" in modes,
            ignore_space_at_eol="ignore-space-at-eol" in modes,
        )
    )
    partners: _Partners = {}
    previous: Held | None = None
    for row in paced(rows):
        if row is not None:
            line = bare(row.line)
            if indents:
                row.indent, line = _indentation(line, row.dresser.rule.tab)
            row.key = line if fold is None else fold(line)
            if previous is not None and previous.kind == row.kind:
                previous.following = row
            partners.setdefault((row.kind, row.key), []).append(row)
        previous = row
    for held in paced(partners.values()):
        held.reverse()
    return partners


def _indentation(line: bytes, tab: int) -> tuple[int, bytes]:
    """The width of a line's indentation, and the rest of the line."""
    if not line.strip(_SPACE + b"\v\f"):
        return _BLANK, b""
    text = line.lstrip(b"\f\v\r")
    rest = text.lstrip(b" \t")
    blanks = text[: len(text) - len(rest)]
    end = blanks.rfind(b"\t") + 1
    if b" " not in blanks[:end]:
        width = end * tab
    else:
        width = sum((len(spaced[0]) - 1) // tab * tab + tab for spaced in watched(_TABS.finditer(blanks, 0, end)))
    return width + len(blanks) - end, rest


class _Marker:
    """Follows all blocks of which the current lines may be a moved copy."""

    __slots__ = ("blocks", "ctx", "indents", "mode", "partners", "rows")

    def __init__(self, rows: list[Held | None], partners: _Partners, mode: str, indents: bool, ctx: Context) -> None:
        self.rows = rows
        self.partners = partners
        self.mode = mode
        self.indents = indents
        self.ctx = ctx
        self.blocks: list[tuple[Held, int]] = []  # the current line of each candidate, and its change of indentation

    def mark(self) -> None:
        """Mark the moved lines."""
        flipped = False
        length = 0
        sign = b""
        at = -1
        size = len(self.rows)
        while at + 1 < size:
            at += 1
            self.ctx.tick()
            row = self.rows[at]
            matches: list[Held] | None = None
            if row is None:
                flipped = False
            else:
                matches = self.partners.get((b"-" if row.kind == b"+" else b"+", row.key))
            if self.blocks and (row is None or not matches or row.kind != sign):
                if not self._settle(at, length) and length > 1:
                    matches = None
                    at -= length  # another move may begin at the block's second line
                self.blocks = []
                length = 0
                flipped = False
            if row is None or not matches:
                sign = b""
                continue
            if self.mode == "plain":
                row.moved = True
                continue
            self._advance(row)
            if not self.blocks:
                kept = self._settle(at, length)
                if not kept and length > 1:
                    at -= length
                else:
                    self.blocks = [(match, self._shift(row, match)) for match in paced(matches)]
                flipped = bool(kept and self.blocks and sign == row.kind) and not flipped
                sign = row.kind if self.blocks else b""
                length = 0
            if self.blocks:
                length += 1
                row.moved = True
                if flipped and self.mode != "blocks":
                    row.alternate = True
        self._settle(size, length)

    def _shift(self, row: Held, match: Held) -> int:
        if not self.indents:
            return 0
        if row.indent == _BLANK and match.indent == _BLANK:
            return _BLANK
        return row.indent - match.indent

    def _advance(self, row: Held) -> None:
        """Keep the candidates whose next line equals this one as well."""
        kept = []
        for reached, shift in paced(self.blocks):
            line = reached.following
            if line is None or line.key != row.key:
                continue
            if self.indents and line.indent != _BLANK:
                step = row.indent - line.indent
                if shift == _BLANK:
                    shift = step
                if shift != step:
                    continue
            kept.append((line, shift))
        self.blocks = kept

    def _settle(self, end: int, length: int) -> bool:
        """End a block of `length` lines before row `end`: it stays marked only if it is long enough."""
        if self.mode == "plain":
            return length > 0
        count = 0
        block = self.rows[end - length : end]
        for row in paced(block[::-1]):
            if row is not None:
                count += len(bare(row.line).translate(None, _NOT_ALNUM))
                if count >= _ENOUGH:
                    return True
        for row in paced(block):
            if row is not None:
                row.moved = row.alternate = False
        return False


def _dim(rows: list[Held | None]) -> None:
    """Dim the lines that are not at the border between two blocks."""
    for at, row in enumerate(paced(rows)):
        if row is None or not row.moved:
            continue
        before = rows[at - 1] if at else None
        after = rows[at + 1] if at + 1 < len(rows) else None
        if before is not None and after is not None and before.state == row.state == after.state:
            row.dim = True
            continue
        if any(one is not None and one.moved and one.alternate != row.alternate for one in (before, after)):
            continue
        row.dim = True

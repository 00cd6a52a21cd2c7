"""A file's lines side by side, old and new, wrapped to the window; the hunk in question is highlighted.

Only the lines that are on the screen are drawn, so that a long file costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ....records import record
from ..lines import Row
from ..overview import WORDS
from ..pairs import paired, parts_of
from ..style import COLOURS

_NARROW = 90  # columns: in a narrower window, one side is below the other
_NUMBER = 5


@record(frozen=True)
class Line:
    """One line of the screen: its kind ("@", "|" a head in question, " " or "~"), and segments: texts with the names of
    their colours (text, ground)."""

    parts: tuple[tuple[str, str, str], ...]
    hunk: str = ""


def _pieces(words: str, part: slice | None, width: int, sign: str) -> list[list[tuple[str, str, str]]]:
    """A line's text in pieces of a width; the differing part has a stronger ground."""
    ground = {"-": "gone", "+": "add"}.get(sign, "ground")
    more = {"-": "gonemore", "+": "addmore"}.get(sign, ground)
    text = words.expandtabs(4)
    if part is not None and "\t" in words:
        part = None  # with tabs, positions are not columns
    spans = [(text, ground)]
    if part is not None:
        spans = [(text[: part.start], ground), (text[part], more), (text[part.stop :], ground)]
    rows: list[list[tuple[str, str, str]]] = [[]]
    left = width
    for span, back in spans:
        while span:
            piece = span if cell_len(span) <= left else (chop_cells(span, left) or [span])[0] if left > 1 else ""
            if piece:
                rows[-1].append((piece, "text", back))
                left -= cell_len(piece)
                span = span[len(piece) :]
            if span:
                rows.append([])
                left = width
    for row in rows:
        used = sum(cell_len(piece) for piece, _, _ in row)
        row.append((" " * max(width - used, 0), "text", ground))
    return rows


def _side(row: Row | None, number: int, part: slice | None, width: int) -> list[list[tuple[str, str, str]]]:
    """One side of a pair: number, sign and text, in as many lines as it takes."""
    if row is None:
        return []
    sign = row.sign if row.sign != "@" else " "
    ground = {"-": "gone", "+": "add"}.get(sign, "ground")
    word = {"-": "goneword", "+": "addword"}.get(sign, "soft")
    made = []
    for at, piece in enumerate(_pieces(row.whole, part, max(width - _NUMBER - 3, 4), sign)):
        lead = f"{number if number and not at else '':>{_NUMBER}} "
        made.append([(lead, "soft", ground), (f"{sign if not at else ' '} ", word, ground), *piece])
    return made


def _filled(row: Row | None, width: int) -> list[tuple[str, str, str]]:
    """Fill up the shorter side of a pair that takes several lines of the screen: its ground is continued."""
    sign = " " if row is None else row.sign
    return [(" " * width, "text", {"-": "gone", "+": "add"}.get(sign, "ground"))]


def lines_of_rows(rows: list[Row], width: int) -> Iterator[Line]:
    """The lines of a screen of some width: both sides beside each other, or (on a narrow one) below each other."""
    parts = parts_of(rows)
    index = {id(row): at for at, row in enumerate(rows)}
    hunk = ""
    if width < _NARROW:
        for at, row in enumerate(rows):
            if row.sign == "@":
                hunk = row.hunk
                yield Line(((set_cell_size(" " + row.words, width), "soft", "head"),), hunk)
                continue
            for one in _side(row, row.new or row.old, parts.get(at), width):
                yield Line(tuple(one), hunk)
        return
    half = (width - 1) // 2
    for left, right in paired(rows):
        if left is not None and left.sign == "@":
            hunk = left.hunk
            yield Line(((set_cell_size(" " + left.words, width), "soft", "head"),), hunk)
            continue
        old = _side(left, left.old, parts.get(index[id(left)]) if left.sign == "-" else None, half) if left else []
        new = _side(right, right.new, parts.get(index[id(right)]) if right.sign == "+" else None, half) if right else []
        for at in range(max(len(old), len(new))):
            one, other = (
                side[at] if at < len(side) else _filled(row, half) for side, row in ((old, left), (new, right))
            )
            yield Line((*one, ("│", "line", "ground"), *other), hunk)


class SideBySide(ScrollView):
    """The lines of one file."""

    can_focus = True
    DEFAULT_CSS = "SideBySide { overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._rows: list[Row] = []
        self._lines: list[Line] = []
        self._words = ""
        self.current = ""
        self.states: dict[str, tuple[str, str]] = {}

    def show_rows(self, rows: list[Row], words: str) -> None:
        """Show a file's lines, or a text if it has none."""
        self._rows, self._words = rows, words
        self._lay_out()
        self.scroll_to(0, 0, animate=False)

    def show_states(self, current: str, states: dict[str, tuple[str, str]]) -> None:
        """Set the hunk in question, and the decision and comment on each hunk."""
        self.current, self.states = current, states
        self.refresh()

    def to_hunk(self, id: str) -> None:
        """Bring a hunk into the window: its head into the upper part, unless all of it is visible already."""
        lines = [at for at, line in enumerate(self._lines) if line.hunk == id]
        first, last = (lines[0], lines[-1]) if lines else (0, 0)
        top = round(self.scroll_offset.y)
        if not lines or first < top or last >= top + self.size.height:
            self.scroll_to(0, max(first - 1, 0), animate=False)

    def on_resize(self) -> None:
        """Wrap the lines again."""
        self._lay_out()
        self.to_hunk(self.current)

    def _lay_out(self) -> None:
        width = max(self.scrollable_content_region.width, 20)
        self._lines = list(lines_of_rows(self._rows, width))
        self.virtual_size = Size(width, max(len(self._lines), 1))
        self.refresh()

    def _style(self, text: str, ground: str) -> Style:
        side = 1 if self.app.current_theme.dark else 0
        return Style(color=COLOURS[text][side], bgcolor=COLOURS[ground][side])

    def render_line(self, y: int) -> Strip:
        """See `Widget.render_line`."""
        at, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        base = self._style("text", "ground")
        if not self._lines and at == 0:
            return Strip([Segment(f" {self._words}", base)]).adjust_cell_length(width, base)
        if at >= len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[at]
        segments = [Segment(words, self._style(text, ground)) for words, text, ground in line.parts]
        if len(line.parts) == 1 and line.hunk:
            segments = self._head(line, width)
        return Strip(segments).adjust_cell_length(width, base)

    def _head(self, line: Line, width: int) -> list[Segment]:
        state, comment = self.states.get(line.hunk, ("", ""))
        is_asked = line.hunk == self.current
        ground, text = ("warnground", "text") if is_asked else ("head", "soft")
        words = f"{'▶' if is_asked else ' '}{line.parts[0][0].rstrip()} "
        colour = {"accept": "addword", "reject": "goneword"}.get(state, text)
        segments = [Segment(words, self._style(text, ground)),
                    Segment(WORDS.get(state, ""), self._style(colour, "ground" if is_asked else ground))]  # fmt: skip
        segments += [Segment(f" “{comment}”", self._style(text, ground))] if comment else []
        used = sum(segment.cell_length for segment in segments)
        return [*segments, Segment(" " * max(width - used, 0), self._style(text, ground))]

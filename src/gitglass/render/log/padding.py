"""Fields of a fixed width: `%<(20,trunc)`, `%>(10)`, `%><(30)`, `%>>(12)`, `%<|(40)`, …."""

import re

from ...deferred import lazy_pattern
from ...records import record
from ..width import display_width, replace_columns


@record
class Padding:
    """The alignment that `%<(20,trunc)` or another of these sets for the placeholder after it."""

    flush: str  # "left" puts the text on the left
    columns: int  # negative: up to that column of the line
    cut: str = ""


FIELD = re.compile(rb"(<|>>|><|>)(\|)?\(([^,)]+)([,)])")
CUTS = {b"trunc)": "right", b"ltrunc)": "left", b"mtrunc)": "middle"}
FLUSH = {b"<": "left", b">": "right", b"><": "both", b">>": "steal"}
NUMBER = re.compile(rb"[ \t\n\v\f\r]*([+-]?[0-9]+)")


def pad(padding: Padding, text: bytes, out: bytearray, graph_width: int) -> None:
    """Put a text into its field at the end of a buffer."""
    columns, flush = padding.columns, padding.flush
    if columns < 0:
        end = out.find(b"\0")  # strange but git's: behind a NUL nothing counts
        end = len(out) if end < 0 else end
        line = bytes(out[max(out.rfind(b"\n", 0, end), 0) : end])
        columns = -columns - display_width(line, ansi=True) - graph_width
    width = display_width(text, ansi=True)
    if flush == "steal":
        columns, text = _steal(columns, width, text, out)
        flush = "right"
    if width > columns:
        start = {"left": 0, "middle": columns // 2 - 1 if columns >= 0 else -(-columns // 2) - 1, "right": columns - 2}
        if padding.cut:
            text = replace_columns(text, start[padding.cut], width - (columns - 2), b"..")
        out += text
        return
    space = columns - width
    before = space if flush == "right" else space // 2 if flush == "both" else 0
    out += b" " * before + text + b" " * (space - before)


_ENDS_WITH_COLOR = lazy_pattern(rb"\x1b\[[0-9;]{0,7}m\Z")


def _steal(columns: int, width: int, text: bytes, out: bytearray) -> tuple[int, bytes]:
    """`%>>(…)`: take blanks from the text before; colour sequences among them are moved before the new text."""
    while width > columns and len(out) > 1:
        if out[-1] == 32:
            del out[-1:]
            columns += 1
            continue
        color = _ENDS_WITH_COLOR.search(bytes(out[-12:]))
        if color is None or len(color[0]) == len(out):
            break
        text = color[0] + text
        del out[-len(color[0]) :]
    return columns, text

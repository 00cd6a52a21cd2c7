"""Lists in columns: `--column` of branch, tag and status. Mirrors git-column(1)."""

from collections.abc import Sequence

from ..config.config import Config, bad_value, missing_value
from ..errors import BadConfig, InvalidArgs, text
from ..records import record
from .width import display_width


@record(frozen=True)
class ColumnMode:
    """The layout: filled by columns or by rows, with columns of equal width or each as narrow as possible."""

    on: bool = False
    by_row: bool = False
    plain: bool = False
    dense: bool = False


class _Words:
    """Apply words such as `always,row,dense` one after the other."""

    def __init__(self, start: ColumnMode, enabled: str) -> None:
        self.by_row, self.plain, self.dense, self.enabled = start.by_row, start.plain, start.dense, enabled

    def take(self, value: str) -> None:
        """Apply the words of one value. Raises InvalidArgs for an unknown word."""
        chosen = layout = False
        for word in value.replace(",", " ").split():
            if word in ("always", "never", "auto"):
                self.enabled, chosen = word, True
            elif word in ("plain", "column", "row"):
                self.plain, self.by_row, layout = word == "plain", word == "row", True
            elif word in ("dense", "nodense"):
                self.dense = word == "dense"
            else:
                raise InvalidArgs(f"unsupported option '{word}'")
        if layout and not chosen:
            self.enabled = "always"


def column_mode(config: Config, command: str, options: str | Sequence[str] | None, is_tty: bool) -> ColumnMode:
    """The layout to use: each column.ui and column.<command>, as they come, then each `--column` ("" for one without a
    value, "no" to revoke it). What one of them leaves open is as the ones before have it.

    Raises InvalidArgs for an unknown word of the option, GitError for one of the configuration.
    """
    words = _Words(ColumnMode(), "never")
    for entry in config.table.sections.get(b"column", ()):
        key = text(entry.key)
        if key not in ("column.ui", f"column.{command}"):
            continue
        if entry.value is None:
            raise missing_value(entry)
        value = text(entry.value)
        try:
            words.take(value)
        except InvalidArgs as error:
            message = f"{error.message}\nerror: invalid {key} mode {value}"
            raise BadConfig(f"{message}\nfatal: {bad_value(entry).message}", prefix="error") from None
    for option in [options] if isinstance(options, str) else options or ():
        words.enabled = "never" if option == "no" else "always"
        if option != "no":
            words.take(option)
    on = words.enabled == "always" or (words.enabled == "auto" and is_tty)
    return ColumnMode(on, words.by_row, words.plain, words.dense)


def lay_out(items: list[bytes], mode: ColumnMode, width: int, indent: bytes = b"", padding: int = 1) -> bytes:
    """The items as lines of columns; `width` is that of the whole terminal."""
    if not items:
        return b""
    if mode.on:
        items = [item.partition(b"\0")[0] for item in items]  # strange but git's: an item ends at a NUL
    if mode.plain or not mode.on:
        return indent + (b"\n" + indent).join(items) + b"\n"
    return _Table(items, mode, width - 1 - len(indent), indent, padding).lines()


class _Table:
    """A grid: `columns` wide, `rows` deep, filled down first or across first."""

    def __init__(self, items: list[bytes], mode: ColumnMode, room: int, indent: bytes, padding: int) -> None:
        self.items, self.indent, self.padding, self.by_row = items, indent, padding, mode.by_row
        self.sizes = [display_width(item, ansi=True) for item in items]
        widest = max(self.sizes) + padding
        self.columns = max(room // widest, 1)
        self.rows = -(-len(items) // self.columns)
        self.widths = [widest] * self.columns
        if mode.dense:
            self._squeeze(room)

    def _at(self, row: int, column: int) -> int:
        return row * self.columns + column if self.by_row else column * self.rows + row

    def _natural(self) -> list[int]:
        """The width each column needs, padding included."""
        count = len(self.items)
        cells = [[self._at(row, column) for row in range(self.rows)] for column in range(self.columns)]
        return [max((self.sizes[i] for i in column if i < count), default=0) + self.padding for column in cells]

    def _squeeze(self, room: int) -> None:
        """Remove rows, and so add columns, while the columns at their natural widths still fit."""
        self.widths = self._natural()
        while self.rows > 1:
            rows, columns, widths = self.rows, self.columns, self.widths
            self.rows -= 1
            self.columns = -(-len(self.items) // self.rows)
            self.widths = self._natural()
            if sum(self.widths) > room:
                self.rows, self.columns, self.widths = rows, columns, widths
                return

    def lines(self) -> bytes:
        """The whole grid as text; no blanks at the end of a line."""
        out: list[bytes] = []
        count = len(self.items)
        for row in range(self.rows):
            for column in range(self.columns):
                at = self._at(row, column)
                if at >= count:
                    break
                last = column == self.columns - 1 or at == count - 1 if self.by_row else at + self.rows >= count
                fill = b"\n" if last else b" " * (self.widths[column] - self.sizes[at])
                out.append((b"" if column else self.indent) + self.items[at] + fill)
        return b"".join(out)

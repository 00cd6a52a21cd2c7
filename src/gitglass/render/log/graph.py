"""The graph of `git log --graph`: columns of lines beside the commits, drawn row by row.

A drawer knows two rows of columns: where the lines of history are above a commit (`above`), and where they have to
be below it (`below`). Between them it draws, in this order: room for an octopus merge (EXPAND), the commit itself
(COMMIT), the edges of a merge (MERGE), and rows in which lines move left until all are in their columns
(COLLAPSE). When nothing is left to draw it is DONE, and any further row repeats the columns. `edges` has, for every
character position of a row, the column below to which the line at that position leads.

A commit that comes before the previous one was drawn to the end is announced by a row of dots (SKIP).
"""

from __future__ import annotations

from collections.abc import Sequence

DONE, SKIP, EXPAND, COMMIT, MERGE, COLLAPSE = range(6)
MERGE_CHARS = (b"/", b"|", b"\\")

Column = tuple[bytes, int]  # the commit a line leads to, and its colour
#: the row before an empty line, the rows above a commit and its own (without text), the rows below, any row after these
Drawing = tuple[bytes, list[bytes], list[bytes], bytes]


class Row:
    """One row being drawn; colours take no width."""

    __slots__ = ("colors", "parts", "reset", "width")

    def __init__(self, colors: Sequence[bytes], reset: bytes) -> None:
        self.parts: list[bytes] = []
        self.width = 0
        self.colors, self.reset = colors, reset

    def plain(self, text: bytes) -> None:
        self.parts.append(text)
        self.width += len(text)

    def line(self, column: Column, char: bytes) -> None:
        if self.colors:
            self.parts.append(self.colors[column[1]] + char + self.reset)
        else:
            self.parts.append(char)
        self.width += 1

    def text(self, width: int) -> bytes:
        return b"".join(self.parts) + b" " * (width - self.width)


class Graph:
    """Draws one history. `update` takes the next commit, `next_row` returns its rows one by one.

    `colors` are the escape sequences for columns (none: no colour), `reset` ends one.
    """

    __slots__ = (
        "above",
        "at",
        "at_before",
        "below",
        "color",
        "colors",
        "commit",
        "edges",
        "edges_added",
        "edges_added_before",
        "edges_before",
        "expanded",
        "has_column",
        "layout",
        "mark",
        "parents",
        "reset",
        "rows",
        "settled",
        "simple",
        "size",
        "state",
        "state_before",
        "width",
    )

    def __init__(self, colors: Sequence[bytes] = (), reset: bytes = b"") -> None:
        self.colors, self.reset = colors, reset
        self.color = len(colors) - 1
        self.commit = b""
        self.mark = b"*"
        self.parents: Sequence[bytes] = ()
        self.above: list[Column] = []
        self.below: list[Column] = []
        self.edges: list[int] = []
        self.edges_before: list[int] = []
        self.size = 0  # positions of `edges` in use
        self.width = 0
        self.expanded = 0
        self.layout = 0  # 0: the first edge of a merge leans left; 1: it goes straight down
        self.edges_added = self.edges_added_before = 0
        self.at = self.at_before = 0  # the commit's column
        self.state = self.state_before = DONE
        self.has_column = False  # a line from above leads to the commit
        self.settled = True  # every line is in its column
        self.simple = False  # the parent only takes the commit's column: one row, and no lines move
        self.rows: dict[tuple[int, int, bytes], bytes] = {}

    # ---------------------------------------------------------------- taking in a commit
    def update(self, oid: bytes, parents: Sequence[bytes], mark: bytes) -> None:
        """Take the next commit, with those of its parents that will be shown."""
        self.commit, self.parents, self.mark = oid, parents, mark
        self.at_before = self.at
        self.expanded = 0
        done = self.state == DONE
        self.simple = done and len(parents) == 1 and self.state_before != COLLAPSE and not self.colors and self._steps()
        if self.simple:
            self.state = COMMIT
            return
        self._columns()
        if not done:
            self.state = SKIP
        else:
            self.state = EXPAND if self._needs_room() else COMMIT

    def draw(self, oid: bytes, parents: Sequence[bytes], mark: bytes = b"*", *, spaced: bool = False) -> Drawing:
        """Take a commit; `spaced`: an empty line comes before it, which has a row, too."""
        self.update(oid, parents, mark)
        between = self.padding_row() if spaced else b""
        row, own = self.next_row()
        rows, below = [row], []
        while not own:
            row, own = self.next_row()
            rows.append(row)
        while self.state != DONE:
            below.append(self.next_row()[0])
        return between, rows, below, self.next_row()[0]

    def begin(self, oid: bytes, parents: Sequence[bytes], mark: bytes) -> bytes:
        """Take a commit; returns the rows above its own, and the part of its own row before the text."""
        self.update(oid, parents, mark)
        rows = []
        own = False
        while not own:
            row, own = self.next_row()
            rows.append(row)
        return b"\n".join(rows)

    @property
    def finished(self) -> bool:
        """Whether all rows of the commit were drawn."""
        return self.state == DONE

    def _steps(self) -> bool:
        """Put the only parent into the commit's column; False if the parent has one already, or the commit has none."""
        columns, parent, commit = self.below, self.parents[0], self.commit
        at = -1
        for nth, (oid, _) in enumerate(columns):
            if oid == commit:
                at = nth
            elif oid == parent:
                return False
        if at < 0:
            return False
        self.above = columns
        self.below = columns.copy()
        self.below[at] = (parent, columns[at][1])
        self.at, self.has_column, self.layout, self.settled = at, True, -1, True
        self.width = 2 * len(columns)
        self.edges_added_before, self.edges_added = self.edges_added, 0
        return True

    def _columns(self) -> None:
        self.above, self.below = self.below, []
        self.size = 2 * (len(self.above) + len(self.parents))
        self.edges = [-1] * self.size
        if len(self.edges_before) < self.size:
            self.edges_before += [-1] * (self.size - len(self.edges_before))
        self.width = 0
        self.settled = True
        self.edges_added_before, self.edges_added = self.edges_added, 0
        colors = dict(reversed(self.above))
        has_column = self.has_column = self.commit in colors
        columns_of: dict[bytes, int] = {}
        for nth, (oid, _) in enumerate(self.above if has_column else [*self.above, (self.commit, 0)]):
            if oid != self.commit:
                self._lead(oid, -1, columns_of, colors)
                continue
            self.at = nth
            self.layout = -1
            for parent in self.parents:
                if self.colors and (len(self.parents) > 1 or not has_column):
                    self.color = (self.color + 1) % len(self.colors)
                self._lead(parent, nth, columns_of, colors)
            if not self.parents:
                self.width += 2
        while self.size > 1 and self.edges[self.size - 1] < 0:
            self.size -= 1

    def _lead(self, oid: bytes, origin: int, columns_of: dict[bytes, int], colors: dict[bytes, int]) -> None:
        """Add a line that leads to the column of `oid` below; `origin` is the commit's column if the line starts
        there."""
        column = columns_of.get(oid, -1)
        if column < 0:
            column = columns_of[oid] = len(self.below)
            self.below.append((oid, colors.get(oid, self.color)))
        count = len(self.parents)
        if count > 1 and origin >= 0 and self.layout == -1:
            distance = origin - column
            shift = 2 * distance - 3 if distance > 1 else 1
            self.layout = 0 if distance > 0 else 1
            self.edges_added = count + self.layout - 2
            position = self.width + (self.layout - 1) * shift
            self.width += 2 * self.layout
        elif self.edges_added > 0 and column == self.edges[self.width - 2]:
            position = self.width - 2  # the last line of the merge joins the line beside it at once
            self.edges_added = -1
        else:
            position = self.width
            self.width += 2
        self.edges[position] = column
        if column != position // 2:
            self.settled = False

    # ---------------------------------------------------------------- rows
    def next_row(self) -> tuple[bytes, bool]:
        """The next row, and whether it is the commit's own."""
        own = self.state == COMMIT
        if own and self.simple:
            self._move(DONE)
            return self._simple_row(), True
        row = Row(self.colors, self.reset)
        if self.state == DONE:
            if not self.colors:
                return (b"| " * len(self.below)).ljust(self.width), False
            for column in self.below:
                row.line(column, b"|")
                row.plain(b" ")
        elif self.state == SKIP:
            row.plain(b"...")
            self._move(EXPAND if self._needs_room() else COMMIT)
        elif self.state == EXPAND:
            self._expand_row(row)
        elif self.state == COMMIT:
            self._commit_row(row)
        elif self.state == MERGE:
            self._merge_row(row)
        else:
            self._collapse_row(row)
        return row.text(self.width), own

    def padding_row(self) -> bytes:
        """A row beside text other than the commit's first line."""
        if self.state != COMMIT:
            return self.next_row()[0]
        row = Row(self.colors, self.reset)
        for column in self.above:
            row.line(column, b"|")
            more = len(self.parents) - 2
            row.plain(b" " * (more * 2) if column[0] == self.commit and more > 0 else b" ")
        self.state_before = DONE
        return row.text(self.width)

    def _move(self, state: int) -> None:
        self.state_before, self.state = self.state, state

    def _dashes(self) -> int:
        return len(self.parents) + self.layout - 3

    def _needs_room(self) -> bool:
        return len(self.parents) >= 3 and self.at < len(self.above) - 1 and self.expanded < self._dashes() * 2

    def _simple_row(self) -> bytes:
        key = len(self.above), self.at, self.mark
        row = self.rows.get(key)
        if row is None:
            row = b"| " * self.at + self.mark + b" " + b"| " * (len(self.above) - self.at - 1)
            self.rows[key] = row
        return row.ljust(self.width)

    def _expand_row(self, row: Row) -> None:
        passed = False
        for nth, column in enumerate(self.above):
            if column[0] == self.commit:
                passed = True
                row.line(column, b"|")
                row.plain(b" " * self.expanded)
            elif passed and (self.expanded or (self.state_before == MERGE and self.at_before < nth)):
                row.line(column, b"\\")
            else:
                row.line(column, b"|")
            row.plain(b" ")
        self.expanded += 1
        if not self._needs_room():
            self._move(COMMIT)

    def _with_commit(self) -> list[Column]:
        """The columns above, with one more for a commit to which no line led."""
        return self.above if self.has_column else [*self.above, (self.commit, 0)]

    def _commit_row(self, row: Row) -> None:
        passed = False
        for nth, column in enumerate(self._with_commit()):
            if column[0] == self.commit:
                passed = True
                row.plain(self.mark)
                self._octopus(row)
            else:
                row.line(column, self._beside(nth, passed))
            row.plain(b" ")
        if len(self.parents) > 1:
            self._move(MERGE)
        else:
            self._move(DONE if self.settled else COLLAPSE)

    def _beside(self, nth: int, passed: bool) -> bytes:
        """The character of another line in the commit's row."""
        if passed and self.edges_added > 1:
            return b"\\"
        if passed and self.edges_added == 1:
            leaning = self.state_before == MERGE and self.edges_added_before > 0 and self.at_before < nth
            return b"\\" if leaning else b"|"
        before = self.edges_before
        if (
            self.state_before == COLLAPSE
            and 2 * nth + 1 < len(before)
            and before[2 * nth + 1] == nth
            and self.edges[2 * nth] < nth
        ):
            return b"/"
        return b"|"

    def _octopus(self, row: Row) -> None:
        dashes = self._dashes()
        for nth in range(dashes):
            column = self.below[self.edges[(self.at + nth + 2) * 2]]
            row.line(column, b"-")
            row.line(column, b"." if nth == dashes - 1 else b"-")

    def _merge_row(self, row: Row) -> None:
        passed = False
        first = self.parents[0]
        first_column: Column | None = None
        for nth, column in enumerate(self._with_commit()):
            if column[0] == self.commit:
                passed = True
                self._merge_edges(row)
            elif passed:
                row.line(column, b"\\" if self.edges_added > 0 else b"|")
                row.plain(b" ")
            else:
                row.line(column, b"|")
                if self.layout or nth != self.at - 1:
                    if first_column is not None:
                        row.line(first_column, b"_")
                    else:
                        row.plain(b" ")
            if column[0] == first:
                first_column = column
        self._move(DONE if self.settled else COLLAPSE)

    def _merge_edges(self, row: Row) -> None:
        columns = {oid: nth for nth, (oid, _) in reversed(list(enumerate(self.below)))}
        kind = self.layout
        last = len(self.parents) - 1
        for nth, parent in enumerate(self.parents):
            row.line(self.below[columns[parent]], MERGE_CHARS[kind])
            if kind == 2:
                if self.edges_added > 0 or nth < last:
                    row.plain(b" ")
            else:
                kind += 1
        if self.edges_added == 0:
            row.plain(b" ")

    # ---------------------------------------------------------------- lines that move left
    def _collapse_row(self, row: Row) -> None:
        edge, edge_target = self._shift_left()
        edges = self.edges
        drawn = False  # whether the row has its one horizontal line, in underscores
        for nth in range(self.size):
            target = edges[nth]
            if target < 0:
                row.plain(b" ")
            elif target * 2 == nth:
                row.line(self.below[target], b"|")
            elif target == edge_target and nth != edge - 1:
                if nth != target * 2 + 3:
                    edges[nth] = -1
                drawn = True
                row.line(self.below[target], b"_")
            else:
                if drawn and nth < edge:
                    edges[nth] = -1
                row.line(self.below[target], b"/")
        self.settled = all(target < 0 or target == nth // 2 for nth, target in enumerate(edges[: self.size]))
        if self.settled:
            self._move(DONE)

    def _shift_left(self) -> tuple[int, int]:
        """Move each line one step towards its column; returns where the row's one horizontal line is, and where it
        leads."""
        before = self.edges
        after = [-1] * len(before)
        edge = edge_target = -1
        for nth in range(self.size):
            target = before[nth]
            if target < 0:
                continue
            if target * 2 == nth:
                after[nth] = target
            elif after[nth - 1] < 0:
                after[nth - 1] = target
                if edge == -1:
                    edge, edge_target = nth, target
                    for between in range(target * 2 + 3, nth - 2, 2):
                        after[between] = target
            elif after[nth - 1] != target:
                after[nth - 2] = target
                if edge == -1:
                    edge, edge_target = nth - 1, target
                    for between in range(target * 2 + 3, nth - 2, 2):
                        after[between] = target
        self.edges = after
        self.edges_before = after.copy()
        if after[self.size - 1] < 0:
            self.size -= 1
        return edge, edge_target

"""One file looked through by git grep: which lines are selected, and which are shown around them.

Buffers are searched whole; lines are cut out only where something was found. Rows are tuples
`(line number, start, end, sign, column)`: offsets into the file, a sign of `:` (selected), `-` (context) or `=`
(function), and the column counted from 1, 0 where the line has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from ..limits import Context, paced, step, watched
from ..records import record
from .expression import Evaluation, Node, Query
from .lines import all_lines

Row = tuple[int, int, int, int, int]
Hit = tuple[int, int, int]  # start, end, column (-1: none)
IsFunction = Callable[[bytes], bool]
SELECTED, CONTEXT, FUNCTION = b":-="


@record(frozen=True)
class ShowSpec:
    """What is shown of a file; see the options of git grep."""

    invert: bool = False
    columns: bool = False
    before: int = 0
    after: int = 0
    function: bool = False
    function_body: bool = False
    max_count: int = -1
    prints: Callable[[bytes], bool] | None = None  # -o: whether anything is printed of a line; None: always

    @property
    def plain(self) -> bool:
        """Only the selected lines."""
        return not (self.before or self.after or self.function or self.function_body)


def selected(data: bytes, query: Query, show: ShowSpec, ctx: Context) -> Iterator[Hit]:
    """The lines that are selected, in order."""
    if query.expression is None:
        atoms = query.atoms
        hits = atoms[0].lines(data) if len(atoms) == 1 else _any(data, query)
        if show.invert:
            return _others(data, ((start, end, -1, -1) for start, end, _ in hits), ctx)
        return _and_end(data, hits) if data.endswith(b"\n") and query.matches_nothing else hits
    lines = _expressed(data, query.expression, query, show.columns)
    if show.invert:
        return _others(data, lines, ctx)
    return ((start, end, column) for start, end, column, _ in lines if end >= 0)


def count_others(data: bytes, query: Query) -> int:
    """How many lines no pattern matches (-v -c): no line is cut out for it."""
    hits = query.atoms[0].lines(data) if len(query.atoms) == 1 else _any(data, query)
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n")) - sum(1 for _ in watched(hits))


def _and_end(data: bytes, hits: Iterator[Hit]) -> Iterator[Hit]:
    """Strange but git's: a search for an empty line finds one behind the last newline, unless the last line was
    found: git skips ahead in the whole buffer, and lands there."""
    after = 0
    for hit in hits:
        after = hit[1] + 1
        yield hit
    if after < len(data):
        yield len(data), len(data), 0


def _any(data: bytes, query: Query) -> Iterator[Hit]:
    """Lines that any pattern matches; the leftmost column counts."""
    hits: dict[int, tuple[int, int]] = {}
    for atom in query.atoms:
        for start, end, column in watched(atom.lines(data)):
            hit = hits.get(start)
            if hit is None or column < hit[1]:
                hits[start] = end, column
    return ((start, *hits[start]) for start in sorted(hits))


def _tables(data: bytes, query: Query) -> dict[int, list[int]]:
    """Line start → its end, then each atom's column."""
    table: dict[int, list[int]] = {}
    count = len(query.atoms)
    for number, atom in enumerate(query.atoms, 1):
        for start, end, column in watched(atom.lines(data)):
            row = table.get(start)
            if row is None:
                row = table[start] = [end, *[-1] * count]
            row[number] = column
    return table


def _expressed(data: bytes, root: Node, query: Query, columns: bool) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, column, column of what must not match) of each matching line; end -1 for a line that only has the
    latter: it is not selected, but -v shows it."""
    table = _tables(data, query)
    quiet = [-1] * len(query.atoms)
    if Evaluation(columns, False).look(root, quiet):
        starts: Iterator[tuple[int, int]] = all_lines(data)
    else:
        starts = ((start, table[start][0]) for start in sorted(table))
    for start, end in watched(starts):
        row = table.get(start)
        look = Evaluation(columns, False)
        hit = look.look(root, row[1:] if row is not None else quiet)
        if hit or look.leftmost[1] >= 0:
            yield start, end if hit else -1, look.leftmost[0], look.leftmost[1]


def every_part(data: bytes, query: Query, show: ShowSpec) -> bool:
    """--all-match: does each alternative match some line of the file?"""
    root = query.expression
    assert root is not None
    table = _tables(data, query)
    quiet = [-1] * len(query.atoms)
    parts: list[Node] = []
    node = root
    while node.op == "or":
        assert node.left is not None and node.right is not None
        parts.append(node.left)
        node = node.right
    parts.append(node)
    for part in parts:
        part.hit = False
    root.hit = False
    look = Evaluation(show.columns, True)
    if len(table) < data.count(b"\n") + (data[-1:] not in (b"\n", b"")):
        look.look(root, quiet)
    for row in paced(table.values()):
        look.look(root, row[1:])
    return all(part.hit for part in parts)


def _others(data: bytes, hits: Iterator[tuple[int, int, int, int]], ctx: Context) -> Iterator[Hit]:
    """The lines that were not found (-v)."""
    lines = {start: (end, other) for start, end, _, other in watched(hits)}
    for start, end in all_lines(data):
        ctx.tick()
        row = lines.get(start)
        if row is None:
            yield start, end, -1
        elif row[0] < 0:
            yield start, end, row[1]


def rows_of(data: bytes, hits: Iterator[Hit], show: ShowSpec, is_function: IsFunction, query: Query) -> list[Row]:
    """The rows that are shown."""
    if not show.plain:
        return _Surroundings(data, show, is_function, query).rows(list(hits))
    rows: list[Row] = []
    number, last, limit, count = 1, 0, show.max_count, data.count
    for start, end, column in hits:
        if limit >= 0 and len(rows) >= limit:
            break
        number += count(b"\n", last, start)
        last = start
        rows.append((number, start, end, SELECTED, column + 1 if column > 0 else 1))
    return rows


class _Surroundings:
    """Selected lines with context, by git's rules."""

    __slots__ = ("_data", "_lines", "_names", "_query", "_real", "_rows", "_show", "_shown")

    def __init__(self, data: bytes, show: ShowSpec, is_function: IsFunction, query: Query) -> None:
        starts = [start for start, _ in watched(all_lines(data))]
        starts.append(len(data) + (data[-1:] != b"\n"))
        self._data = data
        self._lines = [(start, after - 1) for start, after in watched(pairwise(starts))]
        self._real = len(self._lines)
        if data.endswith(b"\n"):
            self._lines.append((len(data), len(data)))  # no line; git may find it all the same, see `_and_end`
        self._names = is_function
        self._query = query
        self._show = show
        self._rows: list[Row] = []
        self._shown = 0  # the number of the last line shown

    def rows(self, hits: list[Hit]) -> list[Row]:
        """All rows. `at` is the index of a line, its number is one more."""
        show, lines = self._show, self._lines
        if not hits:
            return []
        index = {start: at for at, (start, _) in enumerate(lines)}
        queue = [(index[start], column) for start, _, column in hits]
        queue.reverse()
        at, last_hit, count, in_body, peeked, jumped = queue[-1][0], 0, 0, False, -1, True
        while at < self._real or (at < len(lines) and jumped):
            step()
            jumped = False
            hit = bool(queue) and queue[-1][0] == at
            column = queue.pop()[1] if hit else -1
            if hit and (show.max_count < 0 or count < show.max_count):
                count += 1
                self._in_front(at)
                self._add(at, SELECTED, max(column, 0) + 1)
                last_hit, in_body = at + 1, show.function_body
                at += 1
                continue
            began_in_body = in_body
            if in_body and peeked < at:
                peeked = at
                while peeked < self._real and self._empty(peeked):
                    peeked += 1
                if peeked < self._real and self._is_function(peeked):
                    in_body = False
            if in_body or (last_hit and at + 1 <= last_hit + show.after):
                self._add(at, CONTEXT, self._column(at) + 1)
                at += 1
            elif began_in_body and at + 1 >= self._real:
                break  # git looks ahead from the line behind a function's body, and there is none
            elif queue and (show.max_count < 0 or count < show.max_count):
                at, jumped = queue[-1][0], True
            else:
                break
        return self._rows

    def _add(self, at: int, sign: int, column: int) -> None:
        step()
        start, end = self._lines[at]
        self._rows.append((at + 1, start, end, sign, column))
        if self._show.prints is None or self._show.prints(self._data[start:end]):
            self._shown = at + 1

    def _column(self, at: int) -> int:
        """Context behind a match has a column where a pattern matches in it (-v, or a part of an expression)."""
        if not self._show.columns:
            return -1
        start, end = self._lines[at]
        spans = [atom.span(self._data[start:end]) for atom in self._query.atoms]
        columns = [-1 if span is None else span[0] for span in spans]
        if self._query.expression is None:
            return min((column for column in columns if column >= 0), default=-1)
        look = Evaluation(True, False)
        look.look(self._query.expression, columns)
        return look.leftmost[0]

    def _empty(self, at: int) -> bool:
        step()
        start, end = self._lines[at]
        return not self._data[start:end].strip(b" \t\n\v\f\r")

    def _is_function(self, at: int) -> bool:
        step()
        start, end = self._lines[at]
        return self._names(self._data[start:end])

    def _in_front(self, at: int) -> None:
        """What is shown in front of a selected line."""
        show = self._show
        if not (show.before or show.function_body):
            if show.function:
                self._function_line(at)
            return
        number = at + 1
        first = max(number - show.before if show.before < number else 1, self._shown + 1)
        wanted = first
        needed, comment, function = show.function, False, 0
        if show.function_body:
            comment = self._is_function(at)
            needed = needed or not comment
            first = self._shown + 1
        current = number
        while current > 1 and current > first:
            current -= 1
            # Above a function's first line stands, perhaps, the comment that belongs to it.
            if comment and (self._empty(current - 1) or self._is_function(current - 1)):
                comment, first = False, wanted
                if current < first:
                    current += 1
                    break
            if needed and self._is_function(current - 1):
                function, needed = current, False
                if show.function_body:
                    comment = True
                else:
                    first = wanted
        if show.function and needed:
            self._function_line(current - 1)
        for line in range(current, number):
            self._add(line - 1, FUNCTION if line == function else CONTEXT, 0)

    def _function_line(self, at: int) -> None:
        """Only the line that names the function a line stands in, unless it was shown."""
        for above in range(at - 1, self._shown - 1, -1):
            if self._is_function(above):
                self._add(above, FUNCTION, 0)
                return

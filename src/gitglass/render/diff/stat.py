"""`--stat`, `--numstat`, `--shortstat`: how many lines each file gained and lost (git-diff(1)).

Counting is separate from writing, so that several formats share one count and no hunks are built that are not printed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...diff.changes import TREE, TYPE, Change, Contents
from ...diff.spec import DiffSpec
from ...memories import Facts
from ..width import display_width
from .raw import shown_path

if TYPE_CHECKING:
    from ...diff.lines.counts import line_count
    from ...diff.lines.hunks import count_changes
    from ...limits import Context
    from ..color import Palette
else:
    count_changes = deferred(__name__, "...diff.lines.hunks", "count_changes")
    line_count = deferred(__name__, "...diff.lines.counts", "line_count")

__all__ = ["FileStat", "count_stats", "numstat", "pretty_rename", "shortstat", "stat", "totals_line"]

SYMLINK = 0o120000
_COUNTS: Facts[tuple[Hashable, ...], tuple[int, int]] = Facts("lines added and deleted", most=20_000, each=400)
_PIECE = 512  # lines that are joined at once


class FileStat:
    """One file of a diffstat. For a binary file `added` and `deleted` are sizes in bytes."""

    __slots__ = ("added", "binary", "comment", "deleted", "name", "source", "unmerged")

    def __init__(self, name: bytes, source: bytes | None) -> None:
        self.name = name
        self.source = source  # the path it was renamed or copied from
        self.added = 0
        self.deleted = 0
        self.binary = False
        self.unmerged = False
        self.comment: bytes | None = None


# -------------------------------------------------------------------- counting
def count_stats(changes: Sequence[Change], contents: Contents, spec: DiffSpec, *, ctx: Context) -> list[FileStat]:
    """The diffstat of some changes, without files that turn out to be unchanged."""
    stats = []
    for change in changes:
        ctx.tick()
        one = _count(change, contents, spec, ctx)
        if one is not None:
            stats.append(one)
    return stats


def _count(change: Change, contents: Contents, spec: DiffSpec, ctx: Context) -> FileStat | None:
    old, new = change.old, change.new
    if old.mode & TYPE == TREE or new.mode & TYPE == TREE:
        return None
    one, two = shown_path(old.path, spec), shown_path(new.path, spec)
    result = FileStat(two, one if old.path != new.path else None)
    if spec.compact_summary:
        result.comment = _compact(change)
    if change.status == "U":
        result.unmerged = True
        result.name, result.source = old.path, None  # git does not make it relative here
        return result
    differs = old.oid is None or old.oid != new.oid
    if new.hidden and not differs and old.mode == new.mode:  # a submodule: only the index has another commit
        return None
    if contents.is_binary(old) or contents.is_binary(new):
        result.binary = True
        if differs:
            result.added, result.deleted = contents.size(new), contents.size(old)
    elif change.status == "M" and change.score:
        result.deleted, result.added = line_count(contents.read(old)), line_count(contents.read(new))
    elif differs:
        result.added, result.deleted = _lines(change, contents, spec, ctx)
        if change.status == "M" and not (result.added or result.deleted) and old.mode == new.mode:
            return None
    return result


def _lines(change: Change, contents: Contents, spec: DiffSpec, ctx: Context) -> tuple[int, int]:
    lines = spec.lines
    plain = not lines.ignore_blank_lines and not lines.ignore_regex
    if plain and not (change.old.mode and change.new.mode):  # all lines of one side: not worth caching
        return line_count(contents.read(change.new)), line_count(contents.read(change.old))
    pair = contents.pair(change)
    key = None if pair is None else (*pair, lines.key)
    numbers = contents.memory.table(_COUNTS).get(key) if key else None
    if numbers is not None:
        return numbers
    before, after = contents.read(change.old), contents.read(change.new)
    if plain and (not before or not after):
        counts = line_count(after), line_count(before)
    else:
        counts = count_changes(before, after, lines, ctx=ctx)
    return contents.memory.table(_COUNTS).put(key, counts) if key else counts


def _compact(change: Change) -> bytes | None:
    old, new = change.old.mode, change.new.mode
    if change.old.path == change.new.path:
        if change.status == "A":
            if new & TYPE == SYMLINK:
                return b"new +l"
            return b"new +x" if new & 0o777 == 0o755 else b"new"
        if change.status == "D":
            return b"gone"
    was_link, is_link = old & TYPE == SYMLINK, new & TYPE == SYMLINK
    if was_link != is_link:
        return b"mode +l" if is_link else b"mode -l"
    if old & 0o777 == 0o644 and new & 0o777 == 0o755:
        return b"mode +x"
    if old & 0o777 == 0o755 and new & 0o777 == 0o644:
        return b"mode -x"
    return None


# -------------------------------------------------------------------- names
def pretty_rename(one: bytes, two: bytes, quote: Callable[[bytes], bytes]) -> bytes:
    """Two paths in one: `dir/{old => new}/file`."""
    quoted_one, quoted_two = quote(one), quote(two)
    if quoted_one != one or quoted_two != two:
        return quoted_one + b" => " + quoted_two
    head = 0
    for at, (a, b) in enumerate(zip(one, two)):
        if a != b:
            break
        if a == 47:
            head = at + 1
    tail, back = 0, 1
    floor = head - 1 if head else 0  # the slash that ends the head may begin the tail as well
    while len(one) - back >= floor and len(two) - back >= floor and one[-back] == two[-back]:
        if one[-back] == 47:
            tail = back
        back += 1
    middle_one = one[head : max(len(one) - tail, head)]
    middle_two = two[head : max(len(two) - tail, head)]
    if not head and not tail:
        return middle_one + b" => " + middle_two
    return one[:head] + b"{" + middle_one + b" => " + middle_two + b"}" + (one[-tail:] if tail else b"")


def _label(stat: FileStat, quote: Callable[[bytes], bytes]) -> bytes:
    label = quote(stat.name) if stat.source is None else pretty_rename(stat.source, stat.name, quote)
    return label + b" (" + stat.comment + b")" if stat.comment else label


# -------------------------------------------------------------------- writing
def numstat(stats: list[FileStat], spec: DiffSpec, quote: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """added, deleted and path, separated by tabs."""
    prefix = spec.patch.line_prefix
    for one in stats:
        counts = b"-\t-\t" if one.binary else b"%d\t%d\t" % (one.added, one.deleted)
        if not spec.nul:
            yield prefix + counts + (quote(one.name) if one.source is None else _label(one, quote)) + b"\n"
        elif one.source is None:
            yield prefix + counts + one.name + b"\0"
        else:
            yield prefix + counts + b"\0" + one.source + b"\0" + one.name + b"\0"


def totals_line(files: int, added: int, deleted: int) -> bytes:
    """` 2 files changed, 3 insertions(+), 1 deletion(-)`"""
    if not files:
        return b" 0 files changed\n"
    line = b" %d file%s changed" % (files, b"" if files == 1 else b"s")
    if added or not deleted:
        line += b", %d insertion%s(+)" % (added, b"" if added == 1 else b"s")
    if deleted or not added:
        line += b", %d deletion%s(-)" % (deleted, b"" if deleted == 1 else b"s")
    return line + b"\n"


def _totals(stats: list[FileStat]) -> bytes:
    files = added = deleted = 0
    for one in stats:
        if one.unmerged:
            continue
        files += 1
        if not one.binary:
            added += one.added
            deleted += one.deleted
    return totals_line(files, added, deleted)


def shortstat(stats: list[FileStat], spec: DiffSpec) -> Iterator[bytes]:
    """Only the totals."""
    if stats:
        yield spec.patch.line_prefix + _totals(stats)


def stat(
    stats: list[FileStat],
    spec: DiffSpec,
    quote: Callable[[bytes], bytes],
    palette: Palette,
    columns: int,
) -> Iterator[bytes]:
    """The diffstat with its graph, then the totals. `columns` is the terminal's width."""
    if not stats:
        return
    prefix = spec.patch.line_prefix
    shown = stats[: max(spec.stat.count, 0)] if spec.stat.count else stats  # a negative count shows none
    labels = [_label(one, quote) for one in shown]
    layout = _Layout(shown, labels, spec, columns - len(prefix))
    add, gone, reset = palette.diff_new, palette.diff_old, palette.reset
    parts: list[bytes] = []
    for one, label in zip(shown, labels):
        end = b"" if one.unmerged else b"\n"  # git forgets the newline there
        parts.append(prefix + b" " + layout.name(label) + b" | " + layout.graph(one, add, gone, reset) + end)
        if len(parts) == _PIECE:
            yield b"".join(parts)
            parts.clear()
    yield b"".join(parts)
    if any(not one.unmerged for one in stats[len(shown) :]):
        yield prefix + b" ...\n"
    yield prefix + _totals(stats)


class _Layout:
    """The columns of a diffstat: names on the left, the count, then the graph; git's arithmetic."""

    __slots__ = ("graph_width", "most", "name_width", "number_width")

    def __init__(self, stats: list[FileStat], labels: list[bytes], spec: DiffSpec, columns: int) -> None:
        longest = max(map(display_width, labels), default=0)
        most = binary = number = 0
        for one in stats:
            if one.unmerged:
                binary = max(binary, 8)
            elif one.binary:
                binary = max(binary, 14 + len(str(one.added)) + len(str(one.deleted)))
                number = 3
            else:
                most = max(most, one.added + one.deleted)
        widths = spec.stat
        width = columns if widths.width == -1 else (widths.width or 80)
        number = max(len(str(most)), number)
        width = max(width, 16 + 6 + number)
        graph = most if most + 4 > binary else binary - 4
        if widths.graph and widths.graph < graph:
            graph = widths.graph
        name = widths.name if 0 < widths.name < longest else longest
        if name + number + 6 + graph > width:
            if graph > width * 3 // 8 - number - 6:
                graph = max(width * 3 // 8 - number - 6, 6)
            if widths.graph and graph > widths.graph:
                graph = widths.graph
            if name > width - number - 6 - graph:
                name = width - number - 6 - graph
            else:
                graph = width - number - 6 - name
        self.name_width, self.number_width, self.graph_width, self.most = name, number, graph, most

    def name(self, label: bytes) -> bytes:
        """A label cut from the left to the width of its column, or padded to it."""
        width, length = self.name_width, display_width(label)
        lead = b""
        if width < length:
            lead = b"..."
            width = max(width - 3, 0)
            label = label[length - width :]
            slash = label.find(b"/")
            if slash >= 0:
                label = label[slash:]
        return lead + label + b" " * (width - (display_width(label) if lead else length))

    def graph(self, one: FileStat, add: bytes, gone: bytes, reset: bytes) -> bytes:
        """The count and the graph of one file."""
        number = self.number_width
        if one.binary:
            text = b"Bin".rjust(number)
            if not one.added and not one.deleted:
                return text
            return text + b" %s%d%s -> %s%d%s bytes" % (gone, one.deleted, reset, add, one.added, reset)
        if one.unmerged:
            return b"Unmerged".rjust(number)
        plus, minus = self._scaled(one.added, one.deleted)
        total = one.added + one.deleted
        text = b"%d" % total
        return (
            text.rjust(number)
            + (b" " if total else b"")
            + (add + b"+" * plus + reset if plus else b"")
            + (gone + b"-" * minus + reset if minus else b"")
        )

    def _scaled(self, added: int, deleted: int) -> tuple[int, int]:
        if self.graph_width > self.most or self.graph_width < 0:  # strange but git's: a negative width limits nothing
            return added, deleted
        total = self._linear(added + deleted)
        if total < 2 and added and deleted:
            total = 2
        if added < deleted:
            plus = self._linear(added)
            return plus, total - plus
        minus = self._linear(deleted)
        return total - minus, minus

    def _linear(self, count: int) -> int:
        return 1 + count * (self.graph_width - 1) // self.most if count else 0

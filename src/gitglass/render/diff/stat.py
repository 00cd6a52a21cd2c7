"""`--stat`, `--numstat`, `--shortstat`: how many lines each file gained and lost (git-diff(1)).

Counting is separate from writing, so that several formats share one count and no hunks are built that are not printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...diff.changes import REGULAR, TREE, TYPE, Change, Contents, Filespec
from ...diff.spec import DiffSpec
from ...errors import TooLarge
from ...memories import Facts
from ..width import display_width
from .raw import shown_path

if TYPE_CHECKING:
    from ...diff.lines.counts import line_count
    from ...diff.lines.hunks import count_changes
    from ...diff.lines.userdiff import is_binary
    from ...limits import Context
    from ..color import Palette
else:
    count_changes = deferred(__name__, "...diff.lines.hunks", "count_changes")
    line_count = deferred(__name__, "...diff.lines.counts", "line_count")
    is_binary = deferred(__name__, "...diff.lines.userdiff", "is_binary")

__all__ = ["FileStat", "count_stats", "numstat", "pretty_rename", "shortstat", "stat", "totals_line"]

SYMLINK = 0o120000
_COUNTS: Facts[tuple[bytes, bytes], tuple[int, int]] = Facts("lines added and deleted", most=20_000, each=400)
_WHOLE: Facts[bytes, int] = Facts("lines of texts", most=20_000, each=100)
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
    counter, stats = _Counter(contents, spec, ctx), list[FileStat]()
    for change in changes:
        ctx.tick()
        one = counter.count(change)
        if one is not None:
            stats.append(one)
    return stats


class _Counter:
    """What is the same for all changes of a diffstat."""

    __slots__ = ("_contents", "_counts", "_ctx", "_plain", "_spec", "_whole")

    def __init__(self, contents: Contents, spec: DiffSpec, ctx: Context) -> None:
        self._contents, self._spec, self._ctx = contents, spec, ctx
        self._counts = contents.memory.member(_COUNTS, spec.lines.key)
        self._plain = not spec.lines.ignore_blank_lines and not spec.lines.ignore_regex
        self._whole = contents.memory.table(_WHOLE)

    def count(self, change: Change) -> FileStat | None:
        """One file's share; None if it turns out to be unchanged, or is a directory."""
        old, new, contents, spec = change.old, change.new, self._contents, self._spec
        if old.mode & TYPE == TREE or new.mode & TYPE == TREE:
            return None
        result = FileStat(shown_path(new.path, spec), shown_path(old.path, spec) if old.path != new.path else None)
        if spec.compact_summary:
            result.comment = _compact(change)
        if change.status == "U":
            result.unmerged = True
            result.name, result.source = old.path, None  # git does not make it relative here
            return result
        if self._plain and not (old.mode and new.mode):
            lines = self._text_lines(new if new.mode else old)
            if lines is not None:
                result.added, result.deleted = (lines, 0) if new.mode else (0, lines)
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
            result.added, result.deleted = self._lines(change)
            if change.status == "M" and not (result.added or result.deleted) and old.mode == new.mode:
                return None
        return result

    def _text_lines(self, side: Filespec) -> int | None:
        """The number of lines of a file that has no other side; None unless it is a blob that is a text by its
        content. One look at each file is enough for those of which a tree has very many."""
        oid, contents = side.oid, self._contents
        if oid is None or side.mode & TYPE != REGULAR or contents.driver(side).binary is not None:
            return None
        lines = self._whole.get(oid)
        if lines is None and contents.is_read_whole:
            try:
                data = contents.read(side)
            except TooLarge:
                return None
            if not is_binary(data):
                lines = self._whole.put(oid, line_count(data))
        return lines

    def _lines(self, change: Change) -> tuple[int, int]:
        """(lines added, lines deleted), remembered for sides that are blobs."""
        pair = self._contents.pair(change)
        numbers = None if pair is None else self._counts.get(pair)
        if numbers is not None:
            return numbers
        before, after = self._contents.read(change.old), self._contents.read(change.new)
        if self._plain and (not before or not after):
            counts = line_count(after), line_count(before)
        else:
            counts = count_changes(before, after, self._spec.lines, ctx=self._ctx)
        return counts if pair is None else self._counts.put(pair, counts)


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

    def line(one: FileStat) -> bytes:
        counts = b"-\t-\t" if one.binary else b"%d\t%d\t" % (one.added, one.deleted)
        if not spec.nul:
            return prefix + counts + (quote(one.name) if one.source is None else _label(one, quote)) + b"\n"
        if one.source is None:
            return prefix + counts + one.name + b"\0"
        return prefix + counts + b"\0" + one.source + b"\0" + one.name + b"\0"

    for start in range(0, len(stats), _PIECE):
        yield b"".join(map(line, stats[start : start + _PIECE]))


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
    lengths = list(map(display_width, labels))
    layout = _Layout(shown, lengths, spec, columns - len(prefix))
    colors = palette.diff_new, palette.diff_old, palette.reset
    graphs: dict[tuple[int, int], bytes] = {}  # many files have few lines changed, and the same graph
    parts: list[bytes] = []
    for one, label, length in zip(shown, labels, lengths):
        name = layout.name(label, length)
        if one.unmerged:
            parts.append(prefix + b" " + name + b" | " + layout.unmerged())  # git forgets the line's end there
            continue
        if one.binary:
            graph = layout.sizes(one, *colors)
        else:
            key = one.added, one.deleted
            graph = graphs.get(key) or graphs.setdefault(key, layout.graph(*key, *colors))
        parts.append(prefix + b" " + name + b" | " + graph + b"\n")
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

    def __init__(self, stats: list[FileStat], lengths: list[int], spec: DiffSpec, columns: int) -> None:
        longest = max(lengths, default=0)
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

    def name(self, label: bytes, length: int) -> bytes:
        """A label, so many columns long, cut from the left to the width of its column, or padded to it."""
        width = self.name_width
        if width >= length:
            return label + b" " * (width - length)
        width = max(width - 3, 0)
        label = label[length - width :]
        slash = label.find(b"/")
        if slash >= 0:
            label = label[slash:]
        return b"..." + label + b" " * (width - display_width(label))

    def unmerged(self) -> bytes:
        """What stands in place of the count and the graph of a file in conflict."""
        return b"Unmerged".rjust(self.number_width)

    def sizes(self, one: FileStat, add: bytes, gone: bytes, reset: bytes) -> bytes:
        """And of a binary file: its sizes before and after."""
        text = b"Bin".rjust(self.number_width)
        if not one.added and not one.deleted:
            return text
        return text + b" %s%d%s -> %s%d%s bytes" % (gone, one.deleted, reset, add, one.added, reset)

    def graph(self, added: int, deleted: int, add: bytes, gone: bytes, reset: bytes) -> bytes:
        """The count and the graph of one file."""
        plus, minus = self._scaled(added, deleted)
        total = added + deleted
        return (
            (b"%d" % total).rjust(self.number_width)
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

"""The index: the content of the next commit, and the state of the work tree when it was recorded.

The file is read in one forward pass that keeps each entry's path. The fixed parts stay raw bytes; columns (modes, oids,
stat data) are cut out of them on first use. There are parallel lists and no object per entry: 100,000 entries take some
20 ms. Mirrors gitformat-index(5), versions 2 to 4, with split and sparse indexes.
"""

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat
from operator import add, and_, attrgetter, ge

from ..errors import Corrupt, TooLarge, text
from ..limits import Hold, holding, need, paced, step
from ..memories import Derived
from ..objects.hashes import EMPTY_BLOBS, LENGTHS
from ..objects.parsed import tree_entries
from ..records import record
from .extensions import CacheTree, parse_cache_tree
from .rows import Rows, ending, gathered, without_padding

_EXTENDED = 0x4000
SKIP_WORKTREE = 0x4000
INTENT_TO_ADD = 0x2000
_IN_BASE = 0x8000000
MAX_INDEX = 512 << 20
ENTRY_BYTES = 260  # memory of an entry besides its path: its fixed part, and its slots in lists and tables
_STATS_BYTES = 450  # memory of an entry's stat data as numbers
_MAX_EXPANDED = 4_000_000
MOST_KEPT = 1 << 14  # number of entries up to which it is kept what is made of all of them for one look
_DIRECTORY = 0o040000

_NO_STAGE = bytes(flags & 0x30 for flags in range(256))
STAGE_OF = bytes(flags >> 4 & 3 for flags in range(256))
_EMPTY_BLOBS = {LENGTHS[name]: oid for name, oid in EMPTY_BLOBS.items()}

Stat = tuple[int, int, int, int, int, int, int, int, int, int]
_STAT = struct.Struct(">10I")
_start_of = attrgetter("start")


def empty_blob_of(hash_len: int) -> bytes:
    """The object id of an empty file."""
    return _EMPTY_BLOBS[hash_len]


@record
class Entry:
    """One entry as an object, for callers that do not want columns."""

    path: bytes
    mode: int
    oid: bytes
    stage: int
    stat: Stat
    assume_valid: bool
    skip_worktree: bool
    intent_to_add: bool


class Index:
    """The entries, as parallel lists sorted by (path, stage), and the extensions.

    `heads[i]` is the raw fixed part: 40 bytes of stat data, the oid, two bytes of flags. `special` holds the extended
    flags (SKIP_WORKTREE, INTENT_TO_ADD) of the few entries that have any.
    """

    __slots__ = (
        "_by_path",
        "_fixed",
        "_heads",
        "_modes",
        "_offsets",
        "_oids",
        "_padded",
        "_paths",
        "_rows",
        "_stages",
        "_stats",
        "_tree",
        "_unmerged",
        "_usual",
        "base",
        "base_data",
        "derived",
        "device",
        "hash_len",
        "held",
        "mtime_ns",
        "present",
        "replaced",
        "resolve_undo",
        "size",
        "sparse",
        "special",
        "version",
    )

    def __init__(self, hash_len: int) -> None:
        self.hash_len = hash_len
        self.version = 2
        self._paths: list[bytes] | None = []
        self._padded: list[bytes] = []  # the paths with their padding in the file, until they are cut
        self._heads: list[bytes] | None = []
        self._fixed: bytes | None = None
        self._rows: Rows | None = None  # what the fixed parts are cut from on first use
        self._usual: Rows | None = None  # the same, as long as the entries are those of the file
        self.special: dict[int, int] = {}
        self._tree: CacheTree | bytes | None = None
        self.resolve_undo: list[tuple[bytes, list[tuple[int, bytes | None]]]] = []
        self.sparse = False
        self.base = b""  # the hex name of a split index's base
        self.base_data: bytes | None = None  # the content of the base's file, if it was read
        self.present = False
        self.replaced: frozenset[bytes] = frozenset()  # paths of a split index that replace entries of the base
        self.mtime_ns = 0
        self.device = -1  # of the file system that gave this time; -1: not known
        self.size = 0
        self.held: tuple[Hold, ...] = ()  # memory of paths that are longer here than in the file
        self.forget()

    def forget(self) -> None:
        """Drop the columns that were made."""
        self._modes: list[int] | None = None
        self._offsets: dict[int, list[int]] = {}  # by stretch of the file
        self._oids: list[bytes] | None = None
        self._stages: list[int] | None = None
        self._stats: list[Stat] | None = None
        self._by_path: dict[bytes, int] | None = None
        self._unmerged: dict[bytes, dict[int, int]] | None = None
        self.derived = Derived()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def paths(self) -> list[bytes]:
        """The path of each entry."""
        padded, paths = self._padded, self._paths  # in this order: another thread may be cutting the paths
        if paths is None:
            need(len(padded) * 60)
            paths = self._paths = without_padding(padded)
            self._padded = []
        return paths

    @paths.setter
    def paths(self, paths: list[bytes]) -> None:
        self._paths, self._usual = paths, None

    @property
    def names(self) -> list[bytes]:
        """The paths, with or without the zero bytes that follow them in the file: both sort in the same order."""
        padded, paths = self._padded, self._paths
        return padded if paths is None else paths

    @property
    def heads(self) -> list[bytes]:
        """The raw fixed part of each entry."""
        heads = self._heads
        if heads is None:
            fixed, width = self.fixed, 42 + self.hash_len
            need(len(self) * 104)
            heads = self._heads = [fixed[at : at + width] for at in range(0, len(fixed), width)]
        return heads

    @heads.setter
    def heads(self, heads: list[bytes]) -> None:
        self._heads, self._rows, self._fixed, self._usual = heads, None, None, None

    @property
    def fixed(self) -> bytes:
        """The raw fixed parts of all entries, side by side."""
        rows, fixed = self._rows, self._fixed  # in this order: another thread may be cutting the parts
        if fixed is not None:
            return fixed
        if rows is None:
            return b"".join(self.heads)
        need(len(self) * rows.fixed)
        fixed = self._fixed = rows.fixed_parts()
        self._rows = None
        return fixed

    def fixed_stretches(self) -> Iterator[bytes]:
        """`fixed` in parts of whole entries, for who looks at them once: very many are cut out and not kept."""
        rows, fixed = self._rows, self._fixed  # as in `fixed`
        if fixed is None and rows is not None and len(self) > MOST_KEPT:
            yield from rows.fixed_stretches()
        else:
            yield self.fixed

    def cut_fixed(self) -> None:
        """Cut the fixed parts of all entries at once, before many are asked for one by one."""
        self.fixed  # noqa: B018  (it is kept)

    def fixed_at(self, places: Sequence[int]) -> bytes:
        """The raw fixed parts of the entries at some positions, which rise, side by side; no others are cut for it."""
        width, rows, fixed = 42 + self.hash_len, self._usual, self._fixed
        if places and places[-1] - places[0] == len(places) - 1:
            low, high = places[0], places[-1] + 1
            if fixed is None and rows is not None:
                return rows.fixed_within(self.start(low), self.start(high))
            return self.fixed[low * width : high * width]
        if fixed is None:
            return b"".join(map(self.head, places))
        return b"".join([fixed[at * width : (at + 1) * width] for at in places])

    def head(self, position: int) -> bytes:
        """The raw fixed part of one entry."""
        width, fixed = 42 + self.hash_len, self._fixed
        if fixed is not None and position >= 0:
            head = fixed[position * width : (position + 1) * width]
            if head:
                return head
        if self._heads is not None:
            return self._heads[position]
        if fixed is None and (rows := self._usual) is not None:
            start = self.start(range(len(self))[position])
            return rows.data[start : start + width]
        at = range(len(self))[position] * width
        return self.fixed[at : at + width]

    def take_rows(self, padded: list[bytes], rows: Rows) -> None:
        """Set the entries as they are in a file; their parts are cut out on first use."""
        self._padded, self._paths = padded, None
        self._rows, self._fixed, self._heads, self._usual = rows, None, None, rows

    @property
    def all_usual(self) -> bool:
        """Whether every entry is a regular file or a link, in no conflict, not assumed to be unchanged and without
        extended flags, so that each path is there once. Only of a file in the usual form it may be True: False says
        nothing."""
        return self._usual is not None and self._usual.usual and not self.special

    @property
    def usual_file(self) -> bytes | None:
        """The file that the entries were read from, if it holds all of them in the form of version 2, without extended
        flags, from its twelfth byte on and in this order; otherwise None."""
        return None if self._usual is None or self.special else self._usual.data

    def start(self, position: int) -> int:
        """The offset of an entry in the usual file; for the position after the last entry, the end of the entries."""
        rows = self._usual
        if rows is None or not rows.stretches:
            return 12
        nth = rows.stretch_of(position)
        offsets = self._offsets.get(nth)
        if offsets is None:
            offsets = self._offsets[nth] = self._offsets_in(rows, nth)
        return offsets[position - rows.stretches[nth][2]]

    def _offsets_in(self, rows: Rows, nth: int) -> list[int]:
        """The offsets of the entries of one stretch, and its end."""
        start, _, first = rows.stretches[nth]
        last = rows.stretches[nth + 1][2] if nth + 1 < len(rows.stretches) else len(self)
        need((last - first) * 40)
        padded, paths = self._padded, self._paths  # in this order: another thread may be cutting the paths
        if paths is None:
            sizes = map(add, map(len, padded[first:last]), repeat(rows.fixed))
        else:  # with one to eight zero bytes behind it an entry is a multiple of eight
            sizes = map(and_, map(add, map(len, paths[first:last]), repeat(rows.fixed + 8)), repeat(-8))
        return list(accumulate(sizes, initial=start))

    @property
    def cache_tree(self) -> CacheTree | None:
        """The trees that the index would make, as far as it has them."""
        tree = self._tree
        if isinstance(tree, bytes):
            tree = self._tree = parse_cache_tree(tree, self.hash_len)
        return tree

    @cache_tree.setter
    def cache_tree(self, tree: CacheTree | bytes | None) -> None:
        self._tree = tree

    def column(self, at: int) -> bytes:
        """One byte of the fixed part of every entry, side by side."""
        return self.fixed[at :: 42 + self.hash_len]

    def states(self) -> bytes:
        """Of every entry a byte of flags: 0x80 if it is assumed to be unchanged, 0x30 its stage, the rest undefined."""
        return bytes(len(self)) if self.all_usual else self.column(40 + self.hash_len)

    @property
    def modes(self) -> list[int]:
        """File modes in the form of trees: 0o100644, 0o120000, 0o160000 …"""
        if self._modes is None:
            need(len(self) * 60)
            self._modes = list(struct.unpack(f">{len(self)}I", self._gathered(24, 4)))
        return self._modes

    @property
    def oids(self) -> list[bytes]:
        """Object ids."""
        if self._oids is None:
            need(len(self) * 70)
            size, fixed, width = self.hash_len, self.fixed, 42 + self.hash_len
            self._oids = [fixed[at : at + size] for at in range(40, len(fixed), width)]
        return self._oids

    def oids_side_by_side(self) -> bytes:
        """The object ids of all entries in one piece."""
        return self._gathered(40, self.hash_len)

    def _gathered(self, at: int, size: int) -> bytes:
        """Some bytes of the fixed part of every entry, side by side."""
        fixed, width = self.fixed, 42 + self.hash_len
        need(len(self) * size)
        return gathered(fixed, at, size, width)

    @property
    def stages(self) -> list[int]:
        """0, or 1 to 3 for the sides of a conflict."""
        if self._stages is None:
            self._stages = list(self.states().translate(STAGE_OF))
        return self._stages

    @property
    def stats(self) -> list[Stat]:
        """(ctime, ctime_ns, mtime, mtime_ns, dev, ino, mode, uid, gid, size) as recorded, each cut to 32 bits."""
        if self._stats is None:
            need(len(self) * _STATS_BYTES)
            cut = struct.Struct(f">10I{self.hash_len + 2}x")
            self._stats = list(cut.iter_unpack(self.fixed))
        return self._stats

    @property
    def mtimes(self) -> tuple[int, ...]:
        """The recorded modification time of each entry's file, in whole seconds."""
        return struct.unpack(f">{len(self)}I", self._gathered(8, 4))

    # One entry's share of the columns: for callers that ask about a few.
    def mode(self, position: int) -> int:
        """The file mode of one entry."""
        return int.from_bytes(self.head(position)[24:28], "big")

    def oid(self, position: int) -> bytes:
        """The object id of one entry."""
        return self.head(position)[40:-2]

    def stage(self, position: int) -> int:
        """The stage of one entry."""
        return self.head(position)[-2] >> 4 & 3

    def stat(self, position: int) -> Stat:
        """The stat data of one entry."""
        return _STAT.unpack_from(self.head(position))

    def flags(self, position: int) -> int:
        """The two bytes of flags as they are in the file (assume-valid, stage, name length)."""
        head = self.head(position)
        return head[-2] << 8 | head[-1]

    def flags_in_memory(self, position: int) -> int:
        """The flags as git holds them in memory: also the extended ones, and a mark on entries that a split index
        replaced."""
        flags = self.flags(position) & 0xF000 | self.special.get(position, 0) << 16
        return flags | (_IN_BASE if self.paths[position] in self.replaced else 0)

    def assume_valid(self, position: int) -> bool:
        """Whether the file is taken to be unchanged (`update-index --assume-unchanged`)."""
        return self.head(position)[-2] >= 0x80

    def skip_worktree(self, position: int) -> bool:
        """Whether the file is not compared (sparse checkout)."""
        return bool(self.special) and bool(self.special.get(position, 0) & SKIP_WORKTREE)

    def intent_to_add(self, position: int) -> bool:
        """Whether only the path was added (`add -N`)."""
        return bool(self.special) and bool(self.special.get(position, 0) & INTENT_TO_ADD)

    @property
    def by_path(self) -> dict[bytes, int]:
        """The first position of each path (its lowest stage)."""
        if self._by_path is None:
            paths = self.paths
            need(len(paths) * 140)
            table = dict(zip(paths, range(len(paths)), strict=True))
            if len(table) < len(paths):
                table = dict(zip(reversed(paths), range(len(paths) - 1, -1, -1), strict=True))
            self._by_path = table
        return self._by_path

    def find(self, path: bytes, stage: int = 0) -> int:
        """The position of a path at a stage, or -1. Uses a bisection and makes no table."""
        names = self.names
        at = bisect_left(names, path)
        while at < len(names) and names[at].rstrip(b"\0") == path:
            if self.head(at)[-2] >> 4 & 3 == stage:
                return at
            at += 1
        return -1

    position = find

    def positions(self, path: bytes) -> range:
        """The positions of all entries of a path."""
        names = self.names
        at = low = bisect_left(names, path)
        while at < len(names) and names[at].rstrip(b"\0") == path:
            at += 1
        return range(low, at)

    def path(self, position: int) -> bytes:
        """The path of one entry."""
        return self.names[position].rstrip(b"\0")

    def has_path(self, path: bytes) -> bool:
        """Whether a path is there at any stage."""
        names = self.names
        at = bisect_left(names, path)
        return at < len(names) and names[at].rstrip(b"\0") == path

    def span(self, folder: bytes) -> tuple[int, int]:
        """The positions [low, high) of the entries below a directory (named without a trailing slash)."""
        return self.span_below(folder + b"/") if folder else (0, len(self))

    def span_below(self, front: bytes) -> tuple[int, int]:
        """The positions [low, high) of the paths that start with `front`, which ends in a slash.

        `b"/"` alone stands for a directory with an empty name, which a hostile index may have.
        """
        names = self.names
        return bisect_left(names, front), bisect_left(names, front[:-1] + b"0")

    def spans_of(self, words: Iterable[bytes], without: Iterable[bytes] = ()) -> list[range]:
        """The positions of the paths that are one of these few words or lie below one (b"" stands for all), in order,
        without those of which that is true for the other words. Uses bisections and makes no table."""
        spans = self._spans_of(words)
        for gap in self._spans_of(without):
            sides = [(range(span.start, min(span.stop, gap.start)), range(max(span.start, gap.stop), span.stop))
                     for span in spans]  # fmt: skip
            spans = list(filter(None, chain.from_iterable(sides)))
        return spans

    def _spans_of(self, words: Iterable[bytes]) -> list[range]:
        names, spans = self.names, list[range]()
        for word in words:
            if not word:
                return [range(len(names))] if names else []
            front = word + b"/"
            # the zero bytes that may follow a path in the file are less than any byte of a longer path
            spans.append(range(bisect_left(names, word), bisect_left(names, word + b"\1")))
            spans.append(range(bisect_left(names, front), bisect_left(names, word + b"0")))
        spans.sort(key=_start_of)
        out: list[range] = []
        for span in spans:
            low = max(span.start, out[-1].stop if out else 0)  # one word may lie below another
            if low < span.stop:
                out.append(range(low, span.stop))
        return out

    def paths_at(self, spans: list[range]) -> list[bytes]:
        """The paths at some positions; no other path is cut."""
        names = self.names
        return without_padding([name for span in spans for name in names[span.start : span.stop]])

    def ending(self, tail: bytes, low: int, high: int) -> list[bytes]:
        """The paths at the positions [low, high) that end so; no other one is cut."""
        padded, paths = self._padded, self._paths
        if paths is None:
            return ending(padded[low:high], tail)
        return [path for path in paced(paths[low:high]) if path.endswith(tail)]

    @property
    def unmerged(self) -> dict[bytes, dict[int, int]]:
        """Conflicts: path → stage → position, in path order."""
        if self._unmerged is None:
            conflicts: dict[bytes, dict[int, int]] = {}
            if not self.all_usual and self.states().translate(_NO_STAGE).strip(b"\0"):
                for position, stage in enumerate(self.stages):
                    if stage:
                        conflicts.setdefault(self.paths[position], {})[stage] = position
            self._unmerged = conflicts
        return self._unmerged

    def entry(self, position: int) -> Entry:
        """One entry as an object."""
        head = self.head(position)
        numbers = _STAT.unpack(head[:40])
        return Entry(
            self.path(position), numbers[6], head[40:-2], head[-2] >> 4 & 3, numbers, head[-2] >= 0x80,
            self.skip_worktree(position), self.intent_to_add(position),
        )  # fmt: skip

    def expanded(self, tree: Callable[[bytes], bytes]) -> "Index":
        """This index with sparse directories replaced by the files in them; the index itself if it has none."""
        if not self.sparse or all(mode != _DIRECTORY for mode in self.modes):
            return self
        full = Index(self.hash_len)
        full.version, full.resolve_undo, full.present = self.version, self.resolve_undo, self.present
        full.mtime_ns, full.device, full.size = self.mtime_ns, self.device, self.size
        full.cache_tree = None
        held = holding()
        full.held = (held,)
        for position, mode in enumerate(paced(self.modes)):
            if mode == _DIRECTORY:
                _expand(full, self.paths[position], self.oids[position], tree, held)
            else:
                if position in self.special:
                    full.special[len(full.paths)] = self.special[position]
                full.paths.append(self.paths[position])
                full.heads.append(self.heads[position])
        check_order(full)  # entries below a sparse directory, and one without its trailing slash, may be out of order
        return full


def _expand(full: Index, folder: bytes, oid: bytes, tree: Callable[[bytes], bytes], held: Hold) -> None:
    """Add every file below a sparse directory, in order, as entries that are not in the work tree."""
    rows: list[tuple[bytes, int, bytes]] = []
    stack = [(folder, oid)]
    while stack:
        step()
        front, root = stack.pop()
        if front.count(b"/") > 2048:
            raise Corrupt("the trees of the sparse index are too deep")
        for mode, name, child in paced(tree_entries(tree(root), full.hash_len)):
            held.count(len(front) + len(name) + ENTRY_BYTES)
            if mode == _DIRECTORY:
                stack.append((front + name + b"/", child))
            else:
                rows.append((front + name, mode, child))
        if len(rows) + len(full.paths) > _MAX_EXPANDED:
            raise TooLarge("the sparse index stands for too many files")
    rows.sort()
    for path, mode, child in paced(rows):
        full.special[len(full.paths)] = SKIP_WORKTREE
        full.paths.append(path)
        stat = bytes(24) + mode.to_bytes(4, "big") + bytes(12)
        full.heads.append(stat + child + (_EXTENDED | min(len(path), 0xFFF)).to_bytes(2, "big"))


def check_order(index: Index) -> None:
    """Check that entries rise by path, and by stage within a path. Raises Corrupt otherwise."""
    names = index.names
    if not any(map(ge, names, islice(names, 1, None))):
        return
    paths, stages = index.paths, index.stages
    for number in range(1, len(paths)):
        before, here = paths[number - 1], paths[number]
        if before > here:
            raise Corrupt("unordered stage entries in index")
        if before == here:
            if not stages[number - 1]:
                raise Corrupt(f"multiple stage entries for merged file '{text(here)}'")
            if stages[number - 1] > stages[number]:
                raise Corrupt(f"unordered stage entries for '{text(here)}'")

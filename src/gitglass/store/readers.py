"""Reading thousands of commits one after the other: what a walk over a whole history does with its time.

The object database answers for one object wherever it may be. A walk asks for nearly all its commits of one pack, where
they are small, whole (no deltas) and nearly in the walk's own order. The readers here are closures made once a walk:
what such a commit takes stands in local names, and everything else is handed to the object database, which also says
what is wrong where something is. They add to the object database's own memory of commits, which it bounds.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from zlib import decompress, decompressobj
from zlib import error as ZlibError

from .objects import commit_facts, commit_parents, usual_facts
from .packs import SMALL, WINDOW_BITS, Pack

#: how many bytes of a commit are read for its facts, and for its parents, in lengths of an oid (20 or 32)
HEAD_OIDS, PARENT_OIDS = 13, 8

Facts = tuple[tuple[bytes, ...], int, bytes]
RawReader = Callable[[bytes], bytes]
_IN_WINDOW = (1 << WINDOW_BITS) - 1
_MISSES = 64
_SLACK = 64  # more bytes than the head of a commit has, compressed, where it is compressed at all


def pack_reader(read: RawReader, last: Callable[[], Pack | None], head: int = 0) -> RawReader:
    """Reads raw commits: small whole ones of one pack here, all others with `read`.

    Where only their first bytes are of interest, `head` says how many: longer commits are inflated no further here.
    The pack is the one that answered last whenever `read` had to be called often. Only buckets of its index that were
    asked so often that they became tuples (see `packindex`) are looked into: a walk of twenty commits pays for nothing.
    """
    pack: Pack | None = None
    tables: dict[int, tuple[bytes, ...]] = {}
    offsets: array[int] | None = None
    windows: dict[int, bytes] = {}
    fan: list[int] = []
    end = missed = 0

    def missing(oid: bytes) -> bytes:
        nonlocal missed
        missed += 1
        raw = read(oid)
        if not missed % _MISSES:
            choose(last())
        return raw

    def choose(other: Pack | None) -> None:
        nonlocal pack, tables, offsets, windows, fan, end
        if other is not None and other.is_open:
            pack, windows, end = other, other.windows, other.end
            tables, offsets, fan = other.index.tables, other.index.offset_table, other.index.fan

    def get(oid: bytes) -> bytes:
        first = oid[0]
        table = tables.get(first)
        if table is None or offsets is None or pack is None:
            return missing(oid)
        at = bisect_left(table, oid)
        if at == len(table) or table[at] != oid:
            return missing(oid)
        at = offsets[fan[first] + at]
        if at >= end:
            return missing(oid)
        window = windows.get(at >> WINDOW_BITS) or pack.load(at >> WINDOW_BITS)
        at &= _IN_WINDOW
        try:
            byte, second = window[at], window[at + 1]
            size = byte & 15 | (second & 127) << 4
            at += 2
            if second > 127:
                second = window[at]
                at += 1
                size |= second << 11
            if byte & 0xF0 != 0x90 or second > 127 or size > SMALL:
                return missing(oid)  # not a commit of some length
            if size > head > 0:
                raw, size = decompressobj().decompress(window[at : at + head + _SLACK], head), head
            else:
                raw = decompress(window[at : at + size + 128], 15, size)
        except (ZlibError, IndexError):
            return missing(oid)
        return raw if len(raw) == size else missing(oid)

    return get


def facts_reader(
    known: dict[bytes, Facts], room: int, whole: dict[bytes, bytes], head: RawReader, read: RawReader, width: int
) -> Callable[[bytes], Facts]:
    """Reads (parents, time, tree) of commits: those `known`, those read as a `whole` before, heads, and else all."""

    def facts(oid: bytes) -> Facts:
        found = known.get(oid)
        if found is None:
            raw = whole.get(oid)
            found = usual_facts(head(oid) if raw is None else raw, width)
            if found is None:
                found = commit_facts(raw or read(oid), oid)
            if len(known) >= room:
                known.clear()
            known[oid] = found
        return found

    return facts


def parents_reader(
    known: dict[bytes, tuple[bytes, ...]],
    room: int,
    whole: dict[bytes, bytes],
    head: RawReader,
    read: RawReader,
    width: int,
) -> Callable[[bytes], tuple[bytes, ...]]:
    """Reads the parents of commits; a head tells those of a commit with one or two."""
    one, two = 4 * width + 13, 6 * width + 21

    def parents(oid: bytes) -> tuple[bytes, ...]:
        found = known.get(oid)
        if found is None:
            raw = whole.get(oid) or head(oid)
            if raw[one : one + 8] != b"\nauthor " and raw[two : two + 8] != b"\nauthor ":
                raw = read(oid)
            found = commit_parents(raw, oid)
            if len(known) >= room:
                known.clear()
            known[oid] = found
        return found

    return parents

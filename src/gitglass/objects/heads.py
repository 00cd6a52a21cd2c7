"""Kind and size of every object of a pack, read from the headers of all of them.

Asked about one by one, an object costs a look-up in the index, a window of the pack and the header byte by byte. For
all objects together the pack is held in memory, a portion of it at a time, and the headers of whole objects below two
kilobytes, which nearly all are, are decoded column by column. Deltas are taken in the pack's order: as the base of each
lies before it, its kind is known by then. `Pack` decodes every other one, and says what is wrong.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from zlib import error as ZlibError

from ..errors import Corrupt, PermissionDenied, SandboxViolation, Unreadable
from ..limits import need, paced, pause
from ..records import record
from .delta import delta_sizes
from .pack import AFTER, KIND_NAMES, OFS_DELTA, ROOM, Pack, inflate
from .pack_index import PackIndex

_MANY = 1 << 13  # objects that are looked at in one go: were all deltas, some thirty milliseconds
_MOST = 1 << 21  # objects of one pack, beyond which the table would be too large
_PORTION, _BEYOND = 1 << 24, 1 << 10  # bytes of the pack that are held at a time
_ENTRY_BYTES = 240  # what an object takes while it is made
_NAME_OF_KIND = [KIND_NAMES.get(number, b"") for number in range(8)]
_MORE = 127  # a byte of a size beyond this is followed by another one
_LONG = 512  # bytes of a delta, beyond which only its beginning is inflated
_FAR = 1023  # and steps of other work between two looks at the clock
# the kind that a header's first byte names, 0 where it is a delta or nothing
_KINDS = bytes(kind if 0 < (kind := byte >> 4 & 7) < 5 else 0 for byte in range(256))
_CONTINUED = bytes(byte > _MORE for byte in range(256))
# what the two first bytes say of a size: its lowest four bits, and where it goes on, the next four and three more
_LOWEST = bytes(byte & 15 for byte in range(256))
_GOES_ON = bytes(255 if byte > _MORE else 0 for byte in range(256))
_NEXT = bytes((byte & 15) << 4 for byte in range(256))
_LAST = bytes(byte >> 4 & 7 for byte in range(256))


@record
class PackHeads:
    """By position in the pack's index: the number of the kind (0: not known here, ask for the object), and the size."""

    kinds: bytearray
    sizes: array[int]


def pack_heads(pack: Pack) -> PackHeads | None:
    """The kinds and sizes of all objects of a pack; None where it cannot be read so, and each is to be asked for: a
    pack of very many, or one that is broken, about which those complain who read the object."""
    try:
        return _heads(pack)
    except (Corrupt, PermissionDenied, SandboxViolation, Unreadable):
        return None


def _heads(pack: Pack) -> PackHeads | None:
    view, index = pack.open(), pack.index
    count = index.count
    if not 0 < count <= _MOST:
        return None
    need(count * _ENTRY_BYTES)
    offsets = index.offsets()
    if min(offsets) < 12 or max(offsets) > pack.end - 2:  # two bytes of each are looked at, and none is shorter
        return None
    reader = _Reader(pack, PackHeads(bytearray(count), array("Q", bytes(8 * count))))
    for begin, size, places in _portions(offsets, pack.end):
        need(size)
        data = view.read(begin, size)
        if len(data) < size:
            return None
        reader.read(begin, data, places, offsets)
    return reader.heads


def _sizes(firsts: bytes, seconds: bytes) -> array[int]:
    """The sizes that begin in the first bytes of headers, as far as the second bytes go on with them: each bit of all
    sizes at once, in numbers that are as long as the columns."""
    count = len(firsts)
    goes_on = int.from_bytes(firsts.translate(_GOES_ON), "big")
    low = int.from_bytes(seconds.translate(_NEXT), "big") & goes_on | int.from_bytes(firsts.translate(_LOWEST), "big")
    high = int.from_bytes(seconds.translate(_LAST), "big") & goes_on
    pairs = bytearray(2 * count)
    pairs[sys.byteorder == "big" :: 2] = low.to_bytes(count, "big")
    pairs[sys.byteorder == "little" :: 2] = high.to_bytes(count, "big")
    return array("Q", array("H", pairs))


def _portions(offsets: list[int], end: int) -> list[tuple[int, int, Sequence[int]]]:
    """Where each portion of the pack begins, how much is read of it, and the positions of the objects that begin in it:
    what is looked at of the last one may reach into the next portion."""
    if end <= 2 * _PORTION:
        return [(0, end, range(len(offsets)))]
    portions: dict[int, list[int]] = {}
    for position, offset in enumerate(offsets):
        portions.setdefault(offset // _PORTION, []).append(position)
        if not position & _FAR:
            pause()
    begins = [(number * _PORTION, portions[number]) for number in sorted(portions)]
    return [(begin, min(_PORTION + _BEYOND, end - begin), places) for begin, places in begins]


class _Reader:
    """Kinds and sizes, a portion of the pack after another."""

    __slots__ = ("_begin", "_data", "_kind_at", "_others", "_pack", "heads")

    def __init__(self, pack: Pack, heads: PackHeads) -> None:
        self._pack, self.heads = pack, heads
        self._begin, self._data = 0, b""
        self._others: list[int] = []  # the positions of what is not whole
        self._kind_at: dict[int, int] = {}  # by offset, of the deltas

    def read(self, begin: int, data: bytes, places: Sequence[int], offsets: list[int]) -> None:
        """The objects at those positions; `data` is what stands in the pack from `begin` on."""
        self._begin, self._data = begin, data
        for low in range(0, len(places), _MANY):
            pause()
            some = places[low : low + _MANY]
            if isinstance(some, range):
                starts = offsets[some.start : some.stop]
            else:
                starts = [offsets[position] - begin for position in some]
            self._columns(some, starts)
        self._deltas(offsets)

    def _columns(self, places: Sequence[int], starts: list[int]) -> None:
        data, heads = self._data, self.heads
        firsts = bytes(map(data.__getitem__, starts))
        seconds = bytes(map(memoryview(data)[1:].__getitem__, starts))
        kinds = firsts.translate(_KINDS)
        sizes = _sizes(firsts, seconds)
        if isinstance(places, range):
            heads.kinds[places.start : places.stop] = kinds
            heads.sizes[places.start : places.stop] = sizes
        else:
            for position, kind, size in zip(places, kinds, sizes):
                heads.kinds[position] = kind
                heads.sizes[position] = size
        # the longer sizes, where both bytes are continued
        long = int.from_bytes(firsts.translate(_CONTINUED), "big") & int.from_bytes(
            seconds.translate(_CONTINUED), "big"
        )
        marks = long.to_bytes(len(firsts), "big")
        at = marks.find(1)
        while at >= 0:
            if kinds[at]:
                self._decode(places[at], starts[at])
            at = marks.find(1, at + 1)
        if 0 in kinds:
            self._others += [position for position, kind in zip(places, kinds) if not kind]

    def _deltas(self, offsets: list[int]) -> None:
        """The objects that are not whole, in the pack's order, so that the kind of a base is known by then: of those
        that are small and lie against a base by its offset, the size of what they make, and the base's kind."""
        data, begin, kind_at = self._data, self._begin, self._kind_at
        kinds, sizes = self.heads.kinds, self.heads.sizes
        self._others.sort(key=offsets.__getitem__)
        for position in paced(self._others):
            start = offsets[position] - begin
            try:
                first = byte = data[start]
                size, at = byte & 15, start + 1
                if byte > _MORE:
                    byte = data[at]
                    at += 1
                    size |= (byte & 127) << 4
                if byte > _MORE or first & 0x70 != OFS_DELTA << 4 or size > _LONG:
                    self._decode(position, start)
                    continue
                byte = data[at]
                at += 1
                back = byte & 127
                while byte > _MORE:
                    byte = data[at]
                    at += 1
                    back = (back + 1) << 7 | (byte & 127)
                base = start - back
                kind = _KINDS[data[base]] or kind_at.get(base + begin, 0) if 0 <= base < start else 0
                delta = inflate(data[at : at + size + AFTER], 15, size + ROOM)
                made = delta[1]  # of small files both sizes take one byte
                sizes[position] = made if delta[0] <= _MORE >= made else delta_sizes(delta)[1]
            except (IndexError, ZlibError, Corrupt):
                kind = 0
            if kind:
                kinds[position] = kind_at[start + begin] = kind
            else:
                self._decode(position, start)
        self._others.clear()

    def _decode(self, position: int, start: int) -> None:
        """What the pack itself says of any other object."""
        pack, offset = self._pack, start + self._begin
        try:
            kind, size, at, base = pack.header(offset)
            if kind >= OFS_DELTA:
                kind, size = self._kind_of(base) if isinstance(base, int) else 0, pack.made_size(at, offset)
                self._kind_at[offset] = kind
        except Corrupt:
            kind = size = 0
        self.heads.kinds[position], self.heads.sizes[position] = kind, size

    def _kind_of(self, offset: int) -> int:
        """The kind of the object at an offset before: of one that is a delta it is known."""
        kind = self._kind_at.get(offset)
        if kind is None:
            kind = self._pack.header(offset)[0]
        return kind if kind < OFS_DELTA else 0


#: the kind (b"" where it is not known) and the size of each of some objects
Heads = tuple[Sequence[bytes], Sequence[int]]


def heads_reader(packs: Iterable[Pack]) -> Callable[[list[bytes]], Heads]:
    """Gives the kinds and sizes of objects whose names begin with the same byte, and are sorted; those of packs that
    are not too large are known."""
    tables = [(pack.index, heads) for pack in packs if (heads := pack_heads(pack)) is not None]

    def read(oids: list[bytes]) -> Heads:
        first, names = oids[0][0], b"".join(oids)
        pieces = [(index, *_piece(index, heads, first)) for index, heads in tables]
        for index, kinds, sizes in pieces:
            if index.spot(first)[0] == names:
                return kinds, sizes
        kind_of: dict[bytes, bytes] = {}
        size_of: dict[bytes, int] = {}
        for index, kinds, sizes in pieces:
            named = index.starting(first)
            kind_of.update(zip(named, kinds))
            size_of.update(zip(named, sizes))
        return [kind_of.get(oid, b"") for oid in oids], [size_of.get(oid, 0) for oid in oids]

    return read


def _piece(index: PackIndex, heads: PackHeads, first: int) -> Heads:
    """What is known of the objects of one pack whose names begin with a byte."""
    low, high = index.fan[first], index.fan[first + 1]
    return list(map(_NAME_OF_KIND.__getitem__, heads.kinds[low:high])), heads.sizes[low:high]

"""Kind and size of every object of a pack, read from the headers in the pack's own order.

Asked about one by one, an object costs a look-up in the index, a window of the pack and the header byte by byte. For
all objects together the pack is read from front to end, and the headers of whole objects below two kilobytes, which
nearly all are, are decoded column by column; `Pack` decodes every other one. The base of a delta lies before it, so
that its kind is known by then.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable

from ..errors import Corrupt, PermissionDenied, SandboxViolation, Unreadable
from ..limits import LARGE, need, pause
from ..records import record
from .pack import KIND_NAMES, OFS_DELTA, Pack

_MANY = 1 << 13  # objects that are looked at in one go: were all deltas, some thirty milliseconds
_MOST = 1 << 21  # objects of one pack, beyond which the table would be too large
_ENTRY_BYTES = 120  # what an object takes while it is made
_NAME_OF_KIND = [KIND_NAMES.get(number, b"") for number in range(8)]
_MORE = 127  # a byte of a size beyond this is followed by another one
# the kind that a header's first byte names, 0 where it is a delta or nothing
_KINDS = bytes(kind if 0 < (kind := byte >> 4 & 7) < 5 else 0 for byte in range(256))


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
    if index.count > _MOST:
        return None
    need(index.count * _ENTRY_BYTES)
    offsets = index.offsets()
    order = sorted(range(len(offsets)), key=offsets.__getitem__)
    starts = [offsets[position] for position in order]
    if not starts or starts[0] < 12 or starts[-1] >= pack.end:
        return None
    heads = PackHeads(bytearray(len(starts)), array("Q", bytes(8 * len(starts))))
    reader = _Reader(pack, starts)
    low = 0
    while low < len(starts):
        pause()
        begin = starts[low]
        high = min(bisect_left(starts, begin + LARGE - 2, low), low + _MANY)
        data = view.read(begin, starts[high - 1] + 2 - begin)
        if len(data) < starts[high - 1] + 2 - begin:
            return None
        reader.read(low, high, data)
        low = high
    for position, kind, size in zip(order, reader.kinds, reader.sizes):
        heads.kinds[position] = kind
        heads.sizes[position] = size
    return heads


class _Reader:
    """Kinds and sizes in the pack's order, as far as they were read."""

    __slots__ = ("_offsets", "_pack", "kinds", "sizes")

    def __init__(self, pack: Pack, offsets: list[int]) -> None:
        self._pack, self._offsets = pack, offsets
        self.kinds = bytearray()
        self.sizes = array("Q")

    def read(self, low: int, high: int, data: bytes) -> None:
        """The objects from `low` to `high`; `data` is what stands in the pack from the first of them on."""
        begin = self._offsets[low]
        starts = [offset - begin for offset in self._offsets[low:high]]
        firsts = bytes(map(data.__getitem__, starts))
        seconds = bytes(map(data.__getitem__, [start + 1 for start in starts]))
        self.kinds += firsts.translate(_KINDS)
        self.sizes.extend(
            [one & 15 | (two & 127) << 4 if one > _MORE else one & 15 for one, two in zip(firsts, seconds)]
        )
        for at, (one, two) in enumerate(zip(firsts, seconds), low):
            if (one > _MORE and two > _MORE) or (one & 0x40 and one & 0x30):
                self._decode(at)

    def _decode(self, at: int) -> None:
        """A large object, or a delta: the size of what it makes, and the kind of its base."""
        pack, offset = self._pack, self._offsets[at]
        try:
            kind, size, start, base = pack.header(offset)
            if kind >= OFS_DELTA:
                kind, size = self._kind_at(base) if isinstance(base, int) else 0, pack.made_size(start, offset)
        except Corrupt:
            kind = size = 0
        self.kinds[at], self.sizes[at] = kind, size

    def _kind_at(self, offset: int) -> int:
        at = bisect_left(self._offsets, offset, 0, len(self.kinds))
        return self.kinds[at] if at < len(self.kinds) and self._offsets[at] == offset else 0


def heads_by_first_byte(packs: Iterable[Pack]) -> Callable[[int], dict[bytes, tuple[bytes, int]]]:
    """Gives {oid: (kind, size)} of the objects in packs, but for too large ones, by the first byte of their names."""
    tables = [(pack.index, heads) for pack in packs if (heads := pack_heads(pack)) is not None]

    def of(first: int) -> dict[bytes, tuple[bytes, int]]:
        out: dict[bytes, tuple[bytes, int]] = {}
        for index, heads in tables:
            low, high = index.fan[first], index.fan[first + 1]
            kinds = map(_NAME_OF_KIND.__getitem__, heads.kinds[low:high])
            out.update(zip(index.starting(first), zip(kinds, heads.sizes[low:high])))
        return out

    return of

"""EWAH bitmaps: runs of equal words, and literal words. The split index and pack bitmaps use them.

Mirrors gitformat-index(5), "Split index", and gitformat-bitmap(5), "Appendix A".
"""

import struct

from ..errors import Corrupt
from ..limits import step


def ewah_positions(data: bytes, position: int, limit: int) -> tuple[list[int], int]:
    """The positions of the set bits, and the end of the bitmap in `data`. A bit at or beyond `limit` is corrupt."""
    if position + 12 > len(data):
        raise Corrupt("corrupt link extension")
    _, count = struct.unpack_from(">II", data, position)
    position += 8
    if position + count * 8 + 4 > len(data):
        raise Corrupt("corrupt link extension")
    words = struct.unpack_from(f">{count}Q", data, position)
    end = position + count * 8 + 4
    positions: list[int] = []
    bit = at = 0
    while at < count:
        step()
        marker = words[at]
        at += 1
        run = (marker >> 1 & 0xFFFFFFFF) * 64
        literals = marker >> 33
        if marker & 1 and run:
            if bit + run > limit + 63:
                raise Corrupt("corrupt link extension")
            positions.extend(range(bit, bit + run))
        bit += run
        for word in words[at : at + literals]:
            step()
            if bit + word.bit_length() > limit and word:
                raise Corrupt("corrupt link extension")
            while word:
                low = word & -word
                positions.append(bit + low.bit_length() - 1)
                word ^= low
            bit += 64
        at += literals
    if positions and positions[-1] >= limit:
        raise Corrupt("corrupt link extension")
    return positions, end

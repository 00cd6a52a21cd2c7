"""`GIT binary patch`: both directions of a change as deflated literals or deltas, in base 85.

The delta must be the one git makes, so its search is git's: blocks of 16 bytes of the source are indexed by a rolling
hash (a Rabin fingerprint of degree 31), the target is scanned byte by byte, the longest match is taken, and matches are
extended backwards over bytes already put out as literals.
"""

from __future__ import annotations

import zlib
from base64 import b85encode

from ...annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["binary_patch", "make_delta"]

_WINDOW = 16
_SHIFT = 23
_POLYNOMIAL = 0xAB59B4D1
_BUCKET = 64  # most entries kept for one hash value
_ENOUGH = 4096
_MASK = 0xFFFFFFFF
_STRETCH = 1 << 20  # bytes that are deflated between two checks of the clock


def binary_patch(old: bytes, new: bytes, level: int, ctx: Context) -> bytes:
    """The text from `GIT binary patch` to its last blank line: forward, then backward. `level` is zlib's."""
    return b"GIT binary patch\n" + _direction(old, new, level, ctx) + _direction(new, old, level, ctx)


def _direction(source: bytes, target: bytes, level: int, ctx: Context) -> bytes:
    literal = _deflated(target, level, ctx)
    head, data = b"literal %d\n" % len(target), literal
    if source and target:
        delta = make_delta(source, target, len(literal), ctx)
        if delta is not None:
            packed = _deflated(delta, level, ctx)
            if len(packed) < len(literal):
                head, data = b"delta %d\n" % len(delta), packed
    lines = [head]
    for at in range(0, len(data), 52):
        ctx.tick()
        chunk = data[at : at + 52]
        size = len(chunk)
        mark = size + 64 if size <= 26 else size - 26 + 96
        lines.append(b"%c%s\n" % (mark, b85encode(chunk, pad=True)))
    lines.append(b"\n")
    return b"".join(lines)


def _deflated(data: bytes, level: int, ctx: Context) -> bytes:
    """`zlib.compress` with checks of the clock. Compressing piece by piece gives the same bytes, except at level 0."""
    if len(data) <= _STRETCH or not level:
        return zlib.compress(data, level)
    deflate = zlib.compressobj(level)
    pieces = []
    for at in range(0, len(data), _STRETCH):
        ctx.pause()
        pieces.append(deflate.compress(data[at : at + _STRETCH]))
    pieces.append(deflate.flush())
    return b"".join(pieces)


def _reduce(value: int) -> int:
    """`value` modulo the polynomial."""
    while value.bit_length() > 31:
        value ^= _POLYNOMIAL << (value.bit_length() - 32)
    return value


_tables: tuple[list[int], list[int]] | None = None


def _hash_tables() -> tuple[list[int], list[int]]:
    """The tables of values to mix in for the byte that is shifted out at the top, and for the byte that leaves the
    window."""
    global _tables
    if _tables is None:
        enter = [_reduce(byte << 31) | ((byte & 1) << 31) for byte in range(256)]
        leave = [_reduce(byte << (8 * (_WINDOW - 1))) for byte in range(256)]
        _tables = enter, leave
    return _tables


def _index(source: bytes, enter: list[int], ctx: Context) -> tuple[dict[int, list[tuple[int, int]]], int]:
    """The ends of the source's blocks by hash bucket, lowest first; and the bucket mask."""
    blocks = (len(source) - 1) // _WINDOW
    bits = 4
    while 1 << bits < blocks // 4:
        bits += 1
    mask = (1 << bits) - 1
    ends: list[tuple[int, int]] = []  # (hash, end of block), from the last block to the first
    previous = -1
    for start in range((blocks - 1) * _WINDOW, -1, -_WINDOW):
        ctx.tick()
        value = 0
        for byte in source[start + 1 : start + 1 + _WINDOW]:
            value = ((value << 8 & _MASK) | byte) ^ enter[value >> _SHIFT]
        if value == previous:
            ends[-1] = (value, start + _WINDOW)  # of neighbours with equal hashes the lowest is kept
        else:
            previous = value
            ends.append((value, start + _WINDOW))
    buckets: dict[int, list[tuple[int, int]]] = {}
    for entry in reversed(ends):
        buckets.setdefault(entry[0] & mask, []).append(entry)
    for key, entries in buckets.items():
        if len(entries) > _BUCKET:
            buckets[key] = _thinned(entries)
    return buckets, mask


def _thinned(entries: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """An over-full bucket, evenly reduced."""
    surplus = len(entries) - _BUCKET
    kept = []
    debt = 0
    at = 0
    while at < len(entries):
        debt += surplus
        kept.append(entries[at])
        while debt > 0:
            at += 1
            debt -= _BUCKET
        at += 1
    return kept


def _number(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def make_delta(source: bytes, target: bytes, limit: int, ctx: Context) -> bytes | None:
    """git's delta from one text to another; None if it would be longer than `limit`."""
    enter, leave = _hash_tables()
    buckets, mask = _index(source, enter, ctx)
    out = bytearray(_number(len(source)) + _number(len(target)))
    top = len(target)
    literal = bytearray(target[:_WINDOW])
    value = 0
    for byte in literal:
        value = ((value << 8 & _MASK) | byte) ^ enter[value >> _SHIFT]
    at = len(literal)
    offset = size = 0
    while at < top:
        ctx.tick()
        if size < _ENOUGH:
            value ^= leave[target[at - _WINDOW]]
            value = ((value << 8 & _MASK) | target[at]) ^ enter[value >> _SHIFT]
            entries = buckets.get(value & mask)
            if entries is not None:
                offset, size = _best(source, target, at, value, entries, offset, size)
        if size < 4:
            literal.append(target[at])
            at += 1
            if len(literal) == 0x7F:
                out.append(0x7F)
                out += literal
                literal.clear()
            size = 0
        else:
            while literal and offset and source[offset - 1] == target[at - 1]:
                size += 1
                offset -= 1
                at -= 1
                literal.pop()
            if literal:
                out.append(len(literal))
                out += literal
                literal.clear()
            left = max(size - 0x10000, 0)
            size -= left
            out += _copy(offset, size)
            at += size
            offset += size
            size = left
            if size < _ENOUGH:
                value = 0
                for byte in target[at - _WINDOW : at]:
                    value = ((value << 8 & _MASK) | byte) ^ enter[value >> _SHIFT]
        if len(out) > limit:
            return None
    if literal:
        out.append(len(literal))
        out += literal
    return bytes(out) if len(out) <= limit else None


def _best(
    source: bytes, target: bytes, at: int, value: int, entries: list[tuple[int, int]], offset: int, size: int
) -> tuple[int, int]:
    """The longest match of the target at `at` with a block of the same hash: (offset, size)."""
    top, end = len(target), len(source)
    for hashed, start in entries:
        if hashed != value:
            continue
        room = min(end - start, top - at)
        if room <= size:
            break
        length = _common(source, start, target, at, room)
        if length > size:
            size, offset = length, start
            if size >= _ENOUGH:
                break
    return offset, size


def _common(one: bytes, i: int, two: bytes, j: int, room: int) -> int:
    """The number of bytes that are equal from `one[i]` and `two[j]` on."""
    step = 32
    got = 0
    while got < room:
        size = min(step, room - got)
        if one[i + got : i + got + size] == two[j + got : j + got + size]:
            got += size
            step = min(step * 2, 1 << 16)
            continue
        while size > 1:
            half = size >> 1
            if one[i + got : i + got + half] == two[j + got : j + got + half]:
                got += half
                size -= half
            else:
                size = half
        return got
    return got


def _copy(offset: int, size: int) -> bytes:
    code = 0x80
    out = bytearray()
    for bit in range(4):
        byte = offset >> (8 * bit) & 0xFF
        if byte:
            code |= 1 << bit
            out.append(byte)
    for bit in range(2):
        byte = size >> (8 * bit) & 0xFF
        if byte:
            code |= 0x10 << bit
            out.append(byte)
    return bytes([code]) + bytes(out)

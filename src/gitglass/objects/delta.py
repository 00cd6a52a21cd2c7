"""Applying deltas: with dulwich's compiled function if there is one, otherwise its pure one, and with bounds for both.

The compiled function is loaded only for more deltas than a short command meets, and without dulwich's package, whose
import takes milliseconds. The first deltas are applied here in less.
"""

import io
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from importlib import import_module

from ..annotations import Any
from ..errors import Corrupt, TooLarge
from ..limits import need, pause, step


def _load() -> Callable[[bytes, bytes], list[bytes]]:
    try:
        compiled = _compiled_alone() or import_module("dulwich._pack")
    except ImportError:
        from dulwich.pack import apply_delta as pure

        return pure
    apply: Callable[[bytes, bytes], list[bytes]] = compiled.apply_delta
    return apply


def _compiled_alone() -> Any:
    """`dulwich._pack` without importing `dulwich`, registered under its own name for later imports. None if `dulwich`
    is imported already, or if the extension is not installed."""
    from importlib.machinery import ExtensionFileLoader, PathFinder  # imported when there are many deltas

    if "dulwich" in sys.modules or (package := PathFinder.find_spec("dulwich")) is None:
        return None
    spec = PathFinder.find_spec("dulwich._pack", package.submodule_search_locations)
    if spec is None or not isinstance(spec.loader, ExtensionFileLoader):
        return None
    module = spec.loader.create_module(spec)
    spec.loader.exec_module(module)
    sys.modules["dulwich._pack"] = module
    return module


_MOST = 4 << 20  # most bytes that one byte of instructions makes: four of them copy 16 MiB
_LONG = 4 << 20  # results larger than this are made step by step, so that the deadline can be checked
_ROOM = 32 << 20  # bytes of memory that are allocated between two looks at the clock
_MOST_PIECES = 1 << 12  # most pieces of an object that is not joined yet
_STRETCH = 4 << 20  # bytes that are copied between two looks at the clock

#: for each combination of its presence bits: by how much each byte of an offset (or of a length) is shifted
_OFFSET_BYTES = [[8 * bit for bit in range(4) if bits >> bit & 1] for bits in range(16)]
_LENGTH_BYTES = _OFFSET_BYTES[:8]
_FEW = 128  # deltas that are applied here, in a millisecond, before the compiled function is loaded

_apply: Callable[[bytes, bytes], list[bytes]] | None = None
_applied = 0


def delta_sizes(delta: bytes) -> tuple[int, int, int]:
    """(size of the base, size of the result, where the instructions begin), as the delta claims them."""
    sizes = []
    at = 0
    try:
        if delta[0] > 127 > delta[1] and delta[2] > 127 > delta[3]:  # nearly always: both sizes take two bytes
            return delta[0] & 127 | delta[1] << 7, delta[2] & 127 | delta[3] << 7, 4
        if delta[0] < 128 > delta[1]:  # in deltas of small files
            return delta[0], delta[1], 2
        if len(delta) > 5:
            one, two, three, four, five, six = delta[:6]
            if one > 127 < two and three < 128 <= four and five > 127 > six:  # in deltas of files of 16 KiB and more
                return one & 127 | (two & 127) << 7 | three << 14, four & 127 | (five & 127) << 7 | six << 14, 6
        for _ in range(2):
            size = shift = 0
            while True:
                byte = delta[at]
                at += 1
                size |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
                if shift > 63:
                    raise Corrupt("delta size out of range")
            sizes.append(size)
    except IndexError:
        raise Corrupt("delta ends within its header") from None
    return sizes[0], sizes[1], at


def apply_delta(base: bytes, delta: bytes, limit: int) -> bytes:
    """The object that a delta makes of its base. Raises `Corrupt` if the delta does not fit, `TooLarge` beyond `limit`.

    The claimed size is checked first, since the result is allocated by it; the instructions cannot exceed it.
    """
    global _apply, _applied
    # two sizes that end within four bytes claim less than 2 MiB: most deltas need no further check
    if not (delta[1:2] < b"\x80" and delta[3:4] < b"\x80" and limit >= _LONG):
        source, size, at = delta_sizes(delta)
        if size > limit:
            if size > (len(delta) - at) * _MOST:
                raise Corrupt("failed to apply delta: it claims more than it can make")
            raise TooLarge(f"an object made by deltas is too large: {size} bytes", size=size, limit=limit)
        if size > _LONG:
            return _apply_long(base, delta, source, size, at)
    if _apply is None:
        _applied += 1
        small = _apply_small(base, delta) if _applied < _FEW else None
        if small is not None:
            return small
        _apply = _load()
    try:
        chunks = _apply(base, delta)
    except Exception as error:
        raise Corrupt(f"failed to apply delta: {error}") from None
    result = chunks[0] if len(chunks) == 1 else b"".join(chunks)
    if not result and delta_sizes(delta)[2] != len(delta):  # dulwich ignores instructions after an empty result
        raise Corrupt("failed to apply delta: it makes more than it claims")
    return result


def _apply_small(base: bytes, delta: bytes) -> bytes | None:
    """`apply_delta` for a valid delta; None for any other: dulwich has the messages for what is wrong."""
    source, size, at = delta_sizes(delta)
    if source != len(base):
        return None
    pieces = []
    total, end = 0, len(delta)
    try:
        while at < end:
            code = delta[at]
            at += 1
            if code < 0x80:
                pieces.append(delta[at : at + code])
                at += code
                total += code or end  # 0 is no valid instruction: exceed the size
                continue
            start = 0
            if code & 1:
                start = delta[at]
                at += 1
            if code & 2:
                start |= delta[at] << 8
                at += 1
            if code & 12:
                for shift in _OFFSET_BYTES[code & 12]:
                    start |= delta[at] << shift
                    at += 1
            if code & 112 == 16:
                length = delta[at] or 0x10000
                at += 1
            else:
                length = 0
                for shift in _LENGTH_BYTES[code >> 4 & 7]:
                    length |= delta[at] << shift
                    at += 1
                length = length or 0x10000
            total += length
            if total > size:
                return None
            pieces.append(base[start : start + length])
    except IndexError:
        return None
    result = b"".join(pieces)
    return result if len(result) == total == size and at == end else None


_Piece = tuple[bytes, int, int]  # source bytes, offset in them, length


def apply_deltas(base: bytes, deltas: Sequence[bytes]) -> bytes | None:
    """The result of a chain of deltas, each applied to the result of the one before, without the objects in between: a
    large object of which little changes is joined only once.

    None if a delta is not valid (`apply_delta` has the messages), or the result is too large or has too many pieces."""
    starts, pieces, total = [0], [(base, 0, len(base))], len(base)
    for delta in deltas:
        step()
        source, size, at = delta_sizes(delta)
        fits = source == total and size <= _LONG and len(pieces) <= _MOST_PIECES
        joined = _pieces_of(delta, at, size, starts, pieces) if fits else None
        if joined is None:
            return None
        (starts, pieces), total = joined, size
    need(total)
    return b"".join([memoryview(data)[start : start + length] for data, start, length in pieces])


def _pieces_of(
    delta: bytes, at: int, size: int, starts: list[int], pieces: list[_Piece]
) -> tuple[list[int], list[_Piece]] | None:
    """(where each piece of a delta's result begins, the pieces), made from `starts` and `pieces` of its base. The
    instructions begin at `at`. None if the delta does not fit its base."""
    new_starts, new_pieces, have, end = list[int](), list[_Piece](), 0, len(delta)
    total = starts[-1] + pieces[-1][2] if pieces else 0

    def append_piece(data: bytes, start: int, length: int) -> None:
        nonlocal have
        last = new_pieces[-1] if new_pieces else (b"", -1, 0)
        if last[0] is data and last[1] + last[2] == start:
            new_pieces[-1] = data, last[1], last[2] + length
        else:
            new_starts.append(have)
            new_pieces.append((data, start, length))
        have += length

    try:
        while at < end:
            code = delta[at]
            at += 1
            if code < 0x80:
                if not code or at + code > end:
                    return None
                append_piece(delta, at, code)
                at += code
                continue
            start = length = 0
            for shift in _OFFSET_BYTES[code & 15]:
                start |= delta[at] << shift
                at += 1
            for shift in _LENGTH_BYTES[code >> 4 & 7]:
                length |= delta[at] << shift
                at += 1
            length = length or 0x10000
            if start + length > total:
                return None
            nth = bisect_right(starts, start) - 1
            while length:
                data, begin, available = pieces[nth]
                skip = start - starts[nth]
                part = min(length, available - skip)
                append_piece(data, begin + skip, part)
                start, length, nth = start + part, length - part, nth + 1
    except IndexError:
        return None
    return (new_starts, new_pieces) if have == size else None


def _apply_long(base: bytes, delta: bytes, source: int, size: int, at: int) -> bytes:
    """`apply_delta` for a large result: one instruction at a time, looking at the clock, never beyond the size."""
    if source != len(base):
        raise Corrupt("failed to apply delta: it is for another base")
    need(size)
    result = io.BytesIO()
    for room in range(_ROOM, size + _ROOM, _ROOM):  # allocated in advance: a growing buffer would be held twice
        result.seek(min(room, size) - 1)
        result.write(b"\0")
        pause()  # the system takes time to provide the pages
    result.seek(0)
    old = memoryview(base)
    end, remaining, unwatched = len(delta), size, size
    while at < end:
        if unwatched - remaining >= _STRETCH:  # one instruction copies 16 MiB at most
            unwatched = remaining
            pause()
        step()
        code = delta[at]
        at += 1
        if code & 0x80:
            start = length = 0
            for bit in range(4):
                if code >> bit & 1:
                    start |= int.from_bytes(delta[at : at + 1]) << (8 * bit)
                    at += 1
            for bit in range(3):
                if code >> (4 + bit) & 1:
                    length |= int.from_bytes(delta[at : at + 1]) << (8 * bit)
                    at += 1
            length = length or 0x10000
            piece: bytes | memoryview = old[start : start + length]
        else:
            length = code
            piece = delta[at : at + length]
            at += length
        remaining -= length
        if len(piece) != length or not length or remaining < 0 or at > end:
            raise Corrupt("failed to apply delta: it leaves its base")
        result.write(piece)
    if remaining:
        raise Corrupt("failed to apply delta: it makes less than it claims")
    return result.getvalue()

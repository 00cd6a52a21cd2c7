"""The similarity of two files, in git's measure.

git cuts a file into chunks that end at a newline or after 64 bytes, hashes each and adds up the bytes that both files
have in chunks of equal hash. Here the chunks themselves are compared (in C, as dictionary items), and only the
remaining ones are hashed with git's hash, because chunks whose hashes collide count as copied material too: that can
change the score by a percent.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, repeat
from struct import Struct

from ..annotations import TYPE_CHECKING
from ..limits import paced, pause
from .changes import Contents, Filespec
from .lines.common_ends import common_head, common_tail
from .spec import MAX_SCORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Shortlist", "Similarity", "Spans", "span_hash", "span_hashes"]

HASHBASE = 107927
_MANY = 1 << 16  # chunks; the clock is checked while so many are counted
_PIECE = 1 << 18  # a multiple of 64
_chunks = re.compile(rb"[^\n]{64}|[^\n]*\n").findall
_M32 = (1 << 32) - 1
_M64 = (1 << 64) - 1
_FEW, _LANES = 24, 1 << 9  # chunks that are hashed one by one, and at most together
_LANE, _ONE_LANE = Struct("<Q"), b"\1" + bytes(7)


@lru_cache(maxsize=1 << 14)
def span_hash(chunk: bytes) -> int:
    """git's hash of a chunk: two 32-bit words, rotated together by seven bits for each byte, which is added to the
    lower.

    The carry out of the lower word is lost: rarely in prose, soon in a run of one byte and in binary data. The hashes
    are cached, because one line occurs in many files of a project.
    """
    both = 0
    for byte in chunk:
        both = ((both << 7 | both >> 57) & _M64) + byte
        if both & _M32 < byte:
            both -= 1 << 32
    return (((both & _M32) + (both >> 32) * 0x61) & _M32) % HASHBASE


def span_hashes(chunks: list[bytes]) -> Iterable[int]:
    """`span_hash` of many chunks: a byte of each at a time.

    All lower words are one long number, with a lane of 64 bits for each, and so are the higher ones. What is shifted
    out of a word stays in its lane, and is masked away. Bytes of zero before a chunk leave its words at zero.
    """
    if len(chunks) < _FEW:
        return map(span_hash, chunks)
    return chain.from_iterable(_hashed_together(chunks[at : at + _LANES]) for at in range(0, len(chunks), _LANES))


def _hashed_together(chunks: list[bytes]) -> list[int]:
    pause()
    count, width = len(chunks), max(map(len, chunks))
    text = b"".join([chunk.rjust(width, b"\0") for chunk in chunks])
    ones = int.from_bytes(_ONE_LANE * count, "little")
    word, seven_bits = ones * _M32, ones * 127
    low = high = 0
    lanes = bytearray(8 * count)
    for at in range(width):
        lanes[::8] = text[at::width]  # the byte of each chunk, at the lower end of its lane
        shifted = low >> 25 & seven_bits
        low = (low << 7 & word | high >> 25 & seven_bits) + int.from_bytes(lanes, "little") & word
        high = high << 7 & word | shifted
    sums = (low + high * 0x61 & word).to_bytes(8 * count, "little")
    return [value % HASHBASE for (value,) in _LANE.iter_unpack(sums)]


class Spans:
    """A file cut into chunks: {chunk: number of bytes it accounts for in the file}."""

    __slots__ = ("items", "size")

    def __init__(self, data: bytes, binary: bool) -> None:
        self.size = len(data)
        if not binary and b"\r\n" in data:
            data = data.replace(b"\r\n", b"\n")
        counts = Counter(_chunks(data)) if len(data) < 2 * _PIECE else _in_pieces(data)
        self.items = {chunk: count * len(chunk) for chunk, count in paced(counts.items())}


def _in_pieces(data: bytes) -> Counter[bytes]:
    """The chunks of a long text, a piece at a time, so that the clock can be checked between pieces.

    A piece ends after a newline, or within a line so long that it consists of chunks of 64 bytes.
    """
    counts: Counter[bytes] = Counter()
    at = 0
    while at < len(data):
        end = min(at + _PIECE, len(data))
        if end < len(data):
            end = data.rfind(b"\n", at, end) + 1 or end
        counts.update(_chunks(data, at, end))
        pause()
        at = end
    return counts


class Similarity:
    """Compares the files of one diff; caches the chunks of files by oid, within a budget."""

    __slots__ = ("_budget", "_contents", "_held", "_spans")

    def __init__(self, contents: Contents, budget: int = 24 << 20) -> None:
        self._contents = contents
        self._spans: dict[bytes, Spans] = {}
        self._held = 0
        self._budget = budget

    def spans(self, side: Filespec) -> Spans:
        """The chunks of a side."""
        key = side.oid if side.oid is not None else b"\0" + side.path
        spans = self._spans.get(key)
        if spans is None:
            data = self._contents.read(side)
            spans = Spans(data, self._contents.is_binary(side, loaded=True))
            if self._held > self._budget:
                self._spans.clear()
                self._held = 0
            self._spans[key] = spans
            self._held += 2 * len(data) + 200
        return spans

    def count(self, old: Filespec, new: Filespec) -> tuple[int, int]:
        """(bytes copied from old, bytes added in new).

        Lines with which both files begin or end count the same on both sides, and are not cut into chunks.
        """
        contents = self._contents
        before, after = contents.read(old), contents.read(new)
        binary = contents.is_binary(old, loaded=True)
        if binary != contents.is_binary(new, loaded=True):
            one, two, same = self.spans(old).items, self.spans(new).items, 0
        else:
            head = before.rfind(b"\n", 0, common_head(before, after)) + 1
            tail = common_tail(before, after, min(len(before), len(after)) - head)
            start = before.find(b"\n", len(before) - tail) + 1 if tail else 0
            tail = len(before) - start if start else 0
            same = _counted(before[:head], binary) + _counted(before[len(before) - tail :] if tail else b"", binary)
            one = Spans(before[head : len(before) - tail], binary).items
            two = Spans(after[head : len(after) - tail], binary).items
        pause()
        shared = one.keys() & two.keys()
        pause()
        copied = _copied(one, two, shared)
        copied += _collisions(_rest(one, two, shared), _rest(two, one, shared))
        return same + copied, sum(two.values()) - copied

    def score(self, old: Filespec, new: Filespec, minimum: int) -> int:
        """The similarity, of 60000; 0 or some lower value if it cannot reach `minimum`."""
        if old.mode & 0o170000 != 0o100000 or new.mode & 0o170000 != 0o100000:
            return 0
        one_size, two_size = self._contents.size(old), self._contents.size(new)
        largest = max(one_size, two_size)
        if not largest or largest * (MAX_SCORE - minimum) < abs(one_size - two_size) * MAX_SCORE:
            return 0
        if not two_size:
            return 0
        return self.of(old, self.spans(new), largest, minimum)

    def of(self, old: Filespec, new: Spans, largest: int, minimum: int) -> int:
        """`score` for two files whose sizes do not rule it out; `largest` is the size of the larger one."""
        cached = self._spans.get(old.oid) if old.oid is not None else None
        one, two = (cached or self.spans(old)).items, new.items
        shared = one.keys() & two.keys()
        copied = _copied(one, two, shared)
        # Chunks that merely collide add little: skip hashing if even a generous allowance for them is not enough.
        if (copied + _odds(len(two) - len(shared)) * largest) * MAX_SCORE < minimum * largest:
            return copied * MAX_SCORE // largest
        copied += _collisions(_rest(one, two, shared), _rest(two, one, shared))
        return copied * MAX_SCORE // largest


class Shortlist:
    """An upper bound on the similarity of one file to each of many, without comparing it with each.

    Most chunks occur in one of the files only; these are looked up in the other file. The chunks that occur in several
    files (a licence, the frame of a test) are only added up, as if both files had all of them in common.
    """

    __slots__ = ("_common", "_shares", "_sole")

    def __init__(self, files: dict[int, Spans]) -> None:
        self._sole: dict[bytes, tuple[int, int]] = {}
        self._common: set[bytes] = set()
        for at, spans in files.items():
            items = spans.items
            self._common.update(items.keys() & self._sole.keys())
            self._sole.update(zip(items, zip(repeat(at), items.values())))
        for chunk in self._common:
            del self._sole[chunk]
        self._shares = {at: _share(spans.items, self._common) for at, spans in files.items()}

    def promise(self, spans: Spans) -> Callable[[int, int], float]:
        """A function of (index of a file, size of the larger file) that returns the most bytes that can be copied."""
        items, sole = spans.items, self._sole
        copied: dict[int, int] = {}
        for chunk in items.keys() & sole.keys():
            at, size = sole[chunk]
            copied[at] = copied.get(at, 0) + min(size, items[chunk])
        common, shares, odds = _share(items, self._common), self._shares, _odds(len(items))
        return lambda at, largest: copied.get(at, 0) + min(common, shares[at]) + odds * largest


def _share(items: dict[bytes, int], chunks: set[bytes]) -> int:
    """The bytes in some chunks."""
    return sum(map(items.__getitem__, items.keys() & chunks))


def _odds(chunks: int) -> float:
    """An allowance for what hash collisions can add to the common bytes, as a fraction of the larger file."""
    return 2 * chunks / HASHBASE + 0.01


def _counted(lines: bytes, binary: bool) -> int:
    """The bytes that some lines account for: all up to the last newline, without the carriage returns of text."""
    end = lines.rfind(b"\n") + 1
    loose = (len(lines) - end) // 64 * 64
    return end + loose - (0 if binary else lines.count(b"\r\n"))


def _copied(one: dict[bytes, int], two: dict[bytes, int], shared: set[bytes]) -> int:
    """The bytes in chunks that both files have, as often as both have them."""
    if len(shared) < _MANY:
        return sum(map(min, map(one.__getitem__, shared), map(two.__getitem__, shared)))
    return sum([min(one[chunk], two[chunk]) for chunk in paced(shared)])


def _rest(one: dict[bytes, int], two: dict[bytes, int], shared: set[bytes]) -> dict[bytes, int]:
    """The bytes that `one` has in excess of `two`, by chunk."""
    if len(one) < _MANY:
        rest = {chunk: one[chunk] for chunk in one.keys() - shared}
    else:
        rest = {chunk: size for chunk, size in paced(one.items()) if chunk not in shared}
    for chunk in paced(shared):
        more = one[chunk] - two[chunk]
        if more > 0:
            rest[chunk] = more
    return rest


def _collisions(one: dict[bytes, int], two: dict[bytes, int]) -> int:
    """The bytes in chunks that differ but have the same hash."""
    if not one or not two:
        return 0
    if len(one) > len(two):
        one, two = two, one
    hashed = _by_hash(one)
    copied = 0
    for value, size in _by_hash(two).items():
        other = hashed.get(value)
        if other is not None:
            copied += min(size, other)
    return copied


def _by_hash(items: dict[bytes, int]) -> dict[int, int]:
    sums: dict[int, int] = {}
    for value, size in zip(span_hashes(list(items)), items.values(), strict=True):
        sums[value] = sums.get(value, 0) + size
    return sums

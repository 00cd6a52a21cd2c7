"""The common beginning and end of two texts, found by comparing slices: equal bytes are never cut into lines."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["common_front", "common_head", "common_tail", "cut_common_tail", "equal_ends"]

_STEP = 4096
_FINE = 256  # bytes compared by the XOR of two numbers, whose highest bit tells where they differ


def common_head(a: bytes, b: bytes, at: int = 0) -> int:
    """The position of the first byte at or after `at` in which the texts differ, or the end of the shorter one."""
    size = min(len(a), len(b))
    step = 256
    while at + step <= size and a[at : at + step] == b[at : at + step]:
        at += step
        step = _STEP
    low, high = at, min(at + step, size)
    if a[low:high] == b[low:high]:
        return high
    while high - low > _FINE:
        middle = (low + high) >> 1
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    unlike = int.from_bytes(a[low:high], "big") ^ int.from_bytes(b[low:high], "big")
    return high - (unlike.bit_length() + 7 >> 3)


def common_front(one: Sequence[object], other: Sequence[object]) -> int:
    """The number of items with which both begin: lines of a list, characters of a text."""
    low, high = 0, min(len(one), len(other))
    while low < high and one[low] == other[low]:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_tail(a: bytes, b: bytes, limit: int) -> int:
    """The number of bytes with which both texts end, at most `limit`."""
    la, lb, at = len(a), len(b), 0
    while at + _STEP <= limit and a[la - at - _STEP : la - at] == b[lb - at - _STEP : lb - at]:
        at += _STEP
    low, high = at, min(at + _STEP, limit)
    if a[la - high : la - low] == b[lb - high : lb - low]:
        return high
    while high - low > _FINE:
        middle = (low + high) >> 1
        if a[la - middle : la - low] == b[lb - middle : lb - low]:
            low = middle
        else:
            high = middle
    ours, theirs = a[la - high : la - low], b[lb - high : lb - low]
    unlike = int.from_bytes(ours, "little") ^ int.from_bytes(theirs, "little")
    return high - (unlike.bit_length() + 7 >> 3)


def equal_ends(old: bytes, new: bytes) -> tuple[int, int]:
    """The bytes of the whole lines with which both texts begin and end."""
    head = common_head(old, new)
    if head and old[head - 1] != 10:
        head = old.rfind(b"\n", 0, head) + 1
    tail = common_tail(old, new, min(len(old), len(new)) - head)
    i, j = len(old) - tail, len(new) - tail
    if tail and not ((i == head or old[i - 1] == 10) and (j == head or new[j - 1] == 10)):
        after = old.find(b"\n", i) + 1
        tail = len(old) - after if after else 0
    return head, tail


def cut_common_tail(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """The equal blocks of 1024 bytes at the end that git drops unread if no context is wanted, except for a line's
    end."""
    size = min(len(old), len(new))
    blocks = common_tail(old, new, size) // 1024
    if not blocks:
        return old, new
    cut = blocks * 1024
    newline = old.find(b"\n", len(old) - cut)
    if newline < 0:
        return old, new
    keep = newline + 1 - (len(old) - cut)
    return old[: len(old) - cut + keep], new[: len(new) - cut + keep]

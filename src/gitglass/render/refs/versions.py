"""Comparison of names that contain versions: `v1.9` before `v1.10`, and `1.0-rc1` before `1.0` if configured.

The order of strverscmp(3), which sorting by `version:refname` uses, combined with git's versionsort.suffix
(git-config(1)).
"""

import re
from collections.abc import Callable, Sequence
from functools import cmp_to_key

from ...annotations import Any
from ...deferred import lazy_pattern
from ...limits import paced, pause, step

_DIGITS = frozenset(b"0123456789")
_LONG = 1 << 12  # bytes of a name
_MANY = 64  # lengths of suffixes


_RUN = lazy_pattern(rb"[1-9][0-9]*|0+(?![0-9])")


def _spell(run: re.Match[bytes]) -> bytes:
    """A run of digits encoded so that bytes compare as versions do: a number after its length, zeros after other
    digits."""
    digits = run[0]
    if digits[0] == 48:
        return digits + b":"
    if run.start() and run.string[run.start() - 1] in _DIGITS:  # after zeros: a fraction
        return digits
    return b"2%b%b" % (min(len(digits), 0xFFFF).to_bytes(2, "big"), digits)


def version_key(suffixes: Sequence[bytes] = ()) -> Callable[[bytes], Any]:
    """A key for `sorted`."""
    if not suffixes:
        return lambda name: _RUN.sub(_spell, name)
    table = _Suffixes(suffixes)
    return cmp_to_key(lambda one, two: _compared(one, two, table))


def compare_versions(one: bytes, two: bytes, suffixes: Sequence[bytes] = ()) -> int:
    """Below zero, zero or above zero, if `one` comes before, with or after `two`."""
    return _compared(one, two, _Suffixes(suffixes) if suffixes else None)


class _Suffixes:
    """The configured suffixes: the number of each, and by its first byte how long they are, the longest first."""

    __slots__ = ("lengths", "longest", "numbers")

    def __init__(self, suffixes: Sequence[bytes]) -> None:
        self.numbers: dict[bytes, int] = {}
        lengths: dict[int, set[int]] = {}
        for number, suffix in enumerate(paced(suffixes)):
            self.numbers.setdefault(suffix, number)
            if suffix:
                lengths.setdefault(suffix[0], set()).add(len(suffix))
        self.lengths = {first: sorted(sizes, reverse=True) for first, sizes in lengths.items()}
        self.longest = max(map(len, suffixes))


def _compared(one: bytes, two: bytes, suffixes: _Suffixes | None) -> int:
    if one == two:
        return 0
    if len(one) > _LONG:
        pause()
    else:
        step()
    at = _first_difference(one, two)
    if suffixes:
        decided = _by_suffix(one, two, at, suffixes)
        if decided:
            return decided
    return _by_number(one + b"\0", two + b"\0", at)


def _first_difference(one: bytes, two: bytes) -> int:
    return next((i for i, pair in enumerate(zip(one, two)) if pair[0] != pair[1]), min(len(one), len(two)))


def _by_number(one: bytes, two: bytes, at: int) -> int:
    """Compare names that differ at `at` and end with NUL, by the run of digits around the difference.

    A run that begins with 0 is a fraction: digit by digit, and more zeros come first. Any other run is a number: the
    longer one is the larger.
    """
    start = at
    while start and one[start - 1] in _DIGITS:
        start -= 1
    plain = one[at] - two[at]
    left, right = one[at] in _DIGITS, two[at] in _DIGITS
    if start == at:
        return _longer(one, two, at, plain) if left and right and one[at] != 48 and two[at] != 48 else plain
    run = one[start:at]
    if run[0] == 48:
        if run.strip(b"0"):
            return plain
        return plain if left == right else (-1 if left else 1)
    if left and right:
        return _longer(one, two, at, plain)
    return plain if left == right else (1 if left else -1)


def _longer(one: bytes, two: bytes, at: int, plain: int) -> int:
    """The longer run of digits is the larger; for runs of equal length the first difference decides."""
    while True:
        at += 1
        left, right = one[at] in _DIGITS, two[at] in _DIGITS
        if not (left and right):
            return plain if left == right else (1 if left else -1)


def _by_suffix(one: bytes, two: bytes, at: int, suffixes: _Suffixes) -> int:
    """The order of the configured suffixes, if one of them covers or precedes the difference in either name."""
    first, second = _covering(one, at, suffixes), _covering(two, at, suffixes)
    if first == second:
        return 0
    if first is not None and second is not None:
        return first - second
    return -1 if first is not None else 1


def _covering(name: bytes, at: int, suffixes: _Suffixes) -> int | None:
    """The suffix that begins earliest among those that touch the difference; of several there the longest."""
    lengths, numbers = suffixes.lengths, suffixes.numbers
    for start in range(max(at - suffixes.longest, 0), min(at + 1, len(name))):
        sizes = lengths.get(name[start])
        if sizes is None:
            continue
        if len(sizes) > _MANY:
            step()
        for size in sizes:
            if size < at - start:
                break
            number = numbers.get(name[start : start + size])
            if number is not None:
                return number
    return numbers.get(b"")

"""Comparison of names that contain versions: `v1.9` before `v1.10`, and `1.0-rc1` before `1.0` if configured.

The order of strverscmp(3), which sorting by `version:refname` uses, combined with git's versionsort.suffix
(git-config(1)).
"""

import re
from collections.abc import Callable, Sequence
from functools import cmp_to_key

from ...annotations import Any
from ...deferred import lazy_pattern

_DIGITS = frozenset(b"0123456789")


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
    return cmp_to_key(lambda one, two: compare_versions(one, two, suffixes))


def compare_versions(one: bytes, two: bytes, suffixes: Sequence[bytes] = ()) -> int:
    """Below zero, zero or above zero, if `one` comes before, with or after `two`."""
    if one == two:
        return 0
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


def _by_suffix(one: bytes, two: bytes, at: int, suffixes: Sequence[bytes]) -> int:
    """The order of the configured suffixes, if one of them covers or precedes the difference in either name."""
    first, second = _covering(one, at, suffixes), _covering(two, at, suffixes)
    if first == second:
        return 0
    if first is not None and second is not None:
        return first - second
    return -1 if first is not None else 1


def _covering(name: bytes, at: int, suffixes: Sequence[bytes]) -> int | None:
    """The suffix that begins earliest among those that touch the difference; of several there the longest."""
    best: int | None = None
    best_start, best_size = at, -1
    for number, suffix in enumerate(suffixes):
        size = len(suffix)
        last = best_start if best_size < size else best_start - 1
        for start in range(max(at - size, 0), last + 1):
            if name.startswith(suffix, start):
                best, best_start, best_size = number, start, size
                break
    return best

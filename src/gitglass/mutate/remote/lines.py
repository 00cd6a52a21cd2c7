"""The lines that fetch and push print of refs: `   a..b  main -> origin/main`. Mirrors git-fetch(1) and git-push(1),
"OUTPUT"."""

from __future__ import annotations

from collections.abc import Iterable

from ...repo.store import Store
from ...revs.abbrev import abbrev

_LEAST_NAME, _COLUMNS, _ROUGH = 10, 80, 25


def summary_width(store: Store, oids: Iterable[bytes]) -> int:
    """How wide the column of `a..b` is: for the longest abbreviation of these objects."""
    longest = max((len(abbrev(store, oid)) for oid in oids if oid and any(oid)), default=7)
    return 2 * longest + 3


def name_width(pairs: Iterable[tuple[bytes, bytes]]) -> int:
    """How wide the column of names there is; `pairs` are (name there, name here) as they are shown. A line too long for
    a terminal does not count."""
    width = _LEAST_NAME
    for name, local in pairs:
        size = len(name.decode("utf-8", "replace"))
        if _ROUGH + size + len(local.decode("utf-8", "replace")) < _COLUMNS:
            width = max(width, size)
    return width


def fetch_line(code: bytes, summary: bytes, name: bytes, local: bytes, error: bytes, widths: tuple[int, int]) -> bytes:
    """One line of a fetch."""
    padded = name + b" " * max(0, widths[1] - len(name.decode("utf-8", "replace")))
    tail = b"  (%b)" % error if error else b""
    return b" %b %b %b -> %b%b\n" % (code, summary.ljust(widths[0]), padded, local, tail)


def push_line(code: bytes, summary: bytes, source: bytes, target: bytes, error: bytes, width: int) -> bytes:
    """One line of a push; `source` is b"" where a ref is deleted."""
    names = source + b" -> " + target if source else target
    tail = b" (%b)" % error if error else b""
    return b" %b %b %b%b\n" % (code, summary.ljust(width), names, tail)


def moved(store: Store, old: bytes, new: bytes, *, forced: bool) -> bytes:
    """`a..b`, or `a...b` where it is no fast-forward."""
    return abbrev(store, old) + (b"..." if forced else b"..") + abbrev(store, new)

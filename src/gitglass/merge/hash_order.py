"""The order in which git iterates over a hash table.

Strange but git's: where nothing else decides between two equal candidates, this order does. The hash is FNV-1; a table
has 64 slots, and four times as many as soon as more than four fifths are in use; each slot's newest entry comes first.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["hash_order"]

_BASE, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
_SLOTS = 64


def _hash(key: bytes) -> int:
    value = _BASE
    for byte in key:
        value = (value * _PRIME & _MASK) ^ byte
    return value


def hash_order(keys: Iterable[bytes]) -> list[bytes]:
    """The keys, all different and given in the order of their insertion, in the order in which git iterates over
    them."""
    slots: list[list[tuple[int, bytes]]] = [[] for _ in range(_SLOTS)]
    for count, key in enumerate(keys, 1):
        value = _hash(key)
        slots[value % len(slots)].insert(0, (value, key))
        if count > len(slots) * 80 // 100:
            larger: list[list[tuple[int, bytes]]] = [[] for _ in range(4 * len(slots))]
            for slot in slots:
                for entry in slot:
                    larger[entry[0] % len(larger)].insert(0, entry)
            slots = larger
    return [key for slot in slots for _, key in slot]

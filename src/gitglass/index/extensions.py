"""What an index file holds behind its entries: the cached trees, and conflicts as they were before they were resolved.

Mirrors gitformat-index(5), "Extensions".
"""

from __future__ import annotations

import re

from ..deferred import lazy_pattern
from ..limits import paced, step


def _tree_pattern(hash_len: int) -> bytes:
    """A cached tree: path, number of entries (negative where it has changed since), number of subtrees, oid."""
    number = rb"[0-9]{1,18}"
    return rb"([^\0]*+)\0(?:(-%b) (%b)\n|(%b) (%b)\n(.{%d}))" % (number, number, number, number, hash_len)


#: by the length of an oid: one cached tree, and as many as stand one behind the other
_TREES = {
    size: (lazy_pattern(_tree_pattern(size), re.DOTALL), lazy_pattern(b"(?:%b)*+" % _tree_pattern(size), re.DOTALL))
    for size in (20, 32)
}


class CacheTree:
    """What is known of a tree that the index would make: `oid` is None where it has changed since.

    `count` is the number of index entries it covers; `subtrees` are by name.
    """

    __slots__ = ("count", "oid", "subtrees")

    def __init__(self, count: int, oid: bytes | None) -> None:
        self.count = count
        self.oid = oid
        self.subtrees: dict[bytes, CacheTree] = {}


def parse_cache_tree(body: bytes, hash_len: int) -> CacheTree | None:
    """The TREE extension; None when it makes no sense (it is only a short cut). No recursion: depth is a claim."""
    each, several = _TREES[hash_len]
    match = several.match(body)
    end = 0 if match is None else match.end()
    root: CacheTree | None = None
    stack: list[tuple[CacheTree, int]] = []
    for name, changed, below_changed, count, below, oid in paced(each.findall(body, 0, end)):
        node = CacheTree(int(count or changed), oid or None)
        if root is None:
            root = node
        else:
            parent, left = stack.pop()
            parent.subtrees[name] = node
            if left > 1:
                stack.append((parent, left - 1))
        children = int(below or below_changed)
        if children:
            stack.append((node, children))
        if not stack:
            return root
    return None


def parse_resolve_undo(body: bytes, hash_len: int) -> list[tuple[bytes, list[tuple[int, bytes | None]]]]:
    """REUC: for each path three modes in octal, then an oid for each mode that is not zero."""
    rows: list[tuple[bytes, list[tuple[int, bytes | None]]]] = []
    position = 0
    while position < len(body):
        step()
        parts: list[bytes] = []
        for _ in range(4):
            end = body.find(b"\0", position)
            if end < 0:
                return rows
            parts.append(body[position:end])
            position = end + 1
        try:
            modes = [int(part, 8) for part in parts[1:]]
        except ValueError:
            return rows
        sides: list[tuple[int, bytes | None]] = []
        for mode in modes:
            sides.append((mode, body[position : position + hash_len] if mode else None))
            position += hash_len if mode else 0
        rows.append((parts[0], sides))
    return rows

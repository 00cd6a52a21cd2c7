"""What an index file holds behind its entries: the cached trees, and conflicts as they were before they were resolved.

Mirrors gitformat-index(5), "Extensions".
"""

from __future__ import annotations

from ..limits import step


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
    position = 0
    root: CacheTree | None = None
    stack: list[tuple[CacheTree, int]] = []
    while True:
        step()
        name_end = body.find(b"\0", position)
        line_end = body.find(b"\n", name_end + 1)
        try:
            count, children = map(int, body[name_end + 1 : line_end].split(b" "))
        except ValueError:
            return None
        if name_end < 0 or line_end < 0 or children < 0:
            return None
        name = body[position:name_end]
        position = line_end + 1
        oid: bytes | None = None
        if count >= 0:
            oid = body[position : position + hash_len]
            position += hash_len
            if len(oid) != hash_len:
                return None
        node = CacheTree(count, oid)
        if root is None:
            root = node
        else:
            parent, left = stack.pop()
            parent.subtrees[name] = node
            if left > 1:
                stack.append((parent, left - 1))
        if children:
            stack.append((node, children))
        if not stack:
            return root


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

"""Two trees compared entry by entry, in the order they are written, which trees that name a file twice need.

git walks both trees side by side and never looks back, so the first `f` of one tree is compared with the first `f` of
the other, the second with the second, and surplus entries of one tree are added or deleted. Sets of entries cannot
express that (`Trees.rows`), so a tree is marked when it is cut, and marked trees are compared here instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter

from ..annotations import TYPE_CHECKING
from ..errors import Corrupt
from ..limits import paced

if TYPE_CHECKING:
    from ..limits import Context
    from ..paths.pathspec import Pathspecs

__all__ = ["MAX_DEPTH", "Doubled", "Row", "names_twice", "rows_in_order"]

TREE, GITLINK = 0o040000, 0o160000
MAX_DEPTH = 4096
#: (path, old mode, old oid, new mode, new oid); a mode of 0 means absent.
Row = tuple[bytes, int, bytes | None, int, bytes | None]
Entry = tuple[int, bytes, bytes]  # mode, name, oid
Entries = Callable[[bytes], list[Entry]]
Pair = tuple[Entry | None, Entry | None]


class Doubled(frozenset[bytes]):
    """The raw entries of a tree that names a file twice."""

    __slots__ = ()


def names_twice(cut: list[bytes], hash_len: int) -> bool:
    """Whether raw entries have a name twice. May also be True for names with blanks, which only costs time.

    The keys compared are ` name NUL` of most entries, and `name NUL` of directories, whose mode is a digit shorter:
    a file and a directory of one name are two names in git's order.
    """
    return len(set(map(itemgetter(slice(6, -hash_len)), cut))) < len(cut)


def _key(entry: Entry) -> bytes:
    return entry[1] + b"/" if entry[0] == TREE else entry[1]


def _side_by_side(old: list[Entry], new: list[Entry]) -> Iterator[Pair]:
    """The entries of two trees paired as git's merge of both lists pairs them."""
    left = right = 0
    while left < len(old) and right < len(new):
        one, two = _key(old[left]), _key(new[right])
        if one <= two:
            yield old[left], new[right] if one == two else None
        else:
            yield None, new[right]
        left, right = left + (one <= two), right + (two <= one)
    for entry in old[left:]:
        yield entry, None
    for entry in new[right:]:
        yield None, entry


def rows_in_order(
    old: bytes | None,
    new: bytes | None,
    entries: Entries,
    pathspecs: Pathspecs,
    *,
    ctx: Context,
    show_trees: bool = False,
    recursive: bool = True,
    unchanged: bool = False,
) -> list[Row]:
    """The differences between two trees, as rows in the order of git's walk; with `unchanged` the other files too."""
    rows: list[Row] = []

    def opened(base: bytes, one: bytes | None, two: bytes | None) -> tuple[bytes, Iterator[Pair]]:
        pairs = _side_by_side(entries(one) if one is not None else [], entries(two) if two is not None else [])
        return base, iter(paced(list(pairs)))

    stack = [opened(b"", old, new)]
    while stack:
        ctx.tick()
        base, pairs = stack[-1]
        below: tuple[bytes, bytes | None, bytes | None] | None = None
        for one, two in pairs:
            mode, name, _ = two or one or (0, b"", b"")
            path = base + name
            if one == two and not unchanged:
                continue
            if mode != TREE:
                row = (path, *_side(one), *_side(two))
                if GITLINK in row:
                    rows += link_rows(row, pathspecs)
                elif pathspecs.match(path):
                    rows.append(row)
                continue
            inside = recursive and pathspecs.could_match_below(path)
            if one != two and (show_trees or not recursive) and (inside or pathspecs.touches(path)):
                rows.append((path, *_side(one), *_side(two)))
            if inside:
                below = (path + b"/", _side(one)[1], _side(two)[1])
                break
        if below is None:
            stack.pop()
            continue
        if len(stack) > MAX_DEPTH:
            raise Corrupt("exceeded maximum allowed tree depth")
        stack.append(opened(*below))
    return rows


def link_rows(row: Row, pathspecs: Pathspecs) -> list[Row]:
    """The row of a path that is a submodule on one side or both, as far as words select it: "name/" is no file's name
    but a submodule's, so that of a file that became one only the new side may be left."""
    path, old_mode, old, new_mode, new = row
    before = bool(old_mode) and pathspecs.match(path, old_mode == GITLINK)
    after = bool(new_mode) and pathspecs.match(path, new_mode == GITLINK)
    if not (before or after):
        return []
    return [(path, *((old_mode, old) if before else (0, None)), *((new_mode, new) if after else (0, None)))]


def _side(entry: Entry | None) -> tuple[int, bytes | None]:
    return (0, None) if entry is None else (entry[0], entry[2])

"""Parses the file of an index (gitformat-index(5)), versions 2 to 4: entries, extensions, and the base of a split
index."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import Corrupt, TooLarge, text
from ..limits import holding, need, pause
from .extensions import parse_resolve_undo
from .index import ENTRY_BYTES, INTENT_TO_ADD, SKIP_WORKTREE, Index, check_order
from .rows import cut_rows, variable_number

if TYPE_CHECKING:
    from .ewah import ewah_positions
else:
    ewah_positions = deferred(__name__, ".ewah", "ewah_positions")

_LONGEST_PATH = 1 << 20  # no system opens a path that is longer than a fraction of this
_NO_EXTENDED = bytes(flags & 0x40 for flags in range(256))


def parse_index(data: bytes, hash_len: int, shared: Callable[[str], bytes] | None = None) -> Index:
    """The Index of an index file's bytes. `shared` reads the base of a split index by its hex name.

    The trailing checksum is not verified (a reader gains nothing from it, and git does not verify it either). Raises
    Corrupt or GitError with git's words.
    """
    index, end = _parse_entries(data, hash_len)
    link = _parse_extensions(data, end, index)
    if link is not None:
        _merge_split(index, link, shared)
    check_order(index)
    return index


def _parse_entries(data: bytes, hash_len: int) -> tuple[Index, int]:
    if len(data) < 12 + hash_len:
        raise Corrupt("index file smaller than expected")
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC":
        number = int.from_bytes(signature, "little")  # strange but git's: as the machine reads it
        raise Corrupt(f"bad signature 0x{number:08x}\nfatal: index file corrupt", prefix="error")
    if not 2 <= version <= 4:
        raise Corrupt(f"bad index version {version}\nfatal: index file corrupt", prefix="error")
    if count * (42 + hash_len) > len(data):
        raise Corrupt("index file corrupt")
    need(len(data) * 4)  # the memory of its lists, pointers included
    index = Index(hash_len)
    index.version = version
    read = (_read_v2, _read_v3, _read_v4)[version - 2]
    return index, read(data, count, index)


def _stretches(count: int) -> Iterator[range]:
    """The numbers below `count` in ranges, with a look at the clock after each."""
    for start in range(0, count, 4096):
        pause()
        yield range(start, min(start + 4096, count))


def _read_v2(data: bytes, count: int, index: Index) -> int:
    """Read entries without extended flags, padded to eight bytes."""
    usual = cut_rows(data, count, index.hash_len)
    if usual is not None:
        index.take_rows(*usual[:2])
        return usual[2]
    fixed = 42 + index.hash_len
    find, add_head, add_path = data.find, index.heads.append, index.paths.append
    position, last = 12, len(data) - index.hash_len
    for stretch in _stretches(count):
        for _ in stretch:
            start = position + fixed
            end = find(b"\0", start)
            add_head(data[position:start])
            add_path(data[start:end])
            position += (end - position + 8) & -8
            if not start <= end < last:
                raise Corrupt("index file corrupt")
    if index.column(fixed - 2).translate(_NO_EXTENDED).strip(b"\0"):
        raise Corrupt("Unknown index entry format 0x4000")
    return position


def _read_v3(data: bytes, count: int, index: Index) -> int:
    """Read entries some of which have two more bytes of flags."""
    fixed = 42 + index.hash_len
    find, add_head, add_path = data.find, index.heads.append, index.paths.append
    position, last = 12, len(data) - index.hash_len
    for stretch in _stretches(count):
        for number in stretch:
            start = position + fixed
            head = data[position:start]
            if start < last and head[-2] & 0x40:
                index.special[number] = _extended_flags(data, start)
                start += 2
            end = find(b"\0", start)
            add_head(head)
            add_path(data[start:end])
            position += (end - position + 8) & -8
            if not start <= end < last:
                raise Corrupt("index file corrupt")
    return position


def _read_v4(data: bytes, count: int, index: Index) -> int:
    """Read entries whose path is stored as the number of bytes to drop from the previous path and the bytes to add; no
    padding."""
    fixed = 42 + index.hash_len
    find, add_head, add_path = data.find, index.heads.append, index.paths.append
    position, last = 12, len(data) - index.hash_len
    path = b""
    held = holding()  # paths build on one another: a small file can claim very long ones
    index.held = (held,)
    for stretch in _stretches(count):
        for number in stretch:
            start = position + fixed
            if start >= last:
                raise Corrupt("index file corrupt")
            head = data[position:start]
            if head[-2] & 0x40:
                index.special[number] = _extended_flags(data, start)
                start += 2
            drop = data[start]
            start += 1
            if drop >= 0x80:
                drop, start = variable_number(data, start - 1)
            end = find(b"\0", start, last)
            if end < 0 or drop > len(path):
                raise Corrupt("malformed name field in the index, near path '" + text(path) + "'")
            path = path[: len(path) - drop] + data[start:end]
            if len(path) > _LONGEST_PATH:
                raise TooLarge("the paths of the index are too long", limit=_LONGEST_PATH, size=len(path))
            held.count(len(path))
            add_head(head)
            add_path(path)
            position = end + 1
    return position


def _extended_flags(data: bytes, position: int) -> int:
    flags = data[position] << 8 | data[position + 1]
    if flags & ~(SKIP_WORKTREE | INTENT_TO_ADD):
        raise Corrupt(f"unknown index entry format 0x{flags << 16:08x}")
    return flags


def _parse_extensions(data: bytes, position: int, index: Index) -> bytes | None:
    """Read the extensions between the entries and the checksum; return the body of `link` (split index)."""
    link: bytes | None = None
    last = len(data) - index.hash_len
    while position + 8 <= last:
        name = data[position : position + 4]
        size = int.from_bytes(data[position + 4 : position + 8], "big")
        body = data[position + 8 : position + 8 + size]
        if position + 8 + size > last:
            raise Corrupt("index file corrupt")
        position += 8 + size
        if name == b"TREE":
            index.cache_tree = body
        elif name == b"REUC":
            index.resolve_undo = parse_resolve_undo(body, index.hash_len)
        elif name == b"link":
            link = body
        elif name == b"sdir":
            index.sparse = True
        elif not b"A" <= name[:1] <= b"Z":
            words = f"index uses {text(name)} extension, which we do not understand"
            raise Corrupt(f"{words}\nfatal: index file corrupt", prefix="error")
    return link


def _merge_split(index: Index, link: bytes, shared: Callable[[str], bytes] | None) -> None:
    """Apply a split index to its base: drop deleted entries, replace the replaced ones, add the rest."""
    hash_len = index.hash_len
    base_oid = link[:hash_len]
    index.base = base_oid
    if base_oid == bytes(hash_len) or shared is None:
        return
    index.base_data = shared(base_oid.hex())
    base, _ = _parse_entries(index.base_data, hash_len)
    index.held += base.held
    need((len(base) + len(index)) * ENTRY_BYTES)
    deleted: Sequence[int] = ()
    replaced: Sequence[int] = ()
    if len(link) > hash_len:
        deleted, position = ewah_positions(link, hash_len, len(base))
        replaced, position = ewah_positions(link, position, len(base))
    rows = list(zip(base.paths, base.heads, (base.special.get(i, 0) for i in range(len(base))), strict=True))
    if len(replaced) > len(index):
        raise Corrupt("too many replacements in base index")
    for own, at in enumerate(replaced):
        if index.paths[own]:
            raise Corrupt("corrupt link extension, entry should have zero length name")
        rows[at] = (base.paths[at], index.heads[own], index.special.get(own, 0))
    gone = set(deleted)
    kept = [row for at, row in enumerate(rows) if at not in gone]
    for own in range(len(replaced), len(index)):
        kept.append((index.paths[own], index.heads[own], index.special.get(own, 0)))
    stage_at = 40 + hash_len
    kept.sort(key=lambda row: (row[0], row[1][stage_at] >> 4 & 3))
    index.paths = [row[0] for row in kept]
    index.heads = [row[1] for row in kept]
    index.special = {at: row[2] for at, row in enumerate(kept) if row[2]}
    index.replaced = frozenset([base.paths[at] for at in replaced])
    index.forget()

"""The number of objects in one `objects` directory, and how they are stored, as git-count-objects(1) counts them.

Sizes are those on disk: the blocks of loose objects, the bytes of packs and their indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..disk.jail import Jail
from ..limits import Context
from ..records import record
from .directory import ObjectDir

_BLOCK = 512
_REGULAR, _KIND = 0o100000, 0o170000
_IN_PACKS = (b".idx", b".rev", b".pack", b".bitmap", b".keep", b".promisor", b".mtimes")
_PACK, _IDX = 1, 2
_ALONE = {0: "no corresponding .idx or .pack", _PACK: "no corresponding .idx", _IDX: "no corresponding .pack"}


@record
class Census:
    """The counts; `size`, `size_pack` and `size_garbage` are bytes. `garbage` counts files that are not objects."""

    count: int = 0
    size: int = 0
    in_pack: int = 0
    packs: int = 0
    size_pack: int = 0
    prune_packable: int = 0
    garbage: int = 0
    size_garbage: int = 0


#: called for each file that does not belong there: (why, path)
Tell = Callable[[str, bytes], None]


def count_loose(
    directory: ObjectDir, jail: Jail, packed: Callable[[bytes], bool] | None, tell: Tell, *, ctx: Context
) -> Census:
    """Count the loose objects. `packed` tells whether an object is also in a pack; None skips the check."""
    census = Census()
    for first in range(256):
        folder = directory.path + b"/%02x" % first
        strays = {path.rpartition(b"/")[2] for path in directory.loose.strays(first)}
        for name in jail.names(folder):
            ctx.tick()
            path = folder + b"/" + name
            if name in strays:
                _garbage(census, jail, "garbage found", path, tell)
                continue
            status = jail.lstat(path)
            if status is None or status.st_mode & _KIND != _REGULAR:
                _garbage(census, jail, "garbage found", path, tell)
                continue
            census.size += status.st_blocks * _BLOCK
            census.count += 1
            if packed is not None and packed(bytes([first]) + bytes.fromhex(name.decode())):
                census.prune_packable += 1
    return census


def count_packs(directory: ObjectDir, jail: Jail, census: Census, *, ctx: Context) -> None:
    """Count the packs and the objects in them."""
    for pack in directory.indexed():
        ctx.tick()
        sizes = [jail.stat(pack.path + suffix) for suffix in (b".pack", b".idx")]
        census.packs += 1
        census.in_pack += pack.index.count
        census.size_pack += sum(status.st_size for status in sizes if status is not None)


def find_garbage(directory: ObjectDir, jail: Jail, census: Census, tell: Tell, *, ctx: Context) -> None:
    """Count the files in the pack directory that belong to no pack."""
    folder = directory.path + b"/pack"
    belongs: list[bytes] = []
    for name in jail.names(folder):
        ctx.tick()
        if name == b"multi-pack-index":
            continue
        if name.startswith(b"multi-pack-index") and name.endswith((b".bitmap", b".rev")):
            continue
        if name.endswith(_IN_PACKS):
            belongs.append(name)
        else:
            _garbage(census, jail, "garbage found", folder + b"/" + name, tell)
    for bits, names in _groups(sorted(belongs)):
        for name in names if bits != _PACK | _IDX else ():
            _garbage(census, jail, _ALONE[bits], folder + b"/" + name, tell)


def _groups(names: list[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Group files by pack: (which of `.pack` and `.idx` are among them, the files)."""
    base, bits, group = b"", 0, list[bytes]()
    for name in names:
        if not group or not name.startswith(base):
            if group:
                yield bits, group
            base, bits, group = name[: name.rfind(b".") + 1], 0, []
        rest = name[len(base) :]
        bits |= _PACK if rest == b"pack" else _IDX if rest == b"idx" else 0
        group.append(name)
    if group:
        yield bits, group


def _garbage(census: Census, jail: Jail, why: str, path: bytes, tell: Tell) -> None:
    status = jail.stat(path)
    if status is not None:
        census.size_garbage += status.st_size
    census.garbage += 1
    tell(why, path)

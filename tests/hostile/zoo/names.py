"""Names in an index and in a stack of tables that git never writes: absolute, empty, of thousands of parts, repeated."""

import struct
import zlib
from pathlib import Path

from ..craft import Family, append, blob, index, index_entry, put

FAMILY = Family("names")
A = "aa" * 20
NAMES = {
    "absolute": (b"/a", b"/z", b"src/b.c"),
    "slashes only": (b"", b"/", b"//", b"a//", b"a//b"),
    "of two thousand parts": tuple(b"%03d/" % at + b"a/" * 1900 + b"x" for at in range(400)),
    "of nine thousand parts": tuple(b"%03d/" % at + b"a/" * 9000 + b"x" for at in range(60)),
}
for _name, _paths in NAMES.items():

    def _index(repo: Path, outside: Path, paths: tuple[bytes, ...] = _paths) -> None:
        name = blob(repo, b"x")
        index(repo, [index_entry(path, name) for path in paths])

    FAMILY.add(f"an index, {_name}", _index, intact=True)


@FAMILY("an index, version 4, a megabyte that stands for a gigabyte", intact=True)
def version_4(repo: Path, outside: Path) -> None:
    """Each name drops the last five bytes of the one before, 70,000 bytes long, and adds five."""
    head = bytes(24) + struct.pack(">I", 0o100644) + bytes(12) + bytes.fromhex(A) + struct.pack(">H", 0xFFF)
    rows = [head + b"\0" + b"a" * 70_000 + b"00000\0"]
    rows += [head + b"\x05%05d\0" % at for at in range(1, 15_000)]
    index(repo, rows, version=4)


@FAMILY("a reftable named ten thousand times")
def reftable_again(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "[core]\n repositoryformatversion = 1\n[extensions]\n refStorage = reftable\n")
    put(repo / ".git/reftable/tables.list", b"0x1-0x2-abc.ref\n" * 10_000)
    lead = b"REFT\1" + bytes(3) + struct.pack(">QQ", 1, 9)
    tail = lead + bytes(40)
    put(repo / ".git/reftable/0x1-0x2-abc.ref", lead + tail + struct.pack(">I", zlib.crc32(tail)))

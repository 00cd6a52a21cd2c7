"""A repository built by hand in a temporary directory: loose objects, packs with any delta, indexes, no git needed."""

import hashlib
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from gitglass.disk.jail import Jail
from gitglass.objects.database import Odb

from ..hostile.craft import back, entry_head, varint

NUMBERS = {b"commit": 1, b"tree": 2, b"blob": 3, b"tag": 4}


def delta(base: bytes, result: bytes, *, claim: int | None = None) -> bytes:
    """A delta that copies the common start and inserts the rest."""
    same = 0
    while same < min(len(base), len(result), 0xFFFF) and base[same] == result[same]:
        same += 1
    out = varint(len(base)) + varint(len(result) if claim is None else claim)
    if same:
        out += bytes([0x80 | 0x30]) + struct.pack("<H", same)
    rest = result[same:]
    for at in range(0, len(rest), 127):
        piece = rest[at : at + 127]
        out += bytes([len(piece)]) + piece
    return out


class Builder:
    """Writes an object directory: a new one, or that of a repository which is there (`exists`). All methods return
    oids."""

    def __init__(self, top: Path, hash_name: str = "sha1", *, exists: bool = False) -> None:
        self.top = top
        self.hash_name = hash_name
        self.objects = top / ".git" / "objects"
        if exists:
            return
        (self.objects / "pack").mkdir(parents=True)
        (self.objects / "info").mkdir()
        (top / ".git" / "refs" / "heads").mkdir(parents=True)
        (top / ".git" / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        extension = "[extensions]\n\tobjectformat = sha256\n" if hash_name == "sha256" else ""
        version = 1 if extension else 0
        core = f"[core]\n\trepositoryformatversion = {version}\n\tbare = false\n"
        (top / ".git" / "config").write_text(core + extension)

    def digest(self, data: bytes) -> bytes:
        return hashlib.new(self.hash_name, data).digest()

    def oid(self, kind: bytes, data: bytes) -> bytes:
        return self.digest(b"%s %d\0" % (kind, len(data)) + data)

    def odb(self, **options: Any) -> Odb:
        return Odb(Jail(str(self.top).encode()), str(self.objects).encode(), self.hash_name, **options)

    def loose(self, kind: bytes, data: bytes, *, raw: bytes | None = None, oid: bytes | None = None) -> bytes:
        """One loose object; `raw` is what the file holds instead, `oid` the name it gets."""
        oid = oid or self.oid(kind, data)
        path = self.objects / oid.hex()[:2] / oid.hex()[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(b"%s %d\0" % (kind, len(data)) + data) if raw is None else raw)
        return oid

    def pack(self, entries: list[tuple[bytes, int, bytes, bytes]], *, version: int = 2, large: bool = False) -> Path:
        """A pack of (oid, kind number, base, content before deflating); returns its path without suffix.

        The base is `back(...)` or an oid for deltas, b"" for whole objects.
        """
        body = bytearray(b"PACK" + struct.pack(">II", 2, len(entries)))
        rows = []
        for oid, kind, base, content in entries:
            raw = entry_head(kind, len(content)) + base + zlib.compress(content)
            rows.append((oid, zlib.crc32(raw), len(body)))
            body += raw
        return self.raw_pack(bytes(body), rows, version=version, large=large)

    def raw_pack(
        self, body: bytes, rows: list[tuple[bytes, int, int]], *, version: int = 2, large: bool = False
    ) -> Path:
        trailer = self.digest(body)
        base = self.objects / "pack" / f"pack-{trailer.hex()}"
        base.with_suffix(".pack").write_bytes(body + trailer)
        rows = sorted(rows)
        fan = b"".join(struct.pack(">I", sum(row[0][0] <= first for row in rows)) for first in range(256))
        if version == 1:
            index = fan + b"".join(struct.pack(">I", at) + oid for oid, _, at in rows)
        else:
            index = b"\xfftOc" + struct.pack(">I", 2) + fan + b"".join(row[0] for row in rows)
            index += b"".join(struct.pack(">I", row[1]) for row in rows)
            # an object that begins a pack never needs eight bytes
            long = [row[2] for row in rows if large and row[2] > 12]
            index += b"".join(struct.pack(">I", 1 << 31 | long.index(at) if at in long else at) for _, _, at in rows)
            index += b"".join(struct.pack(">Q", at) for at in long)
        index += trailer
        base.with_suffix(".idx").write_bytes(index + self.digest(index))
        return base

    def whole(self, kind: bytes, data: bytes) -> tuple[bytes, int, bytes, bytes]:
        """An entry for `pack` that is stored whole."""
        return self.oid(kind, data), NUMBERS[kind], b"", data

    def commit(
        self, *parents: bytes, time: int = 1_700_000_000, tree: bytes | None = None, message: bytes = b"m\n"
    ) -> bytes:
        """The raw bytes of a commit."""
        tree = tree or self.oid(b"tree", b"")
        lines = [b"tree " + tree.hex().encode(), *(b"parent " + parent.hex().encode() for parent in parents)]
        lines += [b"author A <a@b> %d +0100" % time, b"committer C <c@d> %d -0330" % time]
        return b"\n".join(lines) + b"\n\n" + message


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    return Builder(tmp_path / "repo")


@pytest.fixture
def builder256(tmp_path: Path) -> Builder:
    return Builder(tmp_path / "repo256", "sha256")


@pytest.fixture(scope="session")
def new_builder() -> Any:
    """The class, for fixtures that live longer than a test."""
    return Builder


@pytest.fixture(scope="session")
def packing() -> Any:
    """The module's functions for tests that write packs byte by byte."""

    class Packing:
        varint = staticmethod(varint)
        head = staticmethod(entry_head)
        back = staticmethod(back)
        delta = staticmethod(delta)

    return Packing

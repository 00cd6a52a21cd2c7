"""A repository with a work tree, built by hand: no git needed."""

import hashlib
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from gitglass.limits import Context, Limits
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store


class Repo:
    """Files, index entries, objects and refs; `store()` opens what was made."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.git = top / ".git"
        for folder in ("objects", "refs/heads", "info"):
            (self.git / folder).mkdir(parents=True)
        (self.git / "HEAD").write_text("ref: refs/heads/main\n")
        self.config("[core]\n\trepositoryformatversion = 0\n")
        self.entries: dict[tuple[bytes, int], bytes] = {}

    def config(self, text: str) -> None:
        with (self.git / "config").open("a") as stream:
            stream.write(text)

    def put(self, kind: str, data: bytes) -> bytes:
        whole = f"{kind} {len(data)}\0".encode() + data
        oid = hashlib.sha1(whole).digest()
        place = self.git / "objects" / oid.hex()[:2] / oid.hex()[2:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(zlib.compress(whole))
        return oid

    def write(self, path: str, data: bytes = b"x\n") -> Path:
        place = self.top / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        return place

    def add(self, path: str, data: bytes = b"x\n", *, blob: bytes | None = None, **more: Any) -> None:
        """Write a file and an entry that matches it; `blob` is what the entry names, where that differs."""
        place = self.write(path, data)
        os.utime(place, (1_600_000_000, 1_600_000_000))
        self.entry(path, self.put("blob", data if blob is None else blob), place, **more)

    def entry(
        self, path: str, oid: bytes, place: Path | None = None, *, mode: int = 0o100644, stage: int = 0, flags: int = 0,
        special: int = 0, size: int | None = None,
    ) -> None:  # fmt: skip
        numbers = [0] * 10
        if place is not None:
            st = place.lstat()
            numbers = [st.st_ctime_ns // 10**9, 0, st.st_mtime_ns // 10**9, 0, st.st_dev, st.st_ino, 0, st.st_uid,
                       st.st_gid, st.st_size if size is None else size]  # fmt: skip
        numbers[6] = mode
        raw = os.fsencode(path)
        bits = flags | stage << 12 | min(len(raw), 0xFFF) | (0x4000 if special else 0)
        head = struct.pack(">10I", *(n & 0xFFFFFFFF for n in numbers)) + oid + struct.pack(">H", bits)
        if special:
            head += struct.pack(">H", special)
        self.entries[raw, stage] = head + raw

    def write_index(self, *, young: bool = False) -> None:
        version = 3 if any(row[60] & 0x40 for row in self.entries.values()) else 2
        data = struct.pack(">4sII", b"DIRC", version, len(self.entries))
        for key in sorted(self.entries):
            row = self.entries[key]
            data += row + b"\0" * (8 - len(row) % 8)
        data += hashlib.sha1(data).digest()
        (self.git / "index").write_bytes(data)
        moment = 1_600_000_000 if young else 1_700_000_000
        os.utime(self.git / "index", (moment, moment))

    def commit(self, tree: bytes | None = None) -> bytes:
        """Commit the entries of the index (or a tree) to the current branch."""
        body = b"tree %s\n" % (tree or self.tree()).hex().encode()
        oid = self.put("commit", body + b"author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nc\n")
        (self.git / "refs/heads/main").write_text(oid.hex() + "\n")
        return oid

    def tree(self, prefix: bytes = b"") -> bytes:
        rows: dict[bytes, tuple[bytes, bytes]] = {}
        for path, stage in self.entries:
            if stage or not path.startswith(prefix):
                continue
            head = self.entries[path, stage]
            name, slash, _ = path[len(prefix) :].partition(b"/")
            if slash:
                rows[name + b"/"] = b"40000 " + name, self.tree(prefix + name + b"/")
            else:
                rows[name] = b"%o " % int.from_bytes(head[24:28], "big") + name, head[40:60]
        return self.put("tree", b"".join(rows[key][0] + b"\0" + rows[key][1] for key in sorted(rows)))

    def store(self) -> Store:
        self.write_index()
        return open_store(Where(cwd=os.fsencode(self.top)), root=None)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def ctx() -> Context:
    return Context(Limits(timeout=None), now=1_700_000_000)  # shared by all examples of a property

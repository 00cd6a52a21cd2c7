"""Repositories whose history is as long as one likes, made without git: one pack, its index, refs, and a commit-graph.

    python benchmarks/synthetic.py DIR COMMITS [--no-graph]

The same bytes every time. A main line, beside which every tenth commit merges a branch of four; each commit has the
tree of one of a hundred versions of a file; two hundred tags and twenty branches stand evenly along the line.
"""

from __future__ import annotations

import argparse
import hashlib
import struct
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path

VERSIONS = 100
START = 1_000_000_000
_TYPES = {b"commit": 1, b"tree": 2, b"blob": 3}


def parents_of(number: int) -> tuple[int, ...]:
    """The parents of the commit of that number: of every ten, four stand on a branch that the last merges."""
    if not number:
        return ()
    place = number % 10
    if place == 5 and number >= 10:
        return (number - 5,)  # the branch begins beside 1..4
    return (number - 5, number - 1) if place == 9 else (number - 1,)  # 4 on the line, 8 on the branch


class Pack:
    """A pack file as it grows, and its index."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._digest = hashlib.sha1()
        self._at = 0
        self.oids: list[bytes] = []
        self._offsets: list[int] = []
        self._sums = array("I")

    def begin(self, count: int) -> None:
        self._write(b"PACK" + struct.pack(">II", 2, count))

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._at += len(data)

    def add(self, oid: bytes, kind: bytes, data: bytes) -> None:
        size, code = len(data) >> 4, _TYPES[kind] << 4 | len(data) & 15
        head = bytearray()
        while size:
            head.append(code | 128)
            code, size = size & 127, size >> 7
        head.append(code)
        raw = bytes(head) + zlib.compress(data, 1)
        self.oids.append(oid)
        self._offsets.append(self._at)
        self._sums.append(zlib.crc32(raw))
        self._write(raw)

    def end(self) -> None:
        """Write the trailer and the index."""
        trailer = self._digest.digest()
        self._file.write(trailer)
        self._file.close()
        order = sorted(range(len(self.oids)), key=self.oids.__getitem__)
        large = [n for n in order if self._offsets[n] >= 1 << 31]
        places = {n: nth for nth, n in enumerate(large)}
        index = b"\xfftOc" + struct.pack(">I", 2) + fan([self.oids[n] for n in order])
        index += b"".join(self.oids[n] for n in order)
        index += struct.pack(f">{len(order)}I", *(self._sums[n] for n in order))
        index += struct.pack(
            f">{len(order)}I", *(1 << 31 | places[n] if n in places else self._offsets[n] for n in order)
        )
        index += b"".join(struct.pack(">Q", self._offsets[n]) for n in large) + trailer
        self._path.with_suffix(".idx").write_bytes(index + hashlib.sha1(index).digest())


def fan(ordered: list[bytes]) -> bytes:
    """How many oids begin with each byte or a lower one."""
    counts = [0] * 256
    for oid in ordered:
        counts[oid[0]] += 1
    total, out = 0, []
    for count in counts:
        total += count
        out.append(total)
    return struct.pack(">256I", *out)


def name_of(kind: bytes, data: bytes) -> bytes:
    return hashlib.sha1(b"%s %d\0" % (kind, len(data)) + data).digest()


def objects(count: int) -> Iterator[tuple[bytes, bytes]]:
    """(kind, data) of all: trees and blobs first, then the commits, parents before children."""
    trees = []
    for version in range(VERSIONS):
        blob = b"version %d\n" % version
        tree = b"100644 file\0" + name_of(b"blob", blob)
        trees.append(name_of(b"tree", tree).hex().encode())
        yield b"blob", blob
        yield b"tree", tree
    names: list[bytes] = []
    for number in range(count):
        who = b"A U Thor <author@example.com> %d +0000\n" % (START + 60 * number)
        lines = [b"tree %s\n" % trees[number * 7 % VERSIONS]]
        lines += [b"parent %s\n" % names[parent].hex().encode() for parent in parents_of(number)]
        data = b"".join(lines) + b"author " + who + b"committer " + who + b"\nCommit number %d\n" % number
        names.append(name_of(b"commit", data))
        yield b"commit", data


def make(top: Path, count: int, *, graph: bool = True) -> list[bytes]:
    """Write the repository; returns the commits' oids, oldest first."""
    git = top / ".git"
    (git / "objects" / "pack").mkdir(parents=True)
    (git / "objects" / "info").mkdir()
    (git / "refs").mkdir()
    (git / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    (git / "config").write_bytes(b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
    made = [(name_of(kind, data), kind, data) for kind, data in objects(count)]
    pack = Pack(git / "objects" / "pack" / ("pack-" + "5" * 40 + ".pack"))
    pack.begin(len(made))
    commits = made[2 * VERSIONS :]
    for oid, kind, data in [*reversed(commits), *made[: 2 * VERSIONS]]:  # the newest first, as git packs them
        pack.add(oid, kind, data)
    pack.end()
    oids = [oid for oid, _, _ in commits]
    _write_refs(git, oids)
    if graph:
        (git / "objects" / "info" / "commit-graph").write_bytes(commit_graph(oids))
    return oids


def _write_refs(git: Path, oids: list[bytes]) -> None:
    line = range(0, len(oids), 10)  # these are on the main line
    refs = {b"refs/heads/main": oids[-1]}
    for nth in range(min(200, len(line))):
        refs[b"refs/tags/v%03d" % nth] = oids[line[nth * len(line) // 200]]
    for nth in range(min(20, len(line))):
        refs[b"refs/heads/topic%02d" % nth] = oids[line[nth * len(line) // 20]]
    rows = [b"%s %s\n" % (oid.hex().encode(), name) for name, oid in sorted(refs.items())]
    (git / "packed-refs").write_bytes(b"# pack-refs with: peeled fully-peeled sorted \n" + b"".join(rows))


def commit_graph(oids: list[bytes]) -> bytes:
    """A commit-graph file with topological levels."""
    order = sorted(range(len(oids)), key=oids.__getitem__)
    place = [0] * len(oids)
    for nth, number in enumerate(order):
        place[number] = nth
    levels: list[int] = []
    for number in range(len(oids)):
        levels.append(1 + max((levels[parent] for parent in parents_of(number)), default=0))
    trees = {}
    for version in range(VERSIONS):
        trees[version] = name_of(b"tree", b"100644 file\0" + name_of(b"blob", b"version %d\n" % version))
    rows = []
    for number in order:
        above = [place[parent] for parent in parents_of(number)] + [0x70000000] * 2
        time = START + 60 * number
        packed = struct.pack(">IIII", above[0], above[1], levels[number] << 2 | time >> 32, time & 0xFFFFFFFF)
        rows.append(trees[number * 7 % VERSIONS] + packed)
    chunks = [
        (b"OIDF", fan([oids[number] for number in order])),
        (b"OIDL", b"".join(oids[number] for number in order)),
        (b"CDAT", b"".join(rows)),
    ]
    at = 8 + 12 * (len(chunks) + 1)
    head = b"CGPH" + bytes([1, 1, len(chunks), 0])
    for name, data in chunks:
        head += name + struct.pack(">Q", at)
        at += len(data)
    body = head + bytes(4) + struct.pack(">Q", at) + b"".join(data for _, data in chunks)
    return body + hashlib.sha1(body).digest()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("directory", type=Path)
    options.add_argument("commits", type=int)
    options.add_argument("--no-graph", action="store_true")
    words = options.parse_args()
    oids = make(words.directory, words.commits, graph=not words.no_graph)
    print(f"{words.directory}: {len(oids)} commits, the last {oids[-1].hex()}")


if __name__ == "__main__":
    main()

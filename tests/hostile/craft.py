"""What hostile repositories are made of: objects, packs, indexes and refs written byte by byte, no git needed."""

import struct
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from itertools import accumulate
from pathlib import Path
from typing import Any

SECRET = b"the planted secret 5f1c"
Builder = Callable[[Path, Path], None]
NULL = bytes(20)
PERSON = b"A <a@b> 1700000000 +0000"


@dataclass(frozen=True, slots=True)
class Member:
    """One hostile repository: `build(repository, a directory outside that holds a secret)`.

    `intact`: what was committed before is still there, so the answers about it must be those of the clean repository.
    `slow`: it may rightly end at a deadline. `asks`: command lines for this member alone; `plans`: those that write.
    """

    name: str
    family: str
    build: Builder
    intact: bool = False
    slow: bool = False
    asks: Sequence[list[str]] = ()
    plans: Sequence[list[str]] = ()


class Family:
    """The members of one class of security.md, gathered as they are defined."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.members: list[Member] = []

    def add(self, name: str, build: Builder, **more: Any) -> None:
        self.members.append(Member(f"{self.name}: {name}", self.name, build, **more))

    def __call__(self, name: str, **more: Any) -> Callable[[Builder], Builder]:
        def register(build: Builder) -> Builder:
            self.add(name, build, **more)
            return build

        return register


def append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        stream.write(text)


def put(path: Path, data: bytes) -> None:
    """A file with exactly this content, whatever was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.exists():
        path.chmod(0o644)
        path.unlink()
    path.write_bytes(data)


def object_path(repo: Path, name: str) -> Path:
    return repo / ".git" / "objects" / name[:2] / name[2:]


def loose(repo: Path, kind: bytes, body: bytes, *, claim: int | None = None, raw: bytes | None = None) -> str:
    """Write a loose object, perhaps with a size it does not have or bytes that are none; returns its name."""
    whole = b"%s %d\0" % (kind, len(body) if claim is None else claim) + body
    name = sha1(whole).hexdigest()
    path = object_path(repo, name)
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        path.write_bytes(zlib.compress(whole, 1) if raw is None else raw)
    return name


def entry(mode: bytes, name: bytes, oid: str) -> bytes:
    return mode + b" " + name + b"\0" + bytes.fromhex(oid)


def blob(repo: Path, data: bytes) -> str:
    return loose(repo, b"blob", data)


def tree(repo: Path, *entries: tuple[bytes, bytes, str]) -> str:
    return loose(repo, b"tree", b"".join(entry(*one) for one in entries))


def commit(
    repo: Path,
    tree: str,
    *,
    author: bytes = PERSON,
    committer: bytes | None = None,
    parents: Sequence[str] = (),
    message: bytes = b"Hostile\n",
    extra: bytes = b"",
    ref: str | None = "refs/heads/main",
) -> str:
    """A commit, which a ref is pointed at."""
    lines = b"tree %s\n" % tree.encode() + b"".join(b"parent %s\n" % parent.encode() for parent in parents)
    name = loose(
        repo, b"commit", lines + b"author %s\ncommitter %s\n%s\n%s" % (author, committer or author, extra, message)
    )
    if ref is not None:
        put(repo / ".git" / ref, name.encode() + b"\n")
    return name


def files(repo: Path, *contents: tuple[bytes, bytes], parents: Sequence[str] = ()) -> str:
    """A commit of some files."""
    entries = [(b"100644", name, blob(repo, data)) for name, data in contents]
    return commit(repo, tree(repo, *entries), parents=parents)


def head(repo: Path) -> str:
    """The commit that main points at."""
    return (repo / ".git/refs/heads/main").read_text().strip()


def entry_head(kind: int, size: int) -> bytes:
    """The type and size in front of an object in a pack."""
    byte, size = kind << 4 | size & 15, size >> 4
    out = bytearray()
    while size:
        out.append(byte | 128)
        byte, size = size & 127, size >> 7
    out.append(byte)
    return bytes(out)


def varint(value: int) -> bytes:
    """Seven bits a byte, lowest first: sizes in deltas."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def back(value: int) -> bytes:
    """Seven bits a byte, highest first, each step adding one: how far before itself the base of an offset delta begins,
    and numbers in reftables and in the index."""
    out = [value & 127]
    while value := value >> 7:
        value -= 1
        out.append(128 | value & 127)
    return bytes(reversed(out))


def packed(kind: int, data: bytes, base: bytes = b"", claim: int | None = None) -> bytes:
    """One entry of a pack."""
    return entry_head(kind, len(data) if claim is None else claim) + base + zlib.compress(data, 1)


def fan_of(oids: Sequence[bytes]) -> bytes:
    firsts = Counter(oid[0] for oid in oids)
    return struct.pack(">256I", *accumulate(firsts[first] for first in range(256)))


def pack(
    repo: Path,
    objects: Sequence[bytes],
    names: Sequence[str],
    *,
    number: str = "e",
    version: int = 2,
    count: int | None = None,
    offsets: Sequence[int] | None = None,
    trailer: bytes | None = None,
    large: Sequence[int] = (),
) -> Path:
    """A pack of raw entries with an idx that vouches for them; returns the path of the pack."""
    body = b"PACK" + struct.pack(">II", version, len(objects) if count is None else count)
    places = []
    for raw in objects:
        places.append(len(body))
        body += raw
    end = sha1(body).digest() if trailer is None else trailer
    rows = sorted(zip(map(bytes.fromhex, names), places if offsets is None else offsets))
    idx = b"\xfftOc" + struct.pack(">I", 2) + fan_of([oid for oid, _ in rows]) + b"".join(oid for oid, _ in rows)
    idx += bytes(4 * len(rows)) + b"".join(struct.pack(">I", at) for _, at in rows)
    idx += b"".join(struct.pack(">Q", at) for at in large) + end
    folder = repo / ".git/objects/pack"
    put(folder / f"pack-{number * 40}.pack", body + end)
    put(folder / f"pack-{number * 40}.idx", idx + sha1(idx).digest())
    return folder / f"pack-{number * 40}.pack"


class Pile:
    """Many objects, written as one pack: a file for each would take longer than what is asked about them."""

    KINDS = {b"commit": 1, b"tree": 2, b"blob": 3, b"tag": 4}

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def add(self, kind: bytes, body: bytes) -> str:
        name = sha1(b"%s %d\0" % (kind, len(body)) + body).hexdigest()
        self.objects[name] = packed(self.KINDS[kind], body)
        return name

    def tree(self, *entries: tuple[bytes, bytes, str]) -> str:
        return self.add(b"tree", b"".join(entry(*one) for one in entries))

    def commit(self, tree: str, *parents: str, message: bytes = b"x\n") -> str:
        lines = b"tree %s\n" % tree.encode() + b"".join(b"parent %s\n" % parent.encode() for parent in parents)
        return self.add(b"commit", lines + b"author %s\ncommitter %s\n\n%s" % (PERSON, PERSON, message))

    def write(self, repo: Path, number: str = "d") -> None:
        pack(repo, list(self.objects.values()), list(self.objects), number=number)


def index_entry(path: bytes, oid: str, mode: int = 0o100644, *, flags: int | None = None, size: int = 0) -> bytes:
    """One entry of an index, version 2."""
    stat = struct.pack(">10I", 0, 0, 0, 0, 0, 0, mode, 0, 0, size)
    raw = stat + bytes.fromhex(oid) + struct.pack(">H", min(len(path), 0xFFF) if flags is None else flags) + path
    return raw + bytes(8 - len(raw) % 8)


def index(
    repo: Path, entries: Sequence[bytes], *, version: int = 2, count: int | None = None, extensions: bytes = b""
) -> None:
    """An index file with its checksum."""
    data = b"DIRC" + struct.pack(">II", version, len(entries) if count is None else count) + b"".join(entries)
    data += extensions
    put(repo / ".git/index", data + sha1(data).digest())


def extension(name: bytes, body: bytes, claim: int | None = None) -> bytes:
    return name + struct.pack(">I", len(body) if claim is None else claim) + body


def chunked(magic: bytes, header: bytes, chunks: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A commit-graph or multi-pack-index: a table of contents, chunks, a checksum."""
    at = len(magic) + len(header) + 12 * (len(chunks) + 1)
    table, body = b"", b""
    for name, data in chunks:
        table += name + struct.pack(">Q", at + len(body))
        body += data
    table += bytes(4) + struct.pack(">Q", at + len(body))
    whole = magic + header + table + body
    return whole + sha1(whole).digest()


def graph(commits: Sequence[tuple[str, str, int, int, int, int]], edges: Sequence[int] = ()) -> bytes:
    """A commit-graph of (commit, tree, first parent, second parent, generation, time) rows, in the order given."""
    oids = [bytes.fromhex(row[0]) for row in commits]
    rows = b"".join(
        bytes.fromhex(tree) + struct.pack(">IIII", first, second, generation << 2 | time >> 32, time & 0xFFFFFFFF)
        for _, tree, first, second, generation, time in commits
    )
    chunks = [(b"OIDF", fan_of(oids)), (b"OIDL", b"".join(oids)), (b"CDAT", rows)]
    if edges:
        chunks.append((b"EDGE", struct.pack(f">{len(edges)}I", *edges)))
    return chunked(b"CGPH", bytes([1, 1, len(chunks), 0]), chunks)


def midx(rows: Sequence[tuple[str, int, int]], packs: Sequence[bytes], count: int | None = None) -> bytes:
    """A multi-pack-index of (object, pack, offset) rows."""
    names = b"".join(name + b"\0" for name in packs)
    names += bytes(-len(names) % 4)
    ordered = sorted(rows)
    oids = [bytes.fromhex(row[0]) for row in ordered]
    chunks = [
        (b"PNAM", names), (b"OIDF", fan_of(oids)), (b"OIDL", b"".join(oids)),
        (b"OOFF", b"".join(struct.pack(">II", one, at) for _, one, at in ordered)),
    ]  # fmt: skip
    header = bytes([1, 1, 4, 0]) + struct.pack(">I", len(packs) if count is None else count)
    return chunked(b"MIDX", header, chunks)

"""Numbers in files that are not true: sizes, counts, offsets, lengths, fan-outs, versions."""

import struct
import zlib
from collections.abc import Callable
from functools import partial
from hashlib import sha1
from pathlib import Path

from ..craft import (
    Builder,
    Family,
    append,
    back,
    blob,
    chunked,
    commit,
    entry_head,
    extension,
    fan_of,
    files,
    graph,
    head,
    index,
    index_entry,
    loose,
    midx,
    object_path,
    pack,
    packed,
    put,
    tree,
    varint,
)

FAMILY = Family("numbers")
A, B, C = "aa" * 20, "bb" * 20, "cc" * 20
HUGE = (1 << 63, (1 << 32) - 1, 1 << 40)


# ------------------------------------------------------------------------------------------------------ loose objects
def _raw_loose(raw: bytes) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        path = object_path(repo, A)
        put(path, raw)
        commit(repo, tree(repo, (b"100644", b"README.md", A)))
        put(repo / ".git/refs/heads/object", A.encode() + b"\n")

    return build


RAW = {
    "empty": b"", "one byte": b"x", "only a zlib header": b"x\x9c", "no NUL": zlib.compress(b"blob 5 hello"), "no size": zlib.compress(b"blob \0hello"),
    "negative": zlib.compress(b"blob -5\0hello"), "hexadecimal": zlib.compress(b"blob 0x5\0hello"), "leading zeros": zlib.compress(b"blob 0005\0hello"),
    "20 digits": zlib.compress(b"blob 99999999999999999999\0hello"), "2**63": zlib.compress(b"blob 9223372036854775808\0hello"), "4000 digits": zlib.compress(b"blob " + b"9" * 4000 + b"\0x"),
    "1 GiB": zlib.compress(b"blob 1073741824\0hello"), "zero": zlib.compress(b"blob 0\0hello"), "one less": zlib.compress(b"blob 4\0hello"), "one more": zlib.compress(b"blob 6\0hello"),
    "unknown kind": zlib.compress(b"glob 5\0hello"), "a long kind": zlib.compress(b"b" * 100000 + b" 5\0hello"), "delta kind": zlib.compress(b"ofs-delta 5\0hello"),
    "garbage behind": zlib.compress(b"blob 5\0hello") + b"garbage", "cut": zlib.compress(b"blob 5000\0" + bytes(range(256)) * 20)[:-9], "bad checksum": zlib.compress(b"blob 5\0hello")[:-1] + b"\0",
    "a preset dictionary": b"x\xbb\0\0\0\0" + b"x" * 20, "gzip": b"\x1f\x8b\x08\0" + b"x" * 20, "another's content": zlib.compress(b"blob 5\0hello"), "stored blocks": zlib.compress(b"blob 5\0hello", 0),
}  # fmt: skip
for _name, _raw in RAW.items():
    FAMILY.add(f"a loose object, {_name}", _raw_loose(_raw))


# -------------------------------------------------------------------------------------------------------------- packs
def _packed(*objects: bytes, **options: object) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        names = [A, B, C][: len(objects)]
        pack(repo, objects, names, **options)  # type: ignore[arg-type]
        commit(repo, tree(repo, *((b"100644", name.encode(), name) for name in names)))

    return build


HELLO = packed(3, b"hello")


def delta(base: int, result: int, code: bytes) -> bytes:
    return varint(base) + varint(result) + code


PACKS: dict[str, Builder] = {
    "kind 0": _packed(packed(0, b"hello")), "kind 5": _packed(packed(5, b"hello")), "a size too small": _packed(packed(3, b"hello", claim=4)),
    "a size too large": _packed(packed(3, b"hello", claim=6)), "a size of 1 GiB": _packed(packed(3, b"hello", claim=1 << 30)), "a size of 2**60": _packed(packed(3, b"hello", claim=1 << 60)),
    "a size without end": _packed(b"\xff" * 40 + HELLO), "no stream": _packed(entry_head(3, 5)), "a cut stream": _packed(HELLO[:-6]),
    "version 0": _packed(HELLO, version=0), "version 4": _packed(HELLO, version=4), "no objects claimed": _packed(HELLO, count=0), "2**32-1 claimed": _packed(HELLO, count=(1 << 32) - 1),
    "another trailer": _packed(HELLO, trailer=bytes(20)), "an offset into the header": _packed(HELLO, offsets=[4]), "an offset of 0": _packed(HELLO, offsets=[0]),
    "an offset into the trailer": _packed(HELLO, offsets=[12 + len(HELLO) + 3]), "an offset beyond": _packed(HELLO, offsets=[0x7FFFFFFF]),
    "a large offset beyond": _packed(HELLO, offsets=[0x80000000], large=[1 << 62]), "a large offset without table": _packed(HELLO, offsets=[0x80000005]),
    "an offset in the middle": _packed(HELLO, offsets=[13]), "two at one place": _packed(HELLO, HELLO, offsets=[12, 12]),
    "a base of distance 0": _packed(HELLO, packed(6, delta(5, 5, b"\x90\x05"), back(0))), "a base before the start": _packed(HELLO, packed(6, delta(5, 5, b"\x90\x05"), back(9999))),
    "a base at 2**60": _packed(HELLO, packed(6, delta(5, 5, b"\x90\x05"), b"\xff" * 8 + b"\x7f")), "a base without end": _packed(HELLO, entry_head(6, 5) + b"\xff" * 200),
    "a base that is missing": _packed(packed(7, delta(5, 5, b"\x90\x05"), bytes.fromhex("dd" * 20))), "a base that is itself": _packed(packed(7, delta(5, 5, b"\x90\x05"), bytes.fromhex(A))),
    "a circle of two": _packed(packed(7, delta(5, 5, b"\x90\x05"), bytes.fromhex(B)), packed(7, delta(5, 5, b"\x90\x05"), bytes.fromhex(A))),
    "a circle of three": _packed(*(packed(7, delta(5, 5, b"\x90\x05"), bytes.fromhex(name)) for name in (B, C, A))),
    "a base within another": _packed(HELLO, packed(6, delta(5, 5, b"\x90\x05"), back(len(HELLO) - 1))),
}  # fmt: skip
DELTAS = {
    "nothing": b"", "only a size": b"\x05", "sizes without end": b"\xff" * 100, "code 0": delta(5, 5, b"\0"), "no code": delta(5, 5, b""),
    "another base size": delta(6, 5, b"\x90\x05"), "a base size of 2**62": delta(1 << 62, 5, b"\x90\x05"), "a result of 1 GiB": delta(5, 1 << 30, b"\x90\x05"),
    "a result of 2**62": delta(5, 1 << 62, b"\x90\x05"), "a copy beyond": delta(5, 5, b"\x91\x01\x05"), "a copy at 4 GiB": delta(5, 5, b"\x9f\xff\xff\xff\xff\x05"),
    "a copy of 16 MiB": delta(5, 5, b"\xf0\xff\xff\xff"), "a copy of 0, meaning 64 KiB": delta(5, 65536, b"\x80"), "more than claimed": delta(5, 5, b"\x90\x05\x90\x05"),
    "less than claimed": delta(5, 9, b"\x90\x05"), "an insertion cut": delta(5, 100, b"\x7fabc"), "a copy cut": delta(5, 5, b"\xff\x01"), "zeros": delta(0, 0, b""),
}  # fmt: skip
for _name, _code in DELTAS.items():
    PACKS[f"a delta, {_name}"] = _packed(HELLO, packed(6, _code, back(len(HELLO))))
for _name, _build in PACKS.items():
    FAMILY.add(f"a pack, {_name}", _build)


# ------------------------------------------------------------------------------------------------- idx, midx and graph
def _spoilt(suffix: str, spoil: Callable[[bytearray], bytes | bytearray]) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        path = pack(repo, [HELLO, packed(3, b"world"), packed(3, b"again")], [A, B, C]).with_suffix(suffix)
        put(path, bytes(spoil(bytearray(path.read_bytes()))))
        commit(repo, tree(repo, (b"100644", b"README.md", A), (b"100644", b"b", B)))

    return build


def write(at: int, data: bytes) -> Callable[[bytearray], bytearray]:
    def spoil(raw: bytearray) -> bytearray:
        raw[at : at + len(data)] = data
        return raw

    return spoil


IDX: dict[str, Callable[[bytearray], bytes | bytearray]] = {
    "empty": lambda raw: b"", "8 bytes": lambda raw: raw[:8], "half": lambda raw: raw[: len(raw) // 2], "a byte short": lambda raw: raw[:-1], "a byte long": lambda raw: raw + b"x",
    "version 3": write(4, b"\0\0\0\3"), "version 0": write(4, bytes(4)), "a fan-out that falls": write(8 + 4 * 100, b"\0\0\0\7"), "a fan-out of 2**32-1": write(8, b"\xff" * 1024),
    "a fan-out of 0": write(8, bytes(1024)), "an early count": write(8, struct.pack(">I", 3) * 256), "unsorted names": write(8 + 1024, b"\xff" * 20), "equal names": write(8 + 1024, bytes.fromhex(A) * 3),
    "offsets beyond": write(8 + 1024 + 3 * 24, b"\x7f\xff\xff\xff" * 3), "large offsets beyond": write(8 + 1024 + 3 * 24, b"\x80\0\0\7" * 3), "another pack's": write(-40 + 8 + 1024 + 3 * 28 + 40, b"\1" * 20),
    "version 1": lambda raw: fan_of([bytes.fromhex(A)]) + b"\0\0\0\x0c" + bytes.fromhex(A) + bytes(40), "version 1 beyond": lambda raw: fan_of([bytes.fromhex(A)]) + b"\xff\xff\xff\xff" + bytes.fromhex(A) + bytes(40),
    "noise": lambda raw: sha1(raw).digest() * 200,
}  # fmt: skip
for _name, _spoil in IDX.items():
    FAMILY.add(f"an idx, {_name}", _spoilt(".idx", _spoil))
for _name, _spoil in {
    "empty": lambda raw: b"", "half": lambda raw: raw[: len(raw) // 2], "no trailer": lambda raw: raw[:-20], "noise": lambda raw: sha1(raw).digest() * 20,
}.items():  # fmt: skip
    FAMILY.add(f"a pack file, {_name}", _spoilt(".pack", _spoil))


@FAMILY("an idx without its pack", intact=True)
def lonely_idx(repo: Path, outside: Path) -> None:
    pack(repo, [HELLO], [A]).unlink()


@FAMILY("a pack without its idx", intact=True)
def lonely_pack(repo: Path, outside: Path) -> None:
    pack(repo, [HELLO], [A]).with_suffix(".idx").unlink()


@FAMILY("an idx of a billion objects in a file of holes")
def giant_idx(repo: Path, outside: Path) -> None:
    path = pack(repo, [HELLO], [A]).with_suffix(".idx")
    count = 1_000_000_000
    with path.open("r+b") as stream:
        stream.seek(8)
        stream.write(struct.pack(">I", count) * 256)
        stream.truncate(8 + 1024 + count * 28 + 40)


def _graph(data: Callable[[Path], bytes]) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        put(repo / ".git/objects/info/commit-graph", data(repo))

    return build


def _rows(
    repo: Path, first: int, second: int, edges: tuple[int, ...] = (), generation: int = 1, tree: str = C
) -> bytes:
    return graph([(head(repo), tree, first, second, generation, 1_700_000_000)], edges)


NO = 0x70000000
GRAPHS: dict[str, Callable[[Path], bytes]] = {
    "empty": lambda repo: b"", "only a signature": lambda repo: b"CGPH", "half": lambda repo: (whole := _rows(repo, NO, NO))[: len(whole) // 2], "version 9": lambda repo: b"CGPH\x09" + _rows(repo, NO, NO)[5:],
    "another hash": lambda repo: b"CGPH\x01\x02" + _rows(repo, NO, NO)[6:], "255 chunks": lambda repo: b"CGPH\1\1\xff" + _rows(repo, NO, NO)[7:], "no chunks": lambda repo: chunked(b"CGPH", b"\1\1\0\0", []),
    "parents beyond": lambda repo: _rows(repo, 5, 99999), "edges beyond": lambda repo: _rows(repo, NO, 0x80000005), "edges without end": lambda repo: _rows(repo, NO, 0x80000000, (0, 0, 0)),
    "its own parent": lambda repo: _rows(repo, 0, NO), "generation 0": lambda repo: _rows(repo, NO, NO, generation=0), "another tree": lambda repo: _rows(repo, NO, NO, tree=A),
    "chunk offsets beyond": lambda repo: chunked(b"CGPH", b"\1\1\1\0", [(b"OIDF", b"")])[:12] + struct.pack(">Q", 1 << 62) * 20,
    "chunk offsets that fall": lambda repo: chunked(b"CGPH", b"\1\1\2\0", [(b"OIDF", b"\0" * 1024), (b"OIDL", b"")]).replace(b"OIDL\0\0\0\0\0\0", b"OIDL\xff\xff\xff\xff\xff\xff"),
    "Bloom data beyond": lambda repo: chunked(b"CGPH", b"\1\1\5\0", [(b"OIDF", fan_of([bytes.fromhex(head(repo))])), (b"OIDL", bytes.fromhex(head(repo))), (b"CDAT", bytes.fromhex(C) + struct.pack(">IIII", NO, NO, 4, 1)), (b"BIDX", b"\xff\xff\xff\xff"), (b"BDAT", struct.pack(">III", 1, 7, 10))]),
}  # fmt: skip
#: well-formed, and believed as git believes them: they say nothing that can be seen to be false
LIES = ("its own parent", "another tree", "Bloom data beyond", "generation 0", "edges beyond", "edges without end")
for _name, _data in GRAPHS.items():
    FAMILY.add(f"a commit-graph, {_name}", _graph(_data), intact=_name not in LIES)


def _midx(data: bytes) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        pack(repo, [HELLO], [A])
        put(repo / ".git/objects/pack/multi-pack-index", data)
        put(repo / ".git/refs/heads/packed", A.encode())

    return build


NAME = f"pack-{'e' * 40}.idx".encode()
MIDXES = {
    "empty": b"", "only a signature": b"MIDX", "version 9": b"MIDX\x09" + midx([(A, 0, 12)], [NAME])[5:], "half": midx([(A, 0, 12)], [NAME])[:700], "2**32-1 packs": midx([(A, 0, 12)], [NAME], (1 << 32) - 1),
    "no packs": midx([(A, 0, 12)], []), "a pack number beyond": midx([(A, 7, 12)], [NAME]), "an offset beyond": midx([(A, 0, 0x7FFFFFFF)], [NAME]), "a large offset beyond": midx([(A, 0, 0x80000009)], [NAME]),
    "an offset in the middle": midx([(A, 0, 14)], [NAME]), "the wrong object": midx([(B, 0, 12)], [NAME]), "a name without end": midx([(A, 0, 12)], [NAME]).replace(b".idx\0", b".idxx"),
    "no chunks": chunked(b"MIDX", b"\1\1\0\0" + bytes(4), []), "noise": b"MIDX\1\1\4\0" + sha1(b"").digest() * 100,
}  # fmt: skip
for _name, _raw in MIDXES.items():
    FAMILY.add(f"a multi-pack-index, {_name}", _midx(_raw), intact=True)


# -------------------------------------------------------------------------------------------------------------- index
def _index(make: Callable[[Path, list[bytes]], None]) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        name = blob(repo, b"x\n")
        make(repo, [index_entry(path, name) for path in (b"a", b"b/c", b"d")])

    return build


def _with_extension(name: bytes, body: bytes, claim: int | None = None) -> Builder:
    return _index(lambda repo, rows: index(repo, rows, extensions=extension(name, body, claim)))


INDEXES: dict[str, Builder] = {
    "empty": _index(lambda repo, rows: put(repo / ".git/index", b"")), "a signature": _index(lambda repo, rows: put(repo / ".git/index", b"DIRC")), "noise": _index(lambda repo, rows: put(repo / ".git/index", sha1(b"").digest() * 99)),
    **{f"version {version}": _index(partial(index, version=version)) for version in (0, 1, 3, 4, 5, 99, 1 << 31)},
    **{f"{count} entries": _index(partial(index, count=count)) for count in (0, 1, 4, 1 << 20, (1 << 32) - 1)},
    "a name longer than told": _index(lambda repo, rows: index(repo, [index_entry(b"abcdef", A, flags=1)])), "a name shorter than told": _index(lambda repo, rows: index(repo, [index_entry(b"a", A, flags=0xFFE)])),
    "extended flags in version 2": _index(lambda repo, rows: index(repo, [index_entry(b"a", A, flags=0x4001)])), "unsorted": _index(lambda repo, rows: index(repo, rows[::-1])), "doubled": _index(lambda repo, rows: index(repo, [rows[0]] * 3)),
    "stages and stage 0": _index(lambda repo, rows: index(repo, [index_entry(b"a", A, flags=stage << 12 | 1) for stage in (0, 1, 2, 3)])), "paths that leave": _index(lambda repo, rows: index(repo, [index_entry(path, blob(repo, b"x")) for path in (b"../../outside/secret", b".git/config", b"/etc/passwd", b"a//b", b"a/../b", b"~/x")])),
    "an empty path": _index(lambda repo, rows: index(repo, [index_entry(b"", A)])), "modes that are none": _index(lambda repo, rows: index(repo, [index_entry(b"a%d" % at, A, mode) for at, mode in enumerate((0, 1, 0o40000, 0o777777, 0o160000, 0o120000, 0xFFFFFFFF))])),
    "missing objects": _index(lambda repo, rows: index(repo, [index_entry(b"README.md", A), index_entry(b"src", B, 0o160000)])), "a giant size": _index(lambda repo, rows: index(repo, [index_entry(b"README.md", A, size=0xFFFFFFFF)])),
    "an unknown extension": _with_extension(b"abcd", b""), "an extension longer than the file": _with_extension(b"TREE", b"", 1 << 30), "2**32-1 bytes of extension": _with_extension(b"REUC", b"", (1 << 32) - 1),
    "a cache tree with a billion children": _with_extension(b"TREE", b"\x001 999999999\n" + bytes(20)), "a cache tree that is deep": _with_extension(b"TREE", b"\x001 1\n" + bytes(20) + (b"a\x001 1\n" + bytes(20)) * 20000),
    "a cache tree of negatives": _with_extension(b"TREE", b"\0-1 -1\n"), "a cache tree of many digits": _with_extension(b"TREE", b"\0" + b"9" * 5000 + b" 1\n"), "a cache tree that lies": _with_extension(b"TREE", b"\x003 0\n" + bytes.fromhex(A)),
    "an undo that is cut": _with_extension(b"REUC", b"a\x00100644\x00100644\x00100644\0ab"), "an undo of noise": _with_extension(b"REUC", b"\xff" * 99), "a base that is missing": _with_extension(b"link", bytes.fromhex(A) + bytes(8)),
    "a base and wild bitmaps": _with_extension(b"link", bytes.fromhex(A) + struct.pack(">II", (1 << 32) - 1, (1 << 32) - 1) + b"\xff" * 64), "untracked noise": _with_extension(b"UNTR", b"\xff" * 200), "fsmonitor noise": _with_extension(b"FSMN", b"\xff" * 20),
    "an end that is not there": _with_extension(b"EOIE", struct.pack(">I", (1 << 32) - 1) + bytes(20)), "blocks that are not there": _with_extension(b"IEOT", struct.pack(">III", 1, (1 << 32) - 1, (1 << 32) - 1)), "sparse without trees": _with_extension(b"sdir", b""),
    "a version 4 that grows": _index(lambda repo, rows: _v4(repo)),
}  # fmt: skip
for _name, _build in INDEXES.items():
    FAMILY.add(f"an index, {_name}", _build, intact=True)


def _v4(repo: Path) -> None:
    """Names that grow on one another: a megabyte that claims a terabyte."""
    body = b"".join(bytes(40) + bytes(20) + struct.pack(">H", 0xFFF) + b"\0" + b"a" * 10 + b"\0" for _ in range(20000))
    data = b"DIRC" + struct.pack(">II", 4, 20000) + body
    put(repo / ".git/index", data + sha1(data).digest())


@FAMILY("an index, split over itself", intact=True)
def split_self(repo: Path, outside: Path) -> None:
    index(repo, [], extensions=extension(b"link", bytes.fromhex(A) + struct.pack(">III", 0, 0, 0) * 2))
    put(repo / f".git/sharedindex.{A}", (repo / ".git/index").read_bytes())


@FAMILY("an index, a sparse directory that holds itself deep", intact=True)
def sparse_deep(repo: Path, outside: Path) -> None:
    name = tree(repo, (b"100644", b"f", blob(repo, b"x\n")))
    for _ in range(3000):
        name = tree(repo, (b"40000", b"d", name))
    append(
        repo / ".git/config", "[core]\n sparseCheckout = true\n sparseCheckoutCone = true\n[index]\n sparse = true\n"
    )
    index(
        repo,
        [index_entry(b"d/", name, 0o40000, flags=0x4002)[:62] + b"\x40\0" + b"d/" + bytes(6)],
        version=3,
        extensions=extension(b"sdir", b""),
    )


# ------------------------------------------------------------------------------------------------------------ settings
for _key in (
    "core.abbrev", "core.bigFileThreshold", "core.packedGitWindowSize", "core.deltaBaseCacheLimit", "core.compression", "core.logAllRefUpdates", "core.filesRefLockTimeout", "core.repositoryFormatVersion", "core.autocrlf",
    "core.quotePath", "core.whitespace", "diff.renameLimit", "diff.context", "diff.interHunkContext", "diff.statGraphWidth", "diff.statNameWidth", "diff.renames", "diff.algorithm", "diff.colorMoved", "diff.wordRegex", "log.date", "log.abbrevCommit",
    "log.diffMerges", "status.renameLimit", "status.showUntrackedFiles", "column.ui", "color.ui", "color.diff.meta", "format.pretty", "pretty.x", "notes.displayRef", "merge.renameLimit", "grep.patternType", "grep.threads", "index.threads", "pack.threads",
    "blame.date", "submodule.x.ignore", "tag.sort", "branch.sort", "i18n.logOutputEncoding", "i18n.commitEncoding", "versionsort.suffix", "core.commentChar", "advice.detachedHead", "core.precomposeUnicode", "core.ignoreCase", "core.untrackedCache", "gc.auto",
):  # fmt: skip

    def _value(repo: Path, outside: Path, key: str = _key) -> None:
        section, _, name = key.rpartition(".")
        first, dot, second = section.partition(".")
        front = f'[{first} "{second}"]\n' if dot else f"[{first}]\n"
        for value in (
            "",
            "-1",
            "99999999999999999999",
            "8589934592g",
            "0x7fffffff",
            "%(describe)%C(auto)%<(2147483647)%s%w(2147483647,1,1)",
            "(a+)+$",
        ):
            append(repo / ".git/config", f"{front} {name} = {value}\n")
        append(repo / ".git/config", f"{front} {name}\n")

    FAMILY.add(f"{_key} is absurd", _value)


@FAMILY("attributes with 100,000 names", intact=True)
def attribute_names(repo: Path, outside: Path) -> None:
    append(repo / ".gitattributes", "* " + " ".join(f"a{at}" for at in range(100_000)) + "\n")
    append(
        repo / ".git/info/attributes", "".join(f"[attr]m{at} m{at + 1} m{at + 2}\n" for at in range(2000)) + "* m0\n"
    )


@FAMILY("packed-refs whose lines lie")
def packed_refs(repo: Path, outside: Path) -> None:
    rows = [b"# pack-refs with: peeled fully-peeled sorted "] + [
        b"%s refs/heads/%s" % (head(repo).encode(), name) for name in (b"z", b"a", b"m", b"../x", b"a..b", b"x" * 5000)
    ]
    put(
        repo / ".git/packed-refs",
        b"\n".join([*rows, b"^" + A.encode(), b"^", b"^^", b"short refs/x", b" " * 999, b"\xff" * 99]),
    )


@FAMILY("reflogs whose lines lie", intact=True)
def reflogs(repo: Path, outside: Path) -> None:
    good = b"%s %s A <a@b> 1700000000 +0000\tx\n" % (A.encode(), head(repo).encode())
    put(
        repo / ".git/logs/HEAD",
        b"".join(
            [
                good,
                b"\n",
                b"x\n",
                good[:60],
                b"\n",
                good.replace(b"1700000000", b"9" * 400),
                good.replace(b"+0000", b"+" + b"9" * 50),
                good.replace(b"\tx", b""),
                bytes(100),
                good,
            ]
        ),
    )


@FAMILY("shallow, grafts and replacements that lie")
def history_lies(repo: Path, outside: Path) -> None:
    put(repo / ".git/shallow", A.encode() + b"\nxyz\n" + b"\n" * 1000)
    put(repo / ".git/info/grafts", (head(repo) + " " + head(repo) + "\n" + A + " " + B + "\nx\n").encode())


@FAMILY("replacements in a circle")
def replacements(repo: Path, outside: Path) -> None:
    other = files(repo, (b"a", b"x\n"))
    here = files(repo, (b"b", b"x\n"))
    put(repo / f".git/refs/replace/{other}", here.encode())
    put(repo / f".git/refs/replace/{here}", other.encode())
    put(repo / ".git/refs/replace/not-a-name", here.encode())


@FAMILY("a reftable of noise")
def reftable(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "[core]\n repositoryformatversion = 1\n[extensions]\n refStorage = reftable\n")
    put(repo / ".git/reftable/tables.list", b"0x1-0x2-abc.ref\n" * 50)
    put(repo / ".git/reftable/0x1-0x2-abc.ref", b"REFT\1\xff\xff\xff" + bytes(16) + sha1(b"").digest() * 100)


@FAMILY("a commit that claims to be a gigabyte")
def claimed_commit(repo: Path, outside: Path) -> None:
    put(repo / ".git/refs/heads/main", loose(repo, b"commit", b"tree x\n", claim=1 << 30).encode())

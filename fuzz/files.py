"""Targets: git's binary files and objects."""

import hashlib
import os
import zlib
from itertools import pairwise

from dulwich.object_format import SHA1
from dulwich.objects import parse_tree
from dulwich.pack import Pack as SecondPack
from dulwich.pack import _apply_delta_py
from harness import LIMIT, PLACE, ctx, must, target, tried, view, written
from made import (
    BASE,
    LONG_BASE,
    OID,
    entry,
    extension,
    index_entries,
    index_file,
    index_of,
    measured,
    pack_of,
    sealed,
    with_footer,
)  # isort: skip
from made import (
    reftable as reftable_of,
)

from gitglass.disk.jail import Jail
from gitglass.errors import Corrupt, GitError
from gitglass.fsck import rules as fsckrules
from gitglass.fsck.objects import Findings, Objects
from gitglass.graph.bloom import BloomQuery
from gitglass.index.ewah import ewah_positions
from gitglass.index.index import Index
from gitglass.index.parse import parse_index
from gitglass.memories import ObjectCache
from gitglass.objects import delta as deltas
from gitglass.objects.commit_graph import load_commit_graph
from gitglass.objects.idents import split_ident
from gitglass.objects.loose import Loose
from gitglass.objects.multi_pack_index import MultiPackIndex
from gitglass.objects.pack import COMMIT, TAG, TREE, Pack
from gitglass.objects.pack_index import PackIndex
from gitglass.objects.parsed import (
    Commit,
    Tag,
    commit_parents,
    commit_time,
    commit_tree,
    find_entry,
    tag_object,
    tree_columns,
    tree_entries,
)
from gitglass.objects.sequential import commit_facts
from gitglass.refs.reftable import Table

JAIL = Jail(os.fsencode(PLACE))


@target
def pack(data: bytes) -> None:
    for number, make in enumerate((None, entry)):
        whole, index, at = pack_of(make, data)
        written("p.pack", whole)
        path = written("p.idx", index)[:-4]
        found = Pack(JAIL, path, 20, key=1, objects=ObjectCache(LIMIT), limit=LIMIT)
        assert found.find(OID) == at and found.disk_size(at) == len(whole) - 20 - at
        read = tried(found.read, at)
        assert tried(found.read, at) == read  # from the cache, and by the quick way now that the window is there
        again = Pack(JAIL, path, 20, key=2, objects=ObjectCache(LIMIT), limit=LIMIT)
        sizes = tried(again.kind_size, at)
        tried(again.delta_base, at)
        quick = Pack(JAIL, path, 20, key=3, objects=ObjectCache(LIMIT), limit=LIMIT)
        assert tried(quick.read, 12) == (3, BASE)  # the base is at hand now, and the window: the short way is taken
        assert tried(quick.read, at) == read
        if isinstance(read, tuple):
            assert sizes == (read[0], len(read[1])), (sizes, read)
            if number:
                assert second_pack(os.fsdecode(path)) in (read, None)


def second_pack(path: str) -> tuple[int, bytes] | None:
    """What dulwich reads of the same pack; None where it does not want to."""
    found = SecondPack(path, object_format=SHA1)
    try:
        return found.get_raw(OID)
    except Exception:
        return None
    finally:
        found.close()


@target
def idx(data: bytes) -> None:
    tried(probe_index, data)
    rows = sorted({chunk[:20]: int.from_bytes(chunk[20:], "big") for chunk in cut(data, 23)[:24]}.items())
    for version in (1, 2):
        if version == 2:  # which alone has offsets beyond four bytes
            rows = [(oid, offset << 12 if at else 12) for at, (oid, offset) in enumerate(rows)]  # one is the first
        found = must(PackIndex, view("i.idx", index_of(rows, OID, version)), 20)
        assert list(found.oids()) == [oid for oid, _ in rows]
        for position, (oid, offset) in enumerate(rows):
            assert found.find(oid) == position and found.offset(position) == offset and found.oid(position) == oid
            nibbles = 1 + oid[-1] % 40
            prefix = oid.hex()[:nibbles]
            low = bytes.fromhex(prefix.ljust(40, "0"))
            assert found.prefixed(low, nibbles) == [one for one, _ in rows if one.hex().startswith(prefix)]
        for (one, _), (two, _) in pairwise(rows):
            shared = next(at for at in range(40) if one.hex()[at] != two.hex()[at])
            assert one[0] != two[0] or min(found.shared(one), found.shared(two)) >= shared
        assert found.offsets() == [offset for _, offset in rows]


def cut(data: bytes, width: int) -> list[bytes]:
    """The bytes in pieces of one width, the last one left out where it is shorter."""
    return [data[at : at + width] for at in range(0, len(data) - width + 1, width)]


def probe_index(data: bytes) -> None:
    """Every question to an index that may hold anything."""
    found = PackIndex(view("i.idx", sealed(data)), 20)
    for oid in (OID, data[-60:-40].ljust(20, b"\0"), data[1032:1052].ljust(20, b"\0")):
        position = found.find(oid)
        for nibbles in (1, 4, 7, 40):
            found.prefixed(oid, nibbles)
        found.shared(oid)
        if position >= 0:
            assert found.oid(position) == oid
            found.offset(position)
    if found.count < 10_000:
        assert len(list(found.oids())) == found.count
        found.offsets()


@target
def delta(data: bytes) -> None:
    """The one for large results and dulwich's two must make the same, or all refuse."""
    for base, raw in ((BASE, data), (BASE, measured(data, len(BASE))), (LONG_BASE, measured(data, len(LONG_BASE)))):
        made = tried(deltas.apply_delta, base, raw, LIMIT)
        if isinstance(made, bytes):
            for _ in range(8):
                if tried(deltas._apply_long, base, raw, *deltas.delta_sizes(raw)) is Corrupt:
                    raw = raw[:-1]  # dulwich's compiled one passes over one instruction too many, when it is the last
            assert made == must(deltas._apply_long, base, raw, *deltas.delta_sizes(raw))
            assert made == b"".join(_apply_delta_py(base, raw))
        elif tried(deltas.delta_sizes, raw) is not Corrupt and deltas.delta_sizes(raw)[1] <= LIMIT:
            assert tried(deltas._apply_long, base, raw, *deltas.delta_sizes(raw)) is Corrupt


@target
def loose(data: bytes) -> None:
    objects = os.fsencode(PLACE / "objects")
    for raw in (data, zlib.compress(data), zlib.compress(data) + data[:3]):
        written("objects/00/" + OID.hex()[2:], raw)
        found = Loose(JAIL, objects, "sha1", LIMIT)
        tried(found.head, OID)
        assert not isinstance(tried(found.read, OID), tuple)  # it has another name
    oid = hashlib.sha1(data).digest()
    path = written(f"objects/{oid.hex()[:2]}/{oid.hex()[2:]}", zlib.compress(data))
    found = Loose(JAIL, objects, "sha1", LIMIT)
    head, read = tried(found.head, oid), tried(found.read, oid)
    os.unlink(path)
    front, _, content = data.partition(b"\0")
    if isinstance(head, tuple) and head[1] == len(content):
        assert read == (head[0], content) and front == b"%b %d" % head
    else:
        assert not isinstance(read, tuple)


class Nowhere:
    """A repository without objects."""

    common_dir, hash_name, hash_len, grafted, dirs = b"", "sha1", 20, {}, ()

    @property
    def odb(self) -> "Nowhere":
        return self

    def shown(self, path: bytes) -> bytes:
        return path


def checked(kind: int, data: bytes) -> None:
    """What verify makes of an object: whether it parses, and what it names."""
    found = Findings(Nowhere())
    objects = Objects(Nowhere(), found, ctx())
    if must(objects.take_in, OID, kind, data):
        must(lambda: list(objects.links(OID, kind, data)))
    list(found.drain())


@target
def tree(data: bytes) -> None:
    list(fsckrules.tree(data, fsckrules.readable_entries(data, 20), 20))
    checked(TREE, data)
    found = tried(find_entry, data, b"a", 20)
    entries = tree_entries(data, 20)
    for mode, name, oid in entries:
        assert mode >= 0 and name and len(oid) == 20
    if isinstance(found, tuple):
        assert found in [(mode, oid) for mode, name, oid in entries if name == b"a"]
    columns = must(tree_columns, data, 20)
    if columns is not None:
        modes, names, oids = columns
        assert [
            (int(mode, 8) & 0xFFFF, name, oid) for mode, name, oid in zip(modes, names, oids, strict=True)
        ] == entries
    try:
        second = [(mode, name, bytes.fromhex(sha.decode())) for name, mode, sha in parse_tree(data, 20)]
    except Exception:
        return
    assert entries == [(mode & 0xFFFF, name, oid) for mode, name, oid in second]  # more has no meaning to git


@target
def commit(data: bytes) -> None:
    list(fsckrules.commit(data))
    list(fsckrules.tag(data))
    checked(COMMIT, data)
    checked(TAG, data)
    split_ident(data)
    tried(tag_object, data, OID)
    note = Tag(OID, data)
    _ = (note.type, note.tag, note.tagger, note.message, list(note.headers()))
    found = Commit(OID, data)
    _ = (found.author, found.committer, found.message, found.encoding, found.author_time, list(found.headers()))
    parents, moment, top = commit_facts(data, OID)
    assert (parents, top) == (must(commit_parents, data, OID), must(commit_tree, data, OID))
    if data.count(b"\ncommitter ") == 1 and data.count(b"\nauthor ") == 1:
        assert moment == commit_time(data) == found.commit_time


@target
def index(data: bytes) -> None:
    for raw in (sealed(data), sealed(b"DIRC" + data)):
        found = tried(parse_index, raw, 20)
        if isinstance(found, Index):
            agree(found)
    rows = index_entries(data)
    for version in (2, 3, 4):
        made = must(parse_index, index_file(rows, version), 20)
        assert made.paths == [path for path, _, _ in rows]
        assert [head[:60] for head in made.heads] == [head for _, head, _ in rows]
        assert [made.flags(at) & ~0x4000 for at in range(len(rows))] == [flags for _, _, flags in rows]
        agree(made)
    base = index_file([row for row in rows if not row[2] >> 12 & 3], 2)
    for name in (b"TREE", b"REUC"):
        must(parse_index, index_file([], 2, extension(name, data)), 20)
    for body in (data, OID + data):
        split = tried(parse_index, index_file(rows[:1], 2, extension(b"link", body)), 20, lambda name: base)
        if isinstance(split, Index):
            agree(split)
    positions = tried(ewah_positions, data, 0, 1000)
    if isinstance(positions, tuple):
        assert positions[0] == sorted(set(positions[0])) and all(0 <= bit < 1000 for bit in positions[0])


def agree(found: Index) -> None:
    """An index answers for single entries what its columns hold."""
    size = len(found.paths)
    assert len(found.heads) == len(found.modes) == len(found.oids) == len(found.stages) == len(found.stats) == size
    for at in range(min(size, 20)):
        path, stage = found.paths[at], found.stage(at)
        assert (found.mode(at), found.oid(at), stage) == (found.modes[at], found.oids[at], found.stages[at])
        assert found.entry(at).path == path and found.has_path(path)
        assert found.paths[found.find(path, stage)] == path == found.paths[found.by_path[path]]
        found.flags_in_memory(at)
    assert len(found.unmerged) == len({path for path, stage in zip(found.paths, found.stages, strict=True) if stage})


@target
def graph(data: bytes) -> None:
    written("objects/info/commit-graph", sealed(b"CGPH\x01\x01" + data))
    found = load_commit_graph(JAIL, os.fsencode(PLACE / "objects"), 20)
    if found is None:
        return
    tried(found.position, OID)
    for position in range(min(found.count, 12)):
        oid = tried(found.oid, position)
        facts = tried(found.facts, position)
        if isinstance(oid, bytes):
            for ask in (found.position, found.generation, found.corrected_date, BloomQuery(found, [b"a/b"], 7).maybe):
                tried(ask, oid)
        if position == 6:
            _ = tried(found.rows), tried(found.names), tried(lambda: found.rows_read)
            assert tried(found.facts, position) == facts  # of all rows, and of the one


@target
def midx(data: bytes) -> None:
    found = MultiPackIndex(view("m", sealed(b"MIDX\x01\x01" + data)), 20)
    for first in (0, data[-1] if data else 0, 255):
        for oid in (OID, *cut(found._bucket(first), 20)[:8]):
            place = tried(found.find, oid)
            if isinstance(place, tuple):
                assert place[0] in found.names and place[1] >= 0


@target
def reftable(data: bytes) -> None:
    head = b"REFT\x01\x00\x10\x00" + bytes(16)
    for raw in (data, with_footer(head + data, head, data[0] if data else 0), reftable_of(data)):
        try:
            table = Table(raw)
            for name, ref in table.refs.items():
                assert ref is None or (ref.oid is None) != (ref.target is None), name
            assert all(update >= 0 for _, update in table.logs)
        except GitError:
            pass

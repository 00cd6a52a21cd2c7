"""Every file that holds objects, read from end to end: loose files and packs."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import pytest

from gitglass.disk.opened import BytesView
from gitglass.fsck.files import Files, is_sealed
from gitglass.fsck.judge import Rules
from gitglass.fsck.objects import CHECKED, HERE, OBJECT, PACK, USED, Findings, FsckSpec, Objects
from gitglass.limits import Context
from gitglass.repo.discover import Where
from gitglass.repo.store import open_store


class Read:
    """The files of a repository, checked: `said`, and the table of objects afterwards."""

    def __init__(self, builder: Any, **how: Any) -> None:
        store = open_store(Where(cwd=str(builder.top).encode()), root=None)
        self.objects = Objects(store, Findings(store), Context())
        Files(self.objects, Rules(store, self.objects), FsckSpec(**how)).check()
        self.said = [(damage.words, damage.status) for damage in self.objects.findings.drain()]


@pytest.mark.parametrize("size", [0, 30, 3_000_000])
def test_a_file_is_sealed_by_the_hash_of_what_stands_before(size: int) -> None:
    data = b"x" * size
    assert is_sealed(BytesView(data + hashlib.sha1(data).digest()), "sha1")
    assert not is_sealed(BytesView(data + b"y" + hashlib.sha1(data).digest()), "sha1")
    assert is_sealed(BytesView(data + hashlib.sha256(data).digest()), "sha256")


def test_what_is_here_and_what_it_names_is_noted(builder: Any) -> None:
    blob = builder.loose(b"blob", b"x")
    tree = builder.loose(b"tree", b"100644 a\0" + blob)
    commit = builder.whole(b"commit", builder.commit(tree=tree))
    builder.pack([commit])
    read = Read(builder)
    assert read.said == []
    assert [bool(read.objects.table[oid] & USED) for oid in (blob, tree, commit[0])] == [True, True, False]
    assert all(read.objects.table[oid] & (HERE | CHECKED) == HERE | CHECKED for oid in (blob, tree, commit[0]))
    assert commit[0] not in Read(builder, packs=False).objects.table


def test_loose_files_that_are_wrong(builder: Any) -> None:
    def path(oid: bytes) -> str:
        return f".git/objects/{oid.hex()[:2]}/{oid.hex()[2:]}"

    wrong = builder.loose(b"blob", b"x", oid=b"\1" * 20)
    odd = builder.loose(b"strange", b"x")
    long = builder.loose(b"blob", b"x", oid=b"\2" * 20, raw=zlib.compress(b"blob 1\0x") + b"!")
    bad = builder.loose(b"commit", b"no commit")
    said = Read(builder).said
    right = builder.oid(b"blob", b"x").hex()
    assert (f"error: {right}: hash-path mismatch, found at: {path(wrong)}", OBJECT) in said
    assert (f"error: {odd.hex()}: object is of unknown type 'strange': {path(odd)}", OBJECT) in said
    assert (f"error: garbage at end of loose object '{long.hex()}'", OBJECT) in said
    assert (f"error: {long.hex()}: object corrupt or missing: {path(long)}", OBJECT) in said
    assert (f"error: {bad.hex()}: object could not be parsed: {path(bad)}", OBJECT) in said


def test_files_that_are_no_objects(builder: Any) -> None:
    folder = builder.objects / "ab"
    folder.mkdir()
    for name in ("tmp_obj_x", "stray"):
        (folder / name).touch()
    assert Read(builder).said == [("bad sha1 file: .git/objects/ab/stray", 0)]


def test_packed_bytes_are_those_of_the_index(builder: Any) -> None:
    entry = builder.whole(b"blob", b"some text")
    base = builder.pack([entry])
    pack = base.with_suffix(".pack")
    name, oid = f".git/objects/pack/{pack.name}", entry[0].hex()
    data = bytearray(pack.read_bytes())
    data[-22] ^= 1  # the last byte but one of the compressed content
    pack.write_bytes(data)
    said = Read(builder).said
    assert (f"error: {name} pack checksum mismatch", PACK) in said
    assert (f"error: index CRC mismatch for object {oid} from {name} at offset 12", PACK) in said
    assert (f"error: cannot unpack {oid} from {name} at offset 12", PACK) in said


def test_a_packed_object_with_another_name(builder: Any) -> None:
    base = builder.pack([(b"\3" * 20, 3, b"", b"x")])
    assert Read(builder).said == [
        (f"error: packed {'03' * 20} from .git/objects/pack/{base.name}.pack is corrupt", PACK)
    ]


def test_what_is_wrong_inside_a_packed_object_makes_the_pack_bad(builder: Any) -> None:
    """For git it is the pack that cannot be verified; a link that is broken is one of the object all the same."""
    tree = builder.loose(b"tree", b"")
    body = b"tree %s\nauthor A <a@x> 1 +00000\ncommitter A <a@x> 1 +0000\n\nx\n" % tree.hex().encode()
    loose = builder.loose(b"commit", body)
    [(words, status)] = Read(builder).said
    assert (words.split(": ", 1)[1], status) == ("badTimezone: invalid author/committer line - bad time zone", OBJECT)
    packed = builder.whole(b"commit", body.replace(b"x\n", b"y\n"))
    builder.pack([packed])
    assert [(loose.hex() in words, status) for words, status in Read(builder).said] == [(True, OBJECT), (False, PACK)]


def test_an_index_that_is_not_sealed(builder: Any) -> None:
    base = builder.pack([builder.whole(b"blob", b"x")])
    idx = base.with_suffix(".idx")
    idx.write_bytes(idx.read_bytes()[:-1] + b"?")
    assert Read(builder).said == [(f"error: Packfile index for .git/objects/pack/{base.name}.pack hash mismatch", PACK)]


def test_first_commits_and_what_tags_are_of(builder: Any) -> None:
    tree = builder.loose(b"tree", b"")
    root = builder.loose(b"commit", builder.commit(tree=tree))
    builder.loose(b"commit", builder.commit(root, tree=tree))
    raw = b"object %s\ntype commit\ntag v1\ntagger A <a@b> 1 +0000\n\nt\n" % root.hex().encode()
    tag = builder.loose(b"tag", raw)
    assert Read(builder).said == []
    assert Read(builder, roots=True).said == [(f"root {root.hex()}", 0)]
    assert Read(builder, tags=True).said == [(f"tagged commit {root.hex()} (v1) in {tag.hex()}", 0)]

"""The order in which new objects are written, and where packs and large files come to lie."""

import random

import pytest

from gitglass.errors import Corrupt
from gitglass.mutate.changes import Changes, NewPack
from gitglass.mutate.objects import NewObjects, kept_elsewhere, links_of, named_first


def history() -> dict[bytes, tuple[bytes, bytes]]:
    """Two commits with directories, and a tag of a tag."""
    objects = NewObjects("sha1")
    blob = objects.add(b"blob", b"one\n")
    deep = objects.add(b"tree", b"100644 f\0" + blob)
    module = b"160000 m\0" + b"\1" * 20
    top = objects.add(b"tree", b"40000 d\0" + deep + b"100644 f\0" + blob + module)
    who = b"A <a@b> 1 +0000"
    one = objects.add(b"commit", b"tree %b\nauthor %b\ncommitter %b\n\nm\n" % (deep.hex().encode(), who, who))
    words = (top.hex().encode(), one.hex().encode(), who, who)
    two = objects.add(b"commit", b"tree %b\nparent %b\nauthor %b\ncommitter %b\n\nm\n" % words)
    tag = objects.add(b"tag", b"object %b\ntype commit\ntag t\ntagger %b\n\nm\n" % (two.hex().encode(), who))
    objects.add(b"tag", b"object %b\ntype tag\ntag tt\ntagger %b\n\nm\n" % (tag.hex().encode(), who))
    return objects.held


def test_what_an_object_names_is_written_before_it() -> None:
    held = history()
    for seed in range(40):
        names = random.Random(seed).sample(sorted(held), len(held))
        given = list(named_first({oid: held[oid] for oid in names}))
        assert sorted(given) == sorted(held)
        for at, oid in enumerate(given):
            assert {link for link in links_of(oid, *held[oid]) if link in held} <= {*given[:at]}


def test_what_is_no_object_is_corrupt() -> None:
    with pytest.raises(Corrupt):
        list(named_first({b"\1" * 20: (b"commit", b"nothing\n")}))


def test_packs_and_large_files_have_their_places() -> None:
    changes = Changes(packs=[NewPack(b"ab" * 20, b"", b"", 3)], lfs={"cd" * 32: b""})
    assert kept_elsewhere(changes) == [
        b"objects/pack/pack-" + b"ab" * 20 + b".idx", b"lfs/objects/cd/cd/" + b"cd" * 32
    ]  # fmt: skip

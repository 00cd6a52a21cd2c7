"""Kinds and sizes of all objects of a pack, against asking for each."""

import random
from pathlib import Path
from typing import Any

import pytest

from gitglass.limits import Context, Limits
from gitglass.objects import heads
from gitglass.objects.heads import pack_heads
from gitglass.objects.pack import KIND_NAMES


def entries(builder: Any, packing: Any) -> list[Any]:
    """Objects of all kinds and lengths, deltas of deltas, and deltas that name their base."""
    draw = random.Random(7)
    out = [
        builder.whole(b"blob", draw.randbytes(size)) for size in (0, 1, 15, 16, 17, 2047, 2048, 2049, 300_000, 70_000)
    ]
    out += [builder.whole(b"commit", builder.commit(message=b"%d\n" % number)) for number in range(40)]
    text = b"line\n" * 900
    out.append(builder.whole(b"tree", b"100644 a\0" + bytes(20)))
    out.append(builder.whole(b"blob", text))
    base = out[-1][0]
    for number in range(20):
        longer = text + b"%d\n" % number * (number + 1)
        out.append((builder.oid(b"blob", longer), 7, base, packing.delta(text, longer)))
        base, text = out[-1][0], longer
    return out


@pytest.mark.parametrize("version, large", [(1, False), (2, False), (2, True)])
def test_equals_asking_for_each(builder: Any, packing: Any, version: int, large: bool) -> None:
    listed = entries(builder, packing)
    builder.pack(listed, version=version, large=large)
    odb = builder.odb()
    pack = next(iter(odb.dirs[0].indexed()))
    found = pack_heads(pack)
    assert found is not None
    for position, oid in enumerate(pack.index.oids()):
        kind, size = pack.kind_size(pack.index.offset(position))
        if found.kinds[position]:
            assert (found.kinds[position], found.sizes[position]) == (kind, size), oid.hex()
    # what is stored as a delta by name is left to those who ask for the object
    assert found.kinds.count(0) == 20
    whole = {oid: (KIND_NAMES[number], len(content)) for oid, number, _, content in listed if number < 5}
    of = odb.heads()
    told = {oid: head for first in range(256) for oid, head in of(first).items() if head[0]}
    assert told == whole


def test_deltas_by_place(builder: Any, packing: Any) -> None:
    one, two = b"x" * 3000, b"x" * 3000 + b"y"
    entry = builder.whole(b"blob", one)
    # the base begins at 12, right behind the pack's head, and the delta behind it
    size = len(packing.head(3, len(one))) + len(__import__("zlib").compress(one))
    builder.pack([entry, (builder.oid(b"blob", two), 6, packing.back(size), packing.delta(one, two))])
    of = builder.odb().heads()
    told = {oid: head for first in range(256) for oid, head in of(first).items()}
    assert told == {entry[0]: (b"blob", 3000), builder.oid(b"blob", two): (b"blob", 3001)}


def test_a_cut_or_large_pack_is_left_alone(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    base: Path = builder.pack([builder.whole(b"blob", b"%d" % number) for number in range(5)])
    odb = builder.odb()
    pack = next(iter(odb.dirs[0].indexed()))
    monkeypatch.setattr(heads, "_MOST", 4)
    assert pack_heads(pack) is None
    monkeypatch.undo()
    assert pack_heads(pack) is not None
    whole = base.with_suffix(".pack").read_bytes()
    base.with_suffix(".pack").chmod(0o644)
    base.with_suffix(".pack").write_bytes(whole[:-30])
    again = builder.odb()
    assert pack_heads(next(iter(again.dirs[0].indexed()))) is None


def test_memory_is_announced(builder: Any) -> None:
    builder.pack([builder.whole(b"blob", b"%d" % number) for number in range(12_000)])
    context = Context(Limits(timeout=None))
    with context:
        pack_heads(next(iter(builder.odb().dirs[0].indexed())))
    assert context._announced >= 12_000 * heads._ENTRY_BYTES

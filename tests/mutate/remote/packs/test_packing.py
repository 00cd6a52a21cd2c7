"""Packs that are made: read again, they hold the same objects, and stored deltas went along."""

from pathlib import Path

from tests.support.peers import read
from tests.support.writing import copy_of

import gitglass
from gitglass.limits import Context, Limits
from gitglass.mutate.remote.local import lacking
from gitglass.mutate.remote.packs.packing import packed
from gitglass.mutate.remote.packs.unpacking import header_at, unpack


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    store = gitglass.open(copy_of("packed", tmp_path / "r")).store
    with Context(Limits()) as ctx:
        head = store.refs.head()[1]
        assert head is not None
        oids = lacking(store, [head], [], ctx)
        data = b"".join(packed(store.odb, oids, store.hash_name))
    judged: dict[bytes, tuple[bytes, bytes]] = {}
    unpack(data, "sha1", limit=1 << 20, judge=lambda oid, *rest: judged.__setitem__(oid, rest), base_of=lambda _: None)
    assert judged == {oid: store.odb.read_raw(oid) for oid in oids}
    assert len(oids) == len(read(tmp_path / "r", "rev-list", "--objects", "HEAD").splitlines())
    assert header_at(data, 12, len(data))[0] in (1, 7)

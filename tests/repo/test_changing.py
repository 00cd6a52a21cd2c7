"""A repository that a live git changes between two reads: packs that go, objects that move, by hand and one by one."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gitglass.disk.jail import Jail
from gitglass.errors import Corrupt, MissingObject
from gitglass.history.entry_cache import EntryLookup
from gitglass.limits import Context, Limits
from gitglass.memories import ByOid
from gitglass.objects.directory import ObjectDir, OpenPacks
from gitglass.repo.discover import Where
from gitglass.repo.store import Shared, Store, open_store


def by_git(act: Callable[[], None]) -> None:
    """What another process would do: not on the stack of gitglass, which the guard forbids to write."""
    thread = Thread(target=act)
    thread.start()
    thread.join()


def remove(pack: Path) -> None:
    pack.with_suffix(".idx").unlink()
    pack.with_suffix(".pack").unlink()


READERS: dict[str, Callable[[Any, bytes], object]] = {
    "read": lambda odb, oid: odb.read(oid),
    "kind_size": lambda odb, oid: odb.kind_size(oid),
    "kind": lambda odb, oid: odb.kind(oid),
    "disk_size": lambda odb, oid: bool(odb.disk_size(oid)),
    "delta_base": lambda odb, oid: odb.delta_base(oid),
    "has": lambda odb, oid: odb.has(oid),
    "blob": lambda odb, oid: odb.blob(oid),
    "names": lambda odb, oid: odb.names.all(),
    "beginning": lambda odb, oid: odb.names.beginning(oid.hex()[:9]),
    "unique_length": lambda odb, oid: odb.names.unique_length(oid),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("step", ["before the index", "before the pack"])
def test_a_pack_is_replaced_by_another(builder: Any, reader: str, step: str) -> None:
    one, two = b"some content\n" * 9, b"another\n"
    ask = READERS[reader]
    old = builder.pack([builder.whole(b"blob", one)])
    oid = builder.oid(b"blob", one)
    odb = builder.odb()
    assert odb.dirs[0].packs  # listed, not opened
    if step == "before the pack":
        assert odb.has(oid)  # the index is open now
    builder.pack([builder.whole(b"blob", two), builder.whole(b"blob", one)])
    remove(old)
    assert ask(odb, oid) == ask(builder.odb(), oid)
    assert not odb.complaints


def test_packs_that_are_replaced_again_and_again(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"content\n"
    oid = builder.oid(b"blob", content)
    packs = [builder.pack([builder.whole(b"blob", content)])]
    odb = builder.odb()
    real = Jail.view

    def replace() -> None:
        packs.append(builder.pack([builder.whole(b"blob", content), builder.whole(b"blob", b"%d" % len(packs))]))
        remove(packs[-2])

    def view(jail: Jail, path: bytes) -> Any:
        if len(packs) < 6 and path.endswith(b".idx"):  # the next git is always a step ahead
            by_git(replace)
        return real(jail, path)

    monkeypatch.setattr(Jail, "view", view)
    assert odb.read(oid) == (b"blob", content)
    assert len(packs) == 6 and not odb.complaints


def test_an_object_is_packed_between_two_looks(builder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    oid = builder.loose(b"blob", b"content\n")
    odb = builder.odb()
    loose = odb.dirs[0].loose

    def act() -> None:
        builder.pack([builder.whole(b"blob", b"content\n")])
        Path(os.fsdecode(loose.file(oid))).unlink()

    real = type(loose).read

    def read(self: Any, asked: bytes) -> Any:
        if Path(os.fsdecode(loose.file(oid))).exists():
            by_git(act)
        return real(self, asked)

    monkeypatch.setattr(type(loose), "read", read)
    assert odb.read(oid) == (b"blob", b"content\n")


def test_an_object_that_leaves_its_pack_is_found_loose(builder: Any) -> None:
    pack = builder.pack([builder.whole(b"blob", b"content\n")])
    odb = builder.odb()
    oid = builder.oid(b"blob", b"content\n")
    assert odb.has(oid)
    builder.loose(b"blob", b"content\n")  # git repack -A
    remove(pack)
    assert odb.read(oid) == (b"blob", b"content\n") and odb.kind_size(oid) == (b"blob", 8)
    (builder.objects / oid.hex()[:2] / oid.hex()[2:]).unlink()
    with pytest.raises(MissingObject):
        odb.read(oid)


def test_a_pack_that_is_broken_and_not_gone_is_still_told(builder: Any) -> None:
    pack = builder.pack([builder.whole(b"blob", b"content\n")])
    odb = builder.odb()
    pack.with_suffix(".pack").write_bytes(b"no pack")
    with pytest.raises(Corrupt):
        odb.read(builder.oid(b"blob", b"content\n"))
    assert odb.complaints


def test_a_command_that_begins_counts_the_packs_there_are(builder: Any) -> None:
    odb = builder.odb()
    with Context():
        assert odb.names.count_estimate() == 0
        builder.pack([builder.whole(b"blob", b"%d" % number) for number in range(300)])
        odb.refresh()
        assert odb.names.count_estimate() == 300
        for place in odb.dirs:
            assert not place._settled  # written this very moment: its time says nothing yet
            os.utime(place.path + b"/pack", (1, 1))
        odb.refresh()
        assert all(place._settled and not place.changed() for place in odb.dirs)


# ----------------------------------------------------------------------------------------------------------- threads
def store_of(builder: Any) -> Store:
    return open_store(Where(cwd=os.fsencode(builder.top)), root=None)


def test_what_one_call_reads_another_does_not_take_away(builder: Any) -> None:
    """Two calls at once: the second begins anew and must not change what the first has seen of the repository."""
    shared = Shared(store_of(builder))
    first = shared.take()
    before, _ = first.index, first.config
    first.complaints.append("warning: of the first")
    builder.top.joinpath(".git/config").write_text("[a]\n\tb = c\n")
    second = shared.take()
    second.refresh()
    assert second is not first and second.config.get("a.b") == b"c"
    assert first.index is before and first.config.get("a.b") is None
    assert first.complaints == ["warning: of the first"] and not second.complaints
    shared.give(second)
    shared.give(first)
    assert shared.take() is first


def test_stores_of_a_handle_share_packs_and_objects(builder: Any) -> None:
    commit = builder.commit()
    builder.pack([builder.whole(b"blob", b"content\n"), builder.whole(b"commit", commit)])
    shared = Shared(store_of(builder))
    one, two = shared.take(), shared.take()
    oid = builder.oid(b"commit", commit)
    assert one.odb.commit_facts(oid) == two.odb.commit_facts(oid)
    assert one.odb._facts is two.odb._facts
    assert [*one.odb.dirs[0].packs.values()] == [*two.odb.dirs[0].packs.values()]


def test_a_replaced_history_is_not_shared(builder: Any) -> None:
    root, other = builder.commit(), builder.commit(message=b"other\n")
    shown = builder.commit(builder.oid(b"commit", root))
    for raw in (root, other, shown):
        builder.loose(b"commit", raw)
    oid = builder.oid(b"commit", shown)
    shared = Shared(store_of(builder))
    one, two = shared.take(), shared.take()
    as_written = one.odb.commit_facts(oid)
    refs = builder.top / ".git/refs/replace"
    refs.mkdir()
    (refs / oid.hex()).write_text(builder.oid(b"commit", other).hex() + "\n")
    two.refresh()
    assert two.odb.commit_facts(oid)[0] == () and two.odb.commit(oid).raw == other
    one.refresh()
    assert one.odb.commit_facts(oid)[0] == ()
    (refs / oid.hex()).unlink()
    two.refresh()
    assert two.odb.commit_facts(oid) == as_written


def test_entries_of_a_replaced_tree_are_not_remembered(builder: Any) -> None:
    """Neither from before the replacement, nor for after it."""
    entries = [b"100644 x\0" + letter * 20 for letter in (b"1", b"2")]
    for raw in entries:
        builder.loose(b"tree", raw)
    oid, other = (builder.oid(b"tree", raw) for raw in entries)
    store = store_of(builder)

    def found() -> Any:
        return EntryLookup(store).finder(b"x")(oid)

    assert found() == (0o100644, b"1" * 20)
    refs = builder.top / ".git/refs/replace"
    refs.mkdir()
    (refs / oid.hex()).write_text(other.hex() + "\n")
    store.refresh()
    assert found() == (0o100644, b"2" * 20)
    (refs / oid.hex()).unlink()
    store.refresh()
    assert found() == (0o100644, b"1" * 20)


def test_handles_share_nothing_that_was_read_of_objects(builder: Any) -> None:
    one, two = store_of(builder), store_of(builder)
    assert one.odb.by_oid is one.sibling().odb.by_oid
    assert one.odb.by_oid is not two.odb.by_oid is not one.sibling(Limits()).odb.by_oid


def test_threads_have_stores_of_their_own(builder: Any) -> None:
    shared = Shared(store_of(builder))
    mine = shared.mine()
    assert shared.mine() is mine is shared.first
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(shared.mine).result()
        assert other is not mine and pool.submit(shared.mine).result() is other


def test_a_pack_directory_is_listed_again_when_it_was_written_or_something_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[bytes] = []
    real = Jail.scandir
    monkeypatch.setattr(Jail, "scandir", lambda self, path: listed.append(path) or real(self, path))

    def add(name: str) -> None:
        for suffix in ("idx", "pack"):
            (tmp_path / "pack" / f"pack-{name}.{suffix}").write_bytes(b"")

    def packs(ctx: Context, **again: bool) -> list[bytes]:
        place = ObjectDir(Jail(b"/"), os.fsencode(tmp_path), "sha1", OpenPacks(ByOid(0)), 1 << 20, pytest.fail)
        with ctx:
            place.scan(**again)
        return list(place.packs)

    (tmp_path / "pack").mkdir()
    add("one")
    just_now = Context(now=(tmp_path / "pack").stat().st_mtime)
    assert packs(just_now) == packs(just_now) == [b"pack-one"] and len(listed) == 2
    later = Context(now=time.time() + 60)
    assert packs(later) == packs(later) == [b"pack-one"] and len(listed) == 3
    assert packs(later, again=True) == [b"pack-one"] and len(listed) == 4
    add("two")
    assert packs(later) == [b"pack-one", b"pack-two"] and len(listed) == 5

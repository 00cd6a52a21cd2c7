"""Our objects as dulwich's: its own contract suite, and what ours does beyond it."""

import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from dulwich.errors import ObjectFormatException
from dulwich.object_store import MemoryObjectStore
from dulwich.objects import Blob
from dulwich.pack import REF_DELTA, deltify_pack_objects, write_pack_data, write_pack_index
from dulwich.repo import Repo

import gitglass
from gitglass.errors import Timeout, TooLarge
from gitglass.limits import Limits

contract = pytest.importorskip("dulwich.tests.test_object_store", reason="this dulwich is without its tests")


class TestContract(contract.ObjectStoreTests, unittest.TestCase):  # type: ignore[misc,name-defined]
    """dulwich's contract for object stores, over an empty repository on disk."""

    @pytest.fixture(autouse=True)
    def _store(self, tmp_path: Path) -> None:
        Repo.init_bare(str(tmp_path)).close()
        self.store = gitglass.open(tmp_path).dulwich().object_store


def test_each_object_is_what_dulwich_reads_itself(disk: Path) -> None:
    ours, theirs = gitglass.open(disk).dulwich().object_store, Repo(str(disk)).object_store
    names = sorted(theirs)
    assert sorted(ours) == names and len(names) == 14
    for name in names:
        assert ours[name] == theirs[name] and ours[bytes.fromhex(name.decode())] == theirs[name]
        assert ours.get_raw(name) == theirs.get_raw(name)
        assert name in ours and ours.contains_packed(name) and not ours.contains_loose(name)
    assert list(ours.iter_prefix(names[3][:7])) == [names[3]]


def test_what_is_missing_or_no_name_is_a_key_error(disk: Path) -> None:
    store = gitglass.open(disk).dulwich().object_store
    for name in (b"1" * 40, b"1" * 20, b"short", b"g" * 40):
        assert name not in store
        with pytest.raises(KeyError):
            store[name]
        with pytest.raises(KeyError):
            store.get_raw(name)


def test_a_broken_object_is_one_of_dulwichs_errors(disk: Path) -> None:
    name = b"ab" + b"0" * 38
    (disk / "objects" / "ab").mkdir()
    (disk / "objects" / "ab" / ("0" * 38)).write_bytes(b"no zlib stream")
    with pytest.raises(ObjectFormatException):
        gitglass.open(disk).dulwich().object_store[name]


def test_stored_deltas_are_handed_on(disk: Path) -> None:
    deltas = repack_with_deltas(disk)
    store = gitglass.open(disk).dulwich().object_store
    assert deltas
    given = {item.sha(): item for item in store.iter_unpacked_subset(list(store))}
    assert len(given) == 14
    handed = {sha: item for sha, item in given.items() if item.pack_type_num == REF_DELTA}
    assert set(handed) == deltas
    for sha, item in handed.items():
        assert item.delta_base in given and sha != item.delta_base
    one = store.get_unpacked_object(next(iter(deltas)))
    assert one.pack_type_num == REF_DELTA


def repack_with_deltas(path: Path) -> set[bytes]:
    """All objects in one pack of dulwich's that uses deltas; the oids of those stored so."""
    repo = Repo(str(path))
    records = list(deltify_pack_objects(repo.object_store[name] for name in list(repo.object_store)))
    repo.close()
    folder = path / "objects" / "pack"
    for old in list(folder.iterdir()):
        old.unlink()
    with (folder / "pack-1.pack").open("wb") as file:
        entries, checksum = write_pack_data(
            file.write, iter(records), num_records=len(records), object_format=repo.object_format
        )
    with (folder / "pack-1.idx").open("wb") as file:
        write_pack_index(file, sorted((oid, at, crc) for oid, (at, crc) in entries.items()), checksum)
    return {item.sha() for item in records if item.delta_base is not None}


def test_what_is_added_stays_in_memory_and_within_its_bound(disk: Path) -> None:
    before = sorted(path for path in disk.rglob("*"))
    repo = gitglass.open(disk).dulwich(limits=Limits().replace(max_memory_bytes=64 << 20))
    blob = Blob.from_string(b"new\n")
    repo.object_store.add_object(blob)
    assert repo.object_store[blob.id] == blob and blob.id in list(repo.object_store)
    assert sorted(path for path in disk.rglob("*")) == before
    with pytest.raises(TooLarge):
        for number in range(9):
            repo.object_store.add_object(Blob.from_string(b"%d" % number + bytes(8 << 20)))
    file, _, abort = repo.object_store.add_pack()
    with pytest.raises(TooLarge):
        file.write(bytes(64 << 20))
    abort()
    assert gitglass.open(disk).git(["cat-file", "-e", blob.id.decode()]).returncode == 1


def test_a_pack_of_all_gives_the_same_repository(disk: Path) -> None:
    repack_with_deltas(disk)
    ours = gitglass.open(disk).dulwich()
    count, objects = ours.object_store.generate_pack_data([], [ours.refs[b"refs/heads/main"]])
    target = MemoryObjectStore()
    target.add_pack_data(count, objects)
    assert count == len(set(target)) == 13  # all but the tag
    assert {name: target[name] for name in target} == {name: ours.object_store[name] for name in target}


def test_the_deadline_is_one_for_the_piece_of_work(disk: Path) -> None:
    repo = gitglass.open(disk).dulwich(limits=Limits().replace(timeout=0.0))
    with pytest.raises(Timeout):
        for _ in range(100):
            list(repo.object_store)
            repo.object_store[repo.refs[b"refs/heads/main"]]


def test_an_object_larger_than_the_limit_is_refused(disk: Path) -> None:
    repo = Repo(str(disk))
    large = Blob.from_string(b"".join(b"%d\n" % number for number in range(5000)))
    repo.object_store.add_objects([(large, None)])
    repo.close()
    assert gitglass.open(disk).dulwich().object_store[large.id] == large
    with pytest.raises(TooLarge):
        gitglass.open(disk).dulwich(limits=Limits().replace(max_object_bytes=10_000)).object_store[large.id]


def test_alternates_outside_of_the_jail_are_not_followed(disk: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.git"
    other.mkdir()
    repo = Repo.init_bare(str(other))
    secret = Blob.from_string(b"secret\n")
    repo.object_store.add_object(secret)
    repo.close()
    (disk / "objects" / "info").mkdir(exist_ok=True)
    (disk / "objects" / "info" / "alternates").write_bytes(str(other / "objects").encode() + b"\n")
    assert secret.id in Repo(str(disk)).object_store
    assert secret.id not in gitglass.open(disk).dulwich().object_store


def test_threads_share_it(disk: Path) -> None:
    repo = gitglass.open(disk).dulwich()
    names = list(repo.object_store)
    expected = [repo.object_store.get_raw(name) for name in names]

    def all_of_them(_: int) -> Any:
        return [repo.object_store.get_raw(name) for name in names]

    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(all_of_them, range(24)))

"""The order in which new objects are written, and where packs and large files come to lie."""

import os
import random
import zlib
from pathlib import Path

import pytest
from tests.support.writing import copy_of, done

import gitglass
from gitglass.errors import Corrupt
from gitglass.mutate.calls import Calls
from gitglass.mutate.changes import Changes, NewPack
from gitglass.mutate.objects import NewObjects, kept_elsewhere, links_of, named_first
from gitglass.request.mutations import AddRequest, RestoreRequest


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


@pytest.mark.writes
@pytest.mark.parametrize("where", ["objects", "objects/XX", "alternate", "here"])
def test_an_object_that_is_there_is_not_written_again(tmp_path: Path, where: str) -> None:
    """Also where a link leads to it, which a reader follows and the door does not, or where another repository has
    it. The times of one that is here are now."""
    repo = copy_of("plain", tmp_path / "repo")
    content = b"there already\n"
    name = gitglass.git(["hash-object", "--stdin"], cwd=repo, input=content).stdout.decode().strip()
    objects = repo / ".git/objects"
    file = objects / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(b"blob %d\0" % len(content) + content))
    os.utime(file, (1_600_000_000, 1_600_000_000))
    if where == "alternate":
        (repo / ".git/other/pack").mkdir(parents=True)
        file.parent.rename(repo / ".git/other" / name[:2])
        (objects / "info").mkdir(exist_ok=True)
        (objects / "info/alternates").write_bytes(os.fsencode(repo / ".git/other") + b"\n")
    elif where != "here":
        place = objects if where == "objects" else file.parent
        place.rename(repo / ".git/moved")
        place.symlink_to(repo / ".git/moved")
    (repo / "new").write_bytes(content)
    done(repo, AddRequest(paths=["new"]))
    there = repo / ".git/other" / name[:2] / name[2:] if where == "alternate" else file
    assert (there.stat().st_mtime > 1_600_000_000) is (where == "here")
    assert len(list((tmp_path).rglob(name[2:]))) == 1
    assert gitglass.git(["ls-files", "-s", "new"], cwd=repo).stdout.split()[1].decode() == name


class Tidied(Calls):
    """Somebody removes empty directories: each that the first file is about to be linked into, once."""

    def __init__(self) -> None:
        self.removed: set[str] = set()

    def link(self, from_folder: int, name: bytes, folder: int, new: bytes) -> None:
        path = os.readlink(f"/proc/self/fd/{folder}")
        if not os.listdir(path) and path not in self.removed:
            os.rmdir(path)
            self.removed.add(path)
        super().link(from_folder, name, folder, new)


@pytest.mark.writes
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
def test_a_directory_of_objects_that_is_removed_meanwhile_is_made_again(tmp_path: Path) -> None:
    """git-gc(1) removes the empty ones."""
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "new").write_bytes(b"in a directory of its own\n")
    name = gitglass.git(["hash-object", "new"], cwd=repo).stdout.decode().strip()
    assert not (repo / ".git/objects" / name[:2]).exists()
    calls = Tidied()
    done(repo, AddRequest(paths=["new"]), calls)
    assert calls.removed == {str(repo / ".git/objects" / name[:2])}
    assert gitglass.git(["cat-file", "-p", name], cwd=repo).stdout == b"in a directory of its own\n"


@pytest.mark.writes
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
def test_a_directory_of_the_work_tree_that_is_removed_meanwhile_is_made_again(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "alone").mkdir()
    (repo / "alone/file").write_bytes(b"one\n")
    done(repo, AddRequest(paths=["alone"]))
    (repo / "alone/file").write_bytes(b"two\n")
    calls = Tidied()
    done(repo, RestoreRequest(paths=["alone/file"]), calls)
    assert calls.removed == {str(repo / "alone")} and (repo / "alone/file").read_bytes() == b"one\n"

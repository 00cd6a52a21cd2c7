"""dulwich's repositories as ours: git's answers, compared with those of the same history on disk."""

from pathlib import Path
from threading import RLock, Thread
from typing import Any

import pytest
from dulwich.object_format import SHA256
from dulwich.object_store import MemoryObjectStore, OverlayObjectStore
from dulwich.objects import Blob
from dulwich.refs import DictRefsContainer
from dulwich.repo import BaseRepo, MemoryRepo, Repo

import gitglass
from gitglass.bridge.source import DulwichSource
from gitglass.errors import Corrupt, InvalidArgs, MissingObject, TooLarge, Unreadable, Unsupported
from gitglass.limits import Limits
from gitglass.objects.database import Odb
from gitglass.objects.directory import PackedObjects
from gitglass.objects.source import ListedSource, ObjectSource

from .conftest import commit, fill

QUESTIONS = [
    "log", "log --oneline --graph --all", "log -p --stat", "log --format=%h%d%n%an%cd -- src", "log --follow a.txt", "show v1.0",
    "show --stat HEAD^2", "diff HEAD~1 HEAD", "diff --raw main side", "blame -s HEAD -- a.txt", "blame HEAD src/x.py", "describe",
    "describe --all HEAD~1", "ls-tree -r HEAD", "ls-tree -l HEAD src/", "cat-file -p HEAD:src/x.py", "cat-file -t v1.0", "cat-file -s HEAD",
    "rev-parse HEAD v1.0^{} HEAD^2 main:a.txt", "rev-parse --verify nowhere", "rev-parse --is-bare-repository", "rev-list --all --objects",
    "rev-list --count main..side", "rev-list --left-right main...side", "for-each-ref", "for-each-ref --format=%(refname)%(*objectname)%(symref)",
    "show-ref -d", "branch -av", "branch --contains HEAD~1", "tag -n", "shortlog -sn HEAD", "merge-base main side", "name-rev HEAD~1",
    "grep -n return HEAD", "grep -c line main -- a.txt", "symbolic-ref HEAD", "stash list", "status", "ls-files", "diff", "diff-tree -r HEAD~1 HEAD",
    "whatchanged -n 1", "cherry main side", "reflog", "log -g", "config remote.origin.url", "remote -v", "log -n 1 --format=%H nowhere",
    "-c core.abbrev=12 log --oneline", "-c log.date=iso log -n 1", "check-attr -a a.txt", "log --no-walk --format=%N main", "rev-parse --short HEAD",
    "cat-file --batch-all-objects --batch-check", "merge-base --is-ancestor side main", "diff --stat HEAD~1..HEAD -- src", "log --merges --format=%p",
]  # fmt: skip


@pytest.mark.parametrize("words", QUESTIONS)
def test_it_answers_as_the_same_repository_on_disk(memory: MemoryRepo, disk: Path, words: str) -> None:
    here = gitglass.open(memory).git(words.split())
    there = gitglass.open(disk).git(words.split())
    assert (here.stdout, here.stderr, here.returncode) == (there.stdout, there.stderr, there.returncode)


def test_typed_answers(memory: MemoryRepo) -> None:
    repo = gitglass.open(memory)
    assert [row.subject for row in repo.log().commits] == ["Merge", "Side", "Second", "First"]
    assert repo.describe().descriptions[0].startswith("v1.0-2-g")
    assert repo.cat_file("HEAD:src/x.py").data == b"def x():\n    return 2\n"
    assert repr(repo).startswith("gitglass.open(<dulwich.repo.MemoryRepo")


def test_what_needs_files_is_refused_by_name(memory: MemoryRepo) -> None:
    repo = gitglass.open(memory)
    for words in (["fsck"], ["count-objects", "-v"]):
        done = repo.git(words)
        assert done.returncode != 0 and words[0].encode() in done.stderr and not done.stdout
    with pytest.raises(Unsupported, match="fsck"):
        repo.verify()
    done = repo.git(["cat-file", "--batch-check=%(objectsize:disk)"], input=b"HEAD\n")
    assert done.returncode == 128 and b"size of an object on disk" in done.stderr


def test_there_is_no_other_place_to_go(memory: MemoryRepo, disk: Path) -> None:
    for words in (["-C", str(disk), "log"], [f"--git-dir={disk}", "log"], ["--work-tree=/", "status"]):
        done = gitglass.open(memory).git(words)
        assert done.returncode == 128 and done.stderr.startswith(b"fatal: not a git repository")


def test_no_file_of_the_system_is_opened(memory: MemoryRepo, guarded: Any) -> None:
    memory.get_config().set((b"include",), b"path", b"/etc/hostname")
    memory.get_config().set((b"core",), b"attributesFile", b"/etc/hostname")
    memory.get_config().set((b"mailmap",), b"file", b"/etc/hostname")
    repo = gitglass.open(memory)
    for words in (["log", "-p"], ["shortlog", "HEAD"], ["config", "-l"], ["check-attr", "-a", "a.txt"]):
        repo.git(words)
    assert guarded.seen == []


def test_objects_and_refs_that_come_later_are_seen(memory: MemoryRepo) -> None:
    repo = gitglass.open(memory)
    before = repo.git(["rev-parse", "HEAD"]).stdout
    head = memory.refs[b"refs/heads/main"]
    made = commit(memory.object_store, {b"a.txt": b"other\n"}, [head], 500, b"Later\n")
    memory.refs[b"refs/heads/main"] = made
    memory.refs[b"refs/heads/later"] = made
    assert repo.git(["rev-parse", "HEAD"]).stdout == made + b"\n" != before
    assert repo.git(["rev-parse", made[:9].decode()]).stdout == made + b"\n"
    assert b"  later\n" in repo.git(["branch"]).stdout
    memory.get_config().set((b"core",), b"abbrev", b"12")
    assert repo.git(["log", "-n1", "--format=%h"]).stdout == made[:12] + b"\n"


def test_overlays_show_loose_and_packed_objects_of_what_they_lie_over(disk: Path) -> None:
    base, upper = Repo(str(disk)), MemoryObjectStore()
    made = commit(upper, {b"a.txt": b"other\n"}, [base.refs[b"refs/heads/main"]], 500, b"Above\n")
    refs = DictRefsContainer({b"HEAD": b"ref: refs/heads/main", b"refs/heads/main": made})
    repo = gitglass.open(BaseRepo(OverlayObjectStore([upper, base.object_store]), refs))  # type: ignore[arg-type]
    assert repo.git(["log", "--format=%s"]).stdout.split() == [b"Above", b"Merge", b"Side", b"Second", b"First"]
    assert repo.git(["cat-file", "-e", base.refs[b"refs/heads/side"].decode()]).returncode == 0


def test_an_object_store_alone_has_objects_and_no_refs(memory: MemoryRepo) -> None:
    repo = gitglass.open(memory.object_store)
    head = memory.refs[b"refs/heads/main"].decode()
    assert repo.git(["log", "--format=%s", "-n1", head]).stdout == b"Merge\n"
    assert repo.git(["for-each-ref"]).stdout == b""
    done = repo.git(["log"])
    assert done.stderr == b"fatal: your current branch 'master' does not have any commits yet\n"


def test_our_own_bridge_can_be_crossed_both_ways(disk: Path) -> None:
    handle = gitglass.open(disk)
    back = gitglass.open(handle.dulwich())
    for words in ("log -p --all", "for-each-ref", "show v1.0", "rev-list --objects --all"):
        assert back.git(words.split()).stdout == handle.git(words.split()).stdout


def test_sha256() -> None:
    store = MemoryObjectStore(object_format=SHA256)
    blob = Blob.from_string(b"hello\n")
    name = blob.get_id(SHA256)
    store._data[name] = blob
    repo = gitglass.open(store)
    assert len(name) == 64
    assert repo.git(["cat-file", "-p", name.decode()]).stdout == b"hello\n"
    assert repo.git(["rev-parse", name[:8].decode()]).stdout == name + b"\n"


def test_a_wrong_hash_and_a_failing_store_are_typed_errors(memory: MemoryRepo) -> None:
    side = memory.refs[b"refs/heads/side"]
    memory.object_store._data[side] = Blob.from_string(b"something else")
    with pytest.raises(Corrupt, match="hash mismatch"):
        gitglass.open(memory).cat_file(side.decode())

    class Failing(MemoryObjectStore):
        def get_raw(self, name: bytes) -> tuple[int, bytes]:
            raise OSError("the bucket is gone")

    failing = Failing()
    failing.add_object(Blob.from_string(b"x"))
    with pytest.raises(Unreadable, match="the bucket is gone"):
        gitglass.open(failing).cat_file(next(iter(failing)).decode())


def test_limits_hold(memory: MemoryRepo) -> None:
    blob = Blob.from_string(bytes(20_000))
    memory.object_store.add_object(blob)
    repo = gitglass.open(memory, limits=Limits().replace(max_object_bytes=10_000))
    with pytest.raises(TooLarge):
        repo.cat_file(blob.id.decode())
    with pytest.raises((MissingObject, gitglass.GitError)):
        repo.cat_file("1" * 40)


def test_threads_share_a_handle(memory: MemoryRepo) -> None:
    repo = gitglass.open(memory)
    expected = repo.git(["log", "-p"]).stdout
    answers: list[bytes] = []
    threads = [Thread(target=lambda: answers.append(repo.git(["log", "-p"]).stdout)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 8


def test_what_is_no_repository() -> None:
    with pytest.raises(TypeError, match="not int"):
        gitglass.open(5)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgs):
        gitglass.open(MemoryRepo(), root="/")
    with pytest.raises(Unsupported, match="object format"):
        store = MemoryObjectStore()
        store.object_format = type("Odd", (), {"name": "sha3", "oid_length": 20, "hex_length": 40})()
        gitglass.open(store)


def test_all_sources_answer_the_same_questions(disk: Path, memory: MemoryRepo) -> None:
    """Packs, loose files and dulwich's stores: what one has, and what none has."""
    sources: list[ObjectSource] = []
    repo = Repo(str(disk))
    loose = Blob.from_string(b"in a file of its own\n")
    repo.object_store.add_object(loose)
    memory.object_store.add_object(loose)
    on_disk, held = gitglass.open(disk).store.odb, gitglass.open(memory).store.odb
    for oid in (bytes.fromhex(loose.id.decode()), bytes.fromhex(memory.refs[b"refs/heads/side"].decode())):
        for odb in (on_disk, held):
            having = [source for source in odb.sources if source.has(oid)]
            assert len(having) == 1
            sources += having
            kind, content = having[0].read(oid) or (b"", b"")
            assert (kind, content) == on_disk.read_raw(oid) and having[0].head(oid) == (kind, len(content))
            assert having[0].delta_base(oid) == bytes(20)
    nowhere = bytes(19) + b"x"
    for source in (*on_disk.sources, *held.sources):
        assert not source.has(nowhere)
        for answer in (source.read, source.head, source.disk_size, source.delta_base):
            assert answer(nowhere) is None
    assert any(isinstance(source, PackedObjects) for source in sources)


def test_a_listed_source_stands_beside_an_object_directory(disk: Path) -> None:
    """What an object directory lacks is found in another source, by its full name and by a short one."""
    upper = MemoryObjectStore()
    blob = Blob.from_string(b"above\n")
    upper.add_object(blob)
    source: ListedSource = DulwichSource(upper, "sha1", lock=RLock(), limit=1 << 20)
    store = gitglass.open(disk).store
    odb = Odb(store.jail, store.common_dir + b"/objects", "sha1", sources=(source,))
    oid = bytes.fromhex(blob.id.decode())
    assert odb.read(oid) == (b"blob", b"above\n") and not odb.packed(oid) and odb.kind(oid) == b"blob"
    assert odb.names.beginning(blob.id.decode()[:6]) == [oid] and oid in odb.names.all()
    assert odb.names.count_estimate() == 15
    assert odb.names.unique_length(oid) >= 4


def test_the_same_history_on_disk_and_in_memory(disk: Path, tmp_path: Path) -> None:
    """The two fixtures are one: what the comparisons above stand on."""
    repo = MemoryRepo()
    assert fill(repo)[-2] == Repo(str(disk)).refs[b"HEAD"]

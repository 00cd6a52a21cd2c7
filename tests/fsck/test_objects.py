"""What git's fsck knows of every object: what it was first taken for, whether it can be parsed, what it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitglass.errors import Corrupt
from gitglass.fsck.objects import FATAL, KIND, PARSED, USED, Damage, Findings, Objects
from gitglass.limits import Context
from gitglass.objects.pack import BLOB, COMMIT, TAG, TREE

from ..support.worktrees import Repo

ONE, TWO, THREE = b"\1" * 20, b"\2" * 20, b"\3" * 20


class Known(Repo):
    """A repository, and the table of objects over it once `objects` is asked for."""

    def objects(self) -> Objects:
        store = self.store()
        return Objects(store, Findings(store), Context())


def words(objects: Objects) -> list[str]:
    return [damage.words for damage in objects.findings.drain()]


def line(word: bytes, oid: bytes) -> bytes:
    return word + b" " + oid.hex().encode() + b"\n"


@pytest.fixture
def known(tmp_path: Path) -> Known:
    return Known(tmp_path / "repo")


def test_a_statement_is_made_once_and_a_told_one_of_every_copy(known: Known) -> None:
    found = Findings(known.store())
    for _ in range(2):
        found.say("missing", "missing blob", BLOB, ONE, status=2)
        found.tell("root", "root", COMMIT, TWO)
    told = Damage("root", "root", "commit", TWO.hex(), False, 0)
    assert list(found.drain()) == [Damage("missing", "missing blob", "blob", ONE.hex(), True, 2), told, told]
    assert list(found.drain()) == []


def test_paths_are_those_below_the_work_tree(known: Known) -> None:
    found = Findings(known.store())
    found.failure("corrupt", Corrupt(f"cannot read {known.git}/objects/ab/c"))
    (damage,) = found.drain()
    assert (damage.words, damage.status) == ("fatal: cannot read .git/objects/ab/c", FATAL)
    found.failure("corrupt", Corrupt("bad", prefix="error"))
    assert [(damage.words, damage.status) for damage in found.drain()] == [("error: bad", 0)]


def test_the_first_who_names_an_object_says_its_kind(known: Known) -> None:
    objects = known.objects()
    objects.mark(ONE, USED)
    assert objects.take_for(ONE, TREE) and objects.take_for(ONE, TREE)
    assert objects.table[ONE] == USED | TREE
    assert not objects.take_for(ONE, BLOB)
    assert objects.table[ONE] & KIND == TREE
    assert words(objects) == [f"error: object {ONE.hex()} is a tree, not a blob"]
    assert objects.slots.order() == [ONE]


def test_the_name_of_a_kind(known: Known) -> None:
    blob, objects = known.put("blob", b"x"), known.objects()
    objects.take_for(ONE, TAG)
    assert (objects.kind(ONE), objects.kind(blob), objects.kind(TWO)) == ("tag", "blob", "unknown")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (line(b"tree", ONE) + line(b"parent", TWO) + b"author", []),
        (line(b"tree", ONE), ["error: bogus commit object {}"]),
        (b"tree " + b"x" * 40 + b"\n\n", ["error: bad tree pointer in commit {}"]),
        (line(b"tree", ONE) + b"parent " + b"x" * 40 + b"\n\n", ["error: bad parents in commit {}"]),
        (
            line(b"tree", ONE) + line(b"parent", ONE) + b"\n",
            [f"error: object {ONE.hex()} is a tree, not a commit", f"error: bad parent {ONE.hex()} in commit {{}}"],
        ),
    ],
)
def test_commits_are_parsed(known: Known, raw: bytes, said: list[str]) -> None:
    oid, objects = known.put("commit", raw), known.objects()
    assert objects.parse(oid) is not bool(said)
    assert bool(objects.table[oid] & PARSED) is not bool(said)
    assert words(objects) == [text.format(oid.hex()) for text in said]


@pytest.mark.parametrize(
    ("raw", "good", "said"),
    [
        (line(b"object", ONE) + b"type commit\ntag v1\n", True, []),
        (line(b"object", ONE) + b"type commit\ntag v1", False, []),
        (line(b"object", ONE) + b"type odd\ntag v1\n", False, ["error: unknown tag type 'odd' in {}"]),
        (b"object x\n", False, []),
    ],
)
def test_tags_are_parsed(known: Known, raw: bytes, good: bool, said: list[str]) -> None:
    oid, objects = known.put("tag", raw), known.objects()
    assert objects.parse(oid) is good
    assert words(objects) == [text.format(oid.hex()) for text in said]


def test_what_objects_name(known: Known) -> None:
    objects = known.objects()
    commit = line(b"tree", ONE) + line(b"parent", TWO) + line(b"parent", THREE) + b"\n"
    assert list(objects.links(b"c" * 20, COMMIT, commit)) == [(TREE, ONE), (COMMIT, TWO), (COMMIT, THREE)]
    assert list(objects.links(b"t" * 20, TAG, line(b"object", TWO) + b"type commit\n")) == [(0, TWO)]
    tree = b"100644 a\0" + ONE + b"40000 b\0" + TWO + b"160000 c\0" + THREE
    assert list(objects.links(b"d" * 20, TREE, tree)) == [(BLOB, ONE), (TREE, TWO)]
    assert list(objects.links(b"e" * 20, TREE, b"40000 a\0" + ONE)) == [(TREE, None)]  # taken for a blob
    assert list(objects.links(b"f" * 20, BLOB, b"tree")) == []


def test_a_tree_that_breaks_off_loses_the_entry_before_as_well(known: Known) -> None:
    objects = known.objects()
    tree = b"100644 a\0" + ONE + b"100644 b\0" + TWO + b"x c\0" + THREE
    assert list(objects.links(b"d" * 20, TREE, tree)) == [(BLOB, ONE)]
    assert list(objects.links(b"e" * 20, TREE, tree[:-5])) == [None]


def test_what_is_not_here_and_what_has_another_name(known: Known) -> None:
    wrong = known.put("blob", b"x")
    folder = known.git / "objects" / ONE.hex()[:2]
    folder.mkdir()
    (known.git / "objects" / wrong.hex()[:2] / wrong.hex()[2:]).rename(folder / ONE.hex()[2:])
    objects = known.objects()
    assert not objects.parse(TWO) and words(objects) == []
    assert not objects.parse(ONE)
    assert words(objects)[-1] == f"error: hash mismatch {ONE.hex()}"

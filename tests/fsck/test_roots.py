"""Where git's fsck begins: references, HEAD, reflogs and the index, and what is said of what they name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.fsck.objects import HERE, OBJECT, REACH, REACHED, REFS, Findings, FsckSpec, Objects
from gitglass.fsck.reach import Reach
from gitglass.fsck.roots import Roots
from gitglass.limits import Context
from gitglass.objects.pack import COMMIT

from ..support.worktrees import Repo

GONE = b"\7" * 20


class Begun:
    """A repository with one commit on main, and what `check` says of it."""

    def __init__(self, top: Path) -> None:
        self.repo = Repo(top)
        self.repo.add("file")
        self.commit = self.repo.commit()
        self.reached: set[bytes] = set()

    def ref(self, name: str, oid: bytes) -> None:
        (self.repo.git / name).parent.mkdir(parents=True, exist_ok=True)
        (self.repo.git / name).write_text(oid.hex() + "\n")

    def check(self, **how: Any) -> list[tuple[str, int]]:
        store = self.repo.store()
        objects = Objects(store, Findings(store), Context())
        objects.take_for(self.commit, COMMIT)
        objects.mark(self.commit, HERE)
        Roots(store, objects, Reach(objects)).check(FsckSpec(**how))
        self.reached = {oid for oid, known in objects.table.items() if known & REACHED}
        return [(damage.words, damage.status) for damage in objects.findings.drain()]


@pytest.fixture
def begun(tmp_path: Path) -> Begun:
    return Begun(tmp_path / "repo")


def test_references_and_the_index_are_where_it_begins(begun: Begun) -> None:
    assert begun.check() == []
    assert begun.reached == {begun.commit, begun.repo.put("blob", b"x\n")}


def test_objects_named_take_the_place_of_both(begun: Begun) -> None:
    words = [
        (f"error: {GONE.hex()}: object missing", OBJECT),
        ("error: invalid parameter: expected sha1, got 'no'", OBJECT),
    ]
    assert begun.check(heads=(("x", begun.commit), ("gone", GONE), ("no", None))) == words
    assert begun.reached == {begun.commit}
    begun.check(heads=(("x", begun.commit),), index=True)
    assert len(begun.reached) == 2


def test_a_reference_to_nothing_and_a_branch_that_is_no_commit(begun: Begun) -> None:
    blob = begun.repo.put("blob", b"x\n")
    begun.ref("refs/tags/gone", GONE)
    begun.ref("refs/tags/blob", blob)
    begun.ref("refs/heads/blob", blob)
    assert begun.check() == [
        ("error: refs/heads/blob: not a commit", REFS),
        (f"error: refs/tags/gone: invalid sha1 pointer {GONE.hex()}", REACH),
    ]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("ref: refs/heads/new", ("notice: HEAD points to an unborn branch (new)", 0)),
        ("ref: refs/tags/main", ("error: HEAD points to something strange (refs/tags/main)", REFS)),
        ("0" * 40, ("error: HEAD: detached HEAD points at nothing", REFS)),
        (GONE.hex(), (f"error: HEAD: invalid sha1 pointer {GONE.hex()}", REACH)),
    ],
)
def test_heads(begun: Begun, head: str, said: tuple[str, int]) -> None:
    (begun.repo.git / "HEAD").write_text(head + "\n")
    assert begun.check() == [said]


def test_without_references_that_is_said(tmp_path: Path) -> None:
    begun = Begun(tmp_path / "other")
    (begun.repo.git / "refs/heads/main").unlink()
    assert begun.check() == [
        ("notice: HEAD points to an unborn branch (main)", 0),
        ("notice: No default references", 0),
    ]


def test_reflogs_name_objects_of_both_sides(begun: Begun) -> None:
    log = begun.repo.git / "logs/refs/heads/main"
    log.parent.mkdir(parents=True)
    other = b"\6" * 20
    log.write_text(
        f"{'0' * 40} {GONE.hex()} A <a@b> 1 +0000\tx\n{other.hex()} {begun.commit.hex()} A <a@b> 1 +0000\ty\n"
    )
    assert begun.check() == [
        (f"error: refs/heads/main: invalid reflog entry {GONE.hex()}", REACH),
        (f"error: refs/heads/main: invalid reflog entry {other.hex()}", REACH),
    ]
    assert begun.check(reflogs=False) == []


def test_links_to_submodules_are_no_roots(begun: Begun) -> None:
    begun.repo.entry("sub", GONE, mode=0o160000)
    assert begun.check() == [] and GONE not in begun.reached
    begun.repo.entry("blob", GONE)
    assert begun.check() == [] and GONE in begun.reached


def test_without_references_everything_unreachable_would_be_told(begun: Begun) -> None:
    (begun.repo.git / "refs/heads/main").unlink()
    (begun.repo.git / "index").unlink(missing_ok=True)
    for word, lines in (("--unreachable", 1), ("--no-dangling", 0)):
        done = gitglass.git(["fsck", "--unreachable", word], cwd=begun.repo.top)
        assert done.stdout.count(b"\n") == lines and b"unreachable" not in done.stdout
        assert b"notice: No default references" in done.stderr

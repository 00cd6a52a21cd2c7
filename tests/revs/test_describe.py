"""git describe: names, tails, and what is said where nothing describes a commit."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.errors import BadRequest, NotFound
from gitglass.limits import Context
from gitglass.revs.describe import DescribeSpec, describe

from ..support.worktrees import Repo


class _Place:
    """Commits c0…c4 in a row; v1 (annotated) at c1, light at c2, `mistaken` calls itself v9 at c4."""

    def __init__(self, top: Path) -> None:
        self.repo = Repo(top / "repo")
        self.repo.add("f")
        tree = self.repo.tree().hex().encode()
        self.commits: list[bytes] = []
        for nth in range(5):
            parent = b"parent %b\n" % self.commits[-1].hex().encode() if nth else b""
            who = b"author A <a@x> %d +0000\ncommitter A <a@x> %d +0000\n\nc%d\n" % (nth, nth, nth)
            self.commits.append(self.repo.put("commit", b"tree %b\n" % tree + parent + who))
        self.ref("heads/main", self.commits[4])
        self.ref("tags/v1", self.tag(b"v1", self.commits[1]))
        self.ref("tags/light", self.commits[2])
        self.repo.write_index()

    def tag(self, name: bytes, oid: bytes, time: int = 9) -> bytes:
        head = b"object %b\ntype commit\ntag %b\ntagger A <a@x> %d +0000\n\nm\n"
        return self.repo.put("tag", head % (oid.hex().encode(), name, time))

    def ref(self, name: str, oid: bytes) -> None:
        place = self.repo.git / "refs" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(oid.hex() + "\n")

    def describe(self, nth: int, **options: Any) -> bytes:
        self.ctx = Context()
        return describe(self.repo.store(), self.commits[nth], DescribeSpec(**options), ctx=self.ctx)

    def short(self, nth: int, length: int = 7) -> bytes:
        return self.commits[nth].hex()[:length].encode()


@pytest.fixture
def place(tmp_path: Path) -> _Place:
    return _Place(tmp_path)


def test_the_nearest_name_with_its_tail(place: _Place) -> None:
    assert place.describe(4) == b"v1-3-g" + place.short(4)
    assert place.describe(4, tags=True) == b"light-2-g" + place.short(4)
    assert place.describe(4, abbrev=10) == b"v1-3-g" + place.short(4, 10)
    assert place.describe(4, abbrev=0) == b"v1"
    assert place.describe(3, all=True) == b"tags/light-1-g" + place.short(3)


def test_a_name_of_the_commit_itself(place: _Place) -> None:
    assert place.describe(1) == b"v1"
    assert place.describe(1, long=True) == b"v1-0-g" + place.short(1)
    assert place.describe(2) == b"v1-1-g" + place.short(2)
    assert place.describe(4, all=True) == b"heads/main"


def test_the_tail_of_a_tag_of_a_tag_names_what_it_tags(place: _Place) -> None:
    inner = place.tag(b"inner", place.commits[3])
    place.ref("tags/nested", place.tag(b"nested", inner))
    assert place.describe(3, long=True) == b"nested-0-g" + inner.hex()[:7].encode()
    assert place.describe(4, long=True) == b"nested-1-g" + place.short(4)


def test_annotated_names_go_first_and_the_youngest_of_them(place: _Place) -> None:
    place.ref("tags/a", place.commits[1])
    assert place.describe(1, tags=True) == b"v1"
    place.ref("tags/young", place.tag(b"young", place.commits[1], 10))
    assert place.describe(1) == b"young"


def test_chosen_names(place: _Place) -> None:
    assert place.describe(4, tags=True, match=(b"v*",)) == b"v1-3-g" + place.short(4)
    assert place.describe(4, tags=True, exclude=(b"li*",)) == b"v1-3-g" + place.short(4)


def test_nothing_describes_it(place: _Place) -> None:
    with pytest.raises(NotFound, match=f"^No tags can describe '{place.commits[0].hex()}'.\nTry --always"):
        place.describe(0)
    assert place.describe(0, always=True) == place.short(0)
    with pytest.raises(NotFound, match=f"^no tag exactly matches '{place.commits[4].hex()}'$"):
        place.describe(4, candidates=0)
    with pytest.raises(NotFound, match=r"^No annotated tags can describe .*\nHowever, there were unannotated tags"):
        place.describe(4, exclude=(b"v1",))


def test_a_tag_with_another_name_of_its_own(place: _Place) -> None:
    place.ref("tags/mistaken", place.tag(b"v9", place.commits[3]))
    assert place.describe(3) == b"v9-0-g" + place.short(3)


def test_blobs_and_trees(place: _Place) -> None:
    store = place.repo.store()
    blob = place.repo.put("blob", b"x\n")
    with pytest.raises(NotFound):
        describe(store, blob, DescribeSpec(), ctx=Context())
    assert describe(store, blob, DescribeSpec(always=True), ctx=Context()) == place.short(0) + b":f"
    assert describe(store, place.repo.put("blob", b"in no tree\n"), DescribeSpec(), ctx=Context()) == b""
    with pytest.raises(BadRequest, match="is neither a commit nor blob"):
        describe(store, place.repo.tree(), DescribeSpec(), ctx=Context())


def test_a_commit_that_is_missing_ends_the_history(place: _Place) -> None:
    """As in a clone that lost what is behind it; git goes on."""
    gone = place.commits[0].hex()
    (place.repo.git / "objects" / gone[:2] / gone[2:]).unlink()
    done = gitglass.git(["describe", "--match=nosuch", "--always"], cwd=place.repo.top)
    assert (done.returncode, done.stdout) == (0, place.short(4) + b"\n")
    assert done.stderr == b"error: Could not read %s\n" % gone.encode()
    done = gitglass.git(["describe"], cwd=place.repo.top)
    assert done.stdout == b"v1-3-g" + place.short(4) + b"\n"

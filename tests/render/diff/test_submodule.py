"""`--submodule=log` and `--submodule=diff` of one submodule."""

from pathlib import Path

import pytest
from tests.support.specs import changed

from gitglass.diff.changes import MODIFIED, UNTRACKED, Filespec
from gitglass.diff.spec import DiffSpec
from gitglass.limits import Context
from gitglass.render.diff.patch import PatchWriter
from gitglass.render.diff.submodule import submodule_text
from gitglass.render.style import Style

from ...support.worktrees import Repo

LINK, NULL = 0o160000, bytes(20)


class Pair:
    """A repository with a submodule at `s`: two commits in a row, and one beside the second."""

    def __init__(self, top: Path) -> None:
        self.outer = Repo(top / "top")
        (self.outer.top / "s").mkdir()
        self.sub = Repo(self.outer.top / "s")
        self.first = self.commit(1, b"x\n")
        self.second = self.commit(2, b"y\n", self.first)
        self.beside = self.commit(3, b"z\n", self.first)
        (self.sub.git / "refs/heads/main").write_text(self.second.hex() + "\n")
        self.ctx = Context()

    def commit(self, number: int, text: bytes, *parents: bytes) -> bytes:
        self.sub.add("f", text)
        self.sub.write_index()
        lines = [b"tree " + self.sub.tree().hex().encode(), *(b"parent " + one.hex().encode() for one in parents)]
        lines += [b"%b A <a@x> %d +0000" % (role, number) for role in (b"author", b"committer")]
        return self.sub.put("commit", b"\n".join(lines) + b"\n\nc%d\n" % number)

    def text(self, one: bytes, two: bytes, form: str = "log", dirty: int = 0) -> list[bytes]:
        store, ctx, spec = self.outer.store(), self.ctx, DiffSpec()
        spec = changed(spec, patch__submodule=form)
        sides = Filespec(b"s", LINK if one != NULL else 0, one), Filespec(b"s", LINK if two != NULL else 0, two, dirty)
        told = submodule_text(store, Style(store, ctx), spec, *sides, one, two, PatchWriter, ctx=ctx)
        return told.split(b"\n")[:-1]


def short(oid: bytes) -> bytes:
    return oid.hex()[:7].encode()


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def test_commits_of_one_side_and_of_both(pair: Pair) -> None:
    first, second, beside = short(pair.first), short(pair.second), short(pair.beside)
    assert pair.text(pair.first, pair.second) == [b"Submodule s %b..%b:" % (first, second), b"  > c2"]
    assert pair.text(pair.second, pair.first) == [b"Submodule s %b..%b (rewind):" % (second, first), b"  < c2"]
    both = [b"Submodule s %b...%b:" % (second, beside), b"  > c3", b"  < c2"]
    assert pair.text(pair.second, pair.beside) == both


def test_new_deleted_and_absent(pair: Pair) -> None:
    second = short(pair.second)
    assert pair.text(NULL, pair.second) == [b"Submodule s 0000000...%b (new submodule)" % second]
    assert pair.text(pair.second, NULL) == [b"Submodule s %b...0000000 (submodule deleted)" % second]
    lost = b"Submodule s 1111111...%b (commits not present)" % second
    assert pair.text(b"\x11" * 20, pair.second) == [lost]


def test_work_that_is_not_committed(pair: Pair) -> None:
    untracked, modified = b"Submodule s contains untracked content", b"Submodule s contains modified content"
    assert pair.text(pair.second, pair.second, dirty=UNTRACKED | MODIFIED) == [untracked, modified]
    assert pair.text(pair.second, pair.second, dirty=UNTRACKED) == [untracked]


def test_the_patch_inside(pair: Pair) -> None:
    lines = pair.text(pair.first, pair.second, "diff")
    assert lines[0] == b"Submodule s %b..%b:" % (short(pair.first), short(pair.second))
    assert lines[1] == b"diff --git a/s/f b/s/f"
    assert lines[3:] == [b"--- a/s/f", b"+++ b/s/f", b"@@ -1 +1 @@", b"-x", b"+y"]


def test_a_submodule_that_was_put_away_cannot_be_asked(pair: Pair) -> None:
    """`git submodule deinit` leaves an empty directory, in which git finds no repository and looks for files."""
    (pair.outer.top / ".gitmodules").write_text('[submodule "s"]\n\tpath = s\n\turl = ../s\n')
    (pair.outer.git / "modules").mkdir()
    pair.sub.git.rename(pair.outer.git / "modules/s")
    (pair.outer.top / "s/f").unlink(missing_ok=True)
    span = b"Submodule s %b..%b:" % (short(pair.first), short(pair.second))
    assert pair.text(pair.first, pair.second, "diff") == [span, b"(diff failed)"]
    assert pair.text(NULL, pair.second, "diff")[1:] == [b"(diff failed)"]
    empty = b"4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    assert pair.ctx.stderr.lines == [
        b"error: Could not access '%b'\n" % name for name in (pair.first.hex().encode(), empty)
    ]
    (pair.outer.top / "s").rmdir()
    assert b"+y" in pair.text(pair.first, pair.second, "diff")

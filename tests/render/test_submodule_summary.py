"""`status.submoduleSummary`: the commits between what is recorded of a submodule and what is checked out in it."""

from pathlib import Path

import pytest

from gitglass.limits import Context
from gitglass.render.submodule_summary import submodule_summaries

from ..support.worktrees import Repo

LINK = 0o160000
WHO = b"author A <a@x> %d +0000\ncommitter A <a@x> %d +0000\n\n%b\n"


class Pair:
    """A repository with a submodule at `s` that has three commits in a row."""

    def __init__(self, top: Path) -> None:
        self.outer = Repo(top / "top")
        (self.outer.top / "s").mkdir()
        self.sub = Repo(self.outer.top / "s")
        self.sub.add("x")
        self.sub.write_index()
        tree = self.sub.tree()
        self.commits: list[bytes] = []
        for nth in range(3):
            parent = b"parent %b\n" % self.commits[-1].hex().encode() if nth else b""
            text = b"tree %b\n" % tree.hex().encode() + parent + WHO % (nth, nth, b"c%d" % nth)
            self.commits.append(self.sub.put("commit", text))
        self.check_out(2)

    def check_out(self, nth: int) -> None:
        (self.sub.git / "refs/heads/main").write_text(self.commits[nth].hex() + "\n")

    def record(self, oid: bytes) -> None:
        self.outer.entry("s", oid, mode=LINK)

    def lines(self, head: bytes | None, limit: int = -1, comment: bytes = b"") -> list[bytes]:
        self.ctx = Context()
        return list(submodule_summaries(self.outer.store(), head, limit, comment, self.ctx))

    def short(self, nth: int) -> bytes:
        return self.commits[nth].hex()[:7].encode()


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def test_what_is_checked_out_goes_on(pair: Pair) -> None:
    pair.record(pair.commits[0])
    head = pair.outer.commit()
    title = b"* s %b...%b (2):\n" % (pair.short(0), pair.short(2))
    assert pair.lines(head) == [
        b"Submodules changed but not updated:\n", b"\n", title, b"  > c2\n", b"  > c1\n", b"\n",
    ]  # fmt: skip
    assert pair.lines(head, limit=1)[2:] == [title, b"  > c2\n", b"\n"]
    assert pair.lines(head, comment=b"#")[:3] == [b"# Submodules changed but not updated:\n", b"#\n", b"# " + title]


def test_what_is_checked_out_went_back(pair: Pair) -> None:
    pair.record(pair.commits[2])
    head = pair.outer.commit()
    pair.check_out(1)
    assert pair.lines(head)[2:4] == [b"* s %b...%b (1):\n" % (pair.short(2), pair.short(1)), b"  < c2\n"]


def test_what_is_new_in_the_index(pair: Pair) -> None:
    pair.record(pair.commits[2])
    lines = pair.lines(None)
    assert lines == [
        b"Submodule changes to be committed:\n",
        b"\n",
        b"* s 0000000...%b (3):\n" % pair.short(2),
        b"  > c2\n",
        b"\n",
    ]


def test_a_commit_that_the_submodule_has_not(pair: Pair) -> None:
    pair.record(bytes([0x11]) * 20)
    head = pair.outer.commit()
    assert pair.lines(head)[2:4] == [
        b"* s 1111111...%b:\n" % pair.short(2),
        b"  Warn: s doesn't contain commit " + b"11" * 20 + b"\n",
    ]


def test_nothing_changed_and_all_ignored(pair: Pair) -> None:
    pair.record(pair.commits[2])
    head = pair.outer.commit()
    assert pair.lines(head) == []
    pair.check_out(1)
    pair.outer.config('[submodule "s"]\n\tignore = all\n\tpath = s\n')
    pair.outer.write(".gitmodules", b'[submodule "s"]\n\tpath = s\n\turl = /x\n\tignore = all\n')
    assert pair.lines(head) == []

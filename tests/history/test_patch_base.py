"""What a series of patches stands on, and the ids of the patches in between."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from gitglass.diff.changes import Contents
from gitglass.diff.spec import DiffSpec
from gitglass.errors import BadRequest
from gitglass.history.patch_base import check_base, patch_id, prerequisites
from gitglass.limits import Context, Limits

from ..support.worktrees import Repo

CTX = Context(Limits(timeout=None), now=0)


class Commits(Repo):
    """A repository whose commits are made of files: `make(*parents, name=content)`."""

    time = 0

    def make(self, *parents: bytes, modes: dict[str, int] | None = None, **files: bytes) -> bytes:
        rows = b""
        for name in sorted(files):
            mode = (modes or {}).get(name, 0o100644)
            rows += b"%o %s\0%s" % (mode, name.encode(), self.put("blob", files[name]))
        self.time += 1
        lines = [b"tree " + self.put("tree", rows).hex().encode(), *(b"parent " + p.hex().encode() for p in parents)]
        lines += [b"%s A <a@b> %d +0000" % (who, self.time) for who in (b"author", b"committer")]
        return self.put("commit", b"\n".join(lines) + b"\n\nm\n")

    def patch_id(self, oid: bytes) -> bytes:
        store = self.store()
        return patch_id(store, oid, Contents(store, ctx=CTX), DiffSpec(), ctx=CTX)


@pytest.fixture
def commits(tmp_path: Path) -> Commits:
    return Commits(tmp_path / "repo")


def hashed(*parts: bytes) -> bytes:
    return hashlib.sha1(b"".join(parts)).digest()


def test_an_id_is_made_of_names_and_lines_without_space(commits: Commits) -> None:
    one = commits.make(x=b"a\nb\n")
    assert commits.patch_id(one) == hashed(b"diff--gita/xb/xnewfilemode100644---/dev/null+++b/x+a+b")
    two = commits.make(one, x=b"a\n c\td")
    assert commits.patch_id(two) == hashed(b"diff--gita/xb/x---a/x+++b/xa-b+cd")
    three = commits.make(two)
    assert commits.patch_id(three) == hashed(b"diff--gita/xb/xdeletedfilemode100644---a/x+++/dev/null-a-cd")


def test_modes_and_binary_files(commits: Commits) -> None:
    one = commits.make(x=b"\0")
    two = commits.make(one, modes={"x": 0o100755}, x=b"\0\0")
    names = [commits.put("blob", data).hex().encode() for data in (b"\0", b"\0\0")]
    assert commits.patch_id(two) == hashed(b"diff--gita/xb/xoldmode100644newmode100755", *names)
    assert commits.patch_id(one) == hashed(b"diff--gita/xb/xnewfilemode100644", b"0" * 40, names[0])


def test_ids_of_files_are_added_with_the_low_byte_first(commits: Commits) -> None:
    parts = [hashed(b"diff--gita/%cb/%cnewfilemode100644---/dev/null+++b/%c+1" % (n, n, n)) for n in b"xyz"]
    total = sum(int.from_bytes(part, "little") for part in parts) % (1 << 160)
    one = commits.make(x=b"1\n", y=b"1\n", z=b"1\n")
    assert commits.patch_id(one) == total.to_bytes(20, "little")
    assert commits.patch_id(commits.make(one, x=b"1\n", y=b"1\n", z=b"1\n")) == bytes(20)


def test_prerequisites_are_between_the_base_and_the_series(commits: Commits) -> None:
    chain = [commits.make(x=b"0\n")]
    for n in range(1, 6):
        chain.append(commits.make(chain[-1], x=b"%d\n" % n))
    store = commits.store()
    found = prerequisites(store, chain[1], chain[:3:-1], Contents(store, ctx=CTX), DiffSpec(), ctx=CTX)
    assert found == [commits.patch_id(chain[2]), commits.patch_id(chain[3])]


def test_merges_are_no_prerequisites(commits: Commits) -> None:
    base = commits.make(x=b"0\n")
    left, right = commits.make(base, x=b"1\n"), commits.make(base, x=b"0\n", y=b"1\n")
    merge = commits.make(left, right, x=b"1\n", y=b"1\n")
    top = commits.make(merge, x=b"2\n", y=b"1\n")
    store = commits.store()
    found = prerequisites(store, base, [top], Contents(store, ctx=CTX), DiffSpec(), ctx=CTX)
    assert sorted(found) == sorted([commits.patch_id(left), commits.patch_id(right)])


def test_a_base_must_be_below_the_series(commits: Commits) -> None:
    base = commits.make(x=b"0\n")
    one, side = commits.make(base, x=b"1\n"), commits.make(base, x=b"9\n")
    two = commits.make(one, x=b"2\n")
    alone = commits.make(y=b"1\n")
    store = commits.store()

    def words(base: bytes, *series: bytes) -> str:
        try:
            check_base(store, base, series, ctx=CTX)
        except BadRequest as error:
            return error.message
        return ""

    assert words(base, two, one) == ""
    assert words(side, two, one) == "base commit should be the ancestor of revision list"
    assert words(one, two, one) == "base commit shouldn't be in revision list"
    assert words(one, two, side) == "base commit should be the ancestor of revision list"
    assert words(base, two, alone) == "failed to find exact merge base"

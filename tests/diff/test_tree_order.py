"""Trees that name a file twice, compared in git's order. The answers are git 2.39.5's over the same trees."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gitglass
from gitglass.diff import trees as trees_room
from gitglass.diff.trees import Trees
from gitglass.objects.parsed import DoubledName

from ..support.memory_odb import MemoryOdb
from ..support.worktrees import repo

__all__ = ["repo"]

NAMES = st.sampled_from([b"a", b"a.c", b"b", b"lib", b"z"])
TREES = st.recursive(
    st.dictionaries(NAMES, st.binary(max_size=1), max_size=4),
    lambda below: st.dictionaries(NAMES, st.one_of(st.binary(max_size=1), below.filter(bool)), max_size=5),
    max_leaves=10,
)
QUIET = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.mark.parametrize("options", [{}, {"show_trees": True}, {"recursive": False}])
@QUIET
@given(one=TREES, two=TREES)
def test_the_two_ways_agree_where_no_name_is_there_twice(options: Any, one: Any, two: Any, ctx: Any) -> None:
    odb = MemoryOdb()
    old, new = odb.add_tree(one), odb.add_tree(two)
    trees = Trees(odb)  # type: ignore[arg-type]
    assert trees.rows_in_order(old, new, ctx=ctx, **options) == trees.rows(old, new, ctx=ctx, **options)


@pytest.mark.parametrize("large", [0, 3000])
@QUIET
@given(data=st.data())
def test_a_name_twice_is_noticed_whatever_the_way(large: int, data: Any, ctx: Any) -> None:
    """Also where a version of a large directory is compared with one that was taken apart before."""
    names = [b"f%02d" % at for at in range(30)]
    doubled = data.draw(st.sampled_from(names))
    odb = MemoryOdb()
    plain = [b"100644 " + name + b"\0" + bytes(20) for name in names]
    at = names.index(doubled)
    twice = [*plain[: at + 1], b"100755 " + doubled + b"\0" + b"\1" * 20, *plain[at + 1 :]]
    if data.draw(st.booleans()):
        twice.pop(
            at + data.draw(st.sampled_from([-1, 2])) if 0 < at < 28 else (0 if at else -1)
        )  # one goes: as many bytes as before
    old, new = odb.add(b"tree", b"".join(plain)), odb.add(b"tree", b"".join(twice))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trees_room, "LARGE", large)
        for one, two in ((old, new), (new, old), (None, new)):
            with pytest.raises(DoubledName):
                Trees(odb).differing(one, two)  # type: ignore[arg-type]


class Doubled:
    """A history of trees that name `f` or `d` twice."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        one, two, three = (repo.put("blob", text) for text in (b"one\n", b"two\n", b"three\n"))
        near, far = self.tree(p=one, q=two), self.tree(p=three, r=two)
        self.trees = [
            self.tree(d=near, f=one),
            self.tree(d=near, f=[one, two]),
            self.tree(d=near, f=[two, one]),
            self.tree(d=near, f=[two, two]),
            self.tree(d=[near, far], f=two),
            self.tree(d=[far, near], f=three),
        ]
        self.commits: list[bytes] = []
        for number, tree in enumerate(self.trees):
            lines = [b"tree " + tree.hex().encode()]
            lines += [b"parent " + parent.hex().encode() for parent in self.commits[-1:]]
            lines += [b"author A <a@b> 1 +0000", b"committer A <a@b> 1 +0000", b"", b"c%d\n" % number]
            self.commits.append(repo.put("commit", b"\n".join(lines)))

    def tree(self, **entries: Any) -> bytes:
        parts = []
        for name, oids in entries.items():
            mode = b"40000" if name == "d" else b"100644"
            parts += [mode + b" " + name.encode() + b"\0" + oid for oid in (oids if type(oids) is list else [oids])]
        return bytes(self.repo.put("tree", b"".join(parts)))

    def lines(self, *argv: str) -> list[str]:
        done = gitglass.git(argv, cwd=str(self.repo.top))
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().splitlines()

    def compared(self, old: int, new: int, *options: str, paths: tuple[str, ...] = ()) -> list[str]:
        words = ["--name-status", *options, self.commits[old].hex(), self.commits[new].hex(), *paths]
        return [line.replace("\t", " ") for line in self.lines("diff-tree", *words)]


@pytest.fixture
def doubled(repo: Any) -> Doubled:
    return Doubled(repo)


def test_each_entry_has_its_row(doubled: Doubled) -> None:
    assert doubled.compared(0, 1) == ["A f"]
    assert doubled.compared(1, 2, "-p", "--raw")[:2] == ["M f", "M f"]
    assert doubled.compared(2, 3) == ["M f"]
    assert doubled.compared(3, 0) == ["M f", "D f"]
    assert doubled.compared(4, 5, "-r") == ["M d/p", "D d/q", "A d/r", "M d/p", "A d/q", "D d/r", "M f"]
    assert doubled.compared(4, 5, "-t")[:2] == ["M d", "M d/p"]
    assert doubled.compared(5, 4, "-r", paths=("--", "d/p")) == ["M d/p", "M d/p"]


def test_a_file_found_under_its_own_name_is_no_rename(doubled: Doubled) -> None:
    assert doubled.compared(4, 5, "-r", "-M") == ["M d/p", "M d/p", "M f"]


def test_history_of_a_path(doubled: Doubled) -> None:
    tip = doubled.commits[-1].hex()
    assert doubled.lines("log", "--format=%s", tip, "--", "f") == ["c5", "c4", "c3", "c2", "c1", "c0"]
    assert doubled.lines("log", "--format=%s", tip, "--", "[f]") == ["c5", "c4", "c3", "c2", "c1", "c0"]
    assert doubled.lines("log", "--format=%s", tip, "--", "d", "x") == ["c5", "c4", "c0"]


def test_against_index_and_work_tree(doubled: Doubled) -> None:
    doubled.repo.add("f", b"one\n")
    doubled.repo.write_index()
    first = doubled.commits[1].hex()
    assert doubled.lines("diff-index", "--cached", "--name-status", first, "--", "f") == ["D\tf"]
    assert doubled.lines("diff", "--name-status", first, "--", "f") == ["D\tf"]
    assert doubled.lines("diff-index", "--cached", "--name-status", doubled.commits[3].hex(), "--", "f") == [
        "M\tf",
        "D\tf",
    ]

"""A replaced object that is checked out: a comparison with the index at hand reads the file in its place."""

from types import SimpleNamespace
from typing import Any

import pytest

import gitglass
from gitglass.diff.changes import Change, Filespec
from gitglass.worktree.copies import _Copies

SKIP = 0x4000


@pytest.fixture
def replaced(repo: Any) -> Any:
    """`f` holds `new`, whose object is replaced; HEAD's tree has `old` at `f`."""
    old = repo.put("blob", b"old\n")
    repo.tree = repo.put("tree", b"100644 f\0" + old)
    repo.new = repo.put("blob", b"new\n")
    commit = f"tree {repo.tree.hex()}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n"
    (repo.git / "refs/heads/main").write_text(repo.put("commit", commit.encode()).hex() + "\n")
    (repo.git / "refs/replace").mkdir()
    other = repo.put("blob", b"instead\nof it\n")
    (repo.git / "refs/replace" / repo.new.hex()).write_text(other.hex() + "\n")
    repo.after = repo.put("tree", b"100644 f\0" + repo.new)
    return repo


def numbers(repo: Any, *words: str) -> str:
    """Lines added and removed: 1 of the file's, 2 of the object that stands in."""
    repo.store()  # writes the index
    done = gitglass.git([*words, "--numstat"], cwd=repo.top)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().split("\n")[-2]


FILE, OBJECT = "1\t1\tf", "2\t1\tf"


@pytest.mark.parametrize(
    "words", [["diff", "--cached"], ["diff", "HEAD"], ["diff", "--cached", "HEAD"], ["diff-index", "--cached", "HEAD"]]
)
def test_the_file_is_read(replaced: Any, words: list[str]) -> None:
    replaced.add("f", b"new\n")
    assert numbers(replaced, *words) == FILE


def test_of_trees_only_diff_tree_has_the_index_at_hand(replaced: Any) -> None:
    replaced.add("f", b"new\n")
    trees = [replaced.tree.hex(), replaced.after.hex()]
    assert numbers(replaced, "diff-tree", *trees) == FILE
    assert numbers(replaced, "diff", *trees) == OBJECT


@pytest.mark.parametrize("kept_out", ["touched", "believed", "sparse", "converted", "elsewhere"])
def test_another_file_is_not(replaced: Any, kept_out: str) -> None:
    """Nothing is read that may differ from the object, or would have to be converted."""
    more: dict[str, Any] = {"believed": {"flags": 0x8000}, "sparse": {"special": SKIP}}.get(kept_out, {})
    place = replaced.top / "f"
    replaced.add("g" if kept_out == "elsewhere" else "f", b"new\n", **more)
    if kept_out == "touched":
        place.write_bytes(b"dirty\n")
    if kept_out == "converted":
        replaced.config("\tautocrlf = input\n")
    assert numbers(replaced, "diff-tree", replaced.tree.hex(), replaced.after.hex()) == OBJECT


def test_the_pickaxe_reads_the_file_too(replaced: Any) -> None:
    replaced.add("f", b"new\n")
    assert numbers(replaced, "diff", "--cached", "-Snew") == FILE
    replaced.store()
    assert gitglass.git(["diff", "--cached", "-Sinstead"], cwd=replaced.top).stdout == b""


@pytest.fixture
def converted(repo: Any) -> Any:
    """`f` was checked out with a CR, which no attribute asks for any more; HEAD's tree has other lines at `f`."""
    old = repo.put("blob", b"one\n")
    repo.tree = repo.put("tree", b"100644 f\0" + old)
    commit = f"tree {repo.tree.hex()}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n"
    (repo.git / "refs/heads/main").write_text(repo.put("commit", commit.encode()).hex() + "\n")
    repo.new = repo.put("blob", b"one\ntwo\n")
    repo.after = repo.put("tree", b"100644 f\0" + repo.new)
    repo.add("f", b"one\r\ntwo\r\n", blob=b"one\ntwo\n")
    return repo


_COUNTED, _OF_OBJECT = "2\t1\tf", "1\t0\tf"


@pytest.mark.parametrize(
    "words", [["diff", "--cached"], ["diff", "HEAD"], ["diff-index", "--cached", "HEAD"], ["diff-tree"], ["diff"]]
)
def test_a_file_that_was_converted_once_is_read(converted: Any, words: list[str]) -> None:
    if words == ["diff-tree"]:
        words = ["diff-tree", converted.tree.hex(), converted.after.hex()]
    elif words == ["diff"]:  # which has no index at hand
        assert numbers(converted, "diff", converted.tree.hex(), converted.after.hex()) == _OF_OBJECT
        return
    assert numbers(converted, *words) == _COUNTED
    converted.config("\tautocrlf = true\n")  # it would be converted again
    assert numbers(converted, *words) == _OF_OBJECT


def test_what_is_known_of_the_object_does_not_hold_of_the_file(converted: Any) -> None:
    converted.store()
    trees = [converted.tree.hex(), converted.after.hex()]
    for argv, want in (["diff", *trees], _OF_OBJECT), (["diff-tree", *trees], _COUNTED), (["diff", *trees], _OF_OBJECT):
        assert numbers(converted, *argv) == want
    assert gitglass.git(["diff-tree", "-S\r", "--name-only", *trees], cwd=converted.top).stdout == b"f\n"
    assert gitglass.git(["diff", "-S\r", "--name-only", *trees], cwd=converted.top).stdout == b""


def test_what_was_counted_of_the_object_before_is_counted_again(converted: Any) -> None:
    converted.store()
    elsewhere = [
        converted.put("tree", b"100644 g\0" + converted.put("blob", data)) for data in (b"one\n", b"one\ntwo\n")
    ]
    lines = [f"{one.hex()} {two.hex()}\n" for one, two in (elsewhere, (converted.tree, converted.after))]
    done = gitglass.git(["diff-tree", "--stdin", "--numstat"], cwd=converted.top, stdin="".join(lines).encode())
    assert done.stdout.decode().split("\n")[1::2] == ["1\t0\tg", _COUNTED]


@pytest.mark.parametrize("kept_out", ["touched", "believed", "sparse"])
def test_a_converted_file_that_may_hold_changes_is_not_read(converted: Any, kept_out: str) -> None:
    more: dict[str, Any] = {"believed": {"flags": 0x8000}, "sparse": {"special": SKIP}}.get(kept_out, {})
    converted.entry("f", converted.new, converted.top / "f", **more)
    if kept_out == "touched":
        (converted.top / "f").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert numbers(converted, "diff-tree", converted.tree.hex(), converted.after.hex()) == _OF_OBJECT


def test_the_clock_is_looked_at_for_each_file(repo: Any) -> None:
    """A hundred thousand files that are gone took 100 ms without a look."""
    ticks: list[int] = []
    ctx: Any = SimpleNamespace(tick=lambda: ticks.append(1))
    change = Change("M", Filespec(b"f"), Filespec(b"f"))
    assert not _Copies(repo.store(), ctx).are_in([change] * 3)
    assert len(ticks) == 6

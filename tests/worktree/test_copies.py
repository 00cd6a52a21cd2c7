"""A replaced object that is checked out: a comparison with the index at hand reads the file in its place."""

from typing import Any

import pytest

import gitglass

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

"""A tree against an index whose names are not what git writes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.diff.changes import Change
from gitglass.errors import NotFound
from gitglass.index.index import Index
from gitglass.limits import Context, Limits
from gitglass.paths.pathspec import Pathspecs
from gitglass.revs.resolve import resolve
from gitglass.worktree.folders import folders_of
from gitglass.worktree.tree_index import _merged, tree_vs_index

from ..support.worktrees import Repo

NAMES = st.lists(st.text(alphabet="/.a-", max_size=6).map(str.encode), unique=True, max_size=12).map(sorted)


def made(paths: list[bytes]) -> Index:
    index = Index(20)
    index.paths = paths
    index.heads = [bytes(24) + (0o100644).to_bytes(4, "big") + bytes(34)] * len(paths)
    return index


@given(NAMES, st.sampled_from([b"", b"/", b"a/", b"//"]))
def test_every_round_advances(paths: list[bytes], prefix: bytes) -> None:
    """Whatever the names are: the stretches follow one another without a gap, and end where the directory does."""
    index = made(paths)
    low, high = index.span_below(prefix) if prefix else (0, len(paths))
    rows = _merged(index, prefix, {}, low, high)
    at = low
    for name, _, first, end in rows:
        assert first == at < end
        assert all(path[len(prefix) :].startswith(name) for path in paths[first:end])
        at = end
    assert at == high


@pytest.mark.parametrize(
    "paths",
    [
        [b"/a", b"/z", b"src/b.c"],
        [b"/", b"src/b.c"],
        [b"", b"src/b.c"],
        [b"//", b"//x", b"/x"],
        [b"a//", b"a//b", b"a/b"],
    ],
)
def test_names_that_are_not_normalised_are_compared_as_they_are(tmp_path: Path, paths: list[bytes]) -> None:
    """As `git diff --cached` lists them. The first of these indexes, 248 bytes, had no end."""
    repo = Repo(tmp_path)
    blob = repo.put("blob", b"")
    tree = repo.put("tree", b"40000 src\0" + repo.put("tree", b"100644 b.c\0" + blob))
    for path in paths:
        repo.entry(path.decode(), blob)
    store = repo.store()
    with Context(Limits(timeout=5)) as ctx:
        found: list[Change] = tree_vs_index(store, tree, ctx=ctx)
    seen = {(change.status, change.old.path or change.new.path) for change in found}
    missing = set() if b"src/b.c" in paths else {("D", b"src/b.c")}
    assert seen == {("A", path) for path in paths if path != b"src/b.c"} | missing


@pytest.mark.parametrize("fillers", [0, 100])
@pytest.mark.parametrize(
    ("was", "now", "word", "letters"),
    [
        (0o160000, 0o160000, "s/", "M"),
        (0o100644, 0o160000, "s/", "A"),
        (0o160000, 0o100644, "s/", ""),
        (0o100644, 0o160000, ":(exclude)s/", ""),
        (0o160000, 0o100644, ":(exclude)s/", "A"),
        (0o160000, 0o100644, "s", "T"),
    ],
)
def test_a_name_with_a_slash_is_that_of_a_submodule(
    tmp_path: Path, was: int, now: int, word: str, letters: str, fillers: int
) -> None:
    """As `git diff --cached -- s/` has it: the index decides whether the path is meant, the tree's side also its own
    mode. In a small directory and in one that is compared in stretches."""
    repo = Repo(tmp_path)
    blob = repo.put("blob", b"")
    names = [f"f{number:03d}" for number in range(fillers)]
    entries = [f"100644 {name}".encode() + b"\0" + blob for name in names]
    tree = repo.put("tree", b"".join([*entries, b"%o s\0" % was + b"\1" * 20]))
    for name in names:
        repo.entry(name, blob)
    repo.entry("s", b"\2" * 20, mode=now)
    words = Pathspecs.parse([word.encode()])
    assert (
        "".join(change.status for change in tree_vs_index(repo.store(), tree, pathspecs=words, ctx=Context()))
        == letters
    )


def test_an_absolute_name_is_no_file_of_the_top(tmp_path: Path) -> None:
    """The entry `/t` neither clears nor hides the file `t`."""
    repo = Repo(tmp_path)
    repo.add("t", b"")
    repo.entries.clear()
    repo.entry("/t", repo.put("blob", b""), tmp_path / "t")
    store = repo.store()
    folders = folders_of(store.index)
    assert folders[b""].names == [] and folders[b".."].names == [b"t"]
    assert store.files is not None and store.files.lstat(b"/t") is None and store.files.lstat(b"t") is not None
    assert store.files.directory(b"/") is None


def test_names_of_many_parts_take_bounded_memory() -> None:
    index = made([b"%03d/" % number + b"a/" * 1900 + b"x" for number in range(400)])
    with Context(Limits(max_memory_bytes=64 << 20)), pytest.raises(Exception, match="more memory") as caught:
        folders_of(index)
    assert getattr(caught.value, "code", "") == "too_large"
    longer = made([b"%03d/" % number + b"a/" * 9000 + b"x" for number in range(60)])
    with Context(Limits(max_memory_bytes=64 << 20)):
        assert list(folders_of(longer)) == [b"", b".."]


def test_a_path_below_a_sparse_directory_is_found_by_its_name(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    blob = repo.put("blob", b"f\n")
    inner = repo.put("tree", b"100644 f.c\0" + blob)
    repo.entry("a", blob)
    repo.entry("c/", repo.put("tree", b"40000 e\0" + inner), mode=0o040000, special=0x4000)
    store = repo.store()
    store.index.sparse = True
    with Context() as ctx:
        for word in (b":c/e/f.c", b":0:c/e/f.c", b":./c/e/f.c"):
            assert resolve(store, word, ctx=ctx) == blob
        with pytest.raises(NotFound, match="unknown revision or path"):
            resolve(store, b":c/e/g", ctx=ctx)


def test_an_odd_mode_is_shown_as_the_usual_one(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    blob = repo.put("blob", b"x\n")
    repo.commit(repo.put("tree", b"100664 a\0" + blob + b"100775 b\0" + blob))
    repo.write_index()
    done = gitglass.git(["diff-index", "--cached", "--abbrev=7", "HEAD"], cwd=tmp_path)
    rows = b":100644 000000 587be6b 0000000 D\ta\n:100755 000000 587be6b 0000000 D\tb\n"
    assert done.stdout == rows

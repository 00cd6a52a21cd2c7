"""The index by directory."""

import os
from itertools import groupby
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.index.index import Index
from gitglass.limits import Context
from gitglass.paths.pathspec import Pathspecs
from gitglass.repo.discover import Where
from gitglass.repo.store import open_store
from gitglass.worktree import folders, stat_cache
from gitglass.worktree.compare import index_vs_worktree
from gitglass.worktree.folders import folders_of, folders_within

PATHS = st.lists(
    st.lists(st.sampled_from([b"a", b"b", b"a.", b"\xff", b"-", b""]), min_size=1, max_size=4).map(b"/".join),
    unique=True,
    max_size=40,
).map(sorted)


@given(PATHS, st.lists(st.integers(1, 8), min_size=40, max_size=40))
def test_runs_are_the_neighbours_in_one_directory(paths: list[bytes], zeros: list[int]) -> None:
    """As if each path were cut at its last slash; the zero bytes behind paths change nothing."""
    names = [path + bytes(count) for path, count in zip(paths, zeros, strict=False)]
    want = [(front, len(list(run))) for front, run in groupby(path[: path.rfind(b"/") + 1] for path in paths)]
    runs = list(folders._runs(names, range(len(names))))
    assert [(path, end - at) for path, at, end in runs] == [(front[:-1], count) for front, count in want]
    assert [at for _, at, _ in runs] == [0, *(end for _, _, end in runs)][: len(runs)]


WORDS = st.lists(st.sampled_from([b"a", b"b", b"a/b", b"a./a", b"b/b/b", b"-"]), max_size=3)


@given(PATHS, WORDS, WORDS)
def test_directories_of_what_plain_words_select(paths: list[bytes], words: list[bytes], others: list[bytes]) -> None:
    """With the entries that would be taken out of all directories by asking about each path."""
    index = Index(20)
    index.paths = list(paths)
    pathspecs = Pathspecs.parse([*words, *(b":(exclude)" + word for word in others)])
    with mock.patch.object(folders, "MOST_KEPT", -1):
        within = folders_within(index, pathspecs)
    if not (words or others):
        assert within is None
        return
    assert within is not None and within.keys() <= folders_of(index).keys()
    for path, folder in folders_of(index).items():
        rows = zip(folder.names, folder.places, strict=True)
        want = [(name, at) for name, at in rows if pathspecs.match(paths[at])]
        here = within.get(path, folders.Folder())
        assert list(zip(here.names, here.places, strict=True)) == want
        assert not want or path in within


@pytest.mark.parametrize("words", [["d"], ["d/e"], ["d/b", "z"], [":!d/e"], ["d", ":!d/b"]])
def test_changes_below_plain_words_are_those_of_the_whole(
    repo: Any, ctx: Context, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    for name in ("a", "d/a", "d/b", "d/e/c", "d/e/f", "z"):
        repo.add(name, b"one\n")
        repo.write(name, b"longer than before\n")
    (repo.top / "d" / "a").unlink()
    repo.write_index()
    pathspecs = Pathspecs.parse([word.encode() for word in words])

    def changes() -> list[tuple[str, bytes]]:
        found = index_vs_worktree(repo.store(), pathspecs=pathspecs, ctx=ctx)
        return [(change.status, change.old.path) for change in found]

    want = changes()
    monkeypatch.setattr(folders, "MOST_KEPT", 0)
    monkeypatch.setattr(folders, "folders_of", lambda index: pytest.fail("all directories"))
    assert changes() == want != []
    assert {path for _, path in want} < {b"a", b"d/a", b"d/b", b"d/e/c", b"d/e/f", b"z"}


@pytest.mark.parametrize("some", [0, 1, 8, 1000])
def test_files_to_be_examined_are_asked_about_once_or_again(
    repo: Any, ctx: Context, monkeypatch: pytest.MonkeyPatch, some: int
) -> None:
    """Whether the status of all files of a directory is kept or not: as young as the index, changed, gone, replaced."""
    for name in ("a", "d/a", "d/b", "d/c", "e/f", "z"):
        repo.add(name, b"one\n")
    repo.write("d/a", b"two\n")
    (repo.top / "d" / "b").unlink()
    (repo.top / "z").unlink()
    repo.write("z/file", b"")
    repo.write_index()
    monkeypatch.setattr(stat_cache, "_SOME", some)
    found = index_vs_worktree(repo.store(), ctx=ctx)
    assert [(change.status, change.old.path) for change in found] == [("M", b"d/a"), ("D", b"d/b"), ("D", b"z")]


def test_members_of_a_directory_that_others_lie_between(repo: Any) -> None:
    for name in ("a", "b/c", "b/d/e", "b/f", "g"):
        repo.add(name)
    repo.write_index()
    members = {path: (folder.names, list(folder.places)) for path, folder in folders_of(repo.store().index).items()}
    assert members == {b"": ([b"a", b"g"], [0, 4]), b"b": ([b"c", b"f"], [1, 3]), b"b/d": ([b"e"], [2])}


def test_an_index_with_the_names_of_an_earlier_one_is_not_gathered_again(
    repo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Directories, and what stood in them besides, follow from the names; how a clean file looks, and what was found by
    content, does not."""
    for name in ("a", "b/c", "b/d/e"):
        repo.add(name)
    first = folders_of(repo.store().index)
    first[b"b"].listed, first[b"b"].compared, first[b"b"].wanted = ((1,) * 6, [b"x"]), {1: ((), None)}, [(1,)]
    gathered = folders._gathered
    monkeypatch.setattr(folders, "_gathered", None)
    repo.add("b/c", b"another\n")
    second = folders_of(repo.store().index)
    members = [
        {path: (one.names, list(one.places), one.subs) for path, one in each.items()} for each in (first, second)
    ]
    assert members[0] == members[1] and second[b"b"] is not first[b"b"]
    assert second[b"b"].listed == ((1,) * 6, [b"x"])
    assert (second[b"b"].compared, second[b"b"].wanted) == ({}, [])
    monkeypatch.setattr(folders, "_gathered", gathered)
    repo.add("b/b")
    third = folders_of(repo.store().index)[b"b"]
    assert (third.names, third.listed) == ([b"b", b"c"], None)


@pytest.mark.parametrize(("most", "part"), [(1 << 14, 1 << 11), (0, 1), (0, 2), (0, 1 << 11)])
@pytest.mark.parametrize("young", [False, True])
def test_what_is_not_kept_is_made_for_each_comparison(
    repo: Any, ctx: Context, monkeypatch: pytest.MonkeyPatch, most: int, part: int, young: bool
) -> None:
    monkeypatch.setattr(folders, "MOST_KEPT", most)
    monkeypatch.setattr(folders, "_PART", part)
    for name in ("clean", "d/clean", "d/edited", "d/gone", "e/f/x", "edited", "empty", "z"):
        repo.add(name, b"" if name == "empty" else b"one\n")
    repo.add("d/skipped", special=0x4000)
    repo.add("lie", b"one\n", blob=b"two\n")  # seen where the content is read
    for name in ("d/edited", "edited"):
        repo.write(name, b"longer than before\n")
    for name in ("d/gone", "d/skipped"):
        (repo.top / name).unlink()
    repo.write_index(young=young)
    store = open_store(Where(cwd=os.fsencode(repo.top)), root=None)
    changes = {change.new.path: change.status for change in index_vs_worktree(store, ctx=ctx)}
    assert changes == {b"d/edited": "M", b"d/gone": "D", b"edited": "M"} | ({b"lie": "M"} if young else {})
    assert all(bool(folder.wanted) == bool(most) for folder in folders_of(store.index).values() if folder.names)


def test_what_is_wanted_of_scattered_entries(repo: Any) -> None:
    for name in "abcdefg":
        repo.add(name, b"" if name in "bd" else name.encode(), blob=b"" if name == "b" else b"other")
    repo.write_index()
    index = repo.store().index
    whole = folders._wanted(index, range(7))
    assert [bool(fields) for fields in whole] == [True, True, True, False, True, True, True]
    for places in ([], [0, 2, 5], [1], [3, 4], [1, 3, 6], range(2, 5)):
        assert folders._wanted(index, places) == [whole[position] for position in places]

"""The index written and read again."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.writing import copy_of, done

import gitglass
from gitglass.index.extensions import CacheTree
from gitglass.index.index import SKIP_WORKTREE
from gitglass.index.parse import parse_index
from gitglass.mutate.changes import EntryChange, Row
from gitglass.mutate.index_file import (
    collapsed,
    edited,
    index_bytes,
    rows_at,
    spliced_bytes,
    tree_bytes,
    without_paths,
    write_trees,
)
from gitglass.objects.parsed import object_name, tree_entries
from gitglass.records import replace
from gitglass.request.mutations import CommitRequest, ResetRequest, UndoRequest

PARTS = st.text("abc-.", min_size=1, max_size=3).filter(lambda part: part not in (".", ".."))
PATHS = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: "/".join(parts).encode())
FLAGS = st.sampled_from([0, 0x8000, 0x4000 << 16, 0x2000 << 16])
ROWS = st.builds(lambda mode, oid, flags: Row(0, mode, oid, flags), st.sampled_from([0o100644, 0o100755, 0o120000]),
                 st.binary(min_size=20, max_size=20), FLAGS)  # fmt: skip


def written(rows: dict[bytes, Row], version: int) -> bytes:
    empty = parse_index(index_bytes([], 2, "sha1", trees=None), 20)
    changes = [EntryChange(path, (), (row,)) for path, row in rows.items()]
    return index_bytes(edited(empty, changes, {}, []), version, "sha1", trees=None)


@given(st.dictionaries(PATHS, ROWS, max_size=12), st.sampled_from([2, 3, 4]))
def test_what_is_written_is_read(rows: dict[bytes, Row], version: int) -> None:
    index = parse_index(written(rows, version), 20)
    assert index.paths == sorted(rows)
    assert index.version == (4 if version == 4 else 3 if any(row.flags >> 16 for row in rows.values()) else 2)
    assert {path: rows_at(index, path) for path in rows} == {path: (row,) for path, row in rows.items()}


@given(st.dictionaries(PATHS, ROWS, max_size=8), st.dictionaries(PATHS, ROWS, max_size=8), st.sampled_from([2, 4]))
def test_an_edit_touches_nothing_else(old: dict[bytes, Row], new: dict[bytes, Row], version: int) -> None:
    index = parse_index(written(old, version), 20)
    changes = [EntryChange(path, rows_at(index, path), (row,)) for path, row in new.items()]
    again = parse_index(index_bytes(edited(index, changes, {}, []), version, "sha1", trees=None), 20)
    assert {path: rows_at(again, path)[0] for path in again.paths} == {**old, **new}
    gone = [EntryChange(path, rows_at(index, path), ()) for path in old]
    assert edited(index, gone, {}, []) == []


PLAIN = st.builds(Row, st.just(0), st.sampled_from([0o100644, 0o120000]), st.binary(min_size=20, max_size=20),
                  st.sampled_from([0, 0x8000]))  # fmt: skip
SIDES = st.lists(PLAIN, min_size=3, max_size=3).map(
    lambda rows: tuple(replace(row, stage=stage) for stage, row in enumerate(rows, 1))
)
AFTER = st.one_of(st.just(()), PLAIN.map(lambda row: (row,)), SIDES)


@given(
    st.dictionaries(PATHS, PLAIN, max_size=12),
    st.dictionaries(PATHS, AFTER, max_size=8),
    st.sets(st.integers(0, 11)),
)
def test_what_is_spliced_is_what_is_written_anew(
    old: dict[bytes, Row], new: dict[bytes, tuple[Row, ...]], young: set[int]
) -> None:
    empty = parse_index(index_bytes([], 2, "sha1", trees=None), 20)
    added = [EntryChange(path, (), (row,), os.stat(__file__)) for path, row in old.items()]  # not all zero
    begun = index_bytes(edited(empty, added, {}, []), 2, "sha1", trees=None)
    index = parse_index(begun, 20)
    smudged = [at for at in young if at < len(index)]
    changes = [EntryChange(path, rows_at(index, path), rows) for path, rows in new.items()]
    wanted = index_bytes(edited(index, changes, {}, smudged), 2, "sha1", trees=None, undo=b"u")
    assert index.usual_file == begun
    assert spliced_bytes(index, changes, {}, smudged, "sha1", trees=None, undo=b"u") == wanted


def test_what_cannot_be_spliced() -> None:
    row = Row(0, 0o100644, b"o" * 20, 0)
    usual = parse_index(written({b"a": row}, 2), 20)
    for flags, mode in ((0x4000 << 16, 0o100644), (0x2000 << 16, 0o100644), (0, 0o040000)):
        change = EntryChange(b"b", (), (Row(0, mode, b"o" * 20, flags),))
        assert spliced_bytes(usual, [change], {}, [], "sha1", trees=None) is None
    for index in (parse_index(written({b"a": row}, 4), 20), parse_index(written({b"a": ROW_AWAY}, 3), 20)):
        assert index.usual_file is None and spliced_bytes(index, [], {}, [], "sha1", trees=None) is None
    usual.heads = usual.heads[:]
    assert usual.usual_file is None


ROW_AWAY = Row(0, 0o100644, b"o" * 20, 0x4000 << 16)


def test_trees_of_an_index() -> None:
    held: dict[bytes, bytes] = {}

    def add(kind: bytes, content: bytes) -> bytes:
        oid = object_name(kind, content, "sha1")
        held[oid] = content
        return oid

    blob = b"b" * 20
    entries = [(b"a-b", 0o100644, blob), (b"a.c", 0o100755, blob), (b"a/x", 0o120000, blob), (b"z", 0o160000, blob)]
    oid, trees = write_trees(entries, None, add, b"")
    assert [(mode, name) for mode, name, _ in tree_entries(held[oid], 20)] == [
        (0o100644, b"a-b"), (0o100755, b"a.c"), (0o40000, b"a"), (0o160000, b"z"),
    ]  # fmt: skip
    assert trees.count == 4 and trees.subtrees[b"a"].count == 1
    stale = without_paths(trees, [b"a/x"])
    assert stale is not None and stale.oid is None and stale.subtrees[b"a"].oid is None and trees.oid == oid
    assert trees.subtrees[b"a"].oid is not None
    there = without_paths(trees, [b"a", b"z"])  # a file where the directory was
    assert there is not None and there.oid is None and there.subtrees == {} and list(trees.subtrees) == [b"a"]
    assert without_paths(trees, []) is trees and without_paths(None, [b"a"]) is None
    new = without_paths(trees, [b"a/x/deep/er", b"b/new"])
    assert new is not None and new.subtrees[b"a"].count == -1 and list(new.subtrees) == [b"a"]
    calls: list[bytes] = []
    write_trees(entries, trees, lambda kind, content: calls.append(content) or b"", b"")
    assert calls == []


def test_cached_trees_are_in_gits_order() -> None:
    root = CacheTree(3, b"r" * 20)
    root.subtrees = {b"bb": CacheTree(1, b"1" * 20), b"c": CacheTree(1, None), b"a": CacheTree(1, b"2" * 20)}
    assert tree_bytes(root) == (
        b"\x003 3\n" + b"r" * 20 + b"a\x001 0\n" + b"2" * 20 + b"c\x00-1 0\n" + b"bb\x001 0\n" + b"1" * 20
    )


def sparse_repository(place: Path) -> Path:
    """A repository whose index holds `docs` as one entry, for none of its files is to be in the work tree."""
    repo = copy_of("plain", place)
    (repo / "docs/nonl.txt").write_text("more\n")
    done(repo, CommitRequest(message=["docs"], all=True))
    config = repo / ".git/config"
    config.write_text(config.read_text() + "[core]\n\tsparseCheckout = true\n[index]\n\tsparse = true\n")
    store = gitglass.open(repo).store
    entries = []
    for path, head, extended in edited(store.index, [], {}, []):
        if path.startswith(b"docs/"):
            (repo / path.decode()).unlink()
            head, extended = head[:-2] + (int.from_bytes(head[-2:], "big") | 0x4000).to_bytes(2, "big"), SKIP_WORKTREE
        entries.append((path, head, extended))
    held = collapsed(entries, [b"docs/"], store)
    (repo / ".git/index").write_bytes(index_bytes(held, 3, store.hash_name, trees=None))
    (repo / "docs").rmdir()
    return repo


def folder_in(repo: Path) -> bytes:
    """The tree that the index's entry `docs/` names."""
    index = gitglass.open(repo).store.index
    return index.oid(index.paths.index(b"docs/"))


@pytest.mark.writes
def test_a_sparse_directory_is_opened_where_a_file_in_it_changes_and_closed_again(tmp_path: Path) -> None:
    repo = sparse_repository(tmp_path / "repo")
    index = gitglass.open(repo).store.index
    assert index.sparse and b"docs/" in index.paths and b"docs/nonl.txt" not in index.paths
    before = folder_in(repo)
    result = done(repo, ResetRequest(commit="HEAD~1", mode="hard"))
    assert result.verified, result.unexpected
    store = gitglass.open(repo).store
    assert b"docs/" in store.index.paths and not any(path.startswith(b"docs/n") for path in store.index.paths)
    assert folder_in(repo) != before
    assert gitglass.git(["status", "--porcelain"], cwd=repo).stdout == b""
    assert done(repo, UndoRequest(operation=result.operation)).verified
    assert folder_in(repo) == before


def test_an_entry_that_moves_keeps_what_it_knows_of_its_file(tmp_path: Path) -> None:
    row, oid = Row(0, 0o100644, b"x" * 20, 0x8000), b"x" * 20
    for name in "ab":
        (tmp_path / name).write_bytes(name.encode())
    info, other = (tmp_path / "a").stat(), (tmp_path / "b").stat()
    held = edited(
        parse_index(index_bytes([], 2, "sha1", trees=None), 20), [EntryChange(b"a", (), (row,), info)], {}, []
    )
    index = parse_index(index_bytes(held, 2, "sha1", trees=None), 20)
    known = index.head(0)[:40]

    def stat_after(flags: int, written: dict[bytes, os.stat_result]) -> bytes:
        after = (Row(0, 0o100644, oid, flags),)
        moves = [EntryChange(b"a", (row,), ()), EntryChange(b"b", (), after, moved_from=b"a")]
        return edited(index, moves, written, [])[0][1][:40]

    assert known != bytes(40)
    assert stat_after(0, {}) == known  # git could not find it unchanged
    assert stat_after(0x8000, {b"b": other}) == stat_after(0x4000 << 16, {b"b": other}) == known
    assert stat_after(0, {b"b": other}) not in (known, bytes(40))

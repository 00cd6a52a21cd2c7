"""What a sparse checkout holds: the pattern nearest to a file decides."""

from pathlib import Path

import pytest

import gitglass
from gitglass.index.index import Index
from gitglass.index.parse import parse_index
from gitglass.mutate.changes import EntryChange, Row
from gitglass.mutate.checkout.sparse import holds, is_filled_in
from gitglass.mutate.index_file import edited, index_bytes
from gitglass.paths.ignore import parse_ignore

from ...support.writing import copy_of

CONE = b"/*\n!/*/\n/src/\n!/src/*/\n/src/deep/\n"
PLAIN = b"*.c\n!two.c\n/docs/\n!/docs/old/\n"


@pytest.mark.parametrize(
    ("patterns", "path", "held"),
    [
        (CONE, b"a.txt", True), (CONE, b"docs/x", False), (CONE, b"src/one.c", True), (CONE, b"src/other/x", False),
        (CONE, b"src/deep/three.c", True), (CONE, b"src/deep/er/x", True),
        (PLAIN, b"a.txt", False), (PLAIN, b"any/where/one.c", True), (PLAIN, b"src/two.c", False),
        (PLAIN, b"docs/x", True), (PLAIN, b"docs/old/x", False), (PLAIN, b"docs/old/one.c", True), (b"", b"a", False),
    ],
)  # fmt: skip
def test_the_nearest_pattern_decides(patterns: bytes, path: bytes, held: bool) -> None:
    assert holds(parse_ignore(patterns, False), path) is held


def an_index(*conflicts: bytes, is_sparse: bool) -> Index:
    """One that holds nothing but our side of these conflicts."""
    empty = parse_index(index_bytes([], 2, "sha1", trees=None), 20)
    entries = edited(empty, [staged(path, 2) for path in conflicts], {}, [])
    return parse_index(index_bytes(entries, 2, "sha1", trees=None, sparse=is_sparse), 20)


def staged(path: bytes, stage: int) -> EntryChange:
    return EntryChange(path, (), (Row(stage, 0o100644, bytes(range(20))),))


def test_an_index_is_filled_in_for_a_conflict_outside_until_all_are_resolved(tmp_path: Path) -> None:
    repo = copy_of("sparse", tmp_path / "repo")
    (repo / ".git/info/sparse-checkout").write_bytes(CONE)
    store = gitglass.open(repo).store
    inside, both = an_index(b"a.txt", is_sparse=True), an_index(b"a.txt", b"docs/x", is_sparse=True)
    full, empty = an_index(b"a.txt", is_sparse=False), an_index(is_sparse=True)
    assert inside.sparse and not full.sparse
    assert not is_filled_in(store, empty)
    assert not is_filled_in(store, inside)
    assert is_filled_in(store, both)
    assert is_filled_in(store, full)  # until the last is resolved, wherever it is
    assert not is_filled_in(store, full, [staged(b"a.txt", 0)])
    assert not is_filled_in(store, both, [staged(b"docs/x", 0)])
    assert is_filled_in(store, inside, [staged(b"docs/x", 2)])
    assert not is_filled_in(store, inside, [staged(b"src/one.c", 2)])

"""Trees against the index: large directories with the same names are compared by column, all others by name."""

from types import SimpleNamespace
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from gitglass.index.index import Index
from gitglass.limits import Context
from gitglass.paths.pathspec import Pathspecs
from gitglass.worktree import tree_index as treeindex

MODES = [0o100644, 0o100755, 0o120000, 0o160000]
FILES = st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.sampled_from(MODES), st.integers(0, 2)), min_size=1)


def index_of(files: dict[str, tuple[int, int]], stage: int) -> Index:
    index = Index(20)
    for name, (mode, oid) in sorted(files.items()):
        index.paths.append(b"d/" + name.encode())
        flags = (stage << 12 if name == "c" else 0) | len(name) + 2
        index.heads.append(
            bytes(24) + mode.to_bytes(4, "big") + bytes(12) + bytes([oid] * 20) + flags.to_bytes(2, "big")
        )
    return index


def pairs(index: Index, files: dict[str, tuple[int, int]], words: list[bytes], large: int) -> Any:
    top = bytes([99]) * 20
    rows = [(b"%o" % mode, name, oid) for name, (mode, oid) in sorted(files.items())]
    trees = {
        top: b"40000 d\0" + bytes([98]) * 20,
        bytes([98]) * 20: b"".join(mode + b" " + name.encode() + b"\0" + bytes([oid] * 20) for mode, name, oid in rows),
    }
    store: Any = SimpleNamespace(odb=SimpleNamespace(tree=trees.__getitem__), hash_len=20)
    with (
        mock.patch.object(treeindex, "current_index", lambda store: index),
        mock.patch.object(treeindex, "_LARGE", large),
    ):
        return treeindex.tree_index_pairs(store, top, pathspecs=Pathspecs.parse(words), ctx=Context())


@given(FILES, FILES, st.booleans(), st.sampled_from([0, 2]), st.sampled_from([[], [b"d/a"], [b"*b"], [b"x"]]))
def test_the_same_by_column_and_by_name(ours: Any, theirs: Any, same: bool, stage: int, words: list[bytes]) -> None:
    if same:
        theirs = {name: theirs.get(name, facts) for name, facts in ours.items()}
    index = index_of(ours, stage)
    assert pairs(index, theirs, words, 1) == pairs(index, theirs, words, 1000)


def test_columns_are_compared_where_they_can_be() -> None:
    ours = {"a": (MODES[0], 1), "b": (MODES[0], 1), "d": (MODES[1], 2)}
    index = index_of(ours, 0)
    with mock.patch.object(treeindex, "_tree_sides", wraps=treeindex._tree_sides) as sides:
        found = pairs(index, {**ours, "b": (MODES[0], 2), "d": (MODES[0], 2)}, [], 1)
    assert found == [(b"d/b", (MODES[0], bytes([2]) * 20), 1), (b"d/d", (MODES[0], bytes([2]) * 20), 2)]
    assert len(sides.mock_calls) == 1  # the top alone

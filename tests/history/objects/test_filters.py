"""The grammar of --filter, and what filters answer; expectations follow git 2.39.5."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.errors import BadRequest
from gitglass.history.objects.filters import (
    BLOB,
    COMMIT,
    MARK,
    SHOW,
    SKIP,
    TREE,
    TREE_END,
    make_filter,
    parse_filters,
)
from gitglass.history.objects.git_order import OidSet

ODB: Any = None  # not asked by these filters
A, B, C = (bytes([number]) * 20 for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("words", "spec"),
    [
        ([b"blob:none"], ("blobs", None)),
        ([b"blob:limit=1k"], ("blobs", 1024)),
        ([b"blob:limit=0x10"], ("blobs", 16)),
        ([b"tree:010"], ("depth", 8)),
        ([b"object:type=tag"], ("kind", "tag")),
        ([b"combine:tree:1+blob%3Anone"], ("combine", [("depth", 1), ("blobs", None)])),
        ([b"tree:1", b"blob:none"], ("combine", [("depth", 1), ("blobs", None)])),
        ([], None),
    ],
)
def test_grammar(words: list[bytes], spec: object) -> None:
    assert parse_filters(words) == spec


@pytest.mark.parametrize(
    ("word", "words"),
    [
        (b"bogus", "invalid filter-spec 'bogus'"),
        (b"blob:limit=x", "invalid filter-spec 'blob:limit=x'"),
        (b"tree:", "expected 'tree:<depth>'"),
        (b"object:type=x", "'x' for 'object:type=<type>' is not a valid object type"),
        (b"sparse:path=x", "sparse:path filters support has been dropped"),
        (b"combine:", "expected something after combine:"),
        (b"combine:a(b", "must escape char in sub-filter-spec: '('"),
        (b"combine:tree:1+", "expected 'tree:<depth>'"),
    ],
)
def test_refusals(word: bytes, words: str) -> None:
    with pytest.raises(BadRequest, match=words[:4]) as error:
        parse_filters([word])
    assert error.value.message == words


def test_a_tree_is_looked_into_again_where_it_is_met_higher_up() -> None:
    ask = make_filter(("depth", 2), ODB, None)
    assert ask(COMMIT, C) == MARK | SHOW
    assert ask(TREE, A) == SHOW and ask(TREE, B) == SHOW
    assert ask(BLOB, C) == 0  # two levels down
    assert [ask(TREE_END, B), ask(TREE_END, A)] == [0, 0]
    assert ask(TREE, B) == SHOW and ask(BLOB, C) == MARK | SHOW  # now one level down
    ask(TREE_END, B)
    assert ask(TREE, B) == SKIP


def test_what_is_left_out_is_what_no_part_let_through() -> None:
    omitted = OidSet()
    ask = make_filter(("combine", [("blobs", None), ("depth", 1)]), ODB, omitted)
    assert ask(TREE, A) & SHOW and not ask(BLOB, B) & SHOW
    ask.finish()
    assert set(omitted) == {B}

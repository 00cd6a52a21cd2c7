"""Whole runs of a tree are written as its entries are, one by one."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.errors import Corrupt
from gitglass.limits import Context
from gitglass.render.lstree import TreeStyle, write_entries, write_runs
from gitglass.render.quote import Quoter
from gitglass.walk.lstree import TreeListing, TreeListSpec

ALL = TreeListSpec(recursive=True)


def name(number: int) -> bytes:
    return bytes([number]) * 20


def tree(*entries: tuple[str, bytes, int]) -> bytes:
    return b"".join(mode.encode() + b" " + path + b"\0" + name(number) for mode, path, number in entries)


TREES = {
    name(1): tree(
        ("100644", b"a", 10), ("40000", b"b", 2), ("100755", b"c d", 11), ("40000", b"e\xc3\xa9", 3),
        ("40000", b"f", 4), ("120000", b"l\tk", 12), ("160000", b"sub", 32),
    ),
    name(2): tree(("40000", b"deep", 3), ("100664", b"group", 13), ("100644", b"z%b", 14)),
    name(3): tree(("100644", b"x", 15), ("40000", b"y", 5)),
    name(4): b"",
    name(5): tree(*[("100644", b"file%04d" % number, number % 256) for number in range(2000)]),
    name(6): tree(("40000", b"broken", 7)),
    name(7): tree(("100644", b"fine", 16)) + b"100644 cut\0short",
}  # fmt: skip


def listing(top: bytes, spec: TreeListSpec = ALL) -> TreeListing:
    store: Any = SimpleNamespace(odb=SimpleNamespace(tree=TREES.__getitem__), hash_len=20)
    return TreeListing(store, top, spec, Context())


@pytest.mark.parametrize("high", [True, False])
@pytest.mark.parametrize("top", [1, 2, 3, 4, 5])
def test_runs_say_what_entries_say(top: int, high: bool) -> None:
    made, quote = listing(name(top)), Quoter(high)
    one_by_one = b"".join(write_entries(iter(made), made._store, TreeStyle(), quote))
    assert b"".join(write_runs(made.runs(), quote)) == one_by_one
    assert (one_by_one == b"") == (top == 4)


def test_a_broken_tree_is_no_short_answer() -> None:
    with pytest.raises(Corrupt, match="too-short tree"):
        b"".join(write_runs(listing(name(6)).runs(), Quoter()))


def test_only_what_is_asked_for_whole_has_runs() -> None:
    assert listing(name(1)).whole
    for spec in (
        TreeListSpec(),
        TreeListSpec((b"b",), True),
        TreeListSpec((), True, True),
        TreeListSpec((), True, False, True),
    ):
        assert not listing(name(1), spec).whole

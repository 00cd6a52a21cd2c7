"""Whole runs of a tree are written as its entries are, one by one."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.errors import Corrupt, MissingObject, Timeout, TooLarge
from gitglass.limits import Context, Limits
from gitglass.objects.heads import ManyHeads
from gitglass.objects.parsed import tree_entries
from gitglass.paths.tree_listing import TreeListing, TreeListSpec, _entries
from gitglass.render import ls_tree
from gitglass.render.ls_tree import TreeStyle, write_entries, write_runs
from gitglass.render.quote import Quoter

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
    name(8): tree(("100644", b"a", 10), ("40000", b"broken", 7)),
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


def sized(oid: bytes) -> tuple[bytes, int]:
    """The size of an object; one is missing."""
    if oid[0] == 11:
        raise MissingObject("missing")
    return b"blob", oid[0] ** 4


class SomeHeads(ManyHeads):
    """Of some objects the sizes are looked up together, of the others one by one."""

    def sizes(self, oids: Sequence[bytes]) -> list[int]:
        return [-1 if oid[0] % 5 == 1 else oid[0] ** 4 for oid in oids]


@pytest.mark.parametrize("top", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("least", [1, 3, 1 << 14])
@pytest.mark.parametrize("heads", [ManyHeads, SomeHeads])
def test_runs_have_the_sizes_of_entries(
    monkeypatch: pytest.MonkeyPatch, top: int, least: int, heads: type[ManyHeads]
) -> None:
    monkeypatch.setattr(ls_tree, "_ENTRIES", least)
    made, quote = listing(name(top)), Quoter()
    made._store.odb.many_heads = lambda: ManyHeads(lambda: (), sized)
    one_by_one = b"".join(write_entries(iter(made), made._store, TreeStyle("long"), quote))
    assert b"".join(write_runs(made.runs(), quote, heads(lambda: (), sized))) == one_by_one
    assert (b"     BAD\t" in one_by_one) == (top != 4) and (b"       -\t" in one_by_one) == (top == 1)


def test_a_broken_tree_comes_after_the_sizes_of_those_before() -> None:
    pieces = list[bytes]()
    with pytest.raises(Corrupt, match="too-short tree"):
        pieces.extend(write_runs(listing(name(8)).runs(), Quoter(), ManyHeads(lambda: (), sized)))
    assert b"".join(pieces) == b"100644 blob " + b"0a" * 20 + b"   10000\ta\n"


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


def test_a_run_below_a_long_path_is_written_a_piece_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [b"%04d" % number for number in range(1000)]
    run = (b"d" * 5000 + b"/", [b"100644"] * 1000, names, [name(1)] * 1000)
    pieces = list(write_runs(iter([run]), Quoter()))
    line = b"100644 blob " + b"01" * 20 + b"\t" + run[0]
    assert b"".join(pieces) == b"".join([line + one + b"\n" for one in names])
    assert max(map(len, pieces)) < 2 << 20
    with Context(Limits(timeout=-1.0)), pytest.raises(Timeout):
        list(write_runs(iter([run]), Quoter()))


def test_the_paths_of_entries_are_announced_before_they_are_made() -> None:
    made = listing(name(5))
    entries, base = tree_entries(TREES[name(5)], 20), b"d" * 10_000
    with Context(Limits(max_memory_bytes=2 * len(entries) * len(base))), pytest.raises(TooLarge):
        _entries(made._store, name(5), base)
    assert [path for _, path, _ in _entries(made._store, name(5), b"d/")] == [b"d/" + one for _, one, _ in entries]

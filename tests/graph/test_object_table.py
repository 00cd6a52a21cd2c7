"""The order of git's table of objects: by the front of the name, and by what was looked up when."""

from types import SimpleNamespace
from typing import Any

import gitglass
from gitglass.graph.object_table import ObjectTable
from gitglass.limits import Context

COMMIT = b"tree %b\nauthor a <a@b> 1 +0000\n"


def oid(slot: int, more: int = 0) -> bytes:
    """A name that belongs into a slot of a table of up to 256."""
    return bytes([slot, 0, 0, 0, more]) + bytes(15)


def table_of(parents: dict[bytes, tuple[bytes, ...]], shallow: frozenset[bytes] = frozenset()) -> ObjectTable:
    tree = oid(31).hex().encode()
    odb = SimpleNamespace(
        kind=lambda name: b"commit", graph=None, raw_reader=lambda: lambda name: COMMIT % tree,
        commit_facts=lambda name: (parents[name], 1, oid(31)),
    )  # fmt: skip
    store: Any = SimpleNamespace(odb=odb, shallow=shallow)
    return ObjectTable(store, Context())


def test_by_the_front_of_the_name_whoever_comes_first() -> None:
    table = table_of({oid(9): (oid(3), oid(5)), oid(3): (), oid(5): ()})
    table.read_object(oid(9))
    assert table.commits() == [oid(3), oid(5), oid(9)]


def test_a_slot_that_is_taken_and_a_look_up_that_swaps() -> None:
    first, second = oid(7), oid(7, 1)
    table = table_of({first: (second,), second: (first,)})
    table.read_object(first)
    assert table.commits() == [first, second]
    table.read_commits([second])  # does not look it up, but its parent, which is where it belongs
    assert table.commits() == [first, second]
    table.read_object(second)
    assert table.commits() == [second, first]


def test_a_table_that_grows() -> None:
    names = [oid(64 + slot) for slot in range(40)]
    table = table_of(dict(zip(names, [(name,) for name in names[1:]] + [()], strict=True)))
    table.read_object(names[0])
    table.read_commits(names)
    assert table.commits() == names


def test_shallow_commits_are_looked_up_first() -> None:
    table = table_of({oid(9): ()}, frozenset([oid(4)]))
    table.read_object(oid(9))
    assert table.commits() == [oid(4), oid(9)]


def test_all_names_every_commit_once(unpack: Any) -> None:
    repo = unpack("plain")
    lines = gitglass.git(["name-rev", "--all"], cwd=repo).stdout.splitlines()
    listed = gitglass.git(["rev-list", "--all"], cwd=repo).stdout.split()
    assert sorted(line.split()[0] for line in lines) == sorted(listed) and all(
        b"undefined" not in line for line in lines
    )

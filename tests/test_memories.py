"""The three memories: bounds hold, threads cannot break them, and what one may not know it is not given."""

import importlib
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.limits import Context, Limits, settled
from gitglass.memories import (
    ByBytes,
    ByOid,
    Derived,
    Facts,
    Files,
    ObjectCache,
    PerCall,
    Slot,
    Table,
    once_for_its_bytes,
)

USUAL = Limits().max_cache_bytes
NUMBERS: Facts[int, int] = Facts("numbers", most=64, each=100)
THREADS = 8

# ---------------------------------------------------------------------------------------------------------- per call


def test_a_value_is_made_once_a_call() -> None:
    made: list[int] = []
    slot: Slot[int] = Slot("number")
    memory = PerCall()
    assert memory.get(slot) is None
    assert [memory.made(slot, lambda: made.append(1) or len(made)) for _ in range(2)] == [1, 1]  # type: ignore[func-returns-value]
    assert memory.put(slot, 7) == memory.get(slot) == 7
    memory.table(NUMBERS).put(1, 2)
    memory.clear()
    assert memory.get(slot) is None and memory.table(NUMBERS).get(1) is None


def test_two_slots_of_one_name_are_two() -> None:
    one: Slot[int] = Slot("same")
    two: Slot[str] = Slot("same")
    memory = PerCall()
    memory.put(one, 1)
    assert memory.get(two) is None


# ------------------------------------------------------------------------------------------------------------ by oid


def tabled(memory: ByOid, name: bytes | None) -> Table[int, int]:
    """The table of a declaration, or one of its family by name."""
    return memory.table(NUMBERS) if name is None else memory.member(NUMBERS, name)


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(1, 90), st.sampled_from([None, b"a", b"b"])), max_size=300))
def test_no_more_is_kept_than_may_be(puts: list[tuple[int, int, bytes | None]]) -> None:
    memory = ByOid(USUAL)
    tables = {name: tabled(memory, name) for name in (None, b"a", b"b")}
    for key, weight, name in puts:
        table = tables[name]
        assert table.put(key, weight, weight) == weight
        family = (tables[b"a"].rows, tables[b"b"].rows)
        assert sum(row for rows in family for row in rows.values()) <= NUMBERS.most
        assert sum(tables[None].rows.values()) <= NUMBERS.most
        assert table.get(key) == (weight if weight <= NUMBERS.most else None)


@given(st.lists(st.booleans(), max_size=400))
def test_rows_of_loops_count_as_well(by_itself: list[bool]) -> None:
    table = ByOid(USUAL).table(NUMBERS)
    for key, alone in enumerate(by_itself):
        if alone:
            if len(table.rows) >= table.most:
                table.make_room()
            table.rows[key] = key
        else:
            table.put(key, key)
        assert table.get(key) == key and len(table.rows) <= NUMBERS.most


@given(st.lists(st.integers(0, 90), max_size=300))
def test_what_is_reserved_counts(weights: list[int]) -> None:
    table = ByOid(USUAL).table(NUMBERS)
    for key, weight in enumerate(weights):
        before = dict(table.rows)
        full = table.held + weight > NUMBERS.most
        table.reserve(weight)
        assert table.rows == ({} if full else before)
        table.rows[key] = weight
        assert table.held >= sum(table.rows.values())


def test_very_many_names_are_not_kept_either() -> None:
    memory = ByOid(USUAL)
    first = memory.member(NUMBERS, b"first")
    first.put(1, 1)
    for number in range(1000):
        memory.member(NUMBERS, number)
    assert len(memory._members) <= NUMBERS.most // 4
    assert first.rows == {}
    for key in range(1000):  # a walk has it in hand still
        first.put(key, key)
        assert len(first.rows) <= NUMBERS.most
    first.put(5000, 1)
    memory.member(NUMBERS, b"other").put(1, 1, NUMBERS.most)
    assert first.rows == {}


@pytest.mark.parametrize(("limit", "room"), [(USUAL, 64), (10 * USUAL, 64), (USUAL // 2, 32), (0, 4)])
def test_a_smaller_limit_leaves_less_room(limit: int, room: int) -> None:
    assert ByOid(limit).table(NUMBERS).most == room


def test_all_is_forgotten() -> None:
    memory = ByOid(USUAL)
    held = [tabled(memory, name) for name in (None, b"a")]
    for table in held:
        table.put(1, 1)
    memory.objects.put(1, (3, b"x"))
    memory.clear()
    assert memory.table(NUMBERS).get(1) is None and memory.objects.get(1) is None
    assert [(table.rows, table.held) for table in held] == [({}, 0)] * 2  # by those too who still have them in hand


@given(st.integers(1000, 20_000), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 900)), max_size=300))
def test_objects_are_bounded_in_bytes(limit: int, puts: list[tuple[int, int]]) -> None:
    objects = ObjectCache(limit)
    last: dict[int, int] = {}
    for key, size in puts:
        if key % 3:
            objects.put(key, (3, bytes(size)))
            last[key] = size
        value = objects.get(key)
        assert value is None or len(value[1]) == last[key]
        held = sum(len(content) for part in (objects.young, objects.old) for _, content in part.values())
        assert held <= limit + 900


# ----------------------------------------------------------------------------------------------------------- threads


def together(work: list[object], run: object) -> None:
    """Run all at once; what any raises is raised."""
    barrier = Barrier(len(work))

    def start(one: object) -> None:
        barrier.wait()
        run(one)  # type: ignore[operator]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(work)) as pool:
            list(pool.map(start, work))
    finally:
        sys.setswitchinterval(before)


def test_threads_share_what_follows_from_names() -> None:
    """Every value is what its key says whoever put it, and the count is that of the rows."""
    memory = ByOid(USUAL)

    def run(seed: object) -> None:
        random = Random(int(str(seed)))
        for _ in range(3000):
            name, key = random.choice([None, b"a", b"b"]), random.randrange(100)
            table = tabled(memory, name)
            value = table.get(key)
            assert value is None or value == -key
            table.put(key, -key)

    together(list(range(THREADS)), run)
    alone, one, other = (tabled(memory, name) for name in (None, b"a", b"b"))
    assert len(alone.rows) <= alone.held <= NUMBERS.most
    assert len(one.rows) + len(other.rows) <= one.held == other.held <= NUMBERS.most


def test_threads_share_objects() -> None:
    objects = ObjectCache(40_000)

    def run(seed: object) -> None:
        random = Random(int(str(seed)))
        for _ in range(3000):
            key = random.randrange(100)
            value = objects.get(key)
            assert value is None or value == (3, b"%d" % key * 100)
            objects.put(key, (3, b"%d" % key * 100))

    together(list(range(THREADS)), run)
    young = sum(len(content) + 200 for _, content in objects.young.values())
    assert young <= objects._size <= 20_000


def test_rows_of_loops_exceed_their_bound_by_no_more_than_the_threads() -> None:
    table = ByOid(USUAL).table(NUMBERS)

    def run(number: object) -> None:
        for key in range(3000):
            if len(table.rows) >= table.most:
                table.make_room()
            table.rows[int(str(number)) * 3000 + key] = key
            assert len(table.rows) <= table.most + THREADS

    together(list(range(THREADS)), run)


class Guarded(dict[Any, Any]):
    """Rows that may be changed by whoever holds the lock."""

    lock: Any

    def __setitem__(self, key: Any, value: Any) -> None:
        assert self.lock.locked()
        super().__setitem__(key, value)

    def clear(self) -> None:
        assert self.lock.locked()
        super().clear()

    def pop(self, *args: Any) -> Any:
        assert self.lock.locked()
        return super().pop(*args)


def guarded(lock: Any) -> Guarded:
    rows = Guarded()
    rows.lock = lock
    return rows


def test_rows_are_put_and_dropped_under_the_lock() -> None:
    """What the tests above meet by chance only."""
    table = ByOid(USUAL).table(NUMBERS)
    table.rows = guarded(table._lock)
    for key in range(100):
        table.put(key, key)
    table.make_room()
    objects = ObjectCache(4000)
    objects.young = guarded(objects._lock)
    for key in range(5):
        objects.put(key, (3, bytes(10)))
    memory, files = ByBytes(), Files[int, int]("test", files=2, size=20)
    memory._rows[files] = guarded(memory._lock)
    for key in range(5):
        memory.put(files, b"%d" % key, key, key, 5)
    derived, slot = Derived(), Slot[int]("number")
    lock = derived._lock
    assert derived.made(slot, lambda: int(lock.locked())) == 0  # making may be long: others are not to wait


def test_threads_get_one_table_and_one_value() -> None:
    memory, derived = ByOid(USUAL), Derived()
    slot: Slot[object] = Slot("object")
    seen: list[tuple[object, object]] = []
    together([0] * THREADS, lambda _: seen.append((memory.table(NUMBERS), derived.made(slot, object))))
    assert len(seen) == THREADS and len(set(seen)) == 1


def test_files_are_shared_by_threads() -> None:
    memory = ByBytes()
    files: Files[int, int] = Files("test", files=3, size=20)

    def run(seed: object) -> None:
        random = Random(int(str(seed)))
        for _ in range(2000):
            number = random.randrange(6)
            value = memory.get(files, b"%d" % number, number)
            assert value is None or value == -number
            memory.put(files, b"%d" % number, number, -number, number)
            assert memory.get(files, b"%d" % number, number + 1) is None

    together(list(range(THREADS)), run)
    rows = memory._rows[files]
    assert len(rows) <= 3 and sum(row[2] for row in rows.values()) <= 20


# ---------------------------------------------------------------------------------------------------------- by bytes


def test_only_the_same_bytes_of_the_same_file_are_found() -> None:
    memory, files = ByBytes(), Files[bytes, str]("test", files=2, size=100)
    memory.put(files, b"a", b"data", "parsed", 4)
    assert memory.get(files, b"a", b"data") == "parsed"
    assert memory.get(files, b"a", b"Data") is None and memory.get(files, b"b", b"data") is None


def test_the_oldest_go_first() -> None:
    memory, files = ByBytes(), Files[bytes, int]("test", files=2, size=100)
    for number, path in enumerate((b"a", b"b", b"a", b"c")):
        memory.put(files, path, b"x", number, 1)
    assert [memory.get(files, path, b"x") for path in (b"a", b"b", b"c")] == [2, None, 3]


def test_so_many_bytes_are_kept() -> None:
    memory, files = ByBytes(), Files[bytes, int]("test", files=9, size=10)
    memory.put(files, b"a", b"x" * 4, 1, 4)
    memory.put(files, b"b", b"x" * 6, 2, 6)
    assert memory.get(files, b"a", b"x" * 4) == 1
    memory.put(files, b"c", b"x" * 5, 3, 5)
    assert [
        memory.get(files, b"a", b"x" * 4),
        memory.get(files, b"b", b"x" * 6),
        memory.get(files, b"c", b"x" * 5),
    ] == [None, None, 3]
    memory.put(files, b"c", b"x" * 11, 4, 11)
    assert memory.get(files, b"c", b"x" * 11) is None and memory.get(files, b"c", b"x" * 5) is None


@pytest.mark.parametrize(("name", "other"), [("geteuid", 4711), ("getegid", 4711), ("getgroups", [4711])])
def test_what_another_user_read_is_not_given(monkeypatch: pytest.MonkeyPatch, name: str, other: object) -> None:
    memory, files = ByBytes(), Files[bytes, int]("test", files=9, size=10)
    memory.put(files, b"a", b"x", 1, 1)
    monkeypatch.setattr(os, name, lambda: other)
    assert memory.get(files, b"a", b"x") is None
    memory.put(files, b"a", b"x", 2, 1)
    assert memory.get(files, b"a", b"x") == 2
    monkeypatch.undo()
    assert memory.get(files, b"a", b"x") is None


def test_each_call_asks_anew_as_whom_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, files = ByBytes(), Files[bytes, int]("test", files=9, size=10)
    with Context():
        memory.put(files, b"a", b"x", 1, 1)
        assert memory.get(files, b"a", b"x") == 1
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with Context():
        assert memory.get(files, b"a", b"x") is None


def test_a_given_now_says_nothing_of_what_is_fresh() -> None:
    """As with a cursor, whose time its bearer chose."""
    moment = 1_700_000_000 * 10**9
    with Context(now=4_000_000_000, wall=1_700_000_000):
        assert not settled(moment)
    with Context(now=1_600_000_000, wall=1_700_000_100):
        assert settled(moment)


def test_small_content_is_parsed_once() -> None:
    made: list[int] = []

    @once_for_its_bytes(2)
    def parse(data: bytes, fold: bool = False) -> list[bytes]:
        made.append(len(data))
        return data.split()

    assert parse(b"a b") is parse(bytes(bytearray(b"a b"))) and made == [3]
    assert parse(b"a b", True) is not parse(b"a b") and parse(b"a c") is not parse(b"a b")
    large = b"a " * 40_000
    assert parse(large) is not parse(large) and made[-2:] == [80_000, 80_000]


def test_a_fresh_handle_sees_what_was_written_since(tmp_path: Path) -> None:
    """packed-refs, configuration and mailmap again with other content of the same length, and back."""
    for folder in ("objects", "refs"):
        (tmp_path / ".git" / folder).mkdir(parents=True)
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")

    def answers(sign: str) -> list[bytes]:
        (tmp_path / ".git/packed-refs").write_text(f"# pack-refs with: peeled sorted \n{sign * 40} refs/heads/main\n")
        (tmp_path / ".git/config").write_text(f"[core]\n\trepositoryformatversion = 0\n[a]\n\tb = {sign}\n")
        (tmp_path / ".mailmap").write_text(f"{sign} <{sign}@x> <old@x>\n")
        asked = (["rev-parse", "HEAD"], ["config", "a.b"], ["check-mailmap", "Old <old@x>"])
        return [gitglass.git(argv, cwd=tmp_path).stdout for argv in asked]

    for sign in "aba":
        who = sign.encode()
        assert answers(sign) == [who * 40 + b"\n", who + b"\n", who + b" <" + who + b"@x>\n"]


# -------------------------------------------------------------------------------------------------------- what there is


def declarations() -> "dict[str, Slot[Any]]":
    """All declarations of the package by module and constant; modules that need what is not installed left out."""
    found: dict[str, Slot[Any]] = {}
    top = Path(gitglass.__file__).parent
    for path in sorted(top.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not re.search(r"^\w+: \"?(Slot|Facts|Files)\[", source, re.MULTILINE):
            continue
        module = importlib.import_module("gitglass." + ".".join(path.relative_to(top).with_suffix("").parts))
        for name in re.findall(r"^(\w+): \"?(?:Slot|Facts|Files)\[", source, re.MULTILINE):
            found[f"{path.relative_to(top).as_posix()} {name}"] = getattr(module, name)
    return found


def test_the_document_lists_every_memory_with_its_bound() -> None:
    document = Path(__file__).resolve().parents[1] / "docs/design/memories.md"
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in document.read_text("utf-8").splitlines()]
    listed = {row[0].replace("`", ""): row for row in rows if len(row) == 4 and row[0].startswith("`")}
    declared = declarations()
    assert len(declared) > 30 and set(listed) == set(declared)
    for key, slot in declared.items():
        if isinstance(slot, Facts):
            bound = f"{slot.most:,} × {slot.each:,} B"
        elif isinstance(slot, Files):
            bound = f"{slot.files} files, {slot.size:,} B"
        else:
            bound = "one"
        assert listed[key][3] == bound, key


def test_all_that_a_handle_remembers_is_bounded() -> None:
    """Besides the objects themselves: what `docs/design/memories.md` gives as the sum."""
    document = Path(__file__).resolve().parents[1] / "docs/design/memories.md"
    by_oid = re.findall(r"^\| `([\w/.]+)` `(\w+)` \| ByOid", document.read_text("utf-8"), re.MULTILINE)
    declared = declarations()
    whole = [declared[f"{file} {name}"] for file, name in by_oid]
    assert all(isinstance(slot, Facts) for slot in whole)
    total = sum(slot.most * slot.each for slot in whole if isinstance(slot, Facts)) / (1 << 20)
    assert f"{total:.0f} MiB" in document.read_text("utf-8")

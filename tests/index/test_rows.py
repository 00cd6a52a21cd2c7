"""The entries of an index cut out by regular expressions are those that the reader entry by entry finds."""

import struct
import time
from itertools import cycle
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import GitError
from gitglass.index import index as module
from gitglass.index import parse
from gitglass.index import rows as indexrows
from gitglass.index.index import Index
from gitglass.index.parse import parse_index

NAMES = st.lists(st.binary(min_size=1, max_size=24).map(lambda name: name.replace(b"\0", b"x")), unique=True).map(
    sorted
)
BYTE = st.integers(0, 255)


def entry(path: bytes, first: int, flags: int, pad: bytes | None = None, size: int = 20) -> bytes:
    """An entry whose stat data begins with `first`."""
    head = bytes([first]) + bytes(23) + struct.pack(">4I", 0o100644, 8, 9, 10) + bytes([first]) * size
    out = head + (flags & 0xF000 | min(len(path), 0xFFF)).to_bytes(2, "big") + path
    return out + (bytes(8 - len(out) % 8) if pad is None else pad)


def whole(entries: list[bytes], rest: bytes = b"", size: int = 20) -> bytes:
    return struct.pack(">4sII", b"DIRC", 2, len(entries)) + b"".join(entries) + rest + bytes(size)


def parsed(data: bytes, size: int, slowly: bool) -> Any:
    """The columns, or the error's words."""
    cut = (lambda *_: None) if slowly else indexrows.cut_rows
    with mock.patch.object(parse, "cut_rows", cut):
        try:
            index = parse_index(data, size)
        except GitError as error:
            return str(error)
    return index.paths, index.heads, index.modes, index.oids, index.stages, index.stats, index.fixed


@given(
    NAMES,
    BYTE,
    st.lists(st.sampled_from([0, 0, 0, 0x8000, 0x1000, 0x4000]), min_size=1, max_size=40),
    st.sampled_from([20, 32]),
    st.sampled_from([100, 200, 2000, 1 << 20]),
    st.sampled_from([0, 100]),
)
def test_as_entry_by_entry(
    names: list[bytes], first: int, flags: list[int], size: int, stretch: int, many: int
) -> None:
    """Whatever their flags, in stretches of any length, one or several at a time."""
    rest = b"ZZZZ" + struct.pack(">I", 90) + bytes(90)
    rows = [entry(name, first, flag, size=size) for name, flag in zip(names, cycle(flags))]
    data = whole(rows, rest, size)
    with mock.patch.object(indexrows, "_STRETCH", stretch), mock.patch.object(indexrows, "_MANY_ENTRIES", many):
        assert parsed(data, size, slowly=False) == parsed(data, size, slowly=True)


@given(
    st.lists(st.sampled_from([0, 0, 0, 0, 0x8000]), max_size=60),
    st.sampled_from([0o100644, 0o100755, 0o120000, 0o160000, 0o040000]),
    st.sampled_from([100, 1000, 1 << 17]),
)
def test_usual_entries_are_known_without_their_flags(flags: list[int], mode: int, stretch: int) -> None:
    entries = [entry(b"%03d" % nth, 7, flag) for nth, flag in enumerate(flags)]
    entries = [row[:24] + struct.pack(">I", mode) + row[28:] for row in entries]
    with mock.patch.object(indexrows, "_STRETCH", stretch), mock.patch.object(indexrows, "_MANY_ENTRIES", 0):
        index = parse_index(whole(entries), 20)
    assert index.all_usual == (not any(flags) and (mode >> 12 in (8, 10) or not flags))
    assert [byte & 0xB0 for byte in index.states()] == [flag >> 8 for flag in flags]
    index.paths = index.paths[:1]
    assert not index.all_usual


@given(NAMES.filter(bool), st.sampled_from([b"\0", b"\x7f", b"\x20"]), st.integers(2, 9))
def test_zero_bytes_without_end_take_linear_time(names: list[bytes], byte: bytes, pads: int) -> None:
    """No entry gives back a byte of its padding to the next one, which would be tried with each."""
    data = struct.pack(">4sII", b"DIRC", 2, 1000) + (byte + bytes(pads)) * 20_000 + names[0] + bytes(70_000)
    begin = time.process_time()
    with mock.patch.object(indexrows, "_MANY_ENTRIES", 0):
        indexrows.cut_rows(data, 1000, 20)
    assert time.process_time() - begin < 5


@given(st.lists(st.tuples(st.sampled_from([b"a", b"bb", b"ccccc", b"d" * 9]), BYTE, st.integers(0, 9)), max_size=5))
def test_odd_padding_is_read_as_entry_by_entry(rows: list[tuple[bytes, int, int]]) -> None:
    """More or fewer zero bytes than there should be, before stat data that begins with zero or not."""
    data = whole([entry(path, first % 3, 0, bytes(pad)) for path, first, pad in rows], bytes(200))
    assert parsed(data, 20, slowly=False) == parsed(data, 20, slowly=True)


@given(
    NAMES.filter(bool),
    st.sampled_from([20, 32]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([100, 300, 1 << 17]),
    st.randoms(),
)
def test_single_entries_are_cut_out_of_the_file(
    names: list[bytes], size: int, with_paths: bool, with_columns: bool, stretch: int, random: Any
) -> None:
    """Whatever was cut before, and without a column or a list of paths being made."""
    entries = [entry(name, number % 256, 0, size=size) for number, name in enumerate(names)]
    with mock.patch.object(indexrows, "_STRETCH", stretch):
        index = parse_index(whole(entries, size=size), size)
    if with_paths:
        assert index.paths == names
    if with_columns:
        assert len(index.fixed) == len(names) * (42 + size)
    for at in random.sample(range(len(names)), len(names)):
        assert index.head(at) == entries[at][: 42 + size]
        assert index.path(at) == names[at]
        assert index.positions(names[at]) == range(at, at + 1)
        assert index.usual_file is not None
        assert index.usual_file[index.start(at) : index.start(at + 1)] == entries[at]
    assert not index.positions(b"\xff" * 25)


@given(
    NAMES.filter(bool),
    st.sampled_from([20, 32]),
    st.booleans(),
    st.sampled_from([100, 300, 1 << 17]),
    st.sampled_from([0, 99]),
)
def test_fixed_parts_come_in_stretches_as_well(
    names: list[bytes], size: int, whole_first: bool, stretch: int, most: int
) -> None:
    entries = [entry(name, number % 256, 0, size=size) for number, name in enumerate(names)]
    with mock.patch.object(indexrows, "_STRETCH", stretch), mock.patch.object(module, "MOST_KEPT", most):
        index = parse_index(whole(entries, size=size), size)
        want = b"".join(row[: 42 + size] for row in entries)
        if whole_first:
            assert index.fixed == want
        half, rest = range(len(names) // 2), range(len(names) // 2, len(names))
        assert index.fixed_at(half) + index.fixed_at([*rest]) == want
        assert index.fixed_at(half) == want[: len(half) * (42 + size)]
        assert index.fixed_at(rest[::2]) == b"".join(entries[at][: 42 + size] for at in rest[::2])
        parts = list(index.fixed_stretches())
        assert b"".join(parts) == want and all(len(part) % (42 + size) == 0 for part in parts)
        assert index.fixed == want


@given(NAMES, st.binary(max_size=2), st.booleans(), st.sampled_from([1, 2, 1000]))
def test_paths_that_end_so(names: list[bytes], tail: bytes, cut: bool, near: int) -> None:
    tail = tail.replace(b"\0", b"x")
    index = parse_index(whole([entry(name, 7, 0) for name in names]), 20)
    if cut:
        assert index.paths == names
    low, high = len(names) // 3, len(names)
    with mock.patch.object(indexrows, "_NEAR", near):
        assert index.ending(tail, low, high) == [name for name in names[low:high] if name.endswith(tail)]


def test_a_tail_in_the_midst_of_a_path_is_no_end() -> None:
    index = parse_index(whole([entry(name, 7, 0) for name in (b"a.c", b"a.c.d", b"a.cd")]), 20)
    assert index.ending(b".c", 0, 3) == [b"a.c"]


def test_a_path_in_conflict_has_several_positions() -> None:
    flags = [0, 0x1000, 0x2000, 0x3000, 0]
    rows = [entry(path, 1, flag) for path, flag in zip([b"a", b"b", b"b", b"b", b"bb"], flags, strict=True)]
    index = parse_index(whole(rows), 20)
    assert [index.positions(path) for path in (b"a", b"b", b"bb", b"c")] == [
        range(1), range(1, 4), range(4, 5), range(5, 5)
    ]  # fmt: skip


def test_the_usual_form_is_cut_by_regular_expressions() -> None:
    data = whole([entry(b"%04d" % nth, 7, 0) for nth in range(3000)])
    with mock.patch.object(indexrows, "_STRETCH", 1000):
        found = indexrows.cut_rows(data, 3000, 20)
    assert found is not None and len(found[1].stretches) > 200 and found[2] == len(data) - 20
    assert indexrows.without_padding(found[0])[-1] == b"2999"


@pytest.mark.parametrize("asked", ["find", "has_path", "span"])
def test_questions_about_one_path_need_no_list_of_paths(asked: str) -> None:
    index = parse_index(whole([entry(name, 7, 0) for name in (b"a", b"d/x", b"d/xy", b"e")]), 20)
    with mock.patch.object(module, "without_padding", side_effect=AssertionError):
        answers = {"find": index.find(b"d/xy"), "has_path": index.has_path(b"d/x"), "span": index.span(b"d")}
        assert answers[asked] == {"find": 2, "has_path": True, "span": (1, 3)}[asked]
        assert index.find(b"d/xyz") == index.find(b"d/") == -1 and not index.has_path(b"d")
    assert isinstance(index, Index) and index.paths == [b"a", b"d/x", b"d/xy", b"e"]


PARTS = st.lists(st.sampled_from([b"a", b"a.", b"a0", b"b", b"a\x01"]), min_size=1, max_size=3).map(b"/".join)


WORDS = st.frozensets(PARTS, max_size=4)


@given(st.lists(PARTS, unique=True).map(sorted), WORDS, WORDS, st.booleans())
def test_what_words_mean_is_found_by_bisection(
    names: list[bytes], words: frozenset[bytes], others: frozenset[bytes], cut: bool
) -> None:
    index = parse_index(whole([entry(name, 7, 0) for name in names]), 20)
    if cut:
        assert index.paths == names
    fronts = tuple(word + b"/" for word in words)
    meant = [at for at, name in enumerate(names) if name in words or name.startswith(fronts)]
    spans = index.spans_of(words)
    assert [at for span in spans for at in span] == meant
    assert index.paths_at(spans) == [names[at] for at in meant]
    left_out = tuple(word + b"/" for word in others)
    kept = [at for at, name in enumerate(names) if name not in others and not name.startswith(left_out)]
    assert [at for span in index.spans_of([b"", *words], others) for at in span] == kept
    assert [at for span in index.spans_of(words, others) for at in span] == sorted({*meant} & {*kept})


def test_columns_and_joins_longer_than_a_stretch() -> None:
    with mock.patch.object(indexrows, "_NEAR", 3):
        assert (
            indexrows.gathered(b"".join(b"%03d" % nth for nth in range(100, 110)), 1, 2, 3) == b"00010203040506070809"
        )
        assert indexrows.joined([b"%d" % nth for nth in range(10)], b",") == b"0,1,2,3,4,5,6,7,8,9"
        assert indexrows.joined([], b",") == b""

"""Reftables, written here by hand as gitformat-reftable(5) has them."""

import struct
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.disk.jail import Jail
from gitglass.errors import GitError, TooLarge
from gitglass.limits import Context, Limits
from gitglass.refs.reflog import read_reflog
from gitglass.refs.refs import Refs, open_refs
from gitglass.refs.reftable import Table

from ..hostile.craft import back

A, B, C = (bytes([n]) * 20 for n in (1, 2, 3))


def record(before: bytes, key: bytes, kind: int, value: bytes) -> bytes:
    same = 0
    while same < min(len(before), len(key)) and before[same] == key[same]:
        same += 1
    return back(same) + back((len(key) - same) << 3 | kind) + key[same:] + value


def block(rows: list[tuple[bytes, int, bytes]]) -> bytes:
    body, before = b"", b""
    for key, kind, value in rows:
        body += record(before, key, kind, value)
        before = key
    return body + b"\0\0\x1c" + b"\0\1"


def ref(name: bytes, *oids: bytes, target: bytes | None = None) -> tuple[bytes, int, bytes]:
    value = b"\0" + (b"".join(oids) if target is None else back(len(target)) + target)
    return name, 3 if target is not None else len(oids), value


def log(name: bytes, number: int, old: bytes, new: bytes, message: bytes) -> tuple[bytes, int, bytes]:
    key = name + b"\0" + (0xFFFFFFFFFFFFFFFF - number).to_bytes(8, "big")
    who = b"".join(back(len(text)) + text for text in (b"A U", b"a@b"))
    value = old + new + who + back(1_700_000_000) + struct.pack(">h", -330) + back(len(message)) + message
    return key, 1, value


def table(
    *blocks: list[tuple[bytes, int, bytes]], logs: list[tuple[bytes, int, bytes]] | None = None, size: int = 0
) -> bytes:
    header = b"REFT\1" + size.to_bytes(3, "big") + struct.pack(">QQ", 1, 9)
    out = header if blocks or logs is None else b""
    for number, rows in enumerate(blocks):
        body = block(rows)
        length = len(body) + 4 + (0 if number else 24)
        out += b"r" + length.to_bytes(3, "big") + body
        if size:
            out += bytes(-len(out) % size)
    log_position = len(out)
    if logs is not None:
        if not out:
            out = header
        body = block(logs)
        lead = 24 if not log_position else 0
        out += b"g" + (len(body) + 4 + lead).to_bytes(3, "big") + zlib.compress(body)
    tail = header + struct.pack(">5Q", 0, 0, 0, log_position if logs else 0, 0)
    return out + tail + struct.pack(">I", zlib.crc32(tail))


def stack(tmp_path: Path, *tables: bytes) -> Refs:
    git = tmp_path / ".git"
    (git / "reftable").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/.invalid\n")
    for number, data in enumerate(tables):
        (git / "reftable" / f"{number}.ref").write_bytes(data)
    (git / "reftable" / "tables.list").write_text("".join(f"{n}.ref\n" for n in range(len(tables))))
    return open_refs(Jail(bytes(tmp_path)), bytes(git), bytes(git), 20, reftable=True)


@pytest.mark.parametrize("size", [0, 256])
def test_later_tables_lie_over_earlier_ones(tmp_path: Path, size: int) -> None:
    first = table(
        [ref(b"HEAD", target=b"refs/heads/main"), ref(b"refs/heads/gone", A), ref(b"refs/heads/main", A)],
        [ref(b"refs/tags/v1", B, C)],
        size=size,
    )
    second = table([ref(b"refs/heads/gone"), ref(b"refs/heads/main", B)], size=size)
    refs = stack(tmp_path, first, second)
    assert refs.head() == (b"refs/heads/main", B)
    assert list(refs.iterate()) == [(b"refs/heads/main", B), (b"refs/tags/v1", B)]
    assert refs.peeled(b"refs/tags/v1", B) == C and refs.read(b"refs/heads/gone") is None


def test_logs(tmp_path: Path) -> None:
    rows = [log(b"refs/heads/main", 2, A, B, b"second\n"), log(b"refs/heads/main", 1, bytes(20), A, b"first")]
    refs = stack(tmp_path, table([ref(b"refs/heads/main", B)], logs=rows))
    found = read_reflog(refs, b"refs/heads/main")
    assert [(e.message, e.time, e.tz, e.ident) for e in found] == [
        (b"second", 1_700_000_000, -330, b"A U <a@b>"), (b"first", 1_700_000_000, -330, b"A U <a@b>"),
    ]  # fmt: skip
    assert refs.backend.logs() == [b"refs/heads/main"] and not read_reflog(refs, b"refs/heads/x").exists


def test_a_table_of_logs_only(tmp_path: Path) -> None:
    refs = stack(tmp_path, table([ref(b"refs/heads/main", B)]), table(logs=[log(b"refs/heads/main", 1, A, B, b"m")]))
    assert read_reflog(refs, b"refs/heads/main").at(0) is not None


@given(st.integers(0, 400), st.integers(0, 255))
def test_damage_is_an_error_not_a_crash(place: int, byte: int) -> None:
    data = bytearray(
        table([ref(b"refs/heads/main", A), ref(b"refs/tags/v1", B, C)], logs=[log(b"refs/heads/main", 1, A, B, b"m")])
    )
    data[place % len(data)] = byte
    try:
        found = Table(bytes(data))
        _ = found.logs
    except GitError:
        pass


@given(st.binary(max_size=120))
def test_noise_is_an_error(noise: bytes) -> None:
    with pytest.raises(GitError):
        Table(b"REFT\1" + noise)


def test_names_that_grow_on_one_another_are_bounded() -> None:
    body = b"".join(back(i) + back(1 << 3 | 1) + b"a" + b"\0" + A for i in range(6000)) + b"\0\0\x1c\0\1"
    header = b"REFT\1" + bytes(3) + struct.pack(">QQ", 1, 9)
    tail = header + bytes(40)
    data = header + b"r" + (len(body) + 28).to_bytes(3, "big") + body + tail + struct.pack(">I", zlib.crc32(tail))
    with pytest.raises(GitError, match="too long"):
        Table(data)


def test_very_many_blocks_of_logs_take_linear_time() -> None:
    header = b"REFT\1" + bytes(3) + struct.pack(">QQ", 1, 9)
    one = block([log(b"refs/heads/main", 1, A, B, b"m")])
    logs = (b"g" + (len(one) + 4).to_bytes(3, "big") + zlib.compress(one, 0)) * 20_000
    lead = b"g" + (len(one) + 28).to_bytes(3, "big") + zlib.compress(one)
    tail = header + bytes(40)
    found = Table(header + lead + logs + tail + struct.pack(">I", zlib.crc32(tail)))
    start = time.process_time()
    assert len(found.logs) == 1
    assert time.process_time() - start < 3


def test_a_table_named_twice_is_refused(tmp_path: Path) -> None:
    refs = stack(tmp_path, table([ref(b"refs/heads/a", A)]))
    (tmp_path / ".git/reftable/tables.list").write_text("0.ref\n" * 10_000)
    with pytest.raises(GitError, match="a table is named twice"):
        list(refs.iterate())


def test_names_are_accounted_for() -> None:
    body = (
        b"".join(
            back(max(3000 - 1, 0) if i else 0)
            + back((1 if i else 3000) << 3 | 1)
            + (b"%c" % (97 + i % 26) if i else b"a" * 3000)
            + b"\0"
            + A
            for i in range(20_000)
        )
        + b"\0\0\x1c\0\1"
    )
    header = b"REFT\1" + bytes(3) + struct.pack(">QQ", 1, 9)
    tail = header + bytes(40)
    data = header + b"r" + (len(body) + 28).to_bytes(3, "big") + body + tail + struct.pack(">I", zlib.crc32(tail))
    with Context(Limits(max_memory_bytes=32 << 20)), pytest.raises(TooLarge, match="more memory"):
        Table(data)

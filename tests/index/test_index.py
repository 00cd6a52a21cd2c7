"""The index: versions 2 to 4, split and sparse, extensions, damage."""

import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.disk.jail import Jail
from gitglass.errors import Corrupt, GitError, SandboxViolation, TooLarge
from gitglass.index import file as indexfile
from gitglass.index.ewah import ewah_positions
from gitglass.index.extensions import parse_cache_tree
from gitglass.index.file import load_index
from gitglass.index.index import Index
from gitglass.index.parse import parse_index
from gitglass.limits import Context, Limits
from gitglass.memories import Files

from ..hostile.craft import back

STAT = tuple(range(1, 11))


def entry(
    path: bytes, mode: int = 0o100644, fill: int = 7, stage: int = 0, *, extended: int = 0, before: bytes | None = None
) -> bytes:
    flags = min(len(path), 0xFFF) | stage << 12 | (0x4000 if extended else 0)
    head = struct.pack(">6I", *STAT[:6]) + struct.pack(">4I", mode, 8, 9, 10) + bytes([fill]) * 20
    out = head + struct.pack(">H", flags) + (struct.pack(">H", extended) if extended else b"")
    if before is not None:
        same = 0
        while same < min(len(before), len(path)) and before[same] == path[same]:
            same += 1
        return out + back(len(before) - same) + path[same:] + b"\0"
    out += path
    return out + bytes(8 - len(out) % 8)


def whole(*entries: bytes, version: int = 2, extensions: bytes = b"") -> bytes:
    return struct.pack(">4sII", b"DIRC", version, len(entries)) + b"".join(entries) + extensions + bytes(20)


def extension(name: bytes, body: bytes) -> bytes:
    return name + struct.pack(">I", len(body)) + body


def test_version_2_in_columns() -> None:
    index = parse_index(whole(entry(b"a"), entry(b"b/c", 0o120000, 8), entry(b"b/d", 0o100755, 9)), 20)
    assert index.paths == [b"a", b"b/c", b"b/d"] and index.modes == [0o100644, 0o120000, 0o100755]
    assert index.oids[1] == b"\x08" * 20 and index.stages == [0, 0, 0]
    assert index.stats[0][:6] == (1, 2, 3, 4, 5, 6) and index.stats[0][9] == 10
    assert index.find(b"b/c") == 1 and index.find(b"b") == -1 and index.by_path[b"b/d"] == 2
    assert [index.mode(at) for at in range(3)] == index.modes and [index.oid(at) for at in range(3)] == index.oids
    assert index.stat(2) == index.stats[2] and [index.stage(at) for at in range(3)] == index.stages
    assert index.span(b"b") == (1, 3) and index.span(b"") == (0, 3) and index.span(b"a") == (1, 1)


def test_a_very_long_path() -> None:
    index = parse_index(whole(entry(b"x" * 5000), entry(b"y")), 20)
    assert [len(path) for path in index.paths] == [5000, 1]


def test_conflicts() -> None:
    index = parse_index(whole(entry(b"a", stage=1), entry(b"a", stage=3), entry(b"b")), 20)
    assert index.unmerged == {b"a": {1: 0, 3: 1}} and index.find(b"a") == -1 and index.find(b"a", 3) == 1
    assert index.by_path == {b"a": 0, b"b": 2} and index.has_path(b"a")


def test_extended_flags() -> None:
    index = parse_index(whole(entry(b"a", extended=0x4000), entry(b"b", extended=0x2000), entry(b"c"), version=3), 20)
    assert [index.skip_worktree(i) for i in range(3)] == [True, False, False]
    assert [index.intent_to_add(i) for i in range(3)] == [False, True, False]
    with pytest.raises(GitError, match="nknown index entry format"):
        parse_index(whole(entry(b"a", extended=0x4000), version=2), 20)


PATHS = st.lists(st.from_regex(rb"[a-c]{1,4}(/[a-c]{1,3}){0,2}", fullmatch=True), unique=True, max_size=20).map(sorted)


@given(PATHS)
def test_version_4_is_version_2(paths: list[bytes]) -> None:
    before = b""
    entries = []
    for path in paths:
        entries.append(entry(path, before=before))
        before = path
    four, two = parse_index(whole(*entries, version=4), 20), parse_index(whole(*map(entry, paths)), 20)
    assert four.paths == two.paths == paths and four.heads == two.heads


@given(st.binary(max_size=200), st.integers(2, 4))
def test_noise_is_an_error_not_a_crash(noise: bytes, version: int) -> None:
    try:
        parse_index(struct.pack(">4sII", b"DIRC", version, 3) + noise, 20)
    except GitError:
        pass


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"DIRC", "index file smaller than expected"), (b"CRID" + bytes(60), "bad signature 0x44495243"),
        (struct.pack(">4sII", b"DIRC", 9, 0) + bytes(60), "bad index version 9"),
        (struct.pack(">4sII", b"DIRC", 2, 1 << 31) + bytes(60), "index file corrupt"),
        (whole(entry(b"b"), entry(b"a")), "unordered stage entries in index"),
        (whole(entry(b"a"), entry(b"a")), "multiple stage entries for merged file 'a'"),
        (whole(extensions=extension(b"zzzz", b"")), "index uses zzzz extension, which we do not understand"),
    ],
)  # fmt: skip
def test_errors_in_gits_words(data: bytes, words: str) -> None:
    with pytest.raises(GitError, match=words):
        parse_index(data, 20)


def test_optional_extensions_are_passed_over() -> None:
    assert (
        len(parse_index(whole(entry(b"a"), extensions=extension(b"ZZZZ", b"abc") + extension(b"EOIE", b"x" * 24)), 20))
        == 1
    )


def test_cache_tree() -> None:
    body = b"\0" + b"3 1\n" + b"\1" * 20 + b"b\0" + b"-1 0\n"
    index = parse_index(whole(entry(b"a"), extensions=extension(b"TREE", body)), 20)
    assert index.cache_tree is not None and index.cache_tree.oid == b"\1" * 20 and index.cache_tree.count == 3
    assert index.cache_tree.subtrees[b"b"].oid is None
    assert parse_cache_tree(b"\0" + b"1 1000000000\n" + b"\1" * 20, 20) is None


def test_a_deep_cache_tree_does_not_recurse() -> None:
    deep = b"".join(b"d\0-1 1\n" for _ in range(50_000)) + b"d\0-1 0\n"
    assert parse_cache_tree(deep, 20) is not None


def test_resolve_undo() -> None:
    body = b"p\0" + b"100644\0" + b"0\0" + b"100755\0" + b"\1" * 20 + b"\3" * 20
    index = parse_index(whole(extensions=extension(b"REUC", body)), 20)
    assert index.resolve_undo == [(b"p", [(0o100644, b"\1" * 20), (0, None), (0o100755, b"\3" * 20)])]


def ewah(bits: list[int]) -> bytes:
    size = max(bits, default=-1) + 1
    words = -(-size // 64)
    body = [0] * words
    for bit in bits:
        body[bit // 64] |= 1 << bit % 64
    raw = [words << 33, *body]
    return struct.pack(">II", size, len(raw)) + struct.pack(f">{len(raw)}Q", *raw) + struct.pack(">I", 0)


@given(st.lists(st.integers(0, 300), unique=True).map(sorted))
def test_ewah(bits: list[int]) -> None:
    data = ewah(bits)
    assert ewah_positions(data, 0, 301) == (bits, len(data))


@given(st.binary(max_size=60))
def test_ewah_never_crashes(noise: bytes) -> None:
    try:
        ewah_positions(noise, 0, 1000)
    except GitError:
        pass


def test_a_run_of_ones_longer_than_the_index_is_corrupt() -> None:
    data = struct.pack(">II", 64, 1) + struct.pack(">Q", 1 | 0xFFFFFFFF << 1) + struct.pack(">I", 0)
    with pytest.raises(GitError):
        ewah_positions(data, 0, 100)


def test_split_index(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    git.mkdir()
    base = whole(entry(b"a"), entry(b"b"), entry(b"d"))
    link = b"\x55" * 20 + ewah([0]) + ewah([1])
    own = whole(entry(b"", fill=9), entry(b"c"), extensions=extension(b"link", link))
    (git / "index").write_bytes(own)
    with pytest.raises(GitError, match="index file open failed"):
        load_index(Jail(bytes(tmp_path)), bytes(git), 20)
    (git / ("sharedindex." + "5" * 40)).write_bytes(base)
    index = load_index(Jail(bytes(tmp_path)), bytes(git), 20)
    assert index.paths == [b"b", b"c", b"d"] and index.oids[0] == b"\x09" * 20 and index.base


def test_the_base_of_a_split_index_is_read_by_each_asker(tmp_path: Path) -> None:
    """It is one of the two files that the entries come from: changed, taken away or out of reach, it counts."""
    git, name = tmp_path / "jail" / ".git", "sharedindex." + "5" * 40
    git.mkdir(parents=True)
    (git / "index").write_bytes(whole(extensions=extension(b"link", b"\x55" * 20 + ewah([]) + ewah([]))))
    outside = tmp_path / "base"
    outside.write_bytes(whole(entry(b"a")))
    (git / name).symlink_to(outside)
    wide, narrow = Jail(b"/"), Jail(bytes(tmp_path / "jail"))
    index = load_index(wide, bytes(git), 20)
    assert index.paths == [b"a"] and load_index(wide, bytes(git), 20) is index
    with pytest.raises(SandboxViolation):
        load_index(narrow, bytes(git), 20)
    outside.write_bytes(whole(entry(b"b")))
    assert load_index(wide, bytes(git), 20).paths == [b"b"]
    outside.unlink()
    with pytest.raises(GitError, match="index file open failed"):
        load_index(wide, bytes(git), 20)


def test_sparse_directories_are_opened() -> None:
    inner, outer = b"\x21" * 20, b"\x22" * 20
    trees = {outer: b"100644 f\0" + b"\1" * 20 + b"40000 in\0" + inner, inner: b"100755 g\0" + b"\2" * 20}
    data = whole(
        entry(b"a"),
        entry(b"d/", 0o040000, 0x22, extended=0x4000),
        entry(b"e"),
        version=3,
        extensions=extension(b"sdir", b""),
    )
    index = parse_index(data, 20)
    assert index.sparse
    full = index.expanded(trees.__getitem__)
    assert full.paths == [b"a", b"d/f", b"d/in/g", b"e"] and full.modes[2] == 0o100755
    assert [full.skip_worktree(i) for i in range(4)] == [False, True, True, False]


def test_a_missing_index_is_empty(tmp_path: Path) -> None:
    index = load_index(Jail(bytes(tmp_path)), bytes(tmp_path), 20)
    assert isinstance(index, Index) and not index.present and len(index) == 0 and index.unmerged == {}


def test_paths_that_grow_on_one_another_are_bounded() -> None:
    fixed = entry(b"a", before=b"")[:62]
    grown = b"".join(fixed + back(0) + b"a" * 200 + b"\0" for _ in range(8000))
    with pytest.raises(GitError, match="too long"):
        parse_index(struct.pack(">4sII", b"DIRC", 4, 8000) + grown + bytes(20), 20)


def test_a_sparse_bomb_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitglass.index.index._MAX_EXPANDED", 1000)
    oids = [bytes([i]) * 20 for i in range(40)]
    trees = {oid: b"".join(b"40000 %d\0" % j + oids[i + 1] for j in range(9)) for i, oid in enumerate(oids[:-1])}
    trees[oids[-1]] = b"".join(b"100644 f%d\0" % j + b"\1" * 20 for j in range(1001))
    data = whole(entry(b"d/", 0o040000, 0, extended=0x4000), version=3, extensions=extension(b"sdir", b""))
    with pytest.raises(GitError, match="too many files"):
        parse_index(data, 20).expanded(trees.__getitem__)


def test_the_last_indexes_are_kept_within_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexfile, "_INDEXES", Files("test", files=4, size=250))
    folders = [tmp_path / str(number) for number in range(3)]
    for folder in folders:
        folder.mkdir()
        (folder / "index").write_bytes(whole(entry(b"a")))
    jail = Jail(bytes(tmp_path))
    first, second, third = (load_index(jail, bytes(folder), 20) for folder in folders)
    assert load_index(jail, bytes(folders[2]), 20) is third
    assert load_index(jail, bytes(folders[1]), 20) is second
    assert load_index(jail, bytes(folders[0]), 20) is not first
    monkeypatch.setattr(indexfile, "_INDEXES", Files("test", files=4, size=50))
    assert load_index(jail, bytes(folders[1]), 20) is not load_index(jail, bytes(folders[1]), 20)


def test_ewah_beyond_its_end_is_refused_at_once() -> None:
    """Not after all of the positions were listed: a megabyte of ones would be eight million of them."""
    data = struct.pack(">II", 0, 100_001) + struct.pack(">Q", 100_000 << 33) + b"\xff" * 800_000 + bytes(4)
    before = sys.getallocatedblocks()
    with pytest.raises(GitError) as caught:
        ewah_positions(data, 0, 100)
    assert caught.type is Corrupt and sys.getallocatedblocks() - before < 1_000_000


def test_long_names_of_version_4_are_accounted_for() -> None:
    """A hundred kilobytes whose names take two hundred megabytes."""
    long = entry(b"a" * 20_000, before=b"")
    rows = [long] + [
        entry(b"x", extended=0)[:62] + back(5 if number else 0) + b"%05d\0" % number for number in range(10_000)
    ]
    data = whole(*rows, version=4)
    with Context(Limits(max_memory_bytes=64 << 20)), pytest.raises(TooLarge) as caught:
        parse_index(data, 20)
    assert caught.value.code == "too_large" and caught.value.data["limit"] == 64 << 20
    with Context(Limits(max_memory_bytes=1 << 30)):
        assert len(parse_index(data, 20).paths) == 10_001


def test_a_sparse_directory_that_stands_for_trees_only_comes_to_an_end() -> None:
    """Trees of trees, each of which holds the next one eight times: no file in any of them."""
    trees = {
        bytes([level]) * 20: b"".join(b"40000 %d\0" % n + bytes([level + 1]) * 20 for n in range(8))
        for level in range(1, 12)
    }
    trees[bytes([12]) * 20] = b""
    data = whole(entry(b"d/", 0o040000, 1, extended=0x4000), version=3, extensions=extension(b"sdir", b""))
    looks = 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        return looks > 20

    with Context(cancelled=cancelled), pytest.raises(GitError, match="cancelled"):
        parse_index(data, 20).expanded(trees.__getitem__)


@pytest.mark.parametrize("before", [b"d/", b"d"])
def test_an_entry_within_a_sparse_directory_is_out_of_order(before: bytes) -> None:
    tree = {b"\x22" * 20: b"100644 z\0" + b"\1" * 20}
    rows = [entry(before, 0o040000, 0x22, extended=0x4000), entry(b"d/a")]
    if before == b"d":
        rows.insert(1, entry(b"d-"))
    data = whole(*rows, version=3, extensions=extension(b"sdir", b""))
    with pytest.raises(Corrupt, match="unordered stage entries"):
        parse_index(data, 20).expanded(tree.__getitem__)


def test_a_directory_whose_name_is_empty_has_a_span_of_its_own() -> None:
    index = parse_index(whole(entry(b"/a"), entry(b"/z"), entry(b"src/b.c")), 20)
    assert index.span_below(b"/") == (0, 2) and index.span_below(b"src/") == (2, 3) and index.span(b"") == (0, 3)

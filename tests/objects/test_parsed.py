"""Commits, tags and trees over raw bytes: what is found, and what happens when it is not there."""

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Corrupt, GitError
from gitglass.objects import parsed as objects
from gitglass.objects.parsed import (
    Commit,
    DoubledName,
    Tag,
    commit_time,
    entry_finder,
    find_entry,
    fresh_entries,
    ident_time,
    tag_object,
    tree_entries,
)
from gitglass.objects.sequential import commit_facts

OID = bytes(range(20))
RAW = (
    b"tree " + b"11" * 20 + b"\nparent " + b"22" * 20 + b"\nparent " + b"33" * 20
    + b"\nauthor A U Thor <a@b> 1700000000 +0200\ncommitter C <c@d> 1700000001 -0330\n"
    + b"encoding ISO-8859-1\ngpgsig -----BEGIN\n \n line two\n -----END\n\nSubject\n\ncommitter in the body 5 +0000\n"
)  # fmt: skip

modes = st.sampled_from([b"100644", b"100755", b"40000", b"120000", b"160000", b"100664"])
names = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name)


def test_commit() -> None:
    commit = Commit(OID, RAW)
    assert commit.tree == b"\x11" * 20
    assert commit.parents == (b"\x22" * 20, b"\x33" * 20)
    assert commit.author == b"A U Thor <a@b> 1700000000 +0200"
    assert commit.committer == b"C <c@d> 1700000001 -0330"
    assert (commit.commit_time, commit.author_time) == (1700000001, 1700000000)
    assert commit.encoding == b"ISO-8859-1"
    assert commit.header(b"gpgsig") == [b"-----BEGIN\n\nline two\n-----END"]
    assert commit.message == b"Subject\n\ncommitter in the body 5 +0000\n"
    assert [name for name, _ in commit.headers()] == [
        b"tree", b"parent", b"parent", b"author", b"committer", b"encoding", b"gpgsig",
    ]  # fmt: skip
    assert Commit(OID, RAW, (OID,)).parents == (OID,)
    assert commit_facts(RAW, OID) == (commit.parents, commit.commit_time, commit.tree)


def test_a_commit_without_anything() -> None:
    commit = Commit(OID, b"")
    assert (commit.author, commit.committer, commit.message, commit.commit_time) == (b"", b"", b"", 0)
    with pytest.raises(Corrupt, match="bogus commit object"):
        _ = commit.tree


@pytest.mark.parametrize("parent", [b"2" * 39 + b"\n", b"2" * 41, b"2" * 39 + b"g", b"2" * 20 + b" " + b"2" * 19])
def test_bad_parents(parent: bytes) -> None:
    with pytest.raises(Corrupt, match="bad parents in commit"):
        Commit(OID, b"tree " + b"1" * 40 + b"\nparent " + parent + b"\nauthor")


@pytest.mark.parametrize(
    "line, time",
    [
        (b"C <c@d> 1700000000 +0000", 1700000000),
        (b"C <c@d>1700000000 +0000", 1700000000),
        (b"C <c@d> \t1700000000abc", 1700000000),
        (b"C <c@d> 5 +0000", 5),
        (b"C <c@d> +5 +0000", 5),
        (b"C <c@d> -5 +0000", (1 << 64) - 5),
        (b"C <c@d> 123456789012 +0000", 123456789012),
        (b"C <c@d> 17000000001700000000170000000 +0000", (1 << 64) - 1),
        (b"C <c@d> x> 1700000000 +0000", 0),  # the first `>` counts
        (b"C <c@d> 1 +0000> 1700000000 +0000", 1),
        (b"C <c@d>", 0),
        (b"C <c@d> soon", 0),
        (b"C 1700000000 +0000", 0),
        (b"", 0),
    ],
)
def test_commit_time(line: bytes, time: int) -> None:
    """As git 2.39 reads them, observed with `git rev-list --timestamp`."""
    start = b"tree x\nauthor y\ncommitter " + line
    assert commit_time(start + b"\n\nm\n") == time
    assert commit_time(start + b"\n\n") == time
    if b"> 17000000" not in line:
        assert commit_time(start) == 0  # the line must end


@pytest.mark.parametrize(
    "message, time", [(b"3 42\n", 3), (b"\n \t\n-3\n", (1 << 64) - 3), (b"m 3\n", 0), (b"\n", 0), (b"4", 4)]
)
def test_commit_time_in_the_message(message: bytes, time: int) -> None:
    """Strange but git's: behind a committer without a date it reads on, as strtoumax passes over ends of lines."""
    assert commit_time(b"tree x\nauthor y\ncommitter A <a>\n\n" + message) == time
    assert commit_time(b"tree x\nauthor y\ncommitter A <a>  \n\n" + message) == time


def test_commit_time_of_many_digits() -> None:
    raw = b"tree x\nauthor y\ncommitter A <a> 17717777777777 A\n\nm\n"  # as long as a usual line
    assert commit_time(raw) == Commit(OID, raw).commit_time == 17717777777777


def test_commit_time_where_lines_are_missing() -> None:
    assert commit_time(b"tree x\nauthor y\n\nm\n") == 0
    assert commit_time(b"tree x\nauthor y\nfoo\ncommitter C <c> 1700000000 +0000\n\n") == 0
    assert commit_time(b"tree x\nauthor y\n\nm\ncommitter C <c> 1700000000 +0000\n\n") == 0
    assert commit_time(b"tree x\nauthor y\nfoo\ncommitter C <c> 5 +0000\n\n") == 0
    assert ident_time(b"C <c> 5 +0000") == 5 and ident_time(b"C <c> x") == ident_time(b"") == 0


def test_tag() -> None:
    raw = b"object " + b"11" * 20 + b"\ntype commit\ntag v1\ntagger T <t@u> 5 +0000\n\nMessage\n"
    tag = Tag(OID, raw)
    assert (tag.object, tag.type, tag.tag, tag.tagger) == (b"\x11" * 20, b"commit", b"v1", b"T <t@u> 5 +0000")
    assert tag.message == b"Message\n"
    assert Tag(OID, raw.replace(b"tagger", b"xagger")).tagger is None
    with pytest.raises(Corrupt):
        tag_object(b"object 12\n", OID)


@pytest.mark.parametrize("hash_len", [20, 32])
@given(entries=st.lists(st.tuples(modes, names, st.binary(min_size=32, max_size=32)), max_size=12))
def test_trees_round_trip(hash_len: int, entries: list[tuple[bytes, bytes, bytes]]) -> None:
    raw = b"".join(mode + b" " + name + b"\0" + oid[:hash_len] for mode, name, oid in entries)
    expected = [(int(mode, 8), name, oid[:hash_len]) for mode, name, oid in entries]
    assert tree_entries(raw, hash_len) == expected
    for _, name, _ in entries:
        found = find_entry(raw, name, hash_len)
        assert found in [(mode, oid) for mode, other, oid in expected if other == name]
    assert find_entry(raw, b"not in it at all", hash_len) is None


@given(raw=st.binary(max_size=120), name=names)
def test_any_bytes_as_a_tree(raw: bytes, name: bytes) -> None:
    for ask in (lambda: tree_entries(raw, 20), lambda: find_entry(raw, name, 20)):
        try:
            ask()
        except GitError:
            pass


@given(raw=st.binary(max_size=200), cut=st.integers(0, len(RAW)), at=st.integers(0, len(RAW)))
def test_any_bytes_as_a_commit_or_tag(raw: bytes, cut: int, at: int) -> None:
    for body in (raw, RAW[:cut], RAW[:at] + raw + RAW[cut:]):
        commit = Commit(OID, body, ())
        assert isinstance(commit.commit_time, int) and isinstance(commit.author_time, int)
        assert commit.message is not None and commit.encoding in (None, *commit.header(b"encoding"))
        list(Tag(OID, body).headers())
        for ask in (lambda: Commit(OID, body), lambda: commit.tree, lambda: Tag(OID, body).object):
            try:
                ask()
            except GitError:
                pass


def test_a_name_inside_an_oid_is_no_entry() -> None:
    trap = b"100644 real\0" + b"\x00100644 fake\0" + bytes(7) + b"100644 zz\0" + b"\1" * 20
    assert find_entry(trap, b"zz", 20) == (0o100644, b"\1" * 20)
    assert find_entry(b"100644 a 40000 b\0" + b"\2" * 20, b"b", 20) is None


@pytest.mark.parametrize(
    "raw", [b"100644 a\0" + bytes(19), b"100644 a", b"x a\0" + bytes(20), b"100644 \0" + bytes(20)]
)
def test_broken_trees(raw: bytes) -> None:
    with pytest.raises(Corrupt):
        tree_entries(raw, 20)


def test_a_parent_line_without_an_end_is_no_circle() -> None:
    for raw in (b"parent -", b"tree x\nparent ", b"tree x\nparent a\nparent b"):
        assert commit_time(raw) == 0


def test_a_tree_that_is_none_is_looked_at_once() -> None:
    """A megabyte of what could be modes used to take a quarter of an hour, which no deadline could end."""
    for size in (5_000, 200_000):
        with pytest.raises(Corrupt):
            tree_entries(b"100000 " * size, 20)
    good = b"100644 a\0" + bytes(20)
    with pytest.raises(Corrupt):
        tree_entries(good * 50_000 + b"100644 b\0", 20)
    assert len(tree_entries(good * 50_000, 20)) == 50_000
    assert tree_entries(b"", 20) == []


def test_a_header_of_many_lines_takes_linear_time() -> None:
    raw = b"tree " + b"a" * 40 + b"\ngpgsig x" + b"\n y" * 300_000 + b"\n\nm\n"
    assert Commit(bytes(20), raw).header(b"gpgsig") == [b"x" + b"\ny" * 300_000]


def test_the_quick_way_to_the_facts_is_the_slow_one() -> None:
    """A committer line that nothing follows has no time for git, however long it is."""
    front = b"tree %b\nparent %b\nauthor A <a@b> 1 +0000\ncommitter A <a@b> " % (b"a" * 40, b"b" * 40)
    for rest in (
        b"1700000000 +0100\n\nm\n",
        b"1700000000 +0100 and more\n",
        b"1700000000 +0100 and more",
        b"1700000000 +01",
    ):
        assert commit_facts(front + rest, bytes(20))[1] == commit_time(front + rest)


NESTED = (
    b"160000 0\0" + bytes(6) + b"100644 a\0" + bytes(5),  # within an oid, which a submodule may choose
    b"100644 0\0" + bytes(20) + b"100644 " + b"x" * 13 + b"100644 a\0" + bytes(20),  # within a name
    b"100644 0\0" + bytes(20) + b"0100644 a\0" + bytes(20),  # within a mode
    b"100644 00\0" + bytes(20) + b"140000 a\0" + bytes(20),
)


@pytest.mark.parametrize("raw", NESTED)
@pytest.mark.parametrize("lead", range(21))
def test_what_only_looks_like_an_entry(raw: bytes, lead: int) -> None:
    """With any number of bytes before it, of which all are NUL: that is what the entry before should end with."""
    tree = b"100644 +" + b"x" * lead + b"\0" + bytes(20) + raw + b"100755 a\0" + b"\1" * 20
    named = [(mode, oid) for mode, name, oid in tree_entries(tree, 20) if name == b"a"]
    assert find_entry(tree, b"a", 20) == named[0]
    try:
        assert entry_finder(b"a", 20)(tree) == named[0]
    except DoubledName:
        assert len(named) > 1


@pytest.mark.parametrize("lead", [b"", b"100644 B\0" + b"\2" * 20, b"100644 B\0" + b"1" * 20])
def test_a_name_that_is_there_twice(lead: bytes) -> None:
    tree = lead + b"100644 a\0" + b"\3" * 20 + b"100755 a\0" + b"\4" * 20
    assert find_entry(tree, b"a", 20) == (0o100644, b"\3" * 20)
    with pytest.raises(DoubledName):
        entry_finder(b"a", 20)(tree)


@given(st.lists(st.tuples(st.sampled_from([b"100644", b"40000", b"100755"]), names, st.binary(min_size=20, max_size=20)),
                max_size=30), st.integers(300, 700), st.binary(max_size=3))  # fmt: skip
def test_large_trees_are_split_in_stretches(entries: list[tuple[bytes, bytes, bytes]], size: int, odd: bytes) -> None:
    raw = b"".join(mode + b" " + name + b"\0" + oid for mode, name, oid in entries)
    whole = objects.tree_columns(raw, 20)
    assert whole == tuple(map(list, zip(*entries, strict=True))) or (not entries and whole == ([], [], []))
    with mock.patch.multiple(objects, _LARGE_TREE=-1, _STRETCH=size):
        assert objects.tree_columns(raw, 20) == whole
        assert objects.tree_columns(raw + odd, 20) == (None if odd else whole)
        if raw:
            assert objects.tree_columns(raw[:-1], 20) is None


@given(
    st.lists(st.tuples(names, st.integers(0, 5), st.booleans()), max_size=20),
    st.sets(st.integers(0, 5)),
    st.sets(st.integers(0, 5)),
    st.booleans(),
)
def test_entries_that_are_not_known(
    rows: list[tuple[bytes, int, bool]], files: set[int], trees: set[int], odd: bool
) -> None:
    mode = b"100664" if odd else b"100644"
    raw = b"".join((b"40000" if below else mode) + b" " + name + b"\0" + bytes([nth]) * 20 for name, nth, below in rows)
    known, opened = ({bytes([which]) * 20 for which in some} for some in (files, trees))
    expected = [
        entry for entry in objects.tree_entries(raw, 20) if entry[2] not in (opened if entry[0] == 0o040000 else known)
    ]
    assert fresh_entries(raw, 20, known, opened) == expected

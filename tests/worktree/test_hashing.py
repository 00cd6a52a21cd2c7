"""Names of content that is not stored: what each kind has to look like, and the form files are stored in."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import BadRequest, Unsupported
from gitglass.worktree.hashing import _tree_fault, cleaned, name_of

HEX = b"0123456789abcdefABCDEF0123456789abcdef01"
TREE = b"tree " + HEX + b"\n"


def words(repo: Any, kind: bytes, data: bytes) -> str:
    """What is wrong with content; "" where it has the name that it should have."""
    try:
        assert name_of(repo.store(), kind, data) == hashlib.sha1(b"%s %d\0" % (kind, len(data)) + data).digest()
    except BadRequest as error:
        return error.message
    return ""


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", ""),
        (b"100644 a\0" + bytes(20) + b"7 b\0" + bytes(20), ""),
        (b"100644 a\0" + bytes(19), "too-short tree object"),
        (b"100644 a\0" + bytes(20) + b"1", "too-short tree object"),
        (b"\0" + bytes(20), "too-short tree object"),
        (b"1 \0" + bytes(20), "empty filename in tree entry"),
        (b"8 a\0" + bytes(20), "malformed mode in tree entry"),
        (b" a\0" + bytes(20), "malformed mode in tree entry"),
    ],
)
def test_trees(repo: Any, data: bytes, fault: str) -> None:
    assert words(repo, b"tree", data) == fault


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (TREE + b"x", ""),
        (TREE, "bogus commit object"),
        (b"", "bogus commit object"),
        (b"tree " + HEX[:-1] + b"g\nx", "bad tree pointer in commit"),
        (b"tree " + HEX + b" \nx", "bogus commit object"),
        (TREE + b"parent " + HEX + b"\nx", ""),
        (TREE + b"parent " + HEX, ""),
        (TREE + b"parent " + HEX[:-1] + b" \nx", "bad parents in commit"),
        (TREE + b"parent " + HEX + b"\nparent " + HEX[1:] + b"\n\n", "bad parents in commit"),
    ],
)
def test_commits(repo: Any, data: bytes, fault: str) -> None:
    assert words(repo, b"commit", data) == (f"{fault} {'0' * 40}\nfatal: corrupt commit" if fault else "")


@pytest.mark.parametrize(
    ("data", "good"),
    [
        (b"object " + HEX + b"\ntype commit\ntag v1\n", True),
        (b"object " + HEX + b"\ntype strange\ntag v1\n", False),
        (b"object " + HEX + b"\ntype commit\ntag v1", False),
        (b"object " + HEX[1:] + b"\ntype commit\ntag v1\n", False),
    ],
)
def test_tags(repo: Any, data: bytes, good: bool) -> None:
    assert words(repo, b"tag", data) == ("" if good else "corrupt tag")


def test_kinds_are_four_unless_taken_literally(repo: Any) -> None:
    store = repo.store()
    assert words(repo, b"blob", b"anything") == ""
    assert words(repo, b"strange", b"") == 'invalid object type "strange"'
    assert name_of(store, b"strange", b"x", literally=True) == hashlib.sha1(b"strange 1\0x").digest()
    assert name_of(store, b"tree", b"x", literally=True) == hashlib.sha1(b"tree 1\0x").digest()


@given(st.lists(st.tuples(st.integers(0, 0o777777), st.binary(min_size=1, max_size=6)), max_size=4), st.integers(1, 30))
def test_every_tree_passes_and_no_cut_one(rows: list[tuple[int, bytes]], cut: int) -> None:
    data = b"".join(b"%o %s\0" % (mode, name.replace(b"\0", b"n")) + b"\1" * 20 for mode, name in rows)
    assert _tree_fault(data, 20) == ""
    if cut < 22:
        assert bool(_tree_fault(data[:-cut], 20)) == bool(rows)


def test_files_take_the_form_they_are_stored_in(repo: Any, ctx: Any) -> None:
    repo.write(".gitattributes", b"*.txt text\n*.x filter=odd\n*.big filter=lfs\n")
    repo.config('[filter "odd"]\n\tclean = run-me\n[filter "lfs"]\n\tclean = run-me\n')
    repo.add("a.txt", b"a\r\n")  # what the index holds does not matter
    store = repo.store()
    assert cleaned(store, b"a.txt", b"a\r\nb\r\n", ctx=ctx) == b"a\nb\n"
    assert cleaned(store, b"a.bin", b"a\r\n", ctx=ctx) == b"a\r\n"
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 3\n"
    assert cleaned(store, b"a.big", b"abc", ctx=ctx) == pointer % hashlib.sha256(b"abc").hexdigest().encode()
    with pytest.raises(Unsupported, match=r"gitglass runs nothing: 'a\.x' goes through the filter 'odd'"):
        cleaned(store, b"a.x", b"", ctx=ctx)

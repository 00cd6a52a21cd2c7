"""Two names compared as they lie on disk: which files are paired, and what each side is."""

from __future__ import annotations

import os
from typing import Any

import pytest

from gitglass.diff.changes import Unnamed
from gitglass.errors import NotFound
from gitglass.worktree.no_index import NOTHING, STDIN, Places, compare_paths, joined


@pytest.fixture
def places(repo: Any, ctx: Any) -> Places:
    for path, data in {
        "one/same": b"s", "one/x": b"1", "one/gone": b"g", "one/t": b"f", "one/sub/q": b"q",
        "two/same": b"s", "two/x": b"2", "two/new": b"n", "two/t/in": b"i", "two/sub/q": b"q", "x": b"1",
    }.items():  # fmt: skip
        repo.write(path, data)
    return Places(repo.store(), b"input", ctx=ctx)


def changes(places: Places, ctx: Any, one: bytes, two: bytes, *, reverse: bool = False) -> list[str]:
    found = compare_paths(places, one, two, reverse=reverse, ctx=ctx)
    return [f"{c.status} {c.old.path.decode()} {c.new.path.decode()}" for c in found]


def test_directories_entry_by_entry(places: Places, ctx: Any) -> None:
    assert changes(places, ctx, b"one", b"two/") == [
        "D one/gone /dev/null",
        "A /dev/null two/new",
        "D one/t /dev/null",
        "A /dev/null two/t/in",
        "M one/x two/x",
    ]


def test_reverse_turns_round_all_but_a_file_against_a_directory(places: Places, ctx: Any) -> None:
    assert changes(places, ctx, b"one", b"two", reverse=True) == [
        "A /dev/null one/gone",
        "D two/new /dev/null",
        "D one/t /dev/null",
        "D two/t/in /dev/null",
        "M two/x one/x",
    ]


def test_a_file_stands_for_the_one_of_its_name_in_a_directory(places: Places) -> None:
    assert places.pair(b"x", b"one") == (b"x", b"one/x")
    assert places.pair(b"one/", b"./x") == (b"one/x", b"./x")
    assert places.pair(b"one", b"two") == (b"one", b"two")
    assert places.pair(STDIN, b"one") == (STDIN, b"one")
    assert joined(b"a", b"b") == joined(b"a/", b"b") == b"a/b"


def test_modes_and_links(repo: Any, places: Places, ctx: Any) -> None:
    (repo.top / "run").write_bytes(b"1")
    (repo.top / "run").chmod(0o755)
    (repo.top / "link").symlink_to("x")
    (found,) = compare_paths(places, b"x", b"run", reverse=False, ctx=ctx)
    assert (found.status, found.old.mode, found.new.mode) == ("M", 0o100644, 0o100755)
    (found,) = compare_paths(places, b"x", b"link", reverse=False, ctx=ctx)
    assert (found.status, found.new.mode) == ("T", 0o120000)
    assert places.read(b"link", 0o120000) == b"x"


def test_standard_input_is_a_side_and_read_once(places: Places, ctx: Any) -> None:
    (found,) = compare_paths(places, STDIN, b"x", reverse=False, ctx=ctx)
    assert isinstance(found.old, Unnamed) and found.old.mode == 0o100644
    assert places.read(STDIN, 0o100644) == b"input"
    places.spend()
    assert places.read(STDIN, 0o100644) == b""


def test_what_is_neither_file_nor_link(repo: Any, places: Places, ctx: Any) -> None:
    os.mkfifo(repo.top / "pipe")
    (found,) = compare_paths(places, b"pipe", NOTHING, reverse=False, ctx=ctx)
    assert (found.status, found.old.mode, found.new.path) == ("D", 0o160000, b"/dev/null")
    assert places.read(b"pipe", 0o160000) == b"Subproject commit " + b"0" * 40 + b"\n"


def test_what_is_not_there(places: Places, ctx: Any) -> None:
    for name in (b"nobody", b"x/"):
        with pytest.raises(NotFound, match=f"Could not access '{name.decode()}'") as caught:
            compare_paths(places, name, b"x", reverse=False, ctx=ctx)
        assert caught.value.status == 1


def test_files_are_compared_in_the_form_they_are_stored_in(repo: Any, ctx: Any) -> None:
    repo.write(".gitattributes", b"*.txt text\n")
    for name, data in {"a.txt": b"1\r\n", "b.txt": b"1\n", "a.bin": b"1\r\n", "b.bin": b"1\n", "c.bin": b"2\n"}.items():
        repo.write(name, data)
    places = Places(repo.store(), None, ctx=ctx)
    assert changes(places, ctx, b"a.txt", b"b.txt") == []
    assert changes(places, ctx, b"a.bin", b"b.bin") == ["M a.bin b.bin"]
    assert changes(places, ctx, b"b.bin", b"c.bin") == ["M b.bin c.bin"]


def test_large_files_are_compared_piece_by_piece(repo: Any, ctx: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitglass.worktree.no_index.LARGE", 4)
    for name, data in {"a": b"123456", "b": b"123456", "c": b"123457"}.items():
        repo.write(name, data)
    places = Places(repo.store(), None, ctx=ctx)
    monkeypatch.setattr(places.__class__, "read", None)  # nothing is read as a whole
    assert changes(places, ctx, b"a", b"b") == []
    assert changes(places, ctx, b"a", b"c") == ["M a c"]

"""What fresh handles share: only what the very same bytes were parsed to, and not much of it."""

import os
from pathlib import Path

import pytest

import gitglass
from gitglass.limits import Context, settled
from gitglass.recent import Recent, once_for_its_bytes


def test_only_the_same_bytes_of_the_same_file_are_found() -> None:
    recent: Recent[bytes, str] = Recent(2, 100)
    recent.put(b"a", b"data", "parsed", 4)
    assert recent.get(b"a", b"data") == "parsed"
    assert recent.get(b"a", b"Data") is None and recent.get(b"b", b"data") is None


def test_the_oldest_go_first() -> None:
    recent: Recent[bytes, int] = Recent(2, 100)
    for number, path in enumerate((b"a", b"b", b"a", b"c")):
        recent.put(path, b"x", number, 1)
    assert [recent.get(path, b"x") for path in (b"a", b"b", b"c")] == [2, None, 3]


def test_so_many_bytes_are_kept() -> None:
    recent: Recent[bytes, int] = Recent(9, 10)
    recent.put(b"a", b"x" * 4, 1, 4)
    recent.put(b"b", b"x" * 6, 2, 6)
    assert recent.get(b"a", b"x" * 4) == 1
    recent.put(b"c", b"x" * 5, 3, 5)
    assert [recent.get(b"a", b"x" * 4), recent.get(b"b", b"x" * 6), recent.get(b"c", b"x" * 5)] == [None, None, 3]
    recent.put(b"c", b"x" * 11, 4, 11)
    assert recent.get(b"c", b"x" * 11) is None and recent.get(b"c", b"x" * 5) is None


@pytest.mark.parametrize(("name", "other"), [("geteuid", 4711), ("getegid", 4711), ("getgroups", [4711])])
def test_what_another_user_read_is_not_given(monkeypatch: pytest.MonkeyPatch, name: str, other: object) -> None:
    recent: Recent[bytes, int] = Recent(9, 10)
    recent.put(b"a", b"x", 1, 1)
    monkeypatch.setattr(os, name, lambda: other)
    assert recent.get(b"a", b"x") is None
    recent.put(b"a", b"x", 2, 1)
    assert recent.get(b"a", b"x") == 2
    monkeypatch.undo()
    assert recent.get(b"a", b"x") is None


def test_each_call_asks_anew_as_whom_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    recent: Recent[bytes, int] = Recent(9, 10)
    with Context():
        recent.put(b"a", b"x", 1, 1)
        assert recent.get(b"a", b"x") == 1
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with Context():
        assert recent.get(b"a", b"x") is None


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

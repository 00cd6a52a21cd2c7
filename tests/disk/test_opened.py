"""Tables read from files, into small pages and into large ones."""

import mmap
import os
from pathlib import Path

import pytest

from gitglass.disk import opened as fileview
from gitglass.disk.opened import (
    FdDir,
    FileView,
    LargeBytes,
    PathDir,
    open_view,
    read_table,
    slurp,
    slurp_stamped,
    stamp_of,
)
from gitglass.errors import Corrupt, TooLarge

KINDS = (b"file", "f"), (b"dir", "d"), (b"link", "l")


def view_of(path: Path, data: bytes) -> FileView:
    path.write_bytes(data)
    view = open_view(os.open(path, os.O_RDONLY), os.fsencode(path))
    assert view is not None
    return view


@pytest.mark.parametrize("worth", [1, 1 << 30])
def test_a_table_of_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int) -> None:
    monkeypatch.setattr(fileview, "_WORTH_LARGE_PAGES", worth)
    one = os.urandom(3 << 20)
    views = view_of(tmp_path / "one", one), view_of(tmp_path / "two", b"second")
    table = read_table([(views[0], 5, (3 << 20) - 7), (views[1], 1, 3)])
    assert bytes(table) == one[5:-2] + b"eco"
    assert isinstance(table, memoryview) == (worth == 1 and fileview._LARGE_PAGES is not None)


@pytest.mark.parametrize("worth", [1, 1 << 30])
def test_a_file_that_became_shorter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int) -> None:
    monkeypatch.setattr(fileview, "_WORTH_LARGE_PAGES", worth)
    assert bytes(read_table([(view_of(tmp_path / "one", b"short"), 2, 8)])) == b"ort"


@pytest.mark.parametrize("worth", [1, 1 << 30])
@pytest.mark.parametrize("size", [1, 4096, (2 << 20) - 1, 2 << 20, (2 << 20) + 1])
def test_a_large_file_for_who_takes_large_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int, size: int
) -> None:
    monkeypatch.setattr(fileview, "_WORTH_LARGE_PAGES", worth)
    path = tmp_path / "one"
    path.write_bytes(data := os.urandom(size))
    stamped = slurp_stamped(os.open(path, os.O_RDONLY), b"one", size, large=True)
    assert stamped is not None and stamped[0] == stamp_of(path.stat())
    content = stamped[1]
    assert isinstance(content, LargeBytes) == (worth == 1 and fileview._LARGE_PAGES is not None)
    assert len(content) == size and content[:] == data and type(content[:1]) is bytes
    assert content == data and data == content and content == slurp(os.open(path, os.O_RDONLY), b"one", size)
    for other in (data[:-1], data + b"x", data[:-1] + bytes([data[-1] ^ 1]), "text"):
        assert content != other
    plain = slurp_stamped(os.open(path, os.O_RDONLY), b"one", size)
    assert plain is not None and type(plain[1]) is bytes
    with pytest.raises(TooLarge):
        slurp_stamped(os.open(path, os.O_RDONLY), b"one", size - 1, large=True)


def test_a_file_of_another_length_than_its_status_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fileview, "_WORTH_LARGE_PAGES", 1)
    (tmp_path / "one").write_bytes(b"content")
    for size in (6, 8):
        fd = os.open(tmp_path / "one", os.O_RDONLY)
        assert fileview._in_large_pages(fd, size) is None
        assert os.read(fd, 9) == b"content"  # and it can still be read in another way
        os.close(fd)


def test_the_null_device_is_empty_and_no_other_device_is_read() -> None:
    """GIT_CONFIG_GLOBAL=/dev/null is how a configuration is switched off."""
    assert slurp(os.open(os.devnull, os.O_RDONLY), b"/dev/null", 1) == b""
    with pytest.raises(Corrupt, match="'/dev/zero' is not a regular file"):
        slurp(os.open("/dev/zero", os.O_RDONLY), b"/dev/zero", 1)


@pytest.mark.parametrize("size", [1, 4096, (2 << 20) - 1, 2 << 20, (2 << 20) + 1])
def test_a_table_fills_its_pages_whatever_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """A mapping that ends within a large page has small ones there: it is as long as whole large pages."""
    rooms: list[int] = []
    make = fileview.LargeBytes

    def counted(fd: int, length: int, flags: int) -> mmap.mmap:
        rooms.append(length)
        return make(fd, length, flags)

    monkeypatch.setattr(fileview, "_WORTH_LARGE_PAGES", 0)
    monkeypatch.setattr(fileview, "LargeBytes", counted)
    data = bytes(range(251)) * (size // 251 + 1)
    assert bytes(read_table([(view_of(tmp_path / "one", data), 0, size)])) == data[:size]
    assert all(length % (2 << 20) == 0 and 0 <= length - size < 2 << 20 for length in rooms)
    assert len(rooms) == (fileview._LARGE_PAGES is not None)


@pytest.mark.parametrize("made", [FdDir, PathDir])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_entries_of_more_than_are_held_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: type[FdDir | PathDir], count: int
) -> None:
    monkeypatch.setattr(fileview, "_LISTED", 2)
    for nth in range(count):
        (tmp_path / f"file{nth}").touch()
        (tmp_path / f"dir{nth}").mkdir()
        (tmp_path / f"link{nth}").symlink_to("file0")
    top = made.top(os.fsencode(tmp_path), False)
    everything = {(b"%b%d" % (word, nth), kind) for nth in range(count) for word, kind in KINDS}
    assert sorted(top.entries()) == sorted(everything)
    expected = {name for name, _ in everything if name[-1:] != b"0"}
    kept = {(name, kind) for name, kind in everything if kind == "d" or name not in expected}
    assert sorted(top.entries(expected)) == sorted(kept)

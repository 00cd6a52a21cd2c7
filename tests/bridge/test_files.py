"""bridge/files.py: the few files of a repository that dulwich holds in memory."""

import pickle
import stat
from threading import RLock

import pytest
from dulwich.repo import MemoryRepo

from gitglass.bridge.files import GIT_DIR, NamedFiles
from gitglass.errors import NotFound

CONFIG = GIT_DIR + b"/config"


@pytest.fixture
def files(memory: MemoryRepo) -> NamedFiles:
    memory._named_files["info/exclude"] = b"*.o\n"
    memory._named_files["hooks/x"] = b"x"
    return NamedFiles(memory, lock=RLock())


def test_what_is_there(files: NamedFiles) -> None:
    assert files.read_optional(GIT_DIR + b"/info/exclude") == b"*.o\n"
    assert b"https://example.com/x.git" in files.read(CONFIG)
    assert files.read_optional(GIT_DIR + b"/shallow") is None
    seen = files.stat(GIT_DIR + b"/info/exclude")
    assert seen is not None and seen.st_size == 4 and stat.S_ISREG(seen.st_mode)
    view = files.view(GIT_DIR + b"/info/exclude")
    assert view is not None and files.exists(CONFIG)


def test_directories(files: NamedFiles) -> None:
    assert files.scandir(GIT_DIR) == [(b"info", "d"), (b"objects", "d"), (b"refs", "d"), (b"config", "f")]
    assert files.names(GIT_DIR + b"/") == [b"info", b"objects", b"refs", b"config"]
    assert files.is_dir(GIT_DIR + b"/info/") and not files.is_dir(CONFIG)
    seen = files.stat(GIT_DIR)
    assert seen is not None and stat.S_ISDIR(seen.st_mode)
    assert files.readlink(CONFIG) is None and files.directory(GIT_DIR) is None


@pytest.mark.parametrize(
    "path", [b"/etc/passwd", GIT_DIR + b"/HEAD", GIT_DIR + b"/../etc/passwd", GIT_DIR + b"/hooks/x", b"config"]
)
def test_nothing_else_is_there(files: NamedFiles, path: bytes) -> None:
    assert files.read_optional(path) is files.stat(path) is files.stamp(path) is files.view(path) is None
    with pytest.raises(NotFound):
        files.read(path)


def test_a_file_is_read_once_a_command(memory: MemoryRepo, files: NamedFiles) -> None:
    before = files.read_stamped(CONFIG)
    memory.get_config().set((b"core",), b"abbrev", b"9")
    assert files.read_stamped(CONFIG) == before
    copied = files.copy().stamp(CONFIG)
    files.refresh()
    assert files.stamp(CONFIG) == copied and before is not None and copied != before[0]
    assert b"abbrev = 9" in files.read(CONFIG)


def test_without_a_repository_there_are_no_files() -> None:
    empty = NamedFiles(None, lock=RLock())
    assert empty.read_optional(CONFIG) is None and empty.is_dir(GIT_DIR) and empty.stands() and empty.real_roots == ()
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(empty)

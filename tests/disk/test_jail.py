"""The jail: what is inside is read, what is outside is refused, what is no file is never waited for."""

import os
import pickle
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.disk import jail as module
from gitglass.disk.jail import Jail
from gitglass.disk.opened import FdDir, PathDir
from gitglass.disk.worktree import WorkTree
from gitglass.errors import Corrupt, GitError, NotFound, PermissionDenied, SandboxViolation, TooLarge
from gitglass.limits import Context


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "file").write_bytes(b"inside")
    (root / "empty").write_bytes(b"")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"secret")
    (tmp_path / "rootlike").write_bytes(b"secret")
    for link, target in {
        "near": "a/b/file",
        "chain": "near",
        "up": "a/../a/b/../b/file",
        "dir": "a",
        "absolute": str(root / "a" / "b" / "file"),
        "round": "round2",
        "round2": "round",
        "out": "../outside/secret",
        "outdir": "../outside",
        "back": "../root/a/b/file",
        "sibling": "../rootlike",
        "etc": "/etc/passwd",
        "dangling": "nowhere/at/all",
        "a/top": "..",
    }.items():
        (root / link).symlink_to(target)
    return root


@pytest.fixture(params=["strict", "trusting", "paths"])
def jail(request: pytest.FixtureRequest, place: Path, monkeypatch: pytest.MonkeyPatch) -> Jail:
    if request.param == "paths":
        monkeypatch.setattr(module, "open_top", PathDir.top)
    return Jail(b"/") if request.param == "trusting" else Jail(os.fsencode(place))


def at(place: Path, name: str) -> bytes:
    return os.fsencode(place) + b"/" + name.encode()


@pytest.mark.parametrize(
    "name",
    [
        "a/b/file",
        "near",
        "chain",
        "up",
        "dir/b/file",
        "absolute",
        "a/top/a/b/file",
        "a//./b/file",
        "back",
        "a/b/../b/file",
    ],
)
def test_inside(jail: Jail, place: Path, name: str) -> None:
    for _ in range(2):
        assert jail.read(at(place, name)) == b"inside"
        assert jail.exists(at(place, name)) and not jail.is_dir(at(place, name))
        found = jail.stat(at(place, name))
        assert found is not None and found.st_size == 6
        view = jail.view(at(place, name))
        assert view is not None and (view.read(2, 2), view.read(4, 100), view.size) == (b"si", b"de", 6)


@pytest.mark.parametrize(
    "name", ["nothing", "a/nothing", "empty/below", "round", "dangling", "a/b/file/x", "a", "x\0y", "y" * 300]
)
def test_missing(jail: Jail, place: Path, name: str) -> None:
    assert jail.read_optional(at(place, name)) is None
    assert jail.view(at(place, name)) is None
    with pytest.raises(NotFound):
        jail.read(at(place, name))
    assert jail.scandir(at(place, "nothing")) == []


@pytest.mark.parametrize(
    "name", ["out", "outdir/secret", "sibling", "etc", "../outside/secret", "a/../../outside/secret", "../rootlike"]
)
@pytest.mark.parametrize("by_path", [False, True])
def test_outside(place: Path, name: str, by_path: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if by_path:
        monkeypatch.setattr(module, "open_top", PathDir.top)
    jail = Jail(os.fsencode(place))
    path = at(place, name)
    for ask in (jail.read_optional, jail.view, jail.stat, jail.exists, jail.is_dir, jail.resolve, jail.scandir):
        with pytest.raises(SandboxViolation):
            ask(path)
    assert not jail.allows(path)
    with pytest.raises(SandboxViolation):
        jail.read(b"/etc/passwd")


def test_a_link_out_can_be_looked_at(place: Path) -> None:
    jail = Jail(os.fsencode(place))
    assert jail.readlink(at(place, "out")) == b"../outside/secret"
    assert jail.lstat(at(place, "out")) is not None


def test_several_roots(place: Path) -> None:
    jail = Jail(os.fsencode(place / "a"), os.fsencode(place.parent / "outside"))
    assert jail.read(at(place, "a/b/file")) == b"inside"
    assert jail.read(os.fsencode(place.parent / "outside" / "secret")) == b"secret"
    assert jail.read(at(place, "a/../../outside/secret")) == b"secret"  # through what is above, by text alone
    with pytest.raises(SandboxViolation):
        jail.read(at(place, "empty"))


def test_a_root_reached_by_a_link(place: Path) -> None:
    (place.parent / "alias").symlink_to("root")
    jail = Jail(os.fsencode(place.parent / "alias"))
    assert jail.read(os.fsencode(place.parent / "alias" / "near")) == b"inside"
    assert jail.read(at(place, "near")) == b"inside"


def test_kinds(jail: Jail, place: Path) -> None:
    os.mkfifo(place / "fifo")
    kinds = dict(jail.scandir(at(place, "")))
    assert (kinds[b"a"], kinds[b"empty"], kinds[b"out"], kinds[b"fifo"]) == ("d", "f", "l", "o")
    assert dict(jail.scandir(at(place, "dir")))[b"b"] == "d"


def test_what_is_no_file_is_not_waited_for(jail: Jail, place: Path) -> None:
    os.mkfifo(place / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(place)
        try:
            server.bind("sock")
        finally:
            os.chdir(here)
        with pytest.raises(Corrupt, match="not a regular file"):
            jail.read_optional(at(place, "fifo"))
        with pytest.raises(Corrupt):
            jail.view(at(place, "fifo"))
        try:
            assert jail.read_optional(at(place, "sock")) is None
        except GitError:
            pass


def test_sizes_are_bounded_before_reading(jail: Jail, place: Path) -> None:
    with (place / "giant").open("wb") as file:
        file.truncate(20 << 30)
    with pytest.raises(TooLarge):
        jail.read_optional(at(place, "giant"), 1 << 20)
    assert jail.read(at(place, "a/b/file"), 6) == b"inside"
    with pytest.raises(TooLarge):
        jail.read(at(place, "a/b/file"), 5)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(jail: Jail, place: Path) -> None:
    (place / "empty").chmod(0)
    with pytest.raises(PermissionDenied):
        jail.read(at(place, "empty"))


def test_directories_replaced_under_us(place: Path) -> None:
    jail = Jail(os.fsencode(place))
    assert jail.read(at(place, "a/b/file")) == b"inside"
    (place / "a" / "b" / "file").unlink()
    (place / "a" / "b").rmdir()
    (place / "a" / "b").mkdir()
    (place / "a" / "b" / "file").write_bytes(b"new")
    assert jail.read(at(place, "a/b/file")) == b"new"  # the old directory was deleted: noticed at once
    (place / "a").rename(place / "old")
    (place / "a").symlink_to("../outside")
    jail.refresh()
    with pytest.raises(SandboxViolation):
        jail.read(at(place, "a/secret"))


@pytest.mark.parametrize("by_path", [False, True])
def test_directories_listed_while_they_go(place: Path, by_path: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """git removes and makes directories of refs and objects all the time; a listing is of what is there, or empty."""
    if by_path:
        monkeypatch.setattr(module, "open_top", PathDir.top)
    jail = Jail(os.fsencode(place))
    inner = place / "a" / "b"

    def remove() -> None:
        (inner / "file").unlink()
        inner.rmdir()

    def remake() -> None:
        remove()
        inner.parent.joinpath("top").unlink()
        inner.parent.rmdir()
        inner.mkdir(parents=True)
        (inner / "file").write_bytes(b"new")

    assert jail.names(at(place, "a/b")) == [b"file"]
    remake()  # above it too: both are open still
    assert jail.names(at(place, "a/b")) == [b"file"] and jail.scandir(at(place, "a/b")) == [(b"file", "f")]
    kind = PathDir if by_path else FdDir
    real, acts = kind.entries, [remove]

    def entries(directory: Any) -> list[tuple[bytes, str]]:
        if acts:  # deleted after it was opened, before it is listed
            thread = threading.Thread(target=acts.pop())
            thread.start()
            thread.join()
        return real(directory)

    monkeypatch.setattr(kind, "entries", entries)
    assert jail.scandir(at(place, "a/b")) == []
    assert not acts and jail.names(at(place, "a/b")) == []


def test_a_race_between_links(place: Path) -> None:
    """A name that flips between a file and a link out is read from inside or refused, never from outside."""
    jail = Jail(os.fsencode(place))
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            os.symlink("../outside/secret", place / "t")
            os.replace(place / "t", place / "flip")
            (place / "t").write_bytes(b"inside")
            os.replace(place / "t", place / "flip")

    thread = threading.Thread(target=flip)
    thread.start()
    try:
        for _ in range(400):
            try:
                assert jail.read_optional(at(place, "flip")) in (None, b"", b"inside")
            except SandboxViolation:
                pass
    finally:
        stop.set()
        thread.join()


def test_pickle_and_threads(place: Path) -> None:
    jail = pickle.loads(pickle.dumps(Jail(os.fsencode(place))))
    results: list[bytes] = []

    def work() -> None:
        for _ in range(100):
            results.append(jail.read(at(place, "chain")))
            jail.refresh()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [b"inside"] * 600


def test_many_directories_keep_few_descriptors(place: Path) -> None:
    for number in range(300):
        (place / "many" / str(number)).mkdir(parents=True)
        (place / "many" / str(number) / "f").write_bytes(b"%d" % number)
    jail = Jail(os.fsencode(place))
    files = WorkTree(jail, os.fsencode(place))
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    for number in range(300):
        assert jail.read(at(place, f"many/{number}/f")) == b"%d" % number
        assert files.read(b"many/%d/f" % number) == b"%d" % number
    if before:
        assert len(os.listdir("/proc/self/fd")) - before < 260


# --- the work tree -------------------------------------------------------------------------------------------------


@pytest.fixture(params=["strict", "trusting", "paths"])
def files(request: pytest.FixtureRequest, place: Path, monkeypatch: pytest.MonkeyPatch) -> WorkTree:
    if request.param == "paths":
        monkeypatch.setattr(module, "open_top", PathDir.top)
    return WorkTree(Jail(b"/" if request.param == "trusting" else os.fsencode(place)), os.fsencode(place))


def test_work_tree_follows_no_link(files: WorkTree) -> None:
    assert files.read(b"a/b/file") == b"inside"
    for name in (
        b"near",
        b"dir/b/file",
        b"outdir/secret",
        b"a/top/empty",
        b"etc",
        b"../outside/secret",
        b"a/../empty",
        b"/etc/passwd",
    ):
        assert files.read_optional(name) is None
        assert files.view(name) is None
    assert files.lstat(b"dir/b") is None and files.lstat(b"outdir/secret") is None and files.lstat(b"empty/x") is None
    assert files.readlink(b"dir") == b"a" and files.readlink(b"empty") is None and files.readlink(b"outdir/x") is None
    assert files.scandir(b"dir") == [] and files.scandir(b"outdir") == []
    assert {name for name, _ in files.scandir(b"a")} == {b"b", b"top"}
    assert (b"etc", "l") in files.scandir(b"")
    for name in (b"dir", b"etc", b"dangling"):
        found = files.lstat(name)
        assert found is not None and found.st_mode & 0o170000 == 0o120000
    top = files.lstat(b"")
    assert top is not None and top.st_mode & 0o170000 == 0o040000


def test_many_names_at_once(files: WorkTree) -> None:
    found = files.lstats(b"a/b", [b"file", b"none", b"x\0", b"y" * 300])
    assert [entry is not None for entry in found] == [True, False, False, False]
    assert files.lstats(b"dir/b", [b"file"]) == [None]
    assert files.lstats(b"", [b"empty"])[0] is not None


def test_work_tree_refresh(files: WorkTree, place: Path) -> None:
    assert files.lstat(b"new/x") is None
    (place / "new").mkdir()
    (place / "new" / "x").write_bytes(b"")
    files.refresh()
    assert files.lstat(b"new/x") is not None


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    parts=st.lists(
        st.sampled_from(["..", ".", "", "a", "b", "file", "dir", "out", "outdir", "etc", "a/top", "round", "secret"]),
        max_size=9,
    )
)
def test_any_path_is_inside_or_refused(place: Path, parts: list[str]) -> None:
    jail = Jail(os.fsencode(place))
    files = WorkTree(jail, os.fsencode(place))
    path = "/".join(parts)
    try:
        assert jail.read_optional(at(place, path)) in (None, b"inside", b"")
    except SandboxViolation:
        pass
    assert files.read_optional(path.encode()) in (None, b"inside", b"")
    assert Jail(b"/").resolve(at(place, path)) == os.path.realpath(at(place, path))


def test_relative_paths_are_a_mistake_of_ours(place: Path) -> None:
    with pytest.raises(ValueError, match="absolute"):
        Jail(os.fsencode(place)).read(b"a/b/file")


def later() -> Context:
    """A call long after the files of a test were written."""
    return Context(now=time.time() + 60)


def test_a_file_that_is_the_same_is_not_opened_again(jail: Jail, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = at(place, "a/b/file")
    with later():
        first = jail.read_stamped(path)
        assert first == (jail.stamp(path), b"inside")
        with pytest.raises(TooLarge):
            jail.read_stamped(path, 5)  # kept or not
        monkeypatch.setattr(module, "slurp_stamped", lambda *_, **__: pytest.fail("opened"))
        assert jail.read_stamped(path) == first == Jail(os.fsencode(place)).read_stamped(path)


def test_a_file_is_opened_again_whatever_its_time_of_writing_says(jail: Jail, place: Path) -> None:
    path, file = at(place, "a/b/file"), place / "a" / "b" / "file"
    before = file.stat()
    with later():
        assert jail.read_stamped(path) == (jail.stamp(path), b"inside")
        file.write_bytes(b"INSIDE")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert jail.read_stamped(path) == (jail.stamp(path), b"INSIDE")
        file.unlink()
        assert jail.read_stamped(path) is None


def test_what_was_written_just_now_is_read_again(jail: Jail, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, opened = at(place, "a/b/file"), []
    real = module.slurp_stamped
    monkeypatch.setattr(module, "slurp_stamped", lambda *of, **more: opened.append(of) or real(*of, **more))
    written = (place / "a" / "b" / "file").stat().st_mtime
    for ctx in (Context(now=written), Context(now=written - 60)):
        with ctx:
            assert [jail.read_stamped(path), jail.read_stamped(path)] == [(jail.stamp(path), b"inside")] * 2
    assert jail.read_stamped(path) is not None and len(opened) == 5  # without a call nobody knows what time it is


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The directories that are opened, by the name they are opened with."""
    opened: list[bytes] = []
    before = os.open

    def counting(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        if flags & os.O_DIRECTORY:
            opened.append(path)
        return before(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", counting)
    return opened


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="a directory is opened to be read here")
def test_directories_of_the_last_command_are_used_again(place: Path, opens: list[bytes]) -> None:
    root = os.fsencode(place)
    jail = Jail(root)
    tree = WorkTree(jail, root)
    assert jail.read(root + b"/a/b/file") == b"inside" and tree.read(b"a/b/file") == b"inside"
    opens.clear()
    jail.refresh()
    tree.refresh()
    assert jail.read(root + b"/a/b/file") == b"inside" and tree.read(b"a/b/file") == b"inside"
    assert opens == []
    jail.refresh(keep=False)
    assert jail.read(root + b"/a/b/file") == b"inside"
    assert opens == [root, b"a", b"b"]


@pytest.mark.parametrize("how", ["another", "gone", "a link", "a file"])
def test_a_directory_that_was_exchanged_is_not_used_again(place: Path, how: str) -> None:
    """What a name stands for is looked at in each command, for the work tree and for any other path."""
    root = os.fsencode(place)
    jail = Jail(root)
    tree = WorkTree(jail, root)
    assert jail.read(root + b"/a/b/file") == b"inside" and tree.read(b"a/b/file") == b"inside"
    (place / "a" / "b").rename(place / "a" / "aside")
    if how == "another":
        (place / "a" / "b").mkdir()
        (place / "a" / "b" / "file").write_bytes(b"another")
    elif how == "a link":
        (place / "a" / "b").symlink_to(place.parent / "outside")
        (place.parent / "outside" / "file").write_bytes(b"outside")
    elif how == "a file":
        (place / "a" / "b").write_bytes(b"a file")
    jail.refresh()
    tree.refresh()
    expected = b"another" if how == "another" else None
    assert tree.read_optional(b"a/b/file") == expected
    if how == "a link":
        with pytest.raises(SandboxViolation):
            jail.read_optional(root + b"/a/b/file")
    else:
        assert jail.read_optional(root + b"/a/b/file") == expected


def test_a_root_that_was_exchanged_is_refused_though_it_was_open(place: Path) -> None:
    root = os.fsencode(place)
    jail = Jail(root)
    assert jail.read(root + b"/a/b/file") == b"inside"
    place.rename(place.parent / "aside")
    place.mkdir()
    jail.refresh()
    with pytest.raises(SandboxViolation):
        jail.read_optional(root + b"/a/b/file")

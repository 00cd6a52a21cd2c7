"""Whatever was read through a watched jail is noticed when it changes, and nothing else is."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitglass.disk import watched
from gitglass.disk.jail import Jail
from gitglass.disk.scope import Scope
from gitglass.disk.watched import Watch, WatchedJail
from gitglass.disk.worktree import WorkTree
from gitglass.errors import GitError
from gitglass.limits import Context, Limits

LONG_AGO = 1_600_000_000_000_000_000


def aged(path: Path) -> Path:
    """With old times; the time of its status cannot be set."""
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    return path


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    (top / "sub" / "deep").mkdir(parents=True)
    for name in ("one", "sub/two", "sub/deep/three"):
        (top / name).write_bytes(b"bytes of " + name.encode())
    (top / "link").symlink_to("one")
    return top


def at(top: Path, name: str) -> bytes:
    return os.fsencode(top / name)


Question = Callable[[Jail, Path], object]
Change = Callable[[Path], object]

JAIL: dict[str, tuple[Question, Change]] = {
    "bytes": (lambda jail, top: jail.read(at(top, "one")), lambda top: (top / "one").write_bytes(b"byteS of one")),
    "view": (lambda jail, top: jail.view(at(top, "one")), lambda top: (top / "one").write_bytes(b"byteS of one")),
    "stamped": (lambda jail, top: jail.read_stamped(at(top, "one")), lambda top: aged(top / "one")),
    "absent": (lambda jail, top: jail.read_optional(at(top, "new")), lambda top: (top / "new").touch()),
    "gone": (lambda jail, top: jail.read(at(top, "one")), lambda top: (top / "one").unlink()),
    "status": (lambda jail, top: jail.lstat(at(top, "one")), lambda top: (top / "one").chmod(0o700)),
    "through": (lambda jail, top: jail.stat(at(top, "link")), lambda top: (top / "one").write_bytes(b"")),
    "exists": (lambda jail, top: jail.exists(at(top, "new")), lambda top: (top / "new").mkdir()),
    "target": (lambda jail, top: jail.readlink(at(top, "link")), lambda top: relinked(top, "sub/two")),
    "resolved": (lambda jail, top: jail.resolve(at(top, "link")), lambda top: relinked(top, "sub/two")),
    "allowed": (lambda jail, top: jail.allows(at(top, "link")), lambda top: relinked(top, "/etc")),
    "entries": (lambda jail, top: jail.scandir(at(top, "sub")), lambda top: (top / "sub/new").touch()),
    "names": (lambda jail, top: jail.names(at(top, "sub")), lambda top: (top / "sub/two").rename(top / "sub/2")),
    "outside": (lambda jail, top: refused(jail, at(top, "sub/way")), lambda top: (top / "sub/way").unlink()),
}
TREE: dict[str, tuple[Callable[[WorkTree], object], Change]] = {
    "bytes": (lambda tree: tree.read(b"sub/two"), lambda top: (top / "sub/two").write_bytes(b"byteS of sub/two")),
    "rules": (lambda tree: tree.read_rules(b"sub/.r", 99, print), lambda top: (top / "sub/.r").write_bytes(b"*")),
    "view": (lambda tree: tree.view(b"sub/two"), lambda top: (top / "sub/two").write_bytes(b"byteS of sub/two")),
    "status": (lambda tree: tree.lstat(b"sub/deep/three"), lambda top: (top / "sub/deep/three").unlink()),
    "statuses": (lambda tree: tree.lstats(b"sub", [b"two", b"x"]), lambda top: (top / "sub/x").touch()),
    "picked": (
        lambda tree: directory(tree).unlike([b"two"], [(0,)], lambda status: (status.st_size,)),
        lambda top: (top / "sub/two").write_bytes(b""),
    ),
    "stamp": (lambda tree: directory(tree).stamp(), lambda top: (top / "sub/new").touch()),
    "entries": (lambda tree: tree.scandir(b"sub", [b"two"]), lambda top: (top / "sub/new").touch()),
    "names": (lambda tree: tree.names(b"sub"), lambda top: (top / "sub/new").touch()),
    "target": (lambda tree: tree.readlink(b"link"), lambda top: relinked(top, "sub/two")),
    "no directory": (lambda tree: tree.lstat(b"none/x"), lambda top: (top / "none").mkdir()),
    "directory gone": (lambda tree: tree.lstat(b"sub/deep/three"), lambda top: shutil.rmtree(top / "sub/deep")),
    "directory linked": (lambda tree: tree.names(b"sub"), lambda top: behind_a_link(top / "sub")),
}  # fmt: skip


def relinked(top: Path, target: str) -> None:
    (top / "link").unlink()
    (top / "link").symlink_to(target)


def behind_a_link(folder: Path) -> None:
    """The same directory with the same in it, reached by a link."""
    folder.rename(folder.with_name("real"))
    folder.symlink_to("real")


def refused(jail: Jail, path: bytes) -> None:
    os.symlink("/etc/passwd", path)
    with pytest.raises(GitError):
        jail.read(path)


def directory(tree: WorkTree) -> watched.FdDir:
    folder = tree.directory(b"sub")
    assert isinstance(folder, watched.FdDir)
    return folder


@pytest.mark.parametrize("name", JAIL)
@pytest.mark.parametrize("copied", [False, True])
def test_a_jail_notes_each_question(top: Path, name: str, copied: bool) -> None:
    ask, change = JAIL[name]
    watch = Watch(Jail(os.fsencode(top)))
    with Context(Limits()):
        ask(watch.jail().copy() if copied else watch.jail(), top)
        assert watch.holds()
        change(top)
        assert not watch.holds()


@pytest.mark.parametrize("name", TREE)
@pytest.mark.parametrize("root", ["/", "top"])
def test_a_work_tree_notes_each_question(top: Path, name: str, root: str) -> None:
    ask, change = TREE[name]
    watch = Watch(Jail(os.fsencode(top) if root == "top" else b"/"))
    with Context(Limits()):
        ask(WorkTree(watch.jail(), os.fsencode(top)))
        assert watch.holds()
        change(top)
        assert not watch.holds()


def test_what_was_not_read_may_change(top: Path) -> None:
    watch = Watch(Jail(os.fsencode(top)))
    with Context(Limits()):
        watch.jail().read(at(top, "one"))
        watch.jail().names(at(top, "sub"))
        (top / "sub/two").write_bytes(b"other")
        (top / "new").mkdir()
        assert watch.holds()


def without_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock so coarse that all times are the same."""
    monkeypatch.setattr(watched, "_status", lambda status: tuple(status[:7]))


@pytest.mark.parametrize("kept", [12, 11])
@pytest.mark.parametrize("read", [WatchedJail.read_optional, WatchedJail.view, WatchedJail.read_stamped])
def test_of_a_young_file_the_bytes_are_compared(
    top: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Jail, bytes], object], kept: int
) -> None:
    """Written again within one tick of the clock, with as many bytes; they are kept, or only their digest is."""
    without_times(monkeypatch)
    monkeypatch.setattr(watched, "_KEPT", kept)
    watch, file = Watch(Jail(os.fsencode(top))), top / "one"
    with Context(Limits()):
        read(watch.jail(), os.fsencode(file))
        assert watch.holds()
        file.write_bytes(b"byteS of one")
        assert not watch.holds()
        file.write_bytes(b"bytes of one")
        assert watch.holds()


def test_the_bytes_compared_are_those_that_were_handed_out(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another content between the opening and the end of the reading, and back again."""
    without_times(monkeypatch)
    watch, file = Watch(Jail(os.fsencode(top))), top / "one"
    with Context(Limits()):
        view = watch.jail().view(os.fsencode(file))
        assert view is not None
        file.write_bytes(b"byteS of one")
        assert view.read(0, 99) == b"bytes of one"
        assert not watch.holds()


def test_a_young_file_that_is_too_large_is_never_the_same(top: Path) -> None:
    watch = Watch(Jail(os.fsencode(top)))
    (top / "large").write_bytes(bytes(2 << 20))
    with Context(Limits()):
        assert watch.jail().view(at(top, "large")) is not None
        assert not watch.holds()


OBJECTS = [
    "objects/pack/pack-" + "1a" * 20 + ".pack", "objects/pack/pack-" + "1a" * 20 + ".idx", "objects/1a/" + "2b" * 19
]  # fmt: skip


def placed(top: Path, name: str, data: bytes, mode: int = 0o444) -> Path:
    """A file as git leaves its objects."""
    file = top / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.write_bytes(data)
    file.chmod(mode)
    return file


@pytest.mark.parametrize("mode", [0o444, 0o644])
@pytest.mark.parametrize("name", [*OBJECTS, "objects/info/packs", OBJECTS[0] + ".new"])
def test_an_object_that_git_made_young_again_is_the_same(top: Path, name: str, mode: int) -> None:
    """Though it is too large to be read again; a file that is not named by its content, or that may be written to, is
    not the same."""
    file, watch = placed(top, name, bytes(2 << 20), mode), Watch(Jail(os.fsencode(top)))
    with Context(Limits()):
        assert watch.jail().view(os.fsencode(file)) is not None
        os.utime(file)
        assert watch.holds() is (name in OBJECTS and mode == 0o444)


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("how", ["replaced", "cut", "gone"])
def test_another_file_in_the_place_of_an_object_is_noticed(top: Path, name: str, how: str) -> None:
    file, watch = placed(top, name, b"object"), Watch(Jail(os.fsencode(top)))
    with Context(Limits()):
        assert watch.jail().view(os.fsencode(file)) is not None
        assert watch.holds()
        if how == "replaced":
            placed(top, "other", b"object").replace(file)
        elif how == "cut":
            file.chmod(0o644)
            os.truncate(file, 5)
            file.chmod(0o444)
        else:
            file.unlink()
        assert not watch.holds()


def test_a_narrowed_jail_is_watched_too(top: Path) -> None:
    watch = Watch(Jail(b"/"))
    with Context(Limits()):
        watch.jail().narrowed(os.fsencode(top)).read(at(top, "one"))
        assert watch.holds()
        (top / "one").write_bytes(b"")
        assert not watch.holds()


def test_nothing_stays_open(top: Path) -> None:
    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc")
    before = opened()
    watch = Watch(Jail(os.fsencode(top)))
    with Context(Limits()):
        jail = watch.jail()
        tree = WorkTree(jail, os.fsencode(top))
        tree.read(b"sub/deep/three")
        assert jail.read(at(top, "one")) and jail.view(at(top, "one"))
        del jail, tree
        watch.holds()
        (top / "one").unlink()
        watch.holds()
    assert opened() == before


@pytest.mark.parametrize("question", ["names", "scandir"])
def test_a_directory_is_listed_again_unless_its_stamp_tells(
    top: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    """With a clock so coarse that a name comes within one tick: of a directory that is younger the names are compared,
    and of any where times of directories are not gone by."""
    monkeypatch.setattr(watched.FdDir, "stamp", lambda self: (1, 2, 3, 4, 5, 6))
    for is_settled in (False, True):
        monkeypatch.setattr(watched, "settled", lambda moment, is_settled=is_settled: is_settled)
        watch = Watch(Jail(os.fsencode(top)))
        with Context(Limits()):
            getattr(WorkTree(watch.jail(), os.fsencode(top)), question)(b"sub")
            assert watch.holds() and watch.holds(by_stamp=False)
            (top / "sub/new").touch()
            assert watch.holds() == is_settled
            assert not watch.holds(by_stamp=False)
        (top / "sub/new").unlink()


def test_a_settled_file_is_not_opened_again(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The status of its name tells: that of another file, of a link or of a directory in its place does not."""
    monkeypatch.setattr(watched, "settled", lambda moment: True)
    watch, file = Watch(Jail(os.fsencode(top))), top / "sub/two"
    with Context(Limits()):
        assert WorkTree(watch.jail(), os.fsencode(top)).read(b"sub/two")
        with monkeypatch.context() as patch:
            patch.setattr(watched.FdDir, "open", None)
            assert watch.holds()
        file.rename(top / "sub/aside")
        assert not watch.holds()
        file.symlink_to("aside")
        assert not watch.holds()
        file.unlink()
        file.mkdir()
        assert not watch.holds()
        file.rmdir()
        shutil.copy2(top / "sub/aside", file)
        assert not watch.holds()


@pytest.mark.parametrize("question", ["names", "scandir"])
def test_what_the_asker_made_is_passed_over(top: Path, question: str) -> None:
    """Locks in directories that were listed, and directories that were made for them; whatever else is there is not."""
    watch = Watch(Jail(os.fsencode(top)))
    jail = watch.jail()
    with Context(Limits()):
        getattr(jail, question)(at(top, "sub"))
        getattr(jail, question)(at(top, "sub/deep"))
        assert jail.read_optional(at(top, "sub/new")) is None and jail.read_optional(at(top, "sub/new/two")) is None
        (top / "sub/new/two").mkdir(parents=True)
        (top / "sub/new/two/main.lock").touch()
        (top / "sub/deep/x.lock").touch()
        made = {at(top, "sub/new/two/main.lock"), at(top, "sub/deep/x.lock")}
        assert watch.holds(made)
        assert not watch.holds() and not watch.holds({at(top, "sub/deep/x.lock")})
        (top / "sub/new/two/else").touch()  # beside it
        assert not watch.holds(made)
        (top / "sub/new/two/else").unlink()
        (top / "sub/deep/else").touch()
        assert not watch.holds(made)


def test_a_directory_opened_like_a_file_is_that_directory(top: Path) -> None:
    watch = Watch(Jail(os.fsencode(top)))
    with Context(Limits()):
        with pytest.raises(GitError):
            watch.jail().read(at(top, "sub"))
        (top / "sub/new").touch()
        assert watch.holds()
        (top / "sub").rename(top / "other")
        (top / "sub").mkdir()
        assert not watch.holds()


#: what is asked of a work tree and may change beyond a scope: (question, a change beyond, a change within)
LOOKED: dict[str, tuple[Callable[[WorkTree], object], Change, Change]] = {
    "status": (
        lambda tree: (tree.lstat(b"one"), tree.lstat(b"sub/two")),
        lambda top: (top / "one").write_bytes(b""),
        lambda top: (top / "sub/two").write_bytes(b""),
    ),
    "statuses": (
        lambda tree: tree.lstats(b"sub", [b"deep", b"new", b"two"]),
        lambda top: (top / "sub/new").touch(),
        lambda top: (top / "sub/two").unlink(),
    ),
    "picked": (
        lambda tree: directory(tree).unlike([b"deep", b"two"], [(0,), (0,)], lambda status: (status.st_size,)),
        lambda top: (top / "sub/deep").rename(top / "sub/else"),
        lambda top: (top / "sub/two").write_bytes(b""),
    ),
    "stamp": (
        lambda tree: directory(tree).stamp(),
        lambda top: (top / "sub/new").touch(),
        lambda top: (top / "sub/.gitignore").touch(),
    ),
    "entries": (
        lambda tree: tree.scandir(b"sub"),
        lambda top: (top / "sub/new").touch(),
        lambda top: (top / "sub/.gitattributes").touch(),
    ),
    "names": (
        lambda tree: tree.names(b"sub"),
        lambda top: (top / "sub/new").touch(),
        lambda top: (top / "sub/two").unlink(),
    ),
    "directories": (
        lambda tree: (tree.lstat(b"sub/deep/three"), tree.lstat(b"sub/two")),
        lambda top: behind_a_link(top / "sub/deep"),
        lambda top: behind_a_link(top / "sub"),
    ),
    "what leads there": (
        lambda tree: tree.lstat(b"sub"),
        lambda top: (top / "sub/new").touch(),
        lambda top: ((top / "sub").rename(top / "aside"), (top / "sub").mkdir()),
    ),
    "none": (
        lambda tree: (tree.lstat(b"new/file"), tree.lstat(b"sub/two")),
        lambda top: (top / "new").mkdir(),
        lambda top: shutil.rmtree(top / "sub"),
    ),
}


@pytest.mark.parametrize("name", LOOKED)
def test_beyond_a_scope_what_was_only_looked_at_may_change(top: Path, name: str) -> None:
    ask, beyond, within = LOOKED[name]
    watch, scope = Watch(Jail(b"/")), Scope(os.fsencode(top), [b"sub/two"])
    with Context(Limits()):
        ask(WorkTree(watch.jail(), os.fsencode(top)))
        assert watch.holds(scope=scope)
        beyond(top)
        assert watch.holds(scope=scope) and not watch.holds()
        within(top)
        assert not watch.holds(scope=scope)


def test_a_stamp_tells_of_no_new_rules_that_were_asked_for(top: Path) -> None:
    """A file that git goes by, and that was asked for by its name, is not new."""
    watch, scope = Watch(Jail(b"/")), Scope(os.fsencode(top), [b"sub/two"])
    (top / "sub/.gitignore").write_bytes(b"x")
    with Context(Limits()):
        tree = WorkTree(watch.jail(), os.fsencode(top))
        assert directory(tree).stamp() and tree.read(b"sub/.gitignore") == b"x"
        (top / "sub/new").touch()
        assert watch.holds(scope=scope)
        (top / "sub/.gitignore").write_bytes(b"y")
        assert not watch.holds(scope=scope)


def test_beyond_a_scope_what_was_read_may_not_change(top: Path) -> None:
    """Whoever asked may have made something of it; and all of it is asked again where it is of another work tree."""
    watch, scope = Watch(Jail(b"/")), Scope(os.fsencode(top), [b"sub/two"])
    with Context(Limits()):
        tree = WorkTree(watch.jail(), os.fsencode(top))
        assert tree.read(b"one") and tree.readlink(b"link") == b"one"
        relinked(top, "sub/two")
        assert not watch.holds(scope=scope)
        relinked(top, "one")
        assert watch.holds(scope=scope)
        (top / "one").write_bytes(b"byteS of one")
        assert not watch.holds(scope=scope)
        watch = Watch(Jail(b"/"))
        WorkTree(watch.jail(), os.fsencode(top / "sub")).lstat(b"deep")
        (top / "sub/deep").chmod(0o700)
        assert not watch.holds(scope=scope)

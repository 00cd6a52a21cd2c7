import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gitglass.disk.opened import FdDir
from gitglass.limits import Context
from gitglass.paths.ignore import Ignore
from gitglass.paths.pathspec import Pathspecs
from gitglass.repo.discover import Where
from gitglass.repo.store import open_store
from gitglass.request.pathspecs import parse_pathspecs
from gitglass.worktree.scan import Scan, ScanSpec, scan
from gitglass.worktree.stat_cache import Looker

NORMAL = {"other_dirs": True, "hide_empty": True}


@pytest.fixture
def tree(repo: Any) -> Any:
    repo.add("src/a.c")
    repo.write(".gitignore", b"*.o\n/out/\n!keep.o\n")
    for name in ("src/new.c", "src/x.o", "keep.o", "out/b", "fresh/deep/f", "fresh/x.o", "dull/x.o"):
        repo.write(name)
    (repo.top / "empty/inner").mkdir(parents=True)
    (repo.top / "link").symlink_to("fresh")
    return repo


def look(repo: Any, ctx: Context, **spec: Any) -> Scan:
    return scan(repo.store(), ScanSpec(**spec), ctx=ctx)


def test_normal(tree: Any, ctx: Context) -> None:
    found = look(tree, ctx, **NORMAL)
    assert found.untracked == [b".gitignore", b"fresh/", b"keep.o", b"link", b"src/new.c"]


def test_all(tree: Any, ctx: Context) -> None:
    assert b"fresh/deep/f" in look(tree, ctx).untracked
    assert b"fresh/x.o" not in look(tree, ctx).untracked


def test_ignored(tree: Any, ctx: Context) -> None:
    assert look(tree, ctx, **NORMAL, ignored_too=True).ignored == [b"dull/", b"fresh/x.o", b"out/", b"src/x.o"]
    matching = look(tree, ctx, **NORMAL, ignored_too=True, matching=True).ignored
    assert matching == [b"dull/x.o", b"fresh/x.o", b"out/", b"src/x.o"]
    assert look(tree, ctx, ignored_too=True).ignored == [b"dull/x.o", b"fresh/x.o", b"out/b", b"src/x.o"]


def test_empty_directories_where_wanted(tree: Any, ctx: Context) -> None:
    assert b"empty/" in look(tree, ctx, other_dirs=True).untracked


def test_no_rules(tree: Any, ctx: Context) -> None:
    store = tree.store()
    assert b"out/" in scan(store, ScanSpec(**NORMAL, ignore=Ignore(store)), ctx=ctx).untracked


def test_pathspecs(tree: Any, ctx: Context) -> None:
    def below(word: bytes) -> list[bytes]:
        return look(tree, ctx, **NORMAL, pathspecs=Pathspecs.parse([word])).untracked

    assert below(b"src") == [b"src/new.c"]
    assert below(b"fresh/deep/f") == [b"fresh/deep/f"]
    assert below(b"fresh/d*") == [b"fresh/deep/"]
    assert below(b"fresh/*") == [b"fresh/"]


def test_a_file_below_an_ignored_directory_stays_ignored(repo: Any, ctx: Context) -> None:
    repo.write(".gitignore", b"a/\n!a/keep\n")
    repo.write("a/keep")
    repo.write("a/.gitignore", b"!keep\n")
    assert look(repo, ctx).untracked == [b".gitignore"]


def test_nested_repositories_are_one_entry(repo: Any, ctx: Context) -> None:
    repo.write("inner/.git/HEAD")
    (repo.top / "inner/.git/objects").mkdir()
    (repo.top / "inner/.git/refs").mkdir()
    repo.write("inner/f")
    repo.write("fake/.git/config")
    repo.write("fake/f")
    assert look(repo, ctx).untracked == [b"fake/f", b"inner/"]


def test_what_the_comparison_saw_on_its_way_suffices(tree: Any, ctx: Context) -> None:
    tree.add("gone/x")
    tree.add("swapped")
    tree.add("low/x")
    (tree.top / "gone/x").unlink()
    (tree.top / "gone").rmdir()
    (tree.top / "gone").write_bytes(b"a file now")
    (tree.top / "swapped").unlink()
    tree.write("swapped/new")
    slow = look(tree, ctx)
    store = tree.store()
    Looker(store, ctx).suspects(Pathspecs.ALL, survey=True)
    fast = scan(store, ScanSpec(), ctx=ctx)
    assert fast == slow
    assert {b"gone", b"swapped/new"} <= set(fast.untracked)


@pytest.mark.parametrize("words", [["swapped/new"], ["swapped/*"], ["swapped/new", "f"], ["*/new"], ["f"]])
def test_what_lies_in_a_files_place_is_seen_where_only_that_is_meant(repo: Any, ctx: Context, words: list[str]) -> None:
    """`git status -- swapped/new`, where `swapped` is the tracked file."""
    for name in ("f", "swapped", "below/swapped"):
        repo.add(name)
        (repo.top / name).unlink()
        repo.write(f"{name}/new")
    store = repo.store()
    pathspecs = parse_pathspecs(store, words)
    spec = ScanSpec(pathspecs=pathspecs)
    slow = scan(store, spec, ctx=ctx)
    store.refresh()
    Looker(store, ctx).suspects(pathspecs, survey=True)
    fast = scan(store, spec, ctx=ctx)
    assert fast == slow
    assert (b"swapped/new" in fast.untracked) == (words != ["f"])


def surveyed(store: Any, ctx: Context) -> list[bytes]:
    store.refresh()
    Looker(store, ctx).suspects(Pathspecs.ALL, survey=True)
    return scan(store, ScanSpec(), ctx=ctx).untracked


@pytest.mark.parametrize("now", [4_000_000_000, 1_700_000_000])
def test_a_directory_is_listed_again_once_its_stamp_differs(tree: Any, now: int) -> None:
    store, later = tree.store(), Context(now=now)

    def names(moment: int) -> set[bytes]:
        os.utime(tree.top / "src", (moment, moment))  # a tick of the file system's clock may be longer than this test
        return set(surveyed(store, later))

    before = names(1_000_000_001)
    assert b"src/new.c" in before
    tree.write("src/newer.c")
    assert names(1_000_000_002) - before == {b"src/newer.c"}
    (tree.top / "src/newer.c").unlink()
    (tree.top / "src/new.c").unlink()
    assert before - names(1_000_000_003) == {b"src/new.c"}


def test_listings_are_remembered_unless_forbidden(tree: Any, monkeypatch: Any) -> None:
    ctx, listed = Context(now=4_000_000_000), list[bytes]()
    names = FdDir.names
    monkeypatch.setattr(FdDir, "names", lambda folder: listed.append(b"") or names(folder))
    store = tree.store()
    first = surveyed(store, ctx)
    times = len(listed)
    assert times >= 2
    assert surveyed(store, ctx) == first
    assert len(listed) == times
    tree.config("\tuntrackedCache = false\n")
    assert surveyed(store, ctx) == first
    assert len(listed) == 2 * times


def test_a_directory_changed_just_now_is_not_believed(tree: Any, monkeypatch: Any) -> None:
    ctx, listed = Context(), list[bytes]()
    names = FdDir.names
    monkeypatch.setattr(FdDir, "names", lambda folder: listed.append(b"") or names(folder))
    store = tree.store()
    surveyed(store, ctx)
    times = len(listed)
    surveyed(store, ctx)
    assert len(listed) == 2 * times


def test_two_threads_list_one_directory(tree: Any, monkeypatch: Any) -> None:
    """The slower of two, which listed it before it changed, does not spoil what the faster one remembers."""
    store, later, names = tree.store(), Context(now=4_000_000_000), FdDir.names
    assert b"src/new.c" in surveyed(store, later)

    def meanwhile() -> None:
        tree.write("src/newer.c")
        os.utime(tree.top / "src", (1_000_000_001, 1_000_000_001))
        assert b"src/newer.c" in surveyed(store.sibling(), later)

    def slow(folder: FdDir) -> list[bytes]:
        found = names(folder)
        if b"new.c" in found and b"newer.c" not in found:
            monkeypatch.setattr(FdDir, "names", names)
            thread = threading.Thread(target=meanwhile)
            thread.start()
            thread.join()
        return found

    os.utime(tree.top / "src", (1_000_000_002, 1_000_000_002))
    monkeypatch.setattr(FdDir, "names", slow)
    surveyed(store, Context())
    assert (tree.top / "src/newer.c").exists()
    assert b"src/newer.c" in surveyed(store, later)


def test_many_new_names_in_one_directory(tree: Any, ctx: Context) -> None:
    for number in range(100):
        tree.write(f"src/n{number:03}.c")
    (tree.top / "src/deep").mkdir()
    tree.write("src/deep/f")
    store = tree.store()
    assert surveyed(store, ctx) == look(tree, ctx).untracked
    assert b"src/deep/f" in surveyed(store, ctx)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_directory_that_cannot_be_listed_is_told_of(tree: Any, ctx: Context) -> None:
    (tree.top / "src").chmod(0o300)
    try:
        surveyed(tree.store(), ctx)
    finally:
        (tree.top / "src").chmod(0o700)
    assert ctx.stderr == [b"warning: could not open directory 'src/': Permission denied\n"]


def test_an_ignored_directory_of_tracked_files_hides_what_is_new_in_it(tree: Any, ctx: Context) -> None:
    tree.add("out/tracked")
    store = tree.store()
    assert b"out/b" not in surveyed(store, ctx)
    Looker(store, ctx).suspects(Pathspecs.ALL, survey=True)
    assert scan(store, ScanSpec(ignored_too=True), ctx=ctx).ignored == [b"dull/x.o", b"fresh/x.o", b"out/b", b"src/x.o"]


@pytest.fixture
def nested(repo: Any) -> Iterator[Callable[[int], None]]:
    """nested(n): a file `f` below n directories of one another, and an ignored `g` above the last of them."""
    made = 0

    def make(levels: int) -> None:
        nonlocal made
        made = levels
        above = os.open(repo.top, os.O_RDONLY)
        for level in range(levels):
            os.mkdir("d", dir_fd=above)
            below = os.open("d", os.O_RDONLY, dir_fd=above)
            if level == levels - 1:
                os.mknod("g", dir_fd=above)
                os.mknod("f", dir_fd=below)
            os.close(above)
            above = below
        os.close(above)

    yield make
    place = os.open(repo.top, os.O_RDONLY)
    for _ in range(made):
        below = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.unlink("f", dir_fd=place)
    for level in range(made):
        above = os.open("..", os.O_RDONLY, dir_fd=place)
        if level == 0:
            os.unlink("g", dir_fd=above)
        os.rmdir("d", dir_fd=above)
        os.close(place)
        place = above
    os.close(place)


@pytest.mark.parametrize("levels", [50, 500, 2046])
def test_directories_at_any_depth(repo: Any, ctx: Context, nested: Callable[[int], None], levels: int) -> None:
    nested(levels)
    repo.write(".gitignore", b"g\n")
    store = repo.store()
    deepest = b"d/" * levels + b"f"
    assert scan(store, ScanSpec(), ctx=ctx).untracked == [b".gitignore", deepest]
    assert scan(store, ScanSpec(other_dirs=True, hide_empty=True), ctx=ctx).untracked == [b".gitignore", b"d/"]
    found = scan(store, ScanSpec(other_dirs=True, hide_empty=True, ignored_too=True), ctx=ctx)
    assert (found.untracked, found.ignored) == ([b".gitignore", b"d/"], [b"d/" * (levels - 1) + b"g"])
    whole = scan(store, ScanSpec(other_dirs=True, only_ignored=True, ignore=Ignore(store, patterns=[b"d"])), ctx=ctx)
    assert whole.untracked == [b"d/"]
    assert surveyed(store, ctx)[-1] == deepest
    assert not ctx.stderr


def test_where_git_can_open_no_directory_there_is_nothing(
    repo: Any, ctx: Context, nested: Callable[[int], None]
) -> None:
    nested(2050)
    store = repo.store()
    assert scan(store, ScanSpec(), ctx=ctx).untracked == []
    (said,) = ctx.stderr
    assert said.startswith(b"warning: could not open directory 'd/d/d/") and len(said) == 4096


def meant(*words: bytes) -> Pathspecs:
    return Pathspecs.parse(words)


def test_a_word_that_means_something_below_opens_the_directory(tree: Any, ctx: Context) -> None:
    files = [b".gitignore", b"fresh/deep/f", b"keep.o", b"link", b"src/new.c"]
    assert look(tree, ctx, **NORMAL, pathspecs=meant(b".", b"*.c")).untracked == files
    assert look(tree, ctx, **NORMAL, pathspecs=meant(b"fresh", b"fresh/deep/f")).untracked == [b"fresh/deep/f"]
    assert look(tree, ctx, **NORMAL, pathspecs=meant(b"fresh/*", b"fresh/deep/f")).untracked == [b"fresh/"]
    assert look(tree, ctx, **NORMAL, pathspecs=meant(b"fresh", b"src")).untracked == [b"fresh/", b"src/new.c"]


def test_no_pathspec_is_asked_about_an_ignored_directory(tree: Any, ctx: Context) -> None:
    whole = {"other_dirs": True, "only_ignored": True}
    assert look(tree, ctx, **whole, pathspecs=meant(b"*.c")).untracked == [b"out/"]
    assert look(tree, ctx, **whole, pathspecs=meant(b"src")).untracked == [b"src/x.o"]  # as it cannot lead there


def test_an_empty_ignored_directory_is_told_of_where_patterns_count(repo: Any, ctx: Context) -> None:
    repo.write(".gitignore", b"ign*\n")
    for name in ("ign", "e/ign/x"):
        (repo.top / name).mkdir(parents=True)
    assert look(repo, ctx, **NORMAL, ignored_too=True).ignored == []
    assert look(repo, ctx, **NORMAL, ignored_too=True, matching=True).ignored == [b"e/ign/", b"ign/"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/nope/x", "could not open directory 'src/nope/': No such file or directory"),
        ("src/a.c/x", "could not open directory 'src/a.c/': Not a directory"),
        ("fresh/nope/x/y", "could not open directory 'fresh/nope/x/': No such file or directory"),
        ("nope/x", ""),  # git does not even set out
        ("README/x", ""),
        ("link/nope/x", ""),
        ("out/nope/x", ""),  # ignored
        ("src/nope", ""),
    ],
)
def test_where_git_ends_on_its_way_to_what_is_meant(tree: Any, ctx: Context, path: str, words: str) -> None:
    tree.write("README")
    found = look(tree, ctx, **NORMAL, pathspecs=Pathspecs.parse([path.encode()]))
    assert found.untracked == []
    assert [line.decode() for line in ctx.stderr] == ([f"warning: {words}\n"] if words else [])


def test_the_case_of_names_does_not_count_where_it_is_ignored(repo: Any, ctx: Context) -> None:
    repo.add("README")
    repo.add("Dir/a")
    (repo.top / "README").rename(repo.top / "readme")
    for name in ("DIR/A", "DIR/new", "Dir/NEW", "sub/.GIT/x"):
        repo.write(name)
    assert look(repo, ctx, **NORMAL).untracked == [b"DIR/", b"Dir/NEW", b"readme", b"sub/"]
    repo.config("[core]\n\tignoreCase = true\n")
    assert look(repo, ctx, **NORMAL).untracked == [b"DIR/new", b"Dir/NEW"]


def test_the_own_git_directory_below_the_work_tree_is_no_other_repository(repo: Any, ctx: Context) -> None:
    """`--git-dir=in/.git` from above: only a `.git` file that names it counts as a repository's."""
    repo.write("f")
    above = repo.top.parent
    (above / "file").mkdir()
    (above / "file" / ".git").write_text(f"gitdir: {repo.top}/.git\n")
    (above / "file" / "g").write_text("")
    where = Where(cwd=bytes(above), git_dir=bytes(repo.top / ".git"))
    untracked = scan(open_store(where, root=bytes(above)), ScanSpec(), ctx=ctx).untracked
    name = repo.top.name.encode()
    assert name + b"/f" in untracked and b"file/" in untracked and name + b"/" not in untracked

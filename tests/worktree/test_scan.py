from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.paths.ignore import Ignore
from gitglass.paths.pathspec import Pathspecs
from gitglass.worktree.looker import Looker
from gitglass.worktree.scan import Scan, ScanSpec, scan

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


def test_names_alone_suffice_after_the_index_was_compared(tree: Any, ctx: Context) -> None:
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
    Looker(store, ctx).suspects(Pathspecs.ALL)
    fast = scan(store, ScanSpec(), ctx=ctx)
    assert fast == slow
    assert {b"gone", b"swapped/new"} <= set(fast.untracked)

import os
from typing import Any

from gitglass.limits import Context
from gitglass.paths.pathspec import Pathspecs
from gitglass.worktree.changes import index_vs_worktree, tree_vs_index, tree_vs_worktree

SKIP, INTENT = 0x4000, 0x2000


def changed(repo: Any, ctx: Context, **more: Any) -> dict[str, str]:
    return {os.fsdecode(c.new.path): c.status for c in index_vs_worktree(repo.store(), ctx=ctx, **more)}


def test_clean_by_stat_alone(repo: Any, ctx: Context) -> None:
    repo.add("a", b"one\n", blob=b"not what the file holds\n")  # never read: its status equals the entry's
    repo.add("d/b")
    assert changed(repo, ctx) == {}


def test_kinds_of_changes(repo: Any, ctx: Context) -> None:
    for name in ("edited", "gone", "exec", "typed", "touched", "folder"):
        repo.add(name)
    repo.write("edited", b"y\n")
    (repo.top / "gone").unlink()
    (repo.top / "exec").chmod(0o755)
    (repo.top / "typed").unlink()
    (repo.top / "typed").symlink_to("x")
    os.utime(repo.top / "touched", (5, 5))
    (repo.top / "folder").unlink()
    (repo.top / "folder").mkdir()
    assert changed(repo, ctx) == {"edited": "M", "gone": "D", "exec": "M", "typed": "T", "folder": "D"}
    assert set(changed(repo, ctx, settle="stat")) > {"touched"}


def test_an_entry_as_young_as_the_index_is_read(repo: Any, ctx: Context) -> None:
    from gitglass.store.discover import Where
    from gitglass.store.store import open_store

    repo.add("a", b"one\n", blob=b"two\n")
    repo.write_index(young=True)
    store = open_store(Where(cwd=os.fsencode(repo.top)), root=None)
    assert [c.status for c in index_vs_worktree(store, ctx=ctx)] == ["M"]


def test_size_alone_decides_for_status_but_not_for_diff(repo: Any, ctx: Context) -> None:
    repo.write(".gitattributes", b"* text\n")
    repo.add("a", b"one\n")
    repo.write("a", b"one\r\n")
    assert changed(repo, ctx, settle="status") == {"a": "M"}
    assert changed(repo, ctx) == {}


def test_below_a_link_nothing_exists(repo: Any, ctx: Context) -> None:
    repo.add("d/a")
    (repo.top / "d").rename(repo.top / "e")
    (repo.top / "d").symlink_to("e")
    assert changed(repo, ctx) == {"d/a": "D"}


def test_flags(repo: Any, ctx: Context) -> None:
    repo.add("assumed", flags=0x8000)
    repo.add("skipped", special=SKIP)
    repo.add("intended", blob=b"", special=INTENT)
    for name in ("assumed", "skipped"):
        (repo.top / name).unlink()
    assert changed(repo, ctx) == {"intended": "A"}
    assert changed(repo, ctx, ita_invisible=False) == {"intended": "M"}


def test_filemode_false(repo: Any, ctx: Context) -> None:
    repo.config("[core]\n\tfilemode = false\n")
    repo.add("a")
    (repo.top / "a").chmod(0o755)
    assert changed(repo, ctx) == {}


def test_conflicts(repo: Any, ctx: Context) -> None:
    repo.write("c", b"merged\n")
    for stage in (1, 2, 3):
        repo.entry("c", repo.put("blob", b"%d\n" % stage), stage=stage)
    store = repo.store()
    found = index_vs_worktree(store, ctx=ctx)
    assert [(c.status, c.unmerged) for c in found] == [("U", True), ("M", False)]
    assert found[1].old.oid == repo.put("blob", b"2\n")
    assert [c.status for c in index_vs_worktree(store, unmerged_stage=0, ctx=ctx)] == ["U"]
    assert [c.status for c in tree_vs_index(store, None, ctx=ctx)] == ["U"]


def test_tree_against_index_and_files(repo: Any, ctx: Context) -> None:
    for name in ("same", "edited", "dropped", "d/x", "swap"):
        repo.add(name)
    tree = repo.tree()
    del repo.entries[b"dropped", 0], repo.entries[b"swap", 0]
    repo.add("edited", b"new\n")
    repo.add("d/new")
    (repo.top / "swap").unlink()
    repo.add("swap/in")
    repo.add("intended", special=INTENT)
    store = repo.store()
    staged = {os.fsdecode(c.new.path): c.status for c in tree_vs_index(store, tree, ctx=ctx)}
    assert staged == {"edited": "M", "dropped": "D", "d/new": "A", "swap": "D", "swap/in": "A"}
    limited = tree_vs_index(store, tree, pathspecs=Pathspecs.parse([b"d"]), ctx=ctx)
    assert [c.new.path for c in limited] == [b"d/new"]
    (repo.top / "same").write_bytes(b"later\n")
    (repo.top / "d/new").unlink()
    store.refresh()
    both = {os.fsdecode(c.new.path): c.status for c in tree_vs_worktree(store, tree, ctx=ctx)}
    assert both == {"same": "M", "edited": "M", "dropped": "D", "swap": "D", "swap/in": "A", "intended": "A"}

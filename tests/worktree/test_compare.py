import hashlib
import os
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.limits import Context, Limits
from gitglass.paths.pathspec import Pathspecs
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store
from gitglass.worktree import stat_cache
from gitglass.worktree.compare import index_vs_worktree, tree_vs_index, tree_vs_worktree
from gitglass.worktree.folders import compared_folders, same_fields

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
    from gitglass.repo.discover import Where
    from gitglass.repo.store import open_store

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


def letters(store: Store, ctx: Context) -> list[tuple[str, bytes]]:
    return [(change.status, change.new.path) for change in index_vs_worktree(store, ctx=ctx)]


def test_modes_and_numbers_that_the_index_cannot_note(repo: Any, ctx: Context) -> None:
    repo.add("group")
    repo.add("run", mode=0o100755)
    repo.add("off", mode=0o100755)
    (repo.top / "group").chmod(0o664)
    (repo.top / "run").chmod(0o775)
    for name, mode in (("group", 0o100644), ("run", 0o100755), ("off", 0o100755)):
        repo.entry(name, repo.put("blob", b"x\n"), repo.top / name, mode=mode)
    store = repo.store()
    for _ in range(2):  # the second time what was learnt is compared
        store.refresh()
        assert letters(store, ctx) == [("M", b"off")]
    repo.config("[core]\n\tfilemode = false\n")
    store.refresh()
    assert letters(store, ctx) == []


@pytest.mark.parametrize(("have", "same"), [
    ((9, 8, 7, 0o100664, 5, 6, 4), True), ((9, 8, 7 + (1 << 32), 0o100600, 5, 6, 4 + (1 << 32)), True),
    ((9 + (1 << 32), 8, 7, 0o100644, 5, 6, 4), True), ((9, 8, 7, 0o100744, 5, 6, 4), False),
    ((9, 7, 7, 0o100644, 5, 6, 4), False), ((9, 8, 7, 0o120777, 5, 6, 4), False), ((9, 8, 7, 0o40755, 5, 6, 4), False),
])  # fmt: skip
def test_what_the_index_can_note_of_a_status(have: tuple[int, ...], same: bool) -> None:
    assert same_fields(have, (9, 8, 7, 0o100644, 5, 6, 4)) is same


def test_an_empty_file_needs_no_second_look(repo: Any, ctx: Context) -> None:
    repo.add("empty", b"")
    repo.add("smudged", b"x\n")
    repo.entry("smudged", repo.put("blob", b"x\n"), repo.top / "smudged", size=0)
    repo.write_index()
    folder = compared_folders(repo.store().index)[b""]
    assert [bool(fields) for fields in folder.wanted] == [True, False]
    assert letters(repo.store(), ctx) == []


def test_the_first_change_can_be_enough(repo: Any, ctx: Context) -> None:
    for name in ("a", "d/b", "c"):
        repo.add(name)
        repo.write(name, b"y\n")
    repo.commit()
    tree = repo.tree()
    store = repo.store()
    assert [c.new.path for c in index_vs_worktree(store, first_only=True, ctx=ctx)] == [b"a"]
    assert [c.new.path for c in tree_vs_worktree(store, tree, first_only=True, ctx=ctx)] == [b"a"]
    (repo.top / "a").write_bytes(b"x\n")
    assert [c.new.path for c in index_vs_worktree(store, first_only=True, ctx=ctx)] == [b"c"]


def test_quiet_reads_no_further_than_the_first_change(repo: Any) -> None:
    repo.config("[core]\n\tautocrlf = input\n")
    warning = b"warning: in the working copy of '%s', CRLF will be replaced by LF the next time Git touches it\n"
    for name in ("a", "b", "c"):
        repo.add(name, b"x y\n1\n")
    for name, data in (("a", b"x y\r\n1\r\n"), ("b", b"x  y\n1\n"), ("c", b"x y\r\n1\r\n")):
        repo.write(name, data)
    repo.commit()
    repo.write_index()

    def quiet(*argv: str) -> tuple[int, bytes]:
        done = gitglass.git(["diff", "--quiet", *argv], cwd=os.fspath(repo.top))
        return done.returncode, done.stderr

    assert quiet() == (1, warning % b"a")
    assert quiet("HEAD") == (1, warning % b"a")
    assert quiet("-w") == (0, warning % b"a" + warning % b"c")  # whether it is a change depends on its content
    assert quiet("--diff-filter=D") == (0, warning % b"a" + warning % b"c")
    repo.write("c", b"needle\n")
    assert quiet("-S", "needle") == (0, warning % b"a")  # strange but git's: it is in the second change
    assert quiet("-S", "needle", "--", "c") == (1, b"")


def test_a_file_beside_index_and_tree(repo: Any) -> None:
    """-c and --cc against a tree: prefixes are never mnemonic, the mode is the file's own; a list replaces the patch."""
    repo.add("a", b"one\n")
    repo.commit()
    repo.config("[diff]\n\tmnemonicPrefix = true\n[core]\n\tfileMode = false\n")
    repo.write("a", b"two\n").chmod(0o755)
    repo.write_index()
    want = (
        b"diff --%s a\nindex 5626abf,5626abf..0000000\nmode 100644,100644..100755\n--- a/a\n+++ b/a\n"
        b"@@@ -1,1 -1,1 +1,1 @@@\n--one\n++two\n"
    )
    for argv, text in (
        (["diff", "--cc", "HEAD"], want % b"cc"),
        (["diff-index", "-p", "-c", "HEAD"], want % b"combined"),
        (["diff", "--cc", "--raw", "-p", "HEAD"], b"::100644 100644 100644 5626abf 5626abf 0000000 MM\ta\n"),
    ):
        assert gitglass.git(argv, cwd=os.fspath(repo.top)).stdout == text


def test_a_submodule_in_conflict(repo: Any) -> None:
    """What is checked out there is compared, and its state is told."""
    inner = type(repo)(repo.top / "sub")
    head = inner.commit(inner.put("tree", b""))
    ours, theirs = repo.put("commit", b"x"), repo.put("commit", b"y")
    repo.add("a")
    repo.commit()
    repo.entry("sub", ours, mode=0o160000, stage=2)
    repo.entry("sub", theirs, mode=0o160000, stage=3)
    repo.write_index()

    def git(*argv: str) -> bytes:
        return gitglass.git(list(argv), cwd=os.fspath(repo.top)).stdout

    assert git("status", "--porcelain=v2").startswith(b"u AA SC.. 000000 160000 160000 160000 ")
    assert git("diff", "--ours").endswith(b"+Subproject commit " + head.hex().encode() + b"\n")
    assert git("diff", "HEAD").endswith(b"+Subproject commit " + head.hex().encode() + b"\n")


def test_head_may_name_a_symbolic_branch(repo: Any) -> None:
    """What it stands for is checked out; a broken ref is warned of whatever is listed."""
    repo.add("a")
    repo.commit()
    repo.write_index()
    (repo.git / "refs/heads/alias").write_text("ref: refs/heads/main\n")
    (repo.git / "refs/heads/zero").write_text("0" * 40 + "\n")
    (repo.git / "HEAD").write_text("ref: refs/heads/alias\n")
    done = gitglass.git(["branch", "--list", "[am]*"], cwd=os.fspath(repo.top))
    assert done.stdout == b"  alias -> main\n* main\n"
    assert done.stderr == b"warning: ignoring broken ref refs/heads/zero\n"


def test_a_submodule_at_the_commit_of_the_tree_but_not_of_the_index(unpack: Any) -> None:
    """git looks at the index alone, so that raw lists have it; what shows contents sees none."""
    top = unpack("submodule")
    checked_out = bytes.fromhex("4a93dede42636369b63e363ff22733b256e5206a")
    inner = loose(top / ".git", b"tree", b"160000 changed\0" + checked_out)
    tree = loose(top / ".git", b"tree", b"40000 libs\0" + bytes.fromhex(inner))
    raw = b":160000 160000 %s %s M\tlibs/changed\n" % (checked_out.hex().encode(), b"0" * 40)
    assert gitglass.git(["diff-index", tree, "--", "libs/changed"], cwd=top).stdout == raw
    assert gitglass.git(["diff-index", "--quiet", tree, "--", "libs/changed"], cwd=top).returncode == 1
    for form in ("-p", "--stat", "--numstat", "--shortstat"):
        assert gitglass.git(["diff-index", form, tree, "--", "libs/changed"], cwd=top).stdout == b""


def loose(git: Path, kind: bytes, data: bytes) -> str:
    whole = kind + b" %d\0" % len(data) + data
    oid = hashlib.sha1(whole).hexdigest()
    (git / "objects" / oid[:2]).mkdir(exist_ok=True)
    (git / "objects" / oid[:2] / oid[2:]).write_bytes(zlib.compress(whole))
    return oid


class Young:
    """A handle of a repository whose files are as young as its index, and which of them were read."""

    def __init__(self, repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        repo.write_index(young=True)
        self.repo = repo
        self.read: list[str] = []
        before = stat_cache.read_work_file

        def reading(store: Any, path: bytes, *args: Any, **kwargs: Any) -> Any:
            self.read.append(os.fsdecode(path))
            return before(store, path, *args, **kwargs)

        monkeypatch.setattr(stat_cache, "read_work_file", reading)

    def changes(self, later: int = 10) -> dict[str, str]:
        """What differs, asked by a fresh handle so many seconds from now; `read` begins anew."""
        self.read.clear()
        store = open_store(Where(cwd=os.fsencode(self.repo.top)), root=None)
        with Context(Limits(timeout=None), now=time.time() + later) as ctx:
            return {os.fsdecode(c.new.path): c.status for c in index_vs_worktree(store, ctx=ctx)}


def test_a_young_file_is_read_once_as_long_as_it_is_the_same(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """git writes to the index that it found the file clean; gitglass, which writes nothing, remembers it."""
    for name in ("a", "d/b", "d/c"):
        repo.add(name, b"one\n")
    young = Young(repo, monkeypatch)
    assert young.changes() == {} and young.read == ["a", "d/b", "d/c"]
    assert young.changes() == {} and young.read == []
    repo.write("d/b", b"two\n")  # as long as before
    assert young.changes() == {"d/b": "M"} and "d/c" not in young.read
    repo.write("d/b", b"one\n")
    assert young.changes() == {} and young.read == ["d/b"]


def test_what_changed_just_now_may_change_again(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.add("a", b"one\n")
    young = Young(repo, monkeypatch)
    for _ in range(2):
        assert young.changes(later=0) == {} and young.read == ["a"]


def noted_exactly(repo: Any, gap: int = 25_000_001) -> None:
    """The entry of `a` has its file's times to the nanosecond, and the index is as young by the second, and was written
    so many nanoseconds after the file's status last changed."""
    place = repo.top / "a"
    os.utime(place, ns=(0, (time.time_ns() // 10**9 + 5) * 10**9 + 7))
    status = place.stat()
    repo.entry("a", repo.entries[b"a", 0][40:60], place)
    head = bytearray(repo.entries[b"a", 0])
    head[4:8], head[12:16] = (struct.pack(">I", ns % 10**9) for ns in (status.st_ctime_ns, status.st_mtime_ns))
    repo.entries[b"a", 0] = bytes(head)
    repo.write_index()
    os.utime(repo.git / "index", ns=(0, status.st_ctime_ns + gap))


def changes_of(repo: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, str], list[str]]:
    """What differs, and which files were read for it, with the index as it stands."""
    write_index = repo.write_index
    repo.write_index = lambda **_: None
    young = Young(repo, monkeypatch)
    repo.write_index = write_index
    return young.changes(), sorted({*young.read})


def test_a_young_file_whose_times_are_exactly_as_noted_is_not_read(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.add("a", b"one\n", blob=b"two\n")  # only reading it would tell
    noted_exactly(repo)
    assert changes_of(repo, monkeypatch) == ({}, [])


@pytest.mark.parametrize("case", ["just before", "times", "trustctime", "minimal", "converted", "was converted"])
def test_a_young_file_is_read_where_its_times_do_not_tell(
    repo: Any, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """Where the index is hardly younger, where a time differs by nanoseconds, or is not to be trusted, and where
    another file than the one that was noted would be its blob."""
    repo.add("a", b"one\n", blob=b"one\r\n" if case == "was converted" else b"two\n")
    if case == "trustctime":
        repo.config("[core]\n\ttrustctime = false\n")
    elif case == "minimal":
        repo.config("[core]\n\tcheckStat = minimal\n")
    elif case == "converted":
        repo.write(".gitattributes", b"a ident\n")
    noted_exactly(repo, 9_000_001 if case == "just before" else 25_000_001)
    if case == "times":
        status = (repo.top / "a").stat()
        os.utime(repo.top / "a", ns=(0, status.st_mtime_ns + 1))
    assert changes_of(repo, monkeypatch) == ({"a": "M"}, ["a"])


@pytest.mark.parametrize("where", ["configuration", "attributes", "info"])
def test_a_young_file_is_read_again_where_something_converts_it(
    repo: Any, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    repo.add("a", b"one\r\n")
    young = Young(repo, monkeypatch)
    assert young.changes() == {}
    if where == "configuration":
        repo.config("[core]\n\tautocrlf = input\n\tsafecrlf = false\n")
    elif where == "attributes":
        repo.write(".gitattributes", b"a ident\n")
    else:
        (repo.git / "info").mkdir(exist_ok=True)
        (repo.git / "info" / "attributes").write_bytes(b"* text\n")
    young.changes()
    assert young.read[:1] == ["a"]


def test_a_young_file_is_judged_by_the_settings_in_force(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.config("[core]\n\tfilemode = false\n")
    repo.add("a", b"one\n")
    young = Young(repo, monkeypatch)
    (repo.top / "a").chmod(0o755)
    assert young.changes() == {}
    repo.config("[core]\n\tfilemode = true\n")
    assert young.changes() == {"a": "M"}


def test_quiet_ends_at_the_first_file_whatever_is_left_out_later(repo: Any) -> None:
    """git's --quiet does not look at further files once one differs, also where -S then leaves that one out."""
    for name in ("a", "b"):
        repo.add(name, b"old\n")
    repo.write_index()
    repo.commit()
    repo.write("a", b"new\n")
    repo.write("b", b"old\nwanted\n")

    def status(*argv: str) -> int:
        return int(gitglass.git(list(argv), cwd=repo.top).returncode)

    for command in (["diff-files"], ["diff-index", "HEAD"]):
        assert status(*command, "--quiet") == 1
        assert status(*command, "--quiet", "-Swanted") == 0
        assert status(*command, "--exit-code", "-Swanted") == 1
        assert status(*command, "--quiet", "-Snew") == 1
        assert status(*command, "--quiet", "-Swanted", "--", "b") == 1
        assert status(*command, "--quiet", "-w", "-Swanted") == 1

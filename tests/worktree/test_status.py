import os
from typing import Any

import pytest

import gitglass
from gitglass.cli.main import main
from gitglass.limits import Context
from gitglass.worktree.convert import lfs_pointer
from gitglass.worktree.state import in_progress
from gitglass.worktree.status import StatusSpec, status


def git(repo: Any, *argv: str) -> bytes:
    repo.write_index()
    done = gitglass.git(list(argv), cwd=os.fspath(repo.top))
    assert not done.stderr, done.stderr
    return done.stdout


def mark(repo: Any, name: str, text: str = "") -> None:
    repo.write(f".git/{name}", text.encode())


@pytest.fixture
def committed(repo: Any) -> Any:
    repo.add("a")
    repo.add("d/b")
    repo.commit()
    return repo


def test_clean(committed: Any) -> None:
    assert git(committed, "status") == b"On branch main\nnothing to commit, working tree clean\n"
    assert git(committed, "status", "--porcelain") == b""


def test_all_sections(committed: Any) -> None:
    committed.add("new")
    committed.write("a", b"edited\n")
    (committed.top / "d/b").unlink()
    committed.write("other/x")
    assert git(committed, "status") == (
        b"On branch main\n"
        b"Changes to be committed:\n"
        b'  (use "git restore --staged <file>..." to unstage)\n'
        b"\tnew file:   new\n\n"
        b"Changes not staged for commit:\n"
        b'  (use "git add/rm <file>..." to update what will be committed)\n'
        b'  (use "git restore <file>..." to discard changes in working directory)\n'
        b"\tmodified:   a\n\tdeleted:    d/b\n\n"
        b"Untracked files:\n"
        b'  (use "git add <file>..." to include in what will be committed)\n'
        b"\tother/\n\n"
    )
    assert git(committed, "status", "-s") == b" M a\n D d/b\nA  new\n?? other/\n"
    assert git(committed, "status", "-z", "d") == b" D d/b\0"


def test_before_the_first_commit(repo: Any) -> None:
    repo.add("a")
    assert git(repo, "status", "-sb") == b"## No commits yet on main\nA  a\n"
    assert b"No commits yet\n\n" in git(repo, "status")
    assert git(repo, "status", "--porcelain=v2", "-b").startswith(
        b"# branch.oid (initial)\n# branch.head main\n1 A. N... 000000"
    )


@pytest.mark.parametrize("head", [b"ref: refs/../x\n", b"ref: refs/heads/loop\n", b"ref: refs/heads/bad\n"])
def test_a_head_that_can_be_no_branch_has_no_name(repo: Any, head: bytes) -> None:
    repo.write(".git/refs/heads/loop", b"ref: refs/heads/loop\n")
    repo.write(".git/refs/heads/bad", b"no object name\n")
    repo.add("a")
    repo.write(".git/HEAD", head)
    assert git(repo, "status", "-sb") == b"## A  a\n"
    assert git(repo, "status").startswith(b"\nNo commits yet\n\n")
    assert git(repo, "status", "--porcelain=v2", "-b").startswith(
        b"# branch.oid (initial)\n# branch.head (unknown)\n1 "
    )


def test_renames_in_the_index(repo: Any, ctx: Context) -> None:
    repo.add("old name", b"a long enough line\n" * 9)
    tree = repo.commit()
    assert tree
    del repo.entries[b"old name", 0]
    (repo.top / "old name").rename(repo.top / "new")
    repo.add("new", b"a long enough line\n" * 9)
    assert git(repo, "status", "-s") == b'R  "old name" -> new\n'
    assert git(repo, "status", "-s", "--no-renames") == b'A  new\nD  "old name"\n'
    assert git(repo, "status", "-s", "-z") == b"R  new\0old name\0"


@pytest.mark.parametrize(
    ("stages", "letters", "words"),
    [
        ((1,), b"DD", b"both deleted:    c"),
        ((2,), b"AU", b"added by us:     c"),
        ((1, 2), b"UD", b"deleted by them: c"),
        ((3,), b"UA", b"added by them:   c"),
        ((1, 3), b"DU", b"deleted by us:   c"),
        ((2, 3), b"AA", b"both added:      c"),
        ((1, 2, 3), b"UU", b"both modified:   c"),
    ],
)
def test_conflicts(committed: Any, stages: tuple[int, ...], letters: bytes, words: bytes) -> None:
    for stage in stages:
        committed.entry("c", committed.put("blob", b"%d\n" % stage), stage=stage)
    assert git(committed, "status", "-s") == letters + b" c\n"
    text = git(committed, "status")
    assert b"Unmerged paths:\n" in text
    assert b"\t" + words + b"\n\n" in text
    assert text.endswith(b'no changes added to commit (use "git add" and/or "git commit -a")\n')


@pytest.mark.parametrize(
    ("files", "name", "line"),
    [
        ({"MERGE_HEAD": "1" * 40}, "merge", b"All conflicts fixed but you are still merging.\n"),
        ({"rebase-apply/applying": "", "rebase-apply/patch": "x"}, "am", b"You are in the middle of an am session.\n"),
        ({"rebase-apply/applying": "", "rebase-apply/patch": ""}, "am", b"The current patch is empty.\n"),
        (
            {"rebase-apply/head-name": "refs/heads/topic\n", "rebase-apply/onto": "main\n"},
            "rebase",
            b"You are currently rebasing branch 'topic' on 'main'.\n",
        ),
        (
            {"rebase-merge/interactive": "", "rebase-merge/head-name": "refs/heads/topic", "rebase-merge/onto": "x",
             "rebase-merge/done": "pick 1 a\n# no\n\nexec b\npick 2 c\n", "rebase-merge/git-rebase-todo": "drop 3 d\n"},
            "rebase",
            b"Last commands done (3 commands done):\n   exec b\n   pick 2 c\n"
            b"  (see more in file .git/rebase-merge/done)\n"
            b"Next command to do (1 remaining command):\n   drop 3 d\n",
        ),
        ({"sequencer/todo": "pick 1 x\n"}, "cherry-pick", b"Cherry-pick currently in progress.\n"),
        ({"sequencer/todo": "revert 1 x\n"}, "revert", b"Revert currently in progress.\n"),
        (
            {"BISECT_LOG": "", "BISECT_START": "main\n"},
            "bisect",
            b"You are currently bisecting, started from branch 'main'.\n",
        ),
    ],
)  # fmt: skip
def test_operations(committed: Any, ctx: Context, files: dict[str, str], name: str, line: bytes) -> None:
    for path, text in files.items():
        mark(committed, path, text)
    found = in_progress(committed.store(), detached=False, ctx=ctx)
    assert found.name == name
    assert line in git(committed, "status")


def test_what_a_step_names_is_abbreviated(committed: Any, ctx: Context) -> None:
    mark(committed, "rebase-merge/interactive", "")
    mark(committed, "rebase-merge/git-rebase-todo", "update-ref refs/heads/main\nexec refs/heads/main\nlabel HEAD\n")
    steps = in_progress(committed.store(), detached=False, ctx=ctx).steps
    short = (committed.git / "refs/heads/main").read_bytes()[:7]
    assert steps is not None
    assert steps.todo == [b"update-ref " + short + b" ", b"exec refs/heads/main", b"label HEAD"]


def test_the_upstream_of_a_branch_that_is_not_born(repo: Any) -> None:
    repo.config('[branch "main"]\n\tremote = .\n\tmerge = refs/heads/up\n')
    assert git(repo, "status", "-sb") == b"## No commits yet on main...up [gone]\n"
    assert b"gone" not in git(repo, "status")


def test_detached(committed: Any) -> None:
    oid = committed.commit()
    mark(committed, "HEAD", oid.hex() + "\n")
    assert git(committed, "status").startswith(b"Not currently on any branch.\n")
    note = f"{'0' * 40} {oid.hex()} A <a@x> 1 +0000\tcheckout: moving from main to {oid.hex()}\n"
    mark(committed, "logs/HEAD", note)
    assert git(committed, "status").startswith(b"HEAD detached at " + oid.hex()[:7].encode() + b"\n")
    assert git(committed, "status", "-sb") == b"## HEAD (no branch)\n"


def test_tracking(committed: Any) -> None:
    base = (committed.git / "refs/heads/main").read_text().strip()
    committed.config('[branch "main"]\n\tremote = .\n\tmerge = refs/heads/up\n')
    assert b"Your branch is based on 'up', but the upstream is gone.\n" in git(committed, "status")
    mark(committed, "refs/heads/up", base + "\n")
    assert b"Your branch is up to date with 'up'.\n" in git(committed, "status")
    committed.add("more")
    body = f"tree {committed.tree().hex()}\nparent {base}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nc\n"
    mark(committed, "refs/heads/main", committed.put("commit", body.encode()).hex() + "\n")
    assert git(committed, "status", "-sb") == b"## main...up [ahead 1]\n"
    assert git(committed, "status", "-sb", "--no-ahead-behind") == b"## main...up [different]\n"
    assert b"Your branch is ahead of 'up' by 1 commit.\n" in git(committed, "status")


def test_a_submodule(committed: Any, ctx: Context) -> None:
    inner = type(committed)(committed.top / "sub")
    inner.add("f")
    head = inner.commit()
    inner.write_index()
    committed.entry("sub", head, mode=0o160000)
    committed.commit()
    assert git(committed, "status", "-s") == b""
    inner.write("f", b"edited\n")
    assert git(committed, "status", "-s") == b" m sub\n"
    inner.write("f2")
    assert b"\tmodified:   sub (modified content, untracked content)\n" in git(committed, "status")
    assert git(committed, "status", "-s", "--ignore-submodules=dirty") == b""
    inner.commit(inner.put("tree", b""))
    assert git(committed, "status", "--porcelain=v2").startswith(b"1 .M SCMU 160000 160000 160000 ")


def test_what_was_not_asked_for_is_not_looked_at(committed: Any, ctx: Context) -> None:
    committed.write("u")
    found = status(committed.store(), StatusSpec(untracked="no", branch=False, operation=False), ctx=ctx)
    assert (found.scan.untracked, found.tracking, found.entries) == ([], None, [])


def test_typed(committed: Any) -> None:
    committed.write("a", b"edited\n")
    committed.write("u")
    committed.write_index()
    found = gitglass.open(os.fspath(committed.top)).status()
    assert (found.branch.head, found.clean, found.untracked) == ("main", False, ["u"])
    assert [(row.path, row.index, row.worktree) for row in found.entries] == [("a", "", "M")]


def test_paths_of_a_hostile_index_lead_nowhere(repo: Any, ctx: Context) -> None:
    secret = repo.top.parent / "secret"
    secret.write_bytes(b"x\n")
    oid = repo.put("blob", b"x\n")
    for path in ("../secret", "a/../../secret", "..", ".", ".git/config"):
        repo.entry(path, oid)
    found = status(repo.store(), StatusSpec(), ctx=ctx)
    work = {entry.path: entry.work for entry in found.entries}
    assert work[b"../secret"] == work[b".."] == work[b"."] == work[b"a/../../secret"] == "D"


@pytest.mark.parametrize("argv", [["status"], ["status", "-s"], ["diff", "--cached"], ["diff", "HEAD"]])
def test_the_tree_of_head_must_be_there(committed: Any, argv: list[str]) -> None:
    tree = committed.store().odb.commit(committed.store().refs.head()[1]).tree.hex()
    (committed.git / "objects" / tree[:2] / tree[2:]).unlink()
    done = gitglass.git(argv, cwd=os.fspath(committed.top))
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", b"error: bad tree object HEAD\n")


def test_a_staged_submodule_is_shown_whatever_is_configured(committed: Any) -> None:
    committed.config("[diff]\n\tignoreSubmodules = all\n")
    committed.entry("sub", b"\1" * 20, mode=0o160000)
    assert b"A  sub\n" in git(committed, "status", "-s")
    assert b"sub" not in git(committed, "status", "-s", "--ignore-submodules=all")


def conflict(repo: Any, path: str, ours: bytes, theirs: bytes) -> None:
    for stage, data in ((2, ours), (3, theirs)):
        repo.entry(path, repo.put("blob", data), mode=0o100644, stage=stage)


def test_a_conflict_takes_the_source_it_is_like(committed: Any) -> None:
    text = b"".join(b"line %d\n" % n for n in range(20))
    committed.add("gone", text)
    committed.commit()
    (committed.top / "gone").unlink()
    conflict(committed, "c", b"1\n", b"2\n")
    committed.write("c", b"other\n")
    assert git(committed, "status", "-s", "-uno") == b"AA c\n D gone\n"
    committed.write("c", text)
    assert git(committed, "status", "-s", "-uno") == b"AA c\n"
    assert git(committed, "status", "-s", "-uno", "--no-renames") == b"AA c\n D gone\n"


def test_a_conflict_in_diffs(committed: Any) -> None:
    conflict(committed, "c", b"1\n", b"2\n")
    committed.write("c", b"1\nneedle\n")
    assert git(committed, "diff", "--stat", "-S", "needle").startswith(b" c | Unmerged c | 1 +\n")
    (committed.top / "c").unlink()
    assert git(committed, "diff-files", "-p").startswith(b"diff --cc c\n")
    assert git(committed, "diff-files", "-c", "--raw").startswith(b"::100644 100644 000000 ")


@pytest.mark.parametrize("word", ["-q", "-0", "--ours"])
def test_what_is_only_for_index_and_files(committed: Any, word: str) -> None:
    committed.write_index()
    assert gitglass.git(["diff", word], cwd=os.fspath(committed.top)).returncode == 0
    assert gitglass.git(["diff", "--cached", word], cwd=os.fspath(committed.top)).returncode == 129


def test_diff_index_with_the_merge_base(committed: Any) -> None:
    committed.add("more")
    assert git(committed, "diff-index", "--cached", "--merge-base", "--name-only", "HEAD") == b"more\n"
    done = gitglass.git(["diff-index", "--merge-base", "HEAD^{tree}"], cwd=os.fspath(committed.top))
    assert (done.returncode, done.stderr) == (128, b"fatal: --merge-base only works with commits\n")


@pytest.mark.parametrize("argv", [["check-attr", "-a", "a"], ["blame", "--", "a"]])
def test_no_work_tree_within_the_git_directory(committed: Any, argv: list[str]) -> None:
    committed.config("[core]\n\tbare = false\n")
    committed.write_index()
    done = gitglass.git(argv, cwd=os.fspath(committed.git))
    assert (done.returncode, done.stderr) == (128, b"fatal: this operation must be run in a work tree\n")


def test_lfs_files_of_a_user_with_lfs_are_clean(repo: Any, capfdbinary: Any) -> None:
    """`git lfs install` writes to the user's configuration, which the library and --jail do not read."""
    repo.add(".gitattributes", b"*.bin filter=lfs diff=lfs merge=lfs -text\n")
    repo.add("model.bin", b"weights" * 1000, blob=lfs_pointer(b"weights" * 1000), size=0)
    repo.commit()
    repo.write_index()
    handle = gitglass.open(repo.top)
    result = handle.status()
    assert result.entries == []
    assert result.notes == [
        "files with filter=lfs are compared by the pointers that Git LFS would store; no filter is run"
    ]
    assert handle.git(["status", "-s"]).stdout == b""
    assert gitglass.git(["status", "-s"], cwd=repo.top).stdout == b""
    assert main(["--jail", "-C", str(repo.top), "diff", "--stat"]) == 0
    assert capfdbinary.readouterr().out == b""
    repo.write("model.bin", b"retrained")
    assert b" M model.bin\n" in gitglass.git(["status", "-s"], cwd=repo.top).stdout


@pytest.mark.parametrize("setting", ["", "[diff]\n\tignoreSubmodules = all\n"])
def test_before_the_first_commit_no_submodule_is_ignored(repo: Any, setting: str) -> None:
    repo.config(setting)
    repo.entry("sub", b"\7" * 20, mode=0o160000)
    (repo.top / "sub").mkdir()
    repo.write_index()
    for line in (["status", "-s", "--ignore-submodules=all"], ["status", "--porcelain", "--ignore-submodules=all"]):
        assert gitglass.git(line, cwd=repo.top).stdout == b"A  sub\n"
    assert gitglass.git(["diff", "--cached", "--ignore-submodules=all"], cwd=repo.top).stdout == b""

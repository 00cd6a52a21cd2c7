"""Submodules that a merge, a cherry-pick or a switch moves: the entry goes, the files of the submodule stay; as git."""

import os
from pathlib import Path

import pytest
from tests.support.merge_cases import submodule_merge, superproject
from tests.support.peers import read, said
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes


def prepared(tmp_path: Path, case: tuple[str, str]) -> tuple[Path, str, dict[str, str]]:
    """A repository on the commit of our side, the one of theirs, and the names of the submodule's commits."""
    top, oids = superproject(tmp_path / "top")
    ours, theirs, _ = submodule_merge(top, oids, case)
    top.joinpath(".git/refs/heads/main").write_text(f"{ours}\n")
    top.joinpath(".git/HEAD").write_text("ref: refs/heads/main\n")
    assert said(top, "reset", "-q", "--hard") == (0, "", "")
    top.joinpath("sub/file").write_text("of the submodule\n")
    return top, theirs, {name: oid.decode() for name, oid in oids.items()}


def staged(top: Path) -> str:
    return read(top, "ls-files", "-s")


def test_a_fast_forward(tmp_path: Path) -> None:
    top, theirs, oids = prepared(tmp_path, ("m", "abc"))
    status, out, err = said(top, "merge", "-q", "-m", "m", theirs)
    assert (status, err) == (0, "") and out == f"Note: Fast-forwarding submodule sub to {oids['c']}\n"
    assert staged(top) == f"160000 {oids['c']} 0\tsub" and top.joinpath("sub/file").exists()
    assert said(top, "reset", "-q", "--hard", "HEAD~1")[0] == 0
    assert staged(top) == f"160000 {oids['b']} 0\tsub" and top.joinpath("sub/file").exists()


@pytest.mark.parametrize("verb", ["merge", "cherry-pick"])
def test_a_conflict_and_back(tmp_path: Path, verb: str) -> None:
    top, theirs, oids = prepared(tmp_path, ("m", "bcd"))
    status, out, _ = said(top, verb, theirs)
    assert status == 1 and out.startswith("Failed to merge submodule sub, but a possible merge resolution exists:     ")
    assert f" - go to submodule (sub), and either merge commit {oids['d'][:7]}\n" in out
    assert staged(top).splitlines() == [f"160000 {oids[name]} {at}\tsub" for at, name in enumerate("bcd", 1)]
    assert said(top, verb, "--abort")[0] == 0
    assert staged(top) == f"160000 {oids['c']} 0\tsub" and top.joinpath("sub/file").exists()


def test_one_that_comes_to_where_its_directory_is(tmp_path: Path) -> None:
    top, theirs, oids = prepared(tmp_path, ("m", "--c"))
    assert said(top, "merge", "-q", theirs)[0] == 0
    assert staged(top) == f"160000 {oids['c']} 0\tsub" and top.joinpath("sub/file").exists()


def test_one_without_a_directory_is_refused(tmp_path: Path) -> None:
    top, theirs, _ = prepared(tmp_path, ("m", "--c"))
    top.joinpath("sub").rename(tmp_path / "away")
    status, _, err = said(top, "merge", "-q", theirs)
    assert status == 128 and "'sub' is a submodule without a directory" in err
    assert staged(top) == "" and read(top, "rev-parse", "HEAD") != theirs


def test_one_that_is_untracked_is_named_where_a_stash_of_its_path_would_add_it(tmp_path: Path) -> None:
    top = copy_of("submodule", tmp_path / "top")
    assert said(top, "rm", "-q", "--cached", "libs/changed")[0] == 0
    assert said(top, "commit", "-q", "-m", "gone")[0] == 0
    top.joinpath("top.txt").write_text("changed\n")
    status, _, err = said(top, "stash", "push", "-q", "-u", "--", "libs/changed", "top.txt")
    assert status == 0 and err.startswith("warning: adding embedded git repository: libs/changed\nhint: You've added ")
    assert err.endswith('\nhint: See "git help submodule" for more information.\n')
    assert read(top, "status", "--porcelain") == "?? libs/changed/" and read(top, "stash", "list") != ""
    top.joinpath("top.txt").write_text("changed again\n")
    status, _, err = said(top, "stash", "push", "-k", "-u", "--", "libs/changed", "top.txt")
    assert status == 1 and err.endswith(
        "error: pathspec ':(,prefix:0)libs/changed' did not match any file(s) known to git\n"
    )


def test_one_that_is_untracked_and_has_no_commit_ends_a_stash_of_its_path(tmp_path: Path) -> None:
    top = copy_of("submodule", tmp_path / "top")
    top.joinpath("new/.git/refs").mkdir(parents=True)
    top.joinpath("new/.git/objects").mkdir()
    top.joinpath("new/.git/HEAD").write_text("ref: refs/heads/main\n")
    top.joinpath("top.txt").write_text("changed\n")
    status, _, err = said(top, "stash", "push", "-q", "-u", "--", "new", "top.txt")
    assert status == 1 and err == "error: 'new/' does not have a commit checked out\nfatal: adding files failed\n"
    assert top.joinpath("top.txt").read_text() == "changed\n"


def test_one_that_is_staged_goes_from_the_index_by_a_stash_without_a_word(tmp_path: Path) -> None:
    top = copy_of("submodule", tmp_path / "top")
    assert said(top, "rm", "-q", "--cached", "libs/changed")[0] == 0
    assert said(top, "commit", "-q", "-m", "gone")[0] == 0
    assert said(top, "reset", "-q", "HEAD~1", "--", "libs/changed")[0] == 0
    top.joinpath("top.txt").write_text("changed\n")
    assert said(top, "stash", "push", "-q") == (0, "", "")
    assert read(top, "status", "--porcelain") == "?? libs/changed/"


def test_an_entry_with_a_message_names_the_branch_that_was_read_last(tmp_path: Path) -> None:
    """As git 2.39, which keeps the name of the current branch where it reads that of a submodule to."""
    top, _, _ = prepared(tmp_path, ("m", "abc"))
    assert said(top, "switch", "-q", "-c", "side")[0] == 0
    top.joinpath("new").write_text("new\n")
    assert read(top / "sub", "symbolic-ref", "HEAD") == "refs/heads/master"
    assert said(top, "stash", "push", "-u", "-m", "all")[1].endswith(" On side: all\n")
    assert said(top, "stash", "pop", "-q")[0] == 0
    assert said(top, "stash", "push", "-u", "-m", "some", "--", "new")[1].endswith(" On master: some\n")
    assert said(top, "stash", "pop", "-q")[0] == 0
    assert said(top, "add", "new")[0] == 0
    assert said(top, "stash", "push", "-m", "staged", "--", "new")[1].endswith(" On master: staged\n")
    assert said(top, "stash", "pop", "-q")[0] == 0
    assert " WIP on side: " in said(top, "stash", "-u")[1]


def test_one_as_young_as_the_index_is_no_change(tmp_path: Path) -> None:
    """The stat data of a submodule's entry say nothing of it, and git does not compare them (racy-git)."""
    top = copy_of("submodule", tmp_path / "repo")
    assert said(top, "reset", "--hard") == (0, "HEAD is now at 871c485 Submodules\n", "")
    index = top / ".git/index"
    os.utime(index, ns=(0, 1_000_000_000))
    assert said(top, "reset", ".gitmodules") == (0, "Unstaged changes after reset:\nM\tlibs/changed\n", "")


def test_a_new_one_without_a_directory_is_no_local_change(tmp_path: Path) -> None:
    """Where there is none, a new entry is not told of, and one that the new commit has is gone (seen: git 2.39)."""
    top = copy_of("submodule", tmp_path / "repo")
    assert said(top, "rm", "-q", "--cached", "libs/absent") == (0, "", "")
    assert said(top, "commit", "-q", "-m", "without") == (0, "", "")
    top.joinpath("libs/absent").rmdir()
    assert said(top, "restore", "--staged", "--source", "HEAD~1", "libs/absent") == (0, "", "")
    there = "M\tlibs/changed\n"
    assert said(top, "checkout", "-b", "x", "HEAD~0") == (0, there, "Switched to a new branch 'x'\n")
    assert said(top, "checkout", "-b", "y", "HEAD~1") == (
        0,
        f"D\tlibs/absent\n{there}",
        "Switched to a new branch 'y'\n",
    )


@pytest.mark.parametrize(
    "argv",
    [["reset", "--hard"], ["checkout", "-f"], ["switch", "-f", "main"], ["restore", "."], ["checkout", "."], ["stash"]],
    ids=" ".join,
)
def test_what_would_make_the_directory_of_one_is_refused(tmp_path: Path, argv: list[str]) -> None:
    """git makes it, empty; nothing is said to be done that is not."""
    top = copy_of("submodule", tmp_path / "top")
    top.joinpath("libs/absent").rmdir()
    top.joinpath("top.txt").write_text("changed\n")
    status, out, err = said(top, *argv)
    assert (status, out) == (128, "") and "'libs/absent' is a submodule without a directory" in err
    assert top.joinpath("top.txt").read_text() == "changed\n" and read(top, "stash", "list") == ""


def test_another_repository_in_the_place_of_a_file_is_not_taken_for_its_deletion(tmp_path: Path) -> None:
    top = copy_of("submodule", tmp_path / "top")
    before = staged(top)
    top.joinpath("top.txt").unlink()
    copy_of("plain", top / "top.txt")
    for argv in (["add", "-u"], ["add", "."], ["commit", "-a", "-m", "m"], ["commit", "-m", "m", "top.txt"]):
        status, _, err = said(top, *argv)
        assert status == 128 and "'top.txt' is another repository" in err and staged(top) == before


def test_a_file_in_the_place_of_one_is_staged(tmp_path: Path) -> None:
    top = copy_of("submodule", tmp_path / "top")
    top.joinpath("libs/absent").rmdir()
    top.joinpath("libs/absent").write_text("a file\n")
    assert said(top, "add", "libs/absent") == (0, "", "")
    assert staged(top).splitlines()[1].startswith("100644 ")


@pytest.fixture
def active(tmp_path: Path) -> tuple[Path, str]:
    """A superproject with an active submodule, and a commit of it that has another commit of the submodule;
    `submodule.recurse` is set."""
    top, theirs, _ = prepared(tmp_path, ("m", "abc"))
    with (top / ".git/config").open("a") as config:
        config.write('[submodule]\n\trecurse = true\n[submodule "sub"]\n\tactive = true\n')
    top.joinpath(".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n')
    return top, theirs


RECURSES = "submodule.recurse is set, and gitglass does not change the files of a submodule: 'sub'\n"


@pytest.mark.parametrize(
    "argv", ["checkout -q --detach", "switch -q -f -d", "reset -q --hard", "reset -q --keep", "reset -q --merge"]
)
def test_files_that_git_would_change_below_one_are_named(active: tuple[Path, str], argv: str) -> None:
    top, theirs = active
    before = staged(top), read(top, "rev-parse", "HEAD")
    status, _, err = said(top, *argv.split(), theirs)
    assert status and err.endswith(RECURSES) and (staged(top), read(top, "rev-parse", "HEAD")) == before


@pytest.mark.parametrize("argv", ["reset -q --soft", "reset -q", "merge -q", "rebase -q"])
def test_commands_that_never_change_them_go_on(active: tuple[Path, str], argv: str) -> None:
    top, theirs = active
    assert said(top, *argv.split(), theirs)[0] == 0
    assert read(top, "merge-base", "HEAD", theirs) == theirs


def test_one_that_is_not_active_keeps_its_files(active: tuple[Path, str]) -> None:
    top, theirs = active
    with (top / ".git/config").open("a") as config:
        config.write('[submodule "sub"]\n\tactive = false\n')
    assert said(top, "checkout", "-q", "--detach", theirs)[0] == 0 and read(top, "rev-parse", "HEAD") == theirs


@pytest.mark.parametrize("argv", ["reset -q --hard", "checkout -q -f", "restore libs", "restore ."])
def test_local_changes_in_one_would_go_as_well(tmp_path: Path, argv: str) -> None:
    top = copy_of("submodule", tmp_path / "top")
    assert said(top, *argv.split())[0] == 0
    with (top / ".git/config").open("a") as config:
        config.write("[submodule]\n\trecurse = true\n\tactive = .\n")
    status, _, err = said(top, *argv.split())
    assert status == 128 and err.endswith("change the files of a submodule: 'libs/changed'\n")
    assert said(top, "restore", "top.txt") == (0, "", "")


@pytest.mark.parametrize(
    ("settings", "argv", "status", "words"),
    [
        ("", "--recurse-submodules b", 128,
         "fatal: branch with --recurse-submodules can only be used if submodule.propagateBranches is enabled\n"),
        ("propagateBranches", "--recurse-submodules -d main", 128,
         "fatal: --recurse-submodules can only be used to create branches\n"),
        ("propagateBranches", "--recurse-submodules b", 128, "gitglass does not make branches in submodules\n"),
        ("propagateBranches\n\trecurse", "b", 128, "gitglass does not make branches in submodules\n"),
        ("propagateBranches", "b", 0, ""),
        ("recurse", "b", 0, ""),
    ],
)  # fmt: skip
def test_branches_in_them(tmp_path: Path, settings: str, argv: str, status: int, words: str) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write(f"[submodule]\n\t{settings}\n" if settings else "")
    answer = said(repo, "branch", *argv.split())
    assert answer[0] == status and answer[2].endswith(words) and bool(answer[2]) == bool(words)
    assert (repo / ".git/refs/heads/b").exists() == (status == 0)


def test_one_is_named_with_a_slash_at_its_end(tmp_path: Path) -> None:
    """As git: `reset -- sub/` and `restore --staged sub/` give the entry back, `rm --cached sub/` takes it."""
    top, _, oids = prepared(tmp_path, ("m", "abc"))
    before = staged(top)
    assert before == f"160000 {oids['b']} 0\tsub"
    for words in (["reset", "-q", "--", "sub/"], ["restore", "--staged", "sub/"]):
        assert said(top, "rm", "-q", "--cached", "sub/") == (0, "", "")
        assert staged(top) == ""
        assert said(top, *words) == (0, "", "")
        assert staged(top) == before

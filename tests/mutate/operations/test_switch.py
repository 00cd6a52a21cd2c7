"""Where a switch goes: the branch of a remote, a merge base; and what it finds that there is not yet."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, refs, run, said

pytestmark = pytest.mark.writes


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """`side` is checked out, a commit beside `main`; both stand on one that is no branch's."""
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "base")
    run(repo, "switch", "-q", "-c", "side")
    commit(repo, "of side", name="s")
    run(repo, "switch", "-q", "main")
    commit(repo, "of main", name="m")
    run(repo, "switch", "-q", "side")
    return repo


def configure(repo: Path, words: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(words)


def follow(repo: Path, remote: str, folder: str, *branches: str) -> None:
    """A remote whose branches are kept below a directory, as fetched."""
    configure(repo, f'[remote "{remote}"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/{folder}/*\n')
    for branch in branches:
        run(repo, "update-ref", f"refs/remotes/{folder}/{branch}", "main")


@pytest.mark.parametrize("word", ["main...side", "main...", "...main", "side...main"])
@pytest.mark.parametrize(
    "line", ["switch --detach", "checkout", "checkout -b new", "switch -c new", "checkout -B main2"]
)
def test_two_names_with_three_dots_are_their_merge_base(two: Path, line: str, word: str) -> None:
    base = read(two, "rev-parse", "main~1")
    run(two, *line.split(), word)
    assert read(two, "rev-parse", "HEAD") == base and not (two / "s").exists()


def test_of_branches_and_files_too(two: Path) -> None:
    base = read(two, "rev-parse", "main~1")
    run(two, "branch", "new", "main...side")
    assert refs(two)["refs/heads/new"] == base
    (two / "f").write_text("other")
    run(two, "restore", "-s", "main...", "f")
    assert (two / "f").read_text() == "base"
    (two / "f").write_text("other")
    run(two, "checkout", "main...", "--", "f")
    assert (two / "f").read_text() == "base"
    words = "fatal: cannot set up tracking information; starting point 'main...' is not a branch\n"
    assert said(two, "branch", "-t", "other", "main...") == (128, "", words)
    assert said(two, "checkout", "main...nowhere")[0] == 1
    run(two, "checkout", "-q", "...")  # HEAD and HEAD
    assert read(two, "rev-parse", "HEAD") == refs(two)["refs/heads/side"]


def test_a_branch_of_a_remote_is_where_its_refspec_puts_it(two: Path) -> None:
    follow(two, "one", "elsewhere", "topic")
    run(two, "update-ref", "refs/remotes/one/never", "main")  # where no refspec of that remote leads
    assert said(two, "checkout", "never")[0] == 1
    status, out, _ = said(two, "checkout", "topic", "--")
    assert status == 0 and out == "branch 'topic' set up to track 'one/topic'.\n"
    assert refs(two)["refs/heads/topic"] == refs(two)["refs/heads/main"]


SEVERAL = """\
hint: If you meant to check out a remote tracking branch on, e.g. 'origin',
hint: you can do so by fully qualifying the name with the --track option:
hint: \nhint:     git checkout --track origin/<name>
hint: \nhint: If you'd like to always have checkouts of an ambiguous <name> prefer
hint: one remote, e.g. the 'origin' remote, consider setting
hint: checkout.defaultRemote=origin in your config.
"""
WORDS = "fatal: 'topic' matched multiple (2) remote tracking branches\n"


@pytest.mark.parametrize("command", ["switch", "checkout"])
def test_a_branch_of_several_remotes_is_none_but_for_a_default(two: Path, command: str) -> None:
    follow(two, "one", "one", "topic")
    follow(two, "two", "elsewhere", "topic")
    before = refs(two)
    assert said(two, command, "topic") == (128, "", SEVERAL + WORDS)
    configure(two, "[advice]\n\tcheckoutAmbiguousRemoteBranchName = false\n[checkout]\n\tdefaultRemote = three\n")
    assert said(two, command, "topic") == (128, "", WORDS)
    assert refs(two) == before
    configure(two, "\tdefaultRemote = two\n")
    run(two, command, "-q", "topic")
    assert read(two, "config", "branch.topic.remote") == "two"


def test_a_tree_that_is_a_file_as_well_needs_two_dashes(two: Path) -> None:
    (two / "main").write_text("a file")
    (two / "f").write_text("changed")
    words = (
        "fatal: ambiguous argument 'main': both revision and filename\n"
        "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'\n"
    )
    assert said(two, "checkout", "main", "f") == (128, "", words) and (two / "f").read_text() == "changed"
    run(two, "checkout", "main", "--", "f")
    assert (two / "f").read_text() == "base"


def test_nothing_counts_as_deleted_before_the_first_checkout(two: Path) -> None:
    """After `git clone --no-checkout` there is no index: a checkout of the same commit makes all files."""
    for name in ("index", "../f", "../s"):
        (two / ".git" / name).unlink()
    assert said(two, "checkout") == (0, "", "") and (two / "s").read_text() == "of side"
    assert read(two, "status", "--porcelain") == ""
    for name in ("index", "../f", "../s"):
        (two / ".git" / name).unlink()
    assert said(two, "checkout", "main") == (0, "", "Switched to branch 'main'\n")
    assert read(two, "ls-files") == "f\nm" and (two / "m").exists()


def test_what_is_in_the_way_of_the_first_checkout_stays(two: Path) -> None:
    (two / ".git/index").unlink()
    (two / "f").write_text("not of any commit")
    status, _, err = said(two, "checkout", "main")
    assert status == 1 and "untracked working tree files would be overwritten by checkout:\n\tf\n" in err
    assert (two / "f").read_text() == "not of any commit"


def test_a_branch_without_commits_is_nothing_to_check_out(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    words = "fatal: You are on a branch yet to be born\n"
    assert said(repo, "checkout") == said(repo, "checkout", "--detach") == (128, "", words)


def test_a_branch_that_is_left_without_commits_leaves_no_log(two: Path) -> None:
    run(two, "checkout", "-q", "--orphan", "eta")
    log = two / ".git/logs/refs/heads/eta"
    log.write_text("")
    run(two, "checkout", "-q", "side")
    assert not log.exists()


def test_how_to_keep_what_is_left_behind_is_advice_on_a_detached_head(two: Path) -> None:
    run(two, "checkout", "-q", "--detach")
    commit(two, "lost")
    hint = "If you want to keep it by creating a new branch, this may be a good time\n"
    assert hint in said(two, "checkout", "side")[2]
    run(two, "checkout", "-q", "--detach")
    commit(two, "lost too")
    configure(two, "[advice]\n\tdetachedHead = false\n")
    err = said(two, "checkout", "side")[2]
    assert err.startswith("Warning: you are leaving 1 commit behind") and hint not in err
    assert err.endswith(" lost too\n\nSwitched to branch 'side'\n")

"""Pulls: a fetch and a fast-forward or merge in one plan; what git refuses behind a fetch, and what is refused by
name."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, everything, planned, read, refs, run, said

from gitglass.errors import GitError, Unsupported
from gitglass.mutate.remote.fetch import Brought, Fetching
from gitglass.mutate.remote.web import RemoteFailed

pytestmark = pytest.mark.writes


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Somebody's repository, and ours that follows its branch."""
    up = empty(tmp_path / "up", bare=False)
    commit(up, "one")
    me = empty(tmp_path / "me", bare=False, origin="../up")
    run(me, "fetch", "-q")
    run(me, "checkout", "-q", "-b", "main", "--track", "origin/main")
    return up, me


def test_a_fast_forward(pair: tuple[Path, Path]) -> None:
    up, me = pair
    assert said(me, "pull") == (0, "Already up to date.\n", "")
    one, two = read(me, "rev-parse", "HEAD"), commit(up, "two")
    _, plan = planned(me, "pull")
    assert "ref refs/heads/main" in plan.preview.render() and "file f: " in plan.preview.render()
    status, out, err = said(me, "pull")
    assert status == 0 and out.startswith(f"Updating {one[:7]}..{two[:7]}\nFast-forward\n f | 2 +-\n")
    assert err == f"From ../up\n   {one[:7]}..{two[:7]}  main       -> origin/main\n"
    assert (me / "f").read_text() == "two" and read(me, "status", "--porcelain") == ""
    assert (me / ".git/logs/HEAD").read_text().endswith("\tpull: Fast-forward\n")


def test_histories_that_parted(pair: tuple[Path, Path]) -> None:
    up, me = pair
    two, mine = commit(up, "two"), commit(me, "mine", name="g")
    status, _, err = said(me, "pull")
    assert status == 128 and err.endswith("fatal: Need to specify how to reconcile divergent branches.\n")
    assert refs(me)["refs/remotes/origin/main"] == two and read(me, "rev-parse", "HEAD") == mine
    assert said(me, "pull", "--ff-only") == (128, "", "fatal: Not possible to fast-forward, aborting.\n")
    assert said(me, "pull", "--no-rebase")[0] == 0
    assert read(me, "log", "-1", "--format=%s %P") == f"Merge branch 'main' of ../up {mine} {two}"


def test_a_conflict_is_left_as_git_leaves_it(pair: tuple[Path, Path]) -> None:
    up, me = pair
    two = commit(up, "two")
    commit(me, "mine")
    status, out, _ = said(me, "pull", "--no-rebase")
    assert status == 1 and "CONFLICT (content): Merge conflict in f" in out
    assert (me / ".git/MERGE_HEAD").read_text() == two + "\n" and "<<<<<<< HEAD\n" in (me / "f").read_text()
    assert (me / ".git/MERGE_MSG").read_text().startswith("Merge branch 'main' of ../up\n")


@pytest.mark.parametrize(
    ("fetched", "subject"),
    [
        (["main"], "Merge branch 'main' of ../up"), (["HEAD"], "Merge ../up"), ([], "Merge branch 'main' of ../up"),
        (["tag", "v1"], "Merge tag 'v1' of ../up"), (None, "Merge branch 'kept'"),
    ],
)  # fmt: skip
def test_what_was_fetched_is_merged_by_the_name_of_its_file(
    pair: tuple[Path, Path], fetched: list[str] | None, subject: str
) -> None:
    """`fetch` and `merge FETCH_HEAD` come to what a pull does; the log names the words."""
    up, me = pair
    two, mine = commit(up, "two"), commit(me, "mine", name="g")
    run(up, "tag", "v1")
    if fetched is None:
        run(me, "fetch", "-q")
        run(me, "branch", "kept", "origin/main")
        run(me, "fetch", "-q", ".", "kept")
    else:
        run(me, "fetch", "-q", "origin", *fetched)
    assert said(me, "merge", "--ff-only", "FETCH_HEAD") == (
        128, "", "fatal: Not possible to fast-forward, aborting.\n"
    )  # fmt: skip
    assert said(me, "merge", "FETCH_HEAD")[0] == 0
    assert read(me, "log", "-1", "--format=%s %P") == f"{subject} {mine} {two}"
    assert (me / ".git/logs/HEAD").read_text().endswith("\tmerge FETCH_HEAD: Merge made by the 'ort' strategy.\n")


def test_a_fetch_of_nothing_or_of_more_than_one_commit_is_not_merged(pair: tuple[Path, Path]) -> None:
    up, me = pair
    (me / ".git/FETCH_HEAD").unlink()
    words = "could not open '.git/FETCH_HEAD' for reading: No such file or directory"
    assert said(me, "merge", "FETCH_HEAD") == (128, "", f"fatal: {words}\n")
    commit(up, "two")
    run(up, "branch", "other")
    run(me, "fetch", "-q", "origin", "main", "other")
    for more in ([], ["main"]):
        assert "gitglass merges FETCH_HEAD only where" in said(me, "merge", "FETCH_HEAD", *more)[2]


def test_where_no_remote_is_named_and_none_is_configured(tmp_path: Path) -> None:
    """There is nothing to fetch from, which is no mistake; and so nothing to merge."""
    me = empty(tmp_path / "me", bare=False)
    commit(me, "one")
    assert said(me, "fetch", "--dry-run") == (0, "", "") and not (me / ".git/FETCH_HEAD").exists()
    assert said(me, "fetch", "--prune") == (0, "", "") and (me / ".git/FETCH_HEAD").read_bytes() == b""
    (me / ".git/FETCH_HEAD").write_text("older\n")
    for switch, name, words in (("--ff-only", "<remote>", "merge with"), ("--rebase", "origin", "rebase against")):
        status, out, err = said(me, "pull", switch)
        assert (status, out) == (1, "") and (me / ".git/FETCH_HEAD").read_bytes() == b""
        assert err.startswith("There is no tracking information for the current branch.\nPlease specify which branch ")
        assert f"you want to {words}.\n" in err and f"--set-upstream-to={name}/<branch> main\n" in err


@pytest.mark.parametrize("switches", [("--rebase",), ("--rebase", "--autostash")])
def test_a_rebase_of_nothing_over_what_is_staged(tmp_path: Path, switches: tuple[str, ...]) -> None:
    me = empty(tmp_path / "me", bare=False, origin="../nowhere")
    (me / "f").write_text("x")
    run(me, "add", "f")
    words = "fatal: Updating an unborn branch with changes added to the index.\n"
    assert said(me, "pull", *switches) == (128, "", words)


def test_local_changes_in_the_way(pair: tuple[Path, Path]) -> None:
    up, me = pair
    two = commit(up, "two")
    (me / "f").write_text("dirty")
    status, _, err = said(me, "pull")
    assert status == 1 and "Your local changes to the following files would be overwritten by merge:\n\tf\n" in err
    assert (me / "f").read_text() == "dirty" and refs(me)["refs/remotes/origin/main"] == two


def test_what_is_refused(pair: tuple[Path, Path]) -> None:
    _, me = pair
    before = everything(me)
    for argv in (["--all"], ["--unshallow"]):
        with pytest.raises(GitError):
            planned(me, "pull", *argv)
    run_config(me, "[pull]\n\trebase = merges\n")
    for argv in ([], ["origin", "main"]):
        with pytest.raises(Unsupported):
            planned(me, "pull", *argv)
    run_config(me, "[pull]\n\trebase = false\n")
    before = everything(me)
    status, _, err = said(me, "pull", "origin", "nope")
    assert (status, err) == (1, "fatal: couldn't find remote ref nope\n")
    assert everything(me) == before
    run(me, "checkout", "-q", "-b", "loose")
    assert said(me, "pull")[2].startswith("There is no tracking information for the current branch.\n")


def run_config(repo: Path, words: str) -> None:
    """More words in the configuration."""
    with (repo / ".git/config").open("a") as config:
        config.write(words)


def test_a_rebase(pair: tuple[Path, Path]) -> None:
    """What is ours goes on top of what came, in logs called as the pull was; the upstream's own rewriting is no work of
    ours."""
    up, me = pair
    mine = commit(me, "mine", name="g")
    two = commit(up, "two")
    status, out, err = said(me, "pull", "--rebase")
    assert (status, out) == (0, "") and err.endswith("Successfully rebased and updated refs/heads/main.\n")
    assert read(me, "log", "-1", "--format=%s %P") == f"mine {two}" and read(me, "rev-parse", "HEAD") != mine
    log = (me / ".git/logs/HEAD").read_text().splitlines()[-3:]
    assert [line.partition("\t")[2] for line in log] == [
        f"pull --rebase (start): checkout {two}", "pull --rebase (pick): mine",
        "pull --rebase (finish): returning to refs/heads/main",
    ]  # fmt: skip
    assert said(me, "pull", "--rebase")[1] == "Current branch main is up to date.\n"
    run(up, "commit", "-q", "--amend", "-m", "two again")
    assert said(me, "pull", "-r")[0] == 0
    assert read(me, "log", "--format=%s") == "mine\ntwo again\none"


def test_a_rebase_that_is_none(pair: tuple[Path, Path]) -> None:
    up, me = pair
    two = commit(up, "two")
    assert "Fast-forward" in said(me, "pull", "--rebase")[1] and read(me, "rev-parse", "HEAD") == two
    (me / "f").write_text("dirty")
    before = everything(me)
    assert said(me, "pull", "--rebase") == (
        128, "", "error: cannot pull with rebase: You have unstaged changes.\nerror: please commit or stash them.\n"
    )  # fmt: skip
    assert everything(me) == before
    three = commit(up, "three", name="other")
    assert said(me, "pull", "--rebase", "--autostash")[0] == 0
    assert read(me, "rev-parse", "HEAD") == three and (me / "f").read_text() == "dirty"


def test_the_last_word_about_putting_away_counts(pair: tuple[Path, Path]) -> None:
    up, me = pair
    commit(up, "two")
    commit(me, "mine", name="g")
    (me / "g").write_text("dirty\n")
    run_config(me, "[rebase]\n\tautoStash = true\n")
    for words in (["--no-autostash"], ["--autostash", "--no-autostash"]):
        status, _, err = said(me, "pull", "--rebase", *words)
        assert status == 128 and "cannot pull with rebase: You have unstaged changes." in err
    assert said(me, "pull", "--rebase", "--no-autostash", "--autostash")[0] == 0
    assert (me / "g").read_text() == "dirty\n"


def test_a_rebase_that_stops(pair: tuple[Path, Path]) -> None:
    up, me = pair
    run_config(me, "[pull]\n\trebase = true\n")
    commit(up, "two")
    mine = commit(me, "mine")
    status, _, _ = said(me, "pull")
    assert status == 1 and (me / ".git/rebase-merge").is_dir() and "<<<<<<<" in (me / "f").read_text()
    assert said(me, "pull")[2].startswith("error: Pulling is not possible because you have unmerged files.\n")
    run(me, "rebase", "--abort")
    assert read(me, "rev-parse", "HEAD") == mine
    assert said(me, "pull", "--no-rebase")[0] == 1 and (me / ".git/MERGE_HEAD").exists()


def test_of_this_repository_itself_the_message_does_not_say_where_it_came_from(pair: tuple[Path, Path]) -> None:
    me = pair[1]
    run(me, "branch", "topic")
    commit(me, "mine", name="g")
    run(me, "switch", "-q", "topic")
    commit(me, "theirs", name="h")
    run(me, "switch", "-q", "main")
    run(me, "pull", "--no-rebase", ".", "topic")
    assert read(me, "log", "-1", "--format=%s") == "Merge branch 'topic'"


def test_local_changes_are_put_away_where_a_rebase_comes_to_a_fast_forward(pair: tuple[Path, Path]) -> None:
    """git merges then, and `rebase.autoStash` counts all the same; of a pull that merges it does not."""
    up, me = pair
    commit(me, "of ours", name="g")
    run(me, "push", "-q", "origin", "main:refs/heads/side")
    run(up, "reset", "-q", "--hard", "side")
    text = "".join(f"{number}\n" for number in range(9))
    commit(up, "a file", name="h", text=text)
    run(me, "pull", "-q")
    new = commit(up, "two", name="h", text=text + "more\n")
    (me / "h").write_text("first\n" + text)
    with (me / ".git/config").open("a") as config:
        config.write("[rebase]\n\tautoStash = true\n")
    assert said(me, "pull", "--no-rebase")[0] == 1
    status, out, err = said(me, "pull", "--rebase")
    assert status == 0 and "Fast-forward" in out and err.endswith("Applied autostash.\n")
    assert read(me, "rev-parse", "HEAD") == new and (me / "h").read_text() == f"first\n{text}more\n"


def test_a_branch_of_this_repository_that_was_rewritten_forks_where_its_log_says(pair: tuple[Path, Path]) -> None:
    """What was `topic` before is not made again on the new one (git-rebase(1), --fork-point)."""
    me = pair[1]
    run(me, "switch", "-q", "-c", "topic")
    commit(me, "old", name="g")
    run(me, "switch", "-q", "-c", "own")
    commit(me, "own", name="h")
    run(me, "switch", "-q", "topic")
    run(me, "reset", "-q", "--hard", "main")
    commit(me, "new", name="g", text="another")
    run(me, "switch", "-q", "own")
    run(me, "pull", "--rebase", ".", "topic")
    assert read(me, "log", "--format=%s") == "own\nnew\none"


@pytest.mark.parametrize("option", ["--no-rebase", "--rebase"])
def test_a_way_to_reconcile_on_the_command_line_comes_before_pull_ff_only(pair: tuple[Path, Path], option: str) -> None:
    up, me = pair
    commit(up, "two")
    commit(me, "mine", name="g")
    with (me / ".git/config").open("a") as config:
        config.write("[pull]\n\tff = only\n")
    assert said(me, "pull")[2].endswith("\nfatal: Not possible to fast-forward, aborting.\n")
    assert said(me, "pull", option)[0] == 0 and (me / "f").read_text() == "two" and (me / "g").exists()


@pytest.mark.parametrize(
    ("value", "rebases"), [("=true", True), ("=1", True), ("=no", False), ("=", False), ("=false --rebase", True)]
)
def test_a_rebase_may_have_a_value(pair: tuple[Path, Path], value: str, rebases: bool) -> None:
    up, me = pair
    mine, two = commit(me, "mine", name="g"), commit(up, "two")
    assert said(me, "pull", *f"--rebase{value}".split())[0] == 0
    assert read(me, "log", "-1", "--format=%P") == (two if rebases else f"{mine} {two}")


def test_a_value_that_says_nothing_about_a_rebase(pair: tuple[Path, Path]) -> None:
    me = pair[1]
    assert said(me, "pull", "--rebase=maybe") == (129, "", "error: invalid value for '--rebase': 'maybe'\n")
    for word in ("merges", "i"):
        with pytest.raises(Unsupported, match=f"does not take --rebase={word}"):
            run(me, "pull", f"--rebase={word}")


def test_a_remote_that_cannot_be_asked(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """It was the fetch that failed, which a pull ends with status 1 for."""

    def run(fetching: Fetching) -> Brought:
        raise RemoteFailed("unable to access 'https://host/x/': closed")

    monkeypatch.setattr(Fetching, "run", run)
    assert said(pair[1], "pull")[0] == 1

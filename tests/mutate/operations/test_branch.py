"""Branches of a bare repository, whose current branch may be given another place."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, refs, run, said
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes


@pytest.mark.parametrize("option, gone", [("-M", True), ("-C", False)])
def test_the_log_of_head_tells_of_what_took_the_current_branch_s_place(tmp_path: Path, option: str, gone: bool) -> None:
    repo = copy_of("bare", tmp_path / "bare.git")
    old, new = (read(repo, "rev-parse", name) for name in ("main", "topic"))
    log = repo / "logs/HEAD"
    log.parent.mkdir(exist_ok=True)
    log.write_bytes(b"")
    assert said(repo, "branch", option, "topic", "main") == (0, "", "")
    line = log.read_text()
    if gone:
        assert line.startswith(f"{old} {'0' * 40} ") and line.endswith(" +0000\n")
    else:
        assert line.startswith(f"{new} {new} ")
        assert line.endswith("\tBranch: copied refs/heads/topic to refs/heads/main\n")


def test_a_log_that_no_setting_asks_for_is_named(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    assert said(repo, "branch", "--create-reflog", "a")[0] == 0 and (repo / ".git/logs/refs/heads/a").exists()
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tlogAllRefUpdates = false\n")
    status, _, err = said(repo, "branch", "--create-reflog", "b")
    assert status and err.endswith("gitglass does not take --create-reflog\n")
    assert said(repo, "branch", "--no-create-reflog", "b") == (0, "", "")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two branches, of which `topic` was left for `main`, which follows it."""
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "one")
    run(repo, "branch", "topic")
    commit(repo, "two")
    run(repo, "branch", "-q", "-u", "topic")
    run(repo, "switch", "-q", "topic")
    run(repo, "switch", "-q", "main")
    return repo


@pytest.mark.parametrize(
    "words",
    [
        ["branch", "new", "x"], ["branch", "-f", "topic", "x"], ["branch", "-t", "new", "x"],
        ["checkout", "-q", "-b", "new", "x"], ["checkout", "-q", "-B", "new", "x"], ["switch", "-q", "-c", "new", "x"],
    ],
    ids=str,
)  # fmt: skip
def test_a_branch_does_not_start_at_a_name_of_several_refs(two: Path, words: list[str]) -> None:
    run(two, "tag", "x", "topic")
    run(two, "branch", "x", "main")
    before = refs(two)
    status, out, err = said(two, *words)
    assert (status, out) == (128, "") and err.endswith("fatal: ambiguous object name: 'x'\n")
    assert refs(two) == before
    assert said(two, "branch", "new", "heads/x")[0] == 0
    with (two / ".git/config").open("a") as config:
        config.write("[core]\n\twarnAmbiguousRefs = false\n")
    run(two, "branch", "other", "x")
    assert read(two, "rev-parse", "other") == read(two, "rev-parse", "refs/tags/x")


def test_switch_takes_the_branch_of_a_name_of_several_refs(two: Path) -> None:
    run(two, "tag", "x", "topic")
    run(two, "branch", "x", "main")
    run(two, "switch", "-q", "--detach", "x")
    assert read(two, "rev-parse", "HEAD") == read(two, "rev-parse", "main")


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["-D", "@{-1}"], {"main"}), (["-D", "@{u}"], {"main"}), (["-m", "@{-1}", "new"], {"main", "new"}),
        (["-c", "@{-1}", "new"], {"main", "new", "topic"}), (["-f", "@{-1}", "main"], {"main", "topic"}),
        (["-u", "main", "@{-1}"], {"main", "topic"}),
    ],
    ids=lambda words: " ".join(sorted(words) if isinstance(words, set) else words),
)  # fmt: skip
def test_a_branch_that_was_left_is_named_by_how_long_ago(two: Path, words: list[str], left: set[str]) -> None:
    assert said(two, "branch", "-q", *words) == (0, "", "")
    assert {name.removeprefix("refs/heads/") for name in refs(two)} == left
    if words[0] == "-f":
        assert read(two, "rev-parse", "topic") == read(two, "rev-parse", "main")
    if words[0] == "-u":
        assert read(two, "config", "branch.topic.merge") == "refs/heads/main"


def test_a_branch_that_is_there_is_named_in_the_refusal(two: Path) -> None:
    assert said(two, "branch", "@{-1}") == (128, "", "fatal: a branch named 'topic' already exists\n")
    assert said(two, "branch", "-D", "@{-9}") == (1, "", "error: branch '@{-9}' not found.\n")


@pytest.mark.parametrize("words", [["checkout", "-b", "new", "-"], ["switch", "-c", "new", "@{-1}"]], ids=str)
def test_the_log_names_the_branch_that_was_left(two: Path, words: list[str]) -> None:
    run(two, *words)
    assert (two / ".git/logs/refs/heads/new").read_text().endswith("\tbranch: Created from topic\n")


def test_the_branch_that_was_left_is_merged_and_picked(two: Path) -> None:
    run(two, "switch", "-q", "topic")
    commit(two, "three", name="g")
    run(two, "merge", "-q", "--no-edit", "-")
    assert read(two, "log", "-1", "--format=%B") == "Merge branch 'main' into topic"
    run(two, "switch", "-q", "main")
    assert said(two, "cherry-pick", "-n", "topic^1")[0] == 0
    run(two, "reset", "-q", "--hard")
    run(two, "branch", "-q", "-f", "topic", "main~1")
    empty_set = (128, "", "error: empty commit set passed\nfatal: cherry-pick failed\n")
    assert said(two, "cherry-pick", "main..main@{u}") == empty_set


@pytest.mark.parametrize("words", [["checkout", "-b", ""], ["checkout", "-B", ""], ["switch", "-c", ""],
                                   ["checkout", "--orphan", ""]], ids=str)  # fmt: skip
def test_an_empty_name_is_no_branch(two: Path, words: list[str]) -> None:
    assert said(two, *words) == (128, "", "fatal: '' is not a valid branch name\n")


@pytest.mark.parametrize("words", [["z"], ["-d", "topic"], ["-m", "topic", "z"], ["-u", "main", "topic"]], ids=str)
def test_head_outside_of_the_branches(two: Path, words: list[str]) -> None:
    (two / ".git/refs/remotes/o").mkdir(parents=True)
    (two / ".git/refs/remotes/o/x").write_text(read(two, "rev-parse", "main") + "\n")
    (two / ".git/HEAD").write_text("ref: refs/remotes/o/x\n")
    assert said(two, "branch", *words) == (128, "", "fatal: HEAD not found below refs/heads!\n")


def test_a_tag_may_be_named_head(two: Path) -> None:
    assert said(two, "tag", "HEAD") == (0, "", "")
    assert "refs/tags/HEAD" in refs(two)


HINTS = """\
hint: There are multiple remotes whose fetch refspecs map to the remote
hint: tracking ref 'refs/heads/main':
hint:   one
hint:   two
hint: \nhint: This is typically a configuration error.
hint: \nhint: To support setting up tracking branches, ensure that
hint: different remotes' fetch refspecs map into different
hint: tracking namespaces.
"""


def test_a_branch_that_could_follow_several_is_made_and_follows_none(two: Path) -> None:
    with (two / ".git/config").open("a") as config:
        for name in ("one", "two"):
            config.write(f'[remote "{name}"]\n\turl = x\n\tfetch = refs/heads/main:refs/heads/main\n')
    words = "fatal: not tracking: ambiguous information for ref 'refs/heads/main'\n"
    before = (two / ".git/config").read_bytes()
    assert said(two, "branch", "new", "main") == (128, "", words + HINTS)
    assert refs(two)["refs/heads/new"] == refs(two)["refs/heads/main"]
    assert said(two, "branch", "--no-track", "other", "main") == (0, "", "")
    head = read(two, "symbolic-ref", "HEAD")
    assert words in said(two, "switch", "-c", "third", "main")[2]
    assert read(two, "symbolic-ref", "HEAD") == head and (two / ".git/config").read_bytes() == before
    with (two / ".git/config").open("a") as config:
        config.write("[advice]\n\tambiguousFetchRefspec = false\n")
    assert said(two, "branch", "fourth", "main") == (128, "", words)


@pytest.mark.parametrize("option, verb", [("-m", "rename"), ("-c", "copy")])
def test_a_log_that_is_a_link_is_neither_moved_nor_copied(two: Path, option: str, verb: str) -> None:
    log = two / ".git/logs/refs/heads/topic"
    log.rename(two / ".git/logs/elsewhere")
    log.symlink_to("../../elsewhere")
    before = refs(two)
    words = f"error: reflog for refs/heads/topic is a symlink\nfatal: Branch {verb} failed\n"
    assert said(two, "branch", option, "topic", "new") == (128, "", words)
    assert refs(two) == before and log.is_symlink()

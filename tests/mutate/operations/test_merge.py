"""merge: what is put away while it is made, and comes back with whatever concludes it."""

from pathlib import Path

import pytest
from tests.support.peers import planned
from tests.support.writing import copy_of, done, state_of

import gitglass
from gitglass.errors import CommandFailed, Unsupported
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, Mutation, ResetRequest, SwitchRequest
from gitglass.request.ref_mutations import MergeRequest

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A branch `side` that conflicts with `main` in README.md, and a change beside it."""
    place = copy_of("plain", tmp_path / "repo")
    done(place, SwitchRequest(create_branch="side"))
    (place / "README.md").write_text("theirs\n")
    done(place, CommitRequest(message=["theirs"], all=True))
    done(place, SwitchRequest(branch="main"))
    (place / "README.md").write_text("ours\n")
    done(place, CommitRequest(message=["ours"], all=True))
    (place / "docs/nonl.txt").write_text("dirty\n")
    return place


def said(place: Path, *argv: str) -> str:
    return gitglass.git(list(argv), cwd=place, text=True).stdout


def solved(place: Path) -> None:
    (place / "README.md").write_text("both\n")
    done(place, AddRequest(paths=["README.md"]))


@pytest.mark.parametrize("conclusion", [CommitRequest(message=["m"]), MergeRequest(switches=["--continue"])], ids=str)
def test_it_comes_back_when_the_merge_is_committed(repo: Path, conclusion: Mutation) -> None:
    result = done(repo, MergeRequest(commits=["side"], switches=["--autostash"]))
    assert result.answer.out.startswith(b"Created autostash: ") and result.answer.status == 1
    assert (repo / ".git/MERGE_AUTOSTASH").exists() and (repo / "docs/nonl.txt").read_text() != "dirty\n"
    solved(repo)
    assert done(repo, conclusion).answer.err == b"Applied autostash.\n"
    assert (repo / "docs/nonl.txt").read_text() == "dirty\n" and not (repo / ".git/MERGE_AUTOSTASH").exists()
    assert said(repo, "log", "-1", "--format=%p").count(" ") == 1


def test_the_trees_of_the_index_are_not_the_commits_where_that_is_in_conflict(repo: Path) -> None:
    done(repo, MergeRequest(commits=["side"], switches=["--autostash"]))
    solved(repo)
    (repo / "docs/nonl.txt").write_text("dirty as well\n")
    result = done(repo, CommitRequest(message=["m"], all=True))
    assert result.answer.err.startswith(b"Applying autostash resulted in conflicts.\n")
    index = gitglass.open(repo).store.index
    assert list(index.unmerged) == [b"docs/nonl.txt"] and index.cache_tree is not None
    assert (index.cache_tree.oid, index.cache_tree.subtrees[b"docs"].oid) == (None, None)
    assert index.cache_tree.subtrees[b"src"].oid is not None


def test_it_comes_back_when_the_merge_is_aborted(repo: Path) -> None:
    before = state_of(repo)
    done(repo, MergeRequest(commits=["side"], switches=["--autostash"]))
    assert done(repo, MergeRequest(switches=["--abort"])).answer.err == b"Applied autostash.\n"
    assert state_of(repo) == before


@pytest.mark.parametrize(
    "end",
    [ResetRequest(mode="hard"), MergeRequest(switches=["--quit"]), SwitchRequest(branch="side", force=True)],
    ids=lambda one: str(one.git),
)
def test_it_is_an_entry_of_the_stash_where_the_merge_is_forgotten(repo: Path, end: Mutation) -> None:
    if isinstance(end, SwitchRequest):  # `switch` goes nowhere amid a merge, `checkout -f` does
        end = gitglass.request.mutations.CheckoutRequest(branch="side", force=True)
    done(repo, MergeRequest(commits=["side"], switches=["--autostash"]))
    assert b"Autostash exists; creating a new stash entry.\n" in done(repo, end).answer.err
    assert said(repo, "stash", "list") == "stash@{0}: autostash\n"
    assert said(repo, "show", "stash:docs/nonl.txt") == "dirty\n"
    assert not (repo / ".git/MERGE_AUTOSTASH").exists()


def test_it_comes_back_at_once_where_nothing_stops_the_merge(repo: Path) -> None:
    result = done(repo, MergeRequest(commits=["side"], options=["theirs"], switches=["--autostash"]))
    assert result.answer.status == 0 and result.answer.err == b"Applied autostash.\n"
    assert (repo / "docs/nonl.txt").read_text() == "dirty\n"
    assert said(repo, "status", "--short") == " M docs/nonl.txt\n"


@pytest.mark.parametrize("option", ["patience", "diff-algorithm=myers", "subtree=x", "renormalize", "find-renames=x"])
def test_options_of_the_strategy_that_the_engine_has_not_are_refused_by_name(repo: Path, option: str) -> None:
    (repo / "docs/nonl.txt").unlink()
    with pytest.raises(Unsupported, match=option):
        done(repo, MergeRequest(commits=["side"], options=[option]))


def test_how_alike_a_renamed_file_has_to_be_is_an_option(tmp_path: Path) -> None:
    place = copy_of("plain", tmp_path / "repo")
    (place / "long.txt").write_text("".join(f"line {number}\n" for number in range(20)))
    done(place, AddRequest(paths=["long.txt"]))
    done(place, CommitRequest(message=["long"]))
    done(place, SwitchRequest(create_branch="side"))
    (place / "long.txt").rename(place / "moved.txt")
    (place / "moved.txt").write_text("".join(f"line {number}\n" for number in range(14)) + "others\n" * 6)
    done(place, AddRequest(all=True))
    done(place, CommitRequest(message=["moved"]))
    done(place, SwitchRequest(branch="main"))
    (place / "long.txt").write_text("".join(f"line {number}\n" for number in range(20)).replace("line 0", "first"))
    done(place, CommitRequest(message=["first"], all=True))
    assert done(place, MergeRequest(commits=["side"], options=["find-renames=95%"])).answer.status == 1
    done(place, MergeRequest(switches=["--abort"]))
    assert done(place, MergeRequest(commits=["side"], options=["find-renames=40%"])).answer.status == 0
    assert (place / "moved.txt").read_text().startswith("first\nline 1\n")


def test_it_is_back_where_files_are_in_the_way_of_the_merge(repo: Path) -> None:
    done(repo, SwitchRequest(branch="side", discard_changes=True))
    (repo / "new").write_text("theirs\n")
    done(repo, AddRequest(paths=["new"]))
    done(repo, CommitRequest(message=["new"]))
    done(repo, SwitchRequest(branch="main"))
    (repo / "new").write_text("untracked\n")
    (repo / "docs/nonl.txt").write_text("dirty\n")
    with pytest.raises(CommandFailed) as raised:
        done(repo, MergeRequest(commits=["side"], switches=["--autostash", "--no-ff"]))
    out, err = raised.value.streams()
    assert out.startswith(b"Created autostash: ") and b"\tnew\n" in err
    assert err.endswith(b"Merge with strategy ort failed.\nApplied autostash.\n")
    assert (repo / "docs/nonl.txt").read_text() == "dirty\n"


def test_nothing_is_put_away_where_the_recorded_gitmodules_is_malformed(tmp_path: Path) -> None:
    """git puts it away, finds that the file that is back cannot be read, and stops."""
    place = copy_of("submodule", tmp_path / "repo")
    with (place / ".gitmodules").open("a") as file:
        file.write("bad line\n")
    done(place, CommitRequest(message=["bad"], paths=[".gitmodules"], switches=["--include"]))
    done(place, SwitchRequest(create_branch="side", commit="HEAD~1", force=True))
    (place / "new").write_text("new\n")
    done(place, AddRequest(paths=["new"]))
    done(place, CommitRequest(message=["new"]))
    done(place, SwitchRequest(branch="main", force=True))
    (place / ".gitmodules").unlink()
    before = state_of(place)
    with pytest.raises(CommandFailed, match=r"^bad config line 7 in file .*gitmodules\nfatal: stash failed$") as caught:
        done(place, MergeRequest(commits=["side"], switches=["--autostash"]))
    assert caught.value.status == 128 and state_of(place) == before


def test_what_would_be_normalized_in_a_merge_is_refused_by_name(repo: Path) -> None:
    config = repo / ".git/config"
    config.write_text(config.read_text() + "[merge]\n\trenormalize = true\n")
    done(repo, MergeRequest(commits=["side"]))  # nothing converts the file that both have changed
    done(repo, MergeRequest(switches=["--abort"]))
    (repo / ".gitattributes").write_text("*.md text\n")
    before = state_of(repo)
    with pytest.raises(Unsupported, match=r"^gitglass does not merge by 'merge\.renormalize', and 'README\.md'"):
        done(repo, MergeRequest(commits=["side"]))
    assert state_of(repo) == before


def test_ends_of_lines_are_not_merged_where_the_other_side_has_attributes_for_them(repo: Path) -> None:
    """git merges by the attributes of the result, which nothing of this side shows yet."""
    done(repo, ResetRequest(mode="hard"))
    (repo / "README.md").write_bytes(b"ours\r\n")
    done(repo, CommitRequest(message=["a CR"], all=True))
    done(repo, SwitchRequest(branch="side"))
    (repo / ".gitattributes").write_text("* text=auto\n")
    done(repo, AddRequest(paths=[".gitattributes"]))
    done(repo, CommitRequest(message=["attributes"]))
    done(repo, SwitchRequest(branch="main"))
    with (repo / ".git/config").open("a") as config:
        config.write("[merge]\n\trenormalize = true\n")
    with pytest.raises(Unsupported, match=r"^gitglass does not merge by 'merge\.renormalize', and 'README\.md'"):
        done(repo, MergeRequest(commits=["side"]))


@pytest.mark.parametrize(("setting", "is_noted"), [("", False), ("true", True), ("false", False)])
def test_conflicts_that_git_would_record_are_noted(tmp_path: Path, setting: str, is_noted: bool) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write(f"[rerere]\n\tenabled = {setting}\n" if setting else "")
    notes = planned(repo, "merge", "topic")[1].preview.notes
    assert ("conflicts of the merge are not recorded for rerere" in notes) == is_noted
    (repo / ".git/rr-cache").mkdir()
    notes = planned(repo, "merge", "topic")[1].preview.notes
    assert ("conflicts of the merge are not recorded for rerere" in notes) == (setting != "false")


@pytest.mark.parametrize(
    "words, signed",
    [
        ("subject", "subject\n\n{}"), ("subject\n\nFor: x", "subject\n\nFor: x\n{}"),
        ("subject\n\n{}", "subject\n\n{}"), ("subject\n\n{}For: x", "subject\n\n{}For: x\n{}"),
        ("subject\n\n# note\n", "subject\n\n{}\n# note\n"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_merge_is_signed_off_as_a_commit_is(repo: Path, words: str, signed: str) -> None:
    done(repo, ResetRequest(mode="hard"))
    line = "Signed-off-by: A <a@b>\n"
    done(repo, MergeRequest(commits=["side"], options=["ours"], message=[words.format(line)], switches=["--signoff"]))
    assert said(repo, "cat-file", "commit", "HEAD").partition("\n\n")[2] == signed.format(line, line)


@pytest.mark.parametrize(
    "words, message",
    [(["a\n\n\n", "b"], "a\n\n\n\n\nb"), (["", "b\n"], "b\n"), (["a", "", "b"], "a\n\n\n\nb")],
    ids=repr,
)
def test_a_verbatim_message_of_a_merge_has_no_more_ends_of_lines(repo: Path, words: list[str], message: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write("[commit]\n\tcleanup = verbatim\n")
    done(repo, ResetRequest(mode="hard"))
    done(repo, MergeRequest(commits=["side"], options=["ours"], message=words))
    assert said(repo, "cat-file", "commit", "HEAD").partition("\n\n")[2] == message


def another(repo: Path) -> None:
    """One more branch, `other`."""
    done(repo, SwitchRequest(create_branch="other", commit="HEAD~1"))
    (repo / "other").write_text("")
    done(repo, AddRequest(paths=["other"]))
    done(repo, CommitRequest(message=["other"]))
    done(repo, SwitchRequest(branch="main"))


@pytest.mark.parametrize("setting, words", [("twohead", ["side"]), ("octopus", ["side", "other"])], ids=str)
def test_strategies_of_the_settings_are_refused_by_name(repo: Path, setting: str, words: list[str]) -> None:
    """`pull.twohead` and `pull.octopus` are git's for `git merge` too, where none is named."""
    done(repo, ResetRequest(mode="hard"))
    another(repo)
    with (repo / ".git/config").open("a") as config:
        config.write(f"[pull]\n\t{setting} = ours\n")
    before = state_of(repo)
    with pytest.raises(Unsupported, match="only, not 'ours'"):
        done(repo, MergeRequest(commits=words))
    assert state_of(repo) == before


def test_several_commits_are_merged_by_octopus_alone(repo: Path) -> None:
    done(repo, ResetRequest(mode="hard"))
    another(repo)
    with pytest.raises(Unsupported, match="octopus only, not 'recursive'"):
        done(repo, MergeRequest(commits=["side", "other"], strategy=["recursive"]))


@pytest.mark.parametrize(
    "words", [["restore", "--ignore-unmerged", "."], ["checkout", "-f", "--", "."]], ids=lambda words: words[0]
)
def test_conflicts_that_are_passed_over_are_named_unless_it_is_to_be_quiet(repo: Path, words: list[str]) -> None:
    done(repo, MergeRequest(commits=["side"]))
    for quiet, err in ((["-q"], b""), ([], b"warning: path 'README.md' is unmerged\n")):
        writer, plan = planned(repo, words[0], *quiet, *words[1:])
        said = writer.apply(plan, approve(plan, "test")).answer.err
        assert (said.startswith(err) if err else said == err) and b"<<<<<<<" in (repo / "README.md").read_bytes()

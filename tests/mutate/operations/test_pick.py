"""cherry-pick and revert: what a host sees of a series before it happens, and how it is turned round."""

from pathlib import Path

import pytest
from tests.support.writing import copy_of, done, state_of, writer_of

import gitglass
from gitglass.errors import CommandFailed, InvalidArgs, Unsupported
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, ResetRequest, StashRequest, SwitchRequest
from gitglass.request.pick_mutations import CherryPickRequest, RevertRequest

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A branch `side` with three commits: a new file, a change that conflicts with main's, another new file."""
    place = copy_of("plain", tmp_path / "repo")
    done(place, SwitchRequest(create_branch="side"))
    for number, (name, content) in enumerate((("a.txt", "a\n"), ("README.md", "theirs\n"), ("b.txt", "b\n"))):
        (place / name).write_text(content)
        staged(place, name)
        done(place, CommitRequest(message=[f"side {number}"]))
    done(place, SwitchRequest(branch="main"))
    (place / "README.md").write_text("ours\n")
    done(place, CommitRequest(message=["main"], all=True))
    return place


def staged(place: Path, name: str) -> None:
    done(place, AddRequest(paths=[name]))


def said(place: Path, *argv: str) -> str:
    return gitglass.git(list(argv), cwd=place, text=True).stdout


def test_a_series_is_shown_up_to_the_commit_that_stops_it(repo: Path) -> None:
    before = state_of(repo)
    writer = writer_of(repo)
    plan = writer.plan(CherryPickRequest(commits=["main..side"]))
    assert state_of(repo) == before
    assert plan.answer.status == 1 and b"could not apply" in plan.answer.err
    stages = {entry.path: [row.stage for row in entry.after] for entry in plan.changes.entries}
    assert stages == {b"README.md": [1, 2, 3], b"a.txt": [0]}
    assert [file.name for file in plan.changes.git_files if file.name.startswith(b"sequencer/") and file.after] == [
        b"sequencer/todo", b"sequencer/head", b"sequencer/abort-safety",
    ]  # fmt: skip
    result = writer.apply(plan, approve(plan, "test"))
    assert result.verified and (repo / "a.txt").exists() and not (repo / "b.txt").exists()
    assert "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> " in (repo / "README.md").read_text()
    assert said(repo, "log", "-1", "--format=%s") == "side 0\n"


def test_a_series_goes_on_where_it_stopped_and_is_turned_round(repo: Path) -> None:
    before = state_of(repo)
    first = done(repo, CherryPickRequest(commits=["main..side"]))
    (repo / "README.md").write_text("both\n")
    staged(repo, "README.md")
    done(repo, CherryPickRequest(switches=["--continue"]))
    assert said(repo, "log", "-4", "--format=%s") == "side 2\nside 1\nside 0\nmain\n"
    assert (repo / "b.txt").exists() and not (repo / ".git/sequencer").exists()
    writer = writer_of(repo)
    for operation in reversed(writer.operations()):
        if operation.number >= next(one.number for one in writer.operations() if one.id == first.operation):
            undo = writer.undo(operation.id)
            writer.apply(undo, approve(undo, "test"))
    assert (repo / "README.md").read_text() == "both\n"  # no operation's: what a person wrote meanwhile stays
    (repo / "README.md").write_text("ours\n")
    assert state_of(repo) == before


def test_abort_goes_back_and_skip_goes_on(repo: Path) -> None:
    start = said(repo, "rev-parse", "HEAD")
    done(repo, CherryPickRequest(commits=["main..side"]))
    done(repo, CherryPickRequest(switches=["--abort"]))
    assert said(repo, "rev-parse", "HEAD") == start and said(repo, "status", "--short") == ""
    done(repo, CherryPickRequest(commits=["main..side"]))
    done(repo, CherryPickRequest(switches=["--skip"]))
    assert said(repo, "log", "-3", "--format=%s") == "side 2\nside 0\nmain\n"


def test_nothing_is_done_where_the_first_commit_cannot_be_taken(repo: Path) -> None:
    (repo / "a.txt").write_text("in the way\n")
    before = state_of(repo)
    with pytest.raises(CommandFailed, match="untracked working tree files would be overwritten by merge"):
        done(repo, CherryPickRequest(commits=["side~2", "side"]))
    with pytest.raises(CommandFailed, match="does not have parent 2"):
        done(repo, RevertRequest(commits=["HEAD"], mainline=2))
    assert state_of(repo) == before


def test_a_revert_names_what_it_takes_back(repo: Path) -> None:
    name = said(repo, "rev-parse", "HEAD").strip()
    done(repo, RevertRequest(commits=["HEAD"]))
    assert said(repo, "log", "-1", "--format=%B") == f'Revert "main"\n\nThis reverts commit {name}.\n\n'
    assert said(repo, "diff", "HEAD~2", "HEAD") == ""


@pytest.mark.parametrize("switches", [["-e"], ["--abort", "--skip"]])
def test_what_is_not_taken_is_refused(repo: Path, switches: list[str]) -> None:
    with pytest.raises((Unsupported, InvalidArgs)):
        done(repo, CherryPickRequest(commits=["side"] if switches == ["-e"] else [], switches=switches))


def test_a_stash_does_not_lose_what_a_merge_has_put_away(repo: Path) -> None:
    (repo / ".git/MERGE_AUTOSTASH").write_text(said(repo, "rev-parse", "HEAD"))
    (repo / "README.md").write_text("more\n")
    with pytest.raises(Unsupported, match="MERGE_AUTOSTASH"):
        done(repo, StashRequest())


def test_quit_forgets_what_was_stopped_at_with_a_series_or_without(repo: Path) -> None:
    for commits in (["side~1"], ["main..side"]):
        done(repo, CherryPickRequest(commits=commits))
        assert (repo / ".git/CHERRY_PICK_HEAD").exists()
        done(repo, RevertRequest(switches=["--quit"]))
        left = {"CHERRY_PICK_HEAD", "MERGE_MSG", "AUTO_MERGE", "sequencer"}
        assert left.isdisjoint(path.name for path in (repo / ".git").iterdir())
        done(repo, ResetRequest(mode="hard"))


def test_one_commit_amid_a_series_is_where_the_series_was_left(repo: Path) -> None:
    done(repo, CherryPickRequest(commits=["main..side"]))
    with pytest.raises(CommandFailed, match="your index file is unmerged") as refused:
        done(repo, RevertRequest(commits=["HEAD"], no_commit=True))
    stages = said(repo, "ls-files", "-u", "--format=%(path): unmerged (%(objectname))")
    assert refused.value.streams()[1].decode().startswith(stages + "error: your index file")
    done(repo, ResetRequest(mode="hard"))
    done(repo, RevertRequest(commits=["HEAD"]))
    assert (repo / ".git/sequencer/abort-safety").read_text() == said(repo, "rev-parse", "HEAD")
    done(repo, CherryPickRequest(switches=["--abort"]))
    assert said(repo, "log", "-1", "--format=%s") == "main\n"

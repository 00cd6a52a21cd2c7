"""rebase: what a host sees of it before it happens, how dangerous it is, how it goes on and is turned round."""

from pathlib import Path

import pytest
from tests.support.writing import copy_of, done, state_of, writer_of

import gitglass
from gitglass.errors import BadRequest, CommandFailed, Unsupported
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, SwitchRequest
from gitglass.request.ref_mutations import RebaseRequest, UpdateRefRequest

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A branch `side` with three commits: a new file, a change that conflicts with main's, another new file."""
    place = copy_of("plain", tmp_path / "repo")
    done(place, SwitchRequest(create_branch="side"))
    for number, (name, content) in enumerate((("a.txt", "a\n"), ("README.md", "theirs\n"), ("b.txt", "b\n"))):
        (place / name).write_text(content)
        done(place, AddRequest(paths=[name]))
        done(place, CommitRequest(message=[f"side {number}"], author="Ann O'Ther <ann@x>", date="@1500000000 +0300"))
    done(place, SwitchRequest(branch="main"))
    (place / "README.md").write_text("ours\n")
    done(place, CommitRequest(message=["main"], all=True))
    done(place, SwitchRequest(branch="side"))
    return place


def said(place: Path, *argv: str) -> str:
    return gitglass.git(list(argv), cwd=place, text=True).stdout


def solved(place: Path, content: str = "both\n") -> None:
    (place / "README.md").write_text(content)
    done(place, AddRequest(paths=["README.md"]))


def test_a_rebase_is_shown_up_to_the_commit_that_stops_it_with_the_conflict(repo: Path) -> None:
    before = state_of(repo)
    writer = writer_of(repo)
    plan = writer.plan(RebaseRequest(commits=["main"]))
    assert state_of(repo) == before
    shown = plan.preview.lines
    made = next(oid.hex() for oid, (kind, _) in plan.changes.objects.items() if kind == b"commit")
    assert shown[0].endswith(f"side 0 -> {made[:12]}")
    assert "side 1: conflict" in shown[1]
    assert "  CONFLICT (content): Merge conflict in README.md" in shown
    at = shown.index("  | <<<<<<< HEAD")
    assert shown[at : at + 4] == ["  | <<<<<<< HEAD", "  | ours", "  | =======", "  | theirs"]
    assert plan.preview.risk == "Medium" and plan.answer.status == 1
    result = writer.apply(plan, approve(plan, "test"))
    assert result.verified
    assert said(repo, "log", "-1", "--format=%H %s") == f"{made} side 0\n"
    assert (repo / ".git/rebase-merge/author-script").read_text() == (
        "GIT_AUTHOR_NAME='Ann O'\\''Ther'\nGIT_AUTHOR_EMAIL='ann@x'\nGIT_AUTHOR_DATE='@1500000000 +0300'\n"
    )
    assert "You are currently rebasing branch 'side' on " in said(repo, "status")


def test_it_goes_on_with_message_and_author_and_the_branch_moves_once(repo: Path) -> None:
    old = said(repo, "rev-parse", "side").strip()
    done(repo, RebaseRequest(commits=["main"]))
    assert said(repo, "rev-parse", "side").strip() == old
    solved(repo)
    result = done(repo, RebaseRequest(switches=["--continue"]))
    assert result.answer.err.endswith(b"Successfully rebased and updated refs/heads/side.\n")
    assert said(repo, "log", "-4", "--format=%s|%an|%at|%cn") == (
        "side 2|Ann O'Ther|1500000000|A\nside 1|Ann O'Ther|1500000000|A\nside 0|Ann O'Ther|1500000000|A\nmain|A|1700000000|A\n"
    )
    assert not (repo / ".git/rebase-merge").exists() and said(repo, "status", "-bs") == "## side\n"
    logged = said(repo, "reflog", "-6", "--format=%gs").splitlines()
    assert logged[0] == "rebase (finish): returning to refs/heads/side" and logged[2] == "rebase (continue): side 1"
    assert logged[-2] == "rebase (start): checkout main"


def test_every_step_is_turned_round(repo: Path) -> None:
    before = state_of(repo)
    first = done(repo, RebaseRequest(commits=["main"]))
    solved(repo)
    done(repo, RebaseRequest(switches=["--continue"]))
    writer = writer_of(repo)
    number = next(one.number for one in writer.operations() if one.id == first.operation)
    for operation in [one for one in reversed(writer.operations()) if one.number >= number]:
        undo = writer.undo(operation.id)
        assert writer.apply(undo, approve(undo, "test")).unexpected == []
    assert not (repo / ".git/rebase-merge").exists()
    (repo / "README.md").write_text("theirs\n")  # what a person wrote meanwhile was left alone
    assert state_of(repo) == before


def test_abort_goes_back_skip_leaves_one_out_and_quit_stays(repo: Path) -> None:
    before = state_of(repo)
    done(repo, RebaseRequest(commits=["main"]))
    (repo / "README.md").write_text("half solved\n")
    plan = writer_of(repo).plan(RebaseRequest(switches=["--abort"]))
    assert plan.preview.risk == "High" and plan.preview.losses[0].name == "README.md"
    done(repo, RebaseRequest(switches=["--abort"]))
    assert state_of(repo) == before
    done(repo, RebaseRequest(commits=["main"]))
    done(repo, RebaseRequest(switches=["--quit"]))
    assert said(repo, "status", "-bs").splitlines()[0] == "## HEAD (no branch)"
    done(repo, SwitchRequest(branch="side", force=True))
    done(repo, RebaseRequest(commits=["main"]))
    done(repo, RebaseRequest(switches=["--skip"]))
    assert said(repo, "log", "-3", "--format=%s") == "side 2\nside 0\nmain\n"


def test_commits_that_a_remote_has_make_it_a_high_risk(repo: Path) -> None:
    pushed = said(repo, "rev-parse", "--short", "side~2").strip()
    done(repo, UpdateRefRequest(ref="refs/remotes/origin/side", new="side~2"))
    plan = writer_of(repo).plan(RebaseRequest(commits=["main"]))
    assert plan.preview.risk == "High"
    assert plan.preview.lines[0] == f"already pushed, and made anew: {pushed}"
    plan = writer_of(repo).plan(RebaseRequest(commits=["side~2"], onto="main"))
    assert plan.preview.risk == "Medium"


def test_uncommitted_changes_and_a_second_rebase_are_refused(repo: Path) -> None:
    (repo / "a.txt").write_text("more\n")
    with pytest.raises(CommandFailed, match="cannot rebase: You have unstaged changes") as refused:
        done(repo, RebaseRequest(commits=["main"]))
    assert refused.value.status == 1
    done(repo, AddRequest(paths=["a.txt"]))
    with pytest.raises(CommandFailed, match="cannot rebase: Your index contains uncommitted changes"):
        done(repo, RebaseRequest(commits=["main"]))
    done(repo, CommitRequest(message=["more"]))
    done(repo, RebaseRequest(commits=["main"]))
    with pytest.raises(BadRequest, match="there is already a rebase-merge directory"):
        done(repo, RebaseRequest(commits=["main"]))
    with pytest.raises(CommandFailed) as unresolved:
        done(repo, RebaseRequest(switches=["--continue"]))
    assert unresolved.value.streams()[0].startswith(b"README.md: needs merge\nYou must edit all merge conflicts")


@pytest.mark.parametrize(
    "request_",
    [
        RebaseRequest(commits=["main"], interactive=True),
        RebaseRequest(commits=["main"], run=["true"]),
        RebaseRequest(commits=["main"], switches=["--rebase-merges"]),
        RebaseRequest(commits=["main"], switches=["--autosquash"]),
        RebaseRequest(commits=["main"], switches=["--apply"]),
        RebaseRequest(commits=["main"], switches=["--update-refs"]),
        RebaseRequest(commits=["main"], strategy=["octopus"]),
        RebaseRequest(root=True),
    ],
    ids=str,
)
def test_what_is_not_taken_is_refused_by_name(repo: Path, request_: RebaseRequest) -> None:
    before = state_of(repo)
    with pytest.raises(Unsupported):
        done(repo, request_)
    assert state_of(repo) == before


@pytest.mark.parametrize("name", ["pre-rebase", "post-rewrite", "post-checkout"])
def test_hooks_are_refused_or_skipped_and_named(repo: Path, name: str) -> None:
    hook = repo / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unsupported, match=name):
        done(repo, RebaseRequest(commits=["main"]))
    plan = writer_of(repo, hooks="skip").plan(RebaseRequest(commits=["main"]))
    assert f"hook {name} was not run" in plan.preview.notes


@pytest.mark.parametrize("name", ["gpg_sign_opt", "amend", "squash-onto", "current-fixups"])
def test_a_rebase_of_another_kind_is_not_gone_on_with(repo: Path, name: str) -> None:
    done(repo, RebaseRequest(commits=["main"]))
    (repo / ".git/rebase-merge" / name).write_text("x\n")
    solved(repo)
    with pytest.raises(Unsupported, match="does not go on with a rebase that"):
        done(repo, RebaseRequest(switches=["--continue"]))


def test_what_is_put_away_comes_back_at_the_end_or_when_it_is_aborted(repo: Path) -> None:
    (repo / "docs/nonl.txt").write_text("dirty\n")
    before = state_of(repo)
    result = done(repo, RebaseRequest(commits=["main"], switches=["--autostash"]))
    assert result.answer.out.startswith(b"Created autostash: ") and (repo / ".git/rebase-merge/autostash").exists()
    assert (repo / "docs/nonl.txt").read_text() != "dirty\n"
    result = done(repo, RebaseRequest(switches=["--abort"]))
    assert result.answer.err == b"Applied autostash.\n" and state_of(repo) == before
    result = done(repo, RebaseRequest(commits=["side~1"], force=True, switches=["--autostash"]))
    assert b"Applied autostash.\n" in result.answer.err and (repo / "docs/nonl.txt").read_text() == "dirty\n"
    assert said(repo, "stash", "list") == ""


def test_what_is_put_away_and_cannot_come_back_is_an_entry_of_the_stash(repo: Path) -> None:
    done(repo, SwitchRequest(create_branch="other", commit="side~2"))
    (repo / "README.md").write_text("dirty\n")
    result = done(repo, RebaseRequest(commits=["main"], switches=["--autostash"]))
    assert b"Applying autostash resulted in conflicts.\n" in result.answer.err and result.answer.status == 0
    assert said(repo, "stash", "list") == "stash@{0}: autostash\n"
    assert said(repo, "show", "stash:README.md") == "dirty\n"
    assert said(repo, "status", "--short") == "UU README.md\n"


def test_head_gets_the_permissions_of_a_shared_repository_where_a_branch_is_named(repo: Path) -> None:
    with (repo / ".git/config").open("a") as stream:
        stream.write("[core]\n\tsharedRepository = group\n")
    assert (repo / ".git/HEAD").stat().st_mode & 0o777 == 0o644
    done(repo, RebaseRequest(commits=["side~1", "side"]))
    assert (repo / ".git/HEAD").stat().st_mode & 0o777 == 0o664

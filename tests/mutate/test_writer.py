"""Plans, approvals, grants, undo: what a host relies on."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.writing import CLOCK, copy_of, done, state_of, writer_of

import gitglass
from gitglass.errors import (
    Conflict,
    Corrupt,
    GitError,
    InvalidArgs,
    Locked,
    NotFound,
    NotGranted,
    StaleApproval,
    TooLarge,
    Unsupported,
)
from gitglass.limits import LARGE
from gitglass.mutate import journal
from gitglass.mutate.changes import ABSENT, LogChange
from gitglass.mutate.grant import Identity, Moment, WriteGrant
from gitglass.mutate.plan import digest_of
from gitglass.mutate.ref_files import log_line
from gitglass.mutate.writer import PlanApproval, Writer, approve
from gitglass.request.mutations import (
    AddRequest,
    CheckoutRequest,
    CommitRequest,
    MoveRequest,
    Mutation,
    RemoveRequest,
    ResetRequest,
    RestoreRequest,
    SwitchRequest,
    UndoRequest,
)
from gitglass.request.ref_mutations import BranchChange, MergeRequest, PushRequest, TagChange

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def files_of(place: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in place.rglob("*") if path.is_file() and not path.is_symlink()}


def test_a_plan_writes_nothing_and_is_a_function(repo: Path) -> None:
    before = files_of(repo)
    request = CommitRequest(message=["m"], switches=["--allow-empty"])
    first, second = writer_of(repo).plan(request), writer_of(repo).plan(request)
    assert first.digest == second.digest and files_of(repo) == before
    later = writer_of(repo).plan(request, moment=Moment(CLOCK + 1, 0))
    other = writer_of(repo, identity=Identity("B", "a@b")).plan(request)
    assert len({first.digest, later.digest, other.digest}) == 3


def test_the_commit_is_the_one_that_was_shown(repo: Path) -> None:
    writer = writer_of(repo)
    plan = writer.plan(CommitRequest(message=["m"], switches=["--allow-empty"]))
    (oid,) = (oid.hex() for oid, (kind, _) in plan.changes.objects.items() if kind == b"commit")
    assert f"new commit {oid}" in plan.preview.render()
    result = writer.apply(plan, approve(plan, "me"))
    assert result.changed and result.verified and result.unexpected == []
    assert gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout.decode().strip() == oid


def test_an_approval_is_for_one_plan_once_and_for_a_while(repo: Path) -> None:
    writer = writer_of(repo)
    plan = writer.plan(BranchChange(names=["one"]))
    other = writer.plan(BranchChange(names=["two"]))
    with pytest.raises(StaleApproval, match="another plan"):
        writer.apply(plan, approve(other, "me"))
    with pytest.raises(StaleApproval, match="expired"):
        writer.apply(plan, approve(plan, "me", seconds=-1))
    good = approve(plan, "me")
    assert writer.apply(plan, good).changed
    with pytest.raises(StaleApproval, match="used already"):
        writer.apply(plan, good)
    other.changes.refs[0] = plan.changes.refs[0]
    with pytest.raises(StaleApproval, match="another plan"):
        writer.apply(other, PlanApproval(other.digest, "me", CLOCK * 2, "n"))


def test_a_yes_is_for_one_repository(repo: Path, tmp_path: Path) -> None:
    """A token is taken by another process, which has only its words: two clones can be in one state."""
    twin = tmp_path / "twin"
    shutil.copytree(repo, twin, symlinks=True)
    request = BranchChange(names=["made"])
    plan, other = writer_of(repo).plan(request), writer_of(twin).plan(request)
    assert plan.changes == other.changes and plan.digest != other.digest
    with pytest.raises(StaleApproval):
        writer_of(twin).apply(other, approve(plan, "me"))
    assert not (twin / ".git/refs/heads/made").exists()


def test_a_preview_says_where_a_setting_puts_the_files(repo: Path, tmp_path: Path) -> None:
    """The library refuses such a place unless a root holds both; whoever says yes is told of it."""
    request = RestoreRequest(paths=["."])
    (repo / "README.md").unlink()
    before = writer_of(repo)
    grant = before.grant
    assert before.plan(request).preview.notes == []
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    settings = (repo / ".git/config").read_text()
    (repo / ".git/config").write_text(f"{settings}[core]\n\tworktree = {elsewhere}\n")
    writer = Writer(gitglass.open(repo, root=tmp_path), grant)
    assert f"note: the files are those of '{elsewhere}' (core.worktree)" in writer.plan(request).preview.render()


def test_a_token_is_for_the_work_tree_that_was_set(repo: Path, tmp_path: Path) -> None:
    """`core.worktree` moved between the plan and the yes, to a place in the same state as the one before."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(tmp_path)}

    def command(*words: str) -> "subprocess.CompletedProcess[str]":
        script = "import sys; from gitglass.mutate.commandline import main; sys.exit(main(sys.argv[1:]))"
        line = [sys.executable, "-c", script, *words, "restore", "."]
        return subprocess.run(line, cwd=repo, env=environment, capture_output=True, text=True)

    settings = (repo / ".git/config").read_text()
    for place in ("shown", "other"):
        (tmp_path / place).mkdir()
    (repo / ".git/config").write_text(f"{settings}[core]\n\tworktree = {tmp_path}/shown\n")
    shown = command()
    assert shown.returncode == 77, shown.stderr
    token = shown.stdout.split("--approve ")[1].strip()
    (repo / ".git/config").write_text(f"{settings}[core]\n\tworktree = {tmp_path}/other\n")
    done = command("--approve", token)
    assert done.returncode and "has changed since the plan was made" in done.stderr
    assert not list((tmp_path / "other").iterdir())
    (repo / ".git/config").write_text(f"{settings}[core]\n\tworktree = {tmp_path}/shown\n")
    assert command("--approve", token).returncode == 0 and (tmp_path / "shown/README.md").exists()


def test_what_moved_makes_the_plan_stale(repo: Path) -> None:
    (repo / "README.md").write_bytes(b"one\n")
    writer = writer_of(repo)
    plan = writer.plan(AddRequest(paths=["README.md"]))
    (repo / "README.md").write_bytes(b"two\n")
    before = state_of(repo)
    with pytest.raises(StaleApproval) as caught:
        writer.apply(plan, approve(plan, "me"))
    assert caught.value.data["plan"] == writer.plan(AddRequest(paths=["README.md"])).digest
    assert state_of(repo) == before and not list((repo / ".git").rglob("*.lock"))


def test_the_grant_is_the_hosts(repo: Path) -> None:
    with pytest.raises(NotGranted, match="refs/heads/x"):
        writer_of(repo, refs=("refs/tags/*",)).plan(BranchChange(names=["x"]))
    with pytest.raises(NotGranted, match="write_worktree"):
        (repo / "README.md").unlink()
        writer_of(repo, effects=frozenset({"write_index", "write_refs"})).plan(RestoreRequest(paths=["README.md"]))
    with pytest.raises(NotGranted, match="does not cover the repository"):
        writer_of(repo).plan(PushRequest(remote="https://example.com/r"))
    with pytest.raises(NotFound, match="identity"):
        (repo / ".git/config").write_text("[core]\n\tbare = false\n")
        writer_of(repo, identity=None).plan(CommitRequest(message=["m"], switches=["--allow-empty"]))
    assert WriteGrant().refs == (
        "refs/heads/*", "refs/tags/*", "refs/remotes/*", "refs/stash", "HEAD", "ORIG_HEAD",
    )  # fmt: skip
    assert not WriteGrant().remotes and "network" not in WriteGrant().effects


def test_hooks_are_refused_or_said_to_be_skipped(repo: Path) -> None:
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    request = CommitRequest(message=["m"], switches=["--allow-empty"])
    with pytest.raises(Unsupported, match="the hook 'pre-commit' is installed"):
        writer_of(repo).plan(request)
    assert "hook pre-commit was not run" in writer_of(repo, hooks="skip").plan(request).preview.notes
    hook.chmod(0o644)
    assert writer_of(repo).plan(request).preview.notes == []


def test_a_foreign_lock_is_reported_and_left(repo: Path) -> None:
    lock = repo / ".git/index.lock"
    lock.write_bytes(b"somebody's")
    (repo / "README.md").write_bytes(b"one\n")
    with pytest.raises(Locked, match=r"index\.lock") as caught:
        done(repo, AddRequest(paths=["README.md"]))
    assert lock.read_bytes() == b"somebody's" and caught.value.data["path"] == "index.lock"
    assert [one.state for one in writer_of(repo).operations()] == ["rolled back"]


def test_undo_and_redo(repo: Path) -> None:
    (repo / "README.md").write_bytes(b"precious\n")
    before = state_of(repo)
    result = done(repo, RestoreRequest(paths=["README.md"]))
    after = state_of(repo)
    assert after["files"]["README.md"][1] != b"precious\n"
    undone = done(repo, UndoRequest(operation=result.operation))
    assert state_of(repo) == before and undone.verified
    done(repo, UndoRequest(operation=undone.operation))
    assert state_of(repo) == after
    assert [one.state for one in writer_of(repo).operations()] == ["undone", "undone", "done"]
    with pytest.raises(InvalidArgs, match="no operation"):
        writer_of(repo).plan(UndoRequest(operation=result.operation))


def test_of_earlier_operations_the_first_line_is_read(repo: Path) -> None:
    first = done(repo, BranchChange(names=["one"])).operation
    (record,) = (repo / ".git").rglob("operation.json")
    whole = record.read_text()
    head, _, changes = whole.partition("\n")
    record.write_text(head + "\n{")
    done(repo, BranchChange(names=["two"]))
    with pytest.raises(Corrupt, match="cannot be read"):
        writer_of(repo).plan(UndoRequest(operation=first))
    record.write_text(head.replace('"format":2', '"format":1')[:-1] + f',"changes":{changes}}}')  # as it once was
    done(repo, BranchChange(names=["three"]))
    done(repo, UndoRequest(operation=first))
    assert not (repo / ".git/refs/heads/one").exists()
    for old, new in (('"time":', '"time":1e999,"was":'), ('"pid":', '"pid":1' + 30 * "0" + ',"was":')):
        record.write_text(whole.replace(old, new, 1))
        with pytest.raises(Corrupt, match="cannot be read"):
            done(repo, BranchChange(names=["four"]))
    record.write_text("{" + whole)
    with pytest.raises(Corrupt, match="cannot be read"):
        done(repo, BranchChange(names=["four"]))
    record.write_text(head + "\n")
    os.truncate(record, 300 << 20)
    with pytest.raises(Corrupt, match="more than 268435456 are not read"):
        done(repo, BranchChange(names=["four"]))


def test_the_operation_log_is_bounded_by_number_age_and_size(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def kept() -> list[str]:
        return sorted(place.name[:6] for place in (repo / ".git/gitglass/ops").iterdir())

    monkeypatch.setattr(journal, "MOST", 3)
    for number in range(5):
        done(repo, BranchChange(names=[f"b{number}"]))
    assert kept() == ["000003", "000004", "000005"]
    monkeypatch.setattr(journal, "BYTES", 4000)
    (repo / "README.md").write_bytes(bytes(5000))
    done(repo, RestoreRequest(paths=["README.md"]))
    assert kept() == ["000006"]  # whose own size it is
    later = writer_of(repo, clock=lambda: CLOCK + 15 * 86400)
    plan = later.plan(BranchChange(names=["later"]))
    later.apply(plan, approve(plan, "me"))
    assert kept() == ["000007"]


def test_undo_refuses_what_has_moved_since(repo: Path) -> None:
    result = done(repo, BranchChange(names=["x"]))
    done(repo, BranchChange(names=["x"], start="HEAD~1", force=True))
    with pytest.raises(Conflict, match="has moved since"):
        writer_of(repo).plan(UndoRequest(operation=result.operation))


def test_links_lead_nowhere(repo: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "app.py").write_bytes(b"theirs\n")
    moved = repo / "src"
    moved.rename(repo / "kept")
    moved.symlink_to(outside)
    for request in (RestoreRequest(paths=["src"]), SwitchRequest(commit="HEAD~1", detach=True, force=True)):
        try:
            done(repo, request)
        except GitError as error:
            assert error.message
    assert files_of(outside) == {str(outside / "app.py"): b"theirs\n"}


def test_a_bare_repository_has_branches_and_tags(tmp_path: Path) -> None:
    repo = copy_of("bare", tmp_path / "repo")
    home = next(path for path in (repo, *repo.iterdir()) if (path / "HEAD").is_file())
    done(home, TagChange(names=["made"]))
    assert b"made\n" in gitglass.git(["tag"], cwd=home).stdout
    with pytest.raises(GitError, match="work tree"):
        writer_of(home).plan(CommitRequest(message=["m"]))


def test_sha256(tmp_path: Path) -> None:
    repo = copy_of("sha256", tmp_path / "repo")
    (repo / "new.txt").write_bytes(b"new\n")
    done(repo, AddRequest(paths=["new.txt"]))
    result = done(repo, CommitRequest(message=["sixty-four digits"]))
    assert result.verified and os.listdir(repo)
    head = gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout.strip()
    assert len(head) == 64 and [one for one in gitglass.open(repo).verify() if one.is_error] == []


def test_an_upstream_is_set_and_taken_away(repo: Path) -> None:
    before = (repo / ".git/config").read_bytes()
    done(repo, BranchChange(names=["other"], track="direct"))
    head = (repo / ".git/HEAD").read_text().removeprefix("ref: refs/heads/").strip()
    config = (repo / ".git/config").read_text()
    assert '[branch "other"]' in config and f"merge = refs/heads/{head}" in config
    done(repo, BranchChange(action="upstream", names=["other"], unset_upstream=True))
    assert (repo / ".git/config").read_bytes() == before
    with pytest.raises(GitError, match="does not exist"):
        done(repo, BranchChange(action="upstream", names=["other"], upstream="nope"))


def test_trailers_end_a_message_once(repo: Path) -> None:
    words = ["Acked-by: A <a@b>", "fixes=#1", "Fixes: #1"]
    done(repo, CommitRequest(message=["words"], switches=["--allow-empty"], trailers=words))
    body = gitglass.git(["log", "-1", "--format=%B"], cwd=repo).stdout
    assert body.rstrip() == b"words\n\nAcked-by: A <a@b>\nfixes: #1"


def test_an_orphan_has_no_commit_and_keeps_files_in_checkout_only(repo: Path) -> None:
    files = gitglass.git(["ls-files"], cwd=repo).stdout
    done(repo, CheckoutRequest(orphan="fresh"))
    assert (repo / ".git/HEAD").read_bytes() == b"ref: refs/heads/fresh\n"
    assert gitglass.git(["ls-files"], cwd=repo).stdout == files
    assert gitglass.git(["rev-parse", "-q", "--verify", "HEAD"], cwd=repo).returncode == 1


def test_reset_merge_gives_up_what_is_staged_and_no_more(repo: Path) -> None:
    one, two = gitglass.git(["ls-files"], cwd=repo).stdout.decode().split("\n")[:2]
    was = (repo / one).read_bytes()
    (repo / one).write_bytes(b"staged\n")
    done(repo, AddRequest(paths=[one]))
    (repo / two).write_bytes(b"local\n")
    done(repo, ResetRequest(mode="merge"))
    assert (repo / one).read_bytes() == was and (repo / two).read_bytes() == b"local\n"


def test_a_move_to_the_current_branch_gives_head_the_permissions_that_are_shared(repo: Path) -> None:
    head, config = repo / ".git/HEAD", repo / ".git/config"
    head.chmod(0o644)
    before = writer_of(repo).plan(SwitchRequest(branch="main"))
    assert not before.changes.refs
    config.write_bytes(config.read_bytes() + b"[core]\n\tsharedRepository = group\n")
    plan = writer_of(repo).plan(SwitchRequest(branch="main"))
    assert not any(line.startswith("ref HEAD") for line in plan.preview.lines)
    done(repo, SwitchRequest(branch="main"))
    assert head.stat().st_mode & 0o777 == 0o664
    assert head.read_bytes() == b"ref: refs/heads/main\n"


def test_a_ref_of_git_itself_that_has_its_value_already_is_not_written(repo: Path) -> None:
    head = gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout
    orig_head = repo / ".git/ORIG_HEAD"
    orig_head.write_bytes(head)
    orig_head.chmod(0o604)
    done(repo, ResetRequest(mode="hard"))
    assert orig_head.read_bytes() == head and orig_head.stat().st_mode & 0o777 == 0o604
    done(repo, ResetRequest(mode="hard", commit="HEAD~1"))
    done(repo, ResetRequest(mode="hard"))
    assert orig_head.read_bytes() != head and orig_head.stat().st_mode & 0o777 == 0o644


def test_unrelated_histories_are_refused_before_what_cannot_be_fast_forwarded(repo: Path) -> None:
    done(repo, CheckoutRequest(orphan="lonely"))
    done(repo, CommitRequest(message=["lonely"]))
    with pytest.raises(GitError, match="refusing to merge unrelated histories"):
        writer_of(repo).plan(MergeRequest(commits=["topic"], switches=["--ff-only"]))


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o700, 0o444])
@pytest.mark.parametrize(
    "request_",
    [
        ResetRequest(mode="hard"), RestoreRequest(paths=["README.md"]), RemoveRequest(paths=["README.md"], force=True),
        MoveRequest(paths=["README.md", "moved"]),
    ],
    ids=lambda one: str(one.summary()),
)  # fmt: skip
@pytest.mark.parametrize("changed", [False, True])
def test_undo_gives_a_file_the_permissions_that_it_had(
    repo: Path, bits: int, request_: Mutation, changed: bool
) -> None:
    """Also where its bytes are an object and were not kept; `mv` leaves the file what it is, as git's does."""
    file = repo / "README.md"
    if changed:
        file.write_bytes(b"secret\n")
    file.chmod(bits)
    before = file.read_bytes()
    result = done(repo, request_)
    if isinstance(request_, MoveRequest):
        assert stat.S_IMODE((repo / "moved").stat().st_mode) == bits
    if not result.operation:
        return  # nothing to do
    done(repo, UndoRequest(operation=result.operation))
    assert stat.S_IMODE(file.stat().st_mode) == bits and file.read_bytes() == before


def test_a_plan_keeps_the_ceilings_of_its_handle(repo: Path) -> None:
    (repo / "README.md").write_bytes(b"x" * (2 << 20))
    grant, request = WriteGrant(identity=Identity("A", "a@b")), AddRequest(paths=["README.md"])
    assert Writer(gitglass.open(repo), grant).plan(request).changes.entries
    for walked in (gitglass.Limits(max_commits=1, max_output_bytes=1), gitglass.Limits()):
        plan = Writer(gitglass.open(repo, limits=walked), WriteGrant(identity=Identity("A", "a@b"), refs=("*",))).plan(
            ResetRequest(commit="HEAD~1", mode="hard")
        )
        assert plan.preview.details.refs[0].lost_count == 1  # two commits are looked at, and printed
    with pytest.raises(TooLarge) as caught:
        Writer(gitglass.open(repo, limits=gitglass.Limits(max_memory_bytes=1 << 20)), grant).plan(request)
    assert caught.value.data["limit"] == 1 << 20


def test_every_byte_of_a_long_answer_is_approved(repo: Path) -> None:
    """Of what git says at such length the digest has a digest."""
    plan = writer_of(repo).plan(CommitRequest(message=["m"], switches=["--allow-empty"]))
    digests = set()
    for words in (b"a" * LARGE, b"a" * LARGE + b"b", b"a" * LARGE + b"c", b"b" + b"a" * LARGE, b"a" * (LARGE - 1)):
        plan.answer.out = words
        assert digest_of(plan) == digest_of(plan)
        digests.add(digest_of(plan))
    assert len(digests) == 5


@pytest.mark.parametrize("size", [9, LARGE])
def test_a_line_of_a_log_has_single_blanks(size: int) -> None:
    message = (b"\n \ta  b\tc\n\nd\r \n") * size
    line = log_line(LogChange(b"HEAD", ABSENT, b"\x11" * 20, message), b"A <a@b> 1 +0000", bytes(20))
    assert line == b"%b %b A <a@b> 1 +0000\t%b\n" % (b"0" * 40, b"11" * 20, b" ".join(message.split()))

"""Pushes to repositories on this machine: words, refs, logs; what is rejected by either side; two that meet."""

import threading
from pathlib import Path

import pytest
from tests.support.peers import commit, empty, everything, planned, read, refs, run, said
from tests.support.writing import copy_of

from gitglass.config.config import Config, Entry, Source
from gitglass.errors import NotGranted, Unsupported
from gitglass.mutate.remote import local_push
from gitglass.mutate.remote.listing import Listing
from gitglass.mutate.writer import approve
from gitglass.repo.store import Store

pytestmark = pytest.mark.writes


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A bare repository, and a clone of ours with one commit that was pushed."""
    up = empty(tmp_path / "up.git", bare=True)
    me = empty(tmp_path / "me", bare=False, origin="../up.git")
    commit(me, "one")
    run(me, "push", "-u", "origin", "main")
    return up, me


def clone(up: Path, place: Path) -> Path:
    made = empty(place, bare=False, origin=f"../{up.name}")
    run(made, "fetch", "-q")
    run(made, "checkout", "-q", "-b", "main", "--track", "origin/main")
    return made


def test_the_first_push(tmp_path: Path) -> None:
    up = empty(tmp_path / "up.git", bare=True)
    me = empty(tmp_path / "me", bare=False, origin="../up.git")
    one = commit(me, "one")
    assert said(me, "push", "-u", "origin", "main") == (
        0, "branch 'main' set up to track 'origin/main'.\n", "To ../up.git\n * [new branch]      main -> main\n"
    )  # fmt: skip
    assert refs(up) == {"refs/heads/main": one} and refs(me)["refs/remotes/origin/main"] == one
    assert read(up, "fsck", "--full") == "" and not (up / "logs").exists()
    assert read(me, "config", "branch.main.merge") == "refs/heads/main"
    assert said(me, "push") == (0, "", "Everything up-to-date\n")


def test_one_more_commit(pair: tuple[Path, Path]) -> None:
    up, me = pair
    one, two = read(me, "rev-parse", "HEAD"), commit(me, "two")
    assert said(me, "push") == (0, "", f"To ../up.git\n   {one[:7]}..{two[:7]}  main -> main\n")
    assert refs(up)["refs/heads/main"] == two and read(me, "status", "-sb") == "## main...origin/main"
    log = (me / ".git/logs/refs/remotes/origin/main").read_text().splitlines()
    assert log[-1] == f"{one} {two} A <a@b> 1700000000 +0000\tupdate by push"


def test_who_pushes_is_who_the_settings_of_this_side_name(pair: tuple[Path, Path]) -> None:
    """The other side has no settings of people; with `core.logAllRefUpdates` its log names who pushed."""
    up, me = pair
    (up / "config").write_text(
        (up / "config").read_text().replace("logallrefupdates = false", "logallrefupdates = true")
    )
    (me / ".git/config").open("a").write("[user]\n\tname = Me\n\temail = me@x\n")
    one, two = read(me, "rev-parse", "HEAD"), commit(me, "two")
    assert said(me, "push", identity=None)[0] == 0
    log = (up / "logs/refs/heads/main").read_text().splitlines()[-1]
    assert log == f"{one} {two} Me <me@x> 1700000000 +0000\tpush"


def test_the_settings_of_the_other_side_come_before_those_of_this_one(pair: tuple[Path, Path]) -> None:
    """git's end of a push is a process there, and reads none of what the repository here sets."""
    up, me = pair
    config = (up / "config").read_text().replace("logallrefupdates = false", "logallrefupdates = true")
    (up / "config").write_text(config + "[user]\n\tname = Up\n\temail = up@x\n")
    (me / ".git/config").open("a").write("[user]\n\tname = Me\n\temail = me@x\n")
    commit(me, "two")
    assert said(me, "push", identity=None)[0] == 0
    assert " Up <up@x> 1700000000 +0000\tpush" in (up / "logs/refs/heads/main").read_text()


def test_what_the_user_sets_is_known_to_the_other_side() -> None:
    there = Config([Entry(b"user.email", b"up@x", 1, Source("local", b""))])
    scopes = ("system", "global", "local", "command")
    here = Config([Entry(b"user.name", scope.encode(), 1, Source(scope, b"")) for scope in scopes])
    settings = local_push._Settings(there, here)
    assert [settings.get(key) for key in ("user.name", "user.email", "user.x")] == [b"global", b"up@x", None]


@pytest.mark.parametrize("switches", [(), ("--dry-run",), ("-q",)])
def test_for_programs_the_last_line_says_that_the_talk_is_over(
    pair: tuple[Path, Path], switches: tuple[str, ...]
) -> None:
    """Whatever became of the refs, and behind what is said of the branch's upstream."""
    _, me = pair
    two = commit(me, "two")
    run(me, "push")
    run(me, "reset", "-q", "--hard", "HEAD~1")
    line = "!\trefs/heads/main:refs/heads/main\t[rejected] (non-fast-forward)"
    assert said(me, "push", "--porcelain", *switches, "origin", "main")[:2] == (1, f"To ../up.git\n{line}\nDone\n")
    new = f"*\t{two}:refs/heads/new\t[new branch]"
    assert said(me, "push", "--porcelain", "origin", f"{two}:refs/heads/new")[1] == f"To ../up.git\n{new}\nDone\n"
    out = said(me, "push", "--porcelain", "-u", "origin", "main:other")[1]
    assert out.endswith("branch 'main' set up to track 'origin/other'.\nDone\n")


def test_where_no_remote_is_named_and_none_is_configured(tmp_path: Path) -> None:
    me = empty(tmp_path / "me", bare=False)
    commit(me, "one")
    words = (
        "fatal: No configured push destination.\nEither specify the URL from the command-line or configure a remote "
        "repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n"
        "    git push <name>\n\n"
    )
    for switches in ((), ("--tags",), ("-u",)):
        assert said(me, "push", *switches) == (128, "", words)
    status, _, err = said(me, "push", "elsewhere")  # which is the only remote then
    assert status == 128 and err.startswith("fatal: The current branch main has no upstream branch.\n")
    (me / ".git/config").open("a").write('[branch "main"]\n\tremote = x\n')
    assert said(me, "push", "elsewhere")[2].startswith("fatal: 'elsewhere' does not appear to be a git repository\n")


@pytest.mark.parametrize("place", ["../up.git", "../nowhere"])
def test_what_names_nothing_here_is_seen_before_the_other_side_is_asked(pair: tuple[Path, Path], place: str) -> None:
    words = "error: src refspec x does not match any\nerror: src refspec y does not match any\n"
    failed = f"error: failed to push some refs to '{place}'\n"
    assert said(pair[1], "push", place, "x", "main:bad", "y:main") == (1, "", words + failed)


def tagged(me: Path) -> None:
    """Annotated tags of two commits here, one of a commit that no push takes along, and one that is a name alone."""
    run(me, "tag", "-a", "-m", "one", "v1", "HEAD")
    run(me, "tag", "light", "HEAD")
    commit(me, "two")
    run(me, "tag", "-a", "-m", "two", "v2", "HEAD")
    run(me, "checkout", "-q", "-b", "side")
    commit(me, "three")
    run(me, "tag", "-a", "-m", "three", "v3", "HEAD")
    run(me, "tag", "-a", "-m", "a tree", "tree", "HEAD^{tree}")


@pytest.mark.parametrize(
    ("words", "setting", "tags"),
    [
        (["--follow-tags", "origin", "main"], None, {"v1", "v2"}), (["origin", "main"], "true", {"v1", "v2"}),
        (["--follow-tags", "origin", "main:new", "v2:refs/tags/other"], None, {"v1", "v2", "other"}),
        (["--no-follow-tags", "origin", "main"], "true", set()), (["origin", "main"], None, set()),
        (["--follow-tags", "origin", "light"], "false", {"light", "v1"}),
    ],
)  # fmt: skip
def test_annotated_tags_come_along_with_their_commits(
    pair: tuple[Path, Path], words: list[str], setting: str | None, tags: set[str]
) -> None:
    up, me = pair
    tagged(me)
    if setting is not None:
        (me / ".git/config").open("a").write(f"[push]\n\tfollowTags = {setting}\n")
    assert said(me, "push", *words)[0] == 0
    assert {name[10:] for name in refs(up) if name.startswith("refs/tags/")} == tags
    again = said(me, "push", *words)
    assert again == (0, "", "Everything up-to-date\n")


def test_a_lease_without_an_object_is_of_what_was_last_seen(pair: tuple[Path, Path], tmp_path: Path) -> None:
    up, me = pair
    other = clone(up, tmp_path / "other")
    theirs = commit(other, "theirs")
    run(other, "push")
    run(other, "push", "origin", "main:unseen")
    mine = commit(me, "mine")
    stale = (
        "To ../up.git\n ! [rejected]        main -> {} (stale info)\nerror: failed to push some refs to '../up.git'\n"
    )
    assert said(me, "push", "--force-with-lease") == (1, "", stale.format("main"))
    for lease in ("--force-with-lease", "--force-with-lease=main", "--force-with-lease=heads/main:HEAD~1"):
        assert said(me, "push", lease, "origin", "main") == (1, "", stale.format("main"))
    assert said(me, "push", "--force-with-lease", "origin", "main:unseen") == (1, "", stale.format("unseen"))
    run(me, "fetch", "-q")
    assert refs(me)["refs/remotes/origin/main"] == theirs
    assert said(me, "push", "--force-with-lease", "origin", "main", "main:new")[0] == 0
    assert refs(up)["refs/heads/main"] == refs(up)["refs/heads/new"] == mine
    assert said(me, "push", "--force-with-lease=main:nope", "origin", "main") == (
        129, "", "error: cannot parse expected object name 'nope'\n"
    )  # fmt: skip


def test_force_counts_for_more_than_a_lease(pair: tuple[Path, Path]) -> None:
    up, me = pair
    mine = commit(me, "mine")
    assert said(me, "push", "--force", "--force-with-lease=main:", "origin", "main")[0] == 0
    assert refs(up)["refs/heads/main"] == mine


def test_no_verify_leaves_a_hook_out(pair: tuple[Path, Path]) -> None:
    up, me = pair
    mine = commit(me, "mine")
    (me / ".git/hooks").mkdir()
    (me / ".git/hooks/pre-push").write_text("#!/bin/sh\nexit 1\n")
    (me / ".git/hooks/pre-push").chmod(0o755)
    assert "gitglass does not run it" in said(me, "push")[2]
    assert said(me, "push", "--no-verify")[0] == 0 and refs(up)["refs/heads/main"] == mine


def test_somebody_was_faster(pair: tuple[Path, Path], tmp_path: Path) -> None:
    up, me = pair
    other = clone(up, tmp_path / "other")
    theirs = commit(other, "theirs")
    run(other, "push")
    commit(me, "mine")
    before = everything(up), everything(me)
    status, out, err = said(me, "push")
    assert (status, out) == (1, "") and err.startswith(
        "To ../up.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to '../up.git'\nhint: Up"
    )
    assert (everything(up), everything(me)) == before
    run(me, "fetch", "-q")
    assert " (non-fast-forward)\n" in said(me, "push")[2] and refs(up)["refs/heads/main"] == theirs


def test_leases_are_explicit(pair: tuple[Path, Path]) -> None:
    up, me = pair
    one = read(me, "rev-parse", "HEAD")
    run(me, "commit", "-q", "--amend", "-m", "other")
    with pytest.raises(Unsupported):
        planned(me, "push", "--force-with-lease", "--force-if-includes", "origin", "main")
    assert " (stale info)\n" in said(me, "push", f"--force-with-lease=main:{'1' * 40}", "origin", "main")[2]
    status, _, err = said(me, "push", f"--force-with-lease=main:{one}", "origin", "main")
    assert status == 0 and err.endswith(" main -> main (forced update)\n") and refs(up)["refs/heads/main"] != one


def test_a_forced_push_is_still_compared(pair: tuple[Path, Path], tmp_path: Path) -> None:
    up, me = pair
    other = clone(up, tmp_path / "other")
    run(me, "commit", "-q", "--amend", "-m", "mine")
    writer, plan = planned(me, "push", "-f")
    assert plan.preview.risk == "High" and "push to ../up.git: refs/heads/main" in plan.preview.render()
    theirs = commit(other, "theirs")
    run(other, "push")
    result = writer.apply(plan, approve(plan, "test"))
    assert result.answer.status == 1 and b"[remote rejected] main -> main (failed to update ref)" in result.answer.err
    assert refs(up)["refs/heads/main"] == theirs
    assert refs(me)["refs/remotes/origin/main"] != read(me, "rev-parse", "HEAD"), "what was not pushed is not tracked"


def test_a_ref_that_moves_after_it_was_listed_is_not_moved_again(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other side plans with what is there when it is asked, and compares that with what it listed before."""
    up, me = pair
    other = clone(up, tmp_path / "other")
    run(me, "commit", "-q", "--amend", "-m", "mine")
    theirs = commit(other, "theirs")
    before = local_push.listing_of

    def listed(store: Store, section: bytes) -> Listing:
        listing = before(store, section)
        monkeypatch.setattr(local_push, "listing_of", before)
        run(other, "push")
        return listing

    monkeypatch.setattr(local_push, "listing_of", listed)
    status, _, words = said(me, "push", "-f")
    assert status == 1 and "[remote rejected] main -> main (failed to update ref)" in words
    assert "cannot lock ref 'refs/heads/main': is at" in words
    assert refs(up)["refs/heads/main"] == theirs


def test_names_deletions_and_tags(pair: tuple[Path, Path]) -> None:
    up, me = pair
    run(me, "tag", "-a", "-m", "x", "v1")
    assert said(me, "push", "origin", "HEAD:topic/x", "v1", "main:refs/x/y")[2].splitlines() == [
        "To ../up.git", " * [new branch]      HEAD -> topic/x", " * [new tag]         v1 -> v1",
        " * [new reference]   main -> refs/x/y",
    ]  # fmt: skip
    assert said(me, "push", "origin", "--delete", "topic/x")[2] == "To ../up.git\n - [deleted]         topic/x\n"
    assert "refs/heads/topic/x" not in refs(up) and "refs/remotes/origin/topic/x" not in refs(me)
    run(me, "tag", "-f", "v1", "HEAD")
    assert " ! [rejected]        v1 -> v1 (already exists)\n" in said(me, "push", "--tags")[2]


@pytest.mark.parametrize(
    ("argv", "status", "words"),
    [
        (["origin", "nope"], 1, "error: src refspec nope does not match any\n"),
        (["origin", ":nope"], 1, "error: unable to delete 'nope': remote ref does not exist\n"),
        (["origin", "main:a", "main:a"], 1, "error: dst ref refs/heads/a receives from more than one src\n"),
        (["origin", "HEAD^{tree}:a"], 1, "hint: 'HEAD^{tree}:refs/tags/a'?\n"),
        (["../nothing", "main"], 128, "fatal: '../nothing' does not appear to be a git repository\n"),
        (["--delete"], 128, "fatal: --delete doesn't make sense without any refs\n"),
        (["git@host:x", "main"], 128, "fatal: 'git@host:x': ssh is a program"),
        (["--mirror", "origin"], 129, "error: git push: gitglass does not take --mirror\n"),
    ],
)
def test_what_is_refused_changes_nothing(pair: tuple[Path, Path], argv: list[str], status: int, words: str) -> None:
    up, me = pair
    before = everything(up), everything(me)
    have = said(me, "push", *argv)
    assert have[0] == status and words.partition(": ")[2] in have[2]
    assert (everything(up), everything(me)) == before


def test_where_a_push_goes_is_said_before_it_fails(pair: tuple[Path, Path]) -> None:
    up, me = pair
    away = "does not appear to be a git repository"
    for word, why in (("nowhere", f"fatal: 'nowhere' {away}"), ("../x", f"fatal: '../x' {away}")):
        assert said(me, "push", "-v", word, "main")[2].startswith(f"Pushing to {word}\n{why}\n")
        assert said(me, "push", word, "main")[2].startswith(f"{why}\n")
    up.rename(up.parent / "gone")
    assert said(me, "push", "-v", "origin")[2].startswith(f"Pushing to ../up.git\nfatal: '../up.git' {away}\n")


@pytest.mark.parametrize(
    ("setting", "argv", "reason"),
    [
        ("denyDeletes", [":topic"], "deletion prohibited"),
        ("denyNonFastForwards", ["+main~1:topic"], "non-fast-forward"),
        ("x", [":main"], "deletion of the current branch prohibited"),
    ],
)
def test_the_other_side_has_a_say(pair: tuple[Path, Path], setting: str, argv: list[str], reason: str) -> None:
    up, me = pair
    commit(me, "two")
    run(me, "push", "origin", "main", "main:topic")
    with (up / "config").open("a") as file:
        file.write(f"[receive]\n\t{setting} = true\n")
    before = refs(up)
    status, _, err = said(me, "push", "origin", *argv)
    assert status == 1 and f" ({reason})\n" in err and "remote: error: " in err and refs(up) == before


def test_a_branch_that_is_checked_out(tmp_path: Path) -> None:
    up = empty(tmp_path / "up", bare=False)
    commit(up, "theirs")
    me = empty(tmp_path / "me", bare=False, origin="../up")
    commit(me, "mine")
    run(me, "push", "origin", "main:topic")
    status, _, err = said(me, "push", "-f", "origin", "main")
    assert status == 1 and " ! [remote rejected] main -> main (branch is currently checked out)\n" in err
    with (up / ".git/config").open("a") as file:
        file.write("[receive]\n\tdenyCurrentBranch = ignore\n")
    assert said(me, "push", "-f", "origin", "main")[0] == 0
    assert (up / "f").read_text() == "theirs" and (up / ".git/logs/HEAD").read_text().endswith("\tpush\n")


def test_all_or_nothing(pair: tuple[Path, Path]) -> None:
    up, me = pair
    run(me, "commit", "-q", "--amend", "-m", "other")
    before = refs(up)
    status, _, err = said(me, "push", "--atomic", "origin", "main", "main:new")
    assert status == 1 and " ! [rejected]        main -> new (atomic push failed)\n" in err and refs(up) == before
    assert said(me, "push", "origin", "main", "main:new")[0] == 1 and "refs/heads/new" in refs(up)


def test_hooks_of_the_other_side_are_named(pair: tuple[Path, Path]) -> None:
    up, me = pair
    (up / "hooks").mkdir()
    (up / "hooks/pre-receive").write_text("#!/bin/sh\ntouch /tmp/ran\n")
    (up / "hooks/pre-receive").chmod(0o755)
    commit(me, "two")
    with pytest.raises(Unsupported, match="pre-receive"):
        planned(me, "push")
    assert said(me, "push", hooks="skip")[0] == 0


def test_the_grant_names_other_repositories(pair: tuple[Path, Path]) -> None:
    up, me = pair
    commit(me, "two")
    with pytest.raises(NotGranted):
        planned(me, "push", remotes=())
    assert said(me, "push", remotes=(str(up),))[0] == 0


def test_a_dry_run_and_a_plan_change_nothing(pair: tuple[Path, Path]) -> None:
    up, me = pair
    commit(me, "two")
    before = everything(up), everything(me)
    writer, plan = planned(me, "push")
    assert not plan.is_empty and "network" in plan.preview.effects
    assert said(me, "push", "--dry-run")[2] == plan.answer.err.decode()
    assert (everything(up), everything(me)) == before
    result = writer.apply(plan, approve(plan, "test"))
    with pytest.raises(Unsupported, match="push"):
        writer.undo(result.operation)


def test_four_writers_one_wins(pair: tuple[Path, Path], tmp_path: Path) -> None:
    up, _ = pair
    clones = [clone(up, tmp_path / f"c{number}") for number in range(4)]
    plans = []
    for number, one in enumerate(clones):
        commit(one, f"by {number}")
        plans.append((one, *planned(one, "push")))
    answers: dict[int, tuple[int, str]] = {}
    gate = threading.Barrier(4)

    def work(number: int) -> None:
        _, writer, plan = plans[number]
        gate.wait()
        answer = writer.apply(plan, approve(plan, "test")).answer
        answers[number] = answer.status, read(clones[number], "rev-parse", "HEAD")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [oid for status, oid in answers.values() if not status]
    assert len(answers) == 4 and winners == [refs(up)["refs/heads/main"]]
    assert read(up, "fsck", "--full", "--no-dangling") == ""


@pytest.mark.parametrize(
    "setting", ["push.recurseSubmodules=check", "push.recurseSubmodules=only", "submodule.recurse=1"]
)
def test_submodules_that_would_be_looked_at_are_named(tmp_path: Path, setting: str) -> None:
    up = empty(tmp_path / "up.git", bare=True)
    top = copy_of("submodule", tmp_path / "top")
    key, _, value = setting.partition("=")
    section, _, name = key.partition(".")
    url = f'[remote "origin"]\n\turl = ../{up.name}\n'
    with (top / ".git/config").open("a") as config:
        config.write(url)
    planned(top, "push", "origin", "main")
    with (top / ".git/config").open("a") as config:
        config.write(f"[{section}]\n\t{name} = {value}\n")
    with pytest.raises(
        Unsupported, match=r"^push\.recurseSubmodules is '\S+', and gitglass does not look at submodules"
    ):
        planned(top, "push", "origin", "main")


def test_refs_that_are_hidden_there_stay_as_they_are(pair: tuple[Path, Path]) -> None:
    """`receive.hideRefs` and `transfer.hideRefs` (git-config(1)): such a ref is not seen, and not changed."""
    up, me = pair
    run(up, "update-ref", "refs/hidden/x", "main")
    with (up / "config").open("a") as config:
        config.write("[receive]\n\thideRefs = refs/hidden\n[transfer]\n\thideRefs = refs/tags\n")
    commit(me, "two")
    before = refs(up)
    for name, shown in (("refs/hidden/x", "refs/hidden/x"), ("refs/hidden/y", "refs/hidden/y"), ("refs/tags/t", "t")):
        status, _, err = said(me, "push", "origin", f"HEAD:{name}")
        assert status == 1 and f" ! [remote rejected] HEAD -> {shown} (deny updating a hidden ref)\n" in err
    assert refs(up) == before
    run(up, "tag", "light")
    names = [line.split("\t")[1] for line in said(me, "ls-remote", "origin")[1].splitlines()]
    assert names == ["HEAD", "refs/heads/main", "refs/hidden/x"]  # hidden from whoever pushes alone

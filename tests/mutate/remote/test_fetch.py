"""Fetches from a repository on this machine: words, refs, logs, FETCH_HEAD; what is refused, and that nothing changes
then."""

import hashlib
import zlib
from pathlib import Path

import pytest
from tests.support.peers import commit, empty, everything, planned, read, refs, run, said
from tests.support.writing import copy_of

from gitglass.errors import Conflict, Corrupt, NotGranted, SandboxViolation
from gitglass.mutate.writer import approve

pytestmark = pytest.mark.writes


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Somebody's repository with two commits, a branch and tags; one of ours that has it as origin."""
    up = empty(tmp_path / "up", bare=False)
    commit(up, "one")
    run(up, "tag", "-a", "-m", "old", "v1")
    commit(up, "two")
    run(up, "branch", "topic")
    run(up, "tag", "light")
    return up, empty(tmp_path / "me", bare=False, origin="../up")


def test_what_scripts_say_besides_changes_nothing(pair: tuple[Path, Path]) -> None:
    """What actions/checkout and runners of other services call: no packs are gathered, and nothing is drawn here."""
    _, me = pair
    plain = said(me, "fetch", "--dry-run")
    words = ("--progress", "--no-progress", "--no-auto-gc", "--no-auto-maintenance", "--no-recurse-submodules")
    assert plain[0] == 0 and "[new branch]" in plain[2]
    for word in words:
        assert said(me, "fetch", "--dry-run", word) == plain


def test_a_first_fetch(pair: tuple[Path, Path]) -> None:
    up, me = pair
    one, two = read(up, "rev-parse", "HEAD~1"), read(up, "rev-parse", "HEAD")
    result = run(me, "fetch")
    assert result.answer.err.decode().splitlines() == [
        "From ../up",
        " * [new branch]      main       -> origin/main",
        " * [new branch]      topic      -> origin/topic",
        " * [new tag]         light      -> light",
        " * [new tag]         v1         -> v1",
    ]
    assert refs(me) == {
        "refs/remotes/origin/main": two, "refs/remotes/origin/topic": two, "refs/tags/light": two,
        "refs/tags/v1": refs(up)["refs/tags/v1"],
    }  # fmt: skip
    head = (me / ".git/FETCH_HEAD").read_text().splitlines()
    assert head[0] == f"{two}\tnot-for-merge\tbranch 'main' of ../up" and len(head) == 4
    log = (me / ".git/logs/refs/remotes/origin/main").read_text()
    assert log == f"{'0' * 40} {two} A <a@b> 1700000000 +0000\tfetch: storing head\n"
    assert read(me, "fsck", "--full") == "" and read(me, "rev-parse", "v1^{}") == one


def test_what_moved_since(pair: tuple[Path, Path]) -> None:
    up, me = pair
    run(me, "fetch")
    before = refs(me)
    three = commit(up, "three")
    run(up, "branch", "-D", "topic")
    run(up, "branch", "-f", "topic", "HEAD~2")
    status, _, err = said(me, "fetch", "origin", "topic:refs/heads/mine", "main")
    assert (status, err.splitlines()) == (0, [
        "From ../up",
        " * [new branch]      topic      -> mine",
        " * branch            main       -> FETCH_HEAD",
        f" + {before['refs/remotes/origin/topic'][:7]}...{refs(up)['refs/heads/topic'][:7]} topic      -> origin/topic"
        "  (forced update)",
        f"   {before['refs/remotes/origin/main'][:7]}..{three[:7]}  main       -> origin/main",
    ])  # fmt: skip
    assert (me / ".git/FETCH_HEAD").read_text().splitlines() == [
        f"{refs(up)['refs/heads/topic']}\t\tbranch 'topic' of ../up", f"{three}\t\tbranch 'main' of ../up",
    ]  # fmt: skip


def test_prune_and_tags_in_the_way(pair: tuple[Path, Path]) -> None:
    up, me = pair
    run(me, "fetch")
    run(up, "branch", "-D", "topic")
    run(up, "tag", "-f", "light", "HEAD~1")
    status, _, err = said(me, "fetch", "--prune", "--tags")
    assert (status, err.splitlines()) == (1, [
        "From ../up",
        " - [deleted]         (none)     -> origin/topic",
        " ! [rejected]        light      -> light  (would clobber existing tag)",
    ])  # fmt: skip
    assert "refs/remotes/origin/topic" not in refs(me) and not (me / ".git/logs/refs/remotes/origin/topic").exists()
    assert said(me, "fetch", "-f", "--tags")[2].splitlines()[1] == " t [tag update]      light      -> light"
    assert refs(me)["refs/tags/light"] == refs(up)["refs/tags/light"]


def test_the_last_word_about_pruning_counts(pair: tuple[Path, Path]) -> None:
    up, me = pair
    run(me, "fetch")
    run(up, "branch", "-D", "topic")
    with (me / ".git/config").open("a") as config:
        config.write("[fetch]\n\tprune = true\n")
    for words in (["--no-prune"], ["--prune", "--no-prune", "--no-recurse-submodules"]):
        assert said(me, "fetch", *words) == (0, "", "") and "refs/remotes/origin/topic" in refs(me)
    assert said(me, "fetch", "--no-prune", "-p")[0] == 0 and "refs/remotes/origin/topic" not in refs(me)


def test_a_plan_writes_nothing_and_says_all(pair: tuple[Path, Path]) -> None:
    _, me = pair
    before = everything(me)
    _, plan = planned(me, "fetch")
    assert everything(me) == before
    shown = plan.preview.render()
    assert "7 new object(s)" in shown and "ref refs/remotes/origin/main: nothing -> " in shown
    lines = plan.answer.err.decode().splitlines()
    again = lines[3:]  # Strange but git's: a tag that was there to follow at first is there still
    assert "light" in again[0] and said(me, "fetch", "--dry-run")[2].splitlines() == lines[:4] + again
    assert said(me, "fetch", "--dry-run", "--tags")[2].splitlines() == lines
    assert everything(me) == before


def test_what_was_seen_is_what_is_done(pair: tuple[Path, Path]) -> None:
    up, me = pair
    writer, plan = planned(me, "fetch")
    seen = read(up, "rev-parse", "main")
    commit(up, "later")
    writer.apply(plan, approve(plan, "test"))
    assert refs(me)["refs/remotes/origin/main"] == seen


def test_an_undo_takes_the_refs_back(pair: tuple[Path, Path]) -> None:
    _, me = pair
    run(me, "fetch", "--no-tags")
    writer, _ = planned(me, "fetch")
    operation = writer.operations()[-1].id
    plan = writer.undo(operation)
    writer.apply(plan, approve(plan, "test"))
    assert refs(me) == {}


def test_a_large_fetch_stays_a_pack(pair: tuple[Path, Path]) -> None:
    up, me = pair
    for number in range(120):
        (up / f"n{number}").write_text(f"{number}\n" * 50)
    run(up, "add", "-A")
    run(up, "commit", "-q", "-m", "many")
    run(me, "fetch")
    packs = sorted(path.suffix for path in (me / ".git/objects/pack").iterdir())
    loose = list((me / ".git/objects").glob("[0-9a-f][0-9a-f]/*"))
    assert packs == [".idx", ".pack"] and len(loose) == 1, "only the tag that follows is asked for by itself"
    assert (
        read(me, "fsck", "--full") == "" and read(me, "ls-tree", "-r", "--name-only", "origin/main").count("\n") == 120
    )


def write_loose(git: Path, kind: bytes, content: bytes) -> bytes:
    raw = b"%b %d\0%b" % (kind, len(content), content)
    name = hashlib.sha1(raw).hexdigest()
    (git / "objects" / name[:2]).mkdir(exist_ok=True)
    (git / "objects" / name[:2] / name[2:]).write_bytes(zlib.compress(raw))
    return bytes.fromhex(name)


@pytest.mark.parametrize(
    ("argv", "status", "words"),
    [
        (["fetch", "origin", "nope"], 128, "fatal: couldn't find remote ref nope\n"),
        (["fetch", "origin", "a..b"], 128, "fatal: invalid refspec 'a..b'\n"),
        (["fetch", "../nothing"], 128, "fatal: '../nothing' does not appear to be a git repository\n"),
        (
            ["fetch", "origin", "main:main"],
            128,
            "fatal: refusing to fetch into branch 'refs/heads/main' checked out at",
        ),
        (["fetch", "origin", "main:x", "light:refs/heads/x"], 128, "fatal: Cannot fetch both refs/heads/main and"),
        (["fetch", "ssh://host/x"], 128, "fatal: 'ssh://host/x': ssh is a program"),
        (["fetch", "--unshallow"], 129, "error: git fetch: gitglass does not take --unshallow"),
    ],
)
def test_what_is_refused_changes_nothing(pair: tuple[Path, Path], argv: list[str], status: int, words: str) -> None:
    _, me = pair
    before = everything(me)
    have = said(me, *argv)
    assert have[0] == status and words.partition(": ")[2] in have[2]
    assert everything(me) == before


def test_the_grant_names_other_repositories(pair: tuple[Path, Path], tmp_path: Path) -> None:
    up, me = pair
    for remotes in ((), ("/elsewhere/*",)):
        with pytest.raises(NotGranted):
            planned(me, "fetch", remotes=remotes)
    run(me, "fetch", remotes=(str(up),))
    link = tmp_path / "link"
    link.symlink_to(up)
    with pytest.raises(NotGranted):
        planned(me, "fetch", str(link), remotes=(str(link),))


def test_objects_that_do_not_come_are_missed(pair: tuple[Path, Path]) -> None:
    up, me = pair
    blob = read(up, "rev-parse", "HEAD:f")
    (up / ".git/objects" / blob[:2] / blob[2:]).unlink()
    before = everything(me)
    assert said(me, "fetch")[0]
    assert everything(me) == before


def test_dangerous_objects_are_refused(pair: tuple[Path, Path]) -> None:
    up, me = pair
    blob = bytes.fromhex(read(up, "rev-parse", "HEAD:f"))
    tree = write_loose(up / ".git", b"tree", b"100644 .git\0" + blob)
    person = b"A <a@b> 1700000000 +0000"
    made = write_loose(
        up / ".git", b"commit", b"tree %b\nauthor %b\ncommitter %b\n\nx\n" % (tree.hex().encode(), person, person)
    )
    (up / ".git/refs/heads/bad").write_text(made.hex() + "\n")
    before = everything(me)
    with pytest.raises(Corrupt, match="hasDotgit"):
        run(me, "fetch")
    assert everything(me) == before


def test_a_name_in_the_way(pair: tuple[Path, Path]) -> None:
    up, me = pair
    run(me, "fetch")
    run(up, "branch", "-D", "topic")
    run(up, "branch", "topic/x")
    assert said(me, "fetch")[0] and "refs/remotes/origin/topic/x" not in refs(me)
    assert said(me, "fetch", "--prune")[0] == 0 and "refs/remotes/origin/topic/x" in refs(me)


def test_two_that_meet(pair: tuple[Path, Path]) -> None:
    """What changed here since the plan is never overwritten."""
    up, me = pair
    run(me, "fetch")
    commit(up, "three")
    writer, plan = planned(me, "fetch")
    other = read(up, "rev-parse", "HEAD~2")
    (me / ".git/refs/remotes/origin/main").write_text(other + "\n")
    with pytest.raises(Conflict):
        writer.apply(plan, approve(plan, "test"))
    assert refs(me)["refs/remotes/origin/main"] == other


def test_submodules_that_git_would_fetch_as_well_are_noted(tmp_path: Path) -> None:
    up = empty(tmp_path / "up", bare=False)
    commit(up, "one")
    top = copy_of("submodule", tmp_path / "top")
    with (top / ".git/config").open("a") as config:
        config.write('[remote "up"]\n\turl = ../up\n\tfetch = refs/heads/*:refs/remotes/up/*\n')
    assert planned(top, "fetch", "up")[1].preview.notes == ["submodules are not fetched"]


def test_a_note_of_submodules_is_made_where_there_are_some(pair: tuple[Path, Path]) -> None:
    assert planned(pair[1], "fetch")[1].preview.notes == []


def tags_of(me: Path) -> list[str]:
    return [name.removeprefix("refs/tags/") for name in refs(me) if name.startswith("refs/tags/")]


@pytest.fixture
def gone(pair: tuple[Path, Path]) -> tuple[Path, Path]:
    """The same, where tags are pruned: one that is not there, one there that no branch leads to."""
    up, me = pair
    run(up, "switch", "-q", "--detach")
    commit(up, "three")
    run(up, "tag", "loose")
    run(up, "switch", "-q", "main")
    run(me, "fetch", "-q")
    run(me, "tag", "gone", "origin/main")
    with (me / ".git/config").open("a") as config:
        config.write("[fetch]\n\tpruneTags = true\n")
    assert tags_of(me) == ["gone", "light", "v1"]
    return pair


@pytest.mark.parametrize("words", [["origin", "+refs/heads/*:refs/remotes/origin/*"], ["../up", "main"]], ids=str)
def test_tags_are_not_pruned_where_refspecs_are_named(gone: tuple[Path, Path], words: list[str]) -> None:
    """git-fetch(1), "PRUNING": what is named on the command line is all there is."""
    run(gone[1], "fetch", "--prune", *words)
    assert tags_of(gone[1]) == ["gone", "light", "v1"]


@pytest.mark.parametrize("words", [[], ["origin"], ["--no-tags"]], ids=str)
def test_tags_that_may_be_pruned_are_fetched_all(gone: tuple[Path, Path], words: list[str]) -> None:
    me = gone[1]
    run(me, "fetch", *words)
    assert tags_of(me) == ["gone", "light", "loose", "v1"]
    lines = (me / ".git/FETCH_HEAD").read_text().splitlines()
    assert [line.split("\t", 1)[1] for line in lines[-3:]] == [
        f"not-for-merge\ttag '{name}' of ../up" for name in ("light", "loose", "v1")
    ]
    run(me, "fetch", "--prune", *words)
    assert tags_of(me) == ["light", "loose", "v1"]


def test_of_an_address_tags_that_may_be_pruned_are_all_that_is_fetched(gone: tuple[Path, Path]) -> None:
    up, me = gone
    before = [line for line in refs(me) if line.startswith("refs/remotes/")]
    run(me, "fetch", "--prune", str(up))
    assert tags_of(me) == ["light", "loose", "v1"]
    lines = (me / ".git/FETCH_HEAD").read_text().splitlines()
    assert [line.split("\t", 1)[1] for line in lines] == [
        f"\ttag '{name}' of {up}" for name in ("light", "loose", "v1")
    ]
    assert [line for line in refs(me) if line.startswith("refs/remotes/")] == before


def test_what_is_put_at_two_places_is_merged_from_the_first(pair: tuple[Path, Path]) -> None:
    me = pair[1]
    with (me / ".git/config").open("a") as config:
        config.write(
            '[remote "origin"]\n\tfetch = main:kept\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n'
        )
    run(me, "fetch")
    lines = [line.split("\t", 1)[1] for line in (me / ".git/FETCH_HEAD").read_text().splitlines()]
    assert lines[:3] == [
        "\tbranch 'main' of ../up", "not-for-merge\tbranch 'topic' of ../up", "not-for-merge\tbranch 'main' of ../up",
    ]  # fmt: skip


def linked(main: Path, place: Path, head: str) -> Path:
    """A linked work tree of a repository, without files."""
    folder = main / ".git/worktrees" / place.name
    folder.mkdir(parents=True)
    (folder / "HEAD").write_text(head)
    (folder / "commondir").write_text("../..\n")
    (folder / "gitdir").write_text(f"{place}/.git\n")
    place.mkdir()
    (place / ".git").write_text(f"gitdir: {folder}\n")
    return place


def test_a_linked_work_tree_is_a_repository_like_others(tmp_path: Path) -> None:
    """Its git directory lies elsewhere, and names it: both are read, and pushed to."""
    main = empty(tmp_path / "main", bare=False)
    one = commit(main, "one")
    run(main, "branch", "side")
    tree = linked(main, tmp_path / "tree", "ref: refs/heads/side\n")
    other = empty(tmp_path / "other", bare=False)
    assert said(other, "ls-remote", "--symref", "../tree", "HEAD")[1] == f"ref: refs/heads/side\tHEAD\n{one}\tHEAD\n"
    assert said(other, "fetch", "../tree", "side:got")[0] == 0 and refs(other)["refs/heads/got"] == one
    assert said(other, "push", "../tree", "got:new")[0] == 0 and refs(main)["refs/heads/new"] == one
    assert said(tree, "fetch", ".", "side:more") == (0, "", "From .\n * [new branch]      side       -> more\n")
    assert said(tree, "push", ".", "HEAD:refs/heads/most")[0] == 0 and refs(main)["refs/heads/most"] == one


def test_a_directory_that_only_points_at_a_repository_is_none(tmp_path: Path) -> None:
    main = empty(tmp_path / "main", bare=False)
    commit(main, "one")
    linked(main, tmp_path / "tree", "ref: refs/heads/main\n")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/.git").write_text((tmp_path / "tree/.git").read_text())
    other = empty(tmp_path / "other", bare=False)
    with pytest.raises(SandboxViolation):
        planned(other, "fetch", "../copy")


def test_both_directories_of_a_linked_work_tree_have_to_be_granted(tmp_path: Path) -> None:
    main = empty(tmp_path / "main", bare=False)
    commit(main, "one")
    tree = linked(main, tmp_path / "tree", "ref: refs/heads/main\n")
    other = empty(tmp_path / "other", bare=False)
    with pytest.raises(NotGranted):
        planned(other, "fetch", "../tree", remotes=(str(tree),))


def test_all_remotes_are_the_only_one(tmp_path: Path) -> None:
    up = empty(tmp_path / "up", bare=False)
    commit(up, "one")
    me = empty(tmp_path / "me", bare=False, origin="../up")
    assert said(me, "fetch", "--all", "--prune")[0] == 0
    assert refs(me)["refs/remotes/origin/main"] == refs(up)["refs/heads/main"]
    log = (me / ".git/logs/refs/remotes/origin/main").read_text()
    assert log.endswith("\tfetch --all --prune: storing head\n")
    words = "fatal: fetch --all does not take a repository argument\n"
    assert said(me, "fetch", "--all", "origin") == (128, "", words)
    words = "fatal: fetch --all does not make sense with refspecs\n"
    assert said(me, "fetch", "--all", "origin", "main") == (128, "", words)
    (me / ".git/config").open("a").write('[remote "second"]\n\turl = ../up\n')
    assert "gitglass takes --all only where there is one remote" in said(me, "fetch", "--all")[2]
    (me / ".git/config").open("a").write("\tskipDefaultUpdate = true\n")
    assert said(me, "fetch", "--all") == (0, "", "")
    (me / ".git/config").open("a").write('[remote "origin"]\n\tskipDefaultUpdate = true\n')
    assert said(me, "fetch", "--all") == (0, "", "") and (me / ".git/FETCH_HEAD").read_bytes() == b""

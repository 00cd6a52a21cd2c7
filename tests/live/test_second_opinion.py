"""Plans of add, restore, switch, commit and merge against git's plumbing in a room of its own (support/second_opinion):
the index, the bytes of every file, the commit, the tree and the conflicts that git comes to are those of the plan."""

import os
import random
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gitglass.mutate.plan import Plan
from gitglass.objects.parsed import object_name

from ..support.kill_cases import at_odds, parted
from ..support.peers import planned, read, run
from ..support.second_opinion import Room, afterwards, listed
from ..support.twins import do_edit, draw_edit
from ..support.writing import CLOCK, copy_of, tree_of

pytestmark = [pytest.mark.live, pytest.mark.writes]
SEEDS = range(12)
PERSON = {"NAME": "A", "EMAIL": "a@b", "DATE": f"{CLOCK} +0000"}
PEOPLE = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in PERSON.items()}


@pytest.fixture(params=SEEDS)
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A repository some of whose files have changed."""
    made = copy_of("plain", tmp_path / "repo")
    rng = random.Random(request.param)
    files = read(made, "ls-files", "-z").split("\0")[:-1]
    for _ in range(4):
        do_edit(made, draw_edit(rng, files))
    return made


def plan_of(repo: Path, *argv: str) -> Plan:
    return planned(repo, *argv)[1]


def listing(repo: Path, *options: str) -> bytes:
    """Paths as `ls-files` has them."""
    return read(repo, "ls-files", "-z", *options).encode("utf-8", "surrogateescape")


def files_of(tree: Path) -> dict[str, tuple[int, bytes]]:
    """Every file's mode as git has it and its bytes' name."""
    return {name: (git_mode(mode), object_name(b"blob", data, "sha1")) for name, (mode, data) in tree_of(tree).items()}


def git_mode(mode: int) -> int:
    return 0o120000 if stat.S_ISLNK(mode) else 0o100755 if mode & 0o100 else 0o100644


def assert_same_files(repo: Path, room: Room, plan: Plan) -> None:
    """Every file is what the plan makes of it, or what it is in the repository."""
    assert plan.changes.files
    wanted = files_of(repo)
    for change in plan.changes.files:
        wanted.pop(os.fsdecode(change.path), None)
        if change.after is not None:
            wanted[os.fsdecode(change.path)] = change.after.mode, change.after.oid
    assert files_of(room.tree) == wanted


def test_add(repo: Path, tmp_path: Path) -> None:
    plan, room = plan_of(repo, "add", "-A"), Room(repo, tmp_path / "room", inside=False)
    paths = b"".join(listing(repo, *options) for options in ((), ("-o", "--exclude-standard")))
    room.ask("update-index", "-z", "--add", "--remove", "--stdin", given=paths)
    assert plan.changes.entries and room.entries() == listed(afterwards(repo, plan))


def test_restore(repo: Path, tmp_path: Path) -> None:
    plan, room = plan_of(repo, "restore", "."), Room(repo, tmp_path / "room", inside=True)
    room.ask("checkout-index", "-f", "-u", "-z", "--stdin", given=listing(repo))
    assert_same_files(repo, room, plan)


def test_commit(repo: Path, tmp_path: Path) -> None:
    run(repo, "add", "-A")
    plan, room = plan_of(repo, "commit", "-m", "all of it"), Room(repo, tmp_path / "room", inside=False)
    tree = room.ask("write-tree").decode().strip()
    argv = ["commit-tree", "-F", "-", "-p", read(repo, "rev-parse", "HEAD"), tree]
    made = room.ask(*argv, given=b"all of it\n", **PEOPLE).decode().strip()
    assert [change.after.hex() for change in plan.changes.refs] == [made]


@pytest.mark.parametrize("there", ["HEAD~1", "HEAD~3"])
def test_switch(there: str, tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    plan, room = plan_of(repo, "switch", "--detach", there), Room(repo, tmp_path / "room", inside=True)
    old, new = (read(repo, "rev-parse", f"{name}^{{commit}}") for name in ("HEAD", there))
    room.ask("read-tree", "-m", "-u", "--no-recurse-submodules", old, new)
    assert room.entries() == listed(afterwards(repo, plan))
    assert_same_files(repo, room, plan)


@pytest.mark.parametrize("prepare", [parted, at_odds])
def test_merge(prepare: Callable[[Path], None], tmp_path: Path) -> None:
    """The tree of a merge, or the stages of its conflicts."""
    repo = copy_of("plain", tmp_path / "repo")
    prepare(repo)
    plan, room = plan_of(repo, "merge", "-m", "m", "side"), Room(repo, tmp_path / "room", inside=False)
    ours, theirs = (read(repo, "rev-parse", branch) for branch in ("HEAD", "side"))
    tree, *rows = room.ask("merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs).split(b"\0")[:-1]
    commits = [content for kind, content in plan.changes.objects.values() if kind == b"commit"]
    if commits:
        assert [content.partition(b"\n")[0] for content in commits] == [b"tree " + tree]
        assert not rows
    else:
        conflicts = {path: rows for path, rows in afterwards(repo, plan).items() if rows[0].stage}
        assert rows and b"".join(row + b"\0" for row in rows if row) == listed(conflicts)

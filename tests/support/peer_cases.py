"""Operations that another repository takes part in, to be killed and made to fail: fetch, pull, push, and workspaces.

`work` is the repository that the operation is done in, `peer.git` the one that it asks, both in one directory, so that
a copy of that directory is a copy of both.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import gitglass
from gitglass.mutate.grant import ALL_EFFECTS, Identity, WriteGrant
from gitglass.workspace.model import Clock, Identities
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.targets.local import LocalTarget
from gitglass.workspace.workspace import Workspace

from .kill_cases import LOST, Case, after, nothing
from .peers import commit, empty, run
from .writing import CLOCK

WORK, PEER = "work", "peer.git"
Make = Callable[[Path, str], None]


def asking(place: Path) -> dict[str, Any]:
    """Every other repository, over http on this machine, too."""
    return {"remotes": ("*",), "effects": ALL_EFFECTS, "plain_http": True, "protected": ()}


def pair(*ahead: Callable[[Path], None], cloned: bool = True) -> Make:
    """Our repository and a bare one; `ahead` is done by somebody else, and pushed, once we know all the others."""

    def make(top: Path, url: str) -> None:
        empty(top / PEER, bare=True)
        other = empty(top / "other", bare=False, origin="../peer.git")
        commit(other, "one", name="both.txt")
        commit(other, "two", name="theirs.txt")
        run(other, "push", "-q", "origin", "main", "main:old", "main:gone")
        work = empty(top / WORK, bare=False, origin=url)
        if cloned:
            run(work, "fetch", "-q")
            run(work, "checkout", "-q", "-b", "main", "--track", "origin/main")
            (work / "untracked.txt").write_bytes(LOST)
        for deed in ahead:
            deed(other)

    return make


def moves(other: Path) -> None:
    """A commit more, a new branch, a tag, and a branch less."""
    commit(other, "three", name="theirs.txt")
    run(other, "tag", "-a", "-m", "m", "v1")
    run(other, "push", "-q", "origin", "main", "HEAD:new", ":gone", "v1")


def at_odds(other: Path) -> None:
    """A change of the file that we change, too."""
    commit(other, "theirs", name="both.txt")
    run(other, "push", "-q", "origin", "main")


def many(other: Path) -> None:
    """So much that it comes in a pack."""
    for number in range(110):
        (other / f"many-{number}.txt").write_text(f"{number}\n")
    run(other, "add", "-A")
    run(other, "commit", "-q", "-m", "many")
    run(other, "push", "-q", "origin", "main")


def ours(work: Path) -> None:
    """A commit of ours beside theirs, and a change that is in no commit."""
    commit(work, "ours", name="ours.txt")
    (work / "ours.txt").write_bytes(LOST + b"ours\n")


def ours_at_odds(work: Path) -> None:
    """A commit of ours that changes what theirs changes."""
    commit(work, "ours", name="both.txt")


def much_of_ours(work: Path) -> None:
    """So much that it goes in a pack."""
    for number in range(110):
        (work / f"many-{number}.txt").write_text(f"{number}\n")
    run(work, "add", "-A")
    run(work, "commit", "-q", "-m", "many")


def several(work: Path) -> None:
    """A commit, a branch beside it, a tag, and a branch that goes back."""
    commit(work, "ours", name="ours.txt")
    run(work, "branch", "side", "HEAD~1")
    run(work, "tag", "-a", "-m", "m", "v2")
    run(work, "branch", "back", "HEAD~2")


def did(*argv: str) -> Callable[[Path], None]:
    """A preparation: a command line that asks the other one."""

    def prepare(work: Path) -> None:
        run(work, *argv)

    return prepare


def refusing(top: Path, url: str) -> None:
    """The other one refuses whatever goes back, when it is asked to."""
    pair()(top, url)
    with (top / PEER / "config").open("a") as config:
        config.write("[receive]\n\tdenyNonFastForwards = true\n")


def of_peer(prepare: Callable[[Path], None], line: str, make: Make | None = None, *, served: bool = False) -> Case:
    """A command line with another repository beside it."""
    return Case(prepare, line.split(), inside=WORK, make=make or pair(moves), others=(PEER,), served=served,
                granted=asking)  # fmt: skip


# --- workspaces -----------------------------------------------------------------------------------------------------

_PEOPLE = Identities(Identity("A", "a@b"), Identity("C", "c@d"))
_GRANT = WriteGrant(identity=Identity("Host", "h@i"), clock=lambda: CLOCK, zone=0)


def _workspace(repo: Path, rev: str) -> Workspace:
    seconds, ids, changes = count(CLOCK), count(1), count(1)
    clock = Clock(lambda: next(seconds), 60, lambda: f"{next(ids):032x}", lambda: f"I{next(changes):040x}")
    workspace = Workspace.over(gitglass.open(repo), rev, target="here", identity=_PEOPLE, clock=clock)
    for name in ("fresh.md", "more/fresh.md"):
        workspace.write(name, name.encode() + b"\n")
        workspace.stage([name], f"Write {name}")
    return workspace


def pushes(branch: str, rev: str = "main", **options: Any) -> Callable[[Path], None]:
    """The deed: two staged commits go to a branch of the repository."""

    def deed(repo: Path) -> None:
        workspace = _workspace(repo, rev)
        target = LocalTarget("here", gitglass.open(repo), _GRANT, where="here", **options)
        made = push(workspace, plan_push(workspace, workspace.staged[-1].id, target, branch), target)
        assert made.status == "success"

    return deed


PEER_CASES: dict[str, Case] = {
    "fetch": of_peer(ours, "fetch"),
    "fetch, the first": of_peer(nothing, "fetch", pair(moves, cloned=False)),
    "fetch --prune": of_peer(nothing, "fetch --prune"),
    "fetch --tags": of_peer(nothing, "fetch --tags origin"),
    "fetch of a ref": of_peer(nothing, "fetch origin main:refs/heads/theirs"),
    "fetch of no ref": of_peer(nothing, "fetch --no-tags ../peer.git main"),
    "fetch of a pack": of_peer(nothing, "fetch", pair(many)),
    "fetch, http": of_peer(ours, "fetch --prune", served=True),
    "fetch of a pack, http": of_peer(nothing, "fetch", pair(many), served=True),
    "undo fetch": Case(did("fetch", "--prune"), ["undo"], inside=WORK,
                       make=pair(moves), others=(PEER,), granted=asking),
    "pull, forward": of_peer(nothing, "pull"),
    "pull, a merge": of_peer(ours, "pull --no-rebase"),
    "pull that conflicts": of_peer(ours_at_odds, "pull --no-rebase", pair(at_odds)),
    "pull --squash": of_peer(ours, "pull --squash --no-rebase"),
    "pull, http": of_peer(ours, "pull --no-rebase", served=True),
    "pull, forward, http": of_peer(nothing, "pull --prune", served=True),
    "undo pull": Case(did("pull"), ["undo"], inside=WORK, make=pair(moves),
                      others=(PEER,), granted=asking),
    "push": of_peer(ours, "push", pair()),
    "push -u": of_peer(several, "push -u origin side v2", pair()),
    "push --all": of_peer(several, "push --all", pair()),
    "push --force": of_peer(several, "push --force origin back:main main:new", pair()),
    "push --delete": of_peer(nothing, "push --delete origin gone", pair()),
    "push --atomic": of_peer(several, "push --atomic origin main side :old", pair()),
    "push that is refused in part": of_peer(several, "push origin +back:old main v2", refusing),
    "push of a pack": of_peer(much_of_ours, "push", pair()),
    "push to an address": of_peer(ours, "push ../peer.git main:elsewhere", pair()),
    "push, http": of_peer(several, "push origin main side v2 :gone", pair(), served=True),
    "push -u, http": of_peer(several, "push -u origin side", pair(), served=True),
    "push of a pack, http": of_peer(much_of_ours, "push", pair(), served=True),
    "workspace push, bare": Case(nothing, [], "bare", deed=pushes("main")),
    "workspace push, new branch": Case(nothing, [], "bare", deed=pushes("fresh/branch")),
    "workspace push": Case(after("switch -c elsewhere"), [], deed=pushes("main")),
    "workspace push, files follow": Case(nothing, [], deed=pushes("main", update_worktree=True)),
}  # fmt: skip

"""`init` killed at every call: there is a whole repository or none, and the next `init` makes it without a trace."""

from __future__ import annotations

import subprocess
from pathlib import Path

import gitglass
from gitglass.mutate.calls import Calls
from gitglass.mutate.grant import WriteGrant
from gitglass.mutate.init import approve_init, create, plan_init
from gitglass.request.init import NEW_REPOSITORY, InitRequest

from .kills import Judged, was_killed
from .writing import Counted, Killed

GRANT = WriteGrant(effects=frozenset({NEW_REPOSITORY}))


def init(place: Path, bare: bool, calls: Calls) -> None:
    """Plan and make a repository in a directory that holds a file."""
    plan = plan_init(place, InitRequest(bare=bare, directory="top"), GRANT, default_branch="main")
    create(plan, approve_init(plan, "test"), calls=calls)


def fresh(place: Path) -> Path:
    """A directory with a file that has nothing to do with it."""
    (place / "top").mkdir(parents=True)
    (place / "top/file").write_bytes(b"mine\n")
    return place


def listed(place: Path) -> dict[str, bytes | None]:
    """All there is, with contents."""
    return {str(path.relative_to(place)): path.read_bytes() if path.is_file() else None for path in place.rglob("*")}


def judge_init(place: Path, *, bare: bool, git: bool = False) -> Judged:
    """All kills, before each call and after the last."""
    last, counted = fresh(place / "last"), Counted()
    init(last, bare, counted)
    wanted, judged = listed(last), Judged(counted.count, faults=[])
    for number in range(1, counted.count + 2):
        one = fresh(place / str(number))
        killed = Killed(min(number, counted.count), afterwards=number > counted.count)
        if not was_killed(lambda one=one, killed=killed: init(one, bare, killed)):  # type: ignore[misc]
            judged.faults.append(f"{number}: was not killed")
        judged.killed += 1
        judged.faults += [f"{number}: {fault}" for fault in _faults(one, bare, git)]
        whole = (one / "top" / ("HEAD" if bare else ".git/HEAD")).exists()
        init(one, bare, Calls())
        judged.forward, judged.back = judged.forward + whole, judged.back + (not whole)
        differing = {name for name, content in listed(one).items() if wanted.get(name, "") != content}
        left = {name for name in differing if ".git.gitglass-" in name and whole}
        if listed(one).keys() - left != wanted.keys() or differing - left:
            judged.faults.append(
                f"{number}: after another init: {sorted(differing | wanted.keys() - listed(one).keys())}"
            )
    return judged


def _faults(place: Path, bare: bool, git: bool) -> list[str]:
    """What must not be between the kill and the next `init`."""
    top, faults = place / "top", []
    if (top / "file").read_bytes() != b"mine\n":
        faults.append("the file is another one")
    if (top / "HEAD" if bare else top / ".git").exists():
        done = gitglass.git(["status", "--short"] if not bare else ["for-each-ref"], cwd=top)
        faults += [] if done.returncode == 0 else [f"not whole: {done.stderr!r}"]
        if git:
            asked = subprocess.run(["git", "fsck"], cwd=top, capture_output=True)
            faults += [f"git fsck: {asked.stderr!r}"] if asked.returncode else []
    return faults

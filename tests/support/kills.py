"""Every operation, killed at every call that changes something, and what must hold then.

After the kill each ref has its old value or its new one, the reader (and git, where there is one) finds no damage, and
every byte that a file, the index or a log had is in place, in the operation log, or in an object. `recover` back is
exactly the state before; forward exactly the state after, or refused before anything is done where the objects had not
all been written.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path
from typing import Any

import gitglass
import gitglass.mutate.writer
import gitglass.workspace.targets.kept
from gitglass.agent.commandline import parse_command
from gitglass.errors import Conflict
from gitglass.limits import Context
from gitglass.mutate.calls import Calls
from gitglass.mutate.writer import approve
from gitglass.records import record
from gitglass.request.mutations import Mutation, UndoRequest

from .all_cases import ALL
from .copies import copy_tree
from .kill_cases import Case
from .servers import FolderServer
from .twins import below, git_folders, picture
from .writing import Counted, Killed, copy_of, writer_of

KILLED = 7


@record
class Judged:
    """What the kills of one operation came to."""

    calls: int
    killed: int = 0
    back: int = 0
    forward: int = 0
    refused: int = 0  # forward, where the objects had not all been written
    faults: list[str] = None  # type: ignore[assignment]


class Side:
    """One repository that an operation changes, in the state before it, with pictures of both ends."""

    def __init__(self, repo: Path, inside: str, *, foreign: bool) -> None:
        """`foreign`: a server of another make changes it, which has no operation log."""
        self.inside, self._foreign = inside, foreign
        self.before = self.after = seen(repo)
        self.contents, self.lines = contents_of(repo), lines_of(repo)
        self.ids = {one.id for one in writer_of(repo).operations()}

    def wanted(self, repo: Path, forward: bool, begun: bool) -> dict[str, Any]:
        """The end that it has to be at once `recover` went one way; `begun`: an operation was open before that."""
        closed = any(one.state == "done" and one.id not in self.ids for one in writer_of(repo).operations())
        if self._foreign:
            closed = seen(repo)["refs"] == self.after["refs"]
        return self.after if (begun and forward) or (not begun and closed) else self.before

    def faults(self, repo: Path) -> list[str]:
        """What must never be, whenever the operation was ended, but for damage."""
        return [*self.lost(repo), *self._refs(repo)]

    def lost(self, repo: Path) -> list[str]:
        """Contents and lines of logs that were there and are nowhere now."""
        paths = everything(repo)
        kept = {bytes_of(path) for path in paths if "/objects/" not in path and plain(path)}
        records = b"".join(bytes_of(path) for path in paths if path.endswith("/operation.json"))
        faults = []
        for name, content in self.contents.items():
            if content not in kept and gitglass.git(["cat-file", "-e", name], cwd=repo).returncode:
                faults.append(f"lost: {content[:60]!r}")
        there = lines_of(repo)
        for line in self.lines:
            if line not in there and line.partition(b"\t")[0] not in records:
                faults.append(f"lost of a log: {line!r}")
        return faults

    def _refs(self, repo: Path) -> list[str]:
        now = values(seen_refs(repo))
        old, new = values(self.before["refs"]), values(self.after["refs"])
        faults = [
            f"ref {name!r}: {now.get(name)!r}"
            for name in now.keys() | old.keys() | new.keys()
            if now.get(name) not in (old.get(name), new.get(name))
        ]
        head = (git_folders(repo)[0] / "HEAD").read_bytes()
        return faults + ([] if head in (self.before["HEAD"], self.after["HEAD"]) else [f"HEAD: {head!r}"])


class Source:
    """The repositories of a case in the state before its operation: the one it is done in, and those beside it."""

    def __init__(self, case: Case, place: Path, *, git: bool) -> None:
        self.git, self._place, self._inside, self._case = git, place, case.inside, case
        self._looked: dict[bytes, list[str]] = {}
        place.mkdir(parents=True, exist_ok=True)
        self._server = FolderServer(place) if case.served else None
        top = place / "source"
        if case.make is None:
            copy_of(case.archive, top)
        else:
            if self._server is not None:
                self._server.root = top
            case.make(top, "../peer.git" if self._server is None else self._server.url + "peer.git")
        self.repo = top / case.inside
        gitglass.git(["status"], cwd=self.repo)
        case.prepare(self.repo)
        self.granted = case.granted(place)
        self.request = None if case.deed else self._request(case.argv)
        self.sides = [
            Side(top / inside, inside, foreign=case.served and inside != case.inside)
            for inside in (case.inside, *case.others)
        ]
        last, counted = self.copy("last"), Counted()
        self.point(last)
        self.carry_out(last, counted)
        for side in self.sides:
            side.after = seen(self.at(last, side))
        self.calls = counted.count
        assert any(side.before != side.after for side in self.sides)

    @property
    def before(self) -> dict[str, Any]:
        """The state before, of the repository that the operation is done in."""
        return self.sides[0].before

    @property
    def after(self) -> dict[str, Any]:
        """The state after it."""
        return self.sides[0].after

    def _request(self, argv: list[str] | Mutation) -> Mutation:
        if isinstance(argv, Mutation):
            return argv
        if argv == ["undo"]:
            return UndoRequest(operation=writer_of(self.repo).operations()[-1].id)
        with Context(gitglass.Limits()) as ctx:
            parsed = parse_command(argv, gitglass.open(self.repo).store, ctx).request
        assert isinstance(parsed, Mutation)
        return parsed

    def close(self) -> None:
        """Nobody is served any more."""
        if self._server is not None:
            self._server.close()

    def point(self, repo: Path) -> None:
        """What is served from now on lies in this copy."""
        if self._server is not None:
            self._server.root = self._top(repo)

    def carry_out(self, repo: Path, calls: Calls) -> None:
        """Do it, with these calls behind every door: also of a writer that works for another one."""
        with behind_every_door(calls):
            if self._case.deed is not None:
                self._case.deed(repo)
            else:
                assert self.request is not None
                carry_out(repo, self.request, calls, **self.granted)

    def _top(self, repo: Path) -> Path:
        return self._place / repo.relative_to(self._place).parts[0]

    def at(self, repo: Path, side: Side) -> Path:
        """Where a side lies in the copy that a repository is of."""
        return self._top(repo) / side.inside

    def copy(self, name: str, of: Path | None = None) -> Path:
        """A copy that may be changed."""
        top = self._top(of or self.repo)
        copy_tree(str(top), str(self._place / name))
        return self._place / name / self._inside

    def drop(self, *repos: Path) -> None:
        """Copies that have done their work."""
        for repo in repos:
            shutil.rmtree(self._top(repo))

    # --- one kill ---------------------------------------------------------------------------------------------------

    def judge(self, number: int, afterwards: bool, judged: Judged) -> None:
        """Kill one, look, recover both ways."""
        name = f"{number}{'+' if afterwards else '-'}"
        repo = self.copy(name)
        calls = Killed(number, afterwards=afterwards)
        self.point(repo)
        if not was_killed(lambda: self.carry_out(repo, calls)):
            judged.faults.append(f"{name}: was not killed")
            return
        judged.killed += 1
        judged.faults += [f"{name}: {fault}" for fault in self.faults(repo)]
        ways = ((self.copy(f"{name}forward", repo), True), (repo, False))
        for one, forward in ways:
            word = "forward" if forward else "back"
            judged.faults += [f"{name} {word}: {fault}" for fault in self._recovered(one, forward, judged)]
        self.drop(*(one for one, _ in ways))

    def judge_recovery(self, number: int, judged: Judged, step: int = 1) -> None:
        """Kill the operation once, and then `recover`, either way, at each so many-th call of its own."""
        repo = self.copy(f"{number}")
        self.point(repo)
        assert was_killed(lambda: self.carry_out(repo, Killed(number, afterwards=False)))
        for forward in (False, True):
            counted, last = Counted(), self.copy(f"{number}{forward}", repo)
            try:
                writer_of(last, counted).recover(forward=forward)
            except Conflict:
                judged.refused += 1
            self.drop(last)
            for again in range(1, counted.count + 1, step):
                self._kill_recovery(
                    repo, f"{number} {'forward' if forward else 'back'} {again}", again, forward, judged
                )
        self.drop(repo)

    def _kill_recovery(self, repo: Path, name: str, again: int, forward: bool, judged: Judged) -> None:
        one = self.copy(name.replace(" ", "-"), repo)
        calls = Killed(again, afterwards=False)
        if not was_killed(lambda: writer_of(one, calls).recover(forward=forward)):
            judged.faults.append(f"{name}: was not killed")
        judged.killed += 1
        faults = self.faults(one)
        ways = ((self.copy(f"{one.relative_to(self._place).parts[0]}-forward", one), True), (one, False))
        for other, direction in ways:
            faults += self._recovered(other, direction, judged)
            self.drop(other)
        judged.faults += [f"{name}: {fault}" for fault in faults]

    def recovered(self, repo: Path, forward: bool) -> list[str]:
        """What is wrong once `recover` went one way."""
        return self._recovered(repo, forward, Judged(0, faults=[]))

    def is_open(self, repo: Path) -> bool:
        """Whether an operation is open, on any side."""
        return any(one.state == "open" for side in self.sides for one in writer_of(self.at(repo, side)).operations())

    def _recovered(self, repo: Path, forward: bool, judged: Judged) -> list[str]:
        """The others first: what is said here of another repository has to be so."""
        faults, ends = list[str](), dict[str, bool]()
        for side in reversed(self.sides):
            first = side is self.sides[0]
            faults += self._side_recovered(side, self.at(repo, side), forward, judged if first else None, ends)
        if ends.get(self._inside) and False in ends.values():
            faults.append("said to be done, and another repository is as before")
        return faults

    def _side_recovered(
        self, side: Side, repo: Path, forward: bool, judged: Judged | None, ends: dict[str, bool]
    ) -> list[str]:
        begun = any(one.state == "open" for one in writer_of(repo).operations())
        mended = writer_of(repo)
        try:
            mended.recover(forward=forward)
        except Conflict as error:
            if not forward:
                return [f"refused: {error.message}"]
            if judged is not None:
                judged.refused += 1
            ends[side.inside] = False
            return [] if seen(repo)["refs"] == side.before["refs"] else ["refused, and refs have moved"]
        faults = ["twice is not once"] if mended.recover(forward=forward) else []
        wanted = side.wanted(repo, forward, begun)
        if side.before != side.after:
            ends[side.inside] = wanted is side.after
        if judged is not None:
            judged.forward += wanted is side.after
            judged.back += wanted is side.before
        faults += [*differing(seen(repo), wanted), *leftovers(repo)]
        return [*faults, *self._damage(repo), *side.lost(repo)]

    def _damage(self, repo: Path) -> list[str]:
        """What both fscks find; looked at once where two repositories have the same files (the operation log apart)."""
        common = git_folders(repo)[1]
        look = sha1(repr(git_folders(repo)[0].relative_to(self._top(repo))).encode())
        for path in sorted(paths_below(str(common))):
            if "/gitglass/" not in path and not os.path.isdir(path):
                with open(path, "rb") as file:
                    look.update(b"%b\0%b" % (os.fsencode(path[len(str(common)) :]), sha1(file.read()).digest()))
        key = look.digest()
        if key not in self._looked:
            self._looked[key] = damage(repo, self.git)
        return self._looked[key]

    def faults(self, repo: Path) -> list[str]:
        """What must never be, whenever the operation was ended."""
        return [
            fault
            for side in self.sides
            for fault in (*self._damage(self.at(repo, side)), *side.faults(self.at(repo, side)))
        ]


def damage(repo: Path, git: bool) -> list[str]:
    """What the reader's fsck finds, and git's where it is asked."""
    faults = [f"our fsck: {one.words}" for one in gitglass.open(repo).verify() if one.is_error]
    if git:
        asked = subprocess.run(["git", "fsck", "--strict"], cwd=repo, capture_output=True)
        lines = [line for line in (asked.stdout + asked.stderr).splitlines() if not line.startswith(HARMLESS)]
        faults += [f"git fsck: {asked.returncode} {lines!r}"] if asked.returncode or lines else []
    return faults


def differing(now: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """What is not as it has to be."""
    return [
        f"{key}: {str(now.get(key))[-200:]} instead of {str(wanted.get(key))[-200:]}"
        for key in sorted(now.keys() | wanted.keys())
        if now.get(key) != wanted.get(key)
    ]


def leftovers(repo: Path) -> list[str]:
    """Locks and drafts that nobody needs any more."""
    paths = everything(repo)
    faults = [f"a lock is left: {os.path.basename(one)}" for one in paths if one.endswith(".lock")]
    drafts = [(at, name) for at, _, name in (one.rpartition("/") for one in paths) if name.startswith(DRAFTS)]
    return faults + [f"a draft is left: {name}" for at, name in drafts if os.path.exists(f"{at}/operation.json")]


#: what git's fsck says of a repository that is whole
HARMLESS = (b"dangling ", b"notice: ")
#: names of files that are not finished
DRAFTS = ("lock-", "new-", "object-", "rewritten-", "draft", ".gitglass-", "gone-")


def seen(repo: Path) -> dict[str, Any]:
    """All that has to be as it was; directories that are left empty do not count, git has none."""
    found = picture(repo, os.fsencode(str(repo)))
    fetched = git_folders(repo)[0] / "FETCH_HEAD"
    if fetched.exists():
        found["FETCH_HEAD"] = fetched.read_bytes()
    bare = git_folders(repo)[1] == repo
    return {
        key: value for key, value in found.items() if value != b"directory" and not (bare and key.startswith("file "))
    }


def seen_refs(repo: Path) -> bytes:
    """Every ref with its value."""
    return gitglass.git(["for-each-ref", "--format=%(refname) %(objectname) %(symref)"], cwd=repo).stdout


def values(listing: bytes) -> dict[bytes, bytes]:
    """What `seen_refs` says, by name."""
    return {line.partition(b" ")[0]: line for line in listing.splitlines()}


def everything(repo: Path) -> list[str]:
    """Every path of the work tree and of the git directory, wherever that is."""
    folders = {repo, git_folders(repo)[1].resolve()}
    if any(one in folders for folder in folders for one in folder.parents):
        folders = {folder for folder in folders if not any(one in folders for one in folder.parents)}
    return [path for top in folders for path in paths_below(str(top))]


def paths_below(top: str) -> list[str]:
    """Every path below a directory."""
    return [f"{at}/{name}" for at, below, names in os.walk(top) for name in (*below, *names)]


def plain(path: str) -> bool:
    """A regular file and no link."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def bytes_of(path: str) -> bytes:
    """All bytes of a file."""
    with open(path, "rb") as stream:
        return stream.read()


def contents_of(repo: Path) -> dict[str, bytes]:
    """What files of the work tree and entries of the index hold, by the name that it has as a blob."""
    found = {}
    for _, entry in below(repo) if git_folders(repo)[1] != repo else ():
        if entry.is_file(follow_symlinks=False):
            data = bytes_of(entry.path)
            found[gitglass.git(["hash-object", "--stdin"], cwd=repo, stdin=data).stdout.decode().strip()] = data
    for line in gitglass.git(["ls-files", "-s"], cwd=repo).stdout.splitlines():
        name = line.split()[1].decode()
        found[name] = gitglass.git(["cat-file", "blob", name], cwd=repo).stdout
    return found


def lines_of(repo: Path) -> set[bytes]:
    """Every line of every log."""
    own, common = git_folders(repo)
    logs = [Path(path) for at in {own, common} for path in paths_below(f"{at}/logs") if os.path.isfile(path)]
    return {line for path in logs for line in path.read_bytes().splitlines()}


def carry_out(repo: Path, request: Mutation, calls: Calls, **granted: Any) -> None:
    """Plan and apply."""
    writer = writer_of(repo, calls, **granted)
    plan = writer.plan(request)
    assert writer.apply(plan, approve(plan, "test")).unexpected == []


@contextmanager
def behind_every_door(calls: Calls) -> Iterator[None]:
    """Whatever writes meanwhile, writes with these calls."""
    modules: list[Any] = [gitglass.mutate.writer, gitglass.workspace.targets.kept]
    before = [module.Calls for module in modules]
    for module in modules:
        module.Calls = lambda: calls
    try:
        yield
    finally:
        for module, kind in zip(modules, before, strict=True):
            module.Calls = kind


def was_killed(deed: Callable[[], object]) -> bool:
    """Do something in a process that may end at a call; whether it did."""
    child = os.fork()
    if child == 0:
        try:
            deed()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def judge(
    name: str, place: Path, *, git: bool = False, every: int = 1, first: int = 1, few: int | None = None
) -> Judged:
    """All kills of one operation; the last call is killed after it, too: after any other is before the next. With
    `every` only each so many-th of them, from `first` on; with `few` two or three, others for another number."""
    source = Source(ALL[name], place, git=git)
    judged = Judged(source.calls, faults=[])
    if few is not None:
        every = source.calls // 2
        first = 1 + few % every
    for number in range(first, source.calls + 1, every):
        source.judge(number, False, judged)
    source.judge(source.calls, True, judged)
    source.close()
    return judged


def judge_recovery(
    name: str, place: Path, *, git: bool = False, every: int = 1, first: int = 1, step: int = 1
) -> Judged:
    """Of each so many-th kill of an operation, all kills of both its recoveries, or each so many-th of those."""
    source = Source(ALL[name], place, git=git)
    judged = Judged(source.calls, faults=[])
    for number in range(first, source.calls + 1, every):
        source.judge_recovery(number, judged, step)
    source.close()
    return judged

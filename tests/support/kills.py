"""Every operation, killed at every call that changes something, and what must hold then.

After the kill each ref has its old value or its new one, the reader (and git, where there is one) finds no damage, and
every byte that a file, the index or a log had is in place, in the operation log, or in an object. `recover` back is
exactly the state before; forward exactly the state after, or refused before anything is done where the objects had not
all been written.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import Conflict
from gitglass.limits import Context
from gitglass.mutate.calls import Calls
from gitglass.mutate.writer import approve
from gitglass.records import record
from gitglass.request.mutations import Mutation, UndoRequest

from .kill_cases import CASES, Case
from .twins import git_folders, picture
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


class Source:
    """A repository in the state before an operation, with pictures of both ends."""

    def __init__(self, case: Case, place: Path, *, git: bool) -> None:
        self.git, self._place, self._inside = git, place, case.inside
        self.repo = copy_of(case.archive, place / "source") / case.inside
        gitglass.git(["status"], cwd=self.repo)
        case.prepare(self.repo)
        self.request = self._request(case.argv)
        self.before = seen(self.repo)
        self.contents, self.lines = contents_of(self.repo), lines_of(self.repo)
        last, counted = self.copy("last"), Counted()
        carry_out(last, self.request, counted)
        self.after, self.calls = seen(last), counted.count
        assert self.before != self.after

    def _request(self, argv: list[str]) -> Mutation:
        if argv == ["undo"]:
            return UndoRequest(operation=writer_of(self.repo).operations()[-1].id)
        with Context(gitglass.Limits()) as ctx:
            found = parse_command(argv, gitglass.open(self.repo).store, ctx).request
        assert isinstance(found, Mutation)
        return found

    def copy(self, name: str, of: Path | None = None) -> Path:
        """A copy that may be changed."""
        top = (of or self.repo).relative_to(self._place).parts[0]
        subprocess.run(["/bin/cp", "-a", str(self._place / top), str(self._place / name)], check=True)
        return self._place / name / self._inside

    def drop(self, *repos: Path) -> None:
        """Copies that have done their work."""
        tops = [self._place / repo.relative_to(self._place).parts[0] for repo in repos]
        subprocess.run(["/bin/rm", "-rf", *map(str, tops)], check=True)

    # --- one kill ---------------------------------------------------------------------------------------------------

    def judge(self, number: int, afterwards: bool, judged: Judged) -> None:
        """Kill one, look, recover both ways."""
        name = f"{number}{'+' if afterwards else '-'}"
        repo = self.copy(name)
        calls = Killed(number, afterwards=afterwards)
        if not was_killed(lambda: carry_out(repo, self.request, calls)):
            judged.faults.append(f"{name}: was not killed")
            return
        judged.killed += 1
        judged.faults += [f"{name}: {fault}" for fault in self.faults(repo)]
        for forward in (False, True):
            one = self.copy(f"{name}{forward}", repo)
            judged.faults += [
                f"{name} {'forward' if forward else 'back'}: {fault}" for fault in self._recovered(one, forward, judged)
            ]
            self.drop(one)
        self.drop(repo)

    def judge_recovery(self, number: int, judged: Judged) -> None:
        """Kill the operation once, and then `recover`, either way, at every call of its own."""
        repo = self.copy(f"{number}")
        assert was_killed(lambda: carry_out(repo, self.request, Killed(number, afterwards=False)))
        for forward in (False, True):
            counted, last = Counted(), self.copy(f"{number}{forward}", repo)
            try:
                writer_of(last, counted).recover(forward=forward)
            except Conflict:
                judged.refused += 1
            self.drop(last)
            for again in range(1, counted.count + 1):
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
        for direction in (False, True):
            other = self.copy(f"{one.relative_to(self._place).parts[0]}{direction}", one)
            faults += self._recovered(other, direction, judged)
            self.drop(other)
        judged.faults += [f"{name}: {fault}" for fault in faults]
        self.drop(one)

    def recovered(self, repo: Path, forward: bool) -> list[str]:
        """What is wrong once `recover` went one way."""
        return self._recovered(repo, forward, Judged(0, faults=[]))

    def _recovered(self, repo: Path, forward: bool, judged: Judged) -> list[str]:
        begun = any(one.state == "open" for one in writer_of(repo).operations())
        mended = writer_of(repo)
        try:
            mended.recover(forward=forward)
        except Conflict as error:
            if not forward:
                return [f"refused: {error.message}"]
            judged.refused += 1
            return [] if seen(repo)["refs"] == self.before["refs"] else ["refused, and refs have moved"]
        faults = ["twice is not once"] if mended.recover(forward=forward) else []
        closed = any(one.state == "done" and one.words == written(self.request) for one in mended.operations())
        wanted = self.after if (begun and forward) or (not begun and closed) else self.before
        judged.forward += wanted is self.after
        judged.back += wanted is self.before
        now = seen(repo)
        faults += [
            f"{key}: {str(now.get(key))[-200:]} instead of {str(wanted.get(key))[-200:]}"
            for key in sorted(now.keys() | wanted.keys())
            if now.get(key) != wanted.get(key)
        ]
        faults += [f"a lock is left: {one}" for one in git_folders(repo)[1].rglob("*.lock")]
        faults += [f"a draft is left: {one.name}" for one in everything(repo) if one.name.startswith(DRAFTS)
                   and (one.parent / "operation.json").exists()]  # fmt: skip
        return [*faults, *self._damage(repo), *self._lost(repo)]

    def faults(self, repo: Path) -> list[str]:
        """What must never be, whenever the operation was ended."""
        return [*self._damage(repo), *self._lost(repo), *self._refs(repo)]

    def _damage(self, repo: Path) -> list[str]:
        faults = [f"our fsck: {one.words}" for one in gitglass.open(repo).verify() if one.is_error]
        if self.git:
            done = subprocess.run(["git", "fsck", "--strict"], cwd=repo, capture_output=True)
            lines = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(HARMLESS)]
            faults += [f"git fsck: {done.returncode} {lines!r}"] if done.returncode or lines else []
        return faults

    def _lost(self, repo: Path) -> list[str]:
        """Contents and lines of logs that were there and are nowhere now."""
        kept = {path.read_bytes() for path in everything(repo) if plain(path)}
        records = b"".join(path.read_bytes() for path in everything(repo) if path.name == "operation.json")
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


#: what git's fsck says of a repository that is whole
HARMLESS = (b"dangling ", b"notice: ")
#: names of files that are not finished
DRAFTS = ("lock-", "new-", "object-", "rewritten-", "draft", ".gitglass-", "gone-")


def seen(repo: Path) -> dict[str, Any]:
    """All that has to be as it was; directories that are left empty do not count, git has none."""
    found = picture(repo, os.fsencode(str(repo)))
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


def written(request: Mutation) -> list[str]:
    """A request as the operation log has it."""
    from gitglass.commands.policy import command_string

    return command_string(request).split(" ")


def everything(repo: Path) -> list[Path]:
    """Every path of the work tree and of the git directory, wherever that is."""
    return list({*repo.rglob("*"), *git_folders(repo)[1].rglob("*")})


def plain(path: Path) -> bool:
    """A regular file and no link."""
    return path.is_file() and not path.is_symlink()


def contents_of(repo: Path) -> dict[str, bytes]:
    """What files of the work tree and entries of the index hold, by the name that it has as a blob."""
    found = {}
    for path in repo.rglob("*"):
        if ".git" not in path.relative_to(repo).parts and git_folders(repo)[1] != repo and plain(path):
            data = path.read_bytes()
            found[gitglass.git(["hash-object", "--stdin"], cwd=repo, stdin=data).stdout.decode().strip()] = data
    for line in gitglass.git(["ls-files", "-s"], cwd=repo).stdout.splitlines():
        name = line.split()[1].decode()
        found[name] = gitglass.git(["cat-file", "blob", name], cwd=repo).stdout
    return found


def lines_of(repo: Path) -> set[bytes]:
    """Every line of every log."""
    logs = [path for path in everything(repo) if "logs" in path.parts and path.is_file()]
    return {line for path in logs for line in path.read_bytes().splitlines()}


def carry_out(repo: Path, request: Mutation, calls: Calls) -> None:
    """Plan and apply."""
    writer = writer_of(repo, calls)
    plan = writer.plan(request)
    assert writer.apply(plan, approve(plan, "test")).unexpected == []


def was_killed(deed: Callable[[], object]) -> bool:
    """Do something in a process that may end at a call; whether it did."""
    child = os.fork()
    if child == 0:
        try:
            deed()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def judge(name: str, place: Path, *, git: bool = False, every: int = 1, first: int = 1) -> Judged:
    """All kills of one operation; the last call is killed after it, too: after any other is before the next. With
    `every` only each so many-th of them, from `first` on."""
    source = Source(CASES[name], place, git=git)
    judged = Judged(source.calls, faults=[])
    for number in range(first, source.calls + 1, every):
        source.judge(number, False, judged)
    source.judge(source.calls, True, judged)
    return judged


def judge_recovery(name: str, place: Path, *, git: bool = False, every: int = 1, first: int = 1) -> Judged:
    """Of each so many-th kill of an operation, all kills of both its recoveries."""
    source = Source(CASES[name], place, git=git)
    judged = Judged(source.calls, faults=[])
    for number in range(first, source.calls + 1, every):
        source.judge_recovery(number, judged)
    return judged

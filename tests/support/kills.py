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

from .twins import START, ours, picture
from .writing import Counted, Killed, copy_of, writer_of

KILLED = 7
LOST = b"changed and nowhere else\n"


@record
class Case:
    """One operation: what is done before it, and its command line; `undo` without a name is of the last operation."""

    prepare: Callable[[Path], None]
    argv: list[str]


def edits(repo: Path) -> None:
    """A tracked file that was changed, and a new one."""
    (repo / "README.md").write_bytes(LOST)
    (repo / "fresh.txt").write_bytes(b"fresh\n")


def nothing(repo: Path) -> None:
    """The repository as it is."""


def after(*lines: str, first: Callable[[Path], None] = nothing) -> Callable[[Path], None]:
    """A preparation: edits, then command lines."""

    def prepare(repo: Path) -> None:
        first(repo)
        for number, line in enumerate(lines):
            status, out, err = ours(repo, line.split(), START - 100 + number)
            assert status == 0, (line, out, err)

    return prepare


def staged(repo: Path) -> None:
    """A change in the index, and another one of the same file beside it."""
    after("add README.md fresh.txt", first=edits)(repo)
    (repo / "README.md").write_bytes(b"changed once more\n")


def stashed(repo: Path) -> None:
    """Two entries of the stash, the newer one with an untracked file."""
    edits(repo)
    after("stash", first=nothing)(repo)
    (repo / "README.md").write_bytes(b"another change\n")
    after("stash push -u")(repo)


def carried(repo: Path) -> None:
    """A branch to go to, and a change that may come along."""
    after("branch side HEAD~2")(repo)
    (repo / "untracked.txt").write_bytes(b"stays\n")


def undone(repo: Path) -> None:
    """An operation that was undone."""
    after("restore README.md", first=edits)(repo)
    carry_out(repo, UndoRequest(operation=writer_of(repo).operations()[-1].id), Calls())


CASES: dict[str, Case] = {
    "add": Case(edits, ["add", "README.md", "fresh.txt"]),
    "add -A": Case(edits, ["add", "-A"]),
    "commit": Case(staged, ["commit", "-m", "m"]),
    "commit -a": Case(edits, ["commit", "-a", "-m", "m"]),
    "commit PATH": Case(staged, ["commit", "-m", "m", "README.md"]),
    "commit --amend": Case(staged, ["commit", "--amend", "-m", "better"]),
    "branch": Case(nothing, ["branch", "fresh/new"]),
    "branch -f": Case(after("branch side"), ["branch", "-f", "side", "HEAD~1"]),
    "branch -D": Case(after("branch gone/away HEAD~1"), ["branch", "-D", "gone/away"]),
    "branch -m": Case(nothing, ["branch", "-m", "renamed"]),
    "branch -m D/F": Case(nothing, ["branch", "-m", "topic", "topic/below"]),
    "branch -c": Case(nothing, ["branch", "-c", "copied"]),
    "tag": Case(nothing, ["tag", "fresh-tag"]),
    "tag -a": Case(nothing, ["tag", "-a", "-m", "m", "fresh-note"]),
    "tag -f": Case(after("tag moved"), ["tag", "-f", "moved", "HEAD~1"]),
    "tag -d": Case(after("tag gone"), ["tag", "-d", "gone"]),
    "rm": Case(nothing, ["rm", "README.md"]),
    "rm -f": Case(edits, ["rm", "-f", "README.md"]),
    "rm --cached": Case(nothing, ["rm", "--cached", "README.md"]),
    "mv": Case(edits, ["mv", "README.md", "moved.md"]),
    "restore": Case(edits, ["restore", "README.md"]),
    "restore --staged": Case(staged, ["restore", "--staged", "README.md", "fresh.txt"]),
    "restore --source": Case(edits, ["restore", "--source=HEAD~2", "--staged", "--worktree", "."]),
    "reset --soft": Case(staged, ["reset", "--soft", "HEAD~1"]),
    "reset": Case(staged, ["reset", "HEAD~1"]),
    "reset --keep": Case(nothing, ["reset", "--keep", "HEAD~2"]),
    "reset --hard": Case(staged, ["reset", "--hard", "HEAD~1"]),
    "switch": Case(carried, ["switch", "side"]),
    "switch -c": Case(edits, ["switch", "-c", "other"]),
    "switch --detach": Case(carried, ["switch", "--detach", "HEAD~2"]),
    "switch -f": Case(after("branch side HEAD~2", first=edits), ["switch", "-f", "side"]),
    "checkout -- PATH": Case(edits, ["checkout", "--", "README.md"]),
    "checkout HEAD~2 -- .": Case(edits, ["checkout", "HEAD~2", "--", "."]),
    "stash": Case(staged, ["stash"]),
    "stash push -u": Case(stashed_once := after("stash", first=edits), ["stash", "push", "-u"]),
    "stash pop": Case(stashed, ["stash", "pop"]),
    "stash apply": Case(stashed, ["stash", "apply", "stash@{1}"]),
    "stash drop": Case(stashed, ["stash", "drop"]),
    "stash drop stash@{1}": Case(stashed, ["stash", "drop", "stash@{1}"]),
    "stash clear": Case(stashed, ["stash", "clear"]),
    "undo restore": Case(after("restore README.md", first=edits), ["undo"]),
    "undo commit": Case(after("commit -a -m m", first=edits), ["undo"]),
    "undo stash": Case(after("stash push -u", first=edits), ["undo"]),
    "undo branch -D": Case(after("branch gone HEAD~1", "branch -D gone"), ["undo"]),
    "redo": Case(undone, ["undo"]),
}


def edited_again(repo: Path) -> None:
    """What `stash push -u` needs beside an older entry: something to put away."""
    stashed_once(repo)
    edits(repo)


CASES["stash push -u"].prepare = edited_again


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
        self.git, self._place = git, place
        self.repo = copy_of("plain", place / "source")
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
        subprocess.run(["/bin/cp", "-a", str(of or self.repo), str(self._place / name)], check=True)
        return self._place / name

    def drop(self, *places: Path) -> None:
        """Copies that have done their work."""
        subprocess.run(["/bin/rm", "-rf", *map(str, places)], check=True)

    # --- one kill ---------------------------------------------------------------------------------------------------

    def judge(self, number: int, afterwards: bool, judged: Judged) -> None:
        """Kill one, look, recover both ways."""
        name = f"{number}{'+' if afterwards else '-'}"
        repo = self.copy(name)
        calls = Killed(number, afterwards=afterwards)
        if not was_killed(repo, self.request, calls):
            judged.faults.append(f"{name}: was not killed")
            return
        judged.killed += 1
        judged.faults += [f"{name}: {fault}" for fault in (*self._damage(repo), *self._lost(repo), *self._refs(repo))]
        for forward in (False, True):
            one = self.copy(f"{name}{forward}", repo)
            judged.faults += [
                f"{name} {'forward' if forward else 'back'}: {fault}" for fault in self._recovered(one, forward, judged)
            ]
            self.drop(one)
        self.drop(repo)

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
        faults += [f"a lock is left: {one}" for one in (repo / ".git").rglob("*.lock")]
        faults += [f"a draft is left: {one.name}" for one in repo.rglob("*") if one.name.startswith(DRAFTS)
                   and (one.parent / "operation.json").exists()]  # fmt: skip
        return [*faults, *self._damage(repo), *self._lost(repo)]

    def _damage(self, repo: Path) -> list[str]:
        faults = [f"our fsck: {one.message}" for one in gitglass.open(repo).verify() if one.is_error]
        if self.git:
            done = subprocess.run(["git", "fsck", "--strict"], cwd=repo, capture_output=True)
            lines = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(b"dangling ")]
            faults += [f"git fsck: {done.returncode} {lines!r}"] if done.returncode or lines else []
        return faults

    def _lost(self, repo: Path) -> list[str]:
        """Contents and lines of logs that were there and are nowhere now."""
        kept = {path.read_bytes() for path in (*repo.rglob("*"), *repo.glob(".git/gitglass/ops/*/*")) if plain(path)}
        records = b"".join(path.read_bytes() for path in repo.glob(".git/gitglass/ops/*/operation.json"))
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
        head = (repo / ".git/HEAD").read_bytes()
        return faults + ([] if head in (self.before["HEAD"], self.after["HEAD"]) else [f"HEAD: {head!r}"])


#: names of files that are not finished
DRAFTS = ("lock-", "new-", "object-", "rewritten-", "draft", ".gitglass-", "gone-")


def seen(repo: Path) -> dict[str, Any]:
    """All that has to be as it was; directories that are left empty do not count, git has none."""
    found = picture(repo, os.fsencode(str(repo)))
    return {key: value for key, value in found.items() if value != b"directory"}


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


def plain(path: Path) -> bool:
    """A regular file and no link."""
    return path.is_file() and not path.is_symlink()


def contents_of(repo: Path) -> dict[str, bytes]:
    """What files of the work tree and entries of the index hold, by the name that it has as a blob."""
    found = {}
    for path in repo.rglob("*"):
        if ".git" not in path.relative_to(repo).parts and plain(path):
            data = path.read_bytes()
            found[gitglass.git(["hash-object", "--stdin"], cwd=repo, stdin=data).stdout.decode().strip()] = data
    for line in gitglass.git(["ls-files", "-s"], cwd=repo).stdout.splitlines():
        name = line.split()[1].decode()
        found[name] = gitglass.git(["cat-file", "blob", name], cwd=repo).stdout
    return found


def lines_of(repo: Path) -> set[bytes]:
    """Every line of every log."""
    logs = repo / ".git/logs"
    return {line for path in logs.rglob("*") if path.is_file() for line in path.read_bytes().splitlines()}


def carry_out(repo: Path, request: Mutation, calls: Calls) -> None:
    """Plan and apply."""
    writer = writer_of(repo, calls)
    plan = writer.plan(request)
    assert writer.apply(plan, approve(plan, "test")).unexpected == []


def was_killed(repo: Path, request: Mutation, calls: Calls) -> bool:
    """Carry a request out in a process that ends at a call; whether it did."""
    child = os.fork()
    if child == 0:
        try:
            carry_out(repo, request, calls)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def judge(name: str, place: Path, *, git: bool = False) -> Judged:
    """All kills of one operation; the last call is killed after it, too: after any other is before the next."""
    source = Source(CASES[name], place, git=git)
    judged = Judged(source.calls, faults=[])
    for number in range(1, source.calls + 1):
        source.judge(number, False, judged)
    source.judge(source.calls, True, judged)
    return judged

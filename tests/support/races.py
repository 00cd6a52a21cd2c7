"""Others at work while gitglass writes: competing writers of a ref, a process that swaps directories for links, an editor.

Each part makes its own repository from an archive, lets processes loose on it and says afterwards what is wrong.
"""

from __future__ import annotations

import ctypes
import errno
import os
import random
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha1
from itertools import pairwise
from pathlib import Path

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import Conflict, GitError
from gitglass.limits import Context
from gitglass.mutate.calls import Calls
from gitglass.mutate.writer import approve
from gitglass.request.mutations import Mutation
from gitglass.request.ref_mutations import UpdateRefRequest

from .kill_cases import after
from .twins import START
from .writing import Counted, copy_of, writer_of

REF = "refs/race/one"
IDENTITY = {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}


def forked(deed: Callable[[], None]) -> int:
    """A process that does something and ends."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            deed()
            status = 0
        finally:
            os._exit(status)
    return child


def ended(children: Sequence[int]) -> bool:
    """Whether all of them ended well; waits for them."""
    return sum(os.waitpid(child, 0)[1] for child in children) == 0


# --- competing writers ----------------------------------------------------------------------------------------------


def loose_blob(repo: Path, content: bytes) -> str:
    """A blob, written as git writes it; its name."""
    data = b"blob %d\0" % len(content) + content
    name = sha1(data).hexdigest()
    path = repo / ".git/objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(data, 1))
    return name


def race_refs(place: Path, count: int, *, writers: int, with_git: int = 0) -> tuple[Counter[str], list[str]]:
    """`count` compare-and-swaps of one ref by `writers` processes of gitglass and `with_git` of git: (what they were
    told, what is wrong). Every value is used once, so that those who were told that they won must make one chain."""
    repo = copy_of("plain", place / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tlogAllRefUpdates = always\n")
    values = [loose_blob(repo, b"value %d\n" % number) for number in range(count + 1)]
    (repo / ".git/refs/race").mkdir()
    (repo / ".git" / REF).write_text(values[0] + "\n")
    parties, children = writers + with_git, []
    for party in range(parties):
        swap = swap_by_git if party < with_git else swap_by_us(repo)
        mine = values[1 + party :: parties]
        children.append(forked(lambda p=party, s=swap, m=mine: _compete(repo, s, m, place / f"told-{p}")))  # type: ignore[misc]
    faults = [] if ended(children) else ["a writer died"]
    told = [line.split() for party in range(parties) for line in (place / f"told-{party}").read_text().splitlines()]
    kinds = Counter(words[0] for words in told)
    faults += chain_faults(repo, values[0], {words[1]: words[2] for words in told if words[0].startswith("won")},
                     sum(words[0].startswith("won") for words in told))  # fmt: skip
    return kinds, faults


def _compete(repo: Path, swap: Callable[[Path, str, str], str], values: list[str], told: Path) -> None:
    with told.open("w") as stream:
        for new in values:
            old = (repo / ".git" / REF).read_text().strip()
            stream.write(f"{swap(repo, old, new)} {old} {new}\n")


def swap_by_us(repo: Path) -> Callable[[Path, str, str], str]:
    """A compare-and-swap by gitglass: what it says of it."""
    writer = writer_of(repo)

    def swap(_: Path, old: str, new: str) -> str:
        try:
            plan = writer.plan(UpdateRefRequest(ref=REF, new=new, old=old, message="ours"))
            return "won" if writer.apply(plan, approve(plan, "race")).changed else "unchanged"
        except GitError as error:
            return error.code

    return swap


def swap_by_git(repo: Path, old: str, new: str) -> str:
    """The same by git."""
    argv = ["git", "update-ref", "-m", "git's", REF, new, old]
    done = subprocess.run(argv, cwd=repo, env={**os.environ, **IDENTITY}, capture_output=True)
    return "won-by-git" if done.returncode == 0 else "refused-by-git"


def chain_faults(repo: Path, first: str, won: dict[str, str], wins: int) -> list[str]:
    """What is wrong with those who won: each must stand on the one before, the last be the ref's, and the log say so."""
    faults, chain, now = [], [first], first
    while now in won:
        now = won[now]
        chain.append(now)
    if len(won) != wins:
        faults.append(f"{wins} were told that they won, {len(won)} of them from different values")
    if len(chain) != wins + 1:
        faults.append(f"{wins} won, and {len(chain) - 1} follow from the first value")
    if (last := (repo / ".git" / REF).read_text().strip()) != now:
        faults.append(f"the ref is {last}, the last who won made it {now}")
    rows = [line.split()[:2] for line in (repo / ".git/logs" / REF).read_text().splitlines()]
    if rows != [list(pair) for pair in pairwise(chain)]:
        faults.append(f"the log has {len(rows)} lines that are not the {wins} who won")
    if left := [path.name for path in (repo / ".git").rglob("*.lock")]:
        faults.append(f"locks are left: {left}")
    return faults


# --- directories and files that are swapped for links ------------------------------------------------------------------

LINE = (  # operations that between them use all of the door
    "switch side", "add -A", "commit -a -m m", "stash push -u", "stash pop", "restore --source=HEAD~1 .", "reset --hard",
    "switch main", "rm -r -f docs", "reset --hard HEAD", "mv src moved", "reset --hard HEAD", "branch new/one",
    "branch -D new/one", "tag -f t/x", "tag -d t/x", "checkout HEAD~2 -- .", "reset --hard HEAD",
)  # fmt: skip
TARGETS = (
    "docs", "src", "README.md", "src/app.py", ".git/refs", ".git/refs/heads", ".git/refs/tags", ".git/logs",
    ".git/logs/refs", ".git/logs/HEAD", ".git/objects", ".git/gitglass", ".git/gitglass/ops", ".git/index",
    ".git/refs/heads/main", ".git/HEAD", ".git/config",
)  # fmt: skip
_LIBC = ctypes.CDLL(None, use_errno=True)


def exchange(one: Path, other: Path) -> None:
    """Let two names change places in one step (renameat2(2)). Raises OSError."""
    if _LIBC.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(one))


class Swapped:
    """A repository of which directories and files are exchanged for links to a canary outside."""

    def __init__(self, place: Path) -> None:
        self.repo, self.canary, self.place = copy_of("plain", place / "jail/repo"), place / "outside/twin", place
        after("branch side HEAD~2", "tag t/y", "branch new/two")(self.repo)
        (self.repo / "docs/untracked").write_bytes(b"untracked\n")
        copy_of("plain", self.canary)
        (self.canary / ".git/gitglass/ops").mkdir(parents=True)
        (self.canary / "docs/untracked").write_bytes(b"theirs\n")
        self.before = canary(self.canary)

    def swap(self, target: str, link: Path) -> bool:
        """Put a link in a target's place; the target is at the link's then."""
        link.symlink_to(self.canary / target)
        try:
            exchange(link, self.repo / target)
        except OSError:
            link.unlink()
            return False
        return True

    def back(self, target: str, link: Path) -> None:
        """Undo it; where the link was taken away meanwhile the target takes its name again."""
        try:
            exchange(link, self.repo / target)
            if link.is_symlink():
                link.unlink()
            else:
                os.rename(link, self.place / f"aside-{time.monotonic_ns()}")
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise
            try:
                os.rename(link, self.repo / target)
            except OSError:
                os.rename(link, self.place / f"aside-{time.monotonic_ns()}")

    def touched(self) -> list[str]:
        """What is different outside now."""
        now = canary(self.canary)
        return sorted(name for name in self.before.keys() | now.keys() if self.before.get(name) != now.get(name))


def canary(top: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Every path below a directory with its mode, times of change and bytes."""
    seen = {}
    for path in sorted([top, *top.rglob("*")]):
        info = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        seen[str(path.relative_to(top))] = (info.st_mode, info.st_mtime_ns, info.st_ctime_ns, data)
    return seen


class Swapping(Counted):
    """Puts a link in some target's place right before each call, and the target back after it or a few later."""

    def __init__(self, swapped: Swapped, rng: random.Random) -> None:
        super().__init__()
        self._swapped, self._rng, self.swaps = swapped, rng, 0
        self._link, self._target, self._left = swapped.place / "link", "", 0

    def before(self, name: str) -> None:
        if not self._left:
            target = self._rng.choice(TARGETS)
            if self._swapped.swap(target, self._link):
                self._target, self._left = target, self._rng.choice((1, 1, 2, 5))
                self.swaps += 1

    def after(self, name: str) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                self._swapped.back(self._target, self._link)

    def rest(self) -> None:
        """The target is where it belongs again."""
        if self._left:
            self._left = 1
            self.after("")


def carry_on(repo: Path, line: str, moment: int, calls: Calls | None = None) -> str:
    """A command line, and what came of it; an interrupted operation is taken back."""
    try:
        handle = gitglass.open(repo)
        with Context(gitglass.Limits()) as ctx:
            request = parse_command(line.split(), handle.store, ctx).request
        assert isinstance(request, Mutation)
        writer = writer_of(repo, calls, clock=lambda: moment)
        plan = writer.plan(request)
        return "done" if writer.apply(plan, approve(plan, "race")).verified else "not as planned"
    except Conflict as error:
        if "was interrupted" in error.message:
            mend(repo)
        return error.code
    except GitError as error:
        return error.code


def mend(repo: Path) -> None:
    """Take back what was interrupted, as far as that goes."""
    try:
        writer_of(repo).recover()
    except GitError:
        pass


def link_at_every_call(place: Path, count: int) -> tuple[Counter[str], list[str]]:
    """`count` swaps right before calls of operations, in the same process: (how these ended, what is wrong)."""
    told, faults, made, turn, rng = Counter[str](), [], 0, 0, random.Random(count)
    while made < count:
        swapped = Swapped(place / str(turn))
        for at, line in enumerate(LINE):
            calls = Swapping(swapped, rng)
            try:
                told[carry_on(swapped.repo, line, START + at, calls)] += 1
            except Exception as error:
                faults.append(f"{line}: raised {error!r}")
            calls.rest()
            mend(swapped.repo)
            made += calls.swaps
        faults += [f"outside: {name} was touched" for name in swapped.touched()]
        turn += 1
    told["swaps"] = made
    return told, faults


def link_all_the_time(place: Path, count: int) -> tuple[Counter[str], list[str]]:
    """`count` swaps by another process while operations run one after the other: (how these ended, what is wrong)."""
    swapped = Swapped(place)

    def attack() -> None:
        rng, made = random.Random(count), 0
        while made < count:
            target, link = rng.choice(TARGETS), place / "link"
            if swapped.swap(target, link):
                made += 1
                time.sleep(rng.random() * 0.004)
                swapped.back(target, link)
            time.sleep(rng.random() * 0.004)

    child, told, turn, faults = forked(attack), Counter[str](), 0, []
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        try:
            told[carry_on(swapped.repo, LINE[turn % len(LINE)], START + turn)] += 1
        except Exception as error:
            faults.append(f"{LINE[turn % len(LINE)]}: raised {error!r}")
        turn += 1
    faults += [] if ended([child]) else ["the attacker died"]
    told["swaps"] = count
    return told, faults + [f"outside: {name} was touched" for name in swapped.touched()]

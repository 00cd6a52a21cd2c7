"""Twins that talk to another repository: the same random fetches, pulls and pushes by git and by gitglass.

    python -m tests.live.remote_twins [--seed 1] [--count 100] [--steps 12] [--work DIR] [--only fetch,push]

Each twin has a clone and a bare repository that it was cloned from, in which somebody else goes on working. After each
step the refs, logs and FETCH_HEAD of both repositories, the config, index and files of the clone, what was said and the
exit status have to be the same. What gitglass refuses by name is counted, and has to leave all as it was.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.live.compared import git
from tests.support.twins import MAIL, NAME, START, Answer, Refused, git_folders, picture

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import GitError, Unsupported
from gitglass.limits import Context, Limits
from gitglass.mutate.grant import ALL_EFFECTS, Identity, WriteGrant
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import Mutation

_HUNG_UP = b"fatal: the remote end hung up unexpectedly\n"


def attempt(repo: Path, argv: list[str], moment: int) -> Answer | Refused:
    """Our answer; what is refused by name is told from what git refuses."""
    try:
        handle = gitglass.open(repo)
        grant = WriteGrant(
            identity=Identity(NAME, MAIL),
            clock=lambda: moment,
            zone=0,
            refs=("*",),
            remotes=("*",),
            effects=ALL_EFFECTS,
        )
        writer = Writer(handle, grant)
        with Context(Limits()) as ctx:
            request = parse_command(argv, handle.store, ctx).request
        assert isinstance(request, Mutation)
        plan = writer.plan(request)
        result = writer.apply(plan, approve(plan, "twins"))
        if not result.verified:
            return 99, b"", "\n".join(result.unexpected).encode()
        return result.answer.status, result.answer.out, result.answer.err
    except Unsupported as error:
        return Refused(error.message)
    except GitError as error:
        return error.status, *error.streams()


def make_world(home: Path, rng: random.Random) -> None:
    """A bare repository with some history, tags and branches; a clone; and somebody else's clone."""
    home.mkdir(parents=True)
    git(home, ["init", "-q", "-b", "main", "seed"])
    seed = home / "seed"
    for number in range(rng.randint(1, 6)):
        work(seed, rng, number)
        if rng.random() < 0.4:
            git(seed, ["tag", f"t{number}"] if rng.random() < 0.5 else ["tag", "-a", "-m", "tag", f"t{number}"])
    for name in rng.sample(["topic", "side", "a/b"], rng.randint(0, 3)):
        git(seed, ["branch", name, f"HEAD~{rng.randint(0, 1)}"])
    git(home, ["clone", "-q", "--bare", "seed", "up.git"])
    shutil.rmtree(seed)
    git(home, ["clone", "-q", "up.git", "me"])
    git(home, ["clone", "-q", "up.git", "other"])
    git(home / "me", ["config", "remote.origin.url", "../up.git"])  # so that messages are the same
    for name in ("me", "other"):
        git(home / name, ["config", "gc.auto", "0"])
    git(home / "up.git", ["config", "gc.auto", "0"])


def work(repo: Path, rng: random.Random, number: int) -> None:
    """A commit in a clone."""
    (repo / rng.choice(["f", "g", "h"])).write_text(f"{number} {rng.random()}\n")
    git(repo, ["add", "-A"], START + number)
    git(repo, ["commit", "-q", "-m", f"commit {number}"], START + number)


def somebody(repo: Path, rng: random.Random, number: int) -> str:
    """What somebody else does, and pushes: the same for both twins."""
    kind = rng.choice(["push", "push", "push", "branch", "delete", "force", "tag", "tag", "move tag", "old tag"])
    branch = rng.choice(["main", "topic", "side", "new", "a/b"])
    git(repo, ["fetch", "-q", "--prune", "--tags", "-f"])
    if kind == "push":
        git(repo, ["checkout", "-q", "--detach", f"origin/{branch}"])
        work(repo, rng, number)
        git(repo, ["push", "-q", "origin", f"HEAD:refs/heads/{branch}"])
    elif kind == "branch":
        git(repo, ["push", "-q", "origin", f"HEAD:refs/heads/{branch}"])
    elif kind == "delete":
        git(repo, ["push", "-q", "origin", f":refs/heads/{branch}"])
    elif kind == "force":
        git(repo, ["checkout", "-q", "--detach", f"origin/{branch}~1"])
        work(repo, rng, number)
        git(repo, ["push", "-q", "-f", "origin", f"HEAD:refs/heads/{branch}"])
    elif kind == "tag":
        git(repo, ["tag", "-f", "-a", "-m", "x", f"t{number}", "HEAD"], START + number)
        git(repo, ["push", "-q", "origin", f"t{number}"])
    elif kind == "old tag":
        git(repo, ["tag", "-f", f"o{number}", "HEAD~1"])
        git(repo, ["push", "-q", "-f", "origin", f"o{number}"])
    else:
        git(repo, ["tag", "-f", "t1", "HEAD"])
        git(repo, ["push", "-q", "-f", "origin", "t1"])
    return f"somebody: {kind} {branch}"


def myself(repo: Path, rng: random.Random, number: int) -> str:
    """What happens in the clone itself, by git for both twins."""
    kind = rng.choice(["work", "work", "switch", "tag", "branch", "amend", "track"])
    branch = rng.choice(["main", "topic", "mine", "a/b"])
    if kind == "work":
        work(repo, rng, number)
    elif kind == "switch":
        git(repo, ["checkout", "-q", branch])
    elif kind == "tag":
        git(repo, ["tag", "-a", "-m", "mine", f"m{number}"], START + number)
    elif kind == "branch":
        git(repo, ["branch", "mine"])
    elif kind == "track":
        git(repo, ["branch", "-q", "-u", f"origin/{branch}"])
    else:
        git(repo, ["commit", "-q", "--amend", "--allow-empty", "-m", f"amended {number}"], START + number)
    return f"myself: {kind} {branch}"


def step(repo: Path, rng: random.Random, kinds: list[str]) -> list[str]:
    """A command line."""
    kind = rng.choice(kinds)
    branch = rng.choice(["main", "topic", "side", "a/b", "nope", "mine", "new"])
    tag = rng.choice(["t0", "t1", "t2", "m3", "o4"])
    oid = git(repo, ["rev-parse", rng.choice(["HEAD", "origin/main", "origin/topic"])])[1].decode().strip()
    options: dict[str, list[list[str]]] = {
        "fetch": [[], [], ["origin"], ["--prune"], ["--tags"], ["--no-tags"], ["-v"], ["-q"], ["origin", branch],
                  ["origin", f"{branch}:{branch}"], ["origin", f"+{branch}:loc"], ["origin", f"{branch}:refs/x/y"],
                  ["origin", "main", branch], ["origin", "tag", tag], ["-f", "--tags", "origin"], ["../up.git"],
                  ["../up.git", branch], ["--prune", "origin", "refs/heads/*:refs/heads/z/*"], ["nowhere"],
                  ["origin", "refs/heads/*:refs/all/*"], ["origin", oid], ["../up.git", "refs/heads/*:refs/u/*"],
                  ["origin", "bad..spec"], ["--dry-run"], ["--prune", "--tags"], ["../up"], ["origin", f"{branch}:a"],
                  ["origin", tag], ["--prune", "origin"], ["origin", "HEAD"], ["origin", "main:dup", "topic:dup"]],
        "push": [[], [], ["origin"], ["origin", branch], ["origin", f"HEAD:{branch}"], ["origin", "HEAD"], ["-u", "origin", branch],
                 ["origin", f":{branch}"], ["origin", "--delete", branch], ["--tags"], ["origin", tag], ["origin", f"main:{branch}"],
                 ["origin", f"HEAD:refs/heads/{branch}"], ["--all", "origin"], ["-q", "origin", branch], ["--porcelain", "origin", branch],
                 ["--dry-run", "origin", branch], [f"--force-with-lease={branch}:{oid}", "origin", branch], ["-v", "origin", branch],
                 ["--atomic", "origin", "main", branch], ["origin", "main", branch, tag], ["../up.git", "HEAD:refs/heads/x"],
                 ["origin", f"HEAD~1:{branch}"], ["--follow-tags"], ["nowhere", "main"], ["origin", "refs/heads/*:refs/heads/*"],
                 ["-u", "origin", "HEAD"], ["origin", "bad..ref"], ["origin", f"{oid}:refs/heads/raw"], ["origin", ":"],
                 ["origin", f"{tag}:refs/tags/z"], ["--delete", "origin", tag], ["-n", "origin"], ["origin", f"refs/heads/{branch}"],
                 ["--prune", "origin", "refs/heads/*:refs/heads/*"]],
        "pull": [[], [], ["--ff-only"], ["--no-rebase"], ["origin", branch], ["origin"], ["--ff-only", "origin", branch],
                 ["--no-rebase", "origin", branch], ["--no-ff", "--no-rebase", "origin", "main"], ["-q"], ["../up.git"],
                 ["--no-rebase", "--squash", "origin", "main"], ["--prune"], ["nowhere"], ["origin", "main", "topic"],
                 ["--tags", "--no-rebase"], ["--ff"], ["--rebase"], ["-r"], ["--rebase", "origin", branch],
                 ["--rebase", "--autostash"], ["-q", "--rebase"], ["-r", "origin", "main"], ["--rebase", "--ff-only"],
                 ["--rebase", "../up.git", branch], ["--autostash", "--no-rebase"], ["--rebase", "origin", "main", "topic"]],
    }  # fmt: skip
    return [kind, *rng.choice(options[kind])]


def whole(home: Path) -> dict[str, bytes | None]:
    """The picture of both repositories of a twin."""
    name = os.fsencode(str(home))
    seen = {
        f"me {key}": value for key, value in picture(home / "me", name, lambda repo, argv: git(repo, argv)[1]).items()
    }
    bare = picture(home / "up.git", name, lambda repo, argv: git(repo, argv)[1])
    for key in ("HEAD", "refs", "config"):
        seen[f"up {key}"] = bare[key]
    seen |= {f"up {key}": value for key, value in bare.items() if key.startswith("log ")}
    path = git_folders(home / "me")[0] / "FETCH_HEAD"
    seen["FETCH_HEAD"] = path.read_bytes().replace(name, b"REPO") if path.exists() else None
    return seen


def compare(homes: tuple[Path, Path], want: Answer, have: Answer) -> str | None:
    """What differs, as text."""
    lines = []
    names = [os.fsencode(str(home)) for home in homes]
    for what, one, two in zip(("status", "stdout", "stderr"), want, have, strict=True):
        one = one.replace(names[0], b"REPO") if isinstance(one, bytes) else one
        if what == "stderr" and isinstance(one, bytes) and b"error: atomic push failed for ref " in one:
            one = one.replace(_HUNG_UP, b"")  # what the other side's process says, which gitglass does not run
        two = two.replace(names[1], b"REPO") if isinstance(two, bytes) else two
        if one != two:
            lines.append(f"  {what}: git {one!r}\n  {' ' * len(what)}  our {two!r}")
    first, second = (whole(home) for home in homes)
    for key in sorted(first.keys() | second.keys()):
        if first.get(key) != second.get(key):
            lines.append(f"  {key}: git {first.get(key)!r}\n  {' ' * len(key)}  our {second.get(key)!r}")
    return "\n".join(lines) or None


def empty_fetch_head(homes: tuple[Path, Path]) -> None:
    """git empties FETCH_HEAD before it fails; what gitglass refuses changes nothing, and that is meant."""
    paths = [git_folders(home / "me")[0] / "FETCH_HEAD" for home in homes]
    if paths[0].exists() and not paths[0].read_bytes():
        paths[1].write_bytes(b"")


def sequence(work_in: Path, seed: int, steps: int, kinds: list[str], counts: Counter[str]) -> str | None:
    """One sequence; what differed first, or None."""
    homes = work_in / "git", work_in / "our"
    for home in homes:
        shutil.rmtree(home, ignore_errors=True)
        make_world(home, random.Random(seed))
    rng, past, moment = random.Random(seed), list[str](), START
    for number in range(rng.randint(1, steps)):
        moment += 60
        for act, name in ((somebody, "other"), (myself, "me")):
            if rng.random() < 0.6:
                state = rng.getstate()
                past.append(act(homes[0] / name, rng, number))
                rng.setstate(state)
                act(homes[1] / name, rng, number)
        argv = step(homes[0] / "me", rng, kinds)
        past.append("git " + " ".join(argv))
        story = f"seed {seed}\n  " + "\n  ".join(past) + "\n"
        have = attempt(homes[1] / "me", argv, moment)
        if isinstance(have, Refused):
            counts[f"refused: {have.words[:60]}"] += 1
            past[-1] += "   (refused)"
            problem = compare(homes, (0, b"", b""), (0, b"", b""))
            if problem is not None:
                return story + "  refused, and changed all the same\n" + problem
            continue
        want = git(homes[0] / "me", argv, moment)
        counts[argv[0] + (" refused by git" if want[0] else "")] += 1
        if want[0] and have[0]:
            empty_fetch_head(homes)
            if b"unrelated histories" in want[2]:  # git notes ORIG_HEAD before it refuses
                shutil.copy(homes[0] / "me/.git/ORIG_HEAD", homes[1] / "me/.git/ORIG_HEAD")
        problem = compare(homes, want, have)
        if problem is not None:
            return story + problem
    for home in homes:
        for name in ("me", "up.git"):
            done = subprocess.run(["git", "fsck", "--strict"], cwd=home / name, capture_output=True)
            if done.returncode:
                return story + f"  fsck of {home}/{name}: {done.stderr!r}"
    return None


def main() -> int:
    """Run; 1 where anything differed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--work", type=Path, default=Path("/tmp/remote-twins"))
    parser.add_argument("--only", default="fetch,push,pull")
    parser.add_argument("--stop", type=int, default=5, help="give up after so many differences")
    parser.add_argument("--seconds", type=float, default=86400)
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    counts, bad, end, done = Counter[str](), 0, time.monotonic() + options.seconds, 0
    for number in range(options.count):
        problem = sequence(
            options.work, options.seed * 100_000 + number, options.steps, options.only.split(","), counts
        )
        done += 1
        if problem:
            bad += 1
            print(problem, flush=True)
        if bad >= options.stop or time.monotonic() > end:
            break
    print(f"{done} sequences, {bad} differ; {dict(sorted(counts.items()))}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

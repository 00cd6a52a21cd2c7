"""Twins: the same random operations by git and by gitglass, on two copies of a repository; everything is compared.

    python -m tests.live.twins --repos DIR... [--seed 1] [--count 100] [--steps 12] [--work DIR] [--only add,commit]

Clock and identity are frozen, so that object names are equal or something is wrong. After each step HEAD, refs, logs,
config, index, files with their modes, git's state files, what was said and the exit status have to be the same. A
sequence ends at its first difference, which is printed with the steps that lead to it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.mutate.plan import spoken
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import Mutation

START = 1_700_000_000
NAME, MAIL = "A U Thor", "author@example.com"
STATE = ("MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "HEAD", "config")


def environment(moment: int) -> dict[str, str]:
    """git's environment at a moment."""
    date = f"{moment} +0000"
    return {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": MAIL, "GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": MAIL,
        "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_EDITOR": ":", "GIT_MERGE_AUTOEDIT": "no",
    }  # fmt: skip


def git(repo: Path, argv: list[str], moment: int = START) -> tuple[int, bytes, bytes]:
    """git's answer."""
    done = subprocess.run(
        ["git", *argv], cwd=repo, env=environment(moment), capture_output=True, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def ours(repo: Path, argv: list[str], moment: int) -> tuple[int, bytes, bytes]:
    """Our answer: planned, approved, carried out; the plan made twice is the same, and the reader finds what it says."""
    handle = gitglass.open(repo)
    grant = WriteGrant(identity=Identity(NAME, MAIL), clock=lambda: moment, zone=0, refs=("*",))
    writer = Writer(handle, grant)
    try:
        with Context(gitglass.Limits()) as ctx:
            request = parse_command(argv, handle.store, ctx).request
        if not isinstance(request, Mutation):
            done = handle.git(argv)
            return done.returncode, done.stdout, done.stderr
        plan = writer.plan(request)
        result = writer.apply(plan, approve(plan, "twins"))
    except GitError as error:
        said: tuple[bytes, bytes] = spoken(error)
        return error.status, *said
    if not result.verified:
        return 99, b"", "\n".join(result.unexpected).encode()
    return result.answer.status, result.answer.out, result.answer.err


def picture(repo: Path, home: bytes) -> dict[str, object]:
    """Everything that has to be the same."""
    found: dict[str, object] = {}
    folder = repo / ".git"
    for name in STATE:
        path = folder / name
        found[name] = path.read_bytes() if path.exists() else None
    found["refs"] = git(repo, ["for-each-ref", "--format=%(refname) %(objectname) %(symref)"])[1]
    for path in sorted((folder / "logs").rglob("*")) if (folder / "logs").exists() else ():
        if path.is_file():
            found[f"log {path.relative_to(folder)}"] = path.read_bytes()
    found["index"] = git(repo, ["ls-files", "--stage", "-v"])[1]
    found["resolve-undo"] = git(repo, ["ls-files", "--resolve-undo"])[1]
    found["fsck"] = git(repo, ["fsck", "--no-dangling", "--no-progress"])[::2]
    for path in sorted(repo.rglob("*")):
        if ".git" in path.relative_to(repo).parts:
            continue
        name = f"file {path.relative_to(repo)}"
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = (oct(path.stat().st_mode & 0o777), path.read_bytes())
        else:
            found[name] = "directory"
    found["status"] = git(repo, ["status", "--porcelain=v2", "-b"])[1]
    return {key: value.replace(home, b"REPO") if isinstance(value, bytes) else value for key, value in found.items()}


# --- what happens ---------------------------------------------------------------------------------------------------


class World:
    """What the next step can be about: files and names there are, in the same order for both twins."""

    def __init__(self, repo: Path, rng: random.Random) -> None:
        self.repo, self.rng = repo, rng

    def files(self) -> list[str]:
        """Tracked files that are on disk."""
        listed = git(self.repo, ["ls-files", "-z"])[1].decode("utf-8", "surrogateescape").split("\0")
        return [name for name in dict.fromkeys(listed) if name]

    def branches(self) -> list[str]:
        return git(self.repo, ["for-each-ref", "--format=%(refname:short)", "refs/heads"])[1].decode().split()

    def tags(self) -> list[str]:
        return git(self.repo, ["for-each-ref", "--format=%(refname:short)", "refs/tags"])[1].decode().split()

    def some(self, items: list[str], other: str) -> str:
        return self.rng.choice(items) if items else other

    def commit(self) -> str:
        return self.rng.choice(["HEAD", "HEAD~1", "HEAD^", "HEAD~2", *self.branches(), *self.tags()[:2], "nope"])


def edit(world: World) -> list[Callable[[Path], None]]:
    """A change of files, the same for both."""
    rng = world.rng
    files = world.files()
    number = rng.randrange(1000)
    name = world.some(files, "new.txt")

    def append(repo: Path) -> None:
        path = repo / name
        if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes() + b"line %d\n" % number)

    def create(repo: Path) -> None:
        path = repo / rng_name
        if not path.parent.is_symlink() and not any(one.is_file() for one in path.parents):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_dir() and not path.is_symlink():
                path.write_bytes(b"made %d\n" % number)

    def remove(repo: Path) -> None:
        path = repo / name
        if path.is_file() or path.is_symlink():
            path.unlink()

    def mode(repo: Path) -> None:
        path = repo / name
        if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ 0o111)

    def link(repo: Path) -> None:
        path = repo / f"link{number % 5}"
        if not path.exists() and not path.is_symlink():
            path.symlink_to(f"target{number}")

    rng_name = rng.choice(["n1", "n2.txt", "dir/n3", "dir/sub/n4", "a b", "x.log", f"n{number}", "dir", "ümlaut"])
    return [rng.choice([append, append, append, create, create, remove, mode, link])]


def step(world: World, kinds: list[str]) -> list[str]:
    """A command line."""
    rng = world.rng
    kind = rng.choice(kinds)
    file = world.some(world.files(), "f")
    branch = world.some(world.branches(), "main")
    new = rng.choice(["b1", "b2", "topic/x", "topic", "topic/x/y", "bad..name", branch])
    tag = world.some(world.tags(), "t1")
    folder = file.rpartition("/")[0] or "."
    options: dict[str, list[list[str]]] = {
        "add": [["."], ["-A"], ["-u"], [file], ["--", file], ["nope"], [folder], ["*.txt"], ["-A", folder],
                ["n1", "n2.txt"], ["-N", "n1"], ["-f", "x.log"], ["x.log"], ["--chmod=+x", file], []],
        "commit": [["-m", f"step {rng.randrange(99)}"], ["-a", "-m", "all of it"], ["-m", "one", "-m", "two"],
                   ["--amend", "-m", "better"], ["--amend", "--no-edit"], ["--allow-empty", "-m", "empty"],
                   ["-m", "only", file], ["-q", "-m", "quiet"], ["-s", "-m", "signed"], ["-m", "  "],
                   ["-m", "subject\n\n\n\nbody  \n"], ["--author=X Y <x@y>", "-m", "theirs"], ["-i", "-m", "inc", file]],
        "branch": [[new], [new, world.commit()], ["-d", branch], ["-D", branch], ["-m", new], ["-m", branch, new],
                   ["-f", new, world.commit()], ["-c", branch, new], ["-M", branch, new], ["-d", "nope"]],
        "tag": [["t1"], ["-a", "t2", "-m", "tag two"], ["-d", tag], ["-f", tag], ["t3", world.commit()], ["-d", "nope"],
                ["-f", tag, world.commit()], ["bad..name"]],
        "rm": [[file], ["--cached", file], ["-f", file], ["-r", folder], [folder], ["nope"], ["-q", file]],
        "mv": [[file, "moved"], [file, "dir"], [file, file + ".x"], ["nope", "y"], ["-f", file, "n1"]],
        "restore": [[file], ["--staged", file], ["--staged", "--worktree", file], ["--source=HEAD~1", file], ["."],
                    ["--staged", "."], ["nope"], ["--source=HEAD", "--staged", "--worktree", "."]],
        "reset": [["--soft", world.commit()], ["--mixed", world.commit()], ["--hard", world.commit()], ["--hard"], [],
                  ["--keep", world.commit()], ["-q"], ["--", file], ["HEAD", file], [file]],
        "switch": [[branch], ["-c", new], ["-c", new, world.commit()], ["--detach", world.commit()], ["nope"], ["-"],
                   ["-C", new], ["-f", branch]],
        "checkout": [[branch], ["-b", new], [world.commit()], ["--", file], [world.commit(), "--", file], ["-B", new],
                     ["--detach"], ["-f"], ["."], [file], ["-"]],
        "stash": [[], ["push", "-m", "work"], ["pop"], ["apply"], ["drop"], ["-u"], ["push", "--", file], ["clear"],
                  ["pop", "--index"], ["apply", "stash@{1}"], ["drop", "stash@{5}"], ["push", "-k"], ["branch", new]],
    }  # fmt: skip
    return [kind, *rng.choice(options[kind])]


def copies(source: Path, work: Path) -> tuple[Path, Path]:
    """Two equal copies, whose indexes know their files."""
    pair = work / "git", work / "ours"
    for one in pair:
        shutil.rmtree(one, ignore_errors=True)
        subprocess.run(["cp", "-a", str(source), str(one)], check=True)
        git(one, ["update-index", "-q", "--refresh"])
    return pair


def sequence(source: Path, work: Path, seed: int, steps: int, kinds: list[str], seen: Counter[str]) -> str | None:
    """One sequence; what differed first, or None."""
    rng = random.Random(seed)
    theirs, mine = copies(source, work)
    moment, told = START, []
    for _ in range(steps):
        moment += 60
        for _ in range(rng.randrange(3)):
            for change in edit(World(theirs, rng)):
                change(theirs)
                change(mine)
                told.append(f"edit {change.__name__}")
        argv = step(World(theirs, rng), kinds)
        told.append("git " + " ".join(argv))
        want = git(theirs, argv, moment)
        have = ours(mine, argv, moment)
        seen[argv[0] + (" refused" if want[0] else "")] += 1
        problem = compare(theirs, mine, want, have)
        if known(argv, want, have):
            return None
        if problem:
            return f"seed {seed}\n  " + "\n  ".join(told[-8:]) + "\n" + problem
    return None


def known(argv: list[str], want: tuple[int, bytes, bytes], have: tuple[int, bytes, bytes]) -> bool:
    """Differences that are meant: the sequence ends there.

    - A branch that cannot be made because of another's name: git has moved files by then, we refuse before.
    - `stash branch` is refused whole where the entry cannot be applied, and by name where it was made at another commit
      than HEAD's: git has made the branch by then.
    - The same of a copy: git complains of the directory of the logs, and leaves a line without words in HEAD's log.
    """
    if argv[:2] == ["stash", "branch"] and have[0]:
        return True
    refused = want[0] == have[0] == 128
    return refused and any(word in want[2] and word in have[2] for word in (b"cannot lock ref", b"Branch copy failed"))


def compare(theirs: Path, mine: Path, want: tuple[int, bytes, bytes], have: tuple[int, bytes, bytes]) -> str | None:
    """What differs, as text."""
    homes = os.fsencode(str(theirs)), os.fsencode(str(mine))
    lines = []
    for name, one, two in zip(("status", "stdout", "stderr"), want, have, strict=True):
        one = one.replace(homes[0], b"REPO") if isinstance(one, bytes) else one
        two = two.replace(homes[1], b"REPO") if isinstance(two, bytes) else two
        if one != two:
            lines.append(f"  {name}: git {one!r}\n  {' ' * len(name)}  our {two!r}")
    first, second = picture(theirs, homes[0]), picture(mine, homes[1])
    if want[0]:  # git writes the message down before it finds that there is nothing to commit
        first["COMMIT_EDITMSG"] = second["COMMIT_EDITMSG"]
        (theirs / ".git/COMMIT_EDITMSG").write_bytes(data) if isinstance(
            data := second["COMMIT_EDITMSG"], bytes
        ) else None
    for key in sorted(first.keys() | second.keys()):
        if first.get(key) != second.get(key):
            lines.append(
                f"  {key}: git {str(first.get(key))[:20000]}\n  {' ' * len(key)}  our {str(second.get(key))[:20000]}"
            )
    return "\n".join(lines) or None


def main() -> int:
    """Run; 1 where anything differed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repos", nargs="+", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--work", type=Path, default=Path("/tmp/twins"))
    parser.add_argument("--only", default="add,commit,branch,tag")
    parser.add_argument("--stop", type=int, default=10, help="give up after so many differences")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    seen: Counter[str] = Counter()
    bad = 0
    for number in range(options.count):
        source = options.repos[number % len(options.repos)]
        problem = sequence(
            source, options.work, options.seed * 100_000 + number, options.steps, options.only.split(","), seen
        )
        if problem:
            bad += 1
            print(problem, flush=True)
            if bad >= options.stop:
                break
    print(f"{number + 1} sequences, {bad} differ; steps: {dict(sorted(seen.items()))}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

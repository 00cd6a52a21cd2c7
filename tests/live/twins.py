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
from pathlib import Path

from tests.support.twins import MAIL, NAME, START, Answer, do_edit, draw_edit, ours, picture


def environment(moment: int) -> dict[str, str]:
    """git's environment at a moment."""
    date = f"{moment} +0000"
    return {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": MAIL, "GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": MAIL,
        "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_EDITOR": ":", "GIT_MERGE_AUTOEDIT": "no",
    }  # fmt: skip


def git(repo: Path, argv: list[str], moment: int = START) -> Answer:
    """git's answer."""
    done = subprocess.run(
        ["git", *argv], cwd=repo, env=environment(moment), capture_output=True, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def read_by_git(repo: Path, argv: list[str]) -> bytes:
    """What git prints."""
    return git(repo, argv)[1]


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
            edit = draw_edit(rng, World(theirs, rng).files())
            do_edit(theirs, edit)
            do_edit(mine, edit)
            told.append("edit " + " ".join(map(str, edit)))
        argv = step(World(theirs, rng), kinds)
        told.append("git " + " ".join(argv))
        want = git(theirs, argv, moment)
        have = ours(mine, argv, moment)
        seen[argv[0] + (" refused" if want[0] else "")] += 1
        problem = compare(theirs, mine, want, have)
        if known(argv, want, have):
            return None
        if problem is not None:
            return f"seed {seed}\n  " + "\n  ".join(told[-8:]) + "\n" + problem
    return None


def known(argv: list[str], want: Answer, have: Answer) -> bool:
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


def compare(theirs: Path, mine: Path, want: Answer, have: Answer) -> str | None:
    """What differs, as text."""
    homes = os.fsencode(str(theirs)), os.fsencode(str(mine))
    lines = []
    for name, one, two in zip(("status", "stdout", "stderr"), want, have, strict=True):
        one = one.replace(homes[0], b"REPO") if isinstance(one, bytes) else one
        two = two.replace(homes[1], b"REPO") if isinstance(two, bytes) else two
        if one != two:
            lines.append(f"  {name}: git {one!r}\n  {' ' * len(name)}  our {two!r}")
    first, second = picture(theirs, homes[0], read_by_git), picture(mine, homes[1], read_by_git)
    first["fsck"], second["fsck"] = (git(one, ["fsck", "--no-dangling", "--no-progress"])[1] for one in (theirs, mine))
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

"""Twins: the same random operations by git and by gitglass, on two copies of a repository; everything is compared.

    python -m tests.live.twins [--repos DIR...] [--states all|NAME,...] [--seed 1] [--count 100] [--steps 20]
                               [--work DIR] [--only add,commit]

Clock and identity are frozen, so that object names are equal or something is wrong. After each step HEAD, refs, logs,
config, index, files with their modes, git's state files, what was said and the exit status have to be the same. A
sequence ends at its first difference, which is printed with the steps that lead to it. What gitglass refuses by name is
tried on its copy alone, which has to stay as it is; it is counted, and the sequence goes on. What differs on purpose is
in `differences.md` beside this file, and in `meant.py`.
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

from tests.live.compared import checked, compare, git, read_by_git
from tests.live.meant import reason_for
from tests.live.states import STATES, State, make
from tests.support.twins import START, Edit, Refused, attempt, below, do_edit, draw_edit, read_by_us

#: the commands that are drawn from
KINDS = "add,commit,stash,switch,checkout,reset,branch,rm,mv,restore,tag,merge,cherry-pick,revert,rebase"

# --- what happens ---------------------------------------------------------------------------------------------------


class World:
    """What the next step can be about: files and names there are, in the same order for both twins. What is read is
    read once: it is made anew for each step."""

    def __init__(self, repo: Path, rng: random.Random) -> None:
        self.repo, self.rng = repo, rng
        self._files: list[str] | None = None
        self._refs: dict[str, list[str]] = {}

    def files(self) -> list[str]:
        """Tracked files."""
        if self._files is None:
            listed = read_by_us(self.repo, ["ls-files", "-z"]).decode("utf-8", "surrogateescape").split("\0")
            self._files = [name for name in dict.fromkeys(listed) if name]
        return self._files

    def branches(self) -> list[str]:
        return self.refs("refs/heads")

    def tags(self) -> list[str]:
        return self.refs("refs/tags")

    def refs(self, below: str) -> list[str]:
        """Short names of refs, asked for once."""
        if below not in self._refs:
            listed = read_by_us(self.repo, ["for-each-ref", "--format=%(refname:short)", below])
            self._refs[below] = listed.decode().split()
        return self._refs[below]

    def some(self, items: list[str], other: str) -> str:
        return self.rng.choice(items) if items else other

    def commit(self) -> str:
        return self.rng.choice(["HEAD", "HEAD~1", "HEAD^", "HEAD~2", *self.branches(), *self.tags()[:2], "nope"])

    def upstream(self) -> str:
        """A branch to follow."""
        return self.rng.choice([*self.branches(), *self.refs("refs/remotes"), "nope", "HEAD"])


def step(world: World, kinds: list[str]) -> list[str]:
    """A command line."""
    rng = world.rng
    kind = rng.choice(kinds)
    file = world.some(world.files(), "f")
    branch = world.some(world.branches(), "main")
    other = world.some(world.branches(), "main")
    new = rng.choice(["b1", "b2", "topic/x", "topic", "topic/x/y", "bad..name", branch])
    tag = world.some(world.tags(), "t1")
    folder = file.rpartition("/")[0] or "."
    two = [file, world.some(world.files(), "f")]
    follow = world.upstream()
    options: dict[str, list[list[str]]] = {
        "add": [["."], ["-A"], ["-u"], [file], ["--", file], ["nope"], [folder], ["*.txt"], ["-A", folder],
                ["n1", "n2.txt"], ["-N", "n1"], ["-f", "x.log"], ["x.log"], ["--chmod=+x", file], [],
                two, ["-n", "."], ["-v", "."], ["--chmod=-x", file], ["-p"]],
        "commit": [["-m", f"step {rng.randrange(99)}"], ["-a", "-m", "all of it"], ["-m", "one", "-m", "two"],
                   ["--amend", "-m", "better"], ["--amend", "--no-edit"], ["--allow-empty", "-m", "empty"],
                   ["-m", "only", file], ["-q", "-m", "quiet"], ["-s", "-m", "signed"], ["-m", "  "],
                   ["-m", "subject\n\n\n\nbody  \n"], ["--author=X Y <x@y>", "-m", "theirs"], ["-i", "-m", "inc", file],
                   ["-m", "named", "--", *two], ["--only", "-m", "only", file], ["--trailer", "Reviewed-by: X <x@y>", "-m",
                   "with trailer"], ["--trailer=Fixes=#12", "--trailer", "Acked-by: Z", "-s", "-m", "one", "-m", "two"],
                   ["--amend", "--trailer", "Seen: yes", "--no-edit"], ["--amend", "--reset-author", "--no-edit"],
                   ["--date", "@1500000000 +0200", "-m", "dated"], ["--allow-empty", "--allow-empty-message", "-m", ""],
                   ["--amend", "--only", "-m", "words only"], ["-a", "--amend", "--no-edit"], ["-p", "-m", "x"]],
        "branch": [[new], [new, world.commit()], ["-d", branch], ["-D", branch], ["-m", new], ["-m", branch, new],
                   ["-f", new, world.commit()], ["-c", branch, new], ["-M", branch, new], ["-d", "nope"],
                   ["-u", follow], ["-u", follow, branch], [f"--set-upstream-to={follow}", branch], ["--unset-upstream"],
                   ["--unset-upstream", branch], ["--track", new, follow], ["-t", new, follow],
                   ["--no-track", new, follow], ["-C", branch, new], ["-f", branch, follow], ["-d", branch, new]],
        "tag": [["t1"], ["-a", "t2", "-m", "tag two"], ["-d", tag], ["-f", tag], ["t3", world.commit()], ["-d", "nope"],
                ["-f", tag, world.commit()], ["bad..name"], ["-f", "-a", tag, "-m", "again"], ["-d", tag, "t1"],
                ["-f", "-m", "two", "-m", "parts", "t4", world.commit()], ["-a", "t5", "-m", "of a tag", tag]],
        "rm": [[file], ["--cached", file], ["-f", file], ["-r", folder], [folder], ["nope"], ["-q", file], two, ["-n", file],
               ["--cached", "-r", "."], ["--ignore-unmatch", "nope"]],
        "mv": [[file, "moved"], [file, "dir"], [file, file + ".x"], ["nope", "y"], ["-f", file, "n1"], [folder, "other"],
               [*two, "dir"], ["-k", file, "dir"]],
        "restore": [[file], ["--staged", file], ["--staged", "--worktree", file], ["--source=HEAD~1", file], ["."],
                    ["--staged", "."], ["nope"], ["--source=HEAD", "--staged", "--worktree", "."],
                    ["-p"], two, ["--ours", file], ["--theirs", file], ["--source", world.commit(), "--", *two],
                    ["--staged", "--source", world.commit(), "."], ["-W", "."], ["-m", file], ["--conflict=diff3", *two]],
        "reset": [["--soft", world.commit()], ["--mixed", world.commit()], ["--hard", world.commit()], ["--hard"], [],
                  ["--keep", world.commit()], ["-q"], ["--", file], ["HEAD", file], [file],
                  ["--merge"], ["--merge", world.commit()], ["--keep"], [world.commit(), "--", *two], ["-q", "--hard"]],
        "switch": [[branch], ["-c", new], ["-c", new, world.commit()], ["--detach", world.commit()], ["nope"], ["-"],
                   ["-C", new], ["-f", branch], ["-C", new, world.commit()], ["--orphan", new], ["-d"], ["-d", branch],
                   ["-c", new, "--track", follow], ["--no-track", "-c", new, follow], ["--discard-changes", branch],
                   ["-q", branch], ["feature"], ["--no-guess", "feature"], ["-C", branch, world.commit()],
                   ["-m", branch], ["--conflict=diff3", "-d", world.commit()], ["-m", "-c", new, world.commit()]],
        "checkout": [[branch], ["-b", new], [world.commit()], ["--", file], [world.commit(), "--", file], ["-B", new],
                     ["--detach"], ["-f"], ["."], [file], ["-"], ["-B", new, world.commit()], ["--orphan", new],
                     ["--orphan", new, world.commit()], ["-b", new, world.commit()], ["-b", new, "-t", follow],
                     ["--", *two], ["-f", branch], ["--ours", "--", file], ["--theirs", "--", file], ["feature"],
                     ["HEAD"], ["-q", world.commit()], ["-p"], ["-f", world.commit(), "--", file], two,
                     ["-m", branch], ["-m", world.commit()], ["--conflict=zdiff3", "-q", world.commit()], ["-m", file],
                     ["--conflict=diff3", "."], ["-m", "--", *two]],
        "stash": [[], ["push", "-m", "work"], ["pop"], ["apply"], ["drop"], ["-u"], ["push", "--", file], ["clear"],
                  ["pop", "--index"], ["apply", "stash@{1}"], ["drop", "stash@{5}"], ["push", "-k"], ["branch", new],
                  ["branch", new, "stash@{1}"], ["branch", new, "1"], ["push", "-u", "-m", "with new"], ["push", "-k", "-u"],
                  ["push", "-u", "--", file], ["push", "-m", "some", "--", *two], ["push", "-k", "--", file],
                  ["save", "-u", "old way"], ["push", "-a"], ["push", "--staged"], ["apply", "--index", "1"],
                  ["pop", "-q"], ["push", "-q"], ["drop", "-q"], ["create"], ["push", "-u", "--", "n1"], ["create", "two words"],
                  ["push", "-S", "-k"], ["push", "--staged", "-m", "staged", "--", file], ["store", world.commit()]],
        "merge": [[branch], [branch], [world.commit()], ["--no-ff", branch], ["--no-commit", branch], ["--squash", branch],
                  ["--ff-only", branch], ["-m", "merged", branch], ["--abort"], ["--continue"], ["--quit"], ["nope"],
                  ["-X", "ours", branch], ["-Xtheirs", branch], ["-q", branch], ["-n", branch], [tag], [follow], [],
                  ["--no-ff", "--no-commit", world.commit()], ["--signoff", branch], ["-m", "a", "-m", "b", branch],
                  ["--autostash", branch], ["--autostash", branch], ["--autostash", "--squash", branch],
                  ["--autostash", "--no-commit", "--no-ff", branch], ["--autostash", "--no-ff", "-q", branch],
                  ["-Xpatience", branch], ["-X", "diff-algorithm=minimal", branch], ["-X", "diff-algorithm=myers", branch],
                  ["-Xfind-renames=30%", branch], ["-Xno-renames", branch], ["-X", "rename-threshold=90", branch],
                  ["--allow-unrelated-histories", branch], [branch + "~1"], ["-Xignore-all-space", branch]],
        "cherry-pick": [[branch], [world.commit()], [branch, world.commit()], [f"HEAD..{branch}"], ["--abort"], ["--continue"],
                        ["--skip"], ["--quit"], ["-x", branch], ["-n", branch], ["--ff", branch], ["-s", world.commit()],
                        ["--allow-empty", branch], ["--keep-redundant-commits", branch], ["-m", "1", world.commit()],
                        ["-X", "theirs", branch], ["-Xours", branch], [f"{branch}~2..{branch}"], ["nope"], [tag],
                        ["-n", branch, world.commit()], ["--cleanup=strip", branch], ["--continue"], ["--skip"]],
        "revert": [["--no-edit", "HEAD"], ["--no-edit", world.commit()], ["--no-edit", "HEAD", "HEAD~1"], ["--abort"],
                   ["--continue"], ["--skip"], ["--quit"], ["-n", "HEAD"], ["-m", "1", "--no-edit", world.commit()],
                   ["--no-edit", "-s", "HEAD~1"], ["--no-edit", "HEAD~3..HEAD"], ["--reference", "--no-edit", "HEAD"],
                   ["-n", world.commit(), "HEAD"], ["--no-edit", tag], ["--no-edit", "nope"]],
        "rebase": [[branch], [branch], [branch], [world.commit()], ["--onto", branch, world.commit()], [branch, other],
                   ["--onto", world.commit(), world.commit(), other], ["--continue"], ["--continue"], ["--continue"],
                   ["--skip"], ["--skip"], ["--abort"], ["--quit"], ["--no-ff", branch], ["-f", world.commit()], [],
                   ["--keep-base", branch], ["--keep-base", "--no-ff", branch], ["--reapply-cherry-picks", branch],
                   ["--empty=keep", branch], ["--empty=ask", branch], ["--no-keep-empty", branch], ["-q", branch],
                   ["-v", branch], ["--stat", branch], ["--signoff", branch], ["-Xtheirs", branch], ["-X", "ours", branch],
                   ["--root", "--onto", branch], ["-"], [tag], [follow], [branch, "nope"], ["--onto", f"HEAD...{branch}", branch],
                   ["--autostash", branch], ["--autostash", branch], ["--autostash", "-f", branch],
                   ["--autostash", branch, other], ["--fork-point", branch], ["-n", branch], ["--ignore-whitespace", branch], ["-i", branch],
                   ["-f", "--signoff", "-v", branch], ["-s", "ort", branch], ["--no-reapply-cherry-picks", "--keep-base", branch]],
    }  # fmt: skip
    return [kind, *rng.choice(options[kind])]


def copies(source: Path, work: Path, state: State) -> tuple[Path, Path]:
    """Two equal copies, whose indexes know their files."""
    pair = work / "git", work / "ours"
    for one in pair:
        shutil.rmtree(one, ignore_errors=True)
        subprocess.run(["cp", "-a", str(source), str(one)], check=True)
        if state.linked:
            link_again(one)
        git(one / state.inside, ["update-index", "-q", "--refresh"])
    return pair


def link_again(home: Path) -> None:
    """Have a copy's linked work tree belong to the copy."""
    place = home / "main/.git/worktrees/wt"
    (home / "wt/.git").write_text(f"gitdir: {place}\n")
    (place / "gitdir").write_text(f"{home / 'wt/.git'}\n")


Done = Edit | tuple[list[str], int]  # a change of a file, or a command line and its moment


class Counts:
    """What was done: steps by command, those that git refused too, and what gitglass refused by name; the sequences that
    had an operation that merges, and those in which git carried one out, to its end or to a conflict."""

    def __init__(self) -> None:
        self.with_merges: set[int] = set()
        self.merged: set[int] = set()
        self.steps: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.meant: Counter[str] = Counter()


def merges(argv: list[str]) -> bool:
    """Whether a command line puts contents together."""
    return argv[0] in ("merge", "cherry-pick", "revert", "rebase") or argv[:2] == ["stash", "pop"]


def sequence(
    source: Path,
    work: Path,
    seed: int,
    steps: int,
    kinds: list[str],
    counts: Counts,
    state: State,
    calm: float = 0,
    done: list[Done] | None = None,
) -> str | None:
    """One sequence; what differed first, or None. `calm` is how many of the steps no file is changed before; what is
    done goes into `done`."""
    rng = random.Random(seed)
    homes = copies(source, work, state)
    theirs, mine = (home / state.inside for home in homes)
    done = [] if done is None else done
    moment, past = START, list[str]()
    for _ in range(rng.randint(1, steps)):
        moment += 60
        world = World(theirs, rng)
        for _ in range(rng.randrange(3) if not calm or rng.random() >= calm else 0):
            edit = draw_edit(rng, world.files())
            do_edit(theirs, edit)
            do_edit(mine, edit)
            past.append("edit " + " ".join(map(str, edit)))
            done.append(edit)
        argv = step(world, kinds)
        done.append((argv, moment))
        past.append("git " + " ".join(argv))
        story = f"seed {seed}\n  " + "\n  ".join(past) + "\n"
        have = attempt(mine, argv, moment)
        if isinstance(have, Refused):
            counts.refused[have.words] += 1
            problem = compare(homes, state, (0, b"", b""), (0, b"", b""))
            if problem is not None:
                return story + "  refused, and changed all the same\n" + problem
            past.append("(refused)")
            continue
        want = git(theirs, argv, moment)
        if merges(argv):
            counts.with_merges.add(seed)
            if not want[0] or b"CONFLICT" in want[1] + want[2]:
                counts.merged.add(seed)
        counts.steps[argv[0] + (" refused" if want[0] else "")] += 1
        problem = compare(homes, state, want, have)
        if problem is not None:
            reason = reason_for(argv, homes, state, want, have, problem)
            if reason is None and is_alike_where_looked_into(source, work, state, done):
                reason = "looked-into"
            if reason is None:
                return story + problem
            counts.meant[reason] += 1
            return None
    first, second = (checked(one) for one in (theirs, mine))  # slow: once, for what is broken stays broken
    problem = compare(homes, state, (0, b"", b""), (0, b"", b""), ask=read_by_git)
    if problem is not None:
        return story + "  as git reads it\n" + problem
    return None if first == second else story + f"  fsck: git {first!r}\n        our {second!r}"


def is_alike_where_looked_into(source: Path, work: Path, state: State, done: list[Done]) -> bool:
    """Whether the last of these steps is the same where git and gitglass have to look into every file: all are of
    another age than their entries say. Whether one is looked into depends on the second in which it was written, or
    moved (racy-git); where its attributes have changed since, its entry is believed unchanged, or modes are not looked at
    (`core.fileMode`), that tells."""
    homes = copies(source, work, state)
    theirs, mine = (home / state.inside for home in homes)
    for one in done[:-1]:
        carry_out(homes, state, one)
    believed = any(
        line[:1].islower() for line in read_by_git(theirs, ["ls-files", "-v"]).decode(errors="replace").split("\n")
    )
    tells = believed or read_by_git(theirs, ["config", "--type=bool", "core.fileMode"]).strip() == b"false"
    if not tells and not read_by_git(theirs, ["log", "-1", "--all", "--", "*.gitattributes"]):
        return False
    for home in (theirs, mine):
        for _, entry in below(home):
            os.utime(entry.path, (START, START), follow_symlinks=False)
    return carry_out(homes, state, done[-1])


def carry_out(homes: tuple[Path, Path], state: State, one: Done) -> bool:
    """A step, or a change of a file, once more; whether all is the same afterwards."""
    theirs, mine = (home / state.inside for home in homes)
    if len(one) == 3:
        do_edit(theirs, one)
        do_edit(mine, one)
        return True
    have = attempt(mine, *one)
    return isinstance(have, Refused) or compare(homes, state, git(theirs, *one), have) is None


def main() -> int:
    """Run; 1 where anything differed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repos", nargs="*", type=Path, default=[])
    parser.add_argument("--states", default="", help="names of odd states, or all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--steps", type=int, default=20, help="a sequence has one to so many")
    parser.add_argument("--work", type=Path, default=Path("/tmp/twins"))
    parser.add_argument(
        "--only",
        default=KINDS,
    )
    parser.add_argument("--stop", type=int, default=10, help="give up after so many differences")
    parser.add_argument(
        "--calm", type=float, default=0, help="the part of the steps with no file changed before, 0 to 1"
    )
    parser.add_argument("--seconds", type=float, default=86400, help="begin no further sequence after so long")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    plain = STATES["plain"]
    sources = [(str(repo), repo, plain) for repo in options.repos]
    shutil.rmtree(options.work / "states", ignore_errors=True)
    for name in list(STATES) if options.states == "all" else options.states.split(",") if options.states else []:
        place = options.work / "states" / name
        make(name, place / "r", options.work / "states/begun")
        sources.append((name, place / "r", STATES[name]))
    counts, bad, end = Counts(), 0, time.monotonic() + options.seconds
    for number in range(options.count):
        name, source, state = sources[number % len(sources)]
        seed = options.seed * 100_000 + number
        before = os.umask(state.umask)
        try:
            problem = sequence(
                source, options.work, seed, options.steps, options.only.split(","), counts, state, options.calm
            )
        finally:
            os.umask(before)
        if problem:
            bad += 1
            print(name, problem, flush=True)
            if bad >= options.stop:
                break
        if time.monotonic() > end:
            break
    print(f"{number + 1:,} sequences, {bad} differ; {sum(counts.steps.values()):,} operations")
    print(
        f"with merge, cherry-pick, revert, rebase or stash pop: {len(counts.with_merges):,} sequences; "
        f"{len(counts.merged):,} in which git carried one out, to its end or to a conflict"
    )
    print(f"steps: {dict(sorted(counts.steps.items()))}")
    print(f"refused by name: {dict(counts.refused.most_common())}\nmeant: {dict(counts.meant)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""Twins: the same random operations by git and by gitglass, on two copies of a repository; everything is compared.

    python -m tests.live.twins [--repos DIR...] [--states all|NAME,...] [--seed 1] [--count 100] [--steps 20]
                               [--work DIR] [--only add,commit]

Clock and identity are frozen, so that object names are equal or something is wrong. After each step HEAD, refs, logs,
config, index, files with their modes, git's state files, what was said and the exit status have to be the same. A
sequence ends at its first difference, which is printed with the steps that lead to it. What gitglass refuses by name is
tried on its copy alone, which has to stay as it is; it is counted, and the sequence goes on. What differs on purpose is
in `differences.md` beside this file, and in `meant`.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.live.states import STATES, State, make
from tests.support.twins import (
    MAIL,
    NAME,
    START,
    Answer,
    Refused,
    attempt,
    below,
    do_edit,
    draw_edit,
    git_folders,
    picture,
    read_by_us,
)


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


def read_for_a_step(repo: Path, argv: list[str]) -> bytes:
    """The same after each step: the status as git prints it, which reads the index whole, and lists of refs and entries
    as our reader does. At the end of a sequence git reads everything."""
    return read_by_git(repo, argv) if argv[0] == "status" else read_by_us(repo, argv)


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
                    ["--staged", "--source", world.commit(), "."], ["-W", "."]],
        "reset": [["--soft", world.commit()], ["--mixed", world.commit()], ["--hard", world.commit()], ["--hard"], [],
                  ["--keep", world.commit()], ["-q"], ["--", file], ["HEAD", file], [file],
                  ["--merge"], ["--merge", world.commit()], ["--keep"], [world.commit(), "--", *two], ["-q", "--hard"]],
        "switch": [[branch], ["-c", new], ["-c", new, world.commit()], ["--detach", world.commit()], ["nope"], ["-"],
                   ["-C", new], ["-f", branch], ["-C", new, world.commit()], ["--orphan", new], ["-d"], ["-d", branch],
                   ["-c", new, "--track", follow], ["--no-track", "-c", new, follow], ["--discard-changes", branch],
                   ["-q", branch], ["feature"], ["--no-guess", "feature"], ["-C", branch, world.commit()]],
        "checkout": [[branch], ["-b", new], [world.commit()], ["--", file], [world.commit(), "--", file], ["-B", new],
                     ["--detach"], ["-f"], ["."], [file], ["-"], ["-B", new, world.commit()], ["--orphan", new],
                     ["--orphan", new, world.commit()], ["-b", new, world.commit()], ["-b", new, "-t", follow],
                     ["--", *two], ["-f", branch], ["--ours", "--", file], ["--theirs", "--", file], ["feature"],
                     ["HEAD"], ["-q", world.commit()], ["-p"], ["-f", world.commit(), "--", file], two],
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
    source: Path, work: Path, seed: int, steps: int, kinds: list[str], counts: Counts, state: State, calm: float = 0
) -> str | None:
    """One sequence; what differed first, or None. `calm` is how many of the steps no file is changed before."""
    rng = random.Random(seed)
    homes = copies(source, work, state)
    theirs, mine = (home / state.inside for home in homes)
    moment, past = START, []
    for _ in range(rng.randint(1, steps)):
        moment += 60
        world = World(theirs, rng)
        for _ in range(rng.randrange(3) if not calm or rng.random() >= calm else 0):
            edit = draw_edit(rng, world.files())
            do_edit(theirs, edit)
            do_edit(mine, edit)
            past.append("edit " + " ".join(map(str, edit)))
        argv = step(world, kinds)
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
        if problem is not None and only_touched(theirs, want, have):
            counts.meant["touched"] += 1
            return None
        if problem is not None and in_its_own_way(argv, theirs, want, have):
            counts.meant["in-its-own-way"] += 1
            return None
        if problem is not None and only_folders(homes, state, want, have, problem):
            counts.meant["submodule-folder"] += 1
            return None
        if problem is not None and only_hollow(argv, theirs, problem):
            counts.meant["hollow-folder"] += 1
            return None
        if problem is not None and only_unmarked(argv, homes, state, want, have):
            counts.meant["unmarked"] += 1
            return None
        if problem is not None and only_misnamed(theirs, mine, want, have):
            counts.meant["misnamed-entry"] += 1
            return None
        bare = without_home(want, homes[0]), without_home(have, homes[1])
        if problem is not None and (reason := meant(argv, *bare, problem)) is not None:
            counts.meant[reason] += 1
            return None
        if problem is not None:
            return story + problem
    first, second = (checked(one) for one in (theirs, mine))  # slow: once, for what is broken stays broken
    problem = compare(homes, state, (0, b"", b""), (0, b"", b""), ask=read_by_git)
    if problem is not None:
        return story + "  as git reads it\n" + problem
    return None if first == second else story + f"  fsck: git {first!r}\n        our {second!r}"


def without_home(answer: Answer, home: Path) -> Answer:
    """An answer that does not say where its copy lies."""
    name = os.fsencode(str(home))
    return answer[0], answer[1].replace(name, b"REPO"), answer[2].replace(name, b"REPO")


def only_touched(repo: Path, want: Answer, have: Answer) -> bool:
    """Whether git alone refuses to change a file that is as its entry says, and was touched since."""
    said = re.search(rb"^error: Entry '(.*)' not uptodate\. Cannot merge\.$", want[2], re.MULTILINE)
    if said is None or said[0] in have[2]:
        return False
    return git(repo, ["diff", "--quiet", "--", os.fsdecode(b":(top,literal)" + said[1])])[0] == 0


def only_folders(homes: tuple[Path, Path], state: State, want: Answer, have: Answer, problem: str) -> bool:
    """Whether nothing differs but empty directories of submodules that git alone has made: with them all is the same."""
    theirs, mine = (home / state.inside for home in homes)
    lacking = re.findall(r"^  file (.*): git b'directory'\n +our None$", problem, re.MULTILINE)
    for path in lacking:
        entry = git(theirs, ["ls-files", "--stage", "--", f":(top,literal){path}"])[1]
        if not entry.startswith(b"160000 ") or any((theirs / path).iterdir()):
            return False
        (mine / path).mkdir(parents=True)
    return bool(lacking) and compare(homes, state, want, have) is None


def only_hollow(argv: list[str], repo: Path, problem: str) -> bool:
    """Whether nothing differs but empty directories that git's stash has left, of files that are all absent from the
    work tree (skip-worktree)."""
    found = re.fullmatch(r"(?:  file [^\n]*: git b'directory'\n +our None\n?)+", problem)
    if found is None or argv[0] != "stash":
        return False
    for path in re.findall(r"^  file (.*): git b'directory'$", problem, re.MULTILINE):
        marks = {line[:1] for line in read_by_git(repo, ["ls-files", "-t", "--", f":(top,literal){path}"]).splitlines()}
        if marks != {b"S"} or any((repo / path).iterdir()):
            return False
    return True


def only_unmarked(argv: list[str], homes: tuple[Path, Path], state: State, want: Answer, have: Answer) -> bool:
    """Whether nothing differs but that git's `reset --keep` over a sparse index has files that are absent, and outside
    of what the sparse checkout holds, no longer marked so: once they are, all is the same."""
    theirs, mine = (home / state.inside for home in homes)
    if argv[:2] != ["reset", "--keep"] or read_by_git(theirs, ["config", "index.sparse"]) != b"true\n":
        return False
    rows = [set(read_by_git(one, ["ls-files", "-t", "-z"]).split(b"\0")) for one in (theirs, mine)]
    paths = [os.fsdecode(row[2:]) for row in rows[0] - rows[1] if row[:2] == b"H "]
    if not paths or any(os.path.lexists(theirs / path) for path in paths):
        return False
    git(theirs, ["update-index", "--skip-worktree", "--", *paths])
    return compare(homes, state, want, have) is None


def only_misnamed(theirs: Path, mine: Path, want: Answer, have: Answer) -> bool:
    """Whether an entry of git's stash is called by the branch of a submodule, "On main: …", and all else of it is the
    same."""
    rows = []
    for repo, answer in ((theirs, want), (mine, have)):
        made = re.search(rb"^Created autostash: ([0-9a-f]+)$", answer[1], re.MULTILINE)
        name = made[1].decode() if made else "refs/stash"
        rows.append(read_by_git(repo, ["log", "-1", "--format=%T %P %s", name]))
    links = read_by_git(theirs, ["ls-files", "--stage"]).splitlines()
    folders = [theirs / os.fsdecode(line.partition(b"\t")[2]) for line in links if line.startswith(b"160000 ")]
    there, *inside = (
        read_by_git(one, ["symbolic-ref", "--short", "HEAD"]).strip()
        for one in (theirs, *(folder for folder in folders if (folder / ".git").exists()))
    )
    return rows[0] != rows[1] and any(rows[0] == rows[1].replace(b" On " + there, b" On " + one, 1) for one in inside)


def in_its_own_way(argv: list[str], repo: Path, want: Answer, have: Answer) -> bool:
    """Whether git stops a series over commits that change `.gitattributes` at a file that it has written itself, before
    those changed; where a second has passed in between it takes the file for unchanged, and goes on as gitglass does."""
    if argv[0] not in ("rebase", "cherry-pick", "revert") or not want[0]:
        return False
    stops = (
        b"Your local changes to the following files would be overwritten by merge:",
        b"error: cannot rebase: You have unstaged changes.\nerror: \n",  # amid a rebase: there is no advice
    )
    return any(words in want[2] and words not in have[2] for words in stops) and bool(
        read_by_git(repo, ["log", "-1", "--all", "--", "*.gitattributes"])
    )


def meant(argv: list[str], want: Answer, have: Answer, problem: str = "") -> str | None:
    """The reason, in a word, for a difference that is meant (`differences.md`): the sequence ends there. `problem` is
    what differs, as `compare` tells it."""
    same = (want[0], plainer(want[2])) == (have[0], plainer(have[2]))
    command, refused = argv[0], want[0] == have[0] == 128
    if command == "merge" and same and b"Merge with strategy ort failed" in have[2]:
        return "failed-merge"
    if command in ("cherry-pick", "revert") and same and refused and want[2].endswith(b" failed\n"):
        return "failed-pick"
    if command in ("checkout", "switch") and not want[0] and _is_staged_below(have):
        return "staged-below-nothing"
    if command == "branch" and argv[1] in ("-m", "-M", "-c", "-C") and _REWRITTEN.fullmatch(problem):
        return "branch-onto-itself"
    if command in ("checkout", "switch") and {"-B", "-C"} & set(argv) and b"is already checked out at" in have[2]:
        return "taken-elsewhere"
    if command == "checkout" and _COUNTED.fullmatch(problem):
        return "touched"
    if command == "mv" and same and _MOVED.fullmatch(problem.replace("\\n2 RM ", "\\n2 R. ")):
        return "moved-and-converted"
    if command == "cherry-pick" and _UNBORN_SERIES.fullmatch(problem):
        return "unborn-series"
    if refused and same and b"bad config line" in have[2] and b".gitmodules" in have[2]:
        return "broken-gitmodules"
    if refused and b"Branch copy failed" in want[2] and b"Branch copy failed" in have[2]:
        return "ref-in-the-way"
    if want[0] and have[0] and b"cannot lock ref" in have[2]:
        return "ref-in-the-way"
    if refused and same and have[2].endswith(b"fatal: could not reset --hard\n"):
        return "autostash-half-way"
    if command in ("checkout", "switch") and refused and same and b"cannot set up tracking information" in have[2]:
        return "ref-in-the-way"
    if command == "reset" and "--keep" in argv and refused and same and b"not uptodate. Cannot merge." in have[2]:
        return "keep-half-way"
    if command == "rebase" and same and re.search(rb"error: could not switch to [^\n]*\n$", have[2]):
        return "autostash-half-way"
    return None


def _is_staged_below(have: Answer) -> bool:
    """Whether gitglass named nothing but local changes, all of them below directories."""
    words = have[2].decode("utf-8", "surrogateescape")
    front = "error: Your local changes to the following files would be overwritten by checkout:\n"
    if have[0] != 1 or not words.startswith(front) or words.count("error:") > 1:
        return False
    return all("/" in line for line in words.split("\n") if line.startswith("\t"))


def compare(
    homes: tuple[Path, Path],
    state: State,
    want: Answer,
    have: Answer,
    *,
    ask: Callable[[Path, list[str]], bytes] = read_for_a_step,
) -> str | None:
    """What differs, as text; repositories as `ask` reads them."""
    names = [os.fsencode(str(home)) for home in homes]
    theirs, mine = (home / state.inside for home in homes)
    lines = []
    for name, one, two in zip(("status", "stdout", "stderr"), want, have, strict=True):
        one = one.replace(names[0], b"REPO") if isinstance(one, bytes) else one
        two = two.replace(names[1], b"REPO") if isinstance(two, bytes) else two
        one, two = (plainer(side) if isinstance(side, bytes) else side for side in (one, two))
        if one != two:
            lines.append(f"  {name}: git {one!r}\n  {' ' * len(name)}  our {two!r}")
    pictures = [modes(one) | picture(one, home, ask) for one, home in ((theirs, names[0]), (mine, names[1]))]
    first, second = pictures
    if want[0]:  # git writes the message down before it finds that there is nothing to commit
        names_left = ("COMMIT_EDITMSG",) if want[2] == b"" else ("COMMIT_EDITMSG", "ORIG_HEAD")
        for one in (theirs, mine):
            for left in names_left:
                (git_folders(one)[0] / left).unlink(missing_ok=True)
        for found in pictures:
            for left in names_left:
                found.pop(left, None)
                found.pop(f"mode {left}", None)
    for key in ("mode of objects", "mode of objects' folders"):  # of those that both have
        one, two = (dict(side[key]) for side in pictures)  # type: ignore[call-overload]
        first[key], second[key] = ({name: side[name] for name in one.keys() & two.keys()} for side in (one, two))
    for key in sorted(first.keys() | second.keys()):
        if first.get(key) != second.get(key) and not only_kept(key, first.get(key), second.get(key)):
            lines.append(
                f"  {key}: git {str(first.get(key))[:600]}\n  {' ' * len(key)}  our {str(second.get(key))[:600]}"
            )
    return "\n".join(lines) or None


def only_kept(key: str, one: object, two: object) -> bool:
    """Whether a file is the same but for permissions that git keeps nothing of: gitglass does not write it again."""
    if not (key.startswith("file ") and isinstance(one, bytes) and isinstance(two, bytes)):
        return False
    (mode, _, content), (other, _, same) = one.partition(b" "), two.partition(b" ")
    return content == same and mode.isdigit() and other.isdigit() and not (int(mode, 8) ^ int(other, 8)) & 0o100


_BIG = 1 << 20
_GRAFTS = re.compile(rb"hint: Support for <GIT_DIR>/info/grafts.*?graftFileDeprecated false\"\n", re.DOTALL)
_UNBORN_SERIES = re.compile(r"  sequencer/head: git b'[0-9a-f]+\\n'\n +our b'0+\\n'")
_REWRITTEN = re.compile(r"(?:  mode (?:HEAD|(?:logs/)?refs/heads/\S+): git 0o\d+\n +our (?:0o\d+|None)\n?)+")
_MOVED = re.compile(r"  status: git ([^\n]*)\n +our \1")
_COUNTED = re.compile(
    r"  stderr: git b'Updated \d+ paths? from the index\\n'\n +our b'Updated \d+ paths? from the index\\n'"
)
_PATCH = re.compile(rb"(?:error: [^\n]*\n)+(?=error: conflicts in index\. Try without --index\.\n)")
_USAGE = re.compile(rb"(error: unknown (?:switch|option) [^\n]*\n)usage: .*", re.DOTALL)
_FOLDERS = re.compile(
    rb"warning: in the working copy of [^\n]*\n|warning: unable to rmdir '[^\n]*\n|Ignoring path [^\n]*\n"
    rb"|<stdin>:\d+: (?:trailing whitespace|space before tab in indent|indent with spaces|new blank line at EOF)\.\n[^\n]*\n"
    rb"|warning: squelched \d+ whitespace errors?\n|warning: \d+ lines? adds? whitespace errors\.\n"
)


def plainer(words: bytes) -> bytes:
    """What is said, without the lines that differ on purpose."""
    words = _PATCH.sub(b"", words)
    return _FOLDERS.sub(b"", _USAGE.sub(rb"\1", _GRAFTS.sub(b"", words)))


def checked(repo: Path) -> bytes:
    """What `git fsck` finds; git's own index can name the empty tree without there being one."""
    packed = sum(path.stat().st_size for path in git_folders(repo)[1].glob("objects/pack/*.pack"))
    full = ["--no-full"] if packed > _BIG else []  # a long history that nobody touches is not read each time
    lines = git(repo, ["fsck", *full, "--no-dangling", "--no-progress"])[1].splitlines()
    empty = (
        b"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        b"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    )
    if (
        b"sdir" in (git_folders(repo)[0] / "index").read_bytes()
    ):  # fsck fills it in, and names the tree that comes of it
        lines = [line for line in lines if not line.startswith(b"missing tree ")]
    return b"\n".join(line for line in lines if not line.endswith(empty))


def modes(repo: Path) -> dict[str, object]:
    """The permissions of git's files, and the version of the index; those of objects as a set."""
    own, common = git_folders(repo)
    found: dict[str, object] = {}
    for name in ("HEAD", "index", "config", "ORIG_HEAD"):
        if (own / name).exists():
            found["mode " + name] = oct((own / name).stat().st_mode)
    for folder in ("refs", "logs"):
        for name, entry in below(common / folder, folder):
            found[f"mode {name}"] = oct(entry.stat().st_mode)
    folders: dict[str, object] = {}
    objects: dict[str, object] = {}
    for name, entry in below(common / "objects"):
        if len(name) == 2:
            folders[name] = oct(entry.stat().st_mode)
        elif name[2] == "/":
            objects[name[3:]] = oct(entry.stat().st_mode)
    found |= {"mode of objects": objects, "mode of objects' folders": folders}
    if (own / "index").exists():
        found["index version"] = (own / "index").read_bytes()[4:8].hex()
    return found


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
        default="add,commit,stash,switch,checkout,reset,branch,rm,mv,restore,tag,merge,cherry-pick,revert,rebase",
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

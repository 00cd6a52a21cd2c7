"""Differences between git and gitglass that are meant: `differences.md` beside this file names each with its reason."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.live.compared import compare, git, plainer, read_by_git, without_home
from tests.live.states import State
from tests.support.twins import Answer

_UNBORN_SERIES = re.compile(r"  sequencer/head: git b'[0-9a-f]+\\n'\n +our b'0+\\n'")
_REWRITTEN = re.compile(r"(?:  mode (?:HEAD|(?:logs/)?refs/heads/\S+): git 0o\d+\n +our (?:0o\d+|None)\n?)+")
_MOVED = re.compile(r"  status: git ([^\n]*)\n +our \1")
_SCORE = re.compile(r" R\d+ ")  # of a rename: of a file that is changed git reads the blob
_COUNTED = re.compile(
    r"  stderr: git b'Updated \d+ paths? from the index\\n'\n +our b'Updated \d+ paths? from the index\\n'"
)


def reason_for(
    argv: list[str], homes: tuple[Path, Path], state: State, want: Answer, have: Answer, problem: str
) -> str | None:
    """The reason, in a word, for what differs after a step, as `compare` tells it; None where it is not meant."""
    theirs, mine = (home / state.inside for home in homes)
    if only_touched(theirs, want, have):
        return "touched"
    if in_its_own_way(argv, theirs, want, have):
        return "in-its-own-way"
    if only_folders(homes, state, want, have, problem):
        return "submodule-folder"
    if only_hollow(argv, theirs, problem):
        return "hollow-folder"
    if only_carried_along(argv, homes, state, want, have, problem):
        return "empty-folder"
    if only_unmarked(argv, homes, state, want, have):
        return "unmarked"
    if only_misnamed(theirs, mine, want, have):
        return "misnamed-entry"
    return meant(argv, without_home(want, homes[0]), without_home(have, homes[1]), problem)


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
    counts = [re.search(rb"^Updated (\d+) paths? from the index$", answer[2], re.MULTILINE) for answer in (want, have)]
    if counts[0] and int(counts[0][1]) == len(lacking) + int(counts[1][1] if counts[1] else b"0"):  # it counts them
        have = have[0], have[1], want[2]
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


def only_carried_along(
    argv: list[str], homes: tuple[Path, Path], state: State, want: Answer, have: Answer, problem: str
) -> bool:
    """Whether nothing differs but empty directories that `git mv` has taken along: with them all is the same."""
    theirs, mine = (home / state.inside for home in homes)
    folders = re.findall(r"^  file (.*): git b'directory'\n +our None$", problem, re.MULTILINE)
    if argv[0] != "mv" or not folders or any(any((theirs / folder).iterdir()) for folder in folders):
        return False
    for folder in folders:
        (mine / folder).mkdir(parents=True)
    return compare(homes, state, want, have) is None


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
    if command == "merge" and same and re.search(rb"^Merge with strategy \w+ failed\.$", have[2], re.M):
        return "failed-merge"
    if command in ("cherry-pick", "revert") and refused and have[2].endswith(b" failed\n"):
        more = plainer(want[2]).removesuffix(plainer(have[2]))  # of the commits before, with `-n`
        if not more or ("-n" in argv and more.startswith(b"warning: ")):
            return "failed-pick"
    if command in ("checkout", "switch") and not want[0] and _is_staged_below(have):
        return "staged-below-nothing"
    if command == "branch" and argv[1] in ("-m", "-M", "-c", "-C") and _REWRITTEN.fullmatch(problem):
        return "branch-onto-itself"
    if command in ("checkout", "switch") and {"-B", "-C"} & set(argv) and b"is already checked out at" in have[2]:
        return "taken-elsewhere"
    if command == "checkout" and _COUNTED.fullmatch(problem):
        return "touched"
    if command == "mv" and same and _MOVED.fullmatch(_SCORE.sub(" R ", problem.replace("\\n2 RM ", "\\n2 R. "))):
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

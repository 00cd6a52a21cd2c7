"""Every pair of options of every operation that writes, by the installed git and by gitglass.

    python -m tests.live.option_pairs [--only COMMAND …] [--states plain …] --work DIR

A pair is given in both orders, alone, and with words behind it, on two copies of a repository in which something is
staged, something is not, and something is untracked. Answers and all of both repositories have to be the same. What
gitglass refuses by name is counted. Not compared are the text of a usage and what git leaves in COMMIT_EDITMSG for an
editor; where git would open one, gitglass asks for a message. Of differences that look alike the first is printed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from tests.live.compared import compare, git
from tests.live.states import STATES, State, make
from tests.live.twins import copies
from tests.support.twins import START, Answer, Refused, attempt, do_edit

#: command → its options, and the words behind them; words of one option are parted by blanks, `_` is a blank
PAIRS: dict[str, tuple[str, str]] = {
    "add": ("-A|-u|--no-all|--chmod=+x|--chmod=-x|-f|-n|-N|--refresh|--ignore-errors|--renormalize|-v", "|.|b.txt|none"),
    "branch": ("-d|-D|-m|-M|-c|-C|-f|-t|--track=inherit|--recurse-submodules|--no-track|-u main|--unset-upstream|-q|-l|-r|-v|-a|--create-reflog|--show-current"
               "|--contains main|--merged", "|x|topic|main|topic x|x none|none x"),
    "cherry-pick": ("-m 1|-n|-s|--cleanup=strip|--strategy=ort|-X ours|--no-edit|--abort|--continue|--skip|--quit"
                    "|--no-gpg-sign|-x|--ff|--allow-empty|--allow-empty-message|--keep-redundant-commits",
                    "|topic|topic~1|none"),
    "checkout": ("-b x|-B x|-B main|--orphan x|-d|-f|-t|-m|--conflict=diff3|--conflict=x|--no-track|--guess|--no-guess|--ours|--theirs|-q",
                 "|topic|main|-- b.txt|topic -- b.txt|none|none --|main b.txt|origin/x"),
    "clean": ("-n|-e x|-f|-d|-x|-X|-q", "|dir|none"),
    "commit": ("-q|-s|--allow-empty|--allow-empty-message|--no-edit|-i|-o|-a|--amend|-n|--no-gpg-sign|--reset-author"
               "|-m x|-m_|--author=A_<a@b>|--author=none|--date=2005-04-07T22:13:13|--date=never|--trailer A:b|-F b.txt|-C HEAD~1|-C none|--fixup=HEAD"
               "|--cleanup=strip|--cleanup=none",
               "|-- b.txt|-- none|-m m|-m m a.txt"),
    "merge": ("-m x|-s ort|-X ours|-q|--ff|--no-ff|--ff-only|--squash|--no-squash|--commit|--no-commit|--no-edit|--abort"
              "|--continue|--quit|--autostash|--no-autostash|--stat|-n|--signoff|--allow-unrelated-histories|--no-log",
              "|topic|HEAD~1|none|topic v1"),
    "mv": ("-f|-k|-n|-v", "b.txt c.txt|b.txt src|none x|b.txt a.txt|b.txt|b.txt a.txt src|n1 n3"),
    "rebase": ("--onto topic|--keep-base|--root|-f|--reapply-cherry-picks|--no-reapply-cherry-picks|--empty=keep|--signoff"
               "|-s ort|-X ours|-q|-v|--abort|--continue|--skip|--quit|--autosquash|--autostash|--no-autostash|-m|--apply"
               "|--stat|-n|--no-verify|--fork-point|--no-fork-point|-k|--no-keep-empty|--ignore-whitespace"
               "|--committer-date-is-author-date|--ignore-date", "topic|main||none|topic main"),
    "reset": ("--soft|--mixed|--hard|--merge|--keep|-q|-N", "|HEAD^|-- b.txt|none|HEAD^ b.txt|none b.txt"),
    "restore": ("-S|-W|--no-worktree|-s HEAD|-s none|--ours|--theirs|--ignore-unmerged|-m|--conflict=diff3|-q", "|.|b.txt|none"),
    "revert": ("-m 1|-n|-s|--cleanup=strip|--strategy=ort|-X ours|--no-edit|--abort|--continue|--skip|--quit"
               "|--no-gpg-sign|--reference", "|HEAD|HEAD~1|none"),
    "rm": ("--cached|-r|-f|-n|--ignore-unmatch|-q", "|b.txt|src|none|a.txt"),
    "stash push": ("-m x|-u|-k|--no-keep-index|-S|-a|-q", "|-- b.txt|-- none"),
    "stash pop": ("--index|-q|-k|-u|-m x", "|stash@{0}|0|9|none|0 1"),
    "stash branch": ("-q|--index", "|x|main|x 9|x 0 1"),
    "stash drop": ("-q|--index", "|stash@{0}|0|9|none"),
    "switch": ("-c x|-C x|-C main|--orphan x|-d|-f|-t|-m|--conflict=diff3|--conflict=x|--no-track|--guess|--no-guess|--discard-changes|-q",
               "|topic|main|none|v1|origin/x"),
    "tag": ("-a|-m x|-d|-f|-l|--create-reflog|-n1|-s|--contains main", "|x|v1|v1 HEAD~1|none|x none|x main v1"),
    "update-ref": ("-d|-m x|--no-deref", "refs/heads/x HEAD|refs/heads/topic|HEAD main|refs/tags/v1 HEAD HEAD|none HEAD"
                   "|refs/heads/x none|refs/heads/topic main|refs/heads/topic HEAD none||HEAD"),
}  # fmt: skip
_EDITS = (("append", "b.txt", 2), ("create", "n1", 3), ("create", "dir/n2", 4), ("remove", "src/two.c", 5))
_EDITOR = re.compile(rb"fatal: a message is needed: gitglass opens no editor\n")
_USAGE = re.compile(rb"(?:(?<=\n)\n)?^usage: git .*", re.DOTALL | re.MULTILINE)
_MESSAGE = re.compile(r"^ *(?:mode )?COMMIT_EDITMSG: git .*\n.*(?:\n|\Z)", re.MULTILINE)


def lines_of(command: str) -> Iterator[list[str]]:
    """The command lines of a command: every option, and every pair of them in both orders, with each of its words."""
    options, words = (text.split("|") for text in PAIRS[command])
    chosen = [(), *((option,) for option in options), *product(options, options)]
    for pair, operands in product(chosen, words):
        parts = [*command.split(), *(word for option in pair for word in option.split(" ")), *operands.split()]
        yield [part.replace("_", " ") for part in parts]


def plainer(answer: Answer) -> Answer:
    """An answer without the text of a usage."""
    status, *streams = answer
    out, err = (_USAGE.sub(b"", stream) if status == 129 else stream for stream in streams)
    return status, out, err


def prepared(name: str, work: Path) -> Path:
    """The repository that is copied: in a state, with changes of every kind."""
    place = work / "states" / name / "r"
    make(name, place, work / "states/begun")
    inside = place / STATES[name].inside
    do_edit(inside, ("append", "a.txt", 1))
    git(inside, ["add", "a.txt"])
    for edit in _EDITS:
        do_edit(inside, edit)
    return place


class Seen:
    """What was asked: how many, what was refused by name, what differs."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.counts: Counter[str] = Counter()

    def ask(self, place: Path, state: State, argv: list[str]) -> str | None:
        """What differs after one command line, as text."""
        homes = copies(place, self.work, state)
        theirs, mine = (home / state.inside for home in homes)
        have = attempt(mine, argv, START + 1000)
        self.counts["asked"] += 1
        if isinstance(have, Refused):
            self.counts["refused by name"] += 1
            return None
        want = git(theirs, argv, START + 1000)
        if have != want and _EDITOR.search(have[2]):
            self.counts["wants a message"] += 1
            return None
        found = compare(homes, state, plainer(want), plainer(have))
        found = None if found is None else _MESSAGE.sub("", found).rstrip()
        self.counts["differ"] += bool(found)
        return found or None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(PAIRS))
    parser.add_argument("--states", nargs="*", default=["plain"])
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    work = options.work / "option-pairs"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    total: Counter[str] = Counter()
    for name in options.states:
        place = prepared(name, work)
        for command in options.only:
            seen, shapes = Seen(work), set[str]()
            for argv in lines_of(command):
                found = seen.ask(place, STATES[name], argv)
                shape = re.sub(r"[0-9a-f]{7,}|'[^']*'", "", found or "")[:300]
                if found and shape not in shapes:
                    shapes.add(shape)
                    print(f"{name}: git {' '.join(argv)}\n{found}", flush=True)
            print(f"{name}, {command}: {dict(seen.counts)}", flush=True)
            total += seen.counts
    shutil.rmtree(work, ignore_errors=True)
    print(dict(total))
    return 1 if total["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())

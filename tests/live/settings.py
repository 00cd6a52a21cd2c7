"""Commands that write under settings that writing goes by, valid and not, by the installed git and by gitglass.

    python -m tests.live.settings [--only PREFIX] [--settings FILE] --work DIR

Each line of `settings.txt` (`key=value`, several joined by `;`) is put into the configuration of two copies of a
repository in which something is changed and something is untracked, with branches that merge and branches that do not;
then each of the command lines is carried out on fresh copies. Answers and all of both repositories have to be the same.
What gitglass refuses by name is counted. Two things are meant, and counted: a value that git dies of half way ends a
command here before it has done anything, and what is below `MEANT`.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

from tests.live.compared import compare, git
from tests.live.option_pairs import plainer
from tests.live.states import STATES, make
from tests.live.twins import copies
from tests.support.twins import START, Refused, attempt, do_edit

STATE = STATES["plain"]
_MADE = (
    "checkout -q -b parted main~1", "!append b.txt 1", "commit -q -a -m parted", "!create new.txt 1", "add new.txt", "commit -q -m 'fixup! parted'",
    "checkout -q -b apart main~2", "!create apart.txt 1", "add apart.txt", "commit -q -m apart", "checkout -q main", "!append b.txt 2",
    "commit -q -a -m ours", "branch behind HEAD~1", "status", "!append a.txt 1", "!create n1 1",
)  # fmt: skip
#: command lines, one after the other where they are joined by `|`
LINES = (
    "add .", "commit -q -a -m m", "commit --amend --no-edit", "merge apart", "merge --squash apart", "checkout behind|merge main",
    "merge --no-ff parted", "rebase --autostash apart", "rebase --autostash parted", "cherry-pick parted~1", "revert --no-edit HEAD", "stash -u|stash pop",
    "checkout apart", "checkout -b q", "checkout -m parted", "restore a.txt", "reset HEAD~1", "reset --hard HEAD~1",
    "branch q behind", "branch -D parted", "branch -u parted behind", "tag -a t -m m", "rm -f a.txt", "mv b.txt z",
    "reset -q --hard|merge parted|add .|commit --no-edit", "reset -q --hard|merge parted|add .|merge --continue",
    "reset -q --hard|rebase parted|add .|rebase --continue", "reset -q --hard|cherry-pick parted~1|add .|cherry-pick --continue",
    "update-ref refs/heads/uu HEAD",
)  # fmt: skip
#: settings under which words differ on purpose, and why
MEANT = {
    "rerere.enabled": "no resolution is recorded; the preview has a note",
    "core.fsync": "git warns of names that it does not know; here nothing depends on them",
    "checkout.workers": "the same, of a number",
    "merge.verbosity": "`stash pop` says what it merges, from 3 on",
    "notes.rewrite": "git warns of refs and modes of notes that it cannot use",
    "status.showstash": "`stash pop` counts the entry that it is about to drop",
    "diff.orderfile=nofile": "what asks for a list of changes ends before it has done anything",
    "merge.ff=only": "a merge that git refuses leaves ORIG_HEAD there",
    "index.version=9": "`stash -u` warns of it as it makes an index of its own",
    "commit.cleanup=verbatim": "`--continue` keeps the template of git's editor, which is not opened here",
}


class Asked:
    """What was asked: how many, what was refused by name, what differs."""

    def __init__(self, place: Path, work: Path) -> None:
        self._place, self._work, self.counts = place, work, Counter[str]()

    def differences(self, setting: str, line: str) -> str:
        """What differs after command lines under a setting, as text; "" for nothing, and for what is meant."""
        homes = copies(self._place, self._work, STATE)
        theirs, mine = homes
        for home in homes:
            with (home / ".git/config").open("a") as config:
                config.writelines(_written(*one.partition("=")[::2]) for one in setting.split(";") if one)
        for at, step in enumerate(line.split("|")):
            argv, moment = shlex.split(step), START + 60 * (at + 1)
            self.counts["asked"] += 1
            have = attempt(mine, argv, moment)
            if isinstance(have, Refused):
                self.counts["refused by name"] += 1
                return ""
            want = git(theirs, argv, moment)
            found = compare(homes, STATE, plainer(want), plainer(have))
            if not found:
                continue
            if any(setting.lower().startswith(name) for name in MEANT):
                self.counts["meant"] += 1
                return ""
            if have[0] == 128 and setting.endswith("=bogus"):
                self.counts["ended before"] += 1
                return ""
            self.counts["differ"] += 1
            return f"{setting}: git {step}\n{found}"
        return ""


def _written(key: str, value: str) -> str:
    """A setting as lines of a configuration file."""
    section, _, name = key.rpartition(".")
    group, _, sub = section.partition(".")
    head = f'[{group} "{sub}"]' if sub else f"[{group}]"
    return f'{head}\n\t{name} = "{value}"\n'


def prepared(work: Path) -> Path:
    """The repository that is copied."""
    place = work / "r"
    make("plain", place, work / "begun")
    for at, line in enumerate(_MADE):
        kind, *words = shlex.split(line.removeprefix("!"))
        if line.startswith("!"):
            do_edit(place, (kind, words[0], int(words[1])))
        else:
            time.sleep(1.1 if kind == "status" else 0)  # so that the index knows its files
            git(place, [kind, *words], START + at)
    return place


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--settings", type=Path, default=Path(__file__).with_suffix(".txt"))
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    work = options.work / "settings"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    asked = Asked(prepared(work), work)
    settings = [line for line in options.settings.read_text().splitlines() if line and not line.startswith("#")]
    for setting in settings:
        for line in LINES if setting.startswith(options.only) else ():
            found = asked.differences(setting, line)
            if found:
                print(found, flush=True)
    shutil.rmtree(work, ignore_errors=True)
    print(f"{len(settings)} settings, {len(LINES)} lines each: {dict(asked.counts)}")
    return 1 if asked.counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())

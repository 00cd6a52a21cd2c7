"""A sequence of the twins that differs, made as short as it can be: steps are left out while the same difference stays.

    python -m tests.live.shrunk STATE|REPOSITORY SEED [--steps 20] [--calm 0] [--only add,commit] [--work DIR]
                                [--lines FILE] [--whole]

`STATE` and `SEED` are what `tests.live.twins` printed, the options those it was called with. The steps are printed in
the form that `fixtures/scripts/record_chosen_twins.py` has, then the difference. `--lines` takes such steps from a file
in place of a seed; `--whole` leaves nothing out. A difference that does not come again (one of a moment: racy-git) is
printed as it was found.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tests.live.compared import compare, git
from tests.live.states import STATES, State, make
from tests.live.twins import KINDS, Counts, Done, copies, sequence
from tests.support.twins import START, Refused, attempt, do_edit


def difference(source: Path, work: Path, state: State, done: list[Done], early: bool = False) -> str | None:
    """What is different after the last of these steps; None where nothing is, or, unless it may be `early`, something
    before it already."""
    homes = copies(source, work, state)
    theirs, mine = (home / state.inside for home in homes)
    for number, one in enumerate(done):
        if len(one) == 3:
            do_edit(theirs, one)
            do_edit(mine, one)
            continue
        have = attempt(mine, *one)
        if isinstance(have, Refused):
            continue
        problem = compare(homes, state, git(theirs, *one), have)
        if problem is not None:
            return problem if early or number == len(done) - 1 else None
    return None


def shrunk(differs: Callable[[list[Done]], bool], done: list[Done]) -> list[Done]:
    """The steps without those that do not matter: halves, quarters and so on are left out, then single ones."""
    size = len(done) // 2
    while size:
        at = 0
        while at < len(done) - 1:
            less = done[:at] + done[min(at + size, len(done) - 1) :]
            if differs(less):
                done = less
            else:
                at += size
        size //= 2
    return done


def line(one: Done) -> str:
    """A step as a story has it."""
    if len(one) == 3:
        return " ".join(map(str, one))
    return "git " + shlex.join(one[0])


def read(path: Path) -> list[Done]:
    """Steps that `line` wrote, each a minute after the one before."""
    done, moment = list[Done](), START
    for text in path.read_text().splitlines():
        words = shlex.split(text)
        if words and words[0] == "git":
            moment += 60
            done.append((words[1:], moment))
        elif words:
            done.append((words[0], " ".join(words[1:-1]), int(words[-1])))
    return done


def main() -> int:
    """Run; 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("state")
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--calm", type=float, default=0)
    parser.add_argument("--only", default=KINDS)
    parser.add_argument("--work", type=Path, default=Path("/tmp/shrunk"))
    parser.add_argument("--lines", type=Path, default=None)
    parser.add_argument("--whole", action="store_true", help="leave nothing out")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    state, source = STATES.get(options.state, STATES["plain"]), Path(options.state)
    if options.state in STATES:
        source = options.work / "states" / options.state / "r"
        make(options.state, source, options.work / "states/begun")
    os.umask(state.umask)
    done, found = list[Done](), None
    if options.lines is not None:
        done = read(options.lines)
    else:
        found = sequence(
            source, options.work, options.seed, options.steps, options.only.split(","), Counts(), state,
            options.calm, done,
        )  # fmt: skip
        if found is None:
            print("nothing differs")
            return 0
    first = difference(source, options.work, state, done, early=options.whole)
    if first is not None and not options.whole:
        kind = first.strip().partition(":")[0]

        def differs(less: list[Done]) -> bool:
            problem = difference(source, options.work, state, less)
            return problem is not None and problem.strip().partition(":")[0] == kind

        done = shrunk(differs, done)
        first = difference(source, options.work, state, done)
    print(f"{options.state}\n" + "\n".join(map(line, done)) + f"\n\n{first or found or 'nothing differs'}")
    return 1 if first else 0


if __name__ == "__main__":
    sys.exit(main())

"""Random histories with clocks that lie, asked of the installed git and of gitglass: the same bytes, the same status.

    python -m tests.live.histories [--seed S] [--seconds T] [--each 25] --work DIR

A history has merges, octopus merges, several roots, many branches and tags; in some the commit dates are wrong by up to
fifty commits. It lies in one pack, in two, or in a pack with commits beside it; sometimes there is a commit-graph.
Walks go by number where there is none as soon as they have read a few commits (`objects/numbering.py`). Questions are
revision walks with options in random combinations, and what is asked of refs and merge bases.

Not asked, since git's answer depends on how far its search came: `--merged`, `--count --left-right` and merge bases
where there is a commit-graph and clocks lie. gitglass uses the graph's levels there, and its answers are exact.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tests.live.compared import environment, git
from tests.support.twins import START

import gitglass

ORDERS = (
    "|--date-order|--topo-order|--author-date-order|--reverse|--first-parent --topo-order|--first-parent --date-order"
)
LIMITS = "|-n 5|-n 30|--skip=3 -n 7"
PATHS = "|||-- a|-- d|-- nope"
OPTIONS = (
    "--children|--parents|--boundary|--left-right|--cherry-mark|--simplify-merges|--full-history|--ancestry-path"
    "|--first-parent|--simplify-by-decoration|--no-merges|--merges|--show-pulls|--remove-empty|--cherry-pick|--left-only"
    "|--dense|--since=2001-09-09T03:00|--until=2001-09-09T05:00|--graph|--exclude-first-parent-only|--source"
)
RANGES = "A|--all|A..B|A...B|A ^B|A B --not C|A...B ^C"
OF_REFS = (
    "tag --contains A|tag --no-contains A|branch --contains A|branch --no-contains A|for-each-ref --contains=A"
    "|for-each-ref --no-contains=A --contains=B|describe --tags A|describe --contains A|name-rev A B"
    "|merge-base --is-ancestor A B|merge-base --independent A B C|log --format=%h -n 3 A^{/c1}"
)
BY_DATE = "tag --merged A|branch --no-merged A|for-each-ref --merged=A --no-merged=B|merge-base --all A B|rev-list --count --left-right A...B"
MINUTE, DAY_ONE = 60, 1_000_000_000


def make(top: Path, pick: random.Random) -> bool:
    """A history below `top`. Returns whether levels of a commit-graph answer where dates cannot be trusted."""
    count, lie = pick.choice([30, 80, 300]), pick.choice([0, 0, 200, 3000])
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir(parents=True)
    _run(top, "init", "-q", "-b", "main")
    stream = "".join(_commits(pick, count, lie))
    about = environment(START)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=top, env=about, input=stream.encode(), check=True)
    _run(top, "repack", "-q", "-a", "-d")
    for number in range(pick.choice([0, 3])):
        _run(top, "commit", "-q", "--allow-empty", "-m", f"late {number}")
    if pick.random() < 0.3:
        _run(top, "repack", "-q", "-d")
    graph = pick.random() < 0.25
    if graph:
        _run(top, "commit-graph", "write", "--reachable")
    return graph and lie > 0


def _run(top: Path, *argv: str) -> None:
    subprocess.run(["git", *argv], cwd=top, env=environment(START), check=True, capture_output=True)


def _commits(pick: random.Random, count: int, lie: int) -> Iterator[str]:
    """The stream for git-fast-import(1); a mark is a commit's number, counted from 1."""
    pace = pick.choice([1, 1, 1, 3])  # commits of one minute
    for number in range(1, count + 1):
        parents: list[int] = []
        if number > 1 and pick.random() > 0.02:
            parents = [max(1, number - 1 - int(pick.expovariate(0.4)))]
            if pick.random() < 0.25:
                parents.append(pick.randint(max(1, number - 12), number - 1))
            if pick.random() < 0.03:
                parents += [pick.randint(1, number - 1), pick.randint(1, number - 1)]
        above = list(dict.fromkeys(parents))
        moment = DAY_ONE + MINUTE * (number // pace)
        if lie and pick.random() < 0.2:
            moment += pick.randint(-lie, lie)
        written = DAY_ONE + MINUTE * number + pick.randint(-500, 500)
        path, content = pick.choice(["a", "b", "d/c", "d/e"]), f"{pick.randint(0, 5)}\n"
        yield f"reset refs/heads/work\n\ncommit refs/heads/work\nmark :{number}\n"
        yield f"author A{number % 3} <a@example.com> {written} +0000\ncommitter C <c@example.com> {moment} +0000\n"
        yield f"data {len(str(number)) + 2}\nc{number}\n\n"
        yield "".join(f"{'merge' if nth else 'from'} :{parent}\n" for nth, parent in enumerate(above))
        yield f"M 100644 inline {path}\ndata {len(content)}\n{content}\n"
        for kind, share in (("tags/t", 0.06), ("heads/b", 0.03)):
            if pick.random() < share:
                yield f"reset refs/{kind}{number}\nfrom :{number}\n\n"
    yield f"reset refs/heads/main\nfrom :{count}\n\n"


def questions(pick: random.Random, refs: list[str], *, by_date: bool) -> Iterator[list[str]]:
    """Command lines without end; those whose answer depends on the dates alone only with `by_date`."""

    def one(choices: str) -> list[str]:
        names = {letter: pick.choice(refs) for letter in "ABC"}
        words = pick.choice(choices.split("|")).split()
        return ["".join(names.get(letter, letter) for letter in word) if _names(word) else word for word in words]

    while True:
        options = pick.sample(OPTIONS.split("|"), pick.choice([0, 1, 1, 2, 3]))
        kind = pick.random()
        if kind < 0.5:
            yield ["log", "--format=%h %p%d", *one(ORDERS), *options, *one(LIMITS), *one(RANGES), *one(PATHS)]
        elif kind < 0.75:
            some = [word for word in options if word != "--source"]
            yield ["rev-list", *one(ORDERS), *some, *one(LIMITS), *one(RANGES), *one(PATHS)]
        elif kind < 0.8:
            yield ["rev-list", "--count", *one("A|A..B|A ^B")]
        elif kind < 0.9 and by_date:
            yield one(BY_DATE)
        else:
            yield one(OF_REFS)


def _names(word: str) -> bool:
    """Whether the letters A, B and C of a word stand for names."""
    return not word.strip("ABC.^{}/c1=") or word.startswith(
        ("--contains=", "--no-contains=", "--merged=", "--no-merged=")
    )


def compare(work: Path, seed: int, each: int) -> Iterator[tuple[list[str], bool]]:
    """The command lines of one history, and whether the answers are the same."""
    pick = random.Random(seed)
    exact = make(work, pick)
    refs = git(work, ["for-each-ref", "--format=%(refname:short)"])[1].decode().split()
    refs += [f"main~{steps}" for steps in range(0, 20, 3)] + ["main^2~2", "HEAD^"]
    refs = [name for name in refs if not git(work, ["rev-parse", "-q", "--verify", name])[0]]
    soon = mock.patch("gitglass.objects.sequential.FIRST_NUMBERED", pick.choice([1, 2, 3, 20]))
    kept = gitglass.open(work) if pick.random() < 0.4 else None
    with soon:
        for _, argv in zip(range(each), questions(pick, refs, by_date=not exact), strict=False):
            ours = gitglass.git(argv, cwd=work) if kept is None else kept.git(argv)
            theirs = git(work, argv)
            yield argv, (ours.returncode, ours.stdout) == theirs[:2]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--each", type=int, default=25, help="questions to each history")
    options.add_argument("--work", type=Path, required=True)
    words = options.parse_args()
    os.environ.update(HOME="/nonexistent", GIT_CONFIG_NOSYSTEM="1", TZ="UTC")
    end, seed, asked, differ = time.monotonic() + words.seconds, words.seed * 100_000, 0, 0
    while time.monotonic() < end:
        seed += 1
        for argv, same in compare(words.work / "history", seed, words.each):
            asked += 1
            if not same:
                differ += 1
                print(f"{seed}: git {' '.join(argv)}", flush=True)
    print(f"{seed - words.seed * 100_000} histories, {asked} command lines, {differ} differ")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())

"""What was true when: the writer's journal, and what follows from it.

`World.window(t0, t1)` is everything that was the case between two moments, in order. What a commit means (its history,
files, blame) never changes and is computed here from numbers, not asked of git.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from itertools import product
from pathlib import Path
from typing import Any


class Commit:
    __slots__ = ("blame", "number", "oid", "parents", "reach", "tree")

    def __init__(self, row: dict[str, Any], commits: dict[str, Commit]) -> None:
        self.oid: str = row["oid"]
        self.number: int = row["n"]
        self.parents: list[str] = row["parents"]
        self.tree: dict[str, str] = row["tree"]
        self.reach = 1 << self.number  # as bits, by number: a parent's is always lower
        for parent in self.parents:
            self.reach |= commits[parent].reach
        before = commits[self.parents[0]].blame if self.parents else {}
        self.blame: dict[int, str] = {line: before.get(line, self.oid) for line in row["lines"]}


class State:
    """The repository after a step; while the step is under way its predecessor is as true."""

    __slots__ = ("began", "config", "ended", "head", "index", "logs", "refs", "stashes", "step", "work")

    head: str  # a commit, or the name of a branch
    refs: dict[str, str]
    work: dict[str, str]  # path → version
    index: dict[str, str]
    logs: list[list[str]]  # HEAD's reflog: the commit, and what was done
    stashes: list[str]
    config: str

    def __init__(self, row: dict[str, Any], before: State | None) -> None:
        self.step: str = row["step"]
        self.began: float = row["began"]
        self.ended: float = row["ended"]
        new = row["state"]
        for name in ("head", "refs", "work", "index", "logs", "stashes", "config"):
            setattr(self, name, new[name] if name in new or before is None else getattr(before, name))


class Window:
    """The states of some stretch of time, in order. `quiet`: nothing was under way.

    `strict`: HEAD's commit is that of the branch at the moment HEAD named it; else the name may be older than the
    branch's value, which are two files to git as well.
    """

    def __init__(self, states: list[State], world: World) -> None:
        self.states = states
        self.world = world
        self.strict = True
        self.quiet = len(states) == 1

    def ref(self, name: str) -> set[str | None]:
        """What a ref (full name, or HEAD) was; None where it was not."""
        if name == "HEAD" and self.strict:
            return {state.refs.get(state.head) if state.head[:5] == "refs/" else state.head for state in self.states}
        if name == "HEAD":
            return {value for head in self.heads() for value in (self.ref(head) if head[:5] == "refs/" else {head})}
        found = {state.refs.get(name) for state in self.states}
        for state in self.states[1:]:
            if state.step == "rename":  # the old value is deleted before the new one is written
                found.add(None)
        return found

    def heads(self) -> set[str]:
        return {state.head for state in self.states}

    def prunes(self) -> bool:
        """Whether what nothing leads to is deleted meanwhile."""
        return any(state.step in ("gc_now", "prune") for state in self.states[1:])

    def gone(self, oid: str) -> bool:
        """Whether nothing that the last state knows of leads to a commit."""
        last, kept = self.states[-1], 0
        for root in (*last.refs.values(), last.head, *(row[0] for row in last.logs), *last.stashes):
            commit = self.world.commit(root) or self.world.tagged.get(root)
            kept |= 0 if commit is None else commit.reach
        return not kept >> self.world.commits[oid].number & 1

    def names(self) -> set[str]:
        return {name for state in self.states for name in state.refs}

    def each(self, *names: str) -> list[tuple[str | None, ...]]:
        """Every combination of what several refs were."""
        return list(product(*(sorted(self.ref(name), key=str) for name in names)))

    def commits(self, name: str) -> list[Commit]:
        """The commits a name may have meant, `NAME~2` included; unborn ones left out."""
        name, _, back = name.partition("~")
        found = []
        for oid in self.ref(name):
            commit = self.world.commit(oid)
            for _ in range(int(back or 0)):
                commit = self.world.commits[commit.parents[0]] if commit and commit.parents else None
            if commit is not None:
                found.append(commit)
        return found

    def absent(self, name: str) -> bool:
        """Whether a name may have meant nothing."""
        name, _, back = name.partition("~")
        return None in self.ref(name) or (bool(back) and len(self.commits(name + "~" + back)) < len(self.ref(name)))

    def versions(self, path: str) -> tuple[set[str | None], set[str | None], set[str | None]]:
        """What a path was in HEAD, in the index, and on disk; None where it was not."""
        heads: set[str | None] = {commit.tree.get(path) for commit in self.commits("HEAD")}
        index = {state.index.get(path) for state in self.states}
        work = {state.work.get(path) for state in self.states}
        for state in self.states[1:]:
            if state.step == "stash":  # resets index and files in steps of its own
                index |= heads
        if len(work) > 1:
            work |= {None, "half"}  # git unlinks and writes anew
        return heads, index, work

    def paths(self) -> set[str]:
        return {path for state in self.states for path in state.work} | {
            path for commit in self.commits("HEAD") for path in commit.tree
        }


class World:
    """Grows with the journal. States that nobody can ask about any more are forgotten."""

    def __init__(self, journal: Path) -> None:
        self._file = journal.open()
        self._rest = ""
        self.states: list[State] = []
        self._ends: list[float] = []
        self.commits: dict[str, Commit] = {}
        self.by_number: dict[int, Commit] = {}
        self.tagged: dict[str, Commit] = {}  # by tag object
        self.steps: dict[str, int] = {}

    def read(self) -> None:
        """Take in what the writer has told since."""
        lines = (self._rest + self._file.read()).split("\n")
        self._rest = lines.pop()
        for line in lines:
            row = json.loads(line)
            for made in row["made"]:
                commit = Commit(made, self.commits)
                self.commits[commit.oid] = self.by_number[commit.number] = commit
            for tag, oid in row["tagged"].items():
                if tag not in self.tagged and oid in self.commits:
                    self.tagged[tag] = self.commits[oid]
            self.states.append(State(row, self.states[-1] if self.states else None))
            self._ends.append(row["ended"])
            self.steps[row["step"]] = self.steps.get(row["step"], 0) + 1

    @property
    def known_until(self) -> float:
        return self._ends[-1] if self._ends else 0.0

    @property
    def latest(self) -> State:
        return self.states[-1]

    def window(self, began: float, ended: float) -> Window:
        """All that was true between two moments, ends of steps under way included."""
        first = max(bisect_left(self._ends, began) - 1, 0)
        last = first
        while last + 1 < len(self.states) and self.states[last + 1].began <= ended:
            last += 1
        return Window(self.states[first : last + 1], self)

    def forget(self, before: float) -> None:
        keep = max(bisect_left(self._ends, before) - 2, 0)
        del self.states[:keep], self._ends[:keep]

    def commit(self, oid: str | None) -> Commit | None:
        return None if oid is None else self.commits.get(oid)

    def history(self, reach: int) -> list[Commit]:
        """The commits of a reach, newest first."""
        found = []
        while reach:
            number = reach.bit_length() - 1
            found.append(self.by_number[number])
            reach ^= 1 << number
        return found

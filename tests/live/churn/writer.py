"""The writer: a real git that changes one repository without a pause, and says when what was true.

Run by `__main__` as a process of its own. All it writes is a function of numbers: commit `n` holds `n` in `counter`, one
line more in `log.txt`, another version of a file in `data/`; its date grows with `n`. After each step one JSON line goes
to the journal: when the step began and ended, the whole state after it where that changed, and the commits made.
Between two steps the state is what the journal says; during a step it is the one before or the one after, part by part.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LINES = 40  # of log.txt: the oldest go
FILES = 6
BRANCHES = [f"refs/heads/b{number}" for number in range(6)]
DEEP = "refs/heads/topic/deep/b"
START = 1_700_000_000
ENV = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC",
    "LC_ALL": "C.UTF-8", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "C",
    "GIT_COMMITTER_EMAIL": "c@x",
}  # fmt: skip

#: how often each step is taken; a mix multiplies some of them
STEPS = {
    "commit": 30, "amend": 8, "branch": 6, "drop_branch": 4, "rename": 2, "switch": 8, "detach": 2, "merge": 5, "tag": 3,
    "untag": 1, "dirty": 8, "add": 6, "clean": 4, "stray": 4, "stash": 3, "drop_stash": 2, "reset": 3, "soft": 1,
    "many_refs": 3, "config": 2, "repack": 3, "repack_some": 3, "gc": 1, "gc_now": 1, "pack_refs": 4, "expire": 1,
    "prune": 1, "midx": 3, "midx_repack": 1, "midx_expire": 1, "graph": 2, "graph_split": 2, "no_graph": 1, "no_midx": 1,
}  # fmt: skip
MIXES: dict[str, dict[str, int]] = {
    "all": {},
    "packs": {"repack": 30, "repack_some": 20, "gc_now": 6, "prune": 4, "midx": 12, "midx_repack": 8, "midx_expire": 8},
    "refs": {"pack_refs": 30, "branch": 20, "drop_branch": 18, "many_refs": 20, "rename": 12, "switch": 20},
    "files": {"dirty": 40, "add": 30, "clean": 20, "stray": 20, "stash": 10, "drop_stash": 6, "switch": 20},
    "logs": {"expire": 12, "stash": 12, "drop_stash": 8, "amend": 20, "switch": 20, "gc_now": 4},
}


def blob(content: str) -> str:
    """The name of a blob."""
    raw = content.encode()
    return hashlib.sha1(b"blob %d\0" % len(raw) + raw).hexdigest()


class Writer:
    def __init__(self, repo: Path, journal: Path, seed: int, mix: str) -> None:
        self.repo = repo
        self.random = random.Random(seed)
        self.out = journal.open("w")
        self.number = 0
        self.refs: dict[str, str] = {}
        self.head = "refs/heads/main"
        self.config = 0
        self.work: dict[str, str] = {}  # path: content, tracked ones
        self.index: dict[str, str] = {}
        self.stray: str | None = None
        self.trees: dict[str, dict[str, str]] = {}  # commit: path: content
        self.logs: list[list[str]] = []
        self.stashes: list[str] = []
        self.fresh: list[dict[str, Any]] = []
        self.told: dict[str, Any] = {}
        self.tagged: dict[str, str] = {}
        self.parents: dict[str, list[str]] = {}
        names = {**STEPS, **MIXES[mix]}
        self.names, self.weights = list(names), list(names.values())

    # ------------------------------------------------------------------------------------------------------- the git
    def git(self, *argv: str, fail: bool = False, give: str | None = None) -> str:
        moment = f"{START + 60 * self.number} +0000"
        env = {**ENV, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        done = subprocess.run(["git", *argv], cwd=self.repo, env=env, capture_output=True, text=True, input=give)
        if done.returncode and not fail:
            raise RuntimeError(f"{argv}: {done.stderr}")
        return done.stdout

    def write(self, path: str, content: str) -> None:
        place = self.repo / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(content)
        self.work[path] = content

    @property
    def tip(self) -> str:
        return self.refs.get(self.head, self.head)

    # ------------------------------------------------------------------------------------------------------- journal
    def look(self) -> None:
        """Read from git what the step made of refs, HEAD and the logs."""
        listed = self.git("for-each-ref", "--format=%(refname) %(objectname) %(*objectname)")
        rows = [line.split() for line in listed.splitlines()]
        self.refs = {row[0]: row[1] for row in rows}
        self.tagged = {row[1]: row[2] for row in rows if len(row) > 2}
        self.head = (self.repo / ".git/HEAD").read_text().strip().removeprefix("ref: ")
        self.logs = self.read_log("HEAD")[-12:]
        self.stashes = [row[0] for row in self.read_log("refs/stash")[::-1]]

    def read_log(self, name: str) -> list[list[str]]:
        path = self.repo / ".git/logs" / name
        lines = path.read_text().splitlines() if path.exists() else []
        return [[line.split()[1], line.partition("\t")[2]] for line in lines]

    def made(self, parents: list[str]) -> None:
        """The step made HEAD a commit of what is in `work`."""
        self.trees[self.tip] = dict(self.work)
        self.parents[self.tip] = parents
        lines = [int(line.split()[0]) for line in self.work["log.txt"].splitlines()]
        self.fresh.append(
            {"oid": self.tip, "n": self.number, "parents": parents, "tree": self.hashed(self.work), "lines": lines}
        )

    @staticmethod
    def hashed(files: dict[str, str]) -> dict[str, str]:
        return {path: blob(content) for path, content in files.items()}

    def state(self) -> dict[str, Any]:
        work = self.hashed(self.work)
        if self.stray is not None:
            work["stray"] = blob(self.stray)
        return {
            "head": self.head, "refs": self.refs, "work": work, "index": self.hashed(self.index), "logs": self.logs,
            "stashes": self.stashes, "config": self.config,
        }  # fmt: skip

    def tell(self, step: str, began: float) -> None:
        state = self.state()
        row: dict[str, Any] = {"step": step, "began": began, "made": self.fresh, "tagged": self.tagged}
        row["state"] = {name: value for name, value in state.items() if self.told.get(name) != value}
        row["ended"] = time.monotonic()
        self.out.write(json.dumps(row) + "\n")
        self.out.flush()
        self.told, self.fresh = json.loads(json.dumps(state)), []

    # --------------------------------------------------------------------------------------------------------- steps
    def begin(self) -> None:
        began = time.monotonic()
        self.git("init", "-q", "-b", "main")
        for name, value in {"gc.auto": "0", "maintenance.auto": "false", "churn.n": "0"}.items():
            self.git("config", name, value)
        self.next_version(first=True)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"commit {self.number}")
        self.index = dict(self.work)
        self.look()
        self.made([])
        self.tell("begin", began)

    def next_version(self, first: bool = False, base: dict[str, str] | None = None) -> None:
        self.number += 1
        number = self.number
        self.write("counter", f"{number}\n")
        lines = (base or self.work).get("log.txt", "").splitlines()[1 - LINES :]
        self.write("log.txt", "\n".join([*lines, f"{number} {blob(str(number))[:12]}"]) + "\n")
        for which in range(FILES) if first else [number % FILES]:
            self.write(f"data/f{which}", "".join(f"{number} of {line}\n" for line in range(30 + which)))

    def commit(self) -> None:
        parent = self.tip
        self.git("commit", "-q", "-a", "-m", f"commit {self.number}")
        self.index = dict(self.work)
        self.look()
        self.made([parent])

    def before_commit(self) -> None:
        self.next_version()

    def before_amend(self) -> None:
        parents = self.parents.get(self.tip)
        self.next_version(base=self.trees[parents[0]] if parents else {})

    def amend(self) -> None:
        parents = self.parents.get(self.tip, [])
        self.git(
            "commit",
            "-q",
            "-a",
            "--amend",
            "-m",
            f"commit {self.number}",
            "--date",
            f"{START + 60 * self.number} +0000",
        )
        self.index = dict(self.work)
        self.look()
        self.made(parents)

    def checked_out(self) -> None:
        self.look()
        self.work = dict(self.trees[self.tip])
        self.index = dict(self.work)

    def clean(self) -> None:
        self.git("reset", "-q", "--hard")
        self.checked_out()

    def branch(self) -> None:
        name = self.random.choice([*BRANCHES, DEEP])
        self.git("branch", "-f", name[11:], self.random.choice(["HEAD", "main", "HEAD~2"]), fail=True)
        self.look()

    def free(self) -> list[str]:
        return [name for name in self.refs if name in (*BRANCHES, DEEP) and name != self.head]

    def drop_branch(self) -> None:
        if self.free():
            self.git("branch", "-q", "-D", self.random.choice(self.free())[11:])
            self.look()

    def rename(self) -> None:
        if self.free():
            self.git("branch", "-M", self.random.choice(self.free())[11:], self.random.choice(BRANCHES)[11:], fail=True)
            self.look()

    def switch(self) -> None:
        names = ["refs/heads/main", *self.free()]
        self.git("switch", "-q", self.random.choice(names)[11:])
        self.checked_out()

    def detach(self) -> None:
        self.git("switch", "-q", "--detach", self.random.choice(["HEAD~1", "main", "main~3"]), fail=True)
        self.checked_out()

    def merge(self) -> None:
        if not self.free():
            return
        self.number += 1
        before, other = self.tip, self.random.choice(self.free())
        how = ["-s", "ours", "--no-ff", "--allow-unrelated-histories"]  # an amended first commit has none
        self.git("merge", "-q", *how, "-m", f"commit {self.number}", other[11:])
        self.look()
        if self.tip != before:
            self.made([before, self.refs[other]])

    def tag(self) -> None:
        self.git("tag", "-a", "-m", f"tag {self.number}", f"v{self.number}", fail=True)
        self.look()

    def untag(self) -> None:
        tags = [name[10:] for name in self.refs if name.startswith("refs/tags/")]
        if len(tags) > 3:
            self.git("tag", "-d", *self.random.sample(tags, len(tags) - 3 if len(tags) > 12 else 1))
            self.look()

    def dirty(self) -> None:
        which = self.random.randrange(FILES)
        self.write(f"data/f{which}", f"dirty {self.random.randrange(1000)}\n" * 20)

    def add(self) -> None:
        self.git("add", "-u")
        self.index = dict(self.work)

    def stray_(self) -> None:
        place = self.repo / "stray"
        if self.stray is None:
            self.stray = f"{self.number}\n"
            place.write_text(self.stray)
        else:
            place.unlink()
            self.stray = None

    def stash(self) -> None:
        if self.hashed(self.work) != self.hashed(self.trees[self.tip]):
            self.git("stash", "push", "-q", "-m", f"stash {self.number}")
            self.checked_out()

    def drop_stash(self) -> None:
        if self.stashes:
            self.git("stash", "drop", "-q", f"stash@{{{self.random.randrange(len(self.stashes))}}}")
            self.look()

    def reset(self) -> None:
        self.git("reset", "-q", "--hard", self.random.choice(["HEAD~1", "HEAD~2", "main"]), fail=True)
        self.checked_out()

    def soft(self) -> None:
        if len(self.parents.get(self.tip, [])):
            self.git("reset", "-q", "--soft", "HEAD~1")
            self.look()

    def many_refs(self) -> None:
        """Several refs in one transaction."""
        lines = [f"update {name} {self.tip}" for name in self.random.sample(BRANCHES, 3) if name != self.head]
        if DEEP in self.refs and self.head != DEEP:
            lines.append(f"delete {DEEP}")
        self.git("update-ref", "--stdin", give="\n".join(lines) + "\n")
        self.look()

    def config_(self) -> None:
        self.config += 1
        self.git("config", "churn.n", str(self.config))

    def expire(self) -> None:
        self.git("reflog", "expire", "--expire=now", "--all")
        self.look()

    def gc_now(self) -> None:
        self.git("gc", "-q", "--prune=now")
        self.look()

    def gc(self) -> None:
        self.git("gc", "-q")
        self.look()

    PLAIN = {
        "repack": [["repack", "-adq"]],
        "repack_some": [["repack", "-dq"]],
        "pack_refs": [["pack-refs", "--all"]],
        "prune": [["prune", "--expire=now"]],
        "midx": [["multi-pack-index", "write"]],
        "midx_repack": [["multi-pack-index", "repack", "--batch-size=0"]],
        "midx_expire": [["multi-pack-index", "expire"]],
        "graph": [["commit-graph", "write", "--reachable", "--changed-paths"]],
        "graph_split": [["commit-graph", "write", "--reachable", "--split", "--changed-paths"]],
    }
    FIRST = frozenset({"switch", "detach", "merge", "reset"})  # these need a clean work tree

    def no_graph(self) -> None:
        info = self.repo / ".git/objects/info"
        (info / "commit-graph").unlink(missing_ok=True)
        (info / "commit-graphs/commit-graph-chain").unlink(missing_ok=True)

    def no_midx(self) -> None:
        (self.repo / ".git/objects/pack/multi-pack-index").unlink(missing_ok=True)

    def step(self) -> None:
        [name] = self.random.choices(self.names, self.weights)
        if name in self.FIRST:
            self.take("clean", self.clean)
        before: Callable[[], None] | None = getattr(self, f"before_{name}", None)
        if before:
            self.take("write", before)
        if name in self.PLAIN:
            self.take(name, lambda: [self.git(*argv, fail=True) for argv in self.PLAIN[name]])
        else:
            self.take(name, getattr(self, f"{name}_", None) or getattr(self, name))

    def take(self, name: str, act: Callable[[], object]) -> None:
        began = time.monotonic()
        act()
        self.tell(name, began)


def main() -> int:
    repo, journal, seed, mix = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    writer = Writer(repo, journal, seed, mix)
    writer.begin()
    stop = journal.with_suffix(".stop")
    while not stop.exists():
        writer.step()
        time.sleep(writer.random.choice([0, 0, 0.002, 0.02]))
    writer.take("end", lambda: None)
    return 0


if __name__ == "__main__":
    sys.exit(main())

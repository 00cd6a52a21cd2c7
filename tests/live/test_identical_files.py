"""Renames and copies among many files of equal content, asked of git and of us.

`python -m tests.live.test_identical_files SEED COUNT` asks about COUNT random repositories from SEED on.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import gitglass

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")]

OPTIONS = [["-M"], ["-C"], ["-C", "-C"], ["-M", "-B"], ["-M", "-R"], ["-C", "-C", "-R"], ["-C", "-B"], ["-M100%"]]
CONTENTS = ["", "same\n", "one\ntwo\nthree\nfour\n" * 30]
KINDS = ["100644", "100644", "100644", "100755", "120000"]
COUNTS = [1, 3, 50, 98, 99, 100, 101, 102, 110, 150, 205]


def git(where: Path, *argv: str, stdin: bytes = b"") -> bytes:
    env = {"HOME": str(where), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    return subprocess.run(["git", *argv], cwd=where, env=env, input=stdin, capture_output=True, check=True).stdout


class Moves:
    """Two trees with groups of identical files: moved, copied, deleted, of new base names or the same ones."""

    def __init__(self, where: Path, seed: int) -> None:
        self.where, self.random = where, random.Random(seed)
        git(where, "init", "-q", "-b", "main", ".")
        self.blobs = [git(where, "hash-object", "-w", "--stdin", stdin=c.encode()).decode().strip() for c in CONTENTS]
        before: dict[str, tuple[str, str]] = {}
        after: dict[str, tuple[str, str]] = {}
        for blob in self.random.sample(self.blobs, self.random.choice([1, 1, 2])):
            self.group(blob, before, after)
        self.trees = [self.tree(before), self.tree(after)]

    def kind(self) -> str:
        return self.random.choice(KINDS) if self.random.random() < 0.1 else "100644"

    def name(self, side: str) -> str:
        draw = self.random
        return f"{side}{draw.randrange(4)}/{draw.choice(['k', 'n', 'z'])}{draw.randrange(160):03}"

    def group(self, blob: str, before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]]) -> None:
        draw = self.random
        for _ in range(draw.choice(COUNTS)):
            before[self.name("old")] = self.kind(), blob
        for _ in range(draw.choice([0, 0, 1, 99, 100, 101, 130])):  # files that stay as they are
            path = self.name(draw.choice(["a", "old", "z"]))
            before[path] = after[path] = self.kind(), blob
        for _ in range(draw.choice([0, 0, 2, 100])):  # modified: sources of -C
            path = self.name(draw.choice(["b", "old", "y"]))
            before[path] = self.kind(), blob
            after[path] = self.kind(), draw.choice(self.blobs)
        for _ in range(draw.choice([0, *COUNTS])):
            after[self.name("new")] = self.kind(), blob

    def tree(self, files: dict[str, tuple[str, str]]) -> str:
        git(self.where, "read-tree", "--empty")
        rows = "".join(f"{mode} {oid}\t{path}\n" for path, (mode, oid) in files.items())
        git(self.where, "update-index", "--index-info", stdin=rows.encode())
        return git(self.where, "write-tree").decode().strip()


def compare(where: Path, seed: int) -> list[str]:
    """The questions about the trees of a seed that are answered otherwise than by git."""
    moves = Moves(where, seed)
    wrong = []
    for options in OPTIONS:
        argv = ["diff", "--raw", *options, *moves.trees]
        done = gitglass.git(argv, cwd=where)
        if (done.returncode, done.stdout) != (0, git(where, *argv)):
            wrong.append(f"seed {seed}: {argv}")
    return wrong


@pytest.mark.parametrize("seed", range(1, 9))
def test_as_git(tmp_path: Path, seed: int) -> None:
    assert compare(tmp_path, seed) == []


def main() -> int:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    wrong: list[str] = []
    for nth in range(seed, seed + count):
        with tempfile.TemporaryDirectory() as place:
            wrong += compare(Path(place), nth)
    print("\n".join(wrong[:20]))
    print(f"{count * len(OPTIONS)} comparisons from seed {seed}: {len(wrong)} differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

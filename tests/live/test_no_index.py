"""Random trees of files and random `git diff --no-index` over them, asked of git and of us.

`python -m tests.live.test_no_index SEED COUNT` asks many more than the suite does.
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

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]

NAMES = ["a", "b", "c.txt", "d.py", "e.bin", "sp ace", 'q"uote', "tab\tbed", "ünï", "-dash", "f", "g.txt"]
LINES = ["alpha", "beta  ", "\tgamma", "def f(x):", "    return x", "", "<<<<<<< ours", "delta eps", "{", "}", "zeta\r"]
ATTRIBUTES = ["*.txt text", "*.bin -diff", "*.py diff=python", "*.txt -diff", "c* whitespace=tab-in-indent", "d.* eol=crlf", "a diff", "sub/* -diff", "*.txt ident"]  # fmt: skip
CONFIG = ["core.autocrlf=true", "core.autocrlf=input", "diff.mnemonicPrefix=true", "diff.noprefix=true", "diff.renames=false", "diff.renames=copies", "core.abbrev=12", "core.quotePath=false", "diff.context=1", "diff.algorithm=patience", "core.fileMode=false"]  # fmt: skip
OPTIONS = [
    ["--stat"], ["--raw"], ["--name-status"], ["--name-only"], ["--numstat"], ["--shortstat"], ["--summary"], ["-p", "--stat"], ["--dirstat"], ["--check"], ["--quiet"], ["--exit-code"], ["-s"],
    ["-R"], ["-M"], ["-C"], ["-C", "-C"], ["--no-renames"], ["-B"], ["-M20%"], ["-w"], ["-b"], ["-U0"], ["-U1"], ["-W"], ["--word-diff"], ["--color"], ["--color-words"], ["--binary"], ["-a"], ["--full-index"],
    ["--abbrev=5"], ["-z"], ["--relative"], ["--no-prefix"], ["--src-prefix=x/"], ["--compact-summary"], ["--patience"], ["--ignore-blank-lines"], ["-Salpha"], ["-Gdelta"], ["--diff-filter=AD"], ["--diff-filter=r"],
    ["--line-prefix=> "], ["--patch-with-raw"], ["--name-st"], ["--color-moved", "--color=always"], ["--ws-error-highlight=all", "--color=always"], ["-D"], ["-l1"], ["--find-renames=90"], ["--cached"], ["--cc"], ["-1"], ["--full-i"],
]  # fmt: skip


class Trees:
    """Two directories and what is around them, of one seed."""

    def __init__(self, top: Path, seed: int) -> None:
        self.top, self.random = top, random.Random(seed)
        self.files: list[str] = []
        for name in ("one", "two"):
            self.fill(name, 0)
        if self.random.random() < 0.5:
            (top / ".gitattributes").write_text("".join(f"{self.random.choice(ATTRIBUTES)}\n" for _ in range(2)))

    def content(self) -> bytes:
        draw = self.random
        if draw.random() < 0.1:
            return bytes(draw.randrange(256) for _ in range(draw.randrange(60)))
        lines = [draw.choice(LINES) for _ in range(draw.choice([0, 1, 5, 12, 30]))]
        return ("\n".join(lines) + draw.choice(["\n", "\n", ""])).encode()

    def fill(self, where: str, depth: int) -> None:
        draw = self.random
        (self.top / where).mkdir()
        for name in draw.sample(NAMES, draw.randrange(1, 7)):
            path, kind = f"{where}/{name}", draw.random()
            if kind < 0.2 and depth < 3:
                self.fill(path, depth + 1)
                continue
            if kind < 0.3:
                os.symlink(draw.choice(["a", "..", "nowhere", "../two", "c.txt"]), self.top / path)
            elif self.files and kind < 0.65:  # like another, or nearly so
                data = (self.top / draw.choice(self.files)).read_bytes()
                (self.top / path).write_bytes(data + draw.choice([b"", b"", b"more\n"]))
                self.files.append(path)
            else:
                (self.top / path).write_bytes(self.content())
                self.files.append(path)
            if kind >= 0.3 and draw.random() < 0.15:
                (self.top / path).chmod(0o755)
            if kind < 0.35 and draw.random() < 0.2 and not (self.top / where / ".gitattributes").exists():
                (self.top / where / ".gitattributes").write_text(draw.choice(ATTRIBUTES) + "\n")

    def path(self, cwd: str) -> str:
        draw = self.random
        found = draw.choice(
            ["one", "two", "one", "two", draw.choice(self.files or ["one"]), draw.choice(self.files or ["two"])]
        )
        kind = draw.random()
        if kind < 0.06:
            return draw.choice(["/dev/null", "-", "nope", "one/nope", "", ".", ".."])
        if kind < 0.2 and "/" in found:
            found = found.rpartition("/")[0]
        if kind > 0.9:
            return str(self.top / found)
        if cwd:
            found = os.path.relpath(self.top / found, self.top / cwd)
        if kind > 0.8:
            found = "./" + found
        return found + draw.choice(["", "", "", "/"]) if os.path.isdir(self.top / cwd / found) else found

    def command(self, cwd: str) -> list[str]:
        draw = self.random
        argv = [] if draw.random() < 0.7 else ["-c", draw.choice(CONFIG)]
        argv += ["diff", "--no-index"]
        for _ in range(draw.choice([0, 1, 1, 2, 3])):
            argv += draw.choice(OPTIONS)
        if draw.random() < 0.2:
            argv.append("--")
        return [*argv, self.path(cwd), self.path(cwd)]


STDIN = b"alpha\nstdin\n"
#: git fell over, or met its own end of standard input
FELL = (b"BUG:", b"unable to read files to diff")


def run_git(argv: list[str], cwd: Path, home: Path) -> "subprocess.CompletedProcess[bytes]":
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    env |= {"GIT_CEILING_DIRECTORIES": str(home.parent), "GIT_OPTIONAL_LOCKS": "0", "TERM": "dumb"}
    return subprocess.run(["git", *argv], cwd=cwd, env=env, input=STDIN, capture_output=True)


def compare(place: Path, seed: int, count: int) -> list[str]:
    """What differs between git's answers and ours, over the trees of a seed."""
    top, home = place / f"t{seed}", place / "home"
    top.mkdir()
    home.mkdir(exist_ok=True)
    trees = Trees(top, seed)
    if seed % 3:
        run_git(["init", "-q", "."], top, home)
        if seed % 3 == 1:
            run_git(["add", "one"], top, home)
    wrong = []
    for _ in range(count):
        cwd = trees.random.choice(["", "", "one"])
        argv = trees.command(cwd)
        want = run_git(argv, top / cwd, home)
        got = gitglass.git(argv, cwd=top / cwd, root=top, stdin=STDIN)
        if any(words in want.stderr for words in FELL) or b"is outside the root" in got.stderr:
            continue
        if "-" in argv and any((top / cwd / word).is_dir() for word in argv[-2:]):
            continue  # git looks for renames, and finds standard input empty behind that
        if (want.returncode, want.stdout, bool(want.stderr)) != (got.returncode, got.stdout, bool(got.stderr)):
            wrong.append(f"seed {seed} in {cwd or '.'}: git {argv}\n  git {want!r:.1500}\n  got {got!r:.1500}")
    return wrong


@pytest.mark.parametrize("seed", [1, 2, 3, 39, 226])
def test_as_git(tmp_path: Path, seed: int) -> None:
    assert compare(tmp_path, seed, 12) == []


def main() -> int:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        for nth in range(seed, seed + max(count // 20, 1)):
            wrong += compare(Path(place), nth, min(count, 20))
    print("\n".join(wrong[:20]))
    print(f"{count} commands from seed {seed}: {len(wrong)} differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

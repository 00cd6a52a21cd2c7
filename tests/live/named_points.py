"""Repositories that a script makes, and command lines asked there of git and of our command line: both answers.

The points are in `named_points.txt`. Our side runs as the script does, environment and all, in a forked child.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support.forked import forked_bytes

from gitglass.cli.main import main
from gitglass.records import record

POINTS = Path(__file__).with_name("named_points.txt")
PRELUDE = """
at=1700000000
commit() {
    at=$((at + 60)); export GIT_AUTHOR_DATE="$at +0100" GIT_COMMITTER_DATE="$at +0200"
    git add -A; git commit -q --allow-empty -m "$*"
}
export GIT_AUTHOR_DATE="$at +0100" GIT_COMMITTER_DATE="$at +0200"
export GIT_AUTHOR_NAME='A U Thor' GIT_AUTHOR_EMAIL=author@example.com GIT_COMMITTER_NAME='C O Mitter' GIT_COMMITTER_EMAIL=committer@example.com
"""


@record(frozen=True)
class Answer:
    """What a program gave back."""

    status: int
    out: bytes
    err: bytes


@record(frozen=True)
class Line:
    """A command line, with its directory, variables and standard input."""

    text: str


@record(frozen=True)
class Point:
    """A point of the list: the script of its repository, and its command lines."""

    name: str
    script: str
    lines: tuple[Line, ...]


def points() -> Iterator[Point]:
    """The points of the list, in its order."""
    for part in re.split(r"^== ", POINTS.read_text(), flags=re.M)[1:]:
        name, _, body = part.partition("\n")
        rows = body.splitlines()
        lines = [Line(row[2:]) for row in rows if row.startswith("$ ")]
        script = "\n".join(row for row in rows if not row.startswith("$ "))
        yield Point(name, script, tuple(lines))


def environment(home: Path) -> dict[str, str]:
    """The variables that both sides have."""
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "GIT_PAGER": "cat", "TERM": "dumb", "GIT_OPTIONAL_LOCKS": "0", "GIT_CEILING_DIRECTORIES": str(home.parent),
    }  # fmt: skip


class Place:
    """The repository of a point, below a directory of its own."""

    def __init__(self, top: Path, point: Point) -> None:
        self.top, self.here, self.home = top, top / "repo", top / "home"
        self.home.mkdir(parents=True)
        self.here.mkdir()
        script = PRELUDE + self._filled(point.script)
        done = subprocess.run(["bash", "-ec", script], cwd=self.here, env=environment(self.home), capture_output=True)
        if done.returncode:
            raise RuntimeError(f"the script of {point.name} failed: {done.stderr.decode()}")

    def _filled(self, text: str) -> str:
        return text.replace("{here}", str(self.here)).replace("{id}", "x")

    def asked(self, line: Line) -> tuple[list[str], Path, dict[str, str], bytes]:
        """The words behind `git`, the directory, the variables and standard input of a command line."""
        words, stdin, cwd, env = shlex.split(self._filled(line.text)), b"", self.here, environment(self.home)
        if len(words) > 2 and words[-2] == "<":
            path = self.here / words[-1]
            stdin = path.read_bytes() if path.exists() else b""
            words = words[:-2]
        if words[0] == "cd":
            cwd, words = self.here / words[1], words[2:]
        while words[0] != "git":
            name, _, value = words.pop(0).partition("=")
            env[name] = value
        return words[1:], cwd, env, stdin

    def git(self, line: Line) -> Answer:
        """git's answer."""
        argv, cwd, env, stdin = self.asked(line)
        done = subprocess.run(["git", *argv], cwd=cwd, env=env, input=stdin, capture_output=True)
        return Answer(done.returncode, done.stdout, done.stderr)

    def ours(self, line: Line) -> Answer:
        """Our command line's answer, from a forked child."""
        argv, cwd, env, stdin = self.asked(line)
        return Answer(*forked_bytes(main, argv, env, cwd, stdin))


def compared(answer: Answer) -> Answer:
    """What of an answer is compared: of a usage the lines before it, and which command it is of; no present moment."""
    return Answer(answer.status, _steady(answer.out), _steady(answer.err))


def _steady(text: bytes) -> bytes:
    """Without the time of a line that is not committed, and the text of a usage."""
    text = re.sub(rb"(\(Not Committed Yet )[-0-9: +]{25}", rb"\1", text)
    usage = re.search(rb"^usage: git(?:glass)?[ \n]([a-z-]*)", text, re.M)
    return text if usage is None else text[: usage.start()] + b"usage of " + usage[1]


def differing(place: Place, line: Line) -> str:
    """How the two answers differ, for a reader; empty where they do not."""
    want, got = compared(place.git(line)), compared(place.ours(line))
    if want == got:
        return ""
    rows = [f"$ {line.text}"]
    for name, theirs, mine in (
        ("status", want.status, got.status),
        ("stdout", want.out, got.out),
        ("stderr", want.err, got.err),
    ):
        if theirs != mine:
            rows += [f"  {name}: git  {theirs!r:.1200}", f"  {' ' * len(name)}  ours {mine!r:.1200}"]
    return "\n".join(rows)

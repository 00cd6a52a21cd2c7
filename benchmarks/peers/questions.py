"""The questions: what is asked of git and gitglass as a command line, and what of the answer every tool has to agree on.

The libraries have calls of their own, in `tools/`. Their values are compared with the *essence* of git's text: what was
asked for without the form it is printed in, so that no tool pays for imitating git's print, and none is timed for another
answer.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """One question. `argv` may hold {path}; `essence` turns git's standard output into a comparable value."""

    name: str
    family: str
    argv: tuple[str, ...]
    essence: Callable[[bytes], object]


def text(out: bytes) -> object:
    return out.decode("utf-8", "replace").strip()


def lines(out: bytes) -> object:
    return out.decode("utf-8", "replace").splitlines()


def anyhow(out: bytes) -> object:
    """Lines in any order: tools break ties of equal commit dates differently."""
    return sorted(out.decode("utf-8", "replace").splitlines())


def subjects(out: bytes) -> object:
    return [line.split(" ", 1)[1] for line in out.decode("utf-8", "replace").splitlines()]


def counts(out: bytes) -> object:
    """(files, insertions, deletions) of `--shortstat`."""
    words = out.decode().replace(",", "").split()
    found = {word[:4]: int(words[at - 1]) for at, word in enumerate(words) if at and words[at - 1].isdigit()}
    return [found.get("file", 0), found.get("inse", 0), found.get("dele", 0)]


def origins(out: bytes) -> object:
    """The commit of each line, of `blame -s -l`; a boundary's name is a digit shorter and is cut everywhere."""
    return [line.split(b" ", 1)[0].lstrip(b"^")[:39].decode() for line in out.splitlines()]


QUESTIONS = [
    Question("head", "daily", ("rev-parse", "HEAD"), text),
    Question("branch", "daily", ("rev-parse", "--abbrev-ref", "HEAD"), text),
    Question("status", "daily", ("status", "--porcelain"), anyhow),
    Question("log of 20", "daily", ("log", "--oneline", "--no-decorate", "-n", "20"), subjects),
    Question("file at HEAD", "daily", ("show", "HEAD:{path}"), text),
    Question("index", "daily", ("ls-files",), lines),
    Question("tree", "daily", ("ls-tree", "-r", "--name-only", "HEAD"), lines),
    Question("tags", "daily", ("tag", "-l"), lines),
    Question("branches", "daily", ("for-each-ref", "--format=%(refname)", "refs/heads"), lines),
    Question("changed files", "daily", ("diff", "--no-renames", "--name-status", "HEAD~50", "HEAD"), lines),
    Question("changed lines", "daily", ("diff", "--no-renames", "--shortstat", "HEAD~50", "HEAD"), counts),
    Question("describe", "daily", ("describe", "--tags"), text),
    Question("merge base", "daily", ("merge-base", "HEAD~30", "HEAD~60"), text),
    Question("whole log", "history", ("log", "--format=%H"), anyhow),
    Question("count", "history", ("rev-list", "--count", "HEAD"), text),
    Question("log of a path", "history", ("log", "--format=%H", "--", "{path}"), anyhow),
    Question("log of an author", "history", ("log", "--format=%H", "--author=Daniel"), anyhow),
    Question("blame", "blame", ("blame", "-s", "-l", "{path}"), origins),
]
BY_NAME = {question.name: question for question in QUESTIONS}

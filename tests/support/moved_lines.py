"""Histories of three files whose lines move within a file, and are copied from file to file."""

from __future__ import annotations

import random
from pathlib import Path

from .object_files import Builder

COMMITS, FILES = 8, ("f", "g", "h")
#: options of blame, and how many histories each is asked about
ASKED = {"-M": 8, "-C": 6, "-C -C -C": 8, "-C1": 10, "-M1 -C9": 6}


def made(seed: int) -> list[dict[str, list[str]]]:
    """The lines of each file, commit by commit. Some lines are too short to be searched for."""
    draw = random.Random(seed)
    lines = [f"line number {nth} with words" if nth % 3 else "}" + str(nth) for nth in range(12)]
    files = {name: lines[4 * at : 4 * at + 4] for at, name in enumerate(FILES)}
    history = []
    for number in range(COMMITS):
        for name in FILES:
            changed = files[name][:]
            for _ in range(draw.randrange(1, 4)):
                _change(draw, changed, files[draw.choice(FILES)], number)
            files[name] = changed[:30]
        history.append(dict(files))
    return history


def _change(draw: random.Random, lines: list[str], other: list[str], number: int) -> None:
    kind, at = draw.randrange(3), draw.randrange(len(lines) + 1)
    if kind == 0 and len(lines) > 3:
        start = draw.randrange(len(lines) - 2)
        block = lines[start : start + 2]
        del lines[start : start + 2]
        at = draw.randrange(len(lines) + 1)
        lines[at:at] = block
    elif kind == 1:
        start = draw.randrange(max(1, len(other) - 2))
        lines[at:at] = other[start : start + 3]
    else:
        lines.insert(at, f"new {number} {draw.randrange(99)} in commit" if draw.random() < 0.5 else "{")


def on_disk(history: list[dict[str, list[str]]], place: Path) -> list[str]:
    """Writes the history to a repository, main is its end; the names of its commits."""
    builder = Builder(place)
    names: list[str] = []
    for number, files in enumerate(history):
        tree = b"".join(
            b"100644 %b\0" % name.encode() + builder.loose(b"blob", "\n".join([*lines, ""]).encode())
            for name, lines in sorted(files.items())
        )
        above = f"parent {names[-1]}\n" if names else ""
        who = f"A <a@x> {1_700_000_000 + number} +0000"
        head = f"tree {builder.loose(b'tree', tree).hex()}\n{above}author {who}\ncommitter {who}\n\nc{number}\n"
        names.append(builder.loose(b"commit", head.encode()).hex())
    (place / ".git/refs/heads/main").write_text(names[-1] + "\n")
    return names


def order(incremental: bytes, names: list[str]) -> list[str]:
    """The lines that `blame --incremental` settles, one group after the other: commit, place there, place, count."""
    rows = [line.split() for line in incremental.decode().splitlines()]
    return [" ".join([str(names.index(row[0])), *row[1:]]) for row in rows if row and row[0] in names and len(row) == 4]

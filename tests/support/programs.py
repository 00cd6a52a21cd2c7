"""Programs for tests: small scripts of Python, each with a name of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from gitglass.mutate.process.granted import Program

#: in front of a filter's script: its input and its words
INPUT = "import sys, os\ndata = sys.stdin.buffer.read()\nout = sys.stdout.buffer\n"


def program(place: Path, name: str, script: str, *words: str, **more: object) -> Program:
    """A program of this name, made at a place of its own."""
    place.mkdir(exist_ok=True, parents=True)
    path = place / name
    path.write_text(f"#!{sys.executable} -IS\n{script}\n")
    path.chmod(0o755)
    return Program((str(path), *words), **more)  # type: ignore[arg-type]


def filter_program(place: Path, name: str, expression: str, *words: str) -> Program:
    """A filter: what it writes is an expression of `data`."""
    return program(place, name, f"{INPUT}out.write({expression})", *words)


def alive(word: str) -> list[int]:
    """The processes whose command lines have a word in them."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (
                    word.encode() in (entry / "cmdline").read_bytes()
                    and (entry / "stat").read_text().split()[-50] != "Z"
                ):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found

"""A model for the examples that needs no network: it asks for tools as a real one would, and answers from their text.

A conversation is a generator: it yields calls, is sent the tools' texts, and returns the answer. Nothing it says about
the repository is written here.
"""

from __future__ import annotations

import re
import sys
import tarfile
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

#: yields (tool, arguments), receives the tool's text, returns the answer
Talk = Generator[tuple[str, dict[str, Any]], str, str]

ERRORS = ("not_found: ", "invalid_args: ")
QUESTIONS = ["what changed since the last release?", "who wrote line 13 of src/app.py?", "show commit HEAD~2"]


def talk(question: str) -> Talk:
    """What the scripted model does about a question."""
    if "since the last release" in question:
        tags = yield "git_refs", {"kind": "tags", "sort": "newest", "max_count": 1}
        if not tags.startswith("  tag "):
            return f"There is no release: {tags.strip()}"
        release = tags.split()[1]
        found = yield "git_compare", {"from_ref": release}
        commits = [line[2:] for line in found.splitlines() if line.startswith("> ")]
        files = [line.split("\t")[2] for line in found.splitlines() if line.count("\t") == 2]
        return f"Since {release}: {len(commits)} commits ({'; '.join(commits)}) in {', '.join(files)}."
    line = re.search(r"line (\d+) of (\S+?)\?", question)
    if line is not None:
        found = yield "git_blame", {"path": line[2], "lines": f"{line[1]},{line[1]}"}
        if found.startswith(ERRORS):
            return found.splitlines()[0]
        commit, day, rest = found.split(" ", 2)
        return f"{rest.split('  ')[0]}, on {day}, in {commit}."
    name = question.removeprefix("show commit ").strip()
    found = yield "git_show", {"rev": name}
    if found.startswith(ERRORS):
        return found.splitlines()[0]
    subject = next(line.strip() for line in found.splitlines() if line.startswith("    "))
    return f"{found.split()[1][:7]}: {subject} ({found.count('diff --git ')} files)"


def repository(arguments: list[str] | None = None) -> str:
    """The repository named on the command line, or the example's own, unpacked."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments:
        return arguments[0]
    place = tempfile.mkdtemp(prefix="gitglass-example-")
    archive = Path(__file__).resolve().parent.parent / "fixtures" / "archives" / "releases.tar.gz"
    with tarfile.open(archive) as tar:
        # it holds a symlink that leads out, for the jail to refuse; Python 3.11.2 knows no `filter=` yet
        tar.extraction_filter = lambda member, _: member
        tar.extractall(place)
    return place

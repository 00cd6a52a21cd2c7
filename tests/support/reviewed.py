"""A push to look at: what the page, the terminal and the app are shown with, in tests and in the documents' pictures.

Two commits over a small project: a module changed in several places, a new text, a file that goes, a mode, a picture, a
lock file, long lines and other line ends. Everything in it is fixed, dates and names included.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from dulwich.repo import MemoryRepo

import gitglass
from gitglass.mutate.grant import Identity
from gitglass.workspace.model import Clock, Identities
from gitglass.workspace.push import PushPlan, plan_push
from gitglass.workspace.review.model import Review
from gitglass.workspace.targets.protocol import Branches
from gitglass.workspace.workspace import Workspace

from .workspaces import Files, add_commit

_MODULE = '''\
"""Quarterly figures: read from the ledger, checked, put together."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

LIMIT = 1000


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a ledger."""
    with path.open() as file:
        yield from csv.DictReader(file)


def total(path: Path) -> float:
    """All amounts together."""
    result = 0.0
    for row in rows(path):
        result += float(row["amount"])
    return result


def growth(now: float, before: float) -> float:
    """By how much it is more, in percent."""
    return (now - before) / before * 100


def report(path: Path, before: float) -> str:
    """What the report says."""
    now = total(path)
    return f"Revenue: {now:.0f}, {growth(now, before):+.1f}%"
'''
_CHANGED = (
    ("LIMIT = 1000\n", 'LIMIT = 1000\nZERO = Decimal("0")\n'),
    ("import csv\nfrom collections.abc import Iterator\n", "import csv\nfrom collections.abc import Iterator\nfrom decimal import Decimal\n"),
    ('def total(path: Path) -> float:\n    """All amounts together."""\n    result = 0.0\n    for row in rows(path):\n        result += float(row["amount"])\n    return result\n',
     'def total(path: Path) -> Decimal:\n    """All amounts together, to the cent."""\n    return sum((Decimal(row["amount"]) for row in rows(path)), ZERO)\n'),
    ("def growth(now: float, before: float) -> float:\n", "def growth(now: Decimal, before: Decimal) -> Decimal:\n"),
    ("    return (now - before) / before * 100\n", "    if not before:\n        return ZERO  # the first quarter has nothing to compare with\n    return (now - before) / before * 100\n"),
)  # fmt: skip
_LOCK = b"".join(b'"package-%d": {"version": "1.%d.0", "integrity": "sha512-%064d"},\n' % (n, n, n) for n in range(40))
BASE: Files = {
    b"README.md": b"# Figures\n\nFigures of the quarter, from the ledger.\n", b"figures/total.py": _MODULE.encode(),
    b"scripts/run": b"#!/bin/sh\nexec python -m figures \"$@\"\n", b"docs/old-format.md": b"# The old format\n\nSemicolons, Latin-1.\n",
    b"data/ledger.csv": b"account,amount\n4711,12.50\n4712,-3.00\n", b"logo.png": b"\x89PNG\r\n\x1a\n\0" + b"\1" * 3000,
    b"package-lock.json": b"{\n" + _LOCK + b"}\n",
}  # fmt: skip
_REPORT = (
    "# Q4 2024 Report\n\n## Summary\n\n"
    + "Revenue increased by 15% compared to Q3. "
    + "This sentence is long, as sentences in Markdown files often are that nobody wraps: it goes on about what was sold, to whom, and why, and does not end before it has left the window of whoever reads it on a screen of a usual width.\n\n"
    "| quarter | growth |\n|---|---|\n| Q3 | 12% |\n| Q4 | 15% |\n"
)
PEOPLE = Identities(Identity("Ann Author", "ann@example.com"), Identity("Report Agent", "agent@example.com"))


class Elsewhere:
    """A target that a push can be planned to, and no more: a branch that is protected, or a new one."""

    name, kind, where, branch, hash_name = "project", "local", "/srv/project", None, "sha1"

    def __init__(self, repo: Any) -> None:
        self._repo = repo

    def head(self, ref: str) -> str | None:
        """See `Target`."""
        raw = self._repo.refs.read_ref(ref.encode())
        return None if raw is None else raw.decode()

    def branches(self) -> Branches:
        """See `Target`."""
        return Branches(("main",), "main", ("main",))

    def is_protected(self, branch: str) -> bool:
        """See `Target`."""
        return branch == "main"

    def notes(self, ref: str) -> tuple[str, ...]:
        """See `Target`."""
        return ("hooks of the repository are not run (post-receive)",)


def clock() -> Clock:
    """Seconds that go on by one, and ids that are counted."""
    seconds, ids, changes = count(1_700_000_000), count(1), count(1)
    return Clock(lambda: next(seconds), 60, lambda: f"{next(ids) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128):032x}"[-32:],
                 lambda: f"I{next(changes):040x}")  # fmt: skip


def staged(repo: Any = None) -> tuple[Workspace, PushPlan]:
    """The workspace with both commits staged, and the plan of pushing them: over an empty repository of dulwich's."""
    repo = MemoryRepo() if repo is None else repo
    add_commit(repo, BASE, message=b"Base\n")
    repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    workspace = Workspace.over(gitglass.open(repo), "main", target="project", identity=PEOPLE, clock=clock())
    module = _MODULE
    for old, new in _CHANGED:
        assert old in module
        module = module.replace(old, new)
    workspace.write("figures/total.py", module.encode())
    workspace.write("scripts/run", BASE[b"scripts/run"], mode="100755")
    workspace.write("package-lock.json", BASE[b"package-lock.json"].replace(b"1.3", b"2.0"))
    workspace.delete("docs/old-format.md")
    workspace.stage(["figures/total.py", "scripts/run", "package-lock.json", "docs/old-format.md"],
                    "Count in cents\n\nFloats lost a cent in every thousand rows; the ledger has decimals, and so\n"
                    "have we now. The script can be run as it is.")  # fmt: skip
    workspace.write("reports/q4.md", _REPORT.encode())
    workspace.write("logo.png", b"\x89PNG\r\n\x1a\n\0" + b"\2" * 4000)
    workspace.write("data/ledger.csv", BASE[b"data/ledger.csv"].replace(b"\n", b"\r\n"))
    workspace.write("README.md", BASE[b"README.md"] + b"\nThe report is in `reports/`.")
    word = workspace.stage(["reports/q4.md", "logo.png", "data/ledger.csv", "README.md"], "Add quarterly report").id
    return workspace, plan_push(workspace, word, Elsewhere(repo), "main")  # type: ignore[arg-type]


def decided() -> tuple[Workspace, Review]:
    """The same, looked at: a hunk is rejected with words, a remark stands at another, the rest is accepted."""
    workspace, plan = staged()
    review = Review.of(workspace, plan)
    module = next(file for file in review.files if file.path == "figures/total.py")
    for hunk in module.hunks:
        review.decide(hunk.id, "accept")
    review.decide(module.hunks[-1].id, "reject", "Say so, do not return zero: a first quarter has no growth.")
    review.decide(module.hunks[2].id, "accept", "Good.")
    ledger = next(file for file in review.files if file.path == "data/ledger.csv")
    review.decide(ledger.id, "reject", "Line ends are not yours to change.")
    review.approve("olive", 1_700_000_600)
    return workspace, review

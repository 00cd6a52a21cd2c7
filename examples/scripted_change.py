"""What the examples that change a repository share: the scripted model's work, the host's grant, the person's yes.

The model stages a file, commits it, and takes both back. It grants itself nothing: each plan is shown to a person, here
a function, whose yes carries its token.
"""

from __future__ import annotations

import re
from pathlib import Path

from scripted import Talk

from gitglass.agent import Roots, ToolContext
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

TASK = "commit NOTES.txt, then take it back"
NOTES = "NOTES.txt"


def work() -> Talk:
    """What the scripted model does about the task."""
    yield "git_stage", {"paths": [NOTES]}
    committed = yield "git_commit", {"message": "Add notes"}
    undone = []
    for _ in ("the commit", "what was staged"):
        answer = yield "git_operations", {"action": "undo"}
        undone.append(answer.splitlines()[0])
    commit = re.match(r"\[\S+ ([0-9a-f]+)\] (.*)", committed)
    if commit is None:
        return f"I could not commit: {committed.splitlines()[0]}"
    return f"Committed {commit[1]} ({commit[2]}). {'. '.join(undone)}."


def grant(place: str) -> ToolContext:
    """What the host grants: this repository, and changes by this identity, each with a person's yes."""
    notes = Path(place, NOTES)
    if notes.exists():
        raise SystemExit(f"{notes} is there already: these examples write a file of that name")
    notes.write_text("What the agent has learnt.\n")
    access = WriteAccess(WriteGrant(identity=Identity("Example Agent", "agent@example.org")))
    return ToolContext(Roots(place), write=access, caller_id="example")


class Person:
    """Somebody who reads each plan before saying yes."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def agrees(self, preview: str) -> bool:
        """Shown a plan's preview: yes."""
        self.shown.append(preview)
        print("".join(f"  | {line}\n" for line in preview.splitlines()), end="")
        return True

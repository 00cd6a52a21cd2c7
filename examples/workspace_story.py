"""The whole story of a workspace: an agent writes a report in memory, a person reviews, and what was accepted leaves.

python examples/workspace_story.py

Pull a template, write, stage, review (a hunk is sent back with the reviewer's words), amend, push to a branch of a
local repository, to a bare one and to a server on https; meanwhile the target moves: rebase in memory, push.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from scripted_desk import AGENT, Agent, Person, Work, commit, https_target, repositories, say, target

import gitglass
from gitglass.mutate.grant import Identity
from gitglass.workspace.model import Identities
from gitglass.workspace.workspace import Workspace

REPORT, FIGURES = "reports/q4.md", "analysis.json"
STAGED = re.compile(r"staged ([0-9a-f]+) ")


# --- what the scripted model does -----------------------------------------------------------------------------------


def write_the_report() -> Work:
    """A template is pulled, filled in and staged with two changes of the figures; then the person is asked."""
    yield "ws_pull", {"source": "project", "branch": "templates", "paths": ["templates/"]}
    template = yield "ws_read", {"path": "templates/report.md"}
    summary = "Revenue increased by 15% compared to Q3."
    report = template.replace("{quarter}", "Q4 2024").replace("{summary}", summary)
    yield "ws_write", {"path": REPORT, "content": report}
    yield "ws_edit", {"path": FIGURES, "old": '"status": "draft"', "new": '"status": "final"'}
    yield "ws_edit", {"path": FIGURES, "old": '"metrics": {}', "new": '"metrics": {"revenue": 1500000}'}
    yield "ws_status", {}
    staged = yield "ws_stage", {"files": [REPORT, FIGURES], "message": "Add quarterly report"}
    answer = yield "ws_push", {"commit": _id(staged), "branch": "reports"}
    return answer.splitlines()[0]


def amend_it() -> Work:
    """The reviewer's words are read, and done: the same commit, made again, is asked about again."""
    words = yield "ws_review", {}
    if "take the number out" in words:
        yield "ws_edit", {"path": FIGURES, "old": '{"revenue": 1500000}', "new": "{}"}
    staged = yield "ws_stage", {"files": [FIGURES], "message": None, "amend": True}
    answer = yield "ws_push", {"commit": _id(staged), "branch": "reports"}
    return answer.splitlines()[0]


def add_an_outlook() -> Work:
    """Two changes, one of which is not wanted: the other one leaves, and this one is thrown away."""
    change = {"old": "## Summary\n", "new": "Prepared for the board.\n\n## Summary\n"}
    yield "ws_edit", {"path": REPORT, **change}
    yield "ws_edit", {"path": REPORT, "old": "to Q3.\n", "new": "to Q3.\n\n## Outlook\n\nQ1 will be better still.\n"}
    staged = yield "ws_stage", {"files": [REPORT], "message": "Say whom it is for, and what comes"}
    yield "ws_push", {"commit": _id(staged), "target": "backup", "branch": "reports"}
    yield "ws_review", {}
    yield "ws_diff", {}
    discarded = yield "ws_discard", {"paths": [REPORT]}
    return discarded.splitlines()[0]


def add_a_table(name: str) -> Work:
    """One more commit, to a target by its name."""
    yield "ws_write", {"path": "reports/q4.csv", "content": "quarter,growth\nQ3,12\nQ4,15\n"}
    staged = yield "ws_stage", {"files": ["reports/q4.csv"], "message": "Add the growth as a table"}
    answer = yield "ws_push", {"commit": _id(staged), "target": name, "branch": "reports"}
    return answer.splitlines()[0]


def correct_a_word(name: str) -> Work:
    """The target has moved meanwhile: the push says so, and is made again on what is there now."""
    yield "ws_edit", {"path": REPORT, "old": "Revenue increased", "new": "Net revenue increased"}
    staged = yield "ws_stage", {"files": [REPORT], "message": "Say which revenue"}
    push = {"commit": _id(staged), "target": name, "branch": "reports"}
    answer = yield "ws_push", push
    if answer.startswith("conflict (non-fast-forward)"):
        answer = yield "ws_push", {**push, "on_moved": "rebase"}
    return answer.splitlines()[0]


def _id(answer: str) -> str:
    match = STAGED.match(answer)
    return match[1] if match is not None else "nothing"


# --- the story ------------------------------------------------------------------------------------------------------


def main(place: str | Path) -> dict[str, Path]:
    """Tell it. Returns the repositories that were pushed to, by the names of their targets."""
    top = Path(place)
    with https_target("server", top / "served.git") as served:
        return told(top, served)


def told(top: Path, served: Any) -> dict[str, Path]:
    """The story, with a target on https or why there is none."""
    project, backup = repositories(top)
    pushed = {"project": project, "backup": backup}
    person, last = Person(), ("backup", backup)
    targets: list[Any] = [target("project", project), target("backup", backup)]
    if not isinstance(served, str):
        targets.append(served)
    workspace = Workspace.over(gitglass.open(project), "main", target="project", identity=Identities(AGENT))
    person.workspace = workspace
    agent = Agent(workspace, targets, person)

    say("1. The agent pulls a template, writes in memory, and asks to push. Olive looks at each hunk:")
    say("   a number is not to leave yet, so she sends the commit back, with words.")
    person.answers.append(["h", "y", "c", "not audited yet: take the number out", "n", "y", "r", "see my words"])
    agent.does(write_the_report())

    say("\n2. The agent reads her words and amends the commit. Olive says yes: a new branch of a local repository.")
    person.answers.append(["d", "a"])
    agent.does(amend_it())

    say("\n3. The next commit goes to a bare repository. One hunk of two is accepted: that part leaves alone.")
    person.answers.append(["h", "y", "c", "no forecasts, please", "n", "a"])
    agent.does(add_an_outlook())

    say("\n4. The same over https, to a server on this machine.")
    if isinstance(served, str):
        say(f"skipped: {served}", 2)
    else:
        person.answers.append(["a"])
        last = ("server", top / "served.git")
        pushed["server"] = top / "served.git"
        agent.does(add_a_table("server"))

    say(f"\n5. Meanwhile somebody else pushes to '{last[0]}'. The agent's push would not fit, and says so; the commit")
    say("   is made again on what is there now, in memory, and Olive is asked about that one.")
    carl = Identities(Identity("Carl", "carl@example.org"))
    other = Workspace.over(gitglass.open(last[1]), "reports", target=last[0], identity=carl)
    readme = {"README.md": "# Figures of the quarter\n\nSee reports/.\n"}
    commit(other, readme, "Point to the reports", target(*last), "reports")
    person.answers.append(["a"])
    agent.does(correct_a_word(last[0]))

    say("\nWhat is where now:")
    for name, path in pushed.items():
        say(f"{name}, branch reports:", 2)
        say(gitglass.git(["log", "--format=%h %an: %s", "reports"], cwd=path).stdout.decode(), 4)
    return pushed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="gitglass-example-") as directory:
        main(directory)

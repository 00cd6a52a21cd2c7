"""How many modules somebody has to know to follow `gitglass log --oneline -n 5` from its words to git's bytes.

A module is entered when a function of it runs while the command is answered; that it is imported does not count, nor
what runs while it is. Counted are a handle that was asked before (as a host has it) and a process.
"""

import subprocess
import sys
from typing import Any

import pytest

COMMAND = ["log", "--oneline", "-n", "5"]
#: modules that may be entered by a handle that was asked before, and by a process that begins with nothing: with loose
#: objects and packs; and with a commit-graph and a multi-pack-index, which answer by rooms of their own
BOUNDS = {
    ("releases", "handle"): 35,
    ("releases", "process"): 41,
    ("packed", "handle"): 38,
    ("packed", "process"): 46,
}

COUNTING = """
import os, sys
import gitglass, gitglass.__main__
ours = os.path.dirname(gitglass.__file__) + os.sep
entered = set()

def importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(ours):
            return True
        frame = frame.f_back
    return False

def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(ours) and code.co_flags & 2:  # a function, and no class body
        if not importing(frame):
            entered.add(code.co_filename[len(ours):])
"""
ASKED = {
    "handle": """
repo = gitglass.open(".")
for _ in range(9):
    repo.git(sys.argv[1:])
sys.setprofile(note)
done = repo.git(sys.argv[1:])
sys.setprofile(None)
status, shown = done.returncode, done.stdout
""",
    "process": """
from gitglass.cli.main import main
reader, writer = os.pipe()
kept = os.dup(1)
os.dup2(writer, 1)
entered.add("__main__.py")
sys.setprofile(note)
status = main(sys.argv[1:])
sys.stdout.flush()
sys.setprofile(None)
os.dup2(kept, 1)
os.close(writer)
shown = os.read(reader, 65536)
""",
}
REPORT = """
assert status == 0 and shown.count(b"\\n") == 5, (status, shown)
print("\\n".join(sorted(entered)))
"""


@pytest.mark.parametrize(("repo", "asked"), BOUNDS)
def test_few_modules_are_entered(unpack: Any, repo: str, asked: str) -> None:
    command = [sys.executable, "-c", COUNTING + ASKED[asked] + REPORT, *COMMAND]
    done = subprocess.run(command, cwd=unpack(repo), capture_output=True, text=True, check=True)
    entered = done.stdout.split()
    assert len(entered) <= BOUNDS[repo, asked], "\n".join([f"{len(entered)} modules:", *entered])

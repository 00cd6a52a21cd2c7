"""What the comparison calls in process: `gitglass.git`, as (status, stdout, stderr).

Everything is imported here, once: each command runs in a forked child, which would import it for itself.
"""

import gitglass
from gitglass.cli import answer  # noqa: F401  (what `gitglass.git` imports when it is first called)
from gitglass.commands.registry import NAMES, forms


def run(argv: list[str], cwd: str) -> tuple[int, bytes, bytes]:
    """Answer one command line."""
    done = gitglass.git(argv, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


for _name in NAMES:
    forms(_name)
run(["version"], "/")

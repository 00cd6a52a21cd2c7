"""What the comparison calls in process: `gitglass.git`, as (status, stdout, stderr)."""

import gitglass


def run(argv: list[str], cwd: str) -> tuple[int, bytes, bytes]:
    """Answer one command line."""
    done = gitglass.git(argv, cwd=cwd)
    return done.returncode, done.stdout, done.stderr

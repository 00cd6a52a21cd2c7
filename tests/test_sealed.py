"""After `gitglass.seal()` the process cannot load what writes."""

import subprocess
import sys

ASK = """
import gitglass, sys
gitglass.seal()
gitglass.seal()
for room in ("gitglass.mutate.writer", "gitglass.workspace.workspace"):
    try:
        __import__(room)
    except ImportError as error:
        print(error)
print(any(name.startswith("gitglass.mutate") for name in sys.modules), gitglass.git(["version"]).returncode)
"""
LATE = (
    "import gitglass.mutate.grant, gitglass\ntry:\n    gitglass.seal()\nexcept RuntimeError as error:\n    print(error)"
)


def asked(code: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_sealed_process_only_reads() -> None:
    assert asked(ASK) == ["gitglass is sealed: this process only reads"] * 2 + ["False 0"]


def test_too_late_is_said() -> None:
    assert asked(LATE) == ["gitglass.mutate is loaded already: seal the process before anything imports it"]

"""cli/belts.py and --timeout: a command line in a jail ends in time, whatever its loops forget."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gitglass.cli.main import JAIL_SECONDS, limits_of
from gitglass.limits import Limits


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
def test_a_loop_that_never_looks_at_the_clock_is_stopped() -> None:
    done = run(
        "from gitglass.cli.belts import fasten\nfrom gitglass.errors import Timeout\nfrom gitglass.limits import Limits\n"
        # a function of its own: Python 3.13.0 misses the handler around a loop's own jump back
        "def forgets() -> None:\n    n = 0\n    while n >= 0: n += 1\n"
        "fasten(Limits(timeout=0.2))\ntry: forgets()\nexcept Timeout as error: print(error.message)\n"
    )
    assert done.stdout == "the time limit of 0.2 seconds has passed\n", done


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_an_allocation_that_nobody_announced_fails() -> None:
    done = run(
        "from gitglass.cli.belts import fasten\nfrom gitglass.limits import Limits\n"
        "fasten(Limits())\ntry:\n    bytearray(2 << 30)\nexcept MemoryError: print('refused')\n"
    )
    assert done.stdout == "refused\n", done


def test_what_a_command_line_may_spend() -> None:
    assert limits_of([]) == Limits.generous()
    assert limits_of(["--jail"]).timeout == JAIL_SECONDS
    assert limits_of(["--jail", "--timeout=0"]).timeout is None
    assert limits_of(["--jail", "--timeout=1.5"]).timeout == 1.5
    assert limits_of(["--timeout=x"]) == Limits.generous()


def test_a_wrong_number_of_seconds_is_refused(unpack: Any) -> None:
    place: Path = unpack("plain")
    code = "import sys; from gitglass.cli.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "-C", str(place), "--timeout=soon", "status"], capture_output=True
    )
    assert (done.returncode, done.stdout) == (129, b""), done


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
def test_alarms_that_come_while_an_error_is_told_end_as_one_error(unpack: Any) -> None:
    """On a starved machine the second alarm finds the first one's words still being written."""
    code = (
        "import sys, time\nfrom gitglass.cli import belts, main as cli\nbelts._GRACE = 0.02\n"
        "def slow(*_):\n    end = time.monotonic() + 1\n    while time.monotonic() < end: pass\n"
        "cli.answer = slow\nfirst = cli.loosen\n"
        "def later():\n    first()\n    slow()\ncli.loosen = later\n"
        "sys.exit(cli.main(['--jail', '--timeout=0.1', 'status']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=unpack("plain"), timeout=30)
    assert (done.returncode, done.stderr) == (124, b"fatal: the time limit of 0.1 seconds has passed\n"), done

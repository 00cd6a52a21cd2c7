"""cli/belts.py and --timeout: a command line in a jail ends in time, whatever its loops forget."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gitglass.cli.globals import parse_globals
from gitglass.cli.main import JAIL_SECONDS, limits_of
from gitglass.limits import Limits


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)


START = (
    "import sys, time\nfrom gitglass.cli import belts\nfrom gitglass.limits import Limits\nbelts.GRACE = 0.02\n"
    "sys.stdout.buffer.write(b'so far')\n"  # before the time begins: a busy machine may let all of it pass at once
    "alarm = belts.Alarm(sys.stdout.buffer)\nalarm.start(Limits(timeout=0.2))\n"
    "def busy(seconds=20.0):\n    end = time.monotonic() + seconds\n    while time.monotonic() < end: pass\n"
)
LATE = "fatal: the time limit of 0.2 seconds has passed\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
@pytest.mark.parametrize(
    "code",
    [
        "busy()",
        "class Held:\n    def __del__(self): busy()\nheld = Held()\ndel held\nbusy()",
        "class Held:\n    def __del__(self): busy(0.1)\nwhile True: Held()",
        "def steps():\n    try: yield\n    finally: busy()\none = steps()\nnext(one)\ndel one\nbusy()",
        "try: busy()\nexcept BaseException as error: print(repr(error))\nbusy()",
        "while True:\n    try: raise KeyError\n    except KeyError: busy(0.05)",
    ],
    ids=["loop", "destructor", "destructors", "generator", "catching", "handling"],
)
def test_work_that_never_looks_at_the_clock_ends_with_one_line(code: str) -> None:
    done = run(START + code)
    assert (done.returncode, done.stdout, done.stderr) == (124, "so far", LATE)


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
def test_the_alarm_during_output_ends_with_one_line() -> None:
    done = run(START + "while True: sys.stdout.buffer.write(b'a line of the answer\\n')")
    assert (done.returncode, done.stderr) == (124, LATE)
    assert done.stdout.startswith("so far") and set(done.stdout[6:].split("\n")[:-1]) <= {"a line of the answer"}


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
def test_a_reader_that_takes_nothing_does_not_hold_up_the_end() -> None:
    code = START + "while True: sys.stdout.buffer.write(bytes(5000))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.wait(30) == 124
        assert process.stderr is not None and process.stderr.read() == LATE.encode()


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
def test_an_alarm_that_was_stopped_says_nothing() -> None:
    done = run(START + "alarm.stop()\ntime.sleep(0.5)\nprint('done')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "so fardone\n", "")


def test_an_error_in_a_destructor_leaves_no_traceback() -> None:
    done = run(START + "class Held:\n    def __del__(self): raise MemoryError\nHeld()\nalarm.stop()")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_an_allocation_that_nobody_announced_fails() -> None:
    done = run(
        "import sys\nfrom gitglass.cli.belts import Alarm\nfrom gitglass.limits import Limits\n"
        "alarm = Alarm(sys.stdout.buffer)\nalarm.start(Limits())\n"
        "try:\n    bytearray(2 << 30)\nexcept MemoryError: print('refused')\nalarm.stop()\n"
    )
    assert done.stdout == "refused\n", done


@pytest.mark.parametrize(
    "front, seconds",
    [
        ("", None),
        ("--timeout=0", None),
        ("--timeout=90", 90),
        ("--timeout=0 --timeout=20 --timeout=30", 20),
        ("--jail", JAIL_SECONDS),
        ("--jail --timeout=0", JAIL_SECONDS),
        ("--timeout=0.000000 --jail", JAIL_SECONDS),
        ("--jail --timeout=600", JAIL_SECONDS),
        ("--jail --timeout=1.5", 1.5),
        ("--timeout=1.5 --jail --timeout=5 --timeout=0", 1.5),
    ],
)
def test_the_deadline_of_a_command_line(front: str, seconds: float | None) -> None:
    """In a jail `--timeout` only shortens; the shortest counts."""
    found = parse_globals([*front.split(), "log", "--timeout=0"], ours=True)
    assert limits_of(found) == (Limits() if found.jail else Limits.generous()).replace(timeout=seconds)


def test_a_wrong_number_of_seconds_is_refused(unpack: Any) -> None:
    place: Path = unpack("plain")
    code = "import sys; from gitglass.cli.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "-C", str(place), "--timeout=soon", "status"], capture_output=True
    )
    assert (done.returncode, done.stdout) == (129, b""), done


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
@pytest.mark.parametrize("where", ["answer", "complain_of"])
def test_a_command_that_forgets_the_clock_ends_as_one_error(where: str, unpack: Any) -> None:
    """Also while an error is being reported."""
    code = (
        "import sys, time\nfrom gitglass.cli import belts, main as cli\nbelts.GRACE = 0.02\n"
        "def slow(*_):\n    end = time.monotonic() + 20\n    while time.monotonic() < end: pass\n"
        "cli.answer = slow\n"
        "sys.exit(cli.main(['--jail', '-C', '.', '--timeout=0.1', 'status']))"
    )
    if where == "complain_of":
        code = code.replace("cli.answer = slow", "from gitglass.cli import answer\nanswer.complain_of = slow").replace(
            "'status'", "'log', 'nosuch'"
        )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=unpack("plain"), timeout=60)
    assert (done.returncode, done.stderr) == (124, b"fatal: the time limit of 0.1 seconds has passed\n"), done

"""A program run: what it gets, what is kept of what it says, and that nothing of its group is left."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.programs import INPUT, alive, program

from gitglass.errors import Cancelled, Timeout
from gitglass.limits import Context, Limits
from gitglass.mutate.process.run import Allowance, Ended, run

pytestmark = [pytest.mark.runs, pytest.mark.writes]
MAY = Allowance(20.0, 1 << 20, 1 << 10)


def ended(place: Path, script: str, *, may: Allowance = MAY, given: bytes | None = b"", **more: Any) -> Ended:
    made = program(place, f"p-{place.name}", script)
    with Context(Limits(timeout=more.pop("timeout", 30.0)), **more) as ctx:
        return run(
            list(made.argv), folder=os.fsencode(place), variables={"A": "b"}, given=given, may=may, ctx=ctx, sha256=""
        )


def test_input_output_status(tmp_path: Path) -> None:
    got = ended(tmp_path, INPUT + "out.write(data[::-1]); sys.stderr.write('w'); sys.exit(3)", given=b"abc" * 100_000)
    assert (got.status, got.out, got.err, got.cut) == (3, b"cba" * 100_000, b"w", False)


def test_nothing_is_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    fd = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(fd, True)
    script = "import os\nprint(sorted(os.environ), os.getcwd(), sorted(map(int, os.listdir('/proc/self/fd')))[:4], os.getsid(0) == os.getpid(), oct(os.umask(0)))"
    words = ended(tmp_path, script).out.decode().split("\n")[0]
    os.close(fd)
    names = words.partition("]")[0]
    assert "'A'" in names and "SECRET" not in words and str(tmp_path) in words
    assert "[0, 1, 2, 3]" in words and words.endswith("True 0o77")  # 3 is the list of the directory itself


def test_no_input_at_all(tmp_path: Path) -> None:
    assert ended(tmp_path, INPUT + "out.write(b'[%b]' % data)", given=None).out == b"[]"


def test_a_program_need_not_read(tmp_path: Path) -> None:
    assert ended(tmp_path, "print(1)", given=b"x" * (1 << 20)).out == b"1\n"


def test_output_is_cut(tmp_path: Path) -> None:
    script = "import sys\nsys.stdout.write('a' * 3000000)\nsys.stderr.write('b' * 3000000)"
    got = ended(tmp_path, script)
    assert (len(got.out), len(got.err), got.cut, got.status) == (1 << 20, 1 << 10, True, 0)


SLEEPERS = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(2):
    if os.fork() == 0:
        os.execv(sys.executable, ["python", "-c", "import time; time.sleep(60)", %r])
"""


@pytest.mark.parametrize("how_it_ends", ["time", "cancelled", "deadline", "leaves"])
def test_the_whole_group_goes(tmp_path: Path, how_it_ends: str) -> None:
    mark = f"sleeper-{os.getpid()}-{how_it_ends}"
    script = SLEEPERS % mark + ("time.sleep(0.3)" if how_it_ends == "leaves" else "time.sleep(60)")
    began, lapse = time.monotonic(), lambda: time.monotonic() - began
    if how_it_ends == "leaves":
        assert ended(tmp_path, script).status == 0
    elif how_it_ends == "time":
        with pytest.raises(Timeout):
            ended(tmp_path, script, may=Allowance(1.0, 10, 10))
    elif how_it_ends == "deadline":
        with pytest.raises(Timeout):
            ended(tmp_path, script, timeout=1.0)
    else:
        with pytest.raises(Cancelled):
            ended(tmp_path, script, cancelled=lambda: lapse() > 1.0)
    assert lapse() < 20
    assert alive(mark) == [] and alive(f"p-{tmp_path.name}") == []


def test_limits_of_the_system(tmp_path: Path) -> None:
    script = "import resource, time\ntime.sleep(0.3)\nprint(resource.getrlimit(resource.RLIMIT_CORE)[1], resource.getrlimit(resource.RLIMIT_NOFILE)[1])"
    assert ended(tmp_path, script).out == b"0 256\n"


def test_what_cannot_be_started(tmp_path: Path) -> None:
    with Context(Limits()) as ctx, pytest.raises(OSError):
        run(
            [str(tmp_path / "none")], folder=os.fsencode(tmp_path), variables={}, given=b"", may=MAY, ctx=ctx, sha256=""
        )

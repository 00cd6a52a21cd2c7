"""The second belt: members of the zoo and long questions, watched from outside of the process (watchdog.py).

`GITGLASS_ZOO=all` asks every member; `GITGLASS_SEED` takes other ones. The watchdog runs in a process of its own,
because it forks, and a process with threads cannot do that safely.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .chosen import chosen_commands, readers, touched

SEED = int(os.environ.get("GITGLASS_SEED", "0"))
ROOT = Path(__file__).resolve().parents[2]
EVERY, EACH = ("1", "0") if os.environ.get("GITGLASS_ZOO") == "all" else ("90", "15")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc and another process's clock")

#: questions with a fault of each kind, and one without; `look` stands for an engine's look at the clock
FAULTY = """
import os, sys, time
from gitglass.errors import Timeout
from gitglass.limits import Context, Limits
from gitglass.regex.matcher import compile_pattern
from tests.hostile import stretches
from tests.hostile.stretches import Question, watch

stretches.TRIES = 2

def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def steady():
    for _ in range(4):
        work(0.05)
        Context(Limits()).check()

def without_a_look(): work(0.4)
def late():
    steady()
    work(0.3)
def endless():
    while True: pass
def grows():
    Context(Limits()).check()
    return len(b"x" * (100 << 20))
def deaf():
    clock = Context(Limits(timeout=0.1))
    while True:
        try: clock.check()
        except Exception: pass
def dies(): os._exit(3)
def alarmed():
    work(0.3)
    os._exit(124)
def once():
    if not os.path.exists(sys.argv[1]):
        open(sys.argv[1], "w").close()
        work(0.4)

def backtracks():
    clock = Context(Limits(timeout=0.5))
    matcher = compile_pattern(b"^((a|aa)+)+$", "extended", ctx=clock)
    try: matcher.test(b"a" * 200 + b"c")
    except Timeout: pass

asked = [steady, without_a_look, late, endless, grows, deaf, dies, alarmed, once, backtracks, steady]
seconds = {deaf: 0.1}
for seen in watch([Question(one.__name__, one, 40 << 20, seconds.get(one)) for one in asked], kill=600_000_000):
    print(seen.name, "|", seen.looks, "|", " ".join(" ".join(seen.faults()).split()))
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)


def test_the_watchdog_sees_every_kind_of_fault(tmp_path: Path) -> None:
    done = run("-c", FAULTY, str(tmp_path / "asked once"))
    assert not done.stderr
    rows = [line.split(" | ") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [
        "steady", "without_a_look", "late", "endless", "grows", "deaf", "dies", "alarmed", "once",
        "backtracks", "steady",
    ]  # fmt: skip
    steady, without, late, endless, grows, deaf, dies, alarmed, once, backtracks, again = (
        row[2].strip() for row in rows
    )
    assert steady == once == backtracks == again == ""  # `once` is slow the first time alone: a machine under load
    assert int(rows[0][1]) == 5  # four looks, and the end of the question
    assert "ms without a look at the clock" in without and "in without_a_look" in without
    assert "ms without a look at the clock" in late
    assert "endless: killed after" in endless and "in endless" in endless
    assert "grows: grew by" in grows and "under a ceiling of 40 MiB" in grows
    assert "deaf: killed: it goes on after its deadline" in deaf and "without a look" not in deaf
    assert "dies: the process ended with 3" in dies
    assert "alarmed: 3" in alarmed and "ms without a look" in alarmed and "ended" not in alarmed


def test_members_of_the_zoo() -> None:
    words = ["--paced", "--every", EVERY, "--each", EACH, "--first", str(SEED % int(EVERY))]
    done = run("-m", "tests.hostile.watchdog", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 stretches over 250 ms" in done.stdout


def test_what_once_broke_a_bound() -> None:
    done = run("-m", "tests.hostile.watchdog", "--paced", "--once-broken")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 stretches over 250 ms" in done.stdout


def test_real_processes() -> None:
    done = run("-m", "tests.hostile.watchdog", "--paced", "--door=mcp,process", "--chosen", "--each=3", "--every=400")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 members, 18 questions" in done.stdout and "0 beyond a bound" in done.stdout


def test_a_member_is_asked_what_reads_its_files(unpack: Any, tmp_path: Path) -> None:
    clean = Path(unpack("plain"))
    assert readers(touched(clean, clean)) == set()
    repo = tmp_path / "repo"
    shutil.copytree(clean, repo, symlinks=True, copy_function=shutil.copy2)
    (repo / ".git/packed-refs").write_text("# none\n")
    assert ".git/packed-refs" in set(touched(repo, clean))
    assert {"for-each-ref", "notes"} <= readers(iter([".git/packed-refs"])) - readers(iter([".git/index"]))
    assert ["ls-files", "-u"] in chosen_commands(repo, tmp_path)  # everything differs

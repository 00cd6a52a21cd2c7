"""`git rev-parse --parseopt` against git: declarations and command lines at random."""

import os
import random
import shutil
import subprocess
from typing import Any

import pytest

import gitglass

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]

NAMES = [
    "a",
    "b",
    "h",
    "foo",
    "fob",
    "no-foo",
    "no-bar",
    "bar",
    "help",
    "n",
    "no",
    "x-y",
    "foobar",
    "b,bar",
    "f,foo",
    "a,all",
    "q,no-quiet",
    "a,",
    "no-",
    "é",
    "9,nine",
]
HINTS = ["", "", "", "hint", "<a|b>", "a-b", "h=x", "naïve", "="]
WORDS = [
    "-a",
    "-b",
    "-h",
    "-ab",
    "-ba",
    "-foo",
    "-no-foo",
    "--foo",
    "--fo",
    "--f",
    "--foo=1",
    "--no-foo",
    "--no-fo",
    "--no-",
    "--no",
    "--n",
    "--bar",
    "--no-bar",
    "--ba=2",
    "--b",
    "--all",
    "--no-all",
    "--quiet",
    "--qu",
    "--no-quiet",
    "--help",
    "--help-all",
    "--hel",
    "x",
    "a'b!",
    "--",
    "-",
    "--end-of-options",
    "--nope",
    "-z",
    "-az",
    "-a-b",
    "-b3",
    "--x-y",
    "--x",
    "--foob",
    "--foobar=",
    "-é",
    "-aé",
    "--é",
    "--git-completion-helper",
    "--git-completion-helper-all",
    "--=v",
    "-f",
    "-q9",
    "--nine=",
    "--no-nine=3",
]
OWN = ["--keep-dashdash", "--stop-at-non-option", "--stuck-long"]
USAGES = [["x [options]"], ["x", "y z"], ["x", "", "text", "more"], [], ["", "t"]]


def declaration(pick: random.Random) -> bytes:
    lines = []
    for _ in range(pick.randrange(7)):
        if pick.random() < 0.15:
            lines.append(pick.choice([" heading here", "Group", "", " "]))
        else:
            flags = "".join(pick.choice("*=?!") for _ in range(pick.choice([0, 0, 1, 1, 2])))
            space, end = pick.choice([" ", "  ", "\t", " \t "]), pick.choice(["some help", "h", "", "ends in cr\r"])
            lines.append(pick.choice(NAMES) + flags + pick.choice(HINTS) + space + end)
    dashes = ["--"] if pick.random() < 0.97 else []
    return ("\n".join([*pick.choice(USAGES), *dashes, *lines]) + pick.choice(["\n", "", "\r\n"])).encode()


@pytest.mark.parametrize("seed", range(6))
def test_declarations_at_random(unpack: Any, seed: int) -> None:
    cwd = unpack("plain")
    pick = random.Random(seed)
    for _ in range(60):
        spec = declaration(pick)
        own = [word for word in OWN if pick.random() < 0.25]
        argv = ["rev-parse", "--parseopt", *own, "--", *pick.choices(WORDS, k=pick.choice([0, 1, 1, 2, 3, 4]))]
        git = subprocess.run(["git", *argv], input=spec, capture_output=True, cwd=cwd, env=dict(os.environ))
        done = gitglass.git(argv, input=spec, cwd=cwd)
        expected = (git.returncode, git.stdout, git.stderr)
        if git.returncode < 0:  # git aborts with a BUG and a second line
            expected = (128, b"", b"fatal: " + git.stderr.split(b"\n")[0].split(b": ", 2)[-1] + b"\n")
        assert (done.returncode, done.stdout, done.stderr) == expected, (argv, spec)

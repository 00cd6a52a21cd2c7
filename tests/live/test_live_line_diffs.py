"""Line diffs of made-up files against the installed git: the same hunks to the byte, whichever the options."""

import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gitglass.diff.lines.hunks import diff_lines
from gitglass.diff.lines.spec import LineSpec
from gitglass.limits import Context
from gitglass.regex.matcher import BadPattern, compile_pattern

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]

ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["-w", "-U1"], {"ignore_all_space": True, "context": 1}),
    (["-b", "-W"], {"ignore_space_change": True, "function_context": True}),
    (["--histogram"], {"algorithm": "histogram"}),
    (["--patience", "--anchored=foo"], {"algorithm": "patience", "anchors": (b"foo",)}),
    (["--minimal", "-U0"], {"minimal": True, "context": 0}),
    (["--ignore-blank-lines", "--inter-hunk-context=2"], {"ignore_blank_lines": True, "inter_hunk": 2}),
    (["-Ifoo|end", "-W"], {"ignore_regex": (b"foo|end",), "function_context": True}),
    (["--no-indent-heuristic"], {"indent_heuristic": False}),
]


def _pair(dice: random.Random) -> tuple[bytes, bytes]:
    starts = [b"", b"}", b"\t", b"  ", b"    ", b"x "]
    ends = [b"", b"foo", b"bar", b"end", b"if x:", b"}", b" ", b"a\r", b"caf\xe9"]
    words = [dice.choice(starts) + dice.choice(ends) for _ in range(dice.choice([3, 8, 40]))]
    old = [dice.choice(words) for _ in range(dice.choice([0, 5, 30, 200]))]
    new = list(old)
    for _ in range(dice.choice([0, 1, 3, 12])):
        at = dice.randint(0, len(new))
        end = at + dice.randint(0, 8)
        if dice.random() < 0.5:
            del new[at:end]
        else:
            new[at:at] = [dice.choice(words) for _ in range(end - at)]
    texts = [b"\n".join(lines) + (b"\n" if lines and dice.random() < 0.8 else b"") for lines in (old, new)]
    return texts[0], texts[1]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[bytes, bytes]]]:
    place = tmp_path_factory.mktemp("pairs")
    dice = random.Random(7)
    made = [_pair(dice) for _ in range(150)]
    for side, name in enumerate("ab"):
        (place / name).mkdir()
        for number, pair in enumerate(made):
            (place / name / str(number)).write_bytes(pair[side])
    return place, made


@pytest.mark.parametrize(
    ("argv", "spec"), OPTIONS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_hunks_as_git(argv: list[str], spec: dict[str, Any], pairs: tuple[Path, list[tuple[bytes, bytes]]]) -> None:
    place, made = pairs
    command = ["git", "diff", "--no-index", "-a", "--no-renames", *argv, "a", "b"]
    out = subprocess.run(command, cwd=place, env=ENV, capture_output=True).stdout
    want: dict[int, bytes] = {}
    for part in re.split(rb"^diff --git ", out, flags=re.M)[1:]:
        number = re.match(rb"a/[ab]/(\d+)", part)
        at = part.find(b"\n@@ ")
        assert number is not None
        want[int(number[1])] = part[at + 1 :] if at >= 0 else b""
    for number, (old, new) in enumerate(made):
        got = b""
        for hunk in diff_lines(old, new, LineSpec(**spec), ctx=Context()):
            got += hunk.header() + b"\n"
            for sign, lines in hunk.parts:
                got += sign + (b"\n" + sign).join(lines) + b"\n"
        assert got == want.get(number, b""), number


SUBJECTS = [
    b"foo(bar) baz+ x*y",
    b"aab {2} a$b ^c",
    "été café €".encode(),
    b"a|b ] [ c-d",
    b"  tab\there",
    b"A1_b2 c.d?e",
]
PIECES = [
    "a",
    "b",
    "x",
    ".",
    "*",
    "+",
    "?",
    "\\+",
    "\\(",
    "\\)",
    "(",
    ")",
    "|",
    "{2}",
    "\\{1,2\\}",
    "[^a-c]",
    "[]x]",
    "^",
]
PIECES += ["$", "\\b", "\\<", "\\w", "é", "[é€]", "\\1", "\\.", "[[:alpha:]]", "[^[:upper:]]", ".*", " "]


def test_patterns_as_git(tmp_path: Path) -> None:
    for number, subject in enumerate(SUBJECTS):
        (tmp_path / str(number)).write_bytes(subject + b"\n")
    dice = random.Random(11)
    for _ in range(120):
        pattern = "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 5)))
        kind, flag = dice.choice([("basic", "-G"), ("extended", "-E"), ("fixed", "-F")])
        command = ["git", "grep", "--no-index", "-a", "-l", flag, "-e", pattern, "--", "."]
        done = subprocess.run(command, cwd=tmp_path, env=ENV, capture_output=True)
        if pattern.startswith("^$"):
            continue  # git finds an empty line behind the last newline
        try:
            matcher = compile_pattern(pattern.encode(), kind, newline=True)
        except BadPattern as error:
            assert error.reason.encode() in done.stderr, pattern
            continue
        found = [str(number) for number, subject in enumerate(SUBJECTS) if matcher.test(subject)]
        assert found == done.stdout.decode().split(), (kind, pattern)

"""A repository with every setting that can run a program, and every hook: with no grant nothing is started, with one
filter granted that filter and nothing else. Seen by the audit hook, and from outside by strace."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.programs import filter_program

import gitglass
from gitglass.mutate.process.granted import Filter, Program, Programs

from .programs import made, operate
from .test_traced import can_trace
from .whole import traced

pytestmark = pytest.mark.writes


def test_with_no_grant_nothing_is_started(tmp_path: Path, guarded: Any) -> None:
    repo, ran = made(tmp_path)
    ended = operate(repo, Programs())
    assert not ran.exists() and guarded.started == [] and guarded.seen == []
    assert ended["add a.up"] == ended["add b.gg"] == ended["tag -s -m m signed"] == "unsupported"
    assert ended["commit -m one"] == ended["stash push"] == ended["reset --hard HEAD~1"] == "done"
    assert ended["fetch"] == ended["push origin HEAD:refs/heads/pushed"] == "unsupported"
    for line in ("fetch ../peer", "push ../peer HEAD:refs/heads/pushed", "rebase main", "undo"):
        assert ended[line] == "done", line
    assert list(ended.values()).count("done") > 20 and not list((repo / ".git").rglob("*.lock"))


@pytest.mark.runs
def test_with_one_filter_that_filter_only(tmp_path: Path, guarded: Any) -> None:
    repo, ran = made(tmp_path)
    ended = operate(repo, granted(tmp_path))
    assert not ran.exists() and {os.path.basename(one) for one in guarded.started} == {"clean", "smudge"}
    assert ended["add a.up"] == ended["restore a.up"] == "done" and ended["add b.gg"] == "unsupported"
    assert gitglass.git(["show", "HEAD:a.up"], cwd=repo).stdout in (b"CONTENT\n", b"")


def granted(tmp_path: Path) -> Programs:
    (tmp_path / "rooms").mkdir(exist_ok=True)
    clean = filter_program(tmp_path / "bin", "clean", "data.upper()")
    smudge = filter_program(tmp_path / "bin", "smudge", "data.lower()")
    return Programs(filters={"f": Filter(clean, smudge)}, rooms=str(tmp_path / "rooms"))


DRIVER = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from tests.hostile.programs import operate
from gitglass.mutate.process.granted import Filter, Program, Programs
repo, rooms, argv = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
given = {"f": Filter(*(Program(tuple(one)) for one in argv))} if argv else {}
print(json.dumps(operate(repo, Programs(filters=given, rooms=rooms))))
"""
_STARTS = re.compile(r"^\d+ +(?:execve|execveat)\(\"([^\"]*)\"")
_CHILDREN = re.compile(r"^\d+ +(?:fork|vfork|clone|clone3)\(")


@pytest.mark.strace
@pytest.mark.skipif(not can_trace(), reason="no strace here, or it may not look")
@pytest.mark.parametrize("with_filter", [False, True])
def test_seen_from_outside(tmp_path: Path, with_filter: bool) -> None:
    repo, ran = made(tmp_path)
    programs = granted(tmp_path)
    one = programs.filters["f"]
    argv = [list(part.argv) for part in (one.clean, one.smudge) if isinstance(part, Program)] if with_filter else []
    top = str(Path(__file__).resolve().parent.parent.parent)
    command = [sys.executable, "-B", "-c", DRIVER, str(repo), programs.rooms, json.dumps(argv), top]
    status, out, err, lines, *_ = traced(command, tmp_path, tmp_path, 120.0)
    assert status == 0, err
    started = [match[1] for match in map(_STARTS.match, lines) if match][1:]  # the first is the driver itself
    children = [line for line in lines if _CHILDREN.match(line) and "CLONE_THREAD" not in line]
    assert not ran.exists()
    if not with_filter:
        assert started == [] and children == []
    else:
        assert {os.path.basename(name) for name in started} == {"clean", "smudge"} and len(children) <= len(started)
    assert list(Path(programs.rooms).iterdir()) == [] and json.loads(out)["commit -m one"] == "done"

"""Blame of the fixtures, where its own results must agree with each other."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.blame.copies import word_score
from gitglass.blame.ignore import fingerprint, similarity, subtract

from ..support.worktrees import Repo


def test_typed_and_text_agree(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    result = repo.blame("src/app.py")
    text = repo.git(["blame", "-l", "-s", "--root", "src/app.py"]).stdout.decode().splitlines()
    names = [run.oid for run in result.runs for _ in range(run.count)]
    assert [line[:40] for line in text] == names
    assert sum(len(runs) for runs in result.by_commit().values()) == len(result.runs)


def test_lines_of_the_work_tree_belong_to_nobody(unpack: Any) -> None:
    result = gitglass.open(unpack("dirty")).blame("src/app.py")
    assert any(not run.committed for run in result.runs) == any(not int(run.oid, 16) for run in result.runs)


def test_lines_as_a_pair_and_as_text(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    one, other = repo.blame("src/app.py", lines=(2, 4)), repo.blame("src/app.py", lines=["2,+3"])
    assert one.runs == other.runs
    assert one.runs[0].line == 2


def test_incremental_covers_every_line_once(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    out = repo.git(["blame", "--incremental", "src/tools.py"]).stdout.decode().splitlines()
    seen = []
    for line in out:
        words = line.split()
        if len(words) == 4 and len(words[0]) in (40, 64):
            seen += range(int(words[2]), int(words[2]) + int(words[3]))
    assert sorted(seen) == list(range(1, len(seen) + 1))


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["nosuch"], 128, b"fatal: no such path 'nosuch' in HEAD\n"),
        (["HEAD", "nosuch"], 128, b"fatal: no such path nosuch in HEAD\n"),
        (["-L", "9999,", "src/app.py"], 128, b"fatal: file src/app.py has only"),
        (["nosuchrev", "--", "src/app.py"], 128, b"fatal: bad revision 'nosuchrev'\n"),
        (["-L", "foo", "src/app.py"], 129, b"usage: git blame"),
        (["main", "topic", "--", "src/app.py"], 128, b"fatal: More than one commit to dig from"),
    ],
)
def test_complaints(unpack: Any, argv: list[str], code: int, words: bytes) -> None:
    done = gitglass.git(["blame", *argv], cwd=unpack("plain"))
    assert done.returncode == code
    assert done.stderr.startswith(words)


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_fingerprints(one: bytes, other: bytes) -> None:
    a, b = fingerprint(one), fingerprint(other)
    assert similarity(a, b) == similarity(b, a) <= min(sum(a.values()), sum(b.values()))
    rest = dict(a)
    subtract(rest, b)
    assert sum(rest.values()) == sum(a.values()) - similarity(a, b)
    assert fingerprint(one.upper()) == fingerprint(one.lower())


def test_score() -> None:
    assert word_score(b"") == 1
    assert word_score(b"  a1_\xc3\xa4!\n") == 3


@pytest.mark.parametrize(("mode", "named"), [("40000", b"^%s d/f (A"), ("120000", b"%s (A")])
def test_a_file_in_the_place_of_a_directory_was_a_file_of_it(tmp_path: Path, mode: str, named: bytes) -> None:
    """Of another type, a symbolic link say, it is the same file for git, and new."""
    repo = Repo(tmp_path / "repo")
    blob, other = repo.put("blob", b"one\n"), repo.put("blob", b"elsewhere")
    below = repo.put("tree", b"100644 f\0" + blob + b"100644 g\0" + other)
    before = repo.commit(repo.put("tree", mode.encode() + b" d\0" + (below if mode == "40000" else other)))
    tree = repo.put("tree", b"100644 d\0" + blob)
    body = f"tree {tree.hex()}\nparent {before.hex()}\nauthor A <a@x> 2 +0000\ncommitter A <a@x> 2 +0000\n\nd\n"
    after = repo.put("commit", body.encode())
    done = gitglass.git(["blame", after.hex(), "--", "d"], cwd=repo.top)
    blamed = before.hex()[:7] if mode == "40000" else after.hex()[:8]
    assert done.stdout == named % blamed.encode() + b" 1970-01-01 00:00:0%d +0000 1) one\n" % (
        1 if mode == "40000" else 2
    )

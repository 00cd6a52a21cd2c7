"""git fsck: what goes where, and what the options leave out; the damages themselves are tests/walk/test_fsck.py's."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.fsck import FsckRequest

from ..hostile.craft import blob, commit, head, object_path, put, tree
from ..support.copies import copy_tree


@pytest.fixture
def repo(unpack: Any, tmp_path: Path) -> Path:
    copy_tree(unpack("plain"), tmp_path / "repo")
    return tmp_path / "repo"


def ask(repo: Path, *words: str) -> tuple[int, list[str], list[str]]:
    done = gitglass.git(["fsck", *words], cwd=repo, root=repo)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode().splitlines()


def test_a_good_repository(repo: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in repo.rglob("*")}
    assert ask(repo, "--no-dangling") == (0, [], [])
    assert before == {path: path.stat().st_mtime_ns for path in repo.rglob("*")}


def test_what_is_told_and_what_is_complained_of(repo: Path) -> None:
    gone = "aa" * 20
    put(repo / ".git/refs/heads/odd", gone.encode())
    lone = blob(repo, b"nobody names this")
    status, told, complained = ask(repo)
    assert status == 2 and f"dangling blob {lone}" in told
    assert complained == [f"error: refs/heads/odd: invalid sha1 pointer {gone}"]
    assert f"dangling blob {lone}" not in ask(repo, "--no-dangling")[1]


def test_what_is_not_reached(repo: Path) -> None:
    inner = blob(repo, b"inner")
    top = tree(repo, (b"100644", b"x", inner))
    assert f"unreachable blob {inner}" in ask(repo, "--unreachable")[1]
    told = ask(repo)[1]
    assert f"dangling tree {top}" in told and f"dangling blob {inner}" not in told


def test_first_commits_and_tags(repo: Path) -> None:
    roots = [line for line in ask(repo, "--root")[1] if line.startswith("root ")]
    named = gitglass.git(["rev-list", "--max-parents=0", "--all"], cwd=repo).stdout.decode().split()
    assert sorted(set(roots)) == sorted(f"root {oid}" for oid in named)
    commit_ = gitglass.git(["rev-parse", "v1.0^{commit}"], cwd=repo).stdout.decode().strip()
    assert any(f"tagged commit {commit_} (v1.0) in " in line for line in ask(repo, "--tags")[1])


def test_reflogs_and_heads(repo: Path) -> None:
    (repo / ".git/logs/HEAD").write_text(f"{head(repo)} {'bb' * 20} A <a@b> 1 +0000\tx\n")
    assert ask(repo)[0] == 2 and ask(repo, "--no-reflogs")[0] == 0
    assert ask(repo, "HEAD")[0] == 0
    status, told, complained = ask(repo, "nosuch", "--no-dangling")
    assert (status, told, complained) == (1, [], ["error: invalid parameter: expected sha1, got 'nosuch'"])


def test_strict(repo: Path) -> None:
    odd = tree(repo, (b"100644", b".", blob(repo, b"b")), (b"100664", b"a", blob(repo, b"a")))
    commit(repo, odd, parents=[head(repo)])
    assert (ask(repo)[0], ask(repo, "--strict")[0]) == (0, 1)
    assert f"warning in tree {odd}: hasDot: contains '.'" in ask(repo)[2]
    strict = ask(repo, "--strict")[2]
    assert f"error in tree {odd}: hasDot: contains '.'" in strict
    assert f"warning in tree {odd}: badFilemode: contains bad file modes" in strict


def test_git_gives_up_at_a_corrupt_index(repo: Path) -> None:
    index = repo / ".git/index"
    data = bytearray(index.read_bytes())
    data[-1] ^= 1
    put(index, bytes(data))
    status, told, complained = ask(repo)
    assert (status, told, complained) == (
        128,
        [],
        ["error: bad index file sha1 signature", "fatal: index file corrupt"],
    )


@pytest.mark.parametrize("option", ["--lost-found", "--name-objects", "-v", "--verbose", "--progress"])
def test_refused(repo: Path, option: str) -> None:
    status, told, complained = ask(repo, option)
    assert (status, told) == (129, []) and complained[0].startswith("error: gitglass fsck")


def test_the_typed_form(repo: Path) -> None:
    path = object_path(repo, gitglass.git(["rev-parse", "HEAD:README.md"], cwd=repo).stdout.decode().strip())
    path.unlink(missing_ok=True)
    answer = gitglass.open(repo).run(FsckRequest())
    assert answer.status & 2 and [row.code for row in answer.findings if row.is_error] == ["missing"]


def test_connectivity_alone_reads_no_blob_and_judges_nothing(repo: Path) -> None:
    """A blob that is no object is not looked into where it is reached; where it is gone it is missed."""
    blob = gitglass.git(["rev-parse", "HEAD:README.md"], cwd=repo).stdout.decode().strip()
    assert ask(repo, "--connectivity-only") == ask(repo) == (0, [], [])
    path = repo / ".git/objects" / blob[:2] / blob[2:]
    put(path, b"junk")
    assert ask(repo)[0] != 0
    assert ask(repo, "--connectivity-only") == (0, [], [])
    path.unlink()
    status, told, _ = ask(repo, "--connectivity-only")
    assert (status, told) == (2, [f"missing blob {blob}"])

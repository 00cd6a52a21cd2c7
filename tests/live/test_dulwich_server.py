"""A clone by the installed git, out of a jailed repository, over dulwich's HTTP server: git's own fsck has the last word."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.servers import serving, smart_app

import gitglass
from gitglass.bridge.repo import JailedRepo

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git installed")]
PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.version=0", "-c", "gc.auto=0")


def git(*argv: str, cwd: Path, status: int | None = 0) -> str:
    done = subprocess.run(["git", *PERSON, *argv], cwd=cwd, capture_output=True, text=True, timeout=20)
    assert status is None or done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Thirty commits with deltas, packed; some loose ones above; a branch, an annotated tag."""
    place = tmp_path / "source"
    place.mkdir()
    git("init", "-q", "-b", "main", cwd=place)
    for number in range(30):
        text = "".join(f"line {line if line != number else 'changed'}\n" for line in range(400))
        (place / "file.txt").write_text(text)
        (place / f"f{number % 5}").write_text(str(number))
        git("add", "-A", cwd=place)
        git("commit", "-q", "-m", f"commit {number}", cwd=place)
        if number == 20:
            git("tag", "-a", "-m", "one", "v1", cwd=place)
            git("branch", "side", cwd=place)
            git("repack", "-q", "-a", "-d", "-f", cwd=place)
            git("pack-refs", "--all", cwd=place)
    return place


@pytest.fixture
def served(source: Path) -> Iterator[str]:
    """The address under which the jailed repository is served."""
    jailed: JailedRepo = gitglass.open(source).dulwich(limits=gitglass.Limits.generous())
    with serving(smart_app(jailed)) as server:
        yield server.url


def test_a_clone_passes_fsck(served: str, source: Path, tmp_path: Path) -> None:
    git("clone", "-q", served, "copy", cwd=tmp_path)
    copy = tmp_path / "copy"
    assert "error" not in git("fsck", "--full", "--strict", cwd=copy)
    assert git("rev-parse", "HEAD", "origin/side", "v1", cwd=copy) == git("rev-parse", "main", "side", "v1", cwd=source)
    assert git("log", "-p", "--all", cwd=copy) == git("log", "-p", "--all", cwd=source)
    packed = git("verify-pack", "-v", *map(str, (copy / ".git/objects/pack").glob("*.idx")), cwd=copy)
    deltas = [line for line in packed.splitlines() if len(line.split()) == 7]
    assert len(deltas) >= 15, "stored deltas were not handed on"


def test_later_commits_are_fetched(served: str, source: Path, tmp_path: Path) -> None:
    git("clone", "-q", served, "copy", cwd=tmp_path)
    (source / "new.txt").write_text("new\n")
    git("add", "-A", cwd=source)
    git("commit", "-q", "-m", "later", cwd=source)
    git("fetch", "-q", cwd=tmp_path / "copy")
    assert git("rev-parse", "origin/main", cwd=tmp_path / "copy") == git("rev-parse", "main", cwd=source)
    git("fsck", "--full", cwd=tmp_path / "copy")


def test_a_push_is_refused_and_nothing_changes(served: str, source: Path, tmp_path: Path) -> None:
    git("clone", "-q", served, "copy", cwd=tmp_path)
    copy = tmp_path / "copy"
    (copy / "mine.txt").write_text("mine\n")
    git("add", "-A", cwd=copy)
    git("commit", "-q", "-m", "mine", cwd=copy)
    before = git("for-each-ref", cwd=source), sorted(path for path in source.rglob("*") if path.is_file())
    assert "main" in git("push", served, "HEAD:refs/heads/main", cwd=copy, status=None)
    assert (git("for-each-ref", cwd=source), sorted(path for path in source.rglob("*") if path.is_file())) == before

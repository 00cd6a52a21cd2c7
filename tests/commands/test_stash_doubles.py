"""git stash show -u: an entry whose untracked files are elsewhere as well; expectations observed from git 2.39.5."""

import hashlib
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

import gitglass

WHO = b"A <a@b> 1700000000 +0000"


@pytest.fixture
def place(unpack: Any, tmp_path: Path) -> Path:
    shutil.copytree(unpack("plain"), tmp_path / "repo", symlinks=True)
    return tmp_path / "repo"


def put(place: Path, kind: bytes, body: bytes) -> str:
    """Write a loose object; its name."""
    data = kind + b" %d\0" % len(body) + body
    name = hashlib.sha1(data).hexdigest()
    file = place / ".git" / "objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        file.write_bytes(zlib.compress(data))
    return name


def stash(place: Path, *untracked: bytes, content: bytes = b"new\n", tracked: bool = False) -> None:
    """Make a stash entry over HEAD, with untracked files of these names; `tracked`: the work tree had only these."""
    head, tree = gitglass.git(["rev-parse", "HEAD", "HEAD^{tree}"], cwd=place).stdout.decode().split()
    blob = bytes.fromhex(put(place, b"blob", content))
    extra = put(place, b"tree", b"".join(b"100644 " + name + b"\0" + blob for name in untracked))

    def commit(tree: str, *parents: str) -> str:
        lines = [f"tree {tree}", *(f"parent {oid}" for oid in parents)]
        return put(
            place, b"commit", "\n".join(lines).encode() + b"\nauthor " + WHO + b"\ncommitter " + WHO + b"\n\nx\n"
        )

    work = commit(extra if tracked else tree, head, commit(tree, head), commit(extra))
    (place / ".git" / "refs" / "stash").write_text(work + "\n")
    (place / ".git" / "logs" / "refs").mkdir(parents=True, exist_ok=True)
    (place / ".git" / "logs" / "refs" / "stash").write_text(f"{'0' * 40} {work} {WHO.decode()}\tx\n")


def test_untracked_files_are_shown(place: Path) -> None:
    stash(place, b"new-a", b"new-b")
    done = gitglass.git(["stash", "show", "-u", "--name-status"], cwd=place)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"A\tnew-a\nA\tnew-b\n", b"")


def test_a_file_that_is_in_both_trees_ends_it(place: Path) -> None:
    stash(place, b"README.md", b"new")
    said = b"error: worktree and untracked commit have duplicate entries: README.md\nfatal: failed to unpack trees\n"
    done = gitglass.git(["stash", "show", "-u"], cwd=place)
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", said)
    assert gitglass.git(["stash", "show", "--only-untracked", "--name-only"], cwd=place).returncode == 0


@pytest.mark.parametrize("more", [[], ["--exit-code"], ["--stat"]])
def test_what_its_diff_has_to_tell_ends_it_with_1(place: Path, more: list[str]) -> None:
    """Where `git diff` ends with 2 for --check, and with 3 for --exit-code as well."""
    stash(place, b"new", content=b"blank \n")
    done = gitglass.git(["stash", "show", "-u", "--check", *more], cwd=place)
    assert (done.returncode, done.stdout) == (1, b"new:1: trailing whitespace.\n+blank \n")


def test_the_list_ends_with_1_at_most(place: Path) -> None:
    stash(place, b"new", content=b"blank \n", tracked=True)
    words = ["-p", "--check"]
    assert gitglass.git(["log", "-g", "--first-parent", "-m", *words, "refs/stash"], cwd=place).returncode == 2
    assert gitglass.git(["stash", "list", *words], cwd=place).returncode == 1


def test_every_failure_of_the_list_has_the_status_of_git_stash(unpack: Any) -> None:
    """git asks git log for the list, and says only whether that failed."""
    done = gitglass.git(["stash", "list", "--no-such-option"], cwd=unpack("dirty"))
    assert (done.returncode, done.stderr) == (1, b"fatal: unrecognized argument: --no-such-option\n")
    assert gitglass.git(["log", "--no-such-option"], cwd=unpack("dirty")).returncode == 128


def test_an_option_without_its_value_takes_the_stash_for_it(unpack: Any) -> None:
    """git runs its log with the words given and `refs/stash --` behind them."""
    for option in ("--skip", "--src-prefix", "-I", "--exclude"):
        of_head = gitglass.git(["log", "-g", "--first-parent", "-m", "--format=%gd: %gs", "HEAD"], cwd=unpack("dirty"))
        done = gitglass.git(["stash", "list", option], cwd=unpack("dirty"))
        assert (done.returncode, done.stdout, done.stderr) == (0, of_head.stdout, b"")
    for line in (["-n"], ["--author"], ["-S"]):
        assert gitglass.git(["stash", "list", *line], cwd=unpack("dirty")).stdout == b""
    plain = gitglass.git(["stash", "list"], cwd=unpack("dirty")).stdout
    assert plain and gitglass.git(["stash", "list", "--default"], cwd=unpack("dirty")).stdout == plain
    assert gitglass.git(["stash", "list", "--", "-1"], cwd=unpack("dirty")).stdout == plain.splitlines(True)[0]

"""Which reflog `git log -g` walks: of the branch that the front of a name stands for, from the entry behind it."""

import hashlib
import zlib
from pathlib import Path

import pytest

import gitglass


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """On `topic`, whose upstream is `main`; each has a reflog of its own."""
    top = tmp_path / "r"
    git = top / ".git"
    for folder in ("objects", "refs/heads", "logs/refs/heads"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/topic\n")
    (git / "config").write_text(
        '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[branch "topic"]\n\tremote = .\n\tmerge = refs/heads/main\n'
    )
    return top


def log(repo: Path, name: str, commits: list[str]) -> None:
    rows, before = [], "0" * 40
    for number, oid in enumerate(commits):
        rows.append(f"{before} {oid} a <a@b> {1700000000 + number} +0000\t{name} {number}\n")
        before = oid
    path = repo / ".git" / "logs" / name
    path.write_text("".join(rows))


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("topic@{u}@{0}", ["main@{0} refs/heads/main 1", "main@{1} refs/heads/main 0"]),
        ("topic@{upstream}@{1}", ["main@{1} refs/heads/main 0"]),
        ("@{u}@{1}", ["main@{1} refs/heads/main 0"]),
        ("HEAD@{u}@{1}", ["main@{1} refs/heads/main 0"]),
        ("@@{1}", ["HEAD@{1} HEAD 0"]),
        ("topic@{1}", ["topic@{1} refs/heads/topic 0"]),
        ("topic@{u}", ["main@{0} refs/heads/main 1", "main@{1} refs/heads/main 0"]),
    ],
)
def test_a_selector_behind_a_branch_mark(repo: Path, word: str, shown: list[str]) -> None:
    commits = [write_commit(repo, number) for number in range(4)]
    log(repo, "refs/heads/main", commits[:2])
    log(repo, "refs/heads/topic", commits[2:])
    log(repo, "HEAD", commits[2:])
    (repo / ".git/refs/heads/main").write_text(commits[1] + "\n")
    (repo / ".git/refs/heads/topic").write_text(commits[3] + "\n")
    done = gitglass.git(["log", "-g", "--format=%gd %gs", word], cwd=repo)
    assert (done.returncode, done.stdout.decode().splitlines(), done.stderr) == (0, shown, b"")


def write_commit(repo: Path, number: int) -> str:
    tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    who = f"a <a@b> {1700000000 + number} +0000"
    for kind, body in ((b"tree", b""), (b"commit", f"tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n".encode())):
        raw = b"%b %d\0%b" % (kind, len(body), body)
        oid = hashlib.sha1(raw).hexdigest()
        path = repo / ".git/objects" / oid[:2] / oid[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(raw))
    return oid

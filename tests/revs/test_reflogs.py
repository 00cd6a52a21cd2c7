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


@pytest.fixture
def logged(repo: Path) -> Path:
    """`main` and `topic`, each with two entries, and HEAD's log is topic's."""
    commits = [write_commit(repo, number) for number in range(3)]
    log(repo, "refs/heads/main", commits[:2])
    log(repo, "refs/heads/topic", commits[1:])
    log(repo, "HEAD", commits[1:])
    (repo / ".git/refs/heads/main").write_text(commits[1] + "\n")
    (repo / ".git/refs/heads/topic").write_text(commits[2] + "\n")
    return repo


def selectors(repo: Path, *words: str) -> list[str]:
    done = gitglass.git(["log", "--format=%gd", *words], cwd=repo)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().split()


TOPIC, MAIN, HEAD = (["topic@{0}", "topic@{1}"], ["main@{0}", "main@{1}"], ["HEAD@{0}", "HEAD@{1}"])


def test_every_logged_commit_walks_the_current_branch(logged: Path) -> None:
    """`--reflog` names commits by no name, which the current branch's reflog stands for: once a logged commit."""
    assert sorted(selectors(logged, "-g", "--reflog")) == sorted(TOPIC * 9 + HEAD)
    assert sorted(selectors(logged, "-g", "--reflog", "main")) == sorted(TOPIC * 9 + MAIN)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["main", "-g"], []),
        (["main", "-g", "topic"], TOPIC),
        (["-g", "main", "-g", "topic"], TOPIC),
        (["-g", "main"], MAIN),
        (["--all", "-g"], []),
        (["--reflog", "-g"], []),
    ],
)
def test_a_reflog_is_walked_of_what_is_named_behind_the_option(
    logged: Path, words: list[str], shown: list[str]
) -> None:
    assert selectors(logged, *words) == shown


def test_an_exclusion_in_front_of_the_option_leaves_entries_out(logged: Path) -> None:
    assert selectors(logged, "^main", "-g", "topic") == ["topic@{0}"]
    done = gitglass.git(["log", "-g", "main..topic"], cwd=logged)
    assert (done.returncode, done.stderr) == (128, b"fatal: cannot walk reflogs for main\n")


def test_an_excluded_tag_names_no_reflog_and_leaves_entries_out(logged: Path) -> None:
    """`v1..topic` where v1 is an annotated tag: what it reaches is not shown, and a limited walk asks for no date."""
    commit = (logged / ".git/refs/heads/main").read_text().strip()
    body = f"object {commit}\ntype commit\ntag v1\ntagger a <a@b> 1700000000 +0000\n\nx\n".encode()
    raw = b"tag %d\0%b" % (len(body), body)
    oid = hashlib.sha1(raw).hexdigest()
    path = logged / ".git/objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(raw))
    (logged / ".git/refs/tags").mkdir(parents=True)
    (logged / ".git/refs/tags/v1").write_text(oid + "\n")
    (logged / ".git/logs/refs/tags").mkdir()
    log(logged, "refs/tags/v1", [oid])
    assert selectors(logged, "-g", "v1..topic") == ["topic@{0}"]
    assert selectors(logged, "-g", "--since=2040-01-01", "v1..topic") == ["topic@{0}"]
    assert selectors(logged, "-g", "--since=2040-01-01", "topic") == []
    assert selectors(logged, "-g", "v1") == []


def test_shortlog_walks_reflogs_or_reads_a_log(logged: Path) -> None:
    """It reads its options first; where it walks reflogs alone it has no commit to start from, and reads a log."""
    assert gitglass.git(["shortlog", "-s", "--all", "-g"], cwd=logged).stdout == b"     6\ta\n"
    assert gitglass.git(["shortlog", "-s", "main", "-g"], cwd=logged, input=b"").stdout == b""
    assert gitglass.git(["shortlog", "-s", "main"], cwd=logged, input=b"").stdout == b"     1\ta\n"
    done = gitglass.git(["shortlog", "--grep-reflog=x"], cwd=logged, input=b"")
    assert (done.returncode, done.stdout) == (128, b"")
    assert done.stderr == b"fatal: the option '--grep-reflog' requires '--walk-reflogs'\n"

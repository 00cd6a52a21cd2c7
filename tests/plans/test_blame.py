"""plans/blame.py: what blame begins with, and the commits that it passes over."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.errors import NotFound, SandboxViolation
from gitglass.limits import Context
from gitglass.plans.blame import ignored_commits

GONE = "0" * 39 + "1"


@pytest.fixture
def head(repo: Any) -> bytes:
    repo.add("file", b"1\n")
    made: bytes = repo.commit()
    (repo.git / "refs/heads/blob").write_text(repo.put("blob", b"x").hex() + "\n")
    return made


def test_revisions_files_and_the_configuration(repo: Any, head: bytes, ctx: Context) -> None:
    repo.write("given", f"# why\n\n  {head.hex()}  # head\n".encode())
    repo.write("set", f"{GONE}\n".encode())
    assert ignored_commits(repo.store(), ["main"], [], ctx) == {head}
    assert ignored_commits(repo.store(), [], ["given"], ctx) == {head}
    repo.config("[blame]\n\tignoreRevsFile = set\n")
    store = repo.store()
    assert ignored_commits(store, [], ["given"], ctx) == {head, bytes.fromhex(GONE)}
    assert ignored_commits(store, [], ["", "given"], ctx) == {head}
    assert ignored_commits(store, ["main"], [""], ctx) == {head}


def test_a_file_is_looked_for_from_the_top(unpack: Any) -> None:
    """Of the option too: git reads it where it has changed to."""
    done = gitglass.git(["blame", "--ignore-revs-file=README.md", "app.py"], cwd=unpack("plain") / "src")
    assert done.stderr == b"fatal: invalid object name: Read me.\n"
    done = gitglass.git(["blame", "--ignore-revs-file=app.py", "app.py"], cwd=unpack("plain") / "src")
    assert done.stderr == b"fatal: could not open object name list: app.py\n"


def test_a_tag_in_a_file_is_the_commit_it_points_at(repo: Any, head: bytes, ctx: Context) -> None:
    tag = repo.put("tag", b"object %s\ntype commit\ntag t\ntagger A <a@x> 1 +0000\n\nm\n" % head.hex().encode())
    repo.write("given", tag.hex().encode())
    assert ignored_commits(repo.store(), [], ["given"], ctx) == {head}


@pytest.mark.parametrize(
    ("revs", "files", "words"),
    [
        (["gone"], [], "cannot find revision gone to ignore"),
        (["blob"], [], "cannot find revision blob to ignore"),
        ([], ["missing"], "could not open object name list: missing"),
        ([], ["short"], "invalid object name: abcd"),
        ([], ["word"], "invalid object name: main"),
    ],
)
def test_what_names_no_commit(
    repo: Any, head: bytes, ctx: Context, revs: list[str], files: list[str], words: str
) -> None:
    repo.write("short", b"abcd\n")
    repo.write("word", b"main\n")
    with pytest.raises(NotFound, match=words):
        ignored_commits(repo.store(), revs, files, ctx)


def test_a_configured_file_outside_is_passed_over_with_a_note(repo: Any, head: bytes) -> None:
    outside = repo.top.parent / "outside"
    outside.write_text(GONE)
    repo.config(f"[blame]\n\tignoreRevsFile = {outside}\n")
    ctx = Context(now=0)
    assert ignored_commits(repo.store(), ["main"], [], ctx) == {head}
    assert ctx.notes == [f"blame.ignoreRevsFile was not read: {outside} lies outside of the repository"]


def test_a_given_file_outside_of_a_jail_is_an_error(repo: Any, head: bytes, ctx: Context) -> None:
    (repo.top.parent / "outside").write_text(GONE)
    repo.write_index()
    store = gitglass.open(repo.top, root=repo.top).store
    with pytest.raises(SandboxViolation):
        ignored_commits(store, [], ["../outside"], ctx)


def test_a_tag_that_is_merged_is_its_commit(repo: Any, head: bytes) -> None:
    tag = repo.put("tag", b"object %s\ntype commit\ntag t\n\nm\n" % head.hex().encode())
    (repo.git / "MERGE_HEAD").write_text(tag.hex() + "\n")
    answer = gitglass.git(["blame", "-s", "file"], cwd=repo.top)
    assert (answer.returncode, answer.stdout) == (0, b"^%b 1) 1\n" % head.hex()[:7].encode())
    blob = repo.put("blob", b"x").hex()
    (repo.git / "MERGE_HEAD").write_text(blob + "\n")
    answer = gitglass.git(["blame", "-s", "file"], cwd=repo.top)
    assert (answer.returncode, answer.stderr) == (128, f"fatal: no such commit {blob}\n".encode())


@pytest.mark.parametrize("there", [True, False])
def test_a_head_that_is_no_commit(repo: Any, head: bytes, there: bool) -> None:
    """No line of the file is nobody's."""
    name = repo.put("blob", b"x").hex() if there else GONE
    (repo.git / "HEAD").write_text(name + "\n")
    answer = gitglass.git(["blame", "-s", "file"], cwd=repo.top)
    assert (answer.returncode, answer.stdout) == (128, b"")
    assert answer.stderr.splitlines()[-1] == f"fatal: no such commit {name}".encode()


def test_a_bare_repository_without_commits(tmp_path: Path) -> None:
    for name in ("objects", "refs"):
        (tmp_path / name).mkdir()
    (tmp_path / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    (tmp_path / "config").write_bytes(b"[core]\n\tbare = true\n")
    for words in (["a"], ["--", "a"], ["--since=2001-01-01", "a"], ["--reverse", "a"]):
        done = gitglass.git(["blame", *words], cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (128, b"", b"fatal: no such ref: HEAD\n"), words
    assert gitglass.git(["blame", "HEAD", "--", "a"], cwd=tmp_path).stderr == b"fatal: bad revision 'HEAD'\n"

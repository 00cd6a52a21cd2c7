"""A commit that is made again would leave a note behind that git copies: that is refused, and said."""

from pathlib import Path

import pytest
from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo
from tests.support.peers import commit, empty, read, refs, run, said

pytestmark = pytest.mark.writes


def note(place: Path, oid: str, ref: str) -> None:
    """A note of an object, as `git notes add` makes it."""
    with Repo(str(place)) as repo:
        blob, tree, made = Blob.from_string(b"a note\n"), Tree(), Commit()
        tree.add(oid.encode(), 0o100644, blob.id)
        made.tree, made.message, made.encoding = tree.id, b"Notes added\n", b"UTF-8"
        made.author = made.committer = b"A <a@b>"
        made.author_time = made.commit_time = made.author_timezone = made.commit_timezone = 0
        for one in (blob, tree, made):
            repo.object_store.add_object(one)
    file = place / ".git" / ref
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(made.id.decode() + "\n")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """`side` has two commits that `main` has not; the first of them has a note."""
    place = empty(tmp_path / "repo", bare=False)
    commit(place, "base")
    run(place, "switch", "-q", "-c", "side")
    note(place, commit(place, "one", name="g"), "refs/notes/own")
    commit(place, "two", name="h")
    run(place, "switch", "-q", "main")
    commit(place, "of main")
    run(place, "switch", "-q", "side")
    return place


def configure(place: Path, words: str) -> None:
    with (place / ".git/config").open("a") as config:
        config.write(words)


@pytest.mark.parametrize("pattern", ["refs/notes/own", "refs/notes/*"])
def test_a_rebase_and_an_amended_commit(repo: Path, pattern: str) -> None:
    configure(repo, f"[notes]\n\trewriteRef = {pattern}\n")
    before = refs(repo)
    assert "has a note, and gitglass copies none" in said(repo, "rebase", "main")[2]
    assert refs(repo) == before
    assert said(repo, "commit", "--amend", "-m", "again")[0] == 0  # which has none
    run(repo, "reset", "-q", "--hard", "HEAD~1")
    assert "has a note, and gitglass copies none" in said(repo, "commit", "--amend", "-m", "again")[2]
    configure(repo, '[notes "rewrite"]\n\tamend = false\n')
    assert said(repo, "commit", "--amend", "-m", "again")[0] == 0


@pytest.mark.parametrize(
    "words", ["", "[notes]\n\trewriteRef = refs/notes/other\n", '[notes]\n\trewriteRef = refs/notes/*\n\trewriteMode = ignore\n']
)  # fmt: skip
def test_where_git_copies_none(repo: Path, words: str) -> None:
    configure(repo, words)
    run(repo, "rebase", "-q", "main")
    assert read(repo, "log", "--format=%s") == "two\none\nof main\nbase"

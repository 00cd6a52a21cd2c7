"""repo/utf8.py: commits that are not in UTF-8, as git 2.39 rewrites them."""

import hashlib
import zlib
from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, run

import gitglass
from gitglass.mutate.grant import Identity
from gitglass.repo.utf8 import WARNING, conforming

pytestmark = pytest.mark.writes


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (b"caf\xe9", b"caf\xc3\xa9"), (b"a\xc3\xa9 \xf0\x9f\x98\x80", b"a\xc3\xa9 \xf0\x9f\x98\x80"),
        (b"\xc3 \xa9", b"\xc3\x83 \xc2\xa9"), (b"\xe2\x82 ", b"\xc3\xa2\xc2\x82 "), (b"\xe2\x82", b"\xc3\xa2\xc2\x82"),
        (b"\xc0\x80", b"\xc3\x80\xc2\x80"), (b"\xe0\x80\x80", b"\xc3\xa0\xc2\x80\xc2\x80"),
        (b"\xed\xa0\x80", b"\xc3\xad\xc2\xa0\xc2\x80"), (b"\xf4\x90\x80\x80", b"\xc3\xb4\xc2\x90\xc2\x80\xc2\x80"),
        (b"\xf5\x80\x80\x80", b"\xc3\xb5\xc2\x80\xc2\x80\xc2\x80"), (b"\xff", b"\xc3\xbf"),
        (b"\xf8\x88\x80\x80\x80", b"\xc3\xb8\xc2\x88\xc2\x80\xc2\x80\xc2\x80"),
        (b"\xef\xbf\xbe", b"\xc3\xaf\xc2\xbf\xc2\xbe"), (b"\xef\xbf\xbf", b"\xc3\xaf\xc2\xbf\xc2\xbf"),
        (b"\xef\xb7\x90", b"\xc3\xaf\xc2\xb7\xc2\x90"), (b"\xf0\x9f\xbf\xbe", b"\xc3\xb0\xc2\x9f\xc2\xbf\xc2\xbe"),
        (b"\xef\xbf\xbd\xef\xb7\xb0", b"\xef\xbf\xbd\xef\xb7\xb0"),
    ],
)  # fmt: skip
def test_what_is_no_utf8_is_latin_1(given: bytes, written: bytes) -> None:
    assert conforming(given) == written


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "one")
    return repo


def content(repo: Path, name: str = "HEAD") -> bytes:
    return gitglass.git(["cat-file", "commit", name], cwd=repo).stdout


def test_message_and_names_of_a_commit_are_rewritten(repo: Path) -> None:
    """The reflog has the message as it was given."""
    author = Identity("caf\udce9", "a@b")
    result = run(repo, "commit", "-q", "--allow-empty", "-m", "caf\udce9", identity=author)
    assert result.answer.err == WARNING
    assert b"\nauthor caf\xc3\xa9 <a@b> " in content(repo) and content(repo).endswith(b"\n\ncaf\xc3\xa9\n")
    assert (repo / ".git/logs/HEAD").read_bytes().endswith(b"\tcommit: caf\xe9\n")


def test_the_encoding_that_is_set_is_kept(repo: Path) -> None:
    for name, kept in (("ISO-8859-1", True), ("utf8", False), ("UTF-8", False)):
        (repo / ".git/config").write_text((repo / ".git/config").read_text() + f"[i18n]\n\tcommitEncoding = {name}\n")
        run(repo, "commit", "-q", "--allow-empty", "-m", "caf\udce9")
        assert content(repo).endswith(b"\n\ncaf\xe9\n" if kept else b"\n\ncaf\xc3\xa9\n")


def test_an_old_commit_is_rewritten_where_it_is_picked_and_what_a_stash_says_of_it(repo: Path) -> None:
    tree, head = read(repo, "rev-parse", "HEAD^{tree}"), read(repo, "rev-parse", "HEAD")
    people = b"author \xe9mile <a@b> 1 +0000\ncommitter \xe9mile <a@b> 1 +0000\n"
    raw = f"tree {tree}\nparent {head}\n".encode() + people + b"\ncaf\xe9\n\nl\xe9\n"
    whole = b"commit %d\0%b" % (len(raw), raw)
    old = hashlib.sha1(whole).hexdigest()
    (repo / ".git/objects" / old[:2]).mkdir(exist_ok=True)
    (repo / ".git/objects" / old[:2] / old[2:]).write_bytes(zlib.compress(whole))
    assert run(repo, "cherry-pick", "--allow-empty", old).answer.err == WARNING
    made = content(repo)
    assert b"\nauthor \xc3\xa9mile <a@b> 1 +0000\n" in made and made.endswith(b"\n\ncaf\xc3\xa9\n\nl\xc3\xa9\n")
    run(repo, "reset", "-q", "--hard", old)
    (repo / "f").write_text("two")
    assert run(repo, "stash", "push", "-q").answer.err == 2 * WARNING
    assert content(repo, "stash^2").endswith(b" caf\xc3\xa9\n")

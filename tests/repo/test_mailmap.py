""".mailmap: the four forms, case, precedence; and which files are read."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.config.config import Config
from gitglass.disk.jail import Jail
from gitglass.disk.worktree import WorkTree
from gitglass.errors import TooLarge
from gitglass.refs.refs import open_refs
from gitglass.repo.mailmap import MAX_MAILMAP, Mailmap, load_mailmap

from ..support.worktrees import Repo


def test_forms() -> None:
    made = Mailmap.parse(
        b"# comment\nProper <old1@x>\n<new2@x> <old2@x>\nProper 3 <new3@x> <old3@x>\n"
        b"Proper 4 <new4@x> Odd Name <old4@x>\nProper 5 <new5@x> <old4@x>\nno address\n<> <a@x>\n"
    )
    assert made.map(b"N", b"OLD1@X") == (b"Proper", b"OLD1@X")
    assert made.map(b"N", b"old2@x") == (b"N", b"new2@x")
    assert made.map(b"N", b"old3@x") == (b"Proper 3", b"new3@x")
    assert made.map(b"odd name", b"old4@x") == (b"Proper 4", b"new4@x")
    assert made.map(b"other", b"old4@x") == (b"Proper 5", b"new5@x")
    assert made.map(b"N", b"unknown@x") == (b"N", b"unknown@x")
    assert not Mailmap.parse(b"\n# nothing\n") and made


def test_later_lines_win() -> None:
    made = Mailmap.parse(b"A <x@x>\n", b"B <x@x>\n<y@x> <x@x>\n")
    assert made.map(b"N", b"x@x") == (b"B", b"y@x")


def test_people_in_headers() -> None:
    """Strange but git's: the first person that the map does not have ends it."""
    made = Mailmap.parse(b"B <new@x> <b@x>\nA <a@x>\nN <n@x> Other <n@x>\n")
    raw = b"tree x\nauthor  %s 1 +0000\ncommitter Old <b@x> 2 +0000\n\nauthor Old <b@x> 1 +0000\n"
    mapped = raw.replace(b"Old <b@x> 2", b"B <new@x> 2")
    assert made.in_object(raw % b"Old <a@x>") == (mapped % b"A <a@x>").replace(b"author  ", b"author ")
    assert made.in_object(raw % b"A <a@x>") == (mapped % b"A <a@x>").replace(b"author  ", b"author ")
    for unmapped in (b"U <u@x>", b"No Other <n@x>", b"nobody"):
        assert made.in_object(raw % unmapped) == raw % unmapped


@given(st.lists(st.text("<> ab@#\r\t", max_size=20)))
def test_never_crashes(lines: list[str]) -> None:
    Mailmap.parse("\n".join(lines).encode()).map(b"a", b"b@")


def test_a_link_is_not_followed_and_outside_is_not_read(tmp_path: Path) -> None:
    top = tmp_path / "w"
    (top / ".git").mkdir(parents=True)
    (tmp_path / "secret").write_text("S <s@x>\n")
    os.symlink("../secret", top / ".mailmap")
    jail = Jail(bytes(top))
    from gitglass.config.config import Entry, Source

    source = Source("local", b"file:.git/config")
    config = Config([Entry(b"mailmap.file", bytes(tmp_path / "secret"), 1, source)])
    refs = open_refs(jail, bytes(top / ".git"), bytes(top / ".git"), 20)
    made = load_mailmap(
        config, refs, None, jail, WorkTree(jail, bytes(top)), bare=False, base=bytes(top), complaints=[]
    )  # type: ignore[arg-type]
    assert not made


def test_one_that_is_too_large_is_an_error_and_not_passed_over(tmp_path: Path) -> None:
    """git goes by it: names that are not mapped would be a wrong answer."""
    (tmp_path / ".git").mkdir()
    with (tmp_path / ".mailmap").open("wb") as stream:
        stream.truncate(MAX_MAILMAP + 1)
    jail = Jail(bytes(tmp_path))
    refs = open_refs(jail, bytes(tmp_path / ".git"), bytes(tmp_path / ".git"), 20)
    files = WorkTree(jail, bytes(tmp_path))
    with pytest.raises(TooLarge, match="mailmap"):
        load_mailmap(Config([]), refs, None, jail, files, bare=False, base=bytes(tmp_path), complaints=[])  # type: ignore[arg-type]


def test_a_mailmap_in_a_bare_repository_that_is_of_no_use(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    gone, link = b"\7" * 20, repo.put("tree", b"")
    for oid, mode, words in (
        (gone, 0o100644, b"error: unable to read mailmap object at HEAD:.mailmap\n"),
        (link, 0o040000, b"error: mailmap is not a blob: HEAD:.mailmap\n"),
    ):
        repo.commit(repo.put("tree", b"%o .mailmap\0" % mode + oid))
        repo.config("[core]\n\tbare = true\n")
        done = gitglass.git(["log", "--format=%aN"], cwd=repo.git)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"A\n", words)

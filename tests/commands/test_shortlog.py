"""git shortlog: groups, orders, wrapping; expectations follow git 2.39.5."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.shortlog import ShortlogRequest
from gitglass.limits import Limits

from ..support.object_files import Builder


def run(cwd: Any, *argv: str) -> str:
    done = gitglass.git(["shortlog", *argv], cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_numbers_add_up(unpack: Any) -> None:
    cwd = unpack("plain")
    total = int(gitglass.git(["rev-list", "--count", "HEAD"], cwd=cwd).stdout)
    for options in (["-s"], ["-s", "-e"], ["-s", "-c"], ["-s", "--group=format:%cs"]):
        assert sum(int(line.split("\t")[0]) for line in run(cwd, *options, "HEAD").splitlines()) == total
    assert run(cwd, "HEAD").count("\n      ") == total


def test_numbered_is_stable(unpack: Any) -> None:
    rows = [line.split("\t") for line in run(unpack("plain"), "-sn", "--all").splitlines()]
    assert rows == sorted(rows, key=lambda row: (-int(row[0]), row[1]))


def test_people_are_looked_for_by_the_names_in_their_commits(unpack: Any) -> None:
    assert (
        run(unpack("plain"), "-se", "--author=ann@example.com", "HEAD") == "     9\tAnn Proper <ann@proper.example>\n"
    )
    assert run(unpack("plain"), "-se", "--author=proper", "HEAD") == ""


def test_names_are_written_in_the_encoding_of_the_option(unpack: Any) -> None:
    done = gitglass.git(["shortlog", "-s", "--encoding=latin1", "HEAD"], cwd=unpack("plain"))
    assert done.stdout.endswith("\tZoë Ünal\n".encode("latin-1"))


def test_wrapped(unpack: Any) -> None:
    for line in run(unpack("plain"), "-w20,2,4", "HEAD").splitlines():
        assert not line or line.endswith(":") or line.startswith("  ")


def test_margins_of_many_subjects_are_refused(unpack: Any) -> None:
    limits = Limits(max_memory_bytes=64 << 20)
    log = b"Author: A <a@b>\n\n    one\n\n" * 400
    answer = gitglass.git(
        ["shortlog", "-w200000,110000,1"], cwd=unpack("plain"), stdin=log, limits=limits
    )  # 44 MB of blanks, and as much again where they are joined; each margin is below what need be announced
    assert (answer.returncode, answer.stdout) == (128, b"")
    assert b"needs more memory" in answer.stderr


@pytest.mark.parametrize("option", ["-w10,20", "-w3", "--group=nosuch", "-wx"])
def test_bad_values(option: str, unpack: Any) -> None:
    done = gitglass.git(["shortlog", option, "HEAD"], cwd=unpack("plain"))
    assert (done.returncode, done.stdout) == (129, b"") and done.stderr


def test_typed(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    groups = repo.run(ShortlogRequest(revs=["HEAD"], numbered=True, email=True)).groups
    assert groups and all("<" in group.name and len(group.subjects) == group.count for group in groups)


def test_no_walk_is_read_after_the_numbers(unpack: Any) -> None:
    assert run(unpack("plain"), "-s", "--no-walk", "-3", "HEAD") == run(unpack("plain"), "-s", "-1", "HEAD")


TEXT = b"""commit 1
Author: Ann <a@x>
Date:   today

    [PATCH 1/2] First
    more

author Bob  B <b@x> 1000 +0200
committer Cee <c@x> 1000 +0200

second
Author: nobody

lost
Author: Ann <other@x>


third\0ignored
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], b"Ann (2):\n      third\n      First\n\nBob  B (1):\n      second\n\n"),
        (["-s"], b"     2\tAnn\n     1\tBob  B\n"),
        (["-se"], b"     1\tAnn <a@x>\n     1\tAnn <other@x>\n     1\tBob  B <b@x>\n"),
        (["-c"], b"Cee (1):\n      second\n\n"),
        (["-w"], b"Ann (2):\n      third\n      First\n\nBob  B (1):\n      second\n\n"),
    ],
)
def test_a_log_as_text(unpack: Any, words: list[str], expected: bytes) -> None:
    done = gitglass.git(["shortlog", *words], cwd=unpack("plain"), stdin=TEXT)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


def test_a_log_as_text_is_read_only_in_place_of_revisions(unpack: Any) -> None:
    repo = unpack("plain")
    history = gitglass.git(["shortlog", "HEAD"], cwd=repo).stdout
    assert gitglass.git(["shortlog", "HEAD"], cwd=repo, stdin=TEXT).stdout == history
    assert gitglass.git(["shortlog", "--default", "HEAD"], cwd=repo, stdin=TEXT).stdout == history
    assert gitglass.git(["shortlog"], cwd=repo).stdout == history  # nothing given: as from a terminal


def test_an_end_without_a_newline_is_a_subject(unpack: Any) -> None:
    done = gitglass.git(["shortlog"], cwd=unpack("plain"), stdin=b"Author: Ann <a@x>\nDate: x\nlast")
    assert done.stdout == b"Ann (1):\n      last\n\n"
    done = gitglass.git(["shortlog"], cwd=unpack("plain"), stdin=b"Author: Ann <a@x>\nDate: x\nlast\n")
    assert done.stdout == b"Ann (1):\n      \n\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--group=trailer:x"], b"fatal: using --group=trailer with stdin is not supported\n"),
        (["--group=%an"], b"fatal: using --group=format with stdin is not supported\n"),
        (["-c", "--group=author"], b"fatal: using multiple --group options with stdin is not supported\n"),
    ],
)
def test_what_a_text_does_not_tell(unpack: Any, words: list[str], complaint: bytes) -> None:
    done = gitglass.git(["shortlog", *words], cwd=unpack("plain"), stdin=TEXT)
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", complaint)


@pytest.mark.parametrize("words", [[], ["-sne"], ["--since=1"], ["-g"], ["--format=%an"]])
def test_a_log_is_read_outside_of_a_repository(tmp_path: Path, words: list[str]) -> None:
    text = b"Author: Ann <a@x>\n\n    one\n"
    (tmp_path / ".mailmap").write_bytes(b"Bea <b@x> <a@x>\n")
    done = gitglass.git(["shortlog", *words], cwd=tmp_path, root=tmp_path, stdin=text)
    shown = b"     1\tBea <b@x>\n" if words == ["-sne"] else b"Bea (1):\n      one\n\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, b"")


@pytest.mark.parametrize("words", [["HEAD"], ["--"], ["--all"], ["--", "f"]])
def test_words_outside_of_a_repository(tmp_path: Path, words: list[str]) -> None:
    done = gitglass.git(["shortlog", *words], cwd=tmp_path, root=tmp_path, stdin=b"")
    assert (done.returncode, done.stdout) == (129, b"")
    assert done.stderr.startswith(b"error: too many arguments given outside repository\nusage: ")


def test_a_person_without_a_name_has_an_empty_one(tmp_path: Path) -> None:
    builder = Builder(tmp_path)
    tree = builder.loose(b"tree", b"").hex().encode()
    who = b" <a@b> 1700000000 +0000\n"
    body = b"tree " + tree + b"\nauthor " + who + b"committer C" + who + b"\nm\n\nacked-by: <c@d>\n"
    oid = builder.loose(b"commit", body)
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(oid.hex() + "\n")
    assert run(tmp_path, "-s", "HEAD") == "     1\t\n"
    assert run(tmp_path, "-se", "HEAD") == "     1\t <a@b>\n"
    assert run(tmp_path, "-s", "--group=trailer:acked-by", "HEAD") == "     1\t\n"


@pytest.mark.parametrize("fields", [{}, {"encoding": "ISO-8859-1"}])
def test_typed_text_is_unicode_whatever_is_printed(tmp_path: Path, fields: dict[str, str]) -> None:
    builder = Builder(tmp_path)
    line = "René <r@x> 1700000000 +0530"
    raw = f"tree {builder.loose(b'tree', b'').hex()}\nauthor {line}\ncommitter {line}\n\ncafé\n".encode()
    commit = builder.loose(b"commit", raw).hex()
    with (tmp_path / ".git/config").open("a") as config:
        config.write("[i18n]\n\tlogOutputEncoding = ISO-8859-1\n")
    repo = gitglass.open(tmp_path)
    assert "café".encode("latin-1") in repo.git(["shortlog", commit]).stdout
    (group,) = repo.shortlog(commit, **fields).groups
    assert (group.name, group.subjects) == ("René", ["café"])

"""The rules for single objects applied: severities, the skip list, and the files that git itself obeys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitglass.fsck.judge import Rules, _is_dangerous
from gitglass.fsck.objects import Findings, Objects
from gitglass.limits import Context
from gitglass.objects.pack import BLOB, COMMIT, TREE

from ..hostile.paced import assert_paced
from ..support.worktrees import Repo

NO_AUTHOR = b"tree " + b"0" * 39 + b"1\ncommitter A <a@b> 1 +0000\n\nm\n"
OID = bytes(range(20))
ZERO_PADDED = b"0100644 a\0" + b"\1" * 20


class Judge:
    """A repository, and `said` by rules over it: the code of each statement, whether it is an error, its status."""

    def __init__(self, top: Path) -> None:
        self.repo = Repo(top)

    def rules(self, *, strict: bool = False) -> Rules:
        store = self.repo.store()
        return Rules(store, Objects(store, Findings(store), Context()), strict=strict)

    def said(self, rules: Rules) -> list[tuple[str, bool, int]]:
        return [(damage.code, damage.is_error, damage.status) for damage in rules.findings.drain()]

    def words(self, rules: Rules) -> list[str]:
        return [damage.words for damage in rules.findings.drain()]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path / "repo")


def test_an_error_is_named_with_the_object(judge: Judge) -> None:
    rules = judge.rules()
    assert rules.judge(OID, COMMIT, NO_AUTHOR) is False
    (damage,) = rules.findings.drain()
    assert damage.words == f"error in commit {OID.hex()}: missingAuthor: invalid format - expected 'author' line"
    assert (damage.code, damage.kind, damage.oid, damage.status) == ("missingAuthor", "commit", OID.hex(), 1)


def test_a_warning_is_an_error_where_that_is_asked_for(judge: Judge) -> None:
    rules, strict = judge.rules(), judge.rules(strict=True)
    assert [each.judge(OID, TREE, ZERO_PADDED) for each in (rules, strict)] == [True, False]
    assert judge.said(rules) == [("zeroPaddedFilemode", False, 0)]
    assert judge.said(strict) == [("zeroPaddedFilemode", True, 1)]


@pytest.mark.parametrize(
    ("setting", "good", "said"),
    [
        ("missingAuthor = ignore", True, []),
        ("MISSINGAUTHOR = Warn", True, [("missingAuthor", False, 0)]),
        ("missingAuthor = nonsense", False, [("config", True, 128), ("missingAuthor", True, 1)]),
        ("nobodyKnows = warn", False, [("config", True, 128), ("missingAuthor", True, 1)]),
        ("nulInHeader = warn", False, [("config", True, 128), ("missingAuthor", True, 1)]),
        ("nulInHeader = error", False, [("missingAuthor", True, 1)]),
    ],
)
def test_severities_are_configured(judge: Judge, setting: str, good: bool, said: list[Any]) -> None:
    judge.repo.config(f"[fsck]\n\t{setting}\n")
    rules = judge.rules()
    assert rules.judge(OID, COMMIT, NO_AUTHOR) is good
    assert judge.said(rules) == said


def test_of_objects_in_the_skip_list_nothing_is_said(judge: Judge) -> None:
    judge.repo.config("[fsck]\n\tskipList = skip\n")
    judge.repo.write("skip", b"# known\n%s  # this one\n" % OID.hex().encode())
    rules = judge.rules()
    assert rules.judge(OID, COMMIT, NO_AUTHOR) is True
    assert rules.judge(OID[::-1], COMMIT, NO_AUTHOR) is False
    assert judge.said(rules) == [("missingAuthor", True, 1)]


def test_a_skip_list_that_cannot_be_read(judge: Judge) -> None:
    judge.repo.config("[fsck]\n\tskipList = skip\n")
    assert judge.words(judge.rules()) == ["fatal: could not open object name list: skip"]
    whole = OID.hex()
    for line in ("nonsense", whole[:20], whole + "00", whole[:20] + " " + whole[20:]):
        judge.repo.write("skip", line.encode() + b"\n")
        assert judge.words(judge.rules()) == [f"fatal: invalid object name: {line}"]


def codes(judge: Judge, name: bytes, raw: bytes, mode: bytes = b"100644") -> list[str]:
    """What is said of a file called so: after the tree was judged, and then the file."""
    rules = judge.rules()
    rules.judge(OID, TREE, mode + b" " + name + b"\0" + b"\1" * 20)
    rules.judge(b"\1" * 20, BLOB, raw)
    return [code for code, _, _ in judge.said(rules)]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (b'[submodule "a"]\nurl = https://x/y\npath = p\nupdate = rebase', []),
        (b'[submodule "../a"]\nurl = x', ["gitmodulesName"]),
        (b'[submodule "a\\\\..\\\\b"]\nurl = x', ["gitmodulesName"]),
        (b'[submodule "a"]\nurl = -u', ["gitmodulesUrl"]),
        (b'[submodule "a"]\nurl = ../../:x', ["gitmodulesUrl"]),
        (b'[submodule "a"]\nurl = ../x', []),
        (b'[submodule "a"]\nurl = ./x%0ay', ["gitmodulesUrl"]),
        (b'[submodule "a"]\nurl = https://x%0ay/', ["gitmodulesUrl"]),
        (b'[submodule "a"]\nurl = https:///y', ["gitmodulesUrl"]),
        (b'[submodule "a"]\nurl = http::https://user@/y', ["gitmodulesUrl"]),
        (b'[submodule "a"]\npath = -p', ["gitmodulesPath"]),
        (b'[submodule "a"]\nupdate = !run', ["gitmodulesUpdate"]),
        (b"[submodule", ["gitmodulesParse"]),
    ],
)
def test_what_gitmodules_may_not_say(judge: Judge, setting: bytes, expected: list[str]) -> None:
    assert codes(judge, b".gitmodules", setting + b"\n") == expected
    assert codes(judge, b"gitmodules", setting + b"\n") == []


@pytest.mark.parametrize(
    "name", [b".GITMODULES", b".gitmodules. .", b"GITMOD~1", b"gi7eba~1", b".git\xe2\x80\x8cmodules"]
)
def test_gitmodules_by_the_names_of_other_systems(judge: Judge, name: bytes) -> None:
    assert "gitmodulesParse" in codes(judge, name, b"[submodule\n")


def test_lines_of_gitattributes_have_a_length(judge: Judge) -> None:
    assert codes(judge, b".gitattributes", b"x" * 2047 + b"\n") == []
    assert codes(judge, b".gitattributes", b"x" * 2048 + b"\n") == ["gitattributesLineLength"]


def test_special_files_are_no_links(judge: Judge) -> None:
    for name in (b"gitmodules", b"gitattributes", b"gitignore", b"mailmap"):
        assert codes(judge, b"." + name, b"", b"120000") == [name.decode() + "Symlink"]
        assert codes(judge, b".\xe2\x80\x8c" + name, b"", b"120000") == [name.decode() + "Symlink"]
        assert codes(judge, b"x." + name, b"", b"120000") == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"gi~10000", ["gitmodulesSymlink", "gitattributesSymlink", "gitignoreSymlink"]),
        (b"G~100000", ["gitmodulesSymlink", "gitattributesSymlink", "gitignoreSymlink"]),
        (b"ma~10000", ["mailmapSymlink"]),
        (b"m~100000", ["mailmapSymlink"]),
        (b"~1000000", ["gitmodulesSymlink", "gitattributesSymlink", "gitignoreSymlink", "mailmapSymlink"]),
        (b"~1", []),
    ],
)
def test_a_short_name_may_be_mostly_a_number(judge: Judge, name: bytes, expected: list[str]) -> None:
    """What git 2.39.5 says of such links. NTFS numbers its short names from the second character on, if it has to."""
    assert codes(judge, name, b"", b"120000") == expected


def test_each_name_of_a_tree_and_each_copy_of_an_object_is_spoken_of(judge: Judge) -> None:
    """git fsck does not look for what it said before: here two links in each of two copies of a tree."""
    rules = judge.rules()
    raw = b"".join(b"120000 %b\0%b" % (name, OID) for name in (b".gitignore", b"gitign~1"))
    assert [rules.judge(OID, TREE, raw) for _ in range(2)] == [True, True]
    assert judge.said(rules) == [("gitignoreSymlink", False, 0)] * 4


def test_at_the_end_files_are_looked_into_that_came_before_their_tree(judge: Judge) -> None:
    raw = b'[submodule "a"]\n\tpath = -p\n'
    rules = judge.rules()
    blob, tree = judge.repo.put("blob", raw), judge.repo.put("tree", b"")
    rules.judge(blob, BLOB, raw)
    rules.judge(OID, TREE, b"100644 .gitmodules\0" + blob)
    rules.judge(OID, TREE, b"100644 .gitattributes\0" + tree)
    rules.judge(OID, TREE, b"100644 .gitmodules\0" + b"\7" * 20)
    assert judge.said(rules) == []
    rules.finish()
    codes = [code for code, _, _ in judge.said(rules)]
    assert codes == ["gitmodulesPath", "gitmodulesMissing", "gitattributesBlob"]
    rules.finish()
    assert judge.said(rules) == []


@pytest.mark.parametrize(
    ("url", "dangerous"),
    [
        (b"../../x", False), (b"./../:x", True), (b".././/x", True), (b".//x", False), (b"../..:x", False), (b"../%0ax", True),
        (b"../%25%0Ax", True), (b"https://h/%0a", True), (b"https://h/%0b", False), (b"../" * 1_000_000 + b"x", False),
    ],
)  # fmt: skip
def test_a_url_that_may_lead_to_another_host(url: bytes, dangerous: bool) -> None:
    """Whatever its length: a megabyte of `../` once took hours."""
    assert_paced(lambda: _is_dangerous(url))
    assert _is_dangerous(url) is dangerous

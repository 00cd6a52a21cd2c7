"""Walks that come to a missing commit: what git says, and where it goes on."""

from __future__ import annotations

from typing import Any

import pytest

import gitglass

from ..support.worktrees import Repo


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Five commits in a row, c1 to c5, with tags of the same names; `side` is c4. c2 and its tag are gone, and no
    shallow file says so."""
    repo = Repo(tmp_path_factory.mktemp("cut"))
    repo.add("f")
    repo.write_index()
    tree, parent, oids = repo.tree().hex().encode(), b"", []
    for number in range(1, 6):
        lines = [b"tree " + tree, *([b"parent " + parent] if parent else [])]
        lines += [b"%b A <a@x> %d +0000" % (role, number) for role in (b"author", b"committer")]
        oids.append(repo.put("commit", b"\n".join(lines) + b"\n\nc%d\n" % number))
        parent = oids[-1].hex().encode()
    (repo.git / "refs/tags").mkdir()
    for name, oid in (("tags/c1", oids[0]), ("tags/c3", oids[2]), ("tags/c4", oids[3]), ("tags/c5", oids[4])):
        (repo.git / "refs" / name).write_text(oid.hex() + "\n")
    (repo.git / "refs/heads/main").write_text(oids[4].hex() + "\n")
    (repo.git / "refs/heads/side").write_text(oids[3].hex() + "\n")
    name = oids[1].hex()
    (repo.git / "objects" / name[:2] / name[2:]).unlink()
    return repo.top, name


@pytest.mark.parametrize(
    ("line", "status", "expected"),
    [
        ("log --format=%s side..main", 0, "c5"),
        ("log --format=%s c3..", 0, "c5 c4"),
        ("log --format=%s --graph side..main", 0, "* c5"),
        ("log --format=%s --topo-order c3..main", 0, "c5 c4"),
        ("log --format=%s --boundary side..main", 0, "c5 c4"),
        ("log --format=%s --ancestry-path side..main", 0, "c5"),
        ("log --format=%s main^!", 0, "c5"),
        ("log --format=%s side..main -- f", 0, ""),
        ("rev-list --count side..main", 0, "1"),
        ("log --format=%s -n2", 0, "c5 c4"),
        ("log --format=%s", 128, "c5 c4"),
        ("log --format=%s c1..main", 128, ""),
        ("log --format=%s c1...main", 128, "c5 c4"),
        ("rev-list --count --left-right c1...main", 128, ""),
        ("merge-base main c1", 1, ""),
        ("merge-base --is-ancestor c1 main", 1, ""),
        ("merge-base --is-ancestor side main", 0, ""),
        ("name-rev --name-only main side c1", 0, "tags/c5 tags/c4 tags/c1"),
        ("describe --contains c3", 0, "c3"),
        ("branch --format=%(refname:short) --merged side", 0, "side"),
        ("branch --format=%(refname:short) --no-merged side", 0, "main"),
        ("tag --merged side", 0, "c3 c4"),
        ("branch --format=%(refname:short) --contains c4", 0, "main side"),
        ("for-each-ref --format=%(refname:short) --contains c4", 0, "main side c4 c5"),
        ("for-each-ref --format=%(refname:short) --no-contains c5", 0, "side c1 c3 c4"),
        ("tag --contains c3", 0, "c3 c4 c5"),
        ("tag --contains c4", 128, ""),
    ],
)
def test_what_git_says_where_a_parent_is_missing(cut: Any, line: str, status: int, expected: str) -> None:
    """As git 2.39.5: only a walk that is to show what lies beyond it ends there."""
    top, missing = cut
    answer = gitglass.git(line.split(), cwd=top)
    assert (answer.returncode, " ".join(answer.stdout.decode().split("\n")).strip()) == (status, expected)
    assert status != 128 or missing in answer.stderr.decode()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("log --format=%s", "Failed to traverse parents of commit {c3}"),
        ("rev-list main", "Failed to traverse parents of commit {c3}"),
        ("rev-list --count main", "Failed to traverse parents of commit {c3}"),
        ("rev-list --count c1..main", "revision walk setup failed"),
        ("rev-list --topo-order main", "revision walk setup failed"),
        ("log --graph", "revision walk setup failed"),
        ("log c1..main", "revision walk setup failed"),
        ("log -- f", "cannot simplify commit {c3} (because of {c2})"),
        ("tag --contains c4", "unable to parse commit {c2}"),
        ("shortlog -s main", "Failed to traverse parents of commit {c3}"),
    ],
)
def test_the_words_of_a_walk_that_ends(cut: Any, line: str, words: str) -> None:
    top, missing = cut
    child = gitglass.git(["rev-parse", "c3"], cwd=top).stdout.decode().strip()
    expected = f"error: Could not read {missing}\nfatal: {words.format(c2=missing, c3=child)}\n"
    assert gitglass.git(line.split(), cwd=top).stderr.decode() == expected


def test_another_missing_object_has_its_own_words(tmp_path: Any) -> None:
    repo = Repo(tmp_path)
    lines = [b"tree " + b"1" * 40, b"author A <a@x> 1 +0000", b"committer A <a@x> 1 +0000"]
    commit = repo.put("commit", b"\n".join(lines) + b"\n\nc\n")
    (repo.git / "refs/heads/main").write_text(commit.hex() + "\n")
    answer = gitglass.git(["log", "--", "f"], cwd=repo.top)
    assert (answer.returncode, answer.stderr) == (128, b"fatal: unable to read tree %b\n" % (b"1" * 40))

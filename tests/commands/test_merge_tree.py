"""git merge-tree: pairs of branches from standard input, the typed form, and what is refused. (Its merges are those of
tests/merge; its words stand in the recorded answers.)"""

from typing import Any

import pytest

import gitglass
from gitglass.commands.merge_tree import MergeTreeRequest
from gitglass.errors import BadRequest, InvalidArgs, NotFound

PAIR = ("HEAD", "MERGE_HEAD")


@pytest.fixture
def repo(unpack: Any) -> gitglass.Repository:
    return gitglass.open(unpack("conflict"))


def asked(repo: gitglass.Repository, lines: bytes, *words: str) -> Any:
    return repo.git(["merge-tree", "--stdin", *words], input=lines)


def test_pairs_from_standard_input_stand_between_status_and_nul(repo: gitglass.Repository) -> None:
    conflict = repo.git(["merge-tree", "-z", *PAIR])
    clean = repo.git(["merge-tree", "-z", "HEAD", "HEAD"])
    assert (conflict.returncode, clean.returncode) == (1, 0) and b"CONFLICT" in conflict.stdout
    answer = asked(repo, b"HEAD MERGE_HEAD\nHEAD HEAD\n")
    assert (answer.stdout, answer.returncode) == (b"0\0%b\x001\0%b\0" % (conflict.stdout, clean.stdout), 0)
    names = repo.git(["merge-tree", "-z", "--name-only", "--no-messages", *PAIR]).stdout
    assert asked(repo, b"HEAD MERGE_HEAD", "--name-only", "--no-messages").stdout == b"0\0%b\0" % names
    assert asked(repo, b"").stdout == b""


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        (b"HEAD", "fatal: malformed input line: 'HEAD'.", 128),
        (b"", "fatal: malformed input line: ''.", 128),
        (b"HEAD  HEAD", "fatal: malformed input line: 'HEAD  HEAD'.", 128),
        (b" HEAD HEAD", "fatal: malformed input line: ' HEAD HEAD'.", 128),
        (b"HEAD HEAD HEAD", "fatal: malformed input line: 'HEAD HEAD HEAD'.", 128),
        (b"HEAD HEAD ", "merge-tree: HEAD  - not something we can merge", 1),
        (b"HEAD HEAD\r", "merge-tree: HEAD\r - not something we can merge", 1),
        (b"nope HEAD", "merge-tree: nope - not something we can merge", 1),
    ],
)
def test_a_bad_pair_ends_it_behind_those_before(
    repo: gitglass.Repository, line: bytes, words: str, status: int
) -> None:
    first = asked(repo, b"HEAD HEAD\n").stdout
    answer = asked(repo, b"HEAD HEAD\n" + line + b"\nHEAD HEAD\n")
    assert (answer.stdout, answer.stderr, answer.returncode) == (first, words.encode() + b"\n", status)


def test_typed(repo: gitglass.Repository) -> None:
    merge = repo.merge_tree(*PAIR).merges[0]
    stages = [f"{row.mode} {row.oid} {row.stage}\t{row.path}\n" for row in merge.conflicts]
    assert "".join(stages).encode() == repo.git(["ls-files", "-u"]).stdout
    assert (merge.ours, merge.theirs, merge.clean) == (*PAIR, False)
    said = repo.git(["merge-tree", "-z", *PAIR]).stdout.partition(b"\0\0")[2].split(b"\0")
    fields = [field for row in merge.messages for field in (str(len(row.paths)), *row.paths, row.kind, row.text + "\n")]
    assert "\0".join([*fields, ""]).encode() == b"\0".join(said) and len(merge.messages) > 3
    clean = repo.merge_tree("HEAD", "HEAD~1").merges[0]
    assert (clean.clean, clean.conflicts) == (True, []) and repo.git(
        ["rev-parse", "HEAD^{tree}"]
    ).stdout.decode() == clean.tree + "\n"
    assert [row.clean for row in repo.run(repo_lines("HEAD HEAD\nHEAD MERGE_HEAD\n")).merges] == [True, False]


def repo_lines(lines: str) -> Any:
    return MergeTreeRequest(stdin=True, lines=lines)


def test_what_is_refused(repo: gitglass.Repository, unpack: Any) -> None:
    with pytest.raises(NotFound, match="not something we can merge"):
        repo.merge_tree("HEAD", "nope")
    plain = gitglass.open(unpack("plain"))
    with pytest.raises(BadRequest, match="refusing to merge unrelated histories"):
        plain.merge_tree("main", "refs/notes/commits")
    assert plain.merge_tree("main", "refs/notes/commits", unrelated=True).merges[0].clean
    with pytest.raises(InvalidArgs, match="usage: git merge-tree"):
        repo.run(MergeTreeRequest(branches=["HEAD"]))

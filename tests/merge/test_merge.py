"""Merges of random histories, and of those that show a rule, compared with what git answered
(fixtures/scripts/record_merges.py)."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import gitglass

from ..support.merge_cases import CASES, case_history
from ..support.merge_histories import History, in_memory, make_history
from ..support.merged import merged
from ..support.worktrees import Repo

RECORD: dict[str, Any] = json.loads(
    Path(__file__).parents[2].joinpath("fixtures/recorded/merges.json").read_text(encoding="utf-8")
)
KINDS = list(RECORD["kinds"])


@pytest.fixture(scope="module", params=KINDS)
def opened(request: pytest.FixtureRequest) -> tuple[str, History, gitglass.Repository, list[str]]:
    made = make_history(random.Random(RECORD["seed"]), RECORD["count"], request.param)
    repo, names = in_memory(made)
    return request.param, made, gitglass.open(repo), [oid.hex() for oid in names]


@pytest.mark.parametrize("part", range(5))
def test_trees_conflicts_and_messages_are_git_s(
    opened: tuple[str, History, gitglass.Repository, list[str]], part: int
) -> None:
    kind, made, repo, names = opened
    for number in range(part, len(made.pairs), 5):
        one, two = made.pairs[number]
        answer = RECORD["kinds"][kind][number]
        if answer is not None:
            assert merged(repo, names[one], names[two]) == answer.encode("latin-1"), number


@pytest.mark.parametrize("number", range(len(CASES)), ids=list(CASES))
def test_what_shows_a_rule(number: int) -> None:
    made = case_history()
    repo, names = in_memory(made)
    for at in (2 * number, 2 * number + 1):
        one, two = made.pairs[at]
        assert merged(gitglass.open(repo), names[one].hex(), names[two].hex()) == RECORD["cases"][at].encode()


def test_the_record_has_every_kind_of_conflict() -> None:
    listed = [answer or "" for kind in KINDS for answer in RECORD["kinds"][kind]]
    listed += [tree for tree, _ in RECORD["submodules"]]
    kinds = Counter(word for answer in listed for word in answer.split("\0") if word.startswith("CONFLICT"))
    for kind in ("contents", "binary", "file/directory", "distinct modes", "modify/delete", "rename/rename",
                 "rename/delete", "rename involved in collision", "directory rename suggested",
                 "file in way of directory rename", "submodule", "submodule with possible resolution",
                 "submodule may have rewinds", "submodule history not available", "submodule lacks merge base",
                 "submodule not initialized"):  # fmt: skip
        assert kinds[f"CONFLICT ({kind})"], kind
    assert sum("CONFLICT" not in answer for answer in listed) > 40


@pytest.mark.parametrize(("ours", "theirs"), [("a", "b"), ("a", "a"), ("a", "base")])
def test_an_odd_mode_is_written_as_the_usual_one(tmp_path: Path, ours: str, theirs: str) -> None:
    """100664 was written once, and still is by others; trees that are not looked into stay."""
    repo = Repo(tmp_path)
    one, two = repo.put("blob", b"1\n"), repo.put("blob", b"2\n")
    inner = repo.put("tree", b"100664 x\0" + one)

    def rows(first: bytes, last: bytes, mode: bytes = b"100664") -> bytes:
        files = b"%b a\0%b%b f\0%b100644 z\0%b40000 zd\0%b" % (mode, first, mode, one, last, inner)
        return bytes(repo.put("tree", files))

    base = repo.commit(rows(one, one))
    parent = b"parent %b\n" % base.hex().encode()
    commits = {"base": base}
    for name, tree in (("a", rows(two, one)), ("b", rows(one, two))):
        who = b"author A <a@x> 2 +0000\ncommitter A <a@x> 2 +0000\n\nc\n"
        commits[name] = repo.put("commit", b"tree %b\n" % tree.hex().encode() + parent + who)
    asked = [commits[ours].hex(), commits[theirs].hex()]
    done = gitglass.git(["merge-tree", *asked], cwd=repo.top)
    last = two if theirs == "b" else one
    assert done.stdout == rows(two, last, b"100644").hex().encode() + b"\n"

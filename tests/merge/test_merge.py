"""Merges of random histories, compared with what git answered (fixtures/scripts/record_merges.py)."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import gitglass

from ..support.merge_histories import History, in_memory, make_history
from ..support.merged import merged

RECORD: dict[str, Any] = json.loads(
    Path(__file__).parents[2].joinpath("fixtures/recorded/merges.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def history() -> tuple[History, gitglass.Repository, list[str]]:
    made = make_history(random.Random(RECORD["seed"]), RECORD["count"])
    repo, names = in_memory(made)
    return made, gitglass.open(repo), [oid.hex() for oid in names]


@pytest.mark.parametrize("part", range(10))
def test_trees_conflicts_and_messages_are_git_s(
    history: tuple[History, gitglass.Repository, list[str]], part: int
) -> None:
    made, repo, names = history
    for number in range(part, len(made.pairs), 10):
        one, two = made.pairs[number]
        answer = RECORD["answers"][number]
        if answer is not None:
            assert merged(repo, names[one], names[two]) == answer.encode("latin-1"), number


def test_the_record_has_every_kind_of_conflict() -> None:
    kinds = Counter(
        word for answer in RECORD["answers"] for word in (answer or "").split("\0") if word.startswith("CONFLICT")
    )
    for kind in ("contents", "binary", "file/directory", "distinct modes", "modify/delete", "rename/rename",
                 "rename/delete", "rename involved in collision", "directory rename suggested"):  # fmt: skip
        assert kinds[f"CONFLICT ({kind})"], kind
    assert sum(answer is not None and "CONFLICT" not in answer for answer in RECORD["answers"]) > 40

"""Files that only make answers faster may be broken: the answer is the one without them, for every question that asks them."""

import os
from pathlib import Path
from typing import Any

import pytest

from gitglass.limits import Limits

from .observer import ask_truth, prepare
from .zoo import ZOO

BROKEN = [
    name for name, member in ZOO.items() if ("a commit-graph, " in name or "multi-pack" in name) and member.intact
]
REACHING = [line.split() for line in """
merge-base HEAD HEAD~2
merge-base --is-ancestor HEAD~2 HEAD
rev-list --count HEAD
rev-list --count HEAD~2..HEAD
rev-list HEAD~2..HEAD
rev-list --topo-order HEAD
log --oneline --graph -n 5
branch --contains HEAD~1
branch --merged HEAD
tag --contains HEAD~2
describe --tags
status -sb
log --format=%H -- .
log --oneline -- README.md
blame README.md
for-each-ref --format=%(refname)%(ahead-behind:HEAD)
""".strip().splitlines()]  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_accelerator_changes_no_answer(name: str, unpack: Any, tmp_path: Path, watched: Any) -> None:
    clean = unpack("plain")
    repo, _ = prepare(ZOO[name], clean, tmp_path)
    watched(os.path.commonpath([os.path.realpath(clean), os.path.realpath(tmp_path)]))
    found = [fault for argv in REACHING for fault in ask_truth(repo, clean, Limits(timeout=10), argv)]
    assert not found

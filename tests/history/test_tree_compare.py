"""Pathspecs with wildcards on large directories: as comparing the entries one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest

import gitglass
from gitglass.history import tree_compare
from gitglass.history.spec import WalkSpec
from gitglass.history.tree_compare import DIFFERENT, NEW, OLD, SAME, AnyPaths, make_comparer
from gitglass.paths.pathspec import Pathspecs


@pytest.mark.parametrize("seed", range(80))
def test_large_directories_entry_by_entry(history: Any, seed: int) -> None:
    pick = random.Random(seed)
    files = {f"f{n:03d}": str(pick.randrange(3)) for n in range(pick.choice([5, 200]))}  # below and above trees.LARGE
    comparer = make_comparer(history.store, WalkSpec(paths=Pathspecs.parse([b"*7"]), prune=True), history.ctx)
    assert isinstance(comparer, AnyPaths)
    before = history.tree(files)
    for _ in range(12):
        new = dict(files)
        for _ in range(pick.choice([1, 1, 2, 30])):
            name = f"f{pick.randrange(220):03d}"
            if pick.random() < 0.3:
                new.pop(name, None)
            else:
                new[name] = str(pick.randrange(4))
        after = history.tree(new)
        changed = {name for name in {**files, **new} if name.endswith("7") and files.get(name) != new.get(name)}
        expected = SAME
        for name in changed:
            expected |= (OLD if name in files else 0) | (NEW if name in new else 0)
        assert comparer.trees(before, after) == (expected if before != after else SAME)
        assert expected <= DIFFERENT
        files, before = new, after


def test_very_many_paths_are_not_looked_for_one_by_one(unpack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = unpack("plain")
    none = [f"none{number}" for number in range(tree_compare._MOST_PLAIN)]

    def log(paths: list[str]) -> bytes:
        done = gitglass.git(["log", "--format=%H", "--name-status", "--", *paths], cwd=repo)
        assert done.returncode == 0
        return done.stdout

    few = log(["README.md", "src"])
    assert few and log(["README.md", *none, "src"]) == few
    monkeypatch.setattr(
        tree_compare, "PlainPaths", type("Unmade", (), {"__init__": None})
    )  # nothing makes one any more
    assert log(["README.md", *none, "src"]) == few

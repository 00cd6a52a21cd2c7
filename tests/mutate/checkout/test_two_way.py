"""What differs between two trees."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.support.writing import copy_of

import gitglass
from gitglass.mutate.checkout.two_way import tree_differences


def test_every_directory_is_a_step_of_work(tmp_path: Path) -> None:
    """So that a deadline ends a comparison of trees that have no end."""
    repo = copy_of("plain", tmp_path / "repo")
    store = gitglass.open(repo, root=repo).store
    steps: list[None] = []
    view: Any = SimpleNamespace(odb=store.odb, store=store, ctx=SimpleNamespace(tick=lambda: steps.append(None)))
    tips = [store.refs.read(name) for name in (b"refs/heads/main", b"refs/heads/topic")]
    trees = [store.odb.commit_facts(tip)[2] for tip in tips if tip is not None]
    differing = tree_differences(view, trees[0], trees[1])
    folders = {path.rpartition(b"/")[0] for path in differing}
    assert len(differing) > 3 and len(steps) == len(folders | {b""}) > 1

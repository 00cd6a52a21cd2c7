"""plans/ignored_walk_options.py: options of a walk where nothing is walked."""

from typing import Any

import pytest

from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.plans.ignored_walk_options import UnusedWalk


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ({}, {"counted": False}),
        ({"max_count": 1}, {"counted": True, "stage": 1}),
        ({"max_count": 0}, {"counted": True, "stage": 0}),
        ({"max_count": -1}, {"counted": False}),
        ({"since": "2020-01-01"}, {"counted": True}),
        ({"until": "2020-01-01"}, {"counted": True}),
        ({"default": "main"}, {"counted": False, "default": "main"}),
        ({"walk_reflogs": True}, {"counted": False, "walk_reflogs": True}),
        ({"reverse": True, "skip": 3, "graph": False, "pretty": "oneline"}, {"counted": False}),
    ],
)
def test_what_the_options_come_to(repo: Any, ctx: Context, asked: dict[str, Any], values: dict[str, object]) -> None:
    assert UnusedWalk(**asked).judge(repo.store(), [], "usage", ctx=ctx) == values


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"pretty": "nothing"}, "invalid --pretty format: nothing"),
        ({"reverse": True, "graph": True}, "options '--reverse' and '--graph'"),
        ({"grep": ["["]}, "'\\['"),
    ],
)
def test_what_git_dies_of(repo: Any, ctx: Context, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(GitError, match=words):
        UnusedWalk(**asked).judge(repo.store(), [], "usage", ctx=ctx)

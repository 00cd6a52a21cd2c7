"""Whatever is staged and whatever is decided: all accepted is what was staged, nothing accepted is the base, a part and
then the rest is what was staged again; and a workspace that was kept in between is the same."""

import random
from typing import Any

from dulwich.repo import MemoryRepo
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import Conflict, GitError
from gitglass.workspace.bundle import to_bundle
from gitglass.workspace.push import plan_push
from gitglass.workspace.review.deciding import questions_of
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.partial import apply_decisions
from gitglass.workspace.workspace import Workspace

from ...support.workspaces import add_commit
from ..conftest import PEOPLE, clock
from ..test_bundle import loaded, same
from ..test_push import MemoryTarget
from ..test_staging import checked, content

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"a\r\n", b"c\n"]), max_size=8)
TEXTS = st.tuples(LINES, st.sampled_from([b"", b"end", b"\0"])).map(lambda one: b"".join(one[0]) + one[1])
NAMES = ["a", "b.txt", "d/c", "d/e/f", "\udcff"]
BASES = st.dictionaries(st.sampled_from(NAMES), TEXTS, max_size=5)
DEEDS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.one_of(st.none(), TEXTS), st.sampled_from([None, "100644", "100755"])),
    min_size=1, max_size=5,
)  # fmt: skip


def made(base: dict[str, bytes], rounds: list[list[tuple[str, Any, Any]]]) -> tuple[MemoryRepo, Workspace] | None:
    """A workspace with a commit for each round that changes something; None where none does."""
    repo = MemoryRepo()
    add_commit(repo, {name.encode("utf-8", "surrogateescape"): data for name, data in base.items()}, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main", target="m", identity=PEOPLE, clock=clock())
    for number, deeds in enumerate(rounds):
        for name, data, mode in deeds:
            try:
                workspace.delete(name) if data is None else workspace.write(name, data, mode=mode)
            except GitError:
                continue
        paths = [row.path for row in workspace.files(changed_only=True)]
        if paths:
            workspace.stage(paths, f"Round {number}")
    return (repo, workspace) if workspace.staged else None


def review_of(repo: MemoryRepo, workspace: Workspace) -> Review:
    return Review.of(workspace, plan_push(workspace, workspace.staged[-1].id, MemoryTarget(repo), "main"))


@given(BASES, DEEDS, st.randoms(use_true_random=False))
def test_one_commit(base: dict[str, bytes], deeds: list[tuple[str, Any, Any]], dice: random.Random) -> None:
    """Everything, nothing, and a part of a single commit."""
    for share in (1.0, 0.0, 0.5):
        there = made(base, [deeds])
        if there is None:
            return
        repo, workspace = there
        tree, before, commits = workspace.staged[-1].tree, content(workspace), workspace.staged
        review = review_of(repo, workspace)
        for question in questions_of(review):
            review.decide(question.id, "accept" if dice.random() < share else "reject")
        review.approve()
        apply_decisions(workspace, review)
        workspace.reviews.append(review.data())
        checked(workspace)
        assert content(workspace) == before
        if share == 1.0:
            assert workspace.staged == commits
        if share == 0.0:
            assert workspace.staged == () and workspace.overlay.tree.hex() == workspace.base.tree
        again = loaded(to_bundle(workspace), repo)
        same(workspace, again)
        assert again.reviews == workspace.reviews
        rest = [row.path for row in again.files(changed_only=True)]
        if rest:
            again.stage(rest, "The rest")
        assert again.staged[-1].tree == tree


@given(BASES, st.lists(DEEDS, min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_several_commits(base: dict[str, bytes], rounds: list[Any], dice: random.Random) -> None:
    """A later commit may need what was rejected: then that is said, and nothing has changed."""
    there = made(base, rounds)
    if there is None:
        return
    repo, workspace = there
    tree, before, commits = workspace.staged[-1].tree, content(workspace), workspace.staged
    review = review_of(repo, workspace)
    for question in questions_of(review):
        review.decide(question.id, dice.choice(["accept", "reject"]))
    review.approve()
    try:
        apply_decisions(workspace, review)
    except Conflict:
        assert workspace.staged == commits and content(workspace) == before
        return
    checked(workspace)
    assert content(workspace) == before
    rest = [row.path for row in workspace.files(changed_only=True)]
    if rest:
        workspace.stage(rest, "The rest")
    assert (workspace.staged[-1].tree if workspace.staged else workspace.base.tree) == tree

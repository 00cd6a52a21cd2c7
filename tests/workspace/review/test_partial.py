"""Decisions about hunks: all of them is what was staged, none is the base, a subset and then the rest is what was staged."""

from dulwich.repo import MemoryRepo
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.limits import Context
from gitglass.workspace.push import plan_push
from gitglass.workspace.review.hunks import hunks_between, with_hunks
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.partial import apply_decisions
from gitglass.workspace.workspace import Workspace

from ...support.workspaces import FILES, TEXT, add_commit
from ..conftest import PEOPLE, clock
from ..test_push import MemoryTarget
from ..test_staging import checked, content

LINE = st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"a\r\n", b"x\0\n", b"long line of words\n"])
TEXTS = st.tuples(st.lists(LINE, max_size=30), st.sampled_from([b"", b"end", b"a"])).map(
    lambda one: b"".join(one[0]) + one[1]
)


@given(TEXTS, TEXTS, st.randoms(use_true_random=False))
def test_texts(old: bytes, new: bytes, dice: object) -> None:
    with Context() as ctx:
        hunks = hunks_between(b"f", old, new, ("1", "2"), ctx)
        assert with_hunks(old, new, hunks, {hunk.id for hunk in hunks}) == new
        assert with_hunks(old, new, hunks, ()) == old
        assert hunks_between(b"f", old, new, ("1", "2"), ctx) == hunks
        chosen = {hunk.id for hunk in hunks if dice.random() < 0.5}  # type: ignore[attr-defined]
        part = with_hunks(old, new, hunks, chosen)
        rest = hunks_between(b"f", part, new, ("3", "2"), ctx)
        assert with_hunks(part, new, rest, {hunk.id for hunk in rest}) == new
    assert len({hunk.id for hunk in hunks}) == len(hunks)


def staged(repo: MemoryRepo) -> Workspace:
    """Two commits over the base; the second changes a file of the first elsewhere."""
    workspace = Workspace.over(gitglass.open(repo), "main", target="m", identity=PEOPLE, clock=clock())
    workspace.write("src/a.py", TEXT.replace(b"line 2\n", b"two\n").replace(b"line 20\n", b"twenty\n"))
    workspace.write("new.txt", b"new\n")
    workspace.delete("run.sh")
    workspace.write("data.bin", b"\0other")
    workspace.stage(["src/a.py", "new.txt", "run.sh", "data.bin"], "One")
    workspace.write("src/a.py", workspace.read("src/a.py").data.replace(b"line 38\n", b"last\n"))
    workspace.stage(["src/a.py"], "Two")
    return workspace


@given(st.sets(st.integers(0, 7)))
def test_a_subset_and_then_the_rest(rejected: set[int]) -> None:
    repo = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    workspace = staged(repo)
    before, tree = content(workspace), workspace.staged[-1].tree
    review = Review.of(workspace, plan_push(workspace, workspace.staged[-1].id, MemoryTarget(repo), "main"))
    ids = [id for file in review.files for id in ([hunk.id for hunk in file.hunks] or [file.id])]
    assert len(ids) == 6
    for at, id in enumerate(ids):
        review.decide(id, "reject" if at in rejected else "accept", "why")
    review.approve("ann")
    made = apply_decisions(workspace, review)
    checked(workspace)
    assert content(workspace) == before and made == workspace.staged
    assert [one["hunk"] for one in review.data()["rejected"]] == [id for at, id in enumerate(ids) if at in rejected]  # type: ignore[index,attr-defined]
    if not rejected & set(range(6)):
        assert workspace.staged[-1].tree == tree
    if set(range(6)) <= rejected:
        assert workspace.staged == () and workspace.overlay.tree.hex() == workspace.base.tree
    rest = [row.path for row in workspace.files(changed_only=True)]
    if rest:
        workspace.stage(rest, "The rest")
    assert workspace.staged[-1].tree == tree


def test_another_message_and_the_same_change_ids(base: MemoryRepo) -> None:
    workspace = staged(base)
    plan = plan_push(workspace, workspace.staged[-1].id, MemoryTarget(base), "main")
    review = Review.of(workspace, plan)
    review.message = "Another message"
    made = apply_decisions(workspace, review)
    assert [one.subject for one in made] == ["One", "Another message"] and made[0].commit == plan.commits[0].commit
    assert [(one.id, one.change_id) for one in made] == [(one.id, one.change_id) for one in plan.commits]


def test_line_ends_are_flagged(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), "main", identity=PEOPLE)
    workspace.write("src/a.py", TEXT.replace(b"\n", b"\r\n"))
    word = workspace.stage(["src/a.py"], "CRLF").id
    review = Review.of(workspace, plan_push(workspace, word, MemoryTarget(base), "main"))
    assert review.files[0].line_ends == 40

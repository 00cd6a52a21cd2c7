"""Staged commits: real ones with final names, a stack that keeps the files as they are."""

from typing import Any

import pytest
from dulwich.objects import Commit, Tree
from dulwich.repo import MemoryRepo
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import Conflict, GitError, InvalidArgs, NotFound, TooLarge
from gitglass.mutate.grant import Identity
from gitglass.workspace.commits import message_of
from gitglass.workspace.limits import WsLimits
from gitglass.workspace.model import Identities
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, TEXT, add_commit
from .conftest import PEOPLE, clock


def content(workspace: Workspace) -> dict[str, tuple[str, bytes]]:
    return {
        row.path: (row.mode, workspace.read(row.path).data)
        for row in workspace.files(recursive=True)
        if row.mode != "160000"
    }


def checked(workspace: Workspace) -> None:
    """Every staged commit is one to dulwich, has the one before as its parent, and all its objects are there."""
    parent = workspace.base.commit
    for one in workspace.staged:
        kind, raw = workspace.layered.new.held[bytes.fromhex(one.commit)]
        made: Any = Commit.from_raw_string(Commit.type_num, raw)
        made.check()
        assert kind == b"commit" and made.id.decode() == one.commit and made.tree.decode() == one.tree
        assert [name.decode() for name in made.parents] == ([parent] if parent else [])
        Tree.from_raw_string(Tree.type_num, workspace.store.odb.tree(bytes.fromhex(one.tree))).check()
        for file in one.files:
            assert not file.blob or workspace.store.odb.has(bytes.fromhex(file.blob))
        parent = one.commit


def test_a_staged_commit_has_its_final_name(workspace: Workspace) -> None:
    workspace.write("README.md", b"new\n")
    workspace.write("docs/a.md", b"a\n")
    workspace.delete("src/deep/b.py")
    workspace.write("left.txt", b"not staged\n")
    made = workspace.stage(["/workspace/README.md", "docs/a.md", "src/deep/b.py"], "Subject  \n\n\n\nBody ")
    checked(workspace)
    assert made.message == "Subject\n\nBody\n" and made.subject == "Subject" and made.parent == workspace.base.commit
    assert made.author == "Ann Author <ann@example.com> 1700000004 +0100"
    assert made.committer == "Agent <agent@example.com> 1700000004 +0100"
    assert [(file.path, file.operation, file.size, file.sandbox_path) for file in made.files] == [
        ("README.md", "update", 4, "/workspace/README.md"), ("docs/a.md", "create", 2, "/workspace/docs/a.md"),
        ("src/deep/b.py", "delete", 0, "/workspace/src/deep/b.py"),
    ]  # fmt: skip
    assert [row.path for row in workspace.files(changed_only=True)] == ["left.txt"]
    second = workspace.stage(["left.txt"], "Second")
    assert second.parent == made.commit and workspace.top == second.commit
    checked(workspace)


def test_the_same_steps_give_the_same_names(base: Any) -> None:
    names = set()
    for _ in range(2):
        workspace = Workspace.over(gitglass.open(base), clock=clock(), identity=PEOPLE)
        workspace.write("a", b"1")
        names.add((workspace.stage(["a"], "A").commit, workspace.id))
    assert len(names) == 1


def test_what_cannot_be_staged(base: Any, workspace: Workspace) -> None:
    workspace.write("docs/a.md", b"a")
    for names in ([], ["README.md"], ["docs"], ["."], ["nowhere"]):
        with pytest.raises((InvalidArgs, NotFound)):
            workspace.stage(names, "M")
    for message in ("", "  \n ", "a\0b", None):
        with pytest.raises(InvalidArgs):
            workspace.stage(["docs/a.md"], message)
    with pytest.raises(TooLarge):
        workspace.stage(["docs/a.md"], "x" * 70_000)
    with pytest.raises(InvalidArgs, match="nothing is staged"):
        workspace.stage(["docs/a.md"], "M", amend=True)
    nobody = Workspace.over(gitglass.open(base))
    nobody.write("a", b"")
    with pytest.raises(InvalidArgs, match="identity"):
        nobody.stage(["a"], "M")
    few = Workspace.over(gitglass.open(base), identity=PEOPLE, limits=WsLimits(staged=1))
    few.write("a", b"")
    few.write("b", b"")
    few.stage(["a"], "M")
    with pytest.raises(TooLarge, match="1 commits"):
        few.stage(["b"], "M")


def test_marks_are_not_staged(base: Any, workspace: Workspace) -> None:
    marked = b"a\n<<<<<<< ours (sandbox)\nx\n=======\ny\n>>>>>>> theirs (incoming)\n"
    workspace.write("README.md", marked)
    with pytest.raises(Conflict, match="marks of a conflict"):
        workspace.stage(["README.md"], "M")
    workspace.write("README.md", marked.replace(b"=======", b"======= x"))
    workspace.stage(["README.md"], "no marks")
    add_commit(base, {**FILES, b"howto.md": marked}, message=b"A text about marks\n")
    about = Workspace.over(gitglass.open(base), identity=PEOPLE)
    about.write("howto.md", marked + b"more\n")
    about.stage(["howto.md"], "it had them before")


def test_a_commit_is_named_by_a_part_of_its_id(workspace: Workspace) -> None:
    workspace.write("a", b"")
    made = workspace.stage(["a"], "A")
    assert workspace.find(made.id[:32]) == workspace.find(made.commit[:6]) == made
    for word in (made.commit[:5], "ffffffff", ""):
        with pytest.raises(NotFound):
            workspace.find(word)
    workspace.write("b", b"")
    workspace.stage(["b"], "B")
    with pytest.raises(InvalidArgs, match="several"):
        workspace.find("000000")  # ids that are counted begin alike


def test_amend_brings_those_above_along(workspace: Workspace) -> None:
    workspace.write("README.md", b"one\n")
    first = workspace.stage(["README.md"], "One")
    workspace.write("src/a.py", TEXT.replace(b"line 3\n", b"line three\n"))
    second = workspace.stage(["src/a.py"], "Two")
    workspace.write("more", b"more\n")
    workspace.write("loose", b"loose\n")
    before = content(workspace)
    amended = workspace.stage(["more"], "One and more", amend=first.commit)
    checked(workspace)
    assert (amended.id, amended.change_id) == (first.id, first.change_id) and amended.commit != first.commit
    assert amended.author == first.author and [file.path for file in amended.files] == ["README.md", "more"]
    follower = workspace.staged[1]
    assert (follower.id, follower.change_id, follower.message) == (second.id, second.change_id, "Two\n")
    assert follower.parent == amended.commit and content(workspace) == before
    workspace.stage([], "Another message", amend=True)
    assert [one.subject for one in workspace.staged] == ["One and more", "Another message"]
    workspace.write("src/a.py", b"x")
    with pytest.raises(Conflict, match="later staged commit"):
        workspace.stage(["src/a.py"], None, amend=first.id)
    workspace.undo()
    workspace.undo()
    workspace.undo()
    assert workspace.staged[1] == second and content(workspace) == before


def test_discard_keeps_what_was_written(workspace: Workspace) -> None:
    workspace.write("README.md", b"one\n")
    first = workspace.stage(["README.md"], "One")
    workspace.write("b", b"two\n")
    second = workspace.stage(["b"], "Two")
    before = content(workspace)
    assert workspace.discard(first.id).state == "discarded"
    assert [one.id for one in workspace.staged] == [second.id] and content(workspace) == before
    assert workspace.discard_paths(["README.md"]) == ["README.md"]
    assert workspace.read("README.md").data == FILES[b"README.md"]
    workspace.undo()
    assert content(workspace) == before
    workspace.write("b", b"three\n")
    workspace.stage(["b"], "Three")
    with pytest.raises(Conflict, match="does not follow"):
        workspace.discard(second.id)
    with pytest.raises(NotFound):
        workspace.discard_paths(["run.sh"])


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "stage", "stage", "amend", "discard", "undo"]), st.integers(0, 5),
        st.sampled_from([b"1\n", TEXT, TEXT.replace(b"line 5\n", b"five\n"), TEXT.replace(b"line 30\n", b"thirty\n")]),
    ),
    max_size=20,
)  # fmt: skip


@given(ACTS)
def test_no_staging_changes_a_file(acts: list[tuple[str, int, bytes]]) -> None:
    repo = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main", identity=PEOPLE, clock=clock())
    paths = ["README.md", "src/a.py", "new/a", "new/b", "templates/one.txt", "x"]
    for act, number, data in acts:
        before = content(workspace)
        rows = [row.path for row in workspace.files(changed_only=True)]
        try:
            if act == "write":
                workspace.write(paths[number], data)
                continue
            if act == "stage":
                workspace.stage(rows[: number + 1], f"Stage {number}")
            elif act == "amend" and workspace.staged:
                workspace.stage(rows[:2], None, amend=workspace.staged[number % len(workspace.staged)].commit)
            elif act == "discard" and workspace.staged:
                workspace.discard(workspace.staged[number % len(workspace.staged)].commit)
            elif act == "undo":
                workspace.undo()
                continue
        except GitError:
            pass
        assert content(workspace) == before
        checked(workspace)


def test_messages_and_people(workspace: Workspace) -> None:
    person, agent = Identity("Ann", "ann@x"), Identity("Bot", "bot@x")
    texts = [
        message_of(workspace, "Subject", Identities.of(person, agent, preset), WsLimits()).decode()
        for preset in ("person", "agent", "trailer")  # type: ignore[arg-type]
    ]
    assert texts == [
        "Subject\n\nCo-authored-by: Bot <bot@x>\n", "Subject\n\nCo-authored-by: Ann <ann@x>\n", "Subject\n\nAgent: Bot <bot@x>\n",
    ]  # fmt: skip
    workspace.write("a", b"")
    made = workspace.stage(["a"], "A\n\nSigned-off-by: X <x@y>", co_authors=[agent])
    assert made.message == "A\n\nSigned-off-by: X <x@y>\nCo-authored-by: Bot <bot@x>\n"
    assert workspace.stage([], "B", amend=True, co_authors=[person]).message == "B\n\nCo-authored-by: Ann <ann@x>\n"


def test_over_nothing_the_first_commit_has_no_parent() -> None:
    workspace = Workspace.empty(identity=PEOPLE)
    workspace.write("a/b", b"c")
    made = workspace.stage(["a/b"], "First")
    assert made.parent is None
    checked(workspace)


def test_sha256(base: Any) -> None:
    workspace = Workspace.empty("sha256", identity=PEOPLE)
    workspace.write("a", b"c")
    made = workspace.stage(["a"], "First")
    assert len(made.commit) == len(made.tree) == 64 and made.files[0].operation == "create"

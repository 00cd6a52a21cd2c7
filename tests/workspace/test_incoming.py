"""Pull, rebase and merge in memory; conflicts and how they are settled."""

from typing import Any

import pytest
from dulwich.repo import MemoryRepo
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import Conflict, InvalidArgs, NotFound, TooLarge, Unsupported
from gitglass.limits import Context
from gitglass.workspace.incoming import Incoming, merge_contents
from gitglass.workspace.limits import WsLimits
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.sources import incoming_of, opened_store
from gitglass.workspace.workspace import Workspace

from ..support.workers import MemoryTarget, RenamingTarget, no_pauses
from ..support.workspaces import FILES, TEXT, Files, add_commit
from .conftest import PEOPLE, clock
from .test_staging import checked, content


def moved(base: MemoryRepo, files: Files, ref: bytes = b"refs/heads/main") -> Incoming:
    """The base's branch with another commit that changes these files (None: deleted)."""
    after = {path: value for path, value in {**FILES, **files}.items() if value is not None}
    add_commit(base, after, message=b"Theirs\n", ref=ref, when=60)
    return incoming_of(opened_store(gitglass.open(base)), ref.decode())


REPORT = b"# Report\n\n%b\n\nThe end.\n"


def test_document_4s_conflict(base: MemoryRepo) -> None:
    add_commit(base, {**FILES, b"report.md": REPORT % b"Revenue."}, message=b"Report\n")
    workspace = Workspace.over(gitglass.open(base), identity=PEOPLE)
    workspace.write("report.md", REPORT % b"Revenue increased by 15% in Q4.")
    source = moved(base, {b"report.md": REPORT % b"Revenue grew 12% compared to Q3.", b"other.md": b"new\n"})
    result = workspace.pull(source, ["report.md"])
    assert (result.pulled, result.conflicts, result.base_moved) == (("report.md",), ("report.md",), False)
    assert workspace.read("report.md").data == (
        b"# Report\n\n<<<<<<< ours (sandbox)\nRevenue increased by 15% in Q4.\n=======\nRevenue grew 12% compared to Q3.\n"
        b">>>>>>> theirs (incoming)\n\nThe end.\n"
    )
    with pytest.raises(Conflict, match="marks of a conflict"):
        workspace.stage(["report.md"], "Update")
    workspace.write("report.md", REPORT % b"Revenue increased by 15% in Q4, building on 12% Q3 growth.")
    workspace.stage(["report.md"], "Update")
    assert workspace.conflicts == {}
    again = workspace.pull(source, ["report.md"])
    assert again.conflicts == () and b"building" in workspace.read("report.md").data  # what was pulled is the base now


def test_a_whole_pull_moves_the_base_and_brings_the_stack_along(base: MemoryRepo, workspace: Workspace) -> None:
    workspace.write("README.md", b"# Other title\n\nText.\n")
    first = workspace.stage(["README.md"], "Title")
    workspace.write("src/a.py", TEXT.replace(b"line 3\n", b"three\n"))
    second = workspace.stage(["src/a.py"], "Three")
    workspace.write("loose", b"loose\n")
    source = moved(base, {b"src/a.py": TEXT.replace(b"line 30\n", b"thirty\n"), b"theirs": b"t\n", b"run.sh": None})
    result = workspace.pull(source)
    assert result.base_moved and result.conflicts == () and result.unstaged == ()
    assert result.pulled == ("run.sh", "src/a.py", "theirs")
    assert workspace.base.commit == source.commit
    assert [(one.id, one.change_id, one.subject) for one in workspace.staged] == [
        (first.id, first.change_id, "Title"), (second.id, second.change_id, "Three"),
    ]  # fmt: skip
    checked(workspace)
    both = TEXT.replace(b"line 3\n", b"three\n").replace(b"line 30\n", b"thirty\n")
    assert workspace.read("src/a.py").data == both and "run.sh" not in content(workspace)
    assert [row.path for row in workspace.files(changed_only=True)] == ["loose"]
    workspace.undo()
    assert workspace.staged == (first, second) and "run.sh" in content(workspace)


def test_what_does_not_follow_is_in_the_files(base: MemoryRepo, workspace: Workspace) -> None:
    workspace.write("x", b"x\n")
    workspace.stage(["x"], "Fits")
    workspace.write("README.md", b"# Ours\n")
    workspace.stage(["README.md"], "Does not")
    workspace.write("y", b"y\n")
    workspace.stage(["y"], "Above it")
    result = workspace.pull(moved(base, {b"README.md": b"# Theirs\n"}))
    assert result.unstaged == ("Does not", "Above it") and result.conflicts == ("README.md",)
    assert [one.subject for one in workspace.staged] == ["Fits"]
    assert workspace.read("README.md").data.startswith(b"<<<<<<< ours (sandbox)\n# Ours\n")
    assert [row.path for row in workspace.files(changed_only=True)] == ["README.md", "y"]
    workspace.resolve("README.md", "theirs")
    assert [row.path for row in workspace.files(changed_only=True)] == ["y"]


@pytest.mark.parametrize(
    ("ours", "theirs", "kind", "marked"),
    [
        (b"# Ours\n", b"# Theirs\n", "content", True), (None, b"# Theirs\n", "modify/delete", False), (b"# Ours\n", None, "modify/delete", False),
        (b"\0ours", b"\0theirs", "binary", False),
    ],
)  # fmt: skip
def test_kinds_of_conflicts(
    base: MemoryRepo, workspace: Workspace, ours: Any, theirs: Any, kind: str, marked: bool
) -> None:
    if ours is None:
        workspace.delete("README.md")
    else:
        workspace.write("README.md", ours)
    assert workspace.pull(moved(base, {b"README.md": theirs})).conflicts == ("README.md",)
    conflict = workspace.conflicts[b"README.md"]
    assert (conflict.kind, conflict.marked) == (kind, marked) and "README.md" in conflict.message
    before = content(workspace)
    if "README.md" in {row.path for row in workspace.files(changed_only=True)}:
        with pytest.raises(Conflict):
            workspace.stage(["README.md"], "M")
    for take, side in (("ours", ours), ("theirs", theirs), ("base", FILES[b"README.md"])):
        workspace.resolve("README.md", take)  # type: ignore[arg-type]
        assert workspace.conflicts == {} and content(workspace).get("README.md", ("", None))[1] == side
        workspace.undo()
        assert content(workspace) == before and list(workspace.conflicts) == [b"README.md"]


def test_add_add_and_settling_by_content(base: MemoryRepo, workspace: Workspace) -> None:
    workspace.write("new", b"ours\n")
    workspace.pull(moved(base, {b"new": b"theirs\n"}))
    assert workspace.conflicts[b"new"].kind == "add/add" and workspace.conflicts[b"new"].base is None
    marks = workspace.read("new").data
    with pytest.raises(Conflict, match="marks"):
        workspace.resolve("new", "content", marks)
    with pytest.raises(InvalidArgs):
        workspace.resolve("new", "content")
    with pytest.raises(InvalidArgs, match="not in conflict"):
        workspace.resolve("run.sh", "ours")
    workspace.resolve("new", "content", marks, keep_markers=True)
    workspace.stage(["new"], "They are meant")


def test_strategies_take_one_sides_file(base: MemoryRepo) -> None:
    source = moved(base, {b"README.md": b"# Theirs\n", b"run.sh": None, b"data.bin": b"\0theirs"})
    wanted = {"ours": (b"# Ours\n", b"#!/bin/ours\n", b"\0ours"), "theirs": (b"# Theirs\n", None, b"\0theirs")}
    for strategy, sides in wanted.items():
        workspace = Workspace.over(gitglass.open(base), "main~1", identity=PEOPLE)
        workspace.write("README.md", b"# Ours\n")
        workspace.write("run.sh", b"#!/bin/ours\n")
        workspace.write("data.bin", b"\0ours")
        assert workspace.pull(source, strategy=strategy).conflicts == ()  # type: ignore[arg-type]
        there = content(workspace)
        assert tuple(there.get(path, ("", None))[1] for path in ("README.md", "run.sh", "data.bin")) == sides


def test_paths_of_another_repository(workspace: Workspace) -> None:
    other = MemoryRepo()
    add_commit(
        other,
        {b"templates/a.txt": b"a\n", b"templates/deep/b.txt": b"b\n", b"README.md": b"# Else\n", b"src/z.py": b"z\n"},
        message=b"Other\n",
    )
    source = incoming_of(opened_store(gitglass.open(other)), "main", target="other")
    result = workspace.pull(source, ["templates/"], dest="/workspace/from")
    assert result.pulled == ("from/templates/a.txt", "from/templates/deep/b.txt")
    assert workspace.pull(source, ["README.md", "src"]).pulled == ("README.md", "src/z.py")
    assert workspace.read("src/a.py").data == TEXT  # what the other has not is not deleted
    for names, dest in ((["nowhere"], ""), (["../x"], ""), ([".git"], "")):
        with pytest.raises(NotFound):
            workspace.pull(source, names, dest=dest)
    for dest in ("README.md", ".git", "../x"):
        with pytest.raises((Conflict, gitglass.GitError)):
            workspace.pull(source, ["src"], dest=dest)
    made = workspace.stage(["from/templates/a.txt"], "Template")
    assert made.files[0].size == 2


def test_limits_of_a_pull(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), limits=WsLimits(pull_bytes=100))
    source = moved(base, {b"large": b"x" * 101})
    for names in ((), ("large",)):
        with pytest.raises(TooLarge):
            workspace.pull(source, names)
    assert workspace.files(changed_only=True) == [] and workspace.base.commit != source.commit


def test_a_merge_commit(base: MemoryRepo, workspace: Workspace) -> None:
    workspace.write("src/a.py", TEXT.replace(b"line 3\n", b"three\n"))
    workspace.stage(["src/a.py"], "Three")
    workspace.write("loose", b"loose\n")
    source = moved(base, {b"src/a.py": TEXT.replace(b"line 30\n", b"thirty\n")})
    made = workspace.merge(source)
    assert (made.parent, made.merged, made.subject) == (
        workspace.staged[0].commit,
        source.commit,
        "Merge refs/heads/main",
    )
    assert b"three\n" in workspace.read("src/a.py").data and b"thirty\n" in workspace.read("src/a.py").data
    assert [row.path for row in workspace.files(changed_only=True)] == ["loose"]
    assert [file.path for file in made.files] == ["src/a.py"]
    workspace.write("loose", b"more\n")
    workspace.stage(["loose"], None, amend=workspace.staged[0].id)
    assert workspace.staged[1].merged == source.commit and workspace.staged[1].parent == workspace.staged[0].commit
    other = Workspace.over(gitglass.open(base), "main~1", identity=PEOPLE)
    other.write("src/a.py", TEXT.replace(b"line 30\n", b"dreissig\n"))
    other.stage(["src/a.py"], "Thirty")
    before = (content(other), other.staged)
    with pytest.raises(Conflict, match=r"merge conflict in src/a\.py"):
        other.merge(source)
    assert (content(other), other.staged) == before


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d"]), max_size=10).map(b"".join)


@given(LINES, LINES, LINES)
def test_merging_texts_is_pure_and_fair(base_text: bytes, one: bytes, two: bytes) -> None:
    with Context() as ctx:
        assert merge_contents(base_text, one, one, ctx=ctx).content == one
        assert merge_contents(base_text, base_text, two, ctx=ctx).content == two
        assert merge_contents(base_text, one, base_text, ctx=ctx).content == one
        merged, turned = merge_contents(base_text, one, two, ctx=ctx), merge_contents(base_text, two, one, ctx=ctx)
        assert merged.status == turned.status
        if merged.status == "clean":
            assert merged.content == turned.content


def test_merging_texts_marks_what_does_not_fit() -> None:
    with Context() as ctx:
        merged = merge_contents(None, b"x\n", b"y\n", ctx=ctx)
        assert (merged.status, merged.content) == (
            "conflict",
            b"<<<<<<< ours (sandbox)\nx\n=======\ny\n>>>>>>> theirs (incoming)\n",
        )
        named = merge_contents(b"", b"x\n", b"y\n", labels=("a", "b"), algorithm="myers", ctx=ctx)
        assert named.content == b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
        with pytest.raises(Unsupported):
            merge_contents(b"", b"\0", b"y", ctx=ctx)


def test_the_base_is_the_one_that_it_says(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), "main", target="here", clock=clock())
    assert (workspace.base.target, workspace.base.ref) == ("here", "refs/heads/main")
    with pytest.raises(NotFound):
        Workspace.over(gitglass.open(base), "nowhere")


@pytest.mark.parametrize("renaming", [False, True])
def test_staged_commits_that_have_arrived_leave_the_stack(renaming: bool) -> None:
    """Pushed with nobody knowing, then built upon: a pull finds them there, and picks only the others."""
    repo: Any = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    target = (RenamingTarget if renaming else MemoryTarget)(repo)
    workspace = Workspace.over(gitglass.open(repo), "main", target="m", identity=PEOPLE, clock=clock())
    for name in ("a", "b", "c"):
        workspace.write(name, name.encode())
        workspace.stage([name], name.upper())
    faults = iter(["after", *["read"] * 4])
    left = [next(faults)]

    def fault(deed: str) -> bool:
        wrong = left[0] == deed
        left[0] = next(faults, "") if wrong else left[0]
        return wrong

    target.faults = fault
    result = push(workspace, plan_push(workspace, workspace.staged[1].id, target, "main"), target, patience=no_pauses())
    assert result.status == "unknown" and len(workspace.staged) == 3
    target.faults = lambda _: False
    tree = gitglass.open(repo).git(["show", "main:a"]).stdout
    assert tree == b"a"
    add_commit(repo, {**FILES, b"a": b"a", b"b": b"other\n"}, message=b"Above\n", when=9)
    pulled = workspace.pull(target.incoming("main"))
    assert [one.subject for one in workspace.staged] == ["C"] and pulled.conflicts == () and pulled.unstaged == ()
    assert [one.subject for one in workspace.pushed] == ["A", "B"] and workspace.read("b").data == b"other\n"
    assert push(workspace, plan_push(workspace, workspace.staged[0].id, target, "main"), target).status == "success"
    messages = [entry.commit.message for entry in repo.get_walker()]
    assert messages == [b"C\n", b"Above\n", b"B\n", b"A\n", b"Base\n"]


def test_what_was_pushed_elsewhere_alone_is_on_the_stack_again() -> None:
    """The base is a commit that only the other target has: git's rebase would replay it, and so does a pull."""
    repos: list[Any] = [MemoryRepo(), MemoryRepo()]
    for repo in repos:
        add_commit(repo, FILES, message=b"Base\n")
        repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    one, two = (MemoryTarget(repo) for repo in repos)
    workspace = Workspace.over(gitglass.open(repos[0]), "main", target="m", identity=PEOPLE, clock=clock())
    for name, target in (("a", one), ("b", two)):
        workspace.write(name, name.encode())
        workspace.stage([name], name.upper())
        result = push(workspace, plan_push(workspace, workspace.staged[-1].id, target, "main"), target)
        assert result.status == "success" and workspace.staged == ()
    add_commit(repos[0], {**FILES, b"a": b"a", b"x": b"x"}, message=b"Above\n", when=9)
    workspace.write("c", b"c")
    workspace.stage(["c"], "C")
    pulled = workspace.pull(one.incoming("main"))
    assert (pulled.pulled, pulled.conflicts, pulled.unstaged) == (("x",), (), ())
    assert [commit.subject for commit in workspace.staged] == ["B", "C"]
    assert [workspace.read(name).data for name in "abcx"] == [b"a", b"b", b"c", b"x"]
    workspace.undo()
    assert [commit.subject for commit in workspace.staged] == ["C"] and workspace.read("b").data == b"b"

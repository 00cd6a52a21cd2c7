"""Save and load is the identity, and what is saved is a plain bundle."""

import io
from typing import Any

import pytest
from dulwich.bundle import read_bundle
from dulwich.repo import MemoryRepo
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import Conflict, Corrupt, GitError
from gitglass.workspace.bundle import from_bundle, to_bundle
from gitglass.workspace.saved import state_of
from gitglass.workspace.sources import incoming_of, opened_store
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, add_commit
from .conftest import PEOPLE, clock
from .test_staging import ACTS, checked, content


def loaded(data: bytes, repo: MemoryRepo) -> Workspace:
    return from_bundle(data, [opened_store(gitglass.open(repo)).odb], identity=PEOPLE, clock=clock())


def same(one: Workspace, other: Workspace) -> None:
    assert state_of(one) == state_of(other) and content(one) == content(other)
    assert (one.overlay.changes, one.overlay.tree, one.top) == (other.overlay.changes, other.overlay.tree, other.top)


@given(ACTS, st.booleans())
def test_identity(acts: list[tuple[str, int, bytes]], moved: bool) -> None:
    repo = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main", target="m", identity=PEOPLE, clock=clock())
    paths = ["README.md", "src/a.py", "new/a", "new/\udcff", "templates/one.txt", "x"]
    for act, number, data in acts:
        rows = [row.path for row in workspace.files(changed_only=True)]
        try:
            if act == "write":
                workspace.write(paths[number], data)
            elif act == "stage":
                workspace.stage(rows[: number + 1], f"Stage {number}")
            elif act == "discard" and workspace.staged:
                workspace.discard(workspace.staged[number % len(workspace.staged)].commit)
            elif act == "amend":
                workspace.delete(paths[number])
        except GitError:
            pass
    if moved:
        add_commit(repo, {**FILES, b"README.md": b"# Theirs\n", b"x": b"theirs\n"}, message=b"Moved\n")
        workspace.pull(incoming_of(opened_store(gitglass.open(repo)), "main", target="m"))
    again = loaded(to_bundle(workspace), repo)
    same(workspace, again)
    checked(again)
    assert to_bundle(again) == to_bundle(workspace)


def test_work_goes_on_after_a_restart(base: MemoryRepo, workspace: Workspace) -> None:
    workspace.write("a", b"a\n")
    word = workspace.stage(["a"], "A").id
    workspace.write("b", b"b\n")
    again = loaded(to_bundle(workspace), base)
    again.write("a", b"more\n")
    assert again.stage(["a"], None, amend=word).files[0].size == 5
    again.stage(["b"], "B")
    checked(again)
    assert [row.path for row in again.files(changed_only=True)] == []


def test_a_merge_and_another_repositorys_files_are_kept(base: MemoryRepo, workspace: Workspace) -> None:
    other = MemoryRepo()
    add_commit(other, {b"t/a.txt": b"from elsewhere\n"}, message=b"Other\n")
    workspace.pull(incoming_of(opened_store(gitglass.open(other)), "main", target="other"), ["t"])
    workspace.stage(["t/a.txt"], "Template")
    add_commit(base, {**FILES, b"theirs": b"t\n"}, message=b"Moved\n")
    workspace.merge(incoming_of(opened_store(gitglass.open(base)), "main", target=""))
    again = loaded(to_bundle(workspace), base)
    same(workspace, again)
    assert again.staged[-1].merged == base.refs[b"refs/heads/main"].decode()


def test_it_is_a_bundle_to_dulwich(base: MemoryRepo, workspace: Workspace) -> None:
    workspace.write("a", b"a\n")
    made = workspace.stage(["a"], "A")
    data = to_bundle(workspace)
    bundle: Any = read_bundle(io.BytesIO(data))
    front = b"refs/gitglass/ws/" + workspace.id.encode()
    assert bundle.version == 2 and [name for name, _ in bundle.prerequisites] == [base.refs[b"refs/heads/main"]]
    assert set(bundle.references) == {front + b"/staged/1", front + b"/overlay", front + b"/meta"}
    bundle.store_objects(base.object_store)
    assert made.commit.encode() in base.object_store
    assert b"token" not in data.lower()


def test_over_nothing_and_sha256() -> None:
    for hash_name in ("sha1", "sha256"):
        workspace = Workspace.empty(hash_name, identity=PEOPLE, clock=clock())
        workspace.write("a/b", b"c")
        workspace.stage(["a/b"], "First")
        workspace.write("d", b"e")
        same(workspace, from_bundle(to_bundle(workspace), [], identity=PEOPLE, clock=clock()))


def test_a_base_that_is_gone(workspace: Workspace) -> None:
    with pytest.raises(Conflict, match="not here any more"):
        loaded(to_bundle(workspace), MemoryRepo())


def test_what_is_no_saved_workspace(base: MemoryRepo, workspace: Workspace) -> None:
    workspace.write("a", b"a\n" * 100)
    workspace.stage(["a"], "A")
    data = to_bundle(workspace)
    head = data.index(b"\n\n")
    broken = [b"", b"# v2 git bundle\n", b"# v2 git bundle\n\n", data[:-30], data[: head + 2] + b"PACK", data.replace(b"/meta\n", b"/mete\n"),
              data[: head + 60] + b"x" + data[head + 61 :]]  # fmt: skip
    for bad in broken:
        with pytest.raises(Corrupt):
            loaded(bad, base)

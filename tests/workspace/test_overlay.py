"""An overlay is what a dictionary of files is, and comes to the tree that dulwich makes of that."""

from typing import Any

from dulwich.repo import MemoryRepo
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.workspace.overlay import WsEntry, tree_changes
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, add_commit, tree_of

PATHS = st.sampled_from(
    [
        "a",
        "b",
        "a/x",
        "a/y",
        "a/x/z",
        "d/e/f",
        "d/e",
        "d/g",
        "d",
        "src/a.py",
        "src/deep/b.py",
        "README.md",
        "src",
        "run.sh",
    ]
)
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "delete", "move", "undo"]),
        PATHS,
        PATHS,
        st.sampled_from([b"", b"1\n", b"2\n"]),
    ),
    max_size=25,
)

KEPT = {path: value for path, value in FILES.items() if path != b"sub"}


def model_of(workspace: Workspace) -> dict[bytes, Any]:
    rows = workspace.files(recursive=True)
    return {row.path.encode(): (int(row.mode, 8), workspace.read(row.path).data) for row in rows}


@given(ACTS)
def test_it_is_a_dictionary_of_files(acts: list[tuple[str, str, str, bytes]]) -> None:
    repo = MemoryRepo()
    add_commit(repo, KEPT, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main")
    files = {path: value if isinstance(value, tuple) else (0o100644, value) for path, value in KEPT.items()}
    history = []
    for act, path, other, data in acts:
        before = dict(files)
        one, two = path.encode(), other.encode()
        try:
            if act == "write":
                workspace.write(path, data)
                files[one] = (files.get(one, (0o100644,))[0], data)
            elif act == "delete":
                workspace.delete(path)
                del files[one]
            elif act == "move":
                workspace.move(path, other)
                files[two] = files.pop(one)
            elif history:
                workspace.undo()
                files = history.pop()
                continue
            else:
                continue
        except GitError:
            assert one not in files or act != "delete"
            continue
        history.append(before)
    assert model_of(workspace) == files
    scratch = MemoryRepo().object_store
    with Context() as ctx:
        tree = workspace.overlay.made(ctx)
        assert tree.hex().encode() == tree_of(scratch, files)
        changes = tree_changes(workspace.store, workspace.overlay.tree, tree, ctx)
    assert changes == workspace.overlay.changes
    for folder in ("", "a", "a/x", "d", "d/e", "src"):
        front = folder.encode() + b"/" if folder else b""
        wanted = {path[len(front) :].partition(b"/")[0] for path in files if path.startswith(front)}
        assert set(workspace.overlay.names(folder.encode())) == wanted
        assert workspace.overlay.is_folder(folder.encode()) == bool(wanted) or not folder


def test_old_modes_are_read_as_git_reads_them(workspace: Workspace) -> None:
    entry = workspace.overlay.look(b"run.sh")
    assert entry is not None and entry == WsEntry(0o100755, entry.oid) and not entry.is_link and not entry.is_submodule

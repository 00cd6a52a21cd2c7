"""Files in memory over a base: read, written, moved, deleted, taken back."""

from typing import Any

import pytest
from dulwich.objects import Blob

from gitglass.errors import Conflict, GitError, InvalidArgs, NotFound, SandboxViolation, TooLarge, Unsupported
from gitglass.workspace.edits import Edit
from gitglass.workspace.limits import Mount, WsLimits
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, TEXT


def changed(workspace: Workspace) -> dict[str, str]:
    return {row.path: row.change for row in workspace.files(changed_only=True)}


def test_what_the_base_has_is_read(workspace: Workspace) -> None:
    file = workspace.read("/workspace/src/a.py")
    assert (file.path, file.mode, file.data) == ("src/a.py", "100644", TEXT)
    assert file.oid == Blob.from_string(TEXT).id.decode()
    assert workspace.read("run.sh").mode == "100755" and workspace.read("link").data == b"README.md"
    with pytest.raises(NotFound, match="is a directory"):
        workspace.read("src")
    with pytest.raises(Unsupported, match="submodule"):
        workspace.read("sub")


def test_written_moved_and_deleted_files_are_seen(workspace: Workspace) -> None:
    made = workspace.write("docs/new.md", b"new\n")
    assert made.oid == Blob.from_string(b"new\n").id.decode()
    workspace.write("run.sh", b"other\n")
    assert workspace.read("run.sh").mode == "100755"  # a file keeps its mode
    workspace.write("README.md", b"x\n", mode="100755")
    workspace.move("src/deep/b.py", "moved/b.py")
    workspace.delete("templates/one.txt")
    assert changed(workspace) == {
        "README.md": "modified", "docs/new.md": "new", "moved/b.py": "new", "run.sh": "modified", "src/deep/b.py": "deleted",
        "templates/one.txt": "deleted",
    }  # fmt: skip
    assert [row.path for row in workspace.files()] == sorted(
        ["README.md", "big.psd", "data.bin", "docs", "link", "moved", "run.sh", "src", "sub"]
    )
    assert [row.path for row in workspace.files("src", recursive=True)] == ["src/a.py"]
    with pytest.raises(NotFound):
        workspace.files("templates")


def test_what_comes_to_the_same_is_no_change(workspace: Workspace) -> None:
    workspace.write("README.md", b"x\n")
    workspace.write("README.md", FILES[b"README.md"])
    workspace.delete("run.sh")
    workspace.write("run.sh", b"#!/bin/sh\n", mode="100755")
    assert changed(workspace) == {}


def test_compare_and_swap_by_oid(workspace: Workspace) -> None:
    oid = workspace.read("README.md").oid
    workspace.write("README.md", b"mine\n", if_oid=oid)
    for act in (
        lambda: workspace.write("README.md", b"late\n", if_oid=oid),
        lambda: workspace.edit("README.md", [Edit(b"mine", b"late")], if_oid=oid),
        lambda: workspace.delete("README.md", if_oid=oid),
        lambda: workspace.move("README.md", "other", if_oid=oid),
        lambda: workspace.write("README.md", b"late\n", if_oid=""),
        lambda: workspace.write("nowhere", b"late\n", if_oid=oid),
    ):
        with pytest.raises(Conflict):
            act()
    assert workspace.read("README.md").data == b"mine\n"
    workspace.write("fresh", b"x", if_oid="0" * 40)


@pytest.mark.parametrize("path", [
    ".git/config", ".GIT/config", "src/.git", "git~1/x", ".git\u200c/x", "a/.git.", "a/.git ", ".git::$INDEX_ALLOCATION/x", "../x", "a/../b",
    "a/./b", "a//b", "/etc/passwd", "a/", "", ".", "..", "a\\..\\.git", "a\0b", "/workspacex/y", "a/...",
])  # fmt: skip
def test_paths_that_lead_elsewhere(workspace: Workspace, path: str) -> None:
    for act in (lambda: workspace.write(path, b"x"), lambda: workspace.move("README.md", path)):
        with pytest.raises(SandboxViolation):
            act()
    assert changed(workspace) == {}


def test_files_and_directories_do_not_share_a_name(workspace: Workspace) -> None:
    for path in ("README.md/x", "src", "src/deep", "sub/x", "link/x"):
        with pytest.raises(GitError):
            workspace.write(path, b"x")
    workspace.write("one", b"1")
    with pytest.raises(Conflict, match="is a file"):
        workspace.write("one/two", b"2")
    workspace.write("three/four", b"4")
    with pytest.raises(Conflict, match="is a directory"):
        workspace.write("three", b"3")
    workspace.delete("src/deep/b.py")
    workspace.write("src/deep", b"a file now")
    workspace.move("one", "one/two")
    assert workspace.read("one/two").data == b"1"
    workspace.move("one/two", "one")
    assert workspace.read("one").data == b"1"


def test_links_and_submodules(base: Any, workspace: Workspace) -> None:
    import gitglass

    with pytest.raises(Unsupported, match="not allowed"):
        workspace.write("l", b"README.md", mode="120000")
    for act in (
        lambda: workspace.write("sub", b"x"),
        lambda: workspace.delete("sub"),
        lambda: workspace.move("sub", "b"),
    ):
        with pytest.raises(Unsupported, match="submodule"):
            act()
    free = Workspace.over(gitglass.open(base), limits=WsLimits(symlinks=True))
    free.write("src/l", b"../README.md", mode="120000")
    for target in (b"/etc/passwd", b"../../x", b"../.git/config", b".GIT", b"", b"a\0b", b"a/../../../x"):
        with pytest.raises(SandboxViolation):
            free.write("src/l", target, mode="120000")
    with pytest.raises(SandboxViolation):
        free.move("src/l", "top")  # it would lead out from there
    assert free.write("src/l", b"text\n").mode == "100644"


def test_what_lfs_keeps_is_not_replaced_by_its_content(base: Any, workspace: Workspace) -> None:
    import gitglass

    assert workspace.read("big.psd").notes == ("a pointer of Git LFS; the content is elsewhere: 12345 bytes",)
    with pytest.raises(Unsupported, match="Git LFS"):
        workspace.write("big.psd", b"\0content")
    workspace.write(".gitattributes", b"*.mov filter=lfs\n")
    with pytest.raises(Unsupported, match="Git LFS"):
        workspace.write("x/film.mov", b"\0content")
    workspace.delete("big.psd")
    workspace.undo()
    workspace.undo()
    workspace.write("x/film.mov", b"\0content")
    plain = Workspace.over(gitglass.open(base), limits=WsLimits(lfs="plain"))
    plain.write("big.psd", b"\0content")


def test_limits(base: Any) -> None:
    import gitglass

    small = WsLimits(files=2, file_bytes=100, total_bytes=250, path=20, depth=3, warn_bytes=50, log=3)
    workspace = Workspace.over(gitglass.open(base), limits=small)
    for path, content in (("a" * 21, b""), ("a/b/c/d", b""), ("x", b"x" * 101)):
        with pytest.raises(TooLarge):
            workspace.write(path, content)
    assert workspace.write("x", b"y" * 60).notes == ("large file: 60 bytes",)
    workspace.write("b", b"z" * 90)
    with pytest.raises(TooLarge, match="files would differ"):
        workspace.write("c", b"")
    for number in range(20):  # what nothing leads to any more makes room
        workspace.write("b", b"%090d" % number)
    with pytest.raises(TooLarge, match="would hold more"):
        Workspace.over(gitglass.open(base), limits=WsLimits(total_bytes=10)).write("b", b"w" * 11)
    assert workspace.read("x").data == b"y" * 60


def test_names_that_differ_in_case_only(workspace: Workspace) -> None:
    assert workspace.write("readme.MD", b"").notes == ("differs from 'README.md' in case only",)
    assert workspace.write("SRC/new.py", b"").notes == ("differs from 'src' in case only",)
    workspace.write("New", b"")
    assert workspace.write("new", b"").notes == ("differs from 'New' in case only",)
    assert workspace.write("src/other.py", b"").notes == ("differs from 'SRC' in case only",)


def test_undo_takes_each_operation_back(workspace: Workspace) -> None:
    workspace.write("a", b"1")
    workspace.write("a", b"2")
    workspace.move("a", "b")
    workspace.delete("README.md")
    assert [one.summary for one in workspace.log] == ["write a", "write a", "move a to b", "delete README.md"]
    assert workspace.undo().summary == "delete README.md" and workspace.undo().summary == "move a to b"
    assert workspace.read("a").data == b"2"
    workspace.undo()
    assert workspace.read("a").data == b"1"
    workspace.undo()
    assert changed(workspace) == {}
    with pytest.raises(InvalidArgs, match="nothing to undo"):
        workspace.undo()


def test_another_mount(base: Any) -> None:
    import gitglass

    workspace = Workspace.over(gitglass.open(base), mount=Mount("/box/", "src/"))
    assert workspace.read("/box/a.py").data == TEXT and workspace.read("deep/b.py").path == "src/deep/b.py"
    with pytest.raises(SandboxViolation):
        workspace.read("/workspace/a.py")
    with pytest.raises(SandboxViolation):
        workspace.write("../README.md", b"")


def test_a_workspace_over_nothing() -> None:
    workspace = Workspace.empty()
    assert workspace.files() == []
    workspace.write("a/b", b"c")
    assert [row.path for row in workspace.files(recursive=True)] == ["a/b"]

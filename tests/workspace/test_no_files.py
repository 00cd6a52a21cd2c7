"""No sequence of ws_* calls opens a file or a socket, or starts anything: seen by Python's audit hook.

The base is in memory, so that nothing may be opened at all; over a repository on disk, what is opened is its own files,
for reading, by the jail.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from dulwich.repo import MemoryRepo
from hypothesis import given, settings
from hypothesis import strategies as st

import gitglass
from gitglass.agent import Roots, ToolContext, tools
from gitglass.workspace.bundle import from_bundle, to_bundle
from gitglass.workspace.desk import Desk
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.page import page
from gitglass.workspace.review.terminal import TerminalReview
from gitglass.workspace.sources import opened_store
from gitglass.workspace.targets.named import Targets
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, TEXT, add_commit, bare_repository
from .conftest import PEOPLE, clock
from .test_push import MemoryTarget

SEEN: list[str] | None = None
HARMLESS = ("object.", "sys._getframe", "sys.audit", "import", "compile", "exec", "code.__new__", "marshal.", "os.putenv", "gc.", "builtins.id",
            "hashlib", "array.__new__", "function.__new__", "time.sleep", "sys.unraisablehook", "cpython.")  # fmt: skip


def hook(event: str, args: tuple[Any, ...]) -> None:
    if SEEN is not None and not event.startswith(HARMLESS):
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        SEEN.append(f"{event}{' to write' if writes else ''} {args!r:.120}")


sys.addaudithook(hook)


@contextmanager
def looking() -> Iterator[list[str]]:
    global SEEN
    SEEN = seen = []
    try:
        yield seen
    finally:
        SEEN = None


def desk_over(repo: MemoryRepo) -> Desk:
    def reviewer(review: Review) -> None:
        answers = iter(["d", "h", "y", "n", "q", "a"])
        TerminalReview(workspace, review, lambda _: next(answers, None), lambda _: None).run()
        page(workspace, review)

    workspace = Workspace.over(gitglass.open(repo), "main", target="m", identity=PEOPLE, clock=clock())
    return Desk(workspace, Targets([MemoryTarget(repo)]), approver=reviewer)


PATHS = st.sampled_from(
    [
        "README.md",
        "src/a.py",
        "new/x",
        "data.bin",
        ".gitattributes",
        "run.sh",
        ".git/config",
        "/etc/passwd",
        "../x",
        "src",
    ]
)
CONTENTS = st.sampled_from(["a\n", "* text=auto\n*.x filter=lfs diff=foo merge=bar\n", TEXT.decode(), "b\n"])
CALLS = st.one_of(
    st.builds(lambda path, content: ("ws_write", {"path": path, "content": content}), PATHS, CONTENTS),
    st.builds(lambda path: ("ws_stage", {"files": [path], "message": "M"}), PATHS), st.builds(lambda path: ("ws_read", {"path": path}), PATHS),
    st.builds(lambda path, old: ("ws_edit", {"path": path, "old": old, "new": "z"}), PATHS, CONTENTS),
    st.builds(lambda path: ("ws_delete", {"path": path}), PATHS), st.builds(lambda path, to: ("ws_move", {"path": path, "to": to}), PATHS, PATHS),
    st.builds(lambda path, take: ("ws_resolve", {"path": path, "take": take}), PATHS, st.sampled_from(["ours", "theirs", "base"])),
    st.builds(lambda paths: ("ws_pull", {"paths": paths}), st.lists(PATHS, max_size=2)),
    st.builds(lambda moved: ("push", {"on_moved": moved}), st.sampled_from(["report", "rebase", "merge"])),
    st.sampled_from([("ws_files", {}), ("ws_status", {}), ("ws_diff", {}), ("ws_undo", {}), ("ws_review", {}), ("ws_branches", {}), ("theirs", {}),
                     ("amend", {}), ("discard", {}), ("save", {}), ("ws_merge", {"path": "x", "base": "a", "ours": "b", "theirs": "c"})]),
)  # fmt: skip


def run(desk: Desk, repo: MemoryRepo, calls: list[tuple[str, dict[str, Any]]]) -> None:
    listed = {tool.name: tool for tool in tools("ws")}
    ctx = ToolContext(Roots(()), desk=desk, structured=True)
    for name, arguments in calls:
        workspace = desk.workspace()
        last = {"commit": workspace.staged[-1].id if workspace.staged else "none00"}
        if name == "theirs":
            add_commit(repo, {**FILES, b"README.md": b"# Theirs\n", b"new/x": b"theirs\n"}, message=b"Moved\n")
        elif name == "save":
            from_bundle(to_bundle(workspace), [opened_store(gitglass.open(repo)).odb], identity=PEOPLE)
        else:
            tool = {"push": "ws_push", "amend": "ws_stage", "discard": "ws_discard"}.get(name, name)
            given_words = {"push": last | arguments, "amend": {"message": "Again", "amend": True}, "discard": last}.get(
                name, arguments
            )
            answer = listed[tool].call(given_words, ctx)
            assert answer.error is None or answer.error["code"] != "internal", answer.text


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Modules are loaded when they are first needed: that opens files, and is over before anything is looked at."""
    repo = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    every = [
        ("ws_write", {"path": "README.md", "content": "# Ours\n"}), ("ws_write", {"path": "src/a.py", "content": "x\n"}),
        ("ws_write", {"path": ".gitattributes", "content": "* merge=union diff=python\n"}), ("ws_diff", {}), ("ws_files", {}), ("ws_status", {}),
        ("ws_stage", {"files": ["src/a.py"], "message": "M"}), ("ws_edit", {"path": "README.md", "old": "nearby", "new": ""}), ("save", {}),
        ("ws_merge", {"path": "x", "base": "a", "ours": "b", "theirs": "c"}), ("push", {}), ("theirs", {}), ("ws_pull", {}), ("push", {"on_moved": "rebase"}),
        ("push", {"on_moved": "merge"}), ("ws_review", {}), ("ws_branches", {}), ("ws_read", {"path": "data.bin"}), ("amend", {}), ("discard", {}),
        ("ws_move", {"path": "run.sh", "to": "y"}), ("ws_diff", {}), ("ws_undo", {}),
    ]  # fmt: skip
    for _ in range(2):
        run(desk_over(repo), repo, every)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(st.lists(CALLS, max_size=14))
def test_no_call_opens_anything(calls: list[tuple[str, dict[str, Any]]]) -> None:
    repo = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    desk = desk_over(repo)
    with looking() as seen:
        run(desk, repo, calls)
    assert [one for one in seen if "zoneinfo" not in one] == []


@pytest.mark.writes
def test_over_a_repository_on_disk_only_its_files_are_read(tmp_path: Path) -> None:
    files = {path: value for path, value in FILES.items() if path != b"sub"}
    bare_repository(tmp_path / "bare.git", files)
    workspace = Workspace.over(gitglass.open(tmp_path / "bare.git"), "main", identity=PEOPLE)
    workspace.read("README.md")
    with looking() as seen:
        for row in workspace.files(recursive=True):
            workspace.read(row.path)
        workspace.write("README.md", b"x\n")
        workspace.stage(["README.md"], "M")
    assert seen and all(one.startswith(("open (", "os.scandir", "os.listdir", "mmap")) for one in seen), seen
    with looking() as seen:
        (tmp_path / "x").write_bytes(b"")
    assert any(one.startswith("open to write") for one in seen)  # the hook sees what it looks for


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc")
def test_a_workspace_is_small_before_its_first_write(tmp_path: Path) -> None:
    """In a process of its own, over a repository of many files."""
    files = {b"d%d/f%d.txt" % (number % 50, number): b"content of %d\n" % number * 20 for number in range(2000)}
    bare_repository(tmp_path / "bare.git", files)
    code = (
        "import gitglass\nfrom gitglass.workspace.workspace import Workspace\n"
        f"workspace = Workspace.over(gitglass.open({str(tmp_path / 'bare.git')!r}), 'main')\nworkspace.files(recursive=True)\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 50 << 10

"""git on what a workspace leaves: bundles that it verifies and fetches, pushes that its fsck accepts, merges alike."""

import contextlib
import random
import subprocess
from pathlib import Path

import pytest

import gitglass
from gitglass.agent import Roots, ToolContext, tools
from gitglass.agent.budget import Budget
from gitglass.errors import Conflict
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.workspace.bundle import to_bundle
from gitglass.workspace.desk import Desk
from gitglass.workspace.model import Identities
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.targets.local import LocalTarget
from gitglass.workspace.workspace import Workspace

from ..support.merge_texts import cases
from ..support.workspaces import FILES, add_commit, bare_repository

pytestmark = [pytest.mark.live, pytest.mark.writes]
PEOPLE = Identities(Identity("Ann", "ann@example.com"))


def git(path: Path, *argv: str, status: int = 0) -> str:
    done = subprocess.run(["git", "-C", str(path), *argv], capture_output=True, text=True, errors="surrogateescape")
    assert done.returncode == status, done.stderr
    return done.stdout


def test_git_verifies_and_fetches_a_saved_workspace(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", {path: value for path, value in FILES.items() if path != b"sub"})
    workspace = Workspace.over(gitglass.open(tmp_path / "bare.git"), "main", identity=PEOPLE)
    workspace.write("a", b"a\n")
    made = workspace.stage(["a"], "A")
    workspace.write("b", b"b\n")
    (tmp_path / "ws.bundle").write_bytes(to_bundle(workspace))
    assert "3 refs" in git(tmp_path / "bare.git", "bundle", "verify", str(tmp_path / "ws.bundle"))
    git(tmp_path / "bare.git", "fetch", "-q", str(tmp_path / "ws.bundle"), "refs/gitglass/*:refs/gitglass/*")
    front = f"refs/gitglass/ws/{workspace.id}"
    assert git(tmp_path / "bare.git", "rev-parse", f"{front}/staged/1").strip() == made.commit
    assert git(tmp_path / "bare.git", "show", f"{front}/overlay:b") == "b\n"
    git(tmp_path / "bare.git", "fsck", "--strict")


def test_git_reads_what_was_pushed(tmp_path: Path) -> None:
    bare_repository(tmp_path / "bare.git", {path: value for path, value in FILES.items() if path != b"sub"})
    repo = gitglass.open(tmp_path / "bare.git")
    workspace = Workspace.over(repo, "main", target="b", identity=PEOPLE)
    for number in range(150):
        workspace.write(f"d/{number}", b"%d\n" % number)
    workspace.write("run.sh", b"#!/bin/sh\nexit\n")
    word = workspace.stage([f"d/{number}" for number in range(150)] + ["run.sh"], "Many").id
    target = LocalTarget("b", repo, WriteGrant(identity=Identity("H", "h@x")))
    assert push(workspace, plan_push(workspace, word, target, "topic"), target).status == "success"
    git(tmp_path / "bare.git", "fsck", "--strict", "--full")
    assert git(tmp_path / "bare.git", "log", "-1", "--format=%an %s", "topic") == "Ann Many\n"
    assert git(tmp_path / "bare.git", "ls-tree", "topic", "run.sh").startswith("100755")


def test_ws_merge_is_merge_file(tmp_path: Path) -> None:
    """The tool, over texts that are hard to merge: ends of lines, missing newlines, lines that repeat."""
    merge = {tool.name: tool for tool in tools("ws")}["ws_merge"]
    ctx = ToolContext(Roots(()), desk=Desk(Workspace.empty()), structured=True, budget=Budget(1 << 20), raw=True)
    labels = [word for label in ("ours (sandbox)", "base", "theirs (incoming)") for word in ("-L", label)]
    conflicts = 0
    for (ours, base, theirs), _ in cases(1, 200):
        texts = {"ours": ours, "base": base, "theirs": theirs}
        for name, text in texts.items():
            (tmp_path / name).write_bytes(text)
        argv = ["git", "merge-file", "-p", *labels, "ours", "base", "theirs"]
        wanted = subprocess.run(argv, capture_output=True, cwd=tmp_path)
        words = {name: text.decode() for name, text in texts.items()}
        answer = merge.call({"path": "x", "algorithm": "myers", **words}, ctx)
        assert answer.result["conflicts"] == wanted.returncode, texts
        assert answer.body.encode() == wanted.stdout, texts
        assert answer.result["status"] == ("conflict" if wanted.returncode else "clean")
        conflicts += bool(wanted.returncode)
    assert 20 < conflicts < 180


@pytest.mark.parametrize("seed", range(8))
def test_git_verifies_whatever_is_kept(tmp_path: Path, seed: int) -> None:
    """After any steps, merges and pulls from elsewhere among them: git takes the bundle, and it has the files as they are."""
    dice = random.Random(seed)
    bare = bare_repository(tmp_path / "bare.git", {path: data for path, data in FILES.items() if path != b"sub"})
    repo = gitglass.open(tmp_path / "bare.git")
    workspace = Workspace.over(repo, "main", target="b", identity=PEOPLE)
    target = LocalTarget("b", repo, WriteGrant(identity=Identity("H", "h@x")))
    for step in range(12):
        name = dice.choice(["README.md", "src/a.py", "new/a", "new/\udcff", "x"])
        match dice.choice(["write", "write", "delete", "stage", "stage", "discard", "pull", "merge"]):
            case "write":
                workspace.write(name, b"%d\n" % step, mode=dice.choice(["100644", "100755"]))
            case "delete" if any(row.path == name for row in workspace.files(recursive=True)):
                workspace.delete(name)
            case "stage":
                rows = [row.path for row in workspace.files(changed_only=True)]
                workspace.conflicts.clear()
                with contextlib.suppress(Conflict):
                    workspace.stage(rows[:2], f"Step {step}") if rows else None
            case "discard" if workspace.staged:
                with contextlib.suppress(Conflict):
                    workspace.discard(workspace.staged[-1].commit)
            case "pull" | "merge" as word:
                add_commit(
                    bare,
                    {**{p: d for p, d in FILES.items() if p != b"sub"}, b"t%d" % step: b"t\n"},
                    message=b"T\n",
                    when=step,
                )
                with contextlib.suppress(Conflict):
                    source = target.incoming("main")
                    workspace.merge(source) if word == "merge" else workspace.pull(source)
    (tmp_path / "ws.bundle").write_bytes(to_bundle(workspace))
    git(tmp_path / "bare.git", "bundle", "verify", "-q", str(tmp_path / "ws.bundle"))
    git(tmp_path / "bare.git", "fetch", "-q", str(tmp_path / "ws.bundle"), "refs/gitglass/*:refs/gitglass/*")
    overlay = f"refs/gitglass/ws/{workspace.id}/overlay"
    shown = git(tmp_path / "bare.git", "ls-tree", "-r", "-z", overlay).split("\0")[:-1]
    there = [(row.split()[0], row.split()[2].partition("\t")[0]) for row in shown]
    assert there == [(row.mode, row.oid) for row in workspace.files(recursive=True)]
    git(tmp_path / "bare.git", "fsck", "--strict")
    empty = tmp_path / "empty.git"
    git(tmp_path, "init", "-q", "--bare", str(empty))
    missing = subprocess.run(
        ["git", "-C", str(empty), "bundle", "verify", str(tmp_path / "ws.bundle")], capture_output=True
    )
    assert missing.returncode and b"prerequisite" in missing.stderr

"""git on what a workspace leaves: bundles that it verifies and fetches, pushes that its fsck accepts, merges alike."""

import random
import subprocess
from pathlib import Path

import pytest

import gitglass
from gitglass.limits import Context
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.workspace.bundle import to_bundle
from gitglass.workspace.incoming import merge_contents
from gitglass.workspace.model import Identities
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.targets.local import LocalTarget
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, bare_repository

pytestmark = [pytest.mark.live, pytest.mark.writes]
PEOPLE = Identities(Identity("Ann", "ann@example.com"))


def git(path: Path, *argv: str, status: int = 0) -> str:
    done = subprocess.run(["git", "-C", str(path), *argv], capture_output=True, text=True)
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


def test_merging_texts_is_merge_files(tmp_path: Path) -> None:
    dice = random.Random(1)
    for _ in range(60):
        texts = []
        lines = [dice.choice(["a", "b", "c", "d", ""]) for _ in range(dice.randrange(12))]
        for name in ("base", "ours", "theirs"):
            mine = [dice.choice(["x", "y", line]) if name != "base" and dice.random() < 0.2 else line for line in lines]
            texts.append("".join(line + "\n" for line in mine).encode())
            (tmp_path / name).write_bytes(texts[-1])
        argv = [
            "git",
            "merge-file",
            "-p",
            "-L",
            "ours (sandbox)",
            "-L",
            "base",
            "-L",
            "theirs (incoming)",
            "ours",
            "base",
            "theirs",
        ]
        wanted = subprocess.run(argv, capture_output=True, cwd=tmp_path)
        with Context() as ctx:
            merged = merge_contents(*texts, algorithm="myers", ctx=ctx)
        assert (merged.content, merged.conflicts) == (wanted.stdout, wanted.returncode)

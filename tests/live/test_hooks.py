"""Granted hooks that ask git: in the room's own git directory they see what would be committed, and may stage more."""

import hashlib
import subprocess
from pathlib import Path

import pytest
from tests.support.writing import copy_of, done, writer_of

import gitglass
from gitglass.mutate.process.granted import GrantedHooks, Programs
from gitglass.request.mutations import AddRequest, CommitRequest

pytestmark = [pytest.mark.live, pytest.mark.writes, pytest.mark.runs]
HOOK = """#!/bin/sh
git diff --cached --name-only > {log}
git symbolic-ref --short HEAD >> {log}
git log -1 --format=%s >> {log}
git status --short >> {log}
echo staged by the hook > generated.txt
git add generated.txt
git update-ref refs/heads/hooked HEAD
git config core.hooked yes
"""


def test_a_hook_asks_git_and_stages(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (tmp_path / "rooms").mkdir()
    (repo / "README.md").write_text("changed\n")
    done(repo, AddRequest(paths=["README.md"]))
    with (repo / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = touch {tmp_path}/ran\n")
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK.format(log=tmp_path / "log"))
    hook.chmod(0o755)
    digest = hashlib.sha256(hook.read_bytes()).hexdigest()
    before = (repo / ".git/config").read_bytes()
    grant = {"hooks": GrantedHooks({"pre-commit": digest}), "programs": Programs(rooms=str(tmp_path / "rooms"))}
    result = writer_of(repo, **grant).run(CommitRequest(message=["m"]), approver=lambda _: True)
    lines = (tmp_path / "log").read_text().split("\n")
    branch = gitglass.git(["symbolic-ref", "--short", "HEAD"], cwd=repo).stdout.decode().strip()
    assert lines[:2] == ["README.md", branch] and "M  README.md" in lines
    assert result.verified and (repo / ".git/config").read_bytes() == before and not (tmp_path / "ran").exists()
    (repo / ".git/config").write_bytes(before.replace(b"fsmonitor", b"x-fsmonitor"))
    assert subprocess.run(["git", "fsck", "--strict"], cwd=repo, capture_output=True, check=False).returncode == 0
    shown = subprocess.run(["git", "show", "HEAD:generated.txt"], cwd=repo, capture_output=True, check=False).stdout
    assert shown == b"staged by the hook\n"
    refs = subprocess.run(["git", "for-each-ref"], cwd=repo, capture_output=True, check=False).stdout
    assert b"hooked" not in refs

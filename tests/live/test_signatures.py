"""Commits and tags signed by installed gpg and ssh-keygen: git verifies them."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of, done

from gitglass.mutate.process.granted import Program, Programs, Signer
from gitglass.request.mutations import AddRequest, CommitRequest
from gitglass.request.ref_mutations import TagChange

pytestmark = [pytest.mark.live, pytest.mark.writes, pytest.mark.runs]


def git(repo: Path, *argv: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *argv], cwd=repo, capture_output=True, env={**os.environ, **env}, check=False)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = copy_of("plain", tmp_path / "repo")
    (tmp_path / "rooms").mkdir()
    (repo / "README.md").write_text("changed\n")
    done(repo, AddRequest(paths=["README.md"]))
    return repo


@pytest.mark.skipif(not shutil.which("gpg"), reason="no gpg here")
def test_gpg(repo: Path, tmp_path: Path, guarded: Any) -> None:
    home = Path("/tmp") / f"gg-{os.getpid()}"  # short: the agent's socket lies in it
    home.mkdir(0o700)
    try:
        made = subprocess.run(
            ["gpg", "--batch", "--passphrase", "", "--quick-gen-key", "A <a@b>", "ed25519", "sign", "never"],
            env={**os.environ, "GNUPGHOME": str(home)}, capture_output=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        program = Program((os.path.realpath(str(shutil.which("gpg"))),), variables=(("GNUPGHOME", str(home)),))
        guarded.programs.add(os.fsencode(program.argv[0]))
        given = Programs(signer=Signer(program, "a@b"), rooms=str(tmp_path / "rooms"))
        done(repo, CommitRequest(message=["m"], switches=["-S"]), programs=given)
        done(repo, TagChange(names=["v9"], message="nine", switches=["-s"]), programs=given)
        for words in (("verify-commit", "HEAD"), ("verify-tag", "v9")):
            verified = git(repo, *words, GNUPGHOME=str(home))
            assert verified.returncode == 0 and b"Good signature" in verified.stderr, verified.stderr
        assert git(repo, "fsck", "--strict").returncode == 0
    finally:
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], env={**os.environ, "GNUPGHOME": str(home)}, check=False)
        shutil.rmtree(home, ignore_errors=True)


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen here")
def test_ssh(repo: Path, tmp_path: Path, guarded: Any) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (tmp_path / "allowed").write_text("a@b " + key.with_suffix(".pub").read_text())
    program = Program((os.path.realpath(str(shutil.which("ssh-keygen"))),))
    guarded.programs.add(os.fsencode(program.argv[0]))
    given = Programs(signer=Signer(program, str(key), "ssh"), rooms=str(tmp_path / "rooms"))
    done(repo, CommitRequest(message=["m"], switches=["-S"]), programs=given)
    done(repo, TagChange(names=["v9"], message="nine", switches=["-s"]), programs=given)
    settings = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={tmp_path / 'allowed'}")
    for words in (("verify-commit", "HEAD"), ("verify-tag", "v9")):
        verified = git(repo, *settings, *words)
        assert verified.returncode == 0 and b'Good "git" signature' in verified.stdout + verified.stderr, verified

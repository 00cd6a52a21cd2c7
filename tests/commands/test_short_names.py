"""A short name that a commit shares with a blob: only git log, and what can only be a commit, take the commit."""

import hashlib
import shutil
import zlib
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import gitglass


@pytest.fixture(scope="module")
def shared(unpack: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """(repository, four digits that begin the names of HEAD and of a blob)."""
    repo = tmp_path_factory.mktemp("short") / "repo"
    shutil.copytree(unpack("plain"), repo, symlinks=True)
    head = gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout.decode()[:4]
    for nonce in count():
        body = b"%d\n" % nonce
        raw = b"blob %d\0%s" % (len(body), body)
        name = hashlib.sha1(raw).hexdigest()
        if name.startswith(head):
            break
    folder = repo / ".git" / "objects" / name[:2]
    folder.mkdir(exist_ok=True)
    (folder / name[2:]).write_bytes(zlib.compress(raw))
    return repo, head


@pytest.mark.parametrize(
    "line",
    ["log -1 {}", "log {}..", "rev-list {}..HEAD", "rev-list {}~1", "show -s {}^@", "diff {}..HEAD", "rev-parse {}^0"],
)
def test_the_commit_is_meant(shared: tuple[Path, str], line: str) -> None:
    repo, short = shared
    done = gitglass.git(line.format(short).split(), cwd=repo)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "line", ["show {}", "rev-list {}", "shortlog {}", "reflog show {}", "diff {}", "blame {} -- src/app.py",
             "merge-base HEAD {}", "cherry HEAD {}", "rev-parse {}", "rev-list HEAD..{} {}"],
)  # fmt: skip
def test_the_name_is_ambiguous(shared: tuple[Path, str], line: str) -> None:
    repo, short = shared
    done = gitglass.git(line.format(short, short).split(), cwd=repo)
    assert done.returncode == 128
    lines = done.stderr.decode().splitlines()
    assert lines[0] == f"error: short object ID {short} is ambiguous"
    assert lines.count(lines[0]) == 1 and lines[-1].partition(":")[0] in (
        "fatal",
        "'git <command> [<revision>...] -- [<file>...]'",
    )


def test_rev_parse_takes_a_word_with_a_mark_for_a_file_first(shared: tuple[Path, str]) -> None:
    done = gitglass.git(["rev-parse", "^nosuch"], cwd=shared[0])
    assert done.returncode == 128 and b"fatal: ambiguous argument '^nosuch': unknown revision" in done.stderr
    assert b"fatal: bad revision '^nosuch'" in gitglass.git(["log", "^nosuch"], cwd=shared[0]).stderr


def test_a_ref_with_the_name_of_an_object_is_told_of_but_not_for_standard_input(unpack: Any, tmp_path: Path) -> None:
    """git looks for such refs, and advises, only for what the command line names."""
    repo = tmp_path / "repo"
    shutil.copytree(unpack("plain"), repo, symlinks=True)
    name = gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout.decode().strip()
    (repo / ".git" / "refs" / "heads" / name).write_text(name + "\n")
    warning = f"warning: refname '{name}' is ambiguous.\n".encode()
    for words in (["rev-list", "-n1"], ["log", "-1", "--format=%H"]):
        named = gitglass.git([*words, name], cwd=repo)
        assert named.stderr.startswith(warning + b"Git normally never creates a ref that ends with 40 hex characters\n")
        assert named.stderr.endswith(b'running "git config advice.objectNameWarning false"\n')
        quiet = gitglass.git(["-c", "advice.objectNameWarning=false", *words, name], cwd=repo)
        given = gitglass.git([*words, "--stdin"], cwd=repo, stdin=f"{name}\n{name}^!\n{name}..{name}\n".encode())
        assert (quiet.stderr, given.stderr) == (warning, b"")
        assert named.stdout == quiet.stdout == f"{name}\n".encode() and given.returncode == 0

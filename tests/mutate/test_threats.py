"""What a hostile repository would have a writer do, and that it does not: SECURITY.md, "Writing"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.kill_cases import CASES
from tests.support.kills import Source, was_killed
from tests.support.object_files import Builder
from tests.support.writing import Killed, copy_of, done, state_of, writer_of

import gitglass
from gitglass.errors import BadRequest, Conflict, Corrupt, GitError, SandboxViolation, Unsupported
from gitglass.request.mutations import (
    AddRequest,
    CheckoutRequest,
    CommitRequest,
    ResetRequest,
    RestoreRequest,
    StashRequest,
    SwitchRequest,
)
from gitglass.request.pick_mutations import CherryPickRequest
from gitglass.request.ref_mutations import MergeRequest, RebaseRequest, TagChange

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def configure(repo: Path, words: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(words)


@pytest.mark.parametrize(
    "request_",
    [
        AddRequest(paths=["README.md"]),
        CommitRequest(message=["m"], all=True),
        RestoreRequest(paths=["README.md"]),
        ResetRequest(mode="hard", commit="HEAD"),
        SwitchRequest(commit="HEAD~3", detach=True, force=True),
    ],
    ids=lambda request: request.git,
)
def test_a_filter_is_named_and_not_run(repo: Path, tmp_path: Path, request_: Any) -> None:
    ran = tmp_path / "ran"
    configure(repo, f'[filter "x"]\n\tclean = touch {ran}\n\tsmudge = touch {ran}\n\tprocess = touch {ran}\n')
    (repo / ".git/info/attributes").write_text("README.md filter=x\n")
    (repo / "README.md").write_bytes(b"changed\n")
    before = state_of(repo)
    with pytest.raises(Unsupported, match="filter"):
        done(repo, request_)
    assert state_of(repo) == before and not ran.exists()


def test_a_filter_for_the_work_tree_is_not_run(repo: Path, tmp_path: Path) -> None:
    """Where there is no file, only the other direction would be run."""
    configure(repo, f'[filter "x"]\n\tsmudge = touch {tmp_path}/ran\n')
    (repo / ".git/info/attributes").write_text("README.md filter=x\n")
    (repo / "README.md").unlink()
    with pytest.raises(Unsupported, match="filter 'x'"):
        done(repo, RestoreRequest(paths=["README.md"]))
    assert not (repo / "README.md").exists() and not (tmp_path / "ran").exists()


def test_nothing_is_signed(repo: Path, tmp_path: Path) -> None:
    configure(repo, f"[commit]\n\tgpgSign\n[tag]\n\tgpgSign\n[gpg]\n\tprogram = touch {tmp_path}/ran\n")
    for request in (CommitRequest(message=["m"], switches=["--allow-empty"]), TagChange(names=["t"], message="m")):
        with pytest.raises(Unsupported, match="gpgSign is set"):
            writer_of(repo).plan(request)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["directory", "file"])
def test_another_repository_is_not_entered(repo: Path, kind: str) -> None:
    """A directory that became a repository of its own is left alone, whatever the index says of it."""
    nested = repo / "src/.git"
    nested.mkdir() if kind == "directory" else nested.write_text("gitdir: /nowhere\n")
    (repo / "src/app.py").write_bytes(b"theirs\n")
    for request in (RestoreRequest(paths=["src/app.py"]), ResetRequest(mode="hard", commit="HEAD~1")):
        with pytest.raises(GitError):
            done(repo, request)
        assert (repo / "src/app.py").read_bytes() == b"theirs\n"


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("git_files", "name", "hooks/post-commit"),
        ("git_files", "name", "../outside"),
        ("refs", "name", "../outside"),
        ("refs", "name", "hooks/post-commit"),
        ("logs", "name", "refs/heads/../../../outside"),
        ("files", "path", "../outside"),
        ("files", "path", ".git/hooks/post-commit"),
        ("files", "path", "src/.GIT /config"),
        ("files", "path", "out/side"),
    ],
)
@pytest.mark.parametrize("forward", [False, True])
def test_an_operation_log_that_lies_leads_nowhere(
    key: str, field: str, value: str, forward: bool, tmp_path: Path, guarded: Any
) -> None:
    """Whoever made the repository may have written its log: nothing outside changes, nothing runs later."""
    source = Source(CASES["commit -a" if key != "files" else "restore"], tmp_path, git=False)
    repo = source.copy("copy")
    assert was_killed(lambda: source.carry_out(repo, Killed(source.calls - 3, afterwards=False)))
    (record,) = repo.glob(".git/gitglass/ops/*/operation.json")
    first, changes = record.read_text().splitlines()
    log = json.loads(changes)
    rows = log[key]
    rows[:] = rows or [{"name": "", "before": None, "after": "#!/bin/sh\n"}]
    rows[0][field] = value
    record.write_text(f"{first}\n{json.dumps(log)}")
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (repo / "out").symlink_to(outside)
    (tmp_path / "outside").write_bytes(b"theirs\n")
    config = (repo / ".git/config").read_bytes()
    try:
        writer_of(repo).recover(forward=forward)
    except (Corrupt, Conflict, SandboxViolation) as error:
        assert error.message
    assert (tmp_path / "outside").read_bytes() == b"theirs\n" and list(outside.iterdir()) == []
    assert not (repo / ".git/hooks/post-commit").exists() and (repo / ".git/config").read_bytes() == config
    guarded.seen.clear()  # copies are made by `cp`, forked children by the test


@pytest.mark.parametrize(
    ("key", "rows"), [("packs", [["../../outside", 1]]), ("lfs", ["../../../outside"]), ("objects", [["blob", "00"]])]
)
def test_a_log_that_names_no_objects_is_corrupt(repo: Path, key: str, rows: list[Any]) -> None:
    (repo / "README.md").write_bytes(b"changed\n")
    done(repo, AddRequest(paths=["README.md"]))
    (record,) = repo.glob(".git/gitglass/ops/*/operation.json")
    first, changes = record.read_text().splitlines()
    record.write_text(f"{first}\n{json.dumps({**json.loads(changes), key: rows})}")
    with pytest.raises(Corrupt, match="is no object or pack"):
        writer_of(repo).operations()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("MERGE_HEAD", "garbage\n", r"Corrupt MERGE_HEAD file \(garbage\)"),
        ("MERGE_HEAD", "\n", r"Corrupt MERGE_HEAD file \(\)"),
        ("MERGE_HEAD", "1" * 40, r"Corrupt MERGE_HEAD file \(1{40}\)"),
        ("MERGE_HEAD", "f7ce89c9d7d1df336019f4ecbec7e775518d31ed\n", r"Corrupt MERGE_HEAD file \(f7"),
        ("MERGE_HEAD", "HEAD~1\n", None),
        ("CHERRY_PICK_HEAD", "1" * 40, "could not lookup commit CHERRY_PICK_HEAD"),
        ("CHERRY_PICK_HEAD", "garbage", None),
        ("CHERRY_PICK_HEAD", "0da9f27655aee7bc83399e035a4eebc9998e07ce  more", None),
    ],
)
def test_damaged_files_of_an_operation_at_work(repo: Path, name: str, content: str, words: str | None) -> None:
    """git's words, or a commit where git makes one."""
    (repo / ".git" / name).write_text(content)
    request = CommitRequest(message=["m"], switches=["--allow-empty"])
    if words is None:
        assert done(repo, request).verified and not (repo / ".git" / name).exists()
        return
    with pytest.raises(BadRequest, match=words):
        writer_of(repo).plan(request)


def test_a_damaged_log_of_the_stash_is_left(repo: Path) -> None:
    """git drops the lines that it cannot read, and the entries with them."""
    for content in (b"one\n", b"two\n"):
        (repo / "README.md").write_bytes(content)
        done(repo, StashRequest())
    log = repo / ".git/logs/refs/stash"
    log.write_text("zz" + log.read_text()[2:41] + "zz" + log.read_text()[43:])
    before = log.read_bytes()
    with pytest.raises(Corrupt, match="the log of refs/stash is damaged"):
        done(repo, StashRequest(action="drop"))
    assert log.read_bytes() == before


def hostile_commit(repo: Path, name: bytes) -> str:
    """A child of HEAD whose tree has a file of that name beside its own; `name` may be more than one directory."""
    builder, head = (
        Builder(repo, exists=True),
        gitglass.git(["rev-parse", "HEAD", "HEAD^{tree}"], cwd=repo).stdout.split(),
    )
    blob = builder.loose(b"blob", b"#!/bin/sh\n")
    entry = b"100755 " + name.rpartition(b"//")[2] + b"\0" + blob
    for folder in reversed(name.split(b"//")[:-1]):
        entry = b"40000 " + folder + b"\0" + builder.loose(b"tree", entry)
    whole = gitglass.git(["cat-file", "tree", head[1].decode()], cwd=repo).stdout
    tree = builder.loose(b"tree", entry + whole).hex()
    who = "A <a@b> 1700000000 +0000"
    raw = f"tree {tree}\nparent {head[0].decode()}\nauthor {who}\ncommitter {who}\n\nm\n"
    return builder.loose(b"commit", raw.encode()).hex()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", [b".git//hooks//post-checkout", b"../evil", b"/evil", b"..//evil", b".GIT//config"])
def test_no_index_gets_a_name_that_leads_out(repo: Path, name: bytes, sparse: bool) -> None:
    """Whoever checks such an entry out later, git too, would write a hook, or outside."""
    commit = hostile_commit(repo, name)
    if sparse:
        configure(repo, "[core]\n\tsparseCheckout\n")
        (repo / ".git/info/sparse-checkout").write_text("/README.md\n")
    before = state_of(repo)
    for request in (
        ResetRequest(commit=commit), ResetRequest(commit=commit, paths=["."]),
        *(ResetRequest(mode=mode, commit=commit) for mode in ("hard", "merge", "keep")),
        RestoreRequest(paths=["."], source=commit, staged=True), SwitchRequest(commit=commit, detach=True),
        CheckoutRequest(commit=commit, paths=["."]), MergeRequest(commits=[commit]), CherryPickRequest(commits=[commit]),
        RebaseRequest(commits=[commit]),
    ):  # fmt: skip
        with pytest.raises(SandboxViolation, match="invalid path"):
            done(repo, request)
        assert state_of(repo) == before, request


def test_no_index_gets_such_a_name_out_of_a_log(tmp_path: Path, guarded: Any) -> None:
    source = Source(CASES["commit -a"], tmp_path, git=False)
    repo = source.copy("copy")
    assert was_killed(lambda: source.carry_out(repo, Killed(source.calls - 3, afterwards=False)))
    (record,) = repo.glob(".git/gitglass/ops/*/operation.json")
    first, changes = record.read_text().splitlines()
    log = json.loads(changes)
    log["entries"].append({**log["entries"][0], "path": ".git/hooks/x", "before": []})
    record.write_text(f"{first}\n{json.dumps(log)}")
    with pytest.raises(SandboxViolation, match="invalid path"):
        writer_of(repo).recover(forward=True)
    assert b"hooks" not in gitglass.git(["ls-files", "-s"], cwd=repo).stdout
    guarded.seen.clear()

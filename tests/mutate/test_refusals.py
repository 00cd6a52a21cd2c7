"""Bad input gets a typed error before anything happens: while the plan is made, and nothing is touched by that."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of, done, state_of, writer_of

from gitglass.errors import (
    BadRequest,
    CommandFailed,
    Conflict,
    GitError,
    Locked,
    NotFound,
    SandboxViolation,
    Unsupported,
)
from gitglass.request import mutations, ref_mutations
from gitglass.request.mutations import (
    AddRequest,
    CheckoutRequest,
    CommitRequest,
    MoveRequest,
    Mutation,
    RemoveRequest,
    ResetRequest,
    RestoreRequest,
    StashRequest,
    SwitchRequest,
)
from gitglass.request.ref_mutations import BranchChange, MergeRequest

pytestmark = pytest.mark.writes


def refused(repo: Path, request: Mutation, kind: type[GitError], words: str, **granted: Any) -> GitError:
    """The error of planning, after which all is as before: the operation log too, in which there is nothing."""
    before = state_of(repo)
    with pytest.raises(kind, match=words) as caught:
        writer_of(repo, **granted).plan(request)
    assert type(caught.value) is kind
    assert state_of(repo) == before and not (repo / ".git/gitglass").exists()
    return caught.value


# --- states of the repository ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "kind", "words"),
    [
        (CommitRequest(message=["m"]), Conflict, "^Committing is not possible because you have unmerged files"),
        (MergeRequest(commits=["topic"]), Conflict, "^Merging is not possible because you have unmerged files"),
        (SwitchRequest(branch="topic"), BadRequest, "^cannot switch branch while merging"),
        (StashRequest(), CommandFailed, "^$"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_an_unmerged_index(tmp_path: Path, request_: Mutation, kind: type[GitError], words: str) -> None:
    error = refused(copy_of("conflict", tmp_path / "repo"), request_, kind, words)
    if kind is Conflict:
        assert error.data["paths"] == ["both.txt", "src/app.py", "src/tools.py"]
    if isinstance(request_, StashRequest):
        assert error.streams()[0] == b"both.txt: needs merge\nsrc/app.py: needs merge\nsrc/tools.py: needs merge\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def test_nobody_to_commit(repo: Path) -> None:
    (repo / ".git/config").write_text("[core]\n\tbare = false\n")
    (repo / "README.md").write_text("changed\n")
    words = "^unable to auto-detect the author identity: user.name and user.email are not configured$"
    error = refused(repo, CommitRequest(message=["m"], all=True), NotFound, words, identity=None)
    assert error.data["kind"] == "no_identity"


def test_nothing_to_commit(repo: Path) -> None:
    error = refused(repo, CommitRequest(message=["m"]), CommandFailed, "^nothing to commit$")
    assert error.data["kind"] == "nothing_to_commit" and error.streams()[0].endswith(
        b"nothing to commit, working tree clean\n"
    )


@pytest.mark.parametrize(
    "request_",
    [
        SwitchRequest(branch="side"), CheckoutRequest(branch="side"), BranchChange(action="delete", names=["side"]),
        BranchChange(names=["side"], force=True),
    ],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_a_branch_that_another_work_tree_has(tmp_path: Path, request_: Mutation) -> None:
    place = copy_of("linked", tmp_path / "repo")
    kind = CommandFailed if isinstance(request_, BranchChange) and request_.action == "delete" else BadRequest
    error = refused(place / "main", request_, kind, "checked out at")
    assert "'side'" in error.message and "/wt'" in error.message


@pytest.mark.parametrize("name", ["other", "side"])
def test_a_branch_that_another_work_tree_has_keeps_its_name(tmp_path: Path, name: str) -> None:
    place = copy_of("linked", tmp_path / "repo") / "main"
    error = refused(place, BranchChange(action="rename", names=["side", name]), Unsupported, "whose HEAD gitglass")
    assert "'side'" in error.message and "/wt'" in error.message
    (place / ".git/HEAD").write_bytes(b"ref: refs/heads/new\n")
    (place / ".git/worktrees/wt/HEAD").write_bytes(b"ref: refs/heads/new\n")  # without commits
    refused(place, BranchChange(action="rename", names=["another"]), Unsupported, "whose HEAD gitglass")


def test_a_lock_is_told_with_its_age(repo: Path) -> None:
    lock = repo / ".git/index.lock"
    lock.write_bytes(b"somebody's")
    os.utime(lock, (lock.stat().st_mtime - 90, lock.stat().st_mtime - 90))
    (repo / "README.md").write_bytes(b"one\n")
    before = state_of(repo)
    with pytest.raises(Locked) as caught:
        done(repo, AddRequest(paths=["README.md"]))
    assert caught.value.data["path"] == "index.lock" and 90 <= caught.value.data["age"] < 300
    assert state_of(repo) == before and lock.read_bytes() == b"somebody's"


# --- paths ----------------------------------------------------------------------------------------------------------


def of_path(path: str) -> list[Mutation]:
    """Every operation that takes a path."""
    return [
        AddRequest(paths=[path]), RestoreRequest(paths=[path]), CheckoutRequest(paths=[path]),
        RemoveRequest(paths=[path]), MoveRequest(paths=[path, "elsewhere"]), MoveRequest(paths=["README.md", path]),
        CommitRequest(message=["m"], paths=[path]), StashRequest(paths=[path]), ResetRequest(paths=[path]),
    ]  # fmt: skip


BEYOND = "is beyond a symbolic link$"


def means_nothing(repo: Path, request: Mutation) -> None:
    """A path that is no path of the repository's: git's words for that, or, as with `git reset -- PATH`, nothing."""
    if isinstance(request, ResetRequest):
        assert writer_of(repo).plan(request).is_empty
        return
    tracked = isinstance(request, RestoreRequest | CheckoutRequest | CommitRequest | StashRequest)
    words = "did not match any file|^bad source|^not under version control"
    refused(repo, request, CommandFailed if tracked else BadRequest, words)


def test_a_path_outside(repo: Path) -> None:
    (repo.parent / "outside").write_text("theirs\n")
    for path in ("../outside", "src/../../outside", str(repo.parent / "outside")):
        for request in of_path(path):
            refused(repo, request, BadRequest, "is outside repository")
    assert (repo.parent / "outside").read_text() == "theirs\n"


@pytest.mark.parametrize("path", [".git/config", ".GIT/config", "git~1/config", "src/.git/config", ".git /config"])
def test_a_path_in_a_git_directory(repo: Path, path: str) -> None:
    for request in of_path(path):
        if isinstance(request, AddRequest) and path == ".git/config":
            assert writer_of(repo).plan(request).is_empty  # as git does
        elif isinstance(request, MoveRequest) and request.paths[1] == path:
            refused(repo, request, SandboxViolation, f"^invalid path '{path}'$")
        else:
            means_nothing(repo, request)


@pytest.mark.parametrize("path", ["way/outside", "inner/app.py"])
def test_a_path_through_a_link(repo: Path, path: str) -> None:
    (repo.parent / "outside").write_text("theirs\n")
    (repo / "way").symlink_to("..")
    (repo / "inner").symlink_to("src")
    for request in of_path(path):
        if isinstance(request, AddRequest):
            refused(repo, request, BadRequest, f"^pathspec '{path}' {BEYOND}")
        elif isinstance(request, MoveRequest) and request.paths[1] == path:
            refused(repo, request, SandboxViolation, f"^'{path}' {BEYOND}")  # git moves it out of there
        else:
            means_nothing(repo, request)
    refused(repo, AddRequest(paths=["README.md", "inner/"]), BadRequest, f"^pathspec 'inner/' {BEYOND}")
    assert (repo.parent / "outside").read_text() == "theirs\n"


def test_a_path_in_a_submodule(tmp_path: Path) -> None:
    repo = copy_of("submodule", tmp_path / "repo")
    (repo / "libs/changed/x").write_text("theirs\n")
    for request in of_path("libs/changed/x"):
        if isinstance(request, AddRequest):
            words = "^Pathspec 'libs/changed/x' is in submodule 'libs/changed'$"
            refused(repo, request, BadRequest, words)
        elif not isinstance(request, MoveRequest):
            means_nothing(repo, request)
    refused(repo, MoveRequest(paths=["top.txt", "libs/changed/y"]), Unsupported, "is a submodule")
    refused(repo, RemoveRequest(paths=["libs/changed"]), Unsupported, "does not remove submodules")


# --- programs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_",
    [AddRequest(paths=["README.md"]), RestoreRequest(paths=["README.md"]), CommitRequest(message=["m"], all=True)],
    ids=lambda one: type(one).__name__,
)
def test_a_filter_that_is_not_granted(repo: Path, request_: Mutation) -> None:
    (repo / ".gitattributes").write_text("*.md filter=crypt\n")
    with (repo / ".git/config").open("a") as config:
        config.write('[filter "crypt"]\n\tclean = touch ran\n\tsmudge = touch ran\n')
    (repo / "README.md").write_text("changed\n")
    error = refused(repo, request_, Unsupported, "^'README.md' goes through the filter 'crypt'")
    assert error.data["filter"] == "crypt" and not (repo / "ran").exists()


def test_a_hook_that_is_active(repo: Path) -> None:
    for name in ("pre-commit", "commit-msg", "prepare-commit-msg"):
        hook = repo / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\ntouch ran\n")
        hook.chmod(0o755)
        request = CommitRequest(message=["m"], switches=["--allow-empty"])
        refused(repo, request, Unsupported, f"^the hook '{name}' is installed")
        assert f"hook {name} was not run" in writer_of(repo, hooks="skip").plan(request).preview.notes
        hook.unlink()
    assert not (repo / "ran").exists()


def test_no_request_has_a_field_that_grants() -> None:
    """What a host grants (effects, programs, hooks, an identity, an approval) can be said by no request."""
    found = [one for module in (mutations, ref_mutations) for one in vars(module).values()]
    kinds = {one for one in found if isinstance(one, type) and issubclass(one, Mutation)}
    fields = {field for kind in kinds for field in kind.model_fields}
    assert len(kinds) >= 20 and len(fields) >= 60
    words = ("grant", "approv", "confirm", "yes", "allow", "effect", "program", "hook", "trust", "identity", "unsafe")
    assert {field for field in fields for word in words if word in field} == set()

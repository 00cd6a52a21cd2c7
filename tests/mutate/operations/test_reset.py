"""reset, and restore: what the entries that they make know of the files that are there."""

from pathlib import Path

import pytest
from tests.support.writing import copy_of, done

import gitglass
from gitglass.request.mutations import AddRequest, Mutation, RemoveRequest, ResetRequest, RestoreRequest

pytestmark = pytest.mark.writes


@pytest.mark.parametrize(
    "reset",
    [
        ResetRequest(), ResetRequest(paths=["README.md"]), ResetRequest(paths=["README.md"], switches=["-q"]),
        ResetRequest(mode="hard"), RestoreRequest(paths=["README.md"], staged=True, worktree=True, source="HEAD"),
    ],
    ids=lambda one: str(one.summary()),
)  # fmt: skip
@pytest.mark.parametrize("removed", [False, True])
def test_an_entry_that_is_made_anew_knows_the_file_that_is_as_it_says(
    tmp_path: Path, reset: Mutation, removed: bool
) -> None:
    """As git refreshes the index, or writes the file once more: nobody has to look into the file again."""
    repo = copy_of("plain", tmp_path / "repo")
    data = (repo / "README.md").read_bytes()
    if removed:
        done(repo, RemoveRequest(paths=["README.md"], cached=True))
    else:
        (repo / "README.md").write_bytes(b"staged\n")
        done(repo, AddRequest(paths=["README.md"]))
        (repo / "README.md").write_bytes(data)
    done(repo, reset)
    listed = gitglass.git(["diff-files", "--name-only"], cwd=repo, text=True).stdout.splitlines()
    assert "README.md" not in listed and "src/app.py" in listed  # unpacked, and not looked into since


def test_an_entry_whose_file_is_another_one_does_not_know_it(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "README.md").write_bytes(b"staged\n")
    done(repo, AddRequest(paths=["README.md"]))
    assert done(repo, ResetRequest()).answer.out.endswith(b"M\tREADME.md\n")
    assert gitglass.git(["diff", "--name-only"], cwd=repo, text=True).stdout == "README.md\n"


def test_a_file_that_is_another_one_is_not_known_wherever_the_command_is_given(tmp_path: Path) -> None:
    """`diff.relative` hides it from `git diff`, below another directory, and not from `git reset`."""
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write("[diff]\n\trelative = true\n")
    (repo / "README.md").write_bytes(b"staged\n")
    done(repo, AddRequest(paths=["README.md"]))
    result = done(repo / "src", ResetRequest())
    assert b"M\tREADME.md\n" in result.answer.out
    assert gitglass.git(["status", "-s"], cwd=repo, text=True).stdout == " M README.md\n"


@pytest.mark.parametrize("paths", [[], ["README.md"]], ids=str)
def test_without_a_refresh_nothing_is_said_of_files_that_differ(tmp_path: Path, paths: list[str]) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "README.md").write_text("other\n")
    done(repo, AddRequest(paths=["README.md"]))
    words = b"Unstaged changes after reset:\nM\tREADME.md\n"
    for switches, out in ((["--no-refresh"], b""), (["--no-refresh", "--refresh"], words), ([], words)):
        assert done(repo, ResetRequest(paths=paths, switches=switches)).answer.out == out
    assert gitglass.git(["diff", "--cached", "--name-only"], cwd=repo).stdout == b""

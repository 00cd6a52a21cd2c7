"""A partial clone: what was not fetched is named, and nothing that is not here is said not to exist."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.errors import NotFetched

PATH = "src/app.py"


@pytest.fixture
def partial(tmp_path: Path, unpack: Any) -> tuple[Path, str]:
    """A clone that has left one blob on the server, and the blob's name."""
    top = tmp_path / "partial"
    shutil.copytree(unpack("plain"), top, symlinks=True)
    oid = gitglass.git(["rev-parse", f"HEAD:{PATH}"], cwd=top, text=True).stdout.strip()
    loose = top / ".git" / "objects" / oid[:2] / oid[2:]
    loose.unlink()
    with (top / ".git" / "config").open("a") as config:
        config.write('[remote "origin"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n')
    return top, oid


@pytest.mark.parametrize(
    "line",
    [
        f"show HEAD:{PATH}",
        f"cat-file -p HEAD:{PATH}",
        f"cat-file -t HEAD:{PATH}",
        f"cat-file -s HEAD:{PATH}",
        f"cat-file -e HEAD:{PATH}",
        f"cat-file blob HEAD:{PATH}",
        f"blame HEAD -- {PATH}",
        "cat-file --batch",
        "cat-file --batch-check",
        "ls-tree -r -l HEAD",
        "grep return HEAD",
        "log -p --root",
        "log -S return",
        "diff HEAD~3 HEAD --stat -p",
        "rev-list --objects HEAD",
    ],
)
def test_what_was_not_fetched_is_named(line: str, partial: tuple[Path, str]) -> None:
    top, oid = partial
    done = gitglass.git(line.split(), cwd=top, input=f"HEAD:{PATH}\n".encode())
    words = f"fatal: object {oid} was not fetched: this is a partial clone, and gitglass fetches nothing\n"
    assert (done.returncode, done.stderr.decode()) == (128, words)


@pytest.mark.parametrize(
    "line",
    [
        "log --oneline",
        "log --raw --no-renames",
        "rev-parse HEAD:src/app.py",
        "ls-tree -r HEAD",
        "diff --raw HEAD~1 HEAD",
    ],
)
def test_what_needs_no_content_is_answered(line: str, partial: tuple[Path, str], unpack: Any) -> None:
    done = gitglass.git(line.split(), cwd=partial[0])
    whole = gitglass.git(line.split(), cwd=unpack("plain"))
    assert (done.returncode, done.stdout, done.stderr) == (0, whole.stdout, b"")


def test_commands_that_ask_what_is_missing_say_so(partial: tuple[Path, str]) -> None:
    top, oid = partial
    listed = gitglass.git(["rev-list", "--objects", "--missing=print", "HEAD"], cwd=top)
    assert listed.returncode == 0 and f"?{oid}\n".encode() in listed.stdout
    assert gitglass.git(["rev-list", "--objects", "--missing=allow-any", "HEAD"], cwd=top).returncode == 0
    batch = gitglass.git(["cat-file", "--batch-check", "--batch-all-objects"], cwd=top)
    assert oid.encode() not in batch.stdout
    assert batch.stderr == b"warning: This repository uses promisor remotes. Some objects may not be loaded.\n"


def test_a_handle_asks_again_after_such_a_command(partial: tuple[Path, str]) -> None:
    repo = gitglass.open(partial[0])
    repo.git(["rev-list", "--objects", "--missing=print", "HEAD"])
    with pytest.raises(NotFetched) as caught:
        repo.show(f"HEAD:{PATH}")
    assert caught.value.data["oid"] == partial[1] and caught.value.hint


def test_a_ref_to_what_was_not_fetched_is_listed(partial: tuple[Path, str]) -> None:
    top, oid = partial
    (top / ".git" / "refs" / "tags" / "file").write_text(oid + "\n")
    (row,) = gitglass.open(top).for_each_ref("refs/tags/file").refs
    assert (row.oid, row.kind, row.time, row.subject) == (oid, None, None, None)


def test_the_same_object_is_missing_elsewhere(partial: tuple[Path, str]) -> None:
    top, _ = partial
    config = top / ".git" / "config"
    config.write_text(config.read_text().replace("promisor = true", "promisor = false"))
    done = gitglass.git(["show", f"HEAD:{PATH}"], cwd=top)
    assert (done.returncode, done.stderr.decode()) == (128, f"fatal: bad object HEAD:{PATH}\n")

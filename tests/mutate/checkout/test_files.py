"""The work tree of a plan: each file is looked at once."""

import os
from pathlib import Path

import pytest
from tests.support.twins import skip
from tests.support.writing import copy_of, done, writer_of

import gitglass
from gitglass.disk.worktree import WorkTree
from gitglass.index.parse import parse_index
from gitglass.mutate.checkout import files, outward
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, MoveRequest, RestoreRequest, SwitchRequest
from gitglass.worktree.stat_cache import Looker

pytestmark = pytest.mark.writes


def test_a_plan_looks_at_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    names = [b"many/f%02d" % number for number in range(12)]
    (repo / "many").mkdir()
    for number in range(2):
        for name in names:
            (repo / name.decode()).write_bytes(b"version %d\n" % number)
        done(repo, AddRequest(paths=["many"]))
        done(repo, CommitRequest(message=[f"number {number}"]))
    looked: list[bytes] = []
    compared: list[int] = []
    lstat, differs = WorkTree.lstat, Looker.differs

    def counted(files: WorkTree, path: bytes) -> object:
        looked.append(path)
        return lstat(files, path)

    def told(looker: Looker, position: int, status: object) -> bool:
        compared.append(position)
        return differs(looker, position, status)  # type: ignore[arg-type]

    writer = writer_of(repo)
    with monkeypatch.context() as patch:
        patch.setattr(WorkTree, "lstat", counted)
        patch.setattr(Looker, "differs", told)
        plan = writer.plan(SwitchRequest(detach=True, commit="HEAD~1"))
    assert sorted(change.path for change in plan.changes.files) == names
    assert [looked.count(name) for name in names] == [1] * 12
    assert len(compared) == len(set(compared)) >= 12
    (repo / "many/f03").write_bytes(b"somebody else's\n")  # what was seen is asked again when it counts
    with pytest.raises(Exception, match=r"changed since the plan|would be overwritten"):
        writer.apply(plan, approve(plan, "me"))
    assert (repo / "many/f03").read_bytes() == b"somebody else's\n"


def test_an_entry_that_is_not_checked_out_is_written_where_nothing_is_sparse(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    for number in range(2):
        (repo / "README.md").write_text(f"version {number}\n")
        done(repo, AddRequest(paths=["README.md"]))
        done(repo, CommitRequest(message=[f"number {number}"]))
    place = repo / ".git/index"
    skip(place, b"README.md")
    (repo / "README.md").unlink()
    done(repo, SwitchRequest(detach=True, commit="HEAD~1"))
    assert (repo / "README.md").read_text() == "version 0\n"
    kept = parse_index(place.read_bytes(), 20)
    assert kept.skip_worktree(kept.find(b"README.md"))
    (repo / "README.md").unlink()
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tsparseCheckout = true\n")
    done(repo, SwitchRequest(detach=True, commit="main"))
    assert not (repo / "README.md").exists()


@pytest.mark.parametrize("source", [None, "HEAD"])
def test_a_touched_file_is_checked_out_again_whatever_file_mode_says(tmp_path: Path, source: str | None) -> None:
    """git goes by the file's status: one that it does not clear is written, with the permissions of the entry."""
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tfileMode = false\n\ttrustctime = false\n")
    file = repo / "README.md"
    file.write_bytes(b"more\n")
    done(repo, AddRequest(paths=["README.md"]))
    done(repo, CommitRequest(message=["more"]))
    file.chmod(0o755)
    done(repo, RestoreRequest(paths=["README.md"], source=source))
    assert file.stat().st_mode & 0o777 == 0o755
    os.utime(file, (1, 1))
    done(repo, RestoreRequest(paths=["README.md"], source=source))
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_file_of_other_attributes_than_there_are_now_moves_with_its_bytes(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / ".gitattributes").write_bytes(b"n1 text eol=crlf\n")
    (repo / "n1").write_bytes(b"one\r\ntwo\r\n")
    os.utime(repo / "n1", (1_000_000_000, 1_000_000_000))  # its status counts: it is older than the index
    done(repo, AddRequest(paths=["."]))
    (repo / ".gitattributes").unlink()
    done(repo, AddRequest(paths=[".gitattributes"]))
    done(repo, MoveRequest(paths=["n1", "moved"]))
    assert (repo / "moved").read_bytes() == b"one\r\ntwo\r\n"
    assert not (repo / "n1").exists()


@pytest.mark.parametrize(
    ("in_the_way", "stores"),
    [("nothing", 0), ("changed", 1), ("gone", 1), ("a link", 1), ("of another commit", 1)],
)
def test_the_attributes_of_the_index_are_looked_up_once_where_they_are_those_of_the_work_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_the_way: str, stores: int
) -> None:
    """What the index has counts in each case: n1 gets carriage returns."""
    repo = copy_of("plain", tmp_path / "repo")
    rules = repo / ".gitattributes"
    rules.write_bytes(b"* -text\n" if in_the_way == "of another commit" else b"n1 text eol=crlf\n")
    for number in range(2):
        (repo / "n1").write_bytes(b"version %d\n" % number)
        done(repo, AddRequest(paths=["."]))
        done(repo, CommitRequest(message=[f"number {number}"]))
        rules.write_bytes(b"n1 text eol=crlf\n")
    if in_the_way == "of another commit":
        done(repo, SwitchRequest(detach=True, commit="HEAD~1"))
    if in_the_way == "changed":
        rules.write_bytes(b"n1 -text\n")
    if in_the_way in ("gone", "a link"):
        rules.unlink()
    if in_the_way == "a link":
        rules.symlink_to("n1 text eol=crlf\n")  # which is no file of rules, whatever it is called
    made: list[object] = []
    whole = outward.outward_store

    def counted(*words: object) -> object:
        made.append(words)
        return whole(*words)  # type: ignore[arg-type]

    target = "main" if in_the_way == "of another commit" else "HEAD~1"
    writer = writer_of(repo)
    with monkeypatch.context() as patch:
        patch.setattr(files, "outward_store", counted)
        plan = writer.plan(SwitchRequest(detach=True, commit=target))
    assert len(made) == stores
    assert writer.apply(plan, approve(plan, "test")).verified
    assert (repo / "n1").read_bytes() == b"version %d\r\n" % (target == "main")


def test_without_symlinks_a_link_is_a_small_file_with_its_target(tmp_path: Path) -> None:
    """`core.symlinks` (git-config(1)); no conversion touches it, and its entry stays a link."""
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "way").symlink_to("README.md\n")
    done(repo, AddRequest(paths=["way"]))
    done(repo, CommitRequest(message=["a link"]))
    (repo / "way").unlink()
    (repo / ".gitattributes").write_text("* text eol=crlf\n")
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tsymlinks = false\n")
    done(repo, RestoreRequest(paths=["way"]))
    assert (repo / "way").read_bytes() == b"README.md\n"
    done(repo, SwitchRequest(detach=True, commit="HEAD~1"))
    assert not (repo / "way").exists()
    done(repo, SwitchRequest(branch="main"))
    assert not (repo / "way").is_symlink() and (repo / "way").read_bytes() == b"README.md\n"
    index = parse_index((repo / ".git/index").read_bytes(), 20)
    assert index.mode(index.find(b"way")) == 0o120000
    assert gitglass.open(repo).git(["diff", "--name-only", "HEAD"]).stdout == b""

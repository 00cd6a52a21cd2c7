"""Submodules that a merge, a cherry-pick or a switch moves: the entry goes, the files of the submodule stay; as git."""

from pathlib import Path

import pytest
from tests.support.merge_cases import submodule_merge, superproject
from tests.support.peers import read, said

pytestmark = pytest.mark.writes


def prepared(tmp_path: Path, case: tuple[str, str]) -> tuple[Path, str, dict[str, str]]:
    """A repository on the commit of our side, the one of theirs, and the names of the submodule's commits."""
    top, oids = superproject(tmp_path / "top")
    ours, theirs, _ = submodule_merge(top, oids, case)
    top.joinpath(".git/refs/heads/main").write_text(f"{ours}\n")
    top.joinpath(".git/HEAD").write_text("ref: refs/heads/main\n")
    assert said(top, "reset", "-q", "--hard") == (0, "", "")
    top.joinpath("sub/file").write_text("of the submodule\n")
    return top, theirs, {name: oid.decode() for name, oid in oids.items()}


def staged(top: Path) -> str:
    return read(top, "ls-files", "-s")


def test_a_fast_forward(tmp_path: Path) -> None:
    top, theirs, oids = prepared(tmp_path, ("m", "abc"))
    status, out, err = said(top, "merge", "-q", "-m", "m", theirs)
    assert (status, err) == (0, "") and out == f"Note: Fast-forwarding submodule sub to {oids['c']}\n"
    assert staged(top) == f"160000 {oids['c']} 0\tsub" and top.joinpath("sub/file").exists()
    assert said(top, "reset", "-q", "--hard", "HEAD~1")[0] == 0
    assert staged(top) == f"160000 {oids['b']} 0\tsub" and top.joinpath("sub/file").exists()


@pytest.mark.parametrize("verb", ["merge", "cherry-pick"])
def test_a_conflict_and_back(tmp_path: Path, verb: str) -> None:
    top, theirs, oids = prepared(tmp_path, ("m", "bcd"))
    status, out, _ = said(top, verb, theirs)
    assert status == 1 and out.startswith("Failed to merge submodule sub, but a possible merge resolution exists:     ")
    assert f" - go to submodule (sub), and either merge commit {oids['d'][:7]}\n" in out
    assert staged(top).splitlines() == [f"160000 {oids[name]} {at}\tsub" for at, name in enumerate("bcd", 1)]
    assert said(top, verb, "--abort")[0] == 0
    assert staged(top) == f"160000 {oids['c']} 0\tsub" and top.joinpath("sub/file").exists()


def test_one_that_comes_to_where_its_directory_is(tmp_path: Path) -> None:
    top, theirs, oids = prepared(tmp_path, ("m", "--c"))
    assert said(top, "merge", "-q", theirs)[0] == 0
    assert staged(top) == f"160000 {oids['c']} 0\tsub" and top.joinpath("sub/file").exists()


def test_one_without_a_directory_is_refused(tmp_path: Path) -> None:
    top, theirs, _ = prepared(tmp_path, ("m", "--c"))
    top.joinpath("sub").rename(tmp_path / "away")
    status, _, err = said(top, "merge", "-q", theirs)
    assert status == 128 and "'sub' is a submodule without a directory" in err
    assert staged(top) == "" and read(top, "rev-parse", "HEAD") != theirs

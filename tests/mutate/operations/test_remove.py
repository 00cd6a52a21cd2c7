"""operations/remove.py: what `mv` of a directory leaves. git's own words and repositories are in test_twins."""

from pathlib import Path

import pytest
from tests.support.merge_cases import submodule_merge, superproject
from tests.support.peers import commit, empty, read, run, said

from gitglass.index.parse import parse_index
from gitglass.mutate.index_file import index_bytes

pytestmark = pytest.mark.writes


def test_empty_directories_go_with_the_directory_that_moves(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "src").mkdir()
    commit(repo, "one", name="src/one")
    (repo / "src/deep/er").mkdir(parents=True)
    run(repo, "mv", "src", "other")
    assert (repo / "other/one").read_text() == "one"
    assert not (repo / "src").exists()


def test_no_directory_moves_that_has_one_in_place_of_a_file(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "d").mkdir()
    commit(repo, "one", name="d/g")
    (repo / "d/g").unlink()
    (repo / "d/g").mkdir()
    (repo / "d/g/leaf").write_text("")
    assert said(repo, "mv", "d", "q") == (128, "", "fatal: Directory d/g is in index and no submodule?\n")
    assert (repo / "d/g/leaf").exists()


def test_a_path_is_typed_from_here_or_from_the_root(tmp_path: Path) -> None:
    """git reads both words as it does a pathspec's: an absolute one leads into the work tree, or nowhere."""
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "d").mkdir()
    commit(repo, "one", name="d/one")
    run(repo, "mv", "d/one", str(repo / "two"))
    run(repo, "mv", str(repo / "two"), str(repo / "d/../d/"))
    assert sorted(read(repo, "ls-files").splitlines()) == ["d/two"] and (repo / "d/two").read_text() == "one"
    for word in ("/d/elsewhere", "../elsewhere"):
        words = f"fatal: '{word}' is outside repository at '{repo}'\n"
        assert said(repo, "mv", "d/two", word) == (128, "", words)
    assert (repo / "d/two").exists()


def test_no_directory_moves_that_holds_a_submodule(tmp_path: Path) -> None:
    top, oids = superproject(tmp_path / "top")
    commit(top, "one")
    link = b"\0" * 24 + b"\0\0\xe0\0" + b"\0" * 12 + bytes.fromhex(oids["a"].decode()) + b"\0\5"  # of five letters
    file = parse_index((top / ".git/index").read_bytes(), 20).heads[0]
    (top / "d").mkdir()
    (top / "sub").rename(top / "d/sub")
    entries = [(b"d/sub", link, 0), (b"f", file, 0)]
    (top / ".git/index").write_bytes(index_bytes(entries, 2, "sha1", trees=None))
    status, _, err = said(top, "mv", "d", "e")
    assert status and err.endswith("is a submodule, and gitglass does not move these\n")
    assert read(top, "ls-files") == "d/sub\nf" and (top / "d/sub").is_dir()


def test_a_submodule_in_conflict_is_not_removed(tmp_path: Path) -> None:
    top, oids = superproject(tmp_path / "top")
    ours, theirs, _ = submodule_merge(top, oids, ("m", "bcd"))
    top.joinpath(".git/refs/heads/main").write_text(f"{ours}\n")
    top.joinpath(".git/HEAD").write_text("ref: refs/heads/main\n")
    run(top, "reset", "-q", "--hard")
    assert said(top, "merge", theirs)[0] == 1
    status, out, err = said(top, "rm", "sub")
    assert status and out == "" and "'sub' is a submodule, and gitglass does not remove submodules" in err
    assert read(top, "ls-files", "-u").count("\tsub") == 3 and (top / "sub").is_dir()


def test_hints_of_rm_are_left_out_where_the_advice_is_off(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "one")
    (repo / "f").write_text("other")
    words = "error: the following file has local modifications:\n    f\n"
    assert said(repo, "rm", "f") == (1, "", f"{words}(use --cached to keep the file, or -f to force removal)\n")
    with (repo / ".git/config").open("a") as config:
        config.write("[advice]\n\trmHints = false\n")
    assert said(repo, "rm", "f") == (1, "", words)

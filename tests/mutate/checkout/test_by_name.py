"""Which `.gitattributes` files are written by that are checked out by their names."""

from pathlib import Path

import pytest
from tests.support.twins import START, attempt
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes
OLD, NEW = "# nothing\n", "n1 text eol=crlf\n"


def prepared(tmp_path: Path) -> Path:
    """A repository whose index has the attributes `NEW`, with `OLD` in the work tree, and no file `n1`."""
    repo = copy_of("plain", tmp_path / "repo")
    for name, content in (("n1", "made\n"), (".a", "first\n"), (".gitattributes", NEW)):
        repo.joinpath(name).write_text(content)
        assert attempt(repo, ["add", name], START) == (0, b"", b"")
    repo.joinpath(".gitattributes").write_text(OLD)
    repo.joinpath("n1").unlink()
    return repo


@pytest.mark.parametrize(
    ("words", "before", "content"),
    [
        (["n1"], "first\n", b"made\n"),
        (["."], "first\n", b"made\r\n"),
        ([".gitattributes", "n1"], "changed\n", b"made\r\n"),
        (["."], "changed\n", b"made\n"),
    ],
    ids=["not-written", "written-first", "others-left-alone", "after-another"],
)
def test_the_index_counts_where_the_file_itself_is_written_first(
    tmp_path: Path, words: list[str], before: str, content: bytes
) -> None:
    repo = prepared(tmp_path)
    repo.joinpath(".a").write_text(before)
    assert attempt(repo, ["restore", *words], START)[0] == 0
    assert repo.joinpath("n1").read_bytes() == content


def test_a_file_that_is_gone_is_read_from_the_index(tmp_path: Path) -> None:
    repo = prepared(tmp_path)
    repo.joinpath(".a").write_text("changed\n")
    repo.joinpath(".gitattributes").unlink()
    assert attempt(repo, ["restore", "."], START)[0] == 0
    assert repo.joinpath("n1").read_bytes() == b"made\r\n"

"""The author that is kept while a rebase is interrupted."""

import pytest

from gitglass.mutate.operations.rebase.conclude import read_author
from gitglass.mutate.operations.rebase.replay import author_script


@pytest.mark.parametrize("name", [b"A U Thor", b"O'Ther", b"wow! '!'", "ümlaut".encode(), b""])
def test_an_author_is_read_as_it_is_written(name: bytes) -> None:
    author = b"%b <a@b> 1500000000 +0300" % name
    assert read_author(author_script(author)) == author


@pytest.mark.parametrize("script", [b"", b"GIT_AUTHOR_NAME='x'\n", b"rm -rf /\n"])
def test_what_names_no_author_is_none(script: bytes) -> None:
    assert read_author(script) is None

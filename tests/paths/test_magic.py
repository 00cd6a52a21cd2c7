"""The magic of a pathspec."""

import pytest

from gitglass.errors import BadRequest
from gitglass.paths.magic import read_magic


@pytest.mark.parametrize(
    ("word", "magic", "attributes", "rest"),
    [
        (b"a", set(), (), b"a"), (b":/a", {"top"}, (), b"a"), (b":!/:a", {"exclude", "top"}, (), b"a"), (b":a", set(), (), b"a"),
        (b":(icase,glob)a", {"icase", "glob"}, (), b"a"), (b":()a", set(), (), b"a"),
        (b":(attr:a -b !c d=x\\,y,top)p", {"attr", "top"}, ((b"a", True), (b"b", False), (b"c", None), (b"d", b"x,y")), b"p"),
    ],
)  # fmt: skip
def test_what_stands_in_front(word: bytes, magic: set[str], attributes: object, rest: bytes) -> None:
    assert read_magic(word) == (magic, attributes, rest)


@pytest.mark.parametrize(
    "word", [b":(x)a", b":(icase", b":#a", b":(attr:)a", b":(attr:a,attr:b)c", b":(attr:d=x y=\\)a"]
)
def test_what_is_none(word: bytes) -> None:
    with pytest.raises(BadRequest):
        read_magic(word)

"""-L in all its spellings."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.lines.ranges import BadRange, Lines, merged, parse_line_range
from gitglass.diff.lines.userdiff import BUILTIN
from gitglass.errors import GitError
from gitglass.limits import Context

LONG = b"x" * (1 << 20)

TEXT = Lines(b"one\nint two(void)\n{\n  x;\n}\nint three\n{\n  y;\n")


@given(st.lists(st.sampled_from([b"", b"a", b"\n", b"\n\n", b"b\n", LONG, LONG + b"\n"]), max_size=8))
def test_a_line_begins_behind_each_newline(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    offsets = [0, *(newline.end() for newline in re.finditer(b"\n", data))]
    assert Lines(data).offsets == offsets + [len(data)] * (offsets[-1] != len(data))


def parse(arg: str, anchor: int = 1) -> tuple[int, int]:
    return parse_line_range(arg.encode(), TEXT, anchor, None, ctx=Context())


@pytest.mark.parametrize(
    ("arg", "range_"),
    [
        ("2,4", (2, 4)),
        ("4,2", (2, 4)),
        ("3,+2", (3, 4)),
        ("3,-2", (2, 3)),
        (",3", (0, 3)),
        ("5", (5, 0)),
        ("5,", (5, 0)),
        ("/x;/,+1", (4, 4)),
        ("/{/,/}/", (3, 5)),
        (":two", (2, 5)),
        (":int", (2, 5)),
        ("100,", (100, 0)),
    ],
)
def test_spellings(arg: str, range_: tuple[int, int]) -> None:
    assert parse(arg) == range_


def test_searches_begin_behind_the_last_range() -> None:
    assert parse(":int", 4) == (6, 8)
    assert parse("^:int", 4) == (2, 5)
    assert parse("/{/,+1", 4) == (7, 7)
    assert parse("^/{/,+1", 4) == (3, 3)


def test_an_empty_match_at_the_end_is_behind_the_last_line() -> None:
    assert parse("/$/", 9) == (9, 0)
    assert parse("/x*/,+1", 9) == (9, 9)
    assert parse("/^$/") == (9, 0)
    assert parse("8,/^$/") == (8, 9)


def test_a_driver_says_what_is_a_function() -> None:
    lines = Lines(b"label:\nint two(void)\nx = two\n\nint three\n")
    found = parse_line_range(b":two", lines, 1, BUILTIN[b"cpp"], ctx=Context())
    assert found == (2, 2)  # `x = two` begins a function as well, for C


@pytest.mark.parametrize("arg", ["foo", "1,2x", ":", "1,/x"])
def test_no_range_at_all(arg: str) -> None:
    with pytest.raises(BadRange):
        parse(arg)


@pytest.mark.parametrize("arg", ["0,2", "1,+0", "/zzz/", ":zzz", "1,-0"])
def test_words_of_git(arg: str) -> None:
    with pytest.raises(GitError, match="-L"):
        parse(arg)


@given(st.text(alphabet="0123456789,+-/:^ab\\", max_size=12))
def test_nothing_but_git_errors(arg: str) -> None:
    try:
        begin, end = parse(arg)
    except GitError:
        return
    assert begin >= 0
    assert end >= 0


@given(st.binary(max_size=60))
def test_lines(data: bytes) -> None:
    found = Lines(data)
    assert b"".join(found.line(at) for at in range(found.count)) == data
    assert found.span(0, found.count) == data


def test_merged() -> None:
    assert merged([(5, 9), (1, 3), (3, 4), (8, 12), (7, 7)]) == [(1, 4), (5, 12)]

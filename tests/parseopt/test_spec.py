"""The text that declares a program's options."""

import pytest

from gitglass.errors import BadRequest
from gitglass.limits import Context
from gitglass.parseopt.options import Option
from gitglass.parseopt.spec import read_spec


def options(text: bytes) -> list[Option]:
    return read_spec(b"p\n--\n" + text, ctx=Context()).options


def test_lines_of_options() -> None:
    assert options(b"a one\nall\tone\na,all  one two \n") == [
        Option(b"a", help=b"one"),
        Option(long=b"all", help=b"one"),
        Option(b"a", b"all", help=b"one two "),
    ]
    assert options(b"a,= h\r\n") == [Option(b"a", b"", value="must", help=b"h")]
    assert options(b"x=? h\ny?= h\nz!*n=h h\nq<n> h") == [
        Option(b"x", value="may", help=b"h"),
        Option(b"y", value="may", help=b"h"),
        Option(b"z", negatable=False, hidden=True, hint=b"n=h", help=b"h"),
        Option(long=b"q<n>", help=b"h"),
    ]


def test_headings_and_empty_lines() -> None:
    assert options(b"\n  Group \nword\n \nx\0y z\n") == [
        Option(heading=True, help=b"Group "),
        Option(heading=True, help=b"word"),
        Option(heading=True),
        Option(heading=True, help=b"x"),
    ]


def test_usage_lines() -> None:
    assert read_spec(b"a\r\n\nb\n--\n", ctx=Context()).usage == [b"a", b"", b"b"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "premature end of input"),
        (b"usage\n", "premature end of input"),
        (b"--\n", "no usage string given before the `--' separator"),
        (b"p\n--\n=x help\n", "missing opt-spec before option flags"),
    ],
)
def test_no_declaration(text: bytes, complaint: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read_spec(text, ctx=Context())
    assert caught.value.message == complaint

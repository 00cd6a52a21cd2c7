"""Options as a program declares them: what git takes for a mistake, the usage in columns, words for completion."""

import pytest

from gitglass.errors import BadRequest
from gitglass.parseopt.options import Option, check_options, completions, usage_text


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([Option(b"a"), Option(b"a", b"all")], "switch 'a' (--all) short name already used"),
        ([Option(b"a"), Option(b"a")], "switch 'a' short name already used"),
        ([Option(b"\x7f")], "switch '\x7f' invalid short name"),
        (
            [Option(long=b"x", value="must", hint=b"a_b")],
            "option 'x' multi-word argh should use dash to separate words",
        ),
    ],
)
def test_mistakes_of_a_program(options: list[Option], complaint: str) -> None:
    with pytest.raises(BadRequest) as caught:
        check_options(options)
    assert caught.value.message == complaint


def test_usage_in_columns() -> None:
    options = [
        Option(b"h", b"help", help=b"one"),
        Option(b"x", b"hidden", hidden=True, help=b"never"),
        Option(heading=True, help=b"Group"),
        Option(long=b"exactlytwentychar1", help=b"in the line"),
        Option(long=b"exactlytwentychars", value="must", help=b"below"),
        Option(b"b", value="may", hint=b"n", help=b"two"),
        Option(b"c", b"cee", value="may", hint=b"a|b", help=b"three"),
        Option(long="é".encode(), value="must", hint="é".encode(), help=b"names have bytes, hints columns"),
    ]
    assert usage_text([b"p [options]", b"p2", b"", b"text"], options).decode() == (
        "usage: p [options]\n   or: p2\n\n    text\n\n"
        "    -h, --help            one\n"
        "\nGroup\n"
        "    --exactlytwentychar1  in the line\n"
        "    --exactlytwentychars ...\n"
        "                          below\n"
        "    -b[<n>]               two\n"
        "    -c, --cee[=a|b]       three\n"
        "    --é <é>              names have bytes, hints columns\n\n"
    )
    assert b"-x, --hidden          never\n" in usage_text([b"p"], options, hidden=True)
    assert usage_text([b"p"], []) == b"usage: p\n\n"


def test_words_for_completion() -> None:
    one, two, three = Option(long=b"one"), Option(long=b"two", value="must"), Option(long=b"no-three")
    assert completions([one]) == b"--one --no-one\n"
    assert completions([one, two]) == b"--one --two= --no-one -- --no-two\n"
    assert completions([one, three]) == b"--one --no-three --three -- --no-one\n"
    assert completions([Option(b"x"), two]) == b" --two= --no-two\n"
    assert completions([Option(long=b"x", hidden=True, negatable=False)]) == b"\n"
    assert completions([Option(long=b"x", hidden=True, negatable=False)], hidden=True) == b"--x\n"

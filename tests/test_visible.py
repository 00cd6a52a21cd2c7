"""Characters that hide or command are spelt out, for terminals and for models."""

import pytest

from gitglass.visible import plain_bytes, visible_bytes, visible_line, visible_text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a\tb\nc\n", b"a\tb\nc\n"),
        (b"\x1b[31mred\x1b[m", b"\x1b[31mred\x1b[m"),
        (b"\x1b[2J\x1b]0;title\x07", b"\\x1b[2J\\x1b]0;title\\x07"),
        (b"\x00\x08\x0b\x1a\x1c\x7f", b"\\x00\\x08\\x0b\\x1a\\x1c\\x7f"),
        ("\x9b\u202e\u200b\u2066\ufeff".encode(), b"\\u009b\\u202e\\u200b\\u2066\\ufeff"),
        ("\u061c\u180e\ufff9\ufffb".encode(), b"\\u061c\\u180e\\ufff9\\ufffb"),
        ("\u061b\u061d\u180d\u180f\ufff8\ufffd".encode(), "\u061b\u061d\u180d\u180f\ufff8\ufffd".encode()),
        ("é漢\u2010\u2030".encode(), "é漢\u2010\u2030".encode()),
        ("\U000e0041\U000e007f\U0001f44d".encode(), "\\U000e0041\\U000e007f\U0001f44d".encode()),
        (b"\x1b[1;31;42mx\x1b[0;7;38;5;208;48;2;1;2;3mx\x1b[;9;22;39;97;107m", b"\x1b[1;31;42mx\x1b[0;7;38;5;208;48;2;1;2;3mx\x1b[;9;22;39;97;107m"),
        (b"\x1b[8mx\x1b[1;8mx\x1b[31;08mx\x1b[38;5mx", b"\\x1b[8mx\\x1b[1;8mx\\x1b[31;08mx\\x1b[38;5mx"),
    ],
)  # fmt: skip
def test_for_a_terminal(raw: bytes, expected: bytes) -> None:
    assert visible_bytes(raw) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\rb\x1b[31m", "a\\x0db\\x1b[31m"),
        ("\x9b\xad\u202e\ufe0f\u3164", "\\x9b\\xad\\u202e\\ufe0f\\u3164"),
        ("\U000e0041\U000e0fff", "\\U000e0041\\U000e0fff"),
        ("é漢👍", "é漢👍"),
    ],
)
def test_for_a_model(text: str, expected: str) -> None:
    assert visible_text(text) == expected


def test_what_is_not_painted_has_no_colour() -> None:
    assert plain_bytes("\x1b[31m\u202e\U000e0041\n".encode()) == b"\\x1b[31m\\u202e\\U000e0041\n"


def test_what_stays_one_line() -> None:
    assert visible_line("a\nb\x1b[8m\t\u2028") == "a\\x0ab\\x1b[8m\t\\u2028"

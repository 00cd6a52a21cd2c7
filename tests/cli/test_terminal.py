"""cli/terminal.py: nothing risky reaches a terminal raw."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.cli.terminal import visible


def test_colours_pass_and_the_rest_is_spelled() -> None:
    assert visible(b"\x1b[31mred\x1b[m\tx\n") == b"\x1b[31mred\x1b[m\tx\n"
    assert visible(b"\x1b]0;title\x07") == b"\\x1b]0;title\\x07"
    assert visible("a\u202eb\u200bc\u0085".encode()) == b"a\\u202eb\\u200bc\\u0085"
    assert visible("größe 日本".encode()) == "größe 日本".encode()


@given(st.binary(max_size=200))
def test_only_colours_keep_their_escape(raw: bytes) -> None:
    for part in visible(raw).split(b"\x1b")[1:]:
        assert part.startswith(b"[") and part.lstrip(b"[0123456789;").startswith(b"m")

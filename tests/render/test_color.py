"""Colour words and palettes; expectations observed from `git config --get-color`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import GitError
from gitglass.limits import Context, Limits
from gitglass.render.color import Palette, parse_color, want_color


class Config(dict):  # type: ignore[type-arg]
    def get_string(self, key: str) -> bytes | None:
        return self.get(key.lower())

    def section_items(self, front: bytes) -> list[tuple[bytes, bytes]]:
        start = front.decode() + "."
        return [(key[len(start) :].encode(), value) for key, value in self.items() if key.startswith(start)]


@pytest.mark.parametrize(
    ("value", "sequence"),
    [
        (b"", b""),
        (b"normal", b""),
        (b"reset", b"\x1b[m"),
        (b"red reset", b"\x1b[;31m"),
        (b"red bold", b"\x1b[1;31m"),
        (b"normal blue", b"\x1b[44m"),
        (b"default red", b"\x1b[39;41m"),
        (b"no-dim ul italic", b"\x1b[3;4;22m"),
        (b"010", b"\x1b[92m"),
        (b"16 255", b"\x1b[38;5;16;48;5;255m"),
        (b"#ABCDEF #123456", b"\x1b[38;2;171;205;239;48;2;18;52;86m"),
        (b"-1", b""),
    ],
)
def test_values(value: bytes, sequence: bytes) -> None:
    assert parse_color(value) == sequence


@pytest.mark.parametrize(
    "value", [b"256", b"-2", b"#f00", b"bright red", b"red blue green", b"noreset", b"brightnormal", b"1a"]
)
def test_no_colors(value: bytes) -> None:
    with pytest.raises(GitError, match="invalid color value"):
        parse_color(value)


def test_when() -> None:
    assert not want_color(Config(), "diff", None, False)
    assert want_color(Config(), "diff", None, True)
    assert want_color(Config({"color.ui": b"always"}), "diff", None, False)
    assert not want_color(Config({"color.ui": b"always", "color.diff": b"true"}), "diff", None, False)
    assert want_color(Config({"color.diff": b"never"}), "diff", "always", False)
    with pytest.raises(GitError, match=r"bad boolean config value 'x' for 'color\.ui'"):
        want_color(Config({"color.ui": b"x"}), "diff", None, False)


def test_palette() -> None:
    off, on = (
        Palette(Config(), False),
        Palette(Config({"color.diff.plain": b"blue", "log.graphcolors": b"red,x,ul"}), True),
    )
    ctx = Context(Limits(timeout=None), now=0)
    assert not off and off.diff_old == off.reset == b"" and off.graph(off.config, ctx) == []
    assert (
        on.diff_old == b"\x1b[31m"
        and on.diff_context == b"\x1b[34m"
        and on.graph(on.config, ctx) == [b"\x1b[31m", b"\x1b[4m"]
    )
    with pytest.raises(AttributeError):
        _ = on.diff_nosuch


@given(st.binary(max_size=30))
def test_any_value(value: bytes) -> None:
    try:
        assert parse_color(value)[:1] in (b"", b"\x1b")
    except GitError:
        pass


@pytest.mark.parametrize(
    ("settings", "slot", "sequence"),
    [
        (["diff.color.new=blue"], "diff_new", b"\x1b[34m"),
        (["color.diff.new=blue", "diff.color.new=yellow"], "diff_new", b"\x1b[33m"),
        (["diff.color.new=yellow", "color.diff.new=blue"], "diff_new", b"\x1b[34m"),
        (["diff.color.plain=blue", "color.diff.context=red"], "diff_context", b"\x1b[31m"),
        (["color.diff.context=red", "diff.color.plain=blue"], "diff_context", b"\x1b[34m"),
        (["status.color.added=blue"], "status_added", b"\x1b[34m"),
        (["color.status.added=red", "color.status.updated=blue"], "status_added", b"\x1b[34m"),
        (["branch.color.current=blue"], "branch_current", b"\x1b[32m"),
    ],
)
def test_older_spellings_count_in_the_order_of_the_files(settings: list[str], slot: str, sequence: bytes) -> None:
    pairs = [(key.encode(), value.encode()) for key, value in (line.split("=") for line in settings)]

    class Given:
        def get(self, key: str) -> bytes | None:
            return dict(pairs).get(key.encode())

        def items(self) -> list[tuple[bytes, bytes]]:
            return pairs

        def section_items(self, front: bytes) -> list[tuple[bytes, bytes]]:
            return []

    assert getattr(Palette(Given(), True), slot) == sequence

"""Which lines `--color-moved` takes for moved, and in which colour."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.hostile.paced import assert_paced

from gitglass.config.config import Config
from gitglass.diff.lines.spec import PatchSpec
from gitglass.errors import Timeout
from gitglass.limits import Context, Limits
from gitglass.render.color import Palette
from gitglass.render.diff import moved
from gitglass.render.diff.moved import Held, paint_moved

NAMES = (
    "diff_old", "diff_new", "diff_old_moved", "diff_new_moved", "diff_old_moved_alternative", "diff_new_moved_alternative",
    "diff_old_moved_dimmed", "diff_new_moved_dimmed", "diff_old_moved_alternative_dimmed",
    "diff_new_moved_alternative_dimmed",
)  # fmt: skip
LETTERS = dict(zip(NAMES, "..mmaaddee", strict=True))


class _Colors:
    def __getattr__(self, name: str) -> bytes:
        return LETTERS[name].encode()


class _Dresser:
    rule = SimpleNamespace(tab=8)

    def line(self, kind: bytes, line: bytes, color: bytes, at_end: bool) -> bytes:
        return color


def painted(text: str, mode: str, *spaces: str) -> str:
    """A letter for each line: . not moved, m moved, a in the other colour, d and e the same dimmed."""
    pieces: list[bytes | Held] = []
    for line in text.split("\n"):
        kind = line[:1].encode()
        pieces.append(b"|" if kind == b" " else Held(_Dresser(), kind, line[1:].encode(), False))
    colors: Any = _Colors()
    patch = PatchSpec(color_moved=mode, color_moved_ws=spaces)
    return paint_moved(pieces, patch, colors, Context()).decode()


LONG, OTHER, THIRD = "x" * 20, "y" * 20, "z" * 20


@pytest.mark.parametrize("mode", ["blocks", "zebra", "dimmed-zebra"])
def test_blocks_need_twenty_letters(mode: str) -> None:
    assert painted(f"-{LONG[1:]}\n \n+{LONG[1:]}", mode) == ".|."
    assert painted(f"-{LONG}\n \n+{LONG}", mode) in ("m|m", "d|d")
    assert painted("-a\n \n+a", "plain") == "m|m"


def test_letters_of_a_block_are_counted_together() -> None:
    half = "h" * 10
    assert painted(f"-{half}\n-{half}!\n \n+{half}\n+{half}!", "zebra") == "mm|mm"
    assert painted(f"-{half}\n-{half[1:]}!\n \n+{half}\n+{half[1:]}!", "zebra") == "..|.."


def test_neighbouring_blocks_alternate() -> None:
    text = f"-{LONG}\n \n-{OTHER}\n \n+{OTHER}\n+{LONG}\n+new"
    assert painted(text, "zebra") == "m|m|ma."
    assert painted(text, "blocks") == "m|m|mm."


def test_all_but_the_borders_is_dimmed() -> None:
    text = f"-{LONG}\n-{OTHER}\n \n-{THIRD}\n \n+{THIRD}\n+{LONG}\n+{OTHER}"
    assert painted(text, "zebra") == "mm|m|maa"
    assert painted(text, "dimmed-zebra") == "dd|d|mae"


def test_white_space_may_be_ignored() -> None:
    text = f"-{LONG} b\n \n+  {LONG}  b"
    assert painted(text, "zebra") == ".|."
    assert painted(text, "zebra", "ignore-space-change") == ".|."
    assert painted(text, "zebra", "ignore-all-space") == "m|m"


def test_one_change_of_indentation_for_a_block() -> None:
    same = f"-{LONG}\n-  {OTHER}\n \n+    {LONG}\n+      {OTHER}"
    other = f"-{LONG}\n-  {OTHER}\n \n+    {LONG}\n+    {OTHER}"
    assert painted(same, "zebra") == "..|.."
    assert painted(same, "blocks", "allow-indentation-change") == "mm|mm"
    assert painted(same, "zebra", "allow-indentation-change") == "mm|mm"
    assert painted(other, "zebra", "allow-indentation-change") == "ma|ma"


def test_a_prefix_stands_in_front_of_the_remark_too() -> None:
    held = Held(SimpleNamespace(line=lambda *words: b"-a\n\\ No newline\n"), b"-", b"a", False)
    held.prefix = b"| "
    patch = PatchSpec(color_moved="zebra")
    assert (
        paint_moved([b"head\n", held], patch, Palette(Config(), False), Context()) == b"head\n| -a\n| \\ No newline\n"
    )


@pytest.mark.parametrize(
    ("line", "width", "rest"),
    [(b"  \t x", 9, b"x"), (b"\t\tx ", 16, b"x "), (b"\f\r  x", 2, b"x"), (b"       \t \tx", 16, b"x"), (b"x", 0, b"x"), (b"\t\fx", 8, b"\fx")],
)  # fmt: skip
def test_how_far_a_line_is_indented(line: bytes, width: int, rest: bytes) -> None:
    assert moved._indentation(line, 8) == (width, rest)


def test_a_long_indentation_is_measured_in_stretches() -> None:
    assert_paced(lambda: moved._indentation(b" \t" * 2_000_000 + b"x", 8))
    assert_paced(lambda: moved._indentation(b"\t" * 20_000_000 + b"x", 8))


def test_thousands_of_candidates_are_followed_with_looks_at_the_clock() -> None:
    """Of each line: a look for so many lines is not enough."""
    rows = [Held(_Dresser(), b"-", b"", False) for _ in range(3000)]
    ctx = Context(Limits(timeout=-1.0))
    marker = moved._Marker([], {}, "zebra", True, ctx)
    marker.blocks = [(row, 0) for row in rows]
    with ctx, pytest.raises(Timeout):
        marker._advance(rows[0])
    marker.rows = [*rows]
    with ctx, pytest.raises(Timeout):
        marker._settle(3000, 3000)

"""Hunks by words."""

from typing import Any

import pytest

from gitglass.config.config import Config
from gitglass.diff.lines.hunks import Hunk
from gitglass.diff.lines.spec import PatchSpec
from gitglass.limits import Context
from gitglass.render.color import Palette
from gitglass.render.diff.words import WordPrinter

Part = tuple[bytes, list[bytes]]


def shown(*parts: Part, style: str = "plain", color: bool = False, regex: bytes | None = None, **more: Any) -> bytes:
    printer = WordPrinter(PatchSpec(word_diff=style, **more), Palette(Config(), color), regex, Context())
    return printer.hunk(Hunk(0, 0, 0, 0, b"", list(parts)))


ONE = (b" ", [b"same"]), (b"-", [b"a old c"]), (b"+", [b"a new c"])


def test_the_styles() -> None:
    assert shown(*ONE) == b"same\na [-old-]{+new+} c\n"
    assert shown(*ONE, style="porcelain") == b" same\n~\n a \n-old\n+new\n  c\n~\n"
    assert shown(*ONE, style="color", color=True) == b"same\x1b[m\na \x1b[31mold\x1b[m\x1b[32mnew\x1b[m c\n"


def test_words_by_a_pattern() -> None:
    assert shown((b"-", [b"ab"]), (b"+", [b"ac"]), regex=b".") == b"a[-b-]{+c+}\n"
    assert shown((b"-", [b"ab"]), (b"+", [b"ac"])) == b"[-ab-]{+ac+}\n"


def test_lines_that_only_one_side_has() -> None:
    assert shown((b"-", [b"gone", b"too"])) == b"[-gone-]\n[-too-]\n"
    assert shown((b"+", [b"new"])) == b"{+new+}\n"
    assert shown((b"-", [b"a"]), (b"+", [b"a", b"b"])) == b"a\n{+b+}\n"


@pytest.mark.parametrize(
    ("quiet", "expected"), [(False, b" \n~\n"), (True, b"\n~\n")], ids=["usual", "suppress_blank_empty"]
)
def test_empty_lines_for_programs(quiet: bool, expected: bytes) -> None:
    assert shown((b" ", [b""]), style="porcelain", suppress_blank_empty=quiet) == expected


def test_a_prefix_stands_in_front_of_every_line() -> None:
    assert shown(*ONE, line_prefix=b"| ") == b"| same\n| a [-old-]{+new+} c\n"
    assert shown((b"-", [b"gone", b"too"]), line_prefix=b"| ") == b"| [-gone-]\n| [-too-]\n"


def test_a_nul_ends_the_words_it_stands_in() -> None:
    assert shown((b"-", [b"a\0b"]), (b"+", [b"c"])) == b"[-a{+c+}\n"

"""What a log's patterns matched is painted; a line without a match is left as it is."""

import pytest

from gitglass.history.matching import MatchSpec
from gitglass.limits import Context
from gitglass.render.color import Palette
from gitglass.render.log.grep_colors import Marks


class Colors:
    def __init__(self, **values: bytes) -> None:
        self.values = values

    def get(self, key: str) -> bytes | None:
        return self.values.get(key.removeprefix("color.grep."))

    def section_items(self, front: bytes) -> list[tuple[bytes, bytes | None]]:
        return []


def marks(colors: dict[str, bytes] | None = None, **patterns: object) -> Marks:
    return Marks(MatchSpec(**patterns), Palette(Colors(**(colors or {})), True), Context())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "pattern", "line", "shown"),
    [
        ("basic", b"an", b"Ann and Jan", b"Ann [an]d J[an]"),
        ("basic", b"^a", b"aab", b"[a]ab"),  # behind a match no line begins
        ("extended", b"a|an|ann", b"xann", b"x[ann]"),  # the longest
        ("basic", b"b*", b"xbb", b"xbb"),  # git stops at an empty match
        ("fixed", b".", b"a.b", b"a[.]b"),
        ("basic", b"z", b"line", b"line"),
        ("basic", b"ni", "übeni".encode(), "übe[ni]".encode()),
    ],
)
def test_a_line(kind: str, pattern: bytes, line: bytes, shown: bytes) -> None:
    painted = marks(kind=kind, grep=[pattern]).line(line)
    assert painted.replace(b"\x1b[1;31m", b"[").replace(b"\x1b[m", b"]") == shown


def test_each_person_has_patterns_of_its_own() -> None:
    painter = marks(author=[b"A"], committer=[b"B"])
    assert painter.author(b"A B") == b"\x1b[1;31mA\x1b[m B" and painter.committer(b"A B") == b"A \x1b[1;31mB\x1b[m"
    assert painter.line(b"A B") == b"A B"


def test_what_stands_between_has_a_colour_of_its_own() -> None:
    painter = marks({"selected": b"yellow", "match": b"green"}, grep=[b"a", b"b"])
    assert painter.line(b"ax") == b"\x1b[33m\x1b[m\x1b[32ma\x1b[m\x1b[33mx\x1b[m"
    assert painter.line(b"xy") == b"xy"

"""Long texts are made in stretches, the clock looked at between them; what comes out is what comes out in one go."""

import random
import zlib
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.agent.native import patches
from gitglass.diff.lines.ranges import Lines
from gitglass.errors import Timeout, TooLarge
from gitglass.limits import Context, Limits
from gitglass.render import blame
from gitglass.render.diff import binary as gitbinary
from gitglass.render.message import join_lines, split_subject
from gitglass.request.rows import commit

LATE = Limits(timeout=-1.0)


@pytest.mark.parametrize("level", [-1, 0, 1, 6, 9])
def test_deflated_in_stretches_has_the_same_bytes(level: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(gitbinary, "_STRETCH", 1000)
    chance = random.Random(level)
    text = b"".join(b"line %d of many\n" % chance.randrange(99) for _ in range(9000)) + chance.randbytes(70_000)
    for data in (text, bytes(300_000), b"", b"x" * 1000, b"x" * 1001):
        assert gitbinary._deflated(data, level, Context(Limits())) == zlib.compress(data, level)


def test_the_clock_is_looked_at_while_a_binary_patch_is_deflated() -> None:
    with pytest.raises(Timeout):
        gitbinary._deflated(bytes(2 << 20), 6, Context(LATE))


@given(st.lists(st.sampled_from([b"\n", b"a", b" ", b"b c", b"\t", b"\n\n", b"\r\n"]), max_size=14).map(b"".join))
def test_subject_and_body(message: bytes) -> None:
    """Those of a typed row are those that %s and %b print."""
    paragraph, body = split_subject(message)
    assert commit.split_message(message) == (join_lines(paragraph), body.strip(b"\n"))
    assert commit.split_message(message + b"\0after\n\n it") == (join_lines(paragraph), body.strip(b"\n"))


@pytest.mark.parametrize("message", [b"word\n" * 5000, b"\n" * 5000])
def test_the_clock_is_looked_at_in_a_long_message(message: bytes) -> None:
    with Context(LATE), pytest.raises(Timeout):
        commit.split_message(message)


def test_files_of_a_patch_begin_where_they_do_in_one_go(monkeypatch: Any) -> None:
    monkeypatch.setattr(patches, "_STRETCH", 20)
    text = b"head\ndiff --git a b\n" + b"+x\n" * 30 + b" diff --git\ndiff --cc y\n" + b"z" * 90 + b"\ndiff --git c d"
    assert list(patches._starts(text)) == [match.start() for match in patches._FILE.finditer(text)]
    with Context(LATE), pytest.raises(Timeout):
        list(patches._starts(text))


def test_the_text_of_blamed_lines_is_announced_before_it_is_copied() -> None:
    lines = Lines(b"x" * (4 << 20))
    entry: Any = SimpleNamespace(final=0, num=1)
    assert list(blame._numbers(lines, entry)) == [0]
    with Context(Limits(max_memory_bytes=6 << 20)), pytest.raises(TooLarge):
        blame._numbers(lines, entry)
    many: Any = SimpleNamespace(final=0, num=5000)
    with Context(LATE), pytest.raises(Timeout):
        list(blame._numbers(Lines(b"\n" * 5000), many))

"""Trailer blocks; expectations observed from git 2.39.5."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Timeout
from gitglass.limits import Context, Limits
from gitglass.render.log.trailers import (
    TrailerOptions,
    TrailerRules,
    find_block,
    format_trailers,
    parse_trailer_options,
)

SIGNED = b"Subject\n\nBody: no\n\nSigned-off-by: A <a@x>\n  continued\nCo-authored-by : B\n"


def show(message: bytes, options: bytes = b"", rules: TrailerRules | None = None) -> bytes:
    parsed = parse_trailer_options(options + b")", 0)
    assert parsed is not None
    return format_trailers(message, parsed[0], rules) if rules else format_trailers(message, parsed[0])


@pytest.mark.parametrize(
    ("message", "block"),
    [
        (SIGNED, SIGNED[19:]),
        (b"Fixes: 1\n", b""),  # the first paragraph never is one
        (b"s\n\ntext\nA: b\n", b""),
        (b"s\n\ntext\ntext\ntext\nSigned-off-by: x\n", b"text\ntext\ntext\nSigned-off-by: x\n"),
        (b"s\n\n1\n2\n3\n4\nSigned-off-by: x\n", b""),  # less than a quarter
        (b"s\n\n(cherry picked from commit 1)\n", b"(cherry picked from commit 1)\n"),
        (b"s\n\nA: b\n\n# comment\n\n", b"A: b\n"),
        (b"s\n\nA: b\nConflicts:\n\tpath\n", b"A: b\n"),
    ],
)
def test_block(message: bytes, block: bytes) -> None:
    start, end = find_block(message)
    assert message[start:end] == block


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (b"only", b"Signed-off-by: A <a@x>\n  continued\nCo-authored-by: B\n"),
        (b"unfold", b"Signed-off-by: A <a@x> continued\nCo-authored-by: B\n"),
        (b"key=co-authored-by:,valueonly", b"B\n"),
        (b"keyonly,separator=%x2C", b"Signed-off-by,Co-authored-by"),
        (b"key_value_separator=%x3D,unfold", b"Signed-off-by=A <a@x> continued\nCo-authored-by=B\n"),
    ],
)
def test_options(options: bytes, shown: bytes) -> None:
    assert show(SIGNED, options) == shown


def test_bad_options() -> None:
    assert parse_trailer_options(b"nosuch)", 0) is None
    assert parse_trailer_options(b"key)", 0) is None
    assert parse_trailer_options(b"only=maybe)", 0) is None


def test_configured_keys() -> None:
    rules = TrailerRules(b":#", [(b"fix", b"Fixes")])
    assert show(b"s\n\nfix #12\n", b"only", rules) == b"Fixes: 12\n"


LINES = st.lists(
    st.sampled_from(
        [b"A: b", b"Signed-off-by: x", b"text", b"", b"  cont", b"# c", b"---", b"Conflicts:", b"\tp", b": x", b"\r"]
    ),
    max_size=9,
).map(b"\n".join)


@given(LINES | st.binary(max_size=60), st.sampled_from([b"", b"only", b"unfold", b"separator=;", b"key=a", b"keyonly"]))
def test_any_message(message: bytes, options: bytes) -> None:
    start, end = find_block(message)
    assert 0 <= start <= end <= len(message)
    assert isinstance(show(message, options), bytes)


def test_many_lines_are_read_once_and_by_the_clock() -> None:
    folded = b"subject\n\nKey: value\n" + b" more\n" * 300_000
    began = time.thread_time()
    assert format_trailers(folded, TrailerOptions(unfold=True)) == b"Key: value" + b" more" * 300_000 + b"\n"
    empty = b"subject\n\nSigned-off-by: x\n" + b"A:\n" * 50_000
    assert format_trailers(empty, TrailerOptions(value_only=True, separator=b"")) == b"x"
    assert time.thread_time() - began < 10  # a quadratic one takes minutes
    with pytest.raises(Timeout), Context(Limits(timeout=0)):
        format_trailers(folded, TrailerOptions())

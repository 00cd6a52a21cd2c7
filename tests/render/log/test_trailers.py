"""Trailer blocks; expectations observed from git 2.39.5."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.paced import assert_paced

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


@given(
    st.lists(st.tuples(st.text("abK\0", max_size=3), st.none() | st.text("abKc", max_size=3)), max_size=5),
    st.text("abKc\0", max_size=2),
)
def test_the_first_name_that_a_token_abbreviates(rows: list[tuple[str, str | None]], token: str) -> None:
    names = [(name.replace("\0", "").encode(), key if key is None else key.encode()) for name, key in rows]
    fitting = [
        (name, key)
        for name, key in names
        if any(word.lower().startswith(token.lower().encode()) for word in (name, key or name))
    ]
    assert TrailerRules(b":", names).configured(token.encode()) == next(iter(fitting), None)


@pytest.mark.parametrize(
    ("separators", "line", "end"),
    [
        (b":", b"A-b9 \t: x\n", 6), (b":", b": x", 0), (b":", b" a:", -1), (b":", b"a b:", -1), (b":", b"a.b:", -1), (b":#", b"fix #12", 4),
        (b"a:", b"ba:", 1), (b" ", b"a b", 1), (b"=-", b"x-y=", 1), (b":", b"", -1),
    ],
)  # fmt: skip
def test_where_a_key_ends(separators: bytes, line: bytes, end: int) -> None:
    assert TrailerRules(separators).key_end(line) == end


def test_thousands_of_names_and_trailers_keep_the_pace() -> None:
    names = [(b"t%d" % number, b"Key%dx" % number) for number in range(5000)]
    message = b"s\n\n" + b"".join(b"K%d: v\n" % number for number in range(5000))
    assert_paced(lambda: find_block(message, TrailerRules(b":", names)))
    keys = b"".join(b"key=K%d," % number for number in range(20_000))
    assert_paced(lambda: show(message, keys))
    assert_paced(lambda: find_block(b"s\n\nK" + b"-" * 3_000_000 + b": v\n", TrailerRules(b":;,.#")))


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

"""What is long is cut into lines, folded, counted and searched in stretches: the same comes out, with a look between."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass import limits
from gitglass.agent.native import patches
from gitglass.diff import similarity
from gitglass.diff.lines import discard as cleanup
from gitglass.diff.lines import whitespace
from gitglass.diff.lines.compact import runs_of, script_of
from gitglass.errors import Timeout, TooLarge
from gitglass.limits import Context, Limits, cut_lines, line_stretches
from gitglass.objects.delta import apply_delta
from gitglass.render import message

LATE = Limits(timeout=-1.0)
TEXTS = st.lists(st.sampled_from([b"\n", b"a", b" ", b"\t", b"\r", b"bc", b"\v"]), max_size=40).map(b"".join)


@given(TEXTS, st.integers(1, 9))
def test_lines_cut_in_stretches_are_those_cut_at_once(text: bytes, stretch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "_STRETCH", stretch)
        patch.setattr(limits, "LARGE", 0)
        assert cut_lines(text) == (text.split(b"\n") if text else [])
        assert [line for lines in line_stretches(text) for line in lines] == text.removesuffix(b"\n").split(b"\n")[
            : None if text else 0
        ]


@given(TEXTS, st.sampled_from([b"\n", b"a", b" \n", b"\r\n"]), st.integers(1, 9))
def test_what_is_replaced_in_stretches_is_replaced_as_at_once(text: bytes, old: bytes, stretch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "LARGE", 0)
        whole = limits.replaced(b"", old, b"xyz")
        patch.setattr(limits, "LARGE", stretch)
        assert whole == b"" and limits.replaced(text, old, b"xyz") == text.replace(old, b"xyz")


def test_the_clock_is_looked_at_while_lines_are_cut() -> None:
    with Context(LATE), pytest.raises(Timeout):
        cut_lines(b"x\n" * (1 << 20))
    with Context(LATE), pytest.raises(Timeout):
        cut_lines(b"x" * (2 << 20))


@given(TEXTS, st.integers(1, 9))
def test_white_space_of_a_long_line_is_folded_as_that_of_a_short_one(line: bytes, stretch: int) -> None:
    line = line.replace(b"\n", b" ")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whitespace, "_STRETCH", stretch)
        assert whitespace._one_space_in_stretches(line) == whitespace._one_space(line)
        assert whitespace._one_space_in_stretches(line + whitespace.NO_EOL) == whitespace._one_space(line)


def test_words_of_a_long_line_are_never_there_all_at_once() -> None:
    """Each would take fifty bytes."""
    line = b"ab " * (2 << 20)
    with Context(Limits(max_memory_bytes=3 * len(line) + (8 << 20))) as ctx:
        assert whitespace._one_space(line) == line.rstrip()
        ctx.check()
    with Context(LATE), pytest.raises(Timeout):
        whitespace._one_space(line)


@given(TEXTS, st.integers(1, 9))
def test_a_subject_found_in_stretches_is_the_one_found_at_once(text: bytes, stretch: int) -> None:
    whole = message.split_subject(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message, "_STRETCH", stretch)
        patch.setattr(message, "LARGE", 0)
        assert message.split_subject(text) == whole


@pytest.mark.parametrize(
    "text", [b"word " * 500_000, b"word\n" * 500_000, b" \n" * 1_000_000, b"s\n" + b" " * 2_000_000]
)
def test_the_clock_is_looked_at_while_a_subject_is_found(text: bytes) -> None:
    with Context(LATE), pytest.raises(Timeout):
        message.split_subject(text)


def test_blank_lines_in_front_of_a_message() -> None:
    assert message.skip_blank_lines(b" \n\t\n  a\n") == b"  a\n"
    assert message.skip_blank_lines(b"  a") == b"  a"
    assert (
        message.skip_blank_lines(b" \n \n ") == message.skip_blank_lines(b"  ") == message.skip_blank_lines(b"") == b""
    )


@pytest.mark.parametrize(
    "work",
    [
        lambda ctx: cleanup.reduced([b"%d" % at for at in range(99_999)], [b"x"] * 99_999, cleanup.Rest(), ctx),
        lambda ctx: cleanup.Rest(b"a\n" * (1 << 20)).counts(),
        lambda ctx: cleanup.Rest(b"a\n" * (1 << 20)).present({b"%d" % at for at in range(20)}),
        lambda ctx: cleanup.Rest(b"a\n" * (1 << 20)).present({b"b"}),
        lambda ctx: runs_of(bytearray(b"\0\1" * 2000)),
        lambda ctx: script_of([[2 * at, 2 * at + 1] for at in range(2000)], []),
        lambda ctx: whitespace.trailing_blank_lines(b"x\n" + b"\n" * 2000),
        lambda ctx: similarity._copied(*[dict.fromkeys(range(1 << 16), 1)] * 2, set(range(1 << 16))),  # type: ignore[arg-type]
        lambda ctx: similarity._rest(*[dict.fromkeys(range(1 << 16), 1)] * 2, set()),  # type: ignore[arg-type]
        lambda ctx: list(patches._text_starts("x" * (2 << 20))),
        lambda ctx: apply_delta(b"x" * (6 << 20), _doubling(6 << 20, 3), 64 << 20),
    ],
)
def test_the_clock_is_looked_at(work: Any) -> None:
    ctx = Context(LATE)
    with ctx, pytest.raises(Timeout):
        work(ctx)


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def _doubling(size: int, times: int) -> bytes:
    """A delta that repeats its base."""
    copy = b"\xf0" + size.to_bytes(3, "little")
    return _varint(size) + _varint(size * times) + copy * times


def test_a_delta_of_few_long_copies_looks_at_the_clock_between_them(monkeypatch: Any) -> None:
    looks = 0

    def look(ctx: Context) -> float:
        nonlocal looks
        looks += 1
        return 0.0

    monkeypatch.setattr(Context, "look", look)
    with Context(Limits()):
        made = apply_delta(b"x" * (6 << 20), _doubling(6 << 20, 10), 64 << 20)
    assert len(made) == 60 << 20 and looks >= 10


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 9)), st.dictionaries(st.integers(0, 9), st.integers(1, 9)))
def test_many_chunks_are_counted_as_few_are(one: Any, two: Any) -> None:
    shared = one.keys() & two.keys()
    few = similarity._copied(one, two, shared), similarity._rest(one, two, shared)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_MANY", 0)
        assert (similarity._copied(one, two, shared), similarity._rest(one, two, shared)) == few


def test_lines_are_numbered_in_stretches_as_at_once(monkeypatch: Any) -> None:
    ka, kb = [b"%d" % (at % 7) for at in range(50)], [b"%d" % (at % 9) for at in range(40)]
    whole = cleanup.reduced(ka, kb, cleanup.Rest(), Context(Limits()))
    monkeypatch.setattr(limits, "_PIECES", 1)
    monkeypatch.setattr(cleanup, "_MANY", 1)
    assert cleanup.reduced(ka, kb, cleanup.Rest(), Context(Limits())) == whole


def test_a_long_text_is_announced_before_its_lines_are_made() -> None:
    with Context(Limits(max_memory_bytes=8 << 20)), pytest.raises(TooLarge):
        limits.lines_in(b"\n" * (1 << 20))

"""Line diffs: whatever the algorithm, the script turns old into new; and git's strange decisions."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitglass.diff.lines.compare import Pair, changed_lines, compare, match_lines, split_lines, whole_marks
from gitglass.diff.lines.patience import patience_marks
from gitglass.diff.lines.spec import LineSpec
from gitglass.errors import Timeout, TooLarge
from gitglass.limits import Context, Limits

_LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b" a", b"\tb ", b"}", b"a\r"]), max_size=30)
_TEXTS = st.builds(lambda lines, end: b"\n".join(lines) + (b"\n" if end and lines else b""), _LINES, st.booleans())
_SPECS = [
    LineSpec(),
    LineSpec(context=0),
    LineSpec(minimal=True),
    LineSpec(algorithm="histogram"),
    LineSpec(algorithm="patience"),
    LineSpec(algorithm="patience", anchors=(b"a",)),
    LineSpec(indent_heuristic=False),
]


def _check(old: bytes, new: bytes, spec: LineSpec) -> None:
    pair = compare(old, new, spec, ctx=Context())
    at = 0
    rebuilt = []
    for i, n, j, m in pair.script:
        assert n or m
        assert pair.a[at:i] == pair.b[j - (i - at) : j]
        rebuilt += pair.a[at:i] + pair.b[j : j + m]
        at = i + n
    rebuilt += pair.a[at:]
    assert rebuilt == pair.b
    assert (old == new) == (not pair.script)


@settings(max_examples=150, deadline=None)
@given(_TEXTS, _TEXTS, st.sampled_from(_SPECS))
def test_the_script_makes_new_of_old(old: bytes, new: bytes, spec: LineSpec) -> None:
    _check(old, new, spec)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes(old: bytes, new: bytes) -> None:
    _check(old, new, LineSpec())


@settings(max_examples=100, deadline=None)
@given(_TEXTS, _TEXTS, st.sampled_from(["ignore_all_space", "ignore_space_change", "ignore_space_at_eol"]))
def test_folding_only_ever_hides(old: bytes, new: bytes, option: str) -> None:
    spec = LineSpec(**{option: True})  # type: ignore[arg-type]
    pair = compare(old, new, spec, ctx=Context())
    deleted = sum(n for _, n, _, _ in pair.script)
    inserted = sum(m for _, _, _, m in pair.script)
    assert len(split_lines(old)) - deleted == len(split_lines(new)) - inserted


def test_a_window_gives_the_same_as_the_whole() -> None:
    lines = [b"line %d" % (n % 700) for n in range(5000)]
    old = b"\n".join(lines) + b"\n"
    new = b"\n".join([*lines[:2500], b"new", b"newer", *lines[2501:]]) + b"\n"
    assert match_lines(old, new, LineSpec(), Context()) == [(2500, 1, 2500, 2)]
    pair = compare(old, new, LineSpec(), ctx=Context())
    assert pair.base > 2000 and len(pair.a) < 1000


def test_a_group_slides_beyond_the_window() -> None:
    old = b"x\n" * 4000
    new = b"x\n" * 4001
    # Without anything to tell the places apart, the last one is taken.
    assert match_lines(old, new, LineSpec(), Context()) == [(4000, 0, 4000, 1)]


def test_groups_slide_to_blank_lines() -> None:
    old = b"def a():\n    pass\n\n\ndef c():\n    pass\n"
    new = b"def a():\n    pass\n\n\ndef b():\n    pass\n\n\ndef c():\n    pass\n"
    assert match_lines(old, new, LineSpec(), Context()) == [(4, 0, 4, 4)]
    old = b"  one\n  end\n"
    new = b"  one\n  end\n\n  two\n  end\n"
    assert match_lines(old, new, LineSpec(indent_heuristic=False), Context()) == [(2, 0, 2, 3)]


@pytest.mark.parametrize(
    ("option", "old", "new"),
    [
        ("ignore_all_space", b"a b\n", b"ab"),
        ("ignore_space_change", b"a \t b \n", b"a b"),
        ("ignore_space_at_eol", b" a \t\r\n", b" a"),
        ("ignore_cr_at_eol", b"a\r\nb\n", b"a\nb"),
    ],
)
def test_lines_that_count_as_equal(option: str, old: bytes, new: bytes) -> None:
    assert not match_lines(old, new, LineSpec(**{option: True}), Context())  # type: ignore[arg-type]
    assert match_lines(old, new, LineSpec(), Context())


def test_a_vertical_tab_is_text() -> None:
    assert match_lines(b"a\x0bb\n", b"a b\n", LineSpec(ignore_all_space=True), Context())
    assert match_lines(b"a\x0b b\n", b"a b\n", LineSpec(ignore_space_change=True), Context())


def test_a_carriage_return_on_an_incomplete_line_counts() -> None:
    assert match_lines(b"a\r", b"a\n", LineSpec(ignore_cr_at_eol=True), Context())


def test_changed_lines() -> None:
    assert changed_lines(b"a\nb\n", b"a\nc", ctx=Context())[0] == [b"b"]


def test_work_is_bounded() -> None:
    # Two thousand lines, half of them in common in another order: Myers gives up exactness, never the time limit.
    old = b"".join(b"%d\n" % (n * 7919 % 2003) for n in range(2000))
    new = b"".join(b"%d\n" % (n * 104729 % 2003) for n in range(2000))
    _check(old, new, LineSpec())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"".join(b"%d\n" % (n * 7919 % 30011) for n in range(30000)), b"".join(b"%d\n" % n for n in range(30000))),
        (b"x\n" * 100_000, b"".join(b"x\n" * (n % 3 + 1) + b"y\n" for n in range(40_000))),
        (b"a\nb\n" * 50_000, b"b\na\na\n" * 40_000),
    ],
)
@pytest.mark.parametrize("algorithm", ["myers", "histogram", "patience"])
def test_the_deadline_is_kept(old: bytes, new: bytes, algorithm: str) -> None:
    began = time.monotonic()
    try:
        compare(old, new, LineSpec(algorithm=algorithm), ctx=Context(Limits(timeout=0.3)))
    except Timeout:
        pass
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("algorithm", ["myers", "histogram", "patience"])
def test_lines_are_held_as_long_as_the_pair_is_there(algorithm: str) -> None:
    old, new = (b"".join(b"%d %c\n" % (n, mark) for n in range(50_000)) for mark in b"ab")
    spec = LineSpec(algorithm=algorithm)
    with Context(Limits(max_memory_bytes=16 << 20)) as ctx, pytest.raises(TooLarge):
        compare(old, new, spec, ctx=ctx)
    with Context(Limits(max_memory_bytes=64 << 20)) as ctx:
        pair = compare(old, new, spec, ctx=ctx)
        with pytest.raises(TooLarge):
            ctx.need(59 << 20)
        del pair
        ctx.need(59 << 20)


@given(_TEXTS, _TEXTS, st.sampled_from([*_SPECS, LineSpec(function_context=True), LineSpec(ignore_all_space=True)]))
def test_a_saved_comparison_comes_back_whole(old: bytes, new: bytes, spec: LineSpec) -> None:
    pair = compare(old, new, spec, ctx=Context())
    again = Pair.restored(old, new, pair.saved())
    for name in Pair.__slots__:
        if name not in ("a", "b") or pair.script:
            assert getattr(again, name) == getattr(pair, name), name


def test_a_saved_window_in_a_long_text_comes_back() -> None:
    lines = [b"line %d" % n for n in range(900)]
    old = b"\n".join(lines)
    new = b"\n".join([*lines[:400], b"x", *lines[401:]])
    for spec in (LineSpec(), LineSpec(context=0)):
        pair = compare(old, new, spec, ctx=Context())
        assert pair.offset and pair.open_end == bool(spec.context)
        again = Pair.restored(old, new, pair.saved())
        assert [getattr(again, name) for name in Pair.__slots__] == [getattr(pair, name) for name in Pair.__slots__]


def test_patience_looks_at_the_clock_while_it_counts_lines() -> None:
    """A hundred thousand lines take longer to count and to pile than a deadline may be missed by."""
    looks = 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        return False

    lines = [b"line %d" % number for number in range(20_000)]
    with Context(cancelled=cancelled) as ctx:
        gone, come = patience_marks(lines, [*lines[1:], b"last"], lines, (), whole_marks, ctx)  # type: ignore[arg-type]
    assert (gone.count(1), come.count(1)) == (1, 1)
    assert looks >= 4 * len(lines) // 1024

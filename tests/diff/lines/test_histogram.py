"""diff/lines/histogram.py: split at the rarest common lines, and Myers where all are frequent."""

import pytest

from gitglass.diff.lines.histogram import histogram_marks
from gitglass.errors import Timeout
from gitglass.limits import Context, Limits

Marks = tuple[bytearray, bytearray]


def marks(a: str, b: str, asked: list[tuple[int, int]] | None = None) -> tuple[list[int], list[int]]:
    """Marks of two texts of one-letter lines; `asked`: the sizes of what was given to Myers."""

    def classic(ka: list[bytes], kb: list[bytes]) -> Marks:
        assert asked is not None, "not a case for Myers"
        asked.append((len(ka), len(kb)))
        return bytearray(b"\2" * len(ka)), bytearray(b"\3" * len(kb))

    gone, come = histogram_marks([bytes([ord(x)]) for x in a], [bytes([ord(x)]) for x in b], classic, Context())
    return list(gone), list(come)


@pytest.mark.parametrize(
    ("a", "b", "gone", "come"),
    [
        ("abc", "abc", [0, 0, 0], [0, 0, 0]),
        ("abc", "axc", [0, 1, 0], [0, 1, 0]),
        ("", "ab", [], [1, 1]),
        ("ab", "", [1, 1], []),
        ("ab", "cd", [1, 1], [1, 1]),
        ("xxyxx", "xxxx", [0, 0, 1, 0, 0], [0, 0, 0, 0]),
        # the rare `u` is kept, although it costs the longer stretch of frequent lines
        ("uxxx", "xxxu", [0, 1, 1, 1], [1, 1, 1, 0]),
        # of equally rare stretches the longer one is kept
        ("abcde", "cdeab", [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]),
    ],
)
def test_what_is_deleted_and_what_is_inserted(a: str, b: str, gone: list[int], come: list[int]) -> None:
    assert marks(a, b) == (gone, come)


@pytest.mark.parametrize(("times", "handed"), [(64, []), (65, [(66, 2)])])
def test_where_every_common_line_is_frequent_myers_decides(times: int, handed: list[tuple[int, int]]) -> None:
    asked: list[tuple[int, int]] = []
    gone, come = marks("x" * times + "p", "qx", asked)
    assert asked == handed
    if handed:
        assert gone == [2] * 66 and come == [3, 3]
    else:
        assert sum(gone) == times and come == [1, 0]


@pytest.mark.parametrize("shared", [0, 3000])
def test_a_long_region_is_gone_through_with_looks_at_the_clock(shared: int) -> None:
    """It is the only one: once a region is not enough."""
    ka, kb = ([b"%b%d" % (name, number) for number in range(3000)] for name in (b"a", b"b"))
    kb[:shared] = ka[:shared]
    ctx = Context(Limits(timeout=-1.0))
    with ctx, pytest.raises(Timeout):
        histogram_marks(ka, kb, lambda one, two: (bytearray(len(one)), bytearray(len(two))), ctx)

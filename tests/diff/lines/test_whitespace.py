"""White space errors."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.paced import assert_paced

from gitglass.diff.lines import whitespace
from gitglass.diff.lines.spec import LineSpec
from gitglass.diff.lines.whitespace import (
    NO_EOL,
    complaint,
    folded,
    folder,
    paint,
    parse_rule,
    rule_for,
    trailing_blank_lines,
)
from gitglass.errors import GitError


@pytest.mark.parametrize(
    ("rule", "line", "words"),
    [
        (b"", b"a ", b"trailing whitespace"),
        (b"", b" \ta", b"space before tab in indent"),
        (b"", b"        a", b""),
        (b"indent-with-non-tab", b"        a", b"indent with spaces"),
        (b"indent,tabwidth=4", b"    a", b"indent with spaces"),
        (b"tab-in-indent", b"\ta", b"tab in indent"),
        (b"-trailing", b"a ", b""),
        (b"", b"a\r", b"trailing whitespace"),
        (b"cr-at-eol", b"a\r", b""),
        (b"", b" \ta ", b"trailing whitespace, space before tab in indent"),
    ],
)
def test_errors(rule: bytes, line: bytes, words: bytes) -> None:
    assert complaint(paint(line, parse_rule(rule), b"", b"", b"")[0]) == words


@given(
    st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), max_size=12),
    st.booleans(),
    st.sampled_from(["ignore_all_space", "ignore_space_change", "ignore_space_at_eol", "ignore_cr_at_eol"]),
)
def test_lines_are_folded_together_as_one_by_one(lines: list[bytes], incomplete: bool, option: str) -> None:
    if lines and incomplete:
        lines[-1] += NO_EOL
    fold = folder(LineSpec(**{option: True}))  # type: ignore[arg-type]
    assert fold is not None
    assert folded(fold, lines) == [fold(line) for line in lines]


def test_white_space_is_taken_out_of_many_lines_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whitespace, "bare", lambda line: pytest.fail("again") if line != b"e f" else line)
    assert folded(whitespace._no_space, [b"a b", b"\tc\r", b"e f"]) == [b"ab", b"c", b"ef"]
    monkeypatch.undo()
    monkeypatch.setattr(whitespace, "LARGE", 4)
    assert folded(whitespace._no_space, [b"a b", b"c d"]) == [b"ab", b"cd"]


def test_rules_that_contradict() -> None:
    with pytest.raises(GitError, match="cannot enforce both"):
        parse_rule(b"tab-in-indent,indent-with-non-tab")


def test_attributes_rule_over_configuration() -> None:
    assert rule_for(False, b"").bits == 0
    assert rule_for(True, b"").bits & 4
    assert rule_for(b"-blank-at-eol", b"").bits == parse_rule(b"-blank-at-eol").bits


@pytest.mark.parametrize(
    ("data", "count"), [(b"", 0), (b"a\n", 0), (b"a\n\n", 1), (b"a\n \n\t", 2), (b"\n\n", 0), (b"\n\n\n", 1)]
)
def test_blank_lines_at_the_end(data: bytes, count: int) -> None:
    assert trailing_blank_lines(data) == count


@given(
    st.binary(max_size=30).filter(lambda line: b"\n" not in line),
    st.sampled_from([b"", b"cr-at-eol", b"indent", b"tab-in"]),
)
def test_painting_loses_nothing(line: bytes, rule: bytes) -> None:
    assert paint(line, parse_rule(rule), b"", b"", b"")[1] == line


@given(st.text(" \tx", max_size=12), st.sampled_from([b"", b"indent", b"tab-in", b"-space-before,tab-in"]))
def test_an_indent_painted_in_stretches_is_painted_as_at_once(line: str, rule: bytes) -> None:
    whole = paint(line.encode(), parse_rule(rule), b"<", b">", b"!")
    for stretch in (1, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(whitespace, "_STRETCH", stretch)
            assert paint(line.encode(), parse_rule(rule), b"<", b">", b"!") == whole


def test_errors_are_painted() -> None:
    def painted(line: bytes, rule: bytes) -> bytes:
        return paint(line, parse_rule(rule), b"<", b">", b"!")[1]

    assert painted(b"\t  \tx", b"") == b"\t!  >\t<x>"
    assert painted(b"\t  \tx", b"tab-in") == b"!\t>!  >\t<x>"
    assert painted(b"\t  \tx", b"tab-in,-space-before") == b"!\t>  !\t><x>"
    assert painted(b"\t" + b" " * 9 + b"x", b"indent") == b"\t!" + b" " * 9 + b"><x>"


@pytest.mark.parametrize("rule", [b"", b"tab-in", b"indent"])
def test_a_long_indent_takes_neither_time_nor_memory(rule: bytes) -> None:
    line = b"\t" * 3_000_000 + b"x"
    assert_paced(lambda: paint(line, parse_rule(rule), b"<", b">", b"!"))
    tracemalloc.start()
    try:
        size = len(paint(line, parse_rule(rule), b"<", b">", b"!")[1])
        assert tracemalloc.get_traced_memory()[1] < 6 * size
    finally:
        tracemalloc.stop()

"""Texts without which no line matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.grep.needles import needles_of
from gitglass.limits import Context
from gitglass.regex.matcher import BadPattern, compile_pattern


@pytest.mark.parametrize(
    "pattern, kind, needles",
    [
        ("foo", "basic", (("foo",), True)),
        ("foo|bar", "basic", (("foo|bar",), True)),
        ("foo|bar", "extended", (("foo", "bar"), True)),
        ("a.c", "fixed", (("a.c",), True)),
        ("fo*ba+r", "extended", (("ba",), False)),
        ("ab{0}cd", "extended", (("cd",), False)),
        (r"\b(get|post)\b", "extended", (("get", "post"), False)),
        ("(get|post)+", "extended", (("get", "post"), False)),
        ("(get|post)ing", "extended", (("ing",), False)),
        ("(get|post)*x", "extended", None),
        ("(get|post)?", "extended", None),
        ("(get|post){0,1}", "extended", None),
        ("(get|p)", "extended", None),
        ("(get|po.t)", "extended", None),
        ("((get)|post)", "extended", None),
        ("(one)(three|five)", "extended", (("one",), False)),
        ("def .*x|(class|with) ", "extended", (("def ", "class", "with"), False)),
        ("def .*x|.", "extended", None),
        (r"foo\(bar\)", "extended", (("foo",), False)),
        ("[(|]foo", "extended", (("foo",), False)),
        (r"\(foo\)", "basic", None),
        (r"foo\|x.", "basic", None),
        ("foo.x", "perl", None),
        ("foo|bar", "perl", None),
        ("", "extended", None),
    ],
)  # fmt: skip
def test_what_is_in_every_match(pattern: str, kind: str, needles: tuple[tuple[str, ...], bool] | None) -> None:
    expected = None if needles is None else (tuple(needle.encode() for needle in needles[0]), needles[1])
    assert needles_of(pattern.encode(), kind) == expected


PIECES = [
    "ab",
    "cd",
    "a",
    ".",
    "(ab|cd)",
    "(ab|c)",
    "(ab)",
    "|",
    "*",
    "?",
    "+",
    "{2}",
    "{0,1}",
    "[ab]",
    "[^(]",
    "\\(",
    "\\)",
    "^",
    "$",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=7).map("".join),
    st.lists(st.sampled_from(["ab", "cd", "a", "c", "(", ")", " "]), max_size=8).map("".join),
    st.sampled_from(["basic", "extended"]),
)
def test_a_line_without_a_needle_does_not_match(pattern: str, line: str, kind: str) -> None:
    needles = needles_of(pattern.encode(), kind)
    if needles is None or any(needle in line.encode() for needle in needles[0]):
        return
    try:
        matcher = compile_pattern(pattern.encode(), kind, newline=True, ctx=Context())
    except BadPattern:
        return
    assert matcher.search(line.encode()) is None

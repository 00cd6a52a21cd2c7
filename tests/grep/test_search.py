"""git grep's engine: lines of whole buffers, expressions, and what stands around a line."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import GitError
from gitglass.grep.atom import PatternSpec
from gitglass.grep.expression import Query, Term
from gitglass.grep.file import CONTEXT, FUNCTION, SELECTED, ShowSpec, rows_of, selected
from gitglass.grep.lines import all_lines
from gitglass.limits import Context

TEXTS = st.lists(
    st.sampled_from(
        [b"foo", b"bar", b" ", b"\n", b"\n\n", b"_", b"FOO", b"o", b"\xc3\xa9", b"\xff", b"k", b"\xe2\x84\xaa"]
    ),
    max_size=30,
).map(b"".join)
PATTERNS = st.sampled_from(
    [
        b"foo",
        b"o",
        b"fo*",
        b"^foo",
        b"bar$",
        b"o.b",
        b"[a-f]",
        b"foo|bar",
        b"k",
        b"\\bfoo",
        b"\\s",
        b"(o)\\1",
        b"",
        b"$",
        b"o*$",
        b"\\b",
    ]
)
GROUPS = {"basic": b"\\(o\\)\\1"}  # how a kind writes the pattern with a group


def query(*patterns: bytes, kind: str = "basic", all_match: bool = False, **how: Any) -> Query:
    terms = [("pattern", pattern) for pattern in patterns]
    return Query(terms, PatternSpec(kind, **how), all_match=all_match, origin="here", ctx=Context())


def expression(*words: str) -> Query:
    terms: list[Term] = []
    for word in words:
        op = {"(": "open", ")": "close", "and": "and", "not": "not"}.get(word)
        terms.append((op, b"") if op else ("pattern", word.encode()))
    return Query(terms, PatternSpec(), all_match=False, origin="here", ctx=Context())


def found(data: bytes, what: Query, **show: Any) -> list[bytes]:
    return [data[start:end] for start, end, _ in selected(data, what, ShowSpec(**show), Context())]


@given(TEXTS, st.lists(PATTERNS, min_size=1, max_size=2), st.sampled_from(["basic", "extended", "fixed", "perl"]))
def test_a_file_with_a_line_has_one_of_the_needles(data: bytes, patterns: list[bytes], kind: str) -> None:
    patterns = [GROUPS.get(kind, pattern) if pattern == b"(o)\\1" else pattern for pattern in patterns]
    for fold in (False, True):
        what = query(*patterns, kind=kind, ignore_case=fold)
        if what.needles and found(data, what):
            assert any(needle in data for needle in what.needles)
    assert query(b"foo", kind=kind).needles == (b"foo",) and not query(b"foo", b"^", kind="basic").needles
    assert not query(b"foo", ignore_case=True).needles and not expression("foo", "and", "bar").needles


@given(TEXTS, PATTERNS)
def test_inverted_is_the_rest(data: bytes, pattern: bytes) -> None:
    what = query(pattern, kind="extended")
    hits = {start for start, _, _ in selected(data, what, ShowSpec(), Context()) if start < len(data)}
    others = {start for start, _, _ in selected(data, what, ShowSpec(invert=True), Context())}
    assert hits | others == {start for start, _ in all_lines(data)}
    assert not hits & others


def test_words_are_looked_for_behind_a_part_of_a_word() -> None:
    assert found(b"foobar foo\nfoobar\nfoo_\n-foo-\n", query(b"foo", word=True)) == [b"foobar foo", b"-foo-"]


def test_an_empty_line_is_found_behind_the_last_newline() -> None:
    assert found(b"a\nb\n", query(b"^$")) == [b""]
    assert found(b"a\n\n", query(b"^$")) == [b""]
    assert found(b"a\nb", query(b"^$")) == []
    assert found(b"", query(b"^$")) == []


def test_a_dot_is_no_nul() -> None:
    assert found(b"a\0b\n", query(b"a.b")) == []
    assert found(b"a\0b\n", query(b"a[^x]b")) == [b"a\0b"]


def test_expressions() -> None:
    data = b"a\nb\na b\nc\n"
    assert found(data, expression("a", "and", "b")) == [b"a b"]
    assert found(data, expression("a", "and", "not", "b")) == [b"a"]
    assert found(data, expression("not", "(", "a", "b", ")")) == [b"c"]
    assert found(data, expression("c", "a", "and", "b")) == [b"a b", b"c"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["and", "a"], "--and not preceded by pattern expression"),
        (["a", "and"], "--and not followed by pattern expression"),
        (["not"], "--not not followed by pattern expression"),
        (["(", "a"], "unmatched parenthesis"),
        (["a", ")"], "incomplete pattern expression: )"),
    ],
)
def test_bad_expressions(words: list[str], complaint: str) -> None:
    with pytest.raises(GitError, match=complaint.replace("(", r"\(").replace(")", r"\)")):
        expression(*words)


def test_deep_expressions_end_in_an_error() -> None:
    with pytest.raises(GitError, match="too deeply"):
        expression(*["("] * 5000, "a")


def signs(data: bytes, what: Query, **show: Any) -> list[tuple[int, str]]:
    spec = ShowSpec(**show)
    hits = selected(data, what, spec, Context())
    rows = rows_of(data, hits, spec, lambda line: line[:1].isalpha(), what)
    assert {row[3] for row in rows} <= {SELECTED, CONTEXT, FUNCTION}
    return [(row[0], chr(row[3])) for row in rows]


BODY = b"one()\n{\n  x\n  y\n}\n\n// two\ntwo()\n  x\n\n\n"


def test_context_and_functions() -> None:
    assert signs(BODY, query(b"y"), before=1, after=1) == [(3, "-"), (4, ":"), (5, "-")]
    assert signs(BODY, query(b"y"), function=True) == [(1, "="), (4, ":")]
    assert signs(BODY, query(b"y"), function_body=True) == [
        (1, "="),
        (2, "-"),
        (3, "-"),
        (4, ":"),
        (5, "-"),
        (6, "-"),
        (7, "-"),
    ]
    assert signs(BODY, query(b"  x"), max_count=1, after=1) == [(3, ":"), (4, "-")]


def test_empty_lines_at_the_end_belong_to_the_last_function() -> None:
    assert [line for line, _ in signs(b"f()\n  x\n\n\n", query(b"x"), function_body=True)] == [1, 2, 3, 4]


def test_a_last_line_without_newline_has_an_end() -> None:
    assert found(b"aa\nFoo", query(b"$")) == [b"aa", b"Foo"]
    assert found(b"aa\n\nFoo", query(b"^$")) == [b""]
    assert found(b"aa\nFoo", query(b"$"), invert=True) == []

"""grep in files that are too long for a pattern as a whole: line by line, with the same lines."""

import tracemalloc

import pytest

from gitglass.errors import Timeout
from gitglass.grep.atom import Atom, PatternSpec
from gitglass.grep.expression import Query
from gitglass.grep.file import ShowSpec, selected
from gitglass.limits import Context, Limits


def test_long_files_are_searched_line_by_line() -> None:
    ctx = Context()
    atom = Atom(rb"(?<!b)(a+)?b$", PatternSpec(kind="perl"), ctx, "command line")
    data = b"ccc\n" * 100_000 + b"aab\nc\nb\n"
    with ctx:
        assert list(atom.lines(data)) == [(400_000, 400_003, 0), (400_006, 400_007, 0)]


@pytest.mark.parametrize(("pattern", "kind"), [(b"zz%d", "fixed"), (b"z.*z%d", "extended"), (b"zz%d|yy", "extended")])
def test_many_patterns_that_no_line_has(pattern: bytes, kind: str) -> None:
    """A look at the clock for each: none of them finds a line to look at it for."""
    terms = [("pattern", pattern % number) for number in range(450)]
    data = b"abc def\n" * 200_000
    with Context(Limits(timeout=None)) as ctx:
        query = Query(terms, PatternSpec(kind), all_match=False, origin="", ctx=ctx)
    late = Context(Limits(timeout=-1.0))
    for atom in query.atoms:
        atom._ctx = late
    with late, pytest.raises(Timeout):
        list(selected(data, query, ShowSpec(), late))


def test_hundreds_of_negations_cost_no_more_than_two() -> None:
    data = b"a\nb\n" * 20_000
    for count in (1, 2, 900, 901):
        terms = [("not", b"")] * count + [("pattern", b"a")]
        with Context(Limits(timeout=None)) as ctx:
            query = Query(terms, PatternSpec("fixed"), all_match=False, origin="", ctx=ctx)
            rows = list(selected(data, query, ShowSpec(), ctx))
        assert {data[start] for start, *_ in rows} == {b"b"[0] if count % 2 else b"a"[0]}
        depth, node = 0, query.expression
        while node is not None and node.op == "not":
            depth, node = depth + 1, node.left
        assert depth == (1 if count % 2 else 2)


@pytest.mark.parametrize("pattern", [b"foo", b"foo|bar", b"f(oo|x).*r", b"(foo|bar) ", b"f.*r"])
@pytest.mark.parametrize("line", [b"foo bar\n", "ж foo bar\n".encode()])
def test_lines_are_not_collected(pattern: bytes, line: bytes) -> None:
    """However many there are, a look at one keeps none of the others."""
    ctx, data = Context(), line * 40_000
    atom = Atom(pattern, PatternSpec("extended"), ctx, "here")
    with ctx:
        assert sum(1 for _ in atom.lines(line * 10)) == 10  # what is made once
        tracemalloc.start()
        assert sum(1 for _ in atom.lines(data)) == 40_000
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 4 * len(data), peak

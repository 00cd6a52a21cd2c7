"""One pattern: what is found in a whole file is what is found line by line."""

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitglass.grep import atom as room
from gitglass.grep.atom import Atom, PatternSpec
from gitglass.grep.lines import all_lines
from gitglass.limits import Context

PARTS = [b"foo", b"bar", b" ", b"\n", b"\n\n", b"_", b"FOO", b"o", b"\xc3\xa9", b"\xff", b"k", b"\xe2\x84\xaa"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=30).map(b"".join)
#: files of which most lines are not ASCII
FOREIGN = st.lists(st.sampled_from([*PARTS, b"\xc3\xa9\n", b"\xd0\xb6 foo\n", b"\xe4\xb8\xad"]), max_size=40).map(
    b"".join
)
PATTERNS = [
    b"foo", b"o", b"fo*", b"^foo", b"bar$", b"o.b", b"[a-f]", b"foo|bar", b"k", b"\\bfoo", b"\\s", b"(o)\\1", b"", b"$", b"o*$",
    b"\\b", b"(foo|bar)", b"(foo|bar) ", b"\\b(foo|bar)\\b", b"(foo|bar)*k", b"x(foo|bar)+|oo", b".(o|k).", b"\xc3\xa9", b"[^o]o",
    b"foo.*bar|k.*oo", b"\\<o", b"(fo|o)$", b"^$",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["basic", "extended", "fixed", "perl"])
@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=25)
@given(data=TEXTS | FOREIGN, fold=st.booleans(), word=st.booleans())
def test_a_buffer_has_the_lines_that_match_alone(
    pattern: bytes, kind: str, data: bytes, fold: bool, word: bool
) -> None:
    if pattern == b"(o)\\1" and kind == "basic":
        pattern = b"\\(o\\)\\1"
    atom = Atom(pattern, PatternSpec(kind, fold, word), Context(), "here")
    alone = []
    for start, end in all_lines(data):
        span = atom.span(data[start:end])
        if span is not None:
            alone.append((start, end, span[0]))
    assert list(atom.lines(data)) == alone


#: each of these letters alone and in pairs, a line each: k, the Kelvin sign, s, long s, i, dotless i
FOLDING = [b"k", b"\xe2\x84\xaa", b"s", b"\xc5\xbf", b"i", b"\xc4\xb1", b"K", b"x", b"\xff"]
FOLDED = b"\n".join([b"".join(pair) for pair in product(FOLDING, [b"", *FOLDING])])


@pytest.mark.parametrize("word", [False, True])
@pytest.mark.parametrize("kind", ["basic", "extended", "fixed", "perl"])
@pytest.mark.parametrize("pattern", [b"k", b"s", b"i", b"x", b"is", b"sk", b"xs*k", b"k|xs", b"ks.", b"^ks$"])
def test_letters_that_others_fold_to(pattern: bytes, kind: str, word: bool) -> None:
    atom = Atom(pattern, PatternSpec(kind, ignore_case=True, word=word), Context(), "here")
    spans = [(start, end, atom.span(FOLDED[start:end])) for start, end in all_lines(FOLDED)]
    assert list(atom.lines(FOLDED)) == [(start, end, span[0]) for start, end, span in spans if span is not None]


@pytest.mark.parametrize(
    "pattern", [b"", b".", b"o", b"o*", b"[a-o]", b"o$", b"^o*", b"\\bo", b"(o|f)+", b"o[^x]", b"r\\s"]
)
@pytest.mark.parametrize("kind", ["extended", "perl"])
def test_a_line_with_many_matches_is_left_behind(pattern: bytes, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found by going on behind such a line is what is found by going through all of its matches."""
    chance = random.Random(3)
    atom = Atom(pattern, PatternSpec(kind), Context(), "here")
    for _ in range(60):
        data = b"".join(
            chance.choice([b"foo", b"bar", b"o", b" ", b"\n", b"\n\n"]) for _ in range(chance.randrange(60))
        )
        monkeypatch.setattr(room, "_PASSED", 1 << 30)
        every = list(atom.lines(data))
        for passed in (1, 2, 5):
            monkeypatch.setattr(room, "_PASSED", passed)
            assert list(atom.lines(data)) == every


@pytest.mark.parametrize(("kind", "pattern", "most"), [("extended", b"[a-z]", 3), ("perl", rb"\s?[a-z]", 20)])
def test_a_line_of_many_matches_is_searched_once(
    monkeypatch: pytest.MonkeyPatch, kind: str, pattern: bytes, most: int
) -> None:
    atom = Atom(pattern, PatternSpec(kind), Context(), "here")
    found = list[int]()
    each = type(atom.quick).each

    def counted(self: Any, data: bytes, pos: int = 0, *, lined: bool = False) -> Any:
        for match in each(self, data, pos, lined=lined):
            found.append(match[0])
            yield match

    monkeypatch.setattr(type(atom.quick), "each", counted)
    assert len(list(atom.lines(b"x" * 5000 + b"\ny\n"))) == 2
    assert len(found) < most


def test_stretches_of_a_foreign_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are found wherever the file is cut, and a line that is longer than a stretch."""
    data = "".join(f"строка {number} {'ж' * (number % 7)}o{number}\n" for number in range(40)).encode() + b"\xd0\xb6o"
    atom = Atom(b"[^o]o[13-9]?$", PatternSpec("extended"), Context(), "here")
    every = [(start, end, atom.span(data[start:end])) for start, end in all_lines(data)]
    for size in (1, 10, 50, 1 << 16):
        monkeypatch.setattr("gitglass.grep.lines._STRETCH", size)
        assert list(atom.lines(data)) == [(start, end, span[0]) for start, end, span in every if span is not None]

"""regex/perl/classes.py: sets of characters, their foldings and properties."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from gitglass.regex.perl.classes import POSIX_NAMES, SHORT, BadSyntax, CharSet, folds_of, property_of


@pytest.mark.parametrize(
    ("char", "octets", "folds"),
    [("a", False, "aA"), ("k", False, "Kk\u212a"), ("s", False, "Ss\u017f"), ("é", False, "Éé"), ("é", True, "é"),
     ("k", True, "Kk"), ("1", False, "1"), ("ß", False, "ß\u1e9e"), ("i", False, "iI"), ("\u0130", False, "\u0130")],
)  # fmt: skip
def test_characters_that_are_equal_where_case_is_ignored(char: str, octets: bool, folds: str) -> None:
    assert set(folds_of(ord(char), octets)) == set(map(ord, folds))


def test_a_folded_range_has_all_that_is_equal_to_a_member() -> None:
    short, long, octets = CharSet(), CharSet(), CharSet()
    short.add(ord("k"), ord("l"), True, False)
    long.add(0x20, 0x7E, True, False)
    octets.add(0x41, 0xFF, True, True)
    few = CharSet()
    few.add(ord("k"), ord("k"), True, True)
    assert {low for low, _ in few.ranges} == set(map(ord, "kK"))
    assert {low for low, _ in short.ranges} == set(map(ord, "kKlL\u212a"))
    assert (0x212A, 0x212A) in long.ranges and (0x17F, 0x17F) in long.ranges
    assert (0x7A, 0x7A) in octets.ranges and not any(low > 0xFF for low, _ in octets.ranges)


_RANGES = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 20)).map(lambda one: (one[0], one[0] + one[1])), max_size=5
)


@given(_RANGES, st.booleans(), st.sampled_from(["wide", "octets", "ascii"]))
def test_what_is_written_matches_the_members(ranges: list[tuple[int, int]], negated: bool, way: str) -> None:
    text, odd = CharSet(ranges).written(negated, wide=way == "wide", octets=way == "octets")
    last = {"wide": 330, "octets": 255, "ascii": 127}[way]
    found = {code for code in range(last + 1) if regex.fullmatch(text, chr(code))}
    members = {code for code in range(last + 1) if any(low <= code <= high for low, high in ranges)}
    assert found == (set(range(last + 1)) - members if negated else members) and not odd


def test_the_last_character_is_one_of_those_outside() -> None:
    assert regex.fullmatch(CharSet([(0, 126)]).written(True, wide=False, octets=False)[0], "\x7f")
    assert regex.fullmatch(CharSet([(0, 254)]).written(True, wide=False, octets=True)[0], "\xff")


def test_bytes_that_are_no_text_are_in_no_set() -> None:
    for negated in (False, True):
        text, _ = CharSet([(0, 0x10FFFF)] if not negated else [(65, 65)]).written(negated, wide=True, octets=False)
        assert regex.fullmatch(text, "b") and not regex.fullmatch(text, "\udc80")
    assert not regex.fullmatch(CharSet([], [("P", "Lu")]).written(False, wide=True, octets=False)[0], "\udcff")


def test_properties_are_worked_out_on_ascii_and_refused_on_bytes() -> None:
    upper = CharSet([(48, 48)], [("p", "Lu")])
    text, odd = upper.written(False, wide=False, octets=False)
    assert not odd and {chr(code) for code in range(128) if regex.fullmatch(text, chr(code))} == {
        "0",
        *map(chr, range(65, 91)),
    }
    assert upper.written(False, wide=True, octets=False) == ("[0\\p{Lu}]", True)
    with pytest.raises(KeyError, match="Lu"):
        upper.written(False, wide=False, octets=True)


def test_sets_that_are_joined() -> None:
    made = CharSet()
    made.join(SHORT["d"], True)
    assert made.ranges == [(0, 0x2F), (0x3A, 0x10FFFF)]
    assert SHORT["w"].ascii_rest().ranges == [(0, 0x2F), (0x3A, 0x40), (0x5B, 0x5E), (0x60, 0x60), (0x7B, 0x7F)]
    assert POSIX_NAMES["xdigit"].ranges == [(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]


@pytest.mark.parametrize(
    ("name", "found"),
    [("Lu", ["Lu"]), ("l_u", ["Lu"]), ("Any", []), ("L&", ["Lu", "Ll", "Lt"]), ("Greek", ["Script_Extensions=greek"]),
     ("Grek", ["Script_Extensions=greek"]), ("sc:Greek", ["Script=greek"]), ("scx=grek", ["Script_Extensions=greek"]),
     ("White Space", ["White_Space"])],
)  # fmt: skip
def test_properties(name: str, found: list[str]) -> None:
    assert property_of(name) == found


@pytest.mark.parametrize(
    ("name", "error"),
    [("Letter", BadSyntax), ("InGreek", BadSyntax), ("", BadSyntax), ("x=y", BadSyntax), ("Xan", KeyError),
     ("bc=L", KeyError), ("sc=Klingon", KeyError)],
)  # fmt: skip
def test_properties_that_are_none_or_not_here(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        property_of(name)

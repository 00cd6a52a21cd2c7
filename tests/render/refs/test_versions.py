"""Versions in names: strverscmp's own examples, prereleases, and the key against the comparison."""

from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.paced import assert_paced

from gitglass.render.refs import versions
from gitglass.render.refs.versions import compare_versions, version_key


def test_the_manuals_examples() -> None:
    rising = [b"000", b"00", b"01", b"010", b"09", b"0", b"1", b"9", b"10"]
    assert sorted({*rising}, key=version_key()) == rising
    assert sorted([b"jan1", b"jan11", b"jan2"], key=version_key()) == [b"jan1", b"jan2", b"jan11"]


def test_prereleases() -> None:
    names = [b"v1.0", b"v1.0-rc2", b"v1.0-rc10", b"v1.0-alpha", b"v1.1"]
    assert sorted(names, key=version_key()) == [b"v1.0", b"v1.0-alpha", b"v1.0-rc2", b"v1.0-rc10", b"v1.1"]
    assert sorted(names, key=version_key([b"-rc"]))[:4] == [b"v1.0-rc2", b"v1.0-rc10", b"v1.0", b"v1.0-alpha"]
    assert sorted(names, key=version_key([b"-alpha", b"-rc"]))[0] == b"v1.0-alpha"


TEXT = st.text("0019a.:-", max_size=8).map(str.encode)


@given(TEXT, TEXT)
def test_the_key_orders_as_the_comparison(one: bytes, two: bytes) -> None:
    key = version_key()
    order = (key(one) > key(two)) - (key(one) < key(two))
    compared = compare_versions(one, two)
    assert (compared > 0) - (compared < 0) == order and (compared == 0) == (one == two)


@given(TEXT, TEXT, st.lists(TEXT, max_size=3))
def test_suffixes_keep_the_order_antisymmetric(one: bytes, two: bytes, suffixes: list[bytes]) -> None:
    here, there = compare_versions(one, two, suffixes), compare_versions(two, one, suffixes)
    assert (here > 0) == (there < 0)


def covering(name: bytes, at: int, suffixes: list[bytes]) -> int | None:
    """The rule as it is written: of the suffixes that touch the place the earliest, of those the longest."""
    rows = [
        (start, -len(suffix), number)
        for number, suffix in enumerate(suffixes)
        for start in range(max(at - len(suffix), 0), at + 1)
        if name.startswith(suffix, start)
    ]
    return min(rows)[2] if rows else None


@given(TEXT, TEXT, st.lists(TEXT, min_size=1, max_size=5), st.data())
def test_a_suffix_is_looked_up_where_it_is_meant(
    one: bytes, two: bytes, suffixes: list[bytes], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([one + suffixes[0] + two, one + suffixes[-1], one]))
    at = data.draw(st.integers(0, len(name)))
    assert versions._covering(name, at, versions._Suffixes(suffixes)) == covering(name, at, suffixes)


def test_thousands_of_suffixes_cost_no_more_than_one() -> None:
    names = [b"v1-s%d-x%d" % (number % 2999, number) for number in range(3000)]
    suffixes = [b"-s%d" % number for number in range(3000)]
    assert_paced(lambda: sorted(names, key=version_key(suffixes)))
    assert_paced(lambda: sorted(names, key=version_key([b"-" * size for size in range(1, 1500)])))

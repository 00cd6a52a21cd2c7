"""The order of git's hash tables."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitglass.merge.hash_order import hash_order

Keys = st.lists(st.binary(min_size=1, max_size=6), unique=True, max_size=120)


@given(Keys)
def test_every_key_once(keys: list[bytes]) -> None:
    assert sorted(hash_order(keys)) == sorted(keys)


def test_one_slot_newest_first() -> None:
    """The hashes of `a` and `!` are equal in the six bits that the first table of 64 slots looks at."""
    assert hash_order([b"a", b"!"]) == [b"!", b"a"]
    assert hash_order([b"!", b"a"]) == [b"a", b"!"]


def test_a_table_that_grows_looks_at_more_of_the_hash() -> None:
    few = [b"a", b"!"]
    more = [*few, *(b"k%d" % number for number in range(60))]
    before, after = hash_order(few), hash_order(more)
    assert [key for key in after if key in few] == [b"!", b"a"] and before == [b"!", b"a"]
    assert len(after) == 62

"""Deltas: what they make, and how they may lie. Both appliers, the compiled and the pure one, pass."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Corrupt, TooLarge
from gitglass.store import delta as module
from gitglass.store.delta import apply_delta, delta_sizes

LIMIT = 1 << 30


@pytest.fixture(params=["compiled", "pure"], autouse=True, scope="module")
def applier(request: pytest.FixtureRequest) -> Any:
    before = module._apply
    if request.param == "pure":
        from dulwich.pack import _apply_delta_py as pure  # the one without the extension
    else:
        pure = None
    module._apply = pure
    yield
    module._apply = before


@given(base=st.binary(max_size=300), result=st.binary(max_size=300))
def test_round_trip(packing: Any, base: bytes, result: bytes) -> None:
    body = packing.delta(base, result)
    assert delta_sizes(body)[:2] == (len(base), len(result))
    assert apply_delta(base, body, LIMIT) == result


@given(base=st.binary(max_size=40), body=st.binary(max_size=60))
def test_any_bytes(base: bytes, body: bytes) -> None:
    try:
        made = apply_delta(base, body, 1 << 20)
        assert len(made) == delta_sizes(body)[1]
    except (Corrupt, TooLarge):
        pass


@pytest.mark.parametrize(
    "body",
    [b"", b"\x80", b"\x05", b"\x05\x05", b"\x05\x05\x00", b"\x05\x05\x90\x06", b"\x05\x05\x91\x03\x05", b"\x06\x05\x90\x05",
     b"\x05\x06\x90\x05", b"\x05\x04\x90\x05", b"\x05\x05\x05abc", b"\x80" * 12 + b"\x01\x05"],
)  # fmt: skip
def test_lies(body: bytes) -> None:
    with pytest.raises(Corrupt):
        apply_delta(b"01234", body, LIMIT)


def test_claims_are_looked_at_before_anything_is_made(packing: Any) -> None:
    for size in (LIMIT + 1, 1 << 40, 1 << 62):
        with pytest.raises(Corrupt):
            apply_delta(b"01234", packing.varint(5) + packing.varint(size) + b"\x90\x05", LIMIT)
    with pytest.raises(TooLarge) as caught:
        apply_delta(b"01234", packing.varint(5) + packing.varint(100) + b"\x90\x05", 50)
    assert caught.value.data == {"size": 100, "limit": 50}


def test_an_instruction_that_ends_before_its_numbers(packing: Any) -> None:
    """However large the result is: both ways of making it say the same."""
    for size in (1024, 5 << 20):
        head = b"\x80\x08" + packing.varint(size)
        with pytest.raises(Corrupt):
            apply_delta(bytes(1024), head + b"\xf0\x00\x04", 1 << 30)


@pytest.mark.parametrize("body", [b"\x04", b"\x90\x05", b"\x04abcd"])
def test_nothing_may_follow_where_nothing_was_to_be_made(body: bytes) -> None:
    with pytest.raises(Corrupt):
        apply_delta(bytes(1024), b"\x80\x08\x00" + body, LIMIT)
    assert apply_delta(bytes(1024), b"\x80\x08\x00", LIMIT) == b""

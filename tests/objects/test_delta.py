"""Deltas: what they make, and how they may lie. All appliers, dulwich's two and the one of short commands, pass."""

import struct
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from dulwich import pack
from dulwich.errors import ApplyDeltaError
from dulwich.pack import apply_delta as compiled
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import Corrupt, TooLarge
from gitglass.objects import delta as module
from gitglass.objects.delta import apply_delta, apply_deltas, delta_sizes

LIMIT = 1 << 30


@pytest.fixture(params=["compiled", "pure", "first"], autouse=True, scope="module")
def applier(request: pytest.FixtureRequest) -> Any:
    before = module._apply, module._FEW
    module._FEW = 1 << 40 if request.param == "first" else 0
    if request.param == "pure":
        from dulwich.pack import _apply_delta_py as pure  # the one without the extension
    else:
        pure = None
    module._apply = pure
    yield
    module._apply, module._FEW = before


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


@given(base=st.binary(max_size=12), rest=st.binary(max_size=12), size=st.integers(0, 20))
def test_the_first_deltas_are_applied_as_dulwich_does(packing: Any, base: bytes, rest: bytes, size: int) -> None:
    body = packing.varint(len(base)) + packing.varint(size) + rest
    try:
        expected: bytes | None = b"".join(compiled(base, body))
    except ApplyDeltaError:
        expected = None
    if size or not rest:  # dulwich looks at no instruction where nothing is to be made
        assert module._apply_small(base, body) == expected
    else:
        assert module._apply_small(base, body) is None


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


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 1 << 40])
def test_sizes_of_any_length(packing: Any, size: int) -> None:
    for other in (0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152):
        head = packing.varint(size) + packing.varint(other)
        for rest in (b"", b"\x90\x05", b"\xff" * 5):
            assert delta_sizes(head + rest) == (size, other, len(head))


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


def test_what_is_imported_is_dulwichs_public_function() -> None:
    """The compiled module is imported for the time that `dulwich.pack` takes; what it holds is the public name's."""
    assert module._load() is pack.apply_delta


def test_the_compiled_one_is_loaded_without_the_package() -> None:
    """After the deltas of a short command; whoever imports dulwich later has the same module."""
    code = (
        "import sys; from gitglass.objects import delta\n"
        "for _ in range(delta._FEW): assert delta.apply_delta(b'a', bytes([1, 1, 1, 98]), 9) == b'b'\n"
        "print(sorted(name for name in sys.modules if name.startswith('dulwich')))\n"
        "import dulwich.pack; print(delta._apply is dulwich.pack.apply_delta, delta._apply(b'a', bytes([1, 1, 1, 98])))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['dulwich._pack']", "True [b'b']"]


@given(texts=st.lists(st.binary(max_size=80), min_size=2, max_size=6), shared=st.binary(max_size=40))
def test_several_at_once_make_what_they_make_one_by_one(packing: Any, texts: list[bytes], shared: bytes) -> None:
    versions = [shared + text + shared + text[::-1] for text in texts]
    deltas = [packing.delta(old, new) for old, new in pairwise(versions)]
    assert apply_deltas(versions[0], deltas) == versions[-1]


@given(base=st.binary(max_size=40), bodies=st.lists(st.binary(max_size=60), min_size=1, max_size=3))
def test_several_at_once_of_any_bytes(packing: Any, base: bytes, bodies: list[bytes]) -> None:
    data, deltas = base, []
    expected: bytes | None = base
    for body in bodies:
        deltas.append(packing.varint(len(data)) + body)
        try:
            data = apply_delta(data, deltas[-1], 1 << 20)
            expected = data
        except (Corrupt, TooLarge):
            expected = None
            break
    try:
        assert apply_deltas(base, deltas) == expected
    except Corrupt:
        assert expected is None


@given(base=st.binary(min_size=1, max_size=60), data=st.data())
def test_several_at_once_copy_from_anywhere(packing: Any, base: bytes, data: st.DataObject) -> None:
    """Copies begin and end within the pieces of what is not put together yet."""
    versions, deltas = [base], []
    for _ in range(data.draw(st.integers(1, 5))):
        old, new, body = versions[-1], b"", b""
        for literal in data.draw(st.lists(st.binary(max_size=4), min_size=1, max_size=6)):
            start = data.draw(st.integers(0, len(old) - 1))
            length = data.draw(st.integers(1, len(old) - start))
            body += bytes([0x80 | 0x33]) + struct.pack("<HH", start, length)
            body += bytes([len(literal)]) + literal if literal else b""
            new += old[start : start + length] + literal
        deltas.append(packing.varint(len(old)) + packing.varint(len(new)) + body)
        versions.append(new)
        assert apply_delta(old, deltas[-1], LIMIT) == new
        if len(new) > 2000:
            break
    assert apply_deltas(base, deltas) == versions[-1]


def test_several_at_once_copy_across_pieces(packing: Any) -> None:
    lines = [b"%06d\n" % number for number in range(4000)]
    versions = [b"".join(lines)]
    for number in range(20):
        lines[number * 190] = b"changed %d\n" % number
        versions.append(b"".join(lines))
    deltas = [packing.delta(old, new) for old, new in pairwise(versions)]
    assert apply_deltas(versions[0], deltas) == versions[-1]
    assert apply_deltas(versions[0], deltas[1:]) is None  # for another base

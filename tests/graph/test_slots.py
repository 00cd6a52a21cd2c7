"""The order of git's table of objects."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.graph.slots import Slots


def oid(first: int, last: int = 0) -> bytes:
    return first.to_bytes(4, "little") + bytes(15) + bytes([last])


def test_who_is_asked_for_comes_first_among_those_that_want_a_slot() -> None:
    slots = Slots()
    one, two, three = oid(5, 1), oid(5, 2), oid(37, 3)
    for name in (one, two, three, oid(1)):
        slots.look(name)
    assert slots.order() == [oid(1), one, two, three]
    slots.look(three)
    assert slots.order() == [oid(1), three, two, one]
    slots.look(oid(9), make=False)
    assert len(slots.order()) == 4


def test_it_grows_before_it_is_half_full() -> None:
    slots = Slots()
    names = [oid(n * 32, 7) for n in range(40)]
    for name in names:
        slots.look(name)
    assert len(slots.order()) == 40 and slots.order()[0] == names[0]


@given(st.lists(st.tuples(st.integers(0, 70), st.integers(0, 3), st.booleans())))
def test_each_is_there_once(asked: list[tuple[int, int, bool]]) -> None:
    slots, there = Slots(), set()
    for first, last, make in asked:
        slots.look(oid(first, last), make=make)
        if make:
            there.add(oid(first, last))
    assert sorted(slots.order()) == sorted(there)


@given(st.lists(st.lists(st.tuples(st.integers(0, 70), st.integers(0, 3)))))
def test_several_are_looked_up_as_one_after_the_other(asked: list[list[tuple[int, int]]]) -> None:
    together, alone = Slots(), Slots()
    for several in asked:
        together.look_each(oid(first, last) for first, last in several)
        for first, last in several:
            alone.look(oid(first, last))
    assert together.order() == alone.order()

"""The order of git's hash tables."""

import hashlib

from gitglass.history.objects.git_order import OidSet


def oids(count: int) -> list[bytes]:
    return [hashlib.sha1(b"%d" % number).digest() for number in range(count)]


def place(oid: bytes, places: int) -> int:
    return int.from_bytes(oid[:4], "little") % places


def test_a_table_with_room_is_in_the_order_of_its_places() -> None:
    many = [oid for oid in oids(300) if place(oid, 1 << 14)]
    apart = list({place(oid, 1 << 14): oid for oid in many}.values())
    found = OidSet()
    found.update(apart)
    assert list(found) == sorted(apart, key=lambda oid: place(oid, 1 << 14))


def test_a_crowded_place_gives_way_in_growing_steps() -> None:
    one, two, three = (bytes([5, 0, 0, 0, number]) + bytes(15) for number in range(3))
    next_to = bytes([6, 0, 0, 0]) + bytes(16)
    found = OidSet(16)
    found.update((one, two, three, next_to))
    assert list(found) == [one, two, next_to, three]  # at 5, 6, 7 (6 is taken) and 8
    assert found.discard(two) and not found.discard(two) and two not in found
    assert not found.add(two) and list(found) == [one, two, next_to, three]  # the mark is taken again


def test_it_grows_and_keeps_what_it_has() -> None:
    found = OidSet(0)
    for oid in oids(1000):
        assert not found.add(oid)
        assert found.add(oid)
    assert len(found) == 1000 and set(found) == set(oids(1000))
    for oid in oids(500):
        assert found.discard(oid)
    assert set(found) == set(oids(1000)) - set(oids(500))

"""Names shortened: many at once are what each is alone."""

from itertools import combinations
from typing import Any, ClassVar

import pytest

from gitglass.errors import Timeout
from gitglass.limits import Context, Limits
from gitglass.revs.abbrev import Abbreviator, find_short

OIDS = [bytes([number % 4, number % 9, number * 37 & 255, number & 255]) * 5 for number in range(150)]
NAMES = sorted(oid.hex() for oid in OIDS)


class Names:
    """What an abbreviator asks an object database, answered by comparing everything with everything."""

    asked = 0

    def unique_length(self, oid: bytes, least: int) -> int:
        self.asked += 1
        others = [name for name in NAMES if name != oid.hex()]
        return next(n for n in range(least, 41) if not any(name.startswith(oid.hex()[:n]) for name in others))

    def crowded(self, nibbles: int) -> set[bytes] | None:
        return {one[:nibbles].encode() for one, two in combinations(NAMES, 2) if one[:nibbles] == two[:nibbles]}

    def beside(self, oid: bytes, size: int) -> None:
        return None

    def count_estimate(self) -> int:
        return len(OIDS)


class Blind(Names):
    """The same where it is not known at once which names are crowded."""

    def crowded(self, nibbles: int) -> set[bytes] | None:
        return None


@pytest.mark.parametrize("names", [Names(), Blind()], ids=["known", "unknown"])
@pytest.mark.parametrize("length", [4, 5, 7, 40])
def test_many_names_are_what_each_is_alone(length: int, names: Any) -> None:
    class Store:
        hash_len, hex_len = 20, 40

        class odb:
            pass

    store: Any = Store
    store.odb.names = names
    one, at_once = Abbreviator(store, length), Abbreviator(store, length)
    wanted = [one(oid) for oid in OIDS]
    names.asked = 0
    assert [name for at in range(0, len(OIDS), 40) for name in at_once.many(OIDS[at : at + 40])] == wanted
    if type(names) is Names:
        assert names.asked == sum(len(name) > length for name in wanted)  # only for those that are longer


class Crowd:
    """A repository in which everything begins with the digits that are asked for."""

    hash_len, hex_len = 20, 40
    config: ClassVar[dict[str, bytes]] = {}

    def __init__(self, count: int) -> None:
        self.oids = [b"\xab" * 16 + number.to_bytes(4, "big") for number in range(count)]
        self.odb = self.names = self.per_call = self

    def made(self, slot: object, make: object) -> int:
        return 7

    def beginning(self, digits: str) -> list[bytes]:
        return self.oids

    def kind(self, oid: bytes) -> bytes:
        return b"blob"

    def beside(self, oid: bytes, size: int) -> None:
        return None

    def count_estimate(self) -> int:
        return len(self.oids)

    def unique_length(self, oid: bytes, least: int) -> int:
        return 40


@pytest.mark.parametrize(("want", "quiet"), [("commit", True), ("", False)])
def test_candidates_are_looked_at_until_the_deadline(want: str, quiet: bool) -> None:
    crowd: Any = Crowd(2000)
    with Context(Limits(timeout=-1.0)) as ctx, pytest.raises(Timeout):
        find_short(crowd, b"abab", ctx=ctx, want=want, quiet=quiet)
    with Context() as ctx:
        assert find_short(crowd, b"abab", ctx=ctx, want=want, quiet=quiet) == b""
        assert len(ctx.spoken()) == (0 if quiet else 2002)

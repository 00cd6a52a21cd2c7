"""Objects in memory over a database."""

from gitglass.store.overlay import Overlay


class Below:
    hash_len = 20

    def has(self, oid: bytes) -> bool:
        return oid == b"there"

    def read(self, oid: bytes) -> tuple[bytes, bytes]:
        return b"blob", b"below"


def test_own_first() -> None:
    made = Overlay(Below())
    oid = made.write(b"blob", b"hello\n")
    assert oid.hex() == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert (
        made.read(oid) == (b"blob", b"hello\n") and made.kind_size(oid) == (b"blob", 6) and made.blob(oid) == b"hello\n"
    )
    assert made.has(oid) and made.has(b"there") and not made.has(b"x") and made.read(b"there") == (b"blob", b"below")
    assert made.hash_len == 20

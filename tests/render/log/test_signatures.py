"""Who signed, told from the signature's own bytes."""

from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st

from gitglass.render.log.signatures import issuer

ISSUER = bytes([9, 16]) + bytes.fromhex("0123456789abcdef")
V4 = bytes([4, 0, 1, 8]) + b"\0\0" + len(ISSUER).to_bytes(2, "big") + ISSUER


def armour(packet: bytes) -> bytes:
    return b"-----BEGIN PGP SIGNATURE-----\n\n" + b64encode(packet) + b"\n=abcd\n-----END PGP SIGNATURE-----\n"


def test_issuer() -> None:
    assert issuer(armour(bytes([0xC2, len(V4)]) + V4)) == b"0123456789ABCDEF"
    assert issuer(armour(bytes([0x88, len(V4)]) + V4)) == b"0123456789ABCDEF"
    for head in (bytes([0xC2, len(V4)]), bytes([0x88, len(V4)]), bytes([0x89, 0, len(V4)])):
        assert issuer(armour(head + V4 + bytes([0x88, len(V4)]) + V4)) == b""  # two of them
    assert issuer(b"-----BEGIN SSH SIGNATURE-----\n") is None
    assert issuer(armour(b"\xb4\x01x")) is None


@given(st.binary(max_size=60))
def test_any_packet(packet: bytes) -> None:
    found = issuer(armour(packet))
    assert found is None or set(found) <= set(b"0123456789ABCDEF")

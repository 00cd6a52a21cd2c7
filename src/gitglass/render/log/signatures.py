"""Signatures of commits, as far as they can be read without a key: nothing is verified, no program is run.

An OpenPGP signature that git's gpg would read but has no key for is shown as git shows it: state E, and the id of the
key that made it. For anything else (SSH without a list of signers, garbage) git shows N.
"""

from base64 import b64decode

from ...limits import lines_in

_OPENING = b"-----BEGIN PGP SIGNATURE-----"
_ISSUER, _ISSUER_FINGERPRINT = 16, 33


def issuer(signature: bytes) -> bytes | None:
    """The id of the key (16 hex digits) that made an armoured OpenPGP signature; None if it cannot be parsed."""
    if not signature.startswith(_OPENING):
        return None
    body = signature.partition(b"\n\n")[2] or signature.partition(b"\n \n")[2]
    coded = b"".join(line for line in lines_in(body) if not line.startswith((b"-", b"=")))
    try:
        return _packet(b64decode(coded, validate=True))
    except (ValueError, IndexError):
        return None


def _packet(data: bytes) -> bytes | None:
    """The issuer in the first packet, if that is a signature (RFC 4880, 4.2 and 5.2)."""
    if not data or not data[0] & 0x80:
        return None
    if data[0] & 0x40:
        kind, at = data[0] & 0x3F, _length_end(data, 1)
    else:
        kind, at = data[0] >> 2 & 0xF, 1 + (1, 2, 4, 0)[data[0] & 3]
    if kind != 2:
        return None
    if data[at] == 3:
        return data[at + 7 : at + 15].hex().upper().encode()
    if data[at] != 4:
        return None
    at += 4
    for _ in range(2):  # hashed subpackets, then the others
        size = int.from_bytes(data[at : at + 2], "big")
        issuer_id = _subpackets(data[at + 2 : at + 2 + size])
        if issuer_id is not None:
            return issuer_id
        at += 2 + size
    return None


def _length_end(data: bytes, at: int) -> int:
    return at + (1 if data[at] < 192 else 5 if data[at] == 255 else 2)


def _subpackets(data: bytes) -> bytes | None:
    at = 0
    while at < len(data):
        first = data[at]
        end = _length_end(data, at)
        if first < 192:
            size = first
        elif first < 255:
            size = (first - 192 << 8) + data[at + 1] + 192
        else:
            size = int.from_bytes(data[at + 1 : at + 5], "big")
        body = data[end + 1 : end + size]
        if data[end] & 0x7F in (_ISSUER, _ISSUER_FINGERPRINT) and len(body) >= 8:
            return body[-8:].hex().upper().encode()
        at = end + max(size, 1)
    return None

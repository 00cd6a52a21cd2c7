"""Signatures of commits, as far as they can be read without a key: nothing is verified, no program is run.

An OpenPGP signature that git's gpg would read but has no key for is shown as git shows it: state E, and the id of the
key that made it. For anything else (SSH without a list of signers, garbage) git shows N.
"""

from base64 import b64decode

from ...limits import lines_in

_OPENING = b"-----BEGIN PGP SIGNATURE-----"
_SIGNATURE = 2
_ISSUER, _ISSUER_FINGERPRINT = 16, 33


def issuer(signature: bytes) -> bytes | None:
    """The id of the key (16 hex digits) that made an armoured OpenPGP signature; None if it cannot be parsed. It is
    empty for several signatures in one: git trusts none of them, and names no key."""
    if not signature.startswith(_OPENING):
        return None
    body = signature.partition(b"\n\n")[2] or signature.partition(b"\n \n")[2]
    coded = b"".join(line for line in lines_in(body) if not line.startswith((b"-", b"=")))
    try:
        return _packet(b64decode(coded, validate=True))
    except (ValueError, IndexError):
        return None


def _head(data: bytes, at: int) -> tuple[int, int, int] | None:
    """(kind, start, end) of the packet at a position (RFC 4880, 4.2); None if there is none."""
    if at >= len(data) or not data[at] & 0x80:
        return None
    if data[at] & 0x40:
        start = _length_end(data, at + 1)
        return data[at] & 0x3F, start, start + _length(data, at + 1)
    wide = (1, 2, 4, 0)[data[at] & 3]
    start = at + 1 + wide
    end = start + int.from_bytes(data[at + 1 : start], "big") if wide else len(data)
    return data[at] >> 2 & 0xF, start, end


def _packet(data: bytes) -> bytes | None:
    """The issuer in the first packet, if that is a signature (RFC 4880, 5.2)."""
    head = _head(data, 0)
    if head is None or head[0] != _SIGNATURE:
        return None
    _, at, end = head
    following = _head(data, end)
    if following is not None and following[0] == _SIGNATURE:
        return b""
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


def _length(data: bytes, at: int) -> int:
    first = data[at]
    if first < 192:
        return first
    if first < 255:
        return (first - 192 << 8) + data[at + 1] + 192
    return int.from_bytes(data[at + 1 : at + 5], "big")


def _subpackets(data: bytes) -> bytes | None:
    at = 0
    while at < len(data):
        end = _length_end(data, at)
        size = _length(data, at)
        body = data[end + 1 : end + size]
        if data[end] & 0x7F in (_ISSUER, _ISSUER_FINGERPRINT) and len(body) >= 8:
            return body[-8:].hex().upper().encode()
        at = end + max(size, 1)
    return None

"""Files made from a fuzzer's bytes: checksums, lengths and tables are right, so that what is inside gets looked at.

A fuzzer does not find a SHA-1, a CRC or a zlib stream by trying. Where a format has one, the targets take the bytes
both as they are and as the content of a file that is otherwise well formed.
"""

import hashlib
import struct
import zlib
from collections import Counter
from itertools import accumulate

BASE = bytes(range(256)) * 4
LONG_BASE = BASE * 70  # beyond the length that a copy without one has
BASE_OID = bytes(20)
OID = bytes(range(20))


def sealed(data: bytes) -> bytes:
    """With the checksum that every such file ends with."""
    return data + hashlib.sha1(data).digest()


def varint(value: int) -> bytes:
    """A number as reftables, the index and offset deltas have it: groups of seven bits, each step adding one."""
    out = [value & 127]
    while value := value >> 7:
        value -= 1
        out.append(128 | value & 127)
    return bytes(reversed(out))


def size_bytes(value: int) -> bytes:
    """A size as deltas have it: groups of seven bits, the lowest first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def measured(data: bytes, base: int) -> bytes:
    """A delta of these instructions, with the sizes that they come to."""
    at = size = 0
    while at < len(data):
        code = data[at]
        at += 1
        if code & 128:
            parts = [data[at + n : at + n + 1] for n in range((code & 127).bit_count())]
            at += len(parts)
            length, shift = 0, 0
            for bit in range(7):
                if code >> bit & 1:
                    part = parts.pop(0)
                    length |= int.from_bytes(part) << shift if bit > 3 else 0
                shift += 8 if bit > 3 else 0
            size += length or 0x10000
        else:
            at += code
            size += code
    return size_bytes(base) + size_bytes(size) + data


def header(kind: int, size: int) -> bytes:
    """How an object in a pack begins."""
    rest = size >> 4
    return bytes([kind << 4 | size & 15 | 128]) + size_bytes(rest) if rest else bytes([kind << 4 | size & 15])


def entry(data: bytes, at: int) -> bytes:
    """An object of a pack at an offset: the first byte says its kind and how wrong its claimed size is."""
    first, payload = data[:1] or b"\x30", data[1:]
    kind = (1, 2, 3, 4, 6, 7, 6, 7)[first[0] & 7]
    if kind > 4 and first[0] & 8:  # a delta whose sizes are right
        payload = measured(payload, len(BASE))
    where = varint(at - 12) if kind == 6 else (OID if first[0] & 16 else BASE_OID) if kind == 7 else b""
    return header(kind, len(payload) + (first[0] >> 5) % 4) + where + zlib.compress(payload)


def pack_of(make: object, data: bytes) -> tuple[bytes, bytes, int]:
    """(pack, index, offset) of an object in a pack of two, the first of which is BASE. `make` is `entry` or None."""
    body = b"PACK" + struct.pack(">II", 2, 2) + header(3, len(BASE)) + zlib.compress(BASE)
    at = len(body)
    body += data if make is None else entry(data, at)
    pack = sealed(body)
    return pack, index_of([(BASE_OID, 12), (OID, at)], pack[-20:]), at


def index_of(rows: list[tuple[bytes, int]], checksum: bytes, version: int = 2) -> bytes:
    """A pack's index of (oid, offset) rows, which are sorted."""
    counts = Counter(oid[0] for oid, _ in rows)
    fan = struct.pack(">256I", *accumulate(counts[byte] for byte in range(256)))
    if version == 1:
        return sealed(fan + b"".join(struct.pack(">I", offset) + oid for oid, offset in rows) + checksum)
    large = [offset for _, offset in rows if offset >> 31]
    short = [0x80000000 | large.index(offset) if offset >> 31 else offset for _, offset in rows]
    table = b"".join(oid for oid, _ in rows) + bytes(4 * len(rows))
    offsets = struct.pack(f">{len(rows)}I", *short) + struct.pack(f">{len(large)}Q", *large)
    return sealed(b"\xfftOc" + struct.pack(">I", 2) + fan + table + offsets + checksum)


def reftable(data: bytes) -> bytes:
    """A table of one block of refs and one of logs (split at the first 0xFF), with the footer's CRC."""
    refs, _, logs = data.partition(b"\xff")
    head = b"REFT\1" + bytes(3) + struct.pack(">QQ", 1, 9)
    body = refs + b"\0\0\x1c" + b"\0\1"
    out = head + (b"r" + (len(head) + 4 + len(body)).to_bytes(3, "big") + body if refs else b"")
    at = len(out) if refs else 0
    if logs:
        body = logs + b"\0\0\x1c" + b"\0\1"
        out += b"g" + (len(body) + 4 + (0 if at else 24)).to_bytes(3, "big") + zlib.compress(body)
    return with_footer(out, head, at if logs else 0)


def with_footer(blocks: bytes, head: bytes, logs_at: int) -> bytes:
    """Blocks and the footer that says where the logs begin."""
    tail = head + struct.pack(">5Q", 0, 0, 0, logs_at, 0)
    return blocks + tail + struct.pack(">I", zlib.crc32(tail))


def index_entries(data: bytes) -> list[tuple[bytes, bytes, int]]:
    """(path, head without its flags, flags) of an index whose paths are the lines of some bytes, in order."""
    found = []
    for path in sorted({line for line in data.replace(b"\0", b"").split(b"\n") if line}):
        fill = hashlib.sha1(path).digest()
        head = fill[:20] + fill[:4] + struct.pack(">I", 0o100644) + fill[:12] + fill
        stages = [0] if path[-1] % 5 else [1, 3] if path[-1] % 2 else [2]
        for stage in stages:
            found.append((path, head, stage << 12 | min(len(path), 0xFFF) | (path[0] & 1) << 15))
    return found


def index_file(rows: list[tuple[bytes, bytes, int]], version: int, extensions: bytes = b"") -> bytes:
    """An index file; in versions 3 and 4 every third entry has extended flags."""
    out, before = b"DIRC" + struct.pack(">II", version, len(rows)), b""
    for number, (path, head, flags) in enumerate(rows):
        extended = version > 2 and number % 3 == 0
        one = head + struct.pack(">H", flags | 0x4000 * extended) + (b"\x40\0" if extended else b"")
        if version < 4:
            one += path
            out += one + bytes(8 - len(one) % 8)
        else:
            same = 0
            while same < min(len(before), len(path)) and before[same] == path[same]:
                same += 1
            out += one + varint(len(before) - same) + path[same:] + b"\0"
            before = path
    return sealed(out + extensions)


def extension(name: bytes, body: bytes) -> bytes:
    """One extension of an index file."""
    return name + struct.pack(">I", len(body)) + body

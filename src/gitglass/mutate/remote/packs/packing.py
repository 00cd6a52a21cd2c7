"""A pack of objects of ours, for another repository: what is stored is handed on as it is, deltas too where the object
that they stand on goes along. Mirrors gitformat-pack(5).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import new as hasher

from ....limits import pause
from ....objects.database import Odb
from ....objects.pack import KIND_NUMBERS, REF_DELTA
from .unpacking import entry_of


def entries(odb: Odb, oids: Sequence[bytes]) -> Iterator[bytes]:
    """The entries of a pack, one by one. Every object in `oids` has to be there, each once."""
    going = set(oids)
    for oid in oids:
        pause()
        stored = odb.packs.stored_delta(oid)
        if stored is not None and stored[0] in going:
            base, delta = stored
            yield entry_of(REF_DELTA, len(delta)) + base + zlib.compress(delta, 1)
        else:
            kind, content = odb.read_raw(oid)
            yield entry_of(KIND_NUMBERS[kind], len(content)) + zlib.compress(content, 1)


def packed_objects(objects: Mapping[bytes, tuple[bytes, bytes]], hash_name: str) -> bytes:
    """The whole pack of objects in memory: (kind, content) by name, each whole."""
    parts = [b"PACK" + struct.pack(">II", 2, len(objects))]
    for kind, content in objects.values():
        pause()
        parts.append(entry_of(KIND_NUMBERS[kind], len(content)) + zlib.compress(content, 1))
    body = b"".join(parts)
    return body + hasher(hash_name, body).digest()


def packed(odb: Odb, oids: Sequence[bytes], hash_name: str) -> Iterator[bytes]:
    """The whole pack, piece by piece."""
    seal = hasher(hash_name)
    head = b"PACK" + struct.pack(">II", 2, len(oids))
    seal.update(head)
    yield head
    for entry in entries(odb, oids):
        seal.update(entry)
        yield entry
    yield seal.digest()

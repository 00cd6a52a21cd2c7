"""Replacements of objects (git-replace(1))."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..errors import Corrupt, MissingObject


@contextmanager
def stand_in(replaced: Mapping[bytes, bytes], oid: bytes) -> Iterator[bytes]:
    """The replacement of `oid`, as a context manager around the reading of it.

    Raises Corrupt, with git's message, for a chain of replacements that is too long (its end is b""). It also replaces
    MissingObject by Corrupt: git gives up at a missing replacement, even where it tolerates a missing object.
    """
    replacement = replaced[oid]
    if not replacement:
        raise Corrupt(f"replace depth too high for object {oid.hex()}", oid=oid.hex())
    try:
        yield replacement
    except MissingObject:
        raise Corrupt(f"replacement {replacement.hex()} not found for {oid.hex()}", oid=oid.hex()) from None

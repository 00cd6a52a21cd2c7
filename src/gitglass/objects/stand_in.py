"""Objects that answer for others (git-replace(1)), where they are asked for."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..errors import Corrupt, MissingObject


@contextmanager
def stand_in(replaced: Mapping[bytes, bytes], oid: bytes) -> Iterator[bytes]:
    """The object that answers for one of `replaced`, while it is read.

    Raises Corrupt, in git's words, for a chain of replacements that is too long (its end is b""), and in place of
    MissingObject: git ends where a replacement is not there, also where it goes on without an object that is not.
    """
    other = replaced[oid]
    if not other:
        raise Corrupt(f"replace depth too high for object {oid.hex()}", oid=oid.hex())
    try:
        yield other
    except MissingObject:
        raise Corrupt(f"replacement {other.hex()} not found for {oid.hex()}", oid=oid.hex()) from None

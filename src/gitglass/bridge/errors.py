"""One tree of errors on either side: dulwich's as ours, and ours as those that dulwich's own tools expect.

dulwich looks for `KeyError` where an object or ref is missing, for `ObjectFormatException` where data is broken, and
for `OSError` where something cannot be written. A deadline, a limit or a path outside of the jail stays what it is.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException, ObjectFormatException, RefFormatError
from dulwich.pack import UnresolvedDeltas

from ..errors import Corrupt, MissingObject, PermissionDenied, Unreadable

#: what dulwich raises for data that cannot be what it claims
BROKEN = (
    ApplyDeltaError, AssertionError, ChecksumMismatch, EOFError, FileFormatException, UnresolvedDeltas, ValueError,
    zlib.error,
)  # fmt: skip


class ReadOnly(PermissionDenied, PermissionError):
    """What would write to a jailed repository. It is a `PermissionError` as well, which dulwich's tools know."""

    code = "permission_denied"
    remedy = "A jailed repository is only read: write to another one (dulwich's MemoryRepo, or a clone)."


def refuse(deed: str) -> ReadOnly:
    """The error for a thing that would write."""
    return ReadOnly(f"cannot {deed}: the repository is open for reading only", deed=deed)


@contextmanager
def from_dulwich(what: str) -> Iterator[None]:
    """dulwich's errors as ours: `Corrupt` for broken data, `Unreadable` for what the system fails to read.

    KeyError passes: what a missing thing means, the caller knows.
    """
    try:
        yield
    except KeyError:
        raise
    except BROKEN as error:
        raise Corrupt(f"{what}: {error}", prefix="error") from error
    except OSError as error:
        raise Unreadable(f"{what}: {error}") from error


@contextmanager
def to_dulwich(name: bytes) -> Iterator[None]:
    """Our errors as dulwich's: `KeyError` of a missing object, `ObjectFormatException` for one that is broken."""
    try:
        yield
    except MissingObject:
        raise KeyError(name) from None
    except Corrupt as error:
        raise ObjectFormatException(error.message) from error


__all__ = ["BROKEN", "ReadOnly", "RefFormatError", "from_dulwich", "refuse", "to_dulwich"]

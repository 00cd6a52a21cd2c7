"""Translation of errors in both directions: dulwich's to ours, and ours to those that dulwich's own tools expect.

dulwich expects `KeyError` where an object or ref is missing, `ObjectFormatException` where data is broken, and
`OSError` where something cannot be written. A deadline, a limit or a path outside of the jail keeps our error.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException, ObjectFormatException, RefFormatError
from dulwich.pack import UnresolvedDeltas

from ..errors import Corrupt, MissingObject, PermissionDenied, Unreadable

#: the errors that dulwich raises for data that is not what it claims to be
BROKEN = (
    ApplyDeltaError, AssertionError, ChecksumMismatch, EOFError, FileFormatException, UnresolvedDeltas, ValueError,
    zlib.error,
)  # fmt: skip


class ReadOnly(PermissionDenied, PermissionError):
    """Raised by every method that would write to a jailed repository. It is also a `PermissionError`, which dulwich's
    tools know."""

    code = "permission_denied"
    remedy = "A jailed repository is only read: write to another one (dulwich's MemoryRepo, or a clone)."


def refuse(deed: str) -> ReadOnly:
    """The error for a method (`what`) that would write."""
    return ReadOnly(f"cannot {deed}: the repository is open for reading only", deed=deed)


@contextmanager
def from_dulwich(what: str) -> Iterator[None]:
    """Raise our errors in place of dulwich's: `Corrupt` for broken data, `Unreadable` for a failed read of the system.

    KeyError is passed on: only the caller knows what a missing item means.
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
    """Raise dulwich's errors in place of ours: `KeyError` for a missing object, `ObjectFormatException` for a broken
    one."""
    try:
        yield
    except MissingObject:
        raise KeyError(name) from None
    except Corrupt as error:
        raise ObjectFormatException(error.message) from error


__all__ = ["BROKEN", "ReadOnly", "RefFormatError", "from_dulwich", "refuse", "to_dulwich"]

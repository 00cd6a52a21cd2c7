"""Stateless cursors: the place where an answer was cut, encoded in a word that the next call passes back.

A cursor holds a digest of the request, a digest of the objects that the answer was made of, the place, and a checksum;
and the moment of the first call if the request depends on time, so that "2 weeks ago" keeps its meaning. Otherwise
equal calls get equal cursors. The content of an answer never depends on data in a cursor: totals are counted again.
Nothing is stored on our side: a cursor works after a restart, and in another process. The checksum detects mistakes,
not attacks: all a forged cursor can do is start the same answer at another place.
"""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..deferred import deferred
from ..errors import GitError, InvalidArgs

if TYPE_CHECKING:
    from hashlib import sha256
else:
    sha256 = deferred(__name__, "hashlib", "sha256")  # loads OpenSSL

__all__ = ["Cursor", "StaleCursor", "depends_on_time", "digest", "open_cursor", "request_digest"]

_VERSION = 2
_DIGEST = 6
_CHECK = 3


class StaleCursor(GitError):
    """The objects that the answer was made of have changed since its first page."""

    code = "stale_cursor"


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in an answer: `unit` items from its start, and `offset` bytes into the next one.

    `now` is the moment of the first call in epoch seconds, or 0 if the request does not depend on it.
    """

    now: int
    request: bytes
    state: bytes
    unit: int
    offset: int

    def seal(self) -> str:
        """The cursor as a word: base64url without padding."""
        raw = bytes([_VERSION]) + self.now.to_bytes(5, "big") + self.request + self.state
        raw += _number(self.unit) + _number(self.offset)
        return urlsafe_b64encode(raw + sha256(raw).digest()[:_CHECK]).rstrip(b"=").decode()


def open_cursor(word: str, request: bytes) -> Cursor:
    """The cursor of a word. Raises InvalidArgs if it is damaged or belongs to another request."""
    hint = "Pass next_cursor of the last answer as it is, with the same arguments; or leave it out to start again."
    try:
        raw = urlsafe_b64decode(word.encode("ascii") + b"=" * (-len(word) % 4))
        sealed, check = raw[:-_CHECK], raw[-_CHECK:]
        if len(raw) > 64 or sha256(sealed).digest()[:_CHECK] != check or sealed[0] != _VERSION:
            raise ValueError
        at = 6 + 2 * _DIGEST
        unit, at = _read_number(sealed, at)
        offset, at = _read_number(sealed, at)
        if at != len(sealed):
            raise ValueError
    except (ValueError, IndexError, binascii.Error, UnicodeError):
        raise InvalidArgs("cursor: not a cursor of gitglass", hint=hint) from None
    cursor = Cursor(
        int.from_bytes(sealed[1:6], "big"),
        sealed[6 : 6 + _DIGEST],
        sealed[6 + _DIGEST : 6 + 2 * _DIGEST],
        unit,
        offset,
    )
    if cursor.request != request:
        raise InvalidArgs("cursor: it belongs to a request with other arguments", hint=hint)
    return cursor


def depends_on_time(arguments: dict[str, Any]) -> bool:
    """Whether a request has another meaning at another moment: it has a date, or a revision `name@{date}`."""
    dated = any(arguments.get(name) for name in ("since", "until"))
    return dated or any(isinstance(value, str) and "@{" in value for value in arguments.values())


def digest(*parts: bytes) -> bytes:
    """A short digest of the data that an answer depends on."""
    mix = sha256()
    for part in parts:
        mix.update(len(part).to_bytes(8, "big"))
        mix.update(part)
    return mix.digest()[:_DIGEST]


def request_digest(tool: str, repository: bytes, arguments: dict[str, Any]) -> bytes:
    """The digest of a request: the tool, the repository and the arguments, except the size of a page."""
    asked = {key: value for key, value in arguments.items() if key not in ("cursor", "max_bytes", "max_count", "repo")}
    text = json.dumps(asked, sort_keys=True, default=str, ensure_ascii=True)
    return digest(tool.encode(), repository, text.encode())


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_number(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError

"""Which settings of `section.<url>.key` apply to a URL (git-config(1), --get-urlmatch).

A setting's URL matches if scheme, host and port are the same, its path is the URL's or one of the directories above it,
and its user, if it names one, is the URL's. A `*` in place of a part of the host name stands for any one part. Of
several matches, the longest host wins, then the longest path, then one with the user.
"""

from __future__ import annotations

import re

from ..errors import BadRequest, GitError
from ..records import record

_URL = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)", re.DOTALL)
_PORTS = {b"http": b"80", b"https": b"443"}
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

Rank = tuple[int, int, bool]


@record
class Url:
    """A URL in normalized form."""

    scheme: bytes
    user: bytes
    host: list[bytes]
    port: bytes
    path: bytes


def parse_url(text: bytes) -> Url:
    """Parse a URL. Raises GitError with git's message for an invalid one."""
    match = _URL.fullmatch(text)
    if match is None:
        raise BadRequest("invalid URL scheme name or missing '://' suffix")
    scheme, authority, rest = match[1].lower(), match[2], match[3]
    user, at, host = authority.rpartition(b"@")
    host, _, port = host.lower().rpartition(b":") if re.search(rb":[0-9]*\Z", host) else (host.lower(), b"", b"")
    if not host and scheme != b"file":
        raise BadRequest("missing host and scheme is not 'file:'")
    if port == _PORTS.get(scheme):
        port = b""
    name = _spelled(user.partition(b":")[0]) if at else b""
    return Url(scheme, name, host.split(b"."), port, _path(re.split(rb"[?#]", rest)[0], rest))


def _path(path: bytes, rest: bytes) -> bytes:
    if path != rest:
        return _spelled(rest)
    parts: list[bytes] = []
    for part in _spelled(path).split(b"/"):
        if part == b"..":
            if len(parts) < 2:
                raise BadRequest("invalid '..' path segment")
            parts.pop()
        elif part != b".":
            parts.append(part)
    return b"/".join(parts) or b"/"


def _spelled(text: bytes) -> bytes:
    """A part with escapes only where they are needed, in upper case."""

    def one(escape: re.Match[bytes]) -> bytes:
        byte = int(escape[1], 16)
        return bytes((byte,)) if byte in _PLAIN else b"%" + escape[1].upper()

    return re.sub(rb"%([0-9A-Fa-f]{2})", one, text)


def rank(pattern: bytes, url: Url) -> Rank | None:
    """How well a setting's URL matches; None if it does not."""
    try:
        want = parse_url(pattern)
    except GitError:
        return None
    if (want.scheme, want.port) != (url.scheme, url.port) or len(want.host) != len(url.host):
        return None
    if any(part not in (b"*", have) for part, have in zip(want.host, url.host, strict=True)):
        return None
    if want.user and want.user != url.user:
        return None
    folder = want.path.rstrip(b"/") + b"/"
    if not (url.path.rstrip(b"/") + b"/").startswith(folder):
        return None
    return len(b".".join(want.host)), len(folder), bool(want.user)

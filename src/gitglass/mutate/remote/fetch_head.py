"""`FETCH_HEAD`: what the last fetch brought, and what a pull merges of it. Mirrors git-fetch(1), "FETCH_HEAD"."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import BadRequest
from .ref_map import HEADS, MERGE, NOT_FOR_MERGE, REMOTES, TAGS, Fetched


def kind_and_name(name: bytes) -> tuple[bytes, bytes]:
    """(what a ref is, its name) as `FETCH_HEAD` and a merge's message have them; nothing for HEAD."""
    if name == b"HEAD":
        return b"", b""
    for front, kind in ((HEADS, b"branch"), (TAGS, b"tag"), (REMOTES, b"remote-tracking branch")):
        if name.startswith(front):
            return kind, name[len(front) :]
    return b"", name


def short_url(url: bytes) -> bytes:
    """An address as it is shown: without slashes and `.git` at its end."""
    url = url.rstrip(b"/") or url
    return url[:-4] if len(url) > 5 and url.endswith(b".git") else url


def described(name: bytes, url: bytes) -> bytes:
    """`branch 'main' of URL`."""
    kind, what = kind_and_name(name)
    note = (kind + b" " if kind else b"") + b"'%b' of " % what if what else b""
    return note + short_url(url)


def fetch_head(rows: Iterable[Fetched], url: bytes, commits: dict[bytes, bytes]) -> bytes:
    """The file's bytes. `commits` are what the refs' objects stand for as commits; without one a ref is not merged."""
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    for row in rows:
        if row.status == MERGE and row.oid in commits:
            parts[0].append(b"%b\t\t%b\n" % (row.oid.hex().encode(), described(row.name, url)))
        elif row.status in (MERGE, NOT_FOR_MERGE):
            parts[1].append(b"%b\t%b\t%b\n" % (row.oid.hex().encode(), b"not-for-merge", described(row.name, url)))
    return b"".join(parts[0] + parts[1])


def for_merge(content: bytes | None) -> list[tuple[bytes, bytes]]:
    """(object, what a message says of it) of the lines of such a file that a merge is about; of this repository itself
    is not said. Raises BadRequest in git's words where there is no file."""
    if content is None:
        raise BadRequest("could not open '.git/FETCH_HEAD' for reading: No such file or directory")
    rows = [line.split(b"\t", 2) for line in content.splitlines()]
    merged = [row for row in rows if len(row) == 3 and not row[1]]
    return [(bytes.fromhex(row[0].decode()), row[2].removesuffix(b" of .")) for row in merged]

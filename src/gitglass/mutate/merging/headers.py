"""Headers of a new commit beside those that every commit has: what git keeps of a commit that is amended, and the
signed tags that were merged (`mergetag`, gitformat-signature(5)). They stand after `encoding`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...limits import lines_in
from ...objects.parsed import Tag
from ...render.refs.text import signature_start

_NOT_KEPT = frozenset((b"tree", b"parent", b"author", b"committer", b"encoding", b"gpgsig", b"gpgsig-sha256"))


def kept_headers(head: bytes) -> bytes:
    """Of the headers of a commit (its bytes up to the message), those that an amended one has as well: all but the
    usual ones, and signatures, which are of the old one."""
    lines: list[bytes] = []
    kept = False
    for line in lines_in(head):
        if not line:
            break
        if not line.startswith(b" "):
            kept = line.partition(b" ")[0] not in _NOT_KEPT
        if kept:
            lines.append(line + b"\n")
    return b"".join(lines)


def merged_tags(tags: Iterable[Tag]) -> bytes:
    """The header of each signed tag that is merged: the whole tag."""
    headers: list[bytes] = []
    for tag in tags:
        if signature_start(tag.raw) < len(tag.raw):
            headers.append(b"mergetag" + b"".join(b" %b\n" % line for line in lines_in(tag.raw.removesuffix(b"\n"))))
    return b"".join(headers)

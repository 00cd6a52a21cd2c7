"""Replaced objects and parents: replace refs, grafts, and the boundary of a shallow clone.

A replacement is read in place of an object everywhere (`git replace`); a graft or shallow line gives a commit other
parents than it names. Both are read from small files and are plain lookups afterwards.
"""

from collections.abc import Callable, Iterable

from ..errors import Corrupt, text
from ..limits import lines_in, pause

_ADVICE = """\
hint: Support for <GIT_DIR>/info/grafts is deprecated
hint: and will be removed in a future Git version.
hint: 
hint: Please use "git replace --convert-graft-file"
hint: to convert the grafts into replace refs.
hint: 
hint: Turn this message off by running
hint: "git config advice.graftFileDeprecated false\""""
_DEPTH = 5  # the longest chain of replacements that git follows


def replacements(
    refs: Iterable[tuple[bytes, bytes]], hash_len: int, complain: Callable[[str], None]
) -> dict[bytes, bytes]:
    """{original: replacement} from (name, oid) of the refs below `refs/replace/`, chains followed.

    An original whose chain is longer than that has b"" there, so that reading it is an error. Names are given without
    their common prefix. A name that does not end in an object id gets a warning. Raises Corrupt for two refs that
    replace one object.
    """
    table: dict[bytes, bytes] = {}
    for name, oid in refs:
        pause()
        digits = name.rpartition(b"/")[2]
        try:
            original = bytes.fromhex(digits.decode("ascii")) if len(digits) == 2 * hash_len else b""
        except ValueError:
            original = b""
        if len(original) != hash_len:
            complain(f"warning: bad replace ref name: {text(name)}")
            continue
        if original in table:
            raise Corrupt(f"duplicate replace ref: {text(name)}", oid=original.hex())
        table[original] = oid
    return {original: _last(table, original) for original in table}


def _last(table: dict[bytes, bytes], oid: bytes) -> bytes:
    for _ in range(_DEPTH):
        if oid not in table:
            return oid
        oid = table[oid]
    return b""


def grafts_advice() -> str:
    """What git says of a repository that has grafts."""
    return _ADVICE


def parse_grafts(data: bytes, hash_len: int, complain: Callable[[str], None]) -> dict[bytes, tuple[bytes, ...]]:
    """{commit: parents} of an `info/grafts` file: names with one blank between them, nothing else. Of two lines for a
    commit the first counts. `complain` is told of lines that do not."""
    grafts: dict[bytes, tuple[bytes, ...]] = {}
    width = 2 * hash_len
    for line in map(bytes.rstrip, lines_in(data)):
        if not line or line.startswith(b"#"):
            continue
        starts = range(0, len(line) + 1, width + 1)
        try:
            oids = [bytes.fromhex(line[start : start + width].decode("ascii")) for start in starts]
        except ValueError:
            oids = []
        parted = all(line[start - 1 : start].isspace() for start in starts[1:])
        if not parted or not oids or any(len(oid) != hash_len for oid in oids):
            complain(f"error: bad graft data: {text(line)}")
        elif oids[0] in grafts:
            complain(f"error: duplicate graft data: {text(line)}")
        else:
            grafts[oids[0]] = tuple(oids[1:])
    return grafts


def parse_shallow(data: bytes, hash_len: int) -> frozenset[bytes]:
    """The commits of a `shallow` file, whose parents were not fetched; raises `Corrupt`, with git's message, for a bad
    line, an empty one included."""
    *lines, rest = lines_in(data)
    ended = len(lines)
    if rest:
        lines.append(rest)
    oids = set()
    for at, line in enumerate(lines):
        try:
            oid = bytes.fromhex(line[: 2 * hash_len].decode("ascii"))
        except ValueError:
            oid = b""
        if len(oid) != hash_len:
            end = "\n" if at < ended else ""  # git shows the line with its end
            raise Corrupt(f"bad shallow line: {text(line[:1023])}{end}")
        oids.add(oid)
    return frozenset(oids)

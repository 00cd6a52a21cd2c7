"""Which objects a walk shows: the grammar of `--filter=<spec>` of git-rev-list(1), and the decision of each filter.

    spec     = "blob:none" | "blob:limit=" size | "tree:" depth | "object:type=" kind | "combine:" spec { "+" spec }
    size     = number [ "k" | "m" | "g" ]            depth = size
    kind     = "commit" | "tree" | "blob" | "tag"

The parts of a combination are percent-encoded. Several --filter are a combination too. A filter is called with each
object that the walk meets, with a tree when it begins and when it ends. It returns bits: MARK (the object need not be
met again), SHOW, and SKIP (the tree is not descended into).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from ...annotations import Protocol
from ...errors import BadRequest, MissingObject, Unsupported, text
from ...objects.database import Odb
from .git_order import OidSet

MARK, SHOW, SKIP = 1, 2, 4
COMMIT, TAG, TREE, TREE_END, BLOB = "commit", "tag", "tree", "end", "blob"

_RESERVED = frozenset(b"~`!@#$^&*()[]{}\\;'\",<>?") | frozenset(range(33))
_NUMBER = re.compile(rb"\s*\+?(0[xX][0-9a-fA-F]+|[0-9]+)([kKmMgG]?)")
_UNITS = {b"": 0, b"k": 10, b"m": 20, b"g": 30}


class ObjectFilter(Protocol):
    """A filter of objects."""

    @property
    def shows_commits(self) -> bool:
        """Whether every commit is shown."""

    def __call__(self, what: str, oid: bytes) -> int:
        """The bits for an object that the walk meets."""

    def finish(self) -> None:
        """The walk is over: complete `omitted`."""


class Blobs:
    """`blob:none` (limit 0) and `blob:limit=<n>`: no blobs, or none of that many bytes."""

    __slots__ = ("_limit", "_odb", "_omitted")
    shows_commits = True

    def __init__(self, odb: Odb, limit: int | None, omitted: OidSet | None) -> None:
        self._odb, self._limit, self._omitted = odb, limit, omitted

    def __call__(self, what: str, oid: bytes) -> int:
        if what == TREE_END:
            return 0
        if what != BLOB:
            return MARK | SHOW
        if self._limit is not None and self._size(oid) < self._limit:
            if self._omitted is not None:
                self._omitted.discard(oid)
            return MARK | SHOW
        if self._omitted is not None:
            self._omitted.add(oid)
        return MARK

    def _size(self, oid: bytes) -> int:
        try:
            return self._odb.kind_size(oid)[1]
        except MissingObject:
            return -1  # a missing object is not too large

    def finish(self) -> None:
        pass


class Depth:
    """`tree:<n>`: only objects less than n levels below a root. A tree is descended into again if it is met higher
    up."""

    __slots__ = ("_depth", "_least", "_limit", "_omitted")
    shows_commits = True

    def __init__(self, limit: int, omitted: OidSet | None) -> None:
        self._limit, self._omitted = limit, omitted
        self._depth = 0
        self._least: dict[bytes, int] = {}

    def __call__(self, what: str, oid: bytes) -> int:
        if what in (COMMIT, TAG):
            return MARK | SHOW
        if what == TREE_END:
            self._depth -= 1
            return 0
        within = self._depth < self._limit
        if what == BLOB:
            self._note(oid, within)
            return MARK | SHOW if within else 0
        least = self._least.get(oid)
        if least is not None and self._depth >= least:
            answer = SKIP
        else:
            noted = self._note(oid, within)
            self._least[oid] = self._depth
            # once: the objects below the tree are omitted, too
            answer = SHOW if within else 0 if self._omitted is not None and not noted else SKIP
        self._depth += 1
        return answer

    def _note(self, oid: bytes, within: bool) -> bool:
        if self._omitted is None:
            return False
        return self._omitted.discard(oid) if within else self._omitted.add(oid)

    def finish(self) -> None:
        pass


class Kind:
    """`object:type=<kind>`: only objects of one type."""

    __slots__ = ("_kind", "shows_commits")

    def __init__(self, kind: str) -> None:
        self._kind, self.shows_commits = kind, kind == COMMIT

    def __call__(self, what: str, oid: bytes) -> int:
        if what == TREE_END:
            return 0
        if what == TREE and self._kind in (COMMIT, TAG):
            return SKIP
        return MARK | SHOW if what == self._kind else MARK

    def finish(self) -> None:
        pass


class _Part:
    """One filter of a combination: the objects it need not see again, and the tree that it skips."""

    __slots__ = ("filter", "omitted", "seen", "skipped")

    def __init__(self, made: ObjectFilter, omitted: OidSet | None) -> None:
        self.filter, self.omitted = made, omitted
        self.seen: set[bytes] = set()
        self.skipped: bytes | None = None

    def __call__(self, what: str, oid: bytes) -> int:
        if self.skipped is not None:
            if what != TREE_END or oid != self.skipped:
                return 0
            self.skipped = None
        if oid in self.seen:
            return 0
        answer = self.filter(what, oid)
        if answer & MARK:
            self.seen.add(oid)
        if answer & SKIP:
            self.skipped = oid
        return answer


class Combined:
    """`combine:`: only the objects that every part shows."""

    __slots__ = ("_omitted", "_parts", "shows_commits")

    def __init__(self, parts: list[_Part], omitted: OidSet | None) -> None:
        self._parts, self._omitted = parts, omitted
        self.shows_commits = all(part.filter.shows_commits for part in parts)

    def __call__(self, what: str, oid: bytes) -> int:
        answer = MARK | SHOW | SKIP
        for part in self._parts:
            one = part(what, oid)
            answer &= one | SKIP
            if part.skipped is None:
                answer &= ~SKIP
        return answer

    def finish(self) -> None:
        for part in self._parts:
            part.filter.finish()
            if self._omitted is not None and part.omitted is not None:
                self._omitted.update(part.omitted)


# -------------------------------------------------------------------------------------------------- the grammar
Spec = tuple[str, object]


def parse_filters(words: Sequence[bytes]) -> Spec | None:
    """The filters of all --filter options together. Raises BadRequest with git's message."""
    specs = [_parse(word) for word in words]
    return None if not specs else specs[0] if len(specs) == 1 else ("combine", specs)


def _parse(word: bytes) -> Spec:
    name, _, value = word.partition(b":")
    if word == b"blob:none":
        return "blobs", None
    if word.startswith(b"blob:limit="):
        limit = _number(value[6:])
        if limit is not None:
            return "blobs", limit
    elif name == b"tree" and b":" in word:
        depth = _number(value)
        if depth is None:
            raise BadRequest("expected 'tree:<depth>'")
        return "depth", depth
    elif word.startswith(b"object:type="):
        if value[5:] not in (b"commit", b"tree", b"blob", b"tag"):
            raise BadRequest(f"'{text(value[5:])}' for 'object:type=<type>' is not a valid object type")
        return "kind", value[5:].decode()
    elif word.startswith(b"sparse:path="):
        raise BadRequest("sparse:path filters support has been dropped")
    elif word.startswith(b"sparse:oid="):
        raise Unsupported(
            "gitglass rev-list does not take --filter=sparse:oid: it is not implemented",
            status=129,
            prefix="error",
            option="--filter",
        )
    elif word.startswith(b"combine:"):
        return _combination(value)
    raise BadRequest(f"invalid filter-spec '{text(word)}'")


def _combination(value: bytes) -> Spec:
    if not value:
        raise BadRequest("expected something after combine:")
    parts = value.split(b"+")
    if not parts[-1]:  # git takes a trailing plus as part of the spec before it
        parts[-2:] = [parts[-2] + b"+"]
    specs = []
    for part in parts:
        bad = next((char for char in part if char in _RESERVED), None)
        if bad is not None:
            raise BadRequest(f"must escape char in sub-filter-spec: '{chr(bad)}'")
        specs.append(_parse(unquote_to_bytes(part)))
    return "combine", specs


def _number(word: bytes) -> int | None:
    """A number in git's format for sizes: also octal and hexadecimal, with a unit."""
    match = _NUMBER.fullmatch(word)
    if match is None:
        return None
    digits, unit = match[1], match[2].lower()
    try:
        base = 16 if digits[:2].lower() == b"0x" else 8 if digits[:1] == b"0" else 10
        number = int(digits, base) << _UNITS[unit]
    except ValueError:
        return None
    return number if number < 1 << 64 else None


def make_filter(spec: Spec, odb: Odb, omitted: OidSet | None) -> ObjectFilter:
    """The filter of a spec; it puts the objects it leaves out in `omitted`, unless that is None."""
    name, value = spec
    if name == "combine" and isinstance(value, list):
        parts = []
        for one in value:
            own = None if omitted is None else OidSet(0)
            parts.append(_Part(make_filter(one, odb, own), own))
        return Combined(parts, omitted)
    if name == "kind":
        return Kind(str(value))
    limit = value if isinstance(value, int) else None
    return Blobs(odb, limit, omitted) if name == "blobs" else Depth(limit or 0, omitted)

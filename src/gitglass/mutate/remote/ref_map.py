"""Which refs of another repository are fetched, where each is put here, and what `FETCH_HEAD` says of it.

Mirrors git-fetch(1): "CONFIGURED REMOTE-TRACKING BRANCHES", "--tags", "--prune".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import BadRequest, text
from ...records import record
from ...refs.names import candidates
from ...refs.refspecs import Refspec, is_left_out, turned
from .listing import Listing

MERGE, NOT_FOR_MERGE, UNLISTED = "merge", "not-for-merge", ""
HEADS, TAGS, REMOTES = b"refs/heads/", b"refs/tags/", b"refs/remotes/"
ALL_TAGS = Refspec(b"refs/tags/*", b"refs/tags/*", pattern=True)


@record
class Fetched:
    """One ref that is fetched: its name there and its object; the ref it is put at here, b"" for none."""

    name: bytes
    oid: bytes
    local: bytes = b""
    force: bool = False
    status: str = NOT_FOR_MERGE


def matched(spec: Refspec, listing: Listing, *, optional: bool = False) -> list[Fetched]:
    """The refs that one refspec fetches. Raises BadRequest in git's words for a single ref that is not there."""
    if spec.negative:
        return []
    if spec.pattern:
        return [
            Fetched(name, oid, spec.mapped(name) or b"", spec.force)
            for name, oid in listing.refs.items()
            if name != b"HEAD" and spec.takes(name)
        ]
    if spec.exact:
        oid = bytes.fromhex(spec.source.decode())
        return [Fetched(spec.source, oid, full_name(spec.target, b""), spec.force)]
    word = spec.source or b"HEAD"
    name = named(listing.refs, word)
    if name is None:
        if optional:
            return []
        raise BadRequest(f"couldn't find remote ref {text(word)}")
    return [Fetched(name, listing.refs[name], full_name(spec.target, name), spec.force)]


def named(refs: Iterable[bytes], word: bytes) -> bytes | None:
    """The full name there that a word stands for, by git's rules of short names; None for none."""
    there = set(refs)
    return next((name for name in candidates(word) if name in there), None)


def full_name(target: bytes | None, source: bytes) -> bytes:
    """The ref here that the right side of a refspec names: as it is, or below the directory that fits the source."""
    if not target:
        return b""
    if target.startswith(b"refs/"):
        return target
    if target.startswith((b"heads/", b"tags/", b"remotes/")):
        return b"refs/" + target
    return (TAGS if source.startswith(TAGS) else HEADS) + target


def without_doubles(rows: list[Fetched]) -> list[Fetched]:
    """The refs, each place here once. Raises BadRequest where two refs would be put at one."""
    by_local: dict[bytes, Fetched] = {}
    kept: list[Fetched] = []
    for row in rows:
        other = by_local.get(row.local) if row.local else None
        if other is None:
            kept.append(row)
            by_local[row.local] = row
        elif other.name != row.name:
            both = f"{text(other.name)} and {text(row.name)}"
            raise BadRequest(f"Cannot fetch both {both} to {text(row.local)}")
        elif UNLISTED not in (row.status, other.status) and row.status == MERGE:
            other.status = MERGE
    return kept


def default_map(specs: Sequence[Refspec], listing: Listing, merges: Sequence[bytes]) -> list[Fetched]:
    """What is fetched where nothing is named on the command line: by the remote's refspecs, and what the branch
    merges."""
    rows: list[Fetched] = []
    for number, spec in enumerate(specs):
        mine = matched(spec, listing)
        if not number and not merges and mine and not spec.pattern:
            mine[0].status = MERGE
        rows += mine
    rows = [row for row in rows if not is_left_out(specs, row.name)]
    for word in merges:
        name = named(listing.refs, word)
        own = [row for row in rows if row.name == name]
        for row in own[:1]:  # which refspecs may put at several places
            row.status = MERGE
        if name is not None and not own:
            rows.append(Fetched(name, listing.refs[name], status=MERGE))
    return rows


def asked_map(asked: Sequence[Refspec], specs: Sequence[Refspec], listing: Listing) -> list[Fetched]:
    """What refspecs of a command line fetch; what the remote's own refspecs say of these refs is kept up to date,
    too."""
    rows: list[Fetched] = []
    for spec in asked:
        rows += matched(spec, listing)
    rows = [row for row in rows if not is_left_out(asked, row.name)]
    for row in rows:
        row.status = MERGE
    also: list[Fetched] = []
    for row in rows:
        for spec in specs:
            local = None if spec.negative or is_left_out(specs, row.name) else _tracked(spec, row.name)
            if local:
                also.append(Fetched(row.name, row.oid, local, spec.force, UNLISTED))
    return rows + also


def _tracked(spec: Refspec, name: bytes) -> bytes | None:
    if spec.pattern:
        return spec.mapped(name)
    return full_name(spec.target, name) if name in candidates(spec.source) else None


def followed_tags(listing: Listing, fetched: set[bytes], local: set[bytes], here: set[bytes]) -> list[Fetched]:
    """The tags that come along: not here yet, and what they stand for is `here`, or is fetched."""
    rows = []
    for name, oid in listing.refs.items():
        if name.startswith(TAGS) and name not in local:
            target = listing.peeled.get(name, oid)
            if oid in here or target in here or target in fetched:
                rows.append(Fetched(name, oid, name))
    return rows


def stale(specs: Sequence[Refspec], listing: Listing, local: Iterable[bytes]) -> list[bytes]:
    """The refs here that were put by these refspecs, and whose refs there are gone."""
    gone = []
    for name in local:
        sources = [source for source in turned(specs, name) if not is_left_out(specs, source)]
        if sources and not any(named(listing.refs, source) for source in sources):
            gone.append(name)
    return sorted(gone)


def pretty(name: bytes) -> bytes:
    """A ref as it is shown: without the directory that says what it is."""
    for front in (HEADS, TAGS, REMOTES):
        if name.startswith(front):
            return name[len(front) :]
    return name

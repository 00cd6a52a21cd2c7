"""Refs: names that point at objects, or at other names.

One front (`Refs`) over two back ends: `reffiles` and `reftable`. Mirrors gitrepository-layout(5), "refs", and
git-worktree(1), "REFS".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..disk.jail import Jail
from ..limits import paced, slices
from ..records import record
from .files import FilesBackend, Row
from .names import PLAIN, RULES, Raw, all_well_formed, candidates, check_refname, is_per_worktree, is_pseudo, shorten

if TYPE_CHECKING:
    from typing import Protocol

    from .reftable import ReftableBackend

    class RefSource(Protocol):
        """Where refs are kept: as files, in a reftable, or in a store of another library (see `ObjectSource`)."""

        def raw(self, name: bytes) -> Raw | None:
            """The ref itself, or None when there is none."""

        def raws(self, names: Sequence[bytes]) -> Mapping[bytes, Raw | None]:
            """`raw` of several names, most of them expected to be missing, by name in their order."""

        def refresh(self) -> None:
            """A new command begins."""

        def listing(self, prefix: bytes) -> list[Row]:
            """(name, oid, target) of every ref whose name starts so, sorted by name; broken ones have neither."""

        def peels(self) -> Mapping[bytes, bytes | None]:
            """What tags finally point at, by oid, as far as that is kept beside the refs; None for what is no tag."""

        def log(self, name: bytes) -> list[bytes] | None:
            """The lines of a ref's log, oldest first, as a log file has them; None when it has none."""

        def logs(self) -> list[bytes]:
            """The names of all refs that have a log, sorted."""

        def is_packed(self, name: bytes) -> bool:
            """Whether a ref is only found in packed-refs."""

        def outside(self) -> set[bytes] | None:
            """First parts of the names that refs outside of `refs/` could have; None: ask for each."""

else:
    ReftableBackend = deferred(__name__, ".reftable", "ReftableBackend")


__all__ = [
    "RULES", "Ref", "Refs", "Resolved", "Row", "candidates", "check_refname", "is_per_worktree", "is_pseudo",
    "open_refs", "shorten",
]  # fmt: skip

MAX_DEPTH = 5
_NAME, _OID = itemgetter(0), itemgetter(1)


@record
class Ref:
    """One ref of a listing. `oid` is what it leads to; `target` the next name of a symbolic one.

    `broken`: its content is no ref (or all zeros). `bad_name`: its name is not well formed. A symbolic ref that leads
    nowhere has a target, no oid, and is not broken.
    """

    name: bytes
    oid: bytes | None
    target: bytes | None = None
    broken: bool = False
    bad_name: bool = False


@record
class Resolved:
    """Where a name led: the final name, its oid, whether a symbolic ref was passed, whether the end is broken."""

    name: bytes
    oid: bytes | None
    symbolic: bool
    broken: bool


class Refs:
    """The refs of one repository, as seen from one work tree. Names are full (`refs/heads/main`, `HEAD`)."""

    __slots__ = ("_null", "_peel", "backend", "hash_len")

    def __init__(self, backend: RefSource, hash_len: int, peel: Callable[[bytes], bytes | None] | None = None) -> None:
        self.backend = backend
        self.hash_len = hash_len
        self._peel = peel
        self._null = bytes(hash_len)

    def lookup(self, name: bytes) -> Resolved:
        """Follow a name to its end; at most five names are read. Never raises for a ref that is missing or broken."""
        return self._follow(name, None)

    def lookup_each(self, names: Sequence[bytes]) -> list[tuple[bytes, Resolved]]:
        """`lookup` of several well-formed names, most of them expected to be missing: (name, where it leads) of those
        that are there, in their order."""
        raws = self.backend.raws(names)
        return [(name, self._follow(name, raw)) for name, raw in raws.items() if raw is not None]

    def _follow(self, name: bytes, raw: Raw | None) -> Resolved:
        """Where a name leads; `raw` is what it says itself, where that is known."""
        symbolic = False
        for _ in range(MAX_DEPTH):
            if raw is None and not PLAIN.fullmatch(name) and not check_refname(name, onelevel=True):
                return Resolved(name, None, symbolic, True)
            if raw is None:
                raw = self.backend.raw(name)
                if raw is None:
                    return Resolved(name, None, symbolic, False)
            if raw.target is None:
                return Resolved(name, raw.oid, symbolic, raw.oid is None)
            name, symbolic, raw = raw.target, True, None
        return Resolved(name, None, symbolic, True)

    def read(self, name: bytes) -> bytes | None:
        """The oid that a name leads to, or None."""
        return self.lookup(name).oid

    def resolve(self, name: bytes) -> tuple[bytes, bytes | None]:
        """(final name, oid or None): for an unborn branch the name that would be born."""
        ref = self.lookup(name)
        return ref.name, ref.oid

    def symref(self, name: bytes) -> bytes | None:
        """The name that a symbolic ref stands for, one step; None for any other."""
        raw = self.backend.raw(name) if check_refname(name, onelevel=True) else None
        return raw.target if raw is not None else None

    def head(self) -> tuple[bytes | None, bytes | None]:
        """(full name of the current branch, its oid): no name when detached, no oid when unborn."""
        ref = self.lookup(b"HEAD")
        return (ref.name if ref.symbolic else None), ref.oid

    def exists(self, name: bytes) -> bool:
        """Whether a ref of this very name is there and leads somewhere."""
        return self.lookup(name).oid is not None

    def plain(self, prefix: bytes = b"refs/") -> tuple[list[Row], bool]:
        """(name, oid, target) of every ref whose name starts so, sorted; and whether all names are well formed.

        What `entries` says with less made: a target is not followed, a broken ref has neither.
        """
        rows = self.backend.listing(prefix)
        return rows, _all_well_formed(rows)

    def entries(self, prefix: bytes = b"refs/") -> list[Ref]:
        """Every ref whose name starts so, sorted, broken and dangling ones included."""
        rows = self.backend.listing(prefix)
        if _all_well_formed(rows):
            return [
                Ref(name, oid)
                if target is None and oid is not None and oid != self._null
                else self._odd(name, oid, target)
                for name, oid, target in paced(rows)
            ]
        return [self._odd(*row) for row in paced(rows)]

    def _odd(self, name: bytes, oid: bytes | None, target: bytes | None) -> Ref:
        """An entry that needs a second look."""
        bad_name = not check_refname(name)
        if target is not None:
            oid = self._follow(name, Raw(None, target)).oid
        broken = bad_name or (target is None and (oid is None or oid == self._null))
        return Ref(name, None if broken else oid, target, broken, bad_name)

    def iterate(self, prefix: bytes = b"refs/") -> Iterator[tuple[bytes, bytes]]:
        """(name, oid) of the refs whose names start so and that lead somewhere, sorted by name."""
        rows = self.backend.listing(prefix)
        if not rows:
            return iter(())
        well_formed = _all_well_formed(rows)
        if well_formed and all(self._all_lead(part) for part in slices(rows)):
            return zip(map(_NAME, paced(rows)), map(_OID, rows))
        return self._leading(rows, well_formed)

    def _all_lead(self, rows: list[Row]) -> bool:
        """Whether each of these refs has an object's name itself."""
        oids = list(map(_OID, rows))
        return None not in oids and self._null not in oids

    def _leading(self, rows: list[Row], well_formed: bool) -> Iterator[tuple[bytes, bytes]]:
        null = self._null
        for name, oid, target in paced(rows):
            if target is not None:
                oid = self._follow(name, Raw(None, target)).oid
            if oid is not None and oid != null and (well_formed or check_refname(name)):
                yield name, oid

    def peeled(self, name: bytes, oid: bytes) -> bytes | None:
        """What an annotated tag finally points at; None when the ref points at something else than a tag."""
        peels = self.backend.peels()
        if oid in peels:
            return peels[oid]
        return None if self._peel is None else self._peel(oid)

    def peels(self) -> Mapping[bytes, bytes | None]:
        """`peeled` by oid, of those that no object has to be read for."""
        return self.backend.peels()

    def is_packed(self, name: bytes) -> bool:
        """Whether an existing ref has no file of its own (`%(flag)`)."""
        return self.backend.is_packed(name)

    def shortener(self, strict: bool) -> Callable[[bytes], bytes]:
        """`shorten` for many names at once: the names of all refs are listed once, not looked for one by one."""
        names = {row[0] for row in paced(self.backend.listing(b"refs/"))}
        others: dict[bytes, bool] = {}
        outside = self.backend.outside()

        def exists(name: bytes) -> bool:
            if name.startswith(b"refs/"):
                return name in names
            if outside is not None and name.partition(b"/")[0] not in outside:
                return False
            taken = others.get(name)
            if taken is None:
                taken = others[name] = self.exists(name)
            return taken

        return lambda name: shorten(name, exists, strict)


def _all_well_formed(rows: list[Row]) -> bool:
    """Whether the names of all rows are well formed."""
    return all(all_well_formed(list(map(_NAME, part))) for part in slices(rows))


def open_refs(
    jail: Jail,
    git_dir: bytes,
    common_dir: bytes,
    hash_len: int,
    *,
    reftable: bool = False,
    peel: Callable[[bytes], bytes | None] | None = None,
    head: bytes | None = None,
) -> Refs:
    """The refs of a repository (`reftable`: extensions.refStorage). `peel` follows a tag object to its end.

    `head` is the file HEAD, read just now: it holds until the first `refresh`.
    """
    if reftable:
        return Refs(ReftableBackend(jail, git_dir, common_dir, hash_len), hash_len, peel)
    return Refs(FilesBackend(jail, git_dir, common_dir, hash_len, head), hash_len, peel)

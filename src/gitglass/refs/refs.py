"""Refs: names that point at objects, or at other names.

`Refs` works on two back ends, `files` and `reftable`, or on another `RefSource`. Mirrors gitrepository-layout(5),
"refs", and git-worktree(1), "REFS".
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
        """Where refs are stored: in files, in a reftable, or by another library (compare `ObjectSource`)."""

        def raw(self, name: bytes) -> Raw | None:
            """The content of one ref, not followed; None if there is no such ref."""

        def raws(self, names: Sequence[bytes]) -> Mapping[bytes, Raw | None]:
            """`raw` of several names, most of which are expected to be missing, in the order of the names."""

        def refresh(self) -> None:
            """A new command begins: refs are read again."""

        def listing(self, prefix: bytes) -> list[Row]:
            """(name, oid, target) of all refs whose names start with `prefix`, sorted; broken ones have neither."""

        def peels(self) -> Mapping[bytes, bytes | None]:
            """The objects that tags peel to, as far as stored with the refs; None for an object that is no tag."""

        def log(self, name: bytes) -> list[bytes] | None:
            """The lines of a ref's log, oldest first, as in a log file; None if the ref has no log."""

        def logs(self) -> list[bytes]:
            """The names of all refs that have a log, sorted."""

        def is_packed(self, name: bytes) -> bool:
            """Whether a ref that exists is only in packed-refs."""

        def is_plain(self, name: bytes) -> bool:
            """Whether a ref, whose tag is not among `peels`, is said to point at no tag at all."""

        def outside(self) -> set[bytes] | None:
            """First components of names that refs outside of `refs/` may have; None if each has to be looked up."""

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
    """One ref of a listing. `oid` is the object it leads to; `target` is the ref that a symbolic ref points at.

    `broken`: its content is invalid or all zeros. `bad_name`: its name is not well formed. A symbolic ref whose target
    does not exist has a `target`, no `oid`, and is not broken.
    """

    name: bytes
    oid: bytes | None
    target: bytes | None = None
    broken: bool = False
    bad_name: bool = False


@record
class Resolved:
    """The end of a chain of refs: its name, its oid, whether a symbolic ref was followed, whether the end is broken."""

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
        """Follow a ref to its end, through at most five names. Never raises for a missing or broken ref."""
        return self._follow(name, None)

    def lookup_each(self, names: Sequence[bytes]) -> list[tuple[bytes, Resolved]]:
        """`lookup` of several well-formed names, most of which are expected to be missing: (name, result) of those that
        exist, in the order of the names."""
        raws = self.backend.raws(names)
        return [(name, self._follow(name, raw)) for name, raw in raws.items() if raw is not None]

    def _follow(self, name: bytes, raw: Raw | None) -> Resolved:
        """Follow a ref to its end; `raw` is its content if that has been read."""
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
        """The oid that a ref leads to, or None."""
        return self.lookup(name).oid

    def resolve(self, name: bytes) -> tuple[bytes, bytes | None]:
        """(final name, oid or None); for an unborn branch the name of that branch."""
        ref = self.lookup(name)
        return ref.name, ref.oid

    def symref(self, name: bytes) -> bytes | None:
        """The name that a symbolic ref points at, not followed further; None for any other ref."""
        raw = self.backend.raw(name) if check_refname(name, onelevel=True) else None
        return raw.target if raw is not None else None

    def head(self) -> tuple[bytes | None, bytes | None]:
        """(full name of the current branch, its oid): no name if HEAD is detached, no oid if the branch is unborn."""
        ref = self.lookup(b"HEAD")
        return (ref.name if ref.symbolic else None), ref.oid

    def exists(self, name: bytes) -> bool:
        """Whether a ref of exactly this name exists and leads to an object."""
        return self.lookup(name).oid is not None

    def plain(self, prefix: bytes = b"refs/") -> tuple[list[Row], bool]:
        """(rows, whether all their names are well formed); a row is (name, oid, target), sorted by name, for every ref
        whose name starts with `prefix`.

        The refs of `entries` in a form that is faster to make: targets are not followed, broken refs have neither.
        """
        rows = self.backend.listing(prefix)
        return rows, _all_well_formed(rows)

    def entries(self, prefix: bytes = b"refs/") -> list[Ref]:
        """All refs whose names start with `prefix`, sorted, including broken and dangling ones."""
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
        """A ref that is symbolic, may be broken, or may have a malformed name."""
        bad_name = not check_refname(name)
        if target is not None:
            oid = self._follow(name, Raw(None, target)).oid
        broken = bad_name or (target is None and (oid is None or oid == self._null))
        return Ref(name, None if broken else oid, target, broken, bad_name)

    def iterate(self, prefix: bytes = b"refs/") -> Iterator[tuple[bytes, bytes]]:
        """(name, oid) of the refs whose names start with `prefix` and that lead to an object, sorted by name."""
        rows = self.backend.listing(prefix)
        if not rows:
            return iter(())
        well_formed = _all_well_formed(rows)
        if well_formed and all(self._all_lead(part) for part in slices(rows)):
            return zip(map(_NAME, paced(rows)), map(_OID, rows))
        return self._leading(rows, well_formed)

    def _all_lead(self, rows: list[Row]) -> bool:
        """Whether each of these refs contains an oid itself."""
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
        """The object that an annotated tag peels to; None if the ref does not point at a tag."""
        peels = self.backend.peels()
        if oid in peels:
            return peels[oid]
        return None if self._peel is None else self._peel(oid)

    def listed_peel(self, name: bytes, oid: bytes) -> bytes | None:
        """`peeled` as git has it while it lists refs: it believes packed-refs (`peeled`: every tag has a `^` line) and
        reads no object then, though other programs leave that line out."""
        peels = self.backend.peels()
        return None if oid not in peels and self.backend.is_plain(name) else self.peeled(name, oid)

    def peels(self) -> Mapping[bytes, bytes | None]:
        """`peeled` by oid, for the objects that need not be read for it."""
        return self.backend.peels()

    def is_packed(self, name: bytes) -> bool:
        """Whether an answers ref has no file of its own (`%(flag)`)."""
        return self.backend.is_packed(name)

    def shortener(self, strict: bool) -> Callable[[bytes], bytes]:
        """`shorten` for many names: all refs are listed once instead of looked up one by one."""
        names = {row[0] for row in paced(self.backend.listing(b"refs/"))}
        answers: dict[bytes, bool] = {}
        outside = self.backend.outside()

        def exists(name: bytes) -> bool:
            if name.startswith(b"refs/"):
                return name in names
            if outside is not None and name.partition(b"/")[0] not in outside:
                return False
            answer = answers.get(name)
            if answer is None:
                answer = answers[name] = self.exists(name)
            return answer

        return lambda name: shorten(name, exists, strict)


def _all_well_formed(rows: list[Row]) -> bool:
    """Whether all rows have well-formed names."""
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

    `head` is the content of HEAD if it was just read; it is used until the first `refresh`.
    """
    if reftable:
        return Refs(ReftableBackend(jail, git_dir, common_dir, hash_len), hash_len, peel)
    return Refs(FilesBackend(jail, git_dir, common_dir, hash_len, head), hash_len, peel)

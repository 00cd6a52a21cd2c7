"""Our refs as a dulwich refs container, for reading."""

from collections.abc import Mapping
from typing import Any, NoReturn

from dulwich.objects import ObjectID
from dulwich.refs import HEADREF, Ref, RefsContainer

from ..refs.names import check_refname
from ..refs.refs import Refs
from .errors import ReadOnly, refuse, to_dulwich
from .reading import Reading


class JailedRefs(RefsContainer):
    """The refs of a jailed repository: HEAD and those below `refs/`, loose or packed.

    Symbolic refs read as dulwich writes them (`ref: NAME`). Refs with malformed names or broken content are left out.
    Every method that would write raises `ReadOnly`.
    """

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self._reading = reading

    def _refs(self) -> Refs:
        return self._reading.own()[0].refs

    def allkeys(self) -> set[Ref]:
        """The names of all refs, and HEAD."""
        store, ctx = self._reading.own()
        with ctx, to_dulwich(b"refs"):
            rows, well_formed = store.refs.plain()
            names = {
                Ref(name)
                for name, oid, target in rows
                if (oid is not None or target is not None) and (well_formed or check_refname(name))
            }
            if store.refs.backend.raw(HEADREF) is not None:
                names.add(HEADREF)
        return names

    def subkeys(self, base: Ref) -> set[Ref]:
        """The names below a base, without it. (dulwich's own method cuts one character too many off for
        "refs/heads/".)"""
        front = base.rstrip(b"/") + b"/"
        return {Ref(name[len(front) :]) for name in self.allkeys() if name.startswith(front)}

    def as_dict(self, base: Ref | None = None) -> dict[Ref, ObjectID]:
        """{name: oid in hex} of all refs that resolve to an oid, symbolic ones included; below a base, without the
        base."""
        front = b"" if base is None else base.rstrip(b"/") + b"/"
        store, ctx = self._reading.own()
        oids: dict[Ref, ObjectID] = {}
        with ctx, to_dulwich(b"refs"):
            if base is None and (head := store.refs.read(HEADREF)) is not None:
                oids[HEADREF] = ObjectID(head.hex().encode())
            listed = store.refs.iterate(front if front.startswith(b"refs/") else b"refs/")
            for name, oid in listed:
                if name.startswith(front):
                    oids[Ref(name[len(front) :])] = ObjectID(oid.hex().encode())
        return oids

    def read_ref(self, refname: Ref) -> bytes | None:
        """The content of a ref: an oid in hex, or `ref: NAME`; None if the ref does not exist."""
        store, ctx = self._reading.own()
        if not check_refname(refname, onelevel=True):
            return None
        with ctx, to_dulwich(refname):
            raw = store.refs.backend.raw(refname)
        if raw is None:
            return None
        if raw.target is not None:
            return b"ref: " + raw.target
        return None if raw.oid is None else raw.oid.hex().encode()

    def read_loose_ref(self, name: Ref) -> bytes | None:
        """`read_ref` of a loose ref, which has a file of its own."""
        store, ctx = self._reading.own()
        with ctx, to_dulwich(name):
            if not check_refname(name, onelevel=True) or store.refs.is_packed(name):
                return None
        return self.read_ref(name)

    def get_packed_refs(self) -> dict[Ref, ObjectID]:
        """{name: oid in hex} of the refs without a file of their own."""
        store, ctx = self._reading.own()
        with ctx, to_dulwich(b"refs"):
            rows, _ = store.refs.plain()
            is_packed = store.refs.is_packed
            return {
                Ref(name): ObjectID(oid.hex().encode()) for name, oid, _ in rows if oid is not None and is_packed(name)
            }

    def get_peeled(self, name: Ref) -> ObjectID | None:
        """The oid that a packed ref finally points at, from packed-refs or by peeling the tag; its own oid if it is no
        tag.

        None for a loose ref: `JailedRepo.get_peeled` then reads the tag.
        """
        store, ctx = self._reading.own()
        with ctx, to_dulwich(name):
            oid = store.refs.lookup(name).oid
            if oid is None or (oid not in store.refs.peels() and not store.refs.is_packed(name)):
                return None
            peeled = store.refs.peeled(name, oid)
        return ObjectID((peeled or oid).hex().encode())

    # --- methods that would write ------------------------------------------------------------------------------------

    def set_symbolic_ref(self, name: Ref, other: Ref, *args: Any, **kwargs: Any) -> NoReturn:
        raise _refused(name)

    def add_packed_refs(self, new_refs: Mapping[Ref, ObjectID | None]) -> NoReturn:
        raise _refused(b" ".join(new_refs))

    def set_if_equals(self, name: Ref, *args: Any, **kwargs: Any) -> NoReturn:
        raise _refused(name)

    def add_if_new(self, name: Ref, *args: Any, **kwargs: Any) -> NoReturn:
        raise _refused(name)

    def remove_if_equals(self, name: Ref, *args: Any, **kwargs: Any) -> NoReturn:
        raise _refused(name)

    def pack_refs(self, all: bool = False) -> NoReturn:
        raise refuse("pack refs")


def _refused(name: bytes) -> ReadOnly:
    return refuse(f"change the ref '{name.decode('utf-8', 'replace')}'")

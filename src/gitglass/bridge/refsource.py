"""The refs of any dulwich `RefsContainer` as a source of refs for our store. It offers no reflogs."""

from collections.abc import Mapping, Sequence
from threading import RLock

from dulwich.refs import Ref, RefsContainer

from ..limits import paced
from ..refs.files import Row, parse_loose
from ..refs.names import Raw
from .errors import RefFormatError, from_dulwich

#: the target of HEAD in a container that has no HEAD, as in a repository that `git init` made
_UNBORN = Raw(None, b"refs/heads/master")


class DulwichRefs:
    """A `RefSource` over a dulwich refs container (None: no refs). The list of refs is kept until `refresh`."""

    __slots__ = ("_container", "_hash_len", "_lock", "_rows")

    def __init__(self, container: RefsContainer | None, hash_len: int, *, lock: RLock) -> None:
        self._container, self._hash_len, self._lock = container, hash_len, lock
        self._rows: dict[bytes, Raw] | None = None

    def refresh(self) -> None:
        """Read the refs again from now on: a new command begins."""
        self._rows = None

    def raw(self, name: bytes) -> Raw | None:
        """The ref itself, or None if it does not exist."""
        ref = self._all.get(name) if self._rows is not None and name.startswith(b"refs/") else self._read(name)
        return _UNBORN if ref is None and name == b"HEAD" else ref

    def raws(self, names: Sequence[bytes]) -> Mapping[bytes, Raw | None]:
        """`raw` of several names."""
        return {name: self.raw(name) for name in names}

    def _read(self, name: bytes) -> Raw | None:
        if self._container is None:
            return None
        with self._lock, from_dulwich("refs"):
            try:
                content = self._container.read_ref(Ref(name))
            except (KeyError, RefFormatError):
                return None
        return parse_loose(content, self._hash_len) if content else None

    @property
    def _all(self) -> dict[bytes, Raw]:
        """Every ref below `refs/`, by name."""
        rows = self._rows
        if rows is None:
            rows = {}
            if self._container is not None:
                with self._lock, from_dulwich("refs"):
                    names = sorted(name for name in self._container.allkeys() if name.startswith(b"refs/"))
                for name in paced(names):
                    ref = self._read(name)
                    if ref is not None:
                        rows[name] = ref
            self._rows = rows
        return rows

    def listing(self, prefix: bytes) -> list[Row]:
        """(name, oid, target) of every ref whose name begins so, sorted by name; oid and target are None for broken
        ones."""
        return [(name, raw.oid, raw.target) for name, raw in self._all.items() if name.startswith(prefix)]

    def peels(self) -> Mapping[bytes, bytes | None]:
        """Nothing: tags are peeled by reading their objects, since a container's peeled values may be stale."""
        return {}

    def log(self, name: bytes) -> list[bytes] | None:
        """None: no ref has a log."""
        return None

    def logs(self) -> list[bytes]:
        """False: no ref has a log."""
        return []

    def is_packed(self, name: bytes) -> bool:
        """Whether a ref is only in packed-refs."""
        if self._container is None:
            return False
        with self._lock, from_dulwich("refs"):
            packed = name in self._container.get_packed_refs()
            return packed and not self._container.read_loose_ref(Ref(name))

    def is_plain(self, name: bytes) -> bool:
        """Whether a ref is said to point at no tag: tags are read."""
        return False

    def outside(self) -> set[bytes] | None:
        """The first parts that the names of refs outside of `refs/` could have."""
        return None

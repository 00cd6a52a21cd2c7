"""The input of ref fields: objects, read and parsed on demand, and a repository's facts about its refs."""

from collections.abc import Callable

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...errors import GitError
from ...limits import Context
from ...refs.refs import shorten
from ...repo.store import Store
from ...revs.abbrev import Abbreviator
from ...revs.names import upstream_or_none
from ...revs.ref_filter import RefItem
from ...revs.remotes import check_refspecs
from .text import Parts, header

if TYPE_CHECKING:
    from ...graph.merge_base import ahead_behind
    from ...worktree.checkouts import branch_paths
else:
    branch_paths = deferred(__name__, "...worktree.checkouts", "branch_paths")
    ahead_behind = deferred(__name__, "...graph.merge_base", "ahead_behind")


_FEW = 8


class Seen:
    """An object as fields use it: everything is read and parsed on first use."""

    __slots__ = ("_env", "_kind", "_parts", "_raw", "_size", "oid")

    def __init__(self, env: "RefEnv", oid: bytes) -> None:
        self._env = env
        self.oid = oid
        self._kind: bytes | None = None
        self._size = 0
        self._raw: bytes | None = None
        self._parts: Parts | None = None

    @property
    def kind(self) -> bytes:
        """commit, tree, blob or tag."""
        if self._kind is None:
            self._kind, self._size = self._env.store.odb.kind_size(self.oid)
        return self._kind

    @property
    def size(self) -> int:
        """The size of the content in bytes."""
        return self._size if self.kind else 0

    @property
    def raw(self) -> bytes:
        """The content."""
        if self._raw is None:
            self._kind, self._raw = self._env.store.odb.read(self.oid)
            self._size = len(self._raw)
        return self._raw

    @property
    def parts(self) -> Parts | None:
        """The message of a commit or tag, split into parts; None for other objects."""
        if self._parts is None:
            raw = self.raw
            if self._kind in (b"commit", b"tag"):
                self._parts = Parts(raw)
        return self._parts

    def header(self, name: bytes, kind: bytes) -> bytes | None:
        """A header, if the object is of this kind."""
        raw = self.raw
        return header(raw, name) if self._kind == kind else None


class RefEnv:
    """What fields need to know: the repository, the time, the words for a detached HEAD, whether colours are on.

    `hazards` are to be called for every ref before any of its fields is used: they raise for errors of a format that
    git only reports at a ref.
    """

    def __init__(
        self, store: Store, *, ctx: Context, color: bool = False, head_label: Callable[[], bytes] | None = None
    ) -> None:
        self.store = store
        self.ctx = ctx
        self.color = color
        self.head_label = head_label
        self.star = ""
        self.hazards: list[Callable[[RefItem], None]] = []
        self._seen: dict[bytes, Seen] = {}
        self._abbreviators: dict[int | None, Abbreviator] = {}
        self._head: bytes | None = None
        self._shortener: Callable[[bytes], bytes] | None = None
        self._shorts = 0
        self._paths: dict[bytes, bytes] | None = None
        self._upstreams: dict[tuple[bytes, bool], bytes | None] = {}
        self._tracks: dict[tuple[bytes, bool], tuple[int, int] | None] = {}

    # ------------------------------------------------------------------------------------------------ shared by fields
    def seen(self, oid: bytes) -> Seen:
        """The object, cached for the other fields of the same ref."""
        seen = self._seen.get(oid)
        if seen is None:
            if len(self._seen) > 1000:
                self._seen.clear()
            seen = self._seen[oid] = Seen(self, oid)
        return seen

    def abbreviate(self, length: int | None, oid: bytes) -> bytes:
        """An oid abbreviated to a unique length of at least `length` digits (None: core.abbrev)."""
        abbreviate = self._abbreviators.get(length)
        if abbreviate is None:
            abbreviate = self._abbreviators[length] = Abbreviator(self.store, length)
        return abbreviate(oid)

    @property
    def head(self) -> bytes:
        """The full name of the current branch, `HEAD` when detached."""
        if self._head is None:
            self._head = self.store.refs.resolve(b"HEAD")[0]
        return self._head

    def short(self, name: bytes) -> bytes:
        """`refname:short`. A few names are looked up one by one; for many, all refs are listed."""
        if self._shortener is None:
            strict = self.store.config.get_bool("core.warnAmbiguousRefs", True) is not False
            self._shorts += 1
            if self._shorts <= _FEW:
                return shorten(name, self.store.refs.exists, strict)
            self._shortener = self.store.refs.shortener(strict)
        return self._shortener(name)

    def worktree_path(self, item: RefItem) -> bytes:
        """The work tree in which the branch is checked out."""
        if self._paths is None:
            self._paths = branch_paths(self.store)
        return self._paths.get(item.name, b"")

    def upstream(self, name: bytes, push: bool) -> bytes | None:
        """The ref that a branch follows (or is pushed to), by their full names."""
        if not name.startswith(b"refs/heads/"):
            return None
        key = (name, push)
        if key not in self._upstreams:
            if not self._upstreams:
                check_refspecs(self.store.config, self.store.hex_len)
            self._upstreams[key] = upstream_or_none(self.store, name, push)
        return self._upstreams[key]

    def ahead_behind(self, item: RefItem, push: bool) -> tuple[int, int] | None:
        """(ahead, behind) of the upstream, None if that is gone."""
        key = (item.name, push)
        if key not in self._tracks:
            self._tracks[key] = self._count(item, push)
        return self._tracks[key]

    def _count(self, item: RefItem, push: bool) -> tuple[int, int] | None:
        base = self.upstream(item.name, push)
        oid = self.store.refs.read(base) if base else None
        if oid is None:
            return None
        try:
            theirs = self.store.odb.peel(oid, b"commit")
            return ahead_behind(self.store, item.oid, theirs, ctx=self.ctx) if theirs != item.oid else (0, 0)
        except GitError:
            return None

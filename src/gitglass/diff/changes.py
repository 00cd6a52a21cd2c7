"""Filespec, Change and Contents: one side of a file, a pair of sides, and the contents of the sides.

The nouns are git's (`diff_filespec`, `diff_filepair`): every way of comparing two states makes a list of changes, and
every later step (renames, pickaxe, filter, output) works on that list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..annotations import TYPE_CHECKING, Protocol
from ..deferred import deferred
from ..errors import Corrupt, MissingObject, TooLarge
from ..memories import ByOid, Facts, PerCall, Table
from ..objects.parsed import object_name

if TYPE_CHECKING:
    from ..limits import Context
    from ..objects.heads import ManyHeads
    from ..paths.attributes import Attributes, attributes_of
    from ..repo.store import Store
    from .lines.userdiff import Driver, driver_for, is_binary
else:
    driver_for, is_binary = deferred(__name__, ".lines.userdiff", "driver_for", "is_binary")
    attributes_of = deferred(__name__, "..paths.attributes", "attributes_of")


__all__ = [
    "MODIFIED",
    "TREE",
    "TYPE",
    "UNTRACKED",
    "Change",
    "Contents",
    "Filespec",
    "Remerged",
    "Unnamed",
    "absent",
    "letter_of",
    "status_of",
]

GITLINK = 0o160000
SYMLINK = 0o120000
TREE = 0o040000
TYPE = 0o170000
REGULAR = 0o100000
UNTRACKED, MODIFIED = 1, 2  # the two ways in which a submodule can be dirty
_FEW = 32  # so many contents are read one by one before the reader for many is loaded
_SIZES: Facts[bytes, int] = Facts("sizes of blobs", most=40_000, each=130)
_BINARY: Facts[bytes, bool] = Facts("which blobs are binary", most=40_000, each=100)


class Filespec:
    """One side of a change.

    `mode` 0 means that the file does not exist on this side. `oid` None means not known yet: the file is in the work
    tree. `dirty` is set for a submodule: UNTRACKED, MODIFIED content (the suffix `-dirty`). `used` counts the
    destinations that rename detection assigned this side to. `hashed` is the object name of a work-tree file once
    something had to compute it: git then shows it in raw output, although it is not in the database. `hidden`: raw
    output shows zeros.
    """

    __slots__ = ("dirty", "hashed", "hidden", "mode", "oid", "path", "used")

    def __init__(self, path: bytes, mode: int = 0, oid: bytes | None = None, dirty: int = 0) -> None:
        self.path = path
        self.mode = mode
        self.oid = oid
        self.dirty = dirty
        self.used = 0
        self.hashed: bytes | None = None
        self.hidden = False

    @property
    def exists(self) -> bool:
        """Whether the file exists on this side."""
        return self.mode != 0

    def __repr__(self) -> str:
        return f"Filespec({self.path!r}, {self.mode:06o}, {self.oid.hex()[:7] if self.oid else self.oid})"


class Unnamed(Filespec):
    """A side without an object name: standard input, for which git shows zeros; or, with `why`, a path that is no
    file."""

    __slots__ = ("why",)

    def __init__(self, path: bytes, mode: int, why: str = "") -> None:
        super().__init__(path, mode)
        self.why = why


def absent(path: bytes) -> Filespec:
    """A side on which the file does not exist."""
    return Filespec(path)


class Change:
    """A pair of sides.

    `status` is git's letter: A M D R C T U X, or "=" for an unchanged file that is in the list only as a source of
    copies. `score` is the similarity of a rename or copy in percent, or the dissimilarity of a rewrite (`-B`). An
    unmerged path has status U and, if the work tree has the file, its mode on the new side. `broken` is rename
    detection's own mark for the halves of a rewrite.
    """

    __slots__ = ("broken", "new", "old", "score", "status", "unmerged")

    def __init__(
        self,
        status: str,
        old: Filespec,
        new: Filespec,
        score: int = 0,
        unmerged: bool = False,
        broken: bool = False,
    ) -> None:
        self.status = status
        self.old = old
        self.new = new
        self.score = score
        self.unmerged = unmerged
        self.broken = broken

    @property
    def path(self) -> bytes:
        """The path the change is listed under: the new one, or the old one of a deletion."""
        return self.new.path

    def __repr__(self) -> str:
        return f"Change({self.status}{self.score or ''} {self.old!r} -> {self.new!r})"


class Remerged(Change):
    """A change with lines printed above its patch: the messages about the path of a merge that was done again."""

    __slots__ = ("lines",)

    def __init__(self, status: str, old: Filespec, new: Filespec, lines: list[bytes]) -> None:
        super().__init__(status, old, new)
        self.lines = lines

    @classmethod
    def of(cls, change: Change, lines: list[bytes]) -> Remerged:
        """A change with these lines."""
        made = cls(change.status, change.old, change.new, lines)
        made.score, made.unmerged, made.broken = change.score, change.unmerged, change.broken
        return made

    @property
    def is_none(self) -> bool:
        """Whether the sides are equal, so that only the lines are printed."""
        old, new = self.old, self.new
        return (old.path, old.mode, old.oid) == (new.path, new.mode, new.oid)


def status_of(old: Filespec, new: Filespec) -> str:
    """The status letter of a pair that is neither renamed nor unmerged; X for equal sides."""
    return letter_of(old.mode, new.mode)


def letter_of(old_mode: int, new_mode: int) -> str:
    """`status_of` for the modes of both sides."""
    if not old_mode:
        return "A" if new_mode else "X"
    if not new_mode:
        return "D"
    if (old_mode ^ new_mode) & TYPE:
        return "T"
    return "M"


class Copies(Protocol):
    """Files that git reads in place of objects."""

    def are_in(self, changes: Sequence[Change]) -> bool:
        """Whether a side of these changes has such a file."""

    def read(self, side: Filespec) -> bytes | None:
        """The file of a side, if it has one."""


class Contents:
    """Reads the contents of sides: blobs, work-tree files in git's form, submodule lines. Caches the last ones by oid.

    `work` reads a work-tree file as git would store it (`worktree.convert.read_work_file`: path, mode → bytes or None);
    it is injected, so that `diff` does not depend on `worktree`. So is `checked_out`, which returns the checked-out
    copy that git reads instead of a side's object, if there is one; `copies` finds out for each list of changes whether
    that is needed (`worktree.copies`).
    """

    __slots__ = (
        "_answered",
        "_asked",
        "_attrs",
        "_binary",
        "_budget",
        "_cache",
        "_config",
        "_content",
        "_drivers",
        "_given",
        "_heads",
        "_held",
        "_left",
        "_memory",
        "_threshold",
        "_verdicts",
        "_work",
        "_worked",
        "checked_out",
        "copies",
        "ctx",
        "odb",
        "per_call",
        "store",
    )

    def __init__(
        self,
        store: Store,
        *,
        ctx: Context,
        work: Callable[[bytes, int], bytes | None] | None = None,
        budget: int = 32 << 20,
    ) -> None:
        self.store = store
        self._config = store.config
        self.odb = store.odb
        self._content: Callable[[bytes], bytes] | None = None
        self._left = _FEW
        self._heads: ManyHeads | None = None
        self.ctx = ctx
        self.checked_out: Callable[[Filespec], bytes | None] | None = None
        self.copies: Copies | None = None
        self.per_call = PerCall()  # a memory for later steps, which lasts as long as this object
        self._memory: ByOid | None = None
        self._work = work
        self._cache: dict[bytes, bytes] = {}
        self._worked: dict[bytes, bytes] = {}
        self._given: dict[bytes, bytes] = {}  # contents of objects that are stored nowhere
        self._held = 0
        self._budget = budget
        self._drivers: dict[object, Driver] = {}
        self._binary: dict[bytes, bool] = {}  # for sides without a name, and contents too large to be read
        self._verdicts: Table[bytes, bool] | None = None  # for blobs
        self._attrs: Attributes | None = None
        self._asked: bytes | None = None  # the path whose diff attribute was read last
        self._answered: bytes | bool | None = None
        self._threshold: int | None = None

    @property
    def memory(self) -> ByOid:
        """The memory of facts about objects, and about pairs of objects.

        A private one if core.bigFileThreshold is set, since whether a large file counts as binary depends on it.
        """
        memory = self._memory
        if memory is None:
            shared = self.odb.by_oid
            alone = self._config.has("core.bigfilethreshold") or self.checked_out is not None
            memory = self._memory = ByOid(shared.limit) if alone else shared
        return memory

    def look_for_copies(self, changes: Sequence[Change]) -> None:
        """From the first list of changes on that has a side of which git reads a copy, read these: what is known of
        objects does not hold then."""
        if self.copies is not None and self.copies.are_in(changes):
            self.checked_out, self.copies = self.copies.read, None
            self._memory = self._verdicts = None

    # ---------------------------------------------------------------- bytes
    def read(self, side: Filespec) -> bytes:
        """The whole content of a side; b"" where it does not exist. Raises MissingObject, Corrupt, TooLarge."""
        if not side.mode:
            return b""
        if side.mode & 0o170000 == GITLINK:
            return self._gitlink(side)
        oid = side.oid
        if oid is None:
            return self._work_file(side)
        if self.checked_out is not None:
            copy = self.checked_out(side)
            if copy is not None:
                return copy
        data = self._cache.get(oid)
        if data is None and self._given:
            data = self._given.get(oid)
        if data is None:
            data = self._fetch(oid, side)
            self._count(data)
            self._cache[oid] = data
        return data

    def blob(self, side: Filespec) -> bytes:
        """As `read`, for blobs only. Raises Corrupt for any other object, as git's combined diffs do."""
        data = self.read(side)
        oid = side.oid
        if not oid or side.mode & TYPE == GITLINK or oid in self._given:
            return data
        if self.odb.kind_size(oid)[0] != b"blob":
            raise Corrupt(f"object '{oid.hex()}' is not a blob!", oid=oid.hex())
        return data

    def _count(self, data: bytes) -> None:
        if self._held > self._budget:
            self.forget()
        self._held += len(data)

    def forget(self) -> None:
        """Forget the contents that were read; they are read again when they are needed."""
        self._cache.clear()
        self._worked.clear()
        self._held = 0

    def let_go(self, sides: Iterable[Filespec]) -> None:
        """Forget the work-tree files among these sides, so that they are read again. git reads them again after it
        compared them for renames and after each format that shows them: warnings of the conversion are repeated."""
        if self._worked:
            for side in sides:
                if side.oid is None:
                    self._worked.pop(side.path, None)

    def keep(self, oid: bytes, data: bytes) -> None:
        """Set the content of an object that is stored nowhere: a result of a merge that was done again."""
        self._given[oid] = data

    def size(self, side: Filespec) -> int:
        """The length of a side's content, without reading the content if possible."""
        oid = side.oid
        if not side.mode:
            return 0
        if oid is None or side.mode & 0o170000 == GITLINK or self.checked_out is not None:
            return len(self.read(side))
        data = self._cache.get(oid) or self._given.get(oid)
        if data is not None:
            return len(data)
        sizes = self.memory.table(_SIZES)
        try:
            return sizes.get(oid) or sizes.put(oid, self.heads.size(oid))
        except MissingObject:
            raise self._unreadable(oid, side) from None

    @property
    def heads(self) -> ManyHeads:
        """Kinds and sizes of objects."""
        if self._heads is None:
            self._heads = self.odb.many_heads()
        return self._heads

    def sizes(self, sides: Sequence[Filespec]) -> list[int]:
        """The sizes of sides that are looked up together; -1 for one that has to be asked for by itself."""
        if self.checked_out is not None or self._given:
            return [-1] * len(sides)
        nothing = bytes(self.odb.hash_len)
        return self.heads.sizes([side.oid if side.mode & TYPE != GITLINK and side.oid else nothing for side in sides])

    def _fetch(self, oid: bytes, side: Filespec) -> bytes:
        content = self._content
        try:
            if content is not None:
                return content(oid)
            self._left -= 1
            if not self._left:  # the reader for many is loaded only where it saves time
                self._content = self.odb.content_reader()
            return self.odb.read(oid)[1]  # of any kind: git compares a tag of a blob as it stands
        except MissingObject:
            raise self._unreadable(oid, side) from None

    def _unreadable(self, oid: bytes, side: Filespec) -> MissingObject:
        return MissingObject(f"unable to read {oid.hex()}", oid=oid.hex(), path=side.path)

    def _gitlink(self, side: Filespec) -> bytes:
        if side.oid is None and self._work is not None:
            return self._work_file(side)
        oid = side.oid or self.store.null
        dirty = b"-dirty" if side.dirty & 2 or side.dirty & 1 else b""
        return b"Subproject commit " + oid.hex().encode() + dirty + b"\n"

    def _work_file(self, side: Filespec) -> bytes:
        data = self._worked.get(side.path)
        if data is None:
            data = (self._work(side.path, side.mode) if self._work else None) or b""
            self._count(data)
            self._worked[side.path] = data
        return data

    def oid(self, side: Filespec) -> bytes:
        """The object name of a side's content; for a work-tree file it is computed."""
        if side.oid is not None or not side.mode:
            return side.oid or self.store.null
        if side.hashed is None:
            side.hashed = object_name(b"blob", self.read(side), self.store.hash_name)
        return side.hashed

    # ---------------------------------------------------------------- attributes
    def driver(self, side: Filespec) -> Driver:
        """The diff driver of a path: its `diff` attribute, and what the configuration defines for it
        (gitattributes(5)).

        Links and submodules have the default driver, whatever the attributes of their paths.
        """
        value = None
        if side.mode & 0o170000 == REGULAR:
            path = side.path
            if path != self._asked:  # the attribute is read for both sides, more than once
                self._asked, self._answered = path, self._attribute(path, b"diff")
            value = self._answered
        driver = self._drivers.get(value)
        if driver is None:
            driver = self._drivers[value] = driver_for(value, self._config, ctx=self.ctx)
        return driver

    def whitespace(self, path: bytes) -> bytes | bool | None:
        """The `whitespace` attribute of a path."""
        return self._attribute(path, b"whitespace")

    def _attribute(self, path: bytes, name: bytes) -> bytes | bool | None:
        attrs = self._attrs
        if attrs is None:
            attrs = self._attrs = attributes_of(self.store)
        return attrs.get(path, name)

    def is_binary(self, side: Filespec, *, loaded: bool = False) -> bool:
        """Whether git treats a side as binary: by attribute, by its size, otherwise by a NUL in its first 8000 bytes.

        `loaded`: git has read the content already, and then ignores the size, also later on.
        """
        if not side.mode:
            return False
        binary = self.driver(side).binary
        if binary is not None:
            return binary
        oid = side.oid
        key = side.path if oid is None or side.mode & 0o170000 == GITLINK else oid
        verdict = self._binary.get(key)
        verdicts = self._verdicts
        if verdicts is None:
            verdicts = self._verdicts = self.memory.table(_BINARY)
        if verdict is None and key is oid:
            verdict = verdicts.get(key)
        if verdict is None:
            try:
                verdict = (not loaded and self._is_big(side)) or is_binary(self.read(side))
                if key is oid:
                    return verdicts.put(key, verdict)
            except TooLarge:
                if self.ctx.stopped is not None:
                    raise  # the budget of the call is used up, which is no fact about this file
                verdict = True  # git treats files above core.bigFileThreshold so
            self._binary[key] = verdict
        return verdict

    @property
    def is_read_whole(self) -> bool:
        """Whether core.bigFileThreshold lets the content decide of every file whether it is binary."""
        if self._threshold is None:
            self._threshold = self._config.get_int("core.bigfilethreshold", 0, bits=64) or 0
        return not self._threshold

    def _is_big(self, side: Filespec) -> bool:
        """Whether a content is above core.bigFileThreshold, so that git does not read it. git's default threshold is
        not needed here: larger contents are not read anyway."""
        return not self.is_read_whole and 0 < (self._threshold or 0) < self.size(side)

    def pair(self, change: Change) -> tuple[bytes, bytes] | None:
        """The key under which a comparison of a change's sides is remembered; None if a side is no blob of the
        database."""
        old, new = change.old, change.new
        if old.mode and (old.oid is None or old.mode & TYPE == GITLINK):
            return None
        if new.mode and (new.oid is None or new.mode & TYPE == GITLINK):
            return None
        return (old.oid or b"") if old.mode else b"", (new.oid or b"") if new.mode else b""

"""The object database: an oid becomes (kind, bytes), wherever it is stored.

Its sources (`source.py`) are asked one after the other: the packs of the object directory and its alternates, the loose
files of each, and what else it was given. A miss looks once whether a live git repacked meanwhile. Replacements, grafts
and the shallow boundary are applied here, so that everybody above sees one history.

A broken pack or index is put aside with a remark, and what it held is looked for elsewhere, as git does; only when an
object is nowhere else the error is raised. What is remembered goes by oid, or by offset in a pack, and is
never stale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING, TypeVar
from ..deferred import deferred
from ..disk.jail import Jail
from ..errors import Corrupt, GitError, MissingObject, NotFetched, Unsupported, WrongKind
from ..memories import ByOid, Facts
from ..messages import Messages
from .directory import TRIES, BrokenCopy, ObjectDir, OpenPacks, PackedObjects
from .hashes import EMPTY_TREES, LENGTHS
from .pack import COMMIT, KIND_NAMES, TREE
from .parsed import COMMIT_ROW, Commit, Tag, find_path, object_name, tag_object, wrong_kind

if TYPE_CHECKING:
    from .alternates import Alternates, outside
    from .commit_graph import CommitGraph, graph_facts_reader, graph_tree_reader, load_commit_graph
    from .heads import Heads, heads_reader
    from .names import Names
    from .sequential import (
        CommitFacts,
        Row,
        commit_facts,
        facts_reader,
        kept_reader,
        object_reader,
        pack_reader,
        parents_reader,
        rows_reader,
    )  # fmt: skip
    from .source import ListedSource, ObjectSource
    from .stand_in import stand_in
else:
    Alternates, outside = deferred(__name__, ".alternates", "Alternates", "outside")
    graph_facts_reader, graph_tree_reader, load_commit_graph = deferred(
        __name__, ".commit_graph", "graph_facts_reader", "graph_tree_reader", "load_commit_graph"
    )
    commit_facts, facts_reader, kept_reader, object_reader, pack_reader, parents_reader, rows_reader = deferred(
        __name__, ".sequential", "commit_facts", "facts_reader", "kept_reader", "object_reader", "pack_reader",
        "parents_reader", "rows_reader",
    )  # fmt: skip
    heads_reader = deferred(__name__, ".heads", "heads_reader")
    Names = deferred(__name__, ".names", "Names")
    stand_in = deferred(__name__, ".stand_in", "stand_in")


#: how many bytes of a commit are read for its facts, and for its parents, in lengths of an oid (20 or 32)
HEAD_OIDS, PARENT_OIDS = 16, 8
_COMMITS: Facts[bytes, bytes] = Facts("commits", most=64 << 20, each=1)  # raw; a row counts by its bytes
_FACTS: Facts[bytes, CommitFacts] = Facts("facts of commits", most=1 << 19, each=300)
_PARENTS: Facts[bytes, tuple[bytes, ...]] = Facts("parents of commits", most=1 << 19, each=250)
_FEW_COMMITS = 16
_T = TypeVar("_T")


class Odb:
    """Reads objects of one repository. Oids are raw bytes; kinds are b"commit", b"tree", b"blob", b"tag".

    All readers raise `MissingObject` for what is not there (in a partial clone `NotFetched`, as nothing is fetched) and
    `Corrupt` for what cannot be what it claims. Mirrors git-cat-file(1) and gitrepository-layout(5).
    """

    def __init__(
        self,
        jail: Jail,
        objects: bytes,
        hash_name: str,
        *,
        replaced: Callable[[], dict[bytes, bytes]] | None = None,
        grafts: Callable[[], dict[bytes, tuple[bytes, ...]]] | None = None,
        partial: Callable[[], bool] | None = None,
        limit: int = 512 << 20,
        cache_bytes: int = 96 << 20,
        graph: Callable[[], bool] | None = None,
        complain: Callable[[str], None] | None = None,
        opened: OpenPacks | None = None,
        more: Sequence[bytes] = (),
        shown: bytes | None = None,
        sources: Sequence[ListedSource] = (),
    ) -> None:
        self._jail = jail
        self.objects = objects
        self._shown = objects if shown is None else shown  # what messages call it
        self._more = more  # alternates of the environment: before those that the object directory names
        self.hash_name = hash_name
        self.hash_len = LENGTHS[hash_name]
        self.empty_tree = EMPTY_TREES[hash_name]
        self.complaints: Messages[str] = Messages()
        self._complain = complain or self.complaints.append
        self._load_replaced = replaced
        self._load_grafts = grafts
        self._partial = partial
        self._limit = limit
        self._graph_wanted = graph
        self._opened = OpenPacks(ByOid(cache_bytes)) if opened is None else opened
        self._by_oid: ByOid | None = None
        self._settled = False
        self._read_commit: Callable[[bytes], bytes] = self._read_one_of_few
        self._few = _FEW_COMMITS
        #: false for the commands that ask which objects are missing: git fetches none for them either
        self.fetch_if_missing = True
        self._given = sources
        self._sources: list[ObjectSource] | None = None
        self._packs = PackedObjects(self._open_dirs)
        self._names: Names | None = None
        self._refused = ""
        self._replaced: dict[bytes, bytes] | None = None
        self._grafted: dict[bytes, tuple[bytes, ...]] | None = None
        self._graph: CommitGraph | None = None
        self._graph_loaded = False

    @property
    def by_oid(self) -> ByOid:
        """What is remembered of objects by their names; with objects that stand in for others (git-replace(1)) for this
        command only."""
        memory = self._by_oid
        if memory is None:
            shared = self._opened.memory
            memory = self._by_oid = ByOid(shared.limit) if self.replaced else shared
        return memory

    def _settle(self) -> None:
        """Where commits are remembered.

        What other commands remember of them holds for history as it is written, and is used only where it is.
        """
        if not self._settled:
            memory = ByOid(self._opened.memory.limit) if self.grafted else self.by_oid
            self._commits, self._facts = memory.table(_COMMITS), memory.table(_FACTS)
            self._memory = memory
            self._read_commit = self._read_one_of_few if self._few else self._commit_reader()
            self._settled = True

    def _read_one_of_few(self, oid: bytes) -> bytes:
        """A commit as long as few are read: the reader for many is loaded where it is worth it."""
        self._few -= 1
        if not self._few:
            self._read_commit = self._commit_reader()
        return self._raw_commit(oid)

    def refresh(self) -> None:
        """A new command begins: what may have changed on disk is looked at again when it is needed."""
        self.fetch_if_missing = True
        if self._packs.refresh() or self._given:
            self._names = None
        for source in self._given:
            source.refresh()
        self._replaced = self._grafted = self._graph = self._by_oid = None
        self._graph_loaded = self._settled = False

    def close(self) -> None:
        """Let go of every cache and open file."""
        self._replaced = self._grafted = self._graph = self._by_oid = self._sources = self._names = None
        self._graph_loaded = self._settled = False
        self._read_commit, self._few = self._read_one_of_few, _FEW_COMMITS
        self._packs.close()
        self._opened.clear()

    # --- where things are --------------------------------------------------------------------------------------------

    @property
    def dirs(self) -> list[ObjectDir]:
        """The object directory and its alternates."""
        return self._packs.dirs

    @property
    def packs(self) -> PackedObjects:
        """The packs of the object directories, for callers that hand on objects as they are stored."""
        return self._packs

    @property
    def sources(self) -> list[ObjectSource]:
        """Where objects are looked for, in this order."""
        sources = self._sources
        if sources is None:
            sources = self._sources = [self._packs, *[directory.loose for directory in self.dirs], *self._given]
        return sources

    def need_directory(self, what: str) -> None:
        """For what looks at the files objects are in: `Unsupported` where objects are kept in another way."""
        if self._given:
            raise Unsupported(f"{what} looks at the files of an object directory, and this repository has none")

    @property
    def names(self) -> Names:
        """The oids of everything here; made again when packs come or go, so it is not to be held."""
        if self._names is None:
            self._names = Names(self.dirs, self.hash_len, self._look_again, self._given)
        return self._names

    def _open_dirs(self) -> list[ObjectDir]:
        about = (self.hash_name, self._opened, self._limit, self._complain)
        dirs = [ObjectDir(self._jail, path, *about) for path in self._borrowed()]
        for directory in dirs:
            directory.scan()
        return dirs

    def _borrowed(self) -> list[bytes]:
        """The object directory, if there is one, and those that it borrows from: mostly none."""
        if not self.objects or not (self._more or self._is_there(self.objects + b"/info/alternates")):
            return [self.objects] if self.objects else []
        alternates = Alternates(self._jail, self._complain)
        dirs = alternates.of(self.objects, self._more, self._shown)
        self._refused = alternates.refused or self._refused
        return dirs

    def _is_there(self, path: bytes) -> bool:
        """Whether there is such a file, or something to complain of."""
        try:
            return self._jail.lstat(path) is not None
        except GitError:
            return True

    def _look_again(self) -> bool:
        """After a miss: whether the packs are others than those asked."""
        if not self._packs.look_again():
            return False
        self._names = None
        return True

    @property
    def replaced(self) -> dict[bytes, bytes]:
        """{original: replacement}; empty where replacements are off."""
        if self._replaced is None:
            self._replaced = self._load_replaced() if self._load_replaced else {}
        return self._replaced

    @property
    def grafted(self) -> dict[bytes, tuple[bytes, ...]]:
        """{commit: the parents history is walked with}, from grafts and the shallow boundary."""
        if self._grafted is None:
            self._grafted = self._load_grafts() if self._load_grafts else {}
        return self._grafted

    def look_for_grafts(self) -> None:
        """Git looks whenever it parses a commit, and then says that grafts are out of date (git-replace(1))."""
        _ = self.grafted

    @property
    def graph(self) -> CommitGraph | None:
        """The commit-graph; None when there is none, it is broken, or history is not what it was computed from."""
        if not self._graph_loaded:
            self._graph_loaded = True
            self._graph = None
            if (self._graph_wanted is None or self._graph_wanted()) and not self.replaced and not self.grafted:
                self._graph = self._open_graph()
        return self._graph

    def distrust_graph(self, why: Corrupt) -> None:
        """The commit-graph is not what it claims: say so once, and read commits themselves from now on."""
        if self._graph is not None:
            self._complain(f"error: {why.message}")
        self._graph = None

    def _open_graph(self) -> CommitGraph | None:
        for directory in self.dirs:
            file = directory.path + b"/info/commit-graph"
            if not (self._is_there(file) or self._is_there(file + b"s")):
                continue
            try:
                graph = load_commit_graph(self._jail, directory.path, self.hash_len)
            except GitError as error:
                self._complain(f"error: {error.message}")
                return None
            if graph is not None:
                return graph
        return None

    # --- objects -----------------------------------------------------------------------------------------------------

    def read(self, oid: bytes) -> tuple[bytes, bytes]:
        """(kind, content) of an object, or of what replaces it. Raises Corrupt for a replacement that is nowhere."""
        if oid not in self.replaced:
            return self.read_raw(oid)
        with stand_in(self.replaced, oid) as other:
            return self.read_raw(other)

    def read_raw(self, oid: bytes) -> tuple[bytes, bytes]:
        """(kind, content) of exactly this object."""
        last = self._packs.last
        if last is not None:
            try:
                had = last.fetch(oid)
                if had is not None:
                    return KIND_NAMES[had[0]], had[1]
            except Corrupt:
                pass  # another copy may be whole
        return self._seek(oid, lambda source, oid: source.read(oid)) or (b"tree", b"")

    def _seek(self, oid: bytes, question: Callable[[ObjectSource, bytes], _T | None]) -> _T | None:
        """What the first source that has an object says of it; None for the empty tree, which is nowhere.

        Where the packs turn out to be others than those asked, all sources are asked again.
        """
        for _ in range(TRIES):
            broken: BrokenCopy | None = None
            for source in self.sources:
                try:
                    had = question(source, oid)
                except BrokenCopy as error:
                    broken = error
                    continue
                if had is not None:
                    return had
            if broken is not None:
                self._complain(f"error: {broken.reason.message}")
                raise Corrupt(broken.message, oid=oid.hex())
            if oid == self.empty_tree:
                return None
            if not self._look_again():
                break
        raise self.missing(oid)

    def missing(self, oid: bytes) -> GitError:
        """The error for an object that is nowhere: NotFetched where git would fetch it, else MissingObject."""
        hint = None
        if self.is_fetched(oid):
            words = "was not fetched: this is a partial clone, and gitglass fetches nothing"
            return NotFetched(f"object {oid.hex()} {words}", oid=oid.hex())
        if self._refused:
            self._complain(outside(self._refused))  # again: on a handle that lives it was said long ago
            hint = f"The alternate object directory {self._refused} is outside the root; give root= to include it."
        return MissingObject(f"unable to read {oid.hex()}", hint=hint, oid=oid.hex())

    def is_fetched(self, oid: bytes) -> bool:
        """Whether git would fetch an object that is not here: in a partial clone, unless it is the null oid."""
        return self.fetch_if_missing and any(oid) and self._partial is not None and self._partial()

    def has(self, oid: bytes) -> bool:
        """Whether the object is here."""
        last = self._packs.last
        try:
            if last is not None and last.index.find(oid) >= 0:
                return True
        except Corrupt:
            pass  # another source may have it
        if oid == self.empty_tree:
            return True
        for _ in range(TRIES):
            for source in self.sources:
                if source.has(oid):
                    return True
            if not self._look_again():
                break
        return False

    def packed(self, oid: bytes) -> bool:
        """Whether a pack has the object."""
        return self._packs.has(oid)

    def kept(self, oid: bytes) -> bool:
        """Whether a pack that is to be kept (it has a `.keep` file) has the object."""
        return any(pack.find(oid) >= 0 for directory in self.dirs for pack in directory.kept())

    def kind_size(self, oid: bytes) -> tuple[bytes, int]:
        """(kind, size) of an object or its replacement, without building the whole of it."""
        if oid not in self.replaced:
            return self.kind_size_raw(oid)
        with stand_in(self.replaced, oid) as other:
            return self.kind_size_raw(other)

    def kind_size_raw(self, oid: bytes) -> tuple[bytes, int]:
        """(kind, size) of exactly this object."""
        last = self._packs.last
        if last is not None:
            try:
                offset = last.find(oid)
                if offset >= 0:
                    kind, size = last.kind_size(offset)
                    return KIND_NAMES[kind], size
            except Corrupt:
                pass  # another copy may be whole
        return self._seek(oid, lambda source, oid: source.head(oid)) or (b"tree", 0)

    def heads(self) -> Callable[[list[bytes]], Heads]:
        """Gives the kinds and sizes of objects, replaced or not, that begin with the same byte and are sorted; b"": ask
        for it alone."""
        return heads_reader(pack for directory in self.dirs for pack in directory.indexed())

    def kind(self, oid: bytes) -> bytes:
        """The kind of an object."""
        location = None if oid in self.replaced else self._packs.locate(oid)
        if location is not None:
            try:
                return KIND_NAMES[location[0].kind(location[1])]
            except Corrupt:
                pass  # `kind_size` looks elsewhere
        return self.kind_size(oid)[0]

    def disk_size(self, oid: bytes) -> int:
        """The bytes the object takes where it is stored."""
        size = self._seek(oid, lambda source, oid: source.disk_size(oid))
        if size is None:
            raise self.missing(oid)
        return size

    def delta_base(self, oid: bytes) -> bytes:
        """The oid of the object this one is stored as a delta against; all zero when it is stored whole."""
        return self._seek(oid, lambda source, oid: source.delta_base(oid)) or bytes(self.hash_len)

    def verify(self, oid: bytes) -> None:
        """Read an object and compare its hash with its name; `Corrupt` when they differ."""
        kind, data = self.read_raw(oid)
        if object_name(kind, data, self.hash_name) != oid:
            raise Corrupt(f"hash mismatch {oid.hex()}", prefix="error", oid=oid.hex())

    # --- kinds -------------------------------------------------------------------------------------------------------

    def commit(self, oid: bytes, parents: tuple[bytes, ...] | None = None) -> Commit:
        """A commit, with the parents history is walked with; a walk that knows them says which they are."""
        if not self._settled:
            self._settle()
        raw = self._commits.get(oid)
        if raw is None:
            raw = self._keep_commit(oid, self._read_commit(oid))
        if parents is not None:
            return Commit(oid, raw, parents)
        facts = self._facts.get(oid)
        if facts is not None:
            return Commit(oid, raw, facts[0])
        grafted = self.grafted
        return Commit(oid, raw, grafted.get(oid) if grafted else None)

    def commit_facts(self, oid: bytes) -> CommitFacts:
        """(parents, commit time, tree) of a commit: what a walk needs, from the commit-graph where there is one."""
        if not self._settled:
            self._settle()
        facts = self._facts.get(oid)
        if facts is not None:
            return facts
        graph = self._graph if self._graph_loaded else self.graph
        if graph is not None and (position := graph.position(oid)) is not None:
            try:
                return self._facts.put(oid, graph.facts(position))
            except Corrupt as error:
                self.distrust_graph(error)
        return self._keep_facts(oid, self._commits.get(oid) or self._raw_commit(oid))

    def _keep_facts(self, oid: bytes, raw: bytes) -> CommitFacts:
        facts = commit_facts(raw, oid)
        grafted = self.grafted
        if grafted and oid in grafted:
            facts = grafted[oid], facts[1], facts[2]
        return self._facts.put(oid, facts)

    def _keep_commit(self, oid: bytes, raw: bytes) -> bytes:
        return self._commits.put(oid, raw, len(raw) + COMMIT_ROW)

    def raw_reader(self, *, keep: bool = True) -> Callable[[bytes], bytes]:
        """Reads raw commits, and keeps them for another look; with `keep` false only where some are kept already."""
        self._settle()
        read = self._commit_reader()
        return kept_reader(self._commits, read) if keep or self._commits.rows else read

    def rows_reader(self, *, keep: bool) -> Callable[[bytes], Row]:
        """Reads (time, parents, raw commit), for walks that show commits as they go; kept for another question."""
        self._settle()
        row = rows_reader(self._commits, self._keep_commit if keep else None, self._commit_reader(), self.hash_len)
        grafted = self.grafted
        if not grafted:
            return row

        def grafted_row(oid: bytes) -> Row:
            time, parents, raw = row(oid)
            return time, grafted.get(oid, parents), raw

        return grafted_row

    def facts_reader(self) -> Callable[[bytes], CommitFacts]:
        """`commit_facts`, for walks over much of a history."""
        self._settle()
        if self.grafted:
            return self.commit_facts
        if self.graph is not None:
            return graph_facts_reader(self.graph, self._facts, lambda: self._graph, self.commit_facts)
        head = self._commit_reader(HEAD_OIDS * self.hash_len)
        return facts_reader(self._facts, self._commits, head, self._raw_commit, self.hash_len)

    def root_reader(self) -> Callable[[bytes], bytes]:
        """Reads the trees of commits, for listings of what lies behind them."""
        if self.graph is not None and not self.grafted:
            return graph_tree_reader(self.graph, lambda: self._graph, self.commit_facts)
        facts_of = self.facts_reader()
        return lambda oid: facts_of(oid)[2]

    def parents_reader(self) -> Callable[[bytes], tuple[bytes, ...]]:
        """Reads the parents of commits and nothing else, for walks that ask only what is reached."""
        self._settle()
        if self.graph is not None or self.grafted or self._facts.rows:
            facts_of = self.facts_reader()
            return lambda oid: facts_of(oid)[0]
        head = self._commit_reader(PARENT_OIDS * self.hash_len)
        return parents_reader(self._memory.table(_PARENTS), self._commits, head, self._raw_commit, self.hash_len)

    def tree_reader(self) -> Callable[[bytes], bytes]:
        """`tree`, for many versions of directories."""
        return self._object_reader(self.tree, TREE)

    def content_reader(self) -> Callable[[bytes], bytes]:
        """What `read` says an object holds, for many files."""
        return self._object_reader(lambda oid: self.read(oid)[1])

    def _object_reader(self, read: Callable[[bytes], bytes], only: int = 0) -> Callable[[bytes], bytes]:
        memory, width = self._opened.memory.objects, self.hash_len
        return read if self.replaced else object_reader(read, self._packs.newest, width, memory, only)

    def _commit_reader(self, head: int = 0) -> Callable[[bytes], bytes]:
        return (
            self._raw_commit
            if self.replaced
            else pack_reader(self._raw_commit, self._packs.newest, self.hash_len, head)
        )

    def _raw_commit(self, oid: bytes) -> bytes:
        """The bytes of a commit, or of what replaces it."""
        last = self._packs.last
        replaced = self._replaced
        if last is not None and replaced is not None and oid not in replaced:
            try:
                had = last.fetch(oid)
                if had is not None and had[0] == COMMIT:
                    return had[1]
            except Corrupt:
                pass  # `read` looks elsewhere
        return self._of_kind(oid, b"commit")

    def _of_kind(self, oid: bytes, wanted: bytes) -> bytes:
        kind, data = self.read(oid)
        if kind != wanted:
            raise wrong_kind(oid, kind, wanted)
        return data

    def generation(self, oid: bytes) -> int | None:
        """The topological level from the commit-graph; None when it does not know the commit."""
        graph = self.graph
        return None if graph is None else graph.generation(oid)

    def tree(self, oid: bytes) -> bytes:
        """The raw entries of a tree."""
        last = self._packs.last
        if last is not None and self._replaced is not None and oid not in self._replaced:
            try:
                had = last.fetch(oid)
                if had is not None and had[0] == TREE:
                    return had[1]
            except Corrupt:
                pass  # `read` looks elsewhere
        try:
            return self._of_kind(oid, b"tree")
        except (MissingObject, WrongKind) as error:  # git's words for both, wherever it goes through trees
            raise type(error)(f"unable to read tree {oid.hex()}", hint=error.hint, oid=oid.hex()) from None

    def blob(self, oid: bytes) -> bytes:
        """The content of a blob."""
        return self._of_kind(oid, b"blob")

    def tag(self, oid: bytes) -> Tag:
        """An annotated tag."""
        return Tag(oid, self._of_kind(oid, b"tag"))

    def peel(self, oid: bytes, kind: bytes | None = None) -> bytes:
        """What an object leads to: through tags to anything else, or on to a `kind` (b"tree" goes through commits).

        Raises `Corrupt` when that kind is not to be had.
        """
        seen = set()
        first = oid
        while oid not in seen:
            seen.add(oid)
            actual = self.kind(oid)
            if actual == kind or (kind is None and actual != b"tag"):
                if actual == b"commit":
                    self.look_for_grafts()
                return oid
            if actual == b"tag":
                oid = tag_object(self.tag(oid).raw, oid)
            elif actual == b"commit" and kind == b"tree":
                oid = self.commit(oid).tree
            else:
                raise wrong_kind(oid, actual, kind or b"")
        raise Corrupt(f"tag {first.hex()} leads to itself", oid=first.hex())

    def entry(self, tree: bytes, path: bytes) -> tuple[int, bytes] | None:
        """(mode, oid) of a path below a tree; None when it, or a tree on the way, is not there. b"" is the tree."""
        return find_path(self.tree, tree, path, self.hash_len)

"""The object database: from an oid to (kind, content), wherever the object is stored.

Its sources (`source.py`) are asked one after the other: the packs of the object directory and its alternates, the loose
files of each, and other sources that it was given. After a miss it checks once whether a running git has repacked
meanwhile. Replacements, grafts and the shallow boundary are applied here, so that all callers see the same history.

A broken pack or index is put aside with a complaint, and its objects are looked for in other sources, as git does. An
error is raised only if no source has the object. What is remembered is found by oid, or by offset in a pack, and never
becomes stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..annotations import TYPE_CHECKING, Any, TypeVar
from ..deferred import deferred
from ..disk.jail import Jail
from ..errors import Corrupt, GitError, MissingObject, NotFetched, Unsupported, WrongKind
from ..memories import ByOid, Facts
from ..messages import Messages
from .directory import TRIES, BrokenCopy, ObjectDir, OpenPacks, PackedObjects
from .hashes import EMPTY_TREES, LENGTHS
from .pack import COMMIT, KIND_NAMES, TREE, Pack
from .parsed import COMMIT_ROW, Commit, Tag, find_path, object_name, tag_object, wrong_kind

if TYPE_CHECKING:
    from .alternates import Alternates, outside
    from .commit_graph import CommitGraph, graph_facts_reader, graph_tree_reader, load_commit_graph
    from .heads import Heads, ManyHeads, disk_sizes, heads_reader
    from .names import Names
    from .numbering import Numbering
    from .sequential import (
        CommitFacts,
        FactsReader,
        Row,
        Waiting,
        commit_facts,
        facts_reader,
        kept_reader,
        object_reader,
        pack_reader,
        parents_reader,
        rows_reader,
        whole_reader,
    )  # fmt: skip
    from .source import ListedSource, ObjectSource
    from .stand_in import stand_in
else:
    Alternates, outside = deferred(__name__, ".alternates", "Alternates", "outside")
    graph_facts_reader, graph_tree_reader, load_commit_graph = deferred(
        __name__, ".commit_graph", "graph_facts_reader", "graph_tree_reader", "load_commit_graph"
    )
    commit_facts, facts_reader, kept_reader, object_reader, pack_reader, parents_reader, rows_reader, whole_reader = (
        deferred(__name__, ".sequential", "commit_facts", "facts_reader", "kept_reader", "object_reader", "pack_reader",
                 "parents_reader", "rows_reader", "whole_reader")
    )  # fmt: skip
    ManyHeads, disk_sizes, heads_reader = deferred(__name__, ".heads", "ManyHeads", "disk_sizes", "heads_reader")
    Names = deferred(__name__, ".names", "Names")
    stand_in = deferred(__name__, ".stand_in", "stand_in")


_COMMITS: Facts[bytes, bytes] = Facts("commits", most=64 << 20, each=1)  # raw; a row counts by its bytes
_FACTS: Facts[bytes, CommitFacts] = Facts("facts of commits", most=1 << 19, each=300)
_PARENTS: Facts[bytes, tuple[bytes, ...]] = Facts("parents of commits", most=1 << 19, each=250)
_FEW_COMMITS = 16
_T = TypeVar("_T")


class Odb:
    """Reads objects of one repository. Oids are raw bytes; kinds are b"commit", b"tree", b"blob", b"tag".

    All readers raise `MissingObject` for a missing object (`NotFetched` in a partial clone, since nothing is fetched)
    and `Corrupt` for an invalid one. Mirrors git-cat-file(1) and gitrepository-layout(5).
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
        self._shown = objects if shown is None else shown  # the object directory as messages show it
        self._more = more  # alternates from the environment, before those of the alternates file
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
        #: False for commands that report missing objects: git does not fetch any for them either
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
        self.numbering: Numbering | None = None  # kept for the next command, see `graph/nodes.py`

    @property
    def by_oid(self) -> ByOid:
        """The memory of objects by oid. If objects are replaced (git-replace(1)), it belongs to this command only."""
        memory = self._by_oid
        if memory is None:
            memory = self._by_oid = ByOid(self._opened.memory.limit) if self.replaced else self._opened.memory
        return memory

    def _settle(self) -> None:
        """Choose the memory of commits.

        The memory shared with other commands has commits with the parents that they were written with, so with grafts
        it is not used.
        """
        if not self._settled:
            memory = ByOid(self._opened.memory.limit) if self.grafted else self.by_oid
            self._commits, self._facts = memory.table(_COMMITS), memory.table(_FACTS)
            self._memory = memory
            self._read_commit = self._read_one_of_few if self._few else self._commit_reader()
            self._settled = True

    def _read_one_of_few(self, oid: bytes) -> bytes:
        """Read a commit while few have been read; after that the reader for many commits is loaded."""
        self._few -= 1
        if not self._few:
            self._read_commit = self._commit_reader()
        return self._raw_commit(oid)

    def refresh(self) -> None:
        """A new command begins: whatever may have changed on disk is read again when it is needed."""
        self.fetch_if_missing = True
        if self._packs.refresh() or self._given:
            self._names = None
        for source in self._given:
            source.refresh()
        self._replaced = self._grafted = self._graph = self._by_oid = None
        self._graph_loaded = self._settled = False

    def close(self) -> None:
        """Drop every cache and close all files."""
        self._replaced = self._grafted = self._graph = self.numbering = None
        self._by_oid = self._sources = self._names = None
        self._graph_loaded = self._settled = False
        self._read_commit, self._few = self._read_one_of_few, _FEW_COMMITS
        self._packs.close()
        self._opened.clear()

    # --- sources of objects ------------------------------------------------------------------------------------------

    @property
    def dirs(self) -> list[ObjectDir]:
        """The object directory and its alternates."""
        return self._packs.dirs

    @property
    def packs(self) -> PackedObjects:
        """The packs of the object directories, for callers that pass on objects as they are stored."""
        return self._packs

    @property
    def sources(self) -> list[ObjectSource]:
        """The sources of objects, in the order in which they are asked."""
        sources = self._sources
        if sources is None:
            sources = self._sources = [self._packs, *[directory.loose for directory in self.dirs], *self._given]
        return sources

    def need_directory(self, what: str) -> None:
        """Raise `Unsupported` if objects are not in files; for commands (`what`) that read these files."""
        if self._given:
            raise Unsupported(f"{what} looks at the files of an object directory, and this repository has none")

    @property
    def names(self) -> Names:
        """The oids of all objects; replaced when packs come or go, so callers must not keep it."""
        if self._names is None:
            self._names = Names(self.dirs, self.hash_len, self._look_again, self._given)
        return self._names

    def _open_dirs(self) -> list[ObjectDir]:
        about = (self.hash_name, self._opened, self._limit, self._complain)
        dirs = [ObjectDir(self._jail, path, *about) for path in self._borrowed()]
        for directory in dirs:
            directory.loose.shown = self._shown if directory.path == self.objects else directory.path
            directory.scan()
        return dirs

    def _borrowed(self) -> list[bytes]:
        """The object directory, if there is one, and the alternates (most repositories have none)."""
        if not (self.objects and (self._more or self._is_there(self.objects + b"/info/alternates"))):
            return [self.objects] if self.objects else []
        alternates = Alternates(self._jail, self._complain)
        dirs = alternates.of(self.objects, self._more, self._shown)
        self._refused = alternates.refused or self._refused
        return dirs

    def _is_there(self, path: bytes) -> bool:
        """Whether such a file exists; also True if that cannot be checked, so that reading it reports the error."""
        try:
            return self._jail.lstat(path) is not None
        except GitError:
            return True

    def _look_again(self) -> bool:
        """List the packs again after a miss; returns whether they have changed."""
        if not self._packs.look_again():
            return False
        self._names = None
        return True

    @property
    def replaced(self) -> dict[bytes, bytes]:
        """{original: replacement}; empty if replacements are off."""
        if self._replaced is None:
            self._replaced = self._load_replaced() if self._load_replaced else {}
        return self._replaced

    @property
    def grafted(self) -> dict[bytes, tuple[bytes, ...]]:
        """{commit: its parents for a walk}, from grafts and the shallow boundary."""
        if self._grafted is None:
            self._grafted = self._load_grafts() if self._load_grafts else {}
        return self._grafted

    def look_for_grafts(self) -> None:
        """Load grafts where git does, whenever it parses a commit: it then warns that they are deprecated
        (git-replace(1))."""
        _ = self.grafted

    @property
    def graph(self) -> CommitGraph | None:
        """The commit-graph; None if there is none, if it is broken, or if grafts or replacements change history."""
        if not self._graph_loaded:
            self._graph_loaded = True
            self._graph = None
            if (self._graph_wanted is None or self._graph_wanted()) and not self.replaced and not self.grafted:
                self._graph = self._open_graph()
        return self._graph

    def distrust_graph(self, why: Corrupt) -> None:
        """Stop using a commit-graph that proved to be broken, with one complaint; commits are read themselves."""
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
        """(kind, content) of an object, or of its replacement. Raises Corrupt if the replacement is missing."""
        if oid not in self.replaced:
            return self.read_raw(oid)
        with stand_in(self.replaced, oid) as replacement:
            return self.read_raw(replacement)

    def read_raw(self, oid: bytes) -> tuple[bytes, bytes]:
        """(kind, content) of this object, never of a replacement."""
        last = self._packs.last
        if last is not None:
            try:
                stored = last.fetch(oid)
                if stored is not None:
                    return KIND_NAMES[stored[0]], stored[1]
            except Corrupt:
                pass  # another copy may be intact
        return self._seek(oid, lambda source, oid: source.read(oid)) or (b"tree", b"")

    def _seek(self, oid: bytes, question: Callable[[ObjectSource, bytes], _T | None]) -> _T | None:
        """The answer of the first source that has an object; None for the empty tree, which need not be stored.

        If the packs have changed meanwhile, all sources are asked again.
        """
        for _ in range(TRIES):
            broken: BrokenCopy | None = None
            for source in self.sources:
                try:
                    answer = question(source, oid)
                except BrokenCopy as error:
                    broken = error
                    continue
                if answer is not None:
                    return answer
            if broken is not None:
                self._complain(f"error: {broken.reason.message}")
                raise Corrupt(broken.message, oid=oid.hex())
            if oid == self.empty_tree:
                return None
            if not self._look_again():
                break
        raise self.missing(oid)

    def missing(self, oid: bytes) -> GitError:
        """The error for a missing object: NotFetched if git would fetch it, otherwise MissingObject."""
        hint = None
        if self.is_fetched(oid):
            words = "was not fetched: this is a partial clone, and gitglass fetches nothing"
            return NotFetched(f"object {oid.hex()} {words}", oid=oid.hex())
        if self._refused:
            self._complain(outside(self._refused))  # repeated here: the first complaint may be old
            hint = f"The alternate object directory {self._refused} is outside the root; give root= to include it."
        return MissingObject(f"unable to read {oid.hex()}", hint=hint, oid=oid.hex())

    def is_fetched(self, oid: bytes) -> bool:
        """Whether git would fetch a missing object: in a partial clone, except for the null oid."""
        return self.fetch_if_missing and any(oid) and self._partial is not None and self._partial()

    def has(self, oid: bytes) -> bool:
        """Whether the object is present."""
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
        """Whether a pack with a `.keep` file has the object."""
        return any(pack.find(oid) >= 0 for directory in self.dirs for pack in directory.kept())

    def kind_size(self, oid: bytes) -> tuple[bytes, int]:
        """(kind, size) of an object or its replacement, without reading the whole object."""
        if oid not in self.replaced:
            return self.kind_size_raw(oid)
        with stand_in(self.replaced, oid) as replacement:
            return self.kind_size_raw(replacement)

    def kind_size_raw(self, oid: bytes) -> tuple[bytes, int]:
        """(kind, size) of this object, never of a replacement."""
        at_hand = self._packs.at_hand(oid, Pack.kind_size)
        if at_hand is not None:
            return KIND_NAMES[at_hand[0]], at_hand[1]
        return self._seek(oid, lambda source, oid: source.head(oid)) or (b"tree", 0)

    def heads(self) -> Callable[[list[bytes]], Heads]:
        """A function from sorted oids with the same first byte to their kinds and sizes, as `heads_reader` makes it."""
        return heads_reader(self._packs.indexed())

    def many_heads(self) -> ManyHeads:
        """What `kind_size` gives, for many objects."""
        return ManyHeads(lambda: () if self.replaced else self._packs.indexed(), self.kind_size)

    def kind(self, oid: bytes) -> bytes:
        """The kind of an object."""
        location = None if oid in self.replaced else self._packs.locate(oid)
        if location is not None:
            try:
                return KIND_NAMES[location[0].kind(location[1])]
            except Corrupt:
                pass  # `kind_size` asks other sources
        return self.kind_size(oid)[0]

    def disk_size(self, oid: bytes) -> int:
        """The number of bytes the object takes where it is stored: none for the empty tree, which git always has."""
        if oid == self.empty_tree:
            return 0
        return self._packs.at_hand(oid, Pack.disk_size) or self._seek(oid, lambda one, oid: one.disk_size(oid)) or 0

    def disk_sizes(self, oids: Sequence[bytes]) -> Iterable[int]:
        """`disk_size` of many objects."""
        return disk_sizes(lambda: self._packs.last, oids, self.disk_size, self.empty_tree)

    def delta_base(self, oid: bytes) -> bytes:
        """The oid of the base that the object is stored as a delta against; all zero if it is stored whole."""
        return self._seek(oid, lambda source, oid: source.delta_base(oid)) or bytes(self.hash_len)

    def verify(self, oid: bytes) -> None:
        """Read an object and compare its hash with its name; raises `Corrupt` if they differ."""
        kind, data = self.read_raw(oid)
        if object_name(kind, data, self.hash_name) != oid:
            raise Corrupt(f"hash mismatch {oid.hex()}", prefix="error", oid=oid.hex())

    # --- kinds -------------------------------------------------------------------------------------------------------

    def commit(self, oid: bytes, parents: tuple[bytes, ...] | None = None) -> Commit:
        """A commit with its parents for a walk; a caller that has these already passes them in `parents`."""
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
        """(parents, commit time, tree) of a commit, from the commit-graph if it has the commit."""
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
        """A function that reads raw commits and remembers them; with `keep` False only if some are remembered."""
        self._settle()
        read = self._commit_reader()
        return kept_reader(self._commits, read) if keep or self._commits.rows else read

    def rows_reader(self, *, keep: bool, roots: dict[bytes, bytes] | None = None) -> Callable[[bytes], Row]:
        """A function that reads (time, parents, raw commit); `keep` remembers commits, `roots` gets their trees."""
        self._settle()
        kept, width = self._keep_commit if keep else None, self.hash_len
        row = rows_reader(self._commits, kept, self._commit_reader(), width, roots)
        if not (grafted := self.grafted):
            return row

        def grafted_row(oid: bytes) -> Row:
            time, parents, raw = row(oid)
            return time, grafted.get(oid, parents), raw

        return grafted_row

    def facts_reader(self, *, ends: bool = False, graph: bool = True, keep: bool = False) -> FactsReader:
        """`commit_facts` for long walks. With `ends` it raises LongHistory after many commits of a pack. Without
        `graph` the commits themselves are read, and with `keep` they are kept, for callers that read them as well."""
        self._settle()
        if self.grafted:
            return self.commit_facts
        if graph and self.graph is not None:
            return graph_facts_reader(self.graph, self._facts, lambda: self._graph, self.commit_facts)
        return facts_reader(self._facts, self._commits, self.head_reader, self._raw_commit, self.hash_len, ends, keep)

    def root_reader(self) -> Callable[[bytes], bytes]:
        """A function that reads the trees of commits, for listings of all objects that commits reach."""
        if self.graph is not None and not self.grafted:
            return graph_tree_reader(self.graph, lambda: self._graph, self.commit_facts)
        facts_of = self.facts_reader()
        return lambda oid: facts_of(oid)[2]

    def parents_reader(self) -> Callable[[bytes], tuple[bytes, ...]]:
        """A function that reads only the parents of commits, for walks that only need to know what is reached."""
        self._settle()
        if self.graph is not None or self.grafted or self._facts.rows:
            facts_of = self.facts_reader()
            return lambda oid: facts_of(oid)[0]
        table = self._memory.table(_PARENTS)
        return parents_reader(table, self._commits, self.head_reader, self._raw_commit, self.hash_len)

    def tree_reader(self) -> Callable[[bytes], bytes]:
        """`tree` as a function for many versions of directories."""
        return self._object_reader(self.tree, TREE)

    def content_reader(self) -> Callable[[bytes], bytes]:
        """The content that `read` gives, as a function for many files."""
        return self._object_reader(lambda oid: self.read(oid)[1])

    def _object_reader(self, read: Callable[[bytes], bytes], only: int = 0) -> Callable[[bytes], bytes]:
        memory, width = self._opened.memory.objects, self.hash_len
        return read if self.replaced else object_reader(read, self._packs.newest, width, memory, only)

    def _commit_reader(self) -> Callable[[bytes], bytes]:
        return self._raw_commit if self.replaced else whole_reader(self._raw_commit, self._packs.newest, self.hash_len)

    def head_reader(self, head: int, ahead: Waiting[Any] | None) -> Callable[[bytes], bytes]:
        if self.replaced:
            return self._raw_commit
        return pack_reader(self._raw_commit, self._packs.newest, self.hash_len, head, ahead)

    def _raw_commit(self, oid: bytes) -> bytes:
        """The bytes of a commit, or of its replacement."""
        last = self._packs.last
        replaced = self._replaced
        if last is not None and replaced is not None and oid not in replaced:
            try:
                stored = last.fetch(oid)
                if stored is not None and stored[0] == COMMIT:
                    return stored[1]
            except Corrupt:
                pass  # `read` asks other sources
        return self._of_kind(oid, b"commit")

    def _of_kind(self, oid: bytes, wanted: bytes) -> bytes:
        kind, data = self.read(oid)
        if kind != wanted:
            raise wrong_kind(oid, kind, wanted)
        return data

    def generation(self, oid: bytes) -> int | None:
        """The topological level from the commit-graph; None if the graph does not have the commit."""
        graph = self.graph
        return None if graph is None else graph.generation(oid)

    def tree(self, oid: bytes) -> bytes:
        """The raw entries of a tree."""
        last = self._packs.last
        if last is not None and self._replaced is not None and oid not in self._replaced:
            try:
                stored = last.fetch(oid)
                if stored is not None and stored[0] == TREE:
                    return stored[1]
            except Corrupt:
                pass  # `read` asks other sources
        try:
            return self._of_kind(oid, b"tree")
        except (MissingObject, WrongKind) as error:  # git has the same message for both wherever it walks trees
            raise type(error)(f"unable to read tree {oid.hex()}", hint=error.hint, oid=oid.hex()) from None

    def blob(self, oid: bytes) -> bytes:
        """The content of a blob."""
        return self._of_kind(oid, b"blob")

    def tag(self, oid: bytes) -> Tag:
        """An annotated tag."""
        return Tag(oid, self._of_kind(oid, b"tag"))

    def peel(self, oid: bytes, kind: bytes | None = None) -> bytes:
        """The oid that an object leads to: through tags to an object of another kind, or to an object of `kind`
        (through commits too for b"tree"). Raises `Corrupt` if that leads to no object of the kind."""
        seen, first = set[bytes](), oid
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
        """(mode, oid) of a path below a tree; None if it, or a tree on the way, is missing. b"" is the tree itself."""
        return find_path(self.tree, tree, path, self.hash_len)

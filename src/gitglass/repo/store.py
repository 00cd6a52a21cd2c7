"""Store: the opened files of one repository, each made on first use.

Start-up time matters: a command that reads one ref must not pay for objects, index and mailmap, so everything here is a
property computed once, and modules for the rarer ones are imported on first use (with `delta` the only exception to
imports at the top). A handle lives long and serves many commands: `refresh()` begins a new command, which reads files
again that may have changed on disk.
"""

from _thread import allocate_lock as Lock
from _thread import get_ident
from collections.abc import Callable, Iterator, Mapping

from ..annotations import TYPE_CHECKING, Any
from ..config.config import Config
from ..config.load import load_config
from ..deferred import deferred
from ..disk.jail import Jail, in_folder
from ..disk.reach import no_links
from ..errors import BadRequest, Corrupt, GitError, NotARepository, text
from ..limits import Context, Limits, running
from ..memories import ByOid, PerCall, Slot
from ..messages import Messages
from ..objects.hashes import FACTS
from ..records import lazy, replace
from ..refs.names import check_refname, namespace_front
from ..refs.refs import Refs, open_refs
from .discover import NOT_FOUND, Layout, UnknownFormat, Where, discover
from .proof import proven, roots_of

if TYPE_CHECKING:
    from ..disk.worktree import WorkTree
    from ..index.index import Index
    from ..objects.database import Odb
    from ..objects.directory import OpenPacks
    from ..refs.reflog import Reflog
    from .mailmap import Mailmap
    from .named import named_git_dir
    from .notes import Notes
    from .replace import grafts_advice, parse_grafts, parse_shallow, replacements
else:
    WorkTree = deferred(__name__, "..disk.worktree", "WorkTree")
    Odb = deferred(__name__, "..objects.database", "Odb")
    named_git_dir = deferred(__name__, ".named", "named_git_dir")
    OpenPacks = deferred(__name__, "..objects.directory", "OpenPacks")
    grafts_advice, parse_grafts, parse_shallow, replacements = deferred(
        __name__, ".replace", "grafts_advice", "parse_grafts", "parse_shallow", "replacements"
    )


_MOST_THREADS = 64
_SMALL = 16 << 20
_NAMED: Slot[Jail] = Slot("jail of the repository alone")
_MADE = frozenset({"odb", "refs", "config", "files", "mailmap", "shallow", "_index"})  # on first use
# Paths in the git directory that all linked work trees share, and the exceptions below them, which every work tree
# has of its own (gitrepository-layout(5)).
_SHARED = frozenset(
    {b"branches", b"common", b"config", b"gc.pid", b"hooks", b"info", b"logs", b"lost-found", b"objects",
     b"packed-refs", b"refs", b"reftable", b"remotes", b"rr-cache", b"shallow", b"svn", b"worktrees"}
)  # fmt: skip
_OWN = frozenset(
    {b"info/sparse-checkout", b"logs/HEAD", b"logs/refs/bisect", b"logs/refs/rewritten", b"logs/refs/worktree",
     b"refs/bisect", b"refs/rewritten", b"refs/worktree"}
)  # fmt: skip


def open_store(
    where: Where,
    *,
    root: bytes | None,
    jail: Jail | None = None,
    config: Mapping[str, Any] | None = None,
    optional: bool = False,
    limits: Limits | None = None,
) -> "Store":
    """Open the repository at `where`.

    `root` limits what is read: b"/" as far as git itself, a directory for exactly that, None for the repository that is
    found. `jail` is the jail of a handle that is open already: then nothing outside of it is read, and `root` is only
    recorded. `config` holds keyword arguments for `load_config` (which configuration is read besides the repository's).
    With `optional`, a directory without a repository gives a Store that has only a configuration. Opening reads
    configuration, and a hostile one may be long: outside of a call it has a deadline and a memory limit of its own,
    those of `limits`. Raises NotARepository, SandboxViolation, Unsupported; Timeout and TooLarge.
    """
    with running() or Context(limits or Limits()):
        return _opened(where, root, jail, config, optional, limits)


def _opened(
    where: Where,
    root: bytes | None,
    jail: Jail | None,
    config: Mapping[str, Any] | None,
    optional: bool,
    limits: Limits | None,
) -> "Store":
    search = Jail(b"/" if root is None else root) if jail is None else jail.copy()
    try:
        layout: Layout | None = discover(where, jail=search)
    except (NotARepository, UnknownFormat):
        if not optional:
            raise
        layout = None
    if where.namespace and layout is not None and not check_refname(namespace_front(where.namespace)):
        raise BadRequest(f'bad git namespace path "{text(where.namespace)}"')
    if jail is not None or root is not None:
        jail = search
    elif layout is None:
        jail = Jail(where.cwd)
    else:
        roots, git_dir, common = roots_of(layout, search)
        jail = Jail(*roots)
        proven(layout, git_dir, common, jail, search)
        layout = _read_inside(layout, jail)
    return Store(where, layout, jail, root=root, config=config, limits=limits)


def _read_inside(layout: Layout, jail: Jail) -> Layout:
    """Drop contents that discovery read, if the repository's own jail does not have the file or has it in another
    state."""
    opened = {path: stamped for path, stamped in layout.opened.items() if jail.stamp(path) == stamped[0]}
    return replace(layout, opened=opened, head=None)


if TYPE_CHECKING:
    MergeDriver = Callable[[bytes, bytes, tuple[bytes, bytes, bytes], int], tuple[bytes, bool]]


class Store:
    """The files of one repository, for one command at a time (`Shared` has them for threads).

    It is pickled as the directory and options it was opened with.
    """

    index_asked = False  # whether this command has used the index
    once = False  # opened for one command: data that only a second command would use is not kept
    confined = False  # files named on the command line must be in the repository, whatever the jail
    replace = True  # False: replace refs are not followed (--no-replace-objects)
    pathspecs: frozenset[str] = frozenset()
    merge_driver: "MergeDriver | None" = None  # runs a driver: name, path, three texts, size of markers → text, clean
    read_attributes: "Callable[[bytes], bytes | None] | None" = None  # reads `.gitattributes`, if not from the files
    gitmodules: bytes | None = None  # what `.gitmodules` is about to hold, if that is read in place of the file
    moving: frozenset[bytes] = frozenset()  # paths whose files are about to change: they say nothing of their entries
    conversions: "Callable[[Store], Any] | None" = None  # makes the converter, if a writer has filters to run
    _config_asked_head = False

    def __init__(
        self,
        where: Where,
        layout: Layout | None,
        jail: Jail,
        *,
        root: bytes | None,
        config: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        opened: OpenPacks | None = None,
    ) -> None:
        self.where = where
        self.jail = jail
        self._root = root
        self._config_options = config or {}
        self.limits = limits
        if opened is not None:
            self.__dict__["_packs"] = opened
        self.exists = layout is not None
        if layout is None:
            layout = Layout(b"", b"", None, False, b"", jail.resolve(where.cwd), False)
        self.layout = layout
        self.git_dir = layout.git_dir
        self.common_dir = layout.common_dir
        self.work_tree = layout.work_tree
        self.bare = layout.bare
        self.prefix = layout.prefix
        self.cwd = layout.cwd
        self.linked = layout.linked
        self.hash_name = layout.hash_name
        self.hash_len, self.hex_len, self.null, self.empty_tree, self.empty_blob = FACTS[layout.hash_name]
        self._opened = layout.opened  # read during the search for the repository: valid for the first command
        self._head = layout.head
        self.per_call = PerCall()
        self.complaints = Messages([f"warning: {word}" for word in layout.warnings])  # git's lines for stderr
        self.remarks: Messages[str] = Messages()  # what a typed result should mention

    def __reduce__(self) -> tuple[object, ...]:
        real = self.jail.real_roots
        return _reopen, (self.where, self._root, self._config_options, self.limits, self.exists, real)

    def __repr__(self) -> str:
        return f"<Store {text(self.git_dir)}>"

    def sibling(self, limits: Limits | None = None) -> "Store":
        """Another Store of this repository, for another thread; see `Shared`. If it has limits of its own, it shares no
        data that was read."""
        other = Store(
            self.where,
            self.layout if self.exists else None,
            self.jail.copy(),
            root=self._root,
            config=self._config_options,
            limits=limits or self.limits,
            opened=self._packs if limits is None else None,
        )
        if self.conversions is not None:
            other.conversions = self.conversions
        if self.merge_driver is not None:
            other.merge_driver = self.merge_driver
        other.replace, other.confined = self.replace, self.confined
        other.refresh()
        return other

    def reopen(
        self, where: Where, *, root: bytes | None, config: Mapping[str, Any], optional: bool = False, limits: Limits
    ) -> "Store":
        """The repository at another directory, or with other settings, within the jail of this store: see
        `open_store`."""
        return open_store(where, root=root, jail=self.jail, config=config, optional=optional, limits=limits)

    def refresh(self) -> None:
        """Begin a new command: files that may have changed on disk are read again on use."""
        self.jail.refresh()
        self._opened, self._head = {}, None
        mine = self.__dict__
        if (files := mine.get("files")) is not None:
            files.refresh()
        if (odb := mine.get("odb")) is not None:
            odb.refresh()
        for name in ("mailmap", "shallow"):
            mine.pop(name, None)
        if (refs := mine.get("refs")) is not None:
            refs.backend.refresh()
        if "config" in mine and not self._config_is_current():
            mine.pop("config")
        self.per_call.clear()
        self.index_asked = False
        self.complaints, self.remarks = Messages(), Messages()
        if (cached := mine.get("_index")) is not None and cached[0] != (
            self._index_stamp(),
            self._base_stamp(cached[1]),
        ):
            mine.pop("_index", None)

    def close(self) -> None:
        """Close all opened files and drop all caches. The handle can still be used, and opens them again.

        Handles and engines refer to each other: else only the garbage collector frees the memory of a big answer.
        """
        mine = self.__dict__
        self._opened, self._head = {}, None
        if (odb := mine.get("odb")) is not None:
            odb.close()
        for name in mine.keys() & _MADE:
            del mine[name]
        self.per_call.clear()
        self.jail.refresh(keep=False)

    def stand_alone(self) -> None:
        """Allow commands without a repository: the object database is then empty, instead of an error."""
        if not self.exists and "odb" not in self.__dict__:
            self.__dict__["odb"] = Odb(self.jail, b"", self.hash_name)

    # --- places ------------------------------------------------------------------------------------------------------

    def _need(self) -> None:
        if not self.exists:
            raise NotARepository(NOT_FOUND, path=text(self.cwd))

    def git_path(self, name: bytes) -> bytes:
        """The absolute path of a file in the git directory, of this work tree or shared, by git's rules."""
        self._need()
        return (self.common_dir if self.linked and self.is_shared(name) else self.git_dir) + b"/" + name

    def is_shared(self, name: bytes) -> bool:
        """Whether all work trees share this file of the git directory; its lock lies beside it."""
        parts = [part for part in name.removesuffix(b".lock").split(b"/") if part] or [b""]
        return parts[0] in _SHARED and _OWN.isdisjoint((b"/".join(parts[:2]), b"/".join(parts[:3])))

    @lazy
    def files(self) -> WorkTree | None:
        """The files of the work tree; None in a bare repository."""
        return None if self.work_tree is None else WorkTree(self.jail, self.work_tree)

    def submodule(self, path: bytes) -> "Store | None":
        """The repository of a submodule's work tree, in the same jail; None if it is not checked out.

        Raises the errors of opening a broken one; `SandboxViolation` if its git directory lies outside.
        """
        if self.work_tree is None or self.files is None:
            return None
        status = self.files.lstat(path + b"/.git")
        if status is None:
            return None
        return self._neighbour(Where(cwd=self.work_tree + b"/" + path, ceilings=(self.work_tree,)))

    def above(self) -> "Store | None":
        """The repository around the work tree, in the same jail; None if there is none there."""
        parent = (self.work_tree or b"").rpartition(b"/")[0]
        return self._neighbour(Where(cwd=parent)) if parent and self.jail.allows(parent) else None

    def _neighbour(self, where: Where) -> "Store | None":
        try:
            layout = discover(where, jail=self.jail)
        except NotARepository:
            return None
        options = {key: value for key, value in self._config_options.items() if key != "overrides"}
        return Store(where, layout, self.jail, root=self._root, config=options, limits=self.limits)

    # --- settings ----------------------------------------------------------------------------------------------------

    @lazy
    def config(self) -> Config:
        """The merged configuration (git-config(1))."""
        if not self.exists:
            return load_config(self.jail, git_dir=None, common_dir=None, **self._config_options)
        return load_config(
            self.jail,
            git_dir=self.git_dir,
            common_dir=self.common_dir,
            shown=self.config_shown(),
            branch=self._branch,
            named=lambda: named_git_dir(self.layout, self.where, self.jail),
            opened=self._opened,
            **self._config_options,
        )

    def _config_is_current(self) -> bool:
        """Whether every file of the configuration is unchanged; False if the configuration also depends on the
        branch."""
        stamp = self.jail.stamp
        return not self._config_asked_head and all(stamp(path) == was for path, was in self.config.stamps)

    def config_shown(self) -> bytes:
        """The name of the repository's config file in git's messages."""
        return b"config" if self.git_dir == self.cwd else self.shown(self.common_dir + b"/config")

    def shown(self, path: bytes) -> bytes:
        """The name of a file of the git directory in git's messages: relative to where git works, if it lies there."""
        top = self.cwd if self.work_tree is None else self.work_tree
        if self.git_dir == top + b"/.git":
            return path.removeprefix(top + b"/")
        return b"." + path[len(self.cwd) :] if self.git_dir == self.cwd and path.startswith(self.cwd) else path

    def _branch(self) -> bytes | None:
        self._config_asked_head = True
        return self.refs.head()[0]

    # --- objects and refs --------------------------------------------------------------------------------------------

    @lazy
    def _packs(self) -> OpenPacks:
        return OpenPacks(ByOid((self.limits or Limits()).max_cache_bytes))

    @lazy
    def odb(self) -> Odb:
        """The object database."""
        self._need()
        limits = self.limits or Limits()
        return Odb(
            self.jail,
            self.objects_path,
            self.hash_name,
            shown=self.where.objects or self.shown(self.objects_path),
            more=[self._from_top(path) for path in self.where.alternates],
            replaced=self._replacements,
            grafts=self._grafts,
            partial=lambda: self.is_partial,
            limit=limits.max_object_bytes,
            opened=self._packs,
            graph=self._graph_wanted,
            complain=self._complain,
        )

    @property
    def objects_path(self) -> bytes:
        """The absolute path of the directory of the objects: GIT_OBJECT_DIRECTORY (git(1)), or the repository's own."""
        return self._from_top(self.where.objects) if self.where.objects else self.common_dir + b"/objects"

    def _from_top(self, path: bytes) -> bytes:
        """A path of the environment, relative to the directory in which git works: the top of the work tree, if there
        is one."""
        return path if path.startswith(b"/") else (self.work_tree or self.git_dir) + b"/" + path

    def _complain(self, line: str) -> None:
        self.complaints.append_once(line)

    @property
    def named(self) -> Jail:
        """The jail for files that are named on the command line.

        It is the repository, or the current directory without one, if a program uses git's own reach: otherwise whoever
        controls words of its command line could have any file shown (CVE-2025-68144 and similar ones).
        """
        if not (self.confined and self.jail.trusting):
            return self.jail
        return self.per_call.made(_NAMED, self._repository_alone)

    def _repository_alone(self) -> Jail:
        directories = (self.work_tree, self.git_dir, self.common_dir)
        roots = [self.jail.resolve(directory) for directory in directories if directory] or [self.cwd]
        return self.jail.narrowed(*roots)

    @property
    def is_partial(self) -> bool:
        """Whether objects may be missing on purpose: a partial clone."""
        if self.layout.partial:
            return True
        config = self.config
        return any(config.get_bool(f"remote.{text(name)}.promisor", False) for name in config.subsections(b"remote"))

    def _graph_wanted(self) -> bool:
        return bool(self.config.get_bool("core.commitGraph", True))

    def _replacements(self) -> dict[bytes, bytes]:
        if not self.replace or not self.config.get_bool("core.useReplaceRefs", True):
            return {}
        refs = list(self.replace_refs())
        return replacements(refs, self.hash_len, self._complain) if refs else {}

    def replace_refs(self) -> Iterator[tuple[bytes, bytes]]:
        """(name without the common prefix, oid) of the refs that replace objects."""
        base = self.where.replace_base
        folder = base[: base.rfind(b"/") + 1]
        rows = self.refs.iterate(folder or b"refs/")
        return ((name[len(base) :], oid) for name, oid in rows if name.startswith(base))

    def _grafts(self) -> dict[bytes, tuple[bytes, ...]]:
        grafts: dict[bytes, tuple[bytes, ...]] = {}
        named = self.where.graft_file
        path = self.common_dir + b"/info/grafts" if named is None else self._from_top(named)
        data = None if named == b"" else self.jail.read_optional(path, _SMALL)
        if data is not None:
            if self.config.get_bool("advice.graftFileDeprecated", True):
                self._complain(grafts_advice())
            grafts = parse_grafts(data, self.hash_len, self._complain)
        for oid in self._shallow():
            grafts[oid] = ()
        return grafts

    @lazy
    def shallow(self) -> frozenset[bytes]:
        """The commits whose parents a shallow clone left out."""
        return self._shallow()

    def _shallow(self) -> frozenset[bytes]:
        self._need()
        data = self.jail.read_optional(self.common_dir + b"/shallow", _SMALL)
        return frozenset() if not data else parse_shallow(data, self.hash_len)

    @lazy
    def refs(self) -> Refs:
        """The references."""
        self._need()
        return open_refs(
            self.jail, self.git_dir, self.common_dir, self.hash_len, reftable=self.layout.reftable, peel=self._peel_tag,
            head=self._head,
        )  # fmt: skip

    def _peel_tag(self, oid: bytes) -> bytes | None:
        """The object that an annotated tag leads to; None for any other object, or one that cannot be read."""
        try:
            odb = self.odb
            return odb.peel(oid) if odb.kind(oid) == b"tag" else None
        except GitError:
            return None

    # --- the rest ----------------------------------------------------------------------------------------------------

    def reflog(self, name: bytes) -> "Reflog":
        """The log of a ref by its full name; empty if it has none."""
        from ..refs.reflog import read_reflog

        return read_reflog(self.refs, name)

    @property
    def index(self) -> "Index":
        """The current index (checked once per command); an empty one if there is none."""
        self.index_asked = True
        cached: tuple[tuple[object, object], Index] | None = self.__dict__.get("_index")
        if cached is None:
            from ..index.file import load_index

            self._need()
            stamp = self._index_stamp()
            path = self.index_path
            folder, _, name = path.rpartition(b"/")
            shown = self.where.index or self.shown(path)
            index = load_index(self.jail, self.git_dir, self.hash_len, name, shown, folder)
            cached = self.__dict__["_index"] = ((stamp, self._base_stamp(index)), index)
        return cached[1]

    def index_bytes(self) -> bytes | None:
        """The content of the index file; None if there is none."""
        from ..index.index import MAX_INDEX

        return self.jail.read_optional(self.index_path, MAX_INDEX)

    @property
    def index_path(self) -> bytes:
        """The absolute path of the index file: the work tree's own, or the one that GIT_INDEX_FILE names (git(1))."""
        index = self.where.index
        if not index:
            return self.git_dir + (b"/index" if index is None else b"")
        return index if index.startswith(b"/") else (self.work_tree or self.cwd) + b"/" + index

    def _index_stamp(self) -> object:
        return self.jail.stamp(self.index_path)

    def _base_stamp(self, index: "Index") -> object:
        """The stamp of the base file of a split index; None for an index without a base."""
        if index.base_data is None:
            return None
        from ..index.file import base_path

        return self.jail.stamp(base_path(self.git_dir, index.base.hex()))

    @lazy
    def mailmap(self) -> "Mailmap":
        """The mailmap that git would use; falsy if there is none."""
        from .mailmap import load_mailmap, mailmap_outside

        if not self.exists:
            return mailmap_outside(self.config, self.jail, self.cwd)
        outside = self.work_tree is not None and not in_folder(self.cwd, self.work_tree)
        return load_mailmap(
            self.config, self.refs, self.odb, self.jail, self.files, bare=self.bare, outside=outside,
            base=self.cwd if outside else self.work_tree or self.git_dir, complaints=self.complaints,
        )  # fmt: skip

    def rules_file(self, path: bytes, limit: int) -> bytes | None:
        """A file of rules in the work tree (`WorkTree.read_rules`); git's warning is printed if it cannot be opened."""

        def refused(words: str) -> None:
            self.complaints.append(f"warning: unable to access '{text(path)}': {words}")

        try:
            return None if self.files is None else self.files.read_rules(path, limit, refused)
        except Corrupt as error:  # a FIFO, which git would wait for: treated as missing
            self.remarks.append(error.message)
            return None

    def notes(self, ref: bytes = b"refs/notes/commits") -> "Notes | None":
        """The notes of a ref (full name); None if there is no such ref."""
        from .notes import load_notes

        return load_notes(self.odb, self.refs, ref, self._complain)


class Shared:
    """The stores of one handle, which many threads may use. `first` is the one it was opened with.

    A Store's data of HEAD, index, configuration and warnings belongs to one command, and the next command reads it
    again; two simultaneous commands on one Store would disturb each other. So each has its own. They share data that
    stays valid: open packs, and what is remembered of objects (`memories.ByOid`).
    """

    __slots__ = ("_idle", "_lock", "_mine", "first")

    def __init__(self, first: Store) -> None:
        self.first = first
        self._idle = [first]
        self._lock = Lock()
        self._mine: dict[int, Store] = {}

    def take(self) -> Store:
        """A store that is not in use; if there are several, the one used last."""
        try:
            return self._idle.pop()
        except IndexError:
            return self.first.sibling()

    def give(self, store: Store) -> None:
        """Return a store to the pool after its call."""
        self._idle.append(store)

    def mine(self) -> Store:
        """The store of the calling thread, for callers that do not report when they are done."""
        thread = get_ident()
        store = self._mine.get(thread)
        if store is None:
            store = self.take()
            with self._lock:
                while len(self._mine) >= _MOST_THREADS:  # not closed: its thread may be reading
                    del self._mine[next(iter(self._mine))]
                self._mine[thread] = store
        return store

    def close(self) -> None:
        """Close the stores that are not in use."""
        for store in self._idle:
            store.close()


def _reopen(
    where: Where,
    root: bytes | None,
    config: Mapping[str, Any],
    limits: Limits | None,
    exists: bool,
    real: tuple[bytes, ...],
) -> Store:
    no_links(real)
    return open_store(where, root=root, config=config, limits=limits, optional=not exists)

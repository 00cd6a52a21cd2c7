"""git blame: which commit every line of a file comes from.

At first the final file is suspected of all its lines. Commits are processed by date, youngest first. Each passes the
lines that a parent's version of the file has (under another name, if it was renamed) on to that version; the remaining
lines come from the commit itself. Most of the time goes not into lines but into commits that leave the file unchanged.
So all lines are passed to a version with the same object name without reading it, and only the trees on the way to the
path are read, each once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from heapq import heappop, heappush

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.changes import Change, Contents, Filespec, absent
from ..diff.lines.ranges import Lines
from ..errors import Corrupt, MissingObject, NotFound, WrongKind, text
from ..history.entry_cache import EntryLookup, Finder
from ..limits import Context
from ..objects.parsed import is_tree
from ..repo.store import Store
from .origins import NOTHING, SCRIPTS, Entry, Origin, Runs, coalesce, divide
from .spec import BlameSpec, WorkFile

if TYPE_CHECKING:
    from ..diff.diffcore import diffcore
    from ..diff.lines.compare import match_lines
    from ..diff.spec import DiffSpec
    from ..diff.trees import diff_trees
    from ..graph.bloom import make_bloom_query
    from .copies import Copier
    from .ignore import pass_ignored
    from .near import distant_change
else:
    diffcore = deferred(__name__, "..diff.diffcore", "diffcore")
    match_lines = deferred(__name__, "..diff.lines.compare", "match_lines")
    DiffSpec = deferred(__name__, "..diff.spec", "DiffSpec")
    diff_trees = deferred(__name__, "..diff.trees", "diff_trees")
    make_bloom_query = deferred(__name__, "..graph.bloom", "make_bloom_query")
    Copier = deferred(__name__, ".copies", "Copier")
    pass_ignored = deferred(__name__, ".ignore", "pass_ignored")
    distant_change = deferred(__name__, ".near", "distant_change")


_KIND = 0o170000
_BLOBS_KEPT = 48 << 20


class Scoreboard:
    """The state of one blame. `run` yields entries as they are settled; afterwards `settled` has all of them."""

    __slots__ = (
        "_blob_bytes",
        "_blobs",
        "_bloom",
        "_contents",
        "_facts",
        "_finders",
        "_order",
        "_queue",
        "_scripts",
        "_suspects",
        "boundary",
        "commits_seen",
        "ctx",
        "final",
        "patches",
        "path",
        "ranges",
        "reads",
        "settled",
        "spec",
        "start",
        "store",
        "work",
    )

    def __init__(
        self, store: Store, path: bytes, start: bytes, spec: BlameSpec, work: WorkFile | None = None, *, ctx: Context
    ) -> None:
        """Prepare to blame `path` of commit `start` (or of `work`; `start` is then the null oid).

        Raises `NotFound` "no such path x in y" if that commit has no file at `path`.
        """
        self.store = store
        self.ctx = ctx
        self.path = path
        self.start = start
        self.spec = spec
        self.work = work
        self.boundary: set[bytes] = set()
        self.settled: list[Entry] = []
        self.reads = 1  # the version that is blamed, also if it is that of the work tree
        self.patches = self.commits_seen = 0
        self._facts = store.odb.facts_reader()
        self._suspects: dict[bytes, list[Origin]] = {}
        self._queue: list[tuple[int, int, bytes]] = []
        self._order = 0
        self._blobs: dict[bytes, bytes] = {}
        self._blob_bytes = 0
        self._finders: dict[bytes, Finder] = {}
        self._scripts = store.odb.by_oid.table(SCRIPTS)
        self._bloom = make_bloom_query(store, [path]) if spec.children is None and store.odb.graph is not None else None
        self._contents = Contents(store, ctx=ctx, work=None if work is None else lambda path, mode: work.data)
        self.final = Lines(self._first_version())
        #: the lines to blame, half-open, counted from zero: all lines, unless the caller restricts them
        self.ranges = [(0, self.final.count)]

    def _first_version(self) -> bytes:
        origin = Origin(self.start, self.path)
        if self.work is not None:
            origin.blob, origin.mode = self.work.oid, self.work.mode
            self._blobs[origin.blob] = self.work.data
            origin.loaded = True
        else:
            entry = self.entry(self.start, self.path)
            if entry is None or entry[0] & _KIND == 0o040000 or entry[0] & _KIND == 0o160000:
                name = text(self.spec.start_name) or self.start.hex()
                raise NotFound(f"no such path {text(self.path)} in {name}", path=text(self.path))
            origin.mode, origin.blob = entry
        self._suspects[self.start] = [origin]
        return self.data(origin)

    # ---------------------------------------------------------------------------------------------------- commits

    def time_of(self, commit: bytes) -> int:
        """The date that orders a commit in the queue."""
        return self.ctx.now if self.work is not None and commit == self.start else self._facts(commit)[1]

    def parents_of(self, commit: bytes) -> tuple[bytes, ...]:
        """The commits that lines can be passed to: parents, or children with --reverse."""
        if self.work is not None and commit == self.start:
            parents = self.work.parents
        elif self.spec.children is not None:
            return tuple(self.spec.children.get(commit, ()))
        else:
            parents = self._facts(commit)[0]
        return parents[:1] if self.spec.first_parent else parents

    def origins_of(self, commit: bytes) -> list[Origin]:
        """The origins of a commit, one for each path that was ever suspected."""
        return self._suspects.get(commit, [])

    def _push(self, commit: bytes) -> None:
        self._order += 1
        date = self.time_of(commit)
        heappush(self._queue, (date if self.spec.children is not None else -date, self._order, commit))

    # ---------------------------------------------------------------------------------------------------- running

    def run(self) -> Iterator[Entry]:
        """Blame, and yield each entry when it is settled."""
        first = self._suspects[self.start][0]
        first.runs = Runs.of((begin, end - begin, begin, 0) for begin, end in self.ranges if end > begin)
        if not first.runs:
            return
        self._push(self.start)
        queue, tick = self._queue, self.ctx.tick
        while queue:
            commit = heappop(queue)[2]
            while True:
                tick()
                waiting = [suspect for suspect in self._suspects[commit] if suspect.runs.starts]
                if not waiting:
                    break
                if len(waiting) == 1:
                    following = self._coast(commit, waiting[0])
                    if following is not None:
                        commit = following
                        continue
                yield from self._settle(commit, waiting[0])
                self.release(waiting[0])

    def _coast(self, commit: bytes, origin: Origin) -> bytes | None:
        """Follow first parents through commits that leave the file unchanged, until another commit of the queue is due.

        Returns the last commit reached, which is suspected of the lines now, or None if not even one step was possible.
        The result is that of passing the lines from parent to parent, without an origin for each commit on the way. A
        merge whose first parent has the same version of the file passes all lines to it, whatever other parents have.
        """
        if self.spec.children is not None or (self.work is not None and commit == self.start):
            return None
        facts, queue, suspects, tick = self._facts, self._queue, self._suspects, self.ctx.tick
        interesting, entry_in = self.spec.interesting, self._entry_in(origin.path)
        bloom = self._bloom if origin.path == self.path else None
        latest = -queue[0][0] if queue else -1
        entry = (origin.mode, origin.blob)
        reached, parents = commit, facts(commit)[0]
        while True:
            if interesting is not None and not interesting(reached):
                break
            if not parents or parents[0] in suspects:
                break
            parent = parents[0]
            tick()
            try:
                grandparents, date, tree = facts(parent)
            except NotFound:
                break
            if date <= latest or not ((bloom is not None and not bloom.maybe(reached)) or entry_in(tree) == entry):
                break
            reached, parents = parent, grandparents
        if reached == commit:
            return None
        target = self.origin(reached, origin.path)
        target.mode, target.blob = entry
        target.runs, origin.runs = origin.runs, NOTHING
        target.loaded, origin.loaded = target.loaded or origin.loaded, False
        self.release(origin)
        return reached

    def _settle(self, commit: bytes, origin: Origin) -> Iterator[Entry]:
        """Pass on what lines the parents have; the remaining lines come from this commit."""
        if self._may_look_behind(commit):
            self._pass(origin)
        else:
            self.boundary.add(commit)
        is_work = self.work is not None and commit == self.start
        if not self.spec.show_root and not is_work and not self._facts(commit)[0]:
            self.boundary.add(commit)
        if not origin.runs:
            return
        origin.guilty = True
        rows, origin.runs = origin.runs.rows(), NOTHING
        for run in rows:
            entry = Entry(origin, run)
            self.settled.append(entry)
            yield entry

    def _may_look_behind(self, commit: bytes) -> bool:
        spec = self.spec
        if spec.children is not None or spec.interesting is None:
            return True
        return (self.work is not None and commit == self.start) or spec.interesting(commit)

    def entries(self) -> list[Entry]:
        """All entries in the order of the final file; adjacent entries of one origin are joined."""
        self.settled = coalesce(self.settled)
        return self.settled

    # ---------------------------------------------------------------------------------------------------- origins

    def origin(self, commit: bytes, path: bytes) -> Origin:
        """The origin for a path of a commit, created if needed; it moves to the front of the commit's list."""
        suspects = self._suspects.setdefault(commit, [])
        for at, suspect in enumerate(suspects):
            if suspect.path == path:
                if at:
                    suspects.insert(0, suspects.pop(at))
                return suspect
        created = Origin(commit, path)
        suspects.insert(0, created)
        return created

    def release(self, origin: Origin | None) -> None:
        """Forget an origin that neither lines nor another origin lead to: the commit's next one with this path is new,
        and the first in its list."""
        while origin is not None and not (origin.runs.starts or origin.guilty or origin.followers):
            suspects = self._suspects[origin.commit]
            if origin not in suspects:
                return
            suspects.remove(origin)
            origin = origin.previous
            if origin is not None:
                origin.followers -= 1

    def entry(self, commit: bytes, path: bytes) -> tuple[int, bytes] | None:
        """(mode, oid) of a path in a commit's tree, or None; trees that were searched are remembered."""
        try:
            return self._entry_in(path)(self._facts(commit)[2])
        except (MissingObject, WrongKind):
            return None  # a tree on the way is missing

    def _entry_in(self, path: bytes) -> Finder:
        """A function that looks up a path in a tree."""
        find = self._finders.get(path)
        if find is None:
            entries = EntryLookup(self.store)
            finders = [entries.finder(name, first=True) for name in path.split(b"/")]
            find = self._finders[path] = finders[0] if len(finders) == 1 else partial(_in_turn, finders)
        return find

    def data(self, origin: Origin) -> bytes:
        """The content of an origin."""
        blob = origin.blob
        data = self._blobs.get(blob)
        if data is None:
            try:
                data = self.store.odb.blob(blob)
            except NotFound:
                raise Corrupt(f"Cannot read blob {blob.hex()} for path {text(origin.path)}") from None
            self._blob_bytes += len(data)
            while self._blob_bytes > _BLOBS_KEPT and self._blobs:
                oldest = next(iter(self._blobs))
                self._blob_bytes -= len(self._blobs.pop(oldest))
            self._blobs[blob] = data
        return data

    def load(self, origin: Origin) -> None:
        """Count one reading of an origin's content where git would read it, even if it is in memory here."""
        if not origin.loaded:
            origin.loaded = True
            self.reads += 1

    # ---------------------------------------------------------------------------------------------------- passing

    def _pass(self, origin: Origin) -> None:
        """Pass an origin's lines on to those parents of its commit that have them."""
        parents = self.parents_of(origin.commit)
        versions: list[Origin | None] = [None] * len(parents)
        if parents:
            self._pass_among(origin, parents, versions)
        origin.loaded = False
        for version in versions:
            if version is not None and not version.runs:
                version.loaded = False
                self.release(version)

    def _pass_among(self, origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]) -> None:
        if self._find_parents(origin, parents, versions):
            return
        self.commits_seen += 1
        for version in versions:
            if version is not None:
                if origin.previous is None:
                    origin.previous, version.followers = version, version.followers + 1
                self._pass_to(origin, version)
                if not origin.runs:
                    return
        if origin.commit in self.spec.ignored and self._pass_ignored(origin, versions):
            return
        if self.spec.moves or self.spec.copies:
            self._pass_copies(origin, parents, versions)

    def _find_parents(self, origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]) -> bool:
        """Fill in the parents' versions of the file; True if one is identical and all lines were passed to it."""
        for finder in (self._same_path, self._renamed):
            if finder == self._renamed and not self.spec.follow:
                break
            for at, parent in enumerate(parents):
                if versions[at] is not None:
                    continue
                try:
                    version = finder(parent, origin, not at)
                except NotFound:
                    continue
                if version is None:
                    continue
                if version.blob == origin.blob:
                    runs, origin.runs = origin.runs, NOTHING
                    version.loaded = version.loaded or origin.loaded
                    self.suspect(version, runs)
                    return True
                if not any(other is not None and other.blob == version.blob for other in versions[:at]):
                    versions[at] = version
                else:
                    self.release(version)
        return False

    def _same_path(self, parent: bytes, origin: Origin, first: bool) -> Origin | None:
        """The file with the same name in the parent."""
        for version in self._suspects.get(parent, ()):
            if version.path == origin.path:
                return version
        if first and self._bloom is not None and origin.path == self.path and self._surely_same(origin):
            mode, blob = origin.mode, origin.blob
        else:
            entry = self.entry(parent, origin.path)
            if entry is None or (entry[0] ^ origin.mode) & _KIND:
                return None
            mode, blob = entry
        version = self.origin(parent, origin.path)
        version.mode, version.blob = mode, blob
        return version

    def _surely_same(self, origin: Origin) -> bool:
        assert self._bloom is not None
        return not (self.work is not None and origin.commit == self.start) and not self._bloom.maybe(origin.commit)

    def _renamed(self, parent: bytes, origin: Origin, first: bool) -> Origin | None:
        """The file that the parent has, that the commit has not, and that is most similar to this one."""
        entry = self.entry(parent, origin.path)
        if entry is not None and not is_tree(entry[0]):  # another kind of file: for git the same one, of another type
            return None
        changes = self.changes(parent, origin, deletions=True)
        if len(changes) < 2:
            return None
        for change in diffcore(changes, self._contents, DiffSpec(renames=1), ctx=self.ctx):
            if change.status in "RC" and change.new.path == origin.path:
                version = self.origin(parent, change.old.path)
                assert change.old.oid is not None
                version.mode, version.blob = change.old.mode, change.old.oid
                return version
        return None

    def suspect(self, origin: Origin, runs: Runs) -> None:
        """Pass lines to an origin; its commit is queued unless it is waiting already."""
        if not runs.starts:
            return
        if origin.runs.starts:
            origin.runs.merge(runs)
            return
        waiting = any(suspect.runs.starts for suspect in self._suspects[origin.commit])
        origin.runs = runs
        if not waiting:
            self._push(origin.commit)

    def _pass_to(self, origin: Origin, parent: Origin) -> None:
        """Pass on the lines that the parent's version has, too."""
        self.patches += 1
        self.load(parent)
        self.load(origin)
        lines = self.spec.lines
        key = parent.blob, origin.blob, lines.minimal, lines.ignore_all_space, lines.indent_heuristic
        script = self._scripts.get(key)
        if script is None:
            old, new = self.data(parent), self.data(origin)
            script = None if lines.folds_space else distant_change(old, new, origin.runs)
        if script is None:
            script = match_lines(old, new, lines, self.ctx)
            self._scripts.put(key, script, len(script) + 4)
        passed, origin.runs = divide(origin.runs, script)
        self.suspect(parent, passed)

    def changes(self, parent: bytes, origin: Origin, *, deletions: bool = False) -> list[Change]:
        """Changes from a parent to the origin's commit; with `deletions` only deleted files and the origin's own."""
        new = None if self.work is not None and origin.commit == self.start else self._facts(origin.commit)[2]
        old = self._facts(parent)[2]
        if new is None:
            return self._changes_to_work(old, origin, deletions)
        changes = diff_trees(old, new, self.store.odb, DiffSpec(), ctx=self.ctx)
        if not deletions:
            return changes
        return [item for item in changes if (not item.new.mode if item.new.path != origin.path else not item.old.mode)]

    def _changes_to_work(self, old: bytes, origin: Origin, deletions: bool) -> list[Change]:
        """`changes` for the uncommitted version: the files that HEAD has and the index has not, and the blamed file."""
        assert self.work is not None
        indexed = self.work.indexed()
        changes = diff_trees(old, None, self.store.odb, DiffSpec(), ctx=self.ctx)
        deleted = [change for change in changes if change.old.path not in indexed and change.old.path != origin.path]
        work = Filespec(origin.path, origin.mode)
        return sorted([*deleted, Change("A", absent(origin.path), work)], key=lambda change: change.new.path)

    def changed_files(self, parent: bytes, origin: Origin) -> list[tuple[int, bytes, bytes]]:
        """(mode, path, oid) in the parent of the files that the origin's commit changed or deleted."""
        files = []
        for change in self.changes(parent, origin):
            if change.old.mode and change.old.oid is not None:
                files.append((change.old.mode, change.old.path, change.old.oid))
        return files

    def files_of(self, commit: bytes) -> list[tuple[int, bytes, bytes]]:
        """(mode, path, oid) of every file of a commit."""
        changes = diff_trees(self._facts(commit)[2], None, self.store.odb, DiffSpec(), ctx=self.ctx)
        return [(change.old.mode, change.old.path, change.old.oid) for change in changes if change.old.oid is not None]

    # ------------------------------------------------------------------------------------------ moves and ignoring

    def _pass_copies(self, origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]) -> None:
        Copier(self).run(origin, parents, versions)

    def _pass_ignored(self, origin: Origin, versions: list[Origin | None]) -> bool:
        """Guess which lines of an ignored commit come from its parents; True if no lines are left."""
        for version in versions:
            if version is not None:
                pass_ignored(self, origin, version)
                if not origin.runs:
                    return True
        return False


def _in_turn(finders: list[Finder], tree: bytes) -> tuple[int, bytes] | None:
    """The entry of a path in a tree, looked up one directory at a time."""
    mode, oid = 0o040000, tree
    for find in finders:
        if mode & _KIND != 0o040000:
            return None
        entry = find(oid)
        if entry is None:
            return None
        mode, oid = entry
    return mode, oid

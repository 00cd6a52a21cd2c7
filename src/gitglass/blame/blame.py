"""git blame: which commit every line of a file comes from.

The final file is suspected of all its lines. Commits are taken by date, youngest first; each passes the lines it shares
with a parent on to the parent's version of the file (under another name, where it was renamed), and keeps the rest:
those are its own. What costs is not the lines but the commits that leave the file alone, so a version with the same
object name is passed whole, unread, and only the trees on the way to the path are looked at, each once.
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
    """One blame at work. `run` yields entries as they are settled; `settled` has them all afterwards."""

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

        Raises `NotFound` "no such path x in y".
        """
        self.store = store
        self.ctx = ctx
        self.path = path
        self.start = start
        self.spec = spec
        self.work = work
        self.boundary: set[bytes] = set()
        self.settled: list[Entry] = []
        self.reads = 1  # the version that is blamed; a work tree's counts too
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
        #: the lines to blame, half-open, counted from zero: all, until a caller that has seen them wants fewer
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
        """The date a commit is taken by."""
        return self.ctx.now if self.work is not None and commit == self.start else self._facts(commit)[1]

    def parents_of(self, commit: bytes) -> tuple[bytes, ...]:
        """Whom lines can be passed to: parents, or children with --reverse."""
        if self.work is not None and commit == self.start:
            parents = self.work.parents
        elif self.spec.children is not None:
            return tuple(self.spec.children.get(commit, ()))
        else:
            parents = self._facts(commit)[0]
        return parents[:1] if self.spec.first_parent else parents

    def origins_of(self, commit: bytes) -> list[Origin]:
        """The paths of a commit that were ever suspected."""
        return self._suspects.get(commit, [])

    def _push(self, commit: bytes) -> None:
        self._order += 1
        date = self.time_of(commit)
        heappush(self._queue, (date if self.spec.children is not None else -date, self._order, commit))

    # ---------------------------------------------------------------------------------------------------- running

    def run(self) -> Iterator[Entry]:
        """Blame, yielding what is settled in the order it becomes so."""
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
                waiting = [one for one in self._suspects[commit] if one.runs.starts]
                if not waiting:
                    break
                if len(waiting) == 1:
                    further = self._coast(commit, waiting[0])
                    if further is not None:
                        commit = further
                        continue
                yield from self._settle(commit, waiting[0])

    def _coast(self, commit: bytes, origin: Origin) -> bytes | None:
        """Follow a line of commits that leave the file alone, as far as no other commit comes first.

        Gives the commit where it ended, with the lines now suspected there, or None when not a step could be made. It
        does what passing them from parent to parent does, without an origin for every commit on the way. A merge whose
        first parent has the very file passes all lines on to it, whatever the others have.
        """
        if self.spec.children is not None or (self.work is not None and commit == self.start):
            return None
        facts, queue, suspects, tick = self._facts, self._queue, self._suspects, self.ctx.tick
        interesting, entry_in = self.spec.interesting, self._entry_in(origin.path)
        bloom = self._bloom if origin.path == self.path else None
        latest = -queue[0][0] if queue else -1
        entry = (origin.mode, origin.blob)
        at, parents = commit, facts(commit)[0]
        while True:
            if interesting is not None and not interesting(at):
                break
            if not parents or parents[0] in suspects:
                break
            parent = parents[0]
            tick()
            try:
                further, date, tree = facts(parent)
            except NotFound:
                break
            if date <= latest or not ((bloom is not None and not bloom.maybe(at)) or entry_in(tree) == entry):
                break
            at, parents = parent, further
        if at == commit:
            return None
        one = self.origin(at, origin.path)
        one.mode, one.blob = entry
        one.runs, origin.runs = origin.runs, NOTHING
        one.loaded, origin.loaded = one.loaded or origin.loaded, False
        return at

    def _settle(self, commit: bytes, origin: Origin) -> Iterator[Entry]:
        """Pass on what can be passed on; what is left is this commit's own."""
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
        """All entries in the order of the final file, neighbours joined."""
        self.settled = coalesce(self.settled)
        return self.settled

    # ---------------------------------------------------------------------------------------------------- origins

    def origin(self, commit: bytes, path: bytes) -> Origin:
        """The origin for a path of a commit, made when it is new; it moves to the front of the commit's list."""
        suspects = self._suspects.setdefault(commit, [])
        for at, one in enumerate(suspects):
            if one.path == path:
                if at:
                    suspects.insert(0, suspects.pop(at))
                return one
        made = Origin(commit, path)
        suspects.insert(0, made)
        return made

    def entry(self, commit: bytes, path: bytes) -> tuple[int, bytes] | None:
        """(mode, oid) of a path in a commit's tree; trees that were looked at are remembered."""
        try:
            return self._entry_in(path)(self._facts(commit)[2])
        except (MissingObject, WrongKind):
            return None  # a tree on the way is not there

    def _entry_in(self, path: bytes) -> Finder:
        """What looks a path up in the tree of a commit."""
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
        """Count a reading of an origin's content, as git does; ours may have it already."""
        if not origin.loaded:
            origin.loaded = True
            self.reads += 1

    # ---------------------------------------------------------------------------------------------------- passing

    def _pass(self, origin: Origin) -> None:
        """Pass an origin's lines on to the parents of its commit, as far as they have them."""
        parents = self.parents_of(origin.commit)
        versions: list[Origin | None] = [None] * len(parents)
        if parents:
            self._pass_among(origin, parents, versions)
        origin.loaded = False
        for one in versions:
            if one is not None and not one.runs:
                one.loaded = False

    def _pass_among(self, origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]) -> None:
        if self._find_parents(origin, parents, versions):
            return
        self.commits_seen += 1
        for one in versions:
            if one is not None:
                if origin.previous is None:
                    origin.previous = one
                self._pass_to(origin, one)
                if not origin.runs:
                    return
        if origin.commit in self.spec.ignored and self._pass_ignored(origin, versions):
            return
        if self.spec.moves or self.spec.copies:
            self._pass_copies(origin, parents, versions)

    def _find_parents(self, origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]) -> bool:
        """Fill in the parents' versions of the file; True when one has the very same and took everything."""
        for finder in (self._same_path, self._renamed):
            if finder == self._renamed and not self.spec.follow:
                break
            for at, parent in enumerate(parents):
                if versions[at] is not None:
                    continue
                try:
                    one = finder(parent, origin, not at)
                except NotFound:
                    continue
                if one is None:
                    continue
                if one.blob == origin.blob:
                    runs, origin.runs = origin.runs, NOTHING
                    one.loaded = one.loaded or origin.loaded
                    self.suspect(one, runs)
                    return True
                if not any(other is not None and other.blob == one.blob for other in versions[:at]):
                    versions[at] = one
        return False

    def _same_path(self, parent: bytes, origin: Origin, first: bool) -> Origin | None:
        """The file of that name in the parent."""
        for one in self._suspects.get(parent, ()):
            if one.path == origin.path:
                return one
        if first and self._bloom is not None and origin.path == self.path and self._surely_same(origin):
            mode, blob = origin.mode, origin.blob
        else:
            entry = self.entry(parent, origin.path)
            if entry is None or (entry[0] ^ origin.mode) & _KIND:
                return None
            mode, blob = entry
        one = self.origin(parent, origin.path)
        one.mode, one.blob = mode, blob
        return one

    def _surely_same(self, origin: Origin) -> bool:
        assert self._bloom is not None
        return not (self.work is not None and origin.commit == self.start) and not self._bloom.maybe(origin.commit)

    def _renamed(self, parent: bytes, origin: Origin, first: bool) -> Origin | None:
        """The file of the parent that is gone in the child and most like this one."""
        if self.entry(parent, origin.path) is not None:
            return None
        changes = self.changes(parent, origin, deletions=True)
        if len(changes) < 2:
            return None
        for change in diffcore(changes, self._contents, DiffSpec(renames=1), ctx=self.ctx):
            if change.status in "RC" and change.new.path == origin.path:
                one = self.origin(parent, change.old.path)
                assert change.old.oid is not None
                one.mode, one.blob = change.old.mode, change.old.oid
                return one
        return None

    def suspect(self, origin: Origin, runs: Runs) -> None:
        """Lines are passed to an origin; its commit is queued when it was not waiting already."""
        if not runs.starts:
            return
        if origin.runs.starts:
            origin.runs.merge(runs)
            return
        waiting = any(one.runs.starts for one in self._suspects[origin.commit])
        origin.runs = runs
        if not waiting:
            self._push(origin.commit)

    def _pass_to(self, origin: Origin, parent: Origin) -> None:
        """Pass on the lines that the parent's version has too."""
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
        """What changed between a parent and the origin's commit; with `deletions` only those, and the origin's file."""
        new = None if self.work is not None and origin.commit == self.start else self._facts(origin.commit)[2]
        old = self._facts(parent)[2]
        if new is None:
            return self._changes_to_work(old, origin, deletions)
        changes = diff_trees(old, new, self.store.odb, DiffSpec(), ctx=self.ctx)
        if not deletions:
            return changes
        return [one for one in changes if (not one.new.mode if one.new.path != origin.path else not one.old.mode)]

    def _changes_to_work(self, old: bytes, origin: Origin, deletions: bool) -> list[Change]:
        """The same for the version no commit has: the files that HEAD has and the index has not, and this one."""
        assert self.work is not None
        indexed = self.work.indexed()
        changes = diff_trees(old, None, self.store.odb, DiffSpec(), ctx=self.ctx)
        gone = [one for one in changes if one.old.path not in indexed and one.old.path != origin.path]
        work = Filespec(origin.path, origin.mode)
        return sorted([*gone, Change("A", absent(origin.path), work)], key=lambda one: one.new.path)

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
        return [(one.old.mode, one.old.path, one.old.oid) for one in changes if one.old.oid is not None]

    # ------------------------------------------------------------------------------------------ moves and ignoring

    def _pass_copies(self, origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]) -> None:
        Copier(self).run(origin, parents, versions)

    def _pass_ignored(self, origin: Origin, versions: list[Origin | None]) -> bool:
        """Guess past a commit that is to be ignored; True when nothing is left."""
        for one in versions:
            if one is not None:
                pass_ignored(self, origin, one)
                if not origin.runs:
                    return True
        return False


def _in_turn(finders: list[Finder], tree: bytes) -> tuple[int, bytes] | None:
    """The entry of a path in a tree, a directory at a time."""
    mode, oid = 0o040000, tree
    for find in finders:
        if mode & _KIND != 0o040000:
            return None
        entry = find(oid)
        if entry is None:
            return None
        mode, oid = entry
    return mode, oid

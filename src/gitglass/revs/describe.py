"""git describe: names a commit after the nearest tag that it reaches (searched in `nearest.py`)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from heapq import heappop, heappush

from ..errors import BadRequest, GitError, MissingObject, NotFound, text
from ..graph.positions import Positions, by_position
from ..limits import Context
from ..objects.parsed import is_tree, tree_entries
from ..paths.wildmatch import any_of
from ..records import record
from ..repo.store import Store
from . import nearest
from .abbrev import Abbreviator
from .errors import bad_argument
from .nearest import Nearest, Search

MOST_CANDIDATES = 27  # git's limit: the number of its bits
ANNOTATED, LIGHTWEIGHT, OTHER = 2, 1, 0
_KINDS = {ANNOTATED: "annotated", LIGHTWEIGHT: "lightweight", OTHER: "head"}


@record(frozen=True)
class DescribeSpec:
    """The options of git-describe(1). `abbrev` None is the default length; `suffix` is the text that --dirty adds."""

    all: bool = False
    tags: bool = False
    long: bool = False
    abbrev: int | None = None
    candidates: int = 10
    first_parent: bool = False
    always: bool = False
    match: tuple[bytes, ...] = ()
    exclude: tuple[bytes, ...] = ()
    debug: bool = False


@record
class Name:
    """The ref that names a commit: `path` is below refs/tags/ (or below refs/ with --all)."""

    path: bytes
    prio: int
    oid: bytes
    tagger_time: int | None = None
    tag_name: bytes | None = None
    misnamed: bool = False
    plain: bool = False  # whether packed-refs says that it is no tag


class Describer:
    """Describes commits of one repository with one set of options; the names are collected once."""

    __slots__ = ("_abbrev", "_ctx", "_names", "_reached", "_spec", "_store")

    def __init__(self, store: Store, spec: DescribeSpec, *, ctx: Context) -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._abbrev: Abbreviator | None = None
        self._names = _gather(store, spec, ctx)
        self._reached = self._names

    @property
    def nameless(self) -> bool:
        """Whether no ref can name any commit."""
        return not self._names

    def describe(self, oid: bytes, shown: str, suffix: bytes = b"") -> bytes:
        """The description of a commit, tag or blob. Raises `NotFound` with git's message; `shown` is the requested
        name."""
        odb = self._store.odb
        try:
            target = odb.peel(oid)
            kind = odb.kind(target)
        except NotFound:
            kind, target = b"", oid
        if kind == b"commit":
            return self.commit(target, oid) + suffix
        if kind == b"blob" and oid == target:
            return self._blob(oid)
        raise BadRequest(f"{shown} is neither a commit nor blob", name=shown)

    # -------------------------------------------------------------------------------------------------- commits

    def commit(self, commit: bytes, given: bytes) -> bytes:
        """The description of a commit, without suffix; `given` is the named object (a tag, perhaps)."""
        spec = self._spec
        name = self._names.get(commit)
        if name is not None and (spec.tags or spec.all or name.prio == ANNOTATED):
            shown = self._shown(name)
            if name.misnamed or spec.long:
                # git names what the tag tags, if that is a tag again
                shown += self._tail(0, given if name.tag_name is None else self._store.odb.tag(name.oid).object)
            return shown
        if not spec.candidates:
            raise NotFound(f"no tag exactly matches '{commit.hex()}'")
        if spec.debug:
            self._ctx.say(b"No exact match on refs or tags, searching to describe\n")
        behind = self._search(commit)
        if not behind.candidates:
            return self._undescribed(commit, behind.passed)
        if spec.debug:
            self._report(behind)
        depth, _, best = behind.candidates[0]
        name = self._reached[best]
        shown = self._shown(name)
        if name.misnamed or spec.abbrev != 0:
            shown += self._tail(depth, commit)
        return shown

    def _undescribed(self, commit: bytes, unannotated: int) -> bytes:
        if self._spec.always:
            return self._short(commit)
        if unannotated:
            raise NotFound(
                f"No annotated tags can describe '{commit.hex()}'.\nHowever, there were unannotated tags: try --tags.",
                hint="try --tags",
            )
        raise NotFound(
            f"No tags can describe '{commit.hex()}'.\nTry --always, or create some tags.", hint="try --always"
        )

    def _search(self, commit: bytes) -> Nearest:
        """The names that the commit reaches, by oid; searched by position if a commit-graph has the commits."""
        spec, ctx = self._spec, self._ctx
        light = nearest.USABLE if spec.tags or spec.all else nearest.UNUSABLE
        self._reached = self._names | self._behind_tags()
        usable = {oid: nearest.ANNOTATED if name.prio == ANNOTATED else light for oid, name in self._reached.items()}

        def searched(positions: Positions, start: list[int]) -> Nearest:
            by_number = {
                position: use for oid, use in usable.items() if (position := positions.number(oid)) is not None
            }
            search = Search(positions.facts, by_number, most=spec.candidates, first_parent=spec.first_parent, ctx=ctx)
            return search.run(start[0]).named(positions.oid)

        result = by_position(self._store, [commit], ctx, searched)
        if result is not None:
            return result
        return Search(self._facts_reader(), usable, most=spec.candidates, first_parent=spec.first_parent, ctx=ctx).run(
            commit
        )

    def _facts_reader(self) -> Callable[[bytes], tuple[Sequence[bytes], int, bytes]]:
        """What the search asks of commits. git goes on past those that are missing, as if history began there."""
        read, say = self._store.odb.facts_reader(), self._ctx.say

        def facts(oid: bytes) -> tuple[Sequence[bytes], int, bytes]:
            try:
                return read(oid)
            except MissingObject:
                self._ctx.check()  # a merge can have a hundred thousand parents
                say(b"error: Could not read %s\n" % oid.hex().encode())
                return (), 0, b""

        return facts

    def _behind_tags(self) -> dict[bytes, Name]:
        """The commits behind tags that packed-refs takes for none. Strange but git's: they have no such name, but those
        that descend from them are described by it."""
        behind, odb = {}, self._store.odb
        for oid, name in self._names.items():
            if name.plain:
                with suppress(GitError):
                    commit = odb.peel(oid)
                    if commit != oid and commit not in self._names:
                        behind[commit] = name
        return behind

    def _report(self, behind: Nearest) -> None:
        say = self._ctx.say
        if behind.end is not None:
            say(b"finished search at " + behind.end.hex().encode() + b"\n")
        for depth, _, oid in behind.candidates:
            name = self._reached[oid]
            say(f" {_KINDS[name.prio]:<11} {depth:8} ".encode() + name.path + b"\n")
        say(b"traversed %d commits\n" % behind.visited)
        if behind.beyond is not None:
            most = self._spec.candidates
            say(b"more than %d tags found; listed %d most recent\n" % (most, most))
            say(b"gave up search at " + behind.beyond.hex().encode() + b"\n")

    # ------------------------------------------------------------------------------------------------- printing

    def _shown(self, name: Name) -> bytes:
        """The name as it is printed: for an annotated tag, the name in the tag object."""
        if name.prio == ANNOTATED and name.tag_name is None:
            try:
                name.tag_name = self._store.odb.tag(name.oid).tag
            except GitError as error:
                raise NotFound(f"annotated tag {text(name.path)} not available") from error
            own_name = name.path[5:] if self._spec.all else name.path
            if name.tag_name != own_name:
                self._ctx.warn(f"tag '{text(name.path)}' is externally known as '{text(name.tag_name)}'")
                name.misnamed = True
        if name.tag_name is not None:
            return b"tags/" + name.tag_name if self._spec.all else name.tag_name
        return name.path

    def _tail(self, depth: int, oid: bytes) -> bytes:
        return b"-%d-g%b" % (depth, self._short(oid))

    def _short(self, oid: bytes) -> bytes:
        if self._abbrev is None:
            self._abbrev = Abbreviator(self._store, self._spec.abbrev)
        return self._abbrev(oid)

    # ---------------------------------------------------------------------------------------------------- blobs

    def _blob(self, blob: bytes) -> bytes:
        """The description of the oldest commit reachable from HEAD that has the blob, and its path there; empty, as in
        git, if none has it."""
        head = self._store.refs.read(b"HEAD")
        if head is None:
            raise bad_argument(self._store, b"HEAD", ctx=self._ctx)
        order = self._by_date(head)
        seen: set[bytes] = set()
        for commit in reversed(order):
            path = self._find_blob(self._store.odb.commit_facts(commit)[2], blob, seen)
            if path is not None:
                return self.commit(commit, commit) + b":" + path
        return b""

    def _by_date(self, head: bytes) -> list[bytes]:
        facts = self._store.odb.commit_facts
        queue, seen, order = [(-facts(head)[1], 0, head)], {head}, []
        while queue:
            self._ctx.tick()
            oid = heappop(queue)[2]
            order.append(oid)
            for parent in facts(oid)[0]:
                if parent not in seen:
                    seen.add(parent)
                    heappush(queue, (-facts(parent)[1], len(seen), parent))
        return order

    def _find_blob(self, tree: bytes, blob: bytes, seen: set[bytes]) -> bytes | None:
        stack = [(tree, b"")]
        while stack:
            oid, base = stack.pop()
            if oid in seen:
                continue
            seen.add(oid)
            self._ctx.tick()
            below = []
            for mode, name, entry in tree_entries(self._store.odb.tree(oid), self._store.hash_len):
                if is_tree(mode):
                    below.append((entry, base + name + b"/"))
                elif entry == blob:
                    return base + name
            stack.extend(reversed(below))
        return None


def _gather(store: Store, spec: DescribeSpec, ctx: Context) -> dict[bytes, Name]:
    """The best name of every object that a ref leads to: annotated tags take precedence, the youngest among them."""
    names: dict[bytes, Name] = {}
    start = 5 if spec.all else 10
    refs, wanted = store.refs, _chooser(spec) if spec.match or spec.exclude else None
    peels = refs.peels()
    for full, oid in refs.iterate(b"refs/" if spec.all else b"refs/tags/"):
        ctx.tick()
        if wanted is not None and not wanted(full):
            continue
        try:
            peeled = peels[oid] if oid in peels else refs.listed_peel(full, oid)
        except GitError:  # a tag that leads to no object counts as a lightweight one
            peeled = None
        if peeled is not None and peeled != oid:
            target, prio = peeled, ANNOTATED
        else:
            target, prio = oid, LIGHTWEIGHT if full.startswith(b"refs/tags/") else OTHER
        old = names.get(target)
        new = Name(full[start:], prio, oid, plain=peeled is None and refs.backend.is_plain(full))
        if old is None or _replaces(store, old, new):
            names[target] = new
    return names


def _chooser(spec: DescribeSpec) -> Callable[[bytes], bool]:
    """A test of a ref by `--match` and `--exclude`."""
    excluded, included = any_of(spec.exclude), any_of(spec.match)

    def wanted(full: bytes) -> bool:
        for prefix in (b"refs/tags/", b"refs/heads/", b"refs/remotes/"):
            if full.startswith(prefix):
                name = full[len(prefix) :]
                return not excluded(name) and (not spec.match or included(name))
        return False

    return wanted


def _replaces(store: Store, old: Name, new: Name) -> bool:
    if old.prio < new.prio:
        return True
    if old.prio != ANNOTATED or new.prio != ANNOTATED:
        return False
    if old.tagger_time is None:
        old.tagger_time = _tagger_time(store, old.oid)
    new.tagger_time = _tagger_time(store, new.oid)
    return new.tagger_time is not None and (old.tagger_time is None or old.tagger_time < new.tagger_time)


def _tagger_time(store: Store, oid: bytes) -> int | None:
    try:
        tagger = store.odb.tag(oid).tagger
    except GitError:
        return None
    words = (tagger or b"").partition(b">")[2].split(None, 2)
    return int(words[0]) if words and words[0].isdigit() and len(words[0]) < 19 else 0


def describe(store: Store, oid: bytes, spec: DescribeSpec, *, ctx: Context) -> bytes:
    """One description. Raises `NotFound`, with git's message, if nothing describes the commit."""
    return Describer(store, spec, ctx=ctx).describe(oid, oid.hex())

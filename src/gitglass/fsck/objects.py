"""The state of every object during fsck: the kind that it was first taken for, and flags that later steps add.

The first reference to an object decides its kind. A later reference that disagrees is reported, and so is the object
itself ("object … is a blob, not a tree"). The state is one number an object; contents are read again when needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

from ..annotations import TYPE_CHECKING
from ..errors import Cancelled, Corrupt, GitError, MissingObject, Timeout, report, text
from ..graph.slots import Slots
from ..objects.loose_check import check_loose
from ..objects.pack import BLOB, COMMIT, KIND_NAMES, KIND_NUMBERS, TAG, TREE, Pack
from ..objects.parsed import is_gitlink, is_tree, object_name, odd_entries, tree_entries
from ..records import record

if TYPE_CHECKING:
    from ..limits import Context
    from ..repo.store import Store

KIND = 7  # the low bits of an object's state: the number of its kind, 0 if unknown
PARSED, HERE, CHECKED, USED, REACHED = 8, 16, 32, 64, 128

#: what a report adds to the exit status of git fsck; 128 is the status of git when it gives up
OBJECT, REACH, PACK, REFS, GRAPH, MIDX, FATAL = 1, 2, 4, 8, 16, 32, 128

_TYPE = re.compile(rb"type ([^\n]{1,19})\n")
#: an object that another one names: (kind number, oid); the oid is None if the object was found to be of another kind
Link = tuple[int, bytes | None]


@record
class Damage:
    """One thing that is wrong, or that git's fsck mentions.

    `words` is git's line, if git has one. `code` is the message id of git's fsck for what is wrong inside an object
    (`missingAuthor`), otherwise one of `missing`, `link`, `corrupt`, `hash`, `unparsable`, `kind`, `ref`, `reflog`,
    `index`, `pack`, `checksum`, `graph`, `midx`, `stray`, `dangling`, `notice`. `is_error` is False for git's warnings
    and notices. `status` is what the report adds to the exit status of `git fsck`; with 128 git gives up.
    """

    code: str
    words: str
    kind: str = ""
    oid: str = ""
    is_error: bool = True
    status: int = 0


@record(frozen=True)
class FsckSpec:
    """The options of git fsck.

    `heads`: words and the objects they name, to start from instead of refs, reflogs and the index; `index` adds the
    index again. `unreachable` reports all unreachable objects, not only those that no object names. `roots` reports
    root commits, `tags` the targets of tags. Without `packs`, objects in packs are not checked. `strict` turns warnings
    into errors. With `connectivity` only reachable objects are read; `dangling` then says whether unreachable objects
    are read too, to learn what they name.
    """

    heads: tuple[tuple[str, bytes | None], ...] = ()
    index: bool = False
    reflogs: bool = True
    packs: bool = True
    strict: bool = False
    unreachable: bool = False
    roots: bool = False
    tags: bool = False
    connectivity: bool = False
    dangling: bool = True


USUAL = FsckSpec()


class Findings:
    """Collects reports, each only once. Paths are named as git names them at the top of the work tree."""

    __slots__ = ("_fresh", "_objects", "_reported", "_shown")

    def __init__(self, store: Store) -> None:
        objects = store.common_dir + b"/objects/"
        self._objects, self._shown = text(objects), text(store.shown(objects))
        self._reported: set[str] = set()
        self._fresh: list[Damage] = []

    def path(self, path: bytes | str) -> str:
        """A path as git shows it."""
        return (path if isinstance(path, str) else text(path)).replace(self._objects, self._shown)

    def say(
        self,
        code: str,
        words: str,
        kind: int = 0,
        oid: bytes = b"",
        *,
        is_error: bool = True,
        status: int = 0,
        again: bool = False,
    ) -> None:
        """Add a report, unless the same line was reported before and is not to be said again."""
        line = report(words.encode("utf-8", "surrogateescape")).decode("utf-8", "replace").rstrip("\n")
        if again or line not in self._reported:
            self._reported.add(line)
            name = KIND_NAMES.get(kind, b"").decode()
            self._fresh.append(Damage(code, line, name, oid.hex(), is_error, status))

    def tell(self, code: str, words: str, kind: int, oid: bytes) -> None:
        """Add what was requested by -v, --root or --tags: it is reported for every copy of an object."""
        self._fresh.append(Damage(code, words, KIND_NAMES[kind].decode(), oid.hex(), is_error=False))

    def error(self, code: str, words: str, kind: int = 0, oid: bytes = b"", *, status: int = 0) -> None:
        """Report `error: …`."""
        self.say(code, f"error: {words}", kind, oid, status=status)

    def failure(self, code: str, error: GitError) -> None:
        """Report an exception, in its words."""
        words = self.path(error.words().rstrip(b"\n"))
        self.say(code, words, status=FATAL if "fatal: " in words else 0)

    def drain(self) -> Iterator[Damage]:
        """The reports since the last call."""
        fresh, self._fresh = self._fresh, []
        yield from fresh


class Objects:
    """The state of all objects, and the reading of objects into it."""

    def __init__(self, store: Store, findings: Findings, ctx: Context) -> None:
        self.odb = store.odb
        self.odb.fetch_if_missing = False  # fsck itself looks for missing objects
        self.ctx = ctx
        self.table: dict[bytes, int] = {}
        self.slots = Slots()
        self.findings = findings
        self.closed: dict[bytes, Pack] = {}  # packs that cannot be opened, by path; their objects count as missing
        self.broken: set[bytes] = set()  # packed bases that deltas could not be built on: they count as missing too
        self._graft = store.odb.grafted
        self._promised = any(pack.promisor for directory in self.odb.dirs for pack in directory.packs.values())
        width = self.odb.hash_len * 2
        self._hex = re.compile(rb"[0-9a-fA-F]{%d}" % width)
        self._tree_line = re.compile(rb"tree ([^\n]{%d})\n(?=.)" % width, re.DOTALL)
        self._parent_line = re.compile(rb"parent ([^\n]{%d})\n" % width)
        self._tag_start = re.compile(rb"object ([0-9a-fA-F]{%d})\n" % width)

    # --- states of objects --------------------------------------------------------------------------------------------

    def take_for(self, oid: bytes, kind: int) -> bool:
        """Whether an object may be of this kind. If its kind was unknown, it is set; a contradiction is reported."""
        self.slots.look(oid)
        return self._take(oid, kind)

    def _take(self, oid: bytes, kind: int) -> bool:
        state = self.table.get(oid, 0)
        if state & KIND == kind:
            return True
        if not state & KIND:
            self.table[oid] = state | kind
            return True
        current, want = KIND_NAMES[state & KIND].decode(), KIND_NAMES[kind].decode()
        self.findings.error("kind", f"object {oid.hex()} is a {current}, not a {want}", kind, oid)
        return False

    def mark(self, oid: bytes, flags: int) -> None:
        """Add flags to the state of an object."""
        self.table[oid] = self.table.get(oid, 0) | flags

    def kind(self, oid: bytes) -> str:
        """The name of the kind that an object is taken for."""
        number = self.table.get(oid, 0) & KIND
        if number:
            return KIND_NAMES[number].decode()
        try:
            return self.odb.kind(oid).decode()
        except (Corrupt, MissingObject):
            return "unknown"

    def is_promised(self, oid: bytes) -> bool:
        """Whether a partial clone left an object out on purpose: it has promisor packs and the object is missing."""
        return self._promised and not self.has(oid)

    # --- contents ----------------------------------------------------------------------------------------------------

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content); None if the object is missing, or unreadable, which is reported in git's words."""
        self.ctx.tick()
        if self.closed and self._is_closed(oid):
            return None
        try:
            return self.odb.read_raw(oid)
        except (Timeout, Cancelled):
            raise
        except MissingObject:
            return None
        except GitError as error:
            self._unreadable(oid, error)
            return None

    def has(self, oid: bytes) -> bool:
        """Whether an object is present, and not only in packs that cannot be opened."""
        return self.odb.has(oid) and not (self.closed and self._is_closed(oid))

    def _is_closed(self, oid: bytes) -> bool:
        """Whether an object is only in packs that cannot be opened."""
        if oid == self.odb.empty_tree:
            return False
        for directory in self.odb.dirs:
            packs = (pack for pack in directory.packs.values() if pack.path not in self.closed)
            if directory.loose.has(oid) or any(pack.find(oid) >= 0 for pack in packs):
                return False
        return True

    def _unreadable(self, oid: bytes, error: GitError) -> None:
        for directory in self.odb.dirs:
            view = directory.loose.view(oid)
            if view is not None:
                checked = check_loose(view, oid, self.odb.hash_name, self.ctx.limits.max_object_bytes)
                for line in checked.as_object(oid, self.findings.path(directory.loose.file(oid))):
                    self.findings.error("corrupt", line, 0, oid)
                break
        self.findings.failure("hash" if "hash mismatch" in error.message else "corrupt", error)

    def note(self, oid: bytes) -> None:
        """Mark an object of any kind as present."""
        self.slots.look(oid)
        self.mark(oid, HERE)

    def parse(self, oid: bytes) -> bool:
        """Whether an object is present and can be parsed."""
        self.slots.look(oid, make=False)
        if self.table.get(oid, 0) & PARSED:
            return True
        stored = self.read(oid)
        if stored is None:
            return False
        kind, content = stored
        if object_name(kind, content, self.odb.hash_name) != oid:
            self.findings.error("hash", f"hash mismatch {oid.hex()}", 0, oid)
            return False
        return self.take_in(oid, KIND_NUMBERS[kind], content)

    def take_in(self, oid: bytes, kind: int, content: bytes) -> bool:
        """Parse an object; returns whether its content is valid and agrees with the kind that it is taken for."""
        if not self.take_for(oid, kind):
            return False
        if self.table[oid] & PARSED:
            return True
        if kind == COMMIT and not self._commit(oid, content):
            return False
        if kind == TAG and not self._tag(oid, content):
            return False
        self.mark(oid, PARSED)
        return True

    def _commit(self, oid: bytes, raw: bytes) -> bool:
        def bad(words: str) -> bool:
            self.findings.error("unparsable", words, COMMIT, oid)
            return False

        name = oid.hex()
        start = self._tree_line.match(raw)
        if start is None:
            return bad(f"bogus commit object {name}")
        if self._hex.fullmatch(start[1]) is None:
            return bad(f"bad tree pointer in commit {name}")
        for kind, target in self._commit_links(oid, raw, bad):
            if target is None:
                return False
            if not self.take_for(target, kind):
                if kind == TREE:
                    return bad(f"bad tree pointer {target.hex()} in commit {name}")
                return bad(f"bad parent {target.hex()} in commit {name}")
        return True

    def _commit_links(self, oid: bytes, raw: bytes, bad: Callable[[str], object]) -> Iterator[Link]:
        """The tree and the parents of a commit whose first line names a tree."""
        width = 2 * self.odb.hash_len
        yield TREE, bytes.fromhex(raw[5 : 5 + width].decode("ascii", "replace"))
        at = width + 6
        graft = self._graft.get(oid)
        while raw.startswith(b"parent ", at) and len(raw) > at + width + 7:
            self.ctx.tick()
            line = self._parent_line.match(raw, at)
            if line is None or self._hex.fullmatch(line[1]) is None:
                bad(f"bad parents in commit {oid.hex()}")
                yield COMMIT, None
                return
            at = line.end()
            if graft is None:
                yield COMMIT, bytes.fromhex(line[1].decode("ascii"))
        for parent in graft or ():
            yield COMMIT, parent

    def _tag(self, oid: bytes, raw: bytes) -> bool:
        start = self._tag_start.match(raw)
        kind = _TYPE.match(raw, start.end()) if start is not None else None
        if start is None or kind is None:
            return False
        target, name = bytes.fromhex(start[1].decode("ascii")), oid.hex()
        number = KIND_NUMBERS.get(kind[1])
        if number is None:
            self.findings.error("unparsable", f"unknown tag type '{text(kind[1])}' in {name}", TAG, oid)
            return False
        if not self.take_for(target, number):
            self.findings.error("unparsable", f"bad tag pointer to {target.hex()} in {name}", TAG, oid)
            return False
        return raw.startswith(b"tag ", kind.end()) and raw.find(b"\n", kind.end()) >= 0

    # --- what objects name -------------------------------------------------------------------------------------------

    def links(self, oid: bytes, kind: int, raw: bytes) -> Iterator[Link | None]:
        """The objects that a parsed object names, in its order; None if the rest cannot be read."""
        if kind == TREE:
            yield from self._tree_links(oid, raw)
        elif kind == COMMIT:
            yield from self._commit_links(oid, raw, lambda words: None)
        elif kind == TAG:
            start = self._tag_start.match(raw)
            if start is not None:
                yield 0, bytes.fromhex(start[1].decode("ascii"))

    def _tree_links(self, oid: bytes, raw: bytes) -> Iterator[Link | None]:
        """The entries of a tree. git reads one entry ahead: if an entry is broken, the entry before it is lost too."""
        try:
            entries = tree_entries(raw, self.odb.hash_len)
        except Corrupt:
            yield from self._links_before_the_break(oid, raw)
            return
        links = [(TREE if is_tree(mode) else BLOB, target) for mode, _, target in entries if not is_gitlink(mode)]
        self.slots.look_each([target for _, target in links])
        get = self.table.get
        # most entries were in an earlier version of the tree: nothing is left to do for what is reached
        for number, target in [link for link in links if get(link[1], 0) & (KIND | REACHED) != link[0] | REACHED]:
            yield number, target if self._take(target, number) else None

    def _links_before_the_break(self, oid: bytes, raw: bytes) -> Iterator[Link | None]:
        entries = self._entries_before_the_break(oid, raw)
        try:
            first = next(entries, None)
        except Corrupt:
            yield None
            return
        for mode, _, target in chain((first,), entries) if first is not None else ():
            if not is_gitlink(mode):
                number = TREE if is_tree(mode) else BLOB
                yield number, target if self.take_for(target, number) else None

    def _entries_before_the_break(self, oid: bytes, raw: bytes) -> Iterator[tuple[int, bytes, bytes]]:
        previous = None
        try:
            for entry in odd_entries(raw, self.odb.hash_len):
                if previous is not None:
                    yield previous
                previous = entry
        except Corrupt as error:
            self.findings.error("unparsable", error.message, TREE, oid)
            if previous is None:
                raise

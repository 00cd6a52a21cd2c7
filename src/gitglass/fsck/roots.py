"""The starting points of git's fsck: refs, the HEADs and reflogs of all work trees, the index of this work tree.

The objects they name must be present and of the right kind. All of them are marked in `Reach`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from ..annotations import TYPE_CHECKING
from ..errors import Cancelled, GitError, Timeout, text
from ..objects.pack import BLOB, COMMIT, TREE
from ..refs.reflog import parse_entry
from ..refs.refs import Refs, is_per_worktree, open_refs
from .objects import FATAL, HERE, KIND, OBJECT, REACH, REFS, USUAL, FsckSpec, Objects
from .reach import Reach

if TYPE_CHECKING:
    from ..index.extensions import CacheTree
    from ..index.index import Index
    from ..repo.store import Store

_GITLINK = 0o160000
_REGULAR = 0o100000
_FORMAT = 0o170000


class Roots:
    """Collects the objects that anything outside of the object database names."""

    def __init__(self, store: Store, objects: Objects, reach: Reach) -> None:
        self.store = store
        self.objects = objects
        self.findings = objects.findings
        self.ctx = objects.ctx
        self.reach = reach
        self._any = False

    def check(self, spec: FsckSpec = USUAL) -> None:
        """Start from the refs, the HEAD and reflogs of every work tree, and the index; or from the given objects."""
        if spec.heads:
            self._named(spec.heads)
        else:
            self._default(spec.reflogs)
        if spec.index or not spec.heads:
            self._index()

    def _named(self, heads: Sequence[tuple[str, bytes | None]]) -> None:
        objects = self.objects
        for word, oid in heads:
            if oid is None:
                self.findings.error("ref", f"invalid parameter: expected sha1, got '{word}'", status=OBJECT)
                continue
            objects.slots.look(oid, make=False)
            if objects.table.get(oid, 0) & HERE:
                self.reach.start(oid)
            elif not objects.is_promised(oid):
                self.findings.error("missing", f"{oid.hex()}: object missing", 0, oid, status=OBJECT)

    def _default(self, reflogs: bool) -> None:
        for ref in self.store.refs.entries():
            self.ctx.tick()
            self._ref(text(ref.name), ref.oid or self.store.null)
        for front, refs in self._worktrees():
            self._head(front, refs)
            if front.startswith(b"worktrees/") and refs.lookup(b"HEAD").broken:  # git reads the main log too
                path = self.store.common_dir + b"/logs/HEAD"
                if self.store.jail.exists(path):
                    self.findings.error("reflog", f"bad ref for {text(path)}")
            for name in refs.backend.logs() if reflogs else ():
                self._log(front, refs, name)
        if not self._any:
            self.findings.say("notice", "notice: No default references", is_error=False)
            self.reach.unreachable = False  # then git calls dangling what is

    def _worktrees(self) -> Iterator[tuple[bytes, Refs]]:
        """(the prefix of its own refs, its refs) of the main work tree and of each linked one."""
        store, common = self.store, self.store.common_dir
        own = store.git_dir
        names = [b""]
        for name, kind in sorted(store.jail.scandir(common + b"/worktrees")):
            if kind == "d" and store.jail.exists(common + b"/worktrees/" + name + b"/gitdir"):
                names.append(name)
        for name in names:
            self.ctx.tick()
            folder = common + b"/worktrees/" + name if name else common
            if folder == own:
                yield b"", store.refs
                continue
            front = b"worktrees/" + name + b"/" if name else b"main-worktree/"
            yield (
                front,
                open_refs(store.jail, folder, common, store.hash_len, reftable=store.layout.reftable, head=None),
            )

    # --- references --------------------------------------------------------------------------------------------------

    def _ref(self, name: str, oid: bytes) -> None:
        objects = self.objects
        if not objects.parse(oid):
            if objects.is_promised(oid):
                self._any = True
                return
            self.findings.error("ref", f"{name}: invalid sha1 pointer {oid.hex()}", 0, oid, status=REACH)
            return
        is_branch = name == "HEAD" or name.startswith("refs/heads/")
        if is_branch and objects.table[oid] & KIND != COMMIT:
            self.findings.error("ref", f"{name}: not a commit", objects.table[oid] & KIND, oid, status=REFS)
        self._any = True
        self.reach.start(oid)

    def _head(self, front: bytes, refs: Refs) -> None:
        name = text(front) + "HEAD"
        end = refs.lookup(b"HEAD")
        if end.broken or (end.oid is None and not end.symbolic):
            self.findings.error("ref", f"invalid {name}", status=REFS)
            return
        if end.symbolic and not end.name.startswith(b"refs/heads/"):
            words = f"{name} points to something strange ({text(end.name)})"
            self.findings.error("ref", words, status=REFS)
        elif end.oid is None or end.oid == self.store.null:
            if end.symbolic:
                words = f"notice: {name} points to an unborn branch ({text(end.name[11:])})"
                self.findings.say("notice", words, is_error=False)
            else:
                self.findings.error("ref", f"{name}: detached HEAD points at nothing", status=REFS)
        if end.oid is not None and end.oid != self.store.null:
            self._ref(name, end.oid)

    def _log(self, front: bytes, refs: Refs, name: bytes) -> None:
        ref = refs.lookup(name)
        own = is_per_worktree(name) or name == b"HEAD"
        if ref.broken:
            if not self.store.layout.reftable:
                linked = front.startswith(b"worktrees/")
                path = self.store.common_dir + b"/" + (front if own and linked else b"") + b"logs/" + name
                if own or not linked:  # in a linked work tree git shows the full path of shared logs
                    path = self.store.shown(path)
                self.findings.error("reflog", f"bad ref for {text(path)}")
            return
        shown = text(front + name if own else name)
        for line in refs.backend.log(name) or ():
            self.ctx.tick()
            entry = parse_entry(line, self.store.hash_len)
            if entry is not None:
                self._logged(shown, entry.old)
                self._logged(shown, entry.new)

    def _logged(self, name: str, oid: bytes) -> None:
        if oid == self.store.null:
            return
        self.objects.slots.look(oid, make=False)
        if self.objects.table.get(oid, 0) & HERE:
            self.reach.start(oid)
        elif not self.objects.is_promised(oid):
            self.findings.error("reflog", f"{name}: invalid reflog entry {oid.hex()}", 0, oid, status=REACH)

    # --- the index ---------------------------------------------------------------------------------------------------

    def _index(self) -> None:
        objects = self.objects
        try:
            if not self._is_sealed():
                self.findings.error("index", "bad index file sha1 signature", status=FATAL)
                self.findings.say("index", "fatal: index file corrupt", status=FATAL)
                return
            index = self.store.index.expanded(self.store.odb.tree)
        except (Timeout, Cancelled):
            raise
        except GitError as error:
            self.findings.failure("index", error)
            return
        for mode, oid in zip(index.modes, index.oids, strict=True):
            self.ctx.tick()
            if mode & _FORMAT != _GITLINK and objects.take_for(oid, BLOB):
                self.reach.start(oid)
        if index.cache_tree is not None:
            self._cache_tree(index.cache_tree)
        self._resolve_undo(index)

    def _is_sealed(self) -> bool:
        """Whether the index ends with the hash of all its bytes before; True if it is too short for a hash."""
        data = self.store.index_bytes()
        width = self.store.hash_len
        if data is None or len(data) < 12 + width or not data.startswith(b"DIRC"):
            return True
        return hashlib.new(self.store.hash_name, memoryview(data)[:-width]).digest() == data[-width:]

    def _cache_tree(self, top: CacheTree) -> None:
        waiting = [top]
        while waiting:
            self.ctx.tick()
            node = waiting.pop()
            if node.oid is not None and not self._cached(node.oid):
                continue
            waiting.extend(reversed(node.subtrees.values()))

    def _cached(self, oid: bytes) -> bool:
        objects = self.objects
        if not objects.parse(oid):
            self.findings.error("index", f"{oid.hex()}: invalid sha1 pointer in cache-tree", TREE, oid, status=REFS)
            return False
        self.reach.start(oid)
        kind = objects.table[oid] & KIND
        if kind != TREE:
            words = f"error in {objects.kind(oid)} {oid.hex()}: non-tree in cache-tree"
            self.findings.say("index", words, kind, oid, status=OBJECT)
        return True

    def _resolve_undo(self, index: Index) -> None:
        for _, sides in index.resolve_undo:
            for mode, oid in sides:
                self.ctx.tick()
                if oid is None or mode & _FORMAT != _REGULAR:
                    continue
                if self.objects.parse(oid):
                    self.reach.start(oid)
                else:
                    words = f"{oid.hex()}: invalid sha1 pointer in resolve-undo"
                    self.findings.error("index", words, BLOB, oid, status=REFS)

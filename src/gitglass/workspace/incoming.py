"""Changes from elsewhere: pulled, rebased upon, merged; conflicts, and how they are settled. All in memory.

Mirrors git-merge(1), "How conflicts are presented", and git-rebase(1): unstaged changes are carried along, as with
`--autostash`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from ..diff.changes import Contents
from ..diff.lines.spec import LineSpec
from ..errors import Conflict, InvalidArgs, NotFound, TooLarge, Unsupported, text
from ..graph.merge_base import is_ancestor
from ..limits import Context
from ..merge.merge import Merger
from ..merge.spec import MergeResult, MergeSpec, Side
from ..merge.three_way import ORT, Sides, merge_texts
from ..objects.database import Odb
from ..objects.parsed import TREE, commit_parents, commit_tree
from ..records import record, replace
from .marks import LABELS, has_marks
from .model import Base, StagedCommit, WsConflict
from .overlay import Changed, WsEntry, build_tree, tree_changes
from .rules import checked_path, is_binary
from .staging import Staging

Strategy = Literal["merge", "ours", "theirs"]

_KIND = re.compile(rb"CONFLICT \(([^)]*)\)")
_MOST_COMMITS = 1_000  # of a source's history that are searched for the staged ones
_SPEC = MergeSpec((LABELS[0].encode(), LABELS[1].encode(), b"base"))


@record(frozen=True)
class Incoming:
    """A commit to pull or merge: the head of a target's ref, and the database that it is read from."""

    commit: str
    tree: str
    odb: Odb
    target: str = ""
    ref: str | None = None


@record(frozen=True)
class PullResult:
    """The paths that a pull wrote, those of them that are in conflict, and whether the base has moved."""

    pulled: tuple[str, ...]
    conflicts: tuple[str, ...]
    base_moved: bool = False
    unstaged: tuple[str, ...] = ()  # subjects of staged commits that could not be picked; the files have their changes


@record(frozen=True)
class MergedText:
    """A merged text, with conflict markers where the sides do not fit."""

    content: bytes
    conflicts: int

    @property
    def status(self) -> str:
        """Document 4's word for it: "clean" or "conflict"."""
        return "conflict" if self.conflicts else "clean"


def merge_contents(
    base: bytes | None,
    ours: bytes,
    theirs: bytes,
    *,
    labels: tuple[str, str] = LABELS,
    algorithm: Literal["histogram", "myers"] = "histogram",
    ctx: Context,
) -> MergedText:
    """Merge two texts and their common base (None: both are new). Nothing is read from the workspace or kept in it.

    With "histogram" as git-merge(1) does it, with "myers" as git-merge-file(1). Raises Unsupported for binary content.
    """
    if any(is_binary(one) for one in (base or b"", ours, theirs)):
        raise Unsupported("the contents are no text, and cannot be put together")
    names = (labels[0].encode("utf-8", "surrogateescape"), labels[1].encode("utf-8", "surrogateescape"), b"base")
    is_file = algorithm == "myers"
    lines = LineSpec(indent_heuristic=False) if is_file else ORT
    merged = merge_texts(base or b"", ours, theirs, Sides(names, joins_blank=is_file), lines, ctx=ctx)
    return MergedText(merged.text, merged.conflicts)


class Pulling(Staging):
    """A workspace that can pull, rebase onto and merge other commits."""

    def pull(
        self, source: Incoming, names: Sequence[str] = (), *, dest: str = "", strategy: Strategy = "merge"
    ) -> PullResult:
        """Pull a commit's files: at some paths, or (no `names`) all of them, and then the commit becomes the base.

        `dest` is a directory of the sandbox below which the files are put. Files that do not merge get conflict markers
        and are listed as conflicts; with "ours" or "theirs" that side's file is taken instead. Raises NotFound for a
        path that the commit does not have, TooLarge, Conflict if a directory is at a file's path or a file at a
        directory's.
        """
        with self.working() as ctx:
            self.layered.add_layer(source.odb)
            if names or dest:
                return self._pull_paths(source, names or ("",), dest, strategy, ctx)
            return self._rebase(source, strategy, ctx)

    def rebase(self, source: Incoming) -> PullResult:
        """Change the base to another commit: staged commits are picked onto it, and the unstaged changes carried
        along."""
        with self.working() as ctx:
            self.layered.add_layer(source.odb)
            return self._rebase(source, "merge", ctx)

    # --- the whole commit -------------------------------------------------------------------------------------------

    def _rebase(self, source: Incoming, strategy: Strategy, ctx: Context) -> PullResult:
        working = self.overlay.made(ctx)
        old, stack = self._not_there(source, ctx)
        again = len(stack) - len(self.staged)
        before, tree = bytes.fromhex(old.tree), bytes.fromhex(source.tree)
        self._check_size(tree_changes(self.store, before, tree, ctx))
        there = self._arrived(source, old, stack, ctx)
        before = bytes.fromhex(stack[there - 1].tree) if there else before
        result = self._put_together(before, working, tree, strategy, ctx)
        base = Base(source.commit, source.tree, self.base.hash_name, source.target, source.ref)
        staged, lost = self._followers(base, old, stack, there, ctx)
        self.pushed = (*self.pushed, *(replace(one, state="pushed") for one in self.staged[: max(there - again, 0)]))
        top = bytes.fromhex(staged[-1].tree) if staged else tree
        changes = tree_changes(self.store, top, result.tree, ctx)
        pulled = tree_changes(self.store, working, result.tree, ctx)
        conflicts = {**self._open_conflicts(result.tree), **self._conflicts_of(result)}
        self.settle(f"pull {source.ref or source.commit[:12]}", base=base, tree=top, changes=changes, staged=staged,
                    conflicts=conflicts, seen={})  # fmt: skip
        return _pulled(pulled, result, base_moved=True, unstaged=tuple(one.subject for one in lost))

    def _not_there(self, source: Incoming, ctx: Context) -> tuple[Base, tuple[StagedCommit, ...]]:
        """(the base of the stack, the stack), including pushed commits that the source's history does not have.

        Those are commits that were pushed to another target; the base is the last of them.
        """
        ours = {one.commit: one for one in self.pushed}
        own: list[StagedCommit] = []
        at = self.base.commit
        while at in ours and not self._is_behind(at, source, ctx):
            own.insert(0, replace(ours[at], state="open"))
            at = own[0].parent
        if not own or at is None:
            return self.base, self.staged
        tree = commit_tree(self.store.odb.read_raw(bytes.fromhex(at))[1], bytes.fromhex(at)).hex()
        return Base(at, tree, self.base.hash_name, self.base.target, self.base.ref), (*own, *self.staged)

    def _is_behind(self, commit: str, source: Incoming, ctx: Context) -> bool:
        return is_ancestor(self.store, bytes.fromhex(commit), bytes.fromhex(source.commit), ctx=ctx)

    def _arrived(self, source: Incoming, base: Base, stack: tuple[StagedCommit, ...], ctx: Context) -> int:
        """How many commits of a stack on a `base` are in the source's history: they were pushed without a known result.
        A commit that has another name there is recognized by its parent, its tree and its message."""
        if not stack or base.commit is None:
            return 0
        names: set[bytes] = set()
        rows: dict[tuple[tuple[bytes, ...], bytes, bytes], bytes] = {}
        todo, end = [bytes.fromhex(source.commit)], bytes.fromhex(base.commit)
        while todo and len(names) < _MOST_COMMITS:
            ctx.tick()
            oid = todo.pop(0)
            if oid == end or oid in names or not self.store.odb.has(oid):
                continue
            names.add(oid)
            raw = self.store.odb.read_raw(oid)[1]
            parents = tuple(commit_parents(raw, oid))
            rows[parents, commit_tree(raw, oid), raw.partition(b"\n\n")[2].strip()] = oid
            todo += parents
        parent = end
        for count, one in enumerate(stack):
            oid = bytes.fromhex(one.commit)
            if oid not in names:
                parents = (parent,) if one.merged is None else (parent, bytes.fromhex(one.merged))
                words = one.message.strip().encode("utf-8", "surrogateescape")
                other = rows.get((parents, bytes.fromhex(one.tree), words))
                if other is None:
                    return count
                oid = other
            parent = oid
        return len(stack)

    def _followers(
        self, base: Base, old: Base, stack: tuple[StagedCommit, ...], first: int, ctx: Context
    ) -> tuple[tuple[StagedCommit, ...], list[StagedCommit]]:
        """(the commits of a stack from position `first` on, picked onto another base, those that could not be picked).

        `old` is the base that the stack is on.
        """
        made: list[StagedCommit] = []
        kept = self.base
        try:
            self.base = base
            for at, one in enumerate(stack):
                if at < first:
                    continue
                before = bytes.fromhex(stack[at - 1].tree if at else old.tree)
                try:
                    made += self.picked([one], before, made[-1] if made else None, ctx)
                except Conflict:
                    return tuple(made), list(stack[at:])
        finally:
            self.base = kept
        return tuple(made), []

    # --- some paths -------------------------------------------------------------------------------------------------

    def _pull_paths(
        self, source: Incoming, names: Sequence[str], dest: str, strategy: Strategy, ctx: Context
    ) -> PullResult:
        front = self._folder(dest)
        theirs, bases = self._chosen_files(source, names, front)
        for path, file in theirs.items():
            checked_path(path, self.limits)
            if file is not None and file != self.overlay.look(path):
                self.overlay.check(path)
        self._check_size(theirs)
        working = self.overlay.made(ctx)
        base = build_tree(self.store, working, bases, ctx)
        incoming = build_tree(self.store, working, theirs, ctx)
        result = self._put_together(base, working, incoming, strategy, ctx)
        pulled = tree_changes(self.store, working, result.tree, ctx)
        changes = tree_changes(self.store, self.overlay.tree, result.tree, ctx)
        conflicts = {**self._open_conflicts(result.tree), **self._conflicts_of(result)}
        self.settle(f"pull {' '.join(names)[:80]}", tree=self.overlay.tree, changes=changes, staged=self.staged,
                    conflicts=conflicts, seen={**self.seen, **theirs})  # fmt: skip
        return _pulled(pulled, result)

    def listed(self, source: Incoming, names: Sequence[str]) -> list[bytes]:
        """The paths of a commit's files that names stand for. Raises NotFound."""
        with self.working():
            self.layered.add_layer(source.odb)
            return sorted(self._chosen_files(source, names, b"")[0])

    def _folder(self, dest: str) -> bytes:
        folder = self.path(dest).rstrip(b"/")
        return folder + b"/" if folder else b""

    def _chosen_files(self, source: Incoming, names: Sequence[str], front: bytes) -> tuple[Changed, Changed]:
        """(the files of a commit, their common bases) by their paths in the workspace. Raises NotFound."""
        tree, old = bytes.fromhex(source.tree), bytes.fromhex(self.base.tree)
        related = source.target == self.base.target and self.base.commit is not None
        theirs: Changed = {}
        bases: Changed = {}
        for name in names:
            wanted = name.encode("utf-8", "surrogateescape").strip(b"/")
            wanted = b"" if wanted == b"." else wanted
            rows = dict(self._below(tree, wanted))
            before = {} if front else dict(self._below(old, wanted))
            gone = before.keys() - rows.keys() if related else set()  # a pull from another repository deletes no file
            if not rows and not gone:
                raise NotFound(f"'{name}' is not in {source.ref or source.commit[:12]}", path=name)
            for path in rows.keys() | gone:
                theirs[front + path] = rows.get(path)
                bases[front + path] = self.seen.get(front + path, before.get(path))
        return theirs, bases

    def _below(self, tree: bytes, path: bytes) -> Iterable[tuple[bytes, WsEntry]]:
        entry = self.store.odb.entry(tree, path)
        if entry is None:
            return ()
        if entry[0] != TREE:
            return ((path, WsEntry(*entry)),)
        return self.overlay.walk(entry[1], path + b"/" if path else b"")

    def _check_size(self, files: Changed) -> None:
        limit, size = self.limits.pull_bytes, 0
        if len(files) > 10 * self.limits.files:
            raise TooLarge(f"more than {10 * self.limits.files} files would come in", limit=self.limits.files)
        for file in files.values():
            if file is not None and not file.is_submodule:
                size += self.store.odb.kind_size(file.oid)[1]
        if size > limit:
            raise TooLarge(f"{size} bytes would come in, more than {limit}", limit=limit, size=size)

    # --- merging ----------------------------------------------------------------------------------------------------

    def _put_together(self, base: bytes, ours: bytes, theirs: bytes, strategy: Strategy, ctx: Context) -> MergeResult:
        result = self.merged(base, ours, theirs, ctx, _SPEC)
        if strategy == "merge" or not result.conflicts:
            return result
        side = 1 if strategy == "ours" else 2
        taken = {path: _file(stages[side]) for path, stages in result.conflicts.items()}
        return MergeResult(build_tree(self.store, result.tree, taken, ctx), True)

    def merge(self, source: Incoming, message: str | None = None) -> StagedCommit:
        """Make a merge commit of the stack and another commit. Raises Conflict if they do not merge; then nothing
        changes."""
        with self.working() as ctx:
            self.layered.add_layer(source.odb)
            if self.top is None:
                raise InvalidArgs("there is nothing to merge into")
            if self._arrived(source, self.base, self.staged, ctx):
                raise Conflict("staged commits are there already", hint="ws_pull takes them off the stack.")
            ours, theirs = bytes.fromhex(self.top), bytes.fromhex(source.commit)
            merger = Merger(Contents(self.store, ctx=ctx), ctx=ctx)
            result = merger.commits(ours, theirs, _SPEC)
            if not result.clean:
                paths = sorted(text(path) for path in result.conflicts)
                raise Conflict(f"merge conflict in {', '.join(paths)}", paths=paths,
                               hint="ws_pull puts both sides into the files, with marks.")  # fmt: skip
            for kind, content in merger.made.objects.values():
                self.layered.add(kind, content)
            working = self.overlay.made(ctx)
            moved = self._put_together(self.overlay.tree, working, result.tree, "merge", ctx)
            words = message or f"Merge {source.ref or source.commit[:12]}"
            made = self._commit(result.tree, [ours, theirs], words + "\n", (), ctx)
            changes = tree_changes(self.store, result.tree, moved.tree, ctx)
            conflicts = {**self._open_conflicts(moved.tree), **self._conflicts_of(moved)}
            self.settle(made.subject, tree=result.tree, changes=changes, staged=(*self.staged, made),
                        conflicts=conflicts)  # fmt: skip
            return made

    # --- conflicts --------------------------------------------------------------------------------------------------

    def _open_conflicts(self, tree: bytes) -> dict[bytes, WsConflict]:
        """The open conflicts, without those that had markers in a file that is gone."""
        return {path: one for path, one in self.conflicts.items()
                if not one.marked or self.store.odb.entry(tree, path) is not None}  # fmt: skip

    def _conflicts_of(self, result: MergeResult) -> dict[bytes, WsConflict]:
        return {path: self._conflict(path, stages, result) for path, stages in result.conflicts.items()}

    def _conflict(self, path: bytes, stages: tuple[Side, Side, Side], result: MergeResult) -> WsConflict:
        messages = [one for one in result.messages.get(path, ()) if not one.hint]
        if not messages:
            messages = [one for row in result.messages.values() for one in row if path in one.paths and not one.hint]
        kinds = [match[1] for match in (_KIND.search(one.kind) for one in messages) if match]
        words = [match[1] for match in (_KIND.search(one.text) for one in messages) if match]
        kind = b"binary" if b"binary" in kinds else words[0] if words else b"content"
        base, ours, theirs = (_file(side) for side in stages)
        entry = self.store.odb.entry(result.tree, path)
        marked = entry is not None and entry[0] != TREE and entry[0] >> 12 == 8 and has_marks(self.blob(entry[1]))
        return WsConflict(path, text(kind), base, ours, theirs, marked, "; ".join(text(one.text) for one in messages))

    def resolve(
        self, name: str, take: Literal["ours", "theirs", "base", "content"], content: bytes | None = None,
        *, keep_markers: bool = False,
    ) -> None:  # fmt: skip
        """Settle a conflict: take a side's file (or its absence), or content. Raises InvalidArgs for a path that is not
        in conflict, Conflict for content with markers, unless `keep_markers`."""
        with self.working():
            path = self.path(name)
            conflict = self.conflicts.get(path)
            if conflict is None:
                raise InvalidArgs(f"'{name}' is not in conflict")
            if (take == "content") != (content is not None):
                raise InvalidArgs("content: it goes with take=content, and only with that")
            file = {"ours": conflict.ours, "theirs": conflict.theirs, "base": conflict.base}.get(take)
            if content is not None:
                if has_marks(content) and not keep_markers:
                    raise Conflict(f"the content for '{name}' holds marks of a conflict", path=name)
                old = conflict.ours or conflict.theirs or conflict.base
                file = WsEntry(old.mode if old is not None and old.mode >> 12 == 8 else 0o100644, self.keep(content))
                if keep_markers:
                    self.kept_marks.add(file.oid)
            if file is not None and file != self.overlay.look(path):
                self.overlay.check(path)
            self._set(f"resolve {text(path)}", {path: file})
            self.conflicts = {other: one for other, one in self.conflicts.items() if other != path}


def _file(side: Side) -> WsEntry | None:
    mode, oid = side
    return None if not mode or oid is None or mode == TREE else WsEntry(mode, oid)


def _pulled(
    changes: Changed, result: MergeResult, *, base_moved: bool = False, unstaged: tuple[str, ...] = ()
) -> PullResult:
    conflicts = tuple(sorted(text(path) for path in result.conflicts))
    pulled = tuple(sorted({*conflicts, *(text(path) for path in changes)}))
    return PullResult(pulled, conflicts, base_moved, unstaged)

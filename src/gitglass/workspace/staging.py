"""Staging: chosen files become a real commit, in memory, with its final name.

Staged commits are a stack over the base: each has the one before as its parent. The contents of the files do not change
when commits are staged, amended or discarded; only the list of unstaged changes gets shorter or longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..diff.changes import Contents
from ..errors import Conflict, InvalidArgs, NotFound, TooLarge, text
from ..limits import Context
from ..merge.merge import Merger
from ..merge.spec import MergeResult, MergeSpec
from ..mutate.grant import Identity
from ..records import replace
from .commits import commit_bytes, commit_of, ident, message_of, staged_files
from .files import WsFiles
from .marks import has_marks
from .model import Identities, StagedCommit
from .overlay import Changed, WsEntry, build_tree, tree_changes

_SHORTEST = 6


class Staging(WsFiles):
    """Files, and the stack of commits that were staged from them."""

    def __init__(self, *words: Any, identity: Identities | None = None, **options: Any) -> None:
        super().__init__(*words, **options)
        self.identity = identity
        self.reviews: list[dict[str, object]] = []  # decisions and comments of reviewers, for the agent
        self.pushed: tuple[StagedCommit, ...] = ()  # commits that were pushed, and are no longer in the stack
        self.kept_marks: set[bytes] = set()  # blobs whose conflict markers are intended

    # --- the stack --------------------------------------------------------------------------------------------------

    @property
    def top(self) -> str | None:
        """The last staged commit, or the base's."""
        return self.staged[-1].commit if self.staged else self.base.commit

    def find(self, word: str) -> StagedCommit:
        """A staged commit by its id or its object name, or by at least six digits with which either begins. Raises
        NotFound, InvalidArgs if several match."""
        fitting = [one for one in self.staged if word in (one.id, one.commit)]
        if not fitting and len(word) >= _SHORTEST:
            fitting = [one for one in self.staged if one.id.startswith(word) or one.commit.startswith(word)]
        if len(fitting) > 1:
            raise InvalidArgs(f"'{word}' begins several staged commits")
        if not fitting:
            raise NotFound(f"no staged commit is called '{word}'", commit=word)
        return fitting[0]

    def tree_before(self, at: int) -> bytes:
        """The tree on which the staged commit at a position was made."""
        return bytes.fromhex(self.staged[at - 1].tree if at else self.base.tree)

    # --- stage ------------------------------------------------------------------------------------------------------

    def stage(
        self,
        names: Sequence[str],
        message: str | None,
        *,
        amend: str | bool = False,
        co_authors: Sequence[Identity] = (),
    ) -> StagedCommit:
        """Make a commit of changed files; `amend` puts them into the last commit (True) or a named one, and those above
        it are rebased. None for `message` keeps that of the amended commit.

        Raises InvalidArgs, NotFound for a file without changes, Conflict for the markers of an open conflict and if
        commits above cannot be rebased.
        """
        with self.working() as ctx:
            changes = self._chosen(names, amend=bool(amend))
            if amend:
                if not self.staged:
                    raise InvalidArgs("amend: nothing is staged")
                target = self.staged[-1] if amend is True else self.find(amend)
                return self._amended(target, changes, message, co_authors, ctx)
            if len(self.staged) >= self.limits.staged:
                raise TooLarge(f"more than {self.limits.staged} commits would be staged", limit=self.limits.staged)
            tree = build_tree(self.store, self.overlay.tree, changes, ctx)
            parents = [bytes.fromhex(self.top)] if self.top is not None else []
            made = self._commit(tree, parents, message or "", co_authors, ctx)
            left = {path: file for path, file in self.overlay.changes.items() if path not in changes}
            self.settle(f"stage {made.subject}", tree=tree, changes=left, staged=(*self.staged, made),
                        conflicts=self._settled(changes))  # fmt: skip
            return made

    def _settled(self, changes: Changed) -> dict[bytes, Any]:
        return {path: one for path, one in self.conflicts.items() if path not in changes}

    def _chosen(self, names: Sequence[str], *, amend: bool) -> Changed:
        """The changes of the files that names stand for. Raises as `stage`."""
        if not names and not amend:
            raise InvalidArgs("files: name the files to stage")
        chosen: Changed = {}
        for name in names:
            path = self.path(name)
            if path not in self.overlay.changes:
                fault = "is a directory: name its files" if self.overlay.is_folder(path) else "has no changes to stage"
                raise NotFound(f"'{name}' {fault}", path=name)
            chosen[path] = self.overlay.changes[path]
        self._check_marks(chosen)
        return chosen

    def _check_marks(self, chosen: Changed) -> None:
        for path, file in chosen.items():
            conflict = self.conflicts.get(path)
            if conflict is not None and not conflict.marked:
                raise Conflict(f"'{text(path)}' is in conflict: {conflict.message}", path=text(path),
                               hint="Settle it with ws_resolve.")  # fmt: skip
            if file is not None and not file.is_submodule and file.oid not in self.kept_marks:
                self._need_no_marks(path, file, conflict is not None)

    def _need_no_marks(self, path: bytes, file: WsEntry, in_conflict: bool) -> None:
        if not has_marks(self.blob(file.oid)):
            return
        old = self.overlay.stored(path)
        if in_conflict or old is None or old.is_submodule or not has_marks(self.blob(old.oid)):
            raise Conflict(f"'{text(path)}' holds marks of a conflict", path=text(path),
                           hint="Settle it first: write the file without them, or use ws_resolve.")  # fmt: skip

    def _commit(
        self,
        tree: bytes,
        parents: list[bytes],
        message: str,
        co_authors: Sequence[Identity],
        ctx: Context,
        old: StagedCommit | None = None,
    ) -> StagedCommit:
        """A new commit; `old` is the commit that it replaces. Raises InvalidArgs without an identity."""
        people = self.identity
        if people is None:
            raise InvalidArgs("the host has to name an identity for commits")
        moment = self.clock.moment()
        committer = ident(people.committer or people.author, moment)
        if old is None:
            people = replace(people, co_authors=(*people.co_authors, *co_authors))
            words, author = message_of(self, message, people, self.limits), ident(people.author, moment)
        else:
            words, author = message.encode("utf-8", "surrogateescape"), old.author.encode("utf-8", "surrogateescape")
        oid = self.layered.add(b"commit", commit_bytes(tree, parents, author, committer, words))
        before = bytes.fromhex(self.base.tree) if not parents else commit_of(self, parents[0]).tree
        files = staged_files(self, before, tree, ctx)
        return StagedCommit(
            self.clock.new_id() if old is None else old.id, self.clock.new_change() if old is None else old.change_id,
            parents[0].hex() if parents else None, oid.hex(), tree.hex(), text(words), text(author), text(committer),
            files, moment.seconds if old is None else old.created_at,
            merged=parents[1].hex() if len(parents) > 1 else None,
        )  # fmt: skip

    def commit_again(
        self, tree: bytes, parents: list[bytes], message: str, old: StagedCommit, ctx: Context
    ) -> StagedCommit:
        """A commit that replaces another one, with its id and change id."""
        return self._commit(tree, parents, message, (), ctx, old=old)

    # --- amend, discard ---------------------------------------------------------------------------------------------

    def _amended(
        self, target: StagedCommit, changes: Changed, message: str | None, co_authors: Sequence[Identity], ctx: Context
    ) -> StagedCommit:
        at = self.staged.index(target)
        tree = build_tree(self.store, bytes.fromhex(target.tree), changes, ctx)
        if at + 1 < len(self.staged):
            self._check_follow(target, tree, changes)
        words = target.message
        people = self.identity
        if message is not None and people is not None:
            people = replace(people, co_authors=(*people.co_authors, *co_authors))
            words = text(message_of(self, message, people, self.limits))
        parents = [bytes.fromhex(one) for one in (target.parent, target.merged) if one is not None]
        made = self._commit(tree, parents, words, (), ctx, old=target)
        above = self.picked(self.staged[at + 1 :], bytes.fromhex(target.tree), made, ctx)
        self.restack(f"amend {made.subject}", (*self.staged[:at], made, *above), ctx, self._settled(changes))
        return made

    def _check_follow(self, target: StagedCommit, tree: bytes, changes: Changed) -> None:
        """Raise Conflict if a later commit has changed a path: its file then does not belong to the earlier commit."""
        later = {file.path for one in self.staged[self.staged.index(target) + 1 :] for file in one.files}
        for path in changes:
            if text(path) in later:
                raise Conflict(f"a later staged commit changes '{text(path)}' too", path=text(path),
                               hint="Amend the last commit that has it, or discard that one first.")  # fmt: skip

    def discard(self, word: str) -> StagedCommit:
        """Take a staged commit out of the stack; its changes stay in the files, unstaged. Raises NotFound, Conflict if
        a later commit depends on it."""
        with self.working() as ctx:
            target = self.find(word)
            at = self.staged.index(target)
            above: list[StagedCommit] = []
            if at + 1 < len(self.staged):
                parent = self.staged[at - 1] if at else None
                above = self.picked(self.staged[at + 1 :], bytes.fromhex(target.tree), parent, ctx)
            self.restack(f"discard {target.subject}", (*self.staged[:at], *above), ctx, self.conflicts)
            return replace(target, state="discarded")

    def discard_paths(self, names: Sequence[str]) -> list[str]:
        """Restore files to their staged state, or to the base's; returns the paths. Raises NotFound for one without
        changes."""
        with self.working():
            paths = [self.path(name) for name in names]
            for path, name in zip(paths, names):
                if path not in self.overlay.changes:
                    raise NotFound(f"'{name}' has no changes", path=name)
            left = {path: file for path, file in self.overlay.changes.items() if path not in paths}
            conflicts = {path: one for path, one in self.conflicts.items() if path not in paths}
            self.settle(f"discard {' '.join(names)[:80]}", tree=self.overlay.tree, changes=left, staged=self.staged,
                        conflicts=conflicts)  # fmt: skip
            return [text(path) for path in paths]

    def picked(
        self, commits: Sequence[StagedCommit], before: bytes, onto: StagedCommit | None, ctx: Context
    ) -> list[StagedCommit]:
        """Commits of the stack, made again on another one (None: the base); `before` is the tree on which the first was
        made. Raises Conflict if one cannot be picked."""
        made: list[StagedCommit] = []
        parent = onto.commit if onto is not None else self.base.commit
        tree = bytes.fromhex(onto.tree if onto is not None else self.base.tree)
        for one in commits:
            result = self.merged(before, tree, bytes.fromhex(one.tree), ctx)
            if not result.clean:
                paths = sorted(text(path) for path in result.conflicts)
                raise Conflict(f"'{one.subject}' does not follow: {', '.join(paths)}", paths=paths, commit=one.commit)
            before, tree = bytes.fromhex(one.tree), result.tree
            parents = [bytes.fromhex(name) for name in (parent, one.merged) if name is not None]
            made.append(self._commit(tree, parents, one.message, (), ctx, old=one))
            parent = made[-1].commit
        return made

    def restack(
        self, summary: str, staged: tuple[StagedCommit, ...], ctx: Context, conflicts: dict[bytes, Any]
    ) -> None:
        """Replace the stack, and keep the files as they are."""
        working = self.overlay.made(ctx)
        tree = bytes.fromhex(staged[-1].tree if staged else self.base.tree)
        changes = tree_changes(self.store, tree, working, ctx)
        self.settle(summary, tree=tree, changes=changes, staged=staged, conflicts=conflicts)

    # --- merging ----------------------------------------------------------------------------------------------------

    def merged(
        self, base: bytes | None, ours: bytes, theirs: bytes, ctx: Context, spec: MergeSpec | None = None
    ) -> MergeResult:
        """The merge of three trees by the engine that mirrors git's `ort` strategy; its objects are kept."""
        merger = Merger(Contents(self.store, ctx=ctx), ctx=ctx)
        result = merger.trees(base, ours, theirs, spec or MergeSpec((b"ours", b"theirs", b"base")))
        for kind, content in merger.made.objects.values():
            self.layered.add(kind, content)
        return result

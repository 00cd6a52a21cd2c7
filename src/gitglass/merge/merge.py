"""Merges two commits, or three trees, in memory: the resulting tree, every conflict and every message.

    merge bases (merged with each other first, where there are several)
      └▶ three trees ─▶ renames, of files and directories ─▶ each path decided ─▶ the tree

Mirrors git-merge-tree(1) `--write-tree` and the `ort` strategy of git-merge(1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ..diff.changes import Contents
from ..errors import Unsupported
from ..graph.merge_base import bases_above, merge_bases
from ..limits import Context
from ..records import replace
from .content import ContentMerge
from .entries import Decisions
from .made import Made
from .messages import Messages
from .paths import ThreeTrees
from .renames import follow_renames
from .spec import MergeResult, MergeSpec
from .submodules import Submodules, not_checked_out

__all__ = ["Merger"]

_DEPTH = 20
_TEMPORARY = b"Temporary merge branch 1", b"Temporary merge branch 2"
_SEVERAL = b"merged common ancestors"


class Merger:
    """Merges within one repository. `made` has the objects that the merges made.

    `name` gives the label of a merge base in conflict markers: its abbreviated object name.
    `submodules` opens those that are checked out. With `ends` it merges as git log --remerge-diff does: merge bases are
    looked for above these commits, and several are merged with each other in the other order.
    """

    __slots__ = ("_contents", "_ctx", "_ends", "_name", "_store", "_submodules", "made")

    def __init__(
        self,
        contents: Contents,
        *,
        ctx: Context,
        name: Callable[[bytes], bytes] = bytes,
        submodules: Submodules = not_checked_out,
        ends: Collection[bytes] | None = None,
    ) -> None:
        self._contents, self._store, self._ctx, self._name = contents, contents.store, ctx, name
        self._ends = ends
        self._submodules = submodules
        self.made = Made(contents)

    def commits(self, ours: bytes, theirs: bytes, spec: MergeSpec) -> MergeResult:
        """Merge a commit into another. The label of the base is decided here. Raises Unsupported, MissingObject."""
        base, label = self._base(ours, theirs, spec)
        spec = replace(spec, labels=(*spec.labels[:2], label))
        return self.trees(base, self._tree(ours), self._tree(theirs), spec)

    def trees(self, base: bytes | None, ours: bytes | None, theirs: bytes | None, spec: MergeSpec) -> MergeResult:
        """Merge the changes between two trees into a third; None is the empty tree."""
        trees = ThreeTrees(self.made, (base, ours, theirs), self._ctx)
        messages = Messages(spec)
        merge = ContentMerge(self._contents, self.made, spec, messages, self._submodules, ctx=self._ctx)
        needed = follow_renames(trees, self._contents, merge, spec, messages)
        decisions = Decisions(trees, merge, spec, messages)
        decisions.run()
        tree = self.made.changed(ours, decisions.results) if decisions.results else self.made.unchanged(ours)
        conflicts = {path: entry.unmerged() for path, entry in decisions.conflicts.items()}
        clean = messages.clean and not conflicts
        return MergeResult(
            tree, clean, decisions.results, conflicts, messages.by_path, messages.advice(), needed_limit=needed
        )

    # ---------------------------------------------------------------- merge bases
    def _tree(self, commit: bytes) -> bytes:
        return self._store.odb.commit_facts(commit)[2]

    def _base(self, ours: bytes, theirs: bytes, spec: MergeSpec) -> tuple[bytes | None, bytes]:
        """The tree of the merge base, and its label."""
        bases = self._bases(ours, [theirs])
        if self._ends is not None:  # log does not turn them round, as git merge does
            bases.reverse()
        if not bases:
            return None, b"empty tree"
        if len(bases) == 1:
            return self._tree(bases[0]), self._name(bases[0])
        return self._together(bases, spec), _SEVERAL

    def _bases(self, one: bytes, others: Sequence[bytes]) -> list[bytes]:
        """The merge bases, the last one first."""
        if self._ends is not None:
            return bases_above(self._store, one, others, self._ends, ctx=self._ctx)[::-1]
        return merge_bases(self._store, one, others, ctx=self._ctx)[::-1]

    def _together(self, commits: Sequence[bytes], spec: MergeSpec) -> bytes | None:
        """Merge several merge bases, one after the other, into one virtual commit that serves as the base."""
        if spec.depth >= _DEPTH:
            raise Unsupported("gitglass does not merge merge bases of merge bases of merge bases")
        inner = replace(spec, depth=spec.depth + 1)
        made = self._tree(commits[0])
        for at in range(1, len(commits)):
            self._ctx.tick()
            bases = self._bases(commits[at], commits[:at])
            label = b"empty tree" if not bases else _SEVERAL
            if len(bases) == 1:
                label = self._name(bases[0])
            base = self._together(bases, inner) if bases else None
            named = replace(inner, labels=(*_TEMPORARY, label))
            made = self.trees(base, made, self._tree(commits[at]), named).tree
        return made

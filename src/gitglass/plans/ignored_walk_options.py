"""The walk options of git diff: parsed and checked, without an effect.

git reads the words of git diff with the parser of git log. No history is walked after that, so options that only
control which commits come, in which order and format, have no effect. A few others have one. `--all` and similar
options name revisions, as in git log. `-1` and `-n 1` select a side of a conflict. With a number of commits or an age,
git prints its usage instead of comparing a commit with files.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..annotations import Annotated
from ..limits import Context
from ..render.log.formats import find_format, pretty_aliases
from ..repo.store import Store
from ..request.flag import Flag
from ..request.pretty import ScriptFormat
from ..request.revision import WalkOptions
from ..request.text import to_bytes
from .walk import commit_matcher, walk_spec


class UnusedWalk(WalkOptions, ScriptFormat):
    """Options that git diff accepts and does not use."""

    graph: Annotated[bool, Flag("--graph", walk=True), Flag("--no-graph", const=False, walk=True)] = False
    root: Annotated[bool, Flag("--root", walk=True)] = False
    signature: Annotated[bool, Flag("--no-show-signature", walk=True)] = False
    commit_id: Annotated[bool, Flag("-v", "--no-commit-id", "--always", walk=True)] = False
    encoded: Annotated[bool, Flag("--encode-email-headers", "--no-encode-email-headers", walk=True)] = False
    objects: Annotated[
        bool,
        Flag("--objects", "--objects-edge", "--objects-edge-aggressive", "--verify-objects", walk=True),
        Flag("--in-commit-order", "--no-filter", "--count", walk=True),
        Flag("--no-follow", exact=True, negation=True),
    ] = False

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """The values of a request that follow from the options. Raises GitError if git rejects the options."""
        if self.pretty is not None:
            find_format(to_bytes(self.pretty), pretty_aliases(store.config))
        walk = walk_spec(self, store, ctx=ctx, graph=self.graph)
        commit_matcher(self, store, ctx=ctx)
        aged = any(age not in (None, -1) for age in (walk.max_age, walk.min_age))
        values: dict[str, object] = {"counted": walk.max_count >= 0 or aged}
        if walk.max_count >= 0:
            values["stage"] = walk.max_count
        if self.default is not None:
            values["default"] = self.default
        if self.walk_reflogs:
            values["walk_reflogs"] = True
        return values

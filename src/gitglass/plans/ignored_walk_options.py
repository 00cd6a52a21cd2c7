"""The options of a revision walk as git diff has them: parsed and checked, without an effect.

git reads the words of git diff with the parser of git log. Behind it nothing walks: what only says which commits, in
which order and how written, changes no answer. A few do. `--all` and its kin name revisions, as in git log. `-1` and
`-n 1` say which side of a conflict is meant. And with a number of commits or an age git does not compare a commit with
files, but shows its usage.
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
    """Options that git diff takes and has no use for."""

    graph: Annotated[bool, Flag("--graph", walk=True), Flag("--no-graph", const=False, walk=True)] = False
    root: Annotated[bool, Flag("--root", walk=True)] = False
    signature: Annotated[bool, Flag("--no-show-signature", walk=True)] = False
    commit_id: Annotated[bool, Flag("-v", "--no-commit-id", "--always", walk=True)] = False
    encoded: Annotated[bool, Flag("--encode-email-headers", "--no-encode-email-headers", walk=True)] = False
    objects: Annotated[
        bool,
        Flag("--objects", "--objects-edge", "--objects-edge-aggressive", "--verify-objects", walk=True),
        Flag("--in-commit-order", "--no-filter", "--count", "--no-follow", walk=True),
    ] = False

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """What the options come to, as values of a request. Raises GitError where git dies of them."""
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

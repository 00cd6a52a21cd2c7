"""Three trees put together, as bringing a stash entry back needs it: by the merge engine, into the plan's objects.

Mirrors git-merge-tree(1).
"""

from __future__ import annotations

from ...diff.changes import Contents
from ...merge.merge import Merger
from ...merge.settings import merge_spec
from ...merge.spec import MergeSpec
from ...records import field, record, replace
from ...repo.store import Store
from ..changes import Row
from ..checkout.outward import store_of_merge
from ..operations.common import tree_rows
from ..view import View
from .laid import conflict_rows, keep_objects

Side = tuple[int, bytes]
Labels = tuple[bytes, bytes, bytes]


@record
class Merged:
    """What comes of it: every path's side (what the file holds, marks included), the entries of paths in conflict, and
    git's words."""

    tree: bytes
    rows: dict[bytes, Side]
    conflicts: dict[bytes, tuple[Row, ...]] = field(default_factory=dict)
    messages: bytes = b""


def labelled(store: Store, labels: Labels) -> MergeSpec:
    """How a repository merges sides that have these names: ours, theirs and the base."""
    return replace(merge_spec(store, *labels[:2]), labels=labels)


def merge_trees(
    view: View, base: bytes, ours: bytes, theirs: bytes, spec: MergeSpec, *, store: Store | None = None
) -> Merged:
    """Merge the changes from `base` to `theirs` into `ours`. The `store` has the attributes to go by, where they are
    not those of the work tree now.

    Raises Unsupported for what the merge engine refuses.
    """
    merger = Merger(Contents(store or store_of_merge(view.store), ctx=view.ctx), ctx=view.ctx)
    result = merger.trees(base, ours, theirs, spec)
    keep_objects(view, merger)
    conflicts = {path: conflict_rows(stages) for path, stages in result.conflicts.items()}
    messages = b"".join(message.text + b"\n" for message in result.lines())
    return Merged(result.tree, tree_rows(view, result.tree), conflicts, messages)

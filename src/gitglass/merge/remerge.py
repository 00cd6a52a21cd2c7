"""What a merge's author did beyond what merging does by itself (--remerge-diff).

The merge is done again, in memory, and compared with the merge that was committed; what the merge had to say of a path
stands above the path's patch. Mirrors git-log(1), `--remerge-diff`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..diff.changes import Change, Contents, Filespec, Remerged
from ..diff.trees import as_change
from ..limits import Context
from ..repo.store import Store
from .merge import Merger
from .settings import merge_spec

__all__ = ["remerge"]


def remerge(
    store: Store,
    parents: Sequence[bytes],
    tree: bytes,
    contents: Contents,
    label: Callable[[bytes], bytes],
    abbrev: Callable[[bytes], bytes],
    *,
    ctx: Context,
) -> list[Change]:
    """The changes from the automatic merge of two commits to the tree of the merge. Raises Unsupported.

    The parents are those that the walk left the merge. `label` names a side in the marks of
    conflicts, `abbrev` the merge base.
    """
    merger = Merger(contents, ctx=ctx, name=abbrev)
    result = merger.commits(parents[0], parents[1], merge_spec(store, label(parents[0]), label(parents[1])))
    lines = {
        path: [b"remerge " + message.text.replace(b"\n", b" ") for message in messages if not message.hint]
        for path, messages in result.messages.items()
    }
    lines = {path: texts for path, texts in lines.items() if texts}
    changes = []
    for row in merger.made.trees.rows(result.tree, tree, ctx=ctx):
        change = as_change(row)
        texts = lines.pop(row[0], None)
        changes.append(Remerged(change.status, change.old, change.new, texts) if texts else change)
    for path, texts in lines.items():  # settled as the merge left it
        side = merger.made.entry(result.tree, path)
        same = Filespec(path, *side)
        changes.append(Remerged("X", same, same, texts))
    return sorted(changes, key=lambda change: change.new.path)

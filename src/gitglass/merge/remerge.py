"""What a merge commit changed beyond the automatic merge of its parents (--remerge-diff).

The merge is done again, in memory, and compared with the merge that was committed; the messages of the merge on a path
are printed above the path's patch. Mirrors git-log(1), `--remerge-diff`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ..diff.changes import Change, Contents, Filespec, Remerged
from ..diff.trees import as_change
from ..limits import Context
from ..repo.store import Store
from .merge import Merger
from .settings import merge_spec
from .submodules import Submodules

__all__ = ["remerge"]


def remerge(
    store: Store,
    parents: Sequence[bytes],
    tree: bytes,
    contents: Contents,
    label: Callable[[bytes], bytes],
    abbrev: Callable[[bytes], bytes],
    submodules: Submodules,
    ends: Collection[bytes] = (),
    *,
    show_trees: bool = False,
    ctx: Context,
) -> list[Change]:
    """The changes from the automatic merge of two commits to the tree of the merge. Raises Unsupported.

    The parents are given, since the walk may have rewritten them. `label` names a side in conflict markers, `abbrev`
    the merge base; `submodules` opens those that are checked out; merge bases are looked for above the `ends`;
    `show_trees`: with the directories that differ (-t).
    """
    merger = Merger(contents, ctx=ctx, name=abbrev, submodules=submodules, ends=ends)
    result = merger.commits(parents[0], parents[1], merge_spec(store, label(parents[0]), label(parents[1])))
    lines = {
        path: [_heading(message.text) for message in messages if not message.hint]
        for path, messages in result.messages.items()
    }
    lines = {path: texts for path, texts in lines.items() if texts}
    changes = []
    for row in merger.made.trees.rows(result.tree, tree, ctx=ctx, show_trees=show_trees):
        change = as_change(row)
        texts = lines.pop(row[0], None)
        changes.append(Remerged(change.status, change.old, change.new, texts) if texts else change)
    for path, texts in lines.items():  # paths that are in the merge commit as the merge left them
        side = merger.made.entry(result.tree, path)
        same = Filespec(path, *side)
        changes.append(Remerged("X", same, same, texts))
    return sorted(changes, key=lambda change: change.new.path) if lines else changes


def _heading(text: bytes) -> bytes:
    """A message in the form in which it is printed above a patch.

    Strange but git's: it ends where its line does, and the seventh character before that is overwritten by a blank.
    """
    line, newline, _ = text.partition(b"\n")
    line = b"remerge " + line
    at = len(line) - 7
    return line[:at] + b" " + line[at + 1 :] if newline else line

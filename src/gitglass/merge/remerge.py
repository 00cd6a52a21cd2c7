"""What a merge commit changed beyond the automatic merge of its parents (--remerge-diff).

The merge is done again, in memory, and compared with the merge that was committed; the messages of the merge on a path
are printed above the path's patch. Mirrors git-log(1), `--remerge-diff`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ..diff.changes import Change, Contents, Filespec, Remerged
from ..diff.trees import Trees
from ..limits import Context
from ..repo.store import Store
from .merge import Merger
from .settings import merge_spec
from .submodules import Submodules

__all__ = ["remerge", "with_messages"]


def remerge(
    store: Store,
    parents: Sequence[bytes],
    contents: Contents,
    label: Callable[[bytes], bytes],
    abbrev: Callable[[bytes], bytes],
    submodules: Submodules,
    ends: Collection[bytes] = (),
    *,
    ctx: Context,
) -> tuple[bytes, Trees, dict[bytes, Remerged]]:
    """The tree of the automatic merge of two commits, the trees that have it, and by path what is shown of its messages
    where there is no change. Raises Unsupported.

    The parents are given, since the walk may have rewritten them. `label` names a side in conflict markers, `abbrev`
    the merge base; `submodules` opens those that are checked out; merge bases are looked for above the `ends`.
    """
    merger = Merger(contents, ctx=ctx, name=abbrev, submodules=submodules, ends=ends)
    result = merger.commits(parents[0], parents[1], merge_spec(store, label(parents[0]), label(parents[1])))
    messages: dict[bytes, Remerged] = {}
    for path, about in result.messages.items():
        texts = [_heading(message.text) for message in about if not message.hint]
        if texts:
            same = Filespec(path, *merger.made.entry(result.tree, path))
            messages[path] = Remerged("X", same, same, texts)
    return result.tree, merger.made.trees, messages


def with_messages(changes: list[Change], messages: Mapping[bytes, Remerged], *, alone: bool) -> list[Change]:
    """The changes with the messages about their paths; with `alone` also the messages about other paths."""
    shown: list[Change] = []
    for change in changes:
        about = messages.get(change.old.path)  # git names a pair by its old side
        shown.append(change if about is None else Remerged.of(change, about.lines))
    if alone:
        present = {change.old.path for change in changes}
        shown += [messages[path] for path in sorted(messages) if path not in present]
    return shown


def _heading(text: bytes) -> bytes:
    """A message in the form in which it is printed above a patch.

    Strange but git's: it ends where its line does, and the seventh character before that is overwritten by a blank.
    """
    line, newline, _ = text.partition(b"\n")
    line = b"remerge " + line
    at = len(line) - 7
    return line[:at] + b" " + line[at + 1 :] if newline else line

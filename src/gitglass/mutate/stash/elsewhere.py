"""An entry of the stash laid over the commit that it was made on, where HEAD is another one (`git stash branch`).

git checks that commit out first and applies the entry then, with its index. Both are one plan here: where index and
files are HEAD's, what comes out in the end is the entry itself, its files on disk and its index as it was.
"""

from __future__ import annotations

from ...errors import CommandFailed, Unsupported
from ..changes import Changes, EntryChange, Row
from ..index_file import rows_at
from ..merging.laid import keep_state
from ..merging.laying import Laying
from ..operations.common import ask, commit_tree, tree_rows
from ..view import View
from .rows import Side


def lay_elsewhere(
    view: View, changes: Changes, head: bytes, entry: tuple[bytes, bytes], index: dict[bytes, Side] | None
) -> None:
    """Files from those of `head` to those of an `entry`: (the commit it was made on, its commit), and entries to those
    of an `index`; None where nothing was staged: then only what is new is. Raises CommandFailed in the words of git
    checkout where files are in the way of that commit, and Unsupported where something is uncommitted, or in the way of
    the entry alone."""
    start, stashed = (commit_tree(view, commit) for commit in entry)
    if ask(view, ["status", "--porcelain=v1", "-z", "-uno", "--no-renames"]):
        raise in_two_steps(entry[0], "with local changes, gitglass goes to another commit in a step of its own")
    laying = Laying(view, changes, commit_tree(view, head))
    laying.go(start, "checkout", "switch branches")
    try:
        laying.go(stashed)
    except CommandFailed:
        words = "with files in the way of the entry, gitglass goes to another commit in a step of its own"
        raise in_two_steps(entry[0], words) from None
    laying.finish()
    there, files = tree_rows(view, start), tree_rows(view, stashed)
    _stage(view, changes, files, {**files, **there} if index is None else index)
    if stashed != start:
        keep_state(view, changes, {b"AUTO_MERGE": stashed.hex().encode() + b"\n"})


def in_two_steps(start: bytes, words: str) -> Unsupported:
    """The refusal of `git stash branch` where the commit `start` has to be gone to first."""
    hint = f"Switch to {start.hex()} on a new branch, then pop the entry with --index."
    return Unsupported(f"git stash branch: {words}", hint=hint, option="branch")


def _stage(view: View, changes: Changes, files: dict[bytes, Side], staged: dict[bytes, Side]) -> None:
    """The entries that were staged otherwise than the files are."""
    other = {path for path in files.keys() | staged.keys() if files.get(path) != staged.get(path)}
    written = {file.path for file in changes.files}
    entries = [entry for entry in changes.entries if entry.path not in other]
    for path in other:
        side = staged.get(path)
        before, after = rows_at(view.index, path), () if side is None else (Row(0, *side),)
        if before != after or path in written:
            entries.append(EntryChange(path, before, after))
    changes.entries = sorted(entries, key=lambda entry: entry.path)

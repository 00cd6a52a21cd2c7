"""What a sparse checkout holds: the patterns of `info/sparse-checkout`. Mirrors git-sparse-checkout(1), "INTERNALS"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...index.index import Index
from ...paths.ignore import PatternList, parse_ignore
from ...paths.lexical import directories_above
from ...repo.store import Store
from ..changes import EntryChange

_FILE = b"info/sparse-checkout"


def sparse_patterns(store: Store) -> PatternList | None:
    """The patterns by which files are in the work tree; None where all are: `core.sparseCheckout` is off, or there is
    no such file."""
    if not store.config.get_bool("core.sparsecheckout", False):
        return None
    data = store.jail.read_optional(store.git_path(_FILE))
    return None if data is None else parse_ignore(bytes(data), bool(store.config.get_bool("core.ignorecase", False)))


def holds(patterns: PatternList, path: bytes) -> bool:
    """Whether a file is to be in the work tree. The pattern that speaks of the file itself decides, else one that
    speaks of the nearest directory above it; where none does, it is not. (What `core.sparseCheckoutCone` allows means
    the same so.)"""
    for level in (path, *reversed(list(directories_above(path)))):
        pattern = patterns.last_match(level, level.rpartition(b"/")[2], level is not path)
        if pattern is not None:
            return not pattern.negated
    return False


def is_index_sparse(store: Store) -> bool:
    """Whether the index may hold a directory that is not to be in the work tree as one entry (`index.sparse`)."""
    config = store.config
    return bool(
        config.get_bool("index.sparse", False)
        and config.get_bool("core.sparsecheckout", False)
        and config.get_bool("core.sparsecheckoutcone", True)
    )


def is_filled_in(store: Store, index: Index, entries: Iterable[EntryChange] = ()) -> bool:
    """Whether git fills a sparse index in, as these entries change: it does for a conflict outside of the sparse
    checkout, and no directory becomes one entry again before all conflicts are resolved."""
    changed = {entry.path: entry.after for entry in entries}
    left = [path for path in index.unmerged if path not in changed]
    left += [path for path, after in changed.items() if any(row.stage for row in after)]
    if not left or not index.sparse:
        return bool(left)
    patterns = sparse_patterns(store)
    return patterns is not None and not all(holds(patterns, path) for path in left)


def folders_outside(patterns: PatternList, path: bytes) -> Iterator[bytes]:
    """The directories above a path of which no file is to be in the work tree, from the top down."""
    return (folder for folder in directories_above(path) if not holds(patterns, folder + b"/x"))

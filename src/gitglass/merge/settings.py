"""The configuration of merges (git-config(1), `merge.*`).

Strange but git's: with the `ort` strategy, `merge.renames` and `diff.renames` change nothing (git 2.39).
"""

from __future__ import annotations

from ..config.config import parse_bool
from ..errors import BadConfig, text
from ..repo.store import Store
from .spec import MergeSpec

__all__ = ["STYLES", "conflict_style", "merge_spec"]

STYLES = ("merge", "diff3", "zdiff3")


def merge_spec(store: Store, ours: bytes, theirs: bytes) -> MergeSpec:
    """The spec with which two sides of these names are merged in a repository. Raises BadConfig."""
    config = store.config
    style = conflict_style(store)
    limit = config.get_int("diff.renamelimit", -1) or -1
    limit = config.get_int("merge.renamelimit", limit) or -1
    return MergeSpec((ours, theirs, b""), style=style, rename_limit=limit, directory_renames=_directories(store))


def conflict_style(store: Store) -> str:
    """`merge.conflictStyle`. Raises BadConfig."""
    style = text(store.config.get("merge.conflictstyle") or b"merge")
    if style not in STYLES:
        raise BadConfig(f"unknown style '{style}' given for 'merge.conflictstyle'")
    return style


def _directories(store: Store) -> str:
    """`merge.directoryRenames`; invalid values are ignored."""
    entry = store.config.entry("merge.directoryrenames")
    value = None if entry is None else parse_bool(entry.value)
    return "conflict" if value is None else str(value).lower()

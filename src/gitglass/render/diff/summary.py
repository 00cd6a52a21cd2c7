"""`--summary`: new and deleted files, renames, rewrites and mode changes (git-diff(1))."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...diff.changes import Change
from ...diff.spec import DiffSpec
from .stat import pretty_rename

__all__ = ["summary"]


def summary(changes: Iterable[Change], spec: DiffSpec, quote: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """The lines of --summary. Paths are not made relative: git does not do it here either."""
    prefix = spec.patch.line_prefix
    for change in changes:
        for line in _lines(change, quote):
            yield prefix + line


def _lines(change: Change, quote: Callable[[bytes], bytes]) -> Iterator[bytes]:
    old, new = change.old, change.new
    if change.status == "D":
        yield b" delete" + _moded(old.mode) + quote(old.path) + b"\n"
    elif change.status == "A":
        yield b" create" + _moded(new.mode) + quote(new.path) + b"\n"
    elif change.status in "RC":
        word = b"rename" if change.status == "R" else b"copy"
        yield b" %s %s (%d%%)\n" % (word, pretty_rename(old.path, new.path, quote), change.score)
        yield from _mode_change(change, b"")
    else:
        if change.score:
            yield b" rewrite %s (%d%%)\n" % (quote(new.path), change.score)
        yield from _mode_change(change, b"" if change.score else b" " + quote(new.path))


def _moded(mode: int) -> bytes:
    return b" mode %06o " % mode if mode else b" "


def _mode_change(change: Change, name: bytes) -> Iterator[bytes]:
    old, new = change.old.mode, change.new.mode
    if old and new and old != new:
        yield b" mode change %06o => %06o%s\n" % (old, new, name)

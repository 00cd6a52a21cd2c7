"""Existing paths that resemble a missing one: what the caller may have meant."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from ..errors import Cancelled, GitError, Timeout
from ..limits import Context, paced
from ..objects.parsed import tree_entries
from ..repo.store import Store

__all__ = ["near_paths", "paths_of_tree"]

_TREE, _TYPE = 0o040000, 0o170000
_DEEPEST = 256
_ENTRIES, _BYTES = 200_000, 16 << 20
_ALIKE = 0.7


def paths_of_tree(store: Store, tree: bytes, *, ctx: Context) -> Iterator[bytes]:
    """The files below a tree, those nearest to the top first; a directory that cannot be read is skipped.

    It ends after 200,000 entries or 16 MiB of paths: a tree of ten levels can hold ten thousand million files.
    """
    level = [(b"", tree)]
    entries_left, bytes_left = _ENTRIES, _BYTES
    for _ in range(_DEEPEST):
        deeper: list[tuple[bytes, bytes]] = []
        for prefix, oid in level:
            ctx.tick()
            try:
                entries = list(tree_entries(store.odb.tree(oid), store.hash_len))
            except (Cancelled, Timeout):
                raise
            except GitError:
                continue
            entries_left -= len(entries) + 1
            bytes_left -= len(entries) * (len(prefix) + 20)
            if entries_left < 0 or bytes_left < 0:
                return
            for mode, name, child in paced(entries):
                if mode & _TYPE == _TREE:
                    deeper.append((prefix + name + b"/", child))
                else:
                    yield prefix + name
        if not deeper:
            return
        level = deeper


def near_paths(wanted: bytes, names: Iterable[bytes], *, seconds: float = 0.1, most: int = 3) -> list[bytes]:
    """Up to `most` of the paths (and of the directories above them) that resemble `wanted` most, best first.

    The same name in another directory or another case comes first, then similar names; names in the same directory come
    before others. The search ends after `seconds`; later names are not compared.
    """
    wanted = wanted.strip(b"/")
    base = posixpath.basename(wanted).lower()
    folder = posixpath.dirname(wanted).lower()
    if not base:
        return []
    until = time.monotonic() + seconds
    matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
    matcher.set_seq2(base.decode("latin-1")[:100])
    ratios: dict[bytes, float] = {}
    ranked: dict[bytes, tuple[float, int, bytes]] = {}
    folders: set[bytes] = set()
    for nth, name in enumerate(_with_folders(names, folders)):
        if not nth % 256 and time.monotonic() > until:
            break
        low = name.lower()
        tail = low.rpartition(b"/")[2]
        ratio = ratios.get(tail)
        if ratio is None:
            ratio = ratios[tail] = _ratio(matcher, base, tail)
        if ratio >= _ALIKE:
            # a different directory weighs as much as about two letters of the name
            parent = posixpath.dirname(low)
            distance = 0.0 if parent == folder else 0.1 if parent.endswith(folder) or folder.endswith(parent) else 0.2
            ranked[name] = (1 - ratio + distance, len(name), name)
    return sorted(ranked, key=ranked.__getitem__)[:most]


def _ratio(matcher: SequenceMatcher[str], base: bytes, tail: bytes) -> float:
    if tail == base:
        return 1.0
    if abs(len(tail) - len(base)) > max(3, len(base) // 2):
        return 0.0
    if tail.partition(b".")[0] == base.partition(b".")[0]:
        return 0.9  # the same name with another extension
    matcher.set_seq1(tail.decode("latin-1")[:100])
    return matcher.ratio() if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE else 0.0


def _with_folders(names: Iterable[bytes], listed: set[bytes]) -> Iterator[bytes]:
    """The names, each after those directories above it that have not come yet."""
    for name in names:
        directory = name.rpartition(b"/")[0]
        fresh = []
        while directory and directory not in listed:
            listed.add(directory)
            fresh.append(directory)
            directory = directory.rpartition(b"/")[0]
        yield from reversed(fresh)
        yield name

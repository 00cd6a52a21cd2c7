"""`--raw`, `--name-status` and `--name-only`: one record a file (git-diff(1), "Raw output format")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..diff.changes import Change, Filespec
from ..diff.spec import DiffSpec

__all__ = ["names", "raw_lines", "shown_path"]


def shown_path(path: bytes, spec: DiffSpec) -> bytes:
    """A path as it is shown: with --relative without the directory it is relative to; not so an absolute one."""
    if spec.relative is None or path.startswith(b"/"):
        return path
    path = path[len(spec.relative) :]
    return path[1:] if path.startswith(b"/") else path


def _shown(side: Filespec) -> bytes | None:
    return None if side.hidden else side.oid or side.hashed


def raw_lines(
    changes: Iterable[Change],
    spec: DiffSpec,
    quote: Callable[[bytes], bytes],
    hexes: Callable[[bytes | None], bytes],
    *,
    oids: bool,
) -> Iterator[bytes]:
    """The records of --raw (`oids`), or of --name-status. `hexes` writes an object name, abbreviated as wished."""
    between, end = (b"\0", b"\0") if spec.nul else (b"\t", b"\n")
    if spec.nul:
        quote = bytes
    prefix = spec.patch.line_prefix
    for change in changes:
        old, new = change.old, change.new
        parts = [prefix]
        if oids:
            parts.append(b":%06o %06o %s %s " % (old.mode, new.mode, hexes(_shown(old)), hexes(_shown(new))))
        letter = change.status.encode()
        parts.append(letter + b"%03d" % change.score if change.score else letter)
        parts.append(between)
        if change.status in "RC":
            parts += (quote(shown_path(old.path, spec)), between, quote(shown_path(new.path, spec)), end)
        else:
            parts += (quote(shown_path(old.path if old.mode else new.path, spec)), end)
        yield b"".join(parts)


def names(changes: Iterable[Change], spec: DiffSpec, quote: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """The records of --name-only."""
    prefix = spec.patch.line_prefix
    if spec.nul:
        for change in changes:
            yield prefix + shown_path(change.new.path, spec) + b"\0"
    else:
        for change in changes:
            yield prefix + quote(shown_path(change.new.path, spec)) + b"\n"

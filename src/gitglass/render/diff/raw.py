"""`--raw`, `--name-status` and `--name-only`: one record a file (git-diff(1), "Raw output format")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ...diff.changes import Change, Filespec, letter_of
from ...diff.spec import DiffSpec
from ...diff.tree_order import Row
from ..quote import PLAIN

__all__ = ["file_lines", "names", "raw_lines", "shown_path"]

_RAW = b"%b:%06o %06o %b %b %b%b"  # a record of --raw, up to its path
_PIECE = 512  # records that are joined at once


def shown_path(path: bytes, spec: DiffSpec) -> bytes:
    """A path as it is shown: with --relative, without that directory; an absolute path stays whole."""
    if spec.relative is None or path.startswith(b"/"):
        return path
    path = path[len(spec.relative) :]
    return path[1:] if path.startswith(b"/") else path


def _shown(side: Filespec) -> bytes | None:
    return None if side.hidden else side.oid or side.hashed


def _in_pieces(changes: Iterable[Change]) -> Iterator[list[Change]]:
    rest = iter(changes)
    while piece := list(islice(rest, _PIECE)):
        yield piece


def _quoter(quote: Callable[[bytes], bytes], *paths: Iterable[bytes]) -> Callable[[bytes], bytes]:
    """The function that writes many paths; it is chosen by whether any of them needs quotes, which is very rare."""
    return quote if any(b"".join(some).translate(None, PLAIN) for some in paths) else bytes


def _of_changes(changes: list[Change], quote: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return _quoter(quote, [change.new.path for change in changes], [change.old.path for change in changes])


def raw_lines(
    changes: Iterable[Change],
    spec: DiffSpec,
    quote: Callable[[bytes], bytes],
    hexes: Callable[[bytes | None], bytes],
    *,
    oids: bool,
) -> Iterator[bytes]:
    """The records of --raw (`oids`), or of --name-status, some of them at a time. `hexes` writes an abbreviated object
    name."""
    between, end = (b"\0", b"\0") if spec.nul else (b"\t", b"\n")
    if spec.nul:
        quote = bytes
    prefix, plain = spec.patch.line_prefix, spec.relative is None
    zeros = hexes(None) if oids else b""
    for piece in _in_pieces(changes):
        shown = _of_changes(piece, quote)
        parts: list[bytes] = []
        for change in piece:
            old, new = change.old, change.new
            letter = change.status.encode()
            if change.score:
                letter += b"%03d" % change.score
            if oids:
                one, two = _shown(old), _shown(new)
                names = (zeros if one is None else hexes(one), zeros if two is None else hexes(two))
                parts.append(_RAW % (prefix, old.mode, new.mode, *names, letter, between))
            else:
                parts.append(prefix + letter + between)
            path = old.path if old.mode else new.path
            if change.status in "RC":
                parts += (shown(shown_path(old.path, spec)), between)
                path = new.path
            parts += (shown(path if plain else shown_path(path, spec)), end)
        yield b"".join(parts)


def names(changes: Iterable[Change], spec: DiffSpec, quote: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """The records of --name-only, some of them at a time."""
    prefix, end = spec.patch.line_prefix, b"\0" if spec.nul else b"\n"
    for piece in _in_pieces(changes):
        shown = bytes if spec.nul else _of_changes(piece, quote)
        paths = [prefix + shown(shown_path(change.new.path, spec)) for change in piece]
        yield end.join(paths) + end


def file_lines(
    spec: DiffSpec, quote: Callable[[bytes], bytes], hexes: Callable[[bytes | None], bytes]
) -> Callable[[list[Row]], bytes]:
    """The function that writes the files of a comparison of trees in the one of these formats that the spec names, or
    in none, without --relative: what `raw_lines` and `names` write of the same files as changes."""
    formats, prefix = spec.formats, spec.patch.line_prefix
    between, end = (b"\0", b"\0") if spec.nul else (b"\t", b"\n")
    oids = not formats.name_status
    zeros = hexes(None)

    def listed(rows: list[Row]) -> bytes:
        shown = bytes if spec.nul else _quoter(quote, [row[0] for row in rows])
        return b"".join([prefix + shown(row[0]) + end for row in rows])

    def lettered(rows: list[Row]) -> bytes:
        shown = bytes if spec.nul else _quoter(quote, [row[0] for row in rows])
        parts: list[bytes] = []
        for path, old_mode, old, new_mode, new in rows:
            letter = letter_of(old_mode, new_mode).encode()
            if oids:
                names = (zeros if old is None else hexes(old), zeros if new is None else hexes(new))
                parts.append(_RAW % (prefix, old_mode, new_mode, *names, letter, between))
            else:
                parts.append(prefix + letter + between)
            parts += (shown(path), end)
        return b"".join(parts)

    if formats.raw or formats.name_status:
        return lettered
    return listed if formats.name_only else lambda rows: b""

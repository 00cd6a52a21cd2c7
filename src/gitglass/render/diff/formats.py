"""A list of changes in all formats of a spec, in the order in which git prints them (its diff_flush).

Used by diff, show, log, stash show and status -v: raw or names first, then the counts, the summary, and the patch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...diff.changes import TREE, TYPE, Change, Contents, Remerged
from ...diff.spec import DiffSpec
from ...memories import Slot
from ...revs.abbrev import Abbreviator

if TYPE_CHECKING:
    from ...limits import Context
    from ...repo.store import Store
    from ..style import Style
    from .check import check_whitespace
    from .dirstat import dirstat, dirstat_by_line
    from .patch import PatchWriter
    from .raw import names, raw_lines
    from .stat import count_stats, numstat, shortstat, stat
    from .summary import summary
else:
    dirstat, dirstat_by_line = deferred(__name__, ".dirstat", "dirstat", "dirstat_by_line")
    PatchWriter = deferred(__name__, ".patch", "PatchWriter")
    summary = deferred(__name__, ".summary", "summary")
    check_whitespace = deferred(__name__, ".check", "check_whitespace")
    names, raw_lines = deferred(__name__, ".raw", "names", "raw_lines")
    count_stats, numstat, shortstat, stat = deferred(__name__, ".stat", "count_stats", "numstat", "shortstat", "stat")


__all__ = ["Hexes", "write_diff"]


class Hexes:
    """Object names as raw lines show them; an unknown one is all zeros."""

    __slots__ = ("_abbreviate", "_after", "_null", "length")

    def __init__(self, store: Store, n: int | None) -> None:
        self._abbreviate = Abbreviator(store, n)
        self._null = store.null
        self.length = n
        self._after = b"..." if store.where.ellipsis and self._abbreviate.length < store.hex_len else b""

    def __call__(self, oid: bytes | None) -> bytes:
        """The name, abbreviated to the length of the option."""
        return self._abbreviate(self._null if oid is None else oid) + self._after


_HEXES: Slot[Hexes] = Slot("abbreviator")
_PATCHES: Slot[PatchWriter] = Slot("patch writer")


def _hexes(contents: Contents, spec: DiffSpec, style: Style) -> Hexes:
    """The abbreviator, cached for a whole walk."""
    hexes = contents.per_call.get(_HEXES)
    if hexes is None or hexes.length != spec.abbrev:
        hexes = contents.per_call.put(_HEXES, Hexes(style.store, spec.abbrev))
    return hexes


def write_diff(
    changes: Sequence[Change],
    contents: Contents,
    spec: DiffSpec,
    style: Style,
    ctx: Context,
    hexes: Hexes | None = None,
    remerged: bool = False,
) -> Iterator[bytes]:
    """The changes in every format of the spec, after `diffcore`.

    `remerged`: they are those of a merge done again; its patches are sorted by their old names.

    Sets bit 1 of `ctx.exit_status` if --exit-code asks for it and there is something to report, bit 2 for --check.
    """
    by_content = spec.by_content
    if changes and spec.exit_code and not by_content:
        ctx.exit_status |= 1
    formats = spec.formats
    if not changes:
        return
    if formats.nothing:
        if spec.exit_code and by_content and differs_in_lines(changes, contents, spec, style, ctx):
            ctx.exit_status |= 1
        return
    separator = False
    ordered = changes
    if remerged:  # a conflict that was settled as the merge left it only appears in patches
        changes = [change for change in changes if not (isinstance(change, Remerged) and change.is_none)]
        ordered = sorted(ordered, key=lambda change: change.old.path)  # git sorts here, when it adds the messages
    if formats.raw or formats.name_status:
        separator = True
        if hexes is None:
            hexes = _hexes(contents, spec, style)
        yield from raw_lines(changes, spec, style.quote, hexes, oids=not formats.name_status)
    elif formats.name_only:
        separator = True
        yield from names(changes, spec, style.quote)
    elif formats.check:
        for change in changes:
            ctx.tick()
            yield from check_whitespace(change, contents, spec, style, ctx=ctx)
        return
    by_line = formats.dirstat and spec.dirstat.by == "lines"
    if formats.needs_lines or by_line:
        separator = True
        yield from _counted(changes, contents, spec, style, ctx)
        _let_go(changes, contents)
    if formats.dirstat and not by_line:
        yield from dirstat(changes, contents, spec, ctx=ctx)
        _let_go(changes, contents)
    if formats.summary:
        lines = list(summary(changes, spec, style.quote))
        separator = separator or bool(lines)
        yield from lines
    if formats.patch:
        if separator:
            yield spec.patch.line_prefix + (b"\0" if spec.nul else b"\n") + spec.divider
        writer = _writer(contents, spec, style, ctx)
        for chunk in writer.write(_files(ordered, spec)):
            if by_content and spec.exit_code and writer.changed:
                ctx.exit_status |= 1
            yield chunk


def _let_go(changes: Sequence[Change], contents: Contents) -> None:
    contents.let_go(side for change in changes for side in (change.old, change.new))


def differs_in_lines(changes: Sequence[Change], contents: Contents, spec: DiffSpec, style: Style, ctx: Context) -> bool:
    """Whether lines or bytes of any of the changes differ, as its patch would show (`PatchWriter.changed`)."""
    writer = _writer(contents, spec, style, ctx)
    writer.changed = False
    return any(writer.changed for _ in writer.write(_files(changes, spec)))


def _counted(
    changes: Sequence[Change], contents: Contents, spec: DiffSpec, style: Style, ctx: Context
) -> Iterator[bytes]:
    formats = spec.formats
    stats = count_stats(changes, contents, spec, ctx=ctx)
    if formats.numstat:
        yield from numstat(stats, spec, style.quote)
    if formats.stat:
        yield from stat(stats, spec, style.quote, style.color("diff", spec.color), style.columns)
    if formats.shortstat:
        yield from shortstat(stats, spec)
    if formats.dirstat and spec.dirstat.by == "lines":
        yield from dirstat_by_line(stats, spec)


def _writer(contents: Contents, spec: DiffSpec, style: Style, ctx: Context) -> PatchWriter:
    """The writer of patches, one for a whole walk."""
    writer = contents.per_call.get(_PATCHES)
    if writer is None or writer.spec is not spec or writer.style is not style:
        writer = contents.per_call.put(_PATCHES, PatchWriter(contents, spec, style, ctx=ctx))
    return writer


def _files(changes: Sequence[Change], spec: DiffSpec) -> Sequence[Change]:
    """The changes that have lines; a directory (of -t, or of a comparison that does not recurse) has none."""
    if spec.show_trees or not spec.recursive:
        return [change for change in changes if TREE not in (change.old.mode & TYPE, change.new.mode & TYPE)]
    return changes

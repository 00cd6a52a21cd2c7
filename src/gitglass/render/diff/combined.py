"""`-c` and `--cc`: a merge's files against all parents at once (git-diff(1), "Combined diff format").

Raw records, names and patches. `diff/combined.py` compares the files and decides which lines are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...annotations import TYPE_CHECKING
from ...diff.changes import Contents, Filespec
from ...diff.combined import CombinedPath, Weave, weave
from ...diff.lines.userdiff import is_binary
from ...diff.spec import DiffSpec
from ...revs.abbrev import Abbreviator
from .formats import Hexes

if TYPE_CHECKING:
    from ...limits import Context
    from ..style import Style

__all__ = ["write_combined"]

_HEADING = 40  # bytes of a line that a hunk header quotes
_UNSIGNED = 1 << 64


def write_combined(
    paths: Sequence[CombinedPath],
    contents: Contents,
    spec: DiffSpec,
    style: Style,
    *,
    ctx: Context,
    separate: bool = False,
    abbreviated: Hexes | None = None,
) -> Iterator[bytes]:
    """The paths in every format of the spec: records or names, then the patches.

    `separate` is True if something of the same diff (the counts) was printed before the patches.
    """
    formats = spec.formats
    if formats.nothing:
        return
    listed = formats.raw or formats.name_status or formats.name_only
    if listed:
        hexes = abbreviated or Hexes(style.store, spec.abbrev)
        for path in paths:
            yield _record(path, spec, style, hexes)
        separate = separate or bool(paths)
    if listed and any(path.in_work_tree for path in paths):
        return  # work-tree files are written one by one, in the first format only
    if formats.patch and paths:
        if separate:
            yield spec.patch.line_prefix + (b"\0" if spec.nul else b"\n")
        writer = _Writer(contents, spec, style, ctx)
        for path in paths:
            ctx.tick()
            yield b"".join(writer.write(path))


def _record(path: CombinedPath, spec: DiffSpec, style: Style, hexes: Hexes) -> bytes:
    between, end = (b"\0", b"\0") if spec.nul else (b"\t", b"\n")
    formats = spec.formats
    parts = [spec.patch.line_prefix] if formats.raw else []  # strange but git's: names alone have no prefix
    if formats.raw:
        parts.append(b":" * len(path.sides))
        parts += [b"%06o " % side.mode for side in path.sides]
        parts.append(b"%06o" % path.mode)
        parts += [b" " + hexes(side.oid) for side in path.sides]
        parts.append(b" " + hexes(path.oid) + b" ")
    if formats.raw or formats.name_status:
        parts += [side.status.encode() for side in path.sides]
        parts.append(between)
    names = [side.path if side.status in "RC" else path.path for side in path.sides] if spec.combined_all_paths else []
    for name, after in [*((name, between) for name in names), (path.path, end)]:
        parts += (name if spec.nul else style.quote(name), after)  # --relative shortens no path here, strange but git's
    return b"".join(parts)


class _Writer:
    """Writes the combined patch of a file."""

    __slots__ = ("abbreviate", "color", "contents", "ctx", "prefix", "quote", "spec", "style")

    def __init__(self, contents: Contents, spec: DiffSpec, style: Style, ctx: Context) -> None:
        self.contents, self.spec, self.style, self.ctx = contents, spec, style, ctx
        self.color = style.color("diff", spec.color)
        self.prefix = spec.patch.line_prefix
        self.quote = style.quote
        self.abbreviate = Abbreviator(style.store, 0 if spec.patch.full_index else None)

    def write(self, path: CombinedPath) -> Iterator[bytes]:
        """The header and the hunks; nothing if no line is to be shown and no mode changed."""
        patch = self.spec.patch
        result = self.contents.blob(Filespec(path.path, path.mode, path.oid)) if path.mode else b""
        parents = [self.contents.blob(side.spec()) if side.mode else b"" for side in path.sides]
        modes_differ = any(side.mode != path.file_mode for side in path.sides)
        if self._binary(path, [result, *parents]):
            yield from self._header(path, modes_differ, names=False)
            yield self.prefix + b"Binary files differ\n"
            return
        # git shows a deleted file's lines only if a tree lacks it
        gone = path.in_work_tree and not (path.mode or path.in_directory)
        woven = Weave([], len(parents)) if gone else weave(result, parents, self.spec.lines, ctx=self.ctx)
        if woven.choose(self.spec.lines.context, patch.dense_combined) or modes_differ or path.in_work_tree:
            yield from self._header(path, modes_differ, names=True)
            if not gone:
                yield from self._hunks(woven)

    def _binary(self, path: CombinedPath, versions: list[bytes]) -> bool:
        attribute = self.contents.driver(Filespec(path.path, path.mode, path.oid)).binary
        return any(map(is_binary, versions)) if attribute is None else attribute

    # ---------------------------------------------------------------- header
    def _meta(self, line: bytes) -> bytes:
        return b"".join((self.prefix, self.color.diff_meta, line, self.color.reset, b"\n"))

    def _header(self, path: CombinedPath, modes_differ: bool, *, names: bool) -> Iterator[bytes]:
        patch = self.spec.patch
        kind = b"diff --cc " if patch.dense_combined else b"diff --combined "
        yield self._meta(kind + self.quote(path.path))
        null = self.style.store.null
        oids = b",".join(self.abbreviate(side.oid or null) for side in path.sides)
        yield self._meta(b"index %s..%s" % (oids, self.abbreviate(path.oid or null)))
        added = bool(path.mode) and modes_differ and all(side.status == "A" for side in path.sides)
        if modes_differ:
            line = self._modes(path, added)
            # git gives a mere change of modes no prefix and no colour, but ends one
            yield line + self.color.reset + b"\n" if line.startswith(b"mode") else self._meta(line)
        if not names:
            return
        if self.spec.combined_all_paths:
            for side in path.sides:
                name = side.path if side.status in "RC" else path.path
                yield self._meta(
                    b"--- " + (b"/dev/null" if side.status == "A" else self.quote(patch.src_prefix + name))
                )
        else:
            yield self._meta(b"--- " + (b"/dev/null" if added else self.quote(patch.src_prefix + path.path)))
        yield self._meta(b"+++ " + (self.quote(patch.dst_prefix + path.path) if path.mode else b"/dev/null"))

    @staticmethod
    def _modes(path: CombinedPath, added: bool) -> bytes:
        if added:
            return b"new file mode %06o" % path.file_mode
        modes = b",".join(b"%06o" % side.mode for side in path.sides)
        return b"mode %s..%06o" % (modes, path.file_mode) if path.mode else b"deleted file mode " + modes

    # ---------------------------------------------------------------- hunks
    def _hunks(self, woven: Weave) -> Iterator[bytes]:
        size = len(woven.new)
        at = 0
        while True:
            heading = None
            while at < size and not woven.shown[at]:
                if at < len(woven.lines) and _opens(woven.lines[at]):
                    heading = woven.lines[at]
                at += 1
            if at >= size:
                return
            end = woven.shown.find(0, at, size)
            end = size if end < 0 else end
            yield self._hunk_header(woven, at, end, heading)
            for position in range(at, end):
                self.ctx.tick()
                yield from self._position(woven, position)
            at = end

    def _hunk_header(self, woven: Weave, at: int, end: int, heading: bytes | None) -> bytes:
        color = self.color
        lines = end - at - (1 if end > len(woven.lines) else 0)
        unseen = 0 if self.spec.lines.context else sum(not bits for bits in woven.new[at:end])
        signs = b"@" * (len(woven.numbers) + 1)
        parts = [self.prefix, color.diff_frag, signs]
        # with -U0 git subtracts one too many for lines with lost lines in front, and its counts are unsigned
        counts = [(numbers[end] - numbers[at] - unseen) % _UNSIGNED for numbers in woven.numbers]
        parts += [b" -%d,%d" % (numbers[at], count) for numbers, count in zip(woven.numbers, counts)]
        parts += [b" +%d,%d " % (at + 1, (lines - unseen) % _UNSIGNED), signs]
        if heading is not None:
            # git cuts the heading before its last character that is not white space
            text = heading[:_HEADING].rstrip()[:-1]
            if text:
                parts += [color.reset, color.diff_context, b" ", color.reset, color.diff_func, text]
        return b"".join([*parts, color.reset, b"\n"])

    def _position(self, woven: Weave, at: int) -> Iterator[bytes]:
        color, parents = self.color, range(len(woven.numbers))
        if not woven.bare[at]:
            for lost in woven.lost[at]:
                signs = b"".join(b"-" if lost.parents >> n & 1 else b" " for n in parents)
                yield self._line(color.diff_old, signs, lost.line)
        if at >= len(woven.lines):
            return
        bits = woven.new[at]
        if not bits and not self.spec.lines.context:
            return
        signs = b"".join(b"+" if bits >> n & 1 else b" " for n in parents)
        yield self._line(color.diff_new if bits else color.diff_context, signs, woven.lines[at])

    def _line(self, color: bytes, signs: bytes, line: bytes) -> bytes:
        end = b"\n"
        if line.endswith(b"\r"):
            line, end = line[:-1], b"\r\n"
        return b"".join((self.prefix, color, signs, line, self.color.reset, end))


def _opens(line: bytes) -> bool:
    """Whether a line can be a hunk's heading: it begins with a letter, `_` or `$`."""
    return line[:1].isalpha() or line[:1] in (b"_", b"$")

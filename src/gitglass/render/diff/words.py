"""Hunks by words: `--word-diff=plain|color|porcelain` and `--color-words`.

The line prefix (`--line-prefix`, `--graph`) is added here and not by `patch`: git forgets it after a deleted word at
the end of a line, and before the `~` of the porcelain form.
"""

from __future__ import annotations

from ...annotations import TYPE_CHECKING
from ...diff.lines.hunks import Hunk
from ...diff.lines.spec import PatchSpec
from ...diff.lines.whitespace import bare
from ...diff.lines.words import WordCutter, match_words
from ...limits import joined, lines_in, paced
from ..color import Palette

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["WordPrinter"]

#: style → markers around new, old and unchanged words, and the text for a newline
_STYLES = {
    "plain": ((b"{+", b"+}"), (b"[-", b"-]"), (b"", b""), b"\n"),
    "color": ((b"", b""), (b"", b""), (b"", b""), b"\n"),
    "porcelain": ((b"+", b"\n"), (b"-", b"\n"), (b" ", b"\n"), b"~\n"),
}


class WordPrinter:
    """Prints the hunks of one file by words."""

    __slots__ = (
        "context_color",
        "ctx",
        "cutter",
        "gone",
        "kept",
        "new",
        "newline",
        "porcelain",
        "prefix",
        "quiet",
        "reset",
    )

    def __init__(self, patch: PatchSpec, color: Palette, regex: bytes | None, ctx: Context) -> None:
        self.ctx = ctx
        self.cutter = WordCutter(regex, ctx)
        new, old, kept, self.newline = _STYLES[patch.word_diff]
        self.reset = color.reset
        self.new = (color.diff_new, *new)
        self.gone = (color.diff_old, *old)
        self.kept = (color.diff_context, *kept)
        self.context_color = color.diff_context
        self.porcelain = patch.word_diff == "porcelain"
        self.quiet = patch.suppress_blank_empty
        self.prefix = patch.line_prefix

    def hunk(self, hunk: Hunk) -> bytes:
        """The lines of a hunk."""
        out: list[bytes] = []
        deleted = added = b""
        for kind, lines in hunk.parts:
            if kind == b" ":
                if deleted or added:
                    self._changed(out, deleted, added)
                    deleted = added = b""
                self._context(out, lines)
                continue
            block = joined([bare(line) + b"\n" for line in paced(lines)])
            if kind == b"-":
                deleted = block
            else:
                added = block
        if deleted or added:
            self._changed(out, deleted, added)
        return joined(out)

    def _context(self, out: list[bytes], lines: list[bytes]) -> None:
        color, reset = self.context_color, self.reset
        for line in map(bare, paced(lines)):
            end = b"\n"
            if self.porcelain:
                shown = line if self.quiet and not line else b" " + line
            else:
                shown = line
            if shown.endswith(b"\r") and reset:
                shown, end = shown[:-1], b"\r\n"
            out.append(self.prefix)
            if shown:
                out += (color, shown, reset)
            out.append(end)
            if self.porcelain:
                out.append(b"~\n")

    def _put(self, out: list[bytes], style: tuple[bytes, bytes, bytes], words: bytes) -> None:
        """Words of one kind; each line of them gets markers of its own."""
        color, before, after = style
        reset = self.reset if color else b""
        pieces = lines_in(words)
        last = pieces.pop()
        lead = b""
        for piece in pieces:
            marked = b"".join((color, before, piece, after, reset)) if piece else b""
            out.append(_shown(lead + marked + self.newline))
            lead = self.prefix
        if last:
            out.append(_shown(b"".join((lead, color, before, last, after, reset))))

    def _changed(self, out: list[bytes], deleted: bytes, added: bytes) -> None:
        if not added:
            out.append(self.prefix)
            self._put(out, self.gone, deleted)
            return
        old_words, new_words, script = match_words(deleted, added, self.cutter, self.ctx)
        at = last = 0
        for i, n, j, m in script:
            if m:
                start, end = new_words[j][0], new_words[j + m - 1][1]
            else:
                start = end = new_words[j - 1][1] if j else 0
            if (not last and not at) or (at and added[at - 1] == 10):
                out.append(self.prefix)
            last = i + 1 if n else i
            if start != at:
                self._put(out, self.kept, added[at:start])
            if n:
                self._put(out, self.gone, deleted[old_words[i][0] : old_words[i + n - 1][1]])
            if m:
                self._put(out, self.new, added[start:end])
            at = end
        if at != len(added):
            if (not last and not at) or (at and added[at - 1] == 10):
                out.append(self.prefix)
            self._put(out, self.kept, added[at:])


def _shown(line: bytes) -> bytes:
    """Cut text as git does, which prints words as C strings: a NUL ends the line, with its markers and newline."""
    return line if b"\0" not in line else line[: line.index(b"\0")]

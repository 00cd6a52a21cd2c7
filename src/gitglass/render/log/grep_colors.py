"""The matches of --author, --committer and --grep in colour, as a log shows them (color.grep.* of git-config(1)).

A line of the message, or the person after `Author:` and `Commit:`, is coloured if one of its patterns matches there:
the matches in color.grep.matchSelected, the text between them in color.grep.selected. Lines without a match, and all
lines with --invert-grep, stay uncoloured.
"""

from collections.abc import Sequence

from ...grep.atom import Atom, PatternSpec
from ...grep.expression import next_match
from ...history.matching import MatchSpec
from ...limits import Context
from ..color import RESET, Palette


class Marks:
    """Colours the matches of a log's patterns. `palette` is on; a colour it cannot parse raises GitError."""

    __slots__ = ("_author", "_between", "_body", "_committer", "_match")

    def __init__(self, spec: MatchSpec, palette: Palette, ctx: Context) -> None:
        pattern_spec = PatternSpec(kind=spec.kind, ignore_case=spec.ignore_case)

        def compiled(patterns: Sequence[bytes]) -> list[Atom]:
            return [
                Atom(line, pattern_spec, ctx, "command line") for pattern in patterns for line in pattern.split(b"\n")
            ]

        self._author, self._committer, self._body = map(compiled, (spec.author, spec.committer, spec.grep))
        self._match, self._between = palette.grep_match_selected, palette.grep_selected

    def author(self, person: bytes) -> bytes:
        """`Name <mail>` of an author, coloured."""
        return self._painted(person, self._author)

    def committer(self, person: bytes) -> bytes:
        """`Name <mail>` of a committer, coloured."""
        return self._painted(person, self._committer)

    def line(self, line: bytes) -> bytes:
        """A line of a message, or a piece of it between two tabs, which git searches on its own."""
        return self._painted(line, self._body)

    def _painted(self, line: bytes, atoms: list[Atom]) -> bytes:
        out, rest = b"", line
        while atoms:
            span = next_match(atoms, rest, begins=not out)
            if span is None or span[0] == span[1]:
                break
            out += _in(self._between, rest[: span[0]]) + _in(self._match, rest[span[0] : span[1]])
            rest = rest[span[1] :]
        return out + _in(self._between, rest) if out else line


def _in(color: bytes, data: bytes) -> bytes:
    return color + data + RESET if color else data

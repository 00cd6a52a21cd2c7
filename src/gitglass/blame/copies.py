"""`-M` and `-C` of blame: lines that were moved within a file, or copied from other files.

A run that no parent's version has at its position is searched for anywhere in the parent's file (-M), in the other
files that the commit changed (-C), in all files of the parent if the commit created the file (-C -C), or always in all
files (-C -C -C). The block with the highest score is passed on, if it has enough letters and digits; the lines before
and after it are searched for again.

The slow part is a diff against a whole file for every run. So each run's lines are first looked up in the set of the
file's lines: if no stretch of lines that are all in the set scores enough, the diff could not find one either.
"""

from __future__ import annotations

from heapq import merge
from operator import itemgetter

from ..annotations import TYPE_CHECKING
from ..diff.lines.compare import match_lines
from ..errors import GitError
from ..limits import lines_in
from .origins import Origin, Run, Runs

if TYPE_CHECKING:
    from .spec import Board

_NO_WORD = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))
_SPACE = b" \t\n\r\v\f"
_KIND, _GITLINK = 0o170000, 0o160000
_SETS_KEPT = 64

#: score, lines before the block, the block in the parent's file, lines after the block, the parent
Parts = tuple[int, Run | None, Run, Run | None, Origin]


class Copier:
    """The search for the sources of one origin's lines."""

    __slots__ = ("_board", "_passed", "_seen", "_sets", "_small")

    def __init__(self, board: Board) -> None:
        self._board = board
        self._passed: list[tuple[Origin, Run]] = []
        self._small: list[Run] = []
        self._seen: list[Origin] = []
        self._sets: dict[bytes, frozenset[bytes]] = {}

    def run(self, origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]) -> None:
        """Search for the origin's runs in the parents and pass on the blocks that match; the other lines stay."""
        spec = self._board.spec
        rows = self._without_small(origin.runs.rows(), spec.move_score, self._small)
        for version in versions:
            if version is not None and rows:
                rows = self._moves(rows, origin, version)
        if spec.copies:
            rows = self._copies(rows, origin, parents, versions)
        origin.runs = Runs()
        for run in [*self._small, *rows]:  # in this order, which --incremental shows
            origin.runs.add(run)
        self._distribute()
        for source in self._seen:
            self._board.release(source)

    def _copies(
        self, rows: list[Run], origin: Origin, parents: tuple[bytes, ...], versions: list[Origin | None]
    ) -> list[Run]:
        spec = self._board.spec
        if spec.copy_score > spec.move_score:
            small: list[Run] = []
            rows = self._without_small(rows, spec.copy_score, small)
            self._small = small + self._small
        elif spec.copy_score < spec.move_score:
            joined = list(merge(rows, self._small, key=itemgetter(0)))
            self._small = []
            rows = self._without_small(joined, spec.copy_score, self._small)
        for parent, version in zip(parents, versions):
            if rows:
                rows = self._copies_from(rows, origin, parent, version)
        return rows

    def _without_small(self, rows: list[Run], least: int, small: list[Run]) -> list[Run]:
        """The runs that score more than `least`; the others go to `small`, and are not searched for again."""
        large: list[Run] = []
        for run in rows:
            (large if self.score(run) > least else small).append(run)
        return large

    def _distribute(self) -> None:
        by_origin: dict[int, tuple[Origin, list[Run]]] = {}
        for origin, run in self._passed:
            by_origin.setdefault(id(origin), (origin, []))[1].append(run)
        for origin, rows in by_origin.values():
            self._board.suspect(origin, Runs.of(rows))

    # --------------------------------------------------------------------------------------------------- scoring

    def score(self, run: Run) -> int:
        """The number of letters and digits in a run, plus one."""
        return word_score(self._board.final.span(run[2], run[1]))

    # ----------------------------------------------------------------------------------------------------- moves

    def _moves(self, rows: list[Run], origin: Origin, parent: Origin) -> list[Run]:
        """Pass on blocks that the parent's version has anywhere; returns the runs that stay, as they were met."""
        least = self._board.spec.move_score
        if rows:
            self._board.load(parent)
        unmatched, small = list[Run](), list[Run]()  # small ones go before those of earlier searches
        while rows:
            remainders: list[Run] = []
            for run in rows:
                best = self._find(run, parent, least, None)
                if best is not None and best[0] > least:
                    self._take(best, remainders)
                else:
                    unmatched.append(run)
            rows = self._without_small(remainders, least, small)
        self._small = small + self._small
        return unmatched

    def _copies_from(self, rows: list[Run], origin: Origin, parent: bytes, same: Origin | None) -> list[Run]:
        """Pass on blocks that other files of the parent have; returns the runs that stay."""
        board = self._board
        least = board.spec.copy_score
        sources = self._sources(origin, parent, same)
        unmatched, small = list[Run](), list[Run]()  # small ones go before those of earlier searches
        while rows:
            best: list[Parts | None] = [None] * len(rows)
            for source in sources:
                board.ctx.tick()
                board.load(source)
                for at, run in enumerate(rows):
                    best[at] = self._find(run, source, least, best[at])
            remainders: list[Run] = []
            for run, parts in zip(rows, best):
                if parts is not None and parts[0] > least:
                    self._take(parts, remainders)
                else:
                    unmatched.append(run)
            self._let_go(sources)
            rows = self._without_small(remainders, least, small)
        self._small = small + self._small
        return unmatched

    def _let_go(self, sources: list[Origin]) -> None:
        """Drop loaded contents as git does: it keeps only those of files that lines were passed to."""
        used = {id(source) for source, _ in self._passed}
        for source in sources:
            source.loaded = source.loaded and (bool(source.runs) or id(source) in used)

    def _sources(self, origin: Origin, parent: bytes, same: Origin | None) -> list[Origin]:
        """The files of the parent that are searched."""
        board = self._board
        all_files = board.spec.copies >= 3 or (board.spec.copies == 2 and (same is None or same.path != origin.path))
        sources = []
        for mode, path, oid in board.files_of(parent) if all_files else board.changed_files(parent, origin):
            if mode & _KIND == _GITLINK or (same is not None and path == same.path):
                continue
            board.ctx.tick()
            source = board.origin(parent, path)
            source.mode, source.blob = mode, oid
            sources.append(source)
        self._seen += sources
        return sources

    def _take(self, parts: Parts, remainders: list[Run]) -> None:
        _, head, middle, behind, parent = parts
        if head is not None:
            remainders.append(head)
        if behind is not None:
            remainders.append(behind)
        self._passed.append((parent, middle))

    # --------------------------------------------------------------------------------------------------- finding

    def _find(self, run: Run, parent: Origin, least: int, best: Parts | None) -> Parts | None:
        """The best block of a run that the parent's file has; `best` unless the new one is at least as good."""
        board = self._board
        segment = board.final.span(run[2], run[1])
        try:
            data = board.data(parent)
        except GitError:
            return best
        if not self._could_score(segment, data, parent, least):
            return best
        script = match_lines(data, segment, board.spec.lines, board.ctx)
        new_at = old_at = 0
        for old, removed, new, added in [*script, (0, 0, run[1], 0)]:
            if new_at < new and new_at < run[1]:
                best = self._better(run, parent, new_at, old_at, new, best)
            new_at, old_at = new + added, old + removed
        return best

    def _better(self, run: Run, parent: Origin, new_at: int, old_at: int, end: int, best: Parts | None) -> Parts | None:
        start, num, final, flags = run
        middle: Run = (old_at, end - new_at, final + new_at, flags)
        score = self.score(middle)
        if best is not None and score < best[0]:
            return best
        before: Run | None = (start, new_at, final, flags) if new_at else None
        behind: Run | None = (start + end, num - end, final + end, flags) if end < num else None
        return score, before, middle, behind, parent

    def _could_score(self, segment: bytes, data: bytes, parent: Origin, least: int) -> bool:
        """Whether a stretch of lines that all occur in the file scores more than `least`."""
        lines = self._lines_of(data, parent)
        fold = self._board.spec.lines.folds_space
        score = 0
        for line in lines_in(segment):
            if (line.translate(None, _SPACE) if fold else line) in lines:
                score += len(line.translate(None, _NO_WORD))
                if score + 1 > least:
                    return True
            elif score:
                score = 0
        return False

    def _lines_of(self, data: bytes, parent: Origin) -> frozenset[bytes]:
        lines = self._sets.get(parent.blob)
        if lines is None:
            if len(self._sets) >= _SETS_KEPT:
                self._sets.clear()
            text = data
            if self._board.spec.lines.folds_space:
                text = b"\n".join(line.translate(None, _SPACE) for line in lines_in(data))
            lines = self._sets[parent.blob] = frozenset(lines_in(text))
        return lines


def word_score(text: bytes) -> int:
    """The number of (ASCII) letters and digits, plus one."""
    return len(text.translate(None, _NO_WORD)) + 1

"""`git log -L`: the history of lines of files, followed from commit to commit.

Each commit that has line ranges passes them to its parents, moved across the diff; a commit whose diff touches them is
shown. A merge passes all of them to the first parent that has them unchanged, otherwise some to each parent. At the
commit that adds a file, the file is searched for under another name. Mirrors git-log(1), `-L`.

Ranges are sorted lists of disjoint (start, end) line numbers, counted from 0, the end not included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..diff.changes import Change, Contents, Filespec
from ..diff.diffcore import diffcore
from ..diff.lines.compare import match_lines
from ..diff.lines.ranges import BadRange, Lines, parse_line_range
from ..diff.lines.spec import LineSpec
from ..diff.spec import DiffSpec, RenameReport
from ..diff.trees import as_change, trees_of
from ..errors import BadRequest, NotFound, text
from ..limits import Context
from ..paths.pathspec import Pathspecs, PathspecSpec
from ..records import replace
from ..repo.absolute import prefix_path
from ..repo.store import Store

__all__ = ["LineFile", "LineHit", "LineLog"]

Ranges = list[tuple[int, int]]

_PLAIN = LineSpec(context=0, indent_heuristic=False)
_TREE = 0o040000
_RANGE_END = rb"(?:\^?/(?:\\.|[^/\\])*/|[+-]?[0-9]+)?"
_RANGE = re.compile(rb"\^?:(?:\\.|[^:\\])+|" + _RANGE_END + rb"(?:," + _RANGE_END + rb")?", re.DOTALL)


class LineFile:
    """One file of a commit: its ranges, and the diff against the parent if the commit touched them.

    `gone` and `come` are the changes near the ranges, pairwise, in the old and the new file.
    """

    __slots__ = ("come", "gone", "new", "old", "path", "ranges")

    def __init__(self, path: bytes, ranges: Ranges) -> None:
        self.path = path
        self.ranges = ranges
        self.old: Filespec | None = None
        self.new: Filespec | None = None
        self.gone: Ranges = []
        self.come: Ranges = []


class LineHit:
    """A commit to show. `files` is empty for a merge, which git shows without a diff."""

    __slots__ = ("files",)

    def __init__(self, files: list[LineFile]) -> None:
        self.files = files


class LineLog:
    """Follows the ranges of `-L` options from one commit on. Commits must come children first (`--topo-order`)."""

    __slots__ = (
        "_alone", "_contents", "_ctx", "_entries", "_first_parent", "_held", "_odb", "_spec", "_store",
        "_trees", "rewritten",
    )  # fmt: skip

    def __init__(
        self,
        store: Store,
        args: Sequence[bytes],
        tip: bytes,
        contents: Contents,
        spec: DiffSpec,
        *,
        ctx: Context,
        first_parent: bool = False,
        alone: bool = False,
    ) -> None:
        """`args` are the values of -L (`10,20:file`), `tip` is the commit that they refer to. Raises GitError with
        git's message.

        `alone`: no history is walked (git show, --no-walk). Strange but git's: the parents are not read then, so the
        commit is compared with nothing and shows the lines as added.
        """
        self._store = store
        self._odb = store.odb
        self._contents = contents
        self._spec = replace(spec, pathspecs=Pathspecs.ALL, relative=None, reverse=False, report=RenameReport())
        self._trees = trees_of(store.odb)
        self._ctx = ctx
        self._first_parent = first_parent
        self._alone = alone
        self._held: dict[bytes, list[LineFile]] = {}
        self._entries: dict[tuple[bytes, bytes], tuple[int, bytes] | None] = {}
        #: merges whose ranges all went to one parent: that is their only parent (for --graph and --parents)
        self.rewritten: dict[bytes, bytes] = {}
        self._held[tip] = self._asked(store, args, tip)

    # -- what was asked ---------------------------------------------------------------------------------------------

    def _asked(self, store: Store, args: Sequence[bytes], tip: bytes) -> list[LineFile]:
        tree = self._odb.commit_facts(tip)[2]
        files: dict[bytes, LineFile] = {}
        for arg in args:
            match = _RANGE.match(arg)
            at = match.end() if match else 0
            if not match or arg[at : at + 1] != b":" or at + 1 >= len(arg):
                raise BadRequest(f"-L argument not 'start,end:file' or ':funcname:file': {text(arg)}")
            path = prefix_path(store, arg[at + 1 :])
            entry = self._entry(tree, path)
            if entry is None or entry[0] == _TREE:
                raise NotFound(f"There is no path {text(path)} in the commit")
            side = Filespec(path, *entry)
            lines = Lines(self._contents.read(side))
            line_file = files.setdefault(path, LineFile(path, []))
            anchor = line_file.ranges[-1][1] + 1 if line_file.ranges else 1
            line_file.ranges.append(self._range(arg[:at], arg[at + 1 :], lines, anchor, side))
        for line_file in files.values():
            line_file.ranges = _merged(line_file.ranges)
        return sorted(files.values(), key=lambda file: file.path)

    def _range(self, arg: bytes, name: bytes, lines: Lines, anchor: int, side: Filespec) -> tuple[int, int]:
        try:
            begin, end = parse_line_range(arg, lines, anchor, self._contents.driver(side), ctx=self._ctx)
        except BadRange:
            raise BadRequest(f"malformed -L argument '{text(arg)}'") from None
        if (not lines.count and (begin or end)) or lines.count < begin:
            raise NotFound(f"file {text(name)} has only {lines.count} lines")  # strange but git's: in the plural
        begin = max(begin, 1)
        if end < 1 or lines.count < end:
            end = lines.count
        return begin - 1, end

    # -- following --------------------------------------------------------------------------------------------------

    def visit(self, oid: bytes) -> LineHit | None:
        """What to show of a commit, or None; afterwards its parents have the ranges."""
        files = self._held.get(oid)
        if files is None:
            return None
        parents, _, tree = self._odb.commit_facts(oid)[:3]
        if len(parents) < 2:
            held, touched = self._across(files, parents[0] if parents else None, tree)
            if parents:
                self._give(parents[0], held)
            return LineHit(files) if touched else None
        return self._merge(oid, files, parents, tree)

    def _merge(self, oid: bytes, files: list[LineFile], parents: tuple[bytes, ...], tree: bytes) -> LineHit | None:
        if self._first_parent:
            parents = parents[:1]
        candidates = []
        for parent in parents:
            held, touched = self._across([LineFile(file.path, file.ranges) for file in files], parent, tree)
            if not touched:
                self._give(parent, held)
                self.rewritten[oid] = parent
                del self._held[oid]
                return None
            candidates.append(held)
        for parent, held in zip(parents, candidates):
            self._give(parent, held)
        del self._held[oid]
        return LineHit([])

    def _give(self, oid: bytes, files: list[LineFile]) -> None:
        """Add ranges to those that a commit already has."""
        held = self._held.get(oid)
        if held is None:
            self._held[oid] = files
            return
        joined = []
        i = j = 0
        while i < len(held) or j < len(files):
            if j >= len(files) or (i < len(held) and held[i].path < files[j].path):
                joined.append(LineFile(held[i].path, held[i].ranges))
                i += 1
            elif i >= len(held) or files[j].path < held[i].path:
                joined.append(LineFile(files[j].path, files[j].ranges))
                j += 1
            else:
                joined.append(LineFile(files[j].path, _union(held[i].ranges, files[j].ranges)))
                i += 1
                j += 1
        self._held[oid] = joined

    def _across(self, files: list[LineFile], parent: bytes | None, tree: bytes) -> tuple[list[LineFile], bool]:
        """The ranges as lines of the parent, and whether the diff touches any of them. The diff is stored in
        `files`."""
        held = [LineFile(file.path, file.ranges) for file in files]
        touched = False
        for change in self._changes(files, parent, tree):
            path = change.new.path
            at = next((at for at, file in enumerate(held) if file.path == path), -1)
            if at < 0 or not held[at].ranges:
                continue
            self._ctx.tick()
            before, after = self._contents.read(change.old), self._contents.read(change.new)
            script = match_lines(before, after, _PLAIN, self._ctx)
            gone = [(i, i + n) for i, n, _, _ in script]
            come = [(j, j + m) for _, _, j, m in script]
            near = _near(come, held[at].ranges)
            held[at].path = change.old.path
            parts = [gone[i] for i in near]
            kept = _shifted(_difference(held[at].ranges, [come[i] for i in near]), gone, come)
            held[at].ranges = _union(kept, parts)
            if near:
                touched = True
                file = next(file for file in files if file.path == path)
                file.old, file.new = change.old, change.new
                file.gone, file.come = parts, [come[i] for i in near]
        return held, touched

    def _entry(self, tree: bytes, path: bytes) -> tuple[int, bytes] | None:
        """The entry of a path below a tree. Directories rarely change, so entries are remembered by directory."""
        key = (tree, path)
        if key in self._entries:
            return self._entries[key]
        name, slash, rest = path.partition(b"/")
        entry = self._odb.entry(tree, name)
        if slash and entry is not None:
            entry = self._entry(entry[1], rest) if entry[0] == _TREE else None
        if len(self._entries) > 100_000:
            self._entries.clear()
        self._entries[key] = entry
        return entry

    def _changes(self, files: list[LineFile], parent: bytes | None, tree: bytes) -> list[Change]:
        """The changes of these files; the whole commit is compared if one of them is new."""
        old_tree = None if parent is None or self._alone else self._odb.commit_facts(parent)[2]
        if old_tree == tree:
            return []
        changes = []
        added = False
        for path in self._compared(sorted({file.path for file in files})):
            new = self._entry(tree, path)
            old = None if old_tree is None else self._entry(old_tree, path)
            if new == old or new is None:
                continue
            added = added or old is None
            sides = Filespec(path, *(old or (0, None))), Filespec(path, *new)
            changes.append(Change("M" if old else "A", *sides))
            if self._spec.exit_code:  # strange but git's: a change anywhere in the file counts, shown or not
                self._ctx.exit_status |= 1
        if not added or not self._spec.renames:
            return changes
        wanted = {file.path for file in files}
        rows = self._trees.rows(old_tree, tree, ctx=self._ctx)
        pairs = [as_change(row) for row in rows if not row[3] or row[0] in wanted]
        pairs = diffcore(pairs, self._contents, self._spec, ctx=self._ctx)
        if self._spec.exit_code and not pairs:  # the pickaxe left no change: that replaces the status so far
            self._ctx.exit_status &= ~1
        return [pair for pair in pairs if pair.new.mode and pair.new.path in wanted]

    def _compared(self, paths: list[bytes]) -> list[bytes]:
        """The paths to compare. Strange but git's: the paths are taken for pathspecs, so that `:name` stands for
        `name`, and a file of the former name is found only if another one is new and rename detection is on."""
        if not any(path.startswith(b":") for path in paths):
            return paths
        spec = PathspecSpec.of(self._store.pathspecs)
        pathspecs = Pathspecs.parse(paths, b"", spec, work_tree=self._store.work_tree)
        return [path for path in paths if pathspecs.match(path)]


# -- ranges -----------------------------------------------------------------------------------------------------------


def _merged(ranges: Ranges) -> Ranges:
    out: Ranges = []
    for start, end in sorted(ranges):
        if start == end:
            continue
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def _near(come: Ranges, ranges: Ranges) -> list[int]:
    """Which changes overlap a range."""
    near: list[int] = []
    j = 0
    for at, (start, end) in enumerate(come):
        while start > ranges[j][1]:
            j += 1
            if j == len(ranges):
                return near
        low, high = ranges[j]
        if end > low and high > start:
            near.append(at)
    return near


def _difference(ranges: Ranges, cut: Ranges) -> Ranges:
    """The ranges without the lines that `cut` covers."""
    out: Ranges = []
    j = 0
    for start, end in ranges:
        while start < end:
            while j < len(cut) and start >= cut[j][1]:
                j += 1
            if j >= len(cut) or end <= cut[j][0]:
                out.append((start, end))
                break
            if start < cut[j][0]:
                out.append((start, cut[j][0]))
            start = cut[j][1]
    return out


def _shifted(ranges: Ranges, gone: Ranges, come: Ranges) -> Ranges:
    """The ranges as lines of the old file."""
    out: Ranges = []
    offset = 0
    j = 0
    for start, end in ranges:
        while j < len(come) and start >= come[j][0]:
            offset += (gone[j][1] - gone[j][0]) - (come[j][1] - come[j][0])
            j += 1
        out.append((start + offset, end + offset))
    return out


def _union(one: Ranges, two: Ranges) -> Ranges:
    return _merged(one + two)

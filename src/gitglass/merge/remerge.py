"""What a merge's author did beyond what merging does by itself (--remerge-diff).

The merge is done again, in memory: each file from the side that changed it, and where both did, their changes put
together, conflicts marked in the text and told of above the patch. A file that one side renamed and the other changed
is followed. Several merge bases are merged first, in the same way, and what comes of it is the base. What needs more
than that (a file with two new names, or in the way of another; directories that moved; types that differ) is refused
by name, not guessed. Mirrors git-log(1), `--remerge-diff`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from ..diff.changes import Change, Contents, Filespec, Told, status_of
from ..diff.renames import find_renames
from ..diff.spec import DiffSpec
from ..diff.trees import Row, as_change, trees_of
from ..errors import Unsupported
from ..graph.merge_base import merge_bases
from ..limits import Context
from ..objects.parsed import object_name
from ..paths.attributes import attributes_of
from ..repo.store import Store
from .three_way import merge_texts

Side = tuple[int, bytes | None]  # mode (0: absent) and object

_GONE: Side = (0, None)
_KIND, _FILE, _LINK = 0o170000, 0o100000, 0o120000
_MARK, _MARK_GROWTH = 7, 2
_DEPTH = 20
_TEMPORARY = b"Temporary merge branch 1", b"Temporary merge branch 2"


class _Tree:
    """A tree as it is stored, or one that a merge of bases came to: `changed` maps a path to (stored, merged)."""

    __slots__ = ("changed", "oid")

    def __init__(self, oid: bytes | None, changed: dict[bytes, tuple[Side, Side]] | None = None) -> None:
        self.oid = oid
        self.changed = changed or {}


def remerge(
    store: Store,
    parents: Sequence[bytes],
    tree: bytes,
    contents: Contents,
    label: Callable[[bytes], bytes],
    *,
    ctx: Context,
) -> list[Change]:
    """The changes from the automatic merge of two commits to the tree of the merge. Raises Unsupported.

    The parents are those that the walk left the merge. `label` names a commit in the marks of conflicts.
    """
    bases = merge_bases(store, parents[0], parents[1:], ctx=ctx)
    base = _merged(store, bases, contents, 1, ctx)
    ours, theirs = (_Tree(store.odb.commit_facts(parent)[2]) for parent in parents)
    again = _Again(store, contents, (label(parents[0]), label(parents[1])), ctx)
    again.merge(base, ours, theirs)
    made = {row[0]: row for row in _rows(store, ours, _Tree(tree), ctx)}
    return again.against(made)


def _merged(store: Store, commits: list[bytes], contents: Contents, depth: int, ctx: Context) -> _Tree:
    """Commits merged with each other, one after the other: what stands for the base where there are several."""
    if depth > _DEPTH:
        raise _refused("merge bases of merge bases of merge bases")
    if not commits:
        return _Tree(None)
    made = _Tree(store.odb.commit_facts(commits[0])[2])
    for at in range(1, len(commits)):
        ctx.tick()
        bases = merge_bases(store, commits[at], commits[:at], ctx=ctx)
        base = _merged(store, bases, contents, depth + 1, ctx)
        again = _Again(store, contents, _TEMPORARY, ctx, depth)
        again.merge(base, made, _Tree(store.odb.commit_facts(commits[at])[2]))
        made = again.result(made)
    return made


def _rows(store: Store, old: _Tree, new: _Tree, ctx: Context) -> list[Row]:
    """What differs between two trees, either of which may only be thought of."""
    rows = {row[0]: row for row in trees_of(store.odb).rows(old.oid, new.oid, ctx=ctx)}
    for path in old.changed.keys() | new.changed.keys():
        row = rows.pop(path, None)
        stored = (row[3], row[4]) if row is not None else (new.changed.get(path) or old.changed[path])[0]
        before = old.changed[path][1] if path in old.changed else (row[1], row[2]) if row is not None else stored
        after = new.changed[path][1] if path in new.changed else stored
        if before != after:
            rows[path] = (path, *before, *after)
    return [rows[path] for path in sorted(rows)]


class _Again:
    """One merge done again: `expected` is what it comes to where that is not simply our side.

    `depth` is 0 for the merge itself, more for one of merge bases: there the base wins over a conflict of files, and
    the marks of conflicts grow.
    """

    __slots__ = ("contents", "ctx", "depth", "expected", "labels", "left", "moves", "right", "store", "told")

    def __init__(
        self, store: Store, contents: Contents, labels: tuple[bytes, bytes], ctx: Context, depth: int = 0
    ) -> None:
        self.store, self.contents, self.labels, self.ctx, self.depth = store, contents, labels, ctx, depth
        self.expected: dict[bytes, Side] = {}
        self.told: dict[bytes, list[bytes]] = {}
        self.left: dict[bytes, Row] = {}
        self.right: dict[bytes, Row] = {}
        self.moves: dict[bool, list[Change]] = {}  # True: ours

    def merge(self, base: _Tree, ours: _Tree, theirs: _Tree) -> None:
        left, right = (_rows(self.store, base, side, self.ctx) for side in (ours, theirs))
        self.left, self.right = {row[0]: row for row in left}, {row[0]: row for row in right}
        self._refuse_moves(ours, self.left, self.right)
        self._refuse_moves(theirs, self.right, self.left)
        for path, row in self.right.items():
            if path not in self.left:
                self.expected[path] = row[3], row[4]
        done = self._renamed(self.left, self.right, ours=True)
        done |= self._renamed(self.right, self.left, ours=False, done=done)
        for path in sorted(self.left.keys() & self.right.keys() - done):
            self.ctx.tick()
            self.expected[path] = self._both(path)

    def _ours(self, path: bytes) -> Side:
        """A path on our side, of those that any side changed."""
        row = self.left.get(path)
        return (row[3], row[4]) if row is not None else (self.right[path][1], self.right[path][2])

    def result(self, ours: _Tree) -> _Tree:
        """Our side with the merge done."""
        changed = dict(ours.changed)
        for path, want in self.expected.items():
            changed[path] = (ours.changed[path][0] if path in ours.changed else self._ours(path)), want
        return _Tree(ours.oid, changed)

    def against(self, made: dict[bytes, Row]) -> list[Change]:
        """What was committed in place of what was expected."""
        changes = []
        for path in sorted(self.expected.keys() | made.keys()):
            before: Side = (made[path][1], made[path][2]) if path in made else self._ours(path)
            want = self.expected.get(path, before)
            got = (made[path][3], made[path][4]) if path in made else before
            if got != want:
                old, new = Filespec(path, *want), Filespec(path, *got)
                status, told = status_of(old, new), self.told.get(path)
                changes.append(Told(status, old, new, told) if told else Change(status, old, new))
        for path in self.told.keys() - {change.new.path for change in changes}:  # settled as the merge left it
            same = Filespec(path, *self.expected[path])
            changes.append(Told("X", same, same, self.told[path]))
        return sorted(changes, key=lambda change: change.new.path)

    # ---------------------------------------------------------------- renames
    def _refuse_moves(self, side: _Tree, one: dict[bytes, Row], other: dict[bytes, Row]) -> None:
        """What one side adds to a directory that the other has moved elsewhere would have to follow."""
        gone = {above for path, row in one.items() if not row[3] for above in _above(path)}
        asked = {above for path, row in other.items() if not row[1] for above in _above(path) if above in gone}
        lost = {above for above in asked if not self._has(side, above)}
        if lost and any(above in lost for pair in self._renames(one) for above in _above(pair.old.path)):
            raise _refused("files added where the other side moved some away")

    def _has(self, tree: _Tree, path: bytes) -> bool:
        """Whether a directory is there."""
        below = [want[0] for at, (_, want) in tree.changed.items() if at.startswith(path + b"/")]
        if below or tree.oid is None:
            return any(below)
        return self.store.odb.entry(tree.oid, path) is not None

    def _renames(self, one: dict[bytes, Row]) -> list[Change]:
        """The renames of one side."""
        ours = one is self.left
        if ours not in self.moves:
            changes = [as_change(row) for row in one.values()]
            pairs = find_renames(changes, self.contents, DiffSpec(renames=1), ctx=self.ctx)
            self.moves[ours] = [pair for pair in pairs if pair.status == "R"]
        return self.moves[ours]

    def _renamed(
        self, one: dict[bytes, Row], other: dict[bytes, Row], *, ours: bool, done: Collection[bytes] = ()
    ) -> set[bytes]:
        """Follow what one side renamed, and the other changed or deleted; returns the old paths."""
        wanted = {path for path, row in one.items() if not row[3] and path in other}
        if not wanted or not any(not row[1] for row in one.values()):
            return set()
        followed = set()
        for pair in self._renames(one):
            old, new = pair.old.path, pair.new.path
            if old not in wanted or new in done:
                continue
            too = None if other[old][3] else self._renamed_too(other, old)
            if too == new:  # the same name on both sides: one file, with its base
                left, right = self.left[new], self.right[new]
                base = other[old][1], other[old][2]
                self.expected[new] = self._content(new, base, (left[3], left[4]), (right[3], right[4]), (new, new))
                followed.add(new)
                continue
            if too is not None:
                raise _refused("a rename to another name on each side")
            if new in other:
                raise _refused("a rename in the way of another file")
            if not other[old][3]:
                self._rename_deleted(one[new], old, (other[old][1], other[old][2]), ours=ours)
                continue
            row, changed = one[new], other[old]
            sides = [(row[3], row[4]), (changed[3], changed[4])]
            names = [new, old]
            if not ours:
                sides.reverse()
                names.reverse()
            before = changed[1], changed[2]
            self.expected[new] = self._content(new, before, sides[0], sides[1], (names[0], names[1]))
            self.expected[old] = _GONE
            followed.add(old)
        return followed

    def _renamed_too(self, other: dict[bytes, Row], old: bytes) -> bytes | None:
        """What the other side has renamed a path to."""
        if all(row[1] for row in other.values()):
            return None
        return next((pair.new.path for pair in self._renames(other) if pair.old.path == old), None)

    def _rename_deleted(self, row: Row, old: bytes, before: Side, *, ours: bool) -> None:
        """What one side renamed and the other deleted stays under its new name."""
        new, kept = row[0], (row[3], row[4])
        self.expected[new] = before if self.depth else kept
        by, gone = self.labels if ours else self.labels[::-1]
        self.told[new] = [
            b"remerge CONFLICT (rename/delete): %b renamed to %b in %b, but deleted in %b." % (old, new, by, gone)
        ]
        if kept[1] != before[1]:
            self.told[new].append(_modified(new, gone, by))

    # ---------------------------------------------------------------- one path, changed on both sides
    def _both(self, path: bytes) -> Side:
        left, right = self.left[path], self.right[path]
        if left[3:] == right[3:]:
            return left[3], left[4]
        if not left[3] or not right[3]:
            return self._deleted(path, left, right)
        return self._content(path, (left[1], left[2]), (left[3], left[4]), (right[3], right[4]), (path, path))

    def _deleted(self, path: bytes, left: Row, right: Row) -> Side:
        gone, kept, row = (0, 1, right) if not left[3] else (1, 0, left)
        if self.depth:
            return left[1], left[2]
        self.told[path] = [_modified(path, self.labels[gone], self.labels[kept])]
        return row[3], row[4]

    def _content(self, path: bytes, base: Side, ours: Side, theirs: Side, names: tuple[bytes, bytes]) -> Side:
        kind = ours[0] & _KIND
        if kind != theirs[0] & _KIND or kind not in (_FILE, _LINK):
            raise _refused("a conflict of something that is no file")
        if ours[0] in (theirs[0], base[0]):
            mode, clean = theirs[0], True
        else:
            mode, clean = ours[0], theirs[0] == base[0]
        if ours[1] in (theirs[1], base[1]):
            oid = theirs[1]
        elif theirs[1] == base[1]:
            oid = ours[1]
        elif kind == _LINK:
            clean = False
            mode, oid = base if self.depth else (mode, ours[1])
        else:
            oid, fits = self._text(path, base, ours, theirs, names)
            clean = clean and fits
        if not clean:
            what = b"content" if base[0] else b"add/add"
            conflict = b"remerge CONFLICT (%b): Merge conflict in %b" % (what, path)
            self.told.setdefault(path, []).append(conflict)
        return mode, oid

    def _text(
        self, path: bytes, base: Side, ours: Side, theirs: Side, names: tuple[bytes, bytes]
    ) -> tuple[bytes | None, bool]:
        """Three texts put together: what comes of it, and whether without conflict."""
        like = base[0] & _KIND == _FILE  # a base of another kind is as good as none
        texts = [self.contents.read(Filespec(path, *side)) for side in (base if like else _GONE, ours, theirs)]
        one, two = self.labels
        if names[0] != names[1]:
            one, two = one + b":" + names[0], two + b":" + names[1]
        if any(b"\0" in text[:8000] for text in texts):
            if self.depth:
                return base[1], True
            warning = b"remerge warning: Cannot merge binary files: %b (%b vs. %b)" % (path, one, two)
            self.told.setdefault(path, []).append(warning)
            return ours[1], False
        merged = merge_texts(texts[0], texts[1], texts[2], (one, two), self._mark(path), ctx=self.ctx)
        oid = object_name(b"blob", merged.text, self.store.hash_name)
        self.contents.keep(oid, merged.text)
        return oid, merged.clean

    def _mark(self, path: bytes) -> int:
        """How long the marks of conflicts are."""
        given = attributes_of(self.store).get(path, b"conflict-marker-size")
        size = int(given) if isinstance(given, bytes) and given.isdigit() and len(given) < 4 else 0
        return (size or _MARK) + _MARK_GROWTH * self.depth


def _modified(path: bytes, gone: bytes, kept: bytes) -> bytes:
    return b"remerge CONFLICT (modify/delete): %b deleted in %b and modified in %b.  Version %b of %b left in tree." % (
        path,
        gone,
        kept,
        kept,
        path,
    )


def _above(path: bytes) -> Iterator[bytes]:
    """The directories a path is in, its own first."""
    at = path.rfind(b"/")
    while at > 0:
        yield path[:at]
        at = path.rfind(b"/", 0, at)


def _refused(why: str) -> Unsupported:
    return Unsupported(
        f"gitglass does not do this merge again: {why}", status=129, prefix="error", option="--remerge-diff"
    )

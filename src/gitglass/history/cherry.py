"""The same change on both sides of A...B: commits compared by what they change, not by their names.

Two commits are equal when their diffs are, line numbers and white space aside (git-patch-id(1)). Diffs are expensive,
so commits are first grouped by the files they change; only commits of one group are compared line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..annotations import TYPE_CHECKING
from ..diff.changes import Change, Contents
from ..diff.lines.hunks import diff_lines
from ..diff.lines.spec import LineSpec
from ..diff.lines.whitespace import NO_EOL
from ..diff.spec import DiffSpec
from ..diff.trees import diff_trees, trees_of
from ..graph.nodes import Node
from ..limits import Context, paced
from ..objects.hashes import new_hash
from .spec import BOUNDARY, LEFT, PATCHSAME, SHOWN

if TYPE_CHECKING:
    from .state import WalkState

SQUEEZE = b" \t\n\r"  # what is white space to git
_LINES = LineSpec(indent_heuristic=False)  # whatever the configuration says


class PatchIds:
    """Patch ids of commits, each computed on first use. Merges have none."""

    __slots__ = ("contents", "ids", "outlines", "spec", "trees", "walk")

    def __init__(self, walk: WalkState) -> None:
        self.walk = walk
        paths = None if walk.spec.full_diff else walk.spec.paths
        self.spec = DiffSpec() if paths is None else DiffSpec(pathspecs=paths)
        self.contents, self.trees = Contents(walk.store, ctx=walk.ctx), trees_of(walk.odb)
        self.outlines: dict[Node, bytes] = {}
        self.ids: dict[Node, bytes] = {}

    def defined(self, node: Node) -> bool:
        """Whether the commit has a patch id, which a merge does not."""
        return len(self._parents(node)) < 2

    def _parents(self, node: Node) -> tuple[Node, ...]:
        """The parents as the walk has simplified them: a merge that equals one parent counts as no merge any more."""
        self.walk.load(node)
        return self.walk.parents[node]

    def changes(self, node: Node) -> list[Change]:
        parents = self._parents(node)
        old = self.walk.tree(parents[0]) if parents else None
        return diff_trees(old, self.walk.tree(node), self.walk.odb, self.spec, ctx=self.walk.ctx, trees=self.trees)

    def outline(self, node: Node) -> bytes:
        """A hash over the names and modes of the changed files, without their content."""
        outline = self.outlines.get(node)
        if outline is None:
            headers = [_header(change) for change in paced(self.changes(node))]
            outline = self.outlines[node] = new_hash("sha1", b"\0".join(headers)).digest()
        return outline

    def full(self, node: Node) -> bytes:
        """A hash over the whole diff."""
        patch_id = self.ids.get(node)
        if patch_id is None:
            digest = new_hash("sha1")
            for change in self.changes(node):
                self.walk.ctx.tick()
                digest.update(patch_text(change, self.contents, self.walk.ctx))
            patch_id = self.ids[node] = digest.digest()
        return patch_id


def patch_text(change: Change, contents: Contents, ctx: Context) -> bytes:
    """What git-patch-id(1) makes of one file's part of a patch: names, modes and lines without white space; whether the
    last line ends does not count."""
    old, new = change.old, change.new
    before, after = (side.path.translate(None, SQUEEZE) for side in (old, new))
    out = [b"diff--gita/" + before + b"b/" + after]
    if not old.mode:
        out.append(b"newfilemode%06o" % new.mode)
    elif not new.mode:
        out.append(b"deletedfilemode%06o" % old.mode)
    elif old.mode != new.mode:
        out.append(b"oldmode%06onewmode%06o" % (old.mode, new.mode))
    if contents.is_binary(old) or contents.is_binary(new):
        nothing = bytes(contents.store.hash_len)
        return b"".join([*out, *((side.oid or nothing).hex().encode() for side in (old, new))])
    out.append(b"---a/" + before if old.mode else b"---/dev/null")
    out.append(b"+++b/" + after if new.mode else b"+++/dev/null")
    for hunk in diff_lines(contents.read(old), contents.read(new), _LINES, ctx=ctx):
        for sign, lines in hunk.parts:
            kept = b"" if sign == b" " else sign
            out += [kept + line.removesuffix(NO_EOL).translate(None, SQUEEZE) for line in lines]
    return b"".join(out)


def _header(change: Change) -> bytes:
    old, new = change.old, change.new
    return b"%s %s %o %o" % (
        old.path.translate(None, SQUEEZE),
        new.path.translate(None, SQUEEZE),
        old.mode if old.mode != new.mode else 0,
        new.mode if old.mode != new.mode else 0,
    )


def mark_cherries(walk: WalkState, commits: Sequence[Node]) -> None:
    """Hide commits whose change is also on the other side, or mark them with --cherry-mark."""
    flags = walk.flags
    sides = [node for node in commits if not flags[node] & BOUNDARY]
    left = [node for node in sides if flags[node] & LEFT]
    right = [node for node in sides if not flags[node] & LEFT]
    if not left or not right:
        return
    few, many = (left, right) if len(left) < len(right) else (right, left)
    mark = PATCHSAME if walk.spec.cherry_mark else SHOWN
    for node, other in _equal_pairs(walk, few, many):
        flags[node] |= mark
        flags[other] |= mark


def equal_patches(walk: WalkState, left: Sequence[Node], right: Sequence[Node]) -> dict[Node, Node]:
    """Commits whose change is also on the other side, each with the first commit there that makes it."""
    equal: dict[Node, Node] = {}
    swapped = len(right) < len(left)
    for one, other in _equal_pairs(walk, *((right, left) if swapped else (left, right))):
        equal.setdefault(one, other)
        equal.setdefault(other, one)
    return equal


def _equal_pairs(walk: WalkState, few: Sequence[Node], many: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """Pairs (commit of `many`, commit of `few`) that make the same change."""
    ids = PatchIds(walk)
    by_outline: dict[bytes, list[Node]] = {}
    for node in few:
        walk.ctx.tick()
        if ids.defined(node):
            by_outline.setdefault(ids.outline(node), []).append(node)
    for node in many if by_outline else ():
        walk.ctx.tick()
        if not ids.defined(node):
            continue
        for other in by_outline.get(ids.outline(node), ()):
            if ids.full(other) == ids.full(node):
                yield node, other

"""What a merge's author did beyond what merging does by itself (--remerge-diff).

The merge is done again, in memory: each file from the side that changed it, and where both did, their changes together,
as long as they lie apart.  What cannot be settled so (conflicts, renames that matter, several merge bases) is
refused by name, not guessed.  Mirrors git-log(1), `--remerge-diff`.
"""

from __future__ import annotations

from hashlib import new as new_hash

from ..diff.changes import Change, Contents, Filespec, status_of
from ..diff.lines import match_lines
from ..diff.linespec import LineSpec
from ..diff.trees import Row, trees_of
from ..errors import Unsupported
from ..limits import Context
from ..store.store import Store
from .mergebase import merge_bases

Side = tuple[int, bytes | None]  # mode (0: absent) and object
Script = list[tuple[int, int, int, int]]

_HISTOGRAM = LineSpec(algorithm="histogram", context=0)
_GONE: Side = (0, None)


def remerge(store: Store, commit: bytes, contents: Contents, *, ctx: Context) -> list[Change]:
    """The changes from the automatic merge of a commit's two parents to the commit. Raises Unsupported."""
    parents, _, tree = store.odb.commit_facts(commit)
    if len(parents) != 2:
        raise _refused("a merge of more than two")
    bases = merge_bases(store, parents[0], parents[1:], ctx=ctx)
    if len(bases) > 1:
        raise _refused("several merge bases")
    base = store.odb.commit_facts(bases[0])[2] if bases else None
    ours, theirs = (store.odb.commit_facts(parent)[2] for parent in parents)
    trees = trees_of(store.odb, store.hash_len)
    left = {row[0]: row for row in trees.rows(base, ours, ctx=ctx)}
    right = {row[0]: row for row in trees.rows(base, theirs, ctx=ctx)}
    _refuse_moves(left, right)
    expected = {path: (row[3], row[4]) for path, row in right.items() if path not in left}
    for path in left.keys() & right.keys():
        ctx.tick()
        expected[path] = _both(store, left[path], right[path], contents, ctx)
    made = {row[0]: row for row in trees.rows(ours, tree, ctx=ctx)}
    changes = []
    for path in sorted(expected.keys() | made.keys()):
        if path in made:
            before: Side = made[path][1], made[path][2]
        elif path in left:
            before = left[path][3], left[path][4]
        else:
            before = right[path][1], right[path][2]
        want = expected.get(path, before)
        got = (made[path][3], made[path][4]) if path in made else before
        if got != want:
            old, new = Filespec(path, *want), Filespec(path, *got)
            changes.append(Change(status_of(old, new), old, new))
    return changes


def _refuse_moves(left: dict[bytes, Row], right: dict[bytes, Row]) -> None:
    """A directory one side emptied into another, and the other side added to, needs rename detection."""
    for one, other in ((left, right), (right, left)):
        gone = {path.rpartition(b"/")[0] for path, row in one.items() if not row[3]}
        gone.discard(b"")
        if gone and any(not row[1] and path.rpartition(b"/")[0] in gone for path, row in other.items()):
            raise _refused("files added where the other side removed some")


def _both(store: Store, left: Row, right: Row, contents: Contents, ctx: Context) -> Side:
    """A file both sides changed."""
    if left[3:] == right[3:]:
        return left[3], left[4]
    if any(mode & 0o170000 != 0o100000 for mode in (left[1], left[3], right[3])):
        raise _refused("a conflict")
    mode = right[3] if left[3] == left[1] else left[3]
    if left[4] == right[4] or right[4] == right[2]:
        return mode, left[4]
    if left[4] == left[2]:
        return mode, right[4]
    texts = [contents.read(Filespec(left[0], 0o100644, oid)) for oid in (left[2], left[4], right[4])]
    merged = None if any(b"\0" in text[:8000] for text in texts) else merge_texts(*texts, ctx=ctx)
    if merged is None:
        raise _refused("a conflict")
    oid = new_hash(store.hash_name, b"blob %d\0" % len(merged) + merged).digest()
    contents.keep(oid, merged)
    return mode, oid


def merge_texts(base: bytes, ours: bytes, theirs: bytes, *, ctx: Context) -> bytes | None:
    """Both sides' changes to a text; None where they meet."""
    lines, left, right = _lines(base), _lines(ours), _lines(theirs)
    one: Script = match_lines(base, ours, _HISTOGRAM, ctx)
    two: Script = match_lines(base, theirs, _HISTOGRAM, ctx)
    out: list[bytes] = []
    at = i = j = 0
    while i < len(one) or j < len(two):
        ctx.tick()
        a = one[i] if i < len(one) else None
        b = two[j] if j < len(two) else None
        if a is not None and b is not None and not (a[0] + a[1] < b[0] or b[0] + b[1] < a[0]):
            if a[:2] != b[:2] or left[a[2] : a[2] + a[3]] != right[b[2] : b[2] + b[3]]:
                return None
            i, j = i + 1, j + 1
            hunk, source = a, left
        elif b is None or (a is not None and a[0] < b[0]):
            assert a is not None
            i += 1
            hunk, source = a, left
        else:
            j += 1
            hunk, source = b, right
        out += lines[at : hunk[0]]
        out += source[hunk[2] : hunk[2] + hunk[3]]
        at = hunk[0] + hunk[1]
    return b"".join(out + lines[at:])


def _lines(text: bytes) -> list[bytes]:
    parts = text.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def _refused(why: str) -> Unsupported:
    return Unsupported(
        f"gitglass does not do this merge again: {why}", status=129, prefix="error", option="--remerge-diff"
    )

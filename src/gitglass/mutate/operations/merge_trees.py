"""Three trees put together path by path, as bringing a stash entry back needs it.

Where only one side changed a path, that side's is taken; where both did, texts are merged and conflicts marked. What
git
would do with renames is not guessed: where a side deleted what the other changed, and added files that could be it
under
another name, the merge is refused by name. Mirrors git-merge-tree(1) as far as it goes.
"""

from __future__ import annotations

from ...errors import Unsupported, text
from ...merge.three_way import merge_texts
from ...paths.attributes import attributes_of
from ...records import field, record
from ..changes import Row
from ..view import View
from .common import tree_rows

_KIND, _FILE = 0o170000, 0o100000
_MARK = 7
Side = tuple[int, bytes]
Labels = tuple[bytes, bytes]


@record
class Merged:
    """What comes of it: every path's side (what the file holds, marks included), the entries of paths in conflict, and
    git's words."""

    rows: dict[bytes, Side]
    conflicts: dict[bytes, tuple[Row, ...]] = field(default_factory=dict)
    said: bytes = b""


def merge_trees(view: View, base: bytes, ours: bytes, theirs: bytes, *, labels: Labels) -> Merged:
    """Merge the changes from `base` to `theirs` into `ours`. `labels` name both sides in marks and words.

    Raises Unsupported for what would need more than paths that stay what they are.
    """
    return _Merge(view, base, ours, theirs, labels).run()


class _Merge:
    def __init__(self, view: View, base: bytes, ours: bytes, theirs: bytes, labels: Labels) -> None:
        self._view, self._labels = view, labels
        self._base, self._ours, self._theirs = (tree_rows(view, tree) for tree in (base, ours, theirs))
        self._merged = Merged(dict(self._ours))
        self._lines: list[bytes] = []

    def run(self) -> Merged:
        for path in sorted(self._base.keys() | self._ours.keys() | self._theirs.keys()):
            self._one(path, self._base.get(path), self._ours.get(path), self._theirs.get(path))
        self._check_folders()
        self._merged.said = b"".join(self._lines)
        return self._merged

    def _one(self, path: bytes, base: Side | None, ours: Side | None, theirs: Side | None) -> None:
        if theirs in (base, ours):
            return
        if ours == base:
            self._set(path, theirs)
        elif ours is None or theirs is None:
            self._deleted(path, base, ours, theirs)
        else:
            self._both(path, base, ours, theirs)

    def _set(self, path: bytes, side: Side | None) -> None:
        if side is None:
            self._merged.rows.pop(path, None)
        else:
            self._merged.rows[path] = side

    def _check_folders(self) -> None:
        rows = self._merged.rows
        for path in rows:
            parts = path.split(b"/")
            for count in range(1, len(parts)):
                if b"/".join(parts[:count]) in rows:
                    raise self._refused(path, "a file is in the way of a directory")

    def _refused(self, path: bytes, why: str) -> Unsupported:
        return Unsupported(f"gitglass does not merge '{text(path)}': {why}", path=text(path))

    def _deleted(self, path: bytes, base: Side | None, ours: Side | None, theirs: Side | None) -> None:
        """One side deleted what the other changed."""
        gone, kept = (0, 1) if ours is None else (1, 0)
        side = self._ours if ours is None else self._theirs
        if any(other not in self._base for other in side):
            raise self._refused(path, "it was deleted on one side, which may be a rename")
        left = theirs if ours is None else ours
        assert left is not None and base is not None
        self._set(path, left)
        stages = ((1, base), (2, ours), (3, theirs))
        self._merged.conflicts[path] = tuple(Row(stage, *one) for stage, one in stages if one is not None)
        names = self._labels
        self._lines.append(
            b"CONFLICT (modify/delete): %b deleted in %b and modified in %b.  Version %b of %b left in tree.\n"
            % (path, names[gone], names[kept], names[kept], path)
        )

    def _both(self, path: bytes, base: Side | None, ours: Side, theirs: Side) -> None:
        """Both sides changed it, or both added it."""
        if ours[0] & _KIND != _FILE or theirs[0] & _KIND != _FILE:
            raise self._refused(path, "both sides changed what is no file")
        if isinstance(attributes_of(self._view.store).get(path, b"merge"), bytes | bool):
            raise self._refused(path, "its attribute 'merge' asks for another way")
        same_mode = ours[0] == theirs[0] or (base is not None and ours[0] == base[0])
        mode = theirs[0] if same_mode else ours[0]
        clean_mode = same_mode or (base is not None and theirs[0] == base[0])
        blob, clean = ours[1], True
        if base is not None and ours[1] == base[1]:
            blob = theirs[1]
        elif ours[1] != theirs[1] and not (base is not None and theirs[1] == base[1]):
            self._lines.append(b"Auto-merging %b\n" % path)
            blob, clean = self._texts(path, base, ours, theirs)
        self._set(path, (mode, blob))
        if clean and clean_mode:
            return
        stages = ((1, base), (2, ours), (3, theirs))
        self._merged.conflicts[path] = tuple(Row(stage, *one) for stage, one in stages if one is not None)
        what = b"content" if base is not None else b"add/add"
        self._lines.append(b"CONFLICT (%b): Merge conflict in %b\n" % (what, path))

    def _texts(self, path: bytes, base: Side | None, ours: Side, theirs: Side) -> tuple[bytes, bool]:
        view = self._view
        like = base if base is not None and base[0] & _KIND == _FILE else None
        texts = [b"" if side is None else view.odb.read_raw(side[1])[1] for side in (like, ours, theirs)]
        if any(b"\0" in one[:8000] for one in texts):
            self._lines.append(
                b"warning: Cannot merge binary files: %b (%b vs. %b)\n" % (path, self._labels[0], self._labels[1])
            )
            return ours[1], False
        given = attributes_of(view.store).get(path, b"conflict-marker-size")
        size = int(given) if isinstance(given, bytes) and given.isdigit() and len(given) < 4 else 0
        merged = merge_texts(texts[0], texts[1], texts[2], self._labels, size or _MARK, ctx=view.ctx)
        return view.new.add(b"blob", merged.text), merged.clean

"""Conflicts shown anew in files: `checkout --merge` and `restore --merge` of paths. Mirrors git-checkout(1), `--merge`.

The sides that the index has are merged again. Where a conflict was resolved in the index since, which keeps it until
the next commit or checkout (gitformat-index(5), "Resolve undo"), its stages come back first.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...diff.changes import Contents
from ...errors import CommandFailed, Unsupported, text
from ...merge.content import ContentMerge, kind_of
from ...merge.made import Made
from ...merge.messages import Messages
from ...merge.spec import Side
from ...merge.three_way import MYERS
from ...records import replace
from ..changes import Row
from ..checkout.files import Wanted
from ..view import View
from .laid import conflict_rows
from .merge_trees import labelled

_LABELS = b"ours", b"theirs", b"base"


def resolved_conflicts(view: View, paths: Iterable[bytes]) -> dict[bytes, tuple[Row, ...]]:
    """The stages of those of the paths that the index has resolved, as it still keeps them."""
    kept = {path: conflict_rows((sides[0], sides[1], sides[2])) for path, sides in view.index.resolve_undo}
    return {path: kept[path] for path in paths if path in kept and path not in view.index.unmerged}


def need_both_sides(conflicts: dict[bytes, tuple[Row, ...]]) -> None:
    """Raise CommandFailed in git's words where a conflict is not between two files."""
    short = [path for path in sorted(conflicts) if not {2, 3} <= {row.stage for row in conflicts[path]}]
    if short:
        words = "\n".join(f"error: path '{text(path)}' does not have all necessary versions" for path in short)
        raise CommandFailed(words.removeprefix("error: "), status=1, prefix="error")


def merged_again(view: View, path: bytes, rows: tuple[Row, ...], style: str | None) -> Wanted:
    """The file that the sides of a conflict make, its marks in a `style` (None: `merge.conflictStyle`). Raises
    Unsupported for links and submodules, and for drivers that are not granted."""
    sides: dict[int, Side] = {row.stage: (row.mode, row.oid) for row in rows}
    stages = [sides.get(stage, (0, None)) for stage in (1, 2, 3)]
    if any(mode and kind_of((mode, oid)) != 0o100000 for mode, oid in stages):
        raise Unsupported(f"gitglass does not merge the sides of '{text(path)}' again: not all are files")
    spec = replace(labelled(view.store, _LABELS), lines=MYERS)
    spec = replace(spec, style=style or spec.style)
    contents, messages = Contents(view.store, ctx=view.ctx), Messages(spec)
    made = Made(contents)
    (_, blob), _ = ContentMerge(contents, made, spec, messages, ctx=view.ctx).merge(path, stages, [path] * 3, 0)
    for kind, content in made.objects.values():
        view.new.add(kind, content)
    for message in messages.by_path.get(path, ()):
        if not message.hint:
            view.ctx.warn(text(message.text.removeprefix(b"warning: ")))
    return Wanted(sides[2][0], blob or view.store.empty_blob)

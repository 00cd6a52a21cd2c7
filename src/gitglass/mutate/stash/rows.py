"""What the stash puts away and brings back, path by path, and what the `git reset` leaves that git runs for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...errors import CommandFailed, text
from ...objects.parsed import GITLINK
from ...paths.lexical import directories_above
from ...paths.pathspec import Pathspecs
from ...records import replace
from ..changes import Changes, EntryChange, LogChange, Row
from ..checkout.two_way import SKIP
from ..index_file import rows_at, write_trees
from ..merging.laid import keep_state
from ..operations.common import forget_operation, need_no_autostash
from ..view import View

Side = tuple[int, bytes]


def index_rows(view: View) -> dict[bytes, Side]:
    """{path: (mode, oid)} of the index, without what is only intended."""
    index = view.index
    return {
        path: (mode, oid)
        for at, (path, mode, oid) in enumerate(zip(index.paths, index.modes, index.oids))
        if not index.intent_to_add(at)
    }


def intended_paths(view: View) -> list[bytes]:
    """Paths that were only noted (`add -N`): git can neither put them away nor merge over them."""
    index = view.index
    return sorted(index.paths[at] for at in index.special if index.intent_to_add(at))


def rows_tree(view: View, rows: dict[bytes, Side]) -> bytes:
    """The tree of some entries: its name."""
    entries = sorted((path, mode, oid) for path, (mode, oid) in rows.items())
    return write_trees(entries, None, view.new.add, view.store.empty_tree)[0]


def row_of(side: Side | None, before: tuple[Row, ...]) -> tuple[Row, ...]:
    """The entry of a side where there is that one `before`: the same one stays with all its flags, another one is kept
    out of the work tree as it is."""
    if side is None or not before or before[0].stage:
        return () if side is None else (Row(0, *side),)
    if (before[0].mode, before[0].oid) == side:
        return before
    return (Row(0, *side, before[0].flags & SKIP),)


def with_files(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The same entries, whose files are to be in the work tree: git makes entries anew that it unstages after a merge,
    so that what an entry of the stash changes is there, whatever a sparse checkout holds."""
    return tuple(replace(row, flags=row.flags & ~SKIP) for row in rows)


def displaced(new: set[bytes], paths: Iterable[bytes]) -> set[bytes]:
    """Those of `paths` that cannot be in an index beside the `new` ones: directories of these, and what is below
    them."""
    fronts = {front for path in new for front in directories_above(path)}
    return {path for path in paths if path in fronts or any(front in new for front in directories_above(path))}


def reset_marks(view: View, changes: Changes, old: bytes, *, on_branch: bool) -> None:
    """What any `git reset` to HEAD, the commit `old`, leaves behind: a line in its log, ORIG_HEAD, and nothing of an
    operation."""
    if on_branch:
        changes.logs.append(LogChange(b"HEAD", old, old, b"reset: moving to HEAD"))
    need_no_autostash(view)
    forget_operation(view, changes)
    keep_state(view, changes, {b"ORIG_HEAD": old.hex().encode() + b"\n"})


def need_merged_words(view: View) -> None:
    """Raise CommandFailed where the index has conflicts, as git's refresh says it."""
    if view.index.unmerged:
        names = "".join(f"{text(path)}: needs merge\n" for path in view.index.unmerged)
        raise CommandFailed("", status=1, stdout=names.encode("utf-8", "surrogateescape"), stderr=b"")


def resized(view: View, specs: Pathspecs, others: Collection[bytes]) -> list[EntryChange]:
    """Entries, but of `others`, of files of another size than noted, that are as the index has them once they are
    converted: git takes these for changed, has nothing to save of them, and notes the new size."""
    looker, index = view.looker, view.index
    rows = [
        (path, info) for at, info in looker.suspects(specs)
        if info is not None and index.mode(at) != GITLINK
        if (path := index.paths[at]) not in others and looker.differs(at, info)
    ]  # fmt: skip
    return [EntryChange(path, entry, entry, info) for path, info in rows for entry in [rows_at(index, path)]]

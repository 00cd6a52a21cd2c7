"""Changes that stay in index and work tree when HEAD moves, as `git checkout` lists them."""

from __future__ import annotations

from ...objects.parsed import GITLINK
from ...paths.pathspec import Pathspecs
from ...render.quote import c_quote
from ..changes import Changes
from ..view import View
from .common import tree_rows
from .files import WorkFiles

_TYPE = 0o170000


def local_changes(view: View, tree: bytes, changes: Changes) -> bytes:
    """A letter, a tab and a path a line for everything that will differ from `tree`, in order of paths."""
    index, work = view.index, WorkFiles(view)
    moved = {entry.path: entry.after for entry in changes.entries}
    written = {file.path for file in changes.files}
    wanted = tree_rows(view, tree)
    after = {path: (index.mode(at), index.oid(at)) for at, path in enumerate(index.paths) if not index.stage(at)}
    for path, rows in moved.items():
        after.pop(path, None)
        if rows:
            after[path] = rows[0].mode, rows[0].oid
    odd = {path for path in after.keys() | wanted.keys() if after.get(path) != wanted.get(path)}
    odd |= {index.paths[at] for at, _ in work.looker.suspects(Pathspecs.ALL)}
    lines: list[bytes] = []
    high = bool(view.config.get_bool("core.quotepath", True))
    for path in sorted(odd - written):
        letter = _letter(work, path, after.get(path), wanted.get(path))
        if letter:
            lines.append(b"%b\t%b\n" % (letter, c_quote(path, high=high)))
    return b"".join(lines)


def _letter(
    work: WorkFiles,
    path: bytes,
    entry: tuple[int, bytes] | None,
    side: tuple[int, bytes] | None,
) -> bytes:
    """How the file at a path differs from the tree; b"" where it does not."""
    found = work.status(path)
    if found is not None and found.st_mode & _TYPE == 0o040000 and (entry is None or entry[0] != GITLINK):
        found = None
    if entry is None:
        return b"D" if side is not None else b""
    if side is None:
        return b"A" if found is not None else b""
    if found is None:
        return b"D"
    if found.st_mode & _TYPE != side[0] & _TYPE and side[0] != GITLINK:
        return b"T"
    return b"M" if entry != side or work.differs(path) else b""

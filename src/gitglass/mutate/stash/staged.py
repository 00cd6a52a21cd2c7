"""What is staged taken out of the files again (`git stash push --staged`): git makes a patch of it, and applies that
backwards to the work tree."""

from __future__ import annotations

import os

from ...errors import Unsupported, text
from ...objects.parsed import GITLINK
from ...worktree.stat_cache import Looker
from ..changes import Changes, FileChange
from ..checkout.files import Wanted, WorkFiles
from ..checkout.outward import store_of_merge
from ..operations.common import ask
from ..operations.restore import clear_way, submodule_refused
from ..view import View
from .rows import Side, rows_tree

_FOLDER = 0o040000


def take_back(
    view: View, changes: Changes, paths: list[bytes], head: dict[bytes, Side], index: dict[bytes, Side]
) -> bytes:
    """Have the files at `paths`, which are as the index has them, become those of HEAD. git's words where one is gone,
    or stands where none is to be, or is binary: then no file changes. Raises Unsupported for a file that holds other
    changes as well, which git's patch may fit or not."""
    work, files, lines, warnings = WorkFiles(view), list[FileChange](), list[bytes](), list[str]()
    binary, believes = _binary(view, head, index), view.config.get_bool("core.filemode", True)
    store = store_of_merge(view.store)  # which is the same where all that the index has of attributes is on disk
    looker = None if store is view.store else Looker(store, view.ctx)
    for path in sorted(paths, reverse=True):  # as git goes through a patch that it applies backwards
        side, wanted, info = index.get(path), head.get(path), work.status(path)
        if GITLINK in (side and side[0], wanted and wanted[0]):
            raise submodule_refused(path)
        has_mode = side is not None and side[0] & 0o170000 == 0o100000 and (wanted is None or wanted[0] != side[0])
        if has_mode and side is not None and info is not None and info.st_mode & 0o170000 == 0o100000:
            # the patch has a mode, and git's patch program no index to ask where the file system's are not believed
            have = 0o100755 if believes and info.st_mode & 0o100 else 0o100644
            if have != side[0]:
                warnings.append(f"{text(path)} has type {have:o}, expected {side[0]:o}")
                lines.append(b"warning: %b\n" % warnings[-1].encode("utf-8", "surrogateescape"))
        if path in binary and (side is None) == (info is None):
            lines.append(b"error: cannot apply binary patch to '%b' without full index line\n" % path)
            lines.append(b"error: %b: patch does not apply\n" % path)
            continue
        if side is None and info is not None and info.st_mode & 0o170000 != _FOLDER:
            lines.append(b"error: %b: already exists in working directory\n" % path)
        elif side is not None and info is None:
            lines.append(b"error: %b: No such file or directory\n" % path)
        elif info is not None and (side is None or _has_other_changes(work, path, info, looker, mode_too=not has_mode)):
            words = f"git stash push --staged: '{text(path)}' holds more changes than those that are staged"
            raise Unsupported(words, path=text(path), option="--staged")
        if store is not view.store:
            view.outward_of[path] = store
        change = work.remove(path) if wanted is None else work.write(path, Wanted(*wanted), fresh=True)
        files += [] if change is None else [change]
    if len(lines) > len(warnings):
        return b"".join(lines)
    for warning in warnings:
        view.ctx.warn(warning)
    changes.files += files
    clear_way(work, changes)
    return b""


def _has_other_changes(
    work: WorkFiles, path: bytes, info: os.stat_result, looker: Looker | None, *, mode_too: bool
) -> bool:
    """Whether a file is another one than its entry, to the `looker` as well where there is one; with the same content,
    whether the mode is looked at `mode_too`."""
    at = work.looker.index.find(path)
    if looker is not None and at >= 0 and not looker.same_content(at, info):
        return True
    if mode_too or at < 0 or work.looker.changed(at, info) != "mode":
        return work.differs(path)
    return not work.looker.same_content(at, info)


def _binary(view: View, head: dict[bytes, Side], index: dict[bytes, Side]) -> set[bytes]:
    """The paths of binary changes, but for those of the mode alone. Strange but git's: its patch does not hold those,
    and does not apply."""
    trees = [rows_tree(view, rows).hex() for rows in (head, index)]
    listed = ask(view, ["diff-tree", "-r", "-z", "--no-renames", "--numstat", *trees]).split(b"\0")
    paths = [line.removeprefix(b"-\t-\t") for line in listed if line.startswith(b"-\t-\t")]
    return {path for path in paths if head.get(path, (0, b""))[1] != index.get(path, (0, b""))[1]}

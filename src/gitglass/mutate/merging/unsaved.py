"""Local changes that git saves before it merges, as `git stash create` does, to have them if a merge fails half way.

Here nothing is done half way, and nothing is saved; what git says as it saves them is said, and where it cannot, that
ends the merge. Seen in git 2.39; git-merge(1) does not tell of it.
"""

from __future__ import annotations

import stat

from ...errors import BadConfig, BadRequest, CommandFailed, Corrupt, text
from ...objects.parsed import GITLINK
from ...paths.pathspec import Pathspecs
from ...worktree.convert import IDENTITY, converter_of
from ..changes import Changes
from ..checkout.files import WorkFiles
from ..checkout.outward import store_afterwards
from ..operations.common import read_submodules
from ..stash.rows import intended_paths
from ..view import View

_NOT_SAVED = "\nCannot save the current worktree state\nfatal: stash failed"


def unsaved(view: View, changes: Changes, *, is_away: bool) -> CommandFailed | None:
    """What git says where local changes cannot be saved, which it does even if it has just put them away (`is_away`);
    None where they can."""
    work, index = WorkFiles(view), view.store.index
    intended = [] if is_away else intended_paths(view)
    there = next((path for path in intended if work.status(path) is not None), None)
    if there is not None:
        words = f"Entry '{text(there)}' not uptodate. Cannot merge."
        return CommandFailed(words + _NOT_SAVED, status=128, prefix="error", kind="conflict")
    if GITLINK in index.modes and (broken := _broken_gitmodules(view, changes)):
        return CommandFailed(f"{broken}\nfatal: stash failed", status=128, prefix="fatal")
    try:
        if not is_away:
            _convert(view, work)
    except BadRequest as error:
        return CommandFailed(error.message + _NOT_SAVED, status=128, prefix="fatal", kind="conflict")
    return None


def _convert(view: View, work: WorkFiles) -> None:
    """Warn of changed files that would not survive a round trip of their line ends. Raises BadRequest in git's words
    for those that it does not store (gitattributes(5), `working-tree-encoding`; git-config(1), `core.safecrlf`)."""
    index, files, converter = view.index, view.store.files, converter_of(view.store)
    for at, status in work.looker.suspects(Pathspecs.ALL):
        path = index.path(at)
        plan = converter.plan(path)
        if plan is IDENTITY or plan.driver is not None or status is None or not stat.S_ISREG(status.st_mode):
            continue
        limit = view.grant.limits.file_bytes
        data = files.read_optional(path, limit) if files is not None and status.st_size <= limit else None
        if data is not None and work.differs(path):
            converter.to_git(path, bytes(data), ctx=view.ctx, stored=True)


def _broken_gitmodules(view: View, changes: Changes) -> str:
    """Why `.gitmodules` cannot be read, in git's words; "" where it can."""
    try:
        read_submodules(view, store_afterwards(view.store, changes.files))
    except (BadConfig, Corrupt) as error:
        return error.message
    return ""

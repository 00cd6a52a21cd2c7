"""Patches as files: what changed between two commits, a file for each path, in a directory that the host has granted.

The patches are `git diff`'s, byte for byte; no setting of the repository changes how they look. A file is named after
its path, with `__` for each separator; names that would be one on some file system are told apart by `~2`, `~3`, …
"""

from __future__ import annotations

import json

from ....errors import Conflict, InvalidArgs, SandboxViolation, TooLarge, text
from ....objects.parsed import object_name
from ....request.mutations import PatchFilesRequest
from ...changes import Changes, Content, FileChange
from ...checkout.files import WorkFiles
from ...names import check_path
from ...plan import Answer, Plan
from ...view import View
from ..common import finished
from .split import patches_of

_FOLDER, _TYPE = 0o040000, 0o170000


def plan_patch_files(request: PatchFilesRequest, view: View) -> Plan:
    """The plan that writes them. Raises NotGranted for a directory that the grant does not cover."""
    view.need_work_tree()
    folder = _folder(request, view)
    files = WorkFiles(view)
    changes, names = Changes(), []
    size = 0
    for name, patch in patches_of(request, view):
        size += len(patch)
        if len(patch) > view.grant.limits.file_bytes or size > view.grant.limits.total_bytes:
            raise TooLarge(f"the patches are too large: {size} bytes", limit=view.grant.limits.total_bytes)
        names.append(text(name))
        change = _change(folder + b"/" + name, patch, files, view)
        if change is not None:
            changes.files.append(change)
    out = json.dumps({"patches": names}, ensure_ascii=False).encode("utf-8", "surrogateescape")
    return finished(request, view, changes, Answer(out))


def _folder(request: PatchFilesRequest, view: View) -> bytes:
    """The directory, which has to be granted and, as far as it is there, a directory and no repository's own."""
    folder = request.folder.rstrip("/").encode("utf-8", "surrogateescape")
    if not folder:
        raise InvalidArgs("output_dir: a directory below the top is needed")
    check_path(folder)
    view.grant.need_folder(text(folder))
    files = view.store.files
    assert files is not None
    above = b""
    for part in folder.split(b"/"):
        above += (b"/" if above else b"") + part
        info = files.lstat(above)
        if info is None:
            break
        if info.st_mode & _TYPE != _FOLDER:
            raise SandboxViolation(f"'{text(above)}' is no directory", path=text(above))
        if files.lstat(above + b"/.git") is not None:
            raise SandboxViolation(f"'{text(above)}' is another repository", path=text(above))
    return folder


def _change(path: bytes, patch: bytes, files: WorkFiles, view: View) -> FileChange | None:
    """The change that makes a file of a patch; None where it is there already."""
    check_path(path)
    info = files.status(path)
    before = None if info is None else files.content(path, info)
    if info is not None and before is None:
        raise Conflict(f"'{text(path)}' is neither a file nor a link", path=text(path))
    after = Content(0o100644, object_name(b"blob", patch, view.store.hash_name))
    if before == after:
        return None
    return FileChange(
        path, before, after, stored=before is not None and view.odb.has(before.oid), stat=info, data=patch
    )

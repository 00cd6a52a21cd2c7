"""Files of the work tree as the operations see them: what stands at a path, whether it is what the index has, and what
it becomes when a blob is checked out there."""

from __future__ import annotations

import os

from ...errors import Conflict, TooLarge, Unsupported, text
from ...objects.parsed import GITLINK, SYMLINK, object_name
from ...paths.attributes import attributes_of
from ...records import record
from ...worktree.convert import IDENTITY, converter_of
from ...worktree.smudge import to_work_tree
from ...worktree.stat_cache import Looker
from ..changes import Content, FileChange
from ..index_file import file_mode
from ..names import check_path
from ..view import View

_TYPE = 0o170000
_FOLDER = 0o040000


@record(frozen=True)
class Wanted:
    """What a path is to hold: a mode and a blob of the repository."""

    mode: int
    blob: bytes


class WorkFiles:
    """The work tree of one plan."""

    def __init__(self, view: View) -> None:
        self._view = view

    @property
    def looker(self) -> Looker:
        """What compares files with the index."""
        return self._view.looker

    def status(self, path: bytes) -> os.stat_result | None:
        """A file's status, of a link its own; None where there is nothing, or something on the way is no directory."""
        files = self._view.store.files
        return None if files is None else files.lstat(path)

    def differs(self, path: bytes) -> bool:
        """Whether a file differs from its entry in the index (stage 0); a missing file does not."""
        at = self._view.index.find(path)
        found = self.status(path)
        if at < 0 or found is None:
            return False
        if self._view.index.mode(at) == GITLINK:
            return found.st_mode & _TYPE != _FOLDER
        return self.looker.differs(at, found)

    def content(self, path: bytes, found: os.stat_result) -> Content | None:
        """The very bytes of a file or link, by name; None for anything else. A file that the index knows for unchanged
        and that no conversion touches is not read."""
        view = self._view
        if found.st_mode & _TYPE == SYMLINK:
            assert view.store.files is not None
            target = view.store.files.readlink(path) or b""
            return Content(SYMLINK, object_name(b"blob", target, view.store.hash_name))
        if found.st_mode & _TYPE != 0o100000:
            return None
        at = view.index.find(path)
        if at >= 0 and self._is_plain(path) and not self.looker.differs(at, found):
            return Content(file_mode(found), view.index.oid(at))
        assert view.store.files is not None
        limit = view.grant.limits.file_bytes
        if found.st_size > limit:
            raise TooLarge(f"'{text(path)}' is too large: {found.st_size} bytes", limit=limit, path=text(path))
        data = view.store.files.read_optional(path, limit)
        return (
            None if data is None else Content(file_mode(found), object_name(b"blob", bytes(data), view.store.hash_name))
        )

    def _is_plain(self, path: bytes) -> bool:
        """Whether a file's bytes are its blob's."""
        store = self._view.store
        return converter_of(store).plan(path) is IDENTITY and not isinstance(
            attributes_of(store).get(path, b"filter"), bytes
        )

    # --- changes ----------------------------------------------------------------------------------------------------

    def write(self, path: bytes, wanted: Wanted) -> FileChange | None:
        """The change that checks a blob out at a path; None where the file is that already. Directories that hold
        untracked files are a Conflict."""
        check_path(path)
        found = self.status(path)
        before = None if found is None else self.content(path, found)
        if found is not None and before is None and found.st_mode & _TYPE != _FOLDER:
            raise Conflict(f"'{text(path)}' is neither a file nor a link", path=text(path))
        after = self._after(path, wanted)
        if before == after or (before is not None and before.oid == after.oid and self._same_kind(before, after)):
            return None
        return FileChange(path, before, after, blob=wanted.blob, stored=self._is_stored(before), stat=found)

    def remove(self, path: bytes) -> FileChange | None:
        """The change that takes a file away; None where there is none, or a directory stands there."""
        found = self.status(path)
        before = None if found is None else self.content(path, found)
        if before is None:
            return None
        return FileChange(path, before, None, stored=self._is_stored(before), stat=found)

    def _is_stored(self, content: Content | None) -> bool:
        return content is not None and self._view.odb.has(content.oid)

    def _same_kind(self, one: Content, two: Content) -> bool:
        """Whether two modes are alike where `core.fileMode` is off."""
        same = one.mode & _TYPE == two.mode & _TYPE
        return same and not self._view.config.get_bool("core.filemode", True)

    def _after(self, path: bytes, wanted: Wanted) -> Content:
        view = self._view
        if wanted.mode == SYMLINK or self._is_plain(path):
            return Content(wanted.mode, wanted.blob)
        data = checked_out(view, path, wanted.blob)
        return Content(wanted.mode, object_name(b"blob", data, view.store.hash_name))


def checked_out(view: View, path: bytes, blob: bytes) -> bytes:
    """A blob's content as a file of the work tree has it. Raises Unsupported where a filter would have to be run."""
    data = view.odb.read_raw(blob)[1]
    driver = attributes_of(view.store).get(path, b"filter")
    if isinstance(driver, bytes):
        name = b"filter." + driver
        runs = any(view.config.get(name + end) for end in (b".smudge", b".process"))
        if driver == b"lfs":
            if data.startswith(b"version https://git-lfs.github.com/spec/") and len(data) < 1024:
                raise Unsupported(
                    f"'{text(path)}' is kept by Git LFS, and gitglass fetches nothing", path=text(path), filter="lfs"
                )
        elif runs or view.config.get_bool(name + b".required", False):
            raise Unsupported(
                f"'{text(path)}' goes through the filter '{text(driver)}', and gitglass runs no programs",
                path=text(path),
                filter=text(driver),
            )
    return to_work_tree(view.store, path, data, ctx=view.ctx)

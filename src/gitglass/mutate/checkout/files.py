"""Files of the work tree as the operations see them: what stands at a path, whether it is what the index has, and what
it becomes when a blob is checked out there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice

from ...errors import CommandFailed, Conflict, TooLarge, Unsupported, text
from ...objects.parsed import GITLINK, SYMLINK, object_name
from ...paths.attributes import attributes_of
from ...paths.lexical import directories_above
from ...paths.pathspec import Pathspecs
from ...records import record, replace
from ...repo.store import Store
from ...worktree.convert import IDENTITY, converter_of
from ...worktree.scan import ScanSpec, scan, standard_ignore
from ...worktree.smudge import to_work_tree
from ...worktree.stat_cache import Looker
from ..changes import Content, FileChange
from ..index_file import file_mode
from ..names import check_path
from ..process.services import not_granted
from ..view import View
from .outward import outward_store

_TYPE = 0o170000
_FOLDER = 0o040000
_BELIEVED = bytes(flags & 0x80 != 0 for flags in range(256))

KEEPS_CURRENT = "Refusing to remove '{}' since it is the current working directory."


@record(frozen=True)
class Wanted:
    """What a path is to hold: a mode and a blob of the repository."""

    mode: int
    blob: bytes


class WorkFiles:
    """The work tree of one plan: what was looked at once is not looked at again. (Whether it is still so when the plan
    is carried out is asked then.)"""

    def __init__(self, view: View) -> None:
        self._view = view
        self._seen: dict[bytes, os.stat_result | None] = {}
        self._differing: dict[bytes, bool] = {}
        self._stored: set[bytes] = set()  # blobs that were seen to be there
        self.emptied: list[bytes] = []  # directories that go, where nothing is in them by then

    @property
    def looker(self) -> Looker:
        """What compares files with the index."""
        return self._view.looker

    def status(self, path: bytes) -> os.stat_result | None:
        """A file's status, of a link its own; None where there is nothing, or something on the way is no directory."""
        if path in self._seen:
            return self._seen[path]
        self._view.ctx.tick()
        files = self._view.store.files
        info = self._seen[path] = None if files is None else files.lstat(path)
        return info

    def differs(self, path: bytes) -> bool:
        """Whether a file differs from its entry in the index (stage 0); a missing file does not."""
        at = self._view.index.find(path)
        info = self.status(path)
        if at < 0 or info is None:
            return False
        return self._differs(path, at, info)

    def _differs(self, path: bytes, at: int, info: os.stat_result) -> bool:
        differs = self._differing.get(path)
        if differs is None:
            differs = self._differing[path] = self.looker.differs(at, info)
        return differs

    def is_up_to_date(self, path: bytes) -> bool:
        """Whether a file may be replaced: it is what its entry says, or gone. Of an entry that is believed unchanged
        (`git update-index --assume-unchanged`), or intended only, the status alone decides."""
        info, at = self.status(path), self._view.index.find(path)
        if at < 0 or info is None or self._view.index.mode(at) == GITLINK:
            return not self.differs(path)
        index = self._view.index
        if index.head(at)[-2] & 0x80 or index.skip_worktree(at) or index.intent_to_add(at):
            return self.looker.settled(at, info)
        return not self._differs(path, at, info)

    def unknown_below(self, path: bytes) -> list[bytes]:
        """The files below a directory that the index does not have, ignored ones too."""
        specs = Pathspecs.parse([b":(top,literal)" + path])
        scanned = scan(self._view.store, ScanSpec(pathspecs=specs, ignored_too=True), ctx=self._view.ctx)
        return [*scanned.untracked, *scanned.ignored]

    def is_current(self, folder: bytes) -> bool:
        """Whether a directory is the one in which git was started, or above it: that stays."""
        return (started_in(self._view.store) + b"/").startswith(folder + b"/")

    def give_way(self, folder: bytes) -> None:
        """Have a directory go that a file takes the place of, with the directories in it that hold nothing. Raises
        CommandFailed for the one in which git was started, which git itself removes where paths are checked out."""
        if self.is_current(folder):
            raise CommandFailed(KEEPS_CURRENT.format(text(folder)), status=1, prefix="error")
        self.emptied += [*bare_folders(self._view, folder, ignored=True), folder]

    def folders_left(self, paths: Iterable[bytes]) -> list[bytes]:
        """The directories that files at these paths would leave, if they were there and went: the nearest of each."""
        above = (filter(self.status, sorted(directories_above(path), key=len, reverse=True)) for path in paths)
        return sorted({folder for folders in above for folder in islice(folders, 1)}, reverse=True)

    def touched(self, path: bytes) -> os.stat_result | None:
        """The status of a file that it alone tells apart from an entry that is believed unchanged, or only intended:
        git writes such a file again where its path is checked out, and counts it. None for any other: git refreshes
        what it has of those whenever it can."""
        info, index = self.status(path), self._view.index
        at = index.find(path)
        if at < 0 or info is None or info.st_mode & _TYPE == _FOLDER:
            return None
        if not (index.head(at)[-2] & 0x80 or index.intent_to_add(at)):
            return None
        return None if self.looker.settled(at, info) else info

    def check_out(self, attributes: dict[bytes, bytes | None]) -> None:
        """From now on files are written as a checkout does it; these files of attributes change (`outward_store`).
        Where none does, and all that the index has are in the work tree as they are in the index, it makes no
        difference which of both is read first."""
        view = self._view
        same = not attributes and all(map(self._is_as_staged, view.index.ending(b".gitattributes", 0, len(view.index))))
        view.outward = view.store if same else outward_store(view.store, attributes)

    def _is_as_staged(self, path: bytes) -> bool:
        """Whether a file, and not a link, has the very bytes of its entry in the index."""
        info, at = self.status(path), self._view.index.find(path)
        if info is None or at < 0 or info.st_size > self._view.grant.limits.file_bytes:
            return False
        content = self.content(path, info)
        return content is not None and content.mode != SYMLINK and content.oid == self._view.index.oid(at)

    def not_as_believed(self) -> list[bytes]:
        """The paths of entries that are believed unchanged (`git update-index --assume-unchanged`) whose files are
        changed by their status, or gone: what makes the work tree that of a tree checks them out like any other."""
        index = self._view.index
        flags = index.states().translate(_BELIEVED)
        paths: list[bytes] = []
        at = flags.find(1)
        while at >= 0:
            info = self.status(index.paths[at])
            if not index.stage(at) and (info is None or not self.looker.settled(at, info)):
                paths.append(index.paths[at])
            at = flags.find(1, at + 1)
        return paths

    def content(self, path: bytes, info: os.stat_result) -> Content | None:
        """The very bytes of a file or link, by name; None for anything else. A file that the index knows for unchanged
        and that no conversion touches is not read, unless it is of another size than its blob: then it was written by
        other attributes than there are now."""
        view = self._view
        if info.st_mode & _TYPE == SYMLINK:
            assert view.store.files is not None
            target = view.store.files.readlink(path) or b""
            return Content(SYMLINK, object_name(b"blob", target, view.store.hash_name))
        if info.st_mode & _TYPE != 0o100000:
            return None
        at = view.index.find(path)
        if at >= 0 and self._is_plain(path) and not self._differs(path, at, info):
            blob = view.index.oid(at)
            if self.looker.has_size(blob, info.st_size):
                self._stored.add(blob)
                return Content(file_mode(info), blob)
        assert view.store.files is not None
        limit = view.grant.limits.file_bytes
        if info.st_size > limit:
            raise TooLarge(f"'{text(path)}' is too large: {info.st_size} bytes", limit=limit, path=text(path))
        data = view.store.files.read_optional(path, limit)
        return (
            None if data is None else Content(file_mode(info), object_name(b"blob", bytes(data), view.store.hash_name))
        )

    def _is_plain(self, path: bytes, store: Store | None = None) -> bool:
        """Whether a file's bytes are its blob's: it has no attribute that converts, not even a filter that is not
        configured."""
        return converter_of(store or self._view.store).plan(path) is IDENTITY

    # --- changes ----------------------------------------------------------------------------------------------------

    def write(self, path: bytes, wanted: Wanted, *, fresh: bool = False) -> FileChange | None:
        """The change that checks a blob out at a path; None where the file is that already. Directories that hold
        untracked files are a Conflict. A `fresh` entry, which the index had otherwise, is checked out as it says even
        where `core.fileMode` is off, and so is one whose file was touched.

        Of a submodule that has a directory git moves the entry alone (`submodule.recurse` is not followed here), and of
        another one it makes the directory: that raises Unsupported."""
        check_path(path)
        info, view = self.status(path), self._view
        if wanted.mode == GITLINK:
            if info is not None and info.st_mode & _TYPE == _FOLDER:
                return None
            words = f"'{text(path)}' is a submodule without a directory, and gitglass does not check submodules out"
            raise Unsupported(words, path=text(path))
        if not fresh and info is not None and self._is_entry(path, wanted) and self._is_clear(path, info):
            return None  # what conversion would make of it now does not matter
        before = None if info is None else self.content(path, info)
        if info is not None and before is None and info.st_mode & _TYPE != _FOLDER:
            raise Conflict(f"'{text(path)}' is neither a file nor a link", path=text(path))
        after, data = self._after(path, wanted)
        if before == after:
            if info is not None:
                view.as_wanted[path] = wanted.mode, wanted.blob, info
            return None
        same = before is not None and before.oid == after.oid and self._same_kind(before, after)
        if same and not fresh and self._is_clear(path, info):
            return None
        return FileChange(path, before, after, blob=wanted.blob, stored=self._is_stored(before), stat=info, data=data)

    def remove(self, path: bytes) -> FileChange | None:
        """The change that takes a file away; None where there is none, or a directory stands there."""
        info = self.status(path)
        before = None if info is None else self.content(path, info)
        if before is None:
            folder = path.rpartition(b"/")[0]
            if info is None and folder not in (b"", *self.emptied[-1:]) and self.status(folder) is not None:
                self.emptied.append(folder)
            return None
        return FileChange(path, before, None, stored=self._is_stored(before), stat=info)

    def unlink(self, path: bytes) -> FileChange | None:
        """The same, whatever stands there: a directory stays, with git's warning; that of a submodule without."""
        info, index, at = self.status(path), self._view.index, self._view.index.find(path)
        is_submodule = at >= 0 and index.mode(at) == GITLINK
        if info is not None and info.st_mode & _TYPE == _FOLDER and not is_submodule:
            self._view.ctx.warn(f"unable to unlink '{text(path)}': Is a directory")
        return self.remove(path)

    def _is_entry(self, path: bytes, wanted: Wanted) -> bool:
        """Whether the index has at a path what is wanted there."""
        index = self._view.index
        at = index.find(path)
        return at >= 0 and (index.mode(at), index.oid(at)) == (wanted.mode, wanted.blob)

    def _is_clear(self, path: bytes, info: os.stat_result | None) -> bool:
        """Whether its status alone tells that a file is what its entry says."""
        at = self._view.index.find(path)
        return at >= 0 and info is not None and self.looker.settled(at, info)

    def _is_stored(self, content: Content | None) -> bool:
        return content is not None and (content.oid in self._stored or self._view.odb.has(content.oid))

    def _same_kind(self, one: Content, two: Content) -> bool:
        """Whether two modes are alike where `core.fileMode` is off."""
        return one.mode & _TYPE == two.mode & _TYPE and not self._view.config.get_bool("core.filemode", True)

    def _after(self, path: bytes, wanted: Wanted) -> tuple[Content, bytes | None]:
        """The file as it will be, and its bytes where a program made them, which nobody asks again later, or where the
        attributes are others than those that there will be."""
        view = self._view
        store = outward_of(view, path)
        if wanted.mode == SYMLINK and not view.config.get_bool("core.symlinks", True):
            return Content(0o100644, wanted.blob), None  # a small file with the target in it (git-config(1))
        if wanted.mode == SYMLINK or self._is_plain(path, store):
            return Content(wanted.mode, wanted.blob), None
        data = checked_out(view, path, wanted.blob)
        after = Content(wanted.mode, object_name(b"blob", data, view.store.hash_name))
        driver = attributes_of(store).get(path, b"filter")
        made = isinstance(driver, bytes) and converter_of(view.store).smudges(driver)
        keeps = (made or path in view.outward_of) and after.oid != wanted.blob
        return after, data if keeps else None


def started_in(store: Store) -> bytes:
    """The directory in which the process was started, from the top of the work tree; b"" for the top, or any other.
    Since 2.35 git does not remove it."""
    top, at = store.work_tree, store.where.started
    return at[len(top) + 1 :] if top is not None and at is not None and at.startswith(top + b"/") else b""


def bare_folders(view: View, front: bytes = b"", *, ignored: bool) -> list[bytes]:
    """Directories of the work tree with nothing in them, which git cleans away with the untracked files; `ignored` ones
    too where those are."""
    folders = list[bytes]()
    files = view.store.files
    assert files is not None
    names = files.names(front) or []
    if front and not names:
        return [front]
    if front and b".git" in names:
        return []
    for name in names:
        path = front + b"/" + name if front else name
        info = files.lstat(path)
        if name == b".git" or info is None or info.st_mode & _TYPE != _FOLDER or view.index.has_path(path):
            continue
        if ignored or not standard_ignore(view.store).ignored(path, True):
            folders += bare_folders(view, path, ignored=ignored)
    return folders


def outward_of(view: View, path: bytes) -> Store:
    """The store by whose attributes a path is checked out."""
    return view.outward_of.get(path) or view.outward or view.store


def with_bytes(view: View, file: FileChange) -> FileChange:
    """The same change with the bytes that its file is to hold, by the attributes by which it is checked out now."""
    if file.after is None or file.data is not None or file.blob in (None, file.after.oid):
        return file
    assert file.blob is not None
    return replace(file, data=checked_out(view, file.path, file.blob))


def checked_out(view: View, path: bytes, blob: bytes) -> bytes:
    """A blob's content as a file of the work tree has it. Raises Unsupported where a filter would have to be run."""
    data = view.odb.read_raw(blob)[1]
    store = outward_of(view, path)
    driver = attributes_of(store).get(path, b"filter")
    if isinstance(driver, bytes):
        name = b"filter." + driver
        runs = any(view.config.get(name + end) for end in (b".smudge", b".process"))
        if runs and converter_of(view.store).smudges(driver):
            pass
        elif driver == b"lfs":
            if data.startswith(b"version https://git-lfs.github.com/spec/") and len(data) < 1024:
                raise Unsupported(
                    f"'{text(path)}' is kept by Git LFS, and gitglass fetches nothing", path=text(path), filter="lfs"
                )
        elif runs or view.config.get_bool(name + b".required", False):
            raise not_granted(path, driver, "smudge")
    return to_work_tree(store, path, data, ctx=view.ctx)

"""The attributes by which files of a tree are checked out: those of the index as it will be.

Where git brings index and work tree from one tree to another it reads `.gitattributes` from the new index, and from the
work tree where that has none (gitattributes(5): "During checkout process, .gitattributes in the index is used and then
the file in the working tree is used as a fall-back"). What it says of the commit afterwards goes by those of the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...repo.gitmodules import FILE as GITMODULES
from ...repo.store import Store
from ..changes import Changes, EntryChange, FileChange

_NAME = b".gitattributes"
_MOST_BYTES = 100 << 20


def is_attributes(path: bytes) -> bool:
    """Whether a path is that of a file of attributes."""
    return path.rpartition(b"/")[2] == _NAME


def outward_store(store: Store, changed: Mapping[bytes, bytes | None]) -> Store:
    """A store over the same files whose attributes are those after a checkout: `changed` has the blobs of files of
    attributes that it changes, None for those that it removes; the others are read from the index, and of the work
    tree where that has none."""
    return _with_attributes(store, changed, files_first=False)


def store_of_files(store: Store, blobs: Mapping[bytes, bytes | None]) -> Store:
    """The same store with the attributes of the work tree, and of the index where that has none; `blobs` has those of
    files of attributes that count in the place of both (None: no such file)."""
    return _with_attributes(store, blobs, files_first=True)


def store_afterwards(store: Store, files: Iterable[FileChange], entries: Iterable[EntryChange] = ()) -> Store:
    """The same store as it is read once these files and entries have changed: with the attributes of by then, those of
    the work tree, and of the index where that has none, and the `.gitmodules` of by then; and no file that changes is
    read in place of a blob. So git sums up a commit that it has just made."""
    files = list(files)
    changed = {
        entry.path: next((row.oid for row in entry.after), None)
        for entry in entries
        if is_attributes(entry.path) and store.files is not None and store.files.lstat(entry.path) is None
    }
    changed |= {file.path: file.blob for file in files if is_attributes(file.path)}
    modules = next((file for file in files if file.path == GITMODULES), None)
    if not files and not changed:
        return store
    out = _with_attributes(store, changed, files_first=True)
    out.moving = frozenset(file.path for file in files)
    if modules is not None:
        out.gitmodules = b"" if modules.blob is None else store.odb.blob(modules.blob)
    return out


def store_of_merge(store: Store, files: Iterable[FileChange] = ()) -> Store:
    """The store as a merge reads it once these files have changed. It goes by the attributes of the work tree alone:
    neither git's merge nor its patch program has an index to read others from. With `merge.renormalize` it has the
    `.gitattributes` at the top."""
    files, changed = list(files), _without_files(store)
    if store.config.get_bool("merge.renormalize", False):
        changed.pop(_NAME, None)
    changed |= {file.path: file.blob for file in files if is_attributes(file.path)}
    if not changed:
        return store
    out = _with_attributes(store, changed, files_first=True)
    out.moving = frozenset(file.path for file in files)
    return out


def store_of_tree(store: Store, rows: Mapping[bytes, tuple[int, bytes]], files: Iterable[FileChange]) -> Store:
    """The store by which a tree is checked out alone once these files have changed: by the attributes of its own, and
    of the work tree. The index of the repository has no part in it."""
    changed = _without_files(store)
    changed |= {file.path: file.blob for file in files if is_attributes(file.path)}
    changed |= {path: oid for path, (_, oid) in rows.items() if is_attributes(path)}
    return _with_attributes(store, changed, files_first=True) if changed else store


def _without_files(store: Store) -> dict[bytes, bytes | None]:
    """The files of attributes that only the index has, each as none."""
    index = store.index
    names = filter(is_attributes, index.ending(_NAME, 0, len(index)))
    return dict.fromkeys(path for path in names if store.rules_file(path, _MOST_BYTES) is None)


def _with_attributes(store: Store, changed: Mapping[bytes, bytes | None], *, files_first: bool) -> Store:
    out = store.sibling()
    out.__dict__["odb"] = store.odb
    index = store.index

    def in_index(path: bytes) -> bytes | None:
        at = index.find(path)
        return store.odb.blob(index.oid(at)) if at >= 0 else None

    def in_work_tree(path: bytes) -> bytes | None:
        data = None if store.files is None else store.rules_file(path, _MOST_BYTES)
        return None if data is None else bytes(data)

    first, second = (in_work_tree, in_index) if files_first else (in_index, in_work_tree)

    def read(path: bytes) -> bytes | None:
        if path in changed:
            blob = changed[path]
            return None if blob is None else store.odb.blob(blob)
        data = first(path)
        return second(path) if data is None else data

    out.read_attributes = read
    return out


def changed_attributes(changes: Changes) -> dict[bytes, bytes | None]:
    """The files of attributes that these changes change in the index, as `outward_store` takes them. Of one in conflict
    it is the file, which is that of our side where it does not change."""
    changed: dict[bytes, bytes | None] = {}
    written = {file.path for file in changes.files}
    for entry in changes.entries:
        if is_attributes(entry.path):
            stages = (0,) if entry.path in written else (0, 2)
            changed[entry.path] = next((row.oid for row in entry.after if row.stage in stages), None)
    for file in changes.files:
        if is_attributes(file.path) and (file.path not in changed or changed[file.path] is None):
            changed[file.path] = file.blob
    return changed

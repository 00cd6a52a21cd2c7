"""The attributes by which files of a tree are checked out: those of the index as it will be.

Where git brings index and work tree from one tree to another it reads `.gitattributes` from the new index, and from the
work tree where that has none (gitattributes(5): "During checkout process, .gitattributes in the index is used and then
the file in the working tree is used as a fall-back"). What it says of the commit afterwards goes by those of the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...repo.store import Store
from ..changes import Changes, FileChange

_NAME = b".gitattributes"
_MOST_BYTES = 100 << 20


def is_attributes(path: bytes) -> bool:
    """Whether a path is that of a file of attributes."""
    return path.rpartition(b"/")[2] == _NAME


def outward_store(store: Store, changed: Mapping[bytes, bytes | None]) -> Store:
    """A store over the same files whose attributes are those after a checkout: `changed` has the blobs of files of
    attributes that it changes, None for those that it removes."""
    out = store.sibling()
    out.__dict__["odb"] = store.odb
    index = store.index

    def read(path: bytes) -> bytes | None:
        if path in changed:
            blob = changed[path]
            return None if blob is None else store.odb.blob(blob)
        at = index.find(path)
        if at >= 0:
            return store.odb.blob(index.oid(at))
        data = None if store.files is None else store.rules_file(path, _MOST_BYTES)
        return None if data is None else bytes(data)

    out.read_attributes = read
    return out


def store_afterwards(store: Store, files: Iterable[FileChange]) -> Store:
    """The same store with the attributes that there are once these files have changed: those of the work tree, and of
    the index where that has none. By these git sums up a commit that it has just checked out."""
    changed = {file.path: file.blob for file in files if is_attributes(file.path)}
    if not changed:
        return store
    out = store.sibling()
    out.__dict__["odb"] = store.odb
    index = store.index

    def read(path: bytes) -> bytes | None:
        if path in changed:
            blob = changed[path]
            return None if blob is None else store.odb.blob(blob)
        data = None if store.files is None else store.rules_file(path, _MOST_BYTES)
        at = index.find(path) if data is None else -1
        return store.odb.blob(index.oid(at)) if at >= 0 else None if data is None else bytes(data)

    out.read_attributes = read
    return out


def changed_attributes(changes: Changes) -> dict[bytes, bytes | None]:
    """The files of attributes that these changes change in the index, as `outward_store` takes them. Of one in conflict
    it is the file."""
    changed: dict[bytes, bytes | None] = {}
    for entry in changes.entries:
        if is_attributes(entry.path):
            changed[entry.path] = next((row.oid for row in entry.after if not row.stage), None)
    for file in changes.files:
        if is_attributes(file.path) and (file.path not in changed or changed[file.path] is None):
            changed[file.path] = file.blob
    return changed

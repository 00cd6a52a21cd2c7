"""Afterwards: whether a fresh reader finds what the plan says, and nothing of it missing."""

from __future__ import annotations

from ..errors import GitError, text
from ..objects.parsed import object_name
from ..repo.store import Store
from .changes import ABSENT, Changes, Content, FileChange
from .index_file import file_mode, rows_at


def differences(store: Store, changes: Changes) -> list[str]:
    """Every difference between what was planned and what is there, a line each."""
    differing: list[str] = []
    try:
        differing += _objects(store, changes)
        differing += _refs(store, changes)
        differing += _index(store, changes)
        for file in changes.files:
            if look(store, file.path) != file.after:
                differing.append(f"file {text(file.path)} is not what was planned")
    except GitError as error:
        differing.append(error.message)
    return differing


def _objects(store: Store, changes: Changes) -> list[str]:
    packs = [text(pack.name) for pack in changes.packs if store.jail.lstat(_pack_path(store, pack.name)) is None]
    lines = [f"pack {name} is missing" for name in packs]
    loose = [folder.loose for folder in store.odb.dirs]  # where nearly all of them are, and packs are asked first
    return lines + [
        f"object {oid.hex()} is missing"
        for oid in changes.objects
        if not any(folder.has(oid) for folder in loose) and not store.odb.has(oid)
    ]


def _pack_path(store: Store, name: bytes) -> bytes:
    return store.git_path(b"objects/pack/pack-" + name + b".idx")


def _refs(store: Store, changes: Changes) -> list[str]:
    differing = []
    for ref in changes.refs:
        raw = store.refs.backend.raw(ref.name)
        now = ABSENT if raw is None else (raw.target if ref.symbolic else raw.oid)
        if now != ref.after:
            differing.append(f"ref {text(ref.name)} is not what was planned")
    return differing


def _index(store: Store, changes: Changes) -> list[str]:
    if not changes.entries:
        return []
    index = store.index.expanded(store.odb.tree)
    return [
        f"index entry {text(entry.path)} is not what was planned"
        for entry in changes.entries
        if rows_at(index, entry.path) != entry.after
    ]


def look(store: Store, path: bytes) -> Content | None:
    """A file of the work tree as a plan names it; None where there is no file or link."""
    files = store.files
    info = None if files is None else files.lstat(path)
    if files is None or info is None or info.st_mode & 0o170000 not in (0o100000, 0o120000):
        return None
    data = files.readlink(path) if info.st_mode & 0o170000 == 0o120000 else files.read_optional(path)
    if data is None:
        return None
    return Content(file_mode(info), object_name(b"blob", bytes(data), store.hash_name))


def is_unchanged(store: Store, change: FileChange) -> bool:
    """Whether a file is still what it was before a change."""
    return look(store, change.path) == change.before

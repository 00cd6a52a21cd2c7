"""New objects: kept in memory while an operation is planned, written as loose files when it is carried out.

While they are in memory the object database reads them like any other (`NewObjects` is one of its sources), so that a
plan can show the diff of a commit that does not exist yet. Written as git writes them: deflated, permissions 0444 less
the umask, under a name of their own first and linked to their place; one that is there already is only made young
again, so that a `git gc` at work does not take it. What an object names is there before it is: whoever has an object,
has all that it needs, also where the writing was interrupted. Mirrors gitrepository-layout(5), "objects".
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from ..disk.opened import FdDir
from ..errors import SandboxViolation, Unsupported
from ..objects.parsed import GITLINK, commit_parents, commit_tree, object_name, tag_object, tree_entries
from ..objects.source import ListedSource
from ..repo.store import Store
from .changes import Changes, NewPack
from .door import Door

_T = TypeVar("_T")
_LEVEL = 1  # `core.looseCompression` where it is not set


class NewObjects:
    """Objects that are not on disk yet, by name; and packs that are not, which hold any number of others."""

    __slots__ = ("_hash_name", "held", "packs")

    def __init__(self, hash_name: str) -> None:
        self._hash_name = hash_name
        self.held: dict[bytes, tuple[bytes, bytes]] = {}
        self.packs: list[ListedSource] = []

    def add(self, kind: bytes, content: bytes) -> bytes:
        """The name of an object that is kept from now on."""
        oid = object_name(kind, content, self._hash_name)
        self.held.setdefault(oid, (kind, content))
        return oid

    # --- as a source of the object database -------------------------------------------------------------------------

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content)."""
        return self.held.get(oid) or self._asked(lambda pack: pack.read(oid))

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size of the content)."""
        held = self.held.get(oid)
        return self._asked(lambda pack: pack.head(oid)) if held is None else (held[0], len(held[1]))

    def has(self, oid: bytes) -> bool:
        """Whether the object is here."""
        return oid in self.held or any(pack.has(oid) for pack in self.packs)

    def disk_size(self, oid: bytes) -> int | None:
        """Its size in memory."""
        held = self.held.get(oid)
        return self._asked(lambda pack: pack.disk_size(oid)) if held is None else len(held[1])

    def delta_base(self, oid: bytes) -> bytes | None:
        """All zero: nothing here is a delta, as far as anybody asks."""
        return bytes(len(oid)) if self.has(oid) else None

    def oids(self) -> Iterable[bytes]:
        """Every object here."""
        return [*self.held, *(oid for pack in self.packs for oid in pack.oids())]

    def refresh(self) -> None:
        """A new command begins: nothing changes."""

    def _asked(self, question: Callable[[ListedSource], _T | None]) -> _T | None:
        """What the first pack that has an object says of it."""
        for pack in self.packs:
            had = question(pack)
            if had is not None:
                return had
        return None


def need_own_objects(store: Store) -> None:
    """Raise Unsupported where GIT_OBJECT_DIRECTORY (git(1)) names another place for objects than the repository's."""
    named, own = store.objects_path, store.common_dir + b"/objects"
    if named != own and store.jail.resolve(named) != store.jail.resolve(own):
        raise Unsupported("gitglass writes to no other GIT_OBJECT_DIRECTORY than the repository's own")


def write_objects(door: Door, scratch: bytes, objects: dict[bytes, tuple[bytes, bytes]], store: Store) -> None:
    """Write what the repository does not have as loose objects.

    `door` is on the git directory that holds `objects/`; `scratch` is a directory there for files that are not
    finished.
    """
    level = store.config.get_int("core.loosecompression", None)
    if level is None:
        level = store.config.get_int("core.compression", None)
    level = _LEVEL if level is None or not -1 <= level <= 9 else level
    sync = b"loose-object" in (store.config.get("core.fsync") or b"") or bool(
        store.config.get_bool("core.fsyncobjectfiles", False)
    )
    own = [folder.loose for folder in store.odb.dirs if folder.path == store.common_dir + b"/objects"]
    elsewhere = [source for source in store.odb.sources if source not in own]
    drafts = door.need_folder(scratch) if objects else None
    for number, oid in enumerate(named_first(objects)):
        kind, content = objects[oid]
        name = oid.hex().encode()
        path = b"objects/" + name[:2] + b"/" + name[2:]
        folder: FdDir | None = None
        try:
            asked = elsewhere
            folder, last = door.split(path)
            if folder is not None and _made_young(door, folder, last):
                continue
        except SandboxViolation:
            asked = store.odb.sources  # a reader follows links
        if any(source.has(oid) for source in asked):  # as git asks: not once more of packs that came just now
            continue
        packed = zlib.compress(b"%s %d\0" % (kind, len(content)) + content, level)
        draft = b"object-%d" % number
        assert drafts is not None
        door.new_in(drafts, draft, packed, 0o444, sync=sync)
        _install_from(door, drafts, draft, path, folder)


def _made_young(door: Door, folder: FdDir, name: bytes) -> bool:
    """Whether there is a loose object of that name in a directory; its times are now."""
    try:
        folder.lstat(name)
    except FileNotFoundError:
        return False
    door.calls.make_young(folder.fd, name)
    return True


def named_first(objects: dict[bytes, tuple[bytes, bytes]]) -> Iterator[bytes]:
    """The names of new objects, each behind those of them that it names. Raises Corrupt for one that cannot be read."""
    given: set[bytes] = set()
    stack = [(oid, False) for oid in reversed(objects)]
    while stack:
        oid, below = stack.pop()
        if oid in given:
            continue
        kind, content = objects[oid]
        if below or kind == b"blob":
            given.add(oid)
            yield oid
            continue
        stack.append((oid, True))
        stack += [(link, False) for link in links_of(oid, kind, content) if link in objects and link not in given]


def links_of(oid: bytes, kind: bytes, content: bytes) -> Iterable[bytes]:
    """The objects that an object needs. Raises Corrupt."""
    if kind == b"tree":
        return (link for mode, _, link in tree_entries(content, len(oid)) if mode != GITLINK)
    if kind == b"commit":
        return [commit_tree(content, oid), *commit_parents(content, oid)]
    return [tag_object(content, oid)] if kind == b"tag" else ()


def write_packs(door: Door, scratch: bytes, packs: Sequence[NewPack]) -> None:
    """Install packs as git does: the pack first, its index last, so that a reader sees both or none."""
    for number, pack in enumerate(packs):
        for suffix, data in ((b"pack", pack.data), (b"idx", pack.index)):
            path = b"objects/pack/pack-%b.%b" % (pack.name, suffix)
            if door.lstat(path) is None:
                draft = scratch + b"/object-pack-%d" % number
                door.new_file(draft, data, 0o444, sync=True)
                install(door, draft, path)


def kept_elsewhere(changes: Changes) -> list[bytes]:
    """Where packs and the contents that Git LFS keeps come to lie."""
    packs = [b"objects/pack/pack-%b.idx" % pack.name for pack in changes.packs]
    return packs + [_lfs_path(name) for name in changes.lfs]


def _lfs_path(name: str) -> bytes:
    return f"lfs/objects/{name[:2]}/{name[2:4]}/{name}".encode()


def write_lfs(door: Door, scratch: bytes, contents: dict[str, bytes]) -> None:
    """Put contents where Git LFS looks for them (`lfs/objects/` of the git directory); those that are there stay."""
    for number, (name, content) in enumerate(contents.items()):
        path = _lfs_path(name)
        if door.lstat(path) is None:
            draft = scratch + b"/object-lfs-%d" % number
            door.new_file(draft, content, 0o444)
            install(door, draft, path)


def install(door: Door, draft: bytes, path: bytes) -> None:
    """Give a finished file its place; where one is there already, that one stays."""
    folder, name = door.split(draft)
    assert folder is not None
    _install_from(door, folder, name, path)


def _install_from(door: Door, folder: FdDir, name: bytes, path: bytes, into: FdDir | None = None) -> None:
    """The same of a file in an open directory, into one that was there a moment ago where that is known."""
    with suppress(FileExistsError):
        door.link_at(path, lambda above, last: door.calls.link(folder.fd, name, above.fd, last), into=into)
    door.calls.unlink(folder.fd, name)

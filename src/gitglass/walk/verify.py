"""Is everything there, and is it what its name says? Every object is read, hashed, looked at, and its links followed.

git-fsck(1) asks the same; where it has words for what is wrong, they are used. Unlike git nothing ends at the first
damage: what can be read is read. Dangling objects are no damage and are not listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import Cancelled, Corrupt, GitError, MissingObject, Timeout, text
from ..store.fileview import FileView
from . import fsckrules

if TYPE_CHECKING:
    from ..limits import Context
    from ..store.odb import Odb
    from ..store.packs import Pack
    from ..store.store import Store

_STEP = 1 << 20
_TREE, _GITLINK = 0o040000, 0o160000
_BROKEN = "broken link from {0:>7} {1}"


@dataclass(slots=True)
class Damage:
    """One thing that is wrong.

    `words` is git's line where git has one. `code` is the message id of git's fsck for what is wrong inside an object
    (`missingAuthor`), else one of `missing`, `corrupt`, `hash`, `unparsable`, `kind`, `ref`, `checksum`.
    `is_error` is False for what git only warns of.
    """

    code: str
    words: str
    kind: str = ""
    oid: str = ""
    is_error: bool = True


def verify(store: Store, *, ctx: Context) -> Iterator[Damage]:
    """Everything that is wrong with the objects, packs and references of a repository."""
    odb = store.odb
    yield from _packs(odb, ctx)
    kinds: dict[bytes, bytes] = {}
    wanted: dict[bytes, tuple[bytes, bytes, bytes]] = {}
    bad: set[bytes] = set()
    known: set[bytes] = set()
    for oid in odb.names.all():
        ctx.tick()
        try:
            kind, raw = odb.read_raw(oid)
        except (Timeout, Cancelled):
            raise
        except GitError as error:
            yield from _unreadable(oid, error)
            continue
        kinds[oid] = kind
        if not _is_its_name(odb, oid, kind, raw):
            yield Damage("hash", f"error: hash mismatch {oid.hex()}", kind.decode(), oid.hex())
            continue
        for damage in _object(oid, kind, raw, odb.hash_len, wanted):
            if damage.code == "unparsable":
                bad.add(oid)
            yield damage
    for damage in _connections(odb, kinds, wanted, ctx):
        known.add(bytes.fromhex(damage.oid))
        yield damage
    yield from _references(store, kinds, bad, ctx)
    yield from _index(store, kinds, known, ctx)


def _unreadable(oid: bytes, error: GitError) -> Iterator[Damage]:
    code = "missing" if isinstance(error, MissingObject) else "hash" if "hash mismatch" in error.message else "corrupt"
    yield Damage(code, error.words().decode("utf-8", "replace").strip(), "", oid.hex())


def _is_its_name(odb: Odb, oid: bytes, kind: bytes, raw: bytes) -> bool:
    digest = hashlib.new(odb.hash_name, b"%s %d\0" % (kind, len(raw)))
    digest.update(raw)
    return digest.digest() == oid


def _object(
    oid: bytes, kind: bytes, raw: bytes, hash_len: int, wanted: dict[bytes, tuple[bytes, bytes, bytes]]
) -> Iterator[Damage]:
    """What is wrong inside of an object; what it names joins `wanted`."""
    named = fsckrules.links(kind, raw, hash_len)
    if named is None:
        yield Damage("unparsable", f"error: {oid.hex()}: object could not be parsed", kind.decode(), oid.hex())
        return
    for expected, target in named:
        wanted.setdefault(target, (expected, kind, oid))
    complaints = {
        b"commit": lambda: fsckrules.commit(raw),
        b"tag": lambda: fsckrules.tag(raw),
        b"tree": lambda: fsckrules.tree(raw, hash_len),
    }.get(kind)
    for code, words, is_error in complaints() if complaints is not None else ():
        level = "error" if is_error else "warning"
        yield Damage(
            code, f"{level} in {kind.decode()} {oid.hex()}: {code}: {words}", kind.decode(), oid.hex(), is_error
        )


def _connections(
    odb: Odb, kinds: dict[bytes, bytes], wanted: dict[bytes, tuple[bytes, bytes, bytes]], ctx: Context
) -> Iterator[Damage]:
    """Objects that others name and that are not here, or are something else."""
    grafted = odb.grafted
    for target, (expected, kind, source) in wanted.items():
        ctx.tick()
        found = kinds.get(target)
        if found == expected or (kind == b"commit" and source in grafted and expected == b"commit"):
            continue
        if found is not None:
            words = f"error: object {target.hex()} is a {found.decode()}, not a {expected.decode()}"
            yield Damage("kind", words, expected.decode(), target.hex())
        elif target not in (odb.empty_tree, bytes(odb.hash_len)) and not odb.has(target):
            yield _missing(expected, target, _BROKEN.format(kind.decode(), source.hex()))


def _missing(kind: bytes, oid: bytes, link: str = "") -> Damage:
    """An object that should be here; `link` is where it is named."""
    words = f"{link}\n              to {kind.decode():>7} {oid.hex()}\n" if link else ""
    return Damage("missing", f"{words}missing {kind.decode()} {oid.hex()}", kind.decode(), oid.hex())


def _references(store: Store, kinds: dict[bytes, bytes], bad: set[bytes], ctx: Context) -> Iterator[Damage]:
    """References that lead nowhere, or to something that cannot be parsed."""
    rows: list[tuple[str, bytes | None]] = [
        (text(ref.name), ref.oid or store.null) for ref in store.refs.entries() if not ref.bad_name
    ]
    rows.append(("HEAD", store.refs.head()[1]))
    for name, oid in rows:
        ctx.tick()
        if oid is not None and (oid in bad or (oid not in kinds and not store.odb.has(oid))):
            yield Damage("ref", f"error: {name}: invalid sha1 pointer {oid.hex()}", "", oid.hex())


def _index(store: Store, kinds: dict[bytes, bytes], known: set[bytes], ctx: Context) -> Iterator[Damage]:
    """Files that are to be committed and that are not here."""
    try:
        index = store.index
    except (Timeout, Cancelled):
        raise
    except GitError as error:
        yield Damage("corrupt", error.words().decode("utf-8", "replace").strip())
        return
    for mode, oid in zip(index.modes, index.oids):
        ctx.tick()
        if mode & 0o170000 == _GITLINK or oid in kinds or oid in known or oid == store.null:
            continue
        known.add(oid)
        if not store.odb.has(oid):
            yield _missing(b"tree" if mode & 0o170000 == _TREE else b"blob", oid)


def _packs(odb: Odb, ctx: Context) -> Iterator[Damage]:
    """Pack files and their indexes, whose last bytes are the hash of all before them."""
    for place in odb.dirs:
        for pack in list(place.packs.values()):
            try:
                yield from _pack(pack, odb, ctx)
            except Corrupt as error:
                yield Damage("corrupt", error.words().decode("utf-8", "replace").strip())


def _pack(pack: Pack, odb: Odb, ctx: Context) -> Iterator[Damage]:
    index = pack.index
    if not _sealed(index.view, odb, ctx):
        yield Damage("checksum", f"error: Packfile index for {pack.name} hash mismatch")
    if not _sealed(pack.open(), odb, ctx):
        yield Damage("checksum", f"error: {pack.name} pack checksum mismatch")


def _sealed(view: FileView, odb: Odb, ctx: Context) -> bool:
    """Whether a file ends with the hash of what stands before."""
    digest = hashlib.new(odb.hash_name)
    at, end = 0, view.size - odb.hash_len
    while at < end:
        ctx.check()
        data = view.read(at, min(_STEP, end - at))
        if not data:
            return False
        digest.update(data)
        at += len(data)
    return digest.digest() == view.read(end, odb.hash_len)

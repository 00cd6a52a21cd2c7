"""Makes and reads commit objects, and lists the files that a staged commit changes. Mirrors git-commit-tree(1)."""

from __future__ import annotations

import hashlib

from ..diff.trees import Trees
from ..errors import InvalidArgs, TooLarge, text
from ..limits import Context
from ..mutate.grant import Identity, Moment
from ..mutate.operations.message import stripped
from ..objects.parsed import GITLINK, Commit
from ..paths.attributes import attributes_of
from ..render.log.trailers import with_trailers
from .files import WsFiles
from .limits import WsLimits
from .model import Identities, Operation, StagedFile
from .overlay import WsEntry, entry_of
from .rules import is_binary, is_pointer


def ident(person: Identity, moment: Moment) -> bytes:
    """`Name <mail> seconds zone`, as commits record it."""
    words = f"{person.name.strip()} <{person.email}> ".encode("utf-8", "surrogateescape")
    return words + moment.words()


def message_of(workspace: WsFiles, words: str, identities: Identities, limits: WsLimits) -> bytes:
    """A message as it is recorded: cleaned up as `git commit -m` does, with the trailers of the identities.

    Raises InvalidArgs for an empty one, TooLarge.
    """
    raw = words.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise InvalidArgs("message: it holds a NUL")
    if len(raw) > limits.message:
        raise TooLarge(f"message: longer than {limits.message} bytes", limit=limits.message)
    message = stripped(raw)
    if not message:
        raise InvalidArgs("message: it is empty")
    lines = [f"Co-authored-by: {one.name} <{one.email}>" for one in identities.co_authors]
    lines += identities.trailers
    return with_trailers(message, lines, workspace.store.config) if lines else message


def commit_bytes(tree: bytes, parents: list[bytes], author: bytes, committer: bytes, message: bytes) -> bytes:
    """The content of a commit object."""
    lines = [b"tree " + tree.hex().encode()]
    lines += [b"parent " + parent.hex().encode() for parent in parents]
    lines += [b"author " + author, b"committer " + committer, b"", message]
    return b"\n".join(lines)


def commit_of(workspace: WsFiles, oid: bytes) -> Commit:
    """The staged commit of a commit object's content."""
    return workspace.store.odb.commit(oid)


def staged_files(workspace: WsFiles, before: bytes, after: bytes, ctx: Context) -> tuple[StagedFile, ...]:
    """The differences between two trees, file by file."""
    rows = Trees(workspace.store.odb, workspace.store.hash_len).rows(before, after, ctx=ctx)
    return tuple(_staged(workspace, row[0], entry_of(row[1], row[2]), entry_of(row[3], row[4])) for row in rows)


def _staged(workspace: WsFiles, path: bytes, old: WsEntry | None, new: WsEntry | None) -> StagedFile:
    operation: Operation = "update"
    if old is None:
        operation = "create"
    elif new is None:
        operation = "delete"
    elif old.oid == new.oid:
        operation = "mode"
    side = new or old
    assert side is not None
    data = b"" if side.mode == GITLINK else workspace.blob(side.oid)
    pointer = is_pointer(data)
    return StagedFile(
        text(path), workspace.mount.name_of(path), operation,
        "" if old is None else f"{old.mode:06o}", "" if new is None else f"{new.mode:06o}",
        "" if new is None else new.oid.hex(), "" if new is None else hashlib.sha256(data).hexdigest(),
        0 if new is None else len(data), is_binary(data), pointer or _is_lfs(workspace, path),
    )  # fmt: skip


def _is_lfs(workspace: WsFiles, path: bytes) -> bool:
    return attributes_of(workspace.store).get(path, b"filter") == b"lfs"

"""A workspace as a plain git bundle: bytes that `git bundle verify` accepts, and that `git fetch` can read.

    refs/gitglass/ws/<id>/staged/<n>   the staged commits
    refs/gitglass/ws/<id>/overlay      a commit of the files as they are
    refs/gitglass/ws/<id>/meta         a commit whose tree holds workspace.json, and blobs that only this file names

Its prerequisites are the base's commit, and the commits that merges brought in: whoever loads it has to have these.
Mirrors git-bundle(1) and gitformat-bundle(5).
"""

from __future__ import annotations

import io
import json
from typing import Any

from dulwich.errors import ChecksumMismatch, ObjectFormatException
from dulwich.object_format import SHA1, SHA256
from dulwich.objects import ShaFile
from dulwich.pack import PackData, PackInflater, write_pack_objects

from ..errors import Conflict, Corrupt, MissingObject, TooLarge
from ..limits import Context
from ..objects.database import Odb
from ..objects.pack import KIND_NAMES, KIND_NUMBERS
from ..objects.parsed import object_name
from .commits import commit_bytes
from .outgoing import Objects, missing_objects
from .overlay import WsEntry, build_tree
from .saved import base_of, blobs_of, restore, state_of
from .workspace import Workspace

_FRONT = b"refs/gitglass/ws/"
_WHO = b"gitglass workspace <workspace@gitglass.invalid> 0 +0000"
_FORMATS = {"sha1": SHA1, "sha256": SHA256}
_MOST = 512 << 20


def to_bundle(workspace: Workspace) -> bytes:
    """The bundle. Raises TooLarge."""
    with workspace.working() as ctx:
        has = _base_layer(workspace)
        overlay = _overlay_commit(workspace, ctx)
        meta, objects = _meta(workspace)
        objects |= missing_objects(workspace.store, overlay, has, most_bytes=_MOST, ctx=ctx)
        head = [
            b"# v2 git bundle\n" if workspace.base.hash_name == "sha1" else b"# v3 git bundle\n@object-format=sha256\n"
        ]
        needed = [workspace.base.commit, *(one.merged for one in workspace.staged)]
        for name in dict.fromkeys(name for name in needed if name is not None):
            head.append(b"-%b base of a workspace\n" % name.encode())
        front = _FRONT + workspace.id.encode()
        for number, one in enumerate(workspace.staged, 1):
            head.append(b"%b %b/staged/%d\n" % (one.commit.encode(), front, number))
        head.append(b"%b %b/overlay\n%b %b/meta\n\n" % (overlay.hex().encode(), front, meta.hex().encode(), front))
        return b"".join(head) + _pack(objects, workspace.base.hash_name)


def _base_layer(workspace: Workspace) -> Any:
    """A function that tells whether the database with the base's commit has an object."""
    if workspace.base.commit is None:
        return lambda oid: False
    commit = bytes.fromhex(workspace.base.commit)
    for layer in workspace.layered.layers:
        if layer.has(commit):
            return layer.has
    raise MissingObject(f"the base {workspace.base.commit} is not here any more", oid=workspace.base.commit)


def _overlay_commit(workspace: Workspace, ctx: Context) -> bytes:
    tree = workspace.overlay.made(ctx)
    parents = [bytes.fromhex(workspace.top)] if workspace.top is not None else []
    return workspace.layered.add(b"commit", commit_bytes(tree, parents, _WHO, _WHO, b"Files as they are\n"))


def _meta(workspace: Workspace) -> tuple[bytes, Objects]:
    """The commit that holds the state, and the objects that it needs; these are not added to the workspace."""
    hash_name, objects = workspace.base.hash_name, Objects()

    def add(kind: bytes, content: bytes) -> bytes:
        oid = object_name(kind, content, hash_name)
        objects[oid] = kind, content
        return oid

    body = json.dumps(state_of(workspace), sort_keys=True, indent=1).encode("utf-8", "surrogatepass")
    rows = [(b"workspace.json", b"100644", add(b"blob", body))]
    inner = b""
    for oid in sorted(blobs_of(workspace), key=bytes.hex):
        inner += b"100644 %b\0%b" % (oid.hex().encode(), add(b"blob", workspace.blob(oid)))
    if inner:
        rows.insert(0, (b"blobs", b"40000", add(b"tree", inner)))
    tree = add(b"tree", b"".join(b"%b %b\0%b" % (mode, name, oid) for name, mode, oid in rows))
    return add(b"commit", commit_bytes(tree, [], _WHO, _WHO, b"State of a workspace\n")), objects


def _pack(objects: Objects, hash_name: str) -> bytes:
    out = io.BytesIO()
    made = [
        ShaFile.from_raw_string(KIND_NUMBERS[kind], content, object_format=_FORMATS[hash_name])
        for kind, content in objects.values()
    ]
    write_pack_objects(out, made, _FORMATS[hash_name], deltify=False)
    return out.getvalue()


# --- load -----------------------------------------------------------------------------------------------------------


def from_bundle(data: bytes, layers: list[Odb], **options: Any) -> Workspace:
    """The workspace of a bundle, over databases that have its base. `options` are those of `Workspace` that the host
    decides (identity, limits, clock).

    Raises Corrupt for bytes that are no such bundle, Conflict if the base is missing, TooLarge.
    """
    if len(data) > _MOST:
        raise TooLarge(f"the bundle has more than {_MOST} bytes", limit=_MOST)
    hash_name, prerequisites, refs, pack = _head(data)
    for name in prerequisites:
        if not any(layer.has(name) for layer in layers):
            raise Conflict(f"the base {name.hex()} is not here any more", oid=name.hex())
    objects = _unpacked(pack, hash_name)
    meta = next((oid for ref, oid in refs.items() if ref.endswith(b"/meta")), None)
    state = _state(meta, objects, hash_name)
    base, mount, id = base_of(state)
    workspace = Workspace(base, layers, mount=mount, id=id, **options)
    for kind, content in objects.values():
        workspace.layered.add(kind, content)
    restore(workspace, state)
    _check(workspace)
    return workspace


def _head(data: bytes) -> tuple[str, list[bytes], dict[bytes, bytes], bytes]:
    """The parts of a bundle: (format, prerequisites, refs, pack)."""
    head, empty, pack = data.partition(b"\n\n")
    lines = head.split(b"\n")
    try:
        if not empty or lines.pop(0) not in (b"# v2 git bundle", b"# v3 git bundle"):
            raise ValueError("no bundle")
        hash_name = "sha256" if b"@object-format=sha256" in lines else "sha1"
        needed = [bytes.fromhex(line[1:].split(b" ")[0].decode()) for line in lines if line.startswith(b"-")]
        rows = [line.split(b" ", 1) for line in lines if not line.startswith((b"-", b"@"))]
        return hash_name, needed, {ref: bytes.fromhex(name.decode()) for name, ref in rows}, pack
    except ValueError as error:
        raise Corrupt(f"this is no bundle of a workspace: {error}") from error


def _unpacked(pack: bytes, hash_name: str) -> Objects:
    """The objects of a pack by their names, which are computed from their content."""
    objects = Objects()
    try:
        file = PackData.from_file(io.BytesIO(pack), object_format=_FORMATS[hash_name])
        file.check()
        for item in PackInflater.for_pack_data(file):
            content = item.as_raw_string()
            kind = KIND_NAMES[item.type_num]
            objects[object_name(kind, content, hash_name)] = kind, content
    except (AssertionError, ChecksumMismatch, ObjectFormatException, ValueError, KeyError, EOFError, OSError) as error:
        raise Corrupt(f"the pack of the bundle is broken: {error}") from error
    return objects


def _state(meta: bytes | None, objects: Objects, hash_name: str) -> Any:
    try:
        if meta is None:
            raise ValueError("there is no state in it")
        commit = objects[meta][1]
        tree = objects[bytes.fromhex(commit[5 : commit.index(b"\n")].decode())][1]
        width = len(meta)
        at = tree.index(b" workspace.json\0") + len(b" workspace.json\0")
        return json.loads(objects[tree[at : at + width]][1].decode("utf-8", "surrogatepass"))
    except (KeyError, ValueError) as error:
        raise Corrupt(f"this is no bundle of a workspace: {error}") from error


def _check(workspace: Workspace) -> None:
    """Raise Corrupt if an object that the state names is missing."""
    with workspace.working() as ctx:
        try:
            for one in workspace.staged:
                if workspace.store.odb.commit_facts(bytes.fromhex(one.commit))[2] != bytes.fromhex(one.tree):
                    raise Corrupt(f"the staged commit {one.commit} has another tree")
            build_tree(workspace.store, workspace.overlay.tree, workspace.overlay.changes, ctx)
            files: list[WsEntry | None] = [*workspace.overlay.changes.values()]
            for oid in {file.oid for file in files if file is not None and not file.is_submodule} | blobs_of(workspace):
                workspace.store.odb.kind_size(oid)
        except MissingObject as error:
            raise Corrupt(f"the bundle lacks an object: {error.message}") from error

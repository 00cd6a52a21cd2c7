"""A git directory of a room's own, for hooks: what git finds there is written by gitglass.

Its configuration has no setting that names a program; its index is a copy; new objects land in it, those of the
repository are read through. A hook may ask git there whatever it likes, and changes nothing of the repository's by it.
"""

from __future__ import annotations

import os
import zlib

from ...errors import SandboxViolation
from ...objects.parsed import object_name
from ...records import record
from ...repo.store import Store
from .room import Room

GIT = b"git"
INDEX = GIT + b"/index"
_OBJECTS = GIT + b"/objects"
_BOOLEANS = ("core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode")
_WORDS = {"core.autocrlf": (b"true", b"false", b"input"), "core.eol": (b"lf", b"crlf", b"native")}
_KINDS = (b"blob", b"tree", b"commit", b"tag")
_MOST_OBJECTS = 10_000


@record(frozen=True)
class Person:
    """Author or committer: name and address."""

    name: bytes
    mail: bytes


def furnish(
    room: Room, store: Store, people: dict[str, Person], index: bytes, objects: dict[bytes, tuple[bytes, bytes]]
) -> dict[str, str]:
    """Make the git directory; the variables that lead there. `objects` are those of the plan, which the index names."""
    room.put(GIT + b"/config", _config(store, people["COMMITTER"]))
    name, head = store.refs.head()
    room.put(GIT + b"/HEAD", b"ref: %b\n" % name if name is not None else (head or store.null).hex().encode() + b"\n")
    rows = b"".join(b"%b %b\n" % (oid.hex().encode(), ref) for ref, oid in store.refs.iterate())
    room.put(GIT + b"/packed-refs", b"# pack-refs with: sorted\n" + rows)
    room.put(GIT + b"/refs/heads/.keep", b"")
    room.put(_OBJECTS + b"/info/.keep", b"")
    room.put(GIT + b"/info/exclude", b"")
    room.put(INDEX, index)
    for oid, (kind, content) in objects.items():
        hexed = oid.hex().encode()
        packed = zlib.compress(b"%b %d\0" % (kind, len(content)) + content, 1)
        room.put(_OBJECTS + b"/" + hexed[:2] + b"/" + hexed[2:], packed)
    here = os.fsdecode(room.path + b"/" + GIT)
    variables = {
        "GIT_DIR": here, "GIT_INDEX_FILE": f"{here}/index", "GIT_OBJECT_DIRECTORY": f"{here}/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(os.fsdecode(store.common_dir + b"/objects")),
        "GIT_WORK_TREE": os.fsdecode(store.work_tree or b""), "GIT_EDITOR": ":", "GIT_SEQUENCE_EDITOR": ":",
        "GIT_PAGER": "cat", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_ATTR_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1",
        "GIT_PROTOCOL_FROM_USER": "0", "GIT_ALLOW_PROTOCOL": "",
    }  # fmt: skip
    for who, person in people.items():
        variables[f"GIT_{who}_NAME"], variables[f"GIT_{who}_EMAIL"] = os.fsdecode(person.name), os.fsdecode(person.mail)
    return variables


def _quoted(path: str) -> str:
    """A path as a list of object directories has it: quoted where it begins with a quote or holds the separator."""
    if path.startswith('"') or ":" in path or "\n" in path:
        escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return path


def _config(store: Store, person: Person) -> bytes:
    config = store.config
    lines = [
        b"[core]", b"\trepositoryformatversion = %d" % (0 if store.hash_name == "sha1" else 1), b"\tbare = false",
        b"\tfsmonitor = false", b"\tuntrackedCache = false", b"\thooksPath = /dev/null", b"\tpager = cat",
        b"\teditor = :", b"\tsshCommand = false", b"\taskPass =", b"\talternateRefsCommand = :",
        b"\tattributesFile = /dev/null", b"\texcludesFile = /dev/null",
    ]  # fmt: skip
    for key in _BOOLEANS:
        value = config.get_bool(key)
        if value is not None:
            lines.append(b"\t%b = %b" % (key[5:].encode(), b"true" if value else b"false"))
    for key, words in _WORDS.items():
        word = (config.get(key) or b"").lower()
        if word in words:
            lines.append(b"\t%b = %b" % (key[5:].encode(), word))
    if store.hash_name != "sha1":
        lines += [b"[extensions]", b"\tobjectFormat = " + store.hash_name.encode()]
    lines += [b"[user]", b"\tname = " + _value(person.name), b"\temail = " + _value(person.mail)]
    lines += [b"[gc]", b"\tauto = 0", b"[maintenance]", b"\tauto = false", b"[protocol]", b"\tallow = never"]
    lines += [b"[commit]", b"\tgpgSign = false", b"[tag]", b"\tgpgSign = false", b"[submodule]", b"\trecurse = false"]
    return b"\n".join(lines) + b"\n"


def _value(raw: bytes) -> bytes:
    return b'"%b"' % raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")


def made_objects(room: Room, store: Store, limit: int) -> dict[bytes, tuple[bytes, bytes]]:
    """The loose objects of the room, each proven to be what its name says. Raises SandboxViolation for anything else,
    and where there are more than `limit` bytes of them."""
    made: dict[bytes, tuple[bytes, bytes]] = {}
    left = limit
    for folder in room.names(_OBJECTS):
        if len(folder) != 2 or folder.strip(b"0123456789abcdef"):
            continue
        for name in room.names(_OBJECTS + b"/" + folder):
            if name.startswith(b"tmp_obj_"):
                continue
            packed = room.read(_OBJECTS + b"/" + folder + b"/" + name, left)
            oid, kind, content = _unpacked(folder + name, packed or b"", left, store)
            left -= len(content)
            made[oid] = (kind, content)
            if left < 0 or len(made) > _MOST_OBJECTS:
                raise SandboxViolation("a program made more objects than are looked at")
    return made


def _unpacked(name: bytes, packed: bytes, limit: int, store: Store) -> tuple[bytes, bytes, bytes]:
    wrong = SandboxViolation(f"what a program left is not the object {os.fsdecode(name)}")
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(packed, limit + 64)
        head, end, content = data.partition(b"\0")
        kind, _, size = head.partition(b" ")
        whole = end and kind in _KINDS and size.isdigit() and int(size) == len(content) and not stream.unconsumed_tail
        if not whole or object_name(kind, content, store.hash_name) != bytes.fromhex(name.decode("ascii")):
            raise wrong
    except (zlib.error, ValueError):
        raise wrong from None
    return bytes.fromhex(name.decode("ascii")), kind, content

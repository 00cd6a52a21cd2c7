"""Reads every file that holds objects from end to end, as git's fsck does: loose files, then packs.

Each object is hashed, parsed and checked by the rules; the objects that it names are marked as used. Every copy of an
object is checked.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator

from ..disk.opened import FileView
from ..errors import Corrupt, GitError, TooLarge, text
from ..limits import need
from ..objects.directory import ObjectDir
from ..objects.loose_check import check_loose
from ..objects.pack import BLOB, COMMIT, KIND_NAMES, KIND_NUMBERS, TAG, Pack
from ..objects.parsed import Tag, object_name
from .judge import Rules
from .objects import CHECKED, HERE, OBJECT, PACK, USED, USUAL, FsckSpec, Objects


def is_sealed(view: FileView, hash_name: str) -> bool:
    """Whether a file ends with the hash of all its bytes before."""
    digest = hashlib.new(hash_name)
    end = view.size - digest.digest_size
    for data in view.pieces(0, end):
        digest.update(data)
    return digest.digest() == view.read(end, digest.digest_size)


class Files:
    """Checks the files of all object directories."""

    def __init__(self, objects: Objects, rules: Rules, spec: FsckSpec = USUAL) -> None:
        self.objects = objects
        self.odb = objects.odb
        self.findings = objects.findings
        self.ctx = objects.ctx
        self.rules = rules
        self.spec = spec

    def check(self) -> None:
        """Check the loose objects of all directories, then all packs."""
        for directory in self.odb.dirs:
            for first in range(256):
                self.ctx.tick()
                for oid in directory.loose.unsorted(first):
                    self.ctx.tick()
                    self._loose(directory, oid)
                for path in directory.loose.strays(first):
                    self._stray(path)
        for directory in self.odb.dirs if self.spec.packs else ():
            for pack in sorted(directory.packs.values(), key=_age):
                self._pack(directory, pack)

    def names(self) -> Iterator[bytes]:
        """The names of all objects, without reading them: loose ones, then those of each pack in the index's order."""
        for directory in self.odb.dirs:
            for first in range(256):
                self.ctx.tick()
                yield from directory.loose.unsorted(first)
        for directory in self.odb.dirs:
            for pack in sorted(directory.packs.values(), key=_age):
                try:
                    index = pack.index
                except Corrupt as error:
                    self.findings.failure("pack", error)
                    self.objects.closed[pack.path] = pack
                    continue
                for position in range(index.count):
                    self.ctx.tick()
                    yield index.oid(position)

    def _stray(self, path: bytes) -> None:
        if not path.rpartition(b"/")[2].startswith(b"tmp_obj_"):
            self.findings.say("stray", f"bad sha1 file: {self.findings.path(path)}", is_error=False)

    # --- loose objects -----------------------------------------------------------------------------------------------

    def _loose(self, directory: ObjectDir, oid: bytes) -> None:
        limit = self.ctx.limits.max_object_bytes
        view = directory.loose.view(oid)
        if view is None:
            return  # a running git has packed it since the directory was listed
        path, name = self.findings.path(directory.loose.file(oid)), oid.hex()
        checked = check_loose(view, oid, self.odb.hash_name, limit)
        for line in checked.as_file(path):
            self.findings.error("corrupt", line, 0, oid, status=OBJECT)
        kind = KIND_NUMBERS.get(checked.kind, 0)
        if checked.trouble:
            self.findings.error("corrupt", f"{name}: object corrupt or missing: {path}", kind, oid, status=OBJECT)
        elif checked.oid != oid:
            words = f"{checked.oid.hex()}: hash-path mismatch, found at: {path}"
            self.findings.error("hash", words, kind, oid, status=OBJECT)
        elif not kind:
            words = f"{name}: object is of unknown type '{text(checked.kind)}': {path}"
            self.findings.error("unparsable", words, 0, oid, status=OBJECT)
        elif checked.content is None:
            self._too_large(oid, kind, TooLarge(f"object {name} is too large: {checked.size} bytes"))
        elif not self.objects.take_in(oid, kind, checked.content):
            words = f"{name}: object could not be parsed: {path}"
            self.findings.error("unparsable", words, kind, oid, status=OBJECT)
        else:
            self._judge(oid, kind, checked.content, OBJECT)

    def _too_large(self, oid: bytes, kind: int, error: GitError) -> None:
        """Report an object beyond our limits; it counts as present and is not checked."""
        self.findings.failure("too_large", error)
        if self.objects.take_for(oid, kind):
            self.objects.mark(oid, HERE)

    def _judge(self, oid: bytes, kind: int, content: bytes, status: int) -> None:
        """Mark what an object that could be parsed names, and apply the rules for its kind; an error of these adds
        `status` to the exit status: git has to do with a bad pack, or with a bad object."""
        objects = self.objects
        objects.mark(oid, HERE | CHECKED)
        complete = True
        for link in objects.links(oid, kind, content):
            target = link[1] if link is not None else None
            if target is None:
                complete = False
            else:
                objects.mark(target, USED)
        if not complete:
            self._wrong(oid, kind, "broken links")
        if self.rules.judge(oid, kind, content, status) and (self.spec.roots or self.spec.tags):
            self._tell(oid, kind, content)

    def _tell(self, oid: bytes, kind: int, content: bytes) -> None:
        """Report root commits and the targets of tags, if that was requested (--root, --tags)."""
        if kind == COMMIT and self.spec.roots:
            if all(link is None or link[0] != COMMIT for link in self.objects.links(oid, kind, content)):
                self.findings.tell("root", f"root {oid.hex()}", kind, oid)
        elif kind == TAG and self.spec.tags:
            target = next((link[1] for link in self.objects.links(oid, kind, content) if link is not None), None)
            if target is not None:
                name = text(Tag(oid, content).tag)
                words = f"tagged {self.objects.kind(target)} {target.hex()} ({name}) in {oid.hex()}"
                self.findings.tell("tag", words, kind, oid)

    def _wrong(self, oid: bytes, kind: int, words: str) -> None:
        name = KIND_NAMES[kind].decode()
        self.findings.say("link", f"error in {name} {oid.hex()}: {words}", kind, oid, status=OBJECT)

    # --- packs -------------------------------------------------------------------------------------------------------

    def _pack(self, directory: ObjectDir, pack: Pack) -> None:
        name = self.findings.path(pack.name)
        try:
            index = pack.index
        except Corrupt as error:
            self.findings.failure("pack", error)
            self.findings.error("pack", f"packfile {name} index not opened", status=PACK)
            self.objects.closed[pack.path] = pack
            if directory.midx is not None:  # git needs the pack's own index even so
                self.findings.error("pack", f"packfile {name} index unavailable")
                self.findings.error("pack", f"packfile {pack.name} index unavailable")
            return
        if not is_sealed(index.view, self.odb.hash_name):
            self.findings.error("checksum", f"Packfile index for {name} hash mismatch", status=PACK)
        try:
            view = pack.open()
        except Corrupt as error:
            self.objects.closed[pack.path] = pack
            self.findings.failure("pack", error)
            self.findings.error("pack", f"packfile {name} cannot be accessed", status=PACK)
            return
        if not is_sealed(view, self.odb.hash_name):
            self.findings.error("checksum", f"{name} pack checksum mismatch", status=PACK)
        need(index.count * 100)
        try:
            offsets = index.offsets()
        except Corrupt as error:
            self.findings.failure("pack", error)
            return
        order = sorted(range(index.count), key=offsets.__getitem__)
        for at, position in enumerate(order):
            self.ctx.tick()
            offset = offsets[position]
            end = offsets[order[at + 1]] if at + 1 < len(order) else pack.end
            self._packed(pack, name, index.oid(position), offset, end, index.crc(position))

    def _packed(self, pack: Pack, name: str, oid: bytes, offset: int, end: int, crc: int | None) -> None:
        origin = f"from {name} at offset {offset}"
        if crc is not None and self._crc(pack, offset, end) != crc:
            self.findings.error("checksum", f"index CRC mismatch for object {oid.hex()} {origin}", 0, oid, status=PACK)
        try:
            kind, content = pack.read(offset)
        except TooLarge as error:
            self._too_large(oid, BLOB, error)
            return
        except Corrupt as error:
            self._unpackable(pack, name, offset, error)
            self.findings.error("corrupt", f"cannot unpack {oid.hex()} {origin}", 0, oid, status=PACK)
            return
        if object_name(KIND_NAMES[kind], content, self.odb.hash_name) != oid:
            self.findings.error("hash", f"packed {oid.hex()} from {name} is corrupt", kind, oid, status=PACK)
        elif self.objects.take_in(oid, kind, content):
            self._judge(oid, kind, content, PACK)
        else:
            words = f"{oid.hex()}: object corrupt or missing"
            self.findings.error("unparsable", words, kind, oid, status=OBJECT | PACK)

    def _crc(self, pack: Pack, offset: int, end: int) -> int:
        crc = 0
        for data in pack.open().pieces(offset, end):
            crc = zlib.crc32(data, crc)
        return crc

    def _unpackable(self, pack: Pack, name: str, offset: int, error: Corrupt) -> None:
        """Report at which step of a delta chain reading failed, as git does while it follows the chain."""
        if error.message.startswith(("inflate: ", "unknown object type ")):
            self.findings.failure("corrupt", error)
        base = _base(pack, offset)
        if base < 0:
            return
        base_oid = pack.oid_at(base) if base else None
        if base_oid is not None:
            words = f"failed to read delta base object {base_oid.hex()} at offset {base} from {name}"
            self.objects.broken.add(base_oid)
            self.findings.error("corrupt", words, 0, base_oid, status=PACK)
        elif not base:
            at = pack.header(offset)[2]
            words = f"failed to unpack compressed delta at offset {at} from {name}"
            self.findings.error("corrupt", words, status=PACK)


def _base(pack: Pack, offset: int) -> int:
    """The offset of a delta's base if the base cannot be read, 0 if it can; -1 if the object is no delta."""
    try:
        base = pack.delta_base(offset)
    except Corrupt:
        return -1
    try:
        if base:
            pack.read(base)
    except Corrupt:
        return base
    return 0 if base else -1


def _age(pack: Pack) -> int:
    """The sort key of packs: the youngest comes first."""
    return -pack.written

"""Loose objects: one zlib stream a file, `objects/ab/cdef…`, with a header `kind size\\0`.

The hash is verified on every read (which takes little compared with opening the file), so that the content always
matches the name. It is inflated in bounded steps, and never beyond the claimed size.
"""

import io
import zlib
from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..disk.jail import Jail
from ..disk.opened import FileView
from ..errors import Corrupt, TooLarge, text
from ..limits import need, pause, step
from .hashes import LENGTHS, new_hash
from .parsed import KINDS

if TYPE_CHECKING:
    from .loose_check import check_loose
else:
    check_loose = deferred(__name__, ".loose_check", "check_loose")

_HEAD = 64
_STEP = 256 << 10
_LONGEST = 32  # bytes of a header that git reads, with its NUL
_FEW = 3  # directories read one by one; then all are listed once, since a packed repository has few


class BadHead(Corrupt):
    """The header of a loose object is none that git reads.

    `lines` are git's complaints about it. `kind` and `size` are set where it is well formed, of a kind that is none of
    git's (`hash-object --literally` makes such): `git cat-file --allow-unknown-type` tells them. There are no lines
    where the kind is all that is wrong.
    """

    lines: Sequence[str] = ()
    kind = b""
    size = 0


class Loose:
    """The loose objects of one object directory."""

    __slots__ = ("_fan", "_jail", "_limit", "_listed", "hash_name", "path", "shown")

    def __init__(self, jail: Jail, path: bytes, hash_name: str, limit: int) -> None:
        self._jail = jail
        self.path = path
        self.shown = path  # the directory as messages show it
        self.hash_name = hash_name
        self._limit = limit
        self._listed: dict[int, list[bytes]] = {}
        self._fan: frozenset[bytes] | None = None

    def refresh(self) -> None:
        """A new command begins: directories are listed again."""
        self._listed = {}
        self._fan = None

    def file(self, oid: bytes) -> bytes:
        """The path of an object's file."""
        name = oid.hex().encode()
        return self.path + b"/" + name[:2] + b"/" + name[2:]

    def has(self, oid: bytes) -> bool:
        """Whether an object's file exists."""
        return self._jail.exists(self.file(oid))

    def view(self, oid: bytes) -> FileView | None:
        """The object's file; None if it does not exist."""
        return self._jail.view(self.file(oid))

    def disk_size(self, oid: bytes) -> int | None:
        """The size of the object's file; None if it does not exist."""
        status = self._jail.stat(self.file(oid))
        return None if status is None else status.st_size

    def delta_base(self, oid: bytes) -> bytes | None:
        """All zero, since no loose object is a delta; None if the object is not loose."""
        return bytes(LENGTHS[self.hash_name]) if self.has(oid) else None

    def listed(self, first: int) -> list[bytes]:
        """The oids in one of the 256 directories, sorted; remembered until `refresh`."""
        oids = self._listed.get(first)
        if oids is None:
            start = b"%02x" % first
            if self._fan is None and len(self._listed) >= _FEW:
                self._fan = frozenset(self._jail.names(self.path))
            oids = [] if self._fan is not None and start not in self._fan else self._list(start)
            self._listed[first] = oids
        return oids

    def _list(self, start: bytes) -> list[bytes]:
        """The oids in the directory `start`, sorted."""
        names = self._jail.names(self.path + b"/" + start)
        if not names:
            return []
        is_name = self._is_name
        oids = [bytes.fromhex((start + name).decode()) for name in names if is_name(name)]
        oids.sort()
        return oids

    def unsorted(self, first: int) -> list[bytes]:
        """The oids in one of the 256 directories, in the order in which the system lists them."""
        start = b"%02x" % first
        names = self._jail.names(self.path + b"/" + start)
        return [bytes.fromhex((start + name).decode()) for name in names if self._is_name(name)]

    @property
    def _is_name(self) -> Callable[[bytes], bool]:
        """A function that tells whether a file's name is the rest of an oid."""
        width = LENGTHS[self.hash_name] * 2 - 2
        return lambda name: len(name) == width and not name.strip(b"0123456789abcdef")

    def strays(self, first: int) -> list[bytes]:
        """The paths in one of the 256 directories that are not objects."""
        folder = self.path + b"/%02x" % first
        is_name = self._is_name
        return [folder + b"/" + name for name in sorted(self._jail.names(folder)) if not is_name(name)]

    def _corrupt(self, oid: bytes, why: str = "") -> Corrupt:
        words = f"loose object {oid.hex()} (stored in {text(self._shown_file(oid))}) is corrupt"
        return Corrupt(words, oid=oid.hex(), reason=why)

    def _shown_file(self, oid: bytes) -> bytes:
        return self.shown + self.file(oid)[len(self.path) :]

    def head(self, oid: bytes) -> tuple[bytes, int] | None:
        """(kind, size) from the object's header only; None if the object is not loose."""
        view = self.view(oid)
        if view is None:
            return None
        data = view.read(0, 4096)
        try:
            start = zlib.decompressobj().decompress(data, _HEAD)
            kind, size, _ = self._header(start, oid)
        except (zlib.error, Corrupt):
            raise self._bad_head(oid, data, view) from None
        return kind, size

    def _bad_head(self, oid: bytes, packed: bytes, view: FileView) -> BadHead:
        """The error about a header that cannot be read, or is of an odd kind."""
        error = BadHead(self._corrupt(oid).message, oid=oid.hex(), reason="unable to parse its header")
        try:
            header, nul, _ = zlib.decompressobj().decompress(packed, 4096).partition(b"\0")
        except zlib.error:
            header = nul = b""
        kind, _, digits = header.partition(b" ")
        if nul and digits.isdigit() and len(digits) < 20 and (len(digits) == 1 or digits[0] != 48):
            error.kind, error.size = kind, int(digits)
            if len(header) < _LONGEST:
                error.message = "invalid object type"
                return error
        error.lines = check_loose(view, oid, self.hash_name, 0).as_object(oid, text(self._shown_file(oid)))
        return error

    def _header(self, start: bytes, oid: bytes) -> tuple[bytes, int, int]:
        """(kind, size, where the content begins)."""
        nul = start.find(b"\0", 0, _HEAD)
        kind, _, digits = start[:nul].partition(b" ")
        if nul < 0 or kind not in KINDS or not digits.isdigit() or len(digits) > 19:
            raise self._corrupt(oid, "unable to parse its header")
        if len(digits) > 1 and digits.startswith(b"0"):
            raise self._corrupt(oid, "unable to parse its header")
        return kind, int(digits), nul + 1

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content) with the hash verified; None if the object is not loose."""
        view = self.view(oid)
        if view is None:
            return None
        step()
        packed = view.read(0, _STEP)
        stream = zlib.decompressobj()
        try:
            start = stream.decompress(packed, _HEAD)
            kind, size, at = self._header_of(start, packed, oid, view)
            digest = new_hash(self.hash_name, size=size)
            if size > self._limit:
                raise TooLarge(f"object {oid.hex()} is too large: {size} bytes", size=size, limit=self._limit)
            digest.update(start)
            if size <= _STEP and view.size <= _STEP:
                rest = stream.decompress(stream.unconsumed_tail, max(size + at - len(start), 0) + 1)
                digest.update(rest)
                content = start[at:] + rest
                at = view.size
            else:
                content, at = self._inflate(stream, view, start[at:], size, digest)
        except zlib.error as error:
            raise self._corrupt(oid, str(error)) from None
        if len(content) != size or not stream.eof:
            raise self._corrupt(oid, "its size is not what its header says")
        if stream.unused_data or at < view.size:
            raise self._corrupt(oid, "garbage at its end")
        if digest.digest() != oid:
            raise Corrupt(f"hash mismatch {oid.hex()}", prefix="error", oid=oid.hex())
        return kind, content

    def _header_of(self, start: bytes, packed: bytes, oid: bytes, view: FileView) -> tuple[bytes, int, int]:
        """As `_header`; raises BadHead for an odd kind alone."""
        try:
            return self._header(start, oid)
        except Corrupt:
            error = self._bad_head(oid, packed, view)
            if error.kind and not error.lines:
                raise error from None
            raise

    def _inflate(self, stream: Any, view: FileView, start: bytes, size: int, digest: Any) -> tuple[bytes, int]:
        """Inflate a large object step by step: (content, at most one byte above the claim; bytes of the file read)."""
        need(size)
        content = io.BytesIO()
        content.write(start)
        remaining, at = size - len(start), _STEP
        feed: bytes = stream.unconsumed_tail
        while not stream.eof and remaining >= 0:
            pause()
            if not feed:
                feed = view.read(at, _STEP)
                at += len(feed)
                if not feed:
                    break
            piece = stream.decompress(feed, min(remaining, _STEP) + 1)
            feed = stream.unconsumed_tail
            digest.update(piece)
            content.write(piece)
            remaining -= len(piece)
        return content.getvalue(), min(at, view.size)

"""What is wrong with the file of a loose object, as far as it can be read, in git's words.

`Loose.read` only reports that a file is corrupt. git-fsck(1) also reports where reading failed, and what the file
contains if it does not match its name. The file is read in bounded steps; the content of an object above the limit is
hashed but not kept.
"""

import hashlib
import io
import zlib

from ..annotations import Any
from ..disk.opened import FileView
from ..limits import need, pause, step
from ..records import record

_HEAD = 32  # the longest header git looks for
_STEP = 256 << 10


@record
class LooseCheck:
    """The content of a file: `kind` as stored, `content` (None if it is too large to keep), and the `oid` that it
    hashes to.

    `trouble` says where reading failed: `empty`, `unpack`, `long` (no end of the header), `parse`, `contents`, or ""
    if the file could be read. `lines` are git's messages on the way.
    """

    kind: bytes
    size: int
    content: bytes | None
    oid: bytes
    trouble: str
    lines: list[str]

    def as_file(self, path: str) -> list[str]:
        """git's lines when it checks the file, which name its path."""
        if self.trouble == "empty":  # git reports the cause of a failed mmap, but no call has failed
            return [*self.lines, f"object file {path} is empty", f"unable to mmap {path}: No such file or directory"]
        if not self.trouble:
            return self.lines
        step_name = {"parse": "parse header", "contents": "unpack contents"}.get(self.trouble, "unpack header")
        return [*self.lines, f"unable to {step_name} of {path}"]

    def as_object(self, oid: bytes, path: str) -> list[str]:
        """git's lines when it reads the object, which name its oid."""
        if self.trouble == "empty":
            return [f"object file {path} is empty"]
        if self.trouble == "long":
            return [*self.lines, f"header for {oid.hex()} too long, exceeds {_HEAD} bytes"]
        if self.trouble in ("unpack", "parse"):
            return [*self.lines, f"unable to {self.trouble} {oid.hex()} header"]
        return self.lines


def check_loose(view: FileView, oid: bytes, hash_name: str, limit: int) -> LooseCheck:
    """Check the file of the loose object `oid`. The content of an object above `limit` bytes is not kept."""
    step()
    if not view.size:
        return LooseCheck(b"", 0, None, b"", "empty", [])
    stream = zlib.decompressobj()
    lines: list[str] = []
    try:
        start = stream.decompress(view.read(0, _STEP), _HEAD)
    except zlib.error as error:
        return LooseCheck(b"", 0, None, b"", "unpack", [_inflate_words(error)])
    nul = start.find(b"\0")
    if nul < 0:
        return LooseCheck(b"", 0, None, b"", "long", lines)
    kind, _, digits = start[:nul].partition(b" ")
    if not digits.isdigit() or (len(digits) > 1 and digits.startswith(b"0")):
        return LooseCheck(b"", 0, None, b"", "parse", lines)
    return _contents(view, stream, oid, hash_name, limit, kind, int(digits), start[nul + 1 :])


def _contents(
    view: FileView, stream: Any, oid: bytes, hash_name: str, limit: int, kind: bytes, size: int, start: bytes
) -> LooseCheck:
    digest = hashlib.new(hash_name, b"%s %d\0" % (kind, size))
    buffer: io.BytesIO | None = io.BytesIO() if size <= limit else None
    have, at = 0, min(_STEP, view.size)
    piece, feed = start, stream.unconsumed_tail
    lines: list[str] = []
    try:
        while True:
            piece = piece[: size - have]
            have += len(piece)
            digest.update(piece)
            if buffer is not None:
                buffer.write(piece)
            if stream.eof or have >= size:
                break
            pause()
            if not feed:
                feed = view.read(at, _STEP)
                at += len(feed)
                if not feed:
                    break
            piece = stream.decompress(feed, min(size - have, _STEP))
            feed = stream.unconsumed_tail
        ended = stream.eof or not _goes_on(stream, feed, view, at)
    except zlib.error as error:
        lines, ended = [_inflate_words(error)], False
    if not ended or not stream.eof:
        lines.append(f"corrupt loose object '{oid.hex()}'")
        return LooseCheck(kind, size, None, b"", "contents", lines)
    if stream.unused_data or at < view.size:
        return LooseCheck(kind, size, None, b"", "contents", [f"garbage at end of loose object '{oid.hex()}'"])
    if have < size:  # git hashes its whole buffer, in which missing bytes are normally zeros
        have = _pad(digest, buffer, have, min(size, limit))
    content = buffer.getvalue() if buffer is not None else None
    return LooseCheck(kind, size, content, digest.digest(), "", lines)


def _goes_on(stream: Any, feed: bytes, view: FileView, at: int) -> bool:
    """Whether the stream has more content than was claimed; it has to be read to its end to tell."""
    while not stream.eof:
        pause()
        copy = stream.copy()
        try:
            if stream.decompress(feed, 1):
                return True
        except zlib.error:
            # git has no room for more output: only an error before the checksum at the end counts, not the checksum
            return any(copy.decompress(feed[at : at + 1], 1) for at in range(len(feed)))
        feed = stream.unconsumed_tail
        if not feed and not stream.eof:
            feed = view.read(at, _STEP)
            at += len(feed)
            if not feed:
                return True
    return False


def _pad(digest: Any, buffer: io.BytesIO | None, have: int, size: int) -> int:
    need(size)
    while have < size:
        pause()
        zeros = bytes(min(size - have, _STEP))
        digest.update(zeros)
        if buffer is not None:
            buffer.write(zeros)
        have += len(zeros)
    return have


def _inflate_words(error: zlib.error) -> str:
    return f"inflate: data stream error ({str(error).rpartition(': ')[2]})"

"""What is wrong with a loose object's file, as far as it can be read, in git's words.

`Loose.read` says only that a file is corrupt. A checker wants to know where reading failed and what the file holds
instead of what its name promises; git-fsck(1) names each. Read in bounded steps; what is larger than an object may be
is hashed and not kept.
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
    """What a file holds: `kind` as it stands there, `content` (None where it is too large to keep) and what that
    hashes to.

    `trouble` is where reading ended: `empty`, `unpack`, `long` (no end of the header), `parse`,
    `contents`, or "" for a file that could be read;
    `lines` are git's remarks on the way.
    """

    kind: bytes
    size: int
    content: bytes | None
    oid: bytes
    trouble: str
    lines: list[str]

    def as_file(self, path: str) -> list[str]:
        """git's lines where it looks at the file, by its path."""
        if self.trouble == "empty":  # git means to say why it could not map it, and nothing failed
            return [*self.lines, f"object file {path} is empty", f"unable to mmap {path}: No such file or directory"]
        if not self.trouble:
            return self.lines
        what = {"parse": "parse header", "contents": "unpack contents"}.get(self.trouble, "unpack header")
        return [*self.lines, f"unable to {what} of {path}"]

    def as_object(self, oid: bytes, path: str) -> list[str]:
        """git's lines where it wants the object, by its name."""
        if self.trouble == "empty":
            return [f"object file {path} is empty"]
        if self.trouble == "long":
            return [*self.lines, f"header for {oid.hex()} too long, exceeds {_HEAD} bytes"]
        if self.trouble in ("unpack", "parse"):
            return [*self.lines, f"unable to {self.trouble} {oid.hex()} header"]
        return self.lines


def check_loose(view: FileView, oid: bytes, hash_name: str, limit: int) -> LooseCheck:
    """The file of the loose object `oid`, looked at. Of objects beyond `limit` bytes no content is kept."""
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
    kept: io.BytesIO | None = io.BytesIO() if size <= limit else None
    have, at = 0, min(_STEP, view.size)
    piece, feed = start, stream.unconsumed_tail
    lines: list[str] = []
    try:
        while True:
            piece = piece[: size - have]
            have += len(piece)
            digest.update(piece)
            if kept is not None:
                kept.write(piece)
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
    if have < size:  # git takes what memory holds for what is not there: zeros, as a rule
        have = _pad(digest, kept, have, min(size, limit))
    content = kept.getvalue() if kept is not None else None
    return LooseCheck(kind, size, content, digest.digest(), "", lines)


def _goes_on(stream: Any, feed: bytes, view: FileView, at: int) -> bool:
    """Whether more comes out of the stream than was claimed; the stream's end must be reached to know."""
    while not stream.eof:
        pause()
        again = stream.copy()
        try:
            if stream.decompress(feed, 1):
                return True
        except (
            zlib.error
        ):  # git has no room for more: the checksum at the end counts only where no other error comes before it
            return any(again.decompress(feed[at : at + 1], 1) for at in range(len(feed)))
        feed = stream.unconsumed_tail
        if not feed and not stream.eof:
            feed = view.read(at, _STEP)
            at += len(feed)
            if not feed:
                return True
    return False


def _pad(digest: Any, kept: io.BytesIO | None, have: int, size: int) -> int:
    need(size)
    while have < size:
        pause()
        zeros = bytes(min(size - have, _STEP))
        digest.update(zeros)
        if kept is not None:
            kept.write(zeros)
        have += len(zeros)
    return have


def _inflate_words(error: zlib.error) -> str:
    return f"inflate: data stream error ({str(error).rpartition(': ')[2]})"

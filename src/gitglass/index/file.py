"""Reads the index of a work tree from its file, and keeps recent ones for the next handle."""

from ..disk.jail import Jail
from ..errors import Corrupt, NotFound, text
from ..memories import BY_BYTES, Files
from .index import MAX_INDEX, Index
from .parse import parse_index

# a parsed index takes about six times the bytes of its file
_INDEXES: Files[bytes, Index] = Files("indexes", files=4, size=12 << 20)


def load_index(
    jail: Jail,
    git_dir: bytes,
    hash_len: int,
    name: bytes = b"index",
    shown: bytes = b"",
    directory: bytes | None = None,
) -> Index:
    """The index of a work tree; an empty one if the file is missing. `shown` is the file's name in messages.

    The index is the file `name` of `directory`, by default of the git directory; the shared part of a split index is
    always in the git directory (git-update-index(1), SPLIT INDEX).

    `mtime_ns` and `size` are the file's, read before its content: an entry as young as the file may have changed since.
    """
    path = (git_dir if directory is None else directory) + b"/" + name
    stamped = jail.read_stamped(path, MAX_INDEX, large=True)
    if stamped is None:
        return Index(hash_len)
    stamp, data = stamped
    if len(data) < 12 + hash_len:
        raise Corrupt(f"{text(shown or path)}: index file smaller than expected")

    def shared(hexa: str) -> bytes:
        """The base of a split index as it is now, read through this jail."""
        base = jail.read_optional(base_path(git_dir, hexa), MAX_INDEX)
        if base is None:
            shown = text(base_path(git_dir, hexa))
            raise NotFound(f"{shown}: index file open failed: No such file or directory", path=shown)
        return base

    recent = BY_BYTES.get(_INDEXES, path, data)
    # a split index was made from two files: the caller must be allowed to read both, in the same state
    if (
        recent is not None
        and (recent.mtime_ns, recent.device) == (stamp[0], stamp[4])
        and recent.hash_len == hash_len
        and (recent.base_data is None or shared(recent.base.hex()) == recent.base_data)
    ):
        return recent
    index = parse_index(data, hash_len, shared)
    index.present = True
    index.mtime_ns, index.device = stamp[0], stamp[4]
    index.size = len(data)
    BY_BYTES.put(_INDEXES, path, data, index, len(data) + len(index.base_data or b""))
    return index


def base_path(git_dir: bytes, hexa: str) -> bytes:
    """The file of a split index's base, by the hex name that the index gives it."""
    return git_dir + b"/sharedindex." + hexa.encode("ascii")

"""The index of a work tree from its file, and the last ones read kept for the next handle."""

from ..errors import Corrupt, NotFound, text
from .index import MAX_INDEX, Index, parse_index
from .jail import Jail
from .recent import Recent

_RECENT: Recent[bytes, Index] = Recent(4, 12 << 20)  # parsed they take some six times their files' bytes


def load_index(jail: Jail, git_dir: bytes, hash_len: int, name: bytes = b"index", shown: bytes = b"") -> Index:
    """The index of a work tree; an empty one when the file is missing. `shown` is how messages name the file.

    `mtime_ns` and `size` are the file's, taken before it is read: entries as young as the file may have changed since.
    """
    path = git_dir + b"/" + name
    found = jail.read_stamped(path, MAX_INDEX)
    if found is None:
        return Index(hash_len)
    stamp, data = found
    if len(data) < 12 + hash_len:
        raise Corrupt(f"{text(shown or path)}: index file smaller than expected")
    recent = _RECENT.get(path, data)
    if recent is not None and recent.mtime_ns == stamp[0] and recent.hash_len == hash_len:
        return recent

    def shared(hexa: str) -> bytes:
        base = jail.read_optional(git_dir + b"/sharedindex." + hexa.encode("ascii"), MAX_INDEX)
        if base is None:
            shown = f"{text(git_dir)}/sharedindex.{hexa}"
            raise NotFound(f"{shown}: index file open failed: No such file or directory", path=shown)
        return base

    index = parse_index(data, hash_len, shared)
    index.present = True
    index.mtime_ns = stamp[0]
    index.size = len(data)
    _RECENT.put(path, data, index, len(data))
    return index

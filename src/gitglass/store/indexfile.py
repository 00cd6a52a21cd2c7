"""The index of a work tree from its file, and the last ones read kept for the next handle."""

from ..errors import Corrupt, NotFound, text
from .index import MAX_INDEX, Index, parse_index
from .jail import Jail

# The last indexes read, with their bytes: a host that asks again and again through fresh handles parses once. What is
# found here has the same bytes and the same time as what was just read, so it is never stale.
_RECENT: dict[bytes, tuple[int, bytes, Index]] = {}
_KEPT, _KEPT_BYTES = 4, 12 << 20  # so many, and so many bytes of files in all; parsed they take some six times that


def load_index(jail: Jail, git_dir: bytes, hash_len: int, name: bytes = b"index", shown: bytes = b"") -> Index:
    """The index of a work tree; an empty one when the file is missing. `shown` is how messages name the file.

    `mtime_ns` and `size` are the file's, taken before it is read: entries as young as the file may have changed since.
    """
    path = git_dir + b"/" + name
    status = jail.stat(path)
    data = None if status is None else jail.read_optional(path, MAX_INDEX)
    if status is None or data is None:
        return Index(hash_len)
    if len(data) < 12 + hash_len:
        raise Corrupt(f"{text(shown or path)}: index file smaller than expected")
    recent = _RECENT.get(path)
    if recent is not None and recent[0] == status.st_mtime_ns and recent[1] == data:
        return recent[2]

    def shared(hexa: str) -> bytes:
        base = jail.read_optional(git_dir + b"/sharedindex." + hexa.encode("ascii"), MAX_INDEX)
        if base is None:
            shown = f"{text(git_dir)}/sharedindex.{hexa}"
            raise NotFound(f"{shown}: index file open failed: No such file or directory", path=shown)
        return base

    index = parse_index(data, hash_len, shared)
    index.present = True
    index.mtime_ns = status.st_mtime_ns
    index.size = len(data)
    _remember(path, status.st_mtime_ns, data, index)
    return index


def _remember(path: bytes, moment: int, data: bytes, index: Index) -> None:
    """Keep an index for the next handle, in place of the oldest ones."""
    _RECENT.pop(path, None)
    if len(data) > _KEPT_BYTES:
        return
    kept = list(_RECENT.items())
    while kept and (len(kept) >= _KEPT or sum(len(row[1]) for _, row in kept) > _KEPT_BYTES - len(data)):
        _RECENT.pop(kept.pop(0)[0], None)
    _RECENT[path] = (moment, data, index)

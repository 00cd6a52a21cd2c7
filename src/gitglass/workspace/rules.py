"""Which files a path of a workspace may have: names, kinds of files, symbolic links, Git LFS."""

from __future__ import annotations

from ..errors import SandboxViolation, TooLarge, Unsupported, text
from ..mutate.names import check_path, is_dot_git
from ..objects.parsed import GITLINK, SYMLINK
from .limits import WsLimits
from .overlay import Overlay, WsEntry

_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_BYTES = 1024
_SNIFF = 8000
_LONGEST_LINK = 4095


def checked_path(path: bytes, limits: WsLimits) -> bytes:
    """A path that may be written, as git's index accepts it (git-update-index(1), "--cacheinfo", and the settings
    `core.protectHFS`, `core.protectNTFS`). Raises SandboxViolation, TooLarge."""
    if len(path) > limits.path:
        raise TooLarge(f"the path is longer than {limits.path} bytes", limit=limits.path)
    if path.count(b"/") >= limits.depth:
        raise TooLarge(f"the path leads through more than {limits.depth} directories", limit=limits.depth)
    check_path(path)
    for name in path.split(b"/"):
        if name[-1:] in b". " and name.strip(b". ") == b"":
            raise SandboxViolation(f"invalid path '{text(path)}'", path=text(path), prefix="error")
    return path


def is_pointer(data: bytes) -> bool:
    """Whether content is a Git LFS pointer."""
    return len(data) < _POINTER_BYTES and data.startswith(_POINTER)


def is_binary(data: bytes) -> bool:
    """Whether git treats content as binary: a NUL among its first bytes."""
    return b"\0" in data[:_SNIFF]


def check_link(path: bytes, target: bytes, limits: WsLimits) -> None:
    """Raise unless a symbolic link may be made: links have to be allowed, and the target has to be a relative path that
    stays within the tree and enters no `.git`."""
    if not limits.symlinks:
        raise Unsupported("symbolic links are not allowed in this workspace", path=text(path))
    if not target or len(target) > _LONGEST_LINK or b"\0" in target or target.startswith(b"/"):
        raise SandboxViolation(f"'{text(target)}' is no target of a link within the tree", path=text(path))
    depth = path.count(b"/")
    for name in target.split(b"/"):
        if is_dot_git(name) or b"\\" in name:
            raise SandboxViolation(f"the link '{text(path)}' would lead to '{text(target)}'", path=text(path))
        depth += -1 if name == b".." else name not in (b"", b".")
        if depth < 0:
            raise SandboxViolation(f"the link '{text(path)}' would lead out of the tree", path=text(path))


def check_kind(path: bytes, old: WsEntry | None, mode: int) -> None:
    """Raise Unsupported for a submodule: it is kept unchanged, and never made here."""
    if mode == GITLINK or (old is not None and old.is_submodule):
        raise Unsupported(f"'{text(path)}' is a submodule, which a workspace only keeps", path=text(path))


def kind_of_mode(mode: int | None, old: WsEntry | None) -> int:
    """The mode that is asked for, otherwise that of the present file, otherwise a plain file's."""
    if mode is not None:
        return mode
    return old.mode if old is not None and old.mode != SYMLINK else 0o100644


def case_clash(overlay: Overlay, path: bytes) -> str | None:
    """Another name that a case-insensitive file system would confuse with this one, if there is one."""
    names = path.split(b"/")
    for count, name in enumerate(names):
        folder = b"/".join(names[:count])
        others = overlay.like(folder, name)
        if others:
            return text(folder + b"/" + others[0] if folder else others[0])
    return None

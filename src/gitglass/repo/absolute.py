"""Paths as they are typed, from the top of the work tree: absolute ones may lead there through symbolic links."""

from __future__ import annotations

from posixpath import normpath

from ..annotations import TYPE_CHECKING
from ..errors import BadRequest, NotFound, SandboxViolation, text
from ..limits import step

if TYPE_CHECKING:
    from .store import Store

__all__ = ["bounds", "prefix_path", "through_links"]


def bounds(store: Store) -> bytes:
    """The directory that git names where a path is outside of the repository: the top of the work tree, or else the git
    directory as it was given or found."""
    if store.work_tree is not None:
        return store.work_tree
    given = store.where.git_dir
    if given is not None:
        at = store.where.cwd.rstrip(b"/")
        return given if given.startswith(b"/") else at if given == b"." else at + b"/" + given
    return store.git_dir + b"/." if store.git_dir == store.cwd else store.git_dir


def prefix_path(store: Store, word: bytes) -> bytes:
    """A path as it was typed in the current directory, from the top of the work tree. Raises BadRequest "'x' is outside
    repository", also for one that comes back to it, and the error of `through_links`."""
    top, path = store.work_tree, None
    if word.startswith(b"/"):
        full = b"/" + normpath(word).lstrip(b"/")
        ending = b"/" if word.endswith((b"/", b"/.", b"/..")) else b""
        above = None if top is None else top.rstrip(b"/") + b"/"
        if above is not None and (full + b"/").startswith(above):
            path = full[len(above) :]
        else:
            path = through_links(store, full + ending)
    else:
        path = _walked(store.prefix, word)
    if path is None:
        raise BadRequest(f"'{text(word)}' is outside repository at '{text(bounds(store))}'", path=text(word))
    return path


def _walked(prefix: bytes, word: bytes) -> bytes | None:
    parts = prefix.rstrip(b"/").split(b"/") if prefix else []
    for part in word.split(b"/"):
        if part == b"..":
            if not parts:
                return None
            parts.pop()
        elif part not in (b"", b"."):
            parts.append(part)
    return b"/".join(parts)


def through_links(store: Store, path: bytes) -> bytes | None:
    """An absolute path without dots, which does not begin with the name of the work tree, from the top of it; None if
    it leads elsewhere. A slash at its end says that it is a directory. Those outside of the jail are not looked at.

    Raises NotFound, as git does, if a directory on the way is missing.
    """
    jail, top = store.jail, store.work_tree
    parts = path.strip(b"/").split(b"/")
    here = b""
    for at, part in enumerate(parts):
        step()
        here += b"/" + part
        if not jail.allows(here):
            continue
        try:
            real, status = jail.resolve(here), jail.stat(here)
        except SandboxViolation:
            return None
        if top is not None and real == top:
            return b"/".join(parts[at + 1 :])
        above = real.rpartition(b"/")[0] or b"/"
        if status is None and not jail.is_dir(above) and jail.allows(above):
            raise NotFound(f"Invalid path '{text(real)}': Not a directory", path=text(real))
        if status is None and (at + 1 < len(parts) or path.endswith(b"/")):
            raise NotFound(f"Invalid path '{text(real)}': No such file or directory", path=text(real))
    return None

"""Compares two files or directories on disk: the changes of `git diff --no-index`.

A name stays as it was given (`./a`, `../b`, an absolute path): git shows it in that form, and reads `.gitattributes` in
every directory of its text. The jail decides which files may be read; a symbolic link at the end of a name is compared
as a link, one inside of the path is followed within the jail.
"""

from __future__ import annotations

import os

from ..diff.changes import GITLINK, REGULAR, SYMLINK, TREE, Change, Filespec, Unnamed, status_of
from ..errors import Corrupt, NotFound, PermissionDenied, SandboxViolation, text
from ..limits import LARGE, Context
from ..paths.attributes import Attributes, use_attributes
from ..paths.pattern_files import MAX_FILE
from ..repo.store import Store
from .convert import IDENTITY, Converter, use_converter

__all__ = ["NOTHING", "STDIN", "Places", "compare_paths"]

_KIND = 0o170000
NOTHING = b"/dev/null"
STDIN = b"-"

Stat = os.stat_result | None


class Places:
    """Files and directories by their names on the command line, accessed through the jail.

    `stdin` is the content for the name `-`. Creating this object changes the store until the command ends: its
    attributes are those along such names, and its index does not affect line endings: git reads none here.
    """

    __slots__ = ("_base", "_converter", "_ctx", "_jail", "_prefix", "_stdin", "_store")

    def __init__(self, store: Store, stdin: bytes | None, *, ctx: Context) -> None:
        self._store = store
        self._jail = store.named
        self._prefix = store.prefix
        self._base = store.work_tree if store.prefix and store.work_tree is not None else store.cwd
        self._stdin = stdin
        self._ctx = ctx
        use_attributes(store, Attributes(store, read=self._attributes))
        self._converter = use_converter(store, Converter(store, staged=False))

    # ---------------------------------------------------------------- names
    def named(self, word: bytes) -> bytes:
        """A word as a name: relative to the top of the work tree, but otherwise unchanged."""
        return word if word == STDIN or word.startswith(b"/") else self._prefix + word

    def pair(self, one: bytes, two: bytes) -> tuple[bytes, bytes]:
        """The two names to compare: for a file and a directory, the file of the same name in the directory."""
        one, two = self.named(one), self.named(two)
        if STDIN in (one, two):
            return one, two
        if self._is_directory(one):
            if not self._is_directory(two):
                one = joined(one, two.rpartition(b"/")[2])
        elif self._is_directory(two):
            two = joined(two, one.rpartition(b"/")[2])
        return one, two

    def _full(self, name: bytes) -> bytes:
        return name if name.startswith(b"/") else self._base + b"/" + name

    def _is_directory(self, name: bytes) -> bool:
        """Whether a name leads to a directory. A link that leads out of the jail does not."""
        if name in (b"", NOTHING):
            return False
        try:
            return self._jail.is_dir(self._full(name))
        except SandboxViolation:
            if name.endswith(b"/") or self._jail.readlink(self._full(name)) is None:
                raise
            return False

    def look(self, name: bytes) -> os.stat_result:
        """The status of a path, without following a link. Raises NotFound with git's message."""
        status: Stat = None
        if name:
            path = self._full(name)
            if name.endswith((b"/", b"/.")) or name == b".":  # can only be a directory, or a link to one
                status = self._jail.stat(path)
                status = status if status is not None and status.st_mode & _KIND == TREE else None
            else:
                status = self._jail.lstat(path)
        if status is None:
            raise NotFound(f"Could not access '{text(name)}'", status=1, prefix="error", path=text(name))
        return status

    def names(self, name: bytes) -> list[bytes]:
        """The names in a directory."""
        return self._jail.names(self._full(name))

    # ---------------------------------------------------------------- contents
    def read(self, name: bytes, mode: int) -> bytes | None:
        """The content of a side in the form in which git would store it."""
        if name == STDIN:
            return self._stdin
        kind = mode & _KIND
        if kind == GITLINK:
            return b"Subproject commit " + self._store.null.hex().encode() + b"\n"  # git's content for a FIFO
        if kind == SYMLINK:
            return self._jail.readlink(self._full(name))
        data = self._jail.read_optional(self._full(name), self._ctx.limits.max_object_bytes)
        if data is None:
            return None
        return self._converter.to_git(name, data, ctx=self._ctx, warn=not self._converter.is_at_hand(name))

    def spend(self) -> None:
        """Record that standard input was read, and has no more data."""
        self._stdin = b""

    def same(self, one: bytes, two: bytes, mode: int, sizes: tuple[int, int]) -> bool:
        """Whether two sides of one mode have the same content. Big files are read in pieces."""
        plan = self._converter.plan
        if mode & _KIND == REGULAR and STDIN not in (one, two) and plan(one) is IDENTITY and plan(two) is IDENTITY:
            if one == two or sizes[0] != sizes[1]:
                return one == two
            if sizes[0] > LARGE:
                return self._same_pieces(one, two)
        same = self.read(one, mode) == self.read(two, mode)
        self._converter.compared.update((one, two))
        return same

    def _same_pieces(self, one: bytes, two: bytes) -> bool:
        first, second = self._jail.view(self._full(one)), self._jail.view(self._full(two))
        if first is None or second is None or first.size != second.size:
            return False
        pieces = zip(first.pieces(0, first.size), second.pieces(0, second.size), strict=False)
        return all(a == b for a, b in pieces)

    def _attributes(self, path: bytes) -> bytes | None:
        """A `.gitattributes`; None if there is none, or it is outside: only work trees have attributes."""
        if self._store.work_tree is None or path == b"/dev/.gitattributes":
            return None
        try:
            data = self._jail.read_optional(self._full(path), MAX_FILE)
        except SandboxViolation:
            return None
        except (PermissionDenied, Corrupt) as error:
            self._store.remarks.append(error.message)
            return None
        return None if data is None else bytes(data)


def joined(directory: bytes, name: bytes) -> bytes:
    """A name in a directory, in git's form."""
    return directory + name if directory.endswith(b"/") else directory + b"/" + name


def compare_paths(places: Places, one: bytes, two: bytes, *, reverse: bool, ctx: Context) -> list[Change]:
    """The changes between two names, directories entry by entry in byte order.

    Strange but git's: if a file is compared with a directory, `reverse` reverses the content of the directory, but not
    the file; a missing side has the name `/dev/null`.
    """
    out: list[Change] = []
    pending: list[tuple[bytes | None, bytes | None]] = [(one, two)]
    while pending:
        ctx.tick()
        one_name, two_name = pending.pop()
        first, second = _Side(places, one_name), _Side(places, two_name)
        if first.mode and second.mode and first.is_directory != second.is_directory:
            if first.is_directory:
                out.append(_change(_Side(places, None), second))
                second = _Side(places, None)
            else:
                out.append(_change(first, _Side(places, None)))
                first = _Side(places, None)
        if first.is_directory or second.is_directory:
            pending += reversed(_entries(places, first, second, ctx))
            continue
        if reverse:
            first, second = second, first
        if (first.mode or second.mode) and not _equal(places, first, second):
            out.append(_change(first, second))
    return out


class _Side:
    """One of the two names and its file; `mode` is 0 if there is none."""

    __slots__ = ("is_directory", "mode", "name", "size")

    def __init__(self, places: Places, name: bytes | None) -> None:
        self.name = name or (NOTHING if name is None else name)
        self.mode = self.size = 0
        if name == STDIN:
            self.mode = 0o100644
        elif name is not None and name != NOTHING:
            status = places.look(name)
            self.mode, self.size = _mode_of(status.st_mode), status.st_size
        self.is_directory = self.mode == TREE

    def spec(self) -> Filespec:
        """The side of a change."""
        if self.name == STDIN:
            return Unnamed(self.name, self.mode)
        if self.mode == GITLINK:
            return Unnamed(self.name, self.mode, "unsupported file type")
        return Filespec(self.name, self.mode)


def _mode_of(mode: int) -> int:
    """git's mode of a file; anything that is neither file, link nor directory has that of a submodule."""
    kind = mode & _KIND
    if kind == REGULAR:
        return 0o100755 if mode & 0o100 else 0o100644
    return kind if kind in (SYMLINK, TREE) else GITLINK


def _change(first: _Side, second: _Side) -> Change:
    old, new = first.spec(), second.spec()
    return Change(status_of(old, new), old, new)


def _equal(places: Places, first: _Side, second: _Side) -> bool:
    if first.mode != second.mode:
        return False
    return places.same(first.name, second.name, first.mode, (first.size, second.size))


def _entries(places: Places, first: _Side, second: _Side, ctx: Context) -> list[tuple[bytes | None, bytes | None]]:
    """The pairs of names in two directories, one of which may be None."""
    mine = set(places.names(first.name)) if first.is_directory else set()
    theirs = set(places.names(second.name)) if second.is_directory else set()
    out: list[tuple[bytes | None, bytes | None]] = []
    for name in sorted(mine | theirs):
        ctx.tick()
        out.append(
            (joined(first.name, name) if name in mine else None, joined(second.name, name) if name in theirs else None)
        )
    return out

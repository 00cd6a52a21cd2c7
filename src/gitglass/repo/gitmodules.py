"""The settings of submodules: `.gitmodules`, overridden by the repository's configuration (gitmodules(5)).

git reads the whole file at the first question about a submodule, and ends there if the file is malformed or a value may
not stand there, whatever the question was. Where the work tree has no such file it reads the index's, or HEAD's: what
is malformed in those is reported, and what stands before it holds.
"""

from __future__ import annotations

import os
import stat
from errno import EACCES, EISDIR

from ..annotations import TYPE_CHECKING
from ..config.config import bad_boolean, parse_bool
from ..config.file import Setting, parse_config
from ..errors import BadConfig, Corrupt, GitError, MissingObject, PermissionDenied, SandboxViolation, text
from ..limits import paced
from ..memories import Slot
from ..messages import Messages
from ..objects.parsed import tree_entries

if TYPE_CHECKING:
    from .store import Store

_FILE = b".gitmodules"
_LIMIT = 10 << 20
_IGNORE = (b"none", b"untracked", b"dirty", b"all")
_UPDATE = (b"none", b"checkout", b"rebase", b"merge")
_VALUED = (b"path", b"ignore", b"url", b"update")  # what may not stand there without `=`


class SubmoduleNames:
    """`.gitmodules`: the name of the submodule at each path, and what `ignore` says for each name."""

    __slots__ = ("_complaints", "_paths", "by_path", "ignore")

    def __init__(self, complaints: Messages[str]) -> None:
        self._complaints = complaints
        self._paths: dict[bytes, bytes] = {}
        self.by_path: dict[bytes, bytes] = {}
        self.ignore: dict[bytes, bytes] = {}

    def read_checkout(self, store: Store) -> None:
        """Take in what holds for a work tree. Raises GitError where its file is malformed."""
        if store.files is None or _FILE in store.index.unmerged:
            return  # a bare repository has no submodules, and what is in conflict says nothing
        status = store.files.lstat(_FILE)
        if status is not None:
            path = store.files.top + b"/" + _FILE
            words = self._read(_on_disk(store, path, status), "file " + text(path))
            if words:
                raise Corrupt(words)
        else:
            at = store.index.find(_FILE)
            oid = store.index.oids[at] if at >= 0 else None
            if oid is None and (head := store.refs.head()[1]) is not None:
                oid = _in_tree(store, store.odb.commit(head).tree)
            self.read_blob(store, oid)

    def read_blob(self, store: Store, oid: bytes | None) -> None:
        """Take in a recorded file; what is malformed about it is reported."""
        data, shown = (b"", "") if oid is None else _recorded(store, oid)
        words = self._read(data, shown)
        if words:
            self._complaints.append("error: " + words)

    def _read(self, data: bytes, shown: str) -> str:
        """Take in a file; what is malformed about it, or nothing. Raises GitError for values that git ends at."""
        settings: list[Setting] = []
        words = ""
        try:
            parse_config(data, shown, settings)
        except Corrupt as error:
            words = error.message
        for key, value, line in paced(settings):
            if not key.startswith(b"submodule.") or key.count(b".") < 2:
                continue
            name, _, what = key[10:].rpartition(b".")
            if not name or b".." in name.replace(b"\\", b"/").split(b"/"):
                self._complaints.append(f"warning: ignoring suspicious submodule name: {text(name)}")
            elif value is None and what in _VALUED:
                self._complaints.append(f"error: missing value for '{text(key)}'")
                return f"bad config line {line} in {shown}"
            else:
                self._take(name, what, key, value)
        return words

    def _take(self, name: bytes, what: bytes, key: bytes, value: bytes | None) -> None:
        given = value or b""
        if what in (b"path", b"url") and given.startswith(b"-"):
            self._complaints.append(
                f"warning: ignoring '{text(key)}' which may be interpreted as a command-line option: {text(given)}"
            )
        elif what == b"path":
            self.by_path.pop(self._paths.get(name, given), None)
            self._paths[name] = given
            self.by_path[given] = name
        elif what == b"ignore":
            if given in _IGNORE:
                self.ignore[name] = given
            else:
                self._complaints.append(f"warning: Invalid parameter '{text(given)}' for config option '{text(key)}'")
        elif what == b"update" and given not in _UPDATE:
            raise BadConfig(f"invalid value for '{text(key)}'", key=text(key))
        elif what == b"shallow" and parse_bool(value) is None:
            raise bad_boolean(given, key)
        elif what == b"fetchrecursesubmodules" and given != b"on-demand" and parse_bool(value) is None:
            raise BadConfig(f"bad {text(key)} argument: {text(given)}", key=text(key))


def _on_disk(store: Store, path: bytes, status: os.stat_result) -> bytes:
    """The file of the work tree; a link is followed within the jail. Nothing and a warning where it cannot be read."""
    code = EISDIR if stat.S_ISDIR(status.st_mode) else 0
    try:
        if not code:
            return bytes(store.jail.read_optional(path, _LIMIT) or b"")
    except PermissionDenied:
        code = EACCES
    except (SandboxViolation, Corrupt) as error:  # a link that leads out; a FIFO, at which git waits
        store.remarks.append(error.message)
        return b""
    store.complaints.append(f"warning: unable to access '{text(path)}': {os.strerror(code)}")
    return b""


def _in_tree(store: Store, tree: bytes) -> bytes | None:
    entries = tree_entries(store.odb.tree(tree), store.hash_len)
    return next((entry[2] for entry in entries if entry[1] == _FILE), None)


def _recorded(store: Store, oid: bytes) -> tuple[bytes, str]:
    """A blob's content, and how messages name it."""
    shown = oid.hex()
    try:
        return bytes(store.odb.blob(oid)), f"blob {shown}"
    except MissingObject:
        store.complaints.append(f"error: unable to load config blob object '{shown}'")
    except GitError:
        store.complaints.append(f"error: reference '{shown}' does not point to a blob")
    return b"", ""


_SUBMODULES: Slot[SubmoduleNames] = Slot("submodules")


def submodule_names(store: Store) -> SubmoduleNames:
    """The store's submodule settings, read once for each refresh of the store."""

    def read() -> SubmoduleNames:
        names = SubmoduleNames(store.complaints)
        names.read_checkout(store)
        return names

    return store.per_call.made(_SUBMODULES, read)


def names_in_tree(store: Store, tree: bytes) -> SubmoduleNames:
    """The submodules by the `.gitmodules` of a tree; the configuration over it is the repository's own."""
    names = SubmoduleNames(store.complaints)
    names.read_blob(store, _in_tree(store, tree))
    return names


def ignore_setting(store: Store, path: bytes, given: bytes | None, default: bytes) -> bytes:
    """What is ignored about a submodule: the option, the repository's own setting, `.gitmodules`, the default."""
    if given is not None:
        return given
    names = submodule_names(store)
    name = names.by_path.get(path)
    if name is None:
        return default
    own = store.config.get_string(b"submodule." + name + b".ignore")
    if own is not None and own not in _IGNORE:
        raise BadConfig(f"bad --ignore-submodules argument: {text(own)}")
    return own or names.ignore.get(name, default)

"""The settings of submodules: `.gitmodules`, overridden by the repository's configuration (gitmodules(5)).

git reads the whole file for the first question about a submodule, and ends if the file is malformed or a value is
invalid, whatever the question was. If the work tree has no such file, git reads that of the index, or of HEAD: an error
in those is only printed, and the settings before it are used.
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

FILE = b".gitmodules"
_LIMIT = 10 << 20
_IGNORE = (b"none", b"untracked", b"dirty", b"all")
_UPDATE = (b"none", b"checkout", b"rebase", b"merge")
_VALUED = (b"path", b"ignore", b"url", b"update")  # settings that are invalid without `=`


class SubmoduleNames:
    """`.gitmodules`: the name of the submodule at each path, and the value of `ignore` for each name. `error` is what
    git prints of a recorded file that is malformed, and uses as far as it goes; "" of any other."""

    __slots__ = ("_complaints", "_paths", "by_path", "error", "ignore")

    def __init__(self, complaints: Messages[str]) -> None:
        self._complaints = complaints
        self._paths: dict[bytes, bytes] = {}
        self.by_path: dict[bytes, bytes] = {}
        self.ignore: dict[bytes, bytes] = {}
        self.error = ""

    def read_checkout(self, store: Store) -> None:
        """Read the settings for a work tree. Raises GitError if its file is malformed."""
        if store.files is None or FILE in store.index.unmerged:
            return  # a bare repository has no submodules, and a file in conflict is not used
        status = store.files.lstat(FILE)
        if status is not None:
            path = store.files.top + b"/" + FILE
            words = self._read(_on_disk(store, path, status), "file " + text(path))
            if words:
                raise Corrupt(words)
        else:
            at = store.index.find(FILE)
            oid = store.index.entry(at).oid if at >= 0 else None
            if oid is None and (head := store.refs.head()[1]) is not None:
                oid = _in_tree(store, store.odb.commit(head).tree)
            self.read_blob(store, oid)

    def read_written(self, store: Store, data: bytes) -> None:
        """Read what the file is about to hold. Raises GitError if that is malformed."""
        if store.files is not None and (words := self._read(data, f"file {text(store.files.top)}/{text(FILE)}")):
            raise Corrupt(words)

    def read_blob(self, store: Store, oid: bytes | None) -> None:
        """Read a recorded file; its error, if any, is printed."""
        data, shown = (b"", "") if oid is None else _recorded(store, oid)
        words = self._read(data, shown)
        if words:
            self.error = "error: " + words
            self._complaints.append(self.error)

    def _read(self, data: bytes, shown: str) -> str:
        """Read a file; returns its error message, or "". Raises GitError for values that end git."""
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
    """The file of the work tree; a link is followed within the jail. Empty, with a warning, if it cannot be read."""
    code = EISDIR if stat.S_ISDIR(status.st_mode) else 0
    try:
        if not code:
            return bytes(store.jail.read_optional(path, _LIMIT) or b"")
    except PermissionDenied:
        code = EACCES
    except (SandboxViolation, Corrupt) as error:  # a link that leads out; a FIFO, which git would wait for
        store.remarks.append(error.message)
        return b""
    store.complaints.append(f"warning: unable to access '{text(path)}': {os.strerror(code)}")
    return b""


def _in_tree(store: Store, tree: bytes) -> bytes | None:
    entries = tree_entries(store.odb.tree(tree), store.hash_len)
    return next((entry[2] for entry in entries if entry[1] == FILE), None)


def _recorded(store: Store, oid: bytes) -> tuple[bytes, str]:
    """A blob's content, and its name in messages."""
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
    """The store's submodule settings, read once after each refresh of the store."""

    def read() -> SubmoduleNames:
        names = SubmoduleNames(store.complaints)
        if store.gitmodules is None:
            names.read_checkout(store)
        else:
            names.read_written(store, store.gitmodules)
        return names

    return store.per_call.made(_SUBMODULES, read)


def names_in_tree(store: Store, tree: bytes) -> SubmoduleNames:
    """The submodules of a tree's `.gitmodules`; the repository's own configuration overrides it."""
    names = SubmoduleNames(store.complaints)
    names.read_blob(store, _in_tree(store, tree))
    return names


def ignore_setting(store: Store, path: bytes, given: bytes | None, default: bytes) -> bytes:
    """The value of `ignore` for a submodule: from the option, the repository's own setting, `.gitmodules`, or the
    default."""
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

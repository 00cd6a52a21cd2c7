"""Files that the index does not know: untracked ones and ignored ones.

Each directory is listed once. Directories that hold tracked files are entered; others are, where whole directories are
asked for, entered only to learn whether there is anything in them. Symbolic links are leaves, other repositories are
one entry, and nothing is written (git's untracked cache is not used either).

Mirrors git status --untracked-files / --ignored, and git ls-files --others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import GitError, PermissionDenied, SandboxViolation, text
from ..limits import Context
from ..paths.ignore import Ignore, Rules
from ..paths.pathspec import Pathspecs
from ..store.index import Index
from ..store.store import Store
from .looker import GITLINK, LINK, REGULAR, TREE, TYPE, current_index, table_of

# What is known of a path, weakest first: a directory is worth what the best thing below it is.
_NOTHING, _RECURSE, _IGNORED, _UNTRACKED = range(4)
_MAX_DEPTH = 400
_PARTS = (b"/HEAD", b"/objects", b"/refs")
_KINDS = {REGULAR: "f", TREE: "d", LINK: "l"}


@dataclass(slots=True)
class ScanSpec:
    """What is looked for.

    `other_dirs`: an untracked directory is one entry, not its files. `hide_empty`: directories with nothing in them are
    no entries. `ignored_too`: gather ignored paths as well; `matching`: only those that a pattern names themselves.
    `only_ignored`: ignored paths are what is looked for, in place of untracked ones. `ignore` None: git's own sources.
    """

    other_dirs: bool = False
    hide_empty: bool = False
    ignored_too: bool = False
    matching: bool = False
    only_ignored: bool = False
    pathspecs: Pathspecs = Pathspecs.ALL
    ignore: Ignore | None = None


@dataclass(slots=True)
class Scan:
    """What was found, sorted; directories end in a slash."""

    untracked: list[bytes] = field(default_factory=list)
    ignored: list[bytes] = field(default_factory=list)


def scan(store: Store, spec: ScanSpec, *, ctx: Context) -> Scan:
    """Look for untracked (and ignored) paths in the work tree."""
    walker = _Walker(store, spec, ctx)
    walker.read(b"", False, False, 0)
    found = walker.found
    for paths in (found.untracked, found.ignored):
        # Strange but git's: a directory in the place of a tracked file is not told of, only the file's being gone.
        paths[:] = sorted(path for path in paths if path[-1:] != b"/" or path[:-1] not in walker.known)
    return found


def standard_ignore(store: Store) -> Ignore:
    """The ignore rules of git's own sources, made once for each refresh of the store."""
    kept = store.kept.get("ignore")
    if not isinstance(kept, Ignore):
        kept = store.kept["ignore"] = Ignore(store, standard=True)
    return kept


def tracked_folders(index: Index) -> frozenset[bytes]:
    """Every directory with something tracked below it."""
    found = index.kept.get("folders")
    if not isinstance(found, frozenset):
        folders = set[bytes]()
        for folder in table_of(index).folders:
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition(b"/")[0]
        found = index.kept["folders"] = frozenset(folders)
    return found


class Known:
    """The tracked names of each directory: its files, and the directories with something tracked below."""

    __slots__ = ("files", "folders")

    def __init__(self, index: Index) -> None:
        self.files = {path: frozenset(folder.names) for path, folder in table_of(index).folders.items()}
        self.folders: dict[bytes, set[bytes]] = {b"": set()}
        for path in tracked_folders(index):
            above, _, name = path.rpartition(b"/")
            self.folders.setdefault(above, set()).add(name)


def known_names(index: Index) -> Known:
    """The tracked names of an index, gathered once for each reading of it."""
    found = index.kept.get("known")
    if not isinstance(found, Known):
        found = index.kept["known"] = Known(index)
    return found


_NO_NAMES: frozenset[bytes] = frozenset()


class _Walker:
    __slots__ = (
        "_ctx",
        "_files",
        "_folders",
        "_ignore",
        "_listed",
        "_modes",
        "_names",
        "_spec",
        "_store",
        "_swapped",
        "_wants_ignored",
        "found",
        "known",
    )

    def __init__(self, store: Store, spec: ScanSpec, ctx: Context) -> None:
        index = current_index(store)
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._files = store.files
        self._ignore = spec.ignore or standard_ignore(store)
        self.known = index.by_path
        self._modes = index.modes
        self._folders = tracked_folders(index)
        self._wants_ignored = spec.only_ignored or spec.ignored_too
        self.found = Scan()
        # Where the index was compared with the files just before, it is known which tracked files are there, and names
        # alone tell what is new.
        self._names = known_names(index)
        self._listed: dict[bytes, list[bytes]] = {}
        pathspecs, swapped = store.kept.get("swapped", (None, None))
        self._swapped: dict[bytes, list[bytes]] | None = swapped if pathspecs is spec.pathspecs else None

    def _new_names(self, folder: bytes, swapped: dict[bytes, list[bytes]]) -> list[tuple[bytes, str]]:
        """The members of a directory that are directories or not tracked."""
        files = self._files
        assert files is not None
        listed = self._listed.pop(folder, None)
        names = set(listed if listed is not None else files.names(folder) or ())
        self._ignore.listed(folder, names)
        names -= self._names.files.get(folder, _NO_NAMES)
        base = folder + b"/" if folder else b""
        out = [(name, "d") for name in swapped.get(folder, ())]
        inner = names & self._names.folders.get(folder, _NO_NAMES)
        for name in inner:
            listed = files.names(base + name)
            if listed is not None:
                self._listed[base + name] = listed
                names.discard(name)
                out.append((name, "d"))
        for name in names:
            if name != b".git":
                out.append((name, self._kind(base + name)))
        return out

    def _kind(self, path: bytes) -> str:
        found = self._files.lstat(path) if self._files is not None else None
        return _KINDS.get(found.st_mode & TYPE, "o") if found is not None else "o"

    def _members(self, folder: bytes) -> list[tuple[bytes, str]]:
        if self._files is None:
            return []
        try:
            if self._swapped is not None and (not folder or folder in self._folders):
                return self._new_names(folder, self._swapped)
            return self._files.scandir(folder)
        except PermissionDenied:
            self._ctx.warn(f"could not open directory '{text(folder)}/': Permission denied")
            return []

    def read(self, folder: bytes, check_only: bool, stop_early: bool, depth: int) -> int:
        """Look at what is in a directory; the best thing found in it. `check_only` records nothing."""
        best = _NOTHING
        known, pathspecs = self.known, self._spec.pathspecs
        limited = bool(pathspecs)
        rules: Rules | None = None
        base = folder + b"/" if folder else b""
        for name, kind in self._members(folder):
            path = base + name
            if kind in "fl":
                if path in known:
                    continue
            elif kind == "o" or name == b".git":
                continue
            self._ctx.tick()
            if name == b".git":
                continue
            if limited and not (
                pathspecs.match(path + b"/", True) or pathspecs.could_match_below(path)
                if kind == "d"
                else pathspecs.match(path)
            ):
                continue
            if rules is None:
                rules = self._ignore.directory(folder)
            excluded = rules.ignored(path, name, kind == "d")
            if kind == "d":
                if excluded and not self._wants_ignored:
                    state = _IGNORED
                else:
                    state = self._directory(path, excluded, depth)
                if state == _RECURSE:
                    below = self.read(path, check_only, stop_early, depth + 1)
                    best = max(best, below, _RECURSE)
                    if check_only and (best == _UNTRACKED or (stop_early and best >= _IGNORED)):
                        break
                    continue
                path += b"/"
            else:
                state = _IGNORED if excluded else _UNTRACKED
            best = max(best, state)
            if check_only:
                if stop_early and best >= _IGNORED:
                    return _IGNORED
                if best == _UNTRACKED:
                    break
                continue
            self._record(path, state)
        return _IGNORED if check_only and stop_early and best >= _IGNORED else best

    def _record(self, path: bytes, state: int) -> None:
        if state == _IGNORED:
            if self._spec.only_ignored:
                self.found.untracked.append(path)
            elif self._spec.ignored_too:
                self.found.ignored.append(path)
        elif state == _UNTRACKED and not self._spec.only_ignored:
            self.found.untracked.append(path)

    def _directory(self, path: bytes, excluded: bool, depth: int) -> int:
        """What a directory is: to be entered, or an entry itself, or nothing."""
        spec = self._spec
        if path in self._folders:
            return _RECURSE
        at = self.known.get(path, -1)
        if at >= 0 and self._modes[at] == GITLINK:
            return _NOTHING
        # With its slash, as git asks: "d/*" is meant to take in "d/" itself.
        leading = bool(spec.pathspecs) and not spec.pathspecs.match(path + b"/", True)
        if is_repository(self._store, path):
            return _NOTHING if leading else _IGNORED if excluded else _UNTRACKED
        if depth >= _MAX_DEPTH:
            raise GitError(f"directories are nested too deeply at '{text(path)}'")
        if excluded and (spec.other_dirs or (spec.ignored_too and spec.matching)):
            # Whatever is in an ignored directory is ignored: it only matters whether there is anything.
            return _IGNORED if not spec.hide_empty or self.read(path, True, True, depth + 1) else _NOTHING
        if not spec.other_dirs or leading:
            return _RECURSE
        if not (self._wants_ignored or spec.hide_empty):
            return _UNTRACKED
        return self._whole(path, depth)

    def _whole(self, path: bytes, depth: int) -> int:
        """A directory that is one entry: as what? Its members count, and are forgotten where it stands for them."""
        spec, found = self._spec, self.found
        ignored, untracked = len(found.ignored), len(found.untracked)
        state = self.read(path, spec.hide_empty and not spec.ignored_too, False, depth + 1)
        if state == _IGNORED:
            if spec.matching:
                return _NOTHING
            del found.ignored[ignored:]
        elif state == _UNTRACKED:
            if spec.ignored_too:
                del found.untracked[untracked:]
        elif not spec.hide_empty:
            return _UNTRACKED
        return state if state > _RECURSE else _NOTHING


def is_repository(store: Store, path: bytes) -> bool:
    """Whether a directory of the work tree is a repository's own work tree."""
    files = store.files
    if files is None:
        return False
    place = path + b"/.git"
    status = files.lstat(place)
    if status is None:
        return False
    if status.st_mode & TYPE == TREE:
        return all(files.lstat(place + name) is not None for name in _PARTS)
    data = files.read_optional(place, 1 << 16)
    if data is None or not bytes(data).startswith(b"gitdir: "):
        return False
    target = bytes(data)[8:].rstrip(b"\r\n")
    if not target.startswith(b"/"):
        target = files.top + b"/" + path + b"/" + target
    try:
        return all(store.jail.lstat(target + name) is not None for name in _PARTS[:1])
    except (SandboxViolation, ValueError):
        return True  # it leads outside: not looked at, and not entered

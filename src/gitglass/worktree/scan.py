"""Files that the index does not know: untracked ones and ignored ones.

Each directory is listed once. Directories that hold tracked files are entered; others are, where whole directories are
asked for, entered only to learn whether there is anything in them. Symbolic links are leaves, other repositories are
one entry, and nothing is written (git's untracked cache is not used either). How deep directories are nested is the
work tree's choice: each one that is read waits on a stack of our own.

Mirrors git status --untracked-files / --ignored, and git ls-files --others.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Generator, Iterator

from ..annotations import Any
from ..disk.worktree import WorkTree
from ..errors import PermissionDenied, SandboxViolation, text
from ..limits import Context, holding
from ..memories import Slot
from ..paths.ignore import Ignore, Rules
from ..paths.pathspec import Pathspecs
from ..records import field, record
from ..repo.store import Store
from .folders import GITLINK, LINK, REGULAR, TREE, TYPE, folders_of, link_folders
from .stat_cache import SURVEY, Survey, current_index

# What is known of a path, weakest first: a directory is worth what the best thing below it is.
_NOTHING, _RECURSE, _IGNORED, _UNTRACKED = range(4)
_PEEK, _WHOLE = (
    -1,
    -2,
)  # not known before it was read: whether there is anything in it; as what it stands for its members
_IGNORE: Slot[Ignore] = Slot("standard ignore rules")
_LONGEST = 4094  # git opens a directory by its path and a slash, and the kernel takes no more than 4095 bytes
_Reading = Generator[Any, int, int]  # gives the readings it waits for (of its own kind), and ends with a worth
_PARTS = (b"/HEAD", b"/objects", b"/refs")
_MANY = 64  # so many new names in one directory are looked at by listing it, fewer one by one
_KINDS = {REGULAR: "f", TREE: "d", LINK: "l"}


@record(frozen=True)
class ScanSpec:
    """What is looked for.

    `other_dirs`: an untracked directory is one entry, not its files. `hide_empty`: directories with nothing in them are
    no entries. `ignored_too`: gather ignored paths as well; `matching`: only those that a pattern names themselves.
    `only_ignored`: ignored paths are what is looked for, in place of untracked ones. `ignore` None: git's own sources.
    `besides`: paths, with their modes, that count as tracked although the index has them not.
    """

    other_dirs: bool = False
    hide_empty: bool = False
    ignored_too: bool = False
    matching: bool = False
    only_ignored: bool = False
    pathspecs: Pathspecs = Pathspecs.ALL
    ignore: Ignore | None = None
    besides: dict[bytes, int] = field(default_factory=dict)


@record
class Scan:
    """What was found, sorted; directories end in a slash."""

    untracked: list[bytes] = field(default_factory=list)
    ignored: list[bytes] = field(default_factory=list)


def scan(store: Store, spec: ScanSpec, *, ctx: Context) -> Scan:
    """Look for untracked (and ignored) paths in the work tree."""
    walker = _Walker(store, spec, ctx)
    walker.run()
    result = walker.result
    for paths in (result.untracked, result.ignored):
        # Strange but git's: a directory in the place of a tracked file is not reported, only that the file is gone.
        paths[:] = sorted(path for path in paths if path[-1:] != b"/" or not walker.is_tracked(path[:-1]))
    return result


def standard_ignore(store: Store) -> Ignore:
    """The ignore rules of git's own sources, made once for each refresh of the store."""
    return store.per_call.made(_IGNORE, lambda: Ignore(store, standard=True))


class _Walker:
    __slots__ = (
        "_ctx",
        "_files",
        "_folders",
        "_ignore",
        "_index",
        "_leading",
        "_ruled",
        "_spec",
        "_store",
        "_survey",
        "_wants_ignored",
        "result",
    )

    def __init__(self, store: Store, spec: ScanSpec, ctx: Context) -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._files = store.files
        self._ignore = spec.ignore
        self._index = current_index(store)
        self._folders = folders_of(self._index)
        if spec.besides:
            self._folders = dict(self._folders)
            held = holding()
            for path in spec.besides:
                link_folders(self._folders, path, held)
        self._wants_ignored = spec.only_ignored or spec.ignored_too
        self.result = Scan()
        self._ruled: set[bytes] = set()
        # Where the index was compared with the files just before, what is new was seen on the way.
        survey = store.per_call.get(SURVEY)
        self._survey = survey if survey is not None and survey.pathspecs is spec.pathspecs else None
        self._leading = _leading_to(self._survey) if self._survey is not None else {}

    def is_tracked(self, path: bytes) -> bool:
        """Whether the index has an entry of this path, or it counts as if it had."""
        return self._index.has_path(path) or path in self._spec.besides

    def _rules(self, folder: bytes) -> Rules:
        if self._ignore is None:
            self._ignore = standard_ignore(self._store)
        if self._survey is not None:
            for above in self._untold(folder):
                tracked, extras = self._folders.get(above), self._survey.extras.get(above, [])
                if tracked is not None and extras is not None:
                    self._ignore.listed(above, tracked.expected, extras)
        return self._ignore.directory(folder)

    def _untold(self, folder: bytes) -> Iterator[bytes]:
        """A directory and those above it whose names were not yet given to the rules."""
        while folder not in self._ruled:
            self._ruled.add(folder)
            yield folder
            folder = folder.rpartition(b"/")[0]

    def _surveyed(self, folder: bytes, survey: Survey, extras: list[bytes]) -> list[tuple[bytes, str]]:
        """The members of a tracked directory that are not tracked, or lead to such."""
        out = [(name, "d") for name in (*survey.swapped.get(folder, ()), *self._leading.get(folder, ()))]
        if len(extras) < _MANY:
            base = folder + b"/" if folder else b""
            return out + [(name, self._kind(base + name)) for name in extras]
        new = set(extras)
        return out + [member for member in self._files_in(folder) if member[0] in new]

    def _kind(self, path: bytes) -> str:
        try:
            status = self._files.lstat(path) if self._files is not None else None
        except PermissionDenied:  # its directory may be listed and not entered
            return dict(self._files_in(path.rpartition(b"/")[0])).get(path.rpartition(b"/")[2], "o")
        return _KINDS.get(status.st_mode & TYPE, "o") if status is not None else "o"

    def _files_in(self, folder: bytes) -> list[tuple[bytes, str]]:
        return members(self._files, folder, self._ctx) if self._files is not None else []

    def _members(self, folder: bytes) -> list[tuple[bytes, str]]:
        survey = self._survey
        if survey is not None and folder in self._folders:
            extras = survey.extras.get(folder, [])
            if extras is not None:
                return self._surveyed(folder, survey, extras)
        tracked = self._folders.get(folder)
        if tracked is None or self._files is None:
            return self._files_in(folder)
        return members(self._files, folder, self._ctx, frozenset(tracked.names))

    def _lead(self) -> None:
        """git goes to the directory that all pathspecs share, where a directory it would enter stands at each step, and
        complains if it ends there at something else."""
        files, above = self._files, b""
        common = self._spec.pathspecs.common_dir()
        for name in common.split(b"/") if files is not None and common else ():
            path = above + b"/" + name if above else name
            status = files.lstat(path) if files is not None else None
            if status is None or status.st_mode & TYPE not in (TREE, LINK):
                if above:
                    words = os.strerror(errno.ENOENT if status is None else errno.ENOTDIR)
                    self._ctx.warn(f"could not open directory '{text(common)}/': {words}")
                return
            if status.st_mode & TYPE == LINK or name == b".git":
                return
            excluded = self._rules(above).ignored(path, name, True)
            if (excluded and not self._wants_ignored) or self._directory(path, excluded) != _RECURSE:
                return
            above = path

    def run(self) -> None:
        """Look at everything. A directory within a directory is read before the outer one goes on."""
        self._lead()
        reading: list[_Reading] = [self._read(b"", False, False)]
        value: int | None = None
        while reading:
            try:
                # a generator just begun takes None, one that waits for a directory within takes what that is worth
                reading.append(reading[-1].send(value))  # type: ignore[arg-type]
                value = None
            except StopIteration as done:
                reading.pop()
                value = done.value

    def _read(self, folder: bytes, check_only: bool, stop_early: bool) -> _Reading:
        """Look at what is in a directory; the best thing found in it. `check_only` records nothing."""
        best = _NOTHING
        for path, is_dir, excluded in self._candidates(folder):
            if not is_dir:
                state = _IGNORED if excluded else _UNTRACKED
            elif excluded and not self._wants_ignored:
                state = _IGNORED
            else:
                state = self._directory(path, excluded)
            if state == _RECURSE:
                below = yield self._read(path, check_only, stop_early)
                best = max(best, below, _RECURSE)
                if check_only and (best == _UNTRACKED or (stop_early and best >= _IGNORED)):
                    break
                continue
            if state == _PEEK:
                state = _IGNORED if (yield self._read(path, True, True)) else _NOTHING
            elif state == _WHOLE:
                before = len(self.result.ignored), len(self.result.untracked)
                spec = self._spec
                below = yield self._read(path, spec.hide_empty and not spec.ignored_too, False)
                state = self._whole(below, *before)
            best = max(best, state)
            if check_only:
                if stop_early and best >= _IGNORED:
                    return _IGNORED
                if best == _UNTRACKED:
                    break
                continue
            self._record(path + b"/" if is_dir else path, state)
        return _IGNORED if check_only and stop_early and best >= _IGNORED else best

    def _candidates(self, folder: bytes) -> Iterator[tuple[bytes, bool, bool]]:
        """(path, whether it is a directory, whether it is ignored) of the members that may matter."""
        pathspecs, tracked = self._spec.pathspecs, folder in self._folders
        limited = bool(pathspecs)
        rules: Rules | None = None
        base = folder + b"/" if folder else b""
        for name, kind in self._members(folder):
            path = base + name
            is_dir = kind == "d"
            if kind == "o" or name == b".git" or (tracked and not is_dir and self.is_tracked(path)):
                continue
            self._ctx.tick()
            meant = not limited or (
                pathspecs.match(path + b"/", True) or pathspecs.could_match_below(path)
                if is_dir
                else pathspecs.match(path)
            )
            if not meant and not (is_dir and self._wants_ignored and _worth_a_look(pathspecs, path)):
                continue
            if rules is None:
                rules = self._rules(folder)
            excluded = rules.ignored(path, name, is_dir)
            # Strange but git's: no pathspec is asked about directories that are ignored or hold tracked files.
            if meant or excluded or path in self._folders:
                yield path, is_dir, excluded

    def _record(self, path: bytes, state: int) -> None:
        if state == _IGNORED:
            if self._spec.only_ignored:
                self.result.untracked.append(path)
            elif self._spec.ignored_too:
                self.result.ignored.append(path)
        elif state == _UNTRACKED and not self._spec.only_ignored:
            self.result.untracked.append(path)

    def _directory(self, path: bytes, excluded: bool) -> int:
        """What a directory is: to be entered, or an entry itself, or nothing, or known only when it was read."""
        spec = self._spec
        if path in self._folders:
            return _RECURSE
        at = self._index.find(path)
        if (self._index.mode(at) if at >= 0 else spec.besides.get(path)) == GITLINK:
            return _NOTHING
        leading = bool(spec.pathspecs.items) and not excluded and _means_below(spec.pathspecs, path + b"/")
        if is_repository(self._store, path):
            return _NOTHING if leading else _IGNORED if excluded else _UNTRACKED
        if excluded and (spec.other_dirs or (spec.ignored_too and spec.matching)):
            # Whatever is in an ignored directory is ignored: it only matters whether there is anything.
            # Strange but git's: where only what patterns name is wanted, an empty one is reported all the same.
            return _PEEK if spec.hide_empty and not (spec.ignored_too and spec.matching) else _IGNORED
        if not spec.other_dirs or leading:
            return _RECURSE
        return _WHOLE if self._wants_ignored or spec.hide_empty else _UNTRACKED

    def _whole(self, state: int, ignored: int, untracked: int) -> int:
        """A directory that is one entry, as what? Worth what its members are, and these are forgotten (all but so many
        that were found before) where it stands for them."""
        spec, result = self._spec, self.result
        if state == _IGNORED:
            if spec.matching:
                return _NOTHING
            del result.ignored[ignored:]
        elif state == _UNTRACKED:
            if spec.ignored_too:
                del result.untracked[untracked:]
        elif not spec.hide_empty:
            return _UNTRACKED
        return state if state > _RECURSE else _NOTHING


def _worth_a_look(pathspecs: Pathspecs, path: bytes) -> bool:
    """Whether some word agrees with a path as far as both go before its first wildcard."""
    for item in pathspecs.items:
        one, other = item.match[: item.plain][: len(path)], path[: item.plain]
        if one == other or (item.icase and one.lower() == other.lower()):
            return True
    return False


def _means_below(pathspecs: Pathspecs, folder: bytes) -> bool:
    """Whether a directory is entered for what pathspecs mean below it (`folder` ends in a slash, as git asks: "d/*" is
    meant to take in "d/" itself).

    Strange but git's: of several words the one that fits most closely decides, and one that names something below is
    closer than one that takes in the directory with what is above it. Asked for `. '*.c'`, git lists each file.
    """
    meant = pathspecs.match(folder, True)
    if not meant or len(pathspecs.items) == 1:
        return not meant
    below = False
    for item in pathspecs.items:
        match, given = (item.match.lower(), folder.lower()) if item.icase else (item.match, folder)
        if item.exclude or not match:
            continue
        if match == given or (
            item.wild and given[: item.plain] == match[: item.plain] and item.wild(folder[item.plain :])
        ):
            return False
        if match.startswith(given) or (item.wild and given[: item.plain] == match[: item.plain]):
            below = True
    return below


def _leading_to(survey: Survey) -> dict[bytes, set[bytes]]:
    """For each directory the members that lead to something new further below."""
    leading: dict[bytes, set[bytes]] = {}
    for path in (*survey.extras, *survey.swapped):
        while path:
            above, _, name = path.rpartition(b"/")
            names = leading.setdefault(above, set())
            if name in names:
                break
            names.add(name)
            path = above
    return leading


def members(files: WorkTree, folder: bytes, ctx: Context, expected: Collection[bytes] = ()) -> list[tuple[bytes, str]]:
    """(name, kind) of what is in a directory of the work tree, of names that are `expected` directories alone; nothing,
    with a warning, where git cannot open it."""
    if len(folder) > _LONGEST:
        ctx.warn(f"could not open directory '{text(folder)}/': File name too long")
        return []
    try:
        return files.scandir(folder, expected)
    except PermissionDenied:
        ctx.warn(f"could not open directory '{text(folder)}/': Permission denied")
        return []


def is_repository(store: Store, path: bytes) -> bool:
    """Whether a directory of the work tree is a repository's own work tree."""
    files = store.files
    if files is None:
        return False
    git_path = path + b"/.git"
    status = files.lstat(git_path)
    if status is None:
        return False
    if status.st_mode & TYPE == TREE:
        return all(files.lstat(git_path + name) is not None for name in _PARTS)
    data = files.read_optional(git_path, 1 << 16)
    if data is None or not bytes(data).startswith(b"gitdir: "):
        return False
    target = bytes(data)[8:].rstrip(b"\r\n")
    if not target.startswith(b"/"):
        target = files.top + b"/" + path + b"/" + target
    try:
        return all(store.jail.lstat(target + name) is not None for name in _PARTS[:1])
    except (SandboxViolation, ValueError):
        return True  # it leads outside: not looked at, and not entered

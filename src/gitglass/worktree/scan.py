"""Files that are not in the index: untracked ones and ignored ones.

Each directory is listed once. Directories with tracked files are entered; others are, if whole directories are wanted,
entered only to find out whether they contain anything. Symbolic links are not followed, other repositories are one
entry, and nothing is written (git's untracked cache is not used either). The work tree decides how deeply directories
are nested, so the directories being read are kept on an explicit stack.

Mirrors git status --untracked-files / --ignored, and git ls-files --others.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Generator, Iterator

from ..annotations import Any
from ..disk.worktree import WorkTree
from ..errors import PermissionDenied, SandboxViolation, text
from ..limits import Context, holding, paced
from ..memories import Slot
from ..paths.ignore import Ignore, Rules
from ..paths.pathspec import Pathspecs
from ..records import field, record
from ..repo.store import Store
from .folders import GITLINK, LINK, REGULAR, TREE, TYPE, folders_of, link_folders
from .stat_cache import SURVEY, Survey, current_index

# The states of a path, weakest first: a directory has the highest state of anything below it.
_NOTHING, _RECURSE, _IGNORED, _UNTRACKED = range(4)
_PEEK, _WHOLE = (
    -1,
    -2,
)  # unknown before it is read: whether it contains anything; an entry with the state of its members
_IGNORE: Slot[Ignore] = Slot("standard ignore rules")
_LONGEST = 4094  # git opens a directory by its path and a slash, and the kernel accepts at most 4095 bytes
_Reading = Generator[Any, int, int]  # yields the readings it waits for (of its own type), and ends with a state
_PARTS = (b"/HEAD", b"/objects", b"/refs")
_MANY = 64  # from this number of new names in a directory on, it is listed; fewer are examined one by one
_KINDS = {REGULAR: "f", TREE: "d", LINK: "l"}


@record(frozen=True)
class ScanSpec:
    """The paths to search for.

    `other_dirs`: an untracked directory is one entry, without its files. `hide_empty`: directories without content are
    no entries. `ignored_too`: collect ignored paths as well; `matching`: only those that a pattern itself matches.
    `only_ignored`: search for ignored paths in place of untracked ones. `for_killed`: only for what is in the way of a
    tracked file, so that a word for nothing is fine. `ignore` None: git's own sources. `besides`: paths, with their
    modes, that count as tracked although they are not in the index.
    """

    other_dirs: bool = False
    hide_empty: bool = False
    ignored_too: bool = False
    matching: bool = False
    only_ignored: bool = False
    for_killed: bool = False
    pathspecs: Pathspecs = Pathspecs.ALL
    ignore: Ignore | None = None
    besides: dict[bytes, int] = field(default_factory=dict)


@record
class Scan:
    """The result, sorted; directories end in a slash."""

    untracked: list[bytes] = field(default_factory=list)
    ignored: list[bytes] = field(default_factory=list)


def scan(store: Store, spec: ScanSpec, *, ctx: Context) -> Scan:
    """Search for untracked (and ignored) paths in the work tree."""
    walker = _Walker(store, spec, ctx)
    walker.run()
    result = walker.result
    for paths in (result.untracked, result.ignored):
        # Strange but git's: a directory in place of a tracked file is not reported, only that the file is missing.
        paths[:] = sorted(path for path in paths if path[-1:] != b"/" or not walker.is_tracked(path[:-1]))
    return result


def standard_ignore(store: Store) -> Ignore:
    """The ignore rules of git's own sources, made once for each refresh of the store."""
    return store.per_call.made(_IGNORE, lambda: Ignore(store, standard=True))


class _Walker:
    __slots__ = (
        "_ctx",
        "_files",
        "_fold",
        "_folded",
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
        self._fold = bool(store.config.get_bool("core.ignorecase", False))
        self._folded: tuple[frozenset[bytes], frozenset[bytes]] | None = None
        self._wants_ignored = spec.only_ignored or spec.ignored_too
        self.result = Scan()
        self._ruled: set[bytes] = set()
        # If the index was just compared with the files, new names were collected on the way.
        survey = store.per_call.get(SURVEY)
        self._survey = survey if survey is not None and survey.pathspecs is spec.pathspecs else None
        self._leading = _leading_to(self._survey) if self._survey is not None else {}

    def is_tracked(self, path: bytes) -> bool:
        """Whether the index has an entry of this path, or the path counts as tracked; in any case of its letters, where
        core.ignoreCase is set."""
        there = self._index.has_path(path) or path in self._spec.besides
        return there or (self._fold and path.lower() in self._in_lower_case()[0])

    def _has_folder(self, path: bytes) -> bool:
        """The same for a directory with something tracked in or below it."""
        return path in self._folders or (self._fold and path.lower() in self._in_lower_case()[1])

    def _in_lower_case(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        if self._folded is None:
            paths, folders = (frozenset(map(bytes.lower, paced(names))) for names in (self._index.paths, self._folders))
            self._folded = paths, folders
        return self._folded

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
        """A directory and those above it that the rules have not read yet."""
        while folder not in self._ruled:
            self._ruled.add(folder)
            yield folder
            folder = folder.rpartition(b"/")[0]

    def _surveyed(self, folder: bytes, survey: Survey, extras: list[bytes]) -> list[tuple[bytes, str]]:
        """The entries of a tracked directory that are not tracked, or lead to such."""
        out = [(name, "d") for name in (*survey.swapped.get(folder, ()), *self._leading.get(folder, ()))]
        if len(extras) < _MANY:
            base = folder + b"/" if folder else b""
            return out + [(name, self._kind(base + name)) for name in extras]
        new = set(extras)
        return out + [member for member in self._files_in(folder) if member[0] in new]

    def _kind(self, path: bytes) -> str:
        try:
            status = self._files.lstat(path) if self._files is not None else None
        except PermissionDenied:  # its directory can be listed but not entered
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
        """git changes to the common directory of all pathspecs, if each component is a directory that it would enter,
        and reports an error if that ends at something else."""
        files, above = self._files, b""
        first = self._spec.pathspecs.items[:1]
        if first and (first[0].exclude or first[0].attrs):  # strange but git's: then there is no common directory
            return
        common = self._spec.pathspecs.common_dir()
        for name in common.split(b"/") if files is not None and common and common[:1] != b"/" else ():
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
        """Process all directories. A directory inside of another is read before the outer one continues."""
        if not self._spec.for_killed:
            self._lead()
        reading: list[_Reading] = [self._read(b"", False, False)]
        value: int | None = None
        while reading:
            try:
                # a new generator is sent None, one that waits for an inner directory is sent that directory's state
                reading.append(reading[-1].send(value))  # type: ignore[arg-type]
                value = None
            except StopIteration as done:
                reading.pop()
                value = done.value

    def _read(self, folder: bytes, check_only: bool, stop_early: bool) -> _Reading:
        """Process the content of a directory; returns the highest state found. `check_only` records nothing."""
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
        """(path, whether it is a directory, whether it is ignored) of the entries that may matter."""
        pathspecs, tracked = self._spec.pathspecs, self._has_folder(folder)
        limited = bool(pathspecs)
        rules: Rules | None = None
        base = folder + b"/" if folder else b""
        for name, kind in self._members(folder):
            path = base + name
            is_dir = kind == "d"
            if kind == "o" or (name.lower() if self._fold else name) == b".git":
                continue
            if tracked and not is_dir and self.is_tracked(path):
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
            # Strange but git's: directories that are ignored or hold tracked files are not matched with the pathspecs.
            if meant or excluded or self._has_folder(path):
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
        """The state of a directory: to be entered, or an entry itself, or nothing, or only known after reading it."""
        spec = self._spec
        if self._has_folder(path):
            return _RECURSE
        at = self._index.find(path)
        if (self._index.mode(at) if at >= 0 else spec.besides.get(path)) == GITLINK:
            return _NOTHING
        leading = bool(spec.pathspecs.items) and not excluded and _means_below(spec.pathspecs, path + b"/")
        if is_repository(self._store, path):
            return _NOTHING if leading else _IGNORED if excluded else _UNTRACKED
        if excluded and (spec.other_dirs or (spec.ignored_too and spec.matching)):
            # Everything in an ignored directory is ignored: it only matters whether there is anything.
            # Strange but git's: if only paths that patterns match are wanted, an empty one is reported as well.
            return _PEEK if spec.hide_empty and not (spec.ignored_too and spec.matching) else _IGNORED
        if not spec.other_dirs or leading:
            return _RECURSE
        return _WHOLE if self._wants_ignored or spec.hide_empty else _UNTRACKED

    def _whole(self, state: int, ignored: int, untracked: int) -> int:
        """The state of a directory that is one entry: that of its members. If the directory represents them, they are
        dropped (all except the given numbers of earlier results)."""
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
    """Whether some pathspec agrees with a path in the part before its first wildcard, as far as both go."""
    for item in pathspecs.items:
        one, other = item.match[: item.plain][: len(path)], path[: item.plain]
        if one == other or (item.icase and one.lower() == other.lower()):
            return True
    return False


def _means_below(pathspecs: Pathspecs, folder: bytes) -> bool:
    """Whether a directory is entered because pathspecs match below it (`folder` ends in a slash, as in git: "d/*" is
    meant to match "d/" itself).

    Strange but git's: of several pathspecs the closest match decides, and one that names something below is closer than
    one that matches the directory through a parent. With `. '*.c'`, git lists each file.
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
    """For each directory, its entries that lead to something new further below."""
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
    """(name, kind) of the entries of a directory of the work tree, of `expected` names only directories; empty, with a
    warning, if git cannot open it."""
    if len(folder) > _LONGEST:
        ctx.warn(f"could not open directory '{text(folder)}/': File name too long")
        return []
    try:
        return files.scandir(folder, expected)
    except PermissionDenied:
        ctx.warn(f"could not open directory '{text(folder)}/': Permission denied")
        return []


def is_repository(store: Store, path: bytes) -> bool:
    """Whether a directory of the work tree is the work tree of another repository.

    This one's own git directory may lie in it (`--git-dir`, core.worktree). Strange but git's: a `.git` file that names
    it counts as that of another.
    """
    files = store.files
    if files is None:
        return False
    git_path = path + b"/.git"
    status = files.lstat(git_path)
    if status is None:
        return False
    if status.st_mode & TYPE == TREE:
        if store.jail.resolve(files.top + b"/" + git_path) == store.git_dir:
            return False
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
        return True  # it leads outside: neither examined nor entered

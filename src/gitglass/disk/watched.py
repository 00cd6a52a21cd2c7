"""A jail that records everything read through it, so that a caller can check that the disk still has the same.

Every access to the disk (a status, a list of names, the bytes of a file, the directory at a path) is recorded with its
result. `Watch.holds` repeats all of them in a jail that has nothing open yet, and compares the results.

A status is compared completely, except for the time of the last access; a list with every name and kind. An opened file
is unchanged if its status is, provided that it was settled when it was opened: any later write then changes its times.
A younger file is read again and compared with the bytes that were returned, or with their SHA-256 if they are too many
to keep. A younger file that is too large for that always counts as changed. The list of an open directory is unchanged
if its stamp is, on the same condition, unless the caller does not trust the times of directories
(`core.untrackedCache`).

A caller that depends only on some paths of a work tree (`Scope`) can ask about those: a status or a list of names that
does not bear on them may have changed. What was read counts wherever it is, and so does a new file of rules
(`.gitattributes` and the like) in a directory that leads to such a path.

Packs and loose objects are named by their content, are write-protected, and git never changes one in place: such a file
is unchanged if it is the same file with the same size. Its times do not matter: git sets them to now instead of writing
an object that already exists (git-gc(1), "Notes", depends on these times).
"""

import os
import re
import stat
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256

from ..annotations import TYPE_CHECKING, Any, TypeVar
from ..errors import GitError
from ..limits import paced, settled
from .jail import Jail
from .opened import Directory, DirStamp, FdDir, FileView, LoadedView, Stamp, open_view, slurp, slurp_stamped, stamp_of
from .scope import RULES, Scope
from .worktree import WorkTree

if TYPE_CHECKING:
    from .reach import Reach

_T = TypeVar("_T")
_Fd = TypeVar("_Fd", int, "int | None")
Fields = tuple[int, ...]
#: questions about the status of one name, of many, and about all that a directory holds
_OF_ONE, _OF_MANY, _OF_ALL = ("lstat", "child"), ("lstats", "picked"), ("entries", "names", "stamp")
_READ_AGAIN = 1 << 20  # most bytes of a young file read in pieces
_KEPT = 8 << 20  # most bytes of young files that a watch keeps; beyond these it keeps digests
_NAMED_BY_CONTENT = re.compile(
    rb"/objects/(?:pack/pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.(?:pack|idx)|[0-9a-f]{2}/(?:[0-9a-f]{38}|[0-9a-f]{62}))\Z"
)


class Opened:
    """A file that was opened: its status, and for a young one the bytes read, or their digest."""

    __slots__ = ("data", "digest", "fixed", "settled", "status")

    def __init__(self, name: bytes, status: os.stat_result) -> None:
        self.status = _status(status)
        self.fixed = not status.st_mode & 0o222 and _NAMED_BY_CONTENT.search(name) is not None
        self.settled = self.fixed or settled(max(stamp_of(status)[:2]))
        self.data: bytes | None = None
        self.digest: bytes | None = None

    def is_same(self, fd: int) -> bool:
        """Whether an open file is this one, with the same bytes; closes it. Nothing was read from a directory that was
        opened like a file, so its content may change."""
        now = _status(os.fstat(fd))
        if stat.S_ISDIR(now[0]):
            os.close(fd)
            return now[:3] == self.status[:3]
        same = _but_times(now) == _but_times(self.status) if self.fixed else now == self.status
        if not same or self.settled or (self.data is None and self.digest is None):
            os.close(fd)
            return same and self.settled
        data = slurp(fd, b"", self.status[6])
        if self.data is not None:
            return data == self.data
        return data is not None and sha256(data).digest() == self.digest


class Listed:
    """The list of an open directory: its rows, and the stamp with which they stay valid, if it was settled."""

    __slots__ = ("rows", "stamp")

    def __init__(self, stamp: DirStamp | None, rows: list[Any]) -> None:
        self.rows = rows
        self.stamp = stamp if stamp is not None and settled(max(stamp[2], stamp[3])) else None


class Notes:
    """The recorded accesses to a jail, or to one directory, each with its result."""

    __slots__ = ("_handed", "answers")

    def __init__(self, handed: dict[int, Opened]) -> None:
        self._handed = handed
        self.answers: list[tuple[str, tuple[Any, ...], Any]] = []

    def ask(self, call: Callable[..., _T], *words: Any) -> _T:
        """Make the call and record its result or exception."""
        try:
            answer = call(*words)
        except (OSError, GitError) as error:
            self.answers.append((call.__name__, words, _refusal(error)))
            raise
        self.answers.append((call.__name__, words, _plain(answer)))
        return answer

    def open(self, call: Callable[[bytes], _Fd], name: bytes) -> _Fd:
        """The same for a call that returns a descriptor."""
        try:
            fd = call(name)
        except (OSError, GitError) as error:
            self.answers.append(("open", (name,), _refusal(error)))
            raise
        opened = None
        if fd is not None:
            opened = self._handed[fd] = Opened(name, os.fstat(fd))
        self.answers.append(("open", (name,), opened))
        return fd

    def ask_list(self, call: Callable[..., list[_T]], stamp: DirStamp | None, *words: Any) -> list[_T]:
        """The same for a directory's content; `stamp` is the directory's stamp before the call."""
        rows = self.ask(call, *words)
        self.answers[-1] = (call.__name__, words, Listed(stamp, rows))
        return rows

    def hold(self, where: Any, made: Collection[bytes] = ()) -> bool:
        """Whether a jail gives the same results now, except for files that were made since (`Watch.holds`)."""
        return all(
            _is_same(getattr(where, question), words, before)
            or (made and words and _is_beside(where, question, words[0], before, made))
            for question, words, before in paced(self.answers)
        )

    def hold_in(self, tree: WorkTree, path: bytes, by_stamp: bool, names: frozenset[bytes] | None = None) -> bool:
        """Whether the directory at a path answers the same now, as far as that bears on `names`; with `by_stamp` it
        tells by its own what it holds."""
        answers = self.answers if names is None else self._about(names)
        if not answers and names is not None:
            return True
        try:
            directory = tree.directory(path)
        except GitError:
            return False
        return directory is not None and all(
            _is_same_in(directory, question, words, before, by_stamp, names)
            or (names is not None and question == "stamp" and self._has_no_new_rules(directory))
            for question, words, before in paced(answers)
        )

    def _about(self, names: frozenset[bytes]) -> list[tuple[str, tuple[Any, ...], Any]]:
        """Those of them that bear on names of the directory, cut down to these. What was read bears on any: whoever
        asked may have made something of it."""
        chosen: list[tuple[str, tuple[Any, ...], Any]] = []
        for question, words, before in self.answers:
            if question in _OF_ONE:
                meant = words[0] in names
            elif question in _OF_MANY:
                meant = not names.isdisjoint(words[0])
                if meant and isinstance(before, list):
                    places = [at for at, name in enumerate(words[0]) if name in names]
                    words = [words[0][at] for at in places], *words[1:]
                    before = [before[at] for at in places]
            else:
                meant = question not in _OF_ALL or bool(names)
            if meant:
                chosen.append((question, words, before))
        return chosen

    def _has_no_new_rules(self, directory: Directory) -> bool:
        """Whether none of the files that git goes by is in a directory, but for those that were asked for by name."""
        asked = {words[0] for question, words, _ in self.answers if question in (*_OF_ONE, "open")}
        return not any(directory.lstats([*(RULES - asked)]))


class Watch:
    """Everything that was read through one jail and its copies."""

    __slots__ = ("_folders", "_handed", "_jail", "_narrowed", "_room", "_top")

    def __init__(self, jail: Jail) -> None:
        self._jail = jail.copy()
        self._handed: dict[int, Opened] = {}  # by descriptor, until the bytes are read
        self._top = Notes(self._handed)
        self._folders: dict[bytes, dict[bytes, Notes]] = {}  # by top directory and path below it
        self._narrowed: list[Watch] = []
        self._room = _KEPT  # room for bytes of young files

    def jail(self) -> "WatchedJail":
        """A watched jail with the same reach."""
        return WatchedJail(self._jail, self)

    def narrowed(self, *roots: bytes) -> "WatchedJail":
        """A watched jail with fewer directories."""
        self._narrowed.append(Watch(self._jail.narrowed(*roots)))
        return self._narrowed[-1].jail()

    def notes(self, top: bytes | None = None, path: bytes = b"") -> Notes:
        """The records of the jail, or of the directory at a path below a top directory."""
        if top is None:
            return self._top
        return self._folders.setdefault(top, {}).setdefault(path, Notes(self._handed))

    def opened(self, fd: int) -> Opened | None:
        """The record of a returned descriptor whose file is young; each can be taken once."""
        opened = self._handed.pop(fd, None)
        return None if opened is None or opened.settled else opened

    def keep(self, opened: Opened, data: bytes) -> None:
        """Record the bytes read of a young file."""
        if len(data) > self._room:
            opened.digest = sha256(data).digest()
        else:
            self._room -= len(data)
            opened.data = data

    def holds(self, made: Collection[bytes] = (), *, by_stamp: bool = True, scope: Scope | None = None) -> bool:
        """Whether all that was read would be read again, to the byte. Files that whoever asks has made meanwhile
        (`made`, by absolute path) are passed over in lists, and directories that hold nothing else. Without `by_stamp`
        every directory is listed again. With a `scope` what was only looked at in its work tree, and not read, may have
        changed beyond its paths. Raises Timeout and the like."""
        jail = self._jail.copy()
        if not self._top.hold(jail._reach, made):
            return False
        for top, folders in self._folders.items():
            tree = WorkTree(jail, top)
            for path, notes in folders.items():
                names = None if scope is None or scope.top != top else scope.names(path)
                if not notes.hold_in(tree, path, by_stamp, names):
                    return False
        return all(watch.holds(made, by_stamp=by_stamp, scope=scope) for watch in self._narrowed)


class WatchedJail(Jail):
    """A jail that records its accesses to the disk."""

    __slots__ = ("_watch",)

    def __init__(self, jail: Jail, watch: Watch) -> None:
        self.roots, self.trusting, self._watch = jail.roots, jail.trusting, watch
        self._reach = _WatchedReach(jail.copy()._reach, watch)

    def copy(self) -> "WatchedJail":
        """Another jail, recorded in the same watch."""
        return self._watch.jail()

    def narrowed(self, *roots: bytes) -> "WatchedJail":
        """A watched jail with fewer directories."""
        return self._watch.narrowed(*roots)

    def slurp(self, fd: int, path: bytes, limit: int, *, large: bool = False) -> tuple[Stamp, bytes] | None:
        """As in Jail; of a young file the digest is noted."""
        opened = self._watch.opened(fd)
        stamped = slurp_stamped(fd, path, limit, large=large)
        if opened is not None and stamped is not None:
            self._watch.keep(opened, stamped[1])
        return stamped

    def open_view(self, fd: int, path: bytes) -> FileView | None:
        """As in Jail; a young file is read at once, so that the recorded bytes are the returned ones."""
        opened = self._watch.opened(fd)
        view = open_view(fd, path)
        if opened is None or view is None or view.size > _READ_AGAIN:
            return view
        loaded = LoadedView(view)
        self._watch.keep(opened, loaded.read(0, loaded.size))
        return loaded


class _WatchedReach:
    """The reach of a jail, with every access recorded."""

    __slots__ = ("_notes", "_reach", "_watch", "real")

    def __init__(self, reach: "Reach", watch: Watch) -> None:
        self._reach, self._watch, self.real = reach, watch, reach.real
        self._notes = watch.notes()

    def open(self, path: bytes) -> int | None:
        return self._notes.open(self._reach.open, path)

    def stat(self, path: bytes, follow: bool) -> os.stat_result | None:
        return self._notes.ask(self._reach.stat, path, follow)

    def readlink(self, path: bytes) -> bytes | None:
        return self._notes.ask(self._reach.readlink, path)

    def entries(self, path: bytes) -> list[tuple[bytes, str]]:
        return self._notes.ask(self._reach.entries, path)

    def names(self, path: bytes) -> list[bytes]:
        return self._notes.ask(self._reach.names, path)

    def allows(self, path: bytes) -> bool:
        return self._notes.ask(self._reach.allows, path)

    def resolve(self, path: bytes) -> bytes:
        return self._notes.ask(self._reach.resolve, path)

    def directory(self, path: bytes) -> Directory | None:
        opened = self._notes.ask(self._reach.directory, path)
        return _WatchedDir(opened, self._watch, path, b"") if isinstance(opened, FdDir) else opened

    def refresh(self, keep: bool = True) -> None:
        self._reach.refresh(keep)

    def copy(self) -> "_WatchedReach":
        return _WatchedReach(self._reach.copy(), self._watch)

    def stands(self) -> bool:
        return self._reach.stands()


class _WatchedDir(FdDir):
    """An open directory at a path below a top directory, with every access recorded. Its entries are accessed by its
    descriptor."""

    __slots__ = ("_notes", "_open", "_path", "_top", "_watch")

    def __init__(self, directory: FdDir, watch: Watch, top: bytes, path: bytes) -> None:
        super().__init__(directory.fd)
        self._open, self._watch, self._top, self._path = directory, watch, top, path
        self._notes = watch.notes(top, path)

    def __del__(self, _close: Callable[[int], None] = os.close) -> None:
        """Do nothing: `_open` closes it."""

    def child(self, name: bytes, earlier: Directory | None = None) -> FdDir:
        child = self._notes.ask(super().child, name)
        return _WatchedDir(child, self._watch, self._top, self._path + b"/" + name if self._path else name)

    def open(self, name: bytes) -> int:
        return self._notes.open(super().open, name)

    def lstat(self, name: bytes) -> os.stat_result:
        return self._notes.ask(super().lstat, name)

    def readlink(self, name: bytes) -> bytes:
        return self._notes.ask(super().readlink, name)

    def entries(self, expected: Collection[bytes] = ()) -> list[tuple[bytes, str]]:
        return self._notes.ask_list(super().entries, super().stamp(), expected)

    def names(self) -> list[bytes]:
        return self._notes.ask_list(super().names, super().stamp())

    def lstats(self, names: list[bytes]) -> list[os.stat_result | None]:
        return self._notes.ask(super().lstats, names)

    def picked(self, names: list[bytes], pick: Callable[[os.stat_result], Fields]) -> Sequence[Fields | None]:
        return self._notes.ask(super().picked, names, pick)

    def stamp(self) -> DirStamp | None:
        return self._notes.ask(super().stamp)


def _status(status: os.stat_result) -> tuple[int, ...]:
    """A status without the time of the last access."""
    return *status[:7], status.st_mtime_ns, status.st_ctime_ns


def _but_times(status: tuple[int, ...]) -> tuple[int, ...]:
    """The identity of the file, and its size."""
    return *status[:3], status[6]


def _plain(answer: Any) -> Any:
    """A result in the form for comparison."""
    if isinstance(answer, os.stat_result):
        return _status(answer)
    if isinstance(answer, FdDir):
        return FdDir
    if isinstance(answer, list) and os.stat_result in set(map(type, answer)):
        return [_status(one) if isinstance(one, os.stat_result) else one for one in answer]
    return answer


def _refusal(error: OSError | GitError) -> tuple[str, object]:
    """An exception in the form for comparison."""
    return type(error).__name__, error.errno if isinstance(error, OSError) else error.message


def _is_same(call: Callable[..., Any], words: tuple[Any, ...], before: Any) -> bool:
    """Whether a call gives the same result now."""
    try:
        answer = call(*words)
        if isinstance(before, Opened):
            return answer is not None and before.is_same(answer)
    except (OSError, GitError) as error:
        return bool(_refusal(error) == before)
    if call.__name__ == "open" and answer is not None:
        os.close(answer)
        return False
    same: bool = _plain(answer) == before
    return same


def _is_same_in(
    directory: Directory,
    question: str,
    words: tuple[Any, ...],
    before: Any,
    by_stamp: bool,
    names: frozenset[bytes] | None,
) -> bool:
    """The same of an open directory: what it held by its stamp, or as far as `names` go, and a settled file by the
    status of its name, which is then that of the very file that would be opened."""
    if isinstance(before, Listed):
        if by_stamp and before.stamp is not None and _is_same(directory.stamp, (), before.stamp):
            return True
        if names is not None:
            return _is_same(_listed, (directory, question, words, names), _rows_of(before.rows, names))
        before = before.rows
    elif isinstance(before, Opened) and before.settled and stat.S_ISREG(before.status[0]):
        return _is_same(directory.lstat, words, before.status)
    elif names is not None and question in ("lstat", "lstats"):
        return _is_same(_looked_at, (directory, question, words), _without_content(before))
    return _is_same(getattr(directory, question), words, before)


def _looked_at(directory: Directory, question: str, words: tuple[Any, ...]) -> Any:
    """What a question about statuses answers, of directories only which they are."""
    return _without_content(_plain(getattr(directory, question)(*words)))


def _without_content(answer: Any) -> Any:
    """The same answer without what changes of a directory when something comes or goes in it."""
    if isinstance(answer, list):
        return list(map(_without_content, answer))
    is_folder = isinstance(answer, tuple) and isinstance(answer[0], int) and stat.S_ISDIR(answer[0])
    return answer[:3] if is_folder else answer


def _listed(directory: Directory, question: str, words: tuple[Any, ...], names: frozenset[bytes]) -> list[Any]:
    """What a directory lists of these names."""
    return _rows_of(getattr(directory, question)(*words), names)


def _rows_of(rows: list[Any], names: frozenset[bytes]) -> list[Any]:
    """Those rows of a list that are of these names."""
    return sorted(row for row in rows if (row if isinstance(row, bytes) else row[0]) in names)


def _is_beside(where: Any, question: str, path: Any, before: Any, made: Collection[bytes]) -> bool:
    """Whether a result is the same except for files that were made: names in a list, or the directory itself. Made
    files are only recognised by path: an open directory accessed by its descriptor counts as having none."""

    def is_made(full: bytes, kind: str) -> bool:
        if kind != "d":
            return full in made
        inside = any(one.startswith(full + b"/") for one in made)
        return inside and all(is_made(full + b"/" + name, kind) for name, kind in where.entries(full))

    try:
        if before is None:
            return is_made(path, "d")
        if question not in ("entries", "names"):
            return False
        rows: list[Any] = []
        for name, kind in where.entries(path):
            row = (name, kind) if question == "entries" else name
            if row in before or not is_made(path + b"/" + name, kind):
                rows.append(row)
    except (OSError, GitError):
        return False
    return bool(rows == before)

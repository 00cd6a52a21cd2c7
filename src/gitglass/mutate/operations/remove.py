"""`rm` and `mv`: files out of the index and the work tree, or under other names. Mirrors git-rm(1) and git-mv(1)."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import BadRequest, CommandFailed, InvalidArgs, SandboxViolation, Unsupported, text
from ...limits import paced
from ...objects.parsed import GITLINK, SYMLINK
from ...paths.lexical import directories_above
from ...paths.pathspec import Item, Pathspecs
from ...repo.absolute import prefix_path
from ...repo.gitmodules import FILE as GITMODULES
from ...request.mutations import MoveRequest, RemoveRequest
from ...worktree.submodules import submodule_state
from ..changes import Changes, EntryChange, FileChange
from ..checkout.files import WorkFiles, bare_folders
from ..checkout.two_way import is_sparse, need_held
from ..index_file import rows_at
from ..names import check_path
from ..plan import Answer, Plan
from ..view import View
from .common import check_hooks, commit_tree, finished, refused_switches, tree_rows
from .paths import is_submodule, outside_words, parted, pathspecs_of, picked, submodules_of, unmatched, untracked


def plan_remove(request: RemoveRequest, view: View) -> Plan:
    """The plan of `rm`. Raises git's words for paths that are not tracked, directories without `recursive`, and files
    whose content would be lost."""
    refused_switches(request, ())
    if not request.cached:
        view.need_work_tree()
    check_hooks(view, ())
    if not request.paths:
        raise BadRequest("No pathspec was given. Which files should I remove?")
    specs = pathspecs_of(view, request.paths)
    away, there = parted(view.index, view.index.paths, view.sparse)
    paths, missing = picked(specs, there, submodules_of(view.index))
    _need_staged_gitmodules(view, paths)
    nowhere = set(unmatched(specs, away)) if missing else set()
    outside = [word for word in missing if word not in nowhere]
    missing = [word for word in missing if word not in outside]
    if missing and not request.ignore_unmatch:
        raise BadRequest(f"pathspec '{missing[0]}' did not match any files", path=missing[0])
    if outside and not paths:
        raise CommandFailed(outside_words(outside), status=1, prefix="")
    _need_recursive(request, view, specs, paths)
    if not request.cached and not request.dry_run:
        _need_no_submodule(view, paths)
    if not request.force and (losses := _losses(view, paths, cached=request.cached)):
        whole = f"{outside_words(outside)}\n{losses}" if outside else losses.removeprefix("error: ")
        prefix = "" if outside else "error"
        raise CommandFailed(whole, status=1, prefix=prefix, paths=[text(path) for path in paths])
    changes = Changes(entries=[EntryChange(path, rows_at(view.index, path), ()) for path in paced(paths)])
    if not request.cached:
        work = WorkFiles(view)
        changes.files = [change for path in paced(paths) if (change := work.remove(path)) is not None]
        changes.emptied = work.emptied
    quiet = bool({"-q", "--quiet"} & set(request.switches))
    words = b"" if quiet else b"".join(b"rm '%b'\n" % path for path in _entries(view, specs, paths))
    if not request.cached and not request.dry_run:
        _need_file(view, paths, words)
    if request.dry_run:
        changes = Changes()
    err = f"{outside_words(outside)}\n".encode("utf-8", "surrogateescape") if outside else b""
    return finished(request, view, changes, Answer(words, err, 1 if outside else 0))


def _need_no_submodule(view: View, paths: list[bytes]) -> None:
    """Raise Unsupported for a submodule, which git takes from the work tree and from `.gitmodules`."""
    for path in paths:
        if is_submodule(view.index, path):
            words = f"'{text(path)}' is a submodule, and gitglass does not remove submodules"
            raise Unsupported(words, path=text(path), hint="`rm --cached` takes its entry from the index.")


def _need_staged_gitmodules(view: View, paths: list[bytes]) -> None:
    """Raise BadRequest in git's words for a submodule, where `.gitmodules` is changed and not staged: what is removed
    of it would be mixed with that."""
    index, name = view.index, GITMODULES
    at, work = index.find(name), WorkFiles(view)
    info = work.status(name) if at >= 0 else None
    if info is None or not any(is_submodule(index, path) for path in paths):
        return
    content = work.content(name, info)
    if content is None or (work.differs(name) and content.oid != index.oid(at)):
        raise BadRequest("please stage your changes to .gitmodules or stash them to proceed")


def _need_file(view: View, paths: list[bytes], printed: bytes) -> None:
    """Raise BadRequest in git's words where a directory stands in the place of the first file, which cannot be
    removed. Once a file has gone git does not look at whether others can."""
    first, work = paths[:1], WorkFiles(view)
    for path in first:
        info, at = work.status(path), view.index.find(path)
        if info is not None and info.st_mode & 0o170000 == 0o040000 and (at < 0 or view.index.mode(at) != GITLINK):
            raise BadRequest(f"git rm: '{text(path)}': Is a directory", path=text(path), stdout=printed)


def _entries(view: View, specs: Pathspecs, paths: list[bytes]) -> list[bytes]:
    """The paths of the entries that go as git lists them: one for each stage of a conflict, unless all words that name
    it are just its name, for git does not try such a word again."""
    if not view.index.unmerged:
        return paths
    looser = [item for item in specs.items if not item.exclude]
    return [
        path
        for path in paths
        for row, _ in enumerate(rows_at(view.index, path))
        if not row or any(item.match != path and item.covers(path, False) for item in looser)
    ]


def _need_recursive(request: RemoveRequest, view: View, specs: Pathspecs, paths: list[bytes]) -> None:
    """Raise BadRequest in git's words for a word that names nothing but what is below a directory."""
    for item in specs.items:
        name = item.match.rstrip(b"/")
        if request.recursive or item.exclude:
            continue
        if item.wild is None and not item.icase:
            low, high = view.index.span(name)
            is_folder = high > low
        else:
            named = [path for path in paths if item.covers(path, False)]
            is_folder = bool(named) and all(_is_below(item, path) for path in named)
        if is_folder or not name:
            raise BadRequest(f"not removing '{text(item.original)}' recursively without -r", path=text(name))


def _is_below(item: Item, path: bytes) -> bool:
    """Whether a word names a directory above a path, as it is spelled and not as a pattern."""
    front = item.match.rstrip(b"/") + b"/"
    return path.lower().startswith(front.lower()) if item.icase else path.startswith(front)


def _losses(view: View, paths: list[bytes], *, cached: bool) -> str:
    """What git says where a file, or what is staged of it, is nowhere else (git-rm(1): "up to date")."""
    head = view.head()[1]
    old = {} if head is None else tree_rows(view, commit_tree(view, head))
    work = WorkFiles(view)
    both: list[bytes] = []
    staged: list[bytes] = []
    local: list[bytes] = []
    for path in paths:
        at = view.index.find(path)
        is_link = at >= 0 and view.index.mode(at) == GITLINK
        if at < 0 or (is_link and not cached):
            continue
        info = work.status(path)
        if info is None or (info.st_mode & 0o170000 == 0o040000 and not is_link):  # a directory: the file is gone
            continue
        believed = view.index.head(at)[-2] & 0x80  # assume-unchanged
        changed = view.index.intent_to_add(at) or (not believed and work.differs(path))
        changed = changed or (is_link and _is_at_work(view, path, view.index.oid(at)))
        unlike_head = old.get(path) != (view.index.mode(at), view.index.oid(at))
        if changed and unlike_head:
            if not (cached and view.index.intent_to_add(at)):
                both.append(path)
        elif not cached:
            if unlike_head:
                staged.append(path)
            elif changed:
                local.append(path)
    force, keep = "\n(use -f to force removal)", "\n(use --cached to keep the file, or -f to force removal)"
    if not view.config.get_bool("advice.rmhints", True):
        force = keep = ""
    words = [
        _loss(both, "content different from both the\nfile and the HEAD:", force, "staged "),
        _loss(staged, "changes staged in the index:", keep, ""),
        _loss(local, "local modifications:", keep, ""),
    ]
    return "\n".join(word for word in words if word)


def _is_at_work(view: View, path: bytes, oid: bytes) -> bool:
    """Whether a submodule is at another commit, or its directory holds what would be lost: its repository, if that is
    in the directory, and any change."""
    files = view.store.files
    if files is None or not files.names(path):
        return False
    state = submodule_state(view.store, path, oid, b"none", ctx=view.ctx)
    info = files.lstat(path + b"/.git")
    return state.new_commits or bool(state.dirty) or info is None or info.st_mode & 0o170000 != 0o100000


def _loss(paths: list[bytes], what: str, hint: str, kind: str) -> str:
    if not paths:
        return ""
    head = "the following files have" if len(paths) > 1 else "the following file has"
    names = "".join(f"\n    {text(path)}" for path in paths)
    return f"error: {head} {kind}{what}{names}{hint}"


# --- mv -------------------------------------------------------------------------------------------------------------


def plan_move(request: MoveRequest, view: View) -> Plan:
    """The plan of `mv`: a file or directory under another name, or several into a directory."""
    refused_switches(request, ())
    view.need_work_tree()
    check_hooks(view, ())
    if len(request.paths) < 2:
        raise InvalidArgs("usage: git mv [<options>] <source>... <destination>", prefix="")
    return _Move(request, view).plan()


class _Outside(Exception):
    """A source whose file is not to be in the work tree."""


class _Move:
    """Files being moved: pairs of names, checked one after the other as git does."""

    def __init__(self, request: MoveRequest, view: View) -> None:
        self._request, self._view = request, view
        self._work = WorkFiles(view)
        words = [word.encode("utf-8", "surrogateescape") for word in request.paths]
        self._words = [prefix_path(view.store, word).rstrip(b"/") for word in words]
        self._to_folder = False  # whether a directory was named that there is not
        self._pairs: list[tuple[bytes, bytes]] = []
        self._replaced: list[bytes] = []
        self._folders: list[bytes] = []
        self._below: list[tuple[bytes, bytes]] = []  # what is in them, which git looks at after all that was named
        self._others: list[tuple[bytes, bytes]] = []  # untracked files of directories that move
        self._targets: set[bytes] = set()
        self._checked: list[tuple[bytes, bytes]] = []
        self._renamed: list[tuple[bytes, bytes]] = []
        self._outside: list[str] = []  # sources that a sparse checkout leaves out
        self._overwritten = b""

    def plan(self) -> Plan:
        view = self._view
        *sources, target = self._words
        into = target == b"" or self._is_folder(target)
        alone = len(sources) == 1 and self._is_folder(sources[0])  # it gets the name, with a slash or without
        self._to_folder = self._request.paths[-1].endswith("/") and not into and not alone
        if not into and len(sources) > 1 and self._is_left_out(target):
            need_held(view, target + b"/")
        if not into and len(sources) > 1:
            raise BadRequest(f"destination '{self._request.paths[-1]}' is not a directory")
        for source in sources:
            name = source.rpartition(b"/")[2]
            to = target if not into else (target + b"/" + name if target else name)
            self._try(source, to, lambda: self._one(source, to, into))  # noqa: B023
        for source, to in self._below:
            self._try(source, to, lambda: self._one_below(source, to))  # noqa: B023
        if self._outside and not self._request.skip_errors:
            raise CommandFailed(outside_words(self._outside), status=1, prefix="", stdout=self._checks())
        dry_run = self._request.dry_run
        if not (dry_run or into) and self._pairs + self._below and (failure := self._failure(target)):
            return self._failed(failure, sources[0], target)
        err = f"{outside_words(self._outside)}\n".encode("utf-8", "surrogateescape") if self._outside else b""
        shown = dry_run or {"-v", "--verbose"} & set(self._request.switches)
        renamed = b"".join(b"Renaming %b to %b\n" % pair for pair in self._renamed) if shown else b""
        err += self._overwritten
        return finished(
            self._request, view, Changes() if dry_run else self._changes(), Answer(self._checks() + renamed, err)
        )

    def _is_folder(self, path: bytes) -> bool:
        info = self._work.status(path) if path else None
        return info is not None and info.st_mode & 0o170000 == 0o040000

    def _failure(self, to: bytes) -> str:
        """Why nothing can get a name, which git finds out as it renames; "" where nothing is in the way."""
        for front in sorted(directories_above(to)):
            if not self._is_folder(front):
                return "No such file or directory" if self._work.status(front) is None else "Not a directory"
        return ""

    def _failed(self, failure: str, source: bytes, to: bytes) -> Plan:
        """The end of a move whose only source cannot get the name. Where errors are skipped nothing happens."""
        verbose = {"-v", "--verbose"} & set(self._request.switches)
        renaming = b"Renaming %b to %b\n" % (source, to) if verbose else b""
        if self._request.skip_errors and self._folders:
            raise Unsupported(
                f"git mv -k: '{text(source)}' cannot be renamed, and its entries would move without it",
                path=text(source),
            )
        if not self._request.skip_errors:
            words = f"renaming '{text(source)}' failed: {failure}"
            raise CommandFailed(words, status=128, prefix="fatal", stdout=renaming)
        return finished(self._request, self._view, Changes(), Answer(renaming))

    def _try(self, source: bytes, to: bytes, check: Callable[[], None]) -> None:
        """Check one of them, unless errors are to be skipped; a directory is one, and so is each entry in it."""
        pair = source, self._as_typed(to)
        self._checked.append(pair)
        try:
            check()
        except _Outside:
            self._outside.append(text(source))
            self._renamed += [pair] if self._request.dry_run else []
        except BadRequest as error:
            if not self._request.skip_errors:
                error.data["stdout"] = self._checks()
                raise
        else:
            self._renamed.append(pair)

    def _checks(self) -> bytes:
        lines = [b"Checking rename of '%b' to '%b'\n" % pair for pair in self._checked]
        return b"".join(lines) if self._request.dry_run else b""

    def _bad(self, why: str, source: bytes, to: bytes) -> BadRequest:
        words = f"{why}, source={text(source)}, destination={text(self._as_typed(to))}"
        return BadRequest(words, path=text(source))

    def _as_typed(self, to: bytes) -> bytes:
        """A destination with the slash that it was named with, where it is no directory that there is."""
        return to + b"/" if self._to_folder and to == self._words[-1] else to

    def _one(self, source: bytes, to: bytes, into: bool) -> None:
        """One source, with everything below it."""
        index = self._view.index
        info = self._work.status(source) if source else None
        if info is None and parted(index, [source])[0]:
            raise _Outside
        if info is None:
            if self._is_left_out(source) and is_sparse(self._view):
                raise Unsupported(
                    f"'{text(source)}' is left out of a sparse checkout, and gitglass does not judge what that holds",
                    path=text(source),
                )
            raise self._bad("bad source", source, to)
        check_path(to)
        for front in directories_above(to):
            holder = self._work.status(front)
            if holder is not None and holder.st_mode & 0o170000 == SYMLINK:  # git would move it through there
                raise SandboxViolation(f"'{text(to)}' is beyond a symbolic link", path=text(to))
        folder = info.st_mode & 0o170000 == 0o040000
        low, high = index.span(source)
        fronts = [to, *(to[:at] for at, char in enumerate(to) if char == 0x2F)]
        if any(is_submodule(index, path) for path in (source, *fronts, *index.paths[low:high])):
            raise Unsupported(
                f"'{text(source)}' or '{text(to)}' is a submodule, and gitglass does not move these", path=text(source)
            )
        if (folder and to.startswith(source + b"/")) or to == source:
            raise self._bad("can not move directory into itself", source, to)
        if folder:
            if self._work.status(to) is not None:
                why = "destination already exists" if self._is_folder(to) else "cannot move directory over file"
                raise self._bad(why, source, to)
            if index.find(source) >= 0:
                raise BadRequest(f"Directory {text(source)} is in index and no submodule?")
            if low == high:
                raise self._bad("source directory is empty", source, to)
            for path in dict.fromkeys(index.paths[low:high]):
                if self._is_folder(path) and index.mode(index.find(path)) != GITLINK:
                    raise BadRequest(f"Directory {text(path)} is in index and no submodule?")
            self._below += [(path, to + path[len(source) :]) for path in dict.fromkeys(index.paths[low:high])]
            self._folders.append(source)
            self._others += [(path, to + path[len(source) :]) for path in self._untracked(source)]
            return
        if not index.has_path(source):
            raise self._bad("not under version control", source, to)
        if index.find(source) < 0:
            raise self._bad("conflicted", source, to)
        there = None if self._to_folder else self._work.status(to)
        if there is not None:
            if not self._request.force or there.st_mode & 0o170000 == 0o040000:
                raise self._bad("Cannot overwrite" if self._request.force else "destination exists", source, to)
            self._replaced.append(to)  # git asks no more of one that is replaced
            if {"-v", "--verbose"} & set(self._request.switches):
                self._overwritten += b"warning: overwriting '%b'\n" % to
        elif self._to_folder:
            raise self._bad("destination directory does not exist", source, to)
        elif parted(index, [source], self._view.sparse)[0] and is_sparse(self._view):
            raise _Outside
        if to in self._targets:
            raise self._bad("multiple sources for the same target", source, to)
        need_held(self._view, to)
        self._targets.add(to)
        self._pairs.append((source, to))

    def _is_left_out(self, folder: bytes) -> bool:
        """Whether the index has a directory, and no file of it is to be in the work tree."""
        index = self._view.index
        low, high = index.span(folder)
        return high > low and all(index.skip_worktree(at) for at in range(low, high))

    def _one_below(self, source: bytes, to: bytes) -> None:
        """One entry of a directory that moves. Its file has to be there."""
        index = self._view.index
        gone = self._work.status(source) is None
        if gone and parted(index, [source])[0]:
            self._pairs.append((source, to))  # its entry moves with the directory, where errors are skipped
            raise _Outside
        if not gone and index.find(source) >= 0:
            need_held(self._view, source)
            need_held(self._view, to)
            self._pairs.append((source, to))
        elif not gone and self._request.skip_errors and not self._request.dry_run:
            raise Unsupported(f"'{text(source)}' is in conflict, and its directory moves without it", path=text(source))
        else:
            raise self._bad("bad source" if gone else "conflicted", source, to)

    def _untracked(self, folder: bytes) -> list[bytes]:
        """The files of a directory that the index does not have, ignored ones too."""
        specs = Pathspecs.parse([b":(top,literal)" + folder])
        scanned = untracked(self._view, specs, ignored=True)
        paths = [path for path in (*scanned.untracked, *scanned.ignored) if not path.endswith(b"/")]
        if len(paths) < len(scanned.untracked) + len(scanned.ignored):
            raise Unsupported(f"'{text(folder)}' holds another repository, or directories that are ignored as a whole")
        return paths

    def _changes(self) -> Changes:
        index = self._view.index
        changes = Changes(keep_folders=True, moved_folders=self._folders)
        entries: dict[bytes, EntryChange] = {}
        for source, to in self._pairs + self._others:
            rows = rows_at(index, source)
            if rows:
                entries[source] = EntryChange(source, rows, ())
                origin = None if self._is_settled(source) else source
                entries[to] = EntryChange(to, rows_at(index, to), rows, moved_from=origin)
                for path in self._giving_way(to):
                    entries.setdefault(path, EntryChange(path, rows_at(index, path), ()))
            gone = self._work.remove(source)
            if gone is None or gone.before is None:
                continue
            changes.files.append(gone)
            replaced = self._work.remove(to) if to in self._replaced else None
            before = None if replaced is None else replaced.before
            # the bytes that move are in no object where the file was changed: they become one, so that nothing is lost
            blob = gone.before.oid if gone.stored else self._kept(source)
            changes.files.append(
                FileChange(to, before, gone.before, blob=blob, stat=self._work.status(to), bits=gone.permissions)
            )
        for folder in self._folders:
            changes.emptied += bare_folders(self._view, folder, ignored=True)
        changes.entries = sorted(entries.values(), key=lambda entry: entry.path)
        return changes

    def _giving_way(self, to: bytes) -> list[bytes]:
        """Entries that cannot stay beside one of this name: a file where it has a directory, and files below it."""
        index = self._view.index
        low, high = index.span(to)
        below = [path for path in dict.fromkeys(index.paths[low:high]) if path != to]
        return [*filter(index.has_path, directories_above(to)), *below]

    def _is_settled(self, path: bytes) -> bool:
        """Whether an entry that is believed unchanged, or absent, has a file that it knows for unchanged: it is to know
        the one that takes its place as well, which with git is the same file."""
        at, info, index = self._view.index.find(path), self._work.status(path), self._view.index
        if at < 0 or info is None or not (index.head(at)[-2] & 0x80 or index.skip_worktree(at)):
            return False
        return self._work.looker.settled(at, info)

    def _kept(self, path: bytes) -> bytes:
        files = self._view.store.files
        assert files is not None
        info = self._work.status(path)
        if info is not None and info.st_mode & 0o170000 == 0o120000:
            return self._view.new.add(b"blob", files.readlink(path) or b"")
        return self._view.new.add(b"blob", bytes(files.read_optional(path) or b""))

"""`add`: what files hold now, into the index. Mirrors git-add(1).

Content is brought into git's form first (line endings, `ident`, encodings, the pointer of a file that Git LFS keeps);
where a filter would have to be run, the path is refused by name. Other repositories are never added.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from ...errors import BadRequest, CommandFailed, SandboxViolation, TooLarge, Unsupported, text
from ...limits import pause
from ...objects.parsed import GITLINK, SYMLINK, TREE
from ...paths.attributes import Attributes, attributes_of, use_attributes
from ...paths.ignore import Ignore
from ...paths.lexical import directories_above
from ...paths.pathspec import Pathspecs
from ...request.mutations import AddRequest
from ...worktree.convert import IDENTITY, Converter, converter_of, use_converter
from ...worktree.scan import ScanSpec, scan, standard_ignore
from ...worktree.stat_cache import gitlinks
from ...worktree.submodules import submodule_head
from ..changes import Changes, EntryChange, Row
from ..checkout.files import WorkFiles
from ..checkout.outward import is_attributes
from ..checkout.two_way import SKIP, need_held
from ..index_file import rows_at
from ..names import check_path
from ..plan import Answer, Plan
from ..process.services import not_granted
from ..view import View
from .common import check_hooks, finished, refused_switches
from .compatible import need_one
from .paths import (
    folded,
    in_index,
    is_there,
    need_own_files,
    outside_words,
    parted,
    pathspecs_of,
    picked,
    picked_new,
    submodules_of,
    unmatched,
    untracked,
)

_TAKEN = ("-f", "--force", "-N", "--intent-to-add", "-n", "--dry-run")
_TYPE = 0o170000
_MOST_RULES = 100 << 20
_IGNORED = """\
The following paths are ignored by one of your .gitignore files:
{}
hint: Use -f if you really want to add them.
hint: Turn this message off by running
hint: "git config advice.addIgnoredFile false"
"""
_NOTHING = """\
Nothing specified, nothing added.
hint: Maybe you wanted to say 'git add .'?
hint: Turn this message off by running
hint: "git config advice.addEmptyPathspec false"
"""


def plan_add(request: AddRequest, view: View) -> Plan:
    """The plan of staging. Raises NotFound-like words of git for a path that does not exist, Unsupported where a filter
    would have to be run."""
    refused_switches(request, _TAKEN)
    view.need_work_tree()
    check_hooks(view, ())
    need_one(("-A", request.all), ("-u", request.update))
    changes = Changes()
    if not request.paths and not request.all and not request.update:
        return finished(request, view, changes, Answer(err=_NOTHING.encode()))
    switches = set(request.switches)
    staging = Staging(view, force=bool({"-f", "--force"} & switches), stores=not {"-n", "--dry-run"} & switches)
    answer = staging.run(request, changes)
    if {"-n", "--dry-run"} & set(request.switches):
        view.new.held.clear()
        changes = Changes()
    return finished(request, view, changes, answer)


def staged(request: AddRequest, view: View, *, lfs: dict[str, bytes], believing: bool = True) -> list[EntryChange]:
    """What `commit -a`, or `commit PATH`, stages: tracked files as they are now. With `believing` an entry that is
    believed unchanged is left alone."""
    staging = Staging(view, force=False)
    specs = pathspecs_of(view, request.paths)
    changes = staging.tracked(specs) if believing else staging.looked_at(specs)
    lfs.update(staging.lfs)
    return changes


def need_no_folders(view: View, paths: list[bytes]) -> None:
    """Raise CommandFailed, as `commit PATH` says it, where a directory stands at one of these paths that is no
    repository with a commit; and Unsupported where it is one, and no submodule of the index."""
    index, work = view.index, WorkFiles(view)
    for path in paths:
        info, at = work.status(path), index.find(path)
        if info is None or info.st_mode & _TYPE != TREE or (at >= 0 and index.skip_worktree(at)):
            continue
        if submodule_head(view.store, path) is None:
            words = f"'{text(path)}' does not have a commit checked out\nfatal: updating files failed"
            raise CommandFailed(words, status=128, prefix="error")
        if at < 0 or index.mode(at) != GITLINK:
            raise _another_repository(path)


def _another_repository(path: bytes) -> Unsupported:
    return Unsupported(f"'{text(path)}' is another repository, and gitglass does not add repositories", path=text(path))


class Staging:
    """Files on their way into the index. Where git has `refreshed` it before, files that were unchanged then are not
    looked into again, by what attributes are left. For a stash, which has the files of its `head`, only what differs
    from these is staged, so that what is new in the index and gone from disk stays in it; and a submodule is what the
    index says, whatever commit it is at."""

    def __init__(
        self, view: View, *, force: bool, stores: bool = True, refreshed: bool = False,
        head: Collection[bytes] | None = None,
    ) -> None:  # fmt: skip
        self._view, self._force, self._stores, self._refreshed, self._head = view, force, stores, refreshed, head
        self._looker = view.looker
        self._index = view.index
        self.lfs: dict[str, bytes] = {}
        self._staged: list[EntryChange] = []  # so far, as they are staged

    def run(self, request: AddRequest, changes: Changes) -> Answer:
        """Stage what the request names."""
        view = self._view
        intent = bool({"-N", "--intent-to-add"} & set(request.switches))
        specs = pathspecs_of(view, request.paths)
        need_own_files(view, specs)
        new: list[bytes] = []
        with self._words_so_far(request.switches):
            changes.entries = (
                self._gone(specs) if intent else self.tracked(specs, survey=not request.update and not specs)
            )
            if "all" in request.model_fields_set and not (request.all or request.update):  # --no-all
                changes.entries = [entry for entry in changes.entries if entry.after]
            count = len(changes.entries)
            if not request.update:
                new = self._new_files(specs)
                gone = {entry.path for entry in changes.entries}
                changes.entries += [entry for entry in self.added(new, intent=intent) if entry.path not in gone]
        answer = self.complaints(request, specs, new)
        made_room = {entry.path for entry in changes.entries[count:] if not entry.after}  # git says nothing of these
        staged_so = [entry for entry in changes.entries if entry.path not in made_room]
        if request.chmod is not None and request.paths:  # nor of other modes, and all files are not meant
            self._chmod(changes, specs, request.chmod, answer)
        changes.entries.sort(key=lambda entry: entry.path)
        changes.lfs = self.lfs
        if {"-v", "--verbose", "-n", "--dry-run"} & set(request.switches):
            lines = _lines(staged_so)
            if intent:  # strange but git's: a changed file is named as well, and not staged
                tracked = [line for line in lines if self._index.has_path(line[0])]
                changed = [(path, True) for path in self._changed(specs)]
                lines = [*sorted(tracked + changed), *(line for line in lines if line not in tracked)]
            answer.out = _words(lines)
        return answer

    @contextmanager
    def _words_so_far(self, switches: list[str]) -> Iterator[None]:
        """Have a file that cannot be staged fail with git's words for those before it."""
        try:
            yield
        except (BadRequest, CommandFailed) as error:
            if {"-v", "--verbose"} & set(switches):
                error.data.setdefault("stdout", _words(_lines(self._staged)))
            raise

    # --- tracked files ----------------------------------------------------------------------------------------------

    def tracked(self, specs: Pathspecs, *, survey: bool = False) -> list[EntryChange]:
        """Tracked files that are meant and are not as the index has them; conflicts are resolved by what is there. With
        `survey` what is new is seen on the way, for `_new_files`; only where all files are looked at, as a directory in
        the place of one that is not meant would be missed."""
        changes: list[EntryChange] = []
        files = self._view.store.files
        assert files is not None
        suspects = self._looker.suspects(specs, survey=survey)
        if self._head is None:
            suspects += self._submodules(specs, {at for at, _ in suspects})
        else:
            suspects = [(at, status) for at, status in suspects if status is None or self._index.mode(at) != GITLINK]
        gone = (self._index.paths[at] for at, status in suspects if status is None)
        missing = {path for path in gone if is_attributes(path) and specs.match(path)}
        if self._head is not None:
            missing.intersection_update(self._head)
        suspects = [one for one in suspects if not (self._is_warned_of(one[0], missing) and self._is_unchanged(*one))]
        if missing and self._stores:
            self._without_attributes(missing)
        rows = [(self._index.paths[at], self._index.mode(at), status) for at, status in suspects]
        rows += [(path, 0, files.lstat(path)) for path in self._index.unmerged]
        for path, mode, status in sorted(rows, key=lambda row: row[0]):  # git goes through the index once
            self._view.ctx.tick()
            if specs.match(path, mode == GITLINK):
                changes += self._restaged(path, mode, status)
        return changes

    def _submodules(self, specs: Pathspecs, others: set[int]) -> list[tuple[int, os.stat_result | None]]:
        """Submodules, but for `others`: the status of a directory says nothing of the commit that is checked out."""
        index, files, links = self._index, self._view.store.files, list[tuple[int, os.stat_result | None]]()
        for at in gitlinks(index):
            if at not in others and not index.stage(at) and not index.assume_valid(at) and not index.skip_worktree(at):
                path = index.path(at)
                links += [(at, files.lstat(path))] if files is not None and specs.match(path, True) else []
        return links

    def _gone(self, specs: Pathspecs) -> list[EntryChange]:
        """Those of them whose files are gone: all of theirs that `--intent-to-add` stages, but for conflicts, which are
        resolved by the intention alone."""
        changes: list[EntryChange] = []
        for path in filter(specs.match, self._index.unmerged):
            gone = WorkFiles(self._view).status(path) is None
            changes += self._restaged(path, 0, None) if gone else self.added([path], intent=True)
        for position, status in self._looker.suspects(specs):
            path, mode = self._index.paths[position], self._index.mode(position)
            if specs.match(path) and (status is None or (status.st_mode & _TYPE == TREE and mode != GITLINK)):
                changes += self._restaged(path, mode, status)
        return changes

    def _changed(self, specs: Pathspecs) -> list[bytes]:
        """Those of them whose files are there, and are not as the index has them."""
        index, work, changed = self._index, WorkFiles(self._view), list[bytes]()
        empty = self._view.store.empty_blob  # which is what is intended: an entry of that is not told of
        for at, status in self._looker.suspects(specs):
            path, mode = index.paths[at], index.mode(at)
            there = status is not None and (status.st_mode & _TYPE != TREE or mode == GITLINK)
            if there and index.oid(at) != empty and specs.match(path) and work.differs(path):
                changed.append(path)
        return changed

    def _is_warned_of(self, at: int, missing: set[bytes]) -> bool:
        """Whether it would be said of a file, or end all, that was only touched: git's refresh of the index has found
        that out where it comes before. Nothing is said of files that are stored as they are."""
        converter = converter_of(self._view.store)
        if converter.refuses or not self._refreshed:
            return converter.refuses
        return bool(missing) or converter.plan(self._index.path(at)) is not IDENTITY

    def _is_unchanged(self, at: int, status: os.stat_result | None) -> bool:
        """Whether git's refresh of the index finds a file unchanged."""
        if status is None or self._index.mode(at) == GITLINK:
            return False
        return not self._looker.modified(at, status, by_size=True)

    def _without_attributes(self, missing: set[bytes]) -> None:
        """Files of attributes that are gone from disk go from the index before the files that they were of are read,
        where both are staged: then the index gives none of them any more."""
        store = self._view.store

        def read(path: bytes) -> bytes | None:
            data = None if path in missing else store.rules_file(path, _MOST_RULES)
            if data is not None:
                return bytes(data)
            at = -1 if path in missing else store.index.find(path)
            return store.odb.blob(store.index.oid(at)) if at >= 0 else None

        use_attributes(store, Attributes(store, read=read))
        use_converter(store, Converter(store))

    def looked_at(self, specs: Pathspecs) -> list[EntryChange]:
        """The same, with entries that are believed unchanged looked at like others."""
        changes, work = self.tracked(specs), WorkFiles(self._view)
        for path in work.not_as_believed():
            if specs.match(path):
                changes += self._restaged(path, self._index.mode(self._index.find(path)), work.status(path))
        return sorted(changes, key=lambda change: change.path)

    def _restaged(self, path: bytes, mode: int, status: os.stat_result | None) -> list[EntryChange]:
        view = self._view
        before = rows_at(self._index, path)
        if status is None or (status.st_mode & _TYPE == TREE and mode != GITLINK):
            if status is not None and submodule_head(view.store, path) is not None:
                raise _another_repository(path)
            return self._staging(EntryChange(path, before, ()))
        if mode == GITLINK and status.st_mode & _TYPE == TREE:
            head = submodule_head(view.store, path)
            if head is None or (before and head == before[0].oid):
                return []
            return self._staging(EntryChange(path, before, (Row(0, GITLINK, head),)))
        if status.st_mode & _TYPE not in (0o100000, SYMLINK):
            raise CommandFailed(f"{text(path)}: can only add regular files, symbolic links or git-directories")
        noted = mode or next((row.mode for stage in (2, 1, 3) for row in before if row.stage == stage), 0)
        row = Row(0, self._looker.canonical(noted, status.st_mode), self._blob(path, status))
        if before == (row,) and before[0].flags == 0:
            return []
        return self._staging(EntryChange(path, before, (row,), status))

    def _staging(self, entry: EntryChange) -> list[EntryChange]:
        need_held(self._view, entry.path)
        self._staged.append(entry)
        return [entry]

    # --- new files --------------------------------------------------------------------------------------------------

    def _new_files(self, specs: Pathspecs) -> list[bytes]:
        store, ctx = self._view.store, self._view.ctx
        ignore = Ignore(store) if self._force else None
        untracked = picked_new(specs, scan(store, ScanSpec(pathspecs=specs, ignore=ignore), ctx=ctx).untracked)
        for path in untracked:
            if path.endswith(b"/"):
                raise _another_repository(path)
        return untracked

    def added(self, paths: list[bytes], *, intent: bool = False) -> list[EntryChange]:
        """New files; what stands in the index where they need room goes."""
        view, made = self._view, dict[bytes, EntryChange]()
        files = view.store.files
        assert files is not None
        for path in paths:
            status = files.lstat(path)
            if status is None:
                continue
            check_path(path)
            if status.st_mode & _TYPE not in (0o100000, SYMLINK):
                raise CommandFailed(f"{text(path)}: can only add regular files, symbolic links or git-directories")
            mode = self._looker.canonical(0o100644, status.st_mode)
            if intent:
                row = Row(0, mode, view.new.add(b"blob", b""), 0x2000 << 16)
                made[path] = EntryChange(path, rows_at(self._index, path), (row,))
                need_held(view, path)
                continue
            row = Row(0, mode, self._blob(path, status))
            made[path] = EntryChange(path, rows_at(self._index, path), (row,), status)
            self._staging(made[path])
        for path in list(made):
            for gone in in_the_way(view, path):
                made.setdefault(gone, EntryChange(gone, rows_at(self._index, gone), ()))
        return list(made.values())

    def _blob(self, path: bytes, status: os.stat_result) -> bytes:
        """The new object that a file becomes."""
        view, files = self._view, self._view.store.files
        assert files is not None
        pause()
        if status.st_mode & _TYPE == SYMLINK:
            return view.new.add(b"blob", files.readlink(path) or b"")
        limit = view.grant.limits.file_bytes
        if status.st_size > limit:
            raise TooLarge(f"'{text(path)}' is too large: {status.st_size} bytes", limit=limit, path=text(path))
        data = files.read_optional(path, limit)
        if data is None:
            raise SandboxViolation(f"'{text(path)}' cannot be read", path=text(path))
        return view.new.add(b"blob", self._in_gits_form(path, bytes(data)))

    def _in_gits_form(self, path: bytes, data: bytes) -> bytes:
        converter = converter_of(self._view.store)
        driver = converter.plan(path).driver
        cleans = driver is not None and converter.cleans(driver)
        if driver is not None and driver != b"lfs" and not cleans:
            raise not_granted(path, driver, "clean")
        if driver is None:
            self._need_no_filter(path)
        stored = converter.to_git(path, data, ctx=self._view.ctx, stored=self._stores)
        if driver == b"lfs" and stored != data and not cleans:
            self.lfs[hashlib.sha256(data).hexdigest()] = data
        return stored

    def _need_no_filter(self, path: bytes) -> None:
        """Raise BadRequest in git's words for a filter that is required and has no program to its name."""
        driver = attributes_of(self._view.store).get(path, b"filter")
        if isinstance(driver, bytes) and self._view.config.get_bool(b"filter." + driver + b".required", False):
            raise BadRequest(f"{text(path)}: clean filter '{text(driver)}' failed", path=text(path))

    # --- words ------------------------------------------------------------------------------------------------------

    def complaints(self, request: AddRequest, specs: Pathspecs, new: list[bytes]) -> Answer:
        """git's words about paths that are ignored (the rest is staged all the same). Raises for those that do not
        exist."""
        view = self._view
        away, there = parted(view.index, view.index.paths)
        away = folded(view) or away
        missing = picked(specs, sorted([*there, *new]), submodules_of(view.index))[1]
        lone = unmatched(specs, away) if away else []
        outside = [word for word in missing if word not in lone] if away else []
        ignored: list[str] = []
        for item in specs.items:
            word, path = text(item.original), item.match.rstrip(b"/")
            if not path or word not in missing or word in outside:
                continue
            if not is_there(view, item):
                raise BadRequest(f"pathspec '{word}' did not match any files", path=word)
            if (
                not self._force
                and not request.update
                and untracked(view, Pathspecs.parse([b":(top,literal)" + path]), ignored=True).ignored
            ):
                ignored.append(text(self._ignored_as(path)))
        if outside:
            return Answer(err=f"{outside_words(outside)}\n".encode("utf-8", "surrogateescape"), status=1)
        if not ignored:
            return Answer()
        return Answer(err=_IGNORED.format("\n".join(sorted({*ignored}))).encode("utf-8", "surrogateescape"), status=1)

    def _ignored_as(self, path: bytes) -> bytes:
        """The name by which git says that a path is ignored: the topmost directory that is, if any."""
        ignore = standard_ignore(self._view.store)
        return next((front for front in sorted(directories_above(path)) if ignore.ignored(front, True)), path)

    def _chmod(self, changes: Changes, specs: Pathspecs, word: str, answer: Answer) -> None:
        mode = 0o100755 if word == "+x" else 0o100644
        by_path = {entry.path: entry for entry in changes.entries}
        for path in sorted({*in_index(self._view, specs), *by_path}):
            entry = by_path.get(path) or EntryChange(path, rows_at(self._index, path), rows_at(self._index, path))
            if not entry.after or any(row.flags & SKIP for row in entry.after):
                continue
            if any(row.mode & _TYPE != 0o100000 for row in entry.after):
                answer.err += b"error: cannot chmod %b '%b'\n" % (word.encode(), path)
                answer.status = 255
                continue
            rows = tuple(Row(row.stage, mode, row.oid, row.flags) for row in entry.after)
            if rows == entry.before:
                by_path.pop(path, None)
                continue
            by_path[path] = EntryChange(path, entry.before, rows, entry.stat)
        changes.entries = list(by_path.values())


def _lines(entries: list[EntryChange]) -> list[tuple[bytes, bool]]:
    """What git tells of: each path, and whether it has a file. One that is intended, and is an empty file, stays what
    its entry says."""
    return [(entry.path, bool(entry.after)) for entry in entries if not _is_same(entry)]


def _is_same(entry: EntryChange) -> bool:
    one, two = (rows[0] if rows else None for rows in (entry.before, entry.after))
    return one is not None and two is not None and (one.stage, one.mode, one.oid) == (two.stage, two.mode, two.oid)


def _words(lines: Iterable[tuple[bytes, bool]]) -> bytes:
    """What git says of paths that it stages: whether each has a file."""
    return b"".join(b"%b '%b'\n" % (b"add" if is_file else b"remove", path) for path, is_file in lines)


def in_the_way(view: View, path: bytes) -> list[bytes]:
    """Entries of the index that cannot be beside a new one: a file where it needs a directory, files below it."""
    index = view.index
    above = [front for front in directories_above(path) if index.has_path(front)]
    low, high = index.span(path)
    return above + list(dict.fromkeys(index.paths[low:high]))

"""`restore`, and `checkout` of paths: files and entries as a commit or the index has them. Mirrors git-restore(1).

Files that are overwritten are kept in the operation log where their bytes are no object of the repository.
"""

from __future__ import annotations

import os
from itertools import filterfalse

from ...errors import BadRequest, CommandFailed, NotFound, Unsupported, text
from ...limits import paced
from ...objects.parsed import GITLINK
from ...paths.lexical import directories_above
from ...records import record
from ...request.mutations import CheckoutRequest, RestoreRequest
from ...revs.resolve import one_merge_base, resolve_tree, try_resolve
from ..changes import Changes, EntryChange, FileChange, Row
from ..checkout.by_name import ByName
from ..checkout.files import Wanted, WorkFiles
from ..checkout.local_changes import need_no_recursion
from ..index_file import rows_at
from ..merging.recreated import merged_again, need_both_sides, resolved_conflicts
from ..plan import Answer, Plan
from ..view import View
from .add import in_the_way
from .common import check_hooks, commit_tree, finished, refused_switches, tree_rows
from .compatible import check_style, merges, need_one_way
from .paths import in_tree, need_matched, pathspecs_of, picked, submodules_of

_OURS, _THEIRS = 2, 3
Side = tuple[int, bytes]


def plan_restore(request: RestoreRequest, view: View) -> Plan:
    """The plan of `restore`. Raises git's words for a source or path that does not exist, and for paths in conflict."""
    refused_switches(request, ("--ours", "--theirs", "--ignore-unmerged", "--merge"))
    check_style(request)
    view.need_work_tree()
    check_hooks(view, ("post-checkout",) if request.worktree or not request.staged else ())
    worktree = not request.staged if request.worktree is None else request.worktree
    source = request.source if request.source is not None else "HEAD" if request.staged else None
    if source is not None:
        source_tree(view, source)
    if not request.paths:
        raise BadRequest("you must specify path(s) to restore")
    need_one_way(request)
    if merges(request) and "--ignore-unmerged" in request.switches:
        raise BadRequest("options '--ignore-unmerged' and '-m' cannot be used together")
    if not request.staged and not worktree:
        raise BadRequest("neither '--staged' or '--worktree' is specified")
    changes = Changes()
    wanted = wanted_of(request, ignored="--ignore-unmerged" in request.switches, overlay=False)
    if wanted.stage and not worktree:
        raise BadRequest("'--ours' or '--theirs' cannot be used with --staged")
    if wanted.merged and not worktree:
        raise BadRequest("'--merge' or '--conflict' cannot be used with --staged")
    if source is None:
        from_index(view, changes, request.paths, wanted)
    else:
        need_no_merge(request)
        from_tree(view, changes, source, request.paths, staged=request.staged, worktree=worktree, overlay=False)
    return finished(request, view, changes, Answer(), risk="" if worktree else "Medium")


@record
class OfConflict:
    """What of a conflict is restored from the index: one of its stages (0: none), or what both sides make, with the
    marks of a `style`. Without either conflicts are errors, unless they are `ignored`, which is said unless `quiet`.
    Without `overlay` a file goes that the stage does not have."""

    stage: int = 0
    merged: bool = False
    style: str | None = None
    ignored: bool = False
    overlay: bool = True
    quiet: bool = False


def wanted_of(request: RestoreRequest | CheckoutRequest, *, ignored: bool, overlay: bool) -> OfConflict:
    """What a request wants of conflicts."""
    stage = _OURS if "--ours" in request.switches else _THEIRS if "--theirs" in request.switches else 0
    return OfConflict(
        stage, merges(request), request.conflict, ignored, overlay, bool({"-q", "--quiet"} & {*request.switches})
    )


def from_index(view: View, changes: Changes, words: list[str], wanted: OfConflict) -> tuple[int, int]:
    """Files as the index has them: how many, and how many conflicts were shown anew. Raises CommandFailed for words
    that name none, and for conflicts."""
    specs, stage = pathspecs_of(view, words), wanted.stage
    index, work = view.index, WorkFiles(view)
    away = {index.paths[at] for at in index.special if index.skip_worktree(at)}
    paths, missing = picked(specs, filterfalse(away.__contains__, index.paths), submodules_of(index))
    need_matched(missing)
    need_no_recursion(view, changes, discards=True, among=paths)
    unmerged = [path for path in paths if path in index.unmerged]
    conflicts: dict[bytes, tuple[Row, ...]] = {}
    if wanted.ignored:
        for path in () if wanted.quiet else unmerged:
            view.ctx.warn(f"path '{text(path)}' is unmerged")
    elif wanted.merged:
        conflicts = resolved_conflicts(view, paths)
        changes.entries += [EntryChange(path, rows_at(index, path), rows) for path, rows in conflicts.items()]
        conflicts |= {path: rows_at(index, path) for path in unmerged}
        need_both_sides(conflicts)
    elif not stage:
        need_merged(unmerged)
    plain = (path for path in paths if path not in index.unmerged and path not in conflicts)
    by_name = ByName(view, work, ((path, index.oid(index.find(path))) for path in plain))
    count = 0
    for path in paths:
        if path in conflicts:
            change = work.write(path, merged_again(view, path, conflicts[path], wanted.style), fresh=True)
            changes.files += [] if change is None else [change]
            continue
        at = index.find(path, stage) if path in index.unmerged else index.find(path)
        if path in index.unmerged and at < 0:
            if not stage:
                continue
            if not wanted.overlay:
                gone = work.unlink(path)
                changes.files += [] if gone is None else [gone]
                continue
            side = "our" if stage == _OURS else "their"
            raise CommandFailed(f"path '{text(path)}' does not have {side} version", status=1, prefix="error")
        if index.skip_worktree(at):
            continue
        if index.mode(at) == GITLINK:
            work.write(path, Wanted(GITLINK, index.oid(at)))  # which refuses one that has no directory
            continue
        by_name.come_to(path, fresh=False)
        change = work.write(path, Wanted(index.mode(at), index.oid(at)))
        if change is not None:
            changes.files.append(change)
            by_name.wrote(path)
            if not index.stage(at):
                changes.entries.append(_same(view, path))
            count += 1
        elif not index.stage(at) and (touched := work.touched(path)) is not None:
            changes.entries.append(_same(view, path, touched))
            count += 1
    changes.refresh = changes.refresh or bool(changes.files)
    clear_way(work, changes)
    return count, len(conflicts)


def need_no_merge(request: RestoreRequest | CheckoutRequest) -> None:
    """Raise Unsupported where conflicts are to be merged again, and paths come from a tree: git first has the tree's
    files resolve them."""
    if merges(request):
        words = f"git {request.git}: gitglass does not take --merge with a tree"
        raise Unsupported(words, option="--merge", status=129)


def _same(view: View, path: bytes, info: os.stat_result | None = None) -> EntryChange:
    """An entry that stays as it is but for the stat data of the file that is written, or, with its status, of one that
    git would write again."""
    rows = rows_at(view.index, path)
    return EntryChange(path, rows, rows, info)


def need_merged(unmerged: list[bytes]) -> None:
    """Raise CommandFailed in git's words where any path that is meant is in conflict."""
    if unmerged:
        words = "\n".join(f"error: path '{text(path)}' is unmerged" for path in unmerged)
        raise CommandFailed(words.removeprefix("error: "), status=1, prefix="error")


def source_tree(view: View, word: str) -> bytes:
    """The tree that a source names. Raises NotFound in git's words."""
    if word == "HEAD" and view.head()[1] is None:
        raise NotFound("could not resolve HEAD")
    base = one_merge_base(view.store, word, ctx=view.ctx)
    if base is not None:
        return commit_tree(view, base)
    if try_resolve(view.store, word, ctx=view.ctx) is None:
        raise NotFound(f"could not resolve {word}")
    return resolve_tree(view.store, word, ctx=view.ctx)


def from_tree(
    view: View, changes: Changes, source: str, words: list[str], *, staged: bool, worktree: bool, overlay: bool
) -> int:
    """Entries and files as a tree has them; how many change. Without `overlay` those that it lacks are removed."""
    tree = source_tree(view, source)
    specs = pathspecs_of(view, words)
    wanted: dict[bytes, Side] = in_tree(tree_rows(view, tree), specs)
    index, work = view.index, WorkFiles(view)
    away = {index.paths[at] for at in index.special if index.skip_worktree(at) and
            wanted.get(index.paths[at]) in (None, (index.mode(at), index.oid(at)))}  # fmt: skip
    # the index gets all that the tree has, and of these files are written, and others go, that are picked there
    folders = submodules_of(index).union(path for path, side in wanted.items() if side[0] == GITLINK)
    there, missing = picked(specs, sorted({*wanted, *(() if overlay else index.paths)} - away), folders)
    need_matched(missing)
    need_merged([path for path in paced(there) if path in index.unmerged and path not in wanted])
    named = set(there)
    written = named if worktree else set[bytes]()
    by_name = ByName(view, work, ((path, blob) for path, (_, blob) in sorted(wanted.items()) if path in written))
    for path in sorted(named.union(wanted)):
        view.ctx.tick()
        side = wanted.get(path)
        rows = rows_at(index, path)
        same = side is not None and len(rows) == 1 and (0, *side) == (rows[0].stage, rows[0].mode, rows[0].oid)
        if path in away:
            continue  # not in the work tree, and the entry stays what it is
        change = None
        if path in written:
            by_name.come_to(path, fresh=not same)
            change = _file(work, path, side, fresh=not same)
            if change is not None:
                changes.files.append(change)
                by_name.wrote(path)
        if staged:
            after = rows if same else () if side is None else (Row(0, side[0], side[1]),)
            if rows != after:
                changes.entries.append(EntryChange(path, rows, after))
            elif path in written and side is not None:
                changes.entries.append(_same(view, path, work.touched(path) if change is None else None))
    files = {file.path for file in changes.files}
    changes.entries = [entry for entry in paced(changes.entries) if _counts(entry, files)]
    _displace(changes, view, work if worktree else None)
    clear_way(work, changes)
    held = {file.path for file in changes.files if file.after is not None}
    return len(named & held.union(entry.path for entry in paced(changes.entries)))


def _displace(changes: Changes, view: View, work: WorkFiles | None) -> None:
    """Entries that cannot be beside new ones go: a file where a directory comes, what is below a new file; there, with
    `work`, the files go as well."""
    named = {entry.path for entry in changes.entries}
    for path in paced([entry.path for entry in changes.entries if entry.after and not entry.before]):
        for other in in_the_way(view, path):
            if other not in named:
                named.add(other)
                changes.entries.append(EntryChange(other, rows_at(view.index, other), ()))
                gone = work.remove(other) if work is not None and len(other) > len(path) else None
                changes.files += [] if gone is None else [gone]
    changes.entries.sort(key=lambda entry: entry.path)


def _counts(entry: EntryChange, files: set[bytes]) -> bool:
    return entry.before != entry.after or entry.stat is not None or entry.path in files


def submodule_refused(path: bytes) -> Unsupported:
    """The error for a submodule that would have to be checked out."""
    return Unsupported(f"'{text(path)}' is a submodule, and gitglass does not check submodules out", path=text(path))


def _file(work: WorkFiles, path: bytes, side: Side | None, *, fresh: bool) -> FileChange | None:
    if side is None:
        return work.unlink(path)
    if side[0] == GITLINK:
        raise submodule_refused(path)
    return work.write(path, Wanted(*side), fresh=fresh)


def _empty(work: WorkFiles, path: bytes, cleared: set[bytes], more: list[FileChange]) -> None:
    """A directory in a file's place goes, with the files in it that git does not know (their bytes are kept)."""
    info = work.status(path)
    if info is None or info.st_mode & 0o170000 != 0o040000:
        return
    for inside in work.unknown_below(path):
        gone = None if inside in cleared else work.remove(inside)
        if gone is not None:
            cleared.add(inside)
            more.append(gone)
    work.give_way(path)


def clear_way(work: WorkFiles, changes: Changes) -> None:
    """A file where a directory is needed gives way, and a directory where a file is needed; their bytes are kept."""
    cleared = {change.path for change in changes.files}
    more: list[FileChange] = []
    for change in changes.files:
        if change.after is None:
            continue
        _empty(work, change.path, cleared, more)
        for front in directories_above(change.path):
            if front in cleared:
                continue
            info = work.status(front)
            if info is None:
                break
            if info.st_mode & 0o170000 != 0o040000:
                cleared.add(front)
                gone = work.remove(front)
                if gone is not None:
                    more.append(gone)
                break
    changes.files += more
    changes.emptied += work.emptied

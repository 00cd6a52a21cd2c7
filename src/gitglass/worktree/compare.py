"""Compares the work tree with the index or a tree: lists of changes, in path order, as input for every kind of diff.

Mirrors git diff-files(1) and git diff-index(1).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.changes import Change, Filespec, absent
from ..errors import BadRequest, NotFound, text
from ..limits import Context, paced
from ..paths.pathspec import Pathspecs
from ..repo.store import Store
from .convert import blob_oid, converter_of, read_work_file
from .stat_cache import GITLINK, TREE, TYPE, Looker, current_index, gitlinks
from .tree_index import AGAIN, Side, tree_index_pairs, tree_vs_index

if TYPE_CHECKING:
    from ..config.config import Config
    from ..repo.gitmodules import ignore_setting
    from .submodules import refuse_link, submodule_changes, submodule_head, submodule_state
else:
    ignore_setting = deferred(__name__, "..repo.gitmodules", "ignore_setting")
    refuse_link, submodule_changes, submodule_head, submodule_state = deferred(
        __name__, ".submodules", "refuse_link", "submodule_changes", "submodule_head", "submodule_state"
    )


__all__ = [
    "current_index",
    "index_vs_worktree",
    "named_mode",
    "same_blob",
    "settling",
    "tree_vs_index",
    "tree_vs_worktree",
    "unchanged_entries",
    "unmerged_changes",
]


# ------------------------------------------------------------------------------------------- the index and the files
def index_vs_worktree(
    store: Store,
    *,
    pathspecs: Pathspecs = Pathspecs.ALL,
    ignore_submodules: bytes | None = None,
    ignore_default: bytes = b"untracked",
    ita_invisible: bool = True,
    unmerged_stage: int = 2,
    settle: str = "diff",
    survey: bool = False,
    first_only: bool = False,
    inside: bool = False,
    relative: bytes = b"",
    ctx: Context,
) -> list[Change]:
    """The changes of `git diff`: entries whose file differs, is missing, or is in conflict.

    `settle` says how a file with other stat data is treated: "diff" compares content and drops equal files; "status"
    does so too, but counts a different size as a change, as git's refresh does; "stat" keeps all. `unmerged_stage` is
    the stage that a conflicted file is also compared with (0: none). `ita_invisible` shows paths added with `add -N` as
    new. `survey`: names that are not in the index are collected on the way, for `scan`. `first_only`: stop at the first
    file that differs; files after it are not read. `inside`: the output shows whether a changed submodule is dirty;
    then git ends with an error if a symbolic link has replaced it. `relative`: files elsewhere are not looked into.
    """
    looker = Looker(store, ctx)
    index = looker.index

    def ignoring(path: bytes) -> bytes:
        return ignore_setting(store, path, ignore_submodules, ignore_default)

    changes = unmerged_changes(looker, store, pathspecs, unmerged_stage, ignoring, ctx)
    for position, status in paced(looker.suspects(pathspecs, survey=survey)):
        if index.mode(position) == GITLINK:
            path = index.path(position)
            ignore = ignoring(path)
            if ignore == b"all":
                continue
            if inside:
                refuse_link(path, status, ignore)
        if relative and not index.paths[position].startswith(relative):
            continue
        change = _change(store, looker, position, status, ita_invisible, settle)
        if change is not None:
            changes.append(change)
            if first_only:
                break
    else:
        changes += (
            []
            if not gitlinks(index)
            else submodule_changes(store, index, pathspecs, ignore_submodules, ignore_default, ctx=ctx)
        )
    changes.sort(key=lambda change: change.new.path)
    return changes


def is_gone(store: Store, status: os.stat_result | None, mode: int, path: bytes) -> bool:
    """Whether a path is missing from the work tree; a directory without a repository in place of a file counts as
    missing."""
    if status is None:
        return True
    if status.st_mode & TYPE != TREE:
        return False
    return mode != GITLINK and submodule_head(store, path) is None


def _change(
    store: Store, looker: Looker, position: int, status: os.stat_result | None, ita_invisible: bool, settle: str
) -> Change | None:
    index = looker.index
    path, mode, oid = index.path(position), index.mode(position), index.oid(position)
    old = Filespec(path, mode, oid)
    if is_gone(store, status, mode, path):
        return Change("D", old, absent(path))
    assert status is not None
    if mode == GITLINK and status.st_mode & TYPE == TREE:
        return None  # examined with the other submodules
    new_mode = looker.mode_of(position, status)
    if ita_invisible and index.special and index.intent_to_add(position):
        return Change("A", absent(path), Filespec(path, new_mode))
    if settle != "stat" and not looker.modified(position, status, by_size=settle == "status"):
        return None
    letter = "T" if (mode ^ new_mode) & TYPE else "M"
    return Change(letter, old, Filespec(path, new_mode))


def unmerged_changes(
    looker: Looker,
    store: Store,
    pathspecs: Pathspecs,
    stage: int,
    ignoring: Callable[[bytes], bytes],
    ctx: Context,
) -> list[Change]:
    """For each conflict a change U and, if the wanted stage exists, its difference to the file."""
    index, files = looker.index, store.files
    out: list[Change] = []
    if files is None:
        return out
    for path, places in index.unmerged.items():
        if not pathspecs.match(path):
            continue
        status = files.lstat(path)
        first = next(iter(places.values()))
        gone = is_gone(store, status, index.modes[first], path)
        mode = 0 if gone or status is None else looker.canonical(index.modes[places.get(stage, first)], status.st_mode)
        out.append(Change("U", absent(path), Filespec(path, mode), unmerged=True))
        if stage not in places:
            continue
        old = Filespec(path, index.modes[places[stage]], index.oids[places[stage]])
        if not mode:
            out.append(Change("D", old, absent(path)))
        elif mode == GITLINK:
            new = _checked_out(store, path, old.oid, ignoring(path), ctx)
            if old.mode != mode or new.oid != old.oid or new.dirty:
                out.append(Change("T" if old.mode != mode else "M", old, new))
        elif old.mode != mode or not same_blob(store, path, mode, old.oid, ctx):
            out.append(Change("T" if (old.mode ^ mode) & TYPE else "M", old, Filespec(path, mode)))
    return out


def _checked_out(store: Store, path: bytes, oid: bytes | None, ignore: bytes, ctx: Context) -> Filespec:
    """A submodule in the work tree: its commit (the entry's if it is not checked out) and whether it is dirty."""
    state = submodule_state(store, path, oid or store.null, ignore, ctx=ctx)
    return Filespec(path, GITLINK, state.head if state.new_commits else oid, state.dirty)


def settling(config: Config) -> str:
    """The way of `index_vs_worktree` to settle files that the settings choose: without diff.autoRefreshIndex other stat
    data is a difference, whatever the content."""
    return "diff" if config.get_bool("diff.autoRefreshIndex", True) is not False else "stat"


def named_mode(store: Store, path: bytes) -> int:
    """The mode of a file that is compared with a blob. Raises git's error if there is none."""
    assert store.files is not None
    status = store.files.lstat(path)
    if status is None:
        raise NotFound(f"failed to stat '{text(path)}': No such file or directory")
    kind = stat.S_IFMT(status.st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFLNK):
        raise BadRequest(f"'{text(path)}': not a regular file or symlink")
    return kind if kind == stat.S_IFLNK else (0o100755 if status.st_mode & 0o100 else 0o100644)


def same_blob(store: Store, path: bytes, mode: int, oid: bytes | None, ctx: Context) -> bool:
    data = read_work_file(store, path, mode, ctx=ctx)
    converter_of(store).compared.add(path)
    return data is not None and blob_oid(data, store.hash_name) == oid


# ---------------------------------------------------------------------------------------------- a tree and the files
def tree_vs_worktree(
    store: Store,
    tree: bytes | None,
    *,
    pathspecs: Pathspecs = Pathspecs.ALL,
    ignore_submodules: bytes | None = None,
    ignore_default: bytes = b"untracked",
    settle: str = "diff",
    first_only: bool = False,
    inside: bool = False,
    relative: bytes = b"",
    ctx: Context,
) -> list[Change]:
    """The changes of `git diff <tree>`: the tree against the files in the index."""
    looker = Looker(store, ctx)
    index, files = looker.index, store.files

    def ignoring(path: bytes) -> bytes:
        return ignore_setting(store, path, ignore_submodules, ignore_default)

    seen = dict(looker.suspects(pathspecs))
    dirty = (
        []
        if not gitlinks(index)
        else submodule_changes(store, index, pathspecs, ignore_submodules, ignore_default, ctx=ctx)
    )
    links = {change.new.path: change for change in dirty}
    pairs: dict[bytes, tuple[Side | None, int]] = {}
    again: dict[bytes, list[Side]] = {}  # for names that the tree has more than once
    for path, old, position in tree_index_pairs(store, tree, pathspecs=pathspecs, ctx=ctx):
        if position == AGAIN and old is not None:
            again.setdefault(path, []).append(old)
        else:
            pairs[path] = old, position
    for position, status in paced(seen.items()):
        path = index.path(position)
        if inside and index.mode(position) == GITLINK:
            refuse_link(path, status, ignoring(path))
        if path not in pairs:
            pairs[path] = ((index.modes[position], index.oids[position]), position)
    for path in links:
        if path not in pairs:
            position = index.find(path)
            pairs[path] = ((index.modes[position], index.oids[position]), position)
    out: list[Change] = []
    paths = [*pairs, *[path for path in again if path not in pairs]]
    ctx.pause()
    paths.sort()  # nearly in order: both sides were walked through in this order
    for path in paths:
        ctx.tick()
        gone = [Change("D", Filespec(path, *side), absent(path)) for side in again.get(path, ())]
        if path not in pairs:
            out += gone
            continue
        old, position = pairs[path]
        if relative and not path.startswith(relative):
            continue
        new = absent(path)
        if position >= 0 and files is not None:
            by_size = settle == "status"
            new = _work_side(store, looker, path, position, seen, links, by_size=by_size, ignoring=ignoring, ctx=ctx)
        change = _pair(path, old, new)
        if change is None and old is not None and path in links and index.oids[position] != new.oid:
            # strange but git's: it only looks at the index, which has another commit than the submodule
            change = Change("M", Filespec(path, *old), new)
        if change is None:
            out += gone
            continue
        touched = settle == "diff" and change.status == "M" and new.oid is None and new.mode == change.old.mode
        if touched and same_blob(store, path, new.mode, change.old.oid, ctx):
            out += gone
            continue
        out += [change, *gone]
        if first_only:
            break
    return out


def _work_side(
    store: Store,
    looker: Looker,
    path: bytes,
    position: int,
    seen: dict[int, os.stat_result | None],
    links: dict[bytes, Change],
    *,
    by_size: bool,
    ignoring: Callable[[bytes], bytes],
    ctx: Context,
) -> Filespec:
    """The work tree's side of a path that is in the index."""
    index = looker.index
    mode = index.modes[position]
    if path in links:
        return links[path].new
    if index.stages[position]:
        status = store.files.lstat(path) if store.files is not None else None
    elif position in seen:
        status = seen[position]
    else:
        return Filespec(path, mode, index.oids[position])
    if is_gone(store, status, mode, path):
        return absent(path)
    assert status is not None
    if mode == GITLINK and not index.stages[position] and ignoring(path) == b"all":
        return Filespec(path, mode, index.oids[position])  # whatever is in its place
    if status.st_mode & TYPE == TREE:
        if index.stages[position]:
            return _checked_out(store, path, index.oids[position], ignoring(path), ctx)
        return Filespec(path, GITLINK, index.oids[position] if mode == GITLINK else None)
    if by_size and not index.stages[position] and not looker.modified(position, status, by_size=True):
        return Filespec(path, mode, index.oids[position])
    return Filespec(path, looker.mode_of(position, status))


def _pair(path: bytes, old: Side | None, new: Filespec) -> Change | None:
    if old is None:
        return Change("A", absent(path), new) if new.mode else None
    before = Filespec(path, *old)
    if not new.mode:
        return Change("D", before, new)
    if (old[0] ^ new.mode) & TYPE:
        return Change("T", before, new)
    if new.oid == old[1] and new.mode == old[0] and not new.dirty:
        return None
    return Change("M", before, new)


def unchanged_entries(
    store: Store, changed: set[bytes], *, pathspecs: Pathspecs, files: bool = False, there: bool = False
) -> list[Change]:
    """The entries of the index that a comparison did not find changed. `files`: of files that are looked at in the work
    tree, which skips those that are not checked out (skip-worktree). `there`: beside a tree, so that an entry that
    neither that nor the work tree has is none."""
    index, work = current_index(store), store.files
    out: list[Change] = []
    for position, path in enumerate(paced(index.paths)):
        if path in changed or not pathspecs.match(path) or (files and index.skip_worktree(position)):
            continue
        if there and work is not None and work.lstat(path) is None:
            continue
        mode, oid = index.modes[position], index.oids[position]
        out.append(Change("=", Filespec(path, mode, oid), Filespec(path, mode, oid)))
    return out

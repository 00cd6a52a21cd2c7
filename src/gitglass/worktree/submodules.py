"""Submodules as seen from the superproject: which commit is checked out, and whether there are changes inside.

The submodule's repository is opened within the same jail and read in process; nothing is run. Mirrors git submodule(1),
gitmodules(5) `ignore`, and `diff.ignoreSubmodules`.
"""

from __future__ import annotations

import os
import stat

from ..diff.changes import MODIFIED, UNTRACKED, Change, Filespec
from ..errors import Corrupt, GitError, SandboxViolation, text
from ..index.index import Index
from ..limits import Context
from ..memories import Facts, Slot
from ..paths.pathspec import Pathspecs, PathspecSpec
from ..records import record
from ..repo.discover import Where, check_git_dir
from ..repo.gitmodules import SubmoduleNames, ignore_setting, submodule_names
from ..repo.store import Store, open_store
from .scan import ScanSpec, scan
from .stat_cache import GITLINK, Looker, gitlinks
from .tree_index import tree_vs_index

_MAX_NESTING = 20
_NESTING: Slot[int] = Slot("how many repositories this submodule is inside of")
_OPENED: Facts[bytes, tuple[Store | None]] = Facts("stores of submodules", most=2000, each=20_000)


@record
class SubmoduleState:
    """The state at a submodule's path. `head` None: it is not checked out, or has no commit yet."""

    head: bytes | None
    new_commits: bool = False
    dirty: int = 0  # UNTRACKED | MODIFIED

    @property
    def modified(self) -> bool:
        return bool(self.dirty & MODIFIED)

    @property
    def untracked(self) -> bool:
        return bool(self.dirty & UNTRACKED)


def sub_store(store: Store, path: bytes) -> Store | None:
    """The repository checked out at a path of the work tree; None if there is none."""
    opened = store.per_call.table(_OPENED)
    cached = opened.get(path)
    if cached is not None:
        return cached[0]
    sub: Store | None = None
    depth = store.per_call.get(_NESTING) or 0
    if store.files is not None and store.files.lstat(path + b"/.git") is not None and depth < _MAX_NESTING:
        sub = _opened(store, path)
        if sub is not None:
            sub.per_call.put(_NESTING, depth + 1)
    return opened.put(path, (sub,))[0]


def _opened(store: Store, path: bytes) -> Store | None:
    try:
        return store.submodule(path)
    except GitError as error:
        store.remarks.append(f"submodule '{text(path)}': {error.message}")
        return None


def inner_store(store: Store, path: bytes, names: SubmoduleNames | None = None) -> Store | None:
    """The repository of an active submodule: the one checked out, otherwise the absorbed one; None if there is none."""
    if not is_active(store, path, names):
        return None
    return sub_store(store, path) or absent_submodule(store, path, names)


def absent_submodule(store: Store, path: bytes, names: SubmoduleNames | None = None) -> Store | None:
    """The repository of a submodule that is not checked out, from the superproject's git directory.

    `names` replace those of the work tree's `.gitmodules`.
    """
    name = (names or submodule_names(store)).by_path.get(path)
    if name is None:
        return None
    git_dir = store.git_path(b"modules/" + name)
    try:
        where = Where(cwd=git_dir, git_dir=git_dir, bare=True)
        return open_store(where, root=None, limits=store.limits, jail=store.jail)
    except GitError:
        return None


def submodule_head(store: Store, path: bytes) -> bytes | None:
    """The commit checked out in a submodule, or None."""
    sub = sub_store(store, path)
    return None if sub is None else sub.refs.head()[1]


def refuse_link(path: bytes, status: os.stat_result | None, ignore: bytes) -> None:
    """Raises GitError, as git ends with an error if it has to examine a submodule and a symbolic link has replaced
    it."""
    if status is not None and stat.S_ISLNK(status.st_mode) and ignore not in (b"all", b"dirty"):
        raise Corrupt(f"expected submodule path '{text(path)}' not to be a symbolic link", prefix="error")


def refuse_broken(store: Store, path: bytes, *, file_only: bool = False) -> None:
    """Raises NotARepository where git has to look into a submodule and its `.git` leads nowhere; `file_only`: not where
    that is a directory. What lies outside of the jail is not judged."""
    if store.files is None or store.work_tree is None:
        return
    status = store.files.lstat(path + b"/.git")
    if status is None or (file_only and stat.S_ISDIR(status.st_mode)):
        return
    try:
        check_git_dir(store.work_tree, path + b"/.git", store.jail)
    except SandboxViolation:
        return


def submodule_state(store: Store, path: bytes, oid: bytes, ignore: bytes, *, ctx: Context) -> SubmoduleState:
    """How the submodule at a path differs from the superproject's commit. `ignore`: what not to examine."""
    if ignore == b"all":
        return SubmoduleState(None)
    sub = sub_store(store, path)
    if sub is None:
        if ignore != b"dirty":
            refuse_broken(store, path)
        return SubmoduleState(None)
    head = sub.refs.head()[1]
    state = SubmoduleState(head, new_commits=head is not None and head != oid)
    if ignore != b"dirty":
        state.dirty = dirt(sub, ignore, ctx=ctx)
    return state


def dirt(sub: Store, ignore: bytes, *, ctx: Context) -> int:
    """The flags UNTRACKED and MODIFIED of a submodule's work tree."""
    state = 0
    looker = Looker(sub, ctx)
    head = sub.refs.head()[1]
    tree = None if head is None else sub.odb.commit(head).tree
    if looker.index.unmerged or tree_vs_index(sub, tree, ctx=ctx) or _edited(looker):
        state |= MODIFIED
    default = b"untracked" if ignore == b"untracked" else b"none"
    for change in submodule_changes(sub, looker.index, Pathspecs.ALL, None, default, ctx=ctx):
        inner = change.new.dirty
        state |= inner & UNTRACKED
        if inner != UNTRACKED or change.old.oid != change.new.oid:
            state |= MODIFIED
    if ignore != b"untracked" and scan(sub, ScanSpec(other_dirs=True, hide_empty=True), ctx=ctx).untracked:
        state |= UNTRACKED
    return state


def _edited(looker: Looker) -> bool:
    return any(
        status is None or looker.modified(position, status, by_size=True)
        for position, status in looker.suspects(Pathspecs.ALL)
        if looker.index.modes[position] != GITLINK
    )


def is_active(store: Store, path: bytes, names: SubmoduleNames | None = None) -> bool:
    """Whether git considers a submodule active: by its `active`, or else `submodule.active`, or else by having a
    URL."""
    name = (names or submodule_names(store)).by_path.get(path)
    if name is None:
        return False
    own = store.config.get_bool(b"submodule." + name + b".active")
    if own is not None:
        return own is True
    patterns = store.config.get_all("submodule.active")
    if patterns:
        return Pathspecs.parse(patterns, b"", PathspecSpec()).match(path, True)
    return store.config.get(b"submodule." + name + b".url") is not None


def submodule_changes(
    store: Store, index: Index, pathspecs: Pathspecs, given: bytes | None, default: bytes, *, ctx: Context
) -> list[Change]:
    """The submodules that are checked out and differ: another commit, or changes inside."""
    changes: list[Change] = []
    for position in gitlinks(index):
        ctx.tick()
        path, oid = index.paths[position], index.oids[position]
        if index.stages[position] or index.assume_valid(position) or index.skip_worktree(position):
            continue
        if not pathspecs.match(path, True):
            continue
        state = submodule_state(store, path, oid, ignore_setting(store, path, given, default), ctx=ctx)
        if state.new_commits or state.dirty:
            new = Filespec(path, GITLINK, state.head if state.new_commits else oid, state.dirty)
            changes.append(Change("M", Filespec(path, GITLINK, oid), new))
    return changes

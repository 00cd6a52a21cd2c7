"""Errors for `REV:path` and `:path` that name nothing: git reports which part is wrong.

Called when an argument is neither a revision nor a path; the errors have precise messages because an agent can act on
them ("exists on disk, but not in 'HEAD'").
"""

import stat

from ..disk.jail import Jail
from ..errors import GitError, NotFound, text
from ..limits import Context
from ..paths.lexical import normal_path
from ..repo.store import Store
from .errors import bad_argument, bad_revision, no_path
from .grammar import IndexPath, TreePath, parse
from .resolve import Resolver, full_index, relative_path, tree_entry


def is_there(jail: Jail, base: bytes, word: bytes) -> bool:
    """Whether a word names something on disk, from `base`; what has a slash, `.` or `..` behind it is a directory, as
    the kernel has it. Raises what reading it raises."""
    name = word.removesuffix(b"/..").removesuffix(b"/.").removesuffix(b"/")
    path = normal_path(base, name or b"/")
    return jail.lstat(path) is not None if name == word else jail.is_dir(path)


def die_argument(store: Store, argument: bytes, *, ctx: Context) -> GitError:
    """The error for an argument that is neither revision nor path: a misspelt path in a tree, or the general error."""
    magic = argument[:1] == b":" and not argument[1:2].isalnum()
    if not magic:
        error = misspelt(store, argument, ctx=ctx)
        if error is not None:
            return error
        Resolver(store, ctx=ctx, quiet=True).find(argument)  # git looks it up again here, and repeats its warnings
    return bad_argument(store, argument, ctx=ctx)


def die_revision(store: Store, argument: bytes, *, ctx: Context) -> NotFound:
    """The error for a word that can only be a revision; if the revision of `REV:path` is valid, the hint is about the
    path."""
    spec = parse(argument)
    if isinstance(spec, TreePath) and spec.path:
        top = Resolver(store, ctx=ctx, want="treeish", quiet=True).find_spec(spec.object)
        if top is not None:
            try:
                tree = store.odb.peel(top.oid, b"tree")
            except GitError:
                return bad_revision(store, argument, ctx=ctx)
            return no_path(store, tree, spec.path, f"bad revision '{text(argument)}'", ctx=ctx)
    return bad_revision(store, argument, ctx=ctx)


def misspelt(store: Store, argument: bytes, *, ctx: Context) -> NotFound | None:
    """Why `REV:path` or `:[n:]path` does not name an object; None for anything else."""
    spec = parse(argument)
    if isinstance(spec, TreePath):
        return _in_tree(store, spec, ctx)
    if isinstance(spec, IndexPath) and argument[1:2] not in (b"", b"/"):
        return _in_index(store, spec)
    return None


def _in_tree(store: Store, spec: TreePath, ctx: Context) -> NotFound | None:
    name = text(spec.object.text)
    top = Resolver(store, ctx=ctx, want="treeish", quiet=True).find_spec(spec.object)
    if top is None:
        return NotFound(f"invalid object name '{name}'.", name=name)
    path = relative_path(store, spec.path)
    if _on_disk(store, path):
        return NotFound(f"path '{text(path)}' exists on disk, but not in '{name}'", path=text(path))
    full = store.prefix + path
    try:
        tree = store.odb.peel(top.oid, b"tree")
    except GitError:
        tree = None
    if store.prefix and tree is not None and tree_entry(store, tree, full) is not None:
        hint = f"Did you mean '{name}:{text(full)}' aka '{name}:./{text(path)}'?"
        return NotFound(f"path '{text(full)}' exists, but not '{text(path)}'\nhint: {hint}", hint=hint, path=text(path))
    message = f"path '{text(path)}' does not exist in '{name}'"
    return NotFound(message, path=text(path)) if tree is None else no_path(store, tree, full, message, ctx=ctx)


def _in_index(store: Store, spec: IndexPath) -> NotFound:
    path = relative_path(store, spec.path)
    shown = text(path)
    stage = _any_stage(store, path)
    if stage is not None:
        hint = f"Did you mean ':{stage}:{shown}'?"
        words = f"path '{shown}' is in the index, but not at stage {spec.stage}\nhint: {hint}"
        return NotFound(words, hint=hint, path=shown)
    full = store.prefix + path
    stage = _any_stage(store, full)
    if stage is not None:
        hint = f"Did you mean ':{stage}:{text(full)}' aka ':{stage}:./{shown}'?"
        return NotFound(f"path '{text(full)}' is in the index, but not '{shown}'\nhint: {hint}", hint=hint, path=shown)
    if _on_disk(store, path):
        return NotFound(f"path '{shown}' exists on disk, but not in the index", path=shown)
    return NotFound(f"path '{shown}' does not exist (neither on disk nor in the index)", path=shown)


def _any_stage(store: Store, path: bytes) -> int | None:
    for stage in range(4):
        if full_index(store).find(path, stage) >= 0:
            return stage
    return None


def _on_disk(store: Store, path: bytes) -> bool:
    if store.work_tree is None or not path:
        return False
    try:
        status = store.jail.lstat(normal_path(store.work_tree, path))
        return status is not None and (path[-1:] != b"/" or stat.S_ISDIR(status.st_mode))
    except GitError:
        return False

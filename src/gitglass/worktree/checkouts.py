"""The work trees of a repository: their paths and what is checked out in each. Mirrors git-worktree(1), "list"."""

from collections.abc import Iterator

from ..errors import BadRequest, SandboxViolation, text
from ..limits import step
from ..paths.lexical import normal_path
from ..records import record
from ..refs.names import check_refname
from ..repo.store import Store

_MAX_LINE = 1 << 16
_MAX_REASON = 1 << 20

_HEADS = b"refs/heads/"
GONE = b"gitdir file points to non-existent location"


@record
class Checkout:
    """One work tree.

    `name` is its directory in `worktrees/`, b"" for the main one. `branch` is a full name, None if HEAD is detached or
    broken; `head` is all zeros if unborn, and None if HEAD is broken. `locked` holds the reason, b"" if none was given.
    """

    name: bytes
    path: bytes
    branch: bytes | None
    head: bytes | None = None
    bare: bool = False
    locked: bytes | None = None


def checkouts(store: Store) -> list[Checkout]:
    """Every work tree of the repository, the main one first, the others in the order of the directory, as git meets
    them."""
    common = store.common_dir
    main = common[:-5] if common.endswith(b"/.git") else common
    bare = store.bare or store.config.get_bool("core.bare", False) is True
    trees = [_checkout(store, b"", main)]
    trees[0].bare = bare
    for name, kind in store.jail.scandir(common + b"/worktrees"):
        step()
        if kind == "d":
            link = store.jail.read_optional(b"%b/worktrees/%b/gitdir" % (common, name), _MAX_LINE)
            if link is not None:
                trees.append(_checkout(store, name, link.rstrip(b" \t\r\n").removesuffix(b"/.git")))
    return trees


def _checkout(store: Store, name: bytes, path: bytes) -> Checkout:
    head = b"worktrees/%b/HEAD" % name if name else b"main-worktree/HEAD"
    ref = store.refs.lookup(head)  # if HEAD names a symbolic branch, the branch that it leads to is checked out
    branch = ref.name if ref.symbolic and check_refname(ref.name, onelevel=True) else None
    oid = ref.oid
    locked = None
    if name:
        locked = store.jail.read_optional(b"%b/worktrees/%b/locked" % (store.common_dir, name), _MAX_REASON)
    if oid is None and branch is not None:
        oid = store.null
    return Checkout(name, path, branch, oid, locked=None if locked is None else locked.strip())


def prunable(store: Store, checkout: Checkout, expire: int) -> bytes | None:
    """The reason why `git worktree prune` would remove it, or None; its files must be older than `expire`.

    A work tree outside of the jail cannot be examined and is assumed to exist.
    """
    if not checkout.name or checkout.locked is not None:
        return None
    dot = normal_path(store.work_tree or store.cwd, checkout.path + b"/.git")  # the file may hold a relative path
    try:
        if store.jail.lstat(dot) is not None:
            return None
    except SandboxViolation:
        return None
    index = store.jail.lstat(b"%b/worktrees/%b/index" % (store.common_dir, checkout.name))
    return GONE if index is None or index.st_mtime <= expire else None


def branch_paths(store: Store) -> dict[bytes, bytes]:
    """Full branch name → the work tree that has it checked out: of several the one that git meets last."""
    return {checkout.branch: checkout.path for checkout in checkouts(store) if checkout.branch is not None}


# --- branches that a work tree holds --------------------------------------------------------------------------------


def taken_by(store: Store, name: bytes, *, elsewhere: bool = False) -> str | None:
    """The directory of the work tree that has a branch checked out, or rebases or bisects it; with `elsewhere`, only
    other work trees count."""
    here = store.git_dir.rpartition(b"/")[2] if store.linked else b""
    for checkout in checkouts(store):
        step()
        if elsewhere and checkout.name == here:
            continue
        if name in (checkout.branch, _rebased(store, checkout), _bisected(store, checkout)) and not checkout.bare:
            return text(checkout.path)
    return None


def need_idle(store: Store, name: bytes) -> None:
    """Raise BadRequest if a branch is being rebased or bisected, so that it cannot be renamed."""
    for checkout in checkouts(store):
        step()
        for branch, what in ((_rebased(store, checkout), "rebased"), (_bisected(store, checkout), "bisected")):
            if branch == name and checkout.branch is None:
                raise BadRequest(f"Branch {text(name)} is being {what} at {text(checkout.path)}")


def _rebased(store: Store, checkout: Checkout) -> bytes | None:
    for name, raw in _words(store, checkout, (b"rebase-merge/head-name", b"rebase-apply/head-name")):
        if raw.startswith(_HEADS) and not (name.startswith(b"rebase-apply") and not _is_rebase(store, checkout)):
            return raw
    return None


def _is_rebase(store: Store, checkout: Checkout) -> bool:
    """Whether `rebase-apply` belongs to a rebase, not to `git am`."""
    return any(True for _ in _words(store, checkout, (b"rebase-apply/rebasing",)))


def _bisected(store: Store, checkout: Checkout) -> bytes | None:
    if not any(True for _ in _words(store, checkout, (b"BISECT_LOG",))):
        return None
    for _, raw in _words(store, checkout, (b"BISECT_START",)):
        return _HEADS + raw.removeprefix(_HEADS)
    return None


def _words(store: Store, checkout: Checkout, names: tuple[bytes, ...]) -> Iterator[tuple[bytes, bytes]]:
    """The existing ones of some small files in a work tree's git directory: (name, content without its newline)."""
    folder = store.common_dir + (b"/worktrees/" + checkout.name if checkout.name else b"")
    for name in names:
        raw = store.jail.read_optional(folder + b"/" + name)
        if raw is not None:
            yield name, raw.rstrip(b"\n")

"""Which branch is checked out where: the main work tree and the linked ones. Mirrors git-worktree(1), "list"."""

from dataclasses import dataclass

from ..store.store import Store

_MAX_LINE = 1 << 16


@dataclass(slots=True)
class Checkout:
    """One work tree: where it is, the branch it is on (None when detached or broken)."""

    path: bytes
    branch: bytes | None


def checkouts(store: Store) -> list[Checkout]:
    """Every work tree of the repository, the main one first."""
    common = store.common_dir
    main = common[:-5] if common.endswith(b"/.git") else common
    found = [Checkout(main, _branch(store, b"main-worktree/HEAD"))]
    for name, kind in sorted(store.jail.scandir(common + b"/worktrees")):
        if kind == "d":
            link = store.jail.read_optional(b"%b/worktrees/%b/gitdir" % (common, name), _MAX_LINE)
            if link is not None:
                path = link.rstrip(b" \t\r\n")
                found.append(Checkout(path.removesuffix(b"/.git"), _branch(store, b"worktrees/%b/HEAD" % name)))
    return found


def _branch(store: Store, head: bytes) -> bytes | None:
    target = store.refs.symref(head)
    return target if target is not None and target.startswith(b"refs/") else None


def branch_paths(store: Store) -> dict[bytes, bytes]:
    """Full branch name → the work tree it is checked out in."""
    return {c.branch: c.path for c in reversed(checkouts(store)) if c.branch is not None}

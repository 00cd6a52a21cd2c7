"""The entries of a tree object, as git ls-tree walks them.

Its paths are not pathspecs: each is a literal path, and only a slash at its end (`src/`), or a path below it, opens a
directory that is named. An entry is `(mode, path from the top, oid)`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import GitError
from ..limits import Context
from ..store.objects import tree_entries
from ..store.store import Store

Entry = tuple[int, bytes, bytes]
_KIND, _DIRECTORY, _GITLINK = 0o170000, 0o040000, 0o160000
_DEEPEST = 4096


@dataclass(slots=True, frozen=True)
class TreeListSpec:
    """`paths` from the top, with their slashes at the end; none: everything."""

    paths: Sequence[bytes] = ()
    recursive: bool = False
    trees: bool = False  # show directories that are opened
    only_trees: bool = False


def list_tree(store: Store, tree: bytes, spec: TreeListSpec, *, ctx: Context) -> Iterator[Entry]:
    """The entries below `tree`, in the order of the tree. Raises what reading a tree raises."""
    everything = not spec.paths
    stack: list[Iterator[Entry]] = [_entries(store, tree, b"")]
    while stack:
        for mode, path, oid in stack[-1]:
            ctx.tick()
            if not everything and not _interesting(spec.paths, path, mode):
                continue
            if mode & _KIND == _DIRECTORY:
                opened = spec.recursive or (not everything and _opens(spec.paths, path))
                if not opened or spec.trees:
                    yield mode, path, oid
                if opened:
                    if len(stack) >= _DEEPEST:
                        raise GitError("the tree is nested too deeply")
                    stack.append(_entries(store, oid, path + b"/"))
                    break
            elif not spec.only_trees or mode & _KIND == _GITLINK:
                yield mode, path, oid
        else:
            stack.pop()


def _entries(store: Store, tree: bytes, base: bytes) -> Iterator[Entry]:
    for mode, name, oid in tree_entries(store.odb.tree(tree), store.hash_len):
        yield mode, base + name, oid


def _interesting(wanted: Sequence[bytes], path: bytes, mode: int) -> bool:
    """Is the entry named, below something named, or on the way to it?"""
    kind = mode & _KIND
    for match in wanted:
        if not match or match == path:
            return True
        if path.startswith(match) and (match.endswith(b"/") or path[len(match)] == 0x2F):
            return True
        if match.startswith(path) and match[len(path)] == 0x2F:
            if kind == _DIRECTORY or (kind == _GITLINK and len(match) == len(path) + 1):
                return True
    return False


def _opens(wanted: Sequence[bytes], path: bytes) -> bool:
    """Does one of the paths lead into this directory?"""
    return any(match.startswith(path) and match[len(path) : len(path) + 1] == b"/" for match in wanted)

"""git's errors for a revision that names nothing, with the most similar refs as a hint."""

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import NotFound, text
from ..limits import Context
from ..repo.store import Store

if TYPE_CHECKING:
    from ..paths.near_paths import near_paths, paths_of_tree
else:
    near_paths, paths_of_tree = deferred(__name__, "..paths.near_paths", "near_paths", "paths_of_tree")


_SHOWN = 5


def bad_argument(store: Store, argument: bytes, *, ctx: Context) -> NotFound:
    """The error for a word that is neither a revision nor a path."""
    shown = text(argument)
    message = (
        f"ambiguous argument '{shown}': unknown revision or path not in the working tree.\n"
        "Use '--' to separate paths from revisions, like this:\n"
        "'git <command> [<revision>...] -- [<file>...]'"
    )
    return _with_candidates(store, argument, message, ctx)


def bad_revision(store: Store, argument: bytes, *, ctx: Context) -> NotFound:
    """The error for a word that can only be a revision, because `--` follows it."""
    return _with_candidates(store, argument, f"bad revision '{text(argument)}'", ctx)


def _with_candidates(store: Store, argument: bytes, message: str, ctx: Context) -> NotFound:
    names = [text(name) for name in closest(store, argument, ctx)]
    hint = "did you mean " + ", ".join(names) + "?" if names else None
    return NotFound(message, hint=hint, name=text(argument), candidates=names)


def no_path(store: Store, tree: bytes, path: bytes, message: str, *, ctx: Context) -> NotFound:
    """The error for a path that is not in a tree; its hint names similar paths of the tree."""
    names = [text(name) for name in near_paths(path, paths_of_tree(store, tree, ctx=ctx))]
    hint = "did you mean " + ", ".join(names) + "?" if names else None
    return NotFound(message, hint=hint, path=text(path), candidates=names)


def closest(store: Store, argument: bytes, ctx: Context) -> list[bytes]:
    """The short names of a few refs similar to the base of `argument`; those that end in it come first."""
    wanted = argument.lstrip(b"^")
    for mark in (b"..", b"^", b"~", b":", b"@{"):
        wanted = wanted.partition(mark)[0]
    wanted = wanted.lower()
    if len(wanted) < 2:
        return []
    ranked: list[tuple[bool, int, bytes]] = []
    for name, _ in store.refs.iterate(b"refs/"):
        ctx.tick()
        short = name.partition(b"/")[2].partition(b"/")[2]
        distance = _distance(wanted, short.lower())
        if distance is not None:
            ranked.append((not _is_tail(wanted, short.lower()), distance, short))
    ranked.sort()
    return [short for _, _, short in ranked[:_SHOWN]]


def _is_tail(wanted: bytes, name: bytes) -> bool:
    """Whether the last part of a ref's name is the wanted name: `origin/7.2`, `release/7.2` and `v7.2` for `7.2`."""
    tail = name[len(name) - len(wanted) :]
    before = name[: len(name) - len(wanted)]
    return tail == wanted and (before[-1:] in (b"", b"/", b"-", b"_") or before[-2:] == b"v" or before.endswith(b"/v"))


def _distance(wanted: bytes, name: bytes) -> int | None:
    """A small number if the names are similar, otherwise None."""
    if wanted in name or (len(name) > 2 and name in wanted):
        return abs(len(name) - len(wanted)) + 1
    tail = name.rpartition(b"/")[2]
    if abs(len(tail) - len(wanted)) > 2 or len(wanted) > 80:
        return None
    row = list(range(len(tail) + 1))
    for at, char in enumerate(wanted, 1):
        last, row[0] = row[0], at
        for to, other in enumerate(tail, 1):
            last, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, last + (char != other))
    return row[-1] if row[-1] <= (2 if len(wanted) > 3 else 1) else None

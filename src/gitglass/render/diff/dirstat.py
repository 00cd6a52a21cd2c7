"""`--dirstat`: the share of each directory in the change (git-diff(1))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import gt, itemgetter

from ...annotations import TYPE_CHECKING
from ...diff.changes import TREE, Change, Contents, Filespec
from ...diff.similarity import Similarity
from ...diff.spec import DiffSpec
from ...limits import paced
from .stat import FileStat

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["dirstat", "dirstat_by_line"]


def dirstat(changes: Sequence[Change], contents: Contents, spec: DiffSpec, *, ctx: Context) -> Iterator[bytes]:
    """By bytes that were added or removed (the default), or by files."""
    similarity = Similarity(contents)
    names, damages = list[bytes](), list[int]()
    tick, by_files = ctx.ticks(), spec.dirstat.by == "files"
    news = [_as_measured(new, spec) if new.dirty else new for change in paced(changes) for new in (change.new,)]
    sizes = [-1] * len(news) if by_files else contents.sizes(news)
    for change, new, size in zip(changes, news, sizes):
        tick()
        old = change.old
        if old.oid is not None and old.oid == new.oid:
            damage = 0
        elif by_files or old.mode == TREE or new.mode == TREE:  # of a directory (-t) git reads no content
            damage = 1
        elif not (old.mode or new.mode):  # an unmerged path, whose sides are not known
            continue
        elif not old.mode:
            damage = (size if size >= 0 else contents.size(new)) or 1
        else:
            copied, added = similarity.count(old, new) if new.mode else (0, 0)
            damage = (contents.size(old) - copied + added) or 1
        names.append(new.path)
        damages.append(damage)
    return _write(names, damages, spec)


def _as_measured(new: Filespec, spec: DiffSpec) -> Filespec:
    """A side as git measures it: it checks submodules with new commits for dirt only if it writes a patch."""
    if new.dirty and new.hidden and not spec.formats.patch:
        return Filespec(new.path, new.mode, new.oid)
    return new


def dirstat_by_line(stats: Sequence[FileStat], spec: DiffSpec) -> Iterator[bytes]:
    """By lines; in binary files 64 bytes count as one line."""
    damages = [one.added + one.deleted for one in stats]
    weights = [-(-damage // 64) if one.binary else damage for one, damage in zip(stats, damages)]
    return _write([one.name for one in stats], weights, spec)


def _write(names: list[bytes], damages: list[int], spec: DiffSpec) -> Iterator[bytes]:
    total = sum(damages)
    if not total:
        return
    if any(map(gt, names, islice(names, 1, None))):
        pairs = sorted(zip(names, damages), key=itemgetter(0))
        names, damages = [name for name, _ in pairs], [damage for _, damage in pairs]
    for permille, directory in _gather(names, damages, total, spec):
        yield spec.patch.line_prefix + b"%4d.%01d%% %s\n" % (permille // 10, permille % 10, directory)


def _gather(names: list[bytes], damages: list[int], total: int, spec: DiffSpec) -> list[tuple[int, bytes]]:
    """(permille, directory) from the leaves up.

    A directory is left out if everything in it comes from one directory below; the share of a directory that is shown
    is not counted in those above, unless shares are cumulative. The directories are kept on a stack, since the
    repository decides their depth.
    """
    shown: list[tuple[int, bytes]] = []
    stack: list[list[int]] = [[0, 0, 0]]  # length of the directory's name, sum, sources
    base, top = b"", stack[0]
    for name, damage in chain(zip(names, damages), ((b"", 0),)):
        while top[0] and not name.startswith(base):
            length, changes, sources = stack.pop()
            top = stack[-1]
            if sources != 1 and changes:
                permille = changes * 1000 // total
                if permille >= spec.dirstat.permille:
                    shown.append((permille, base[:length]))
                    if not spec.dirstat.cumulative:
                        changes = 0
            top[1] += changes
            top[2] += 1
            base = base[: top[0]]
        if not name:
            break
        slash = name.find(b"/", len(base))
        while slash >= 0:
            top = [slash + 1, 0, 0]
            stack.append(top)
            base = name[: slash + 1]
            slash = name.find(b"/", slash + 1)
        top[1] += damage
        top[2] += 2
    return shown

"""`--dirstat`: the share of each directory in the change (git-diff(1))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...annotations import TYPE_CHECKING
from ...diff.changes import TREE, Change, Contents, Filespec
from ...diff.similarity import Similarity
from ...diff.spec import DiffSpec
from .stat import FileStat

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["dirstat", "dirstat_by_line"]


def dirstat(changes: Sequence[Change], contents: Contents, spec: DiffSpec, *, ctx: Context) -> Iterator[bytes]:
    """By bytes that were added or removed (the default), or by files."""
    similarity = Similarity(contents)
    damages: list[tuple[bytes, int]] = []
    for change in changes:
        ctx.tick()
        old, new = change.old, _as_measured(change.new, spec)
        if old.oid is not None and old.oid == new.oid:
            damage = 0
        elif spec.dirstat.by == "files" or TREE in (old.mode, new.mode):  # of a directory (-t) git reads no content
            damage = 1
        elif not (old.mode or new.mode):  # an unmerged path, whose sides are not known
            continue
        else:
            copied = added = 0
            if old.mode and new.mode:
                copied, added = similarity.count(old, new)
            elif new.mode:
                added = contents.size(new)
            damage = (contents.size(old) - copied + added) or 1
        damages.append((_name(new.path, spec), damage))
    return _write(damages, spec)


def _as_measured(new: Filespec, spec: DiffSpec) -> Filespec:
    """A side as git measures it: it checks submodules with new commits for dirt only if it writes a patch."""
    if new.dirty and new.hidden and not spec.formats.patch:
        return Filespec(new.path, new.mode, new.oid)
    return new


def dirstat_by_line(stats: Sequence[FileStat], spec: DiffSpec) -> Iterator[bytes]:
    """By lines; in binary files 64 bytes count as one line."""
    damages = []
    for one in stats:
        damage = one.added + one.deleted
        damages.append((one.name, -(-damage // 64) if one.binary else damage))
    return _write(damages, spec)


def _name(path: bytes, spec: DiffSpec) -> bytes:
    return path


def _write(damages: list[tuple[bytes, int]], spec: DiffSpec) -> Iterator[bytes]:
    total = sum(damage for _, damage in damages)
    if not total:
        return
    damages.sort(key=lambda pair: pair[0])
    for permille, directory in _gather(damages, total, spec):
        yield spec.patch.line_prefix + b"%4d.%01d%% %s\n" % (permille // 10, permille % 10, directory)


def _gather(damages: list[tuple[bytes, int]], total: int, spec: DiffSpec) -> list[tuple[int, bytes]]:
    """(permille, directory) from the leaves up.

    A directory is left out if everything in it comes from one directory below; the share of a directory that is shown
    is not counted in those above, unless shares are cumulative. The directories are kept on a stack, since the
    repository decides their depth.
    """
    shown: list[tuple[int, bytes]] = []
    stack: list[list[int]] = [[0, 0, 0]]  # length of the directory's name, sum, sources
    base = b""
    for name, damage in [*damages, (b"", 0)]:
        while stack[-1][0] and not name.startswith(base):
            length, changes, sources = stack.pop()
            if sources != 1 and changes:
                permille = changes * 1000 // total
                if permille >= spec.dirstat.permille:
                    shown.append((permille, base[:length]))
                    if not spec.dirstat.cumulative:
                        changes = 0
            stack[-1][1] += changes
            stack[-1][2] += 1
            base = base[: stack[-1][0]]
        if not name:
            break
        slash = name.find(b"/", len(base))
        while slash >= 0:
            stack.append([slash + 1, 0, 0])
            base = name[: slash + 1]
            slash = name.find(b"/", slash + 1)
        stack[-1][1] += damage
        stack[-1][2] += 2
    return shown

"""Which reflogs the revisions of `git log -g` mean: `HEAD`, `main@{2}`, `stash@{yesterday}`."""

from __future__ import annotations

from ..errors import BadRequest, text
from ..history.reflogs import ReflogCursor
from ..limits import Context
from ..refs.reflog import Reflog
from ..repo.store import Store
from .dates import approxidate
from .names import interpret
from .tip import Tips


def reflog_cursors(store: Store, named: Tips, *, ctx: Context) -> list[ReflogCursor]:
    """A cursor for each revision that has a reflog; the others are skipped, as in git. Revisions before `-g` have none,
    and neither have annotated tags (`walked_beside`). Raises BadRequest for an excluded commit."""
    cursors = []
    for tip in named.entries[named.turn :]:
        if tip.commit is None or tip.kind == b"tag":
            continue
        if tip.exclude:
            raise BadRequest(f"cannot walk reflogs for {text(tip.name)}")
        cursor = reflog_cursor(store, tip.name, ctx=ctx)
        if cursor is not None:
            cursors.append(cursor)
    return cursors


def walked_beside(named: Tips) -> Tips:
    """The named objects that are no reflogs: all before `-g`, and annotated tags. They are the tips of a walk whose
    commits are not shown; commits which that walk excludes are left out of the reflogs (`v1.0..main`)."""
    behind = (tip for tip in named.entries[named.turn :] if tip.kind == b"tag")
    return Tips((*named.entries[: named.turn], *behind), named.symmetric, named.ranged, named.globbed, named.turn)


def reflog_cursor(store: Store, name: bytes, *, ctx: Context) -> ReflogCursor | None:
    """The reflog of a revision, at the entry that it names."""
    ctx.tick()
    name = _interpreted(store, name, ctx)
    branch, number, moment = name, 0, None
    at = name.find(b"@")
    if at >= 0 and name[at + 1 : at + 2] == b"{":
        branch = name[:at]
        inner = name[at + 2 :]
        digits = inner[: len(inner) - len(inner.lstrip(b"0123456789"))]
        if inner[len(digits) : len(digits) + 1] == b"}":
            number = int(digits or b"0")
        else:
            moment = approxidate(inner, ctx.now)
    if not branch:
        branch = store.refs.resolve(b"HEAD")[0]
    log_file = _find(store, branch)
    if log_file is None:
        return None
    shown, log = log_file
    if moment is not None:
        start = log.at_time(moment)
        return None if start is None else ReflogCursor(shown, log, start, True)
    return ReflogCursor(shown, log, number, False if at >= 0 else None)


def _interpreted(store: Store, name: bytes, ctx: Context) -> bytes:
    """The name with its beginning replaced by the branch it stands for: `topic@{u}@{1}` is an entry of the upstream's
    reflog."""
    if b"@" not in name:
        return name
    used, branch = interpret(store, name, ctx=ctx, quiet=True) or (0, b"")
    return branch + name[used:] if used and branch else name


def _find(store: Store, name: bytes) -> tuple[bytes, Reflog] | None:
    """The reflog of a name as written, or below refs/ or refs/heads/; in other directories it is shown by its full
    name."""
    for full in (name, b"refs/" + name, b"refs/heads/" + name):
        log = store.reflog(full)
        if log:
            return name, log
    target = store.refs.resolve(name)[0]
    log = store.reflog(target)
    if log:
        return name, log
    for full in (b"refs/tags/" + name, b"refs/remotes/" + name, b"refs/remotes/" + name + b"/HEAD"):
        final, _ = store.refs.resolve(full)
        log = store.reflog(full) or store.reflog(final)
        if log:
            return (full if store.reflog(full) else final), log
    return None

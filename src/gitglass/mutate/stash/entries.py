"""The entries of the stash: `refs/stash` is the newest, the others are lines of its log. Mirrors git-stash(1)."""

from __future__ import annotations

from ...errors import Ambiguous, BadRequest, CommandFailed, Corrupt, NotFound, text
from ...objects.parsed import GITLINK
from ...paths.pathspec import Pathspecs
from ...refs.reflog import parse_entry, read_reflog
from ...repo.gitmodules import FILE as GITMODULES
from ...revs.names import current_branch
from ...revs.resolve import try_resolve
from ...worktree.stat_cache import gitlinks
from ...worktree.submodules import sub_store
from ..changes import ABSENT, Changes, LogChange, RefChange
from ..ref_files import log_line
from ..view import View
from .uncommitted import Work

STASH = b"refs/stash"


def _numbers(view: View, word: str) -> list[int]:
    """The numbers of the entries whose commits' ids begin so."""
    log = enumerate(read_reflog(view.store.refs, STASH))
    return [number for number, entry in log if entry.new.hex().startswith(word.lower())]


def commit_like_an_entry(view: View, word: str) -> bytes | None:
    """The commit that a word names which is no entry and is made like one, as of an entry that was dropped: git applies
    such a one, too. None for any other."""
    oid = None if _numbers(view, word) else try_resolve(view.store, word, ctx=view.ctx)
    return oid if oid is not None and _is_like_an_entry(view, oid) else None


def entry_number(view: View, word: str) -> int:
    """The number of the entry whose commit's id begins so. Raises NotFound, Ambiguous; in git's words what it says of a
    commit that is none."""
    numbers = _numbers(view, word)
    oid = None if numbers else try_resolve(view.store, word, ctx=view.ctx)
    if oid is not None and not _is_like_an_entry(view, oid):
        raise BadRequest(f"'{word}' is not a stash-like commit")
    if oid is not None:
        raise CommandFailed(f"'{word}' is not a stash reference", status=1, prefix="error")
    if not numbers:
        raise NotFound(f"no stash entry is '{word}'", hint="git stash list names the entries.")
    if len(numbers) > 1:
        raise Ambiguous(f"{len(numbers)} stash entries begin with '{word}'")
    return numbers[0]


def _is_like_an_entry(view: View, oid: bytes) -> bool:
    """Whether an object is a commit on two or three others, as those of the stash are."""
    return view.odb.kind(oid) == b"commit" and len(view.odb.commit(oid).parents) in (2, 3)


def last_branch_read(view: View, branch: bytes, work: Work, specs: Pathspecs) -> bytes:
    """The branch that an entry with a message says it was made on, where HEAD is at `branch`. Strange but git's: it has
    the name where the next branch is read to, and reads those of submodules once more when it refreshes the index, and
    of those that `specs` match when it compares the files. It does not for those that it has come by when it looked for
    changes: it looks there unless something is staged, and no further than the first. HEAD itself is read again for the
    first submodule where `.gitmodules` is only there, if anywhere."""
    index, looked = view.index, not any(work.head.get(path) != work.index.get(path) for path in work.touched)
    first = min((path for path in work.touched if _is_changed(work, path)), default=None)
    paths = [index.path(at) for at in gitlinks(index)]
    seen = {path for path in paths if looked and specs.match(path) and (first is None or path < first)}
    refreshed = [path for path in paths if path not in seen]
    compared = list(filter(specs.match, refreshed))
    name = branch
    for path in refreshed + compared:
        sub = sub_store(view.store, path)
        name = (None if sub is None else current_branch(sub)) or name
    files = view.store.files
    has_rules = index.find(GITMODULES) >= 0 or (files is not None and files.lstat(GITMODULES) is not None)
    return branch if len(compared) == 1 and not seen and not has_rules else name


def _is_changed(work: Work, path: bytes) -> bool:
    before, after = work.index.get(path), work.work.get(path)
    return path in work.folders or (before != after and GITLINK not in (before and before[0], after and after[0]))


def add_entry(view: View, changes: Changes, commit: bytes, message: bytes) -> None:
    """Put a commit into `changes` as the newest entry; nothing where that is what it is, as of any ref that stays."""
    change = view.move_ref(STASH, commit)
    if change.before == commit:
        return
    changes.refs.append(change)
    log = view.git_file(b"logs/" + STASH)
    line = log_line(LogChange(STASH, change.before, commit, message), view.ident(), view.store.null)
    changes.logs.append(LogChange(STASH, whole=True, before=log, content=(log or b"") + line))


def drop_entry(view: View, changes: Changes, number: int) -> None:
    """Take an entry out of the log; the old value of each one that stays is the new value of the one before it, as
    `git reflog delete --rewrite` has it. Lines that are no entries stay: git does not count them, and drops them.
    Raises Corrupt for a log that would have no other."""
    before, size = _log(view), view.store.hex_len
    lines = before.split(b"\n")[:-1]
    entries = [at for at, line in enumerate(lines) if parse_entry(line, view.store.hash_len) is not None]
    dropped = entries.pop(-1 - number)
    old = view.store.null.hex().encode()
    for at in entries:
        lines[at] = old + lines[at][size:]
        old = lines[at][size + 1 : 2 * size + 1]
    del lines[dropped]
    if lines and not entries:
        raise Corrupt("the log of refs/stash is damaged: no line that would be left is an entry")
    _keep(view, changes, before, lines, old)


def drop_entries(view: View, changes: Changes) -> None:
    """Drop every entry."""
    _keep(view, changes, _log(view), [], b"")


def _log(view: View) -> bytes:
    return bytes(view.git_file(b"logs/" + STASH) or b"")


def _keep(view: View, changes: Changes, before: bytes, kept: list[bytes], last: bytes) -> None:
    """The log with these lines left; the ref follows the `last` of its entries, and goes where none is left."""
    value = view.ref(STASH)[0]
    view.grant.need_ref(text(STASH))
    if not kept:
        changes.refs.append(RefChange(STASH, value, ABSENT))
        changes.logs.append(LogChange(STASH, whole=True, before=before, content=None))
        return
    newest = bytes.fromhex(last.decode())
    if newest != value:
        changes.refs.append(RefChange(STASH, value, newest))
    content = b"".join(line + b"\n" for line in kept)
    changes.logs.append(LogChange(STASH, whole=True, before=before, content=content))

"""The entries of the stash: `refs/stash` is the newest, the others are lines of its log. Mirrors git-stash(1)."""

from __future__ import annotations

from ...errors import Ambiguous, NotFound
from ...refs.reflog import read_reflog
from ..changes import Changes, LogChange
from ..view import View

STASH = b"refs/stash"


def entry_number(view: View, word: str) -> int:
    """The number of the entry whose commit's id begins so. Raises NotFound, Ambiguous."""
    log = enumerate(read_reflog(view.store.refs, STASH))
    numbers = [number for number, entry in log if entry.new.hex().startswith(word.lower())]
    if not numbers:
        raise NotFound(f"no stash entry is '{word}'", hint="git stash list names the entries.")
    if len(numbers) > 1:
        raise Ambiguous(f"{len(numbers)} stash entries begin with '{word}'")
    return numbers[0]


def add_entry(view: View, changes: Changes, commit: bytes, message: bytes) -> None:
    """Put a commit into `changes` as the newest entry."""
    change = view.move_ref(STASH, commit)
    changes.refs.append(change)
    log = view.store.jail.read_optional(view.store.git_path(b"logs/" + STASH))
    old = (change.before or view.store.null).hex().encode()
    line = b"%b %b %b\t%b\n" % (old, commit.hex().encode(), view.ident(), message)
    changes.logs.append(LogChange(STASH, whole=True, before=log, content=(log or b"") + line))

"""The other end of a push to a repository on this machine: objects judged and connected, refs by compare-and-swap.

It is an operation of that repository, planned and carried out like any other: in its operation log, under its locks.
`receive.deny*` are obeyed; its hooks are not run: where there are any, the host decides. Mirrors git-receive-pack(1).
"""

from __future__ import annotations

from ...errors import BadRequest, Unsupported, text
from ...refs.names import check_refname
from ...repo.store import Store
from ...request.ref_mutations import ReceiveRequest
from ...revs.exclusions import hidden_patterns, is_hidden
from ...worktree.checkouts import checkouts
from ..changes import ABSENT, Changes, LogChange
from ..operations.branch import check_free
from ..operations.common import check_hooks, finished
from ..plan import Answer, Plan
from ..view import View
from .listing import Outcome, Update
from .local import is_forward, lacking, need_same_format
from .packs.packing import packed
from .packs.quarantine import take_in, take_objects
from .ref_map import HEADS

#: keys of a view's exchange: the store that is pushed from, and what becomes of each ref
SOURCE, OUTCOME = "push source", "push outcome"
_HOOKS = ("pre-receive", "update", "post-receive", "post-update", "proc-receive", "push-to-checkout")
_ONE_BY_ONE = 100

_CURRENT = """\
error: By default, updating the current branch in a non-bare repository
is denied, because it will make the index and work tree inconsistent
with what you pushed, and will require 'git reset --hard' to match
the work tree to HEAD.

You can set the 'receive.denyCurrentBranch' configuration variable
to 'ignore' or 'warn' in the remote repository to allow pushing into
its current branch; however, this is not recommended unless you
arranged to update its work tree to match what you pushed in some
other way.

To squelch this message and still keep the default behaviour, set
'receive.denyCurrentBranch' configuration variable to 'refuse'."""
_DELETED = """\
error: By default, deleting the current branch is denied, because the next
'git clone' won't result in any file checked out, causing confusion.

You can set 'receive.denyDeleteCurrent' configuration variable to
'warn' or 'ignore' in the remote repository to allow deleting the
current branch, with or without a warning message.

To squelch this message, you can set it to 'refuse'."""


def plan_receive(request: ReceiveRequest, view: View) -> Plan:
    """The plan of what is received. What becomes of each ref is in the view's exchange; refused ones are no errors.
    Raises Corrupt for objects that are refused, Unsupported where hooks would run."""
    check_hooks(view, _HOOKS)
    source: Store = view.exchange[SOURCE]
    need_same_format(view, source)
    updates = [Update(name.encode("utf-8", "surrogateescape"), bytes.fromhex(old), bytes.fromhex(new))
               for name, old, new in request.updates]  # fmt: skip
    outcome = view.exchange[OUTCOME] = Outcome()
    _bring(view, source, [update.new for update in updates if update.new])
    changes = Changes()
    for update in updates:
        outcome.rejected[update.name] = _refusal(view, update, outcome.words, changes)
    if request.atomic and any(outcome.rejected.values()):
        for name, reason in outcome.rejected.items():
            outcome.rejected[name] = reason or "atomic push failure"
        changes = Changes()
    if not changes.refs:
        view.new.held.clear()
        view.packs.clear()
    return finished(request, view, changes, Answer())


def _bring(view: View, source: Store, wants: list[bytes]) -> None:
    """The objects that are lacked, into quarantine."""
    lacked = [oid for oid in dict.fromkeys(wants) if not view.odb.has(oid)]
    refs = view.store.refs
    ends = {refs.peeled(name, oid) or oid for name, oid in refs.iterate(b"refs/")}  # no tag is opened once more
    haves = {oid for oid in ends if source.odb.has(oid)}
    oids = lacking(source, lacked, sorted(haves), view.ctx)
    if len(oids) < _ONE_BY_ONE:
        take_objects(view, ((oid, *source.odb.read_raw(oid)) for oid in oids), wants, action="receive")
    else:
        take_in(view, b"".join(packed(source.odb, oids, source.hash_name)), wants, action="receive")


def _refusal(view: View, update: Update, words: list[str], changes: Changes) -> str | None:
    """Why a ref is not changed; None where it is, and the change is planned."""
    name, old, new = update.name, update.old, update.new
    store = view.store
    if not name.startswith(b"refs/") or not check_refname(name[5:], onelevel=True):
        return "funny refname"
    if is_hidden(name, hidden_patterns(store, b"receive")):
        return f"deny {'deleting' if new == ABSENT else 'updating'} a hidden ref"
    reason = _held(store, name, words) if name.startswith(HEADS) else None
    if reason is None and new == ABSENT:
        reason = _kept(store, name, words)
    strict = name.startswith(HEADS) and store.config.get_bool("receive.denynonfastforwards", False)
    if reason is None and old != ABSENT and new != ABSENT and strict and not _is_forward(view, old, new):
        words.append(f"error: denying non-fast-forward {text(name)} (you should pull first)")
        reason = "non-fast-forward"
    return reason or _swapped(view, update, words, changes)


def _is_forward(view: View, old: bytes, new: bytes) -> bool:
    both = view.odb.has(old) and view.odb.kind(old) == view.odb.kind(new) == b"commit"
    return both and is_forward(view.store, old, new, view.ctx)


def _held(store: Store, name: bytes, words: list[str]) -> str | None:
    """Whether a branch is checked out, and may therefore not change (receive.denyCurrentBranch)."""
    if not any(one.branch == name and not one.bare for one in checkouts(store)):
        return None
    word = _word(store, "receive.denycurrentbranch")
    if word == "updateinstead":
        raise Unsupported("receive.denyCurrentBranch=updateInstead is not offered", setting="denyCurrentBranch")
    if word == "ignore":
        return None
    if word == "warn":
        words.append("warning: updating the current branch")
        return None
    words.append(f"error: refusing to update checked out branch: {text(name)}")
    if not word:
        words.extend(_CURRENT.split("\n"))
    return "branch is currently checked out"


def _kept(store: Store, name: bytes, words: list[str]) -> str | None:
    """Whether a ref may not be deleted (receive.denyDeletes, receive.denyDeleteCurrent)."""
    if store.config.get_bool("receive.denydeletes", False) and name.startswith(HEADS):
        words.append(f"error: denying ref deletion for {text(name)}")
        return "deletion prohibited"
    if store.refs.head()[0] != name:
        return None
    word = _word(store, "receive.denydeletecurrent")
    if word == "ignore":
        return None
    if word == "warn":
        words.append("warning: deleting the current branch")
        return None
    if not word:
        words.extend(_DELETED.split("\n"))
    words.append(f"error: refusing to delete the current branch: {text(name)}")
    return "deletion of the current branch prohibited"


def _word(store: Store, key: str) -> str:
    """ "ignore", "warn", "refuse", "updateinstead"; "" where nothing is set."""
    value = store.config.get(key)
    if value is None:
        return ""
    word = text(value).lower()
    if word in ("ignore", "warn", "refuse", "updateinstead"):
        return word
    return "refuse" if store.config.get_bool(key, True) else "ignore"


def _swapped(view: View, update: Update, words: list[str], changes: Changes) -> str | None:
    """The compare-and-swap, planned."""
    name, old, new = update.name, update.old, update.new
    now, symbolic = view.ref(name)
    shown = text(name)
    if now != old or symbolic:
        state = f"is at {now.hex()} but expected {old.hex()}" if now and old else "reference already exists"
        words.append(f"error: cannot lock ref '{shown}': {state}")
        return "failed to update ref"
    if new != ABSENT and name.startswith(HEADS) and view.odb.kind(new) != b"commit":
        words.append(
            f"error: cannot update ref '{shown}': trying to write non-commit object {new.hex()} to branch '{shown}'"
        )
        return "failed to update ref"
    if old == ABSENT:
        try:
            check_free(view, name)
        except BadRequest as error:
            words.append(f"error: {error.message}")
            return "failed to update ref"
    changes.refs.append(view.move_ref(name, new))
    if new == ABSENT:
        log = view.git_file(b"logs/" + name)
        if log is not None:
            changes.logs.append(LogChange(name, whole=True, before=log, content=None))
        return None
    changes.logs.append(LogChange(name, old, new, b"push"))
    if view.head()[0] == name:
        changes.logs.append(LogChange(b"HEAD", old, new, b"push"))
    return None

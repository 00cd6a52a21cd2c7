"""The operation in progress in a work tree: a merge, rebase, cherry-pick, revert, am session or bisection; and the
sparse checkout.

git keeps no list of these; each has its own files in the git directory. Mirrors the messages of git status(1).
"""

from __future__ import annotations

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import GitError
from ..index.index import Index
from ..limits import Context
from ..paths.ignore import shown_git_path
from ..records import field, record
from ..repo.store import Store
from .stat_cache import UNSPARSE

if TYPE_CHECKING:
    from ..revs.abbrev import abbrev
    from ..revs.names import dwim_ref
    from ..revs.resolve import try_resolve
else:
    abbrev = deferred(__name__, "..revs.abbrev", "abbrev")
    try_resolve = deferred(__name__, "..revs.resolve", "try_resolve")
    dwim_ref = deferred(__name__, "..revs.names", "dwim_ref")


_TEXT = 1 << 24
_SWITCH = b"checkout: moving from "
_TELLTALE = frozenset(
    (b"MERGE_HEAD", b"rebase-apply", b"rebase-merge", b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"BISECT_LOG", b"sequencer")
)


@record
class Steps:
    """The commands of an interactive rebase: those done and those remaining, and the files that list them."""

    done: list[bytes] = field(default_factory=list)
    todo: list[bytes] = field(default_factory=list)
    done_file: bytes = b""


@record
class Operation:
    """The operation in progress. For a rebase, `branch` is the rebased branch and `onto` its new base (short names or
    abbreviated)."""

    merge: bool = False
    am: bool = False
    am_empty: bool = False
    rebase: bool = False
    interactive: bool = False
    branch: bytes | None = None
    onto: bytes | None = None
    cherry_pick: bytes | None = None  # the commit; b"" between two commits of a series
    picking: bool = False  # whether CHERRY_PICK_HEAD exists
    revert: bytes | None = None
    commit: bytes = b""  # the commit being picked or reverted, abbreviated
    bisect: bool = False
    bisect_from: bytes | None = None
    detached_from: bytes | None = None
    detached_at: bool = False
    steps: Steps | None = None
    merge_message: bool = False  # whether MERGE_MSG exists
    splitting: bool = False

    @property
    def name(self) -> str | None:
        """One word for programs, or None if no operation is in progress."""
        if self.merge:
            return "merge"
        if self.am:
            return "am"
        if self.rebase or self.interactive:
            return "rebase"
        if self.cherry_pick is not None:
            return "cherry-pick"
        if self.revert is not None:
            return "revert"
        return "bisect" if self.bisect else None


def in_progress(store: Store, *, detached: bool, ctx: Context) -> Operation:
    """The operation in progress. `detached`: HEAD is no branch, so find out where it was detached."""
    operation = Operation()
    here = {name for name, _ in store.jail.scandir(store.git_dir)}
    if not here.isdisjoint(_TELLTALE):
        _look(store, here, operation, ctx)
    if detached:
        _detached_from(store, operation, ctx)
    return operation


def _look(store: Store, here: set[bytes], operation: Operation, ctx: Context) -> None:
    if b"MERGE_HEAD" in here:
        _rebase(store, here, operation, ctx)
        operation.merge = True
    elif not _rebase(store, here, operation, ctx) and b"CHERRY_PICK_HEAD" in here:
        operation.cherry_pick = store.refs.read(b"CHERRY_PICK_HEAD")
    operation.picking = b"CHERRY_PICK_HEAD" in here
    if b"BISECT_LOG" in here:
        operation.bisect = True
        operation.bisect_from = _branch(store, b"BISECT_START")
    if b"REVERT_HEAD" in here:
        operation.revert = store.refs.read(b"REVERT_HEAD")
    if b"sequencer" in here:
        _series(store, operation)
    operation.merge_message = b"MERGE_MSG" in here
    if oid := operation.cherry_pick or operation.revert:
        operation.commit = abbrev(store, oid)


def _series(store: Store, operation: Operation) -> None:
    """Detect a cherry-pick or revert of several commits, between two of them."""
    first = (_read(store, b"sequencer/todo") or b"").lstrip()
    if first.startswith((b"pick ", b"p ")):
        operation.cherry_pick = b""  # even if CHERRY_PICK_HEAD names the commit
    elif first.startswith(b"revert "):
        operation.revert = b""


def _read(store: Store, name: bytes) -> bytes | None:
    data = store.jail.read_optional(store.git_dir + b"/" + name, _TEXT)
    return None if data is None else bytes(data)


def _there(store: Store, name: bytes) -> bool:
    return store.jail.lstat(store.git_dir + b"/" + name) is not None


def _rebase(store: Store, here: set[bytes], operation: Operation, ctx: Context) -> bool:
    if b"rebase-apply" in here:
        if _there(store, b"rebase-apply/applying"):
            operation.am = True
            operation.am_empty = _read(store, b"rebase-apply/patch") == b""
            return True
        operation.rebase, folder = True, b"rebase-apply"
    elif b"rebase-merge" in here:
        folder = b"rebase-merge"
        operation.interactive = _there(store, b"rebase-merge/interactive")
        operation.rebase = not operation.interactive
    else:
        return False
    operation.branch = _branch(store, folder + b"/head-name")
    operation.onto = _branch(store, folder + b"/onto")
    if operation.interactive:
        operation.steps = Steps(
            _steps(store, b"rebase-merge/done", ctx),
            _steps(store, b"rebase-merge/git-rebase-todo", ctx),
            shown_git_path(store, b"rebase-merge/done"),
        )
        operation.splitting = _is_splitting(store)
    return True


def _branch(store: Store, name: bytes) -> bytes | None:
    """The branch, or abbreviated commit, in a file."""
    data = (_read(store, name) or b"").rstrip(b"\n")
    if not data or data == b"detached HEAD":
        return None
    if data.startswith(b"refs/heads/"):
        return data[11:]
    if data.startswith(b"refs/"):
        return data
    oid = _hex(store, data)
    return data if oid is None else abbrev(store, oid)


def _hex(store: Store, word: bytes) -> bytes | None:
    if len(word) != store.hex_len:
        return None
    try:
        return bytes.fromhex(word.decode("ascii"))
    except ValueError:
        return None


def _named_step(store: Store, word: bytes, ctx: Context) -> bytes | None:
    """The object that a command's first word names: git abbreviates any such word, a ref as well as a commit."""
    oid = _hex(store, word)
    try:
        return try_resolve(store, word, ctx=ctx, quiet=True) if oid is None else oid
    except GitError:
        return None


def _steps(store: Store, name: bytes, ctx: Context) -> list[bytes]:
    """The commands of a to-do list, with abbreviated commits."""
    comment = store.config.get("core.commentchar") or b"#"
    out = []
    for line in (_read(store, name) or b"").split(b"\n"):
        if not line or line.startswith(comment[:1]):
            continue
        line = line.strip()
        if not line:
            continue
        words = line.split(b" ", 2)
        if words[0] not in (b"exec", b"x", b"label", b"l") and len(words) > 1:
            oid = _named_step(store, words[1], ctx)
            if oid is not None:
                words[1] = abbrev(store, oid)
                line = b" ".join(words) if len(words) > 2 else b" ".join(words) + b" "
        out.append(line)
    return out


def _is_splitting(store: Store) -> bool:
    """Whether the commit being edited was split (if files are changed): `git reset` has moved HEAD back."""
    amend = (_read(store, b"rebase-merge/amend") or b"").strip()
    origin = (_read(store, b"rebase-merge/orig-head") or b"").strip()
    branch, head = store.refs.head()
    before = store.refs.read(b"ORIG_HEAD")
    if not amend or not origin or branch is not None or head is None or before is None:
        return False
    if amend == origin:
        return head.hex().encode() != amend
    return before.hex().encode() != origin


def _detached_from(store: Store, operation: Operation, ctx: Context) -> None:
    """Find out from HEAD's reflog where HEAD was detached."""
    for entry in store.reflog(b"HEAD").entries:
        ctx.tick()
        message = entry.message
        at = message.find(b" to ", len(_SWITCH)) if message.startswith(_SWITCH) else -1
        if at < 0:
            continue
        target = message[at + 4 :].partition(b"\n")[0]
        operation.detached_from = _named(store, target, entry.new, ctx)
        operation.detached_at = store.refs.head()[1] == entry.new
        return


def _named(store: Store, target: bytes, oid: bytes, ctx: Context) -> bytes:
    if target != b"HEAD":
        name = dwim_ref(store, target, ctx=ctx, quiet=True)
        if name is not None and (name[1] == oid or _commit_of(store, name[1]) == oid):
            return (
                name[0].removeprefix(b"refs/tags/")
                if name[0][:10] == b"refs/tags/"
                else name[0].removeprefix(b"refs/remotes/")
            )
    return abbrev(store, oid)


def _commit_of(store: Store, oid: bytes) -> bytes | None:
    try:
        peeled: bytes = store.odb.peel(oid, b"commit")
    except GitError:
        return None
    return peeled


def sparse_percentage(store: Store, index: Index) -> int | None:
    """The percentage of tracked files in a sparse checkout; -1 with a sparse index, None without a sparse checkout."""
    if not len(index) or not store.config.get_bool("core.sparsecheckout", False):
        return None
    if store.index.sparse and not store.per_call.get(UNSPARSE):
        return -1
    skipped = sum(1 for at in index.special if index.skip_worktree(at))
    return 100 - (100 * skipped) // len(index)

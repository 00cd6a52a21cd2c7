"""What several operations share: making the plan, asking the reader's commands, hooks, and what git refuses."""

from __future__ import annotations

import stat
from collections.abc import Iterable

from ...cli.answer import Session, answer
from ...errors import BadRequest, Conflict, Unsupported, text
from ...graph.merge_base import is_ancestor
from ...index.index import Index
from ...limits import Context
from ...objects.parsed import REGULAR, TREE, tree_entries
from ...objects.parsed import commit_tree as tree_of
from ...repo.store import Store
from ...request.mutations import Mutation
from ..changes import ABSENT, Changes, RefChange
from ..plan import Answer, Plan, Preview, losses_of, preview_lines
from ..view import View


def finished(request: Mutation, view: View, changes: Changes, answer: Answer, risk: str = "") -> Plan:
    """The plan of an operation whose changes are known."""
    changes.objects = dict(view.new.held)
    if changes.is_only_objects and view.has_all(changes.objects):
        changes.objects = {}
    effects = tuple(
        effect
        for effect, wanted in (
            ("write_index", changes.touches_index), ("write_refs", bool(changes.refs)),
            ("write_worktree", bool(changes.files)),
        )
        if wanted
    )  # fmt: skip
    losses = losses_of(changes)
    if not risk:
        risk = "High" if losses or any(_rewrites_protected(ref, view) for ref in changes.refs) else request.risk
    preview = Preview(request.summary(), risk, effects, preview_lines(changes), losses, list(view.notes))
    return Plan(request, changes, answer, preview, view.moment, view.ident() if changes.logs else b"")


def _rewrites_protected(ref: RefChange, view: View) -> bool:
    """Whether a protected branch is deleted, or would no longer hold the commits that it has."""
    name = text(ref.name)
    if not name.startswith("refs/heads/") or name[11:] not in view.grant.protected or ref.before == ABSENT:
        return False
    if ref.was_symbolic or ref.symbolic or ref.after == ABSENT:
        return True
    return not is_ancestor(view.store, ref.before, ref.after, ctx=view.ctx)


def refused_switches(request: Mutation, taken: Iterable[str]) -> None:
    """Raise Unsupported for an option that the operation does not carry out."""
    for switch in request.switches:
        if switch not in taken and switch not in ("-q", "--quiet", "-v", "--verbose"):
            raise Unsupported(f"git {request.git}: gitglass does not take {switch}", option=switch, status=129)


def ask(view: View, argv: list[str], *, index: Index | None = None) -> bytes:
    """What one of the reader's commands prints of the repository with the plan's objects, and with another index where
    one is given; its errors are raised."""
    store: Store = view.store
    if index is not None:
        store = store.sibling()
        store.__dict__["odb"] = view.store.odb
        store.__dict__["_index"] = (store._index_stamp(), store._base_stamp(index)), index
    out: list[bytes] = []
    err: list[bytes] = []
    session = Session(store.where, None, store=store, confined=True)
    inner = Context(view.ctx.limits)
    status = answer(argv, session, inner, out.append, err.append)
    if status > 1:
        raise BadRequest(text(b"".join(err)).removeprefix("fatal: ").rstrip("\n"), status=status)
    return b"".join(out)


# --- hooks ----------------------------------------------------------------------------------------------------------


def check_hooks(view: View, names: Iterable[str]) -> None:
    """Raise Unsupported where one of these hooks is installed and would run, unless the grant says to skip them; then
    note it (githooks(5)). `reference-transaction` and `post-index-change` count for everything that writes."""
    active = [name for name in (*names, "reference-transaction", "post-index-change") if _is_active(view, name)]
    if not active:
        return
    if view.grant.hooks != "skip":
        raise Unsupported(
            f"the hook '{active[0]}' is installed, and gitglass runs no hooks",
            hint='A host may grant `hooks="skip"`: then hooks are not run, and that is said.',
            hook=active[0],
        )
    view.notes.extend(f"hook {name} was not run" for name in active)


def _is_active(view: View, name: str) -> bool:
    store = view.store
    elsewhere = store.config.get_path("core.hooksPath")
    folder = store.common_dir + b"/hooks" if elsewhere is None else elsewhere
    if not folder.startswith(b"/"):
        folder = (store.work_tree or store.git_dir) + b"/" + folder
    if not store.jail.allows(folder):
        return True  # somewhere that cannot be looked at: it may be
    found = store.jail.stat(folder + b"/" + name.encode())
    return found is not None and stat.S_ISREG(found.st_mode) and bool(found.st_mode & 0o111)


# --- what git refuses -----------------------------------------------------------------------------------------------


def need_merged(index: Index, what: str) -> None:
    """Raise Conflict where the index has conflicts."""
    if index.unmerged:
        raise Conflict(
            f"{what} is not possible because you have unmerged files.",
            prefix="error",
            status=128,
            paths=[text(path) for path in index.unmerged],
        )


def tree_rows(view: View, tree: bytes) -> dict[bytes, tuple[int, bytes]]:
    """{path: (mode, oid)} of every file of a tree."""
    found: dict[bytes, tuple[int, bytes]] = {}
    stack = [(b"", tree)]
    while stack:
        front, oid = stack.pop()
        for mode, name, child in tree_entries(view.odb.tree(oid), view.store.hash_len):
            if mode == TREE:
                stack.append((front + name + b"/", child))
            else:
                found[front + name] = (mode if mode != 0o100664 else REGULAR, child)
    return found


def commit_tree(view: View, commit: bytes) -> bytes:
    """The tree of a commit."""
    kind, raw = view.odb.read(commit)
    if kind != b"commit":
        raise BadRequest(f"{commit.hex()} is not a commit")
    return tree_of(raw, commit)

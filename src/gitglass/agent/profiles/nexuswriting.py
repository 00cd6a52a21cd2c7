"""Document 2's writers: the fields next to git's output when a command has changed something.

Every one has `changed`, `operation` (its id in the operation log), `refs` (each with its state before and after) and
`notes`. The commands of document 2's level TRUSTED have fields of their own:

    add                     staged
    commit                  sha, branch, message, files_changed, insertions, deletions
    switch, checkout        branch, sha, created, files
    stash                   entry, sha, files, conflicts
    tag                     tags: name, sha, deleted
    reset, merge and others branch, sha, files, conflicts; files_changed, insertions, deletions where HEAD moved
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...errors import GitError, text
from ...limits import Context
from ...repo.store import Store
from ...request.mutations import StashRequest
from ...request.ref_mutations import TagChange
from ...revs.resolve import try_resolve
from ..commandline import parse_command
from ..writing import Written
from .base import Outcome, collected

__all__ = ["written_fields"]

_DROPPED = re.compile(rb"^Dropped (?:refs/)?(stash@\{\d+\}|\S+) \(([0-9a-f]{40,64})\)$", re.MULTILINE)
_STATUS = {(False, True): "created", (True, False): "deleted", (True, True): "updated"}


def written_fields(name: str, outcome: Outcome, store: Store, ctx: Context) -> dict[str, Any]:
    """The fields of a command that changed something, or could have."""
    written, asked = outcome.written, outcome.asked
    assert written is not None and asked is not None
    store.refresh()
    with ctx:
        fields = _OWN.get(name, _moved)(written, asked.request, store, ctx)
    return {
        **fields,
        "changed": written.changed,
        "operation": written.operation or None,
        "refs": [
            {"ref": ref, "old": old or None, "new": new or None, "status": _STATUS[bool(old), bool(new)]}
            for ref, old, new in written.refs
        ],
        "notes": list(written.notes),
    }


# ----------------------------------------------------------------------------------------------------- each command's
def _added(written: Written, *_: Any) -> dict[str, Any]:
    return {"staged": list(written.index)}


def _committed(written: Written, _: Any, store: Store, ctx: Context) -> dict[str, Any]:
    head, sha = _head(store)
    (row,) = collected(parse_command(["log", "-1", sha or "HEAD"], store, ctx), store, ctx).commits
    message = "\n\n".join(part for part in (row.subject, row.body) if part)
    old = row.parents[0] if row.parents else store.empty_tree.hex()
    return {"sha": sha, "branch": head, "message": message, **_totals(old, row.oid, store, ctx)}


def _switched(written: Written, _: Any, store: Store, __: Context) -> dict[str, Any]:
    head, sha = _head(store)
    created = any(ref == f"refs/heads/{head}" and not old for ref, old, _ in written.refs)
    return {"branch": head, "sha": sha, "created": created, "files": _paths(written)}


def _stashed(written: Written, request: Any, store: Store, ctx: Context) -> dict[str, Any]:
    assert isinstance(request, StashRequest)
    fields: dict[str, Any] = {"entry": None, "sha": None, "files": _paths(written), "conflicts": _conflicts(store)}
    if request.action in ("push", "save"):
        moved = {ref: new for ref, _, new in written.refs}
        if "refs/stash" in moved:
            fields |= {"entry": "stash@{0}", "sha": moved["refs/stash"]}
        return fields
    dropped = _DROPPED.search(written.stdout)
    if dropped is not None:
        return fields | {"entry": text(dropped[1]), "sha": text(dropped[2])}
    if request.action == "clear":
        return fields
    entry = request.commit or f"stash@{{{request.index}}}"
    return fields | {"entry": entry, "sha": _resolved(entry, store, ctx)}


def _tagged(written: Written, request: Any, store: Store, ctx: Context) -> dict[str, Any]:
    assert isinstance(request, TagChange)
    tags = [
        {"name": ref.removeprefix("refs/tags/"), "sha": _resolved(f"{new or old}^{{}}", store, ctx), "deleted": not new}
        for ref, old, new in written.refs
    ]
    return {"tags": tags}


def _pushed(written: Written, *_: Any) -> dict[str, Any]:
    names = ("ref", "old", "new", "status")
    return {"push": [dict(zip(names, row, strict=True)) for row in written.pushed]}


def _fetched(written: Written, *_: Any) -> dict[str, Any]:
    return {"refs": [{"ref": ref, "old": old, "new": new} for ref, old, new in written.refs]}


def _moved(written: Written, _: Any, store: Store, ctx: Context) -> dict[str, Any]:
    """For commands that move HEAD to another commit, or change files: reset, merge, cherry-pick, rm, mv and others."""
    head, sha = _head(store)
    fields = {"branch": head, "sha": sha, "files": _paths(written), "conflicts": _conflicts(store)}
    for ref, old, new in written.refs:
        if old and new and ref in ("HEAD", f"refs/heads/{head}"):
            return fields | _totals(old, new, store, ctx)
    return fields


_OWN: dict[str, Callable[[Written, Any, Store, Context], dict[str, Any]]] = {
    "add": _added,
    "commit": _committed,
    "switch": _switched,
    "checkout": _switched,
    "stash": _stashed,
    "tag": _tagged,
    "push": _pushed,
    "fetch": _fetched,
}


# ------------------------------------------------------------------------------------------------------------- values
def _head(store: Store) -> tuple[str | None, str | None]:
    """The branch, in the form of status's field, and the commit; None for each that does not exist."""
    target, oid = store.refs.head()
    branch = "HEAD (detached)" if target is None else text(target).removeprefix("refs/heads/")
    return branch, None if oid is None else oid.hex()


def _paths(written: Written) -> list[str]:
    return sorted({*written.files, *written.index})


def _conflicts(store: Store) -> list[str]:
    return [] if store.work_tree is None else [text(path) for path in store.index.unmerged]


def _totals(old: str, new: str, store: Store, ctx: Context) -> dict[str, int | None]:
    totals = collected(parse_command(["diff", old, new], store, ctx), store, ctx).totals
    return {"files_changed": totals.files, "insertions": totals.added, "deletions": totals.deleted}


def _resolved(name: str, store: Store, ctx: Context) -> str | None:
    try:
        oid = try_resolve(store, name, ctx=ctx)
    except GitError:
        return None
    return None if oid is None else oid.hex()

"""Undo: an operation of the log turned round, planned like any other. Of an undo that is a redo."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import Conflict, InvalidArgs, Unsupported, text
from ...request.mutations import UndoRequest
from ..changes import ABSENT, Changes, LogChange, reversed_changes
from ..index_file import index_name, rows_at, still_resolved
from ..journal import Journal, Operation, need_same_index
from ..plan import Answer, Plan
from ..verify import is_unchanged
from ..view import View
from .common import finished


def plan_undo(request: UndoRequest, view: View, journal: Callable[[], Journal]) -> Plan:
    """The plan that turns an operation round. What was changed since is left alone where that is possible (files), and
    is a Conflict where it is not (refs, index entries). Raises InvalidArgs for an operation that is not in the log."""
    operations = journal().operations()
    operation = _operation(request.operation, operations)
    if operation.words[1:2] == ["push"]:
        raise Unsupported(
            "a push is not undone here: the other repository has it",
            hint="Push the former objects, each with --force-with-lease=<ref>:<what was pushed>.",
            operation=operation.id,
        )  # fmt: skip
    need_same_index(operation, index_name(view.store))
    changes = reversed_changes(operation.changes, operation.id)
    _check_refs(view, changes)
    _check_index(view, changes)
    changes.resolved = still_resolved(view.store.index, changes.resolved or [])
    left = [file for file in changes.files if not is_unchanged(view.store, file)]
    for file in left:
        view.notes.append(f"{text(file.path)} was changed since and is left as it is")
    changes.files = [file for file in changes.files if file not in left]
    changes.git_files = [file for file in changes.git_files if view.git_file(file.name) == file.before]
    for name in dict.fromkeys(log.name for log in operation.changes.logs):
        _log(view, changes, operation, name)
    is_redo, summary = _meaning(operation, operations)
    words = f"{'Redid' if is_redo else 'Undid'} {summary}\n".encode("utf-8", "surrogateescape")
    plan = finished(request, view, changes, Answer(words))
    plan.preview.lines.insert(0, f"{'redoes' if is_redo else 'undoes'}: {summary}")
    return plan


def _meaning(operation: Operation, operations: list[Operation]) -> tuple[bool, str]:
    """What turning an operation round comes to: an undo of an undo is a redo of what that one undid, and so on."""
    by_id = {one.id: one for one in operations}
    is_redo, other = False, operation
    while other.undoes in by_id:
        is_redo, other = not is_redo, by_id[other.undoes]
    return is_redo, other.summary


def _operation(name: str, operations: list[Operation]) -> Operation:
    done = [one for one in operations if one.state == "done"]
    fitting = [one for one in done if one.id == name or (len(name) >= 6 and one.id.startswith(name))]
    if len(fitting) != 1:
        raise InvalidArgs(
            f"there is no operation '{name}' to undo",
            hint="Operations that were undone already, or fell out of the log, cannot be undone.",
            status=128,
            prefix="fatal",
            candidates=[one.id for one in done[-10:]],
        )
    return fitting[0]


def _check_refs(view: View, changes: Changes) -> None:
    for ref in changes.refs:
        if view.ref(ref.name) != (ref.before, ref.was_symbolic):
            raise Conflict(f"'{text(ref.name)}' has moved since", ref=text(ref.name))
        view.grant.need_ref(text(ref.name))


def _check_index(view: View, changes: Changes) -> None:
    index = view.store.index.expanded(view.odb.tree)
    for entry in changes.entries:
        if rows_at(index, entry.path) != entry.before:
            raise Conflict(f"what is staged of '{text(entry.path)}' has changed since", path=text(entry.path))


def _log(view: View, changes: Changes, operation: Operation, name: bytes) -> None:
    """The log of a ref that moves back gets a line; one that was removed or rewritten comes back as it was."""
    whole = [log for log in operation.changes.logs if log.name == name and log.whole]
    if whole:
        changes.logs.append(LogChange(name, whole=True, before=whole[-1].content, content=whole[0].before))
        return
    moved = [log for log in operation.changes.logs if log.name == name]
    gone = any(ref.name == name and ref.after == ABSENT for ref in changes.refs)
    if gone:
        log = view.git_file(b"logs/" + name)
        changes.logs.append(LogChange(name, whole=True, before=log, content=None))
        return
    message = f"undo: {operation.summary}".encode("utf-8", "surrogateescape")
    changes.logs.append(LogChange(name, moved[-1].new, moved[0].old, message))

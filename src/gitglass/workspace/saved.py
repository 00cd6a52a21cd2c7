"""A workspace as JSON: the part of a bundle that is no git object. Reading it evaluates nothing."""

from __future__ import annotations

from typing import Any, TypeVar

from ..errors import Corrupt
from ..mutate.changes import unword, word
from .limits import Mount
from .model import Base, StagedCommit, StagedFile, WsConflict
from .overlay import Changed, WsEntry
from .workspace import Workspace

_T = TypeVar("_T")
VERSION = 1


def state_of(workspace: Workspace) -> dict[str, Any]:
    """The state without the objects, the log of operations (which is not kept), and the host's choices (identity,
    limits)."""
    return {
        "version": VERSION, "id": workspace.id, "mount": [workspace.mount.sandbox, workspace.mount.repo],
        "base": _row(workspace.base), "staged": [_commit(one) for one in workspace.staged],
        "pushed": [_commit(one) for one in workspace.pushed], "changes": _changes(workspace.overlay.changes),
        "seen": _changes(workspace.seen), "conflicts": [_conflict(one) for one in workspace.conflicts.values()],
        "kept_marks": sorted(oid.hex() for oid in workspace.kept_marks), "reviews": workspace.reviews,
    }  # fmt: skip


def base_of(state: Any) -> tuple[Base, Mount, str]:
    """(base, mount, id) with which a workspace is made. Raises Corrupt."""
    try:
        if state["version"] != VERSION:
            raise Corrupt(f"a workspace of version {state['version']}, which is not known")
        return Base(**state["base"]), Mount(*state["mount"]), str(state["id"])
    except (TypeError, KeyError, ValueError) as error:
        raise _broken(error) from error


def restore(workspace: Workspace, state: Any) -> None:
    """Give a workspace over the same base the rest of its state. Raises Corrupt."""
    try:
        workspace.staged = tuple(_uncommit(one) for one in state["staged"])
        workspace.pushed = tuple(_uncommit(one) for one in state["pushed"])
        workspace.conflicts = {one.path: one for one in map(_unconflict, state["conflicts"])}
        workspace.seen = _unchanges(state["seen"])
        workspace.kept_marks = {bytes.fromhex(oid) for oid in state["kept_marks"]}
        workspace.reviews = list(state["reviews"])
        tree = bytes.fromhex(workspace.staged[-1].tree if workspace.staged else workspace.base.tree)
        workspace.overlay.replace(tree, _unchanges(state["changes"]))
        workspace.store.refresh()
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise _broken(error) from error


def blobs_of(workspace: Workspace) -> set[bytes]:
    """The blobs that the state names besides those of files: sides of conflicts, and pulled files."""
    sides = [side for one in workspace.conflicts.values() for side in (one.base, one.ours, one.theirs)]
    files = [*sides, *workspace.seen.values()]
    return {file.oid for file in files if file is not None and not file.is_submodule}


def _broken(error: Exception) -> Corrupt:
    return Corrupt(f"this is no saved workspace: {type(error).__name__}: {error}")


def _row(of: object) -> dict[str, Any]:
    return {name: getattr(of, name) for name in type(of).__record_fields__}  # type: ignore[attr-defined]


def _commit(one: StagedCommit) -> dict[str, Any]:
    return {**_row(one), "files": [_row(file) for file in one.files]}


def _uncommit(value: dict[str, Any]) -> StagedCommit:
    return StagedCommit(**{**value, "files": tuple(StagedFile(**file) for file in value["files"])})


def _entry(file: WsEntry | None) -> Any:
    return None if file is None else [f"{file.mode:o}", file.oid.hex()]


def _unentry(value: Any) -> WsEntry | None:
    return None if value is None else WsEntry(int(value[0], 8), bytes.fromhex(value[1]))


def _changes(changes: Changed) -> list[Any]:
    return [[word(path), _entry(file)] for path, file in sorted(changes.items())]


def _unchanges(rows: list[Any]) -> Changed:
    return {_path(row[0]): _unentry(row[1]) for row in rows}


def _path(value: Any) -> bytes:
    path = unword(value)
    if path is None:
        raise ValueError("a path is missing")
    return path


def _conflict(one: WsConflict) -> list[Any]:
    return [word(one.path), one.kind, _entry(one.base), _entry(one.ours), _entry(one.theirs), one.marked, one.message]


def _unconflict(row: list[Any]) -> WsConflict:
    path, kind, base, ours, theirs, marked, message = row
    return WsConflict(_path(path), kind, _unentry(base), _unentry(ours), _unentry(theirs), marked, message)

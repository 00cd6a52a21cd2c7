"""The `ws_*` tools: files in memory, staged, merged, pushed after a person's yes."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Any

from ...agent.tool import Call, Hints, Tool, Uncut
from ...errors import InvalidArgs, text
from ...mutate.grant import Identity
from ..desk import Desk
from ..edits import Edit
from ..incoming import merge_contents
from ..rules import is_binary
from ..views import diff_of, status_text
from ..workspace import Workspace
from . import params as given
from .answers import commit_fields, conflict_lines, file_fields, plan_fields, push_answer
from .tool import WsParams, WsTool, lines, rows, whole

_READS = Hints()
_WRITES = Hints(read_only=False, idempotent=False)
_SAME = Hints(read_only=False, idempotent=True)
_LEAVES = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)
_ESCAPED = "control characters and bytes that are no UTF-8 are shown as \\x..; base64=true has the bytes"
_CONTROL = re.compile(rb"[\0-\x08\x0b-\x1f\x7f]")
_PERSON = re.compile(r"([^<>]*[^<> ]) *<([^<>]*)>")


# --- files ----------------------------------------------------------------------------------------------------------


def _files(desk: Desk, workspace: Workspace, asked: given.FilesParams, call: Call) -> Uncut:
    listed = workspace.files(asked.path, recursive=asked.recursive, changed_only=asked.changed_only)
    made = [
        (f"{row.path}{'/' if row.mode == '040000' else ''}{' ' + row.change if row.change else ''}\n",
         {"path": row.path, "mode": row.mode, "oid": row.oid, "size": row.size, "change": row.change})
        for row in listed
    ]  # fmt: skip
    return rows(call, made, "files", "files", state=repr(listed).encode())


def _read(desk: Desk, workspace: Workspace, asked: given.ReadParams, call: Call) -> Uncut:
    file = workspace.read(asked.path)
    fields = {"path": file.path, "mode": file.mode, "oid": file.oid, "size": len(file.data)}
    for note in file.notes:
        call.ctx.notes.append(note)
    if asked.base64 or is_binary(file.data):
        return lines(call, b64encode(file.data), state=file.oid.encode(), fields={**fields, "encoding": "base64"})
    if not call.host.raw and not _is_plain(file.data):
        call.ctx.notes.append(_ESCAPED)
    return lines(call, file.data, state=file.oid.encode(), fields=fields)


def _is_plain(data: bytes) -> bool:
    """Whether a text can be shown unchanged: an agent that writes it back changes nothing."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return _CONTROL.search(data) is None


def _content(asked: Any) -> bytes:
    if (asked.content is None) == (asked.content_base64 is None):
        raise InvalidArgs("content, content_base64: give one of them")
    if asked.content is not None:
        return bytes(asked.content.encode("utf-8", "surrogateescape"))
    try:
        return b64decode(asked.content_base64, validate=True)
    except Base64Error as error:
        raise InvalidArgs(f"content_base64: {error}") from None


def _write(desk: Desk, workspace: Workspace, asked: given.WriteParams, call: Call) -> Uncut:
    file = workspace.write(asked.path, _content(asked), mode=asked.mode, if_oid=asked.if_oid)
    return _changed(call, "wrote", file)


def _changed(call: Call, verb: str, file: Any) -> Uncut:
    for note in file.notes:
        call.ctx.notes.append(note)
    return whole(f"{verb} {file.path} {file.mode} {file.oid}\n", file_fields(file))


def _edit(desk: Desk, workspace: Workspace, asked: given.EditParams, call: Call) -> Uncut:
    if (asked.patch is None) == (asked.old is None) or (asked.old is None) != (asked.new is None):
        raise InvalidArgs("old, new, patch: give a text and what takes its place, or a diff")
    change: list[Edit] | bytes = b""
    if asked.patch is not None:
        change = _bytes(asked.patch)
    elif asked.old is not None and asked.new is not None:
        change = [Edit(_bytes(asked.old), _bytes(asked.new), asked.count)]
    return _changed(call, "wrote", workspace.edit(asked.path, change, if_oid=asked.if_oid))


def _delete(desk: Desk, workspace: Workspace, asked: given.PathParams, call: Call) -> Uncut:
    workspace.delete(asked.path, if_oid=asked.if_oid)
    return whole(f"deleted {asked.path}\n", {"path": asked.path})


def _move(desk: Desk, workspace: Workspace, asked: given.MoveParams, call: Call) -> Uncut:
    return _changed(call, "moved to", workspace.move(asked.path, asked.to, if_oid=asked.if_oid))


# --- staging --------------------------------------------------------------------------------------------------------


def _status(desk: Desk, workspace: Workspace, asked: WsParams, call: Call) -> Uncut:
    base = workspace.base
    head = f"Base: {base.target or '-'} {base.ref or '-'} {(base.commit or 'nothing')[:12]}\n"
    fields = {
        "base": {"target": base.target, "ref": base.ref, "commit": base.commit},
        "unstaged": [{"path": row.path, "change": row.change} for row in workspace.files(changed_only=True)],
        "staged": [commit_fields(one) for one in workspace.staged],
        "conflicts": [{"path": text(path), "kind": one.kind, "message": one.message}
                      for path, one in sorted(workspace.conflicts.items())],
    }  # fmt: skip
    return whole(head + status_text(workspace), fields)


def _diff(desk: Desk, workspace: Workspace, asked: given.DiffParams, call: Call) -> Uncut:
    options = () if asked.context_lines is None else (f"-U{max(asked.context_lines, 0)}",)
    patch = diff_of(workspace, asked.commit, names=tuple(asked.paths), options=options)
    return lines(call, patch, state=patch)


def _stage(desk: Desk, workspace: Workspace, asked: given.StageParams, call: Call) -> Uncut:
    people = [_person(word) for word in asked.co_authors]
    made = workspace.stage(asked.files, asked.message, amend=asked.amend, co_authors=people)
    desk.saved(workspace)
    return whole(
        f'staged {made.id} as {made.commit}: "{made.subject}" ({len(made.files)} files)\n', commit_fields(made)
    )


def _person(word: str) -> Identity:
    match = _PERSON.fullmatch(word)
    if match is None:
        raise InvalidArgs(f"co_authors: '{word}' is not 'Name <email>'")
    return Identity(match[1], match[2])


def _discard(desk: Desk, workspace: Workspace, asked: given.DiscardParams, call: Call) -> Uncut:
    if (asked.commit is None) == (not asked.paths):
        raise InvalidArgs("commit, paths: give one of them")
    if asked.commit is not None:
        gone = workspace.discard(asked.commit)
        desk.saved(workspace)
        return whole(f'"{gone.subject}" is not staged any more; its files are as they were\n', commit_fields(gone))
    paths = workspace.discard_paths(asked.paths)
    return whole(f"discarded: {', '.join(paths)}; ws_undo brings them back\n", {"paths": paths})


def _undo(desk: Desk, workspace: Workspace, asked: WsParams, call: Call) -> Uncut:
    operation = workspace.undo()
    return whole(f"taken back: {operation.summary}\n", {"operation": operation.number, "summary": operation.summary})


# --- others ---------------------------------------------------------------------------------------------------------


def _pull(desk: Desk, workspace: Workspace, asked: given.PullParams, call: Call) -> Uncut:
    result = desk.pull(workspace, given.named(asked.source, asked.branch), asked.paths, asked.dest, asked.strategy)
    words = [f"pulled {len(result.pulled)} files{', the base has moved' if result.base_moved else ''}"]
    words += [f"  {path}" for path in result.pulled if path not in result.conflicts]
    words += conflict_lines(workspace, result.conflicts)
    words += [f'not staged any more: "{subject}"' for subject in result.unstaged]
    fields = {"pulled": list(result.pulled), "conflicts": list(result.conflicts), "base_moved": result.base_moved,
              "unstaged": list(result.unstaged)}  # fmt: skip
    return whole("\n".join(words) + "\n", fields)


def _merge(desk: Desk, workspace: Workspace, asked: given.MergeParams, call: Call) -> Uncut:
    base = None if asked.base is None else _bytes(asked.base)
    merged = merge_contents(base, _bytes(asked.ours), _bytes(asked.theirs), algorithm=asked.algorithm, ctx=call.ctx)
    return lines(call, merged.content, fields={"status": merged.status, "conflicts": merged.conflicts})


def _bytes(words: str) -> bytes:
    return words.encode("utf-8", "surrogateescape")


def _resolve(desk: Desk, workspace: Workspace, asked: given.ResolveParams, call: Call) -> Uncut:
    content = None if asked.content is None else asked.content.encode("utf-8", "surrogateescape")
    workspace.resolve(asked.path, asked.take, content, keep_markers=asked.keep_markers)
    left = [text(path) for path in sorted(workspace.conflicts)]
    return whole(f"settled {asked.path}; in conflict: {', '.join(left) or 'nothing'}\n", {"conflicts": left})


def _branches(desk: Desk, workspace: Workspace, asked: given.BranchesParams, call: Call) -> Uncut:
    target = desk.targets.of(asked.target).target
    branches = target.branches()
    made = []
    for name in branches.names:
        words = [
            word
            for word, is_so in (("current", name == branches.current), ("protected", name in branches.protected))
            if is_so
        ]
        row = {"name": name, "current": name == branches.current, "protected": name in branches.protected}
        made.append((f"{name}{' (' + ', '.join(words) + ')' if words else ''}\n", row))
    return rows(call, made, "branches", "branches")


def _push(desk: Desk, workspace: Workspace, asked: given.PushParams, call: Call) -> Uncut:
    if asked.dry_run:
        plan = desk.plan(workspace, asked.commit, given.named(asked.target, asked.branch))
        return whole(*plan_fields(plan))
    target = given.named(asked.target, asked.branch)
    done = desk.push(workspace, asked.commit, target, approved=call.host.approved, on_moved=asked.on_moved)
    return whole(*push_answer(done))


def _review(desk: Desk, workspace: Workspace, asked: WsParams, call: Call) -> Uncut:
    made: list[tuple[str, dict[str, Any]]] = []
    for review in workspace.reviews:
        partly = "accepted in part" if review["partial"] else "accepted"
        verdict = "rejected" if review["verdict"] == "reject" else partly
        comment = f": {review['comment']}" if review["comment"] else ""
        words = [f"{verdict} by {review['by'] or 'the host'}{comment}\n"]
        for row in (*review["rejected"], *review["remarks"]):  # type: ignore[misc]
            words.append(f"  {row['path']} {row['hunk']}: {row['comment'] or 'rejected'}\n")
        made.append(("".join(words), review))
    return rows(call, made, "reviews", "reviews")


FILE_TOOLS: tuple[Tool, ...] = (
    WsTool("ws_files", "List files in memory over the base.", given.FilesParams, _files, hints=_READS),
    WsTool("ws_read", "Read a file.", given.ReadParams, _read, hints=_READS),
    WsTool("ws_write", "Write a file, in memory only.", given.WriteParams, _write, hints=_SAME, whole_files=True),
    WsTool(
        "ws_edit",
        "Change a file: an exact replacement or a diff.",
        given.EditParams,
        _edit,
        hints=_WRITES,
        whole_files=True,
    ),
    WsTool("ws_delete", "Delete a file.", given.PathParams, _delete, hints=_WRITES),
    WsTool("ws_move", "Move a file.", given.MoveParams, _move, hints=_WRITES),
)
STAGE_TOOLS: tuple[Tool, ...] = (
    WsTool("ws_status", "Base, conflicts, changes, staged commits.", WsParams, _status, hints=_READS),
    WsTool("ws_diff", "Show a patch.", given.DiffParams, _diff, hints=_READS),
    WsTool("ws_stage", "Make a commit of named files, in memory.", given.StageParams, _stage, hints=_WRITES),
    WsTool("ws_discard", "Unstage a commit, or drop changes.", given.DiscardParams, _discard, hints=_WRITES),
    WsTool("ws_undo", "Take the last operation back.", WsParams, _undo, hints=_WRITES),
    WsTool("ws_pull", "Bring in a target's paths, or all and rebase.", given.PullParams, _pull, hints=_WRITES),
    WsTool("ws_merge", "Merge three texts.", given.MergeParams, _merge, hints=_READS, whole_files=True),
    WsTool("ws_resolve", "Settle a conflict.", given.ResolveParams, _resolve, hints=_WRITES, whole_files=True),
    WsTool("ws_branches", "Branches of a target.", given.BranchesParams, _branches, hints=_READS),
    WsTool("ws_push", "Push a staged commit; a person approves.", given.PushParams, _push, hints=_LEAVES),
    WsTool("ws_review", "What reviewers decided and wrote.", WsParams, _review, hints=_READS),
)


def tools(files: bool = True) -> list[Tool]:
    """The tools; `files=False` for hosts that have file tools of their own."""
    return [*(FILE_TOOLS if files else ()), *STAGE_TOOLS]

"""The operation log: what was done to a repository here, and every byte that an operation overwrote or removed.

`<git dir>/gitglass/ops/<number>-<id>/` holds one operation: `operation.json`, and in `kept-<n>` the file that the n-th
change of the work tree replaced. It lies outside of `objects/` and `refs/`, so that neither `git gc` nor `git log
--all`
sees it. An operation is "open" until it is "done", "rolled back" or, later, "undone"; one that is open and whose
process is gone was interrupted (`recover`). The log is bounded by number, age and size; the oldest go first, an open
one
never.
"""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any

from ..errors import Corrupt, text
from ..records import field, record
from .calls import process_start
from .changes import Changes, from_json, to_json
from .door import Door

OPS = b"gitglass/ops"
_NAME = re.compile(rb"([0-9]{6,})-([0-9a-f]{12})")
MOST, DAYS, BYTES = 100, 14, 256 << 20
_FORMAT = 1


@record
class Operation:
    """One operation of the log. `state` is "open", "done", "rolled back" or "undone"; `changes` lack objects'
    content."""

    number: int
    id: str
    state: str
    summary: str
    words: list[str]
    digest: str
    approver: str
    time: int
    pid: int
    started: str
    ident: str
    changes: Changes = field(repr=False)
    undoes: str = ""

    @property
    def folder(self) -> bytes:
        """Its directory, from the git door."""
        return OPS + b"/%06d-%b" % (self.number, self.id.encode())

    def kept(self, number: int) -> bytes:
        """Where the file is that the change of this number replaced."""
        return self.folder + b"/kept-%d" % number


class Journal:
    """The operation log of one repository, below its git door."""

    __slots__ = ("_door",)

    def __init__(self, door: Door) -> None:
        self._door = door

    def open(self, operation_id: str, **about: Any) -> Operation:
        """A new operation, written down as open. `about` are the fields of Operation that are not numbered here."""
        number = max((number for number, _, _ in self._names()), default=0) + 1
        while True:
            name = b"%06d-%b" % (number, operation_id.encode())
            self._door.need_folder(OPS)
            if all(other != number for other, _, _ in self._names()):
                break
            number += 1
        made = Operation(
            number=number, id=operation_id, state="open", pid=os.getpid(), started=process_start(os.getpid()), **about
        )
        self._door.need_folder(OPS + b"/" + name)
        self._write(made)
        return made

    def close(self, operation: Operation, state: str) -> None:
        """Write down how an operation ended."""
        operation.state = state
        self._write(operation)

    def _write(self, operation: Operation) -> None:
        value = {
            "format": _FORMAT, "number": operation.number, "id": operation.id, "state": operation.state,
            "summary": operation.summary, "words": operation.words, "digest": operation.digest,
            "approver": operation.approver, "time": operation.time, "pid": operation.pid,
            "started": operation.started, "ident": operation.ident, "undoes": operation.undoes,
            "changes": to_json(operation.changes),
        }  # fmt: skip
        data = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        draft = operation.folder + b"/draft"
        self._door.remove(draft)
        self._door.new_file(draft, data, 0o600)
        self._door.rename(draft, operation.folder + b"/operation.json")

    def _names(self) -> list[tuple[int, str, bytes]]:
        folder = self._door.folder(OPS)
        if folder is None:
            return []
        names = ((_NAME.fullmatch(name), name) for name in folder.names())
        return sorted((int(fits[1]), fits[2].decode(), name) for fits, name in names if fits)

    def operations(self) -> list[Operation]:
        """All operations, oldest first. One that cannot be read is Corrupt."""
        found = []
        for number, _, name in self._names():
            data = self._door.read(OPS + b"/" + name + b"/operation.json")
            if data is None:  # it was interrupted before anything was written down
                continue
            found.append(_operation(data, number, name))
        return found

    def trim(self, now: float) -> None:
        """Remove the oldest operations beyond the bounds."""
        all_ = self.operations()
        size = 0
        for at, operation in enumerate(reversed(all_)):
            size += self._size(operation)
            if operation.state == "open":
                continue
            if at >= MOST or operation.time < now - DAYS * 86400 or (size > BYTES and at):
                self.drop(operation)

    def _size(self, operation: Operation) -> int:
        folder = self._door.folder(operation.folder)
        if folder is None:
            return 0
        return sum(found.st_size for found in folder.lstats(folder.names()) if found is not None)

    def drop(self, operation: Operation) -> None:
        """Remove an operation with what it kept; its record goes last."""
        folder = self._door.folder(operation.folder)
        if folder is None:
            return
        for name in sorted(folder.names(), key=lambda name: name == b"operation.json"):
            self._door.remove(operation.folder + b"/" + name)
        above = self._door.folder(OPS)
        assert above is not None
        self._door.calls.rmdir(above.fd, operation.folder.rpartition(b"/")[2])


def _operation(data: bytes, number: int, name: bytes) -> Operation:
    try:
        value = json.loads(data)
        if value["format"] != _FORMAT:
            raise ValueError("another format")
        return Operation(
            number, str(value["id"]), str(value["state"]), str(value["summary"]), [str(word) for word in
            value["words"]],
            str(value["digest"]), str(value["approver"]), int(value["time"]), int(value["pid"]), str(value["started"]),
            str(value["ident"]), from_json(value["changes"]), str(value["undoes"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Corrupt(f"the operation log's entry '{text(name)}' cannot be read: {error}") from None


def is_running(operation: Operation) -> bool:
    """Whether the process that began an operation may still be at it."""
    if operation.started:
        return process_start(operation.pid) == operation.started
    try:
        os.kill(operation.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return time.time() - operation.time < 3600

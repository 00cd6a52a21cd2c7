"""The operation log: what was done to a repository here, and every byte that an operation overwrote or removed.

`<git dir>/gitglass/ops/<number>-<id>/` holds one operation: `operation.json`, whose first line says what it was and how
it ended and whose second line what it changed, and in `kept-<n>` the file that the n-th
change of the work tree replaced. It lies outside of `objects/` and `refs/`, so that neither `git gc` nor
`git log --all` sees it. An operation is "open" until it is "done", "rolled back" or, later, "undone"; one that is open
and whose process is gone was interrupted (`recover`). The log is bounded by number, age and size; the oldest go first,
an open one never.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import Conflict, Corrupt, text
from ..records import field, record
from ..refs.names import check_refname, is_per_worktree
from .calls import process_space, process_start
from .changes import Changes, from_json, to_text, unword, word
from .door import Door

OPS = b"gitglass/ops"
_NAME = re.compile(rb"([0-9]{6,})-([0-9a-f]{12})")
MOST, DAYS, BYTES = 100, 14, 256 << 20
#: whether what has to be done elsewhere was done: begun and not known, or known
UNSURE, SETTLED = "unsure", "settled"
_FORMAT = 2  # 1 had all in one line
_STALE = 86_400  # seconds: a directory without a record that is older was left by somebody who was killed
#: operations that this process is carrying out
_AT_WORK: set[str] = set()
_UNFINISHED = (b"lock-", b"new-", b"object-", b"rewritten-", b"draft")
_OBJECT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_REF = re.compile(rb"refs/.+|[A-Z][A-Z_]*")
_GIT_FILE = re.compile(
    rb"config|[A-Z][A-Z_]*|sequencer/(?:todo|head|abort-safety|opts)|rebase-merge/[a-z][a-z_-]*(?:\.backup)?"
)


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
    space: str = ""
    new_logs: list[bytes] = field(default_factory=list)  # refs that had no log before
    errand: str = ""  # UNSURE or SETTLED, where something is done elsewhere, too
    index: bytes = b""  # the index file of where it was done, from the git door: each work tree has its own
    changes_text: str = field(default="", compare=False, repr=False)  # as they are written down

    @property
    def folder(self) -> bytes:
        """Its directory, from the git door."""
        return OPS + b"/%06d-%b" % (self.number, self.id.encode())

    def kept(self, number: int) -> bytes:
        """Where the file is that the change of this number replaced."""
        return self.folder + b"/kept-%d" % number


@record
class Head:
    """What the first line of an operation's record says, as far as whoever writes next has to know it."""

    number: int
    id: str
    state: str
    time: int
    pid: int
    started: str
    space: str

    @property
    def folder(self) -> bytes:
        """Its directory, from the git door."""
        return OPS + b"/%06d-%b" % (self.number, self.id.encode())


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
        pid = os.getpid()
        made = Operation(
            number=number, id=operation_id, state="open", pid=pid, started=process_start(pid), space=process_space(),
            **about,
        )  # fmt: skip
        self._door.need_folder(OPS + b"/" + name)
        _AT_WORK.add(operation_id)
        try:
            self._install(made, self._draft(made, sync=bool(made.changes.files)))
        except BaseException:
            self.leave(made)
            self._drop_folder(made.folder)
            raise
        return made

    def sweep(self, operation: Operation) -> None:
        """Remove an operation's unfinished files; what it kept stays."""
        folder = self._door.folder(operation.folder)
        for name in () if folder is None else folder.names():
            if name.startswith(_UNFINISHED):
                self._door.remove(operation.folder + b"/" + name)

    def leave(self, operation: Operation) -> None:
        """This process is no longer at an operation, however it ended."""
        _AT_WORK.discard(operation.id)

    def close(self, operation: Operation, state: str) -> None:
        """Write down how an operation ended."""
        before, operation.state = operation.state, state
        try:
            self._install(operation, self._draft(operation))
        except BaseException:
            operation.state = before
            raise

    def settle(self, operation: Operation) -> None:
        """Write down what an operation changes now that it is known what was done elsewhere."""
        operation.errand, operation.changes_text = SETTLED, ""
        self._install(operation, self._draft(operation, sync=True))

    def prepare(self, operation: Operation) -> bytes:
        """What `finish` installs: made before the first ref moves, so that a full disk cannot come in between."""
        state, operation.state = operation.state, "done"
        try:
            return self._draft(operation)
        finally:
            operation.state = state

    def finish(self, operation: Operation, prepared: bytes) -> None:
        """Write down that an operation is done."""
        self._install(operation, prepared)
        operation.state = "done"

    def _install(self, operation: Operation, draft: bytes) -> None:
        self._door.rename(draft, operation.folder + b"/operation.json")

    def _draft(self, operation: Operation, *, sync: bool = False) -> bytes:
        """The record of an operation under a name of its own. With `sync` it is on the disk before any file moves."""
        value = {
            "format": _FORMAT, "number": operation.number, "id": operation.id, "state": operation.state,
            "summary": operation.summary, "words": operation.words, "digest": operation.digest,
            "approver": operation.approver, "time": operation.time, "pid": operation.pid,
            "started": operation.started, "space": operation.space, "ident": operation.ident,
            "undoes": operation.undoes, "new_logs": [word(name) for name in operation.new_logs],
            **({"errand": operation.errand} if operation.errand else {}),
            **({"index": word(operation.index)} if operation.index else {}),
        }  # fmt: skip
        first = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        operation.changes_text = operation.changes_text or to_text(operation.changes)
        data = f"{first}\n{operation.changes_text}".encode("utf-8", "replace")
        draft = operation.folder + b"/draft"
        self._door.remove(draft)
        self._door.new_file(draft, data, 0o600, sync=sync)
        return draft

    def mark_undone(self, operation: Operation, undone: bool = True) -> None:
        """Write down of the operation that this one undoes that it is undone, or is not after all."""
        before, after = ("done", "undone") if undone else ("undone", "done")
        for other in self.operations() if operation.undoes else ():
            if other.id == operation.undoes:
                self.sweep(other)
                if other.state == before:
                    self.close(other, after)

    def _names(self) -> list[tuple[int, str, bytes]]:
        folder = self._door.folder(OPS)
        if folder is None:
            return []
        names = ((_NAME.fullmatch(name), name) for name in folder.names())
        return sorted((int(fits[1]), fits[2].decode(), name) for fits, name in names if fits)

    def operations(self) -> list[Operation]:
        """All operations, oldest first. One that cannot be read is Corrupt."""
        return [_operation(*one) for one in self._records()]

    def heads(self) -> list[Head]:
        """The same without what they changed, which is not read."""
        return [_head(*one) for one in self._records(heads=True)]

    def _records(self, *, heads: bool = False) -> Iterator[tuple[bytes, int, bytes]]:
        """(the record or its first line, the number, the name of the directory) of each operation."""
        read = self._door.first_line if heads else self._door.read
        for number, _, name in self._names():
            data = read(OPS + b"/" + name + b"/operation.json")
            if data is not None:  # else it was interrupted before anything was written down
                yield data, number, name

    def trim(self, now: float, all_: Sequence[Operation | Head]) -> None:
        """Remove the oldest operations beyond the bounds, of those that there were, oldest first."""
        size = 0
        for at, operation in enumerate(reversed(all_)):
            size += self._size(operation)
            if operation.state == "open":
                continue
            if at >= MOST or operation.time < now - DAYS * 86400 or (size > BYTES and at):
                self.drop(operation)
        self._drop_unrecorded({operation.folder for operation in all_})

    def _drop_unrecorded(self, recorded: set[bytes]) -> None:
        """Remove what was left by processes that ended before they had written anything down, or while they removed."""
        for _, _, name in self._names():
            path = OPS + b"/" + name
            info = None if path in recorded else self._door.lstat(path)
            if info is not None and info.st_mtime < time.time() - _STALE:
                self._drop_folder(path)

    def _size(self, operation: Operation | Head) -> int:
        folder = self._door.folder(operation.folder)
        if folder is None:
            return 0
        return sum(info.st_size for info in folder.lstats(folder.names()) if info is not None)

    def drop(self, operation: Operation | Head) -> None:
        """Remove an operation with what it kept; its record goes last."""
        self._drop_folder(operation.folder)

    def _drop_folder(self, path: bytes) -> None:
        folder = self._door.folder(path)
        if folder is None:
            return
        for name in sorted(folder.names(), key=lambda name: name == b"operation.json"):
            self._door.remove(path + b"/" + name)
        above = self._door.folder(OPS)
        assert above is not None
        try:
            self._door.calls.rmdir(above.fd, path.rpartition(b"/")[2])
        except FileNotFoundError:
            pass  # another process trims, too


def _operation(data: bytes, number: int, name: bytes) -> Operation:
    with _readable(name):
        value, rest = _first_line(data, name)
        changes = from_json(json.loads(rest) if "changes" not in value else value["changes"])
        return Operation(
            number, str(value["id"]), str(value["state"]), str(value["summary"]), [str(word) for word in
            value["words"]],
            str(value["digest"]), str(value["approver"]), int(value["time"]), int(value["pid"]), str(value["started"]),
            str(value["ident"]), _checked(changes), str(value["undoes"]), str(value["space"]),
            [unword(name) or b"" for name in value.get("new_logs", ())], str(value.get("errand", "")),
            unword(value.get("index")) or b"",
        )  # fmt: skip


def _head(data: bytes, number: int, name: bytes) -> Head:
    with _readable(name):
        value, _ = _first_line(data, name)
        return Head(
            number, str(value["id"]), str(value["state"]), int(value["time"]), int(value["pid"]),
            str(value["started"]), str(value["space"]),
        )  # fmt: skip


def _first_line(data: bytes, name: bytes) -> tuple[dict[str, Any], bytes]:
    """(what the first line of a record says, the rest)."""
    first, _, rest = data.partition(b"\n")
    value: dict[str, Any] = json.loads(first)
    if value["format"] not in (1, _FORMAT):
        raise ValueError("another format")
    if value["id"] != name.partition(b"-")[2].decode():
        raise ValueError("another operation's record")
    if not (0 <= int(value["pid"]) < 1 << 31 and 0 <= int(value["time"]) < 1 << 40):
        raise ValueError("no process, or no moment")
    return value, rest


@contextmanager
def _readable(name: bytes) -> Iterator[None]:
    """Says of a record that is none that it is Corrupt."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError) as error:
        raise Corrupt(
            f"the operation log's entry '{text(name)}' cannot be read: {error}",
            hint="Nothing is done while it is there: look at it, then remove its directory below gitglass/ops.",
        ) from None


def _checked(changes: Changes) -> Changes:
    """Changes of a record that whoever made the repository may have written: names that no operation changes are no
    record of one. Paths of the work tree are judged by the door."""
    names = [ref.name for ref in changes.refs] + [log.name for log in changes.logs]
    names += [value for ref in changes.refs for value, symbolic in
              ((ref.before, ref.was_symbolic), (ref.after, ref.symbolic)) if symbolic]  # fmt: skip
    for name in names:
        if not _REF.fullmatch(name) or not check_refname(name, onelevel=True):
            raise ValueError(f"'{text(name)}' is no ref")
    packs = [pack.name.decode("latin-1") for pack in changes.packs]
    for named in (*packs, *changes.lfs, *(oid.hex() for oid in changes.objects)):
        if not _OBJECT.fullmatch(named):
            raise ValueError(f"'{named}' is no object or pack")
    for file in changes.git_files:
        if not _GIT_FILE.fullmatch(file.name):
            raise ValueError(f"'{text(file.name)}' is no file that an operation changes")
    return changes


def need_same_index(operation: Operation, index: bytes) -> None:
    """Raise Conflict where an operation was done with another index than this one: in another work tree, or with
    another GIT_INDEX_FILE. What it changed of index and files is to be changed back there."""
    changes = operation.changes
    here = changes.touches_index or changes.files or any(is_per_worktree(ref.name) for ref in changes.refs)
    if here and operation.index and operation.index != index:
        raise Conflict(
            f"operation {operation.id} was done with the index '{text(operation.index)}'",
            hint="Call it in that work tree, and with the GIT_INDEX_FILE of then.",
            operation=operation.id,
        )


def is_running(operation: Operation | Head) -> bool:
    """Whether the process that began an operation may still be at it."""
    if operation.space != process_space():  # another container's processes cannot be asked after
        return time.time() - operation.time < 3600
    if operation.pid == os.getpid() and operation.started in ("", process_start(os.getpid())):
        return operation.id in _AT_WORK
    if operation.started:
        return process_start(operation.pid) == operation.started
    try:
        os.kill(operation.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return time.time() - operation.time < 3600

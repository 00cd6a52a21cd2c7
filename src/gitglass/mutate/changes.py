"""What an operation would change, exactly: the plain values that a plan is made of, and their JSON.

Everything has its state before and its state after, so that one executor carries out any operation, one function turns
an operation round (undo), and one comparison tells after a crash how far it had come. Object names are raw bytes,
paths are relative to the top of the work tree, refs have their full names.
"""

from __future__ import annotations

import json
import os
import stat
from base64 import b64decode, b64encode
from typing import Any

from ..index.extensions import CacheTree
from ..index.index import INTENT_TO_ADD, SKIP_WORKTREE
from ..limits import pause
from ..records import field, record, replace

ABSENT = b""  # the value of a ref that does not exist


@record(frozen=True)
class Content:
    """A file of the work tree: its mode as git has it (0o100644, 0o100755, 0o120000) and the name of its very bytes
    (a link's: its target) as a blob, before any conversion."""

    mode: int
    oid: bytes


@record(frozen=True)
class FileChange:
    """One path of the work tree. `before` and `after` are None where there is no file.

    `blob` is the object whose content, converted for the work tree, the file has afterwards (`data`, where a program
    made that of it, or attributes that are others by then); None where the bytes are no object's: then they are `data`,
    or those of a file that an earlier operation kept (`kept`: operation and number). Directories that a file of `data`
    alone needs are made for its owner and group. `stat` is what the file's status was when the plan was made: it spares
    hashing the file again, and is no part of the plan, but for permissions that git would not give a file: `had` (0 for
    others), which an undo gives back. `bits` are those that the file gets, 0 for those that the umask leaves.
    """

    path: bytes
    before: Content | None
    after: Content | None
    blob: bytes | None = None
    kept: tuple[str, int] | None = None
    stored: bool = False  # the bytes of `before` are an object of the repository as they are
    stat: os.stat_result | None = field(default=None, compare=False, repr=False)
    data: bytes | None = None
    had: int = 0
    bits: int = 0

    @property
    def permissions(self) -> int:
        """Those of the file before, where they are not what git gives a file."""
        if self.stat is None or self.before is None or not stat.S_ISREG(self.stat.st_mode):
            return self.had
        return 0 if (bits := self.stat.st_mode & 0o777) in (0o644, 0o755) else bits


#: the flags of an entry that are kept
ROW_FLAGS = (SKIP_WORKTREE | INTENT_TO_ADD) << 16 | 0x8000
_MOST_MODE = 0xFFFFFFFF  # as many bits as an entry has for it


@record(frozen=True)
class Row:
    """One entry of the index: stage 0, or 1 to 3 of a conflict. `flags`: assume-valid, skip-worktree, intent-to-add as
    git holds them in memory (0x8000, 0x4000 << 16, 0x2000 << 16)."""

    stage: int
    mode: int
    oid: bytes
    flags: int = 0


@record(frozen=True)
class EntryChange:
    """All entries of one path in the index. `stat` is the file's status that goes with the entry of stage 0; where
    it is None and the operation wrote the file, that file's is taken, else that of the entry before if it is the same
    blob. `moved_from` is the path whose entry this one was: what that knows of its file goes along."""

    path: bytes
    before: tuple[Row, ...]
    after: tuple[Row, ...]
    stat: os.stat_result | None = field(default=None, compare=False, repr=False)
    moved_from: bytes | None = field(default=None, compare=False, repr=False)


@record(frozen=True)
class RefChange:
    """A ref. `before` and `after` are its own object name, ABSENT where there is none; or, of a symbolic one, the name
    it stands for (`symbolic`)."""

    name: bytes
    before: bytes
    after: bytes
    symbolic: bool = False
    was_symbolic: bool = False


@record(frozen=True)
class LogChange:
    """A ref's log: one line is added (`old` to `new`, with its message), or the whole file becomes `content` (None:
    it is
    removed). `before` is the whole file before in that case."""

    name: bytes
    old: bytes = b""
    new: bytes = b""
    message: bytes = b""
    whole: bool = False
    before: bytes | None = None
    content: bytes | None = None


@record(frozen=True)
class GitFile:
    """A small file of the git directory (MERGE_HEAD, COMMIT_EDITMSG, config): its bytes, None where it is missing."""

    name: bytes
    before: bytes | None
    after: bytes | None


@record(frozen=True)
class NewPack:
    """A pack of new objects that was judged: its name (the checksum in hex), its bytes, its index, how many it has."""

    name: bytes
    data: bytes = field(repr=False)
    index: bytes = field(repr=False)
    count: int


#: what the index keeps of a conflict that was resolved: (mode, object) of its three stages, (0, None) for one of none
Stages = tuple[tuple[int, bytes | None], ...]


@record(frozen=True)
class ResolvedChange:
    """What the index keeps of one path's conflict that was resolved (REUC); None where it keeps nothing."""

    path: bytes
    before: Stages | None
    after: Stages | None


@record
class Changes:
    """All of it. `objects` are the new ones, by name: (kind, content); `lfs` are contents that Git LFS keeps, by their
    SHA-256 in hex. `trees` are those of the index afterwards, as
    far
    as they are known (the TREE extension); they are no part of the plan."""

    objects: dict[bytes, tuple[bytes, bytes]] = field(default_factory=dict)
    lfs: dict[str, bytes] = field(default_factory=dict)
    packs: list[NewPack] = field(default_factory=list)
    files: list[FileChange] = field(default_factory=list)
    entries: list[EntryChange] = field(default_factory=list)
    refs: list[RefChange] = field(default_factory=list)
    logs: list[LogChange] = field(default_factory=list)
    git_files: list[GitFile] = field(default_factory=list)
    refresh: bool = False  # the index is written even if no entry changes (its stat data, its trees)
    #: files that were only touched have their status taken up, before any file is written; no part of the plan
    refreshes: bool = field(default=False, compare=False)
    keep_folders: bool = False  # directories that are left empty stay, as `git mv` leaves them
    moved_folders: list[bytes] = field(default_factory=list)  # but for these, which are moved as a whole
    emptied: list[bytes] = field(default_factory=list)  # directories that go, with those above, where they are empty
    by_index: bool = False  # files are converted by the attributes of the index as it will be
    forget_resolved: bool = False  # the index no longer keeps how conflicts were resolved (REUC)
    resolved: list[ResolvedChange] | None = None  # what it keeps of them; None: not worked out yet
    trees: CacheTree | None = field(default=None, compare=False, repr=False)

    @property
    def paths(self) -> set[bytes]:
        """Every path of the index and the work tree that changes; directories stand for all that is in them."""
        named = {file.path for file in self.files} | {entry.path for entry in self.entries}
        return named.union(self.emptied, self.moved_folders)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not self.objects and not self.packs and self.is_only_objects

    @property
    def is_only_objects(self) -> bool:
        """Whether nothing but new objects would be there afterwards."""
        there = self.files or self.entries or self.emptied or self.refs or self.logs or self.git_files
        return not (there or self.resolved)

    @property
    def touches_index(self) -> bool:
        """Whether the index is written."""
        return bool(self.entries) or self.refresh or bool(self.resolved)


# --- JSON: keys in a fixed order, bytes that are no UTF-8 as base64 -------------------------------------------------


def word(raw: bytes | None) -> Any:
    """Bytes as a JSON value: text where it is UTF-8, else `{"base64": …}`; None stays None."""
    if raw is None:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": b64encode(raw).decode("ascii")}


def unword(value: Any) -> bytes | None:
    """The bytes that `word` wrote."""
    if value is None:
        return None
    return b64decode(value["base64"]) if isinstance(value, dict) else str(value).encode("utf-8")


def _need(value: Any) -> bytes:
    raw = unword(value)
    if raw is None:
        raise ValueError("a name is missing")
    return raw


def _mode(value: str) -> int:
    mode = int(value, 8)
    if not 0 <= mode <= _MOST_MODE:
        raise ValueError("a mode has more bits than there are")
    return mode


def _uncontent(value: Any) -> Content | None:
    return None if value is None else Content(_mode(value[0]), bytes.fromhex(value[1]))


def _unrows(value: Any) -> tuple[Row, ...]:
    rows = tuple(Row(int(stage), _mode(mode), bytes.fromhex(oid), int(flags)) for stage, mode, oid, flags in value)
    for row in rows:
        if row.stage not in range(4) or row.flags & ROW_FLAGS != row.flags or len(row.oid) not in (20, 32):
            raise ValueError("an entry has a stage, a name or flags that no entry has")
    return rows


def _stages(stages: Stages | None) -> Any:
    return None if stages is None else [[f"{mode:o}", None if oid is None else oid.hex()] for mode, oid in stages]


def _unstages(value: Any) -> Stages | None:
    if value is None:
        return None
    return tuple((_mode(mode), None if oid is None else bytes.fromhex(oid)) for mode, oid in value)


#: a value as JSON in one line, keys in order
_written = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def _content(value: Content | None) -> str:
    return "null" if value is None else f'["{value.mode:o}","{value.oid.hex()}"]'


def _file(file: FileChange) -> str:
    blob = "null" if file.blob is None else f'"{file.blob.hex()}"'
    data = "" if file.data is None else f'"data":{_written(word(file.data))},'
    kept = "null" if file.kept is None else _written(list(file.kept))
    bits = f'"bits":{_written([file.permissions, file.bits])},' if file.permissions or file.bits else ""
    before, after, stored = _content(file.before), _content(file.after), "true" if file.stored else "false"
    path = _written(word(file.path))
    return (
        f'{{"after":{after},"before":{before},{bits}"blob":{blob},{data}"kept":{kept},"path":{path},"stored":{stored}}}'
    )


def _rows(rows: tuple[Row, ...]) -> str:
    return ",".join([f'[{row.stage},"{row.mode:o}","{row.oid.hex()}",{row.flags}]' for row in rows])


def _entry(entry: EntryChange) -> str:
    path = _written(word(entry.path))
    return f'{{"after":[{_rows(entry.after)}],"before":[{_rows(entry.before)}],"path":{path}}}'


def to_text(changes: Changes) -> str:
    """Changes as one line of JSON, keys in order: the same for the same changes. Of new objects only their kinds and
    names. What there is one of for each path is written as it stands: values for an encoder, some twenty a path, would
    take most of the time, and the garbage collector's with it."""
    rest = {
        "objects": sorted([kind.decode(), oid.hex()] for oid, (kind, _) in changes.objects.items()),
        "lfs": sorted(changes.lfs),
        **({"packs": [[word(pack.name), pack.count] for pack in changes.packs]} if changes.packs else {}),
        "refs": [
            {
                "name": word(ref.name), "symbolic": ref.symbolic, "was_symbolic": ref.was_symbolic,
                "before": word(ref.before) if ref.was_symbolic else ref.before.hex(),
                "after": word(ref.after) if ref.symbolic else ref.after.hex(),
            }
            for ref in changes.refs
        ],
        "logs": [
            {
                "name": word(log.name), "old": log.old.hex(), "new": log.new.hex(), "message": word(log.message),
                "whole": log.whole, "before": word(log.before), "content": word(log.content),
            }
            for log in changes.logs
        ],
        "git_files": [
            {"name": word(file.name), "before": word(file.before), "after": word(file.after)}
            for file in changes.git_files
        ],
        "keep_folders": changes.keep_folders, "moved_folders": [word(path) for path in changes.moved_folders],
        "emptied": [word(path) for path in changes.emptied],
        "by_index": changes.by_index, "refresh": changes.refresh, "forget_resolved": changes.forget_resolved,
        "resolved": [
            {"path": word(one.path), "before": _stages(one.before), "after": _stages(one.after)}
            for one in changes.resolved or ()
        ],
    }  # fmt: skip
    parts = {}
    for name, value in rest.items():
        pause()  # a message of 50 MiB is one value
        parts[name] = _written(value)
    parts["files"] = f"[{','.join([_file(file) for file in changes.files])}]"
    parts["entries"] = f"[{','.join([_entry(entry) for entry in changes.entries])}]"
    return "{" + ",".join([f'"{name}":{parts[name]}' for name in sorted(parts)]) + "}"


def to_json(changes: Changes) -> dict[str, Any]:
    """The same as JSON values."""
    value: dict[str, Any] = json.loads(to_text(changes))
    return value


def from_json(value: dict[str, Any]) -> Changes:
    """What `to_json` wrote: of objects and packs only what they are. Raises KeyError, TypeError or ValueError for
    anything else."""
    return Changes(
        objects={bytes.fromhex(oid): (kind.encode(), b"") for kind, oid in value["objects"]},
        lfs=dict.fromkeys(map(str, value["lfs"]), b""),
        packs=[NewPack(_need(name), b"", b"", int(many)) for name, many in value.get("packs", ())],
        files=[
            FileChange(
                _need(file["path"]), _uncontent(file["before"]), _uncontent(file["after"]),
                None if file["blob"] is None else bytes.fromhex(file["blob"]),
                None if file["kept"] is None else (str(file["kept"][0]), int(file["kept"][1])), bool(file["stored"]),
                data=unword(file.get("data")), had=int(file.get("bits", [0])[0]) & 0o777,
                bits=int(file.get("bits", [0])[-1]) & 0o777,
            )
            for file in value["files"]
        ],
        entries=[
            EntryChange(_need(entry["path"]), _unrows(entry["before"]), _unrows(entry["after"]))
            for entry in value["entries"]
        ],
        refs=[
            RefChange(
                _need(ref["name"]),
                _need(ref["before"]) if ref["was_symbolic"] else bytes.fromhex(ref["before"]),
                _need(ref["after"]) if ref["symbolic"] else bytes.fromhex(ref["after"]),
                bool(ref["symbolic"]), bool(ref["was_symbolic"]),
            )
            for ref in value["refs"]
        ],
        logs=[
            LogChange(
                _need(log["name"]), bytes.fromhex(log["old"]), bytes.fromhex(log["new"]), _need(log["message"]),
                bool(log["whole"]), unword(log["before"]), unword(log["content"]),
            )
            for log in value["logs"]
        ],
        git_files=[
            GitFile(_need(file["name"]), unword(file["before"]), unword(file["after"])) for file in value["git_files"]
        ],
        keep_folders=bool(value["keep_folders"]),
        moved_folders=[_need(path) for path in value.get("moved_folders", [])],
        emptied=[_need(path) for path in value.get("emptied", [])],
        by_index=bool(value.get("by_index", False)),
        refresh=bool(value["refresh"]),
        forget_resolved=bool(value["forget_resolved"]),
        resolved=[
            ResolvedChange(_need(one["path"]), _unstages(one["before"]), _unstages(one["after"]))
            for one in value.get("resolved", ())
        ],
    )  # fmt: skip


def reversed_changes(changes: Changes, operation: str) -> Changes:
    """What turns an operation's changes round. Its files' former bytes are objects (`stored`), or were kept under their
    number in the operation. Logs get a line of their own from whoever undoes. No status of a file goes along: it was
    that of the other end, and an entry with it would hide that the file differs."""
    return Changes(
        files=[
            replace(
                file, before=file.after, after=file.before, stored=file.after is not None and file.blob ==
                file.after.oid,
                blob=file.before.oid if file.before is not None and file.stored else None,
                kept=None if file.before is None or file.stored else (operation, number), stat=None, data=None,
                had=file.bits, bits=file.permissions,
            )
            for number, file in enumerate(changes.files)
        ],
        entries=[EntryChange(entry.path, entry.after, entry.before) for entry in changes.entries],
        refs=[
            RefChange(ref.name, ref.after, ref.before, ref.was_symbolic, ref.symbolic) for ref in reversed(changes.refs)
        ],
        git_files=[GitFile(file.name, file.after, file.before) for file in changes.git_files],
        refresh=changes.refresh,
        resolved=[ResolvedChange(one.path, one.after, one.before) for one in changes.resolved or ()],
    )  # fmt: skip

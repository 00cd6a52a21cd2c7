"""WsFiles: the state of a workspace, and its files: read, written, moved, deleted, with a log to undo each operation.

Content is in memory only. A base is read through the object database that the host opened; nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock

from ..errors import Conflict, InvalidArgs, NotFound, TooLarge, Unsupported, text
from ..limits import Context, Limits, step
from ..objects.database import Odb
from ..objects.parsed import GITLINK, SYMLINK
from ..paths.attributes import attributes_of
from .edits import Edit, edited, patched
from .layers import LayeredStore, WorkspaceStore
from .limits import Mount, WsLimits
from .model import Base, Clock, StagedCommit, Step, WsConflict, WsFile, WsOperation, WsRow
from .overlay import MODES, Changed, Overlay, WsEntry
from .rules import case_clash, check_kind, check_link, checked_path, is_pointer, kind_of_mode

_ATTRIBUTES = b".gitattributes"


class WsFiles:
    """Files over a base. One call runs at a time; calls of other threads wait."""

    def __init__(
        self,
        base: Base,
        layers: list[Odb] | None = None,
        *,
        mount: Mount | None = None,
        limits: WsLimits | None = None,
        clock: Clock | None = None,
        call: Limits | None = None,
        id: str = "",
    ) -> None:
        self.base, self.mount, self.limits = base, mount or Mount(), limits or WsLimits()
        self.clock = clock or Clock()
        self.id = id or self.clock.new_id()
        self._call = call or Limits()
        self.layered = LayeredStore(base.hash_name)
        for odb in layers or ():
            self.layered.add_layer(odb)
        self.store = WorkspaceStore(self.layered, base.hash_name, self._rules)
        self.overlay = Overlay(self.store, bytes.fromhex(base.tree))
        self.store.refresh()
        self.staged: tuple[StagedCommit, ...] = ()
        self.conflicts: dict[bytes, WsConflict] = {}
        self.seen: dict[bytes, WsEntry | None] = {}  # the file last pulled at a path, if it is not the base's
        self._log: list[Step] = []
        self._number = 0
        self._lock = RLock()

    # --- calls ------------------------------------------------------------------------------------------------------

    @contextmanager
    def working(self, cancelled: Callable[[], bool] | None = None) -> Iterator[Context]:
        """The context of one call, with the limits of a call; no other call runs meanwhile."""
        with self._lock, Context(self._call, cancelled=cancelled) as ctx:
            yield ctx

    def _rules(self, path: bytes) -> bytes | None:
        """The `.gitattributes` that the files have at a path."""
        file = self.overlay.look(path)
        return self.blob(file.oid) if file is not None and not file.is_submodule else None

    def blob(self, oid: bytes) -> bytes:
        """The content of a blob."""
        return self.store.odb.read_raw(oid)[1]

    def keep(self, data: bytes) -> bytes:
        """Keep content as a blob; returns its name. If the workspace is full, the oldest operations are dropped from
        the log, and can no longer be undone. Raises TooLarge."""
        limit = self.limits.total_bytes
        while self.layered.size + len(data) > limit:
            before = self.layered.size
            self.sweep()
            if self.layered.size == before:
                if not self._log:
                    raise TooLarge(f"the workspace would hold more than {limit} bytes", limit=limit)
                del self._log[: len(self._log) // 2 + 1]
        return self.layered.add(b"blob", data)

    def sweep(self) -> None:
        """Drop the contents that neither the files, nor the staged commits, nor the log refer to."""
        held = self.layered.new.held
        wanted = set(self._wanted())
        for kind, content in held.values():
            if kind == b"tree":  # trees are made only by staging
                wanted.update(_oids_in(content, self.store.hash_len))
        for oid in [oid for oid, (kind, _) in held.items() if kind == b"blob" and oid not in wanted]:
            self.layered.drop(oid)

    def _wanted(self) -> Iterator[bytes]:
        """The blobs of files, of conflicts, and of the operations in the log."""
        states = [(self.overlay.changes, self.seen, self.conflicts)]
        states += [(step.paths if step.changes is None else step.changes, step.seen, step.conflicts)
                   for step in self._log]  # fmt: skip
        for changes, seen, conflicts in states:
            sides = [side for one in conflicts.values() for side in (one.base, one.ours, one.theirs)]
            yield from (file.oid for file in (*changes.values(), *seen.values(), *sides) if file is not None)

    # --- reading ----------------------------------------------------------------------------------------------------

    def path(self, name: str) -> bytes:
        """The path that an agent's name for a file stands for. Raises SandboxViolation."""
        return self.mount.path_of(name)

    def read(self, name: str) -> WsFile:
        """A file. Raises NotFound; Unsupported for a submodule."""
        with self.working():
            path = self.path(name)
            file = self.overlay.look(path)
            if file is None:
                fault = "is a directory" if self.overlay.is_folder(path) else "does not exist"
                raise NotFound(f"'{name}' {fault}", path=name)
            check_kind(path, file, file.mode)
            data = self.blob(file.oid)
            notes = (f"a pointer of Git LFS; the content is elsewhere: {_pointed(data)}",) if is_pointer(data) else ()
            return WsFile(text(path), f"{file.mode:o}", file.oid.hex(), data, notes)

    def files(self, name: str = "", *, recursive: bool = False, changed_only: bool = False) -> list[WsRow]:
        """The entries of a directory, sorted; with `changed_only` all unstaged changes, deletions too. Raises
        NotFound."""
        with self.working():
            folder = self.path(name).rstrip(b"/")
            if folder and not self.overlay.is_folder(folder):
                single = self.overlay.look(folder)
                if single is None and not changed_only:
                    raise NotFound(f"'{name}' does not exist", path=name)
                return [self._row(folder, single)]
            if changed_only:
                front = folder + b"/" if folder else b""
                changes = sorted((path, file) for path, file in self.overlay.changes.items() if path.startswith(front))
                return [self._row(path, file) for path, file in changes]
            if recursive:
                return [self._row(path, file) for path, file in self.overlay.files(folder)]
            front = folder + b"/" if folder else b""
            names = sorted(self.overlay.names(folder).items())
            return [
                self._row(front + one, file) if file is not None else WsRow(text(front + one), "040000", "")
                for one, file in names
            ]

    def _row(self, path: bytes, file: WsEntry | None) -> WsRow:
        step()
        if file is None:
            return WsRow(text(path), "", "", None, "deleted")
        size = None if file.mode == GITLINK else self.store.odb.kind_size(file.oid)[1]
        return WsRow(text(path), f"{file.mode:06o}", file.oid.hex(), size, self.change_of(path))

    def change_of(self, path: bytes) -> str:
        """How a path differs from the staged state: "new", "modified", "deleted", or "" if it does not."""
        if path not in self.overlay.changes:
            return ""
        if self.overlay.changes[path] is None:
            return "deleted"
        return "new" if self.overlay.stored(path) is None else "modified"

    # --- writing ----------------------------------------------------------------------------------------------------

    def write(self, name: str, content: bytes, *, mode: str | None = None, if_oid: str | None = None) -> WsFile:
        """Write a file. `if_oid` is the blob that the path has to have before ("": no file). Raises Conflict if it has
        another, SandboxViolation, TooLarge, Unsupported."""
        with self.working():
            path = checked_path(self.path(name), self.limits)
            return self._written(path, content, _mode(mode), if_oid, f"write {text(path)}")

    def edit(self, name: str, edits: list[Edit] | bytes, *, if_oid: str | None = None) -> WsFile:
        """Change a text: by exact replacements, or by a unified diff. Raises Conflict if one does not match."""
        with self.working():
            path = checked_path(self.path(name), self.limits)
            file = self._existing(path, name)
            data = self.blob(file.oid)
            most = self.limits.file_bytes
            changed = patched(data, edits, most) if isinstance(edits, bytes) else edited(data, edits, most)
            return self._written(path, changed, None, if_oid, f"edit {text(path)}")

    def delete(self, name: str, *, if_oid: str | None = None) -> None:
        """Delete a file. Raises NotFound, Conflict."""
        with self.working():
            path = checked_path(self.path(name), self.limits)
            file = self._existing(path, name)
            self._compare(path, file, if_oid)
            check_kind(path, file, file.mode)
            self._set(f"delete {text(path)}", {path: None})

    def move(self, name: str, to: str, *, if_oid: str | None = None) -> WsFile:
        """Move a file to another path. Raises NotFound, Conflict if the path is in use."""
        with self.working():
            path, other = (checked_path(self.path(one), self.limits) for one in (name, to))
            file = self._existing(path, name)
            self._compare(path, file, if_oid)
            check_kind(path, file, file.mode)
            if self.overlay.look(other) is not None:
                raise Conflict(f"'{to}' exists", path=to)
            data = self.blob(file.oid)
            if file.mode == SYMLINK:
                check_link(other, data, self.limits)
            if not is_pointer(data):
                self._check_lfs(other, data, None)
            self._check_free(other, leaving=path)
            self._set(f"move {text(path)} to {text(other)}", {path: None, other: file})
            return WsFile(text(other), f"{file.mode:o}", file.oid.hex(), data, self._notes(other, data, is_new=True))

    def _existing(self, path: bytes, name: str) -> WsEntry:
        file = self.overlay.look(path)
        if file is None:
            raise NotFound(f"'{name}' does not exist", path=name)
        return file

    def _compare(self, path: bytes, file: WsEntry | None, if_oid: str | None) -> None:
        """Check a path's blob before it is written: the comparison of the compare-and-swap."""
        present = "" if file is None else file.oid.hex()
        wanted = "" if if_oid is not None and not if_oid.strip("0") else if_oid
        if wanted is not None and wanted != present:
            words = f"is {present}" if present else "does not exist"
            raise Conflict(f"'{text(path)}' {words}, not {wanted or 'missing'}", path=text(path), oid=present,
                           hint="Read the file again: it changed since.")  # fmt: skip

    def _written(self, path: bytes, content: bytes, mode: int | None, if_oid: str | None, summary: str) -> WsFile:
        old = self.overlay.look(path)
        self._compare(path, old, if_oid)
        wanted = kind_of_mode(mode, old)
        check_kind(path, old, wanted)
        if len(content) > self.limits.file_bytes:
            limit = self.limits.file_bytes
            raise TooLarge(f"'{text(path)}' would have more than {limit} bytes", limit=limit, path=text(path))
        if wanted == SYMLINK:
            check_link(path, content, self.limits)
        else:
            self._check_lfs(path, content, old)
        self._check_free(path)
        file = WsEntry(wanted, self.keep(content))
        notes = self._notes(path, content, is_new=old is None)
        self._set(summary, {path: file})
        return WsFile(text(path), f"{wanted:o}", file.oid.hex(), content, notes)

    def _check_free(self, path: bytes, leaving: bytes | None = None) -> None:
        """Raise Conflict if a directory or a file is in the way, TooLarge if there are too many files."""
        changes = self.overlay.changes
        if path not in changes and len(changes) >= self.limits.files:
            raise TooLarge(f"more than {self.limits.files} files would differ", limit=self.limits.files)
        if leaving is None or not (path.startswith(leaving + b"/") or leaving.startswith(path + b"/")):
            self.overlay.check(path)
            return
        file = self.overlay.look(leaving)
        self.overlay.put(leaving, None)
        try:
            self.overlay.check(path)
        finally:
            self.overlay.put(leaving, file)

    def _check_lfs(self, path: bytes, content: bytes, old: WsEntry | None) -> None:
        if self.limits.lfs == "plain":
            return
        if old is not None and old.mode != GITLINK and self.store.odb.kind_size(old.oid)[1] < 1024:
            pointed = is_pointer(self.blob(old.oid))
        else:
            pointed = False
        if (pointed and not is_pointer(content)) or attributes_of(self.store).get(path, b"filter") == b"lfs":
            raise Unsupported(
                f"'{text(path)}' is tracked by Git LFS, and its content would become a plain blob", path=text(path),
                filter="lfs", hint="Keep it under another name, or have the host allow it.",
            )  # fmt: skip

    def _notes(self, path: bytes, content: bytes, *, is_new: bool) -> tuple[str, ...]:
        notes = []
        if len(content) > self.limits.warn_bytes:
            notes.append(f"large file: {len(content)} bytes")
        other = case_clash(self.overlay, path) if is_new else None
        if other is not None:
            notes.append(f"differs from '{other}' in case only")
        return tuple(notes)

    # --- the log ----------------------------------------------------------------------------------------------------

    def _set(self, summary: str, changes: Mapping[bytes, WsEntry | None]) -> None:
        """Change some paths, as one operation of the log. A file that is written and has no conflict markers is no
        longer in conflict; staging checks the markers."""
        step = self._step(summary)
        step.paths = {path: self.overlay.look(path) for path in changes}
        self._push(step)
        for path, file in changes.items():
            self.overlay.put(path, file)
        self._changed(changes)

    def settle(
        self,
        summary: str,
        *,
        base: Base | None = None,
        tree: bytes,
        changes: Changed,
        staged: tuple[StagedCommit, ...],
        conflicts: dict[bytes, WsConflict] | None = None,
        seen: dict[bytes, WsEntry | None] | None = None,
    ) -> None:
        """Replace the whole state, as one operation of the log."""
        step = self._step(summary)
        step.changes = dict(self.overlay.changes)
        self._push(step)
        self.base, self.staged = base or self.base, staged
        self.conflicts = self.conflicts if conflicts is None else conflicts
        self.seen = self.seen if seen is None else seen
        self.overlay.replace(tree, changes)
        self.store.refresh()

    def _step(self, summary: str) -> Step:
        self._number += 1
        operation = WsOperation(self._number, summary, self.clock.moment().seconds)
        conflicts, seen = dict(self.conflicts), dict(self.seen)
        return Step(operation, self.base, self.staged, conflicts, seen, self.overlay.tree)

    def _push(self, step: Step) -> None:
        self._log.append(step)
        del self._log[: -self.limits.log]

    def _changed(self, paths: Mapping[bytes, object]) -> None:
        if any(path == _ATTRIBUTES or path.endswith(b"/" + _ATTRIBUTES) for path in paths):
            self.store.refresh()

    @property
    def log(self) -> list[WsOperation]:
        """The operations that can be undone, the last one last."""
        return [step.operation for step in self._log]

    def undo(self) -> WsOperation:
        """Undo the last operation. Raises InvalidArgs if there is none."""
        with self.working():
            if not self._log:
                raise InvalidArgs("there is nothing to undo")
            step = self._log.pop()
            self.base, self.staged = step.base, step.staged
            self.conflicts, self.seen = step.conflicts, step.seen
            if step.changes is not None:
                self.overlay.replace(step.tree, step.changes)
            for path, file in step.paths.items():
                self.overlay.put(path, file)
            self.store.refresh()
            return step.operation


def _mode(word: str | None) -> int | None:
    if word is not None and word not in MODES:
        raise InvalidArgs(f"mode: '{word}' is none of {', '.join(MODES)}")
    return None if word is None else MODES[word]


def _pointed(data: bytes) -> str:
    """The size that a Git LFS pointer states."""
    size = next((line[5:] for line in data.split(b"\n") if line.startswith(b"size ")), b"?")
    return f"{text(size)} bytes"


def _oids_in(tree: bytes, width: int) -> Iterator[bytes]:
    at = 0
    while at < len(tree):
        at = tree.index(b"\0", at) + 1
        yield tree[at : at + width]
        at += width

"""Hooks that a host granted by the hash of their bytes: when they run, on what, and what came of it.

A plan names the hooks that it would run. When it is carried out they run first, before any lock is taken, each in a
room of its own on a copy of the index and of the message; then the plan is made again with what they left. Where that
is the same plan it goes on; where a hook has changed index, message or files it is a new one, which somebody has to
approve, and for which no hook that has run on the same is run again. Mirrors githooks(5).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ...errors import CommandFailed, GitError, NotGranted, Unsupported, text
from ...index.index import Index
from ...index.parse import parse_index
from ...limits import Context
from ...objects.hashes import new_hash
from ...records import record
from ...repo.store import Store
from .directory import INDEX, Person, furnish, made_objects
from .granted import MESSAGE, GrantedHooks, Program, Programs, ProgramUse
from .prove import folders_of
from .room import Room
from .run import Allowance, Ended, run
from .services import Outcomes

_MOST = 1 << 20  # bytes of a hook
_INDEX_MOST = 512 << 20
#: path → (stage, mode, object) of its entries
Entries = dict[bytes, tuple[tuple[int, int, bytes], ...]]


@record(frozen=True)
class HookRun:
    """One hook that is to be run: its words (`MESSAGE` stands for the file of the message), the index and the message
    that it is given, the objects that these need, what it reads on stdin."""

    name: str
    body: bytes
    words: tuple[bytes, ...]
    index: bytes
    message: bytes | None
    objects: dict[bytes, tuple[bytes, bytes]]
    key: bytes
    given: bytes | None = None


@record(frozen=True)
class HookOutcome:
    """What a hook left: the message, where it has one; the entries that it changed, and new objects."""

    message: bytes | None
    entries: Entries
    objects: dict[bytes, tuple[bytes, bytes]]


class Hooks:
    """The granted hooks, as one plan has them at hand. `pending` are those that have not run on this yet."""

    def __init__(self, store: Store, granted: GrantedHooks, outcomes: Outcomes) -> None:
        self._store, self._granted, self._outcomes = store, granted, outcomes
        self._bodies: dict[str, bytes] = {}
        self.pending: list[HookRun] = []
        self.after: list[HookRun] = []
        self.uses: list[ProgramUse] = []

    def admit(self, name: str, path: bytes) -> None:
        """Have a hook that is installed be run. Raises Unsupported where it is not the one that was granted."""
        digest = self._granted.files.get(name)
        body = self._store.jail.read_optional(path, _MOST) if self._store.jail.allows(path) else None
        actual = "" if body is None else new_hash("sha256", bytes(body)).hexdigest()
        if digest is None or body is None or actual != digest:
            reason = "is not granted" if digest is None else f"is another one than was granted: its SHA-256 is {actual}"
            raise Unsupported(
                f"the hook '{name}' is installed, and {reason}",
                hint="A host may grant it by its SHA-256 (GrantedHooks), or skip hooks.",
                hook=name,
            )
        self._bodies[name] = bytes(body)
        self.uses.append(
            ProgramUse(
                "hook", name, (text(path),), digest, reads="files of the work tree: it is code of this repository"
            )
        )

    def ask(
        self, name: str, words: tuple[bytes, ...], index: bytes, message: bytes | None,
        objects: dict[bytes, tuple[bytes, bytes]],
    ) -> HookOutcome | None:  # fmt: skip
        """What a hook makes of index and message; None where it is not run, or has not been yet."""
        one = self._run_of(name, words, index, message, objects)
        if one is None:
            return None
        outcome = self._outcomes.hooks.get(one.key)
        if outcome is None:
            self.pending.append(one)
            return None
        assert isinstance(outcome, HookOutcome)
        return outcome

    def later(self, name: str, words: tuple[bytes, ...], given: bytes | None = None) -> None:
        """Have a hook run when everything is done; its status counts for nothing."""
        one = self._run_of(name, words, b"", None, {}, given)
        if one is not None:
            self.after.append(one)

    def _run_of(
        self, name: str, words: tuple[bytes, ...], index: bytes, message: bytes | None,
        objects: dict[bytes, tuple[bytes, bytes]], given: bytes | None = None,
    ) -> HookRun | None:  # fmt: skip
        body = self._bodies.get(name)
        if body is None:
            return None
        digest = new_hash("sha256")
        rows = _rows(parse_index(index, self._store.hash_len)) if index else {}
        for part in (name.encode(), body, *words, repr(sorted(rows.items())).encode(), repr(message).encode()):
            digest.update(b"%d:" % len(part) + part)
        return HookRun(name, body, words, index, message, objects, digest.digest(), given)


class HookRunner:
    """Runs hooks on behalf of an approved plan. `spoken` is what they printed."""

    def __init__(
        self, store: Store, programs: Programs, granted: GrantedHooks, people: dict[str, Person], ctx: Context
    ) -> None:
        self._store, self._programs, self._granted, self._people, self._ctx = store, programs, granted, people, ctx
        self.spoken = b""

    def run(self, one: HookRun, outcomes: Outcomes, limit: int) -> None:
        """Run a hook, and remember what it left. Raises CommandFailed where it refuses."""
        with self._room() as room:
            ended = self._ended(room, one, one.index)
            if ended.status:
                raise CommandFailed(
                    f"the hook '{one.name}' refused (status {ended.status})", status=1, prefix="error",
                    stderr=self.spoken or None, kind="hook_refused", hook=one.name,
                )  # fmt: skip
            message = None if one.message is None else room.read(MESSAGE, self._programs.output)
            index = room.read(INDEX, _INDEX_MOST)
            if index is None or (one.message is not None and message is None):
                raise CommandFailed(f"the hook '{one.name}' has removed what it was given", status=1, hook=one.name)
            before = _rows(parse_index(one.index, self._store.hash_len))
            after = _rows(parse_index(index, self._store.hash_len))
            entries = {path: after.get(path, ()) for path in before.keys() | after.keys()
                       if before.get(path, ()) != after.get(path, ())}  # fmt: skip
            made = made_objects(room, self._store, limit)
        objects = {oid: made[oid] for oid in made if oid not in one.objects} if entries else {}
        outcomes.hooks[one.key] = HookOutcome(message, entries, objects)

    def run_after(self, runs: Iterable[HookRun]) -> list[str]:
        """Run hooks when all is done; notes of those that failed, which changes nothing about the deed."""
        notes = []
        for one in runs:
            self._store.refresh()
            try:
                with self._room() as room:
                    index = self._store.index_bytes() or b""
                    ended = self._ended(room, one, bytes(index))
                if ended.status:
                    notes.append(f"the hook '{one.name}' ended with status {ended.status}")
            except (GitError, OSError) as error:
                notes.append(f"the hook '{one.name}' did not end well: {error}")
        return notes

    def _room(self) -> Room:
        return Room(self._programs, folders_of(self._store))

    def _ended(self, room: Room, one: HookRun, index: bytes) -> Ended:
        store, name = self._store, b"hooks/" + one.name.encode()
        variables = furnish(room, store, self._people, index, one.objects)
        room.put(name, one.body, 0o700)
        if one.message is not None:
            room.put(MESSAGE, one.message)
        path = room.path + b"/" + name
        words = [room.path + b"/" + MESSAGE if word == MESSAGE else word for word in one.words]
        may = Allowance(self._granted.seconds, self._programs.words, self._programs.words)
        given = Program((os.fsdecode(path),))
        try:
            ended = run(
                [path, *words], folder=store.work_tree or store.git_dir,
                variables={**room.variables(given), **variables}, given=one.given, may=may, ctx=self._ctx,
                sha256=new_hash("sha256", one.body).hexdigest(),
            )  # fmt: skip
        except OSError as error:
            raise NotGranted(f"the hook '{one.name}' cannot be run: {error.strerror}", hook=one.name) from error
        self.spoken += ended.out + ended.err  # git's hooks print to stderr, all of it
        return ended


def _rows(index: Index) -> Entries:
    rows: Entries = {}
    for at, path in enumerate(index.paths):
        rows[path] = (*rows.get(path, ()), (index.stage(at), index.mode(at), index.oid(at)))
    return rows

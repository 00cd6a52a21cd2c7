"""The services of one plan: granted programs asked for what gitglass does not imitate, each use written down.

What a program made of which input is remembered by the writer (`Outcomes`): a plan that is made again, under the locks
or for its approval, holds the same without the program being run again.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from ...deferred import deferred
from ...errors import CommandFailed, NotGranted, TooLarge, Unsupported, text
from ...limits import Context, running
from ...objects.hashes import new_hash
from ...records import lazy, record, replace
from ...repo.store import Store
from .argv import driver_words, filter_words, ssh_words
from .granted import Filter, Program, Programs, ProgramUse, Service

if TYPE_CHECKING:
    from .prove import Proven, folders_of, proven
    from .room import Room
    from .run import Allowance, Ended, Talk, run
else:
    Proven, folders_of, proven = deferred(__name__, ".prove", "Proven", "folders_of", "proven")
    Room = deferred(__name__, ".room", "Room")
    Allowance, Ended, Talk, run = deferred(__name__, ".run", "Allowance", "Ended", "Talk", "run")

_REMEMBERED = 64 << 20  # bytes of outcomes


@record(frozen=True)
class Outcome:
    """What came of one run: its status, its output, its words."""

    status: int
    out: bytes
    err: bytes


class Outcomes:
    """What programs made of what, by everything that went in. Bounded: what was asked for longest ago is dropped."""

    def __init__(self) -> None:
        self._results: OrderedDict[bytes, Outcome] = OrderedDict()
        self.hooks: dict[bytes, object] = {}  # what hooks left, until a plan with them is carried out
        self.signatures: dict[bytes, bytes] = {}  # by what they sign, while a plan is carried out
        self._size = 0

    def get(self, key: bytes) -> Outcome | None:
        """The outcome, if it is still here."""
        outcome = self._results.get(key)
        if outcome is not None:
            self._results.move_to_end(key)
        return outcome

    def put(self, key: bytes, outcome: Outcome) -> None:
        """Remember an outcome."""
        before = self._results.pop(key, None)
        self._size -= 0 if before is None else len(before.out) + len(before.err)
        self._results[key] = outcome
        self._size += len(outcome.out) + len(outcome.err)
        while self._size > _REMEMBERED and len(self._results) > 1:
            _, dropped = self._results.popitem(last=False)
            self._size -= len(dropped.out) + len(dropped.err)


class Services:
    """The granted programs, as one plan has them at hand."""

    def __init__(self, programs: Programs, store: Store, outcomes: Outcomes, ctx: Context) -> None:
        self._programs, self._store, self._outcomes, self._ctx = programs, store, outcomes, ctx
        self._proofs: dict[str, Proven] = {}
        self._uses: dict[tuple[str, str, tuple[str, ...]], ProgramUse] = {}

    @lazy
    def _folders(self) -> tuple[bytes, ...]:
        """Where no program, and no room, may lie."""
        return folders_of(self._store)

    @property
    def uses(self) -> tuple[ProgramUse, ...]:
        """What this plan has had run, in the order of services and names."""
        return tuple(self._uses[key] for key in sorted(self._uses))

    @property
    def has_filters(self) -> bool:
        """Whether any filter is granted."""
        return bool(self._programs.filters)

    def filter(self, driver: bytes) -> Filter | None:
        """What is granted for a filter of this name."""
        return self._programs.filters.get(text(driver))

    def filtered(self, service: Service, driver: bytes, path: bytes, data: bytes, *, required: bool) -> bytes:
        """Content as the granted filter makes it. Raises CommandFailed in git's words where a required one fails, and
        TooLarge where it answers with more than it may; Unsupported where no program is granted for this side."""
        granted = self.filter(driver)
        program = None if granted is None else getattr(granted, service)
        if granted is None or program is None:
            raise not_granted(path, driver, service)
        outcome = self._outcome(service, text(driver), program, path, data)
        if outcome.status == 0:
            self._ctx.say(outcome.err)
            return outcome.out
        words = " ".join(program.argv)
        failed = f"error: external filter '{words}' failed {outcome.status}\nerror: external filter '{words}' failed\n"
        spoken = outcome.err + failed.encode("utf-8", "surrogateescape")
        self._ctx.say(spoken)
        if not (required or granted.required):
            return data
        what = f"smudge filter {text(driver)}" if service == "smudge" else f"clean filter '{text(driver)}'"
        raise CommandFailed(f"{text(path)}: {what} failed", path=text(path), filter=text(driver))

    @property
    def has_drivers(self) -> bool:
        """Whether any merge driver is granted."""
        return bool(self._programs.drivers)

    def merged(self, driver: bytes, path: bytes, texts: tuple[bytes, bytes, bytes], size: int) -> tuple[bytes, bool]:
        """What the granted merge driver makes of base, our side and theirs, and whether without conflict: its status is
        0 (git-merge(1) takes any other for a conflict). Raises Unsupported where it is not granted."""
        name = text(driver)
        program = self._programs.drivers.get(name)
        if program is None:
            raise Unsupported(
                f"'{text(path)}' is merged by the driver '{name}', and no program is granted for it",
                hint=f"A host may grant the program of '{name}' (Programs.drivers).",
                path=text(path),
                driver=name,
            )
        proof = self._proof(program)
        self._used("merge", name, program, proof, text(path))
        words = driver_words(program, proof.path, {}, size, path)
        key = _key(b"merge", proof.sha256.encode(), *words, repr(program.variables).encode(), *texts)
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._merge(program, proof, path, texts, size)
            self._outcomes.put(key, outcome)
        self._ctx.say(outcome.err)
        return outcome.out, outcome.status == 0

    def _merge(
        self, program: Program, proof: Proven, path: bytes, texts: tuple[bytes, bytes, bytes], size: int
    ) -> Outcome:
        with Room(self._programs, self._folders) as room:
            files = {}
            for sign, data in zip((b"O", b"A", b"B"), texts):
                room.put(b"tmp/" + sign, data)
                files[sign] = room.path + b"/tmp/" + sign
            ended = self._ended(room, program, driver_words(program, proof.path, files, size, path), None)
            merged = room.read(b"tmp/A", self._programs.output)
        if merged is None:
            raise CommandFailed(f"the merge driver of '{text(path)}' has left no result", path=text(path), status=2)
        return Outcome(ended.status, merged, ended.out + ended.err)

    @property
    def has_ssh(self) -> bool:
        """Whether a program for ssh is granted."""
        return self._programs.ssh is not None

    def uses_ssh(self, machine: bytes) -> None:
        """This plan talks with another machine, now or when it was first made."""
        program = self._programs.ssh
        assert program is not None
        self._used("ssh", text(machine), program, self._proof(program))

    def talk(self, machine: bytes, port: int, service: bytes, path: bytes, *, seconds: float, most: int) -> Talk:
        """A talk with a program of git's on another machine. The caller closes it. Raises NotGranted."""
        program = self._programs.ssh
        assert program is not None
        proof = self._proof(program)
        room = Room(self._programs, self._folders)
        words = ssh_words(program, proof.path, machine, port, service, path)
        room.__enter__()
        try:
            return Talk(
                words, folder=room.path, variables=room.variables(program),
                may=Allowance(seconds, most, self._programs.words), ctx=running() or self._ctx, sha256=proof.sha256,
                ended=lambda: room.__exit__(None, None, None),
            )  # fmt: skip
        except OSError as error:
            room.__exit__(None, None, None)
            name = program.argv[0]
            raise NotGranted(f"the program '{name}' cannot be run: {error.strerror}", program=name) from error

    def _outcome(self, service: Service, name: str, program: Program, path: bytes, data: bytes) -> Outcome:
        proof = self._proof(program)
        self._used(service, name, program, proof, text(path))
        words = filter_words(program, proof.path, path)
        key = _key(service.encode(), proof.sha256.encode(), *words, repr(program.variables).encode(), data)
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._run(program, words, data)
            self._outcomes.put(key, outcome)
        return outcome

    def _run(self, program: Program, words: list[bytes], data: bytes) -> Outcome:
        with Room(self._programs, self._folders) as room:
            ended = self._ended(room, program, words, data)
        return Outcome(ended.status, ended.out, ended.err)

    def _ended(self, room: Room, program: Program, words: list[bytes], data: bytes | None) -> Ended:
        programs, name = self._programs, program.argv[0]
        may = Allowance(programs.seconds, programs.output, programs.words)
        try:
            ended: Ended = run(
                words,
                folder=room.path,
                variables=room.variables(program),
                given=data,
                may=may,
                ctx=self._ctx,
                sha256=self._proof(program).sha256,
            )
        except OSError as error:
            raise NotGranted(f"the program '{name}' cannot be run: {error.strerror}", program=name) from error
        if ended.cut:
            raise TooLarge(f"'{name}' answered with more than {programs.output} bytes", limit=programs.output)
        return ended

    def _proof(self, program: Program) -> Proven:
        proof = self._proofs.get(program.argv[0] + program.sha256)
        if proof is None:
            proof = self._proofs[program.argv[0] + program.sha256] = proven(program, self._folders)
        return proof

    def _used(self, service: Service, name: str, program: Program, proof: Proven, path: str = "") -> None:
        key = (service, name, program.argv)
        use = self._uses.get(key)
        if use is None:
            self._uses[key] = ProgramUse(
                service, name, program.argv, proof.sha256, (path,) if path else (), program.reads
            )  # fmt: skip
        elif path and path not in use.paths:
            self._uses[key] = replace(use, paths=(*use.paths, path))


def not_granted(path: bytes, driver: bytes, service: str) -> Unsupported:
    """The refusal of a path whose filter no program is granted for: what it is, and what it would need."""
    name = text(driver)
    return Unsupported(
        f"'{text(path)}' goes through the filter '{name}', and gitglass runs no programs that are not granted",
        hint=f"A host may grant the {service} program of '{name}' (Programs.filters); or leave this path out.",
        path=text(path),
        filter=name,
    )


def _key(*parts: bytes) -> bytes:
    digest = new_hash("sha256")
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.digest()

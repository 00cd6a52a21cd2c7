"""A plan: what will be done, exactly; its digest, which an approval is bound to; its preview, which a person is
shown."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ..commands.policy import command_string, request_digest
from ..deferred import deferred
from ..disk.watched import Watch
from ..errors import text
from ..limits import LARGE, paced, pause
from ..records import field, record
from ..request.mutations import Mutation
from ..visible import visible_line
from .changes import ABSENT, Changes, to_text
from .grant import Moment, WriteGrant
from .process.granted import ProgramUse

if TYPE_CHECKING:
    from .process.hooks import Hooks
    from .process.signing import Signing
    from .shown.details import Details
    from .shown.words import lines_of
else:  # a plan that nobody looks at needs none of it
    Details = deferred(__name__, ".shown.details", "Details")
    lines_of = deferred(__name__, ".shown.words", "lines_of")


@record
class Answer:
    """What git says when the deed is done: its words on both streams, and the exit status. With `status_after` what
    `git status` prints then follows, `advice` on stderr, and `tail` after it; where there is a `tail_err` all that goes
    to stderr, as it does while git rebases. `kind` is why it failed, in a word ("conflict")."""

    out: bytes = b""
    err: bytes = b""
    status: int = 0
    status_after: bool = False
    advice: bytes = b""
    tail: bytes = b""
    tail_err: bytes = b""
    kind: str = ""


@record(frozen=True)
class Loss:
    """Something that is nowhere else afterwards but where `kept` says: "operation log", "reflog", "nowhere"."""

    what: str  # "uncommitted", "untracked", "staged", "commits", "stash"
    name: str
    kept: str


@record
class Preview:
    """What a person is shown before saying yes: `lines` says what changes, by object name, and is what is approved.
    `render()` adds the details, `losses` and `notes`. `programs` is what runs, or has been run to know what the plan
    holds."""

    summary: str
    risk: str
    effects: tuple[str, ...]
    lines: list[str]
    losses: list[Loss] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    programs: tuple[ProgramUse, ...] = ()
    look: Callable[[], Details] | None = field(default=None, compare=False, repr=False)
    seen: Details | None = field(default=None, compare=False, repr=False)

    @property
    def details(self) -> Details:
        """What the changes come to, as data: commits that are made, branches that lose some, conflicts, counts of
        lines. It is worked out when it is first asked for. Raises what reading an object does."""
        if self.seen is None:
            self.seen = Details() if self.look is None else self.look()
        return self.seen

    def render(self) -> str:
        """The preview as text for a terminal or a dialog: what changes, what runs, what is overwritten by it, notes.

        A name or a message neither ends its line nor hides what follows: such characters are written out.
        """
        lost = [f"{loss.what} {loss.name} is overwritten; kept: {loss.kept}" for loss in self.losses]
        runs = [use.line() for use in self.programs]
        notes = [f"note: {note}" for note in self.notes]
        lines = [*lines_of(self.lines, self.details), *runs, *lost, *notes]
        shown = [f"{self.summary}   risk {self.risk}", *(f"  {line}" for line in lines)]
        return "\n".join(map(visible_line, shown)) + "\n"


@record(frozen=True)
class Reads:
    """All that was read for a plan, and by which writer under which grant; `exchange` is what other repositories
    answered."""

    watch: Watch
    writer: object
    grant: WriteGrant
    exchange: dict[object, Any] = field(default_factory=dict)


class Errand(Protocol):
    """What a plan has done elsewhere when it is carried out: refs of another repository that change. `lines` are part
    of what is approved."""

    lines: list[str]

    def run(self, plan: Plan) -> None:
        """Do it, under the locks of this repository, before anything of it changes; take out of the plan's changes and
        answer what was not to be. Raises GitError where nothing was done there."""

    def statuses(self) -> list[tuple[str, str, str, str]]:
        """(ref there, object before, object after, what became of it) of each."""


@record(frozen=True)
class Plan:
    """One operation, planned. The same request on the same repository at the same moment gives the same digest.

    `reads` is what it was made from, and no part of it.
    """

    request: Mutation
    changes: Changes
    answer: Answer
    preview: Preview
    moment: Moment
    ident: bytes
    directories: tuple[str, ...] = ()  # where it is carried out: the work tree, its git directory, the common one
    digest: str = ""
    reads: Reads | None = field(default=None, compare=False, repr=False)
    hooks: Hooks | None = field(default=None, compare=False, repr=False)  # those that it runs
    signing: Signing | None = field(default=None, compare=False, repr=False)
    errand: Errand | None = field(default=None, compare=False, repr=False)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change, here or elsewhere."""
        return self.changes.is_empty and self.errand is None

    @property
    def words(self) -> list[str]:
        """The request as a command line would say it."""
        return command_string(self.request).split(" ")


def digest_of(plan: Plan, changes: str = "") -> str:
    """The digest over everything that is approved: request, changes (`to_text`), where they are made, programs, what is
    said, moment and identity."""
    value: dict[str, Any] = {
        "request": request_digest(plan.request),
        "preview": [plan.preview.summary, plan.preview.risk, list(plan.preview.effects), plan.preview.lines],
        "answer": [
            _stream(plan.answer.out),
            _stream(plan.answer.err),
            plan.answer.status,
            _stream(plan.answer.tail),
            _stream(plan.answer.advice),
            _stream(plan.answer.tail_err),
        ],
        "programs": [[use.service, use.name, use.argv, use.sha256, use.paths] for use in plan.preview.programs],
        "moment": [plan.moment.seconds, plan.moment.zone],
        "ident": text(plan.ident),
        "directories": list(plan.directories),
    }
    if plan.errand is not None:
        value["errand"] = plan.errand.lines
    parts = {name: json.dumps(one, sort_keys=True, separators=(",", ":")) for name, one in value.items()}
    parts["changes"] = changes or to_text(plan.changes)
    body = "{" + ",".join(f'"{name}":{parts[name]}' for name in sorted(parts)) + "}"
    pause()
    return _sha256(b"gitglass-plan-1\0" + body.encode("utf-8", "surrogatepass"))


def _stream(words: bytes) -> str | list[str]:
    """A text as the digest has it: itself, or of a large one its own digest."""
    return text(words) if len(words) < LARGE else ["sha256", _sha256(words)]


def _sha256(data: bytes) -> str:
    digest = hashlib.sha256()
    for at in range(0, len(data), LARGE):
        pause()
        digest.update(data[at : at + LARGE])
    return digest.hexdigest()


_TOKEN = re.compile(r"([0-9a-f]{64})@([0-9]{1,18})([-+][0-9]{1,5})")


def token_of(plan: Plan) -> str:
    """What approves a plan in another call or process: its digest, and the moment that it was made for."""
    return f"{plan.digest}@{plan.moment.seconds}{plan.moment.zone:+d}"


def parse_token(word: str) -> tuple[str, Moment] | None:
    """(digest, moment) of a token; None for another word."""
    match = _TOKEN.fullmatch(word)
    return None if match is None else (match[1], Moment(int(match[2]), int(match[3])))


def preview_lines(changes: Changes) -> list[str]:
    """What changes, a line each: refs, commits, index, files."""
    lines: list[str] = []
    for ref in changes.refs:
        if (ref.before, ref.was_symbolic) == (ref.after, ref.symbolic):
            continue
        before = "nothing" if ref.before == ABSENT else _value(ref.before, ref.was_symbolic)
        after = "nothing" if ref.after == ABSENT else _value(ref.after, ref.symbolic)
        lines.append(f"ref {text(ref.name)}: {before} -> {after}")
    for oid, (kind, _) in changes.objects.items():
        if kind in (b"commit", b"tag"):
            lines.append(f"new {kind.decode()} {oid.hex()}")
    for entry in paced(changes.entries):
        lines.append(f"index {text(entry.path)}: {_rows(entry.before)} -> {_rows(entry.after)}")
    for file in paced(changes.files):
        before = "nothing" if file.before is None else f"{file.before.mode:o} {file.before.oid.hex()[:12]}"
        after = "nothing" if file.after is None else f"{file.after.mode:o} {file.after.oid.hex()[:12]}"
        lines.append(f"file {text(file.path)}: {before} -> {after}")
    return lines


def _value(raw: bytes, symbolic: bool) -> str:
    return text(raw) if symbolic else raw.hex()[:12]


def _rows(rows: tuple[Any, ...]) -> str:
    return " ".join(f"{row.stage}:{row.mode:o} {row.oid.hex()[:12]}" for row in rows) or "nothing"


def losses_of(changes: Changes) -> list[Loss]:
    """The bytes of files that are no objects of the repository: the operation log keeps them."""
    return [
        Loss("uncommitted", text(file.path), "operation log")
        for file in changes.files
        if file.before is not None and not file.stored
    ]

"""What another repository says of itself, and what can be asked of any of them, wherever it is."""

from __future__ import annotations

from typing import Protocol

from ...records import field, record
from ..view import View


@record
class Listing:
    """The refs of another repository, `HEAD` first, by name; what annotated tags stand for (`peeled`); what symbolic
    refs name."""

    refs: dict[bytes, bytes]
    peeled: dict[bytes, bytes] = field(default_factory=dict)
    symrefs: dict[bytes, bytes] = field(default_factory=dict)


@record(frozen=True)
class Update:
    """One ref of another repository that is to change: only if it is at `old` (ABSENT: only if there is none)."""

    name: bytes
    old: bytes
    new: bytes


@record
class Outcome:
    """What became of a push: per ref None (done), or why not, in the other side's words. `unknown` are those of which
    nobody can say. `words` is what the other side printed."""

    rejected: dict[bytes, str | None] = field(default_factory=dict)
    unknown: dict[bytes, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)


class Source(Protocol):
    """Another repository that can be read."""

    def listing(self) -> Listing:
        """Its refs. Raises CommandFailed in git's words where there is none."""

    def bring(self, view: View, wants: list[bytes]) -> None:
        """Bring these objects and all they need into the view's quarantine, judged and connected. Raises Corrupt."""


class Prepared(Protocol):
    """A push that was planned with the other side, as far as that is possible without changing anything there."""

    expected: Outcome

    def carry_out(self) -> Outcome:
        """Do it; what became of each ref. Raises GitError where nothing was done."""


class Destination(Protocol):
    """Another repository that can be pushed to."""

    def listing(self) -> Listing:
        """Its refs."""

    def prepare(self, view: View, updates: list[Update], *, atomic: bool) -> Prepared:
        """Look whether it would take these updates; nothing changes."""

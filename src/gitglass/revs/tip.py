"""What the revisions of a command line named: the commits a walk starts from and stops at, and other objects."""

from __future__ import annotations

from ..records import record

__all__ = ["Tip", "Tips"]


@record(frozen=True)
class Tip:
    """One object that was named.

    `oid` is what was named, `commit` the commit behind it (None for trees and blobs), `kind` the kind of the object
    (empty where it was not looked up). `name` is the word it was named by, which --source shows.
    `bottom` marks the excluded end of a range or `^A`; `left` the left side of `A...B`; `parent` what only stands for
    another word's parent (`A^@`, `A^!`, `A^-n`). `ref` is the full name of the
    ref where the word was one.
    """

    oid: bytes
    commit: bytes | None
    name: bytes
    exclude: bool = False
    left: bool = False
    bottom: bool = False
    parent: bool = False
    mode: int = 0
    path: bytes | None = None
    ref: bytes | None = None
    kind: bytes = b"commit"


@record(frozen=True)
class Tips:
    """What the words named, in order. `entries` has everything; the other lists are the same seen from one side."""

    entries: tuple[Tip, ...] = ()
    symmetric: bool = False
    ranged: bool = False  # one of the words was A..B or A...B
    globbed: bool = False  # --all or a similar option was given: there is no default then, even where it named nothing
    turn: int = 0  # where reflogs are walked: the entries in front of this one name none of them (`main -g side`)

    @property
    def include(self) -> list[bytes]:
        """Commits to start from."""
        return [tip.commit for tip in self.entries if tip.commit is not None and not tip.exclude]

    @property
    def exclude(self) -> list[bytes]:
        """Commits to stop at."""
        return [tip.commit for tip in self.entries if tip.commit is not None and tip.exclude]

    @property
    def left(self) -> set[bytes]:
        """Commits on the left of `A...B`."""
        return {tip.commit for tip in self.entries if tip.commit is not None and tip.left}

    @property
    def objects(self) -> list[Tip]:
        """Tags, trees and blobs that were named."""
        return [tip for tip in self.entries if tip.kind != b"commit"]

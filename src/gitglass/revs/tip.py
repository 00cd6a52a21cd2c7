"""The objects that the revisions of a command line name: the commits a walk starts from and stops at, and others."""

from __future__ import annotations

from ..records import record

__all__ = ["Tip", "Tips"]


@record(frozen=True)
class Tip:
    """One named object.

    `oid` is the named object, `commit` the commit that it leads to (None for trees and blobs), `kind` the type of the
    object (empty if it was not looked up). `name` is the word that named it, which --source shows. `bottom` marks the
    excluded end of a range or `^A`; `left` the left side of `A...B`; `parent` an entry that only stands for a
    parent of the named revision (`A^@`, `A^!`, `A^-n`). `ref` is the full name of the ref if the word was one.
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
    """The objects that the words named, in order. `entries` has all of them; the other attributes select from them."""

    entries: tuple[Tip, ...] = ()
    symmetric: bool = False
    ranged: bool = False  # one of the words was A..B or A...B
    globbed: bool = False  # --all or a similar option was given: then there is no default, even if it named nothing
    turn: int = 0  # in a walk of reflogs: entries before this index name no reflog (`main -g side`)

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
        """The named tags, trees and blobs."""
        return [tip for tip in self.entries if tip.kind != b"commit"]

"""The options of blame, and the part of the scoreboard that its searches for moved and guessed lines need."""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import TYPE_CHECKING
from ..diff.lines.ranges import Lines
from ..diff.lines.spec import LineSpec
from ..limits import Context
from ..records import field, record
from .origins import Origin, Runs


@record(frozen=True)
class WorkFile:
    """The file as it is in the work tree (or given by --contents), in git's form: the version no commit has yet.

    `parents` are HEAD and what is being merged; `oid` names the content; `indexed` tells the paths of the index, which
    renames are found against.
    """

    data: bytes
    oid: bytes
    mode: int
    parents: tuple[bytes, ...]
    indexed: Callable[[], frozenset[bytes]] = frozenset


@record(frozen=True)
class BlameSpec:
    """What is asked of blame besides the file and its lines.

    `interesting`: the commits that may be blamed (None: all); behind any other lies a boundary. `children` turns the
    history around (--reverse). `moves` is -M, and `copies` counts the -C.
    """

    lines: LineSpec = field(default_factory=lambda: LineSpec(context=0))
    interesting: Callable[[bytes], bool] | None = None
    children: dict[bytes, list[bytes]] | None = None
    first_parent: bool = False
    show_root: bool = False
    follow: bool = True
    moves: bool = False
    copies: int = 0
    move_score: int = 20
    copy_score: int = 40
    ignored: frozenset[bytes] = frozenset()
    start_name: bytes = b""  # the commit begun with, as it was asked for


if TYPE_CHECKING:
    from typing import Protocol

    class Board(Protocol):
        """The scoreboard (`blame.Scoreboard`) as the searches of -M, -C and --ignore-rev see it."""

        ctx: Context
        spec: BlameSpec
        final: Lines

        def origin(self, commit: bytes, path: bytes) -> Origin:
            """The origin for a path of a commit, made when it is new."""

        def data(self, origin: Origin) -> bytes:
            """The content of an origin."""

        def load(self, origin: Origin) -> None:
            """Count a reading of an origin's content."""

        def suspect(self, origin: Origin, runs: Runs) -> None:
            """Pass lines on to an origin."""

        def changed_files(self, parent: bytes, origin: Origin) -> list[tuple[int, bytes, bytes]]:
            """(mode, path, oid) in the parent of the files that the origin's commit changed or deleted."""

        def files_of(self, commit: bytes) -> list[tuple[int, bytes, bytes]]:
            """(mode, path, oid) of every file of a commit."""

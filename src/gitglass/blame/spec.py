"""The options of blame, and the interface of the scoreboard that the searches for moved and guessed lines use."""

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
    """The file in the work tree (or given by --contents), in the form git stores: the version that no commit has yet.

    `parents` are HEAD and the commits being merged. `oid` is the name of the content. `indexed` returns the paths of
    the index; renames are detected against files that are missing there.
    """

    data: bytes
    oid: bytes
    mode: int
    parents: tuple[bytes, ...]
    indexed: Callable[[], frozenset[bytes]] = frozenset


@record(frozen=True)
class BlameSpec:
    """The options of blame besides the file and its lines.

    `interesting` tells which commits may pass lines on (None: all); any other commit is a boundary and keeps all lines
    that reach it. `children` reverses history (--reverse). `moves` is -M; `copies` is the number of -C options.
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
    start_name: bytes = b""  # the starting commit, as the caller wrote it


if TYPE_CHECKING:
    from typing import Protocol

    class Board(Protocol):
        """What -M, -C and --ignore-rev use of the scoreboard (`blame.Scoreboard`)."""

        ctx: Context
        spec: BlameSpec
        final: Lines

        def origin(self, commit: bytes, path: bytes) -> Origin:
            """The origin for a path of a commit, created if needed."""

        def release(self, origin: Origin | None) -> None:
            """Forget an origin that nothing leads to any more."""

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
